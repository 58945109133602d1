//! A row of a loss with bounded slopes (Lemma L2): T ≥ sup κ0e(w) + (1−ε)(bw + αηnw²), V ≥ qy²/(2κ), 0 ≤ y ≤ κ·(the steepest
//! slope); the line is T + V + y(s − 1).

use unswayed_check::{Conjugate, Lines};

use super::super::affine::Scalar;
use super::super::logistic::{Arc, Curve};
use super::{Affine, Row, RowConstraints, RowKind, RowUnknowns, own};
use crate::learner::{highest, slope};

pub(in super::super) struct BoundedSlope(pub(in super::super) Conjugate);

/// A row, or a point of a finite set, without what they have in common.
pub(in super::super) struct Bounded<T> {
    pub(in super::super) kappa0: T,
    pub(in super::super) kappa: T,
    /// (1−ε)b for a row.
    pub(in super::super) b: T,
    /// (1−ε)αηn for a row.
    pub(in super::super) c: T,
    /// Whether κ0e(w) + cw² bends down: ηn < kq.
    pub(in super::super) is_concave: bool,
}

impl<T: Scalar> Bounded<T> {
    fn of_row(row: &Row<T>, e: &Conjugate) -> Self {
        let benign = (1.0 - row.constants.eps) * row.p;
        Bounded {
            kappa0: row.kappa0(),
            kappa: row.kappa(),
            b: row.b.clone() * benign,
            c: row.c() * benign,
            is_concave: row.constants.eta * row.n < row.constants.k * e.curve,
        }
    }

    /// κ0e(w) + bw + cw².
    fn at(&self, e: &Conjugate, w: f64) -> T {
        self.kappa0.clone() * (w - 0.5 * e.curve * w * w) + self.b.clone() * w + self.c.clone() * (w * w)
    }

    /// The curves of T and of V.
    fn curves(&self, e: &Conjugate, y: &T) -> Vec<Arc<T>> {
        let mut curves = vec![];
        if self.is_concave {
            let b = self.kappa0.clone() + self.b.clone();
            let c = self.c.clone() - self.kappa0.clone() * (0.5 * e.curve);
            curves.push(Curve::parabola(b, c, e.high).everywhere());
        }
        if e.curve > 0.0 {
            let c = self.kappa.clone() * (-0.5 * e.curve);
            let curve = Curve::parabola(y.clone() * e.curve, c, e.high);
            curves.push(Arc { unknown: 2, ..curve.everywhere() });
        }
        curves
    }
}

impl Bounded<Affine> {
    /// Its place in the program, for the unknowns T, y and V.
    pub(in super::super) fn part(&self, e: &Conjugate, own: &[Affine]) -> RowConstraints {
        let [t, y, v] = [&own[0], &own[1], &own[2]].map(Affine::clone);
        let fixed = vec![
            t.clone(),
            t.clone() - self.at(e, e.high),
            y.clone(),
            self.kappa.clone() * e.high - y.clone(),
            v.clone(),
        ];
        let cost = t + v - y.clone();
        RowConstraints { fixed, curves: self.curves(e, &y), cost, slope: y }
    }
}

impl Bounded<f64> {
    /// What the line of slope y costs at s = 0.
    pub(in super::super) fn height(&self, e: &Conjugate, y: f64) -> f64 {
        let bend = if y == 0.0 { 0.0 } else { 0.5 * e.curve * y * y / self.kappa };
        highest(e, self.kappa0, self.b, self.c) - y + bend
    }
}

impl RowKind for BoundedSlope {
    fn unknowns(&self) -> usize {
        3
    }

    fn part(&self, row: &Row<Affine>, own: &[Affine]) -> RowConstraints {
        Bounded::of_row(row, &self.0).part(&self.0, own)
    }

    /// The slope of the loss at s.
    fn line(&self, row: &Row<f64>, _: f64, s: f64, _: f64) -> RowUnknowns {
        own(row.kappa().max(0.0) * slope(&self.0, s))
    }

    fn height(&self, row: &Row<f64>, own: &RowUnknowns) -> f64 {
        Bounded::of_row(row, &self.0).height(&self.0, own[1])
    }

    fn curves(&self, row: &Row<f64>, own: &RowUnknowns) -> Vec<Arc<f64>> {
        Bounded::of_row(row, &self.0).curves(&self.0, &own[1])
    }

    fn write(&self, row: &Row<f64>, own: &RowUnknowns, _: &[f64], lines: &mut Lines) {
        let kappa = row.kappa();
        let u = if kappa > 0.0 { own[1] / kappa } else { 0.0 };
        lines.u.push(u.clamp(0.0, self.0.high));
    }
}
