//! A [`Problem`] is a validated statement and its rows: what everything else works on.

mod builder;
mod error;
mod template;

use std::sync::Arc;

use unswayed_check::{Evidence, Feature, Learner, Rows, Statement, Target, Threat, unsupported};

pub use self::builder::ProblemBuilder;
pub use self::error::ProblemError;
pub use self::template::{Adversary, Column, Decay, LossName, Template};
use crate::data::Dataset;

/// A learner, a threat and the rows they meet. Made by [`Problem::builder`], which refuses what no theorem covers.
///
/// ```
/// use unswayed::{Adversary, Dataset, Problem, certify};
///
/// let data = unswayed::data::sample()?.first(100)?;
/// let problem = Problem::builder(data)
///     .loss("logistic".parse()?)
///     .learning_rate(1e-3)
///     .regularization(0.01)
///     .poison_rate(0.05)
///     .adversary(Adversary::BoxAroundData)
///     .build()?;
/// let outcome = certify(&problem)?;
/// assert!(outcome.certified_loss < 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Problem {
    statement: Statement,
    data: Vec<Arc<Dataset>>,
    target: Option<Arc<Dataset>>,
    /// Whether the adversary's set was read off the data.
    is_set_around_data: bool,
    /// How the learning rate falls, for problems with other rates.
    decay: Option<Decay>,
}

impl Problem {
    /// A problem about these data. Several datasets mean that benign data may switch between them at any time.
    pub fn builder(data: impl IntoData) -> ProblemBuilder {
        Problem::of_template(data, Template::default())
    }

    /// A problem about these data with a learner and adversary that are known but for the rates.
    pub fn of_template(data: impl IntoData, template: Template) -> ProblemBuilder {
        ProblemBuilder {
            data: data.into_data(),
            target: None,
            template,
            learning_rate: f64::NAN,
            regularization: f64::NAN,
            poison_rate: f64::NAN,
        }
    }

    /// The learner, the threat and how the rows were made.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// How the model learns.
    pub fn learner(&self) -> &Learner {
        &self.statement.learner
    }

    /// What the adversary may do.
    pub fn threat(&self) -> &Threat {
        &self.statement.threat
    }

    /// The datasets; one, unless the data may drift.
    pub fn data(&self) -> &[Arc<Dataset>] {
        &self.data
    }

    /// The target's rows, if they are not all rows of the data.
    pub fn target(&self) -> Option<&Dataset> {
        self.target.as_deref()
    }

    /// The number of rows of all datasets.
    pub fn rows(&self) -> usize {
        self.data.iter().map(|data| data.rows()).sum()
    }

    /// The number of features of a point.
    pub fn columns(&self) -> usize {
        self.data[0].dimension() - self.learner().loss.label_entries()
    }

    /// The number of entries of the model θ.
    pub fn parameters(&self) -> usize {
        crate::learner::parameters(self.learner().loss, self.data[0].dimension())
    }

    /// The same with another poison rate.
    ///
    /// # Errors
    /// A rate that is not in [0, 1).
    pub fn with_poison_rate(&self, poison_rate: f64) -> Result<Problem, ProblemError> {
        let threat = Threat { poison_rate, ..self.threat().clone() };
        self.with(Statement { threat, ..self.statement.clone() })
    }

    /// The same with another learning rate and regularization.
    ///
    /// # Errors
    /// Numbers that are not positive, or whose product is 1 or more.
    pub fn with_rates(&self, learning_rate: f64, regularization: f64) -> Result<Problem, ProblemError> {
        let schedule = self.decay.map(|decay| decay.schedule(regularization)).or(self.learner().schedule);
        let learner = Learner { learning_rate, regularization, schedule, ..self.learner().clone() };
        self.with(Statement { learner, ..self.statement.clone() })
    }

    /// The same with plain steps at this rate in place of steps with momentum.
    pub(crate) fn without_momentum(&self, learning_rate: f64) -> Result<Problem, ProblemError> {
        let learner = Learner { learning_rate, momentum: None, ..self.learner().clone() };
        self.with(Statement { learner, ..self.statement.clone() })
    }

    fn with(&self, statement: Statement) -> Result<Problem, ProblemError> {
        let problem = Problem { statement, ..self.clone() };
        problem.validate()?;
        Ok(problem)
    }

