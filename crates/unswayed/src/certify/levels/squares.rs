//! The moments' part of a Newton step's matrix, M = I + BBᵀ + LLᵀ: B has a column for each row's curvature, L one for each row's slope,
//! which has the first d coordinates only. It is decomposed as it stands, or by Woodbury's formula if there are far fewer rows than
//! moments.

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::linalg::solvers::{Llt, Solve};
use faer::{Accum, Mat, MatRef, Par, Side};

/// B and L.
pub(super) struct Squares {
    pub(super) lines: Mat<f64>,
    pub(super) bends: Mat<f64>,
}

/// M, decomposed.
pub(super) enum Inverse {
    Moments(Llt<f64>),
    Rows {
        /// I + LLᵀ, in the first d coordinates.
        first: Llt<f64>,
        /// M₀⁻¹B, where M₀ = I + LLᵀ.
        scaled: Mat<f64>,
        /// I + BᵀM₀⁻¹B
        inner: Llt<f64>,
    },
}

/// Adds the lower triangle of xyᵀ.
fn add_product(target: &mut Mat<f64>, x: MatRef<f64>, y: MatRef<f64>) {
    let (lower, whole) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
    let target = target.submatrix_mut(0, 0, x.nrows(), x.nrows());
    matmul(target, lower, Accum::Add, x, whole, y.transpose(), whole, 1.0, Par::Seq);
}

impl Squares {
    pub(super) fn decompose(&self) -> Option<Inverse> {
        let (size, n) = (self.bends.nrows(), self.bends.ncols());
        // Woodbury's formula also has to be applied twice.
        if 2 * n >= size {
            let mut matrix = Mat::<f64>::identity(size, size);
            add_product(&mut matrix, self.bends.as_ref(), self.bends.as_ref());
            add_product(&mut matrix, self.lines.as_ref(), self.lines.as_ref());
            return Some(Inverse::Moments(matrix.llt(Side::Lower).ok()?));
        }
        let d = self.lines.nrows();
        let mut first = Mat::<f64>::identity(d, d);
        add_product(&mut first, self.lines.as_ref(), self.lines.as_ref());
        let first = first.llt(Side::Lower).ok()?;
        let scaled = without_lines(&first, &self.bends);
        let mut inner = Mat::<f64>::identity(n, n);
        add_product(&mut inner, self.bends.transpose(), scaled.transpose());
        let inner = inner.llt(Side::Lower).ok()?;
        Some(Inverse::Rows { first, scaled, inner })
    }

    /// Mx
    fn times(&self, x: &Mat<f64>) -> Mat<f64> {
        let (d, columns) = (self.lines.nrows(), x.ncols());
        let mut product = x + &self.bends * (self.bends.transpose() * x);
        let lines = &self.lines * (self.lines.transpose() * x.submatrix(0, 0, d, columns));
        let mut top = product.submatrix_mut(0, 0, d, columns);
        top += lines;
        product
    }

    /// M⁻¹x. Woodbury's formula cancels digits; a second round brings them back.
    pub(super) fn solve(&self, inverse: &Inverse, right: &Mat<f64>) -> Mat<f64> {
        match inverse {
            Inverse::Moments(factor) => factor.solve(right),
            Inverse::Rows { first, scaled, inner } => {
                let once = |right: &Mat<f64>| {
                    let x = without_lines(first, right);
                    let rows = inner.solve(self.bends.transpose() * &x);
                    x - scaled * rows
                };
                let x = once(right);
                let rest = right - self.times(&x);
                x + once(&rest)
            }
        }
    }
}

/// M₀⁻¹x
fn without_lines(first: &Llt<f64>, x: &Mat<f64>) -> Mat<f64> {
    let (d, columns) = (first.L().nrows(), x.ncols());
    let mut solved = x.clone();
    solved.submatrix_mut(0, 0, d, columns).copy_from(first.solve(x.submatrix(0, 0, d, columns)));
    solved
}
