//! A logistic row whose gradient is clipped (Theorem L16): as without the clip, but 0 ≤ y ≤ κ0r − t.

use unswayed_check::Lines;

use super::clipped_hinge::{around, cautious};
use super::{Arc, Form, Kind, Logistic, Part, Row};

pub(in super::super) struct ClippedLogistic;

impl Kind for ClippedLogistic {
    fn part(&self, row: &Row<Form>, own: &[Form]) -> Part {
        Logistic.part(row, own)
    }

    fn line(&self, row: &Row<f64>, s: f64, width: f64) -> Vec<f64> {
        Logistic.line(row, s, width)
    }

    fn curves(&self, row: &Row<f64>, own: &[f64]) -> Vec<Arc<f64>> {
        Logistic.curves(row, own)
    }

    fn write(&self, row: &Row<f64>, own: &[f64], w: &[f64], lines: &mut Lines) {
        Logistic.write(&cautious(row), own, w, lines);
        lines.low.push(around(row.clip).0);
    }
}
