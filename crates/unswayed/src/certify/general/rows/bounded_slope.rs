//! A row of a loss with bounded slopes (Lemma L2): T ≥ sup κ0e(w) + (1−ε)(bw + αηnw²), V ≥ qy²/(2κ) and V ≥ h|y|, y between κ·low and
//! κ·high; the line is T + V + y(s − label).

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
    /// The label where it is a number, else 1.
    pub(in super::super) label: f64,
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
            label: row.label,
            is_concave: row.constants.eta * row.n < row.constants.k * e.curve,
        }
    }

    /// κ0e(w) + bw + cw² for w ≥ 0, or for w ≤ 0 as a function of −w: its linear and its square coefficient.
    fn side(&self, e: &Conjugate, sign: f64) -> (T, T) {
        let linear = self.kappa0.clone() * (sign * self.label - e.tube) + self.b.clone() * sign;
        (linear, self.c.clone() - self.kappa0.clone() * (0.5 * e.curve))
    }

    /// The curves of T and of V.
    fn curves(&self, e: &Conjugate, y: &T) -> Vec<Arc<T>> {
        let mut curves = vec![];
        for (sign, end) in sides(e) {
            if self.is_concave {
                let (linear, square) = self.side(e, sign);
                curves.push(Curve::parabola(linear, square, end).everywhere());
            }
            if e.curve > 0.0 {
                let c = self.kappa.clone() * (-0.5 * e.curve);
                let curve = Curve::parabola(y.clone() * (sign * e.curve), c, end);
                curves.push(Arc { unknown: 2, ..curve.everywhere() });
            }
        }
        curves
    }
}

/// The sides of 0 that slopes can be on, with their ends.
fn sides(e: &Conjugate) -> Vec<(f64, f64)> {
    if e.low < 0.0 { vec![(1.0, e.high), (-1.0, -e.low)] } else { vec![(1.0, e.high)] }
}

impl Bounded<Affine> {
    /// Its place in the program, for the unknowns T, y and V.
    pub(in super::super) fn part(&self, e: &Conjugate, own: &[Affine]) -> RowConstraints {
        let [t, y, v] = [&own[0], &own[1], &own[2]].map(Affine::clone);
        let mut fixed = vec![
            t.clone(),
            y.clone() - self.kappa.clone() * e.low,
            self.kappa.clone() * e.high - y.clone(),
            v.clone(),
        ];
        for (sign, end) in sides(e) {
            let (linear, square) = self.side(e, sign);
            fixed.push(t.clone() - linear * end - square * (end * end));
            if e.tube > 0.0 {
                fixed.push(v.clone() - y.clone() * (sign * e.tube));
            }
        }
        let cost = t + v - y.clone() * self.label;
        RowConstraints { fixed, curves: self.curves(e, &y), cost, slope: y }
    }
}

impl Bounded<f64> {
    /// What the line of slope y costs at s = 0.
    pub(in super::super) fn height(&self, e: &Conjugate, y: f64) -> f64 {
        let bend = if y == 0.0 { 0.0 } else { 0.5 * e.curve * y * y / self.kappa + e.tube * y.abs() };
        highest(e, self.label, self.kappa0, self.b, self.c) - self.label * y + bend
    }
}

impl RowKind for BoundedSlope {
    fn unknowns(&self) -> usize {
        3
    }

    fn part(&self, row: &Row<Affine>, own: &[Affine]) -> RowConstraints {
        Bounded::of_row(row, &self.0).part(&self.0, own)
    }

    fn interior(&self, row: &Row<f64>) -> RowUnknowns {
        let y = row.kappa() * f64::midpoint(self.0.low, self.0.high);
        [0.0, y, 1.0 + self.0.tube * y.abs(), 0.0]
    }

    /// The slope of the loss at s, smoothed where it jumps.
    fn line(&self, row: &Row<f64>, _: f64, s: f64, width: f64) -> RowUnknowns {
        let smooth = Conjugate { curve: if self.0.curve > 0.0 { self.0.curve } else { width }, ..self.0 };
        own(row.kappa().max(0.0) * slope(&smooth, s - row.label + 1.0))
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
        lines.u.push(u.clamp(self.0.low, self.0.high));
    }
}
