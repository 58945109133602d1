//! The rows' part of the saddle function: their own problems, and the sums that a Newton step needs.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use rayon::prelude::*;

use super::super::affine::Affine;
use super::super::program::CaseProgram;
use super::super::setting::RowTable;
use super::curves::UNKNOWNS;
use super::local::{Change, Limits, Local, Place, SLACKS};
use super::shared::{ALPHA, Point};
use crate::certify::dot;

/// Rows per unit of parallel work.
const BLOCK: usize = 512;
/// Blocks whose results are held at a time.
const GROUP: usize = 16;
/// Rows per matrix product.
const TILE: usize = 64;
/// Columns of the product that are vectors: two gradients in β and θ, and where a system is made the second derivatives βα and θα.
const GRADIENTS: usize = 4;
const VECTORS: usize = 6;

/// A row: where it is, what a corrected step takes into account, and where a step takes it.
struct State {
    local: Local,
    now: Place,
    correction: [f64; SLACKS],
    change: Change,
}

/// All rows.
pub(super) struct Rows<'a> {
    table: &'a RowTable,
    states: Vec<State>,
    /// Where β begins in x.
    first: usize,
}

/// Sums over rows, each times its mass. There are two gradients: of a system, that of the Lagrangian and that of the predicted aim; of a
/// prediction, that of the corrected aim and its change with the target.
pub(super) struct RowSums {
    pub(super) value: f64,
    /// Σ λ·room.
    pub(super) products: f64,
    pub(super) residual: f64,
    pub(super) limits: Limits,
    alpha: [f64; 2],
    pub(super) alpha_alpha: f64,
    columns: Mat<f64>,
}

/// What one row adds.
#[derive(Default)]
struct Share {
    value: f64,
    products: f64,
    residual: f64,
    limits: Option<Limits>,
    gradients: [[f64; 3]; 2],
    hessian: [f64; 6],
}

impl RowSums {
    fn new(d: usize, width: usize) -> Self {
        RowSums {
            value: 0.0,
            products: 0.0,
            residual: 0.0,
            limits: Limits::none(),
            alpha: [0.0; 2],
            alpha_alpha: 0.0,
            columns: Mat::zeros(d, width),
        }
    }

    fn vector(&self, j: usize) -> impl Iterator<Item = f64> + '_ {
        self.columns.col(j).iter().copied()
    }

    /// Adds a multiple of one of the gradients.
    pub(super) fn add_gradient(&self, which: usize, factor: f64, first: usize, to: &mut Point) {
        to.x[ALPHA] += factor * self.alpha[which];
        to.x[first..].iter_mut().zip(self.vector(2 * which)).for_each(|(x, b)| *x += factor * b);
        to.theta.iter_mut().zip(self.vector(2 * which + 1)).for_each(|(t, b)| *t += factor * b);
    }

    /// The second derivatives βα and θα.
    pub(super) fn cross(&self) -> [Vec<f64>; 2] {
        [self.vector(GRADIENTS).collect(), self.vector(GRADIENTS + 1).collect()]
    }

    /// The second derivatives ββ, θβ or −θθ.
    pub(super) fn matrix(&self, block: usize) -> impl Fn(usize, usize) -> f64 + '_ {
        let first = VECTORS + block * self.columns.nrows();
        move |i, j| self.columns[(i, first + j)]
    }

    fn add(&mut self, share: &Share, mass: f64, z: &[f64], out: &mut [f64]) {
        self.value += mass * share.value;
        self.products += mass * share.products;
        self.residual += mass * share.residual;
        if let Some(limits) = share.limits {
            self.limits = self.limits.join(limits);
        }
        for (k, [alpha, b, s]) in share.gradients.iter().enumerate() {
            self.alpha[k] += mass * alpha;
            (out[2 * k], out[2 * k + 1]) = (mass * b, mass * s);
        }
        if out.len() > GRADIENTS {
            let [aa, ab, bb, sa, sb, ss] = share.hessian.map(|h| mass * h);
            self.alpha_alpha += aa;
            (out[GRADIENTS], out[GRADIENTS + 1]) = (ab, sa);
            for (part, weight) in out[VECTORS..].chunks_exact_mut(z.len()).zip([bb, sb, -ss]) {
                part.iter_mut().zip(z).for_each(|(o, z)| *o = weight * z);
            }
        }
    }

    fn join(mut self, other: RowSums) -> RowSums {
        self.columns += other.columns;
        RowSums {
            value: self.value + other.value,
            products: self.products + other.products,
            residual: self.residual + other.residual,
            limits: self.limits.join(other.limits),
            alpha: [self.alpha[0] + other.alpha[0], self.alpha[1] + other.alpha[1]],
            alpha_alpha: self.alpha_alpha + other.alpha_alpha,
            columns: self.columns,
        }
    }
}

