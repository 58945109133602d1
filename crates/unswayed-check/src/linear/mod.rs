//! Linear learners: the parts of `docs/learners.md` put together.
//!
//! [`prove_linear`] verifies every condition of a witness, evaluates the lines above the rows once each, and takes the largest of the
//! bounds of the cases. What a part does is in `lines/` and `points/`; what goes with what is in `parts`.

pub(crate) mod confidence;
pub(crate) mod lambda;
mod parts;
pub(crate) mod shape;
mod theta;
pub(crate) mod types;

use dashu::rational::RBig;

use crate::assemble::{self, Quadratic};
use crate::exact::{Dyadic, round_up};
use crate::failure::{
    Failure, Part, Reason, require, require_each, require_length, require_not_negative, require_positive,
};
use crate::hinge::norm2;
use crate::lines::{
    self, Clipped, ClippedLoss, ErrorHinge, ErrorLogistic, Hinge, Interval, Kind, LabelHinge, LabelLogistic,
    Line, Logistic, Mass,
};
use crate::points::{self, Acting, Ellipsoid, Split};
use crate::rows::Rows;
use crate::{Verdict, check_data, finite_up, in_part, require_bound};
use lambda::Lambda;
use shape::Shape;
use types::{
    ConfidenceClaim, Linear, LinearCertificate, LinearClaim, LinearWitness, Lines, Loss, Method, Set, Target,
};

/// The rows a statement about a linear learner speaks of.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The datasets; more than one if the data drift.
    pub data: &'a [Rows<'a>],
    /// The target's rows if the target is [`Target::Rows`].
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
    validate_evidence(evidence).map_err(in_part(Part::Data))?;
    let dimension = evidence.data[0].dimension;
    validate_learner(learner, evidence, dimension).map_err(in_part(Part::Learner))?;
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

/// Rows there are, valid and all of one dimension.
fn validate_evidence(evidence: &Evidence) -> Result<(), Reason> {
    require(!evidence.data.is_empty(), "the number of datasets", 0.0, "> 0")?;
    let dimension = evidence.data[0].dimension;
    for rows in evidence.data.iter().chain(&evidence.target) {
        rows.validate()?;
        require(!rows.is_empty(), "the number of rows", 0.0, "> 0")?;
        require_length("dimension", dimension, rows.dimension)?;
    }
    Ok(())
}

/// The conditions on the learner, whatever the witness is.
fn validate_learner(learner: &Linear, evidence: &Evidence, dimension: usize) -> Result<(), Reason> {
    let (eta, sigma, eps) = (learner.learning_rate, learner.regularization, learner.poison_rate);
    require(eta > 0.0 && eta.is_finite(), "learning_rate", eta, "> 0")?;
    let step = &learner.step;
    let kept = if step.projection.is_some() { sigma >= 0.0 } else { sigma > 0.0 };
    require(kept && sigma.is_finite(), "regularization", sigma, "> 0 (or ≥ 0 with a projection)")?;
    require((0.0..1.0).contains(&eps), "poison_rate", eps, "in [0, 1)")?;
    let k = Dyadic::whole(1) - Dyadic::new(eta) * Dyadic::new(sigma);
    require_positive(&k, "1 − learning_rate·regularization")?;
    require(step.batch >= 1, "step.batch", 0.0, "≥ 1")?;
    for (name, radius) in [("step.projection", step.projection), ("step.clip", step.clip)] {
        let radius = radius.unwrap_or(1.0);
        require(radius > 0.0 && radius.is_finite(), name, radius, "> 0")?;
    }
    for (i, &j) in step.free.iter().enumerate() {
        let good = j < dimension && (i == 0 || step.free[i - 1] < j);
        require(good, "step.free", j as f64, "a coordinate, in increasing order")?;
    }
    validate_set(&learner.set, dimension)?;
    if let Loss::Classes(classes) = learner.loss {
        require(classes >= 2, "learner.classes", classes as f64, "≥ 2")?;
        for rows in evidence.data {
            require_labels(rows, classes)?;
        }
    }
    validate_target(learner, evidence)
}

