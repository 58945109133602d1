//! Attacks on every linear learner that `unswayed_check::Linear` describes.
//!
//! Each attack is simulated against the learner's own steps, with the adversary's set as judge of every point. What all of them share
//! is in [`LinearSuite`]. A model is pulled by margins (`margins`); where it settles under constant pulls is in `settle`, and
//! the best constant attack in `steady` and `flips`.

mod curve;
mod drift;
mod flips;
mod greedy;
mod hold;
mod margins;
mod measured;
mod nature;
mod policy;
mod settle;
mod steady;
mod suite;
mod validate;

pub use suite::LinearSuite;
