//! The settings and poison rates to try.

use serde::{Deserialize, Serialize};

use super::DesignError;
use crate::error::ParameterError;

/// What is chosen: the learner's own numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// η.
    pub learning_rate: f64,
    /// σ.
    pub regularization: f64,
}

impl Setting {
    /// Refuses numbers that no learner can have.
    fn validate(self) -> Result<(), ParameterError> {
        let Setting { learning_rate, regularization } = self;
        if !(learning_rate > 0.0 && learning_rate.is_finite()) {
            return Err(ParameterError::new(
                "learning rate",
                learning_rate,
                "it must be positive and finite",
            ));
        }
        if !(regularization >= 0.0 && learning_rate * regularization < 1.0) {
            let why = "it must not be negative, and times the learning rate it must be below 1";
            return Err(ParameterError::new("regularization", regularization, why));
        }
        Ok(())
    }

    /// For comparing settings bit by bit.
    pub(super) fn bits(self) -> [u64; 2] {
        [self.learning_rate.to_bits(), self.regularization.to_bits()]
    }
}

/// Which axes of a grid may grow where the choice is on their edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Growing {
    /// Values of η.
    pub learning_rates: bool,
    /// Values of σ.
    pub regularizations: bool,
}

/// The neighbour of a value on the ladder …, 0.01, 0.03, 0.1, 0.3, …, above or below it: a setting should be easy to copy.
fn neighbour(value: f64, is_above: bool) -> f64 {
    let power = value.log10().floor() as i32;
    // By way of text, which gives the number nearest to the decimal.
    let rung = |digit: u32, power: i32| format!("{digit}e{power}").parse::<f64>().unwrap_or(value);
    let mut ladder = (power - 1..=power + 1).flat_map(|power| [rung(1, power), rung(3, power)]);
    if is_above {
        ladder.find(|x| *x > 1.5 * value).unwrap_or(3.0 * value)
    } else {
        ladder.rfind(|x| *x < value / 1.5).unwrap_or(value / 3.0)
    }
}

/// All pairs of a learning rate and a regularization, each with all poison rates.
///
/// ```
/// use unswayed::design::Grid;
/// let grid = Grid::default(); // the paper's
/// assert_eq!(grid.settings().count() * grid.poison_rates.len(), 125);
/// let mine = Grid::new(vec![1e-3, 1e-4, 1e-3], vec![0.01], vec![0.02])?;
/// assert_eq!(mine.learning_rates, [1e-4, 1e-3]); // sorted, without repetitions
/// assert!(Grid::new(vec![], vec![0.01], vec![0.02]).is_err());
/// # Ok::<(), unswayed::design::DesignError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    /// Values of η, ascending.
    pub learning_rates: Vec<f64>,
    /// Values of σ, ascending.
    pub regularizations: Vec<f64>,
    /// Values of ε, ascending.
    pub poison_rates: Vec<f64>,
}

impl Default for Grid {
    fn default() -> Self {
        Grid {
            learning_rates: vec![5e-5, 1e-4, 5e-4, 1e-3, 5e-3],
            regularizations: vec![3e-3, 6e-3, 1e-2, 3e-2, 6e-2],
            poison_rates: vec![0.01, 0.02, 0.03, 0.04, 0.05],
        }
    }
}

impl Grid {
    /// Sorted, without repetitions, every combination valid.
    pub fn new(
        learning_rates: Vec<f64>,
        regularizations: Vec<f64>,
        poison_rates: Vec<f64>,
    ) -> Result<Self, DesignError> {
        let tidy = |mut values: Vec<f64>, of: &'static str| {
            values.sort_by(f64::total_cmp);
            values.dedup();
            if values.is_empty() { Err(DesignError::EmptyGrid { of }) } else { Ok(values) }
        };
        let grid = Grid {
            learning_rates: tidy(learning_rates, "learning rates")?,
            regularizations: tidy(regularizations, "regularizations")?,
            poison_rates: tidy(poison_rates, "poison rates")?,
        };
        for setting in grid.settings() {
            setting.validate()?;
        }
        if let Some(rate) = grid.poison_rates.iter().find(|rate| !(0.0..1.0).contains(*rate)) {
            return Err(ParameterError::new("poison rate", *rate, "it must be at least 0 and below 1").into());
        }
        Ok(grid)
    }

    /// Settings worth trying for a stream of so many points: learning rates from the slowest that learn anything in this time to 1.
    ///
    /// ```
    /// use unswayed::design::Grid;
    /// assert_eq!(Grid::for_horizon(100_000).learning_rates, [1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1]);
    /// assert_eq!(Grid::for_horizon(1_000).learning_rates, [1e-2, 3e-2, 1e-1, 3e-1, 1.0]);
    /// ```
    pub fn for_horizon(steps: u64) -> Grid {
        let slowest = (1.0 - (steps.max(1) as f64).log10()).round().clamp(-7.0, -1.0) as i32;
        // By way of text, which gives the number nearest to the decimal.
        let number = |digit: u32, power: i32| format!("{digit}e{power}").parse::<f64>().unwrap_or(1e-3);
        let rates = (0..7).map(|i| number(if i % 2 == 0 { 1 } else { 3 }, slowest + i / 2));
        Grid {
            learning_rates: rates.filter(|rate| *rate <= 1.0).collect(),
            regularizations: vec![1e-3, 3e-3, 1e-2, 3e-2, 1e-1],
            ..Grid::default()
        }
    }

    /// The same with one more value beyond each edge that the setting is on, as far as these may grow; none if it is on no such
    /// edge, or if what lies beyond is no learner.
    pub(super) fn beyond(&self, at: Setting, growing: Growing) -> Option<Grid> {
        let grow = |values: &[f64], value: f64, may: bool| {
            let mut values = values.to_vec();
            if may && value.to_bits() == values[0].to_bits() {
                values.insert(0, neighbour(value, false));
            }
            if may && value.to_bits() == values[values.len() - 1].to_bits() {
                values.push(neighbour(value, true));
            }
            values
        };
        let larger = Grid::new(
            grow(&self.learning_rates, at.learning_rate, growing.learning_rates),
            grow(&self.regularizations, at.regularization, growing.regularizations),
            self.poison_rates.clone(),
        );
        larger.ok().filter(|larger| larger != self)
    }

    /// Which axes a setting is at the end of, in words.
    pub fn edges(&self, at: Setting) -> Vec<&'static str> {
        let is_end = |values: &[f64], value: f64| {
            let ends = [values.first(), values.last()];
            values.len() > 1 && ends.into_iter().flatten().any(|end| end.to_bits() == value.to_bits())
        };
        let axes = [
            ("learning rate", is_end(&self.learning_rates, at.learning_rate)),
            ("regularization", is_end(&self.regularizations, at.regularization)),
        ];
        axes.into_iter().filter(|(_, is)| *is).map(|(name, _)| name).collect()
    }

    /// The settings, row by row: learning rate first.
    pub fn settings(&self) -> impl Iterator<Item = Setting> + '_ {
        let pair = |learning_rate: f64| {
            let with = move |regularization: &f64| Setting { learning_rate, regularization: *regularization };
            self.regularizations.iter().map(with)
        };
        self.learning_rates.iter().copied().flat_map(pair)
    }
}