fn validate_set(set: &Set, dimension: usize) -> Result<(), Reason> {
    match set {
        Set::Ball { radius } => require(*radius >= 0.0 && radius.is_finite(), "set.radius", *radius, "≥ 0"),
        Set::Box { radii } => {
            require_length("set.radii", dimension, radii.len())?;
            require_each("set.radii", radii, |r| r >= 0.0 && r.is_finite(), "≥ 0")
        }
        Set::Ellipsoid { q } => {
            require_length("set.q", dimension.saturating_mul(dimension + 1) / 2, q.len())?;
            require_each("set.q", q, f64::is_finite, "finite")
        }
        Set::Points { points } => {
            let count = points.len().checked_div(dimension).unwrap_or(0);
            require(count >= 1, "the number of points", 0.0, "> 0")?;
            require_length("set.points", count * dimension, points.len())?;
            require_each("set.points", points, f64::is_finite, "finite")
        }
        Set::Labels | Set::Any => Ok(()),
    }
}

fn validate_target(learner: &Linear, evidence: &Evidence) -> Result<(), Reason> {
    let rows = usize::from(learner.target == Target::Rows);
    require_length("target", rows, evidence.target.iter().count())?;
    let Target::Weights(weights) = &learner.target else { return Ok(()) };
    require_length("target.weights", evidence.data.len(), weights.len())?;
    for (rows, weights) in evidence.data.iter().zip(weights) {
        require_length("target.weights", rows.len(), weights.len())?;
        require_each("target.weights", weights, |w| w.is_finite() && w >= 0.0, "≥ 0 and finite")?;
        require(weights.iter().any(|&w| w > 0.0), "the sum of target.weights", 0.0, "> 0")?;
    }
    Ok(())
}

/// The first entry of each row is a label.
fn require_labels(rows: &Rows, classes: usize) -> Result<(), Reason> {
    require(rows.dimension >= 2, "data.dimension", rows.dimension as f64, "≥ 2, a label and x")?;
    for i in 0..rows.len() {
        let label = rows.row(i)[0];
        let good = label >= 0.0 && label < classes as f64 && label.fract() == 0.0;
        require(
            good,
            format_args!("the label z[{i}][0]"),
            label,
            "a whole number below the number of classes",
        )?;
    }
    Ok(())
}

/// The rows z_ij = (e_y − e_j) ⊗ x of a multi-class learner, with their weights.
fn pairs(rows: &Rows, classes: usize) -> (Vec<f64>, Vec<f64>) {
    let d = rows.dimension - 1;
    let (mut z, mut weights) = (vec![], vec![]);
    for i in 0..rows.len() {
        let label = rows.row(i)[0] as usize;
        let x = &rows.row(i)[1..];
        for other in (0..classes).filter(|&j| j != label) {
            let begin = z.len();
            z.resize(begin + classes * d, 0.0);
            for (j, &x) in x.iter().enumerate() {
                z[begin + label * d + j] = x;
                z[begin + other * d + j] = -x;
            }
            weights.push(rows.weight(i));
        }
    }
    (z, weights)
}

/// Everything that a proof needs.
struct Prover<'a> {
    learner: &'a Linear,
    witness: &'a LinearWitness,
    evidence: &'a Evidence<'a>,
    shape: Shape,
    lambda: Lambda<'a>,
    ellipsoid: Option<Ellipsoid<'a>>,
}

impl<'a> Prover<'a> {
    /// Verifies the conditions that are the same for all rows and cases.
    fn new(
        learner: &'a Linear,
        witness: &'a LinearWitness,
        evidence: &'a Evidence<'a>,
        shape: Shape,
    ) -> Result<Self, Reason> {
        let lambda = Lambda::new(learner, witness);
        require_positive(&lambda.alpha, "alpha")?;
        let cases = &witness.cases;
        require_each("tau", &cases.tau, |x| x > 0.0, "> 0")?;
        for (name, values) in [("nu", &cases.nu), ("outer", &cases.outer), ("inner", &cases.inner)] {
            require_each(name, values, |x| x >= 0.0, "≥ 0")?;
        }
        if let Some(radius) = learner.step.projection {
            let room = Dyadic::whole(4) * (&lambda.alpha * Dyadic::new(radius)).square();
            require_not_negative(&(room - norm2(&witness.beta)), "4α²ϱ² − ‖β‖²")?;
        }
        let ellipsoid = match (&learner.set, witness.omega) {
            (Set::Ellipsoid { q }, Some(omega)) => Some(Ellipsoid::new(q, omega, shape.dimension)?),
            _ => None,
        };
        theta::require_kept(learner, witness, evidence)?;
        Ok(Prover { learner, witness, evidence, shape, lambda, ellipsoid })
    }

