//! A [`Problem`] is a validated statement and its rows: what everything else works on.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use unswayed_check::{
    Evidence, Failure, Feature, Learner, Loss, RatesError, Rows, Rule, Schedule, Set, Statement, Target,
    Threat, unsupported,
};

use crate::data::{
    Dataset, Labels, SetError, box_around, box_of, ellipsoid_around, ellipsoid_of, flips, require_alike,
    weights_as,
};
use crate::poison_weight::{PoisonWeightPolicy, poison_weight};

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

/// A loss by name; how many classes there are is told from the data.
///
/// ```
/// use unswayed::LossName;
/// use unswayed::check::Loss;
/// assert_eq!("logistic".parse(), Ok(LossName::from(Loss::Logistic)));
/// assert_eq!("multiclass".parse(), Ok(LossName::Multiclass));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LossName {
    /// This loss, which is not that of several classes.
    Of(Loss),
    /// The hinge loss for labels of two or more kinds.
    Multiclass,
}

impl From<Loss> for LossName {
    fn from(loss: Loss) -> Self {
        if let Loss::Multiclass(_) = loss { LossName::Multiclass } else { LossName::Of(loss) }
    }
}

/// What people call the squared loss.
const SQUARED: [&str; 5] = ["squared", "squared-error", "squared_error", "squared-loss", "mse"];
const NO_SQUARES: &str = "the squared loss has no bound: one point can move its learner anywhere; use huber=DELTA, which is half the \
                          square up to a distance of DELTA and a line beyond it";

impl FromStr for LossName {
    type Err = ProblemError;

    fn from_str(name: &str) -> Result<Self, ProblemError> {
        if name == "multiclass" {
            return Ok(LossName::Multiclass);
        }
        if SQUARED.contains(&name) {
            return Err(ProblemError::Loss(NO_SQUARES.to_owned()));
        }
        name.parse().map(LossName::Of).map_err(ProblemError::Loss)
    }
}

impl fmt::Display for LossName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LossName::Of(loss) => loss.fmt(f),
            LossName::Multiclass => f.write_str("multiclass"),
        }
    }
}

/// The points that the adversary may send. Numbers are in the units of the data files; the builder divides them by what the rows
/// were divided by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Adversary {
    /// ‖z‖ ≤ the radius.
    Ball,
    /// ‖z‖ ≤ the radius without the unregularized column, whose entry is that of every row, or minus it: the learner appends a
    /// constant to the features itself.
    Features,
    /// The smallest box around the rows.
    BoxAroundData,
    /// |z_j| ≤ R_j; one number for all columns, or one for each.
    Box(Vec<f64>),
    /// The ellipsoid of the Mahalanobis filter that lets all rows pass.
    EllipsoidAroundData,
    /// zᵀQ⁻¹z ≤ 1, Q row by row.
    Ellipsoid(Vec<f64>),
    /// One of these points z, one after the other.
    Points(Vec<f64>),
    /// One of the rows z of the data, or −z.
    Flips,
    /// A random row, as it is or with its label flipped.
    LabelFlips,
    /// Any point at all.
    Any,
}

impl fmt::Display for Adversary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Adversary::Ball => "ball",
            Adversary::Features => "features",
            Adversary::BoxAroundData | Adversary::Box(_) => "box",
            Adversary::EllipsoidAroundData | Adversary::Ellipsoid(_) => "ellipsoid",
            Adversary::Points(_) => "points",
            Adversary::Flips => "flips",
            Adversary::LabelFlips => "labels",
            Adversary::Any => "any",
        })
    }
}

/// A column of the features.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Column {
    /// By its index, from 0.
    Index(usize),
    /// By its index from the end: 1 is the last.
    FromEnd(usize),
    /// By its name.
    Name(String),
}

