//! Verifies unswayed certificates in exact arithmetic.
//!
//! A [`Certificate`] holds a [`Statement`] (a learner, a threat, the rows), a bound on the harm that any adaptive data
//! poisoner can do, and the numbers that prove it. This crate recomputes the bound from those numbers and the rows without
//! rounding. It knows nothing of how a certificate was found, so only this crate has to be trusted, together with the
//! theorems in `docs/theory.md`. One of them does nearly all the work: Theorem L1, in `evaluate`. Its parts are in `parts`, a
//! file for each.
//!
//! ```
//! use unswayed_check::{CaseProof, Cases, Evidence, Learner, Lines, Loss, Proof, RowBound, Rows, Set};
//! use unswayed_check::{Statement, Target, Threat, prove};
//! use unswayed_data::Dataset;
//!
//! let data = Dataset::from_rows(vec![0.6, 0.8, 0.8, 0.6], 2, None)?;
//! let statement = Statement {
//!     learner: Learner::new(Loss::Logistic, 0.01, 0.1),
//!     threat: Threat { poison_rate: 0.05, set: Set::Box { radii: vec![1.0, 0.5] }, label_bound: None, poison_weight: None, moments: None },
//!     data: vec![data.origin().clone()],
//!     hostile_rows: vec![],
//!     target: Target::Data,
//!     horizon: None,
//! };
//! let lines = Lines { u: vec![0.4, 0.4], w: vec![0.35, 0.35], ..Lines::default() };
//! let cases = Cases { lines: vec![0], tau: vec![1.5, 1.5], nu: vec![0.25], ..Cases::default() };
//! let proof = CaseProof::new(RowBound::Logistic, 0.75, vec![-1.0, -1.0], lines, cases);
//! let proof = Proof::Cases(Box::new(proof));
//! let rows = [Rows::of(&data)];
//! let bound = prove(&statement, &proof, &Evidence { data: &rows, target: None })?.bound()?;
//! assert!(bound > 0.3 && bound < 0.7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "exact arithmetic takes numbers apart into words; each cast keeps the bits it needs"
)]
#![expect(clippy::doc_markdown, reason = "formulas keep the letters of the format's description")]

mod array;
mod confidence;
mod contraction;
mod evaluate;
mod exact;
mod exp;
mod expect;
mod failure;
mod file;
#[cfg(feature = "files")]
mod files;
mod horizon;
mod lambda;
mod levels;
mod log;
mod loss;
mod matrix;
mod mean;
mod moments;
mod momentum;
mod paper;
mod parts;
mod proof;
mod prove;
mod rates;
mod rows;
mod rules;
mod shape;
mod statement;
mod summed;
mod text;
mod validate;

use dashu_ratio::RBig;

pub use contraction::{ContractionCase, ContractionProof, ContractionRound};
use exact::{Dyadic, nearest, round_up};
pub use failure::{Failure, Part, Reason};
use failure::{require, require_length};
pub use file::{AnyCertificate, FormatError};
#[cfg(feature = "files")]
pub use files::{Files, MEMORY, bytes_of, labels_beside};
use lambda::Lambda;
pub use levels::LevelsProof;
pub use loss::Conjugate;
use moments::Steps;
use momentum::Momentum;
pub use proof::{
    CaseProof, Cases, Certificate, Claim, Deviation, HorizonClaim, HorizonErrorClaim, HostileSample, Lines,
    MeanCertificate, NewDataClaim, PaperProof, Proof, RowBound, Shells,
};
pub use rates::RatesError;
pub use rows::{Evidence, Rows};
pub use rules::{Feature, RULES, Rule, features, unsupported};
pub use statement::{
    Horizon, Learner, Loss, MeanBenign, MeanStatement, PoisonWeight, Schedule, Set, Statement, Target, Threat,
};
pub use summed::{CertificateSums, RowSums};
pub use text::{Checked, TextLine, decimal_up};
pub use unswayed_data::{ClassWeights, Labels, Origin};

