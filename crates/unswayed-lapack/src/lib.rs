//! The eight BLAS and LAPACK routines that Clarabel's semidefinite cone calls, on faer.
//!
//! Clarabel wants a BLAS and a LAPACK at link time. The usual ones need a Fortran compiler or a system library; this crate
//! has just the routines that are called, under their Fortran names, so that everything builds with `cargo` alone. Options
//! that Clarabel does not use are refused through `info` (of BLAS routines, which have none, all options work).
//!
//! A crate that links Clarabel has to name this one (`use unswayed_lapack as _;`), else the linker leaves it out.
//!
//! # Safety
//!
//! All functions have Fortran's contract: every pointer is valid, matrices are stored by columns with the given leading
//! dimension, which is at least the number of rows, and what is written to overlaps nothing else. Only Clarabel calls them,
//! with vectors whose sizes it has checked.

mod routines;

use std::ffi::{c_char, c_int};

use faer::{MatMut, MatRef, Side};

/// `info` for an argument that is not supported: minus its position.
fn refused(position: c_int) -> c_int {
    -position
}

fn size(n: c_int) -> usize {
    usize::try_from(n).unwrap_or(0)
}

fn letter(option: c_char) -> u8 {
    (option as u8).to_ascii_uppercase()
}

/// The triangle that `uplo` names.
fn triangle(option: c_char) -> Option<Side> {
    match letter(option) {
        b'L' => Some(Side::Lower),
        b'U' => Some(Side::Upper),
        _ => None,
    }
}

/// Whether `trans` says that a real matrix is transposed.
fn transposed(option: c_char) -> bool {
    letter(option) != b'N'
}

/// A matrix of the caller, to read.
///
/// # Safety
/// `data` has `rows`×`columns` entries in columns that are `stride` apart, and nobody writes to them.
unsafe fn read<'a>(data: *const f64, rows: usize, columns: usize, stride: c_int) -> MatRef<'a, f64> {
    // SAFETY: the caller's promise is what `from_raw_parts` asks for.
    unsafe { MatRef::from_raw_parts(data, rows, columns, 1, stride as isize) }
}

/// A matrix of the caller, to write.
///
/// # Safety
/// `data` has `rows`×`columns` entries in columns that are `stride` apart, and nobody else uses them.
unsafe fn write<'a>(data: *mut f64, rows: usize, columns: usize, stride: c_int) -> MatMut<'a, f64> {
    // SAFETY: the caller's promise is what `from_raw_parts_mut` asks for.
    unsafe { MatMut::from_raw_parts_mut(data, rows, columns, 1, stride as isize) }
}

/// op(A), which has `rows`×`columns` entries.
///
/// # Safety
/// As for [`read`], of A.
unsafe fn operand<'a>(
    data: *const f64,
    rows: usize,
    columns: usize,
    stride: c_int,
    transposed: bool,
) -> MatRef<'a, f64> {
    // SAFETY: the caller's promise, for the matrix as it is stored.
    unsafe {
        if transposed {
            read(data, columns, rows, stride).transpose()
        } else {
            read(data, rows, columns, stride)
        }
    }
}

/// C ← α op(A) op(B) + βC.
///
/// # Safety
/// Fortran's contract, see the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dgemm_(
    transa: *const c_char,
    transb: *const c_char,
    m: *const c_int,
    n: *const c_int,
    k: *const c_int,
    alpha: *const f64,
    a: *const f64,
    lda: *const c_int,
    b: *const f64,
    ldb: *const c_int,
    beta: *const f64,
    c: *mut f64,
    ldc: *const c_int,
) {
    // SAFETY: Fortran's contract.
    unsafe {
        let (m, n, k) = (size(*m), size(*n), size(*k));
        let a = operand(a, m, k, *lda, transposed(*transa));
        let b = operand(b, k, n, *ldb, transposed(*transb));
        routines::multiply(*alpha, a, b, *beta, write(c, m, n, *ldc));
    }
}

/// One triangle of C ← α op(A) op(A)ᵀ + βC.
///
/// # Safety
/// Fortran's contract, see the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dsyrk_(
    uplo: *const c_char,
    trans: *const c_char,
    n: *const c_int,
    k: *const c_int,
    alpha: *const f64,
    a: *const f64,
    lda: *const c_int,
    beta: *const f64,
    c: *mut f64,
    ldc: *const c_int,
) {
    // SAFETY: Fortran's contract.
    unsafe {
        let (n, k) = (size(*n), size(*k));
        let a = operand(a, n, k, *lda, transposed(*trans));
        let side = triangle(*uplo).unwrap_or(Side::Lower);
        routines::multiply_triangle(*alpha, a, a.transpose(), *beta, write(c, n, n, *ldc), side);
    }
}

/// One triangle of C ← α(op(A) op(B)ᵀ + op(B) op(A)ᵀ) + βC.
///
/// # Safety
/// Fortran's contract, see the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dsyr2k_(
    uplo: *const c_char,
    trans: *const c_char,
    n: *const c_int,
    k: *const c_int,
    alpha: *const f64,
    a: *const f64,
    lda: *const c_int,
    b: *const f64,
    ldb: *const c_int,
    beta: *const f64,
    c: *mut f64,
    ldc: *const c_int,
) {
    // SAFETY: Fortran's contract.
    unsafe {
        let (n, k) = (size(*n), size(*k));
        let a = operand(a, n, k, *lda, transposed(*trans));
        let b = operand(b, n, k, *ldb, transposed(*trans));
        let side = triangle(*uplo).unwrap_or(Side::Lower);
        let mut c = write(c, n, n, *ldc);
        routines::multiply_triangle(*alpha, a, b.transpose(), *beta, c.as_mut(), side);
        routines::multiply_triangle(*alpha, b, a.transpose(), 1.0, c, side);
    }
}

