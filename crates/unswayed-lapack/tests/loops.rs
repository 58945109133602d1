//! Each routine against straightforward loops, through its Fortran interface.

use std::ffi::{c_char, c_int};

use unswayed_lapack::{dgemm_, dgesdd_, dgesvd_, dpotrf_, dpotrs_, dsyevr_, dsyr2k_, dsyrk_};

/// A matrix stored by columns, with room between the columns.
#[derive(Clone)]
struct Matrix {
    data: Vec<f64>,
    rows: usize,
    columns: usize,
    stride: usize,
}

impl Matrix {
    fn new(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> f64) -> Matrix {
        let stride = rows + 2;
        let mut data = vec![f64::NAN; stride * columns];
        for j in 0..columns {
            for i in 0..rows {
                data[i + j * stride] = entry(i, j);
            }
        }
        Matrix { data, rows, columns, stride }
    }

    fn random(rows: usize, columns: usize, seed: u64) -> Matrix {
        Matrix::new(rows, columns, |i, j| {
            let mut x = seed ^ ((i as u64 + 1) << 20) ^ ((j as u64 + 1) << 40) ^ 0x9e37_79b9_7f4a_7c15;
            for _ in 0..4 {
                x ^= x << 13;
                x ^= x >> 7;
                x ^= x << 17;
            }
            (x >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        })
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        assert!(i < self.rows && j < self.columns);
        self.data[i + j * self.stride]
    }

    fn transpose(&self) -> Matrix {
        Matrix::new(self.columns, self.rows, |i, j| self.at(j, i))
    }

    fn times(&self, other: &Matrix) -> Matrix {
        let product = |i, j| (0..self.columns).map(|l| self.at(i, l) * other.at(l, j)).sum();
        Matrix::new(self.rows, other.columns, product)
    }

    fn plus(&self, factor: f64, other: &Matrix) -> Matrix {
        Matrix::new(self.rows, self.columns, |i, j| self.at(i, j) + factor * other.at(i, j))
    }

    fn stride(&self) -> c_int {
        self.stride as c_int
    }

    fn assert_near(&self, other: &Matrix, chosen: impl Fn(usize, usize) -> bool) {
        assert_eq!((self.rows, self.columns), (other.rows, other.columns));
        for j in 0..self.columns {
            for i in (0..self.rows).filter(|&i| chosen(i, j)) {
                let (a, b) = (self.at(i, j), other.at(i, j));
                assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "({i}, {j}): {a} {b}");
            }
        }
    }
}

/// S + Sᵀ.
fn symmetric(n: usize, seed: u64) -> Matrix {
    let s = Matrix::random(n, n, seed);
    s.plus(1.0, &s.transpose())
}

fn option(letter: u8) -> *const c_char {
    const LETTERS: [c_char; 128] = {
        let mut all = [0; 128];
        let mut i = 0;
        while i < 128 {
            all[i] = i as c_char;
            i += 1;
        }
        all
    };
    static TABLE: [c_char; 128] = LETTERS;
    &raw const TABLE[usize::from(letter)]
}

const SIZES: [(usize, usize, usize); 4] = [(1, 1, 1), (2, 5, 3), (7, 4, 6), (33, 20, 41)];

#[test]
fn products() {
    for (m, n, k) in SIZES {
        for (ta, tb) in [(b'N', b'N'), (b'T', b'N'), (b'N', b'T'), (b'C', b'T')] {
            let (a, b) = (Matrix::random(m, k, 1), Matrix::random(k, n, 2));
            let stored = |x: &Matrix, t| if t == b'N' { x.clone() } else { x.transpose() };
            let (sa, sb) = (stored(&a, ta), stored(&b, tb));
            for (alpha, beta) in [(1.0, 0.0), (-2.5, 1.0), (0.5, -3.0)] {
                // β = 0: what was in C must not matter.
                let start = Matrix::random(m, n, 3);
                let mut c = if beta == 0.0 { Matrix::new(m, n, |_, _| f64::NAN) } else { start.clone() };
                let (cm, cn, ck, lda, ldb, ldc) =
                    (m as c_int, n as c_int, k as c_int, sa.stride(), sb.stride(), c.stride());
                // SAFETY: sizes and strides are those of the matrices.
                unsafe {
                    dgemm_(
                        option(ta),
                        option(tb),
                        &raw const cm,
                        &raw const cn,
                        &raw const ck,
                        &raw const alpha,
                        sa.data.as_ptr(),
                        &raw const lda,
                        sb.data.as_ptr(),
                        &raw const ldb,
                        &raw const beta,
                        c.data.as_mut_ptr(),
                        &raw const ldc,
                    );
                }
                let zero = Matrix::new(m, n, |_, _| 0.0);
                let expected = zero.plus(beta, &start).plus(alpha, &a.times(&b));
                c.assert_near(&expected, |_, _| true);
            }
        }
    }
}