/// What a valid certificate proves: the exact values, each rounded up to an `f64`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Verdict {
    /// Upper bound on the long-run average loss.
    pub loss: f64,
    /// Upper bound on the long-run average error: from the claim on the error if there is one and it is the smaller one, else
    /// from the loss where the error never exceeds it.
    pub error: Option<f64>,
    /// Upper bound on the expected average loss over the first steps, if that is claimed.
    pub horizon: Option<f64>,
    /// Upper bound on the expected average error over the first steps: from the claim on it if there is one and it is the smaller
    /// one, else from that on the loss where the error never exceeds it.
    pub horizon_error: Option<f64>,
    /// Upper bound on the long-run loss on new data, if that is claimed; it holds with the claim's probability.
    pub new_data: Option<f64>,
    /// What momentum adds to the bound on the loss beyond what its proof's rate does; for learners with momentum.
    pub momentum_cost: Option<f64>,
}

/// A proof that has been verified, and the values it proves.
#[derive(Clone, Debug)]
pub struct Proven<'a> {
    statement: &'a Statement,
    proof: &'a Proof,
    cases: Vec<RBig>,
    value: RBig,
    momentum: Momentum,
    /// Where the adversary picks its moments.
    steps: Option<Steps>,
    /// For a proof by levels.
    shells: Option<levels::Shells>,
}

impl<'a> Proven<'a> {
    fn new(
        statement: &'a Statement,
        proof: &'a Proof,
        cases: Vec<RBig>,
        momentum: Momentum,
        steps: Option<Steps>,
    ) -> Self {
        let value = cases.iter().max().cloned().unwrap_or_default();
        Proven { statement, proof, cases, value, momentum, steps, shells: None }
    }

    /// The proven value, rounded up.
    ///
    /// # Errors
    /// [`Reason::TooLarge`] if no finite `f64` is large enough.
    pub fn bound(&self) -> Result<f64, Failure> {
        finite_up(&self.value).map_err(in_part(part_of(self.proof)))
    }

    /// The bound of each case, rounded up.
    pub fn case_bounds(&self) -> Vec<f64> {
        self.cases.iter().map(round_up).collect()
    }

    /// What momentum costs beyond the rate of the proof, rounded up; it is in the bound. `None` without momentum.
    pub fn momentum_cost(&self) -> Option<f64> {
        self.statement.learner.momentum.map(|_| round_up(&RBig::from(self.momentum.cost.clone())))
    }

    /// The bound on the expected average loss over the first steps, or on their error for a proof of the error, rounded up. Where θ
    /// stays in a ball every `m` ≥ 0 gives one
    /// (for the paper's program every such `m` above −`low`); elsewhere `m` must be 0.
    ///
    /// # Errors
    /// The condition that fails.
    pub fn horizon(&self, horizon: &Horizon, m: f64) -> Result<f64, Failure> {
        self.exact_horizon(horizon, m).and_then(|v| finite_up(&v)).map_err(in_part(Part::Horizon))
    }

    fn exact_horizon(&self, horizon: &Horizon, m: f64) -> Result<RBig, Reason> {
        require(horizon.steps >= 1, "horizon.steps", 0.0, "≥ 1")?;
        failure::require_each("horizon.start", &horizon.start, f64::is_finite, "finite")?;
        validate::validate_rates(&self.statement.learner, horizon)?;
        moments::validate_horizon(self.statement, horizon)?;
        let unfit = |with| Reason::Unfit { method: self.proof.method(), with };
        let learner = &self.statement.learner;
        if part_of(self.proof) == Part::Error && (learner.schedule.is_some() || learner.momentum.is_some()) {
            return Err(unfit("the error over first steps whose rate changes or that have momentum"));
        }
        let start = match self.proof {
            Proof::Cases(proof) => {
                if let Some(steps) = &self.steps {
                    steps.require_start(&self.statement.learner, &horizon.start)?;
                }
                let lambda = Lambda::of(self.statement, proof);
                let ball = proof.shells.as_ref().map(|shells| shells.ball);
                let momentum = self.momentum.of_start(self.statement, proof, &horizon.start);
                horizon::transient(self.statement, &lambda, ball, &momentum, horizon, m)?
            }
            Proof::Contraction(proof) => {
                let lambda = Lambda::new(self.statement, proof.alpha, &proof.beta);
                horizon::transient(self.statement, &lambda, Some(proof.ball), &Dyadic::zero(), horizon, m)?
            }
            Proof::Paper(proof) => paper::transient(self.statement, proof, horizon, m)?,
            Proof::Levels(proof) => {
                let shells = self.shells.as_ref().ok_or_else(|| unfit("a bound for the first steps"))?;
                shells.start(self.statement, proof, horizon, m)?
            }
        };
        Ok(&self.value + start)
    }
}

