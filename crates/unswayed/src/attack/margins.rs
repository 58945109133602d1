//! Margins: what all losses are made of.
//!
//! A row has one margin s = θᵀz, or for K classes K−1 of them, s = (Θ_y − Θ_j)ᵀx. Each is ⟨θ, m⟩ for a vector m, which is never
//! written out: it is x in one block of θ and −x in another. With a number y as its label, the score of a row is θᵀx − y + 1.

use std::sync::Arc;

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, MatRef, Par};
use unswayed_check::Loss;
use unswayed_data::SparseRows;

use super::curve::Curve;
use super::dot;
use crate::data::Dataset;
use crate::learner::blocks;

/// What a margin may bend less than the one that bends most before it is left out.
const NEGLIGIBLE: f64 = 1e-14;

/// The margins of rows.
#[derive(Clone, Debug)]
pub(super) struct Margins {
    blocks: usize,
    /// Entries of x.
    dimension: usize,
    x: Entries,
    /// For each margin the blocks of θ with x and with −x. Those of a row are one after the other.
    signs: Vec<(usize, Option<usize>)>,
    /// The labels of rows where they are numbers, else none.
    numbers: Vec<f64>,
}

/// Where x of each row is.
#[derive(Clone, Debug)]
enum Entries {
    /// One after the other.
    Own(Vec<f64>),
    /// In the rows of a dataset, which are not copied: they may be most of the memory there is.
    Dense(Arc<Dataset>),
    /// The same for sparse rows.
    Sparse(Arc<Dataset>),
}