/// What a [`Problem`] is made of besides its data, learning rate, regularization and poison rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Template {
    /// The loss; hinge if not given, logistic for preferences.
    pub loss: Option<LossName>,
    /// The points that the adversary may send.
    pub adversary: Adversary,
    /// The largest norm of a poisoned point, in the units of the data file, for a ball and for features. Without it 1 after the division that the
    /// rows went through.
    pub radius: Option<f64>,
    /// For a regression loss: the largest |y| of the labels of poisoned points; any number without it.
    #[serde(default)]
    pub label_bound: Option<f64>,
    /// Where steps have weights: the largest step weight of a poisoned point, or of one of each class; without it the largest of a
    /// row or class, by class for features with a fixed entry.
    #[serde(default)]
    pub poison_weight: Option<PoisonWeightPolicy>,
    /// Points per step.
    pub batch: u64,
    /// The radius of the ball that every step is projected on.
    pub projection: Option<f64>,
    /// The norm at which the gradient of each point is clipped.
    pub clip: Option<f64>,
    /// Momentum μ in (0, 1), if steps have any.
    #[serde(default)]
    pub momentum: Option<f64>,
    /// The column that is not regularized.
    pub bias: Option<Column>,
    /// How the learning rate falls, if it does.
    #[serde(default)]
    pub decay: Option<Decay>,
    /// Whether the model that is judged is the average of all models so far.
    #[serde(default)]
    pub average: bool,
    /// The part of the rows of each dataset that may be hostile, nobody knows which; the bounds are for the others.
    #[serde(default)]
    pub contaminated: Option<f64>,
    /// W, if the adversary picks its moments: of each block of W points at most εW are its own. Without it a coin names them.
    #[serde(default)]
    pub moments: Option<u64>,
}

impl Default for Template {
    fn default() -> Self {
        Template {
            loss: None,
            adversary: Adversary::Ball,
            radius: None,
            label_bound: None,
            poison_weight: None,
            batch: 1,
            projection: None,
            clip: None,
            momentum: None,
            bias: None,
            decay: None,
            average: false,
            contaminated: None,
            moments: None,
        }
    }
}

/// How a learning rate falls. The bound holds for every rate that stays at most the learning rate and falls no faster, from some
/// step on; also for one that does not fall.
///
/// ```
/// use unswayed::Decay;
/// assert_eq!("optimal".parse(), Ok(Decay::Inverse));
/// assert_eq!("slowdown=0.001".parse(), Ok(Decay::Slowdown(0.001)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Decay {
    /// Like 1/(σt): Pegasos, and scikit-learn's `learning_rate="optimal"`.
    Inverse,
    /// More slowly than 1/t: scikit-learn's `learning_rate="invscaling"` with a power below 1.
    Slow,
    /// 1/η_t grows by at most so much in each step.
    Slowdown(f64),
    /// The same from a given step on, as of a list of rates (see [`Decay::of_rates`]).
    From(Schedule),
    /// As it likes: averages over time are weighted by the rates.
    Weighted,
}

impl Decay {
    /// The share of σ that 1/η_t may grow by in each step where it grows ever more slowly.
    const SLOW: f64 = 0.01;

    fn schedule(self, regularization: f64) -> Schedule {
        let slowdown = match self {
            Decay::Inverse => regularization,
            Decay::Slow => Decay::SLOW * regularization,
            Decay::Slowdown(slowdown) => slowdown,
            Decay::From(schedule) => return schedule,
            Decay::Weighted => 0.0,
        };
        Schedule { slowdown, from_step: None, weighted: self == Decay::Weighted }
    }

    /// How these rates fall, one for each step and the last of them from there on: from where none is above the learning rate
    /// and they fall no faster than 1/(σt), beyond which there is no bound.
    ///
    /// # Errors
    /// Rates that are no positive numbers, or end above the learning rate.
    pub fn of_rates(rates: &[f64], learning_rate: f64, regularization: f64) -> Result<Self, RatesError> {
        Schedule::of_rates(rates, learning_rate, regularization).map(Decay::From)
    }
}

impl FromStr for Decay {
    type Err = ProblemError;

