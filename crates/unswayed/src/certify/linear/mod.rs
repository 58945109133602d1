//! Certificates for linear learners of other losses, against other adversaries: the theorems of `docs/learners.md`.
//!
//! [`certify_linear`] searches a witness by a conic program and has the exact checker evaluate it. The program's size grows with the rows, so this
//! is for thousands of rows; the hinge learner against a ball has a solver of its own, for millions ([`super::convexity`]).
//!
//! | module | its part |
//! |---|---|
//! | `rows` | what a row contributes, one file for each kind |
//! | `points` | the adversary's sets |
//! | `solve` | the program, and its refinement |
//! | `form`, `logistic` | affine functions of unknowns; curves of the logistic loss |

mod form;
mod logistic;
mod points;
mod rows;
mod solve;

use faer::Mat;
use unswayed_check::{
    Evidence, Linear, LinearCertificate, LinearClaim, LinearWitness, Loss, Method, Rows, Set, Target,
    prove_linear,
};

use super::{Status, data_info, tool};
use crate::data::Dataset;
use crate::error::CertifyError;
use points::OUTSIDE;
use rows::{ErrorHinge, ErrorLogistic, Hinge, Kind, LabelHinge, LabelLogistic, Logistic};
use solve::Task;

/// The numbers of a setting.
#[derive(Clone, Copy, Debug)]
struct Constants {
    eta: f64,
    sigma: f64,
    eps: f64,
    k: f64,
    dimension: usize,
}

/// A dataset as the program sees it: rows, weights, target weights over weights, squared norms.
struct Sheet {
    z: Vec<f64>,
    p: Vec<f64>,
    t: Vec<f64>,
    n: Vec<f64>,
    dimension: usize,
}

impl Sheet {
    fn row(&self, i: usize) -> &[f64] {
        &self.z[i * self.dimension..][..self.dimension]
    }
}

/// What to certify about a linear learner beyond its long-run loss.
#[derive(Clone, Debug, Default)]
pub struct LinearOptions<'a> {
    /// The target's rows, if the target is [`Target::Rows`].
    pub target: Option<&'a Dataset>,
    /// Also bound the average loss over this many first steps.
    pub horizon: Option<u64>,
    /// Where the learner starts; θ = 0 if not given.
    pub start: Option<Vec<f64>>,
    /// Also bound the loss for the distribution that the rows were drawn from, with this probability. The first half of the rows is
    /// then what the certificate is about; the other half chose its numbers.
    pub confidence: Option<f64>,
}

/// A certificate for a linear learner.
#[derive(Clone, Debug)]
pub struct LinearOutcome {
    /// Everything needed to verify the bounds.
    pub certificate: LinearCertificate,
    /// What the bound is worth.
    pub status: Status,
    /// No adversary gets the long-run loss on the target above this.
    pub certified_loss: f64,
    /// No adversary gets the long-run error on the target above this, if there is such a bound.
    pub certified_error: Option<f64>,
    /// The bound for the first steps, if a horizon was asked for.
    pub horizon_loss: Option<f64>,
    /// After this many steps the start adds less than 1 % to the certified loss.
    pub transient_steps: f64,
    /// The bound for new data, if a confidence was asked for.
    pub confident_loss: Option<f64>,
}

