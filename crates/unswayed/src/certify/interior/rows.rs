//! The sums over rows that a step of the interior point method needs.
//!
//! Each row keeps its local variables ℓ and multipliers λ; a pass over the rows computes their part of the Newton
//! system or of the step. Passes run over fixed blocks of rows on all cores and add the blocks in order, so the
//! result does not depend on the number of threads. A step costs two or three d×d Gram sums, N·d² operations
//! each; everything else is of order N·d. What a pass does to a row is inlined into one function for each pass, which is
//! compiled for the machine's vector unit as well as for the least common one.

use rayon::prelude::*;

use super::super::dense::{Matrix, WIDE, padded};
use super::envelope::{Curvature, Envelope, Inputs};
use super::instance::{Instance, MOST_SAME_COLUMNS, dot};
use super::outer::{ALPHA, Point};
use super::sums::{Gradient, Prediction, System, VECTORS};

/// Rows per unit of parallel work.
const BLOCK: usize = 2048;
/// Blocks whose results are held at a time.
const GROUP: usize = 16;
/// Rows per matrix product: few enough for the scaled copies to stay in cache.
const TILE: usize = 64;
/// The same where there are many columns.
const LARGE_TILE: usize = 256;
/// What a row remembers between passes.
#[derive(Clone)]
struct Cell<const M: usize, const K: usize> {
    local: [f64; M],
    lambda: [f64; K],
    /// J and s at the current point.
    at: [f64; 2],
    /// The step being made: Δℓ and Δλ. Between predictor and corrector `d_lambda` holds the corrector's aim ρ.
    d_local: [f64; M],
    d_lambda: [f64; K],
}

/// The state of all rows.
pub struct Rows<'a, const M: usize, const K: usize, E> {
    instance: &'a Instance<'a>,
    envelope: &'a E,
    cells: Vec<Cell<M, K>>,
    kappa: f64,
}

/// A row's slacks, weights λ/slack, and −(c + s·e − Gᵀλ), which is zero up to rounding.
struct State<const M: usize, const K: usize> {
    slack: [f64; K],
    w: [f64; K],
    defect: [f64; M],
}

/// A row's share of a Newton step.
struct Step<const M: usize, const K: usize> {
    local: [f64; M],
    slack: [f64; K],
    lambda: [f64; K],
}

/// What a pass does to a block of rows.
trait RowPass<const M: usize, const K: usize, E> {
    type Output;
    fn run(self, rows: &Rows<M, K, E>, first: usize, cells: &mut [Cell<M, K>]) -> Self::Output;
}

/// A task and its block, in the form that is compiled for the machine's vector unit.
struct Block<'b, 'a, const M: usize, const K: usize, E, T> {
    rows: &'b Rows<'a, M, K, E>,
    first: usize,
    cells: &'b mut [Cell<M, K>],
    task: T,
}

impl<const M: usize, const K: usize, E, T: RowPass<M, K, E>> pulp::WithSimd for Block<'_, '_, M, K, E, T> {
    type Output = T::Output;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> T::Output {
        self.task.run(self.rows, self.first, self.cells)
    }
}

/// [`Rows::assemble`] at a point, into matrices of a width.
struct Assemble<'p> {
    at: &'p Point,
    width: usize,
}

impl<const M: usize, const K: usize, E: Envelope<M, K>> RowPass<M, K, E> for Assemble<'_> {
    type Output = ([f64; 5], Matrix);

    #[inline(always)]
    fn run(self, rows: &Rows<M, K, E>, first: usize, cells: &mut [Cell<M, K>]) -> Self::Output {
        rows.assemble_block(first, cells, self.at, self.width)
    }
}

/// [`Rows::predict`] along a direction.
struct Predict<'p> {
    direction: &'p Point,
}

impl<const M: usize, const K: usize, E: Envelope<M, K>> RowPass<M, K, E> for Predict<'_> {
    type Output = Prediction;

    #[inline(always)]
    fn run(self, rows: &Rows<M, K, E>, first: usize, cells: &mut [Cell<M, K>]) -> Prediction {
        rows.predict_block(first, cells, self.direction)
    }
}