    fn from_str(name: &str) -> Result<Self, ProblemError> {
        match (name, name.strip_prefix("slowdown=").map(str::parse)) {
            ("optimal" | "pegasos", _) => Ok(Decay::Inverse),
            ("invscaling", _) => Ok(Decay::Slow),
            ("weighted", _) => Ok(Decay::Weighted),
            (_, Some(Ok(slowdown))) => Ok(Decay::Slowdown(slowdown)),
            _ => Err(ProblemError::Decay(name.to_owned())),
        }
    }
}

/// Collects what a [`Problem`] is made of.
#[derive(Clone, Debug)]
#[must_use]
pub struct ProblemBuilder {
    data: Vec<Arc<Dataset>>,
    target: Option<Dataset>,
    template: Template,
    learning_rate: f64,
    regularization: f64,
    poison_rate: f64,
}

/// Setters that store their argument.
macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $type:ty => $($place:ident).+ = $wrap:expr;)*) => {
        $($(#[$doc])*
        pub fn $name(mut self, $name: $type) -> Self {
            self.$($place).+ = $wrap($name);
            self
        })*
    };
}

impl ProblemBuilder {
    setters! {
        /// The loss; hinge if not given, logistic for preferences.
        loss: LossName => template.loss = Some;
        /// Learning rate η > 0.
        learning_rate: f64 => learning_rate = std::convert::identity;
        /// Regularization σ > 0, or 0 with a projection.
        regularization: f64 => regularization = std::convert::identity;
        /// Poison rate ε in [0, 1).
        poison_rate: f64 => poison_rate = std::convert::identity;
        /// The largest norm of a poisoned point, in the units of the data file, for a ball.
        radius: f64 => template.radius = Some;
        /// For a regression loss: the largest |y| of the labels of poisoned points; any number without it.
        label_bound: f64 => template.label_bound = Some;
        /// The points that the adversary may send; a ball if not given.
        adversary: Adversary => template.adversary = std::convert::identity;
        /// The rows that the loss is averaged over, if not the data.
        target: Dataset => target = Some;
        /// Points per step.
        batch: u64 => template.batch = std::convert::identity;
        /// The radius of the ball that every step is projected on.
        projection: f64 => template.projection = Some;
        /// The norm at which the gradient of each point is clipped.
        clip: f64 => template.clip = Some;
        /// Momentum μ in [0, 1): v ← μv + gradient, θ ← θ − ηv.
        momentum: f64 => template.momentum = without_zero;
        /// The column that is not regularized.
        bias: Column => template.bias = Some;
        /// How the learning rate falls, if it does.
        decay: Decay => template.decay = Some;
        /// Whether the model that is judged is the average of all models so far.
        average: bool => template.average = std::convert::identity;
        /// The part of the rows of each dataset that may be hostile, nobody knows which; the bounds are for the others.
        contaminated: f64 => template.contaminated = Some;
        /// The adversary picks its moments: of each block of so many points at most the poison rate are its own.
        moments: u64 => template.moments = Some;
    }

    /// Where steps have weights: the largest step weight of a poisoned point, or of one of each class; if not given the largest of a
    /// row or class, by class for features with a fixed entry.
    pub fn poison_weight(mut self, poison_weight: impl Into<PoisonWeightPolicy>) -> Self {
        self.template.poison_weight = Some(poison_weight.into());
        self
    }