/// Verifies the conditions on rows and statement, which every proof needs.
///
/// # Errors
/// The condition that fails.
pub fn validate(statement: &Statement, evidence: &Evidence) -> Result<(), Failure> {
    validate::validate_evidence(evidence).map_err(in_part(Part::Data))?;
    validate::validate_statement(statement, evidence).map_err(in_part(Part::Statement))
}

/// Verifies every condition of a proof and computes its exact value.
///
/// # Errors
/// The condition that fails.
pub fn prove<'a>(
    statement: &'a Statement,
    proof: &'a Proof,
    evidence: &Evidence,
) -> Result<Proven<'a>, Failure> {
    validate(statement, evidence)?;
    let (mut momentum, mut steps, mut shells) = (Momentum::none(), None, None);
    let cases: Result<Vec<RBig>, Reason> = match proof {
        Proof::Cases(proof) => prove::case_bounds(statement, proof, evidence).map(|found| {
            (momentum, steps) = (found.momentum, found.steps);
            found.bounds.into_iter().map(RBig::from).collect()
        }),
        Proof::Paper(proof) => rules::require_supported(statement, [Feature::Paper])
            .and_then(|()| paper::value(statement, proof, &evidence.data[0]))
            .map(|value| vec![value]),
        Proof::Levels(proof) => rules::require_supported(statement, [Feature::Levels])
            .and_then(|()| levels::shells(statement, proof, &evidence.data[0]))
            .map(|found| shells.insert(found).bounds().map(RBig::from).collect()),
        Proof::Contraction(proof) => rules::require_supported(statement, [Feature::Contraction])
            .and_then(|()| contraction::value(statement, proof, evidence))
            .map(|target| vec![RBig::from(target)]),
    };
    let cases = cases.map_err(in_part(part_of(proof)))?;
    Ok(Proven { shells, ..Proven::new(statement, proof, cases, momentum, steps) })
}

/// The bound of a claim on new data, which holds with probability 1 − δ over the draw of the rows, rounded up.
///
/// # Errors
/// The condition that fails.
pub fn prove_new_data(statement: &Statement, claim: &NewDataClaim, rows: &Rows) -> Result<f64, Failure> {
    confidence::require_supported(statement, rows).map_err(in_part(Part::NewData))?;
    validate(statement, &Evidence { data: &[*rows], target: None })?;
    confidence::value(statement, claim, rows).and_then(|v| finite_up(&v)).map_err(in_part(Part::NewData))
}

/// Checks that every claim of a certificate holds for these rows, and that there are as many rows and columns as stated. That
/// they were made as the statement says is for the caller to compare, by their [`Origin`].
///
/// # Errors
/// The first thing that does not hold.
pub fn check(certificate: &Certificate, evidence: &Evidence) -> Result<Verdict, Failure> {
    let Certificate { statement, new_data, .. } = certificate;
    validate::require_stated(statement, evidence).map_err(in_part(Part::Data))?;
    let verdict = check_claims(certificate, |proof| prove(statement, proof, evidence))?;
    let new_data = match new_data {
        Some(claim) => Some(check_new_data(statement, claim, evidence).map_err(in_part(Part::NewData))?),
        None => None,
    };
    Ok(Verdict { new_data, ..verdict })
}

/// Checks the claims on these rows, whose proofs are evaluated by `prove`.
fn check_claims<'a>(
    certificate: &'a Certificate,
    prove: impl Fn(&'a Proof) -> Result<Proven<'a>, Failure>,
) -> Result<Verdict, Failure> {
    let Certificate { statement, loss, error, horizon, horizon_error, .. } = certificate;
    let proven = check_claim(loss, Part::Loss, &prove)?;
    let error = error.as_ref().map(|claim| check_claim(claim, Part::Error, &prove)).transpose()?;
    let horizon = check_horizon(&proven, horizon.as_ref(), &prove)?;
    let horizon_error = match horizon_error {
        Some(claim) => Some(check_horizon_error(statement, error.as_ref(), claim)?),
        None => None,
    };
    let loss = proven.bound()?;
    let smaller = |own: Option<f64>, loss: f64| {
        let by_loss = statement.learner.loss.error_within(loss)?;
        Some(own.unwrap_or(by_loss).min(by_loss).min(1.0))
    };
    Ok(Verdict {
        loss,
        error: smaller(error.map(|error| error.bound()).transpose()?, loss),
        horizon,
        horizon_error: horizon.and_then(|loss| smaller(horizon_error, loss)),
        new_data: None,
        momentum_cost: proven.momentum_cost(),
    })
}

