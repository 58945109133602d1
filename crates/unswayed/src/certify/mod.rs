//! Certificates: proven upper bounds on the long-run loss under any adaptive poisoning.
//!
//! [`certify`] searches a proof, has the exact checker evaluate it, and only then knows a bound. How a proof is found is a
//! strategy, picked by what the problem is:
//!
//! | module | finds proofs for |
//! |---|---|
//! | `interior` | hinge rows against a ball: an interior point method whose cost grows linearly with the rows |
//! | `general` | everything else: Newton's method for losses without kinks, and a conic program |
//! | `contraction` | the loss of the hinge learner against a ball, by intervals of the margins; only with [`Effort::Tight`] |
//! | `levels` | the error, on the levels of the learner's objective; not with [`Effort::Quick`] |
//! | [`paper`] | the paper's semidefinite program, for comparison |
//!
//! `momentum` turns a proof for plain steps into one for steps with momentum.

#[cfg(not(feature = "general"))]
mod absent;
mod benign;
mod bootstrap;
#[cfg(feature = "general")]
mod conic;
#[cfg(feature = "general")]
mod contraction;
mod dense;
#[cfg(feature = "general")]
mod dense_large;
mod descent;
mod first_steps;
#[cfg(feature = "general")]
pub mod framework;
#[cfg(feature = "general")]
mod general;
mod interior;
#[cfg(feature = "general")]
mod levels;
mod mean;
mod momentum;
#[cfg(feature = "general")]
pub mod paper;
mod series;
#[cfg(feature = "general")]
mod span;
mod sparse;
mod start;
#[cfg(feature = "files")]
mod stream;
#[cfg(test)]
mod tests;

#[cfg(not(feature = "general"))]
use absent::{contraction, general, levels, span};
#[cfg(feature = "general")]
pub(crate) use benign::hinge as settled_hinge;
pub use benign::{Benign, benign, held};
pub use bootstrap::{Bootstrap, bootstrap};
#[cfg(feature = "general")]
pub(crate) use descent::Descent;
use interior::Point;
pub(crate) use interior::dot;
pub use interior::{MOST_SAME_COLUMNS, MOST_SAME_ROWS};
pub use mean::{MeanOutcome, MeanSetting, certify_mean, certify_shrunk_mean};
pub use series::Series;
#[cfg(feature = "files")]
pub use stream::{certify_partitions, certify_stream, pass_over, sample_rows};
use unswayed_check::{
    CaseProof, Certificate, Claim, Failure, Feature, Horizon, HorizonClaim, HorizonErrorClaim, Loss,
    NewDataClaim, Proof, Statement, Target, prove,
};

use crate::data::Dataset;
use crate::error::CertifyError;
use crate::learner::loss_at;
use crate::problem::Problem;

/// How much smaller a bound for the first steps must be, relatively, for a proof of its own.
const WORTH: f64 = 1e-6;

/// What to certify beyond the long-run loss.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Also bound the average loss over this many first steps.
    pub horizon: Option<u64>,
    /// Where the learner starts; θ = 0 if not given.
    pub start: Option<Vec<f64>>,
    /// For a horizon with learning rates that change: the rate of its first step; the learning rate if not given.
    pub first_rate: Option<f64>,
    /// For a horizon where averages are weighted by the learning rates: what those of its steps add up to.
    pub total_rate: Option<f64>,
    /// Also bound the loss on new data, with this probability. The first half of the rows is then what the certificate is
    /// about; the other half chose its numbers.
    pub confidence: Option<f64>,
    /// How much time to spend.
    pub effort: Effort,
    /// Whether the size of the proof may grow with the rows.
    pub compact: Compact,
}

/// Whether a proof has a rule in place of numbers for each row (Lemma R1), so that the size of a certificate does not grow with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compact {
    /// If there are more than 10,000 rows, or 100,000 with weights, and no other kind of proof is 0.1 % better (0.03 % for up to 100,000
    /// rows). Rows without weights are then treated as those of a stream are: the proof for a sample of them is improved by passes
    /// over all.
    #[default]
    IfLarge,
    /// In every case.
    Always,
    /// Never.
    Never,
}

