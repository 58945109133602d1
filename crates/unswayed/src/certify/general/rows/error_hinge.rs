//! A hinge row and its error (Theorem 4): T ≥ max(J + c, 0), 0 ≤ y ≤ κ0 − 1 + c, 0 ≤ y' ≤ 1 − c, c ≥ 0; the line is
//! T + y(s − 1) + y's.

use unswayed_check::Lines;

use super::{Affine, Row, RowConstraints, RowKind, RowUnknowns, ramp, share};

pub(in super::super) struct ErrorHinge;

/// The least c: κ0 − 1 + c must not be negative, not even by a rounding.
fn least(row: &Row<f64>) -> f64 {
    let kappa0 = row.kappa0();
    if kappa0 < 1.0 { (1.0 - kappa0 + 1e-12).min(1.0) } else { 0.0 }
}

impl RowKind for ErrorHinge {
    fn is_error(&self) -> bool {
        true
    }

    fn unknowns(&self) -> usize {
        4
    }

    fn part(&self, row: &Row<Affine>, own: &[Affine]) -> RowConstraints {
        let [t, y, other, c] = [0, 1, 2, 3].map(|i: usize| own[i].clone());
        let one = Affine::from(1.0);
        RowConstraints {
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

    fn interior(&self, row: &Row<f64>) -> RowUnknowns {
        let c = f64::midpoint(least(row), 1.0);
        [0.0, f64::midpoint(row.kappa0() - 1.0, c), (1.0 - c) / 2.0, c]
    }

    /// c pays where J + c ≤ 0 and costs at least as much as it brings elsewhere.
    fn line(&self, row: &Row<f64>, _: f64, s: f64, width: f64) -> RowUnknowns {
        let c = (-row.j()).clamp(least(row), 1.0);
        let y = (row.kappa0() - 1.0 + c) * ramp(1.0 - s, width);
        [0.0, y, (1.0 - c) * ramp(-s, width), c]
    }

    fn slope(&self, own: &RowUnknowns) -> f64 {
        own[1] + own[2]
    }

    fn height(&self, row: &Row<f64>, own: &RowUnknowns) -> f64 {
        (row.j() + own[3]).max(0.0) - own[1]
    }

    fn write(&self, row: &Row<f64>, own: &RowUnknowns, _: &[f64], lines: &mut Lines) {
        let c = own[3].clamp(least(row), 1.0);
        lines.u.push(share(own[1], row.kappa0() - 1.0 + c));
        lines.u2.push(share(own[2], 1.0 - c));
        lines.c.push(c);
    }
}
