//! The loss of a margin as a smooth curve, so that Newton's method and implicit derivatives apply.

use unswayed_check::{Conjugate, Loss};

use crate::learner::{has_kink, loss_at, slope, value};

/// A loss that is smooth enough, and the width δ over which its slope changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve {
    shape: Shape,
    width: f64,
}

#[derive(Clone, Copy, Debug)]
enum Shape {
    /// φ(s) = δ log(1 + e^((a−s)/δ)). The logistic loss is the one with a = 0, δ = 1; with a = 1 it tends to the hinge as δ → 0.
    Soft { kink: f64 },
    /// The loss with this conjugate, whose slope changes over δ at least.
    Quadratic(Conjugate),
}

/// Value and derivatives of a curve.
pub(super) struct CurvePoint {
    pub value: f64,
    /// −φ'.
    pub pull: f64,
    /// φ''.
    pub second: f64,
}

/// The widths at which attacks on a hinge are searched.
const SEARCH_WIDTHS: [f64; 6] = [0.3, 0.1, 0.03, 0.01, 0.003, 0.001];

/// The last width, practically the hinge itself; on the way there each is a quarter of the one before.
const LAST_WIDTH: f64 = 1e-7;

/// So many widths from the kink its curve is a line to 17 digits.
const FAR: f64 = 40.0;

impl Curve {
    /// The loss, with its kink smoothed over a width.
    pub fn of(loss: Loss, width: f64) -> Self {
        match loss {
            Loss::Hinge | Loss::Multiclass(_) => Curve { shape: Shape::Soft { kink: 1.0 }, width },
            loss => match loss.conjugate() {
                None => Curve { shape: Shape::Soft { kink: 0.0 }, width: 1.0 },
                Some(e) => {
                    let width = e.curve.max(width);
                    Curve { shape: Shape::Quadratic(Conjugate { curve: width, ..e }), width }
                }
            },
        }
    }

    /// The curves on which attacks are searched, one after the other.
    pub fn for_search(loss: Loss) -> Vec<Self> {
        if has_kink(loss) {
            SEARCH_WIDTHS.iter().map(|width| Curve::of(loss, *width)).collect()
        } else {
            vec![Curve::of(loss, 0.0)]
        }
    }

    /// The curves that lead from a width to the loss itself.
    pub fn from_width(loss: Loss, width: f64) -> Vec<Self> {
        let mut curves = vec![Curve::of(loss, width)];
        while has_kink(loss) && curves[curves.len() - 1].width > LAST_WIDTH {
            curves.push(Curve::of(loss, curves[curves.len() - 1].width / 4.0));
        }
        curves
    }

    /// The curves that lead from the smoothest one to the loss itself.
    pub fn all(loss: Loss) -> Vec<Self> {
        Curve::from_width(loss, SEARCH_WIDTHS[0])
    }

    /// δ.
    pub fn width(self) -> f64 {
        self.width
    }

    /// The curve at s, continued by a line where −φ' would exceed the cap: what clipping makes of it.
    #[inline(always)]
    pub fn at(self, s: f64, cap: f64) -> CurvePoint {
        let kink = match self.shape {
            Shape::Soft { kink } => kink,
            // Gradients of these losses are not clipped.
            Shape::Quadratic(e) => {
                let pull = slope(&e, s);
                let bends = pull != 0.0 && pull < e.high && pull > e.low;
                return CurvePoint { value: value(&e, s), pull, second: f64::from(bends) / e.curve };
            }
        };
        let r = (s - kink) / self.width;
        // Near the loss itself most margins are far from the kink, where exponentials would underflow, slowly.
        let tail = if r.abs() > FAR { 0.0 } else { (-r.abs()).exp() };
        let pull = if r > 0.0 { tail } else { 1.0 } / (1.0 + tail);
        if pull > cap {
            let edge = (1.0 / cap - 1.0).ln();
            let value = self.width * (loss_at(Loss::Logistic, edge) + cap * (edge - r));
            return CurvePoint { value, pull: cap, second: 0.0 };
        }
        let bend = if tail > 0.0 { tail.ln_1p() } else { 0.0 };
        let second = pull * (1.0 - pull) / self.width;
        CurvePoint { value: self.width * ((-r).max(0.0) + bend), pull, second }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_those_of_the_value() {
        let h = 1e-5;
        for curve in
            [Curve::of(Loss::Logistic, 1.0), Curve::of(Loss::Hinge, 0.2), Curve::of(Loss::ModifiedHuber, 0.0)]
        {
            let caps: &[f64] = if matches!(curve.shape, Shape::Soft { .. }) { &[1.0, 0.4] } else { &[1.0] };
            for &cap in caps {
                for s in [-2.0, -0.3, 0.5, 1.4] {
                    let [before, at, after] = [s - h, s, s + h].map(|s| curve.at(s, cap));
                    assert!(((before.value - after.value) / (2.0 * h) - at.pull).abs() < 1e-8);
                    assert!(((before.pull - after.pull) / (2.0 * h) - at.second).abs() < 1e-7);
                }
            }
        }
    }
}
