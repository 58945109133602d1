//! The data rows a certificate speaks about.

use std::ops::Range;

use unswayed_data::{Dataset, Pattern};

use crate::exact::{Dyadic, ExactSum, norm2};
use crate::failure::{Reason, require, require_each, require_length};

/// Rows z_1 … z_N of R^d, row after row, with optional weights.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The N·d entries in row-major order; of sparse rows the entries that the pattern lists.
    pub z: &'a [f64],
    /// Where the entries are, if rows are sparse: other entries are 0.
    pub pattern: Option<&'a Pattern>,
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

/// The entries of a row: all of them, or of a sparse row some with their columns.
#[derive(Clone, Copy)]
pub(crate) struct Entries<'a> {
    pub(crate) values: &'a [f64],
    columns: Option<&'a [u32]>,
}

impl<'a> Entries<'a> {
    /// All entries of a vector.
    pub(crate) fn of(values: &'a [f64]) -> Self {
        Entries { values, columns: None }
    }

    /// Each entry with its column.
    pub(crate) fn iter(self) -> impl Iterator<Item = (usize, f64)> + 'a {
        let column = move |place: usize| self.columns.map_or(place, |columns| columns[place] as usize);
        self.values.iter().enumerate().map(move |(place, value)| (column(place), *value))
    }
}

/// What adds products of three numbers for a row, each to place 0 or 1.
pub(crate) trait Factors: Fn(usize, &mut dyn FnMut(usize, [f64; 3])) + Sync {}
impl<F: Fn(usize, &mut dyn FnMut(usize, [f64; 3])) + Sync> Factors for F {}

impl<'a> Rows<'a> {
    /// The rows of a dataset.
    pub fn of(data: &'a Dataset) -> Self {
        let (z, pattern) = match data.sparse() {
            Some(sparse) => (sparse.values, Some(sparse.pattern)),
            None => (data.z(), None),
        };
        let (weights, steps) = (data.weights(), data.step_weights());
        Rows { z, pattern, dimension: data.dimension(), weights, steps }
    }
}

impl<'a> Rows<'a> {
    /// The number of rows N.
    pub fn len(&self) -> usize {
        match self.pattern {
            Some(pattern) => pattern.rows(),
            None => self.z.len().checked_div(self.dimension).unwrap_or(0),
        }
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
        let entries = self.pattern.map_or(self.len() * self.dimension, |pattern| pattern.columns().len());
        require_length("entries of z", entries, self.z.len())?;
        let outside = self.pattern.and_then(|p| p.columns().iter().find(|j| **j as usize >= self.dimension));
        require(
            outside.is_none(),
            "a column",
            f64::from(*outside.unwrap_or(&0)),
            "one of those that there are",
        )?;
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

    /// Row i, all of it.
    ///
    /// # Panics
    /// If rows are sparse: every proof that asks for this is refused for them, by the rules or because it does not fit.
    pub(crate) fn row(&self, i: usize) -> &'a [f64] {
        assert!(self.pattern.is_none(), "sparse rows are not written out");
        &self.z[i * self.dimension..(i + 1) * self.dimension]
    }

