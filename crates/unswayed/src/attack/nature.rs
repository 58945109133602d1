//! What the learner meets without an adversary: the rows, and what its model is measured on.
//!
//! With several datasets nature chooses between them. A choice by fixed probabilities q makes one dataset of them: the mixture,
//! with the mixture of the targets.

use std::sync::Arc;

use unswayed_check::{Loss, Statement, Target};

use super::curve::Curve;
use super::equilibrium::Objective;
use super::margins::Margins;
use super::measured::Measured;
use crate::certify::Benign;
use crate::data::Dataset;
use crate::error::AttackError;
use crate::learner::PointWeight;
use crate::problem::Problem;

/// Rows and target.
#[derive(Clone, Debug)]
pub(super) struct Nature {
    pub rows: Arc<Dataset>,
    pub target: Measured,
}

impl Nature {
    /// The mixture of datasets with these probabilities.
    pub fn new(problem: &Problem, mixture: &[f64]) -> Result<Self, AttackError> {
        let (data, statement) = (problem.data(), problem.statement());
        let rows = if let [data] = data { data.clone() } else { Arc::new(mixed(data, mixture)?) };
        let target = match (&statement.target, problem.target()) {
            (Target::Rows(_), Some(target)) => {
                Measured::new(statement.learner.loss, &Arc::new(target.clone()), target.probabilities())
            }
            (Target::Weights(weights), _) => {
                let shares = weights.iter().map(|w| w.iter().sum::<f64>());
                let weights = weights.iter().zip(shares).zip(mixture);
                let weights = weights.flat_map(|((w, sum), q)| w.iter().map(move |w| q * w / sum)).collect();
                Measured::new(statement.learner.loss, &rows, weights)
            }
            _ => Measured::new(statement.learner.loss, &rows, rows.probabilities()),
        };
        Ok(Nature { rows, target })
    }

    /// The same without these rows, whose weight becomes 0, judged by the others.
    pub fn without(&self, loss: Loss, hostile: &[usize]) -> Result<Self, AttackError> {
        let mut weights = self.rows.probabilities();
        for &row in hostile {
            weights[row] = 0.0;
        }
        let mut rows = Dataset::from_rows(self.rows.z().to_vec(), self.rows.dimension(), Some(weights))?;
        if let Some(steps) = self.rows.step_weights() {
            rows = rows.with_step_weights(steps.to_vec())?;
        }
        let rows = Arc::new(rows);
        let target = Measured::new(loss, &rows, rows.probabilities());
        Ok(Nature { rows, target })
    }

    /// The same with at most so many rows, every so-manieth, and as many of the target, whose weights do not sum to 1 any more.
    pub fn thinned(&self, most: usize) -> Result<Self, AttackError> {
        let stride = self.rows.rows().div_ceil(most);
        if stride <= 1 {
            return Ok(self.clone());
        }
        let rows = self.rows.iter().step_by(stride).flatten().copied().collect();
        let weights = self.rows.probabilities().into_iter().step_by(stride).collect();
        let mut rows = Dataset::from_rows(rows, self.rows.dimension(), Some(weights))?;
        if let Some(steps) = self.rows.step_weights() {
            rows = rows.with_step_weights(steps.iter().copied().step_by(stride).collect())?;
        }
        Ok(Nature { rows: Arc::new(rows), target: self.target.thinned_to(most) })
    }

    /// How strongly each row pulls where it acts, and after them the poisoned point: how often it comes, times its step weight.
    pub fn pulls(&self, statement: &Statement, point: &[f64]) -> Vec<f64> {
        let (eps, rows) = (statement.threat.poison_rate, self.rows.probabilities());
        let benign = rows.iter().enumerate().map(|(i, p)| (1.0 - eps) * p * self.step(i));
        benign.chain([poison_pull(statement, point)]).collect()
    }

    /// The step weight of a row, 1 if there are none.
    pub fn step(&self, row: usize) -> f64 {
        self.rows.step_weights().map_or(1.0, |steps| steps[row])
    }

    /// What pulls at the model if the rows come with these weights. Points that are added have weight 0 at first.
    pub fn objective<'r>(
        &'r self,
        statement: &Statement,
        weights: &[f64],
        added: impl Iterator<Item = &'r [f64]>,
    ) -> Objective {
        let dimension = self.rows.dimension();
        let margins = Margins::new(statement.learner.loss, self.rows.iter().chain(added), dimension);
        let mut ridge = vec![statement.learner.regularization; margins.parameters()];
        statement.learner.unregularized.iter().for_each(|&j| ridge[j] = 0.0);
        let mut objective = Objective {
            weights: vec![0.0; margins.len()],
            caps: vec![1.0; margins.len()],
            pull: vec![0.0; margins.parameters()],
            margins,
            ridge,
            ball: statement.learner.projection,
        };
        for (row, weight) in weights.iter().enumerate() {
            objective.weigh(row, self.rows.row(row), *weight * self.step(row), statement);
        }
        objective
    }

    /// Where the learner settles with nobody attacking.
    pub fn benign(&self, statement: &Statement) -> Benign {
        let objective = self.objective(statement, &self.rows.probabilities(), std::iter::empty());
        let zero = vec![0.0; objective.margins.parameters()];
        let theta = objective.follow(&Curve::all(statement.learner.loss), &zero);
        let (loss, error) = self.target.loss_and_error(&theta);
        Benign { theta, loss, error }
    }
}

/// How strongly this poisoned point pulls where it acts: how often it comes, times its step weight.
pub(super) fn poison_pull(statement: &Statement, point: &[f64]) -> f64 {
    statement.threat.poison_rate * PointWeight::new(statement).of(point)
}

/// All rows, weighted by the probability of their dataset.
fn mixed(data: &[Arc<Dataset>], mixture: &[f64]) -> Result<Dataset, AttackError> {
    let z: Vec<f64> = data.iter().flat_map(|d| d.z().iter().copied()).collect();
    let weights =
        data.iter().zip(mixture).flat_map(|(d, q)| d.probabilities().into_iter().map(move |p| q * p));
    let rows = Dataset::from_rows(z, data[0].dimension(), Some(weights.collect()))?;
    if data.iter().all(|d| d.step_weights().is_none()) {
        return Ok(rows);
    }
    let ones = |d: &Dataset| vec![1.0; d.rows()];
    let steps = data.iter().flat_map(|d| d.step_weights().map_or_else(|| ones(d), <[f64]>::to_vec)).collect();
    Ok(rows.with_step_weights(steps)?)
}