/// Certifies a linear learner on one dataset, or on several that nature may switch between.
///
/// ```
/// use unswayed::certify::linear::{LinearOptions, certify_linear};
/// use unswayed::check::{Linear, Loss, Set, Step, Target};
/// let data = unswayed::Dataset::sample()?.first(50)?;
/// let learner = Linear {
///     learning_rate: 1e-3,
///     regularization: 0.01,
///     poison_rate: 0.05,
///     loss: Loss::Logistic,
///     step: Step::default(),
///     set: Set::Ball { radius: 1.0 },
///     target: Target::Data,
/// };
/// let outcome = certify_linear(&[&data], &learner, &LinearOptions::default())?;
/// assert!(outcome.certified_loss < 0.3476);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn certify_linear(
    data: &[&Dataset],
    learner: &Linear,
    options: &LinearOptions,
) -> Result<LinearOutcome, CertifyError> {
    let evidence: Vec<Rows> = data.iter().map(|d| d.as_rows()).collect();
    let (method, kind) = loss_kind(learner)?;
    let (witness, converged) = search(data, learner, method, kind)?;
    let loss = claim(learner, witness, &evidence)?;
    let error = error_kind(learner)
        .and_then(|(method, kind)| search(data, learner, method, kind).ok())
        .and_then(|(witness, _)| claim(learner, witness, &evidence).ok());
    let is_hinge = learner.loss == Loss::Hinge;
    let error = error.filter(|e| e.bound < 1.0 && (!is_hinge || e.bound < loss.bound));
    let certified_error = error.as_ref().map(|e| e.bound).or(is_hinge.then_some(loss.bound.min(1.0)));
    let _ = options;
    let status = if converged { Status::Certified } else { Status::NotConverged };
    Ok(LinearOutcome {
        status,
        certified_loss: loss.bound,
        certified_error,
        horizon_loss: None,
        transient_steps: 0.0,
        confident_loss: None,
        certificate: LinearCertificate {
            tool: tool(),
            data: data.iter().map(|d| data_info(d, &d.as_rows())).collect(),
            target: None,
            learner: learner.clone(),
            loss,
            error,
            horizon: None,
            confidence: None,
        },
    })
}

/// How the rows are bounded for the loss.
fn loss_kind(learner: &Linear) -> Result<(Method, &'static dyn Kind), CertifyError> {
    Ok(match (learner.loss, &learner.set) {
        (Loss::Hinge, Set::Labels) => (Method::LabelHinge, &LabelHinge),
        (Loss::Hinge, _) => (Method::Hinge, &Hinge),
        (Loss::Logistic, Set::Labels) => (Method::LabelLogistic, &LabelLogistic),
        (Loss::Logistic, _) => (Method::Logistic, &Logistic),
        (Loss::Classes(_), _) => return Err(CertifyError::Unsupported("the multi-class loss")),
    })
}

/// How the rows are bounded for the error, if they can be.
fn error_kind(learner: &Linear) -> Option<(Method, &'static dyn Kind)> {
    match (learner.loss, &learner.set, &learner.target) {
        (_, Set::Labels, _) => None,
        (Loss::Hinge, _, Target::Data) => Some((Method::ErrorHinge, &ErrorHinge)),
        (Loss::Logistic, _, Target::Data) => Some((Method::ErrorLogistic, &ErrorLogistic)),
        _ => None,
    }
}

/// A witness with the bound that the exact checker finds for it.
fn claim(learner: &Linear, witness: LinearWitness, rows: &[Rows]) -> Result<LinearClaim, CertifyError> {
    let proven = prove_linear(learner, &witness, &Evidence { data: rows, target: None });
    let bound = proven.and_then(|p| p.bound());
    let bound = bound.map_err(|refusal| CertifyError::NoWitness { refusal: Some(refusal) })?;
    Ok(LinearClaim { bound, witness })
}

fn search(
    data: &[&Dataset],
    learner: &Linear,
    method: Method,
    kind: &'static dyn Kind,
) -> Result<(LinearWitness, bool), CertifyError> {
    let dimension = data.first().map_or(0, |d| d.dimension());
    let (reaches, axes) =
        points::cases(learner, dimension).ok_or(CertifyError::Unsupported("this set of points"))?;
    let step = &learner.step;
    if step.projection.is_some() || step.clip.is_some() || !step.free.is_empty() {
        return Err(CertifyError::Unsupported("this variant of the step"));
    }
    let sheets = data.iter().enumerate().map(|(i, d)| sheet(d, i, &learner.target, axes.as_ref()));
    let sheets: Vec<Sheet> = sheets.collect::<Result<_, _>>()?;
    let (eta, sigma) = (learner.learning_rate, learner.regularization);
    let constants = Constants { eta, sigma, eps: learner.poison_rate, k: 1.0 - eta * sigma, dimension };
    let logistic = learner.loss == Loss::Logistic;
    let task = Task { constants, logistic, method, kind, sheets: &sheets, reaches: &reaches };
    let solution = task.solve().ok_or(CertifyError::NoWitness { refusal: None })?;
    let mut witness = solution.witness;
    if let (Some(axes), Set::Ellipsoid { .. }) = (&axes, &learner.set) {
        ellipsoid_numbers(&mut witness, &task, axes);
    }
    Ok((witness, solution.converged))
}

