//! A logistic row together with an attacker who chooses its label (Lemma L6); the line is T + y·s.

use unswayed_check::Lines;

use super::super::affine::Scalar;
use super::{Affine, Arc, Curve, Row, RowConstraints, RowKind, RowUnknowns, bridge, own, share};

pub(in super::super) struct LabelLogistic;

/// h₊ and h₋.
fn both<T: Scalar>(row: &Row<T>, y: &T) -> [Arc<T>; 2] {
    let (eps, a, b, c, kappa) = (row.constants.eps, row.a(), row.b.clone(), row.c(), row.kappa());
    let lever = a.clone() * eps;
    let plus = Curve {
        entropy: a.clone(),
        first: y.clone(),
        second: kappa.clone() - y.clone() + lever.clone(),
        linear: b.clone(),
        square: c.clone(),
        constant: T::from(0.0),
    };
    let minus = Curve {
        entropy: a,
        first: y.clone() + lever,
        second: kappa - y.clone(),
        linear: b.clone() - c.clone() * (2.0 * eps),
        square: c.clone(),
        constant: (c - b) * eps,
    };
    [plus, minus].map(Curve::everywhere)
}

impl RowKind for LabelLogistic {
    fn part(&self, row: &Row<Affine>, own: &[Affine]) -> RowConstraints {
        let [t, y] = [&own[0], &own[1]].map(Affine::clone);
        let fixed = vec![y.clone(), row.kappa() - y.clone()];
        RowConstraints { fixed, curves: both(row, &y).into(), cost: t, slope: y }
    }

    fn bridge(&self, row: &Row<f64>) -> f64 {
        bridge(row.kappa(), |y| both(row, &y))
    }

    /// The slope of h₊ where it is below the bridge (to the right), that of h₋ where it is above it (to the left).
    fn line(&self, row: &Row<f64>, bridge: f64, s: f64, _: f64) -> RowUnknowns {
        let [plus, minus] = both(row, &0.0).map(|arc| arc.curve.tangent(s));
        own(if plus < bridge { plus } else { minus.max(bridge) }.clamp(0.0, row.kappa().max(0.0)))
    }

    fn legal(&self, row: &Row<f64>, own: &RowUnknowns) -> RowUnknowns {
        let [t, y, ..] = *own;
        [t, y.clamp(0.0, row.kappa().max(0.0)), 0.0, 0.0]
    }

    fn curves(&self, row: &Row<f64>, own: &RowUnknowns) -> Vec<Arc<f64>> {
        both(row, &own[1]).into()
    }

    fn write(&self, row: &Row<f64>, own: &RowUnknowns, w: &[f64], lines: &mut Lines) {
        lines.u.push(share(own[1], row.kappa()));
        lines.w.push(w[0]);
        lines.w2.push(w[1]);
    }
}
