//! From values of the unknowns to a witness.

use unswayed_check::{CaseProof, Cases, Lines, Loss, RowBound, Set, Shells};

use super::points::{OUTSIDE, PointSet, Symmetric};
use super::program::{CaseProgram, point_curve};
use super::solve::{CaseFound, Found, LinesFound};
use super::theta::{Quadratic, sum};
use crate::certify::dot;

/// Writes the witness. With `room` > 0 the numbers are that much, relatively, inside of what is allowed: A and κ must be positive in exact
/// arithmetic and ‖β‖ ≤ 2αϱ, and a solver may leave them at the edge.
pub(super) fn witness(
    task: &CaseProgram,
    found: &Found,
    method: RowBound,
    (shells, slabs): (Option<Shells>, Vec<f64>),
    set: &Set,
    room: f64,
) -> CaseProof {
    let mut found = found.clone();
    found.alpha *= 1.0 + room / 100.0;
    for case in &mut found.cases {
        case.tau.iter_mut().for_each(|tau| *tau *= 1.0 + room);
        if !task.shells.is_empty() {
            case.outer += room * (case.outer + 1e-3);
        }
    }
    for hostile in found.lines.iter_mut().filter_map(|lines| lines.hostile.as_mut()) {
        hostile.curve /= 1.0 + room;
    }
    if task.constants.projection.is_some() {
        found.beta.iter_mut().for_each(|beta| *beta *= 1.0 - room / 100.0);
    }
    let mut lines: Vec<Lines> = found.lines.iter().map(|lines| rows(task, &found, lines)).collect();
    let is_class = matches!(task.loss, Loss::Multiclass(_));
    let mut omega = None;
    let mut cases = Cases::default();
    for (place, case) in task.places().iter().zip(&found.cases) {
        cases.lines.push(case.lines);
        match place.part {
            PointSet::Symmetric(symmetric) => {
                cases.tau.extend(case.tau.iter().map(|tau| tau * symmetric.unit));
                // It is 2αk in an unbounded slab.
                let is_bounded = place.slab.is_none_or(|slab| slab.is_bounded());
                // It must be 0 where the margin of a point has no bound.
                let has_label = task.constants.point_label.is_some();
                cases.nu.push(if is_bounded && has_label { case.nu } else { 0.0 });
                if matches!(set, Set::Ellipsoid { .. }) {
                    omega = Some(largest(symmetric) / task.constants.point_weight.powi(2) * OUTSIDE);
                    let quadratic = Quadratic::new(task, place, &found, case);
                    let (_, r) = sum(task, &found, &found.lines[case.lines]);
                    let v: Vec<f64> = r.iter().zip(&quadratic.push).map(|(r, h)| r + h).collect();
                    // At both ends of a slab χ is as good as 0, and they are alike.
                    let ends = if place.slab.is_some() { 2 } else { 1 };
                    (0..ends).for_each(|_| cases.x.extend(quadratic.inverse(&v)));
                }
            }
            PointSet::Point(a) => point(task, &found, case, a, &mut cases),
            PointSet::Nothing => {}
        }
        if place.shell.is_some() {
            cases.outer.push(case.outer);
            cases.inner.push(case.inner);
        }
    }
    if !task.slabs.is_empty() {
        for lines in &mut lines {
            super::slabs::hold(task, found.alpha, lines);
            refresh(task, &found, lines);
        }
    }
    CaseProof {
        rows: method,
        alpha: found.alpha,
        beta: found.beta,
        rate: None,
        omega,
        shells,
        slabs,
        by_class: is_class && task.parts.len() > 1,
        lines,
        cases,
    }
}

fn largest(set: &Symmetric) -> f64 {
    set.span.iter().copied().fold(0.0, f64::max)
}

/// The numbers of the rows of lines.
fn rows(task: &CaseProgram, found: &Found, from: &LinesFound) -> Lines {
    let (table, shell) = (&task.tables[from.dataset], task.shells.get(from.shell).copied());
    let mut lines = Lines { dataset: from.dataset, shell: from.shell, ..Lines::default() };
    for (i, own) in from.rows.iter().enumerate() {
        let row = task.row(table, shell, i, found.alpha, dot(&found.beta, table.row(i)));
        let own = &task.kind.legal(&row, own);
        let w: Vec<f64> = task.kind.curves(&row, own).iter().map(super::logistic::Arc::maximiser).collect();
        task.kind.write(&row, own, &w, &mut lines);
    }
    if let Some(hostile) = &from.hostile {
        let (threshold, _) = super::hostile::top(task, (found.alpha, &found.beta), from, hostile);
        lines.pull.clone_from(&hostile.pull);
        lines.spread = vec![1.0 / hostile.curve];
        lines.threshold = vec![threshold];
    }
    if !lines.y.is_empty() {
        lines.target_y = lines.y.split_off(table.own);
        lines.target_reach = lines.reach.split_off(table.own);
    }
    lines
}

/// The maximisers of logistic curves, after the shares have changed.
fn refresh(task: &CaseProgram, found: &Found, lines: &mut Lines) {
    let table = &task.tables[lines.dataset];
    for i in 0..lines.w.len() {
        let row = task.row(table, None, i, found.alpha, dot(&found.beta, table.row(i)));
        let own = task.kind.legal(&row, &[0.0, f64::MAX, 0.0, 0.0]);
        let curves = task.kind.curves(&row, &[0.0, lines.u[i] * own[1], 0.0, 0.0]);
        lines.w[i] = curves[0].maximiser();
    }
}

/// The line of a point of a finite set.
fn point(task: &CaseProgram, found: &Found, case: &CaseFound, a: &[f64], cases: &mut Cases) {
    let whole = 2.0 * found.alpha * task.constants.k;
    cases.share.push((case.push / whole).clamp(0.0, task.loss.steepest()));
    if task.loss == Loss::Logistic {
        let c = found.alpha * task.constants.eta * dot(a, a);
        cases.w.push(point_curve(whole, case.push, dot(&found.beta, a), c).everywhere().maximiser());
    }
}
