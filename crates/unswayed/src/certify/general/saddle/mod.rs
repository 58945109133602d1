//! Proofs for one dataset and one case, by Newton's method on the saddle function of Section 16 of
//! `docs/theory.md`:
//!
//! ```text
//! min over x = (α, ν, ω, τ, β)  max over θ   Σ mass_i Ψ_i(α, βᵀz_i, θᵀz_i) + (a function of x and θ alone)
//! ```
//!
//! by a primal-dual interior point method: each inequality has a multiplier, and their products fall to 0. Each row's own unknowns are
//! eliminated from a Newton system ([`local`]), so it has about as many unknowns as x and θ, whatever the number of rows.

mod curves;
mod guards;
mod local;
mod method;
mod rows;
mod shared;
mod small;
#[cfg(test)]
mod tests;

use unswayed_check::Loss;

use super::points::PointSet;
use super::program::CaseProgram;
use super::setting::RowTable;
use super::solve::{CaseFound, Found, LinesFound};
use method::{ATTEMPTS, Attempt, Method};
use rows::Rows;
use shared::{ALPHA, NU, OMEGA, Point, Shared, TAU};

/// Whether the method is for this task.
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
    let is_class = matches!(task.loss, Loss::Multiclass(_));
    is_one
        && !is_class
        && has_lines
        && start_is_free
        && constants.free.is_empty()
        && constants.pull() > 0.0
        && task.burden == 0.0
        && !matches!(task.parts[0], PointSet::Point(_))
}

/// The best numbers. `None` if the method breaks down.
pub(super) fn solve(task: &CaseProgram) -> Option<Found> {
    let shared = Shared::new(task);
    let turned = shared.set.filter(|set| set.axes.is_some()).map(|set| {
        let mut table = task.tables[0].clone();
        table.z = (0..table.len()).flat_map(|i| set.turn(task.tables[0].row(i))).collect();
        table
    });
    let table: &RowTable = turned.as_ref().unwrap_or(&task.tables[0]);
    let mut best: Option<Found> = None;
    for attempt in ATTEMPTS {
        let Some(found) = run(task, table, &shared, attempt) else { continue };
        let is_converged = found.converged;
        if is_converged || best.as_ref().is_none_or(|best| found.value < best.value) {
            best = Some(found);
        }
        if is_converged {
            break;
        }
    }
    best
}

fn run(task: &CaseProgram, table: &RowTable, shared: &Shared, attempt: Attempt) -> Option<Found> {
    let alpha = least_alpha(task).max(1.0 / (2.0 * task.constants.k)) * 1.5;
    let point = Point { x: shared.start(alpha), theta: vec![0.0; task.constants.parameters] };
    let rows = Rows::new(task, table, (&point, shared.beta()))?;
    let (method, value, converged) = Method::new(shared, rows, point, attempt)?.run()?;
    Some(read(task, &method, value, converged))
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
    let (shared, x) = (method.shared, &method.point.x);
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