    /// The problem.
    ///
    /// # Errors
    /// Numbers outside their range, data that do not fit each other or the loss, and combinations that no theorem covers.
    pub fn build(self) -> Result<Problem, ProblemError> {
        let Some(first) = self.data.first() else { return Err(ProblemError::NoData) };
        let others = self.data[1..].iter().map(AsRef::as_ref).chain(&self.target);
        require_alike(first, others).map_err(|error| ProblemError::Data(error.to_string()))?;
        let learner = Learner {
            schedule: self.template.decay.map(|decay| decay.schedule(self.regularization)),
            average: self.template.average,
            batch: self.template.batch,
            projection: self.template.projection,
            clip: self.template.clip,
            momentum: self.template.momentum,
            unregularized: self
                .template
                .bias
                .as_ref()
                .map(|c| column(c, first))
                .transpose()?
                .into_iter()
                .collect(),
            ..Learner::new(self.loss_for(first)?, self.learning_rate, self.regularization)
        };
        let label_bound = self.template.label_bound;
        let set = self.set()?;
        let poison_weight = poison_weight(self.template.poison_weight.as_ref(), &self.data, &set, &learner)?;
        let (poison_rate, moments) = (self.poison_rate, self.template.moments);
        let threat = Threat { poison_rate, set, label_bound, poison_weight, moments };
        let data: Vec<&Dataset> = self.data.iter().map(AsRef::as_ref).collect();
        let weights =
            self.target.as_ref().map(|target| data.iter().map(|one| weights_as(one, target)).collect());
        let hostile_rows = self.hostile_rows()?;
        let (target, rows) = match (weights, self.target) {
            (Some(Some(weights)), _) => (Target::Weights(weights), None),
            (Some(None), Some(target)) => (Target::Rows(target.origin().clone()), Some(Arc::new(target))),
            _ => (Target::Data, None),
        };
        let origins = data.iter().map(|data| data.origin().clone()).collect();
        let statement = Statement { learner, threat, data: origins, hostile_rows, target, horizon: None };
        let around =
            matches!(self.template.adversary, Adversary::BoxAroundData | Adversary::EllipsoidAroundData);
        let decay = self.template.decay;
        let problem = Problem { statement, data: self.data, target: rows, is_set_around_data: around, decay };
        problem.validate()?;
        Ok(problem)
    }

    fn loss_for(&self, data: &Dataset) -> Result<Loss, ProblemError> {
        let by_data = if data.origin().labels == Labels::Preferences { Loss::Logistic } else { Loss::Hinge };
        let classes = match &data.origin().labels {
            Labels::Multiclass { labels } => Some(labels.len()),
            _ => None,
        };
        match (self.template.loss.unwrap_or(LossName::Of(by_data)), classes) {
            (LossName::Multiclass, None) => Err(ProblemError::NoClasses),
            (LossName::Multiclass, Some(classes)) => Ok(Loss::Multiclass(classes)),
            (_, Some(_)) => Err(ProblemError::Classes),
            (LossName::Of(loss), None) => {
                match (loss.is_regression(), data.origin().labels == Labels::Numbers) {
                    (true, false) => Err(ProblemError::NoNumbers),
                    (false, true) => Err(ProblemError::Numbers),
                    _ => Ok(loss),
                }
            }
        }
    }

    /// How many rows of each dataset may be hostile: the whole rows in the part that may be.
    fn hostile_rows(&self) -> Result<Vec<usize>, ProblemError> {
        let Some(part) = self.template.contaminated else { return Ok(vec![]) };
        if !(0.0..1.0).contains(&part) {
            return Err(ProblemError::Contaminated(part));
        }
        let counts: Vec<usize> = self.data.iter().map(|data| whole_part(part, data.rows())).collect();
        let most = self.data.iter().map(|data| data.rows()).max().unwrap_or(0);
        if part > 0.0 && counts.iter().all(|&count| count == 0) {
            return Err(ProblemError::NoRowContaminated { part, rows: most });
        }
        Ok(if part > 0.0 { counts } else { vec![] })
    }

    /// The entry of the unregularized column, which must be the same in every row but for the sign that is the label.
    fn constant(&self, data: &[&Dataset]) -> Result<f64, ProblemError> {
        let Some(bias) = &self.template.bias else { return Err(ProblemError::FeaturesWithoutBias) };
        let column = column(bias, data[0])?;
        let is_number = data[0].origin().labels == Labels::Numbers;
        let constant = common_entry(data, column, is_number);
        constant.ok_or(ProblemError::NoConstant { column: column + 1 })
    }

