//! The functions of w = π(s) whose suprema are the constants of logistic lines (Lemmas L3, L6, L7, L9 and L10).
//!
//! ```text
//! h(w) = entropy·H(w) + first·log w + second·log(1−w) + linear·w + square·w² + constant,      0 < w < 1
//! ```
//!
//! All of them but C of Lemma L7 are concave where the step size is not absurd, so that a bisection finds the maximiser.

use super::affine::{Affine, Scalar};

/// h, with numbers or with forms of unknowns for its coefficients.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Curve<T> {
    pub(super) entropy: T,
    pub(super) first: T,
    pub(super) second: T,
    pub(super) linear: T,
    pub(super) square: T,
    pub(super) constant: T,
}

/// A curve on an interval of w.
#[derive(Clone, Debug)]
pub(super) struct Arc<T> {
    pub(super) curve: Curve<T>,
    pub(super) interval: (f64, f64),
    /// Which of a row's unknowns must not be below it.
    pub(super) unknown: usize,
}

/// The whole interval (0, 1), but for what rounding cannot tell from its ends.
pub(super) const WHOLE: (f64, f64) = (1e-13, 1.0 - 1e-13);

impl<T: Scalar> Curve<T> {
    /// On all of (0, 1).
    pub(super) fn everywhere(self) -> Arc<T> {
        Arc { curve: self, interval: WHOLE, unknown: 0 }
    }

    /// h(w).
    pub(super) fn at(&self, w: f64) -> T {
        let (log, other) = (w.ln(), (-w).ln_1p());
        self.entropy.clone() * (-w * log - (1.0 - w) * other)
            + self.first.clone() * log
            + self.second.clone() * other
            + self.linear.clone() * w
            + self.square.clone() * (w * w)
            + self.constant.clone()
    }
}

impl<T: Scalar> Curve<T> {
    /// bw + cw² for 0 ≤ w ≤ high, as a function of w/high.
    pub(super) fn parabola(b: T, c: T, high: f64) -> Curve<T> {
        let none = T::from(0.0);
        Curve {
            entropy: none.clone(),
            first: none.clone(),
            second: none.clone(),
            linear: b * high,
            square: c * (high * high),
            constant: none,
        }
    }
}

impl Curve<Affine> {
    /// The curve for values of the unknowns.
    pub(super) fn values(&self, x: &[f64]) -> Curve<f64> {
        Curve {
            entropy: self.entropy.at(x),
            first: self.first.at(x),
            second: self.second.at(x),
            linear: self.linear.at(x),
            square: self.square.at(x),
            constant: self.constant.at(x),
        }
    }
}

/// w = π(s).
pub(super) fn weight(s: f64) -> f64 {
    1.0 / (1.0 + s.exp())
}

/// s with π(s) = w.
pub(super) fn margin(w: f64) -> f64 {
    ((1.0 - w) / w).ln()
}

impl Curve<f64> {
    /// h'(w).
    pub(super) fn slope(&self, w: f64) -> f64 {
        self.entropy * margin(w) + self.first / w - self.second / (1.0 - w)
            + self.linear
            + 2.0 * self.square * w
    }

    /// The y for which the curve plus y·(log w − log(1−w)) has its maximum at the score s: the slope of a line that touches there.
    pub(super) fn tangent(&self, s: f64) -> f64 {
        let w = weight(s).clamp(WHOLE.0, WHOLE.1);
        -w * (1.0 - w) * self.slope(w)
    }

    /// h''(w).
    fn bend(&self, w: f64) -> f64 {
        let v = 1.0 - w;
        2.0 * self.square - self.entropy / (w * v) - self.first / (w * w) - self.second / (v * v)
    }
}

/// A curve that need not be concave on an interval around the highest of some points, where it is.
pub(super) fn around_highest(curve: Curve<f64>) -> Arc<f64> {
    let grid = (-60..=60).map(|i| f64::from(i) * 0.25);
    let best = grid.max_by(|a, b| curve.at(weight(*a)).total_cmp(&curve.at(weight(*b)))).unwrap_or(0.0);
    Arc { curve, interval: (weight(best + 0.25), weight(best - 0.25)), unknown: 0 }
}

impl Arc<f64> {
    /// The maximiser in the interval, or the end it leans to; h is concave, so its slope falls.
    pub(super) fn maximiser(&self) -> f64 {
        let (left, right) = self.interval;
        if self.curve.slope(right) >= 0.0 {
            return right;
        }
        if self.curve.slope(left) <= 0.0 {
            return left;
        }
        // In the margin, where both ends of (0, 1) have room: Newton's steps, and halves where they leave the bracket.
        let (mut high, mut low) = (margin(left), margin(right));
        let mut s = f64::midpoint(low, high).clamp(-2.0, 2.0).clamp(low, high);
        for _ in 0..80 {
            let w = weight(s);
            let (slope, bend) = (self.curve.slope(w), self.curve.bend(w) * -w * (1.0 - w));
            if slope > 0.0 {
                high = s;
            } else {
                low = s;
            }
            let newton = s - slope / bend;
            let next = if newton > low && newton < high { newton } else { f64::midpoint(low, high) };
            if (next - s).abs() <= 1e-14 * (1.0 + s.abs()) {
                break;
            }
            s = next;
        }
        weight(s).clamp(left, right)
    }

    /// The largest value in the interval.
    pub(super) fn top(&self) -> f64 {
        self.curve.at(self.maximiser())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_maximiser_of_the_entropy_is_in_the_middle() {
        let h = Curve { entropy: 1.0, ..Curve::default() };
        assert!((h.everywhere().maximiser() - 0.5).abs() < 1e-9);
        // A pull to the right shifts it there.
        let pulled = Curve { first: 1.0, second: 0.5, ..h };
        let w = pulled.everywhere().maximiser();
        assert!(w > 0.5 && pulled.slope(w).abs() < 1e-6);
        // On the left half the best is at its end.
        let left = Arc { curve: pulled, interval: (WHOLE.0, 0.5), unknown: 0 };
        assert!((left.maximiser() - 0.5).abs() < 1e-9 && left.top() < pulled.at(w));
    }
}
