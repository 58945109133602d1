//! Verifies unswayed certificates in exact arithmetic.
//!
//! A certificate claims an upper bound on what an adaptive data poisoner can do to an online
//! learner, and holds the numbers that prove it. This crate recomputes the bound from those numbers
//! and the data without rounding. It knows nothing of how a certificate was found, so only this
//! crate has to be trusted, together with the theorems in `docs/theory.md` and
//! `docs/learners.md`.
//!
//! ```
//! use unswayed_check::{Hinge, Learner, Rows, Witness, exact_bound};
//!
//! let learner = Learner::Hinge(Hinge {
//!     learning_rate: 0.01,
//!     regularization: 0.1,
//!     poison_rate: 0.05,
//!     radius: 1.0,
//! });
//! let rows = Rows { z: &[0.6, 0.8, 0.8, 0.6], dimension: 2, weights: None };
//! let witness = Witness::Convexity {
//!     alpha: 1.0,
//!     beta: vec![-1.0, -1.0],
//!     tau: 1.0,
//!     nu: 0.5,
//!     u: vec![0.5, 0.5],
//! };
//! let bound = exact_bound(&learner, &witness, &rows)?;
//! assert!(bound > 0.0 && bound < 2.0);
//! # Ok::<(), unswayed_check::Failure>(())
//! ```
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "exact arithmetic takes numbers apart into words; each cast keeps the bits it needs"
)]
#![expect(clippy::doc_markdown, reason = "formulas keep the letters of the format's description")]

mod assemble;
mod exact;
mod failure;
mod format;
mod hinge;
mod linear;
mod lines;
mod log;
mod mean;
mod paper;
mod points;
mod rows;
mod words;

use dashu::rational::RBig;

use exact::{Dyadic, nearest, round_up};
pub use failure::{Failure, Part, Reason};
use failure::{require, require_each, require_length};
pub use format::{
    Certificate, Claim, DataInfo, FormatError, Hinge, Horizon, Learner, Mean, PaperWitness, Witness,
};
pub use linear::confidence::prove_confidence;
pub use linear::types::{
    Cases, Confidence, ConfidenceClaim, Deviation, Linear, LinearCertificate, LinearClaim, LinearWitness,
    Lines, Loss, Method, Set, Shells, Step, Target,
};
pub use linear::{Evidence, LinearProven, check_linear, prove_linear, require_theorem, validate_linear};
pub use rows::Rows;
pub use words::{Outcome, decimal_up};

/// Why a certificate without rows is not checked against a data file.
pub const NO_ROWS: &str =
    "the certificate is about a covariance trace, not about the rows of a file: leave out the data file";

/// What a valid certificate proves: the exact values, each rounded up to an `f64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// Upper bound on the long-run average loss.
    pub loss: f64,
    /// Upper bound on the long-run error of a hinge learner: from the claim on the error if there
    /// is one and it is the smaller one, else from the loss, which is never below the error.
    pub error: Option<f64>,
    /// Upper bound on the expected average loss over the first steps, if that is claimed.
    pub horizon: Option<f64>,
    /// Upper bound on the long-run loss on new data, if that is claimed; it holds with the claim's probability.
    pub confidence: Option<f64>,
}

/// A witness that has been verified, and the exact value it proves.
#[derive(Clone, Debug)]
pub struct Proven<'a> {
    learner: &'a Learner,
    witness: &'a Witness,
    value: RBig,
}

impl Proven<'_> {
    /// The proven value, rounded up.
    ///
    /// # Errors
    /// [`Reason::TooLarge`] if no finite `f64` is large enough.
    pub fn bound(&self) -> Result<f64, Failure> {
        finite_up(&self.value).map_err(in_part(part_of(self.witness)))
    }

    /// The bound on the expected average loss over the first `steps` steps from `start`, rounded
    /// up. For the method `bounded-range` every `m` ≥ 0 gives one, for `paper` every such `m` above −`low`;
    /// for the others `m` must be 0.
    ///
    /// # Errors
    /// The condition that fails; the mean learner has no such bound.
    pub fn horizon(&self, steps: u64, start: &[f64], m: f64) -> Result<f64, Failure> {
        let value = self.exact_horizon(steps, start, m);
        value.and_then(|v| finite_up(&v)).map_err(in_part(Part::Horizon))
    }

    fn exact_horizon(&self, steps: u64, start: &[f64], m: f64) -> Result<RBig, Reason> {
        require_each("horizon.start", start, f64::is_finite, "finite")?;
        match (self.learner, part_of(self.witness)) {
            (Learner::Hinge(hinge), Part::Loss) => {
                Ok(&self.value + hinge::transient(hinge, self.witness, steps, start, m)?)
            }
            _ => Err(Reason::Method { method: self.witness.method(), learner: self.learner.name() }),
        }
    }
}