#[test]
fn symmetric_products() {
    for (n, _, k) in SIZES {
        for (uplo, trans) in [(b'U', b'N'), (b'L', b'N'), (b'U', b'T'), (b'L', b'T')] {
            let (a, b) = (Matrix::random(n, k, 1), Matrix::random(n, k, 2));
            let stored = |x: &Matrix| if trans == b'N' { x.clone() } else { x.transpose() };
            let (sa, sb) = (stored(&a), stored(&b));
            let start = symmetric(n, 3);
            let (alpha, beta) = (1.5, 0.5);
            let (mut one, mut two) = (start.clone(), start.clone());
            let (cn, ck, lda, ldc) = (n as c_int, k as c_int, sa.stride(), start.stride());
            // SAFETY: sizes and strides are those of the matrices.
            unsafe {
                dsyrk_(
                    option(uplo),
                    option(trans),
                    &raw const cn,
                    &raw const ck,
                    &raw const alpha,
                    sa.data.as_ptr(),
                    &raw const lda,
                    &raw const beta,
                    one.data.as_mut_ptr(),
                    &raw const ldc,
                );
                dsyr2k_(
                    option(uplo),
                    option(trans),
                    &raw const cn,
                    &raw const ck,
                    &raw const alpha,
                    sa.data.as_ptr(),
                    &raw const lda,
                    sb.data.as_ptr(),
                    &raw const lda,
                    &raw const beta,
                    two.data.as_mut_ptr(),
                    &raw const ldc,
                );
            }
            let inside = |i: usize, j: usize| if uplo == b'U' { i <= j } else { i >= j };
            let scaled = start.plus(beta - 1.0, &start);
            one.assert_near(&scaled.plus(alpha, &a.times(&a.transpose())), inside);
            let ab = a.times(&b.transpose());
            two.assert_near(&scaled.plus(alpha, &ab).plus(alpha, &ab.transpose()), inside);
            // The other triangle is left alone.
            one.assert_near(&start, |i, j| !inside(i, j));
            two.assert_near(&start, |i, j| !inside(i, j));
        }
    }
}

#[test]
fn cholesky_factors_and_solves() {
    for (n, nrhs, _) in SIZES {
        for uplo in [b'L', b'U'] {
            let root = Matrix::random(n, n + 1, 5);
            let unit = Matrix::new(n, n, |i, j| f64::from(u8::from(i == j)));
            let a = unit.plus(1.0, &root.times(&root.transpose()));
            let (mut factor, x) = (a.clone(), Matrix::random(n, nrhs, 6));
            let mut b = a.times(&x);
            let (cn, cr, lda, ldb) = (n as c_int, nrhs as c_int, a.stride(), b.stride());
            let (mut first, mut second) = (7, 7);
            // SAFETY: sizes and strides are those of the matrices.
            unsafe {
                let to = factor.data.as_mut_ptr();
                dpotrf_(option(uplo), &raw const cn, to, &raw const lda, &raw mut first);
                dpotrs_(
                    option(uplo),
                    &raw const cn,
                    &raw const cr,
                    factor.data.as_ptr(),
                    &raw const lda,
                    b.data.as_mut_ptr(),
                    &raw const ldb,
                    &raw mut second,
                );
            }
            assert_eq!((first, second), (0, 0));
            let inside = |i: usize, j: usize| if uplo == b'U' { i <= j } else { i >= j };
            let triangle = Matrix::new(n, n, |i, j| if inside(i, j) { factor.at(i, j) } else { 0.0 });
            let lower = if uplo == b'L' { triangle } else { triangle.transpose() };
            lower.times(&lower.transpose()).assert_near(&a, |_, _| true);
            for j in 0..nrhs {
                for i in 0..n {
                    assert!((b.at(i, j) - x.at(i, j)).abs() < 1e-6, "{n} {i} {j}");
                }
            }
        }
    }
    let mut indefinite = Matrix::new(3, 3, |i, j| if i == j { [1.0, 2.0, -1.0][i] } else { 0.0 });
    let (n, lda, mut info) = (3, indefinite.stride(), 0);
    let to = indefinite.data.as_mut_ptr();
    // SAFETY: sizes and strides are those of the matrix.
    unsafe { dpotrf_(option(b'L'), &raw const n, to, &raw const lda, &raw mut info) };
    assert_eq!(info, 3, "the pivot that is not positive");
    // SAFETY: as before.
    unsafe { dpotrf_(option(b'X'), &raw const n, to, &raw const lda, &raw mut info) };
    assert_eq!(info, -1);
}