/// More rows than this are large data.
const LARGE: usize = 100_000;

impl Compact {
    /// What it means for a problem.
    fn of(self, problem: &Problem) -> Compact {
        let data = &problem.data()[0];
        let few = if data.weights().is_none() { MOST_SAME_ROWS } else { LARGE };
        let is_large = data.rows() > few && problem.require(&rule_features(problem)).is_ok();
        if self == Compact::IfLarge && !is_large { Compact::Never } else { self }
    }
}

/// The features of a request for a proof by a rule.
fn rule_features(problem: &Problem) -> Vec<Feature> {
    let weighted = problem.data().iter().any(|data| data.weights().is_some());
    std::iter::once(Feature::RowRule).chain(weighted.then_some(Feature::RowWeights)).collect()
}

/// How much time to spend on a certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// No proof of the error by levels: for many problems at once.
    #[default]
    Quick,
    /// Also search a proof of the error by levels (Theorem E4) where that takes a few seconds: up to 1000 rows of 31 columns.
    Standard,
    /// Search it for up to 5000 rows, however long it takes; and a proof of the loss by contraction (Theorem C2), for the hinge
    /// learner against a ball and up to 1000 rows.
    Tight,
}

impl Effort {
    fn has_levels(self, problem: &Problem) -> bool {
        match self {
            Effort::Quick => false,
            Effort::Standard => levels::is_quick(problem),
            Effort::Tight => true,
        }
    }
}

impl Options {
    /// Spend more time.
    pub fn with_effort(self, effort: Effort) -> Self {
        Options { effort, ..self }
    }

    /// Whether the size of the proof may grow with the rows.
    pub fn with_compact(self, compact: Compact) -> Self {
        Options { compact, ..self }
    }

    /// Also bound the average loss over the first steps.
    pub fn with_horizon(self, steps: u64) -> Self {
        Options { horizon: Some(steps), ..self }
    }

    /// From this start.
    pub fn with_start(self, start: Vec<f64>) -> Self {
        Options { start: Some(start), ..self }
    }

    /// Also bound the loss on new data.
    pub fn with_confidence(self, probability: f64) -> Self {
        Options { confidence: Some(probability), ..self }
    }
}

/// What the bound is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Status {
    /// Proven, as tight as the method gets, and better than not learning at all.
    #[serde(rename = "certified")]
    Certified,
    /// Proven, but no better than the loss of the model θ = 0 that never learns.
    #[serde(rename = "vacuous")]
    Vacuous,
    /// Proven, but the solver stopped before it found the best proof.
    #[serde(rename = "not converged")]
    NotConverged,
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Status::Certified => "certified",
            Status::Vacuous => "vacuous",
            Status::NotConverged => "not converged",
        })
    }
}

/// A certificate and what surrounds it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// Everything needed to verify the bounds.
    pub certificate: Certificate,
    /// What the bound is worth.
    pub status: Status,
    /// No adversary gets the long-run loss above this.
    pub certified_loss: f64,
    /// No adversary gets the long-run fraction misclassified above this; none for a regression loss.
    pub certified_error: Option<f64>,
    /// The bound for the first steps, if a horizon was asked for.
    pub horizon_loss: Option<f64>,
    /// The bound for new data, if a confidence was asked for.
    pub new_data_loss: Option<f64>,
    /// After this many steps the start adds less than 1 % to the certified loss; infinite if the bound is not for such a start.
    pub transient_steps: f64,
    /// The learner without adversary, for small learning rates.
    pub benign: Benign,
    /// The loss of the model θ = 0, which never learns.
    pub idle_loss: f64,
    /// What momentum adds to the certified loss beyond what the rate of its proof does; for learners with momentum.
    pub momentum_cost: Option<f64>,
}

impl Outcome {
    /// No adversary gets the fraction misclassified, averaged over the first steps, above this: by the proof of the error, or by what
    /// the bound on their loss says of it. None without a horizon, and for a regression loss.
    pub fn horizon_error(&self) -> Option<f64> {
        let Certificate { statement, horizon_error, .. } = &self.certificate;
        let by_loss = statement.learner.loss.error_within(self.horizon_loss?)?;
        Some(horizon_error.map_or(1.0, |claim| claim.bound).min(by_loss).min(1.0))
    }
}

