//! Momentum: what steps v' = μv + d, θ' = θ + ηv' cost beyond plain steps at a larger rate η̄ (Theorems M1 and M2).
//!
//! ```text
//! η̄(1−μ)² ≥ η(1+μ):   nothing
//! η̄(1−μ) > η:         ε²μ²αη̄²Ĝ² / ((1+μ)((1−μ)η̄ − η)),   Ĝ ≥ ‖g‖ for the adversary's points
//! ```
//!
//! The second is for one dataset, all of whose coordinates are regularized. Over T steps from θ_0 and v = 0 it adds
//! 2μαη̄F(θ_0)/(ηT), F the mean of the learner's own loss and its regularizer.

use crate::exact::{Dyadic, Round, norm2, quotient, sqrt_up};
use crate::failure::{Reason, require, require_not_negative, require_positive};
use crate::parts::region::longest_point;
use crate::proof::CaseProof;
use crate::rows::{Evidence, Rows};
use crate::statement::{Loss, Set, Statement};

/// What momentum adds to every case, and what it adds to a start.
#[derive(Clone, Debug)]
pub(crate) struct Momentum {
    pub(crate) cost: Dyadic,
    /// For Theorem M2: F(θ) is at most this.
    objective: Option<Objective>,
}

/// F(θ) ≤ idle + slope·‖θ‖ + (σ/2)‖θ‖².
#[derive(Clone, Debug)]
struct Objective {
    idle: Dyadic,
    slope: Dyadic,
}

impl Momentum {
    /// For learners without momentum.
    pub(crate) fn none() -> Self {
        Momentum { cost: Dyadic::zero(), objective: None }
    }

    /// After the conditions on the proof's rate have been verified.
    pub(crate) fn of(statement: &Statement, proof: &CaseProof, evidence: &Evidence) -> Result<Self, Reason> {
        let (Some(mu), Some(rate)) = (statement.learner.momentum, proof.rate) else {
            return Ok(Self::none());
        };
        require(rate > 0.0 && rate.is_finite(), "rate", rate, "> 0")?;
        let [mu, rate, eta] = [mu, rate, statement.learner.learning_rate].map(Dyadic::new);
        let (less, more) = (Dyadic::whole(1) - &mu, Dyadic::whole(1) + &mu);
        let every = &rate * less.square() - &eta * &more;
        let is_one = evidence.data.len() == 1 && statement.learner.unregularized.is_empty();
        if !is_one {
            require_not_negative(&every, "rate·(1 − momentum)² − learning_rate·(1 + momentum)")?;
        }
        if !every.is_negative() {
            return Ok(Self::none());
        }
        let slack = &rate * less - eta;
        require_positive(&slack, "rate·(1 − momentum) − learning_rate")?;
        let pull = Dyadic::new(statement.threat.poison_rate) * mu * rate;
        let longest = longest_poison(statement, proof, &evidence.data[0]);
        let cost =
            quotient(&(pull.square() * Dyadic::new(proof.alpha) * longest), &(more * slack), Round::Up);
        Ok(Momentum { cost, objective: Some(Objective::new(statement, &evidence.data[0])) })
    }

    /// 2μαη̄F(θ_0), rounded up; 0 where Theorem M1 serves.
    pub(crate) fn of_start(&self, statement: &Statement, proof: &CaseProof, start: &[f64]) -> Dyadic {
        let (Some(mu), Some(rate), Some(objective)) =
            (statement.learner.momentum, proof.rate, &self.objective)
        else {
            return Dyadic::zero();
        };
        let squared = norm2(start);
        let decay = (Dyadic::new(statement.learner.regularization) * &squared).half();
        let value = &objective.idle + &objective.slope * sqrt_up(&squared) + decay;
        let [mu, rate, alpha] = [mu, rate, proof.alpha].map(Dyadic::new);
        Dyadic::whole(2) * mu * alpha * rate * value
    }
}

impl Objective {
    /// Losses of a margin are at most 1 at θ = 0, and K−1 for K classes; those of a prediction at most their slope times the label.
    fn new(statement: &Statement, rows: &Rows) -> Self {
        let loss = statement.learner.loss;
        let largest = |of: &(dyn Fn(usize) -> f64 + Sync)| {
            let most = |range: std::ops::Range<usize>| range.map(of).fold(0.0, f64::max);
            rows.in_parallel(most).into_iter().fold(0.0, f64::max)
        };
        let idle = match loss {
            Loss::Multiclass(classes) => Dyadic::whole(classes.saturating_sub(1) as u64),
            _ if loss.is_regression() => {
                Dyadic::new(loss.steepest()) * Dyadic::new(largest(&|i| rows.row(i)[0].abs()))
            }
            _ => Dyadic::whole(1),
        };
        let weight = Dyadic::new(largest(&|i| rows.step(i)));
        Objective { idle: idle * weight, slope: sqrt_up(&(steepest(loss) * longest_row(loss, rows))) }
    }
}

/// The largest ‖g‖² of the adversary's points.
pub(crate) fn longest_poison(statement: &Statement, proof: &CaseProof, rows: &Rows) -> Dyadic {
    let loss = statement.learner.loss;
    let point = match statement.threat.set {
        Set::LabelFlips => longest_row(loss, rows),
        _ => longest_point(statement, proof),
    };
    steepest(loss) * point
}

/// ‖g‖² for a point of norm 1: K−1 times for its own class and once for each other one, if there are K classes.
pub(crate) fn steepest(loss: Loss) -> Dyadic {
    match loss {
        Loss::Multiclass(classes) => {
            Dyadic::whole(classes as u64) * Dyadic::whole(classes.saturating_sub(1) as u64)
        }
        loss => Dyadic::new(loss.steepest()).square(),
    }
}

/// The largest ‖z‖² of a row, times its squared step weight.
pub(crate) fn longest_row(loss: Loss, rows: &Rows) -> Dyadic {
    let labels = loss.label_entries();
    let squared = |i: usize| rows.squared(i, labels) * Dyadic::new(rows.step(i)).square();
    let longest = |range: std::ops::Range<usize>| range.map(squared).fold(Dyadic::zero(), Dyadic::max);
    rows.in_parallel(longest).into_iter().fold(Dyadic::zero(), Dyadic::max)
}
