//! The quadratic function of θ that is left of a case once all else is known: v and A of Theorem L1.

use super::hostile;
use super::points::{PointSet, Symmetric};
use super::program::{CaseProgram, Place};
use super::solve::{CaseFound, Found, LinesFound};
use crate::certify::dot;

/// The least curvature that is counted along a coordinate without regularization, relative to that of the others.
const LITTLE: f64 = 1e-3;

/// A in the coordinates of the set, where it is diagonal, and h = v − r: what pushes θ besides the rows.
pub(super) struct Quadratic<'a> {
    /// The set whose coordinates they are, if not those of θ.
    axes: Option<&'a Symmetric>,
    diagonal: Vec<f64>,
    /// εm + g − σβ
    pub(super) push: Vec<f64>,
}

impl<'a> Quadratic<'a> {
    pub(super) fn new(task: &CaseProgram, place: &Place<'a>, found: &Found, case: &CaseFound) -> Self {
        let constants = task.constants;
        let lines = &found.lines[case.lines];
        let bend = lines
            .hostile
            .as_ref()
            .map_or(0.0, |found| found.curve * task.tables[lines.dataset].hostile / 2.0);
        let base = found.alpha * constants.pull() + case.held() - bend;
        let d = constants.parameters;
        let mut push: Vec<f64> = (0..d)
            .map(|j| if constants.free.contains(&j) { 0.0 } else { -constants.lean() * found.beta[j] })
            .collect();
        let mut diagonal = vec![base; d];
        match place.part {
            PointSet::Symmetric(set) if place.slab.is_none_or(|slab| slab.allows(set)) => {
                let chi = 2.0 * found.alpha * constants.k - case.nu;
                let turned = set.turn(&found.beta);
                let factor = |j: usize| constants.eps * chi * set.span[j] / case.tau[set.tau_of(j)];
                let lean: Vec<f64> = (0..d).map(|j| factor(j) * turned[j]).collect();
                push.iter_mut().zip(set.turn_back(&lean)).for_each(|(p, l)| *p += l);
                (0..d).for_each(|j| diagonal[j] -= factor(j) * chi / 2.0);
            }
            PointSet::Point(a) => {
                push.iter_mut().zip(a).for_each(|(p, a)| *p += constants.eps * case.push * a);
            }
            _ => {}
        }
        if let Some(shell) = place.shell {
            push.iter_mut().zip(shell.centre).for_each(|(p, o)| *p += 2.0 * case.held() * o);
        }
        if let (Some(slab), [b]) = (place.slab, &constants.free[..]) {
            let given = case.hold - (base - diagonal[*b]);
            // A little curvature where there is none, around the edge of an unbounded slab.
            let (hold, middle) = if slab.is_bounded() {
                (case.hold, f64::midpoint(slab.low, slab.high))
            } else {
                (base * LITTLE, slab.edge())
            };
            diagonal[*b] = given.max(base * LITTLE);
            push[*b] += 2.0 * hold * middle + case.lean;
        }
        let axes = match place.part {
            PointSet::Symmetric(set) if constants.free.is_empty() => Some(set),
            _ => None,
        };
        Quadratic { axes, diagonal, push }
    }

    /// Whether the function has a maximum.
    pub(super) fn is_convex(&self) -> bool {
        self.diagonal.iter().all(|entry| *entry > 0.0)
    }

    fn scaled(&self, v: &[f64], scale: impl Fn(usize) -> f64) -> Vec<f64> {
        match self.axes {
            Some(set) => {
                let turned: Vec<f64> = set.turn(v).iter().enumerate().map(|(j, v)| scale(j) * v).collect();
                set.turn_back(&turned)
            }
            None => v.iter().enumerate().map(|(j, v)| scale(j) * v).collect(),
        }
    }

    /// Av.
    pub(super) fn times(&self, v: &[f64]) -> Vec<f64> {
        self.scaled(v, |j| self.diagonal[j])
    }

    /// A⁻¹v.
    pub(super) fn inverse(&self, v: &[f64]) -> Vec<f64> {
        self.scaled(v, |j| 1.0 / self.diagonal[j])
    }

    /// ¼vᵀA⁻¹v.
    pub(super) fn peak(&self, v: &[f64]) -> f64 {
        dot(v, &self.inverse(v)) / 4.0
    }
}

/// Lines added up over their rows: r₀ = Σ mass_i T_i and r = Σ mass_i y_i z_i, or what Theorem H1 makes of them.
pub(super) fn sum(task: &CaseProgram, found: &Found, lines: &LinesFound) -> (f64, Vec<f64>) {
    let table = &task.tables[lines.dataset];
    let shell = task.shells.get(lines.shell).copied();
    let (mut height, mut slope) = (0.0, vec![0.0; table.parameters]);
    for (i, own) in lines.rows.iter().enumerate() {
        let row = task.row(table, shell, i, found.alpha, dot(&found.beta, table.row(i)));
        height += table.mass[i] * task.kind.height(&row, own);
        let y = table.mass[i] * task.kind.slope(own);
        slope.iter_mut().zip(table.row(i)).for_each(|(s, z)| *s += y * z);
    }
    let Some(hostile) = &lines.hostile else { return (height, slope) };
    let (_, cost) = hostile::top(task, (found.alpha, &found.beta), lines, hostile);
    let left = slope.iter().zip(&hostile.pull).map(|(r, c)| table.kept() * r - table.hostile * c);
    (table.kept() * height + cost, left.collect())
}
