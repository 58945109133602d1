//! The numbers that make a statement true, and the certificate that holds both. The letters are those of `docs/theory.md`.

use serde::{Deserialize, Serialize};

use crate::array;
use crate::contraction::ContractionProof;
use crate::levels::LevelsProof;
use crate::statement::{MeanStatement, Statement};

/// A statement, what is claimed of it, and the numbers that prove the claims.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// Name and version of the program that made it, for information.
    pub tool: String,
    /// The learner, the threat, the rows and the target.
    pub statement: Statement,
    /// The bound on the long-run average loss.
    pub loss: Claim,
    /// The bound on the long-run average error, if it has a proof of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Claim>,
    /// The bound on the average loss over the statement's horizon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub horizon: Option<HorizonClaim>,
    /// The bound on the average error over the statement's horizon, if the proof of the error gives a smaller one than the loss does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub horizon_error: Option<HorizonErrorClaim>,
    /// The bound on the long-run loss on new data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_data: Option<NewDataClaim>,
}

/// A bound and its proof.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The claimed upper bound.
    pub bound: f64,
    /// Why it holds.
    pub proof: Proof,
}

/// Why a bound holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// Theorem L1.
    Cases(Box<CaseProof>),
    /// Theorem 6, the paper's program: λ has a general quadratic part.
    Paper(Box<PaperProof>),
    /// Theorem E4: the error on the levels of the learner's objective.
    Levels(Box<LevelsProof>),
    /// Theorem C2: the loss, by intervals of the margins that become shorter.
    Contraction(Box<ContractionProof>),
}

impl Proof {
    /// A short name for the kind of proof.
    pub fn method(&self) -> &'static str {
        match self {
            Proof::Cases(proof) => proof.rows.name(),
            Proof::Paper(_) => "paper",
            Proof::Levels(_) => "levels",
            Proof::Contraction(_) => "contraction",
        }
    }

    /// The learning rate of the plain steps that bound a learner with momentum.
    pub fn rate(&self) -> Option<f64> {
        if let Proof::Cases(proof) = self { proof.rate } else { None }
    }

    /// The norm of starts that the proof is restricted to, if it is.
    pub fn ball(&self) -> Option<f64> {
        match self {
            Proof::Cases(proof) => proof.shells.as_ref().map(|shells| shells.ball),
            Proof::Paper(proof) => Some(proof.ball),
            Proof::Contraction(proof) => Some(proof.ball),
            // Every start gets into its ball.
            Proof::Levels(_) => None,
        }
    }
}

/// How the rows are bounded: one kind for each file in `parts/rows`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowBound {
    /// Lines above rows of a loss with bounded slopes (also those of several classes) on the whole line: `u`.
    BoundedSlope,
    /// Lines above hinge rows and target rows on an interval: `y`, `reach`, `target_y`, `target_reach`.
    Interval,
    /// Lines above logistic rows: `u`, `w`.
    Logistic,
    /// Lines above hinge rows together with an adversary who flips labels: `u`.
    LabelHinge,
    /// Lines above logistic rows together with an adversary who flips labels: `u`, `w`, `w2`.
    LabelLogistic,
    /// Lines above hinge rows (also those of several classes) and the error: `u`, `u2`, `c`.
    ErrorHinge,
    /// Lines above logistic rows and the error: `u`, `w`, `w2`.
    ErrorLogistic,
    /// Lines above clipped hinge rows: `u`, `low`, `high`.
    ClippedHinge,
    /// Lines above clipped logistic rows: `u`, `w`, `low`.
    ClippedLogistic,
}

impl RowBound {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            RowBound::BoundedSlope => "convexity",
            RowBound::Interval => "bounded-range",
            RowBound::Logistic => "logistic",
            RowBound::LabelHinge => "label-hinge",
            RowBound::LabelLogistic => "label-logistic",
            RowBound::ErrorHinge => "error-hinge",
            RowBound::ErrorLogistic => "error-logistic",
            RowBound::ClippedHinge => "clipped-hinge",
            RowBound::ClippedLogistic => "clipped-logistic",
        }
    }

    /// Whether it bounds the error, not the loss.
    pub fn is_error(self) -> bool {
        matches!(self, RowBound::ErrorHinge | RowBound::ErrorLogistic)
    }

    /// The vectors of [`Lines`] that it needs; the others must be empty.
    pub(crate) fn vectors(self) -> &'static [&'static str] {
        match self {
            RowBound::BoundedSlope | RowBound::LabelHinge => &["u"],
            RowBound::Interval => &["y", "reach"],
            RowBound::Logistic => &["u", "w"],
            RowBound::LabelLogistic | RowBound::ErrorLogistic => &["u", "w", "w2"],
            RowBound::ErrorHinge => &["u", "u2", "c"],
            RowBound::ClippedHinge => &["u", "low", "high"],
            RowBound::ClippedLogistic => &["u", "w", "low"],
        }
    }
}