    /// The entries of row i, without the first `skipped` columns, which sparse rows do not have.
    pub(crate) fn entries(&self, i: usize, skipped: usize) -> Entries<'a> {
        match self.pattern {
            Some(pattern) => Entries { values: &self.z[pattern.range(i)], columns: Some(pattern.row(i)) },
            None => Entries::of(&self.row(i)[skipped..]),
        }
    }

    /// ‖z_i‖² without the first columns.
    pub(crate) fn squared(&self, i: usize, skipped: usize) -> Dyadic {
        norm2(self.entries(i, skipped).values)
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

    /// Σ_i f(i)·x_i in two places, x_i being row i without its first `skipped` columns: `factors` adds products f of three numbers
    /// for row i, each to place 0 or 1.
    pub(crate) fn column_sums(&self, skipped: usize, factors: impl Factors) -> Vec<[Dyadic; 2]> {
        if let Some(pattern) = self.pattern {
            return self.sparse_sums(pattern, &factors);
        }
        let columns = self.dimension - skipped;
        let mut result = Vec::with_capacity(columns);
        for first in (0..columns).step_by(COLUMNS_AT_ONCE) {
            let block = first..columns.min(first + COLUMNS_AT_ONCE);
            let mut parts = self.in_parallel(|rows| self.block_sums(rows, skipped, block.clone(), &factors));
            let mut total = parts.swap_remove(0);
            for part in parts {
                total.iter_mut().flatten().zip(part.iter().flatten()).for_each(|(a, b)| a.merge(b));
            }
            result.extend(total.iter_mut().map(|[a, b]| [a.take(), b.take()]));
        }
        result
    }

    /// The same for sparse rows: column by column, each over the rows that have an entry there.
    fn sparse_sums(&self, pattern: &Pattern, factors: &impl Factors) -> Vec<[Dyadic; 2]> {
        let (ends, places) = by_column(pattern, self.dimension);
        let sums = self.parts_of(self.dimension, |columns| {
            let (mut sums, mut result) = ([ExactSum::new(), ExactSum::new()], Vec::new());
            for column in columns {
                let start = if column == 0 { 0 } else { ends[column - 1] };
                for &(row, place) in &places[start..ends[column]] {
                    let x = self.z[place as usize];
                    factors(row as usize, &mut |at, [f, g, h]| sums[at].add([f, g, h, x]));
                }
                result.push([sums[0].take(), sums[1].take()]);
            }
            result
        });
        sums.into_iter().flatten().collect()
    }

    /// The sums of [`Rows::column_sums`] for some rows and some columns.
    fn block_sums(
        &self,
        rows: Range<usize>,
        skipped: usize,
        columns: Range<usize>,
        factors: &impl Factors,
    ) -> Vec<[ExactSum; 2]> {
        let mut sums = vec![[ExactSum::new(), ExactSum::new()]; columns.len()];
        let mut products = Vec::new();
        for i in rows {
            products.clear();
            factors(i, &mut |place, product| products.push((place, product)));
            let x = &self.row(i)[skipped..];
            for &(place, [f, g, h]) in &products {
                for (sum, &x) in sums.iter_mut().zip(&x[columns.clone()]) {
                    sum[place].add([f, g, h, x]);
                }
            }
        }
        sums
    }

    /// Runs `work` on consecutive ranges that make up 0..N, the results in their order (at least
    /// one).
    pub(crate) fn in_parallel<R: Send>(&self, work: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
        self.parts_of(self.len(), work)
    }

    /// The same for 0..n.
    fn parts_of<R: Send>(&self, n: usize, work: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
        in_parts(n, self.z.len(), work)
    }
}

/// Runs `work` on consecutive ranges that make up 0..n, the results in their order (at least one), on as many threads as
/// are worth it for so many entries.
pub(crate) fn in_parts<R: Send>(n: usize, entries: usize, work: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
    let useful = entries / ENTRIES_PER_THREAD;
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

/// The entries of a pattern by columns: where each column ends, and row and place of each entry.
fn by_column(pattern: &Pattern, columns: usize) -> (Vec<usize>, Vec<(u32, u32)>) {
    let mut next = vec![0; columns + 1];
    pattern.columns().iter().for_each(|column| next[*column as usize + 1] += 1);
    for column in 0..columns {
        next[column + 1] += next[column];
    }
    let mut places = vec![(0, 0); pattern.columns().len()];
    for row in 0..pattern.rows() {
        for place in pattern.range(row) {
            let at = &mut next[pattern.columns()[place] as usize];
            places[*at] = (row as u32, place as u32);
            *at += 1;
        }
    }
    next.truncate(columns);
    (next, places)
}
