//! A certificate in words, a line for each figure.

use unswayed::attack::Attacked;
use unswayed::certify::{Benign, Outcome, Status};
use unswayed_check::Horizon;

use super::Subject;
use crate::number::{down, percent, up};

/// Names and what there is to say; an empty name separates.
///
/// ```
/// use unswayed::{Dataset, Hinge, Threat, certify};
/// use unswayed_report::about::{Subject, certificate_lines};
/// let (data, learner, threat) = (Dataset::sample()?, Hinge::new(1e-3, 0.01)?, Threat::new(0.01)?);
/// let outcome = certify::certify(&data, &learner, &threat, &certify::Options::default())?;
/// let lines = certificate_lines(&Subject { data: &data, learner, threat, seed: 0 }, &outcome, None);
/// assert!(lines.iter().any(|(name, text)| *name == "certified loss" && text.starts_with("0.1")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn certificate_lines(
    subject: &Subject,
    outcome: &Outcome,
    attacked: Option<&Attacked>,
) -> Vec<(&'static str, String)> {
    let Subject { data, learner, threat, .. } = subject;
    let (eta, sigma) = (learner.learning_rate(), learner.regularization());
    let rate = percent(threat.poison_rate());
    let mut lines = vec![
        ("data", data.describe()),
        ("learner", format!("hinge, learning rate {eta}, regularization {sigma}")),
        (
            "threat",
            format!("{rate} of the points are the adversary's, any point of norm up to {}", threat.radius()),
        ),
        ("", String::new()),
        ("status", explain(outcome.status, "1")),
        (
            "certified loss",
            format!("{}  no adversary gets the long-run hinge loss above this", up(outcome.certified_loss)),
        ),
        (
            "certified error",
            format!("{}  nor the fraction misclassified above this", up(outcome.certified_error)),
        ),
    ];
    lines.extend(attacked.into_iter().flat_map(|attacked| attack_lines(outcome.certified_loss, attacked)));
    lines.push(benign_line(&outcome.benign));
    lines.push((
        "transient",
        format!("{} steps until the start adds less than 1 %", steps(outcome.transient_steps)),
    ));
    lines.extend(horizon_line(outcome.certificate.horizon.as_ref(), outcome.horizon_loss));
    let method = outcome.certificate.loss.witness.method();
    lines.push(("method", format!("{method}, verified in exact arithmetic")));
    lines
}

/// The learner without adversary.
pub(super) fn benign_line(benign: &Benign) -> (&'static str, String) {
    ("benign loss", format!("{}  without an adversary, for small learning rates", down(benign.loss)))
}

/// What an attack reaches, and how far that is from the certified loss.
pub(super) fn attack_lines(certified_loss: f64, attacked: &Attacked) -> [(&'static str, String); 2] {
    let simulated = &attacked.simulated;
    let reached = format!(
        "{}  reached by {} (± {}, {}), error {}",
        down(simulated.loss.mean),
        attacked.attack.name(),
        up(simulated.loss.half_width),
        simulated.verdict.word(),
        simulated.error.map_or(String::new(), |e| down(e.mean)),
    );
    let gap = certified_loss / simulated.loss.mean;
    [("attack loss", reached), ("gap", format!("{gap:.2}    certified loss / attack loss"))]
}

/// The bound for the first steps, if there is one.
pub(super) fn horizon_line(horizon: Option<&Horizon>, bound: Option<f64>) -> Option<(&'static str, String)> {
    let text = format!("{}  bounds the average over the first {} steps", up(bound?), horizon?.steps);
    Some(("horizon loss", text))
}

/// A status in words; `never_learns` is the loss of a model that never learns.
pub(super) fn explain(status: Status, never_learns: &str) -> String {
    match status {
        Status::Certified => "certified".into(),
        Status::Vacuous => {
            format!(
                "vacuous: proven, but no better than {never_learns}, the loss of a model that never learns"
            )
        }
        Status::NotConverged => "not converged: proven, but a better bound may exist".into(),
    }
}

/// A number of steps: exact while short, else with three digits.
pub fn steps(x: f64) -> String {
    if x < 1e6 { format!("{x:.0}") } else { format!("{x:.2e}") }
}
