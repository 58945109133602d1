//! Losses as functions of the score: what a row costs, and how strongly it pulls at the model.
//!
//! The score is the margin θᵀz, or for regression θᵀx − y. Everything but the logistic loss follows from its conjugate.

use unswayed_check::{Conjugate, Loss};

/// How many blocks θ has, and the entries of each, for points with so many entries: one block for each class, or one.
pub(crate) fn blocks(loss: Loss, point: usize) -> (usize, usize) {
    let dimension = point - loss.labels();
    if let Loss::Multiclass(classes) = loss { (classes, dimension) } else { (1, dimension) }
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
    let gap = e.centre.unwrap_or(0.0) - s;
    // Beyond the tube on one side or the other; on its edge the loss begins to pull.
    let beyond = if gap >= 0.0 { gap - e.tube } else { gap + e.tube };
    if beyond * gap < 0.0 {
        0.0
    } else if e.curve > 0.0 {
        (beyond / e.curve).clamp(e.low, e.high)
    } else if gap >= 0.0 {
        e.high
    } else {
        e.low
    }
}

/// The largest e(w) − ws.
#[inline(always)]
pub(crate) fn value(e: &Conjugate, s: f64) -> f64 {
    let w = slope(e, s);
    w * (e.centre.unwrap_or(0.0) - s) - e.tube * w.abs() - 0.5 * e.curve * w * w
}

/// The largest a·e(w) + bw + cw² over low ≤ w ≤ high, for a point whose c is `centre`.
pub(crate) fn highest(e: &Conjugate, centre: f64, a: f64, b: f64, c: f64) -> f64 {
    let (linear, square) = (a * centre + b, c - 0.5 * a * e.curve);
    let side = |b: f64, most: f64| {
        let vertex = -0.5 * b / square;
        let inside = square < 0.0 && vertex > 0.0 && vertex < most;
        if inside { 0.5 * b * vertex } else { (b * most + square * most * most).max(0.0) }
    };
    side(linear - a * e.tube, e.high).max(side(-linear - a * e.tube, -e.low))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOSSES: [Loss; 7] = [
        Loss::Hinge,
        Loss::Logistic,
        Loss::SmoothHinge(0.5),
        Loss::ModifiedHuber,
        Loss::EpsilonInsensitive(0.25),
        Loss::Huber(0.75),
        Loss::Quantile(0.2),
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
        assert_eq!((loss_at(Loss::Hinge, 0.25), pull(Loss::Hinge, 1.0)), (0.75, 1.0));
        assert_eq!((loss_at(Loss::SmoothHinge(1.0), 0.0), loss_at(Loss::SmoothHinge(1.0), -1.0)), (0.5, 1.5));
        assert_eq!((loss_at(Loss::ModifiedHuber, 0.0), loss_at(Loss::ModifiedHuber, -2.0)), (1.0, 8.0));
        assert_eq!((loss_at(Loss::EpsilonInsensitive(0.5), -2.0), loss_at(Loss::EpsilonInsensitive(0.5), 0.25)), (1.5, 0.0));
        assert_eq!((loss_at(Loss::Huber(1.0), 0.5), loss_at(Loss::Huber(1.0), -3.0)), (0.125, 2.5));
        assert_eq!((loss_at(Loss::Quantile(0.25), 2.0), loss_at(Loss::Quantile(0.25), -2.0)), (1.5, 0.5));
    }
}
