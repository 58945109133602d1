//! The steady-state attack of an adversary who may choose labels only: a probability of a flip for each row.
//!
//! With flips f_i the rows have weights p_i(1−εf_i) and their negatives εp_if_i. The loss at the place of rest is raised by
//! Frank-Wolfe steps: each towards flipping exactly the rows where that helps.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use super::curve::Curve;
use super::equilibrium::Objective;
use super::nature::Nature;
use super::steady::Search;
use super::{Policy, SteadyState, scale};
use crate::data::Dataset;
use crate::error::AttackError;

/// Flip probabilities that the search starts from.
const STARTS: [f64; 3] = [1.0, 0.5, 0.0];

impl Search<'_> {
    /// The best flips found, in the place of the point.
    pub(super) fn flips(&self) -> Result<SteadyState, AttackError> {
        let opposite: Vec<f64> = self.nature.rows.z().iter().map(|z| -z).collect();
        let opposite = opposite.chunks_exact(self.nature.rows.dimension());
        let objective = self.nature.objective(self.statement, &[], opposite);
        let ends = STARTS.into_par_iter().map(|start| self.flips_from(start, objective.clone()));
        let ends = ends.collect::<Result<Vec<_>, _>>()?;
        self.goal.best(ends).ok_or(AttackError::Cancelled)
    }

    fn flips_from(&self, start: f64, mut objective: Objective) -> Result<SteadyState, AttackError> {
        let (target, rows) = (&self.nature.target, &self.nature.rows);
        let (probabilities, eps) = (rows.probabilities(), self.statement.threat.poison_rate);
        let stages = self.goal.stages(self.statement.learner.loss);
        let last = stages[stages.len() - 1];
        let mut flips = vec![start; rows.rows()];
        let mut theta = vec![0.0; rows.dimension()];
        let mut best = (f64::NEG_INFINITY, flips.clone(), theta.clone());
        let mut gradient = theta.clone();
        for round in 0..self.work.steps {
            self.look()?;
            // The smoother stages at first, the last one in the end.
            let stage = stages[(round * stages.len() / self.work.steps.max(1)).min(stages.len() - 1)];
            weigh(&mut objective, &probabilities, &flips, eps);
            let rest = objective.settle(last.curve, &theta);
            theta.copy_from_slice(&rest.theta);
            let (loss, error) = target.loss_and_error(&theta);
            let reached = self.goal.of(&SteadyState { point: vec![], theta: vec![], loss, error });
            if reached > best.0 {
                best = (reached, flips.clone(), theta.clone());
            }
            target.height(&theta, stage.height, &mut gradient);
            let push = rest.moved(&gradient);
            let towards = 2.0 / (round as f64 + 2.0);
            for (i, flip) in flips.iter_mut().enumerate() {
                // A flip takes the pull along z and adds one along −z, so it pushes along −z whatever the model is.
                let goal = if objective.margins.product(i, &push) < 0.0 { 1.0 } else { 0.0 };
                *flip += towards * (goal - *flip);
            }
        }
        weigh(&mut objective, &probabilities, &best.1, eps);
        let theta = objective.follow(&Curve::all(self.statement.learner.loss), &best.2);
        let (loss, error) = target.loss_and_error(&theta);
        Ok(SteadyState { loss, error, theta, point: best.1 })
    }
}

fn weigh(objective: &mut Objective, probabilities: &[f64], flips: &[f64], eps: f64) {
    let (kept, flipped) = objective.weights.split_at_mut(probabilities.len());
    for (i, (p, f)) in probabilities.iter().zip(flips).enumerate() {
        (kept[i], flipped[i]) = (p * (1.0 - eps * f), eps * p * f);
    }
}

/// Flips each row with a probability of its own.
#[derive(Clone, Debug)]
pub(super) struct Flipping<'a> {
    name: &'static str,
    rows: &'a Dataset,
    flips: Vec<f64>,
    /// Rows in the order of their entries, to find the one that nature drew.
    sorted: Vec<usize>,
    rng: Pcg64Mcg,
}

impl<'a> Flipping<'a> {
    /// With these probabilities.
    pub fn new(name: &'static str, nature: &'a Nature, flips: Vec<f64>, seed: u64) -> Self {
        let rows = &nature.rows;
        let mut sorted: Vec<usize> = (0..rows.rows()).collect();
        sorted.sort_by(|a, b| order(rows.row(*a), rows.row(*b)));
        Flipping { name, rows, flips, sorted, rng: Pcg64Mcg::seed_from_u64(seed) }
    }
}

impl Policy for Flipping<'_> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn choose(&mut self, _: &[f64], z: &mut [f64]) {
        let found = self.sorted.binary_search_by(|i| order(self.rows.row(*i), z));
        let flip = found.map_or(0.0, |place| self.flips[self.sorted[place]]);
        let uniform = (self.rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        if uniform < flip {
            scale(z, -1.0);
        }
    }
}

fn order(a: &[f64], b: &[f64]) -> std::cmp::Ordering {
    let differing = a.iter().zip(b).map(|(a, b)| a.total_cmp(b)).find(|o| o.is_ne());
    differing.unwrap_or(std::cmp::Ordering::Equal)
}
