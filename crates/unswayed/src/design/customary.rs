//! What the learner that most people run would have been certified at.

use super::plan::Request;
use super::sweep::Task;
use crate::certify::{Options, Series};
use crate::error::CertifyError;
use crate::problem::{Decay, Problem, Template};

/// scikit-learn's default `alpha`.
const REGULARIZATION: f64 = 1e-4;
/// Its default rates fall like 1/(σt); the bound is for the steps from which on they are at most this.
const LEARNING_RATE: f64 = 1e-4;

/// scikit-learn's default setting (`SGDClassifier`: `alpha=0.0001`, `learning_rate="optimal"`), with the loss and against the threat of
/// the design: long-run bounds on one task.
#[derive(Clone, Debug, PartialEq)]
pub struct Customary {
    /// The task's name.
    pub task: String,
    /// Poison rate, certified loss and certified error; poison rates without a proof are left out.
    pub bounds: Vec<(f64, f64, Option<f64>)>,
}

/// Certifies the customary learner on a task.
pub(super) fn customary(task: &Task, request: &Request) -> Customary {
    let template = Template {
        decay: Some(Decay::Inverse),
        average: false,
        batch: 1,
        projection: None,
        clip: None,
        momentum: None,
        bias: None,
        ..request.template.clone()
    };
    let mut series = Series::new(Options::default());
    let mut bound = |rate: f64| -> Result<(f64, f64, Option<f64>), CertifyError> {
        let problem = Problem::of_template(task.data.clone(), template.clone())
            .learning_rate(LEARNING_RATE)
            .regularization(REGULARIZATION)
            .poison_rate(rate)
            .build()?;
        let outcome = series.certify(&problem)?;
        Ok((rate, outcome.certified_loss, outcome.certified_error))
    };
    let bounds = request.grid.poison_rates.iter().filter_map(|rate| bound(*rate).ok()).collect();
    Customary { task: task.name.clone(), bounds }
}
