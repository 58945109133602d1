//! What is certified about linear learners, and the numbers that prove it.
//!
//! The letters are those of `docs/learners.md`; `docs/certificate-format.md` lists the conditions.

use crate::DataInfo;
use crate::format::Horizon;

/// A linear learner θ' = (1−ησ)θ + ηg with its loss, its adversary and the target it is judged by.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    /// Step size η.
    pub learning_rate: f64,
    /// Regularization σ.
    pub regularization: f64,
    /// Probability ε of a poisoned point.
    pub poison_rate: f64,
    /// The loss whose gradient steps the learner takes.
    pub loss: Loss,
    /// Variants of the step.
    pub step: Step,
    /// The points the adversary may send.
    pub set: Set,
    /// What the loss is averaged over.
    pub target: Target,
}

/// The loss of a linear learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// max(0, 1 − θᵀz).
    Hinge,
    /// log(1 + exp(−θᵀz)); preferences are rows z = chosen − rejected.
    Logistic,
    /// The multi-class hinge loss with so many classes. The first entry of each row is its label
    /// (0 to K−1), the others are x.
    Classes(usize),
}

/// Variants of the step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Points per step; the bounds are the same for all sizes.
    pub batch: u64,
    /// Radius ϱ of the ball every step is projected on.
    pub projection: Option<f64>,
    /// The norm G at which the gradient of each single point is clipped.
    pub clip: Option<f64>,
    /// Coordinates without regularization, in increasing order.
    pub free: Vec<usize>,
}

impl Default for Step {
    fn default() -> Self {
        Step { batch: 1, projection: None, clip: None, free: vec![] }
    }
}

/// The points the adversary may send.
#[derive(Clone, Debug, PartialEq)]
pub enum Set {
    /// ‖z‖ ≤ R; for classes ‖x‖ ≤ R with any label.
    Ball {
        /// R
        radius: f64,
    },
    /// |z_j| ≤ R_j.
    Box {
        /// R_1 … R_d
        radii: Vec<f64>,
    },
    /// zᵀQ⁻¹z ≤ 1.
    Ellipsoid {
        /// Q: the upper triangle, column by column.
        q: Vec<f64>,
    },
    /// One of these points.
    Points {
        /// The points, one after the other.
        points: Vec<f64>,
    },
    /// A row drawn by nature, with a label of the adversary's choice: z_i or −z_i.
    Labels,
    /// Any point at all; the step must clip.
    Any,
}

/// What the loss is averaged over.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// The data.
    Data,
    /// The rows of each dataset with these weights, which are divided by their sum.
    Weights(Vec<Vec<f64>>),
    /// Rows of their own.
    Rows,
}

/// How the rows are bounded: the name of the method in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Lines above hinge rows (also those of classes) on the whole line: `u`.
    Hinge,
    /// Lines above hinge rows and target rows on an interval: `y`, `reach`, `target_y`, `target_reach`.
    Interval,
    /// Lines above logistic rows: `u`, `w`.
    Logistic,
    /// Lines above hinge rows together with an adversary who chooses labels: `u`.
    LabelHinge,
    /// Lines above logistic rows together with an adversary who chooses labels: `u`, `w`, `w2`.
    LabelLogistic,
    /// Lines above hinge rows (also those of classes) and the error: `u`, `u2`, `c`.
    ErrorHinge,
    /// Lines above logistic rows and the error: `u`, `w`, `w2`.
    ErrorLogistic,
    /// Lines above clipped hinge rows: `u`, `low`, `high`.
    ClippedHinge,
    /// Lines above clipped logistic rows: `u`, `w`, `low`.
    ClippedLogistic,
}

/// All methods.
const METHODS: [Method; 9] = [
    Method::Hinge,
    Method::Interval,
    Method::Logistic,
    Method::LabelHinge,
    Method::LabelLogistic,
    Method::ErrorHinge,
    Method::ErrorLogistic,
    Method::ClippedHinge,
    Method::ClippedLogistic,
];