/// [`Rows::correct`] along a direction, towards a complementarity.
struct Correct<'p> {
    direction: &'p Point,
    target: f64,
}

impl<const M: usize, const K: usize, E: Envelope<M, K>> RowPass<M, K, E> for Correct<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self, rows: &Rows<M, K, E>, first: usize, cells: &mut [Cell<M, K>]) -> f64 {
        rows.correct_block(first, cells, self.direction, self.target)
    }
}

impl<'a, const M: usize, const K: usize, E: Envelope<M, K>> Rows<'a, M, K, E> {
    /// All rows on their own central paths for the barrier parameter `mu`, at the given point.
    pub fn centred(instance: &'a Instance<'a>, envelope: &'a E, at: &Point, mu: f64) -> Self {
        let blank =
            Cell { local: [0.0; M], lambda: [0.0; K], at: [0.0; 2], d_local: [0.0; M], d_lambda: [0.0; K] };
        let kappa = instance.kappa(at.alpha());
        let mut rows = Rows { instance, envelope, cells: vec![blank; instance.rows()], kappa };
        rows.recentre(at, mu);
        rows
    }

    /// Puts all rows on their own central paths, at another point.
    pub fn recentre(&mut self, at: &Point, mu: f64) {
        self.kappa = self.instance.kappa(at.alpha());
        self.pass(|rows, i, cell| {
            cell.at = project(rows.instance, i, at);
            rows.centre(i, cell, mu);
        });
    }

    /// The local variables of each row.
    pub fn locals(&self) -> impl Iterator<Item = &[f64; M]> {
        self.cells.iter().map(|cell| &cell.local)
    }

    /// Moves every row by the step that `correct` prepared.
    pub fn advance(&mut self, step: f64) {
        self.pass(|_, _, cell| {
            for (l, d) in cell.local.iter_mut().zip(&cell.d_local) {
                *l += step * d;
            }
            for (l, d) in cell.lambda.iter_mut().zip(&cell.d_lambda) {
                *l += step * d;
            }
        });
    }

    /// The Newton system at `at`, which must be the point that the rows have advanced to.
    pub fn assemble(&mut self, at: &Point) -> System {
        let d = self.instance.dimension;
        self.kappa = self.instance.kappa(at.alpha());
        let width = WIDE + padded(d) * if E::COUPLED { 3 } else { 2 };
        let sum = |rows: &Self, first: usize, cells: &mut [Cell<M, K>]| {
            pulp::Arch::new().dispatch(Block { rows, first, cells, task: Assemble { at, width } })
        };
        let join = |(s, c): ([f64; 5], Matrix), (t, e): ([f64; 5], Matrix)| {
            (std::array::from_fn(|k| s[k] + t[k]), c.plus(&e))
        };
        let (sums, columns) = self.blocks(sum, join);
        System::new(sums, &columns, self.instance.epsilon, E::COUPLED)
    }

    /// Tries the predictor direction and prepares the corrector.
    pub fn predict(&mut self, direction: &Point) -> Prediction {
        let predict = |rows: &Self, first: usize, cells: &mut [Cell<M, K>]| {
            pulp::Arch::new().dispatch(Block { rows, first, cells, task: Predict { direction } })
        };
        self.blocks(predict, |a, b| a.join(&b))
    }

    /// Prepares the corrector step aimed at complementarity `target`; returns the longest step that is allowed.
    pub fn correct(&mut self, direction: &Point, target: f64) -> f64 {
        let correct = |rows: &Self, first: usize, cells: &mut [Cell<M, K>]| {
            pulp::Arch::new().dispatch(Block { rows, first, cells, task: Correct { direction, target } })
        };
        self.blocks(correct, f64::min)
    }

