//! Linear learners: the parts of `docs/learners.md` put together.
//!
//! [`prove_linear`] verifies every condition of a witness, evaluates the lines above the rows once each, and takes the largest of the
//! bounds of the cases. What a part does is in `lines/` and `points/`; what goes with what is in `parts`.

pub(crate) mod confidence;
pub(crate) mod lambda;
mod parts;
mod prover;
pub(crate) mod shape;
mod theta;
pub(crate) mod types;
mod validate;

use dashu::rational::RBig;

use crate::exact::round_up;
use crate::failure::{Failure, Part, Reason, require, require_length};
use crate::rows::Rows;
use crate::{Verdict, check_data, finite_up, in_part, require_bound};
use prover::Prover;
use shape::Shape;
use types::{ConfidenceClaim, Linear, LinearCertificate, LinearClaim, LinearWitness, Loss, Method, Set};

/// The rows a statement about a linear learner speaks of.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The datasets; more than one if the data drift.
    pub data: &'a [Rows<'a>],
    /// The target's rows if the target is [`Target::Rows`](types::Target::Rows).
    pub target: Option<Rows<'a>>,
}

/// A witness that has been verified, and the values it proves.
#[derive(Clone, Debug)]
pub struct LinearProven<'a> {
    learner: &'a Linear,
    witness: &'a LinearWitness,
    cases: Vec<RBig>,
    value: RBig,
}

impl LinearProven<'_> {
    /// The proven value, rounded up.
    ///
    /// # Errors
    /// [`Reason::TooLarge`] if no finite `f64` is large enough.
    pub fn bound(&self) -> Result<f64, Failure> {
        finite_up(&self.value).map_err(in_part(part_of(self.witness.method)))
    }

    /// The bound of each case, rounded up.
    pub fn case_bounds(&self) -> Vec<f64> {
        self.cases.iter().map(round_up).collect()
    }

    /// The bound on the expected average loss over the first `steps` steps (batches) from `start`, rounded up.
    ///
    /// # Errors
    /// The condition that fails.
    pub fn horizon(&self, steps: u64, start: &[f64]) -> Result<f64, Failure> {
        self.exact_horizon(steps, start).and_then(|v| finite_up(&v)).map_err(in_part(Part::Horizon))
    }

    fn exact_horizon(&self, steps: u64, start: &[f64]) -> Result<RBig, Reason> {
        Ok(&self.value + theta::transient(self.learner, self.witness, steps, start)?)
    }
}

/// Verifies the conditions on rows and learner, which every witness needs.
///
/// # Errors
/// The condition that fails.
pub fn validate_linear(learner: &Linear, evidence: &Evidence) -> Result<(), Failure> {
    validate::validate_evidence(evidence).map_err(in_part(Part::Data))?;
    let dimension = evidence.data[0].dimension;
    validate::validate_learner(learner, evidence, dimension).map_err(in_part(Part::Learner))
}

/// Verifies that there is a theorem for bounding this learner's rows by this method, with or without shells.
///
/// # Errors
/// What the method does not go with.
pub fn require_theorem(learner: &Linear, method: Method, has_shells: bool) -> Result<(), Failure> {
    parts::require_theorem(learner, method, has_shells).map_err(in_part(part_of(method)))
}

/// Verifies every condition of a witness for a linear learner and computes its value.
///
/// ```
/// use unswayed_check::{Cases, Evidence, Linear, LinearWitness, Lines, Loss, Method, Rows, Set, Step, Target, prove_linear};
///
/// let learner = Linear {
///     learning_rate: 0.01,
///     regularization: 0.1,
///     poison_rate: 0.05,
///     loss: Loss::Logistic,
///     step: Step::default(),
///     set: Set::Box { radii: vec![1.0, 0.5] },
///     target: Target::Data,
/// };
/// let rows = [Rows { z: &[0.6, 0.8, 0.8, 0.6], dimension: 2, weights: None }];
/// let witness = LinearWitness {
///     method: Method::Logistic,
///     alpha: 0.75,
///     beta: vec![-1.0, -1.0],
///     omega: None,
///     shells: None,
///     by_label: false,
///     lines: vec![Lines { u: vec![0.4, 0.4], w: vec![0.35, 0.35], ..Lines::default() }],
///     cases: Cases { lines: vec![0], tau: vec![1.5, 1.5], nu: vec![0.25], ..Cases::default() },
/// };
/// let bound = prove_linear(&learner, &witness, &Evidence { data: &rows, target: None })?.bound()?;
/// assert!(bound > 0.3 && bound < 0.7);
/// # Ok::<(), unswayed_check::Failure>(())
/// ```
///
/// # Errors
/// The condition that fails.
pub fn prove_linear<'a>(
    learner: &'a Linear,
    witness: &'a LinearWitness,
    evidence: &Evidence,
) -> Result<LinearProven<'a>, Failure> {
    validate_linear(learner, evidence)?;
    let prove = || {
        parts::require_parts(learner, witness)?;
        let shape = Shape::new(learner, witness, evidence);
        shape.require(witness, &learner.target)?;
        Prover::new(learner, witness, evidence, shape)?.cases()
    };
    let cases = prove().map_err(in_part(part_of(witness.method)))?;
    let cases: Vec<RBig> = cases.into_iter().map(RBig::from).collect();
    let value = cases.iter().max().cloned().unwrap_or_default();
    Ok(LinearProven { learner, witness, cases, value })
}

