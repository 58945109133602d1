//! What the routines compute, on matrices that are known to be valid.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::solvers::{Llt, SelfAdjointEigen, Svd};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, MatMut, MatRef, Par, Side};

/// A factorization that could not be computed, as LAPACK's `info` says it: a positive number.
pub(crate) type Info = i32;

/// Reported where an iteration did not converge, and for input that is not finite.
pub(crate) const NO_CONVERGENCE: Info = 1;

/// C ← αAB + βC. As in BLAS, β = 0 means that C is not read.
pub(crate) fn multiply(alpha: f64, a: MatRef<f64>, b: MatRef<f64>, beta: f64, mut c: MatMut<f64>) {
    scale(beta, c.as_mut(), |_, _| true);
    matmul(c, Accum::Add, a, b, alpha, Par::Seq);
}

/// One triangle of C ← αAB + βC, for products that are symmetric.
pub(crate) fn multiply_triangle(
    alpha: f64,
    a: MatRef<f64>,
    b: MatRef<f64>,
    beta: f64,
    mut c: MatMut<f64>,
    side: Side,
) {
    use BlockStructure::{Rectangular, TriangularLower, TriangularUpper};
    let structure = match side {
        Side::Lower => TriangularLower,
        Side::Upper => TriangularUpper,
    };
    scale(beta, c.as_mut(), |i, j| in_triangle(side, i, j));
    triangular::matmul(c, structure, Accum::Add, a, Rectangular, b, Rectangular, alpha, Par::Seq);
}

fn in_triangle(side: Side, i: usize, j: usize) -> bool {
    match side {
        Side::Lower => i >= j,
        Side::Upper => i <= j,
    }
}

fn scale(beta: f64, mut c: MatMut<f64>, chosen: impl Fn(usize, usize) -> bool) {
    for j in 0..c.ncols() {
        for i in 0..c.nrows() {
            if chosen(i, j) {
                c[(i, j)] = if beta == 0.0 { 0.0 } else { beta * c[(i, j)] };
            }
        }
    }
}

/// A = LLᵀ or UᵀU, in the triangle of A that is given.
pub(crate) fn cholesky(mut a: MatMut<f64>, side: Side) -> Result<(), Info> {
    let n = a.nrows();
    let factor = match Llt::new(a.as_ref(), side) {
        Ok(factor) => factor,
        Err(faer::linalg::cholesky::llt::factor::LltError::NonPositivePivot { index }) => {
            return Err(index as Info + 1);
        }
    };
    for j in 0..n {
        for i in j..n {
            let entry = factor.L()[(i, j)];
            match side {
                Side::Lower => a[(i, j)] = entry,
                Side::Upper => a[(j, i)] = entry,
            }
        }
    }
    Ok(())
}

/// B ← A⁻¹B for the A whose Cholesky factor is given.
pub(crate) fn cholesky_solve(factor: MatRef<f64>, side: Side, mut b: MatMut<f64>) {
    let lower = match side {
        Side::Lower => factor,
        Side::Upper => factor.transpose(),
    };
    solve_lower_triangular_in_place(lower, b.as_mut(), Par::Seq);
    solve_upper_triangular_in_place(lower.transpose(), b, Par::Seq);
}

/// All eigenvalues in ascending order, and the eigenvectors if they are wanted.
pub(crate) fn eigen(
    a: MatRef<f64>,
    side: Side,
    values: &mut [f64],
    vectors: Option<MatMut<f64>>,
) -> Result<(), Info> {
    finite(a, |i, j| in_triangle(side, i, j))?;
    let Some(vectors) = vectors else {
        let found = a.self_adjoint_eigenvalues(side).map_err(|_| NO_CONVERGENCE)?;
        values.copy_from_slice(&found);
        return Ok(());
    };
    let found = SelfAdjointEigen::new(a, side).map_err(|_| NO_CONVERGENCE)?;
    values.iter_mut().zip(found.S().column_vector().iter()).for_each(|(to, from)| *to = *from);
    copy(found.U(), vectors);
    Ok(())
}

/// A = U·diag(s)·V', with min(m, n) columns of U and rows of V', s in descending order.
pub(crate) fn singular(
    a: MatRef<f64>,
    values: &mut [f64],
    u: MatMut<f64>,
    vt: MatMut<f64>,
) -> Result<(), Info> {
    finite(a, |_, _| true)?;
    let found = Svd::new_thin(a).map_err(|_| NO_CONVERGENCE)?;
    values.iter_mut().zip(found.S().column_vector().iter()).for_each(|(to, from)| *to = *from);
    copy(found.U(), u);
    copy(found.V().transpose(), vt);
    Ok(())
}

fn finite(a: MatRef<f64>, chosen: impl Fn(usize, usize) -> bool) -> Result<(), Info> {
    let bad = |(i, j): (usize, usize)| chosen(i, j) && !a[(i, j)].is_finite();
    let mut places = (0..a.ncols()).flat_map(|j| (0..a.nrows()).map(move |i| (i, j)));
    if places.any(bad) { Err(NO_CONVERGENCE) } else { Ok(()) }
}

fn copy(from: MatRef<f64>, mut to: MatMut<f64>) {
    to.copy_from(from);
}