/// Bounds what any adversary of the problem can do in the long run.
///
/// ```
/// use unswayed::{Dataset, Problem, certify};
/// let data = unswayed::data::sample()?; // MNIST 1 v 7, 500 rows
/// let problem = Problem::builder(data).learning_rate(1e-3).regularization(0.01).poison_rate(0.01).build()?;
/// let outcome = certify(&problem)?;
/// assert!(outcome.benign.loss < outcome.certified_loss && outcome.certified_loss < 0.15);
/// std::fs::write(std::env::temp_dir().join("sample.certificate.json"), outcome.certificate.to_bytes())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If no proof is found that the exact checker accepts.
pub fn certify(problem: &Problem) -> Result<Outcome, CertifyError> {
    certify_with(problem, &Options::default())
}

/// The same, with bounds for first steps or for new data.
///
/// ```
/// use unswayed::certify::{Options, certify_with};
/// use unswayed::{Dataset, Problem};
/// let data = unswayed::data::sample()?.first(200)?;
/// let problem = Problem::builder(data).learning_rate(0.01).regularization(0.1).poison_rate(0.01).build()?;
/// let outcome = certify_with(&problem, &Options::default().with_horizon(100_000))?;
/// assert!(outcome.horizon_loss > Some(outcome.certified_loss));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If no proof is found that the exact checker accepts, or if the options do not fit the problem.
pub fn certify_with(problem: &Problem, options: &Options) -> Result<Outcome, CertifyError> {
    Ok(certify_near(problem, options, None)?.0)
}

/// The numbers that a solver ended with: a start for a similar problem.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Solution {
    /// The variables that all rows share.
    x: Vec<f64>,
    /// The worst model.
    theta: Vec<f64>,
}

/// The same, starting from the solution of a similar problem if there is one. Returns the solution for the next one.
pub(crate) fn certify_near(
    problem: &Problem,
    options: &Options,
    near: Option<&Solution>,
) -> Result<(Outcome, Option<Solution>), CertifyError> {
    if options.compact == Compact::Always {
        problem.require(&rule_features(problem))?;
    }
    if problem.learner().momentum.is_some() {
        return momentum::certify_near(problem, options, near);
    }
    let Some(level) = options.confidence else {
        let (found, solution) = search(problem, options, near)?;
        let found = found.with_effort(problem, options)?;
        return Ok((finish(problem, options, found, first_steps(problem, options)?, None)?, solution));
    };
    problem.require(&[Feature::Confidence])?;
    let (own, chosen) = general::halves(problem, level)?;
    let (found, solution) = search(&own, options, near)?;
    let found = found.with_effort(&own, options)?;
    let new_data = general::new_data(&own, &chosen, level)?;
    Ok((finish(&own, options, found, first_steps(&own, options)?, Some(new_data))?, solution))
}

/// The claim for the first steps that has a proof of its own, if a horizon is asked for and there is one.
fn first_steps(problem: &Problem, options: &Options) -> Result<Option<HorizonClaim>, CertifyError> {
    let start = start(problem, options)?;
    let steps = options.horizon.filter(|_| !sparse::applies(problem));
    let horizon = steps.map(|steps| stated_horizon(problem, options, steps, start)).transpose()?;
    let compact = options.compact.of(problem);
    Ok(horizon.and_then(|horizon| first_steps::search(problem, &horizon, compact)))
}

/// The horizon with the rates that its bound depends on, where they change.
fn stated_horizon(
    problem: &Problem,
    options: &Options,
    steps: u64,
    start: Vec<f64>,
) -> Result<Horizon, CertifyError> {
    let learner = problem.learner();
    let (first_rate, total_rate) = match learner.schedule {
        None => (None, None),
        Some(schedule) if schedule.weighted => {
            (None, Some(options.total_rate.ok_or(CertifyError::NoTotalRate)?))
        }
        Some(_) => (Some(options.first_rate.unwrap_or(learner.learning_rate)), None),
    };
    Ok(Horizon { steps, start, first_rate, total_rate })
}

/// The solvers factor matrices with a row and a column for each column of the data: with more of these they take gigabytes.
pub(crate) const MOST_COLUMNS: usize = 10_000;