impl<'a> Rows<'a> {
    /// The rows of a task of one dataset, each where its barrier is least; `table` has them in the coordinates of the set.
    pub(super) fn new(
        task: &'a CaseProgram<'a>,
        table: &'a RowTable,
        (point, first): (&Point, usize),
    ) -> Option<Self> {
        let unknowns = task.kind.unknowns();
        let own: Vec<Affine> = (0..unknowns).map(|m| Affine::of(2 + m)).collect();
        // The range of scores is that in the original coordinates.
        let shell = task.shells.first().copied();
        let state = |i: usize| {
            let row = task.row(&task.tables[0], shell, i, Affine::of(0), Affine::of(1));
            let local = Local::new(unknowns, &task.kind.part(&row, &own));
            let u = inputs(table.row(i), point, first);
            let row = task.row(&task.tables[0], shell, i, u[0], u[1]);
            let now = local.centre(task.kind.interior(&row), u)?;
            Some(State { local, now, correction: [0.0; SLACKS], change: Change::default() })
        };
        let states: Option<Vec<State>> =
            (0..table.len()).into_par_iter().with_min_len(BLOCK).map(state).collect();
        Some(Rows { table, states: states?, first })
    }

    /// Inequalities of a row, on average over the mass.
    pub(super) fn count(&self) -> f64 {
        self.states.iter().zip(&self.table.mass).map(|(state, mass)| mass * state.local.count()).sum()
    }

    /// The unknowns of each row.
    pub(super) fn unknowns(&self) -> Vec<[f64; UNKNOWNS]> {
        self.states.iter().map(|state| state.now.own).collect()
    }

    /// All that a Newton system needs; `None` if rounding leaves a row no room.
    pub(super) fn assemble(&mut self, point: &Point) -> Option<RowSums> {
        self.sums(
            VECTORS + 3 * self.table.parameters,
            |state, u, _, _| {
                let place = &mut state.now;
                let of = state.local.found(place, [u[0], u[1]])?;
                let answer = state.local.answer(&of)?;
                let pulls = state.local.pulls(place, &of, 0.0, &[0.0; SLACKS]);
                let aimed = state.local.aimed(place, &of, &answer, u, &pulls);
                let fault = state.local.fault(place, &of, u);
                Some(Share {
                    value: fault.value,
                    products: fault.products,
                    residual: fault.residual,
                    limits: None,
                    gradients: [fault.gradient, aimed.gradient],
                    hessian: answer.hessian,
                })
            },
            point,
            None,
        )
    }

    /// How far a step that aims at 0 may go, and the aim that takes its second order into account.
    pub(super) fn predict(&mut self, point: &Point, along: &Point) -> Option<RowSums> {
        self.sums(
            GRADIENTS,
            |state, u, by, mass| {
                let (local, place) = (&state.local, &state.now);
                let of = local.known(place, [u[0], u[1]])?;
                let answer = local.answer(&of)?;
                let pulls = local.pulls(place, &of, 0.0, &[0.0; SLACKS]);
                let aimed = local.aimed(place, &of, &answer, u, &pulls);
                let change = local.change(place, &of, (&answer, &aimed), by, &pulls);
                state.correction = change.products();
                let pulls = local.pulls(place, &of, 0.0, &state.correction);
                let corrected = local.aimed(place, &of, &answer, u, &pulls).gradient;
                let unit = local.per_unit(place, &of, &answer);
                let limits = Some(local.limits(place, &change, mass));
                Some(Share { limits, gradients: [corrected, unit], ..Share::default() })
            },
            point,
            Some(along),
        )
    }

