//! A logistic row whose gradient is clipped (Theorem L16): as without the clip, but 0 ≤ y ≤ κ0r − t.

use unswayed_check::Lines;

use super::clipped_hinge::{around, cautious};
use super::{Affine, Arc, Logistic, Row, RowConstraints, RowKind, RowUnknowns};

pub(in super::super) struct ClippedLogistic;

impl RowKind for ClippedLogistic {
    fn part(&self, row: &Row<Affine>, own: &[Affine]) -> RowConstraints {
        Logistic.part(row, own)
    }

    fn line(&self, row: &Row<f64>, bridge: f64, s: f64, width: f64) -> RowUnknowns {
        Logistic.line(row, bridge, s, width)
    }

    fn legal(&self, row: &Row<f64>, own: &RowUnknowns) -> RowUnknowns {
        Logistic.legal(&cautious(row), own)
    }

    fn curves(&self, row: &Row<f64>, own: &RowUnknowns) -> Vec<Arc<f64>> {
        Logistic.curves(row, own)
    }

    fn write(&self, row: &Row<f64>, own: &RowUnknowns, w: &[f64], lines: &mut Lines) {
        Logistic.write(&cautious(row), own, w, lines);
        lines.low.push(around(row.clip).0);
    }
}