/// The numbers of Theorem L1.
///
/// The cases are ordered: by dataset, then by shell or slab, then by the part of the adversary's set (each point of a finite set, each
/// class if `by_class`; otherwise there is one part).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseProof {
    /// How the rows are bounded.
    pub rows: RowBound,
    /// α, the curvature of λ.
    pub alpha: f64,
    /// β, the slope of λ.
    #[serde(with = "array")]
    pub beta: Vec<f64>,
    /// With momentum: the learning rate η̄ of the steps without momentum that the other numbers are for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// ω with ωI ≻ Q, for an ellipsoid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omega: Option<f64>,
    /// Shells that cover all θ, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shells: Option<Shells>,
    /// Edges e_1 < e_2 < … of the slabs that an unregularized coordinate is cut into: below e_1, between neighbours, above the last.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "array")]
    pub slabs: Vec<f64>,
    /// Whether each class of the adversary's point is a part of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_class: bool,
    /// Lines above the rows.
    pub lines: Vec<Lines>,
    /// The numbers of the cases.
    pub cases: Cases,
}

impl CaseProof {
    /// A proof with one set of lines, without shells, slabs or cases by class.
    pub fn new(rows: RowBound, alpha: f64, beta: Vec<f64>, lines: Lines, cases: Cases) -> Self {
        CaseProof {
            rows,
            alpha,
            beta,
            rate: None,
            omega: None,
            shells: None,
            slabs: vec![],
            by_class: false,
            lines: vec![lines],
            cases,
        }
    }
}

impl Lines {
    /// Whether the shares of most rows are given by a rule.
    pub fn has_rule(&self) -> bool {
        !(self.theta.is_empty() && self.gain.is_empty() && self.exceptions.is_empty())
    }
}

/// Shells r_{m−1} ≤ ‖θ−o‖ ≤ r_m around a centre, that cover the ball ‖θ‖ ≤ ϱ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shells {
    /// The centre o.
    #[serde(with = "array")]
    pub centre: Vec<f64>,
    /// The outer radii r_1 < r_2 < ….
    #[serde(with = "array")]
    pub radii: Vec<f64>,
    /// ϱ, a norm that θ never exceeds.
    pub ball: f64,
}

/// Declares a struct of vectors that can be looked up by name; empty ones are not written.
macro_rules! vectors {
    ($(#[$meta:meta])* $name:ident { $($(#[$own:meta])* $own_field:ident : $own_type:ty,)* } [$($(#[$doc:meta])* $field:ident,)*]) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($(#[$own])* pub $own_field: $own_type,)*
            $($(#[$doc])*
            #[serde(default, skip_serializing_if = "Vec::is_empty", with = "array")]
            pub $field: Vec<f64>,)*
        }

        impl $name {
            /// All vectors of numbers under their names in files.
            pub(crate) fn vectors(&self) -> Vec<(&'static str, &[f64])> {
                vec![$((stringify!($field), self.$field.as_slice())),*]
            }
        }
    };
}

vectors! {
    /// Lines above the rows of one dataset, in one shell or slab if there are any. Vectors that are not needed are empty.
    Lines {
        /// The dataset, from 0.
        dataset: usize,
        /// The shell or slab, from 0; 0 if there are none.
        shell: usize,
    } [
        /// Slopes as a share of the largest that is allowed.
        u,
        /// The share u' of the error's part.
        u2,
        /// The share c of the error's jump.
        c,
        /// w₀, near the place of a supremum.
        w,
        /// The same for the second supremum.
        w2,
        /// Slopes, for intervals.
        y,
        /// How far θᵀz can be from oᵀz.
        reach,
        /// A number below min(1, G/‖z‖).
        low,
        /// A number above min(1, G/‖z‖).
        high,
        /// Slopes of the target's rows.
        target_y,
        /// Reaches of the target's rows.
        target_reach,
        /// Where rows may be hostile: c of Theorem H1, a vector near what the rows that matter most add to the slope.
        pull,
        /// t of Theorem H1, one number > 0.
        spread,
        /// γ of Theorem H1, one number.
        threshold,
        /// θ̂ of a rule that gives the shares of all rows but those of `exceptions` (Lemma R1).
        theta,
        /// The gain of the rule, one number.
        gain,
        /// The rows, from 0, whose shares are given, in increasing order.
        exceptions,
    ]
}

vectors! {
    /// The numbers of the cases, one entry (or row) per case. Vectors that are not needed are empty.
    Cases {
        /// Which of the lines the case uses.
        lines: Vec<usize>,
    } [
        /// τ; d numbers per case for a box. Not for finite sets and flipped labels.
        tau,
        /// ν. As τ; in the two unbounded slabs it is 2αk instead, and the number is 0.
        nu,
        /// For a finite set: the slope of the point's line as a share of 2αk.
        share,
        /// For a finite set and the logistic loss: the point's w₀.
        w,
        /// For an ellipsoid: d numbers near A⁻¹v; in a slab at either end, the lower one first.
        x,
        /// With shells: ω, the multiplier of ‖θ−o‖ ≤ r_m.
        outer,
        /// With shells: μ, the multiplier of ‖θ−o‖ ≥ r_{m−1}.
        inner,
    ]
}

/// The numbers of Theorem 6.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperProof {
    /// A: the upper triangle, column by column.
    #[serde(with = "array")]
    pub a: Vec<f64>,
    /// b.
    #[serde(with = "array")]
    pub b: Vec<f64>,
    /// m_i, one number per row.
    #[serde(with = "array")]
    pub m: Vec<f64>,
    /// h_i, d numbers per row.
    #[serde(with = "array")]
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
    #[serde(with = "array")]
    pub theta: Vec<f64>,
    /// ẑ, the second half.
    #[serde(with = "array")]
    pub point: Vec<f64>,
}

