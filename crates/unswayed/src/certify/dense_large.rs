//! The operations of [`super::dense`] for many columns: faster, on all cores, and with last bits that depend on the machine. They do not depend
//! on the number of threads: work is divided into panels of a fixed width.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular};
use faer::linalg::solvers::{Llt, Solve};
use faer::{Accum, Mat, MatMut, MatRef, Par, Side};
use rayon::prelude::*;

use super::dense::{Matrix, WIDE, padded};

/// Columns that one thread takes at a time.
const PANEL: usize = 256;
/// Columns up to which a whole product is faster than its upper triangle.
const FEW: usize = 64;

impl Matrix {
    fn view(&self) -> MatRef<'_, f64> {
        MatRef::from_row_major_slice(&self.values, self.rows(), self.columns)
    }
}

/// The panels of so many columns: where each begins, and how many columns it has.
fn panels(columns: usize) -> Vec<(usize, usize)> {
    (0..columns).step_by(PANEL).map(|first| (first, PANEL.min(columns - first))).collect()
}

/// Adds `panel(first, count)` to the top of those columns of c, for all panels.
fn add_panels(c: &mut Matrix, panel: impl Fn(usize, usize) -> Mat<f64> + Sync) {
    let at = panels(c.columns);
    let parts: Vec<Mat<f64>> = at.par_iter().map(|(first, count)| panel(*first, *count)).collect();
    for ((first, count), part) in at.into_iter().zip(parts) {
        for (i, row) in c.values.chunks_exact_mut(c.columns).enumerate().take(part.nrows()) {
            row[first..first + count].iter_mut().enumerate().for_each(|(j, c)| *c += part[(i, j)]);
        }
    }
}

/// c += aᵀb, a symmetric product, of which the upper triangle is right.
pub(super) fn add_symmetric(c: &mut Matrix, a: &Matrix, b: &Matrix) {
    add_panels(c, |first, count| {
        let rows = first + count;
        let mut part = Mat::zeros(rows, count);
        let (left, right) = (a.view().subcols(0, rows), b.view().subcols(first, count));
        matmul(part.as_mut(), Accum::Replace, left.transpose(), right, 1.0, Par::Seq);
        part
    });
}

/// [`Matrix::add_gram`].
pub(super) fn add_gram(c: &mut Matrix, a: &[f64], b: &[f64]) {
    let (rows, columns) = (c.rows(), c.columns);
    let a = MatRef::from_row_major_slice(a, a.len() / rows.max(1), rows);
    let b = MatRef::from_row_major_slice(b, b.len() / columns.max(1), columns);
    let whole = BlockStructure::Rectangular;
    if rows <= FEW {
        let c = MatMut::from_row_major_slice_mut(&mut c.values, rows, columns);
        return matmul(c, Accum::Add, a.transpose(), b, 1.0, Par::Seq);
    }
    let add = |c: MatMut<f64>, first: usize, shape: BlockStructure| {
        let b = b.subcols(first, c.ncols());
        triangular(c, shape, Accum::Add, a.transpose(), whole, b, whole, 1.0, Par::Seq);
    };
    let (head, mut rest) =
        MatMut::from_row_major_slice_mut(&mut c.values, rows, columns).split_at_col_mut(WIDE);
    add(head, 0, whole);
    let mut blocks = vec![];
    while rest.ncols() > 0 {
        let (block, after) = rest.split_at_col_mut(padded(rows));
        blocks.push(block.subcols_mut(0, rows));
        rest = after;
    }
    let blocks = blocks.into_par_iter().enumerate();
    blocks.for_each(|(k, block)| add(block, WIDE + k * padded(rows), BlockStructure::TriangularUpper));
}

/// The factors of a positive definite matrix.
pub(super) struct Factors(Llt<f64>);

impl Factors {
    /// Of a symmetric matrix, of which the upper triangle is read; `None` if it is not positive definite.
    pub(super) fn new(matrix: &Matrix) -> Option<Factors> {
        matrix.view().transpose().llt(Side::Lower).ok().map(Factors)
    }

    /// Solves for several right sides, in place.
    pub(super) fn solve(&self, right: &mut Matrix) {
        let solved = |first: usize, count: usize| {
            let mut part = right.view().subcols(first, count).to_owned();
            self.0.solve_in_place(part.as_mut());
            part
        };
        let at = panels(right.columns);
        let parts: Vec<Mat<f64>> = at.par_iter().map(|(first, count)| solved(*first, *count)).collect();
        for ((first, count), part) in at.into_iter().zip(parts) {
            for (i, row) in right.values.chunks_exact_mut(right.columns).enumerate() {
                row[first..first + count].iter_mut().enumerate().for_each(|(j, x)| *x = part[(i, j)]);
            }
        }
    }
}
