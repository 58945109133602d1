//! Lines for all rows where the program saw a sample of them: α, β and the numbers of the cases are kept.
//!
//! The best lines for these are those at the θ where Σ mass_i Ψ_i(θᵀz_i) + hᵀθ − θᵀAθ is largest, Ψ_i being the smallest concave function above
//! what row i contributes: Newton's method in θ, with jumps of the slopes smoothed over a width that shrinks.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use rayon::prelude::*;

use super::hostile::HostileFound;
use super::program::{CaseProgram, Place};
use super::rows::{Row, RowUnknowns};
use super::setting::RowTable;
use super::solve::{CaseFound, Found, LinesFound};
use super::theta::{Quadratic, sum};
use crate::certify::dot;

/// The widths over which slopes change.
const WIDTHS: [f64; 4] = [0.3, 0.1, 0.03, 0.01];
/// Newton steps for each width, at most.
const MOST_STEPS: usize = 25;
/// Halvings of a step, at most.
const HALVINGS: usize = 30;

/// Multiples of the sample's ρ that are tried where rows may be hostile.
const CURVES: [f64; 14] = [0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1.0, 1.5, 3.0, 8.0, 20.0, 80.0];

/// Rows that one thread takes at a time, at least.
const CHUNK: usize = 256;

/// The same numbers with lines for all rows of the task; `sample` is the task that was solved.
pub(super) fn lines(task: &CaseProgram, sample: &CaseProgram, found: &Found) -> Found {
    let places = task.places();
    let one = |(index, lines): (usize, &LinesFound)| {
        // Of the cases that share them, the one that decides.
        let users = found.cases.iter().zip(&places).filter(|(case, _)| case.lines == index);
        let user = users.max_by(|a, b| a.0.bound.total_cmp(&b.0.bound));
        user.map_or_else(|| lines.clone(), |(case, place)| best(task, sample, found, lines, (place, case)))
    };
    Found { lines: found.lines.iter().enumerate().map(one).collect(), ..found.clone() }
}

/// The best lines. Where rows may be hostile, ρ of the sample takes as much from A as the sample's v allows, which may be all of it, and
/// the v of all rows is another: other multiples of ρ are tried.
fn best(
    task: &CaseProgram,
    sample: &CaseProgram,
    found: &Found,
    of: &LinesFound,
    case: (&Place, &CaseFound),
) -> LinesFound {
    let with = |factor: f64| -> Option<(f64, LinesFound)> {
        let hostile = of.hostile.clone().map(|own| HostileFound { curve: own.curve * factor, ..own });
        let of = LinesFound { hostile, ..of.clone() };
        let mut lines = found.lines.clone();
        lines[case.1.lines] = of.clone();
        of_widths(task, sample, &Found { lines, ..found.clone() }, &of, case)
    };
    let factors: &[f64] = if of.hostile.is_some() { &CURVES } else { &[1.0] };
    let smallest = factors.iter().filter_map(|factor| with(*factor)).min_by(|a, b| a.0.total_cmp(&b.0));
    smallest.map_or_else(|| of.clone(), |(_, lines)| lines)
}

/// The lines of the width that does best, and what they and the quadratic of the case add up to; `None` where that has no maximum.
fn of_widths(
    task: &CaseProgram,
    sample: &CaseProgram,
    found: &Found,
    of: &LinesFound,
    case: (&Place, &CaseFound),
) -> Option<(f64, LinesFound)> {
    let quadratic = Quadratic::new(task, case.0, found, case.1);
    if !quadratic.is_convex() {
        return None;
    }
    let (_, slope) = sum(sample, found, of);
    let plus =
        |slope: &[f64]| -> Vec<f64> { slope.iter().zip(&quadratic.push).map(|(r, h)| r + h).collect() };
    let mut theta: Vec<f64> = quadratic.inverse(&plus(&slope)).iter().map(|v| v / 2.0).collect();
    let newton = Newton::new(task, found, &quadratic, of);
    let tried = WIDTHS.map(|width| {
        newton.run(&mut theta, width);
        let lines = LinesFound { rows: newton.lines(&theta, width), ..of.clone() };
        let (height, slope) = sum(task, found, &lines);
        (height + quadratic.peak(&plus(&slope)), lines)
    });
    tried.into_iter().min_by(|a, b| a.0.total_cmp(&b.0))
}

/// The search for the worst θ of a case.
struct Newton<'a> {
    task: &'a CaseProgram<'a>,
    quadratic: &'a Quadratic<'a>,
    table: &'a RowTable,
    /// Each row with its bridge.
    rows: Vec<(Row<'a, f64>, f64)>,
    /// εm + g − σβ, less ξ'c where rows may be hostile.
    push: Vec<f64>,
}

