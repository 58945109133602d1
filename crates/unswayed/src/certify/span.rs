//! Coordinates in the span of the rows, for data with more columns than rows.
//!
//! Against a ball, and with nothing else that knows the axes, what is orthogonal to all rows can only cost: the best β and the worst
//! θ lie in the span. With ZZᵀ = LLᵀ the rows of L are the rows' coordinates in the orthonormal basis L⁻¹Z, and Newton systems have
//! the size of the smaller side. The numbers that are found are mapped back and checked where they are claimed.

use faer::linalg::matmul::matmul;
use faer::linalg::solvers::{Llt, Solve};
use faer::{Accum, Mat, MatRef, Par, Side};
use rayon::prelude::*;

/// Columns of ZZᵀ that one thread takes at a time.
const BLOCK: usize = 128;
/// Added to the diagonal of ZZᵀ, relative to its mean: rows may depend on each other.
const RIDGE: f64 = 1e-13;

/// The map between coordinates.
pub(super) struct Span<'a> {
    z: MatRef<'a, f64>,
    factor: Llt<f64>,
}

impl<'a> Span<'a> {
    /// Of rows one after the other, if they are fewer than their columns.
    pub(super) fn new(z: &'a [f64], columns: usize) -> Option<Self> {
        let rows = z.len() / columns.max(1);
        if rows == 0 || rows >= columns {
            return None;
        }
        let z = MatRef::from_row_major_slice(z, rows, columns);
        let mut gram = gram(z);
        let mean = (0..rows).map(|i| gram[(i, i)]).sum::<f64>() / rows as f64;
        (0..rows).for_each(|i| gram[(i, i)] += RIDGE * mean + f64::MIN_POSITIVE);
        Some(Span { z, factor: gram.llt(Side::Lower).ok()? })
    }

    /// The rows in the new coordinates, one after the other.
    pub(super) fn rows(&self) -> Vec<f64> {
        let l = self.factor.L();
        let n = l.nrows();
        (0..n * n).map(|at| if at % n <= at / n { l[(at / n, at % n)] } else { 0.0 }).collect()
    }

    /// A vector's part in the span, in the new coordinates: L⁻¹Zv.
    pub(super) fn forth(&self, v: &[f64]) -> Vec<f64> {
        let mut y: Vec<f64> = flat(&(self.z * column(v)));
        let l = self.factor.L();
        for i in 0..y.len() {
            let sum: f64 = (0..i).map(|k| l[(i, k)] * y[k]).sum();
            y[i] = (y[i] - sum) / l[(i, i)];
        }
        y
    }

    /// A vector from the new coordinates: ZᵀL⁻ᵀv.
    pub(super) fn back(&self, v: &[f64]) -> Vec<f64> {
        // L⁻ᵀv = (LLᵀ)⁻¹Lv.
        let l = self.factor.L();
        let product: Vec<f64> = (0..v.len()).map(|i| (0..=i).map(|k| l[(i, k)] * v[k]).sum()).collect();
        flat(&(self.z.transpose() * self.factor.solve(column(&product))))
    }
}

/// The lower half of ZZᵀ, in blocks of columns on all cores.
fn gram(z: MatRef<f64>) -> Mat<f64> {
    let rows = z.nrows();
    let firsts: Vec<usize> = (0..rows).step_by(BLOCK).collect();
    let block = |first: usize| {
        let right = z.get(first..(first + BLOCK).min(rows), ..);
        let mut below = Mat::zeros(rows - first, right.nrows());
        matmul(below.as_mut(), Accum::Replace, z.get(first.., ..), right.transpose(), 1.0, Par::Seq);
        below
    };
    let blocks: Vec<Mat<f64>> = firsts.par_iter().map(|first| block(*first)).collect();
    Mat::from_fn(rows, rows, |i, j| {
        let b = j / BLOCK;
        if i >= b * BLOCK { blocks[b][(i - b * BLOCK, j - b * BLOCK)] } else { 0.0 }
    })
}

fn column(v: &[f64]) -> Mat<f64> {
    Mat::from_fn(v.len(), 1, |i, _| v[i])
}

fn flat(v: &Mat<f64>) -> Vec<f64> {
    v.col(0).iter().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certify::dot;

    /// Products of rows and vectors are the same in both coordinates, also where rows depend on each other.
    #[test]
    fn scores_and_norms_are_kept() {
        let z = [
            1.0, 2.0, 0.5, -1.0, 0.0, 0.3, 1.0, 2.0, 2.0, 4.0, 1.0, -2.0, 0.0, 0.6, 0.5, 0.1, -0.3, 0.0, 1.0,
            0.2, 0.9,
        ];
        let span = Span::new(&z, 7).unwrap();
        let rows = span.rows();
        let v = span.forth(&[0.3, -1.0, 2.0, 0.7, 0.0, 1.0, -0.4]);
        let back = span.back(&v);
        for (row, turned) in z.chunks(7).zip(rows.chunks(3)) {
            assert!((dot(row, &back) - dot(turned, &v)).abs() < 1e-5);
            assert!((dot(row, row) - dot(turned, turned)).abs() < 1e-9);
        }
        assert!(dot(&back, &back) <= dot(&v, &v) * (1.0 + 1e-6));
        assert!(Span::new(&z, 3).is_none());
    }
}
