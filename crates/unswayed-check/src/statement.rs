//! What is claimed: the learner, the threat, the rows and the target. A [`Statement`] is complete: two statements that print
//! the same say the same.

use serde::{Deserialize, Serialize};

use crate::array;
use unswayed_data::{ClassWeights, Origin};

/// A linear learner, its threat, the rows it learns from and those it is judged by.
///
/// A step is θ' = P(kθ + (η/b)Σg): k = 1 − ησ, g minus the gradient of the loss on each of b points, times the point's step
/// weight if there are any, P the projection if there is one. With momentum μ it is v' = μv + (1/b)Σg − σθ, θ' = θ + ηv', from v = 0.
/// With probability ε a point is the adversary's, any of its set; otherwise it is a row of the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// How the model learns.
    pub learner: Learner,
    /// What the adversary may do.
    pub threat: Threat,
    /// The datasets; more than one if benign data may switch between them at any time.
    pub data: Vec<Origin>,
    /// How many rows of each dataset may be hostile, nobody knows which: benign points and the target are the others. Empty if
    /// all rows are benign.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hostile_rows: Vec<usize>,
    /// The rows that the loss is averaged over.
    pub target: Target,
    /// A number of steps and a start, if the average loss over the first steps is bounded too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub horizon: Option<Horizon>,
}

/// How the model learns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Learner {
    /// The loss whose gradient steps the learner takes.
    pub loss: Loss,
    /// Learning rate η; the largest one, if it changes.
    pub learning_rate: f64,
    /// How fast the learning rate may fall, if it changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    /// Regularization σ.
    pub regularization: f64,
    /// Momentum 0 < μ < 1, if steps have any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub momentum: Option<f64>,
    /// Points per step; the bounds are the same for all sizes.
    pub batch: u64,
    /// Radius ϱ of the ball that every step is projected on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub projection: Option<f64>,
    /// The norm G at which the gradient of each single point is clipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<f64>,
    /// The coordinate without regularization, from 0, if there is one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unregularized: Vec<usize>,
    /// Whether the model that is judged is the average of all models so far.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub average: bool,
}

/// Learning rates η_t ≤ η, each known before its step's coin, with 1/η_t − 1/η_{t−1} ≤ δ from some step on; or rates that fall as
/// they like, fixed in advance, if averages over time are weighted by them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// δ ≥ 0. A rate that falls like 1/(σt) has δ = σ; one that falls more slowly has any δ > 0 from some step on. With `weighted`
    /// it is 0, and says nothing.
    pub slowdown: f64,
    /// The step, from 1, from which on the rates are like that, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_step: Option<u64>,
    /// Whether averages over time are weighted by the rates, which then may fall as they like.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub weighted: bool,
}

impl Learner {
    /// A learner with this loss, learning rate and regularization, one point per step, and no variant of the step.
    pub fn new(loss: Loss, learning_rate: f64, regularization: f64) -> Self {
        Learner {
            loss,
            learning_rate,
            schedule: None,
            regularization,
            momentum: None,
            batch: 1,
            projection: None,
            clip: None,
            unregularized: vec![],
            average: false,
        }
    }
}

/// The loss of a linear learner.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// max(0, 1 − s) for the margin s = θᵀz.
    Hinge,
    /// The hinge with its kink rounded over this width q: (1 − s)²/(2q) for 1 − q ≤ s ≤ 1, a line below.
    SmoothHinge(f64),
    /// max(0, 1 − s)² for s ≥ −1, −4s below: scikit-learn's `modified_huber`.
    ModifiedHuber,
    /// log(1 + exp(−θᵀz)); for preferences the rows are z = chosen − rejected.
    Logistic,
    /// The multi-class hinge loss with so many classes. The first entry of each row is its class, from 0; the others are x.
    Multiclass(usize),
    /// |s − y| for the prediction s = θᵀx. The first entry of each row is its label y, a number; the others are x. The same
    /// holds for the losses below.
    Absolute,
    /// max(0, |s − y| − h), where predictions within h of the label cost nothing.
    EpsilonInsensitive(f64),
    /// ½(s − y)² up to a distance δ from the label, a line of slope δ beyond it.
    Huber(f64),
    /// q(y − s) where the prediction is too low, (1−q)(s − y) where it is too high.
    Quantile(f64),
}

