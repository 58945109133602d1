//! Certificates: proven upper bounds on the long-run loss under any adaptive poisoning.
//!
//! [`certify`] searches a witness, has the exact checker evaluate it, and only then knows a bound.

mod benign;
mod conic;
pub mod convexity;
mod descent;
pub mod framework;
pub mod linear;
mod mean;
pub mod paper;

pub use benign::{Benign, benign};
pub(crate) use convexity::dot;
pub(crate) use descent::Descent;
pub use mean::{MeanOutcome, MeanSetting, certify_mean, certify_shrunk_mean};
use unswayed_check::{Certificate, Claim, DataInfo, Failure, Horizon, Learner, Proven, Rows, Witness, prove};

use crate::data::Dataset;
use crate::error::CertifyError;
use crate::learner::Hinge;
use crate::threat::Threat;
pub(crate) use convexity::Point;
use convexity::{Found, Problem};

/// What to certify beyond the long-run loss.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Also bound the average loss over this many first steps.
    pub horizon: Option<u64>,
    /// Where the learner starts; θ = 0 if not given.
    pub start: Option<Vec<f64>>,
}

/// What the bound is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Proven, as tight as the method gets, and better than not learning at all.
    Certified,
    /// Proven, but no better than 1, the loss of the model θ = 0 that never learns.
    Vacuous,
    /// Proven, but the solver stopped before it found the best witness.
    NotConverged,
}

impl Status {
    /// The word for it in tables and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Status::Certified => "certified",
            Status::Vacuous => "vacuous",
            Status::NotConverged => "not converged",
        }
    }
}

/// A certificate and what surrounds it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Everything needed to verify the bounds.
    pub certificate: Certificate,
    /// What the bound is worth.
    pub status: Status,
    /// No adversary gets the long-run hinge loss above this.
    pub certified_loss: f64,
    /// No adversary gets the long-run error (rows with θᵀz ≤ 0) above this.
    pub certified_error: f64,
    /// The bound for the first steps, if a horizon was asked for.
    pub horizon_loss: Option<f64>,
    /// After this many steps the start adds less than 1 % to the certified loss.
    pub transient_steps: f64,
    /// The learner without adversary, for small learning rates.
    pub benign: Benign,
}

/// Certifies the hinge learner on the given data against the given threat.
///
/// ```
/// use unswayed::{Dataset, Hinge, Threat, certify};
/// let data = Dataset::sample()?; // MNIST 1 v 7, 500 rows
/// let outcome = certify::certify(&data, &Hinge::new(1e-3, 0.01)?, &Threat::new(0.01)?, &certify::Options::default())?;
/// assert!(outcome.benign.loss < outcome.certified_loss && outcome.certified_loss < 0.15);
///
/// // Anyone can check it, in exact arithmetic, from the bytes of the file.
/// let bytes = outcome.certificate.to_bytes();
/// let verdict = unswayed_check::check(&unswayed_check::Certificate::from_bytes(&bytes)?, &data.as_rows())?;
/// assert_eq!(verdict.loss, outcome.certified_loss);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn certify(
    data: &Dataset,
    learner: &Hinge,
    threat: &Threat,
    options: &Options,
) -> Result<Outcome, CertifyError> {
    Ok(certify_after(data, learner, threat, options, &benign(data, learner), None)?.0)
}

/// The same with the benign model at hand, starting from the solution for a similar setting if there is one.
/// Returns the solution as well, for the next setting.
pub(crate) fn certify_after(
    data: &Dataset,
    learner: &Hinge,
    threat: &Threat,
    options: &Options,
    benign: &Benign,
    similar: Option<&Point>,
) -> Result<(Outcome, Point), CertifyError> {
    let start = start(data, options)?;
    let problem = Problem::new(data, learner, threat);
    let rows = data.as_rows();
    let setting = setting(learner, threat);

    let theorem2 = convexity::theorem2_after(&problem, similar);
    let solution = theorem2.point().clone();
    let zero_one = convexity::zero_one(&problem, &theorem2);
    let mut found = vec![convexity::plain(&problem)];
    if norm(&start) <= problem.ball() {
        found.push(convexity::bounded_range(&problem, &theorem2));
    }
    found.push(theorem2);
    let (loss, horizon, converged) = best_claim(&setting, found, &rows, options.horizon, &start)?;
    let error = (zero_one.bound < loss.bound.min(1.0))
        .then(|| claim(&setting, zero_one.witness, &rows).ok())
        .flatten()
        .filter(|error| error.bound < loss.bound);

    let proofs = Proofs { status: status(converged, loss.bound), loss, error, horizon };
    Ok((finish(data, learner, setting, proofs, &start, benign.clone()), solution))
}

