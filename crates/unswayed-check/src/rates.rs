//! Which learning rates a certificate is for (Theorem A1), and what a list of rates amounts to: the schedule of a statement
//! (Theorem A2).

use std::fmt::Write as _;

use dashu_ratio::RBig;
use thiserror::Error;

use crate::exact::{Dyadic, round_up};
use crate::proof::{Certificate, Proof};
use crate::statement::{Schedule, Statement};

/// Why rates are no schedule.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RatesError {
    /// There are none.
    #[error("there are no learning rates")]
    Empty,
    /// A rate is no positive number.
    #[error("the rate of step {step} is {rate}, not a positive number")]
    NotPositive {
        /// The step, from 1.
        step: u64,
        /// Its rate.
        rate: f64,
    },
    /// They do not come down to the largest rate that is certified.
    #[error("the last rate, {rate}, is above the learning rate {largest}; certify at least that one")]
    AboveLargest {
        /// The last rate.
        rate: f64,
        /// The largest rate of the statement.
        largest: f64,
    },
}

impl Schedule {
    /// The schedule of these rates, one for each step, the last of them from there on: the first step from which on none is above
    /// `largest` and 1/rate grows by at most `fastest` in each step, and the smallest δ that it grows by at most δ, rounded up.
    ///
    /// ```
    /// use unswayed_check::Schedule;
    /// let rates = [0.5, 0.25, 0.25, 0.125, 0.2];
    /// let schedule = Schedule::of_rates(&rates, 0.3, 5.0)?;
    /// assert_eq!((schedule.from_step, schedule.slowdown), (Some(2), 4.0));
    /// let schedule = Schedule::of_rates(&rates, 0.3, 3.0)?;
    /// assert_eq!((schedule.from_step, schedule.slowdown), (Some(4), 0.0));
    /// # Ok::<(), unswayed_check::RatesError>(())
    /// ```
    ///
    /// # Errors
    /// Rates that are no positive numbers, or end above the largest.
    pub fn of_rates(rates: &[f64], largest: f64, fastest: f64) -> Result<Schedule, RatesError> {
        let bad = |rate: &f64| !(rate.is_finite() && *rate > 0.0);
        if let Some(i) = rates.iter().position(bad) {
            return Err(RatesError::NotPositive { step: i as u64 + 1, rate: rates[i] });
        }
        let rate = *rates.last().ok_or(RatesError::Empty)?;
        if rate > largest {
            return Err(RatesError::AboveLargest { rate, largest });
        }
        let fastest = RBig::try_from(fastest).unwrap_or_default();
        let (mut first, mut slowdown) = (rates.len() - 1, RBig::ZERO);
        while first > 0 && rates[first - 1] <= largest {
            let growth = growth(rates[first - 1], rates[first]);
            if growth > fastest {
                break;
            }
            slowdown = slowdown.max(growth);
            first -= 1;
        }
        Ok(Schedule { slowdown: round_up(&slowdown), from_step: Some(first as u64 + 1), weighted: false })
    }
}

/// What 1/rate grows by from one rate to the next; 0 if it falls.
fn growth(before: f64, after: f64) -> RBig {
    if after >= before {
        return RBig::ZERO;
    }
    let inverse = |rate: f64| RBig::ONE / RBig::from(Dyadic::new(rate));
    inverse(after) - inverse(before)
}

/// Whether a proof is one for every smaller learning rate, too.
fn is_for_smaller_rates(proof: &Proof) -> bool {
    match proof {
        Proof::Cases(_) | Proof::Contraction(_) => true,
        Proof::Paper(proof) => proof.low >= 0.0,
        // Its λ need not be convex.
        Proof::Levels(_) => false,
    }
}

impl Certificate {
    /// Whether the bounds on the loss hold for every smaller learning rate, too (Theorem A1): λ must be convex, which the
    /// paper's proof does not require.
    pub fn holds_for_smaller_rates(&self) -> bool {
        // Blocks are weighed evenly, which rates that change are not.
        if self.statement.threat.moments.is_some() {
            return false;
        }
        let horizon = self.horizon.iter().filter_map(|claim| claim.proof.as_ref());
        [&self.loss.proof].into_iter().chain(horizon).all(is_for_smaller_rates)
    }

    /// Which learning rates the bounds are for, and how their averages are weighted; nothing where it is the one rate only.
    pub(crate) fn rates_text(&self) -> Option<String> {
        let Statement { learner, horizon, .. } = &self.statement;
        let rate = learner.learning_rate;
        if learner.schedule.is_some_and(|schedule| schedule.weighted) {
            return Some(format!(
                "all rates up to {rate} that are fixed in advance, however they fall, if their sum grows beyond all bounds; averages \
                 over time are weighted by the rates"
            ));
        }
        if learner.schedule.is_some() {
            return Some(
                "every schedule that is fixed in advance and falls no faster, the constant one too; averages over time are plain"
                    .to_owned(),
            );
        }
        if !self.holds_for_smaller_rates() {
            return None;
        }
        if let Some(momentum) = learner.momentum {
            return Some(format!(
                "the long-run bounds hold for every constant learning rate up to {rate} with every momentum up to {momentum}"
            ));
        }
        let weighted = if learner.average { "the average of the models" } else { "averages over time" };
        let is_all = self.error.as_ref().is_none_or(|claim| is_for_smaller_rates(&claim.proof));
        let bounds = if is_all { "the long-run bounds hold" } else { "the long-run bound on the loss holds" };
        let mut text = format!(
            "{bounds} for every constant learning rate up to {rate}, with plain averages; for rates fixed in \
             advance that change, stay up to {rate} and whose sum grows beyond all bounds, {weighted} must be weighted by the \
             rates"
        );
        if let Some(horizon) = horizon {
            let steps = horizon.steps;
            let _ =
                write!(text, "; the bound for {steps} steps holds once the rates add up to {steps}·{rate}");
        }
        Some(text)
    }
}
