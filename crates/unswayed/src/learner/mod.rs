//! The learners: their parameters, update rules, and states in motion.

mod asked;
mod hinge;
mod linear;
mod online;

pub use asked::{Asked, Conflict};
pub use hinge::Hinge;
pub use linear::LinearState;
pub(crate) use linear::{blocks, margin_loss, pull};
pub use online::{Blocks, HingeState, LANES, MeanState, Online, Padded, add_padded, padded_dot};
