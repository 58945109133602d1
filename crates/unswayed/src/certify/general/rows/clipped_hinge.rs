//! A hinge row whose gradient is clipped (Theorem L16): as without the clip, with κ0r − t in place of κ and r in J.

use unswayed_check::Lines;

use super::{Affine, Hinge, Row, RowConstraints, RowKind, RowUnknowns};

pub(in super::super) struct ClippedHinge;

/// A number a little below r, and one a little above it: r itself is a root.
pub(super) fn around(r: f64) -> (f64, f64) {
    if r < 1.0 { (r * (1.0 - 1e-15), r * (1.0 + 1e-15)) } else { (1.0, 1.0) }
}

/// The row with the r that the checker takes for its slope.
pub(super) fn cautious<'a>(row: &Row<'a, f64>) -> Row<'a, f64> {
    Row { clip: around(row.clip).0, ..row.clone() }
}

impl RowKind for ClippedHinge {
    fn part(&self, row: &Row<Affine>, own: &[Affine]) -> RowConstraints {
        Hinge.part(row, own)
    }

    fn line(&self, row: &Row<f64>, bridge: f64, s: f64, width: f64) -> RowUnknowns {
        Hinge.line(row, bridge, s, width)
    }

    fn height(&self, row: &Row<f64>, own: &RowUnknowns) -> f64 {
        Hinge.height(row, own)
    }

    fn write(&self, row: &Row<f64>, own: &RowUnknowns, w: &[f64], lines: &mut Lines) {
        Hinge.write(&cautious(row), own, w, lines);
        let (low, high) = around(row.clip);
        lines.low.push(low);
        lines.high.push(high);
    }
}
