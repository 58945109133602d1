//! Certificates for linear learners of other losses, against other adversaries: the theorems of `docs/learners.md`.
//!
//! [`certify_linear`] searches a witness by a conic program and has the exact checker evaluate it. The program sees at most some thousand
//! rows; with more, it sees a sample, and the lines of all rows follow from its solution. The hinge learner against a ball has a solver
//! of its own ([`super::convexity`]).
//!
//! | module | its part |
//! |---|---|
//! | `setting` | learner and data as numbers |
//! | `rows` | what a row contributes, one file for each kind |
//! | `points`, `shells` | the adversary's sets; where θ may be |
//! | `program`, `cuts`, `solve` | the program, points on its curves, their refinement |
//! | `finite`, `free` | sets of many points, coordinates without regularization |
//! | `large`, `improve` | data of many rows |
//! | `theta`, `witness` | from a solution to a witness |
//! | `confidence` | bounds for the distribution that the rows come from |
//! | `form`, `logistic` | affine functions of unknowns; curves of the logistic loss |

mod confidence;
mod cuts;
mod finite;
mod form;
mod free;
mod improve;
mod large;
mod logistic;
mod points;
mod program;
mod rows;
mod setting;
mod shells;
mod solve;
mod theta;
mod witness;

use unswayed_check::{
    ConfidenceClaim, Evidence, Failure, Horizon, Linear, LinearCertificate, LinearClaim, LinearProven, Loss,
    Method, Rows, Set, Shells, Target, check_linear, prove_linear,
};

use super::{Status, data_info, tool};
use crate::data::Dataset;
use crate::error::CertifyError;
use crate::learner::Hinge;
use points::Reach;
use program::Task;
use rows::Kind;
use setting::{Constants, Sheet};
use solve::Found;

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
    let (chosen, data) = confidence::split(data, options)?;
    let data: Vec<&Dataset> = data.iter().map(AsRef::as_ref).collect();
    let search = Search::new(&data, learner, options)?;
    let start = search.start(options)?;
    let (loss, found) = search.loss()?;
    let proven = search.prove(&loss.witness)?;
    let horizon = match options.horizon {
        Some(steps) => Some(horizon(&proven, steps, &start)?),
        None => None,
    };
    let is_hinge = learner.loss != Loss::Logistic;
    let error = search.error(&found).filter(|e| e.bound < 1.0 && (!is_hinge || e.bound < loss.bound));
    let certified_error = error.as_ref().map(|e| e.bound).or(is_hinge.then_some(loss.bound.min(1.0)));
    let confidence = match (&chosen, options.confidence) {
        (Some(chosen), Some(level)) => Some(confidence::claim(learner, chosen, data[0], level)?),
        _ => None,
    };
    Ok(LinearOutcome {
        status: status(learner.loss, found.converged, loss.bound),
        certified_loss: loss.bound,
        certified_error,
        horizon_loss: horizon.as_ref().map(|h| h.bound),
        transient_steps: transient_steps(&proven, loss.bound, &start),
        confident_loss: confidence.as_ref().map(|c: &ConfidenceClaim| c.bound),
        certificate: LinearCertificate {
            tool: tool(),
            data: data.iter().map(|d| data_info(d, &d.as_rows())).collect(),
            target: options.target.map(|d| data_info(d, &d.as_rows())),
            learner: learner.clone(),
            loss,
            error,
            horizon,
            confidence,
        },
    })
}

/// The outcome of a certificate that was made before, after every claim has been checked against data and target. Whether its solver had
/// converged is not in the file; its bounds are valid either way.
pub fn recover_linear(
    data: &[&Dataset],
    target: Option<&Dataset>,
    certificate: LinearCertificate,
) -> Result<LinearOutcome, CertifyError> {
    let rows: Vec<Rows> = data.iter().map(|d| d.as_rows()).collect();
    let evidence = Evidence { data: &rows, target: target.map(Dataset::as_rows) };
    let verdict = check_linear(&certificate, &evidence).map_err(CertifyError::Refused)?;
    let witness = &certificate.loss.witness;
    let proven = prove_linear(&certificate.learner, witness, &evidence).map_err(CertifyError::Refused)?;
    let start = certificate.horizon.as_ref().map(|h| h.start.clone());
    let start = start.unwrap_or_else(|| vec![0.0; witness.beta.len()]);
    Ok(LinearOutcome {
        status: status(certificate.learner.loss, true, verdict.loss),
        certified_loss: verdict.loss,
        certified_error: verdict.error.map(|error| error.min(1.0)),
        horizon_loss: verdict.horizon,
        transient_steps: transient_steps(&proven, verdict.loss, &start),
        confident_loss: verdict.confidence,
        certificate,
    })
}

