//! From data, a template and rates to a validated problem.

use std::sync::Arc;

use unswayed_check::{Learner, Loss, Set, Statement, Target, Threat};

use super::{Adversary, Column, Decay, LossName, Problem, ProblemError, Template};
use crate::data::{
    Dataset, Labels, SetError, box_around, box_of, ellipsoid_around, ellipsoid_of, flips, require_alike,
    weights_as,
};
use crate::poison_weight::{PoisonWeightPolicy, poison_weight};

/// Collects what a [`Problem`] is made of.
#[derive(Clone, Debug)]
#[must_use]
pub struct ProblemBuilder {
    pub(super) data: Vec<Arc<Dataset>>,
    pub(super) target: Option<Dataset>,
    pub(super) template: Template,
    pub(super) learning_rate: f64,
    pub(super) regularization: f64,
    pub(super) poison_rate: f64,
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
        #[cfg(feature = "general")]
        crate::sequential::decompose_on_one_thread();
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