/// A bound on the average loss over the first steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HorizonClaim {
    /// The claimed upper bound.
    pub bound: f64,
    /// m, the multiplier of ‖θ‖ ≤ ϱ; 0 for proofs that are not restricted to a ball.
    pub m: f64,
    /// A proof of its own, whose λ suits the start and the number of steps; without it the loss's proof serves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
}

/// A bound on the average error over the first steps, by the proof of the error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HorizonErrorClaim {
    /// The claimed upper bound.
    pub bound: f64,
    /// m, the multiplier of ‖θ‖ ≤ ϱ; 0 for proofs that are not restricted to a ball, and for those by levels.
    pub m: f64,
}

/// A bound on the long-run loss on new data, and the numbers that prove it (Theorem L18). They must have been chosen before
/// the rows were drawn, from other data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewDataClaim {
    /// The claimed upper bound.
    pub bound: f64,
    /// δ, the probability of a sample that misleads.
    pub delta: f64,
    /// r, a norm that no benign point exceeds: the learner refuses or shortens longer ones.
    pub radius: f64,
    /// How far a mean is from its expectation.
    pub deviation: Deviation,
    /// α, the curvature of λ.
    pub alpha: f64,
    /// β, the slope of λ.
    #[serde(with = "array")]
    pub beta: Vec<f64>,
    /// τ; d numbers for a box.
    #[serde(with = "array")]
    pub tau: Vec<f64>,
    /// ν
    pub nu: f64,
    /// ω with ωI ≻ Q, for an ellipsoid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omega: Option<f64>,
    /// θ̂ of the rule y(z) = κ·clip((1 − θ̂ᵀz)·gain + ½, 0, 1).
    #[serde(with = "array")]
    pub theta: Vec<f64>,
    /// The gain of the rule.
    pub gain: f64,
    /// T₋: constants T(z) below it are raised to it. Without it, for the hinge loss, none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<f64>,
    /// For the logistic loss: w of each row, near the place of the supremum T(z).
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "array")]
    pub w: Vec<f64>,
    /// Where rows of the sample may be hostile: which rows it is, and the numbers of the proof about them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hostile: Option<HostileSample>,
}

/// A sample of which rows may be hostile (Theorem H2): the rows that came after those that chose the numbers of the proof.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostileSample {
    /// How many rows, from the first, came before the sample.
    pub earlier: usize,
    /// c of Theorem H1.
    #[serde(with = "array")]
    pub pull: Vec<f64>,
    /// t of Theorem H1.
    pub spread: f64,
    /// γ of Theorem H1.
    pub threshold: f64,
}

/// How far the mean of a sample is from its expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deviation {
    /// By the range alone: Hoeffding's inequality.
    Hoeffding,
    /// By the sample variance: Maurer and Pontil's empirical Bernstein inequality.
    Bernstein,
}

/// A statement about the mean learner, the bound on its long-run squared error, and the numbers that prove it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeanCertificate {
    /// Name and version of the program that made it, for information.
    pub tool: String,
    /// The learner, the threat and the benign points.
    pub statement: MeanStatement,
    /// The claimed upper bound.
    pub bound: f64,
    /// a: λ(θ) = a‖θ−μ‖².
    pub alpha: f64,
    /// ν, the multiplier of ‖z−μ‖² ≤ r.
    pub nu: f64,
}