/// Against the model θ = 0, which never learns.
fn status(loss: Loss, converged: bool, bound: f64) -> Status {
    let idle = match loss {
        Loss::Hinge => 1.0,
        Loss::Logistic => std::f64::consts::LN_2,
        Loss::Classes(classes) => (classes - 1) as f64,
    };
    match (converged, bound < idle) {
        (false, _) => Status::NotConverged,
        (true, true) => Status::Certified,
        (true, false) => Status::Vacuous,
    }
}

fn refused(refusal: Failure) -> CertifyError {
    CertifyError::NoWitness { refusal: Some(refusal) }
}

fn horizon(proven: &LinearProven, steps: u64, start: &[f64]) -> Result<Horizon, CertifyError> {
    let bound = proven.horizon(steps, start).map_err(CertifyError::Refused)?;
    Ok(Horizon { steps, start: start.to_vec(), m: 0.0, bound })
}

/// The T at which the start adds 1 % to the certified loss; infinite if the start is not one that the bound is for.
fn transient_steps(proven: &LinearProven, bound: f64, start: &[f64]) -> f64 {
    proven.horizon(1, start).map_or(f64::INFINITY, |first| ((first - bound) / (0.01 * bound)).ceil())
}

/// Rows that the program sees, at most: unknowns and inequalities grow with them.
const MOST_ROWS: usize = 5000;
/// The same for logistic rows, each of which has many inequalities.
const MOST_LOGISTIC_ROWS: usize = 500;
/// And for logistic rows where the program only gives a start.
const MOST_STARTING_ROWS: usize = 100;
/// Rows times shells that a target of its own rows may have: lines in shells cannot be found from a sample.
const MOST_SHELL_ROWS: usize = 10_000;
/// Logistic rows up to which the program is solved in any case: it does best where the best numbers leave A at 0.
const FEW_ROWS: usize = 60;
/// Slopes that jump do so over this width when numbers are improved for many rows.
const WIDTH: f64 = 0.02;
/// Semidefinite cones up to which each label of a multi-class learner's adversary is a case of its own.
const MOST_CONES: usize = 2000;
/// How far inside of what is allowed the numbers of a witness are put, relatively, until the checker accepts them.
const ROOMS: [f64; 6] = [0.0, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2];

/// Everything a search needs.
struct Search<'a> {
    learner: &'a Linear,
    evidence: Vec<Rows<'a>>,
    target: Option<Rows<'a>>,
    constants: Constants,
    sheets: Vec<Sheet>,
    parts: Vec<Reach>,
    shells: Option<Shells>,
}