impl Method {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Method::Hinge => "hinge",
            Method::Interval => "interval",
            Method::Logistic => "logistic",
            Method::LabelHinge => "label-hinge",
            Method::LabelLogistic => "label-logistic",
            Method::ErrorHinge => "error-hinge",
            Method::ErrorLogistic => "error-logistic",
            Method::ClippedHinge => "clipped-hinge",
            Method::ClippedLogistic => "clipped-logistic",
        }
    }

    /// The method of that name.
    pub(crate) fn named(name: &str) -> Option<Method> {
        METHODS.into_iter().find(|m| m.name() == name)
    }

    /// Whether the method bounds the error, not the loss.
    pub fn is_error(self) -> bool {
        matches!(self, Method::ErrorHinge | Method::ErrorLogistic)
    }

    /// The vectors of [`Lines`] that the method needs; the others must be empty.
    pub(crate) fn vectors(self) -> &'static [&'static str] {
        match self {
            Method::Hinge | Method::LabelHinge => &["u"],
            Method::Interval => &["y", "reach"],
            Method::Logistic => &["u", "w"],
            Method::LabelLogistic | Method::ErrorLogistic => &["u", "w", "w2"],
            Method::ErrorHinge => &["u", "u2", "c"],
            Method::ClippedHinge => &["u", "low", "high"],
            Method::ClippedLogistic => &["u", "w", "low"],
        }
    }
}

/// The numbers that prove a bound for a linear learner.
///
/// The cases are ordered: by dataset, then by shell, then by the part of the adversary's set (each
/// point of a finite set, each label if `by_label`; otherwise there is one part).
#[derive(Clone, Debug, PartialEq)]
pub struct LinearWitness {
    /// How the rows are bounded.
    pub method: Method,
    /// α, the curvature of λ.
    pub alpha: f64,
    /// β, the slope of λ.
    pub beta: Vec<f64>,
    /// ω with ωI ≻ Q, for an ellipsoid.
    pub omega: Option<f64>,
    /// Shells that cover all θ, if there are any.
    pub shells: Option<Shells>,
    /// For classes: whether each label of the adversary's point is a case of its own.
    pub by_label: bool,
    /// Lines above the rows. Cases may share them.
    pub lines: Vec<Lines>,
    /// The cases.
    pub cases: Cases,
}

/// Shells r_{m−1} ≤ ‖θ − o‖ ≤ r_m, with r_0 = 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shells {
    /// The centre o.
    pub centre: Vec<f64>,
    /// The outer radii r_1 < r_2 < ….
    pub radii: Vec<f64>,
    /// ϱ, a norm that θ never exceeds.
    pub ball: f64,
}

/// Lines above the rows of one dataset, in one shell if there are shells. Vectors that the method
/// does not need are empty.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "the fields are the letters of the format's description")]
pub struct Lines {
    /// The dataset, from 0.
    pub dataset: usize,
    /// The shell, from 0; 0 if there are no shells.
    pub shell: usize,
    pub u: Vec<f64>,
    pub u2: Vec<f64>,
    pub c: Vec<f64>,
    pub w: Vec<f64>,
    pub w2: Vec<f64>,
    pub y: Vec<f64>,
    pub reach: Vec<f64>,
    pub low: Vec<f64>,
    pub high: Vec<f64>,
    pub target_y: Vec<f64>,
    pub target_reach: Vec<f64>,
}

impl Lines {
    /// All vectors under their names in files.
    #[rustfmt::skip]
    pub(crate) fn vectors(&self) -> [(&'static str, &Vec<f64>); 11] {
        [
            ("u", &self.u), ("u2", &self.u2), ("c", &self.c), ("w", &self.w), ("w2", &self.w2), ("y", &self.y),
            ("reach", &self.reach), ("low", &self.low), ("high", &self.high),
            ("target_y", &self.target_y), ("target_reach", &self.target_reach),
        ]
    }

    /// The vector of that name.
    #[rustfmt::skip]
    pub(crate) fn vector_mut(&mut self, name: &str) -> Option<&mut Vec<f64>> {
        Some(match name {
            "u" => &mut self.u, "u2" => &mut self.u2, "c" => &mut self.c, "w" => &mut self.w, "w2" => &mut self.w2,
            "y" => &mut self.y, "reach" => &mut self.reach, "low" => &mut self.low, "high" => &mut self.high,
            "target_y" => &mut self.target_y, "target_reach" => &mut self.target_reach,
            _ => return None,
        })
    }
}

/// The numbers of the cases, one entry (or row) per case. Vectors that are not needed are empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cases {
    /// Which of the lines the case uses.
    pub lines: Vec<usize>,
    /// τ; d numbers per case for a box. Not for finite sets and label-only adversaries.
    pub tau: Vec<f64>,
    /// ν. As τ, and not with free coordinates, where it is 2αk.
    pub nu: Vec<f64>,
    /// For a finite set: the slope of the point's line as a share of 2αk.
    pub share: Vec<f64>,
    /// For a finite set and the logistic loss: the point's w₀.
    pub w: Vec<f64>,
    /// For an ellipsoid: d numbers near A⁻¹v.
    pub x: Vec<f64>,
    /// With shells: ω, the multiplier of ‖θ−o‖ ≤ r_m.
    pub outer: Vec<f64>,
    /// With shells: μ, the multiplier of ‖θ−o‖ ≥ r_{m−1}.
    pub inner: Vec<f64>,
}

