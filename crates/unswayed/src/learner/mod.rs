//! The learners: their parameters and update rules.

mod hinge;

pub use hinge::Hinge;
