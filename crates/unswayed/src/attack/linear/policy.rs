//! The suite's policies as one type.

use super::super::{Fixed, LabelFlip, Policy};
use super::flips::Flipping;
use super::greedy::Greedy;

/// One of the policies.
#[derive(Clone)]
pub(super) enum LinearPolicy<'a> {
    Fixed(Fixed),
    LabelFlip(LabelFlip<'a>),
    Flipping(Flipping<'a>),
    Greedy(Box<Greedy<'a>>),
}

impl Policy for LinearPolicy<'_> {
    fn name(&self) -> &str {
        match self {
            LinearPolicy::Fixed(p) => p.name(),
            LinearPolicy::LabelFlip(p) => p.name(),
            LinearPolicy::Flipping(p) => p.name(),
            LinearPolicy::Greedy(p) => p.name(),
        }
    }

    fn choose(&mut self, theta: &[f64], z: &mut [f64]) {
        match self {
            LinearPolicy::Fixed(p) => p.choose(theta, z),
            LinearPolicy::LabelFlip(p) => p.choose(theta, z),
            LinearPolicy::Flipping(p) => p.choose(theta, z),
            LinearPolicy::Greedy(p) => p.choose(theta, z),
        }
    }
}
