//! A logistic row together with an attacker who chooses its label (Lemma L6); the line is T + y·s.

use unswayed_check::Lines;

use super::{Arc, Curve, Form, Kind, Part, Row, WHOLE, share};

pub(in super::super) struct LabelLogistic;

impl Kind for LabelLogistic {
    fn unknowns(&self) -> usize {
        2
    }

    fn part(&self, row: &Row, own: &[Form]) -> Part {
        let [t, y] = [&own[0], &own[1]].map(Form::clone);
        let (eps, a, b, c, kappa) = (row.constants.eps, row.a(), row.b.clone(), row.c(), row.kappa());
        let lever = a.clone() * eps;
        let plus = Curve {
            entropy: a.clone(),
            first: y.clone(),
            second: kappa.clone() - y.clone() + lever.clone(),
            linear: b.clone(),
            square: c.clone(),
            constant: Form::default(),
        };
        let minus = Curve {
            entropy: a,
            first: y.clone() + lever,
            second: kappa.clone() - y.clone(),
            linear: b.clone() - c.clone() * (2.0 * eps),
            square: c.clone(),
            constant: (c - b) * eps,
        };
        let curves = [plus, minus].map(|curve| Arc { curve, interval: WHOLE }).into();
        Part { fixed: vec![y.clone(), kappa - y.clone()], curves, cost: t, slope: y }
    }

    fn write(&self, kappa0: f64, t: f64, own: &[f64], w: &[f64], lines: &mut Lines) {
        lines.u.push(share(own[1], kappa0 - t));
        lines.w.push(w[0]);
        lines.w2.push(w[1]);
    }
}