    /// The set, in the units of the rows.
    fn set(&self) -> Result<Set, ProblemError> {
        let data: Vec<&Dataset> = self.data.iter().map(AsRef::as_ref).collect();
        let (columns, scale) = (data[0].origin().columns, data[0].origin().scale);
        let bad = |error: SetError| ProblemError::Set {
            adversary: self.template.adversary.to_string(),
            error: error.to_string(),
        };
        let has_radius = matches!(self.template.adversary, Adversary::Ball | Adversary::Features);
        if self.template.radius.is_some() && !has_radius {
            return Err(ProblemError::RadiusWithoutBall);
        }
        // Labels that are real numbers could be set anywhere in [−1, 1], and only the sign of z is covered.
        let scores = data.iter().any(|data| data.origin().labels == Labels::Scores);
        if scores && matches!(self.template.adversary, Adversary::Flips | Adversary::LabelFlips) {
            return Err(ProblemError::Scores);
        }
        let rows = |numbers: &[f64]| {
            let adversary = self.template.adversary.to_string();
            let rows = Dataset::from_rows(numbers.to_vec(), columns, None);
            rows.map_err(|error| ProblemError::Set { adversary, error: error.to_string() })
        };
        let radius = self.template.radius.map_or(1.0, |radius| divided_up(radius, scale));
        Ok(match &self.template.adversary {
            Adversary::Ball => Set::Ball { radius },
            Adversary::Features => Set::Features { radius, constant: self.constant(&data)? },
            Adversary::BoxAroundData => Set::Box { radii: box_around(&data) },
            Adversary::Box(radii) => {
                let radii = box_of(radii.clone(), columns).map_err(bad)?;
                Set::Box { radii: radii.into_iter().map(|radius| divided_up(radius, scale)).collect() }
            }
            Adversary::EllipsoidAroundData => Set::Ellipsoid { q: ellipsoid_around(&data).map_err(bad)? },
            Adversary::Ellipsoid(_) if data[0].origin().is_scaled() => {
                return Err(ProblemError::ScaledEllipsoid);
            }
            Adversary::Ellipsoid(q) => Set::Ellipsoid { q: ellipsoid_of(&rows(q)?).map_err(bad)? },
            Adversary::Points(points) => {
                Set::Points { points: rows(points)?.z().iter().map(|z| z / scale + 0.0).collect() }
            }
            Adversary::Flips => Set::Points { points: flips(&data) },
            Adversary::LabelFlips => Set::LabelFlips,
            Adversary::Any => Set::Any,
        })
    }
}

/// The size of an entry that all rows have; `None` if they have others. For a regression loss it has the same sign, too.
fn common_entry(data: &[&Dataset], column: usize, is_number: bool) -> Option<f64> {
    let entries = data.iter().flat_map(|data| data.iter()).map(|row| row[column + usize::from(is_number)]);
    let mut sizes = entries.map(|entry| if is_number { entry } else { entry.abs() });
    let first = sizes.next()?;
    sizes.all(|size| size.to_bits() == first.to_bits()).then_some(first)
}

/// No momentum is a momentum of 0.
fn without_zero(momentum: f64) -> Option<f64> {
    Some(momentum).filter(|momentum| *momentum != 0.0)
}

/// The whole rows in a part of so many. A part such as 0.29 of 100 means 29, though the nearest double is below it.
fn whole_part(part: f64, rows: usize) -> usize {
    let rows = rows as f64;
    (part * rows * (1.0 + 4.0 * f64::EPSILON)).floor().min(rows) as usize
}

/// A number that is not below x/scale, and x itself where nothing was divided.
fn divided_up(x: f64, scale: f64) -> f64 {
    let quotient = x / scale + 0.0;
    if (scale - 1.0).abs() > 0.0 && x > 0.0 { quotient.next_up() } else { quotient }
}