impl<'a> Search<'a> {
    fn new(
        data: &[&'a Dataset],
        learner: &'a Linear,
        options: &LinearOptions<'a>,
    ) -> Result<Self, CertifyError> {
        let evidence: Vec<Rows> = data.iter().map(|d| d.as_rows()).collect();
        let target = options.target.map(Dataset::as_rows);
        unswayed_check::validate_linear(learner, &Evidence { data: &evidence, target })
            .map_err(CertifyError::Refused)?;
        let constants = Constants::new(learner, data[0].dimension());
        if learner.set == Set::Any && learner.step.clip.is_none() {
            return Err(CertifyError::Unsupported("a set without bound and steps without clip"));
        }
        let has_shells = learner.target == Target::Rows || has_ball(learner);
        let (method, _) = loss_kind(learner, has_shells);
        unswayed_check::require_theorem(learner, method, has_shells).map_err(CertifyError::Refused)?;
        free::require_bias(learner, data)?;
        let sheet = |(i, d): (usize, &&Dataset)| Sheet::new(learner, d, i, options.target);
        let sheets: Vec<Sheet> = data.iter().enumerate().map(sheet).collect::<Result<_, _>>()?;
        let cones = match learner.loss {
            Loss::Classes(classes) => constants.parameters * classes * data.len(),
            _ => 0,
        };
        let parts = points::parts(learner, constants.parameters, cones <= MOST_CONES)
            .ok_or(CertifyError::Unsupported("this ellipsoid: its matrix has no eigenvalues"))?;
        let shells = Self::shells(learner, data, &constants, &sheets);
        Ok(Search { learner, evidence, target, constants, sheets, parts, shells })
    }

    /// Shells where lines must be bounded in range: for rows that the target alone has. For a projection, its ball.
    fn shells(
        learner: &Linear,
        data: &[&Dataset],
        constants: &Constants,
        sheets: &[Sheet],
    ) -> Option<Shells> {
        if learner.target != Target::Rows {
            return if has_ball(learner) { shells::projection(constants) } else { None };
        }
        let benign = Hinge::new(learner.learning_rate, learner.regularization)
            .ok()
            .map(|h| super::benign(data[0], &h).theta);
        let centre = benign.unwrap_or_else(|| vec![0.0; constants.parameters]);
        let own = |sheet: &Sheet| sheet.length[..sheet.own].iter().copied().fold(0.0, f64::max);
        let reach = points::longest(learner, constants.parameters);
        let longest =
            sheets.iter().map(own).fold(reach, f64::max).min(learner.step.clip.unwrap_or(f64::INFINITY));
        Some(shells::around(centre, constants, longest, reach))
    }

    fn start(&self, options: &LinearOptions) -> Result<Vec<f64>, CertifyError> {
        let expected = self.constants.parameters;
        let start = options.start.clone().unwrap_or_else(|| vec![0.0; expected]);
        if start.len() != expected {
            return Err(CertifyError::StartLength { expected, found: start.len() });
        }
        if let Some(index) = start.iter().position(|t| !t.is_finite()) {
            return Err(CertifyError::StartNotFinite { index });
        }
        if options.horizon == Some(0) {
            return Err(CertifyError::EmptyHorizon);
        }
        Ok(start)
    }

    /// The claim on the loss, and the numbers behind it.
    fn loss(&self) -> Result<(LinearClaim, Found), CertifyError> {
        let is_few = self.sheets.iter().all(|sheet| sheet.len() <= MOST_ROWS / self.sheets.len());
        // With more rows than the program sees, lines on the whole line are found more easily than those on an interval.
        let is_bounded = self.shells.is_some() && (is_few || self.learner.target == Target::Rows);
        let (method, kind) = loss_kind(self.learner, is_bounded);
        self.claim(method, kind, None)
    }

    /// The claim on the error, where there is a theorem for it.
    fn error(&self, near: &Found) -> Option<LinearClaim> {
        let step = &self.learner.step;
        let is_plain = self.learner.target == Target::Data && step.clip.is_none() && step.free.is_empty();
        if !is_plain || self.learner.set == Set::Labels {
            return None;
        }
        let (method, kind): (Method, &dyn Kind) = match self.learner.loss {
            Loss::Hinge | Loss::Classes(_) => (Method::ErrorHinge, &rows::ErrorHinge),
            Loss::Logistic => (Method::ErrorLogistic, &rows::ErrorLogistic),
        };
        self.claim(method, kind, Some(near)).ok().map(|(claim, _)| claim)
    }

    /// A witness with the bound that the exact checker finds for it.
    fn claim(
        &self,
        method: Method,
        kind: &dyn Kind,
        near: Option<&Found>,
    ) -> Result<(LinearClaim, Found), CertifyError> {
        let shells: Vec<shells::Shell> = self.shells.iter().flat_map(shells::each).collect();
        let task = Task {
            constants: &self.constants,
            loss: self.learner.loss,
            is_cut: self.learner.step.clip.is_some(),
            kind,
            sheets: &self.sheets,
            shells: &shells,
            parts: &self.parts,
            is_shared: true,
            burden: 0.0,
        };
        let rows: usize = self.sheets.iter().map(Sheet::len).sum();
        if shells.len() > 1 && rows * shells.len() > MOST_SHELL_ROWS {
            let rows = MOST_SHELL_ROWS / shells.len();
            return Err(CertifyError::TooManyForShells { rows });
        }
        let found = find(&task, most_rows(&task), near).ok_or(CertifyError::NoWitness { refusal: None })?;
        let mut refusal = None;
        let mut best: Option<LinearClaim> = None;
        for room in ROOMS {
            let witness =
                witness::witness(&task, &found, method, self.shells.clone(), &self.learner.set, room);
            match self.prove(&witness).and_then(|proven| proven.bound().map_err(refused)) {
                Ok(bound) if best.as_ref().is_none_or(|best| bound < best.bound) => {
                    // More room may do better still where the least leaves a curvature near 0.
                    best = Some(LinearClaim { bound, witness });
                }
                Ok(_) => break,
                Err(error) => refusal = Some(error),
            }
        }
        let claim = best.ok_or_else(|| refusal.unwrap_or(CertifyError::NoWitness { refusal: None }))?;
        Ok((claim, found))
    }

    fn prove<'w>(
        &'w self,
        witness: &'w unswayed_check::LinearWitness,
    ) -> Result<LinearProven<'w>, CertifyError> {
        prove_linear(self.learner, witness, &Evidence { data: &self.evidence, target: self.target })
            .map_err(refused)
    }
}

