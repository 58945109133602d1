//! A logistic row (Lemma L3): T ≥ sup h, 0 ≤ y ≤ κ; the line is T + y·s.

use unswayed_check::Lines;

use super::super::affine::Scalar;
use super::{Affine, Arc, Curve, Row, RowConstraints, RowKind, RowUnknowns, own, share};

pub(in super::super) struct Logistic;

/// h of (3.2), with κ as given.
pub(super) fn curve<T: Scalar>(row: &Row<T>, kappa: T, y: T) -> Curve<T> {
    let benign = (1.0 - row.constants.eps) * row.p;
    Curve {
        entropy: row.kappa0(),
        first: y.clone(),
        second: kappa - y,
        linear: row.b.clone() * benign,
        square: row.c() * benign,
        constant: T::from(0.0),
    }
}

impl RowKind for Logistic {
    fn part(&self, row: &Row<Affine>, own: &[Affine]) -> RowConstraints {
        let [t, y] = [&own[0], &own[1]].map(Affine::clone);
        let curves = vec![curve(row, row.kappa(), y.clone()).everywhere()];
        RowConstraints { fixed: vec![y.clone(), row.steepest() - y.clone()], curves, cost: t, slope: y }
    }

    /// The smallest concave function above f is f up to its maximum, so its slope is that of f.
    fn line(&self, row: &Row<f64>, _: f64, s: f64, _: f64) -> RowUnknowns {
        own(curve(row, row.kappa(), 0.0).tangent(s).clamp(0.0, row.steepest().max(0.0)))
    }

    fn legal(&self, row: &Row<f64>, own: &RowUnknowns) -> RowUnknowns {
        let [t, y, ..] = *own;
        [t, y.clamp(0.0, row.steepest().max(0.0)), 0.0, 0.0]
    }

    fn curves(&self, row: &Row<f64>, own: &RowUnknowns) -> Vec<Arc<f64>> {
        vec![curve(row, row.kappa(), own[1]).everywhere()]
    }

    fn write(&self, row: &Row<f64>, own: &RowUnknowns, w: &[f64], lines: &mut Lines) {
        lines.u.push(share(own[1], row.steepest()));
        lines.w.push(w[0]);
    }
}