/// Proven claims, and whether their solver converged.
struct Found {
    loss: Claim,
    error: Option<Claim>,
    converged: bool,
}

impl Found {
    /// The same, or with better proofs if more time is to be spent. They have numbers for each row: a compact one has none of them.
    fn with_effort(mut self, problem: &Problem, options: &Options) -> Result<Found, CertifyError> {
        if options.compact == Compact::Always {
            return Ok(self);
        }
        if options.effort.has_levels(problem) {
            self.improve_error(levels::search(problem, options.horizon.is_some()));
        }
        if options.effort == Effort::Tight {
            self.improve_loss(contraction::search(problem, &self.loss, &start(problem, options)?));
        }
        Ok(self)
    }

    /// Takes a proof of the error if it is the best one.
    fn improve_error(&mut self, claim: Option<Claim>) {
        let own = self.error.as_ref().map_or(self.loss.bound, |error| error.bound).min(1.0);
        if let Some(claim) = claim.filter(|claim| claim.bound < own) {
            self.error = Some(claim);
        }
    }

    /// Takes a proof of the loss if it is the better one.
    fn improve_loss(&mut self, claim: Option<Claim>) {
        if let Some(claim) = claim.filter(|claim| claim.bound < self.loss.bound) {
            self.loss = claim;
        }
    }

    /// The best claims of two searches.
    fn or_better(self, other: Result<Found, CertifyError>) -> Found {
        let Ok(other) = other else { return self };
        let (best, rest) = if other.loss.bound < self.loss.bound { (other, self) } else { (self, other) };
        let errors = [best.error, rest.error].into_iter().flatten();
        let error = errors.min_by(|a, b| a.bound.total_cmp(&b.bound)).filter(|e| e.bound < best.loss.bound);
        Found { error, ..best }
    }
}

/// The strategy for the problem. Where it fails, the general one.
fn search(
    problem: &Problem,
    options: &Options,
    near: Option<&Solution>,
) -> Result<(Found, Option<Solution>), CertifyError> {
    if sparse::applies(problem) {
        return Ok((sparse::search(problem)?, None));
    }
    let columns = problem.data()[0].dimension();
    if columns > MOST_COLUMNS {
        return Err(CertifyError::TooWide { columns });
    }
    if interior::applies(problem) {
        let start = start(problem, options)?;
        let near = near.map(|near| Point { x: near.x.clone(), theta: near.theta.clone() });
        let compact = options.compact.of(problem);
        let searched = interior::search(problem, &start, near.as_ref(), compact);
        if compact == Compact::Always {
            let (found, Point { x, theta }, _) = searched?;
            return Ok((found, Some(Solution { x, theta })));
        }
        if let Ok((mut found, point, refused)) = searched {
            if refused && problem.learner().projection.is_some_and(|ball| norm(&start) <= ball) {
                found = found.or_better(general::search(problem));
            }
            return Ok((found, Some(Solution { x: point.x, theta: point.theta })));
        }
    }
    Ok((general::search(problem)?, None))
}

/// Puts proven claims, their horizon and what surrounds them together.
fn finish(
    problem: &Problem,
    options: &Options,
    found: Found,
    first_steps: Option<HorizonClaim>,
    new_data: Option<NewDataClaim>,
) -> Result<Outcome, CertifyError> {
    let Found { loss, error, converged } = found;
    let start = start(problem, options)?;
    let (mut statement, mut horizon, mut horizon_error) = (problem.statement().clone(), None, None);
    if let Some(steps) = options.horizon {
        let stated = stated_horizon(problem, options, steps, start.clone())?;
        let claim = horizon_claim(problem, &loss.proof, &stated);
        let claim = match first_steps {
            // A second proof makes the file longer: it must be worth it.
            Some(own) if claim.as_ref().is_ok_and(|claim| claim.bound <= own.bound * (1.0 + WORTH)) => claim?,
            Some(own) => own,
            None => claim?,
        };
        let by_loss = statement.learner.loss.error_within(claim.bound).unwrap_or_default().min(1.0);
        let by_error = error.as_ref().and_then(|error| horizon_error_claim(problem, &error.proof, &stated));
        horizon_error = by_error.filter(|claim| claim.bound < by_loss);
        horizon = Some(claim);
        statement.horizon = Some(stated);
    }
    let certificate = Certificate { tool: tool(), statement, loss, error, horizon, horizon_error, new_data };
    Ok(outcome(problem, certificate, converged, &start))
}

