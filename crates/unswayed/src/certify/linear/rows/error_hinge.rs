//! A hinge row and its error (Theorem 4): T ≥ max(J + c, 0), 0 ≤ y ≤ κ0 − 1 + c, 0 ≤ y' ≤ 1 − c, c ≥ 0; the line is
//! T + y(s − 1) + y's.

use unswayed_check::Lines;

use super::{Form, Kind, Part, Row, share};

pub(in super::super) struct ErrorHinge;

impl Kind for ErrorHinge {
    fn unknowns(&self) -> usize {
        4
    }

    fn part(&self, row: &Row, own: &[Form]) -> Part {
        let [t, y, other, c] = [0, 1, 2, 3].map(|i: usize| own[i].clone());
        let one = Form::number(1.0);
        Part {
            fixed: vec![
                t.clone() - row.j() - c.clone(),
                t.clone(),
                y.clone(),
                row.kappa0() - one.clone() + c.clone() - y.clone(),
                other.clone(),
                one - c.clone() - other.clone(),
                c,
            ],
            curves: vec![],
            cost: t - y.clone(),
            slope: y + other,
        }
    }

    fn write(&self, kappa0: f64, _: f64, own: &[f64], _: &[f64], lines: &mut Lines) {
        // κ0 − 1 + c must not be negative, not even by a rounding.
        let least = if kappa0 < 1.0 { 1.0 - kappa0 + 1e-12 } else { 0.0 };
        let c = own[3].clamp(least.min(1.0), 1.0);
        lines.u.push(share(own[1], kappa0 - 1.0 + c));
        lines.u2.push(share(own[2], 1.0 - c));
        lines.c.push(c);
    }
}