/// What the adversary may do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Threat {
    /// Probability ε that a point is the adversary's; with `moments`, the part of a block that is.
    pub poison_rate: f64,
    /// The points that it may send; for a regression loss, their features x.
    pub set: Set,
    /// For a regression loss: the largest |y| of the labels that it may send with them. Without it they may be any numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_bound: Option<f64>,
    /// Where steps have weights: the largest step weight of a poisoned point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poison_weight: Option<PoisonWeight>,
    /// W, if the adversary picks its moments: of each block of W points, counted from the first, at most εW are its own. Without
    /// it a coin names them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moments: Option<u64>,
}

impl Threat {
    /// An adversary who sends points of norm at most `radius` at this rate.
    pub fn ball(poison_rate: f64, radius: f64) -> Self {
        Threat {
            poison_rate,
            set: Set::Ball { radius },
            label_bound: None,
            poison_weight: None,
            moments: None,
        }
    }
}

/// The largest step weight of a poisoned point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PoisonWeight {
    /// The same for all points.
    All(f64),
    /// By the class of the point, which its fixed entry shows (Lemma I2).
    ByClass(ClassWeights),
}

impl PoisonWeight {
    /// The larger one.
    pub fn largest(self) -> f64 {
        match self {
            PoisonWeight::All(weight) => weight,
            PoisonWeight::ByClass(weights) => weights.largest(),
        }
    }
}

/// The points that the adversary may send.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Set {
    /// ‖z‖ ≤ R; for several classes ‖x‖ ≤ R with any class.
    Ball {
        /// R
        radius: f64,
    },
    /// ‖z‖ ≤ R without the unregularized entry, which is the constant or minus it; for a regression loss it is the constant. So it
    /// is if the learner appends the constant to the features itself.
    Features {
        /// R
        radius: f64,
        /// c₀
        constant: f64,
    },
    /// |z_j| ≤ R_j.
    Box {
        /// R_1 … R_d
        #[serde(with = "array")]
        radii: Vec<f64>,
    },
    /// zᵀQ⁻¹z ≤ 1.
    Ellipsoid {
        /// Q: the upper triangle, column by column.
        #[serde(with = "array")]
        q: Vec<f64>,
    },
    /// One of these points.
    Points {
        /// The points, one after the other.
        #[serde(with = "array")]
        points: Vec<f64>,
    },
    /// A row z_i drawn by nature, as it is or with its label flipped: z_i or −z_i.
    LabelFlips,
    /// Any point at all; the learner must clip.
    Any,
}

/// The rows that the loss is averaged over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "there is one in a statement")]
pub enum Target {
    /// The data.
    Data,
    /// The rows of each dataset with these weights, which are divided by their sum.
    Weights(#[serde(with = "array::list")] Vec<Vec<f64>>),
    /// Rows of their own.
    Rows(Origin),
}

/// The first steps of a learner; where the learning rate changes, those from the step on that its schedule names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Horizon {
    /// Number of steps T; a batch is one step.
    pub steps: u64,
    /// The start θ_0.
    #[serde(with = "array")]
    pub start: Vec<f64>,
    /// Where the learning rate changes and averages are plain: a rate that the first of these steps has, or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_rate: Option<f64>,
    /// Where averages are weighted by the rates: what the rates of these steps add up to, or less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_rate: Option<f64>,
}

/// The mean learner θ' = (1−η)θ + ηz + noise, and an adversary who picks z with ‖z−μ‖² ≤ r at rate ε. Its loss is ‖θ−μ‖².
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeanStatement {
    /// Learning rate η.
    pub learning_rate: f64,
    /// Probability ε of a poisoned point.
    pub poison_rate: f64,
    /// Largest squared distance r of a poisoned point from the mean.
    pub squared_radius: f64,
    /// Trace of the covariance S of the added noise.
    pub noise_trace: f64,
    /// What is known of the benign points.
    pub benign: MeanBenign,
}

/// What is known of the benign points of the mean learner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "there is one in a statement")]
pub enum MeanBenign {
    /// They are draws from these samples.
    Samples(Origin),
    /// The trace of their covariance.
    CovarianceTrace(f64),
}