/// What is known from a certificate whose claims are proven.
fn outcome(problem: &Problem, certificate: Certificate, converged: bool, start: &[f64]) -> Outcome {
    let loss = certificate.loss.bound;
    let by_loss = problem.learner().loss.error_within(loss);
    let own = certificate.error.as_ref().map_or(1.0, |claim| claim.bound);
    Outcome {
        status: status(problem, converged, loss),
        certified_loss: loss,
        certified_error: by_loss.map(|by_loss| own.min(by_loss).min(1.0)),
        horizon_loss: certificate.horizon.as_ref().map(|claim| claim.bound),
        new_data_loss: certificate.new_data.as_ref().map(|claim| claim.bound),
        transient_steps: transient_steps(problem, &certificate.loss, start),
        benign: benign(problem),
        idle_loss: idle_loss(problem),
        momentum_cost: momentum::cost(problem, &certificate.loss),
        certificate,
    }
}

/// The outcome of a certificate that was made before, after every claim has been checked against the problem's rows.
///
/// ```
/// use unswayed::{Dataset, Problem, certify};
/// let problem = |data| Problem::builder(data).learning_rate(1e-3).regularization(0.01).poison_rate(0.01).build();
/// let data = unswayed::data::sample()?;
/// let made = certify(&problem(data.clone())?)?;
/// let again = unswayed::certify::recover(made.certificate.clone(), vec![data.clone()], None)?;
/// assert_eq!(again.1.certified_loss, made.certified_loss);
/// assert!(unswayed::certify::recover(made.certificate, vec![data.first(100)?], None).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first claim that does not hold, or how the rows differ from those of the statement.
pub fn recover(
    certificate: Certificate,
    data: impl crate::problem::IntoData,
    target: Option<crate::Dataset>,
) -> Result<(Problem, Outcome), CertifyError> {
    let problem = Problem::of_statement(certificate.statement.clone(), data.into_data(), target)?;
    let rows = problem.data_rows();
    unswayed_check::check(&certificate, &problem.evidence(&rows)).map_err(CertifyError::Refused)?;
    let start = certificate.statement.horizon.as_ref().map(|horizon| horizon.start.clone());
    let start = start.unwrap_or_else(|| vec![0.0; problem.parameters()]);
    // Whether its solver had converged is not in the file; the bounds are valid either way.
    let outcome = outcome(&problem, certificate, true, &start);
    Ok((problem, outcome))
}

/// Proven bounds on the average loss over the first T steps from a start, for each T given: by the proof of the loss, or by that
/// of the certificate's horizon where it does better.
///
/// ```
/// use unswayed::{Dataset, Problem, certify};
/// let data = unswayed::data::sample()?;
/// let problem = Problem::builder(data).learning_rate(1e-3).regularization(0.01).poison_rate(0.01).build()?;
/// let outcome = certify(&problem)?;
/// let bounds = certify::horizon_bounds(&problem, &outcome.certificate, &[0.0; 31], &[1_000, 1_000_000_000])?;
/// assert!(bounds[0] > bounds[1] && bounds[1] > outcome.certified_loss);
/// assert!(bounds[1] < 1.01 * outcome.certified_loss);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A start that the bound is not for.
pub fn horizon_bounds(
    problem: &Problem,
    certificate: &Certificate,
    start: &[f64],
    steps: &[u64],
) -> Result<Vec<f64>, Failure> {
    let (rows, statement) = (problem.data_rows(), problem.statement());
    let own = certificate.horizon.as_ref().and_then(|claim| claim.proof.as_ref());
    let proofs = std::iter::once(&certificate.loss.proof).chain(own);
    let evidence = problem.evidence(&rows);
    let proven = proofs.map(|proof| Ok((prove(statement, proof, &evidence)?, best_m(statement, proof))));
    let proven = proven.collect::<Result<Vec<_>, Failure>>()?;
    let smallest = |&steps: &u64| {
        // What the rates of more steps add up to is not less.
        let stated = certificate.statement.horizon.clone().unwrap_or_default();
        let total_rate = stated.total_rate.filter(|_| steps >= stated.steps);
        let horizon = Horizon { steps, start: start.to_vec(), first_rate: stated.first_rate, total_rate };
        let (first, others) = (proven[0].0.horizon(&horizon, proven[0].1), &proven[1..]);
        let others = others.iter().filter_map(|(proven, m)| proven.horizon(&horizon, *m).ok());
        others.fold(first, |best, other| Ok(best.map_or(other, |best| best.min(other))))
    };
    steps.iter().map(smallest).collect()
}