    /// The problem of a statement, about these rows, which must have been made as it says.
    ///
    /// # Errors
    /// How the rows differ from those of the statement.
    pub(crate) fn of_statement(
        statement: Statement,
        data: Vec<Arc<Dataset>>,
        target: Option<Dataset>,
    ) -> Result<Problem, ProblemError> {
        let wanted = statement.data.iter().chain(match &statement.target {
            Target::Rows(origin) => Some(origin),
            _ => None,
        });
        let found: Vec<_> = data.iter().map(AsRef::as_ref).chain(&target).map(Dataset::origin).collect();
        let wanted: Vec<_> = wanted.collect();
        if wanted.len() != found.len() {
            return Err(ProblemError::OtherRows(format!(
                "the certificate is about {} datasets, not {}",
                wanted.len(),
                found.len()
            )));
        }
        for (wanted, found) in wanted.iter().zip(&found) {
            wanted.same_rows(found).map_err(ProblemError::OtherRows)?;
        }
        // Where a set came from is not in the statement.
        let problem =
            Problem { statement, data, target: target.map(Arc::new), is_set_around_data: false, decay: None };
        problem.validate()?;
        Ok(problem)
    }

    /// The same learner and threat on another single dataset, all rows of which are benign, judged by itself.
    pub(crate) fn on(&self, data: Dataset) -> Problem {
        let statement = Statement {
            data: vec![data.origin().clone()],
            hostile_rows: vec![],
            target: Target::Data,
            ..self.statement.clone()
        };
        Problem { statement, data: vec![Arc::new(data)], target: None, ..self.clone() }
    }

    /// The same on some of the rows of each dataset, as often as they are named.
    pub(crate) fn on_rows(&self, rows: &[Vec<usize>]) -> Result<Problem, ProblemError> {
        let pairs = || self.data.iter().zip(rows);
        let data = pairs().map(|(data, rows)| data.pick(rows).map(Arc::new)).collect::<Result<Vec<_>, _>>();
        let data = data.map_err(|error| ProblemError::Data(error.to_string()))?;
        let target = match &self.statement.target {
            Target::Weights(weights) => {
                let each = weights.iter().zip(rows);
                Target::Weights(each.map(|(w, rows)| rows.iter().map(|&row| w[row]).collect()).collect())
            }
            other => other.clone(),
        };
        let origins = data.iter().map(|data| data.origin().clone()).collect();
        let statement = Statement { data: origins, target, ..self.statement.clone() };
        let problem = Problem { statement, data, ..self.clone() };
        problem.validate()?;
        Ok(problem)
    }

    /// Whether a combination with something else is supported.
    pub(crate) fn require(&self, more: &[Feature]) -> Result<(), ProblemError> {
        let mut features = [unswayed_check::features(&self.statement), more.to_vec()].concat();
        features.extend(self.is_set_around_data.then_some(Feature::SetAroundData));
        unsupported(&features).map_or(Ok(()), |rule| Err(ProblemError::Unsupported(rule)))
    }

    /// The rows of the datasets as the checker takes them.
    pub(crate) fn data_rows(&self) -> Vec<Rows<'_>> {
        self.data.iter().map(|data| Rows::of(data)).collect()
    }

    /// All rows as the checker takes them.
    pub(crate) fn evidence<'a>(&'a self, data: &'a [Rows<'a>]) -> Evidence<'a> {
        Evidence { data, target: self.target().map(Rows::of) }
    }

    fn validate(&self) -> Result<(), ProblemError> {
        self.require(&[])?;
        let rows = self.data_rows();
        unswayed_check::validate(&self.statement, &self.evidence(&rows)).map_err(ProblemError::Invalid)
    }
}

/// One dataset or several.
pub trait IntoData {
    /// The datasets.
    fn into_data(self) -> Vec<Arc<Dataset>>;
}

impl IntoData for Dataset {
    fn into_data(self) -> Vec<Arc<Dataset>> {
        vec![Arc::new(self)]
    }
}

impl IntoData for Arc<Dataset> {
    fn into_data(self) -> Vec<Arc<Dataset>> {
        vec![self]
    }
}

impl IntoData for Vec<Dataset> {
    fn into_data(self) -> Vec<Arc<Dataset>> {
        self.into_iter().map(Arc::new).collect()
    }
}

impl IntoData for Vec<Arc<Dataset>> {
    fn into_data(self) -> Vec<Arc<Dataset>> {
        self
    }
}
