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

    /// The settings, row by row: learning rate first.
    pub fn settings(&self) -> impl Iterator<Item = Setting> + '_ {
        let pair = |learning_rate: f64| {
            let with = move |regularization: &f64| Setting { learning_rate, regularization: *regularization };
            self.regularizations.iter().map(with)
        };
        self.learning_rates.iter().copied().flat_map(pair)
    }
}
