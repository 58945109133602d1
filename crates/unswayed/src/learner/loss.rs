//! Losses as functions of the score: what a row costs, and how strongly it pulls at the model.
//!
//! The score is the margin θᵀz; for a label y that is a number, it is θᵀx − y + 1: in either case there is no loss at 1.
//! Everything but the logistic loss follows from its conjugate.

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

/// The w of the largest w(1 − s) − h|w| − ½qw².
#[inline(always)]
pub(crate) fn slope(e: &Conjugate, s: f64) -> f64 {
    let gap = 1.0 - s;
    if e.curve > 0.0 {
        let beyond = gap - gap.clamp(-e.tube, e.tube);
        (beyond / e.curve).clamp(e.low, e.high)
    } else if gap > e.tube || (gap >= 0.0 && e.low == 0.0) {
        e.high
    } else if gap < -e.tube {
        e.low
    } else {
        0.0
    }
}

/// The largest w(1 − s) − h|w| − ½qw².
#[inline(always)]
pub(crate) fn value(e: &Conjugate, s: f64) -> f64 {
    let w = slope(e, s);
    w * (1.0 - s) - e.tube * w.abs() - 0.5 * e.curve * w * w
}

/// The largest a·e(w) + bw + cw² over low ≤ w ≤ high, for the label y.
pub(crate) fn highest(e: &Conjugate, y: f64, a: f64, b: f64, c: f64) -> f64 {
    let square = c - 0.5 * a * e.curve;
    let side = |linear: f64, high: f64| {
        let vertex = -0.5 * linear / square;
        let inside = square < 0.0 && vertex > 0.0 && vertex < high;
        if inside { 0.5 * linear * vertex } else { (linear * high + square * high * high).max(0.0) }
    };
    side(a * (y - e.tube) + b, e.high).max(side(-a * (y + e.tube) - b, -e.low))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOSSES: [Loss; 8] = [
        Loss::Hinge,
        Loss::Logistic,
        Loss::SmoothHinge(0.5),
        Loss::ModifiedHuber,
        Loss::Absolute,
        Loss::EpsilonInsensitive(0.25),
        Loss::Huber(0.5),
        Loss::Quantile(0.75),
    ];

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
        // Predictions 0, 1 and 3 below their labels.
        assert_eq!(at(Loss::Absolute), bits([0.0, 1.0, 3.0]));
        assert_eq!(at(Loss::EpsilonInsensitive(0.5)), bits([0.0, 0.5, 2.5]));
        assert_eq!(at(Loss::Huber(2.0)), bits([0.0, 0.5, 4.0]));
        assert_eq!(at(Loss::Quantile(0.75)), bits([0.0, 0.75, 2.25]));
        assert_eq!((loss_at(Loss::Quantile(0.75), 3.0), pull(Loss::Quantile(0.75), 3.0)), (0.5, -0.25));
    }
}
