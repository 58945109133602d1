//! What a list of learning rates amounts to: the schedule of a statement (Theorem A2).

use dashu::rational::RBig;
use thiserror::Error;

use crate::exact::{Dyadic, round_up};
use crate::statement::Schedule;

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
    /// `largest`, and the smallest δ that 1/rate grows by at most δ in each step after it, rounded up.
    ///
    /// ```
    /// use unswayed_check::Schedule;
    /// let rates = [0.5, 0.25, 0.25, 0.125, 0.2];
    /// let schedule = Schedule::of_rates(&rates, 0.3)?;
    /// assert_eq!((schedule.from_step, schedule.slowdown), (Some(2), 4.0));
    /// # Ok::<(), unswayed_check::RatesError>(())
    /// ```
    ///
    /// # Errors
    /// Rates that are no positive numbers, or end above the largest.
    pub fn of_rates(rates: &[f64], largest: f64) -> Result<Schedule, RatesError> {
        let bad = |rate: &f64| !(rate.is_finite() && *rate > 0.0);
        if let Some(i) = rates.iter().position(bad) {
            return Err(RatesError::NotPositive { step: i as u64 + 1, rate: rates[i] });
        }
        let rate = *rates.last().ok_or(RatesError::Empty)?;
        let first = rates.iter().rposition(|rate| *rate > largest).map_or(0, |i| i + 1);
        if first == rates.len() {
            return Err(RatesError::AboveLargest { rate, largest });
        }
        let inverse = |rate: f64| RBig::ONE / RBig::from(Dyadic::new(rate));
        let falls = rates[first..].windows(2).filter(|pair| pair[1] < pair[0]);
        let slowdown = falls.map(|pair| inverse(pair[1]) - inverse(pair[0])).max().unwrap_or_default();
        Ok(Schedule { slowdown: round_up(&slowdown), from_step: Some(first as u64 + 1) })
    }
}