/// Checks a certificate about the mean learner, and returns its bound; with the samples if it is about samples.
///
/// # Errors
/// The first thing that does not hold.
pub fn check_mean(certificate: &MeanCertificate, samples: Option<&Rows>) -> Result<f64, Failure> {
    let checked = mean::value(certificate, samples).and_then(|value| {
        require_bound(certificate.bound, &value)?;
        finite_up(&value)
    });
    checked.map_err(in_part(Part::Loss))
}

fn check_claim<'a>(
    claim: &'a Claim,
    part: Part,
    prove: impl Fn(&'a Proof) -> Result<Proven<'a>, Failure>,
) -> Result<Proven<'a>, Failure> {
    if part_of(&claim.proof) != part {
        let with = if part == Part::Loss { "a claim on the loss" } else { "a claim on the error" };
        return Err(in_part(part)(Reason::Unfit { method: claim.proof.method(), with }));
    }
    let proven = prove(&claim.proof)?;
    require_bound(claim.bound, &proven.value).map_err(in_part(part))?;
    Ok(proven)
}

fn check_horizon<'a>(
    loss: &Proven<'a>,
    claim: Option<&'a HorizonClaim>,
    prove: impl Fn(&'a Proof) -> Result<Proven<'a>, Failure>,
) -> Result<Option<f64>, Failure> {
    let statement = loss.statement;
    let (Some(horizon), Some(claim)) = (&statement.horizon, claim) else {
        let matches = statement.horizon.is_none() && claim.is_none();
        let claimed = f64::from(u8::from(claim.is_some()));
        return require(matches, "horizons claimed", claimed, "as many as stated")
            .map(|()| None)
            .map_err(in_part(Part::Horizon));
    };
    let value = match &claim.proof {
        None => loss.exact_horizon(horizon, claim.m),
        Some(proof) => prove_horizon(proof, horizon, claim.m, prove),
    };
    let checked = value.and_then(|value| {
        require_bound(claim.bound, &value)?;
        finite_up(&value)
    });
    checked.map(Some).map_err(in_part(Part::Horizon))
}

/// The bound on the error over the first steps, by the proof of the error.
fn check_horizon_error(
    statement: &Statement,
    error: Option<&Proven>,
    claim: &HorizonErrorClaim,
) -> Result<f64, Failure> {
    let missing = |with| in_part(Part::Horizon)(Reason::Unfit { method: "of a bound on the error", with });
    let horizon = statement.horizon.as_ref().ok_or_else(|| missing("no first steps"))?;
    let error = error.ok_or_else(|| missing("no proof of the error"))?;
    let checked = error.exact_horizon(horizon, claim.m).and_then(|value| {
        require_bound(claim.bound, &value)?;
        finite_up(&value)
    });
    checked.map_err(in_part(Part::Horizon))
}

/// The value of a proof that is for the first steps alone: it is about the loss, and every condition of it holds.
fn prove_horizon<'a>(
    proof: &'a Proof,
    horizon: &Horizon,
    m: f64,
    prove: impl Fn(&'a Proof) -> Result<Proven<'a>, Failure>,
) -> Result<RBig, Reason> {
    if part_of(proof) != Part::Loss {
        return Err(Reason::Unfit { method: proof.method(), with: "a claim on the loss" });
    }
    let proven = prove(proof).map_err(|failure| failure.reason)?;
    proven.exact_horizon(horizon, m)
}

fn check_new_data(statement: &Statement, claim: &NewDataClaim, evidence: &Evidence) -> Result<f64, Reason> {
    require_length("datasets of the claim on new data", 1, evidence.data.len())?;
    let value = confidence::value(statement, claim, &evidence.data[0])?;
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

/// The claim that a proof can support.
fn part_of(proof: &Proof) -> Part {
    match proof {
        Proof::Cases(proof) if proof.rows.is_error() => Part::Error,
        Proof::Levels(_) => Part::Error,
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