/// Verifies every condition of a witness and computes its exact value.
///
/// # Errors
/// The condition that fails.
pub fn prove<'a>(learner: &'a Learner, witness: &'a Witness, rows: &Rows) -> Result<Proven<'a>, Failure> {
    rows.validate().map_err(in_part(Part::Data))?;
    validate_learner(learner, rows).map_err(in_part(Part::Learner))?;
    let value = validate_witness(witness, rows).and_then(|()| match learner {
        Learner::Hinge(hinge) => hinge::value(hinge, witness, rows),
        Learner::Mean(mean) => mean::value(mean, witness, rows),
    });
    let value = value.map_err(in_part(part_of(witness)))?;
    Ok(Proven { learner, witness, value })
}

/// The exact value of a witness, rounded up: the smallest bound it proves.
///
/// # Errors
/// The condition of the method that fails.
pub fn exact_bound(learner: &Learner, witness: &Witness, rows: &Rows) -> Result<f64, Failure> {
    prove(learner, witness, rows)?.bound()
}

/// The smallest bound a witness for the loss proves on the expected average loss over the first
/// `steps` steps from `start`, with the number `m` of [`Proven::horizon`]. [`prove`] gives this and
/// [`exact_bound`] for the price of one.
///
/// # Errors
/// The condition that fails.
pub fn exact_horizon(
    learner: &Learner,
    witness: &Witness,
    rows: &Rows,
    steps: u64,
    start: &[f64],
    m: f64,
) -> Result<f64, Failure> {
    prove(learner, witness, rows)?.horizon(steps, start, m)
}

/// Checks that the rows are those of the certificate and that every claim holds.
///
/// # Errors
/// The first thing that does not hold.
pub fn check(certificate: &Certificate, rows: &Rows) -> Result<Verdict, Failure> {
    check_data(&certificate.data, rows).map_err(in_part(Part::Data))?;
    let learner = &certificate.learner;
    let loss = check_claim(learner, &certificate.loss, Part::Loss, rows)?;
    let error = match &certificate.error {
        Some(claim) => Some(check_claim(learner, claim, Part::Error, rows)?.bound()?),
        None => None,
    };
    let horizon = match &certificate.horizon {
        Some(claim) => Some(check_horizon(&loss, claim).map_err(in_part(Part::Horizon))?),
        None => None,
    };
    let loss = loss.bound()?;
    let error = matches!(learner, Learner::Hinge(_)).then_some(error.unwrap_or(loss).min(loss));
    Ok(Verdict { loss, error, horizon, confidence: None })
}

fn check_data(data: &DataInfo, rows: &Rows) -> Result<(), Reason> {
    require_length("rows", data.rows, rows.len())?;
    require_length("dimension", data.dimension, rows.dimension)?;
    rows.validate()?;
    let found = rows.digest();
    if found == data.sha256 {
        return Ok(());
    }
    Err(Reason::Digest { certified: data.sha256.clone(), found })
}

fn check_claim<'a>(
    learner: &'a Learner,
    claim: &'a Claim,
    part: Part,
    rows: &Rows,
) -> Result<Proven<'a>, Failure> {
    if part_of(&claim.witness) != part {
        let (method, learner) = (claim.witness.method(), learner.name());
        return Err(in_part(part)(Reason::Method { method, learner }));
    }
    let proven = prove(learner, &claim.witness, rows)?;
    require_bound(claim.bound, &proven.value).map_err(in_part(part))?;
    Ok(proven)
}

fn check_horizon(loss: &Proven, claim: &Horizon) -> Result<f64, Reason> {
    let value = loss.exact_horizon(claim.steps, &claim.start, claim.m)?;
    require_bound(claim.bound, &value)?;
    finite_up(&value)
}

/// Requires value ≤ bound, exactly.
fn require_bound(bound: f64, value: &RBig) -> Result<(), Reason> {
    require(bound.is_finite(), "bound", bound, "finite")?;
    let excess = value - RBig::from(Dyadic::new(bound));
    if excess <= RBig::ZERO {
        return Ok(());
    }
    Err(Reason::BoundTooLow { bound, value: round_up(value), excess: nearest(&excess) })
}

fn validate_learner(learner: &Learner, rows: &Rows) -> Result<(), Reason> {
    match learner {
        Learner::Hinge(hinge) => {
            require(!rows.is_empty(), "the number of rows", 0.0, "> 0")?;
            hinge::validate(hinge)
        }
        Learner::Mean(mean) => mean::validate(mean),
    }
}

/// All numbers finite, all vectors as long as they must be.
fn validate_witness(witness: &Witness, rows: &Rows) -> Result<(), Reason> {
    for (name, value) in witness.scalars() {
        require(value.is_finite(), name, value, "finite")?;
    }
    for (name, values, length) in witness.vectors() {
        let expected = length.shape(rows.len(), rows.dimension).iter().product();
        require_length(name, expected, values.len())?;
        require_each(name, values, f64::is_finite, "finite")?;
    }
    Ok(())
}

/// The claim a witness can prove.
fn part_of(witness: &Witness) -> Part {
    match witness {
        Witness::ZeroOne { .. } => Part::Error,
        _ => Part::Loss,
    }
}

fn in_part(part: Part) -> impl Fn(Reason) -> Failure {
    move |reason| Failure { part, reason }
}

fn finite_up(value: &RBig) -> Result<f64, Reason> {
    let up = round_up(value);
    if up.is_finite() { Ok(up) } else { Err(Reason::TooLarge) }
}
