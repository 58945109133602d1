//! The paper's experiments, as functions: numbers in, curves out.

mod mean;
mod tasks;

pub use mean::{MeanExperiment, MeanResult};
pub use tasks::{PaperBound, TaskResult, preference_rows, run_tasks};

use crate::data::DataError;
use crate::design::DesignError;
use crate::error::{AttackError, CertifyError, ParameterError};

/// Losses along an axis, for one way to set up the learner.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Curve {
    /// What it is.
    pub name: String,
    /// Where.
    pub x: Vec<f64>,
    /// Certified losses.
    pub certified: Vec<f64>,
    /// What the strongest attack reached.
    pub attack: Vec<f64>,
    /// Losses without adversary.
    pub benign: Vec<f64>,
}

impl Curve {
    fn new(name: &str, x: &[f64]) -> Self {
        Curve { name: name.into(), x: x.to_vec(), ..Curve::default() }
    }

    fn push(&mut self, [certified, attack, benign]: [f64; 3]) {
        self.certified.push(certified);
        self.attack.push(attack);
        self.benign.push(benign);
    }
}

/// Curves that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What is held fixed.
    pub title: String,
    /// The curves.
    pub curves: Vec<Curve>,
}

/// Why an experiment could not be run.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// A parameter is outside its range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// Rows could not be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A certificate could not be made.
    #[error(transparent)]
    Certify(#[from] CertifyError),
    /// An attack could not be run.
    #[error(transparent)]
    Attack(#[from] AttackError),
    /// Rows that are no pairs.
    #[error("preference pairs need an even number of labelled rows: rows 2i and 2i+1 are a pair")]
    Pairs,
    /// A sweep could not be carried out.
    #[error(transparent)]
    Design(#[from] DesignError),
}
