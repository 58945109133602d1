//! A hinge row together with an attacker who chooses its label (Lemma L5); the line is T + y·s.

use unswayed_check::Lines;

use super::super::affine::Scalar;
use super::{Affine, Row, RowConstraints, RowKind, RowUnknowns, own, ramp, share};

pub(in super::super) struct LabelHinge;

/// What T − y must not be below (near s = −1), and what T + y must not be below (near s = 1).
fn floors<T: Scalar>(row: &Row<T>) -> ([T; 3], [T; 4]) {
    let (eps, j, a) = (row.constants.eps, row.j(), row.a());
    let plus = a.clone() + row.c() + row.b.clone();
    let minus = a.clone() + row.c() - row.b.clone();
    let (plus_far, minus_far) = (plus.clone() - a.clone() * 2.0, minus.clone() - a * 2.0);
    let left = j.clone() - row.kappa() * 2.0;
    let near_left = [left.clone(), left.clone() + plus_far * eps, left + minus * eps];
    let near_right = [j.clone() + plus * eps, j + minus_far.clone() * eps, T::from(0.0), minus_far * eps];
    (near_left, near_right)
}

/// The higher floors of either side.
fn highest(row: &Row<f64>) -> [f64; 2] {
    let (left, right) = floors(row);
    [&left[..], &right[..]].map(|floors| floors.iter().copied().fold(f64::NEG_INFINITY, f64::max))
}

impl RowKind for LabelHinge {
    fn part(&self, row: &Row<Affine>, own: &[Affine]) -> RowConstraints {
        let [t, y] = [&own[0], &own[1]].map(Affine::clone);
        let (near_left, near_right) = floors(row);
        let left = near_left.into_iter().map(|floor| t.clone() - y.clone() - floor);
        let right = near_right.into_iter().map(|floor| t.clone() + y.clone() - floor);
        let fixed = left.chain(right).chain([y.clone(), row.kappa() - y.clone()]).collect();
        RowConstraints { fixed, curves: vec![], cost: t, slope: y }
    }

    /// κ left of −1, 0 right of 1, and between them where the two floors meet.
    fn line(&self, row: &Row<f64>, _: f64, s: f64, width: f64) -> RowUnknowns {
        let kappa = row.kappa().max(0.0);
        let [left, right] = highest(row);
        let middle = ((right - left) / 2.0).clamp(0.0, kappa);
        own(middle * ramp(1.0 - s, width) + (kappa - middle) * ramp(-1.0 - s, width))
    }

    fn height(&self, row: &Row<f64>, own: &RowUnknowns) -> f64 {
        let [left, right] = highest(row);
        (left + own[1]).max(right - own[1])
    }

    fn write(&self, row: &Row<f64>, own: &RowUnknowns, _: &[f64], lines: &mut Lines) {
        lines.u.push(share(own[1], row.kappa()));
    }
}
