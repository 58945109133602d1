//! The data rows a certificate speaks about.

use std::ops::Range;

use unswayed_data::Dataset;

use crate::exact::{Dyadic, ExactSum};
use crate::failure::{Reason, require, require_each, require_length};

/// Rows z_1 … z_N of R^d, row after row, with optional weights.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The N·d entries in row-major order.
    pub z: &'a [f64],
    /// The dimension d.
    pub dimension: usize,
    /// N weights w_i ≥ 0, not all zero; without them all rows weigh the same.
    pub weights: Option<&'a [f64]>,
    /// N step weights c_i > 0, by which the steps on the rows are multiplied; without them steps are as they are.
    pub steps: Option<&'a [f64]>,
}

/// The rows that a statement speaks of.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The datasets; more than one if benign data may switch between them.
    pub data: &'a [Rows<'a>],
    /// The target's rows, if it has rows of its own.
    pub target: Option<Rows<'a>>,
}

/// Entries per thread below which another thread is not worth its start.
const ENTRIES_PER_THREAD: usize = 1 << 16;
/// Columns summed together in one pass over the rows: their sums stay in the cache.
const COLUMNS_AT_ONCE: usize = 64;

impl<'a> Rows<'a> {
    /// The rows of a dataset.
    pub fn of(data: &'a Dataset) -> Self {
        Rows { z: data.z(), dimension: data.dimension(), weights: data.weights(), steps: data.step_weights() }
    }
}

impl<'a> Rows<'a> {
    /// The number of rows N.
    pub fn len(&self) -> usize {
        self.z.len().checked_div(self.dimension).unwrap_or(0)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Checks lengths, that all numbers are finite, that the weights are ≥ 0 and not all 0, and that step weights are > 0.
    ///
    /// # Errors
    /// The first of these that does not hold.
    pub fn validate(&self) -> Result<(), Reason> {
        require_length("entries of z", self.len() * self.dimension, self.z.len())?;
        require_each("z", self.z, f64::is_finite, "finite")?;
        if let Some(weights) = self.weights {
            require_length("weights", self.len(), weights.len())?;
            require_each("weight", weights, |w| w.is_finite() && w >= 0.0, "≥ 0 and finite")?;
            let heavy = self.is_empty() || weights.iter().any(|&w| w > 0.0);
            require(heavy, "the sum of all weights", 0.0, "> 0")?;
        }
        if let Some(steps) = self.steps {
            require_length("step weights", self.len(), steps.len())?;
            require_each("step weight", steps, |c| c.is_finite() && c > 0.0, "> 0 and finite")?;
        }
        Ok(())
    }

    /// Row i.
    pub(crate) fn row(&self, i: usize) -> &'a [f64] {
        &self.z[i * self.dimension..(i + 1) * self.dimension]
    }

    /// Weight of row i, 1 if there are no weights.
    pub(crate) fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |w| w[i])
    }

    /// Step weight of row i, 1 if there are none.
    pub(crate) fn step(&self, i: usize) -> f64 {
        self.steps.map_or(1.0, |c| c[i])
    }

    /// W = Σ w_i.
    pub(crate) fn total_weight(&self) -> Dyadic {
        let Some(weights) = self.weights else {
            return Dyadic::whole(self.len() as u64);
        };
        let mut sum = ExactSum::new();
        for &w in weights {
            sum.add([w]);
        }
        sum.take()
    }

    /// Σ_i f(i)·x_i for the first `columns` columns, in two places: `factors` adds products f of three numbers for row i, each to
    /// place 0 or 1, and returns x_i.
    pub(crate) fn column_sums<'r>(
        &'r self,
        columns: usize,
        factors: impl Fn(usize, &mut dyn FnMut(usize, [f64; 3])) -> &'r [f64] + Sync,
    ) -> Vec<[Dyadic; 2]> {
        let mut result = Vec::with_capacity(columns);
        for first in (0..columns).step_by(COLUMNS_AT_ONCE) {
            let block = first..columns.min(first + COLUMNS_AT_ONCE);
            let mut parts = self.in_parallel(|rows| block_sums(rows, block.clone(), &factors));
            let mut total = parts.swap_remove(0);
            for part in parts {
                total.iter_mut().flatten().zip(part.iter().flatten()).for_each(|(a, b)| a.merge(b));
            }
            result.extend(total.iter_mut().map(|[a, b]| [a.take(), b.take()]));
        }
        result
    }

    /// Runs `work` on consecutive ranges that make up 0..N, the results in their order (at least
    /// one).
    pub(crate) fn in_parallel<R: Send>(&self, work: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
        let n = self.len();
        let useful = self.z.len() / ENTRIES_PER_THREAD;
        // Asking for the number of processors takes longer than a small check.
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if useful > 1 { processors().min(useful) } else { 1 };
        if threads == 1 {
            return vec![work(0..n)];
        }
        let step = n.div_ceil(threads).max(1);
        let start = |t: usize| (t * step).min(n);
        let work = &work;
        std::thread::scope(|scope| {
            let handles: Vec<_> =
                (0..threads).map(|t| scope.spawn(move || work(start(t)..start(t + 1)))).collect();
            let join = |h: std::thread::ScopedJoinHandle<'_, R>| {
                h.join().unwrap_or_else(|e| std::panic::resume_unwind(e))
            };
            handles.into_iter().map(join).collect()
        })
    }
}

/// The sums of [`Rows::column_sums`] for some rows and some columns.
fn block_sums<'r>(
    rows: Range<usize>,
    columns: Range<usize>,
    factors: &impl Fn(usize, &mut dyn FnMut(usize, [f64; 3])) -> &'r [f64],
) -> Vec<[ExactSum; 2]> {
    let mut sums = vec![[ExactSum::new(), ExactSum::new()]; columns.len()];
    let mut products = Vec::new();
    for i in rows {
        products.clear();
        let x = factors(i, &mut |place, product| products.push((place, product)));
        for &(place, [f, g, h]) in &products {
            for (sum, &x) in sums.iter_mut().zip(&x[columns.clone()]) {
                sum[place].add([f, g, h, x]);
            }
        }
    }
    sums
}