fn column(column: &Column, data: &Dataset) -> Result<usize, ProblemError> {
    let columns = data.origin().columns;
    let found = match column {
        Column::Index(index) => Some(*index),
        Column::FromEnd(place) => columns.checked_sub(*place),
        Column::Name(name) => data.names().iter().position(|own| *own == name),
    };
    found
        .filter(|found| *found < columns)
        .ok_or_else(|| ProblemError::NoColumn { column: column.clone(), columns })
}

/// Why there is no such problem.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// There are no datasets.
    #[error("there are no data")]
    NoData,
    /// There is no such loss.
    #[error("{0}")]
    Loss(String),
    /// There is no such schedule of learning rates.
    #[error("{0:?} is none of optimal, pegasos, invscaling, slowdown=NUMBER, weighted")]
    Decay(String),
    /// A number is outside its range, or rows do not fit.
    #[error("{}", .0.reason)]
    Invalid(Failure),
    /// No theorem covers this.
    #[error("{0}")]
    Unsupported(&'static Rule),
    /// A part of the rows that is none.
    #[error(
        "contaminated is {0}, but must be at least 0 and below 1, as the part of the rows that may be hostile"
    )]
    Contaminated(f64),
    /// A part of the rows that has no whole row.
    #[error("{part} of {rows} rows is less than one row; leave contaminated out, or take a larger part")]
    NoRowContaminated {
        /// The part.
        part: f64,
        /// The rows of the largest dataset.
        rows: usize,
    },
    /// Datasets do not fit each other.
    #[error("{0}")]
    Data(String),
    /// The adversary's set makes no sense.
    #[error("adversary {adversary}: {error}")]
    Set {
        /// Its name.
        adversary: String,
        /// What is wrong.
        error: String,
    },
    /// A radius for a set that is not a ball.
    #[error("a radius is for a ball of points; leave it out, or give the box its own radii")]
    RadiusWithoutBall,
    /// A fixed entry without a column that has it.
    #[error("an adversary of features needs the unregularized column (bias) whose entry the learner appends")]
    FeaturesWithoutBias,
    /// An entry that is not the same in every row.
    #[error(
        "the entries of column {column} are not all of one size: no constant that the learner appends itself; use a ball of points"
    )]
    NoConstant {
        /// The column, from 1.
        column: usize,
    },
    /// Step weights of points by class for labels that are not two classes.
    #[error("poison weights by class need labels of two classes; give one number")]
    NoClassesOfPoints,
    /// Step weights of points that are not one for each class.
    #[error("poison weights by class must name both classes, {negative:?} and {positive:?}, once")]
    ClassesOfPoints {
        /// The class that is −1.
        negative: String,
        /// The class that is +1.
        positive: String,
    },
    /// Flips of labels that are real numbers.
    #[error(
        "flips turn a label into its opposite, but these labels are real scores, which an adversary could set anywhere in \
         [−1, 1]; use a ball or box of points"
    )]
    Scores,
    /// An ellipsoid in the units of a file whose rows were divided.
    #[error(
        "an ellipsoid cannot be divided without rounding; divide the data and Q before, and do not normalize"
    )]
    ScaledEllipsoid,
    /// The multi-class loss without classes.
    #[error("the multi-class loss needs labels that are read as classes")]
    NoClasses,
    /// Another loss on rows that begin with their class.
    #[error("the rows begin with their classes: they are for the multi-class loss")]
    Classes,
    /// A regression loss on rows without labels that are numbers.
    #[error("a regression loss needs labels that are read as numbers")]
    NoNumbers,
    /// Another loss on rows that begin with a number.
    #[error("the labels are numbers to predict: they are for a regression loss, such as huber=1")]
    Numbers,
    /// The rows are not those of a statement.
    #[error("these are not the rows of the certificate: {0}")]
    OtherRows(String),
    /// There is no such column.
    #[error("there is no column {column:?}; the data have {columns} columns")]
    NoColumn {
        /// The column asked for.
        column: Column,
        /// How many there are.
        columns: usize,
    },
}