    /// The bounds of all cases.
    fn cases(&self) -> Result<Vec<Dyadic>, Reason> {
        let lines: Vec<Line> = self.witness.lines.iter().map(|l| self.line(l)).collect::<Result<_, _>>()?;
        (0..self.shape.cases).map(|i| self.case(i, &lines)).collect()
    }

    /// The bound of one case.
    fn case(&self, i: usize, lines: &[Line]) -> Result<Dyadic, Reason> {
        let (dataset, shell, part) = self.shape.place(i);
        let chosen = self.witness.cases.lines[i];
        let fits = |l: &Lines| l.dataset == dataset && l.shell == shell;
        let fits = self.witness.lines.get(chosen).is_some_and(fits);
        require(fits, format_args!("lines[{i}]"), chosen as f64, "of the case's dataset and shell")?;
        let region = theta::region(self.witness, i, shell, self.shape.parameters);
        let point = self.point(i, part)?;
        assemble::bound(&self.lambda, &lines[chosen], &point, &region)
    }

    /// The line above the rows.
    fn line(&self, lines: &Lines) -> Result<Line, Reason> {
        let rows = &self.evidence.data[lines.dataset];
        let total = rows.total_weight();
        let one = Dyadic::whole(1);
        let plain = |p: Dyadic, t: Dyadic, scale: Dyadic| Mass { rows, target: None, p, t, scale };
        match &self.learner.target {
            Target::Data => {
                if let Loss::Classes(classes) = self.learner.loss {
                    return self.class_line(lines, rows, classes);
                }
                lines::sum(&*self.kind(lines, plain(one.clone(), one.clone(), total)), &self.lambda, &one)
            }
            Target::Weights(weights) => {
                let weights = weights[lines.dataset].as_slice();
                let sum = Rows { weights: Some(weights), ..*rows }.total_weight();
                let scale = &total * &sum;
                let mass = Mass { rows, target: Some(weights), p: sum, t: total, scale };
                lines::sum(&*self.kind(lines, mass), &self.lambda, &one)
            }
            Target::Rows => {
                let Some(target) = &self.evidence.target else { return Err(self.no_parts("this target")) };
                let sum = target.total_weight();
                let scale = &total * &sum;
                let own =
                    Mass { rows: target, target: None, p: Dyadic::zero(), t: total, scale: scale.clone() };
                let own = self.interval(lines, own, "target", &lines.target_y, &lines.target_reach);
                let own = lines::sum(&own, &self.lambda, &one)?;
                let data = self.kind(lines, plain(sum, Dyadic::zero(), scale));
                let data = lines::sum(&*data, &self.lambda, &one)?;
                let slope = data.slope.iter().zip(&own.slope).map(|(a, b)| a + b).collect();
                Ok(Line { constant: data.constant + own.constant, slope, scale: data.scale })
            }
        }
    }

    /// The line above the rows of a multi-class learner; ‖g‖² ≤ K·S·‖x‖², and ‖z_ij‖² = 2‖x‖².
    fn class_line(&self, lines: &Lines, rows: &Rows, classes: usize) -> Result<Line, Reason> {
        let (z, weights) = pairs(rows, classes);
        let expanded = Rows { z: &z, dimension: self.shape.parameters, weights: Some(&weights) };
        let one = Dyadic::whole(1);
        let mass = Mass { rows: &expanded, target: None, p: one.clone(), t: one, scale: rows.total_weight() };
        let stretch = Dyadic::whole(classes as u64).half();
        lines::sum(&*self.kind(lines, mass), &self.lambda, &stretch)
    }

