//! The slabs that a coordinate without regularization is cut into (Theorem L17), and their edges.

use unswayed_check::Lines;

use super::points::{PointSet, Symmetric};
use super::program::CaseProgram;
use super::setting::RowTable;
use super::solve::{Found, solve};
use crate::learner::has_kink;

/// Rows that the search for edges sees, over all datasets.
const ROWS: usize = 60;
/// Slabs, at most.
const MOST_SLABS: usize = 20;
/// The first edges, in units of what moves the margin of a row by 1.
const FIRST: [f64; 5] = [-2.0, -1.0, 0.0, 1.0, 2.0];
/// A round of new edges is the last one if it gains less than this part of the bound.
const GAIN: f64 = 0.005;
/// The same where the adversary's entry is fixed: a slab is cheaper there, and finer ones gain longer.
const FIXED_GAIN: f64 = 0.001;
/// Slabs within this part of the largest bound decide it.
const DECIDING: f64 = 1e-3;
/// Room for rounding in sums of pushes.
const ROOM: f64 = 1e-9;

/// low ≤ θ_b ≤ high; one of them may be infinite.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slab {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Slab {
    pub(super) fn is_bounded(&self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }

    /// Whether χ need not be 0: the slab is bounded, and in the coordinates of the set A is diagonal.
    pub(super) fn allows(&self, set: &Symmetric) -> bool {
        self.is_bounded() && set.axes.is_none()
    }

    /// The sign of the unbounded direction.
    pub(super) fn outward(&self) -> f64 {
        if self.high.is_finite() { -1.0 } else { 1.0 }
    }

    /// The end of an unbounded slab.
    pub(super) fn edge(&self) -> f64 {
        if self.high.is_finite() { self.high } else { self.low }
    }
}

/// The slabs between edges; none if there are no edges.
pub(super) fn each(edges: &[f64]) -> Vec<Slab> {
    let lows = std::iter::once(f64::NEG_INFINITY).chain(edges.iter().copied());
    let highs = edges.iter().copied().chain([f64::INFINITY]);
    if edges.is_empty() { vec![] } else { lows.zip(highs).map(|(low, high)| Slab { low, high }).collect() }
}

/// Edges that are fine where the bound is decided, found on few of the rows. Lines above rows without a kink are dear: they get
/// two slabs.
pub(super) fn edges(task: &CaseProgram) -> Option<Vec<f64>> {
    if !has_kink(task.loss) {
        return Some(vec![0.0]);
    }
    let rows = (ROWS / task.tables.len()).max(20);
    let samples: Vec<RowTable> =
        task.tables.iter().map(|table| table.sample(table.len().div_ceil(rows))).collect();
    let size = size(task);
    let unit = if size > 0.0 { 1.0 / size } else { 1.0 };
    let mut edges: Vec<f64> = FIRST.iter().map(|e| e * unit).collect();
    let solved = |edges: &[f64]| {
        solve(&CaseProgram { tables: &samples, slabs: &each(edges), ..*task }).filter(|f| f.value.is_finite())
    };
    let mut found = solved(&edges)?;
    let is_fixed = |part: &PointSet| matches!(part, PointSet::Symmetric(set) if set.fixed.is_some());
    let least = if task.parts.iter().any(is_fixed) { FIXED_GAIN } else { GAIN };
    loop {
        let finer = refined(&edges, &found);
        if finer.len() + 1 > MOST_SLABS {
            return Some(edges);
        }
        let Some(next) = solved(&finer) else { return Some(edges) };
        let gain = found.value - next.value;
        (edges, found) = (finer, next);
        if gain < least * found.value.abs() {
            return Some(edges);
        }
    }
}

/// The mean size of the coordinate in the rows.
fn size(task: &CaseProgram) -> f64 {
    let Some(b) = task.constants.free.first() else { return 0.0 };
    let sizes = task.tables.iter().flat_map(|table| {
        (0..table.len()).map(move |i| (table.mass[i] * table.p[i], table.row(i)[*b].abs()))
    });
    let (mass, sum) = sizes.fold((0.0, 0.0), |(mass, sum), (p, size)| (mass + p, sum + p * size));
    if mass > 0.0 { sum / mass } else { 0.0 }
}

/// Each slab that decides the bound in halves, and one more where an unbounded one does.
fn refined(edges: &[f64], found: &Found) -> Vec<f64> {
    let slabs = each(edges);
    let count = slabs.len();
    let mut worst = vec![f64::NEG_INFINITY; count];
    for case in &found.cases {
        let slab = found.lines[case.lines].shell;
        worst[slab] = worst[slab].max(case.bound);
    }
    let largest = worst.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut finer = edges.to_vec();
    for (slab, _) in slabs.iter().zip(&worst).filter(|(_, worst)| **worst > largest * (1.0 - DECIDING)) {
        let edge = slab.edge();
        let reach = (edges[edges.len() - 1] - edges[0]).max(edge.abs()) / 2.0;
        finer.push(if slab.is_bounded() {
            f64::midpoint(slab.low, slab.high)
        } else {
            edge + slab.outward() * reach
        });
    }
    finer.sort_by(f64::total_cmp);
    finer.dedup();
    finer
}

/// Makes rows that push outward in an unbounded slab do so less, until all together do not.
pub(super) fn hold(task: &CaseProgram, alpha: f64, lines: &mut Lines) {
    let (Some(slab), Some(b)) = (task.slabs.get(lines.shell), task.constants.free.first()) else { return };
    if slab.is_bounded() {
        return;
    }
    let table = &task.tables[lines.dataset];
    let kappa0 = 2.0 * alpha * task.constants.k * (1.0 - task.constants.eps);
    // Slopes are in proportion to shares; those of the error have two.
    let slope = |lines: &Lines, i: usize| match (lines.u2.get(i), lines.c.get(i)) {
        (Some(u2), Some(c)) => (kappa0 - 1.0 + c) * lines.u[i] + (1.0 - c) * u2,
        _ => lines.u[i],
    };
    let push = |i: usize| slope(lines, i) * table.mass[i] * table.row(i)[*b] * slab.outward();
    let pushes: Vec<f64> = (0..lines.u.len()).map(push).collect();
    let out: f64 = pushes.iter().map(|push| push.max(0.0)).sum();
    let inward: f64 = pushes.iter().map(|push| (-push).max(0.0)).sum();
    if out <= inward * (1.0 - ROOM) {
        return;
    }
    let factor = inward / out * (1.0 - ROOM);
    for shares in [&mut lines.u, &mut lines.u2] {
        shares.iter_mut().zip(&pushes).filter(|(_, push)| **push > 0.0).for_each(|(u, _)| *u *= factor);
    }
}
