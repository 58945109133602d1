//! A logistic row and its error (Lemma L10): T ≥ sup h over w ≤ ½, T ≥ 1 + sup h over w ≥ ½, 0 ≤ y ≤ κ0.

use unswayed_check::Lines;

use super::super::affine::Scalar;
use super::super::logistic::WHOLE;
use super::logistic::curve;
use super::{Affine, Arc, Curve, Row, RowConstraints, RowKind, RowUnknowns, bridge, own, share};

pub(in super::super) struct ErrorLogistic;

/// The two halves: right and wrong.
fn halves<T: Scalar>(row: &Row<T>, y: T) -> [Arc<T>; 2] {
    let h = curve(row, row.kappa0(), y);
    let wrong = Curve { constant: T::from(1.0), ..h.clone() };
    [
        Arc { curve: h, interval: (WHOLE.0, 0.5), unknown: 0 },
        Arc { curve: wrong, interval: (0.5, WHOLE.1), unknown: 0 },
    ]
}

impl RowKind for ErrorLogistic {
    fn is_error(&self) -> bool {
        true
    }

    fn part(&self, row: &Row<Affine>, own: &[Affine]) -> RowConstraints {
        let [t, y] = [&own[0], &own[1]].map(Affine::clone);
        let fixed = vec![y.clone(), row.kappa0() - y.clone()];
        RowConstraints { fixed, curves: halves(row, y.clone()).into(), cost: t, slope: y }
    }

    fn interior(&self, row: &Row<f64>) -> RowUnknowns {
        own(row.kappa0() / 2.0)
    }

    fn bridge(&self, row: &Row<f64>) -> f64 {
        bridge(row.kappa0(), |y| halves(row, y))
    }

    /// The slope of the half that s is in, unless the bridge between them is above it.
    fn line(&self, row: &Row<f64>, bridge: f64, s: f64, _: f64) -> RowUnknowns {
        let slope = curve(row, row.kappa0(), 0.0).tangent(s);
        own(if s > 0.0 { slope.min(bridge) } else { slope.max(bridge) }.clamp(0.0, row.kappa0()))
    }

    fn legal(&self, row: &Row<f64>, own: &RowUnknowns) -> RowUnknowns {
        let [t, y, ..] = *own;
        [t, y.clamp(0.0, row.kappa0().max(0.0)), 0.0, 0.0]
    }

    fn curves(&self, row: &Row<f64>, own: &RowUnknowns) -> Vec<Arc<f64>> {
        halves(row, own[1]).into()
    }

    fn write(&self, row: &Row<f64>, own: &RowUnknowns, w: &[f64], lines: &mut Lines) {
        lines.u.push(share(own[1], row.kappa0()));
        lines.w.push(w[0]);
        lines.w2.push(w[1]);
    }
}