fn horizon_claim(problem: &Problem, proof: &Proof, horizon: &Horizon) -> Result<HorizonClaim, CertifyError> {
    let (bound, m) = horizon_bound(problem, proof, horizon).map_err(CertifyError::Refused)?;
    Ok(HorizonClaim { bound, m, proof: None })
}

/// By a proof of the error; none if it is not for such steps or such a start.
fn horizon_error_claim(problem: &Problem, proof: &Proof, horizon: &Horizon) -> Option<HorizonErrorClaim> {
    let (bound, m) = horizon_bound(problem, proof, horizon).ok()?;
    Some(HorizonErrorClaim { bound, m })
}

/// What a proof says of the first steps, by the exact checker, and its m.
fn horizon_bound(problem: &Problem, proof: &Proof, horizon: &Horizon) -> Result<(f64, f64), Failure> {
    let m = best_m(problem.statement(), proof);
    let rows = problem.data_rows();
    let proven = prove(problem.statement(), proof, &problem.evidence(&rows))?;
    Ok((proven.horizon(horizon, m)?, m))
}

/// The bound that the exact checker finds for a proof.
fn exact_bound(problem: &Problem, proof: &Proof) -> Result<f64, Failure> {
    let rows = problem.data_rows();
    prove(problem.statement(), proof, &problem.evidence(&rows))?.bound()
}

/// A proof with the bound that the exact checker finds for it.
fn claim(problem: &Problem, proof: CaseProof) -> Result<Claim, Failure> {
    let proof = Proof::Cases(Box::new(proof));
    let bound = exact_bound(problem, &proof)?;
    Ok(Claim { bound, proof })
}

/// The m that makes the finite-horizon term smallest: max(0, ‖β‖/(2ϱ) − α) in a ball, else 0, and 0 with momentum and
/// for plain averages over rates that change.
fn best_m(statement: &Statement, proof: &Proof) -> f64 {
    // Where rates change, a ball helps weighted averages only.
    let falls = statement.learner.schedule.is_some_and(|schedule| !schedule.weighted);
    if statement.learner.momentum.is_some() || falls {
        return 0.0;
    }
    let ball = [proof.ball(), statement.learner.projection].into_iter().flatten().reduce(f64::min);
    match (proof, ball) {
        (Proof::Cases(proof), Some(ball)) => (norm(&proof.beta) / (2.0 * ball) - proof.alpha).max(0.0),
        (Proof::Contraction(proof), Some(ball)) => (norm(&proof.beta) / (2.0 * ball) - proof.alpha).max(0.0),
        // The same with A's smallest eigenvalue for α, which may be negative: the sum must not be 0.
        (Proof::Paper(proof), Some(ball)) => {
            let least = 1e-9 * proof.low.abs().max(1e-9);
            (norm(&proof.b) / (2.0 * ball)).max(least).max(proof.low) - proof.low
        }
        _ => 0.0,
    }
}

/// Against the model θ = 0, which never learns.
fn status(problem: &Problem, converged: bool, bound: f64) -> Status {
    match (converged, bound < idle_loss(problem)) {
        (false, _) => Status::NotConverged,
        (true, true) => Status::Certified,
        (true, false) => Status::Vacuous,
    }
}

