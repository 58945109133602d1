//! The learners: their parameters, update rules, and states in motion.

mod hinge;
mod online;

pub use hinge::Hinge;
pub use online::{Blocks, HingeState, LANES, MeanState, Online, Padded, add_padded, padded_dot};
