//! A (1+1) evolution strategy for points in a ball: no gradients, so kinks and noise do not matter.

use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64Mcg;

use super::{dot, stretch};

/// The first step relative to the radius, and the one at which long steps are tried again.
const FIRST_STEP: f64 = 0.3;
const LAST_STEP: f64 = 1e-5;

/// The best point so far, its loss, and the step of the strategy.
#[derive(Clone)]
pub(super) struct Candidate {
    pub point: Vec<f64>,
    pub loss: f64,
    step: f64,
}

impl Candidate {
    /// A point of the ball with its loss; longer ones are shortened.
    pub fn new(mut point: Vec<f64>, radius: f64, loss: impl FnOnce(&[f64]) -> f64) -> Self {
        if dot(&point, &point) > radius * radius {
            stretch(&mut point, radius);
        }
        Candidate { loss: loss(&point), point, step: FIRST_STEP }
    }

    /// Tries random neighbours: longer steps after a success, shorter after a failure, long ones again when tiny.
    pub fn evolve(
        &mut self,
        evaluations: usize,
        radius: f64,
        rng: &mut Pcg64Mcg,
        mut loss: impl FnMut(&[f64]) -> f64,
    ) {
        for _ in 0..evaluations {
            let scale = self.step * radius / (self.point.len() as f64).sqrt();
            let mut noise = || -> f64 { StandardNormal.sample(rng) };
            let neighbour = self.point.iter().map(|u| u + scale * noise()).collect();
            let next = Candidate::new(neighbour, radius, &mut loss);
            if next.loss > self.loss {
                *self = Candidate { step: 1.5 * self.step, ..next };
            } else {
                self.step *= 0.93;
            }
            if self.step < LAST_STEP {
                self.step = FIRST_STEP;
            }
        }
    }
}
