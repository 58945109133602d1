//! The suite's policies as one type.

use super::flips::Flipping;
use super::greedy::Greedy;
use super::{Fixed, LabelFlip, Policy, Tracking};

/// One of the policies.
#[derive(Clone)]
pub(super) enum AnyPolicy<'a> {
    Fixed(Fixed),
    LabelFlip(LabelFlip<'a>),
    Flipping(Flipping<'a>),
    Greedy(Box<Greedy<'a>>),
    Tracking(Tracking),
}

impl Policy for AnyPolicy<'_> {
    fn name(&self) -> &str {
        match self {
            AnyPolicy::Fixed(p) => p.name(),
            AnyPolicy::LabelFlip(p) => p.name(),
            AnyPolicy::Flipping(p) => p.name(),
            AnyPolicy::Greedy(p) => p.name(),
            AnyPolicy::Tracking(p) => p.name(),
        }
    }

    fn choose(&mut self, theta: &[f64], z: &mut [f64]) {
        match self {
            AnyPolicy::Fixed(p) => p.choose(theta, z),
            AnyPolicy::LabelFlip(p) => p.choose(theta, z),
            AnyPolicy::Flipping(p) => p.choose(theta, z),
            AnyPolicy::Greedy(p) => p.choose(theta, z),
            AnyPolicy::Tracking(p) => p.choose(theta, z),
        }
    }
}
