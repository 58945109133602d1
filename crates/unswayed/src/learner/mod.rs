//! The learners: their parameters, update rules, and states in motion.

mod linear;
mod online;

pub use linear::LinearState;
pub(crate) use linear::{blocks, margin_loss, pull};
pub use online::{Blocks, LANES, MeanState, Online, Padded, add_padded, padded_dot};
