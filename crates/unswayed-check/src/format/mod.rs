//! The certificate file: what is in it, how it is read and written.
//!
//! `docs/certificate-format.md` describes the format. Reading is strict: every tensor and every
//! piece of metadata must be known and needed, of the right type and shape, and finite.

mod linear;
mod read;
mod write;

use thiserror::Error;

/// Everything a certificate file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    /// Name and version of the program that wrote the file.
    pub tool: String,
    /// Which data the claims are about.
    pub data: DataInfo,
    /// The learner and the adversary.
    pub learner: Learner,
    /// The claim on the long-run loss.
    pub loss: Claim,
    /// The claim on the long-run error, if there is one.
    pub error: Option<Claim>,
    /// The claim on a finite number of steps, if there is one.
    pub horizon: Option<Horizon>,
}

/// Identifies the rows a certificate is about, and how they are made from a data file.
#[derive(Clone, Debug, PartialEq)]
pub struct DataInfo {
    /// Digest of the rows, see [`crate::Rows::digest`].
    pub sha256: String,
    /// Number of rows N.
    pub rows: usize,
    /// Dimension d.
    pub dimension: usize,
    /// Whether only the first N rows of the data file are meant.
    pub first_rows: bool,
    /// The labels that became −1 and +1; absent for real scores and for files of rows z.
    pub labels: Option<(String, String)>,
    /// The number all entries were divided by.
    pub scale: Option<f64>,
}

/// A learner together with its adversary.
#[derive(Clone, Debug, PartialEq)]
pub enum Learner {
    /// Online hinge classification.
    Hinge(Hinge),
    /// Online mean estimation.
    Mean(Mean),
}

/// θ' = (1−ησ)θ + η1[θᵀz ≤ 1]z, with an adversary who picks z with ‖z‖ ≤ R at rate ε.
#[derive(Clone, Debug, PartialEq)]
pub struct Hinge {
    /// Step size η.
    pub learning_rate: f64,
    /// Regularization σ.
    pub regularization: f64,
    /// Probability ε of a poisoned point.
    pub poison_rate: f64,
    /// Largest norm R of a poisoned point.
    pub radius: f64,
}

/// θ' = (1−η)θ + ηz + noise, with an adversary who picks z with ‖z−μ‖² ≤ r at rate ε.
#[derive(Clone, Debug, PartialEq)]
pub struct Mean {
    /// Step size η.
    pub learning_rate: f64,
    /// Probability ε of a poisoned point.
    pub poison_rate: f64,
    /// Largest squared distance r of a poisoned point from the mean.
    pub squared_radius: f64,
    /// Trace of the covariance S of the added noise.
    pub noise_trace: f64,
    /// Trace of the covariance of the benign points; present exactly if there are no rows.
    pub covariance_trace: Option<f64>,
}

/// A bound and the numbers that prove it.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The claimed upper bound.
    pub bound: f64,
    /// The proof.
    pub witness: Witness,
}

/// The numbers that prove a bound, one variant per method.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the fields are the letters of the format's description")]
pub enum Witness {
    /// `convexity`: the hinge loss of the hinge learner.
    Convexity { alpha: f64, beta: Vec<f64>, tau: f64, nu: f64, u: Vec<f64> },
    /// `bounded-range`: the same, using that the parameters stay in a ball.
    BoundedRange {
        alpha: f64,
        beta: Vec<f64>,
        tau: f64,
        nu: f64,
        mu: f64,
        ball: f64,
        reach: Vec<f64>,
        y: Vec<f64>,
    },
    /// `zero-one`: the error of the hinge learner.
    ZeroOne { alpha: f64, beta: Vec<f64>, tau: f64, nu: f64, u: Vec<f64>, u2: Vec<f64>, c: Vec<f64> },
    /// `paper`: the hinge loss of the hinge learner, by the paper's semidefinite program.
    Paper(Box<PaperWitness>),
    /// `closed-form`: the squared error of the mean learner.
    ClosedForm { alpha: f64, nu: f64 },
}