impl Cases {
    /// All vectors of numbers under their names in files.
    #[rustfmt::skip]
    pub(crate) fn vectors(&self) -> [(&'static str, &Vec<f64>); 7] {
        [
            ("tau", &self.tau), ("nu", &self.nu), ("share", &self.share), ("w", &self.w), ("x", &self.x),
            ("outer", &self.outer), ("inner", &self.inner),
        ]
    }

    /// The vector of that name.
    #[rustfmt::skip]
    pub(crate) fn vector_mut(&mut self, name: &str) -> Option<&mut Vec<f64>> {
        Some(match name {
            "tau" => &mut self.tau, "nu" => &mut self.nu, "share" => &mut self.share, "w" => &mut self.w,
            "x" => &mut self.x, "outer" => &mut self.outer, "inner" => &mut self.inner,
            _ => return None,
        })
    }
}

/// A bound for a linear learner and the numbers that prove it.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearClaim {
    /// The claimed upper bound.
    pub bound: f64,
    /// The proof.
    pub witness: LinearWitness,
}

/// The numbers that bound the long-run loss on new data, with confidence 1 − δ (Theorem L18). They must have been chosen before the
/// rows were drawn, from other data.
#[derive(Clone, Debug, PartialEq)]
pub struct Confidence {
    /// How far a mean is from its expectation.
    pub deviation: Deviation,
    /// α, the curvature of λ.
    pub alpha: f64,
    /// β, the slope of λ.
    pub beta: Vec<f64>,
    /// τ; d numbers for a box.
    pub tau: Vec<f64>,
    /// ν
    pub nu: f64,
    /// ω with ωI ≻ Q, for an ellipsoid.
    pub omega: Option<f64>,
    /// θ̂ of the rule y(z) = κ·clip((1 − θ̂ᵀz)·gain + ½, 0, 1).
    pub theta: Vec<f64>,
    /// The gain of the rule.
    pub gain: f64,
    /// r, a norm that no benign point exceeds: the learner refuses longer ones.
    pub radius: f64,
    /// δ, the probability of a sample that misleads.
    pub delta: f64,
}

/// How far the mean of a sample is from its expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deviation {
    /// By the range alone: Hoeffding's inequality.
    Hoeffding,
    /// By the sample variance: Maurer and Pontil's empirical Bernstein inequality.
    Bernstein,
}

impl Deviation {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Deviation::Hoeffding => "hoeffding",
            Deviation::Bernstein => "bernstein",
        }
    }
}

/// A bound on the long-run loss on new data, and the numbers that prove it.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfidenceClaim {
    /// The claimed upper bound.
    pub bound: f64,
    /// The proof.
    pub confidence: Confidence,
}

/// Everything a certificate file about a linear learner holds.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearCertificate {
    /// Name and version of the program that wrote the file.
    pub tool: String,
    /// The datasets; more than one if the data drift.
    pub data: Vec<DataInfo>,
    /// The target's rows, present exactly if the target is [`Target::Rows`].
    pub target: Option<DataInfo>,
    /// The learner and the adversary.
    pub learner: Linear,
    /// The claim on the long-run loss.
    pub loss: LinearClaim,
    /// The claim on the long-run error, if there is one.
    pub error: Option<LinearClaim>,
    /// The claim on a finite number of steps, if there is one; its `m` is 0.
    pub horizon: Option<Horizon>,
    /// The claim on new data, if there is one.
    pub confidence: Option<ConfidenceClaim>,
}