/// Whether the ball of a projection enters the proof. For classes it does not: the bound is then that without it.
fn has_ball(learner: &Linear) -> bool {
    learner.step.projection.is_some() && !matches!(learner.loss, Loss::Classes(_))
}

/// How the rows are bounded for the loss, where scores are bounded or not.
fn loss_kind(learner: &Linear, is_bounded: bool) -> (Method, &'static dyn Kind) {
    let clipped = learner.step.clip.is_some();
    match (learner.loss, &learner.set) {
        (Loss::Hinge, Set::Labels) => (Method::LabelHinge, &rows::LabelHinge),
        (Loss::Hinge, _) if clipped => (Method::ClippedHinge, &rows::ClippedHinge),
        (Loss::Hinge, _) if is_bounded => (Method::Interval, &rows::Interval),
        (Loss::Hinge | Loss::Classes(_), _) => (Method::Hinge, &rows::Hinge),
        (Loss::Logistic, Set::Labels) => (Method::LabelLogistic, &rows::LabelLogistic),
        (Loss::Logistic, _) if clipped => (Method::ClippedLogistic, &rows::ClippedLogistic),
        (Loss::Logistic, _) => (Method::Logistic, &rows::Logistic),
    }
}

/// The rows of each dataset that the program may see.
fn most_rows(task: &Task) -> usize {
    let all = match task.loss {
        Loss::Logistic if improve::applies(task) => MOST_STARTING_ROWS,
        Loss::Logistic => MOST_LOGISTIC_ROWS,
        _ => MOST_ROWS,
    };
    (all / task.sheets.len()).max(50)
}

/// The best numbers for all rows, from a sample if they are too many. `near` are good numbers for a similar task, if there are any.
fn find(task: &Task, most_rows: usize, near: Option<&Found>) -> Option<Found> {
    let solve = |task: &Task| match task.parts {
        [Reach::Point(_), ..] => finite::solve_points(task),
        _ => solve::solve(&Task { is_shared: finite::must_share(task, task.parts.len()), ..*task }),
    };
    let rows: usize = task.sheets.iter().map(Sheet::len).sum();
    let is_smooth = task.loss == Loss::Logistic && rows > FEW_ROWS && improve::applies(task);
    let is_easy = task.parts.iter().all(|part| !matches!(part, Reach::Symmetric(set) if set.price.len() > 1));
    if is_smooth && (near.is_some() || is_easy) {
        let starts = [near.map(|near| improve::restart(task, near)), is_easy.then(|| improve::start(task))];
        let found = starts.iter().flatten().map(|start| improve::improve(task, start, WIDTH));
        return found.min_by(|a, b| a.value.total_cmp(&b.value));
    }
    let strides = task.sheets.iter().map(|sheet| sheet.len().div_ceil(most_rows));
    let samples: Vec<Sheet> =
        task.sheets.iter().zip(strides).map(|(sheet, stride)| sheet.sample(stride)).collect();
    if !is_smooth && samples.iter().zip(task.sheets).all(|(sample, sheet)| sample.len() == sheet.len()) {
        return solve(task);
    }
    let sample = Task { sheets: &samples, ..*task };
    let mut found = solve(&sample)?;
    if !improve::applies(task) {
        return Some(large::lines(task, &sample, &found));
    }
    // The best τ for a sample may leave A at 0, from where there is no way on.
    found.cases[0].tau.iter_mut().for_each(|tau| *tau *= 1.03);
    Some(improve::improve(task, &large::lines(task, &sample, &found), WIDTH))
}