impl Margins {
    /// The margins of rows with so many entries each.
    pub fn new<'r>(loss: Loss, rows: impl Iterator<Item = &'r [f64]>, point: usize) -> Self {
        let (mut x, mut margins) = (Vec::new(), Margins::none(loss, point, Entries::Own(Vec::new())));
        for row in rows {
            x.extend_from_slice(&row[point - margins.dimension..]);
            margins.push(loss, row);
        }
        Margins { x: Entries::Own(x), ..margins }
    }

    /// The margins of a dataset.
    pub fn of(loss: Loss, rows: &Arc<Dataset>) -> Self {
        if rows.sparse().is_some() {
            let none = Margins::none(loss, rows.dimension(), Entries::Sparse(rows.clone()));
            return Margins { signs: vec![(0, None); rows.rows()], ..none };
        }
        let mut margins = Margins::none(loss, rows.dimension(), Entries::Dense(rows.clone()));
        rows.iter().for_each(|row| margins.push(loss, row));
        margins
    }

    /// Of no rows yet.
    fn none(loss: Loss, point: usize, x: Entries) -> Self {
        let (blocks, dimension) = blocks(loss, point);
        Margins { blocks, dimension, x, signs: Vec::new(), numbers: Vec::new() }
    }

    /// Another row, but for its x.
    fn push(&mut self, loss: Loss, row: &[f64]) {
        self.numbers.extend(loss.is_regression().then(|| row[0]));
        let last = self.signs.len() / self.each();
        self.signs.extend((0..self.each()).map(|_| (0, None)));
        self.sign(last, row);
    }

    /// The sparse rows, if they are.
    #[inline(always)]
    fn entries(&self) -> Option<SparseRows<'_>> {
        if let Entries::Sparse(rows) = &self.x { rows.sparse() } else { None }
    }

    /// The margins of some of the rows.
    pub fn of_rows(&self, rows: &[usize]) -> Self {
        let each = self.each();
        let x = rows.iter().flat_map(|row| self.x(row * each)).copied().collect();
        let signs = rows.iter().flat_map(|row| &self.signs[row * each..][..each]).copied().collect();
        let numbers = rows.iter().filter_map(|row| self.numbers.get(*row)).copied().collect();
        Margins { x: Entries::Own(x), signs, numbers, ..*self }
    }

    /// The number of margins.
    pub fn len(&self) -> usize {
        self.signs.len()
    }

    /// How many numbers rows have.
    pub fn size(&self) -> usize {
        match self.entries() {
            Some(rows) => rows.values.len(),
            None => self.len() / self.each() * self.parameters(),
        }
    }

    /// Margins per row.
    pub fn each(&self) -> usize {
        (self.blocks - 1).max(1)
    }

    /// Entries of θ.
    pub fn parameters(&self) -> usize {
        self.blocks * self.dimension
    }

    /// Puts another row in the place of one.
    pub fn replace(&mut self, row: usize, z: &[f64]) {
        let dimension = self.dimension;
        if let Entries::Own(x) = &mut self.x {
            x[row * dimension..][..dimension].copy_from_slice(&z[z.len() - dimension..]);
        }
        if let Some(number) = self.numbers.get_mut(row) {
            *number = z[0];
        }
        self.sign(row, z);
    }

    fn sign(&mut self, row: usize, z: &[f64]) {
        if self.blocks > 1 {
            let (each, label) = (self.each(), z[0] as usize);
            let others = (0..self.blocks).filter(|j| *j != label);
            let signs = &mut self.signs[row * each..][..each];
            signs.iter_mut().zip(others).for_each(|(sign, j)| *sign = (label, Some(j)));
        }
    }

    #[inline(always)]
    fn x(&self, margin: usize) -> &[f64] {
        let row = margin / self.each();
        match &self.x {
            Entries::Own(x) => &x[row * self.dimension..][..self.dimension],
            Entries::Dense(rows) | Entries::Sparse(rows) => {
                let row = rows.row(row);
                &row[row.len() - self.dimension..]
            }
        }
    }

    fn block<'t>(&self, theta: &'t [f64], block: usize) -> &'t [f64] {
        &theta[block * self.dimension..][..self.dimension]
    }

    /// ⟨θ, m⟩, less how far the label is above 1.
    #[inline(always)]
    pub fn score(&self, margin: usize, theta: &[f64]) -> f64 {
        self.product(margin, theta) - self.numbers.get(margin).map_or(0.0, |y| y - 1.0)
    }

    /// ⟨v, m⟩.
    #[inline(always)]
    pub fn product(&self, margin: usize, theta: &[f64]) -> f64 {
        if let Some(rows) = self.entries() {
            return rows.dot(margin, theta);
        }
        let (x, (plus, minus)) = (self.x(margin), self.signs[margin]);
        dot(self.block(theta, plus), x) - minus.map_or(0.0, |minus| dot(self.block(theta, minus), x))
    }

    /// All scores.
    pub fn scores(&self, theta: &[f64]) -> Vec<f64> {
        (0..self.len()).map(|i| self.score(i, theta)).collect()
    }

    /// All products.
    pub fn products(&self, v: &[f64]) -> Vec<f64> {
        (0..self.len()).map(|i| self.product(i, v)).collect()
    }

    /// out ← out + factor·m.
    #[inline(always)]
    pub fn add(&self, margin: usize, factor: f64, out: &mut [f64]) {
        if let Some(rows) = self.entries() {
            return rows.add(margin, factor, out);
        }
        let (x, (plus, minus)) = (self.x(margin), self.signs[margin]);
        let mut add = |block: usize, factor: f64| {
            let out = &mut out[block * self.dimension..][..self.dimension];
            out.iter_mut().zip(x).for_each(|(o, x)| *o += factor * x);
        };
        add(plus, factor);
        if let Some(minus) = minus {
            add(minus, -factor);
        }
    }

    /// out ← out + factor·∂⟨v, m⟩/∂x, for a point with a place for its label before x if there are classes.
    pub fn add_gradient(&self, margin: usize, factor: f64, v: &[f64], out: &mut [f64]) {
        let (plus, minus) = self.signs[margin];
        let start = out.len() - self.dimension;
        let mut add = |block: usize, factor: f64| {
            let v = self.block(v, block);
            out[start..].iter_mut().zip(v).for_each(|(o, v)| *o += factor * v);
        };
        add(plus, factor);
        if let Some(minus) = minus {
            add(minus, -factor);
        }
    }

    /// The gradient in a row's point of vᵀg, in `out`, g being the step that a learner at θ makes on it: how to move the point to
    /// push θ along v. `passed` is how much clipping lets pass.
    pub fn lever(&self, row: usize, at: (&[f64], Curve), passed: f64, v: &[f64], out: &mut [f64]) {
        let (theta, curve) = at;
        out.fill(0.0);
        for i in row * self.each()..(row + 1) * self.each() {
            let (bend, along) = (curve.at(self.score(i, theta), 1.0), self.product(i, v));
            if passed < 1.0 && bend.pull > passed {
                // A clipped step has the direction of the point and a length of its own.
                let squared = dot(self.x(i), self.x(i));
                self.add_gradient(i, passed, v, out);
                self.add(i, -passed * along / squared, out);
            } else {
                self.add_gradient(i, bend.pull, v, out);
                self.add_gradient(i, -bend.second * along, theta, out);
            }
        }
    }

    /// Σ h_i m_i m_iᵀ, the lower triangle. Margins of the same two blocks are multiplied together.
    pub fn outer(&self, h: &[f64]) -> Mat<f64> {
        let mut sum = Mat::zeros(self.parameters(), self.parameters());
        let mut groups: Vec<Vec<f64>> = vec![Vec::new(); self.blocks * self.blocks];
        // Far from its kink a smoothed row bends by next to nothing.
        let least = NEGLIGIBLE * h.iter().copied().fold(0.0, f64::max);
        for (i, h) in h.iter().enumerate().filter(|(_, h)| **h > least) {
            let (plus, minus) = self.signs[i];
            let group = &mut groups[plus * self.blocks + minus.unwrap_or(plus)];
            group.extend(self.x(i).iter().map(|x| x * h.sqrt()));
        }
        let mut square = Mat::zeros(self.dimension, self.dimension);
        for (group, rows) in groups.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
            let rows = MatRef::from_row_major_slice(rows, rows.len() / self.dimension, self.dimension);
            let whole = BlockStructure::Rectangular;
            matmul(
                &mut square,
                BlockStructure::TriangularLower,
                Accum::Replace,
                rows.transpose(),
                whole,
                rows,
                whole,
                1.0,
                Par::Seq,
            );
            self.place(&square, group / self.blocks, group % self.blocks, &mut sum);
        }
        sum
    }

    /// Adds a lower triangle to both diagonal blocks and takes it from the one between them.
    fn place(&self, square: &Mat<f64>, plus: usize, minus: usize, sum: &mut Mat<f64>) {
        let d = self.dimension;
        let (below, above) = (plus.max(minus) * d, plus.min(minus) * d);
        for j in 0..d {
            for i in j..d {
                let value = square[(i, j)];
                sum[(below + i, below + j)] += value;
                if below != above {
                    sum[(above + i, above + j)] += value;
                    sum[(below + i, above + j)] -= value;
                    if i != j {
                        sum[(below + j, above + i)] -= value;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_of_classes_are_those_of_the_vectors_written_out() {
        let rows = [[2.0, 0.5, -1.0], [0.0, 0.3, 0.7]];
        let margins = Margins::new(Loss::Multiclass(3), rows.iter().map(<[f64; 3]>::as_slice), 3);
        let theta = [0.1, 0.2, -0.3, 0.4, 0.5, -0.6];
        let written: Vec<Vec<f64>> = (0..4)
            .map(|i| {
                let mut m = vec![0.0; 6];
                margins.add(i, 1.0, &mut m);
                m
            })
            .collect();
        assert!(written[0].iter().zip([-0.5, 1.0, 0.0, 0.0, 0.5, -1.0]).all(|(a, b)| (a - b).abs() < 1e-15));
        let h = [1.0, 2.0, 0.0, 0.5];
        let outer = margins.outer(&h);
        for (i, m) in written.iter().enumerate() {
            assert!((margins.score(i, &theta) - dot(m, &theta)).abs() < 1e-15);
        }
        for i in 0..6 {
            for j in 0..=i {
                let expected: f64 = written.iter().zip(h).map(|(m, h)| h * m[i] * m[j]).sum();
                assert!((outer[(i, j)] - expected).abs() < 1e-14, "{i} {j}");
            }
        }
    }
}
