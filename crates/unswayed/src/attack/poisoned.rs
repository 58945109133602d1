//! A learner held by the rows and one point that is sent again and again.

use super::curve::Curve;
use super::equilibrium::{Objective, Rest, passed};
use super::nature::Nature;
use unswayed_check::Statement;

/// How much the smoothed loss counts.
const SMOOTH_SHARE: f64 = 0.01;

/// The learner at rest under the rows and the point that was placed last.
pub(super) struct PoisonedLearner<'s> {
    statement: &'s Statement,
    nature: &'s Nature,
    objective: Objective,
    pub theta: Vec<f64>,
    point: Vec<f64>,
}

impl<'s> PoisonedLearner<'s> {
    /// θ = 0, no point yet.
    pub fn new(statement: &'s Statement, nature: &'s Nature) -> Self {
        let point = vec![0.0; nature.rows.dimension()];
        let benign = 1.0 - statement.threat.poison_rate;
        let weights: Vec<f64> = nature.rows.probabilities().iter().map(|p| benign * p).collect();
        let objective = nature.objective(statement, &weights, std::iter::once(point.as_slice()));
        let theta = vec![0.0; objective.margins.parameters()];
        PoisonedLearner { statement, nature, objective, theta, point }
    }

    /// Sends another point.
    pub fn place(&mut self, point: &[f64]) {
        self.point.copy_from_slice(point);
        self.objective.margins.replace(self.row(), point);
        let threat = &self.statement.threat;
        let weight = threat.poison_rate * threat.poison_weight.unwrap_or(1.0);
        self.objective.weigh(self.row(), point, weight, self.statement);
    }

    /// The point's place after the rows.
    fn row(&self) -> usize {
        self.nature.rows.rows()
    }

    /// Lets θ settle, from where it is.
    pub fn settle(&mut self, curve: Curve) -> Rest {
        let rest = self.objective.settle(curve, &self.theta);
        self.theta.copy_from_slice(&rest.theta);
        rest
    }

    /// Lets θ settle on the loss itself.
    pub fn settle_exactly(&mut self) {
        self.theta = self.objective.follow(&Curve::all(self.statement.learner.loss), &self.theta);
    }

    /// The loss on the target.
    pub fn loss(&self) -> f64 {
        self.nature.target.loss(&self.theta)
    }

    /// What the search raises: the loss, and a little of the smoothed one, which has a way up where the loss itself is 0.
    pub fn height(&self, curve: Curve) -> f64 {
        self.loss() + SMOOTH_SHARE * self.nature.target.smooth_loss(&self.theta, curve)
    }

    /// ∇ℓ.
    pub fn gradient(&self, curve: Curve) -> Vec<f64> {
        let mut gradient = vec![0.0; self.theta.len()];
        self.nature.target.gradient(&self.theta, Some(curve), &mut gradient);
        gradient
    }

    /// −Σ c_i m_i: against all rows.
    pub fn against_rows(&self) -> Vec<f64> {
        let mut sum = vec![0.0; self.theta.len()];
        (0..self.objective.margins.len())
            .for_each(|i| self.objective.margins.add(i, -self.objective.weights[i], &mut sum));
        sum
    }

    /// The direction in which to move the point so that it pushes θ along v.
    pub fn lever(&self, curve: Curve, v: &[f64]) -> Vec<f64> {
        let mut push = vec![0.0; self.point.len()];
        let passed = passed(self.statement, &self.point);
        self.objective.margins.lever(self.row(), (&self.theta, curve), passed, v, &mut push);
        push
    }
}