    /// How far a corrected step may go.
    pub(super) fn correct(&mut self, point: &Point, along: &Point, target: f64) -> Option<Limits> {
        let sums = self.sums(
            GRADIENTS,
            |state, u, by, mass| {
                let (local, place) = (&state.local, &state.now);
                let of = local.known(place, [u[0], u[1]])?;
                let answer = local.answer(&of)?;
                let pulls = local.pulls(place, &of, target, &state.correction);
                let aimed = local.aimed(place, &of, &answer, u, &pulls);
                state.change = local.change(place, &of, (&answer, &aimed), by, &pulls);
                let limits = Some(local.limits(place, &state.change, mass));
                Some(Share { limits, ..Share::default() })
            },
            point,
            Some(along),
        )?;
        Some(sums.limits)
    }

    /// Takes a part of the corrected step.
    pub(super) fn advance(&mut self, part: f64) {
        self.states
            .par_iter_mut()
            .with_min_len(BLOCK)
            .for_each(|state| state.now.advance(&state.change, part));
    }

    /// Sums what rows give, in an order that does not depend on threads; `None` if one of them gives nothing.
    fn sums(
        &mut self,
        width: usize,
        each: impl Fn(&mut State, [f64; 3], [f64; 3], f64) -> Option<Share> + Sync,
        point: &Point,
        along: Option<&Point>,
    ) -> Option<RowSums> {
        let (table, first) = (self.table, self.first);
        let visit = |i: usize, state: &mut State| {
            let z = table.row(i);
            let by = along.map_or([0.0; 3], |along| inputs(z, along, first));
            each(state, inputs(z, point, first), by, table.mass[i])
        };
        let block = |start: usize, states: &mut [State]| summed(table, start, states, width, visit);
        let mut total: Option<RowSums> = None;
        for (g, group) in self.states.chunks_mut(GROUP * BLOCK).enumerate() {
            let first = g * GROUP * BLOCK;
            let parts: Vec<Option<RowSums>> = if group.len() <= BLOCK {
                vec![block(first, group)]
            } else {
                let blocks = group.par_chunks_mut(BLOCK).enumerate();
                blocks.map(|(b, states)| block(first + b * BLOCK, states)).collect()
            };
            for part in parts {
                total = Some(match total {
                    None => part?,
                    Some(sum) => sum.join(part?),
                });
            }
        }
        total
    }
}

/// (α, βᵀz, θᵀz), or their changes.
fn inputs(z: &[f64], point: &Point, first: usize) -> [f64; 3] {
    [point.x[ALPHA], dot(z, &point.x[first..]), dot(z, &point.theta)]
}

/// Sums over a block of rows.
fn summed(
    table: &RowTable,
    start: usize,
    states: &mut [State],
    width: usize,
    visit: impl Fn(usize, &mut State) -> Option<Share>,
) -> Option<RowSums> {
    let d = table.parameters;
    let mut sums = RowSums::new(d, width);
    let mut scaled = vec![0.0; TILE * width];
    for (t, tile) in states.chunks_mut(TILE).enumerate() {
        let start = start + t * TILE;
        for ((n, state), out) in tile.iter_mut().enumerate().zip(scaled.chunks_exact_mut(width)) {
            let share = visit(start + n, state)?;
            sums.add(&share, table.mass[start + n], table.row(start + n), out);
        }
        let z = &table.z[start * d..][..tile.len() * d];
        let z = MatRef::from_row_major_slice(z, tile.len(), d);
        let w = MatRef::from_row_major_slice(&scaled[..tile.len() * width], tile.len(), width);
        matmul(sums.columns.as_mut(), Accum::Add, z.transpose(), w, 1.0, Par::Seq);
    }
    Some(sums)
}
