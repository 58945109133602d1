//! A learner held by the rows and one point that is sent again and again.

use unswayed_check::{Loss, Set, Statement};

use super::curve::Curve;
use super::dot;
use super::equilibrium::{Objective, Rest, passed};
use super::goal::{Height, Stage};
use super::nature::{Nature, poison_pull};

/// How the penalty on points beyond the kink starts: so many times the slope of what is climbed over that of the constraint.
const FIRST_PENALTY: f64 = 10.0;

/// The learner at rest under the rows and the point that was placed last.
pub(super) struct PoisonedLearner<'s> {
    statement: &'s Statement,
    nature: &'s Nature,
    objective: Objective,
    pub theta: Vec<f64>,
    point: Vec<f64>,
}

/// The price of a point that the learner would ignore, θᵀu > 1, as an augmented Lagrangian.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Price {
    multiplier: f64,
    /// 0 until the first point has shown what it should be.
    penalty: f64,
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
        self.objective.pull.fill(0.0);
        self.objective.margins.replace(self.row(), point);
        self.objective.weigh(self.row(), point, poison_pull(self.statement, point), self.statement);
    }

    /// Whether a point that acts pulls along itself with full force, so that it acts exactly where θᵀu ≤ 1. Where a column is
    /// not regularized, a point that acted everywhere would pull the model away for ever.
    pub fn pulls_fully(statement: &Statement) -> bool {
        let is_held = statement.learner.unregularized.is_empty();
        statement.learner.loss == Loss::Hinge && is_held && !matches!(statement.threat.set, Set::LabelFlips)
    }

    /// Sends a point that acts wherever the model is.
    fn place_acting(&mut self, point: &[f64]) {
        self.point.copy_from_slice(point);
        let (row, eps) = (self.row(), poison_pull(self.statement, point));
        self.objective.margins.replace(row, point);
        self.objective.weigh(row, point, 0.0, self.statement);
        self.objective.pull.iter_mut().zip(point).for_each(|(v, u)| *v = eps * u);
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

    /// Lets θ settle on the loss itself, from where it settled on a curve of this width.
    pub fn settle_exactly(&mut self, width: f64) {
        self.theta =
            self.objective.follow(&Curve::from_width(self.statement.learner.loss, width), &self.theta);
    }

    /// Height of the model under a point, and its gradient in the point: H⁻¹ says how the place of rest moves when pulled.
    pub fn climb(&mut self, point: &[f64], stage: Stage, price: &mut Price) -> (f64, Vec<f64>) {
        let acts = PoisonedLearner::pulls_fully(self.statement);
        if acts {
            self.place_acting(point);
        } else {
            self.place(point);
        }
        let rest = self.settle(stage.curve);
        let (height, gradient) = self.height(stage.height);
        let push = rest.moved(&gradient);
        let eps = poison_pull(self.statement, point);
        if !acts {
            return (height, self.lever(stage.curve, &push).iter().map(|l| eps * l).collect());
        }
        let uphill: Vec<f64> = push.iter().map(|p| eps * p).collect();
        self.charged(height, uphill, &rest, price)
    }

    /// Takes off the price of θᵀu > 1.
    fn charged(&self, height: f64, mut uphill: Vec<f64>, rest: &Rest, price: &mut Price) -> (f64, Vec<f64>) {
        let (eps, point) = (poison_pull(self.statement, &self.point), &self.point);
        let moved = rest.moved(point);
        let slope: Vec<f64> = self.theta.iter().zip(&moved).map(|(t, m)| t + eps * m).collect();
        if price.penalty == 0.0 {
            price.penalty = FIRST_PENALTY * (dot(&uphill, &uphill) / dot(&slope, &slope).max(1e-300)).sqrt();
        }
        let Price { multiplier, penalty } = *price;
        let charge = (multiplier + penalty * self.excess()).max(0.0);
        uphill.iter_mut().zip(&slope).for_each(|(u, s)| *u -= charge * s);
        (height - (charge * charge - multiplier * multiplier) / (2.0 * penalty).max(1e-300), uphill)
    }

    /// How far the point is beyond the kink.
    fn excess(&self) -> f64 {
        dot(&self.theta, &self.point) - 1.0
    }

    /// Raises the price of what is still beyond the kink.
    pub fn reprice(&self, price: &mut Price) {
        price.multiplier = (price.multiplier + price.penalty * self.excess()).max(0.0);
    }

    /// Loss and error on the target.
    pub fn loss_and_error(&self) -> (f64, Option<f64>) {
        self.nature.target.loss_and_error(&self.theta)
    }

    /// What is climbed, and its gradient.
    pub fn height(&self, height: Height) -> (f64, Vec<f64>) {
        let mut gradient = vec![0.0; self.theta.len()];
        let value = self.nature.target.height(&self.theta, height, &mut gradient);
        (value, gradient)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::goal::Goal;
    use crate::data::Dataset;
    use crate::problem::Problem;

    fn rows() -> Dataset {
        let x = |i: usize| ((i * 7 + i / 3 * 5 + 3) % 11) as f64 / 22.0 - 0.2;
        Dataset::from_rows((0..72).map(x).collect(), 3, None).unwrap()
    }

    /// The gradient that is climbed along is that of the height, for every kind of loss and for both goals.
    #[test]
    fn the_implicit_gradient_is_the_quotient_of_differences() {
        for name in ["hinge", "logistic", "smooth-hinge=0.5", "modified-huber"] {
            let builder = Problem::builder(rows()).loss(name.parse().unwrap());
            let problem = builder.learning_rate(1e-3).regularization(0.05).poison_rate(0.1).build().unwrap();
            let (statement, nature) = (problem.statement(), Nature::new(&problem, &[1.0]).unwrap());
            for goal in [Goal::Loss, Goal::Error] {
                let stage = goal.stages(statement.learner.loss)[0];
                let mut hold = PoisonedLearner::new(statement, &nature);
                // A price, so that the constraint's slope counts as well.
                let mut price = Price { multiplier: 0.02, penalty: 0.01 };
                let point = [-0.3, 0.5, 0.4];
                let (_, gradient) = hold.climb(&point, stage, &mut price);
                let scale = 1e-4 + gradient.iter().map(|g| g.abs()).fold(0.0, f64::max);
                for j in 0..3 {
                    let mut at = |change: f64| {
                        let mut moved = point;
                        moved[j] += change;
                        hold.climb(&moved, stage, &mut price).0
                    };
                    let quotient = (at(1e-4) - at(-1e-4)) / 2e-4;
                    let off = (quotient - gradient[j]).abs();
                    assert!(off < 1e-3 * scale, "{name} {goal:?} {j}: {quotient} {gradient:?}");
                }
            }
        }
    }
}
