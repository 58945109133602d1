//! The functions of w = π(s) whose suprema are the constants of logistic lines (Lemmas L3, L6, L9 and L10).
//!
//! ```text
//! h(w) = entropy·H(w) + first·log w + second·log(1−w) + linear·w + square·w² + constant,      0 < w < 1
//! ```
//!
//! All of them are concave where the step size is not absurd, so one Newton-like search finds the maximiser.

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

/// Factors of a curve's coefficients at w.
pub(super) fn factors(w: f64) -> Curve<f64> {
    let (log, other) = (w.ln(), (-w).ln_1p());
    Curve {
        entropy: -w * log - (1.0 - w) * other,
        first: log,
        second: other,
        linear: w,
        square: w * w,
        constant: 1.0,
    }
}

/// w = π(s).
pub(super) fn weight(s: f64) -> f64 {
    1.0 / (1.0 + s.exp())
}

/// The margins from which the search for lines starts.
pub(super) fn first_margins() -> impl Iterator<Item = f64> {
    (-12..=12).map(|s| 0.75 * f64::from(s))
}

impl Curve<f64> {
    /// h'(w).
    fn slope(&self, w: f64) -> f64 {
        self.entropy * ((1.0 - w) / w).ln() + self.first / w - self.second / (1.0 - w)
            + self.linear
            + 2.0 * self.square * w
    }

    /// The maximiser in (low, high), or the end it leans to; h is concave, so its slope falls.
    pub(super) fn maximiser(&self, low: f64, high: f64) -> f64 {
        let (mut low, mut high) = (low, high);
        // In the margin, where both ends of (0, 1) have room.
        let margin = |w: f64| ((1.0 - w) / w).ln();
        for _ in 0..200 {
            let middle = weight(f64::midpoint(margin(low), margin(high)));
            if middle <= low || middle >= high {
                break;
            }
            if self.slope(middle) > 0.0 { low = middle } else { high = middle }
        }
        f64::midpoint(low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_maximiser_of_the_entropy_is_in_the_middle() {
        let h = Curve { entropy: 1.0, ..Curve::default() };
        assert!((h.maximiser(1e-12, 1.0 - 1e-12) - 0.5).abs() < 1e-9);
        // Half of log w and half of log(1−w) shift nothing; a pull to the right does.
        let pulled = Curve { first: 1.0, second: 0.5, ..h };
        let w = pulled.maximiser(1e-12, 1.0 - 1e-12);
        assert!(w > 0.5 && pulled.slope(w).abs() < 1e-6);
    }
}
