//! Losses as textbooks write them, for the tests of the checker and of the library.

use super::Loss;

/// The loss at the margin s.
pub fn margin_loss(loss: Loss, s: f64) -> f64 {
    let gap = (1.0 - s).max(0.0);
    match loss {
        Loss::Hinge | Loss::Multiclass(_) => gap,
        Loss::Logistic => (-s).max(0.0) + (-s.abs()).exp().ln_1p(),
        Loss::SmoothHinge(q) if gap > q => gap - q / 2.0,
        Loss::SmoothHinge(q) => gap * gap / (2.0 * q),
        Loss::ModifiedHuber if s < -1.0 => -4.0 * s,
        Loss::ModifiedHuber => gap * gap,
    }
}