    /// One block of [`Rows::assemble`]: its sums and the product of its rows with their scaled copies.
    #[inline(always)]
    fn assemble_block(
        &self,
        first: usize,
        cells: &mut [Cell<M, K>],
        at: &Point,
        width: usize,
    ) -> ([f64; 5], Matrix) {
        let d = self.instance.dimension;
        let (mut sums, mut columns) = ([0.0; 5], Matrix::zeros(d, width));
        let height = if d > MOST_SAME_COLUMNS { LARGE_TILE } else { TILE };
        let mut scaled = vec![0.0; height * width];
        for (t, tile) in cells.chunks_mut(height).enumerate() {
            let start = first + t * height;
            for ((n, cell), out) in tile.iter_mut().enumerate().zip(scaled.chunks_exact_mut(width)) {
                cell.at = project(self.instance, start + n, at);
                self.accumulate(start + n, cell, &mut sums, out);
            }
            let (block, scaled) = (self.instance.block(start, tile.len()), &scaled[..tile.len() * width]);
            #[cfg(feature = "general")]
            if self.instance.is_large() {
                super::super::dense_large::add_gram(&mut columns, block, scaled);
                continue;
            }
            columns.add_gram(block, scaled);
        }
        (sums, columns)
    }

    /// One block of [`Rows::predict`].
    #[inline(always)]
    fn predict_block(&self, first: usize, cells: &mut [Cell<M, K>], direction: &Point) -> Prediction {
        let mut out = Prediction::new(self.instance.dimension);
        for (n, cell) in cells.iter_mut().enumerate() {
            self.predict_row(first + n, cell, direction, &mut out);
        }
        out
    }

    /// One block of [`Rows::correct`].
    #[inline(always)]
    fn correct_block(&self, first: usize, cells: &mut [Cell<M, K>], direction: &Point, target: f64) -> f64 {
        let mut longest = f64::INFINITY;
        for (n, cell) in cells.iter_mut().enumerate() {
            let state = self.state(first + n, cell);
            let rho = std::array::from_fn(|k| cell.d_lambda[k] + target / state.slack[k]);
            let change = self.change(first + n, direction);
            let step = self.respond(first + n, &state, &state.defect, &rho, change);
            longest = longest.min(limit(&state.slack, &step.slack)).min(limit(&cell.lambda, &step.lambda));
            (cell.d_local, cell.d_lambda) = (step.local, step.lambda);
        }
        longest
    }

    /// Newton's method, damped, for the row's own barrier instance at fixed (J, κ, s).
    #[inline(always)]
    fn centre(&self, i: usize, cell: &mut Cell<M, K>, mu: f64) {
        let at = Inputs { j: cell.at[0], kappa: self.kappa, s: cell.at[1] };
        cell.local = self.envelope.interior(i, at, mu);
        for _ in 0..50 {
            let slack = self.envelope.slacks(i, &cell.local, at);
            cell.lambda = slack.map(|s| mu / s);
            let w = std::array::from_fn(|k| cell.lambda[k] / slack[k]);
            let defect = self.defect(i, cell);
            let step = self.envelope.respond(i, &w, &defect, Inputs::default());
            let decrement = (step.iter().zip(&defect).map(|(a, b)| a * b).sum::<f64>() / mu).sqrt();
            if decrement.is_nan() || decrement < 1e-9 {
                break;
            }
            let damping = if decrement > 0.25 { 1.0 / (1.0 + decrement) } else { 1.0 };
            for (l, s) in cell.local.iter_mut().zip(step) {
                *l += damping * s;
            }
        }
    }

