//! A logistic row and its error (Lemma L10): T ≥ sup h over w ≤ ½, T ≥ 1 + sup h over w ≥ ½, 0 ≤ y ≤ κ0.

use unswayed_check::Lines;

use super::{Arc, Curve, Form, Kind, Part, Row, WHOLE, share};

pub(in super::super) struct ErrorLogistic;

impl Kind for ErrorLogistic {
    fn unknowns(&self) -> usize {
        2
    }

    fn part(&self, row: &Row, own: &[Form]) -> Part {
        let [t, y] = [&own[0], &own[1]].map(Form::clone);
        let (benign, kappa0) = (1.0 - row.constants.eps, row.kappa0());
        let curve = |constant: f64| Curve {
            entropy: kappa0.clone(),
            first: y.clone(),
            second: kappa0.clone() - y.clone(),
            linear: row.b.clone() * benign,
            square: row.c() * benign,
            constant: Form::number(constant),
        };
        let right = Arc { curve: curve(0.0), interval: (WHOLE.0, 0.5) };
        let wrong = Arc { curve: curve(1.0), interval: (0.5, WHOLE.1) };
        let fixed = vec![y.clone(), kappa0.clone() - y.clone()];
        Part { fixed, curves: vec![right, wrong], cost: t, slope: y }
    }

    fn write(&self, kappa0: f64, _: f64, own: &[f64], w: &[f64], lines: &mut Lines) {
        lines.u.push(share(own[1], kappa0));
        lines.w.push(w[0]);
        lines.w2.push(w[1]);
    }
}
