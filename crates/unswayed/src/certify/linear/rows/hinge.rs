//! A hinge row (Lemma L2): T ≥ max(J, 0), 0 ≤ y ≤ κ; the line is T + y(s − 1).

use unswayed_check::Lines;

use super::{Form, Kind, Part, Row, share};

pub(in super::super) struct Hinge;

impl Kind for Hinge {
    fn unknowns(&self) -> usize {
        2
    }

    fn part(&self, row: &Row, own: &[Form]) -> Part {
        let [t, y] = [&own[0], &own[1]].map(Form::clone);
        Part {
            fixed: vec![t.clone() - row.j(), t.clone(), y.clone(), row.kappa() - y.clone()],
            curves: vec![],
            cost: t - y.clone(),
            slope: y,
        }
    }

    fn write(&self, kappa0: f64, t: f64, own: &[f64], _: &[f64], lines: &mut Lines) {
        lines.u.push(share(own[1], kappa0 - t));
    }
}
