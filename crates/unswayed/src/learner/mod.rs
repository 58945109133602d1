//! The learners: their parameters, update rules, and states in motion.

mod hinge;
mod online;

pub use hinge::Hinge;
pub use online::{HingeState, LANES, MeanState, Online, Padded, padded_dot};
