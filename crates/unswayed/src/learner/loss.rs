//! Losses as functions of the score: what a row costs, and how strongly it pulls at the model.
//!
//! The score is the margin θᵀz. Everything but the logistic loss follows from its conjugate.

use unswayed_check::{Conjugate, Loss};

/// How many blocks θ has, and the entries of each, for points with so many entries: one block for each class, or one.
pub(crate) fn blocks(loss: Loss, point: usize) -> (usize, usize) {
    let dimension = point - loss.label_entries();
    if let Loss::Multiclass(classes) = loss { (classes, dimension) } else { (1, dimension) }
}

/// The entries of θ, for points with so many entries.
pub(crate) fn parameters(loss: Loss, point: usize) -> usize {
    let (blocks, dimension) = blocks(loss, point);
    blocks * dimension
}

/// −φ'(s), how strongly a point with the score s pulls. At a kink it is the steeper side: the hinge pulls where s ≤ 1.
#[inline(always)]
pub(crate) fn pull(loss: Loss, s: f64) -> f64 {
    match loss.conjugate() {
        Some(e) => slope(&e, s),
        None => 1.0 / (1.0 + s.exp()),
    }
}

/// φ(s), the loss of a score s.
#[inline(always)]
pub(crate) fn loss_at(loss: Loss, s: f64) -> f64 {
    match loss.conjugate() {
        Some(e) => value(&e, s),
        None => (-s).max(0.0) + (-s.abs()).exp().ln_1p(),
    }
}

/// Whether φ has a kink, where small changes of θ decide whether a point pulls.
pub(crate) fn has_kink(loss: Loss) -> bool {
    loss.conjugate().is_some_and(|e| e.curve == 0.0)
}

/// The w of the largest e(w) − ws.
#[inline(always)]
pub(crate) fn slope(e: &Conjugate, s: f64) -> f64 {
    if e.curve > 0.0 { ((1.0 - s) / e.curve).clamp(0.0, e.high) } else { e.high * f64::from(s <= 1.0) }
}

/// The largest e(w) − ws.
#[inline(always)]
pub(crate) fn value(e: &Conjugate, s: f64) -> f64 {
    let w = slope(e, s);
    w * (1.0 - s) - 0.5 * e.curve * w * w
}

/// The largest a·e(w) + bw + cw² over 0 ≤ w ≤ high.
pub(crate) fn highest(e: &Conjugate, a: f64, b: f64, c: f64) -> f64 {
    let (linear, square) = (a + b, c - 0.5 * a * e.curve);
    let vertex = -0.5 * linear / square;
    let inside = square < 0.0 && vertex > 0.0 && vertex < e.high;
    if inside { 0.5 * linear * vertex } else { (linear * e.high + square * e.high * e.high).max(0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOSSES: [Loss; 4] = [Loss::Hinge, Loss::Logistic, Loss::SmoothHinge(0.5), Loss::ModifiedHuber];

    #[test]
    fn the_pull_is_minus_the_slope_of_the_loss() {
        let h = 1e-6;
        for loss in LOSSES {
            for i in -40..40 {
                let s = f64::from(i) * 0.1 + 0.031;
                let slope = (loss_at(loss, s - h) - loss_at(loss, s + h)) / (2.0 * h);
                assert!((slope - pull(loss, s)).abs() < 1e-5, "{loss:?} {s}: {slope} {}", pull(loss, s));
            }
        }
    }

    #[test]
    fn known_values() {
        let at = |loss| [1.0, 0.0, -2.0].map(|s| loss_at(loss, s).to_bits());
        let bits = |values: [f64; 3]| values.map(f64::to_bits);
        assert_eq!(at(Loss::Hinge), bits([0.0, 1.0, 3.0]));
        assert_eq!(at(Loss::SmoothHinge(1.0)), bits([0.0, 0.5, 2.5]));
        assert_eq!(at(Loss::ModifiedHuber), bits([0.0, 1.0, 8.0]));
        assert_eq!((pull(Loss::Hinge, 1.0), pull(Loss::Hinge, 1.0 + 1e-9)), (1.0, 0.0));
    }
}
