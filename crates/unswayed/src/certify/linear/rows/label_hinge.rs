//! A hinge row together with an attacker who chooses its label (Lemma L5); the line is T + y·s.

use unswayed_check::Lines;

use super::{Form, Kind, Part, Row, share};

pub(in super::super) struct LabelHinge;

impl Kind for LabelHinge {
    fn unknowns(&self) -> usize {
        2
    }

    fn part(&self, row: &Row, own: &[Form]) -> Part {
        let [t, y] = [&own[0], &own[1]].map(Form::clone);
        let (eps, j, kappa, a) = (row.constants.eps, row.j(), row.kappa(), row.a());
        let plus = a.clone() + row.c() + row.b.clone();
        let minus = a.clone() + row.c() - row.b.clone();
        let (plus_far, minus_far) = (plus.clone() - a.clone() * 2.0, minus.clone() - a * 2.0);
        let left = t.clone() - j.clone() + kappa.clone() * 2.0 - y.clone();
        let right = t.clone() + y.clone();
        let acts = right.clone() - j;
        Part {
            fixed: vec![
                left.clone(),
                left.clone() - plus_far * eps,
                left - minus.clone() * eps,
                acts.clone() - plus * eps,
                acts - minus_far.clone() * eps,
                right.clone(),
                right - minus_far * eps,
                y.clone(),
                kappa - y.clone(),
            ],
            curves: vec![],
            cost: t,
            slope: y,
        }
    }

    fn write(&self, kappa0: f64, t: f64, own: &[f64], _: &[f64], lines: &mut Lines) {
        lines.u.push(share(own[1], kappa0 - t));
    }
}
