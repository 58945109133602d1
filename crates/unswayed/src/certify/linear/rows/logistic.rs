//! A logistic row (Lemma L3): T ≥ sup h, 0 ≤ y ≤ κ; the line is T + y·s.

use unswayed_check::Lines;

use super::{Arc, Curve, Form, Kind, Part, Row, WHOLE, share};

pub(in super::super) struct Logistic;

impl Kind for Logistic {
    fn unknowns(&self) -> usize {
        2
    }

    fn part(&self, row: &Row, own: &[Form]) -> Part {
        let [t, y] = [&own[0], &own[1]].map(Form::clone);
        let (benign, kappa) = (1.0 - row.constants.eps, row.kappa());
        let curve = Curve {
            entropy: row.kappa0(),
            first: y.clone(),
            second: kappa.clone() - y.clone(),
            linear: row.b.clone() * benign,
            square: row.c() * benign,
            constant: Form::default(),
        };
        let fixed = vec![y.clone(), kappa - y.clone()];
        Part { fixed, curves: vec![Arc { curve, interval: WHOLE }], cost: t, slope: y }
    }

    fn write(&self, kappa0: f64, t: f64, own: &[f64], w: &[f64], lines: &mut Lines) {
        lines.u.push(share(own[1], kappa0 - t));
        lines.w.push(w[0]);
    }
}