/// Checks that the rows are those of the certificate and that every claim holds.
///
/// # Errors
/// The first thing that does not hold.
pub fn check_linear(certificate: &LinearCertificate, evidence: &Evidence) -> Result<Verdict, Failure> {
    check_evidence(certificate, evidence).map_err(in_part(Part::Data))?;
    let learner = &certificate.learner;
    let loss = check_claim(learner, &certificate.loss, Part::Loss, evidence)?;
    let error = match &certificate.error {
        Some(claim) => Some(check_claim(learner, claim, Part::Error, evidence)?.bound()?),
        None => None,
    };
    let horizon = match &certificate.horizon {
        Some(claim) => Some(check_horizon(&loss, claim).map_err(in_part(Part::Horizon))?),
        None => None,
    };
    let confidence = match &certificate.confidence {
        Some(claim) => Some(check_confidence(learner, claim, evidence).map_err(in_part(Part::Confidence))?),
        None => None,
    };
    let loss = loss.bound()?;
    // A hinge loss is never below the error on the same target.
    let is_hinge = learner.loss != Loss::Logistic;
    let error = if is_hinge { Some(error.unwrap_or(loss).min(loss)) } else { error };
    Ok(Verdict { loss, error, horizon, confidence })
}

fn check_evidence(certificate: &LinearCertificate, evidence: &Evidence) -> Result<(), Reason> {
    require_length("datasets", certificate.data.len(), evidence.data.len())?;
    for (info, rows) in certificate.data.iter().zip(evidence.data) {
        check_data(info, rows)?;
    }
    let counts = (certificate.target.iter().count(), evidence.target.iter().count());
    require_length("target", counts.0, counts.1)?;
    match (&certificate.target, &evidence.target) {
        (Some(info), Some(rows)) => check_data(info, rows),
        _ => Ok(()),
    }
}

fn check_claim<'a>(
    learner: &'a Linear,
    claim: &'a LinearClaim,
    part: Part,
    evidence: &Evidence,
) -> Result<LinearProven<'a>, Failure> {
    let method = claim.witness.method;
    if part_of(method) != part {
        let with = if part == Part::Loss { "a claim on the loss" } else { "a claim on the error" };
        return Err(in_part(part)(Reason::Parts { method: method.name(), with }));
    }
    let proven = prove_linear(learner, &claim.witness, evidence)?;
    require_bound(claim.bound, &proven.value).map_err(in_part(part))?;
    Ok(proven)
}

fn check_horizon(loss: &LinearProven, claim: &crate::Horizon) -> Result<f64, Reason> {
    require(claim.m == 0.0, "horizon.m", claim.m, "0")?;
    let value = loss.exact_horizon(claim.steps, &claim.start)?;
    require_bound(claim.bound, &value)?;
    finite_up(&value)
}

fn check_confidence(learner: &Linear, claim: &ConfidenceClaim, evidence: &Evidence) -> Result<f64, Reason> {
    require_length("datasets of the claim on new data", 1, evidence.data.len())?;
    let value = confidence::value(learner, &claim.confidence, &evidence.data[0])?;
    require_bound(claim.bound, &value)?;
    finite_up(&value)
}

fn part_of(method: Method) -> Part {
    if method.is_error() { Part::Error } else { Part::Loss }
}

impl Linear {
    /// The largest norm of the adversary's step for the set `ball` or `any`, and whether steps can be clipped there.
    pub(crate) fn point_radius(&self) -> (f64, bool) {
        let clip = self.step.clip.unwrap_or(f64::INFINITY);
        match self.set {
            Set::Ball { radius } if radius <= clip => (radius, false),
            _ => (clip, true),
        }
    }
}
