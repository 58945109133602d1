//! The rows' part of the saddle function: their own problems, and the sums that a Newton step needs.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use rayon::prelude::*;

use super::super::affine::Affine;
use super::super::program::CaseProgram;
use super::super::setting::RowTable;
use super::local::{Local, Place, Slopes, UNKNOWNS};
use crate::certify::dot;

/// Rows per unit of parallel work.
const BLOCK: usize = 512;
/// Blocks whose results are held at a time.
const GROUP: usize = 16;
/// Rows per matrix product.
const TILE: usize = 64;
/// Columns of the product that are vectors: βα, θα, and gradient and rate in β and θ.
const VECTORS: usize = 6;

/// A row between passes.
struct State {
    local: Local,
    /// Where it was when the last Newton system was made, and how it answers to changes of α, b, s and μ.
    base: Place,
    inputs: [f64; 3],
    follow: [[f64; UNKNOWNS]; 4],
    /// Where it is, for which inputs and μ.
    now: Place,
    at: [f64; 4],
}

/// All rows.
pub(super) struct Rows<'a> {
    task: &'a CaseProgram<'a>,
    table: &'a RowTable,
    states: Vec<State>,
    /// μ of the last Newton system.
    mu: f64,
}

/// Where the shared unknowns are, as rows see them.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) alpha: f64,
    pub(super) beta: &'a [f64],
    pub(super) theta: &'a [f64],
    pub(super) mu: f64,
}

/// Sums over rows, each times its mass.
pub(super) struct RowSums {
    pub(super) value: f64,
    /// Σ ∂Ψ/∂α, its rate in μ, and its own derivative.
    pub(super) alpha: f64,
    pub(super) alpha_rate: f64,
    pub(super) alpha_alpha: f64,
    columns: Mat<f64>,
}

impl RowSums {
    fn vector(&self, j: usize) -> Vec<f64> {
        self.columns.col(j).iter().copied().collect()
    }

    pub(super) fn beta_alpha(&self) -> Vec<f64> {
        self.vector(0)
    }

    pub(super) fn theta_alpha(&self) -> Vec<f64> {
        self.vector(1)
    }

    /// Gradients in β and θ.
    pub(super) fn gradient(&self) -> [Vec<f64>; 2] {
        [self.vector(2), self.vector(3)]
    }

    /// And their rates in μ.
    pub(super) fn rate(&self) -> [Vec<f64>; 2] {
        [self.vector(4), self.vector(5)]
    }

    fn matrix(&self, block: usize) -> impl Fn(usize, usize) -> f64 + '_ {
        let first = VECTORS + block * self.columns.nrows();
        move |i, j| self.columns[(i, first + j)]
    }

    pub(super) fn beta_beta(&self) -> impl Fn(usize, usize) -> f64 + '_ {
        self.matrix(0)
    }

    pub(super) fn theta_beta(&self) -> impl Fn(usize, usize) -> f64 + '_ {
        self.matrix(1)
    }

    pub(super) fn minus_theta_theta(&self) -> impl Fn(usize, usize) -> f64 + '_ {
        self.matrix(2)
    }

    fn join(mut self, other: RowSums) -> RowSums {
        self.columns += other.columns;
        RowSums {
            value: self.value + other.value,
            alpha: self.alpha + other.alpha,
            alpha_rate: self.alpha_rate + other.alpha_rate,
            alpha_alpha: self.alpha_alpha + other.alpha_alpha,
            columns: self.columns,
        }
    }
}

impl<'a> Rows<'a> {
    /// The rows of a task of one dataset; `table` has them in the coordinates of the set.
    pub(super) fn new(task: &'a CaseProgram<'a>, table: &'a RowTable) -> Self {
        let unknowns = task.kind.unknowns();
        let own: Vec<Affine> = (0..unknowns).map(|m| Affine::of(2 + m)).collect();
        let state = |i: usize| {
            // The range of scores is that in the original coordinates.
            let shell = task.shells.first().copied();
            let row = task.row(&task.tables[0], shell, i, Affine::of(0), Affine::of(1));
            State {
                local: Local::new(unknowns, &task.kind.part(&row, &own)),
                base: Place::default(),
                inputs: [0.0; 3],
                follow: [[0.0; UNKNOWNS]; 4],
                now: Place::default(),
                at: [f64::NAN; 4],
            }
        };
        let states = (0..table.len()).into_par_iter().with_min_len(BLOCK).map(state).collect();
        Rows { task, table, states, mu: 0.0 }
    }

    /// Inequalities of a row, on average over the mass.
    pub(super) fn count(&self) -> f64 {
        self.states.iter().zip(&self.table.mass).map(|(state, mass)| mass * state.local.count()).sum()
    }