/// The numbers of the method `paper`; the format's description says what they do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PaperWitness {
    /// A: the upper triangle, column by column.
    pub a: Vec<f64>,
    /// b.
    pub b: Vec<f64>,
    /// m_i, one number per row.
    pub m: Vec<f64>,
    /// h_i, d numbers per row.
    pub h: Vec<f64>,
    /// ν8, the multiplier of ‖θ‖ ≤ ϱ.
    pub nu8: f64,
    /// ν9, the multiplier of θᵀz ≤ 1.
    pub nu9: f64,
    /// ν10, the multiplier of ‖z‖ ≤ R.
    pub nu10: f64,
    /// ϱ, a norm that θ never exceeds.
    pub ball: f64,
    /// H, which no |θᵀz_i| exceeds.
    pub reach: f64,
    /// l, below all eigenvalues of A.
    pub low: f64,
    /// u, above all eigenvalues of A.
    pub high: f64,
    /// δ > 0 with D ⪰ δI.
    pub delta: f64,
    /// θ̂, the first half of a vector near D⁻¹g.
    pub theta: Vec<f64>,
    /// ẑ, the second half.
    pub point: Vec<f64>,
}

/// A claim on the average loss over the first steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Horizon {
    /// Number of steps T.
    pub steps: u64,
    /// Starting point θ_0.
    pub start: Vec<f64>,
    /// The number m of the methods `bounded-range` and `paper`; 0 for the others.
    pub m: f64,
    /// The claimed upper bound.
    pub bound: f64,
}

/// Why a file is not a readable certificate.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FormatError {
    /// The file is not in the safetensors format, or it is cut short.
    #[error("not a safetensors file: {0}")]
    NotSafetensors(String),
    /// A metadata entry is missing.
    #[error("the metadata entry {0} is missing")]
    MissingText(String),
    /// A metadata entry is not part of the format, or not of a certificate of this kind.
    #[error("the metadata entry {0} is unknown here")]
    UnknownText(String),
    /// A metadata entry has a value that it must not have.
    #[error("the metadata entry {key} is {value:?}, which is not {wanted}")]
    BadText {
        /// The entry.
        key: String,
        /// Its value.
        value: String,
        /// What it must be.
        wanted: &'static str,
    },
    /// The method is unknown, or proves no such claim for this learner.
    #[error("{claim}.method is {method:?}, which proves no such claim for the {learner} learner")]
    BadMethod {
        /// `loss` or `error`.
        claim: &'static str,
        /// The method named in the file.
        method: String,
        /// The learner named in the file.
        learner: &'static str,
    },
    /// A tensor is missing.
    #[error("the tensor {0} is missing")]
    MissingTensor(String),
    /// A tensor is not part of the format, or not of a certificate of this kind.
    #[error("the tensor {0} is unknown here")]
    UnknownTensor(String),
    /// A tensor is not of the type F64.
    #[error("the tensor {0} is not of the type F64")]
    WrongType(String),
    /// A tensor has the wrong shape.
    #[error("the tensor {name} has the shape {found:?}, not {wanted:?}")]
    WrongShape {
        /// The tensor.
        name: String,
        /// Its shape.
        found: Vec<usize>,
        /// The shape it must have.
        wanted: Vec<usize>,
    },
    /// A tensor has an entry that is not a number, infinite, or otherwise outside its range.
    #[error("the tensor {name} has the entry {value}, which is not {wanted}")]
    BadNumber {
        /// The tensor.
        name: String,
        /// The entry.
        value: String,
        /// What it must be.
        wanted: &'static str,
    },
}

const FORMAT: &str = "unswayed-certificate";
const VERSION: &str = "1";