/// The Cholesky factor of a positive definite matrix, in place.
///
/// # Safety
/// Fortran's contract, see the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dpotrf_(
    uplo: *const c_char,
    n: *const c_int,
    a: *mut f64,
    lda: *const c_int,
    info: *mut c_int,
) {
    // SAFETY: Fortran's contract.
    unsafe {
        *info = match triangle(*uplo) {
            Some(side) => routines::cholesky(write(a, size(*n), size(*n), *lda), side).err().unwrap_or(0),
            None => refused(1),
        };
    }
}

/// B ← A⁻¹B from the factor that [`dpotrf_`] leaves.
///
/// # Safety
/// Fortran's contract, see the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dpotrs_(
    uplo: *const c_char,
    n: *const c_int,
    nrhs: *const c_int,
    a: *const f64,
    lda: *const c_int,
    b: *mut f64,
    ldb: *const c_int,
    info: *mut c_int,
) {
    // SAFETY: Fortran's contract.
    unsafe {
        let Some(side) = triangle(*uplo) else {
            *info = refused(1);
            return;
        };
        let factor = read(a, size(*n), size(*n), *lda);
        routines::cholesky_solve(factor, side, write(b, size(*n), size(*nrhs), *ldb));
        *info = 0;
    }
}

/// All eigenvalues of a symmetric matrix, with eigenvectors if `jobz` is `V`. `range` must be `A`.
///
/// # Safety
/// Fortran's contract, see the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dsyevr_(
    jobz: *const c_char,
    range: *const c_char,
    uplo: *const c_char,
    n: *const c_int,
    a: *mut f64,
    lda: *const c_int,
    _vl: *const f64,
    _vu: *const f64,
    _il: *const c_int,
    _iu: *const c_int,
    _abstol: *const f64,
    m: *mut c_int,
    w: *mut f64,
    z: *mut f64,
    ldz: *const c_int,
    _isuppz: *mut c_int,
    work: *mut f64,
    lwork: *const c_int,
    iwork: *mut c_int,
    liwork: *const c_int,
    info: *mut c_int,
) {
    // SAFETY: Fortran's contract; z is used only if eigenvectors are asked for.
    unsafe {
        let wanted = letter(*jobz) == b'V';
        let Some(side) = triangle(*uplo).filter(|_| letter(*range) == b'A') else {
            *info = refused(if letter(*range) == b'A' { 3 } else { 2 });
            return;
        };
        if *lwork == -1 || *liwork == -1 {
            (*work, *iwork, *info) = (1.0, 1, 0);
            return;
        }
        let order = size(*n);
        let values = std::slice::from_raw_parts_mut(w, order);
        let vectors = wanted.then(|| write(z, order, order, *ldz));
        *info = routines::eigen(read(a, order, order, *lda), side, values, vectors).err().unwrap_or(0);
        *m = *n;
    }
}

/// The thin singular value decomposition. `jobz` must be `S`.
///
/// # Safety
/// Fortran's contract, see the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dgesdd_(
    jobz: *const c_char,
    m: *const c_int,
    n: *const c_int,
    a: *mut f64,
    lda: *const c_int,
    s: *mut f64,
    u: *mut f64,
    ldu: *const c_int,
    vt: *mut f64,
    ldvt: *const c_int,
    work: *mut f64,
    lwork: *const c_int,
    _iwork: *mut c_int,
    info: *mut c_int,
) {
    // SAFETY: Fortran's contract, which both routines share.
    unsafe { dgesvd_(jobz, jobz, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, info) }
}

/// The thin singular value decomposition. `jobu` and `jobvt` must be `S`.
///
/// # Safety
/// Fortran's contract, see the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dgesvd_(
    jobu: *const c_char,
    jobvt: *const c_char,
    m: *const c_int,
    n: *const c_int,
    a: *mut f64,
    lda: *const c_int,
    s: *mut f64,
    u: *mut f64,
    ldu: *const c_int,
    vt: *mut f64,
    ldvt: *const c_int,
    work: *mut f64,
    lwork: *const c_int,
    info: *mut c_int,
) {
    // SAFETY: Fortran's contract.
    unsafe {
        if letter(*jobu) != b'S' || letter(*jobvt) != b'S' {
            *info = refused(if letter(*jobu) == b'S' { 2 } else { 1 });
            return;
        }
        if *lwork == -1 {
            (*work, *info) = (1.0, 0);
            return;
        }
        let (rows, columns) = (size(*m), size(*n));
        let rank = rows.min(columns);
        let values = std::slice::from_raw_parts_mut(s, rank);
        let (u, vt) = (write(u, rows, rank, *ldu), write(vt, rank, columns, *ldvt));
        *info = routines::singular(read(a, rows, columns, *lda), values, u, vt).err().unwrap_or(0);
    }
}
