//! Losses as textbooks write them, for the tests of the checker and of the library.

use super::Loss;

/// The loss at the margin s; for a regression loss, where the prediction less the label is s.
pub fn margin_loss(loss: Loss, s: f64) -> f64 {
    let gap = (1.0 - s).max(0.0);
    match loss {
        Loss::Hinge | Loss::Multiclass(_) => gap,
        Loss::Logistic => (-s).max(0.0) + (-s.abs()).exp().ln_1p(),
        Loss::SmoothHinge(q) if gap > q => gap - q / 2.0,
        Loss::SmoothHinge(q) => gap * gap / (2.0 * q),
        Loss::ModifiedHuber if s < -1.0 => -4.0 * s,
        Loss::ModifiedHuber => gap * gap,
        Loss::Absolute => s.abs(),
        Loss::EpsilonInsensitive(tube) => (s.abs() - tube).max(0.0),
        Loss::Huber(delta) if s.abs() > delta => delta * (s.abs() - delta / 2.0),
        Loss::Huber(_) => s * s / 2.0,
        Loss::Quantile(q) => (-q * s).max((1.0 - q) * s),
    }
}

/// Minus the slope of a regression loss where the prediction less the label is s; `tie` is the part of the way from the slope on
/// the left to that on the right, at a kink.
pub fn regression_pull(loss: Loss, s: f64, tie: f64) -> f64 {
    let jump = |at: f64, left: f64, right: f64| match s - at {
        beyond if beyond.abs() < 1e-9 => left + tie * (right - left),
        beyond => {
            if beyond < 0.0 {
                left
            } else {
                right
            }
        }
    };
    match loss {
        Loss::Absolute => jump(0.0, 1.0, -1.0),
        Loss::EpsilonInsensitive(tube) => jump(-tube, 1.0, 0.0) + jump(tube, 0.0, -1.0),
        Loss::Huber(delta) => -s.clamp(-delta, delta),
        Loss::Quantile(q) => jump(0.0, q, q - 1.0),
        _ => unreachable!("no regression loss"),
    }
}