impl Learner {
    /// The name of the learner in files.
    pub fn name(&self) -> &'static str {
        match self {
            Learner::Hinge(_) => "hinge",
            Learner::Mean(_) => "mean",
        }
    }

    /// The parameters under their names in files.
    pub(crate) fn scalars(&self) -> Vec<(&'static str, f64)> {
        match self {
            Learner::Hinge(h) => vec![
                ("learning_rate", h.learning_rate),
                ("regularization", h.regularization),
                ("poison_rate", h.poison_rate),
                ("radius", h.radius),
            ],
            Learner::Mean(m) => [
                ("learning_rate", m.learning_rate),
                ("poison_rate", m.poison_rate),
                ("squared_radius", m.squared_radius),
                ("noise_trace", m.noise_trace),
            ]
            .into_iter()
            .chain(m.covariance_trace.map(|t| ("covariance_trace", t)))
            .collect(),
        }
    }
}

/// How long a witness vector is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// One entry per row.
    Rows,
    /// One entry per dimension.
    Dimension,
    /// One entry per pair of dimensions.
    Triangle,
    /// One entry per row and dimension.
    Table,
}

impl Length {
    /// The shape of the tensor.
    pub(crate) fn shape(self, rows: usize, dimension: usize) -> Vec<usize> {
        match self {
            Length::Rows => vec![rows],
            Length::Dimension => vec![dimension],
            Length::Triangle => vec![dimension.saturating_mul(dimension.saturating_add(1)) / 2],
            Length::Table => vec![rows, dimension],
        }
    }
}

impl Witness {
    /// The name of the method in files.
    pub fn method(&self) -> &'static str {
        match self {
            Witness::Convexity { .. } => "convexity",
            Witness::BoundedRange { .. } => "bounded-range",
            Witness::ZeroOne { .. } => "zero-one",
            Witness::Paper(_) => "paper",
            Witness::ClosedForm { .. } => "closed-form",
        }
    }

    /// Whether the method uses that the parameters stay in a ball.
    pub(crate) fn has_ball(&self) -> bool {
        matches!(self, Witness::BoundedRange { .. } | Witness::Paper(_))
    }

    /// The scalars under their names in files.
    #[rustfmt::skip]
    pub(crate) fn scalars(&self) -> Vec<(&'static str, f64)> {
        match *self {
            Witness::Paper(ref w) => vec![
                ("nu8", w.nu8), ("nu9", w.nu9), ("nu10", w.nu10), ("ball", w.ball), ("reach", w.reach),
                ("low", w.low), ("high", w.high), ("delta", w.delta),
            ],
            Witness::Convexity { alpha, tau, nu, .. } | Witness::ZeroOne { alpha, tau, nu, .. } =>
                vec![("alpha", alpha), ("tau", tau), ("nu", nu)],
            Witness::BoundedRange { alpha, tau, nu, mu, ball, .. } =>
                vec![("alpha", alpha), ("tau", tau), ("nu", nu), ("mu", mu), ("ball", ball)],
            Witness::ClosedForm { alpha, nu } => vec![("alpha", alpha), ("nu", nu)],
        }
    }

    /// The vectors under their names in files.
    #[rustfmt::skip]
    pub(crate) fn vectors(&self) -> Vec<(&'static str, &[f64], Length)> {
        use Length::{Dimension, Rows, Table, Triangle};
        match self {
            Witness::Paper(w) => vec![
                ("a", &w.a, Triangle), ("b", &w.b, Dimension), ("m", &w.m, Rows), ("h", &w.h, Table),
                ("theta", &w.theta, Dimension), ("point", &w.point, Dimension),
            ],
            Witness::Convexity { beta, u, .. } => vec![("beta", beta, Dimension), ("u", u, Rows)],
            Witness::BoundedRange { beta, reach, y, .. } =>
                vec![("beta", beta, Dimension), ("reach", reach, Rows), ("y", y, Rows)],
            Witness::ZeroOne { beta, u, u2, c, .. } =>
                vec![("beta", beta, Dimension), ("u", u, Rows), ("u2", u2, Rows), ("c", c, Rows)],
            Witness::ClosedForm { .. } => vec![],
        }
    }
}