    /// Adds a row to the sums and writes its scaled copies of z, from which the matrix product makes the Hessian.
    #[inline(always)]
    fn accumulate(&self, i: usize, cell: &Cell<M, K>, sums: &mut [f64; 5], out: &mut [f64]) {
        let (p, z) = (self.instance.weight(i), self.instance.row(i));
        let state = self.state(i, cell);
        let Curvature { jj, jk, kk, js, ks, ss } = self.envelope.curvature(i, &state.w);
        let (j, k0) = (self.instance.j_of_alpha(i), self.instance.kappa_of_alpha());
        let (slope, slope_kappa) = self.envelope.slopes(i, &cell.lambda);
        let step = self.respond(i, &state, &state.defect, &cell.lambda.map(|l| -l), Inputs::default());
        let (aim, aim_kappa) = self.envelope.slopes(i, &plus(&cell.lambda, &step.lambda));
        let y = inner(&E::WEIGHT, &cell.local);
        let slack_sum: f64 = inner(&cell.lambda, &state.slack);
        let terms = [
            inner(&E::COST, &cell.local),
            slack_sum,
            slope * j + slope_kappa * k0,
            aim * j + aim_kappa * k0,
            jj * j * j + 2.0 * jk * j * k0 + kk * k0 * k0,
        ];
        for (sum, term) in sums.iter_mut().zip(terms) {
            *sum += p * term;
        }
        let vectors: [f64; VECTORS] =
            [jj * j + jk * k0, js * j + ks * k0, slope, y, aim, y + inner(&E::WEIGHT, &step.local)];
        let (head, rest) = out.split_at_mut(WIDE);
        for (o, v) in head.iter_mut().zip(vectors) {
            *o = p * v;
        }
        let scales = [p * jj, -p * ss, p * js];
        for (block, scale) in rest.chunks_exact_mut(padded(z.len())).zip(scales) {
            for (o, z) in block.iter_mut().zip(z) {
                *o = scale * z;
            }
        }
    }

    /// One row of [`Rows::predict`].
    #[inline(always)]
    fn predict_row(&self, i: usize, cell: &mut Cell<M, K>, direction: &Point, out: &mut Prediction) {
        let (p, state) = (self.instance.weight(i), self.state(i, cell));
        let mut rho = cell.lambda.map(|l| -l);
        let step = self.respond(i, &state, &state.defect, &rho, self.change(i, direction));
        out.limit = out.limit.min(limit(&state.slack, &step.slack)).min(limit(&cell.lambda, &step.lambda));
        out.gap[0] += p * inner(&cell.lambda, &state.slack);
        out.gap[1] += p * (inner(&cell.lambda, &step.slack) + inner(&step.lambda, &state.slack));
        out.gap[2] += p * inner(&step.lambda, &step.slack);
        for (k, rho) in rho.iter_mut().enumerate() {
            *rho -= step.lambda[k] * step.slack[k] / state.slack[k];
        }
        let aim = self.respond(i, &state, &state.defect, &rho, Inputs::default());
        self.add_slopes(i, &plus(&cell.lambda, &aim.lambda), &plus(&cell.local, &aim.local), &mut out.aim);
        let unit = self.respond(i, &state, &[0.0; M], &state.slack.map(|s| 1.0 / s), Inputs::default());
        self.add_slopes(i, &unit.lambda, &unit.local, &mut out.per_unit);
        cell.d_lambda = rho;
    }

    /// Adds p_i times the row's slopes, carried over to α, β and θ.
    #[inline(always)]
    fn add_slopes(&self, i: usize, lambda: &[f64; K], local: &[f64; M], out: &mut Gradient) {
        let (p, z) = (self.instance.weight(i), self.instance.row(i));
        let (slope, slope_kappa) = self.envelope.slopes(i, lambda);
        out.alpha += p * (slope * self.instance.j_of_alpha(i) + slope_kappa * self.instance.kappa_of_alpha());
        let (on_beta, on_theta) = ((1.0 - self.instance.epsilon) * p * slope, p * inner(&E::WEIGHT, local));
        for ((b, t), z) in out.beta.iter_mut().zip(&mut out.theta).zip(z) {
            *b += on_beta * z;
            *t += on_theta * z;
        }
    }

    #[inline(always)]
    fn state(&self, i: usize, cell: &Cell<M, K>) -> State<M, K> {
        let at = Inputs { j: cell.at[0], kappa: self.kappa, s: cell.at[1] };
        let slack = self.envelope.slacks(i, &cell.local, at);
        let w = std::array::from_fn(|k| cell.lambda[k] / slack[k]);
        State { slack, w, defect: self.defect(i, cell) }
    }

