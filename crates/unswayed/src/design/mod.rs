//! Choosing a learner's settings with its certificates in view.

pub mod noise;