    /// The kind of rows that the method names.
    fn kind<'b>(&'b self, lines: &'b Lines, mass: Mass<'b>) -> Box<dyn Kind + 'b> {
        let Lines { u, u2, c, w, w2, low, high, .. } = lines;
        let clip = self.learner.step.clip.unwrap_or_default();
        match self.witness.method {
            Method::Hinge => Box::new(Hinge { mass, u }),
            Method::Interval => Box::new(self.interval(lines, mass, "z", &lines.y, &lines.reach)),
            Method::Logistic => Box::new(Logistic { mass, u, w }),
            Method::LabelHinge => Box::new(LabelHinge { mass, u }),
            Method::LabelLogistic => Box::new(LabelLogistic { mass, u, w, w2 }),
            Method::ErrorHinge => Box::new(ErrorHinge { mass, u, u2, c }),
            Method::ErrorLogistic => Box::new(ErrorLogistic { mass, u, w, w2 }),
            Method::ClippedHinge => Box::new(Clipped { mass, clip, u, low, loss: ClippedLoss::Hinge(high) }),
            Method::ClippedLogistic => {
                Box::new(Clipped { mass, clip, u, low, loss: ClippedLoss::Logistic(w) })
            }
        }
    }

    fn interval<'b>(
        &'b self,
        lines: &Lines,
        mass: Mass<'b>,
        name: &'static str,
        y: &'b [f64],
        reach: &'b [f64],
    ) -> Interval<'b> {
        let (centre, radius) = self
            .witness
            .shells
            .as_ref()
            .map_or((&[][..], 0.0), |s| (s.centre.as_slice(), s.radii[lines.shell]));
        Interval { mass, y, reach, centre, radius, name }
    }

    /// The quadratic above the point in case i, for one part of the set.
    fn point(&self, i: usize, part: usize) -> Result<Quadratic, Reason> {
        let (lambda, cases) = (&self.lambda, &self.witness.cases);
        let width = self.shape.tau_width;
        let tau = &cases.tau[i * width..(i + 1) * width];
        let acting = if self.learner.loss == Loss::Logistic { Acting::Logistic } else { Acting::Hinge };
        let split = |acting| {
            let nu = if lambda.free.is_empty() { Dyadic::new(cases.nu[i]) } else { lambda.two_ak.clone() };
            Split::new(lambda, nu, acting)
        };
        let d = self.shape.dimension;
        Ok(match (&self.learner.set, self.learner.loss) {
            (Set::Ball { radius }, Loss::Classes(classes)) => {
                let radius = Dyadic::new(*radius);
                if self.witness.by_label {
                    points::each_label(lambda, &split(acting), classes, part, &radius, tau[0])
                } else {
                    points::labels_together(lambda, &split(acting), classes, &radius, tau[0])
                }
            }
            (Set::Ball { .. } | Set::Any, _) => {
                let (radius, is_clipped) = self.learner.point_radius();
                let acting =
                    if is_clipped && acting == Acting::Logistic { Acting::ClippedLogistic } else { acting };
                points::ball(lambda, &split(acting), &Dyadic::new(radius), tau[0])
            }
            (Set::Box { radii }, _) => points::cuboid(lambda, &split(acting), radii, tau),
            (Set::Ellipsoid { .. }, _) => {
                let Some(set) = &self.ellipsoid else { return Err(self.no_parts("this set")) };
                let x = if cases.x.is_empty() { &[][..] } else { &cases.x[i * d..(i + 1) * d] };
                points::ellipsoid(lambda, &split(acting), set, tau[0], x)
            }
            (Set::Points { points: all }, _) => {
                let point = &all[part * d..(part + 1) * d];
                let w = cases.w.get(i).copied().unwrap_or_default();
                points::finite(lambda, acting, i, point, cases.share[i], w)?
            }
            (Set::Labels, _) => points::none(self.shape.parameters),
        })
    }

    fn no_parts(&self, with: &'static str) -> Reason {
        Reason::Parts { method: self.witness.method.name(), with }
    }
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