/// Values, vectors and `info` of `dsyevr_`, called twice as Clarabel does.
fn eigen(a: &Matrix, jobz: u8, range: u8, uplo: u8) -> (Vec<f64>, Matrix, c_int) {
    let n = a.rows;
    let (mut input, mut vectors) = (a.clone(), Matrix::new(n, n, |_, _| 0.0));
    let (mut values, mut work, mut iwork, mut support) =
        (vec![0.0; n], vec![0.0], vec![0; 1], vec![0; 2 * n]);
    let (cn, lda, ldz, zero, none, tolerance) = (n as c_int, a.stride(), vectors.stride(), 0.0, 0, -1.0);
    let (mut found, mut info) = (0, 0);
    for query in [true, false] {
        let (lwork, liwork) = if query { (-1, -1) } else { (work[0] as c_int, iwork[0]) };
        if !query {
            work.resize(lwork as usize, 0.0);
            iwork.resize(liwork as usize, 0);
        }
        // SAFETY: sizes and strides are those of the matrices.
        unsafe {
            dsyevr_(
                option(jobz),
                option(range),
                option(uplo),
                &raw const cn,
                input.data.as_mut_ptr(),
                &raw const lda,
                &raw const zero,
                &raw const zero,
                &raw const none,
                &raw const none,
                &raw const tolerance,
                &raw mut found,
                values.as_mut_ptr(),
                vectors.data.as_mut_ptr(),
                &raw const ldz,
                support.as_mut_ptr(),
                work.as_mut_ptr(),
                &raw const lwork,
                iwork.as_mut_ptr(),
                &raw const liwork,
                &raw mut info,
            );
        }
        if info != 0 {
            break;
        }
    }
    (values, vectors, info)
}

#[test]
fn eigenvalues_and_vectors() {
    for (n, _, _) in SIZES {
        let a = symmetric(n, 8);
        for uplo in [b'U', b'L'] {
            let (values, vectors, info) = eigen(&a, b'V', b'A', uplo);
            assert_eq!(info, 0);
            assert!(values.is_sorted());
            let scaled = Matrix::new(n, n, |i, j| vectors.at(i, j) * values[j]);
            a.times(&vectors).assert_near(&scaled, |_, _| true);
            let unit = Matrix::new(n, n, |i, j| f64::from(u8::from(i == j)));
            vectors.transpose().times(&vectors).assert_near(&unit, |_, _| true);
            let (alone, _, info) = eigen(&a, b'N', b'A', uplo);
            assert_eq!(info, 0);
            assert!(alone.iter().zip(&values).all(|(a, b)| (a - b).abs() < 1e-12));
        }
    }
    let a = symmetric(4, 9);
    assert_eq!(eigen(&a, b'V', b'I', b'U').2, -2);
    assert_eq!(eigen(&a, b'V', b'A', b'X').2, -3);
    assert_eq!(eigen(&Matrix::new(4, 4, |_, _| f64::NAN), b'V', b'A', b'U').2, 1);
}

#[test]
fn singular_values_and_vectors() {
    for (m, n, _) in [(1, 1, 0), (5, 5, 0), (7, 4, 0), (4, 7, 0), (40, 40, 0)] {
        for divide in [true, false] {
            let a = Matrix::random(m, n, 11);
            let rank = m.min(n);
            let (mut input, mut u, mut vt) =
                (a.clone(), Matrix::new(m, rank, |_, _| 0.0), Matrix::new(rank, n, |_, _| 0.0));
            let (mut values, mut work, mut iwork) = (vec![0.0; rank], vec![0.0; 1], vec![0; 8 * rank]);
            let (cm, cn, lda, ldu, ldvt) = (m as c_int, n as c_int, a.stride(), u.stride(), vt.stride());
            let mut info = 7;
            let mut call = |job: u8, lwork: c_int| {
                // SAFETY: sizes and strides are those of the matrices.
                unsafe {
                    let (s, w) = (values.as_mut_ptr(), work.as_mut_ptr());
                    let (a, u, vt) = (input.data.as_mut_ptr(), u.data.as_mut_ptr(), vt.data.as_mut_ptr());
                    if divide {
                        dgesdd_(
                            option(job),
                            &raw const cm,
                            &raw const cn,
                            a,
                            &raw const lda,
                            s,
                            u,
                            &raw const ldu,
                            vt,
                            &raw const ldvt,
                            w,
                            &raw const lwork,
                            iwork.as_mut_ptr(),
                            &raw mut info,
                        );
                    } else {
                        dgesvd_(
                            option(job),
                            option(job),
                            &raw const cm,
                            &raw const cn,
                            a,
                            &raw const lda,
                            s,
                            u,
                            &raw const ldu,
                            vt,
                            &raw const ldvt,
                            w,
                            &raw const lwork,
                            &raw mut info,
                        );
                    }
                }
                info
            };
            assert_eq!(call(b'A', 1), -1);
            assert_eq!(call(b'S', -1), 0);
            assert_eq!(call(b'S', 1), 0);
            assert!(values.iter().rev().is_sorted() && values.iter().all(|&s| s >= 0.0));
            let scaled = Matrix::new(m, rank, |i, j| u.at(i, j) * values[j]);
            scaled.times(&vt).assert_near(&a, |_, _| true);
            let unit = Matrix::new(rank, rank, |i, j| f64::from(u8::from(i == j)));
            u.transpose().times(&u).assert_near(&unit, |_, _| true);
            vt.times(&vt.transpose()).assert_near(&unit, |_, _| true);
        }
    }
}