    /// The unknowns of each row.
    pub(super) fn unknowns(&self) -> Vec<[f64; UNKNOWNS]> {
        self.states.iter().map(|state| state.now.own).collect()
    }

    /// Values and gradients, or all that a Newton step needs; `None` if a row has no line there.
    pub(super) fn sums(&mut self, view: View, with_hessian: bool) -> Option<RowSums> {
        let d = self.table.parameters;
        let width = VECTORS + if with_hessian { 3 * d } else { 0 };
        let mut states = std::mem::take(&mut self.states);
        let mut total: Option<RowSums> = None;
        let mut is_inside = true;
        let block = |first: usize, states: &mut [State]| self.block(first, states, view, width);
        for (g, group) in states.chunks_mut(GROUP * BLOCK).enumerate() {
            let first = g * GROUP * BLOCK;
            let parts: Vec<Option<RowSums>> = if group.len() <= BLOCK {
                vec![block(first, group)]
            } else {
                let blocks = group.par_chunks_mut(BLOCK).enumerate();
                blocks.map(|(b, states)| block(first + b * BLOCK, states)).collect()
            };
            for part in parts {
                let Some(part) = part else {
                    is_inside = false;
                    break;
                };
                total = Some(match total {
                    None => part,
                    Some(sum) => sum.join(part),
                });
            }
        }
        self.states = states;
        if with_hessian && is_inside {
            self.mu = view.mu;
        }
        total.filter(|_| is_inside)
    }

    fn block(&self, first: usize, states: &mut [State], view: View, width: usize) -> Option<RowSums> {
        let d = self.table.parameters;
        let with_hessian = width > VECTORS;
        let mut sums = RowSums {
            value: 0.0,
            alpha: 0.0,
            alpha_rate: 0.0,
            alpha_alpha: 0.0,
            columns: Mat::zeros(d, width),
        };
        let mut scaled = vec![0.0; TILE * width];
        for (t, tile) in states.chunks_mut(TILE).enumerate() {
            let start = first + t * TILE;
            for ((n, state), out) in tile.iter_mut().enumerate().zip(scaled.chunks_exact_mut(width)) {
                let (i, z) = (start + n, self.table.row(start + n));
                let u = [view.alpha, dot(z, view.beta), dot(z, view.theta)];
                let of = self.visit(i, state, u, view.mu)?;
                let mass = self.table.mass[i];
                sums.value += mass * of.value;
                sums.alpha += mass * of.gradient[0];
                sums.alpha_rate += mass * of.rate[0];
                sums.alpha_alpha += mass * of.hessian[0];
                let [_, ab, bb, sa, sb, ss] = of.hessian.map(|h| mass * h);
                let [_, gb, gs] = of.gradient.map(|g| mass * g);
                let [_, rb, rs] = of.rate.map(|r| mass * r);
                out[..VECTORS].copy_from_slice(&[ab, sa, gb, gs, rb, rs]);
                if with_hessian {
                    (state.base, state.inputs, state.follow) = (state.now, u, of.follow);
                    for (block, weight) in [bb, sb, -ss].into_iter().enumerate() {
                        let part = &mut out[VECTORS + block * d..][..d];
                        part.iter_mut().zip(z).for_each(|(o, z)| *o = weight * z);
                    }
                }
            }
            let z = &self.table.z[start * d..][..tile.len() * d];
            let z = MatRef::from_row_major_slice(z, tile.len(), d);
            let w = MatRef::from_row_major_slice(&scaled[..tile.len() * width], tile.len(), width);
            matmul(sums.columns.as_mut(), Accum::Add, z.transpose(), w, 1.0, Par::Seq);
        }
        Some(sums)
    }

    /// Solves a row's own problem at a point, from where the last Newton system expects it.
    fn visit(&self, i: usize, state: &mut State, u: [f64; 3], mu: f64) -> Option<Slopes> {
        let at = [u[0], u[1], u[2], mu];
        let is_there = at.map(f64::to_bits) == state.at.map(f64::to_bits);
        let from = if is_there { state.now } else { self.expected(state, at) };
        let row = self.task.row(&self.task.tables[0], self.task.shells.first().copied(), i, u[0], u[1]);
        let inside = Place { own: self.task.kind.interior(&row), margins: state.base.margins };
        let (place, slopes) = state.local.solve(&from, &inside, u, mu)?;
        (state.now, state.at) = (place, at);
        Some(slopes)
    }

    fn expected(&self, state: &State, at: [f64; 4]) -> Place {
        let mut from = state.base;
        let was = [state.inputs[0], state.inputs[1], state.inputs[2], self.mu];
        for ((now, was), follow) in at.iter().zip(was).zip(&state.follow) {
            (0..UNKNOWNS).for_each(|m| from.own[m] += (now - was) * follow[m]);
        }
        from
    }
}
