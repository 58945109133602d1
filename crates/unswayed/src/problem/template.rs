//! What a problem is made of besides its data and rates: the loss by name, the adversary, the schedule.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use unswayed_check::{Loss, RatesError, Schedule};

use super::ProblemError;
use crate::poison_weight::PoisonWeightPolicy;

/// What a [`Problem`](super::Problem) is made of besides its data, learning rate, regularization and poison rate.
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

    pub(super) fn schedule(self, regularization: f64) -> Schedule {
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