/// The outcome of a certificate that was made before, after every claim has been checked against the data.
///
/// ```
/// use unswayed::{Dataset, Hinge, Threat, certify};
/// let data = Dataset::sample()?;
/// let made = certify::certify(&data, &Hinge::new(1e-3, 0.01)?, &Threat::new(0.01)?, &certify::Options::default())?;
/// let again = certify::recover(&data, made.certificate.clone())?;
/// assert_eq!(again.certified_loss, made.certified_loss);
/// assert!(certify::recover(&data.first(100)?, made.certificate).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn recover(data: &Dataset, certificate: Certificate) -> Result<Outcome, CertifyError> {
    let verdict = unswayed_check::check(&certificate, &data.as_rows()).map_err(CertifyError::Refused)?;
    let Learner::Hinge(hinge) = &certificate.learner else { return Err(CertifyError::NotHinge) };
    let learner = Hinge::new(hinge.learning_rate, hinge.regularization)?;
    let start = certificate.horizon.as_ref().map_or_else(|| vec![0.0; data.dimension()], |h| h.start.clone());
    Ok(Outcome {
        // Whether its solver had converged is not in the file; the bound is valid either way.
        status: status(true, verdict.loss),
        certified_loss: verdict.loss,
        certified_error: verdict.error.unwrap_or(verdict.loss).min(1.0),
        horizon_loss: verdict.horizon,
        transient_steps: transient_steps(&certificate.loss, &learner, &start),
        benign: benign(data, &learner),
        certificate,
    })
}

/// Learner and threat as the checker has them.
fn setting(learner: &Hinge, threat: &Threat) -> Learner {
    Learner::Hinge(unswayed_check::Hinge {
        learning_rate: learner.learning_rate(),
        regularization: learner.regularization(),
        poison_rate: threat.poison_rate(),
        radius: threat.radius(),
    })
}

/// What the checker has confirmed, and what it is worth.
struct Proofs {
    status: Status,
    loss: Claim,
    error: Option<Claim>,
    horizon: Option<Horizon>,
}

/// Proven claims and what surrounds them.
fn finish(
    data: &Dataset,
    learner: &Hinge,
    setting: Learner,
    Proofs { status, loss, error, horizon }: Proofs,
    start: &[f64],
    benign: Benign,
) -> Outcome {
    Outcome {
        status,
        certified_loss: loss.bound,
        certified_error: error.as_ref().map_or(loss.bound, |e| e.bound).min(1.0),
        horizon_loss: horizon.as_ref().map(|h| h.bound),
        transient_steps: transient_steps(&loss, learner, start),
        benign,
        certificate: Certificate {
            tool: tool(),
            data: data_info(data, &data.as_rows()),
            learner: setting,
            loss,
            error,
            horizon,
        },
    }
}

/// The smallest bound that the exact checker confirms, with its finite-horizon part, and whether its solver converged.
fn best_claim(
    setting: &Learner,
    mut found: Vec<Found>,
    rows: &Rows,
    steps: Option<u64>,
    start: &[f64],
) -> Result<(Claim, Option<Horizon>, bool), CertifyError> {
    found.retain(|f| f.bound.is_finite());
    found.sort_by(|a, b| a.bound.total_cmp(&b.bound));
    let mut refusal = None;
    for Found { witness, converged, .. } in found {
        let proof = prove(setting, &witness, rows).and_then(|proven| {
            let horizon = steps.map(|steps| horizon(&proven, best_m(&witness), steps, start));
            Ok((proven.bound()?, horizon.transpose()?))
        });
        match proof {
            Ok((bound, horizon)) => return Ok((Claim { bound, witness }, horizon, converged)),
            Err(failure) => refusal = Some(failure),
        }
    }
    Err(CertifyError::NoWitness { refusal })
}

/// Proven bounds on the average loss over the first T steps from a start, for each T given.
///
/// ```
/// use unswayed::{Dataset, Hinge, Threat, certify};
/// let (data, learner) = (Dataset::sample()?, Hinge::new(1e-3, 0.01)?);
/// let outcome = certify::certify(&data, &learner, &Threat::new(0.01)?, &certify::Options::default())?;
/// let bounds = certify::horizon_bounds(&data, &outcome.certificate, &[0.0; 31], &[1_000, 1_000_000_000])?;
/// assert!(bounds[0] > bounds[1] && bounds[1] > outcome.certified_loss);
/// assert!(bounds[1] < 1.01 * outcome.certified_loss);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn horizon_bounds(
    data: &Dataset,
    certificate: &Certificate,
    start: &[f64],
    steps: &[u64],
) -> Result<Vec<f64>, Failure> {
    let (witness, rows) = (&certificate.loss.witness, data.as_rows());
    let proven = prove(&certificate.learner, witness, &rows)?;
    steps.iter().map(|steps| Ok(horizon(&proven, best_m(witness), *steps, start)?.bound)).collect()
}

