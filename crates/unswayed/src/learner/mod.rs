//! The learners: their parameters, update rules, and states in motion.

mod linear;
mod loss;
mod online;
mod point_weight;

pub use linear::LinearState;
pub(crate) use loss::{blocks, has_kink, highest, loss_at, parameters, pull, slope, value};
pub use online::{Blocks, LANES, MeanState, Online, Padded, add_padded, padded_dot};
pub(crate) use point_weight::PointWeight;
