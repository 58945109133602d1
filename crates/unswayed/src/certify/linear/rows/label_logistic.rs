//! A logistic row together with an attacker who chooses its label (Lemma L6); the line is T + y·s.

use unswayed_check::Lines;

use super::super::form::Scalar;
use super::super::logistic::margin;
use super::{Arc, Curve, Form, Kind, Part, Row, bisect, share};

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

impl Kind for LabelLogistic {
    fn part(&self, row: &Row<Form>, own: &[Form]) -> Part {
        let [t, y] = [&own[0], &own[1]].map(Form::clone);
        let fixed = vec![y.clone(), row.kappa() - y.clone()];
        Part { fixed, curves: both(row, &y).into(), cost: t, slope: y }
    }

    /// T'(y) is minus the score where the higher curve has its top.
    fn line(&self, row: &Row<f64>, s: f64, _: f64) -> Vec<f64> {
        let rises = |y: f64| {
            let [plus, minus] = both(row, &y);
            let higher = if plus.top() > minus.top() { plus } else { minus };
            s > margin(higher.maximiser())
        };
        vec![0.0, bisect(row.kappa(), rises)]
    }

    fn curves(&self, row: &Row<f64>, own: &[f64]) -> Vec<Arc<f64>> {
        both(row, &own[1]).into()
    }

    fn write(&self, row: &Row<f64>, own: &[f64], w: &[f64], lines: &mut Lines) {
        lines.u.push(share(own[1], row.kappa()));
        lines.w.push(w[0]);
        lines.w2.push(w[1]);
    }
}