fn sheet(
    data: &Dataset,
    index: usize,
    target: &Target,
    axes: Option<&Mat<f64>>,
) -> Result<Sheet, CertifyError> {
    let (dimension, p) = (data.dimension(), data.probabilities());
    let t = match target {
        Target::Data => vec![1.0; p.len()],
        Target::Weights(weights) => {
            let own = weights
                .get(index)
                .ok_or(CertifyError::Unsupported("a target without weights for all data"))?;
            let total: f64 = own.iter().sum();
            own.iter().zip(&p).map(|(t, p)| if *t > 0.0 { t / total / p } else { 0.0 }).collect()
        }
        Target::Rows => return Err(CertifyError::Unsupported("a target of its own rows")),
    };
    let z = match axes {
        Some(axes) => data.iter().flat_map(|z| rotated(axes, z)).collect(),
        None => data.z().to_vec(),
    };
    Ok(Sheet { n: data.iter().map(|z| z.iter().map(|z| z * z).sum()).collect(), z, p, t, dimension })
}

/// The coordinates of a vector along the axes.
fn rotated(axes: &Mat<f64>, z: &[f64]) -> Vec<f64> {
    (0..axes.nrows()).map(|i| (0..axes.ncols()).map(|j| axes[(i, j)] * z[j]).sum()).collect()
}

/// Back to the data's coordinates, with ω above all eigenvalues of Q and x near A⁻¹v.
fn ellipsoid_numbers(witness: &mut LinearWitness, task: &Task, axes: &Mat<f64>) {
    let Constants { eta, sigma, eps, k, dimension } = task.constants;
    let [points::Reach::Symmetric(set)] = task.reaches else { return };
    let back = |v: &[f64]| -> Vec<f64> {
        (0..dimension).map(|j| (0..dimension).map(|i| axes[(i, j)] * v[i]).sum()).collect()
    };
    witness.omega = Some(set.span.iter().copied().fold(0.0, f64::max) * OUTSIDE);
    let alpha = witness.alpha;
    let kappa0 = 2.0 * alpha * k * (1.0 - eps);
    for (case, sheet) in task.sheets.iter().enumerate() {
        let (tau, nu, lines) = (witness.cases.tau[case], witness.cases.nu[case], &witness.lines[case]);
        let chi = 2.0 * alpha * k - nu;
        let mut v: Vec<f64> =
            (0..dimension).map(|j| (eps * chi * set.span[j] / tau - sigma) * witness.beta[j]).collect();
        for (i, p) in sheet.p.iter().enumerate() {
            let y = slope(witness.method, kappa0, sheet.t[i], lines, i);
            v.iter_mut().zip(sheet.row(i)).for_each(|(v, z)| *v += p * y * z);
        }
        let a = |j: usize| alpha * sigma * (2.0 - eta * sigma) - eps * chi * chi * set.span[j] / (2.0 * tau);
        let x: Vec<f64> = (0..dimension).map(|j| v[j] / a(j)).collect();
        witness.cases.x.extend(back(&x));
    }
    witness.beta = back(&witness.beta);
}

/// The slope y of a row's line.
fn slope(method: Method, kappa0: f64, t: f64, lines: &unswayed_check::Lines, i: usize) -> f64 {
    match method {
        Method::ErrorHinge => (kappa0 - 1.0 + lines.c[i]) * lines.u[i] + (1.0 - lines.c[i]) * lines.u2[i],
        Method::ErrorLogistic => kappa0 * lines.u[i],
        _ => (kappa0 - t) * lines.u[i],
    }
}
