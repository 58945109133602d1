//! Words for linear learners: what is certified, and what came out, a line for each figure.

use unswayed::Dataset;
use unswayed::attack::Attacked;
use unswayed::certify::Benign;
use unswayed::certify::linear::LinearOutcome;
use unswayed::check::{Linear, Loss, Set, Target};

use super::steps;
use super::words::{attack_lines, benign_line, explain, horizon_line};
use crate::number::{parameter, percent, up};

/// What is certified of a linear learner.
#[derive(Clone, Copy, Debug)]
pub struct LinearSubject<'a> {
    /// The benign data; several if they drift.
    pub data: &'a [&'a Dataset],
    /// The target's rows, if it has rows of its own.
    pub target: Option<&'a Dataset>,
    /// The learner and its adversary.
    pub learner: &'a Linear,
}

/// What stands beside a bound.
#[derive(Clone, Copy, Debug)]
pub struct Beside<'a> {
    /// The learner without adversary, for small learning rates.
    pub benign: &'a Benign,
    /// The strongest attack found.
    pub attacked: Option<&'a Attacked>,
}

/// The name of a loss on the command line.
pub fn loss_name(loss: Loss) -> &'static str {
    match loss {
        Loss::Hinge => "hinge",
        Loss::Logistic => "logistic",
        Loss::Classes(_) => "multiclass",
    }
}

/// Names and what there is to say about a certificate; an empty name separates.
///
/// ```
/// use unswayed::Dataset;
/// use unswayed::attack::LinearSuite;
/// use unswayed::certify::linear::{LinearOptions, certify_linear};
/// use unswayed::check::{Linear, Loss, Set, Step, Target};
/// use unswayed_report::about::{Beside, LinearSubject, linear_lines};
/// let data = Dataset::sample()?.first(20)?;
/// let learner = Linear {
///     learning_rate: 1e-3,
///     regularization: 0.01,
///     poison_rate: 0.05,
///     loss: Loss::Logistic,
///     step: Step::default(),
///     set: Set::Labels,
///     target: Target::Data,
/// };
/// let data = [&data];
/// let outcome = certify_linear(&data, &learner, &LinearOptions::default())?;
/// let suite = LinearSuite::new(&data, &learner, None)?;
/// let subject = LinearSubject { data: &data, target: None, learner: &learner };
/// let lines = linear_lines(&subject, &outcome, &Beside { benign: suite.benign(), attacked: None });
/// assert!(lines.iter().any(|(name, text)| *name == "threat" && text.ends_with("(z or −z)")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn linear_lines(
    subject: &LinearSubject,
    outcome: &LinearOutcome,
    beside: &Beside,
) -> Vec<(&'static str, String)> {
    let mut lines = subject_lines(subject);
    lines.push(("", String::new()));
    lines.extend(figures(subject, outcome, beside));
    lines
}

/// What is certified, or attacked.
pub fn subject_lines(subject: &LinearSubject) -> Vec<(&'static str, String)> {
    let mut lines: Vec<_> = subject.data.iter().map(|data| ("data", data.describe())).collect();
    lines.extend(target(subject).map(|text| ("target", text)));
    lines.push(("learner", learner(subject.learner)));
    lines.push(("threat", threat(subject)));
    lines
}

/// The figures that came out.
pub(super) fn figures(
    subject: &LinearSubject,
    outcome: &LinearOutcome,
    beside: &Beside,
) -> Vec<(&'static str, String)> {
    let loss = loss_name(subject.learner.loss);
    let mut lines = vec![
        ("status", explain(outcome.status, &never_learns(subject.learner.loss))),
        (
            "certified loss",
            format!("{}  no adversary gets the long-run {loss} loss above this", up(outcome.certified_loss)),
        ),
    ];
    if let Some(error) = outcome.certified_error {
        lines.push(("certified error", format!("{}  nor the fraction misclassified above this", up(error))));
    }
    if let (Some(claim), Some(bound)) = (&outcome.certificate.confidence, outcome.confident_loss) {
        let probability = percent(1.0 - claim.confidence.delta);
        let own = up(outcome.certified_loss);
        let text = format!(
            "{}  for new data like these, with probability {probability}; {own} for these",
            up(bound)
        );
        lines.push(("confident loss", text));
    }
    lines.extend(beside.attacked.into_iter().flat_map(|a| attack_lines(outcome.certified_loss, a)));
    lines.push(benign_line(beside.benign));
    let transient = steps(outcome.transient_steps);
    lines.push(("transient", format!("{transient} steps until the start adds less than 1 %")));
    lines.extend(horizon_line(outcome.certificate.horizon.as_ref(), outcome.horizon_loss));
    let method = outcome.certificate.loss.witness.method.name();
    lines.push(("method", format!("{method}, verified in exact arithmetic")));
    lines
}

/// The loss of θ = 0, a model that never learns.
fn never_learns(loss: Loss) -> String {
    match loss {
        Loss::Hinge => "1".into(),
        Loss::Logistic => "log 2 = 0.6931".into(),
        Loss::Classes(classes) => (classes - 1).to_string(),
    }
}

/// The learner and the variants of its step.
fn learner(learner: &Linear) -> String {
    let (step, loss) = (&learner.step, loss_name(learner.loss));
    let (eta, sigma) = (learner.learning_rate, learner.regularization);
    let parts = [
        Some(format!("{loss}, learning rate {eta}, regularization {sigma}")),
        (step.batch > 1).then(|| format!("{} points a step", step.batch)),
        step.projection.map(|radius| format!("projected on norms up to {radius}")),
        step.clip.map(|norm| format!("gradients clipped at {norm}")),
        step.free.first().map(|coordinate| format!("column {} not regularized", coordinate + 1)),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// What the adversary may do.
fn threat(subject: &LinearSubject) -> String {
    let rate = percent(subject.learner.poison_rate);
    let dimension = subject.data.first().map_or(1, |data| data.dimension());
    format!("{rate} of the points are the adversary's, {}", allowed(&subject.learner.set, dimension))
}

fn allowed(set: &Set, dimension: usize) -> String {
    match set {
        Set::Ball { radius } => format!("any point of norm up to {radius}"),
        Set::Box { radii } => {
            let (low, high) = radii.iter().fold((f64::INFINITY, 0.0_f64), |(l, h), r| (l.min(*r), h.max(*r)));
            let spread = if low < high { format!("{low:.3} to {high:.3}") } else { parameter(high) };
            format!("any point of a box (entries up to {spread})")
        }
        Set::Ellipsoid { q } => {
            // Q is the upper triangle, column by column, so that its diagonal is at 0, 2, 5, …
            let largest = (0..dimension).map(|j| q[j * (j + 3) / 2]).fold(0.0, f64::max).sqrt();
            format!("any point of an ellipsoid (entries up to {largest:.3})")
        }
        Set::Points { points } => format!("any of {} points", points.len() / dimension),
        Set::Labels => "rows of the data, each as it is or with its label flipped (z or −z)".into(),
        Set::Any => "any point at all".into(),
    }
}

/// What the loss is averaged over, if not the data.
fn target(subject: &LinearSubject) -> Option<String> {
    match (&subject.learner.target, subject.target) {
        (Target::Data, _) => None,
        (Target::Weights(weights), _) => {
            let used = weights.first().map_or(0, |own| own.iter().filter(|w| **w > 0.0).count());
            Some(format!("{used} of the rows above"))
        }
        (Target::Rows, rows) => rows.map(Dataset::describe),
    }
}
