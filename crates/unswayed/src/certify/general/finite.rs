//! Finite sets: few of their points decide. The program has the lines of those few; the others share lines with one of them.

use super::points::PointSet;
use super::program::{CaseProgram, point_curve};
use super::rows::bounded_slope::Bounded;
use super::setting::RowTable;
use super::solve::{CaseFound, Found, solve};
use super::theta::{Quadratic, sum};
use crate::certify::dot;

/// Rounds of new points, at most, and how many points a round adds.
const MOST_ROUNDS: usize = 12;
const NEW_POINTS: usize = 3;
/// A point may exceed the program's value by this much, relative to max(1, value), without being added.
const TOLERANCE: f64 = 1e-6;
/// Rows times points with lines of their own, at most; more points share.
const MOST_LINES: usize = 1000;

/// Whether so many parts of a set must share their lines, because there would be too many.
pub(super) fn must_share(task: &CaseProgram, parts: usize) -> bool {
    let rows: usize = task.tables.iter().map(RowTable::len).sum();
    rows * task.shells.len().max(1) * parts > MOST_LINES
}

/// Solves for all points of the task's set.
pub(super) fn solve_points(task: &CaseProgram) -> Option<Found> {
    let mut active = vec![first(task)];
    let mut last = None;
    for _ in 0..MOST_ROUNDS {
        let chosen: Vec<PointSet> = active.iter().map(|i| task.parts[*i].clone()).collect();
        let is_shared = must_share(task, chosen.len());
        let found = solve(&CaseProgram { parts: &chosen, is_shared, ..*task })?;
        let (all, bounds) = extend(task, &found);
        let enough = found.value + TOLERANCE * found.value.abs().max(1.0);
        let mut above: Vec<usize> =
            (0..bounds.len()).filter(|i| bounds[*i] > enough && !active.contains(i)).collect();
        above.sort_by(|a, b| bounds[*b].total_cmp(&bounds[*a]));
        above.truncate(NEW_POINTS);
        let is_last = above.is_empty();
        last = Some(Found { converged: found.converged && is_last, ..all });
        if is_last {
            break;
        }
        active.extend(above);
    }
    last
}

/// The point that pulls most against the data.
fn first(task: &CaseProgram) -> usize {
    let table = &task.tables[0];
    let mut mean = vec![0.0; table.parameters];
    for i in 0..table.len() {
        mean.iter_mut().zip(table.row(i)).for_each(|(m, z)| *m += table.mass[i] * z);
    }
    let pull = |i: &usize| match &task.parts[*i] {
        PointSet::Point(a) => -dot(&mean, a),
        _ => 0.0,
    };
    (0..task.parts.len()).max_by(|a, b| pull(a).total_cmp(&pull(b))).unwrap_or(0)
}

/// The cases of all points, each with the lines that suit it best, and the largest bound of each point over datasets and shells.
fn extend(task: &CaseProgram, found: &Found) -> (Found, Vec<f64>) {
    let sums: Vec<(f64, Vec<f64>)> = found.lines.iter().map(|lines| sum(task, found, lines)).collect();
    let places = task.places();
    let mut bounds = vec![f64::NEG_INFINITY; task.parts.len()];
    let mut cases = vec![];
    for (index, place) in places.iter().enumerate() {
        let (part, group) = (index % task.parts.len(), index / task.parts.len());
        let regions = task.shells.len().max(1);
        let fits = |l: &usize| found.lines[*l].dataset * regions + found.lines[*l].shell == group;
        let tried = (0..found.lines.len()).filter(fits).map(|lines| {
            // ω and μ are those of the case that the lines were made for.
            let model = found.cases.iter().find(|case| case.lines == lines).cloned().unwrap_or_default();
            best_push(task, found, place, CaseFound { lines, ..model }, &sums[lines])
        });
        if let Some((bound, case)) = tried.min_by(|a, b| a.0.total_cmp(&b.0)) {
            bounds[part] = bounds[part].max(bound);
            cases.push(case);
        }
    }
    (Found { cases, ..found.clone() }, bounds)
}

/// The y of a point with the least bound: a convex function of one variable.
fn best_push(
    task: &CaseProgram,
    found: &Found,
    place: &super::program::Place,
    case: CaseFound,
    (height, slope): &(f64, Vec<f64>),
) -> (f64, CaseFound) {
    let PointSet::Point(a) = place.part else { return (f64::INFINITY, case) };
    let constants = task.constants;
    let whole = 2.0 * found.alpha * constants.k;
    let (b, c) = (dot(&found.beta, a), found.alpha * constants.eta * dot(a, a));
    let region = place.shell.map_or(0.0, |shell| {
        let centre = dot(shell.centre, shell.centre);
        case.outer * (shell.outer.powi(2) - centre) - case.inner * (shell.inner.powi(2) - centre)
    });
    let bound = |push: f64| {
        let case = CaseFound { push, ..case.clone() };
        let quadratic = Quadratic::new(task, place, found, &case);
        let v: Vec<f64> = slope.iter().zip(&quadratic.push).map(|(r, h)| r + h).collect();
        let line = match task.loss.conjugate() {
            None => point_curve(whole, push, b, c).everywhere().top(),
            Some(e) => {
                let is_concave = false; // of no consequence for a height
                let bounded = Bounded { kappa0: whole, kappa: whole, b, c, label: 1.0, is_concave };
                bounded.height(&e, push)
            }
        };
        let lambda = constants.lambda_cost(found.alpha, &found.beta);
        lambda + height + region + constants.eps * line + quadratic.peak(&v)
    };
    let (mut low, mut high) = (0.0, whole * task.loss.steepest());
    for _ in 0..40 {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if bound(left) < bound(right) { high = right } else { low = left }
    }
    let push = f64::midpoint(low, high);
    (bound(push), CaseFound { push, ..case })
}
