//! Proofs for losses without kinks, one dataset and one case, by Newton's method on the saddle function of Section 16 of
//! `docs/theory.md`:
//!
//! ```text
//! min over x = (α, ν, ω, τ, β)  max over θ   Σ mass_i Ψ_i(α, βᵀz_i, θᵀz_i) + (a function of x and θ alone)
//! ```
//!
//! All inequalities have a barrier of weight μ, which falls. Each row's own unknowns are eliminated exactly ([`local`]), so a Newton
//! system has about as many unknowns as x and θ, whatever the number of rows.

mod local;
mod method;
mod rows;
mod shared;
#[cfg(test)]
mod tests;

use super::points::PointSet;
use super::program::CaseProgram;
use super::setting::RowTable;
use super::solve::{CaseFound, Found, LinesFound};
use super::theta::Quadratic;
use crate::learner::has_kink;
use method::{Method, Point};
use rows::Rows;
use shared::{ALPHA, NU, OMEGA, Shared, TAU};

/// The barrier of a start from good numbers for a similar task.
const WARM: f64 = 1e-3;

/// Whether the method is for this task. Rows with kinks make its path turn sharply, and the program does better.
pub(super) fn applies(task: &CaseProgram) -> bool {
    let constants = task.constants;
    let is_one = task.tables.len() == 1
        && task.tables[0].hostile == 0.0
        && task.shells.len() <= 1
        && task.slabs.is_empty()
        && task.parts.len() == 1;
    // A row without mass has nothing to be minimised.
    let has_lines = task.tables[0].mass.iter().all(|mass| *mass > 0.0);
    let start_is_free = constants.start.is_none() || task.shells.is_empty() || constants.projection.is_some();
    !has_kink(task.loss)
        && is_one
        && has_lines
        && start_is_free
        && constants.free.is_empty()
        && constants.pull() > 0.0
        && task.burden == 0.0
        && !matches!(task.parts[0], PointSet::Point(_))
}

/// The best numbers; `near` are good ones for a similar task, if there are any. `None` if the method breaks down.
pub(super) fn solve(task: &CaseProgram, near: Option<&Found>) -> Option<Found> {
    let shared = Shared::new(task);
    let turned = shared.set.filter(|set| set.axes.is_some()).map(|set| {
        let mut table = task.tables[0].clone();
        table.z = (0..table.len()).flat_map(|i| set.turn(task.tables[0].row(i))).collect();
        table
    });
    let table: &RowTable = turned.as_ref().unwrap_or(&task.tables[0]);
    let warm = near.and_then(|near| {
        let point = neighbour(task, &shared, near);
        run(task, table, Shared::new(task), point, WARM)
    });
    warm.filter(|found| found.converged).or_else(|| {
        let alpha = least_alpha(task).max(1.0 / (2.0 * task.constants.k)) * 1.5;
        let theta = vec![0.0; task.constants.parameters];
        let point = Point { x: shared.start(alpha), theta };
        run(task, table, shared, point, 1.0)
    })
}

fn run(task: &CaseProgram, table: &RowTable, shared: Shared, point: Point, mu: f64) -> Option<Found> {
    let rows = Rows::new(task, table);
    let (method, value, converged) = Method::new(shared, rows, point, mu).run()?;
    Some(read(task, &method, value, converged))
}

/// Numbers of a similar task, drawn back inside.
fn neighbour(task: &CaseProgram, shared: &Shared, near: &Found) -> Point {
    let case = &near.cases[0];
    let mut x = shared.start(near.alpha.max(least_alpha(task) * 1.01));
    if shared.set.is_some() && x[NU] > 0.0 {
        x[NU] = case.nu.max(1e-3 * x[ALPHA]);
    }
    for (k, tau) in case.tau.iter().enumerate().take(shared.taus) {
        x[TAU + k] = *tau;
    }
    x[OMEGA] = if x[OMEGA] > 0.0 { case.outer.max(1e-3 * x[OMEGA]) } else { 0.0 };
    let beta = shared.set.map_or_else(|| near.beta.clone(), |set| set.turn(&near.beta));
    let first = shared.beta();
    x[first..].copy_from_slice(&beta);
    shared.widen(&mut x);
    let theta = worst(task, near);
    Point { x, theta: shared.set.map_or_else(|| theta.clone(), |set| set.turn(&theta)) }
}

/// Where the lines of a similar task have their worst case: ½A⁻¹v.
fn worst(task: &CaseProgram, near: &Found) -> Vec<f64> {
    let quadratic = Quadratic::new(task, &task.places()[0], near, &near.cases[0]);
    let mut v = quadratic.push.clone();
    for (i, own) in near.lines[0].rows.iter().enumerate() {
        let y = task.tables[0].mass[i] * own[1];
        v.iter_mut().zip(task.tables[0].row(i)).for_each(|(v, z)| *v += y * z);
    }
    quadratic.inverse(&v).iter().map(|v| v / 2.0).collect()
}

/// κ must not be negative.
fn least_alpha(task: &CaseProgram) -> f64 {
    let (constants, table) = (task.constants, &task.tables[0]);
    let rows =
        (0..table.len()).filter(|i| table.p[*i] > 0.0).map(|i| table.t[i] / (table.clip[i] * table.p[i]));
    let steepest = if task.kind.is_error() { 0.0 } else { rows.fold(0.0, f64::max) };
    steepest / (2.0 * constants.k * (1.0 - constants.eps))
}

fn read(task: &CaseProgram, method: &Method, value: f64, converged: bool) -> Found {
    let (shared, x) = (&method.shared, &method.point.x);
    let beta = &x[shared.beta()..];
    let tau = match &task.parts[0] {
        PointSet::Symmetric(set) if shared.set.is_none() => vec![1.0; set.price.len()],
        _ => x[TAU..TAU + shared.taus].to_vec(),
    };
    let case = CaseFound { tau, nu: x[NU], outer: x[OMEGA], bound: value, ..CaseFound::default() };
    let lines = LinesFound { dataset: 0, shell: 0, rows: method.rows.unknowns(), hostile: None };
    Found {
        alpha: x[ALPHA],
        beta: shared.set.map_or_else(|| beta.to_vec(), |set| set.turn_back(beta)),
        lines: vec![lines],
        cases: vec![case],
        value,
        converged,
    }
}