    #[inline(always)]
    fn defect(&self, i: usize, cell: &Cell<M, K>) -> [f64; M] {
        let pull = self.envelope.pull(i, &cell.lambda);
        std::array::from_fn(|m| pull[m] - E::COST[m] - cell.at[1] * E::WEIGHT[m])
    }

    /// The row's Newton step when multipliers aim at λ + ρ before the slacks change.
    fn respond(
        &self,
        i: usize,
        state: &State<M, K>,
        defect: &[f64; M],
        rho: &[f64; K],
        change: Inputs,
    ) -> Step<M, K> {
        let local = self.envelope.respond(i, &state.w, &plus(defect, &self.envelope.pull(i, rho)), change);
        let slack = self.envelope.slack_changes(i, &local, change);
        let lambda = std::array::from_fn(|k| rho[k] - state.w[k] * slack[k]);
        Step { local, slack, lambda }
    }

    /// ΔJ, Δκ, Δs of row i for a step of the shared variables.
    #[inline(always)]
    fn change(&self, i: usize, direction: &Point) -> Inputs {
        let [j, s] = project(self.instance, i, direction);
        Inputs { j, kappa: self.instance.kappa_of_alpha() * direction.x[ALPHA], s }
    }

    /// Runs `f` over all cells, in parallel.
    fn pass(&mut self, f: impl Fn(&Self, usize, &mut Cell<M, K>) + Sync) {
        let each = |rows: &Self, first: usize, cells: &mut [Cell<M, K>]| {
            for (n, cell) in cells.iter_mut().enumerate() {
                f(rows, first + n, cell);
            }
        };
        self.blocks(each, |(), ()| ());
    }

    /// Runs `f` over blocks of cells, in parallel if there are several, and joins its results in order. No more than
    /// a few results exist at a time.
    fn blocks<T: Send>(
        &mut self,
        f: impl Fn(&Self, usize, &mut [Cell<M, K>]) -> T + Sync,
        join: impl Fn(T, T) -> T,
    ) -> T {
        let mut cells = std::mem::take(&mut self.cells);
        let rows = &*self;
        let f = |first: usize, cells: &mut [Cell<M, K>]| f(rows, first, cells);
        let mut result = None;
        for (g, group) in cells.chunks_mut(GROUP * BLOCK).enumerate() {
            let first = g * GROUP * BLOCK;
            let part = if group.len() <= BLOCK {
                f(first, group)
            } else {
                let blocks = group.par_chunks_mut(BLOCK).enumerate();
                let parts: Vec<T> = blocks.map(|(b, cells)| f(first + b * BLOCK, cells)).collect();
                parts.into_iter().reduce(&join).unwrap_or_else(|| f(first, &mut []))
            };
            result = Some(match result {
                None => part,
                Some(sum) => join(sum, part),
            });
        }
        let result = result.unwrap_or_else(|| f(0, &mut []));
        self.cells = cells;
        result
    }
}

/// J and s of row i for a point, or ΔJ and Δs for a direction (both are linear).
#[inline(always)]
fn project(instance: &Instance, i: usize, at: &Point) -> [f64; 2] {
    let z = instance.row(i);
    let j = instance.j_of_alpha(i) * at.alpha() + (1.0 - instance.epsilon) * dot(z, at.beta());
    [j, dot(z, &at.theta)]
}

/// The largest step for which values + step·changes stays nonnegative.
#[inline(always)]
pub fn limit(values: &[f64], changes: &[f64]) -> f64 {
    let ratios = values.iter().zip(changes).filter(|(_, c)| **c < 0.0).map(|(v, c)| -v / c);
    ratios.fold(f64::INFINITY, f64::min)
}

#[inline(always)]
fn plus<const L: usize>(a: &[f64; L], b: &[f64; L]) -> [f64; L] {
    std::array::from_fn(|k| a[k] + b[k])
}

#[inline(always)]
fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