/// The loss of the model θ = 0; the largest, if there are several datasets.
pub fn idle_loss(problem: &Problem) -> f64 {
    let loss = problem.learner().loss;
    let each = if let Loss::Multiclass(classes) = loss { (classes - 1) as f64 } else { 1.0 };
    if !loss.is_regression() {
        return each * loss_at(loss, 0.0);
    }
    let weights = |i: usize, data: &Dataset| match &problem.statement().target {
        Target::Weights(weights) => {
            let sum: f64 = weights[i].iter().sum();
            weights[i].iter().map(|w| w / sum).collect()
        }
        _ => data.probabilities(),
    };
    let mean = |(i, data): (usize, &std::sync::Arc<Dataset>)| {
        let rows = data.iter().zip(weights(i, data));
        rows.map(|(row, weight)| weight * loss_at(loss, 1.0 - row[0])).sum::<f64>()
    };
    problem.data().iter().enumerate().map(mean).fold(0.0, f64::max)
}

/// The T at which the finite-horizon term is 1 % of the certified loss.
fn transient_steps(problem: &Problem, loss: &Claim, start: &[f64]) -> f64 {
    if problem.learner().schedule.is_some() {
        return f64::INFINITY;
    }
    if problem.learner().momentum.is_some() {
        return momentum::transient_steps(problem, loss, start);
    }
    let cost = start_cost(problem.statement(), &loss.proof, start);
    (cost / (problem.learner().learning_rate * 0.01 * loss.bound)).ceil()
}

/// The finite-horizon term times ηT, for the best m; infinite for a start outside the ball.
fn start_cost(statement: &Statement, proof: &Proof, start: &[f64]) -> f64 {
    let m = best_m(statement, proof);
    let ball = [proof.ball(), statement.learner.projection].into_iter().flatten().reduce(f64::min);
    if ball.is_some_and(|ball| norm(start) > ball) {
        return f64::INFINITY;
    }
    let room = m * ball.map_or(0.0, |ball| ball * ball - dot(start, start));
    match proof {
        Proof::Cases(proof) => {
            let k = 1.0 - statement.learner.learning_rate * statement.learner.regularization;
            let term = |(j, (theta, beta)): (usize, (&f64, &f64))| {
                let is_free = statement.learner.unregularized.contains(&j);
                let curve = if is_free { proof.alpha * k } else { proof.alpha + m };
                (2.0 * curve * theta + beta).powi(2) / (4.0 * curve)
            };
            room + start.iter().zip(&proof.beta).enumerate().map(term).sum::<f64>()
        }
        Proof::Contraction(proof) => {
            let term = |(theta, beta): (&f64, &f64)| {
                let curve = proof.alpha + m;
                (2.0 * curve * theta + beta).powi(2) / (4.0 * curve)
            };
            room + start.iter().zip(&proof.beta).map(term).sum::<f64>()
        }
        // Bounds no loss.
        Proof::Levels(_) => f64::INFINITY,
        Proof::Paper(proof) => {
            let fixed = m * proof.ball * proof.ball + dot(&proof.b, &proof.b) / (4.0 * (proof.low + m));
            fixed + quadratic(&proof.a, start) + dot(&proof.b, start)
        }
    }
}

/// θᵀAθ for a packed upper triangle.
fn quadratic(a: &[f64], theta: &[f64]) -> f64 {
    let entries = (0..theta.len()).flat_map(|j| (0..=j).map(move |i| (i, j)));
    let term = |(a, (i, j)): (&f64, (usize, usize))| {
        let times = if i == j { 1.0 } else { 2.0 };
        times * a * theta[i] * theta[j]
    };
    a.iter().zip(entries).map(term).sum()
}

/// The name and version that certificates carry.
pub(crate) fn tool() -> String {
    concat!("unswayed ", env!("CARGO_PKG_VERSION")).into()
}

fn start(problem: &Problem, options: &Options) -> Result<Vec<f64>, CertifyError> {
    let expected = problem.parameters();
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
    if let (Some(steps), Some(points)) = (options.horizon, problem.threat().moments) {
        let block = (points / problem.learner().batch).max(1);
        if !steps.is_multiple_of(block) {
            return Err(CertifyError::PartOfBlock { steps, block });
        }
    }
    Ok(start)
}

fn norm(v: &[f64]) -> f64 {
    dot(v, v).sqrt()
}