impl<'a> Newton<'a> {
    fn new(task: &'a CaseProgram<'a>, found: &Found, quadratic: &'a Quadratic<'a>, of: &LinesFound) -> Self {
        let (table, shell) = (&task.tables[of.dataset], task.shells.get(of.shell).copied());
        let row = |i: usize| {
            let row = task.row(table, shell, i, found.alpha, dot(&found.beta, table.row(i)));
            let bridge = task.kind.bridge(&row);
            (row, bridge)
        };
        let mut push = quadratic.push.clone();
        if let Some(hostile) = &of.hostile {
            push.iter_mut().zip(&hostile.pull).for_each(|(p, c)| *p -= table.hostile * c);
        }
        Newton { task, quadratic, table, rows: (0..table.len()).into_par_iter().map(row).collect(), push }
    }

    /// The line of row i at the score s.
    fn line(&self, i: usize, s: f64, width: f64) -> RowUnknowns {
        let (row, bridge) = &self.rows[i];
        self.task.kind.line(row, *bridge, s, width)
    }

    /// The lines of all rows at θ.
    fn lines(&self, theta: &[f64], width: f64) -> Vec<RowUnknowns> {
        let line = |i: usize| self.line(i, dot(theta, self.table.row(i)), width);
        (0..self.rows.len()).into_par_iter().with_min_len(CHUNK).map(line).collect()
    }

    /// Σ mass_i y_i z_i + h − 2Aθ, which is 0 at the maximum.
    fn residual(&self, theta: &[f64], width: f64) -> Vec<f64> {
        let mut force: Vec<f64> = self.push.clone();
        for (i, own) in self.lines(theta, width).iter().enumerate() {
            let y = self.table.kept() * self.table.mass[i] * self.task.kind.slope(own);
            force.iter_mut().zip(self.table.row(i)).for_each(|(f, z)| *f += y * z);
        }
        force.iter_mut().zip(self.quadratic.times(theta)).for_each(|(f, a)| *f -= 2.0 * a);
        force
    }

    /// −Σ mass_i y_i' z_i z_iᵀ, slopes differenced over half a width.
    fn bend(&self, theta: &[f64], width: f64) -> Mat<f64> {
        let (table, kind, d, step) = (self.table, self.task.kind, theta.len(), width / 4.0);
        let rate = |i: usize| {
            let s = dot(theta, table.row(i));
            let fall =
                kind.slope(&self.line(i, s - step, width)) - kind.slope(&self.line(i, s + step, width));
            table.kept() * table.mass[i] * (fall / (2.0 * step)).max(0.0)
        };
        let rates: Vec<f64> = (0..table.len()).into_par_iter().with_min_len(CHUNK).map(rate).collect();
        let acting: Vec<usize> = (0..table.len()).filter(|i| rates[*i] > 0.0).collect();
        let left = Mat::from_fn(d, acting.len(), |j, i| rates[acting[i]] * table.row(acting[i])[j]);
        let right = Mat::from_fn(acting.len(), d, |i, j| table.row(acting[i])[j]);
        left * right
    }

    /// Newton steps to where θ is worst.
    fn run(&self, theta: &mut Vec<f64>, width: f64) {
        let d = theta.len();
        let size = |force: &[f64]| self.quadratic.peak(force);
        let mut force = self.residual(theta, width);
        for _ in 0..MOST_STEPS {
            if size(&force) < 1e-12 {
                return;
            }
            let bend = self.bend(theta, width);
            let unit = |j: usize| (0..d).map(|i| if i == j { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
            let columns: Vec<Vec<f64>> = (0..d).map(|j| self.quadratic.times(&unit(j))).collect();
            let hessian = Mat::from_fn(d, d, |i, j| bend[(i, j)] + 2.0 * columns[j][i]);
            let Ok(hessian) = hessian.llt(Side::Lower) else { return };
            let step = hessian
                .solve(Mat::from_fn(d, 1, |i, _| force[i]))
                .col(0)
                .iter()
                .copied()
                .collect::<Vec<f64>>();
            (*theta, force) = self.along(theta, &step, dot(&force, &step), width);
        }
    }

    /// A step as long as the function rises along it, or nearly: it is concave, so its rate falls.
    fn along(&self, theta: &[f64], step: &[f64], rate: f64, width: f64) -> (Vec<f64>, Vec<f64>) {
        let (mut low, mut high, mut part) = (0.0, 1.0, 1.0);
        for _ in 0..HALVINGS {
            let next: Vec<f64> = theta.iter().zip(step).map(|(t, s)| t + part * s).collect();
            let force = self.residual(&next, width);
            let now = dot(&force, step);
            if now < -0.5 * rate {
                high = part;
            } else if now > 0.5 * rate && part < 1.0 {
                low = part;
            } else {
                return (next, force);
            }
            part = f64::midpoint(low, high);
        }
        (theta.to_vec(), self.residual(theta, width))
    }
}
