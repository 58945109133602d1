//! A hinge row (Lemma L2): T ≥ max(J, 0), 0 ≤ y ≤ κ; the line is T + y(s − 1).

use unswayed_check::Lines;

use super::{Affine, Row, RowConstraints, RowKind, RowUnknowns, own, ramp, share};

pub(in super::super) struct Hinge;

impl RowKind for Hinge {
    fn part(&self, row: &Row<Affine>, own: &[Affine]) -> RowConstraints {
        let [t, y] = [&own[0], &own[1]].map(Affine::clone);
        RowConstraints {
            fixed: vec![t.clone() - row.j(), t.clone(), y.clone(), row.steepest() - y.clone()],
            curves: vec![],
            cost: t - y.clone(),
            slope: y,
        }
    }

    fn line(&self, row: &Row<f64>, _: f64, s: f64, width: f64) -> RowUnknowns {
        own(row.steepest().max(0.0) * ramp(1.0 - s, width))
    }

    fn height(&self, row: &Row<f64>, own: &RowUnknowns) -> f64 {
        row.j().max(0.0) - own[1]
    }

    fn write(&self, row: &Row<f64>, own: &RowUnknowns, _: &[f64], lines: &mut Lines) {
        lines.u.push(share(own[1], row.steepest()));
    }
}
