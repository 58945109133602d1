//! Learners as a simulation runs them: state and one step, fast.

use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;
use unswayed_data::SparseRows;

/// Numbers per lane group; rows are padded with zeros to a multiple of it.
pub const LANES: usize = 8;

/// A learner's state in motion.
pub trait Online: Clone + Send {
    /// One step on a point, padded with zeros to whole groups of lanes.
    fn step(&mut self, z: &[[f64; LANES]]);

    /// The same with g multiplied by a step weight. Learners without a gradient take no weights but 1.
    #[inline(always)]
    fn weighted_step(&mut self, z: &[[f64; LANES]], _weight: f64) {
        self.step(z);
    }

    /// One step on a sparse row, by default as on the row with all its zeros.
    fn sparse_step(&mut self, rows: SparseRows<'_>, row: usize) {
        let last = rows.row(row).map(|(column, _)| column + 1).max().unwrap_or(0);
        let mut z = vec![[0.0; LANES]; last.div_ceil(LANES)];
        rows.add(row, 1.0, z.as_flattened_mut());
        self.step(&z);
    }

    /// Writes θ.
    fn theta(&self, out: &mut [f64]);

    /// Starts anew from θ, with a seed for randomness of its own.
    fn restart(&mut self, theta: &[f64], seed: u64);
}

/// The mean estimate in motion: θ ← (1−η−ησ)θ + ηz + ηBw, w standard normal. σ and B are 0 unless given.
#[derive(Clone, Debug)]
pub struct MeanState {
    theta: Vec<[f64; LANES]>,
    learning_rate: f64,
    keep: f64,
    noise: Option<Noise>,
}

/// Adds ηBw.
#[derive(Clone, Debug)]
struct Noise {
    /// The columns of B, padded.
    columns: Padded,
    random: Pcg64Mcg,
}

impl MeanState {
    /// θ = 0.
    pub fn new(learning_rate: f64, dimension: usize) -> Self {
        let theta = vec![[0.0; LANES]; dimension.div_ceil(LANES)];
        MeanState { theta, learning_rate, keep: 1.0 - learning_rate, noise: None }
    }

    /// With shrinkage σ towards 0.
    pub fn shrunk(self, shrinkage: f64) -> Self {
        MeanState { keep: 1.0 - self.learning_rate * (1.0 + shrinkage), ..self }
    }

    /// With noise: the columns of B, one after the other, of the length of θ.
    pub fn noisy(self, columns: &[f64], dimension: usize) -> Self {
        let columns = Padded::new(columns.chunks_exact(dimension), dimension);
        MeanState { noise: Some(Noise { columns, random: Pcg64Mcg::seed_from_u64(0) }), ..self }
    }
}

impl Online for MeanState {
    #[inline(always)]
    fn step(&mut self, z: &[[f64; LANES]]) {
        for (t, z) in self.theta.iter_mut().zip(z) {
            let mut moved = *t;
            for lane in 0..LANES {
                moved[lane] = self.keep * t[lane] + self.learning_rate * z[lane];
            }
            *t = moved;
        }
        if let Some(noise) = &mut self.noise {
            for i in 0..noise.columns.len() {
                let w: f64 = StandardNormal.sample(&mut noise.random);
                add_padded(&mut self.theta, self.learning_rate * w, noise.columns.row(i));
            }
        }
    }

    fn theta(&self, out: &mut [f64]) {
        out.copy_from_slice(&self.theta.as_flattened()[..out.len()]);
    }

    fn restart(&mut self, theta: &[f64], seed: u64) {
        self.theta.as_flattened_mut().fill(0.0);
        self.theta.as_flattened_mut()[..theta.len()].copy_from_slice(theta);
        if let Some(noise) = &mut self.noise {
            noise.random = Pcg64Mcg::seed_from_u64(seed ^ 0x006e_6f69_7365);
        }
    }
}

/// Σ x·y, lane by lane: the order of additions is fixed, so results are the same on every machine.
#[inline(always)]
pub fn padded_dot(x: &[[f64; LANES]], y: &[[f64; LANES]]) -> f64 {
    let mut sums = [0.0; LANES];
    for (x, y) in x.iter().zip(y) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// x ← x + factor·y.
#[inline(always)]
pub fn add_padded(x: &mut [[f64; LANES]], factor: f64, y: &[[f64; LANES]]) {
    for (x, y) in x.iter_mut().zip(y) {
        // All is read before anything is written, so that the compiler may use whole vectors.
        let mut sum = *x;
        for lane in 0..LANES {
            sum[lane] += factor * y[lane];
        }
        *x = sum;
    }
}

/// Rows padded to whole groups of lanes.
#[derive(Clone, Debug, Default)]
pub struct Padded {
    groups: usize,
    values: Vec<[f64; LANES]>,
}

impl Padded {
    /// Copies rows of the given length.
    pub fn new<'a>(rows: impl Iterator<Item = &'a [f64]>, dimension: usize) -> Self {
        let groups = dimension.div_ceil(LANES);
        let mut values = Vec::with_capacity(rows.size_hint().0 * groups);
        for row in rows {
            let start = values.len();
            values.resize(start + groups, [0.0; LANES]);
            values[start..].as_flattened_mut()[..dimension].copy_from_slice(row);
        }
        Padded { groups, values }
    }

    /// Row i.
    #[inline(always)]
    pub fn row(&self, i: usize) -> &[[f64; LANES]] {
        &self.values[i * self.groups..][..self.groups]
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.groups).unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// Rows side by side: of each block of rows the first entries, then the second ones, and so on. Scores of a whole block are
/// then sums of vectors, with no sum across a vector at the end.
#[derive(Clone, Debug)]
pub struct Blocks {
    dimension: usize,
    values: Vec<[f64; Blocks::ROWS]>,
}

impl Blocks {
    /// Rows in a block: enough independent sums to keep a vector unit busy.
    pub const ROWS: usize = 32;

    /// Copies rows of the given length; the last block is filled up with zeros.
    pub fn new<'a>(rows: impl ExactSizeIterator<Item = &'a [f64]>, dimension: usize) -> Self {
        let mut values = vec![[0.0; Self::ROWS]; rows.len().div_ceil(Self::ROWS) * dimension];
        for (i, row) in rows.enumerate() {
            let block = &mut values[i / Self::ROWS * dimension..][..dimension];
            block.iter_mut().zip(row).for_each(|(column, entry)| column[i % Self::ROWS] = *entry);
        }
        Blocks { dimension, values }
    }

    /// θᵀz for the rows of a block.
    #[inline(always)]
    pub fn scores(&self, block: usize, theta: &[f64]) -> [f64; Blocks::ROWS] {
        let mut sums = [0.0; Self::ROWS];
        for (column, t) in self.values[block * self.dimension..][..self.dimension].iter().zip(theta) {
            for row in 0..Self::ROWS {
                sums[row] += t * column[row];
            }
        }
        sums
    }
}
