//! A logistic row and its error (Lemma L10): T ≥ sup h over w ≤ ½, T ≥ 1 + sup h over w ≥ ½, 0 ≤ y ≤ κ0.

use unswayed_check::Lines;

use super::super::form::Scalar;
use super::super::logistic::{WHOLE, margin};
use super::logistic::curve;
use super::{Arc, Curve, Form, Kind, Part, Row, bisect, share};

pub(in super::super) struct ErrorLogistic;

/// The two halves: right and wrong.
fn halves<T: Scalar>(row: &Row<T>, y: T) -> [Arc<T>; 2] {
    let h = curve(row, row.kappa0(), y);
    let wrong = Curve { constant: T::from(1.0), ..h.clone() };
    [Arc { curve: h, interval: (WHOLE.0, 0.5) }, Arc { curve: wrong, interval: (0.5, WHOLE.1) }]
}

impl Kind for ErrorLogistic {
    fn part(&self, row: &Row<Form>, own: &[Form]) -> Part {
        let [t, y] = [&own[0], &own[1]].map(Form::clone);
        let fixed = vec![y.clone(), row.kappa0() - y.clone()];
        Part { fixed, curves: halves(row, y.clone()).into(), cost: t, slope: y }
    }

    /// T'(y) is minus the score where the larger half has its top.
    fn line(&self, row: &Row<f64>, s: f64, _: f64) -> Vec<f64> {
        let rises = |y: f64| {
            let [right, wrong] = halves(row, y);
            let higher = if right.top() > wrong.top() { right } else { wrong };
            s > margin(higher.maximiser())
        };
        vec![0.0, bisect(row.kappa0(), rises)]
    }

    fn curves(&self, row: &Row<f64>, own: &[f64]) -> Vec<Arc<f64>> {
        halves(row, own[1]).into()
    }

    fn write(&self, row: &Row<f64>, own: &[f64], w: &[f64], lines: &mut Lines) {
        lines.u.push(share(own[1], row.kappa0()));
        lines.w.push(w[0]);
        lines.w2.push(w[1]);
    }
}
