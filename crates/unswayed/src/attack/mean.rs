//! The attack on an online mean estimate.

use super::kinds::{Length, SHORTEST_WINDOW};
use super::{Effort, Outward};
use crate::cancel::Cancel;
use crate::data::Dataset;
use crate::error::AttackError;
use crate::learner::MeanState;
use crate::simulate::{Arena, Estimate, Judge, Region, Scores, Simulated, Stream};

/// ‖θ−μ‖².
struct SquaredDistance {
    mean: Vec<f64>,
}

impl Judge for SquaredDistance {
    fn scores(&self, theta: &[f64]) -> Scores {
        let loss = theta.iter().zip(&self.mean).map(|(t, m)| (t - m).powi(2)).sum();
        Scores { loss, ..Scores::default() }
    }
}

/// What the outward push does to a mean estimate.
#[derive(Clone, Debug)]
pub struct MeanAttacked {
    /// E‖θ−μ‖² in the long run.
    pub loss: Estimate,
    /// The whole simulation.
    pub simulated: Simulated,
}

/// An online mean estimate: θ ← (1−η−ησ)θ + ηz + ηBw.
#[derive(Clone, Debug, PartialEq)]
pub struct MeanLearner {
    /// η.
    pub learning_rate: f64,
    /// Shrinkage σ towards 0.
    pub shrinkage: f64,
    /// The columns of B, one after the other, of the length of a point; none for no noise.
    pub noise: Vec<f64>,
}

impl MeanLearner {
    /// Without shrinkage or noise.
    pub fn plain(learning_rate: f64) -> Self {
        MeanLearner { learning_rate, shrinkage: 0.0, noise: Vec::new() }
    }

    /// θ = 0, in motion.
    fn start(&self, dimension: usize) -> MeanState {
        let state = MeanState::new(self.learning_rate, dimension).shrunk(self.shrinkage);
        if self.noise.is_empty() { state } else { state.noisy(&self.noise, dimension) }
    }
}

/// Simulates the best-responding adversary against the online mean of samples; nobody attacks at poison rate 0.
pub fn attack_mean(
    samples: &Dataset,
    learner: &MeanLearner,
    poison_rate: f64,
    squared_radius: f64,
    effort: Effort,
    seed: u64,
) -> Result<MeanAttacked, AttackError> {
    let mut mean = vec![0.0; samples.dimension()];
    for (z, p) in samples.iter().zip(samples.probabilities()) {
        mean.iter_mut().zip(z).for_each(|(m, z)| *m += p * z);
    }
    let (radius, eta) = (squared_radius.sqrt(), learner.learning_rate);
    let ball = Region::Ball { radius, centre: Some(mean.clone()) };
    let stream = Stream::with_region(samples, poison_rate, ball);
    let judge = SquaredDistance { mean: mean.clone() };
    let (state, time_constant) = (learner.start(samples.dimension()), 1.0 / eta);
    let cancel = &Cancel::default();
    let arena = Arena { learner: state, stream: &stream, judge: &judge, time_constant, cancel };
    let cost = samples.dimension() as f64;
    let length = Length { time_constant: time_constant * 20.0, size: 1e5, cost, least: SHORTEST_WINDOW };
    let plan = length.plan(effort, seed);
    let keep = (1.0 - eta * (1.0 + learner.shrinkage)) / (1.0 - eta);
    let simulated = arena.run(&Outward { mean: mean.clone(), radius, keep }, &mean, &plan)?;
    Ok(MeanAttacked { loss: simulated.loss, simulated })
}