/// The finite-horizon part of a certificate, with the bound that the exact checker finds for it.
fn horizon(proven: &Proven, m: f64, steps: u64, start: &[f64]) -> Result<Horizon, Failure> {
    let bound = proven.horizon(steps, start, m)?;
    Ok(Horizon { steps, start: start.to_vec(), m, bound })
}

/// The m that makes the finite-horizon term smallest: max(0, ‖β‖/(2ϱ) − α) in a ball, else 0.
fn best_m(witness: &Witness) -> f64 {
    match witness {
        Witness::BoundedRange { alpha, beta, ball, .. } => (norm(beta) / (2.0 * ball) - alpha).max(0.0),
        // The same with A's smallest eigenvalue for α, which may be negative: the sum must not be 0.
        Witness::Paper(w) => {
            let least = 1e-9 * w.low.abs().max(1e-9);
            (norm(&w.b) / (2.0 * w.ball)).max(least).max(w.low) - w.low
        }
        _ => 0.0,
    }
}

/// A witness with the bound that the exact checker finds for it.
fn claim(setting: &Learner, witness: Witness, rows: &Rows) -> Result<Claim, Failure> {
    let bound = prove(setting, &witness, rows)?.bound()?;
    Ok(Claim { bound, witness })
}

fn status(converged: bool, loss: f64) -> Status {
    match (converged, loss < 1.0) {
        (false, _) => Status::NotConverged,
        (true, true) => Status::Certified,
        (true, false) => Status::Vacuous,
    }
}

/// The T at which the finite-horizon term is 1 % of the certified loss.
fn transient_steps(loss: &Claim, learner: &Hinge, start: &[f64]) -> f64 {
    (start_cost(&loss.witness, start) / (learner.learning_rate() * 0.01 * loss.bound)).ceil()
}

/// The finite-horizon term times ηT, for the best m: ‖2(α+m)θ_0 + β‖²/(4(α+m)) + m(ϱ² − ‖θ_0‖²).
fn start_cost(witness: &Witness, start: &[f64]) -> f64 {
    if let Witness::Paper(w) = witness {
        let m = best_m(witness);
        let room = m * w.ball * w.ball + dot(&w.b, &w.b) / (4.0 * (w.low + m));
        return room + paper::quadratic(&w.a, start) + dot(&w.b, start);
    }
    let (alpha, beta, ball) = match witness {
        Witness::Convexity { alpha, beta, .. } => (alpha, beta, 0.0),
        Witness::BoundedRange { alpha, beta, ball, .. } => (alpha, beta, *ball),
        _ => return f64::NAN,
    };
    let m = best_m(witness);
    let curve = alpha + m;
    let distance: f64 = start.iter().zip(beta).map(|(t, b)| (2.0 * curve * t + b).powi(2)).sum();
    let room = (ball * ball - dot(start, start)).max(0.0);
    distance / (4.0 * curve) + if m > 0.0 { m * room } else { 0.0 }
}

/// The name and version that certificates carry.
pub(crate) fn tool() -> String {
    concat!("unswayed ", env!("CARGO_PKG_VERSION")).into()
}

fn start(data: &Dataset, options: &Options) -> Result<Vec<f64>, CertifyError> {
    let start = options.start.clone().unwrap_or_else(|| vec![0.0; data.dimension()]);
    if start.len() != data.dimension() {
        return Err(CertifyError::StartLength { expected: data.dimension(), found: start.len() });
    }
    if let Some(index) = start.iter().position(|t| !t.is_finite()) {
        return Err(CertifyError::StartNotFinite { index });
    }
    if options.horizon == Some(0) {
        return Err(CertifyError::EmptyHorizon);
    }
    Ok(start)
}

/// What the certificate says of the data.
fn data_info(data: &Dataset, rows: &Rows) -> DataInfo {
    let origin = data.provenance();
    DataInfo {
        sha256: rows.digest(),
        rows: data.rows(),
        dimension: data.dimension(),
        first_rows: origin.first_rows,
        labels: origin.labels.clone(),
        scale: origin.scale,
    }
}

fn norm(v: &[f64]) -> f64 {
    convexity::dot(v, v).sqrt()
}
