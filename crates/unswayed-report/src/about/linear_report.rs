//! The report of a certificate for a linear learner: the bound at other poison rates, and the transient.

use unswayed::Dataset;
use unswayed::certify::Status;
use unswayed::certify::linear::{LinearOptions, LinearOutcome, certify_linear};
use unswayed::check::{Evidence, Linear, Rows, prove_linear};

use super::certify::{over_places, places};
use super::linear::{learner, linear_lines, loss_name, target, threat};
use super::{AboutError, LinearSubject, tool};
use crate::number::{percent, up};
use crate::{Axis, Block, Kind, Limit, LinePlot, Report, Section, Series, Table};

/// The rates of the curve, as multiples of the rate in question: fewer than for the hinge learner, whose solver is faster.
const MULTIPLES: [f64; 4] = [0.0, 0.5, 1.5, 2.0];

/// The report of one certificate. `command` made it, `verify` checks it.
pub fn linear_report(
    subject: &LinearSubject,
    outcome: &LinearOutcome,
    command: String,
    verify: String,
) -> Result<Report, AboutError> {
    let mut facts: Vec<(String, String)> =
        subject.data.iter().map(|d| ("data".into(), d.describe())).collect();
    facts.extend(target(subject).map(|text| ("target".into(), text)));
    facts.push(("learner".into(), learner(subject.learner)));
    facts.push(("adversary".into(), threat(subject)));
    Ok(Report {
        title: "What a poisoner can do".into(),
        verdict: vec![verdict(subject, outcome)],
        facts,
        sections: vec![Section {
            heading: "The bound".into(),
            text: "No adversary of this kind, however adaptive, gets the long-run average above it.".into(),
            blocks: vec![
                Block::Lines(over_rates(subject, outcome)),
                Block::Lines(over_steps(subject, outcome)?),
                Block::Table(table(subject, outcome)),
            ],
        }],
        command,
        check: vec![verify],
        tool: tool(),
    })
}

fn verdict(subject: &LinearSubject, outcome: &LinearOutcome) -> String {
    let rate = percent(subject.learner.poison_rate);
    let (loss, bound) = (loss_name(subject.learner.loss), up(outcome.certified_loss));
    match outcome.status {
        Status::Vacuous => format!(
            "With {rate} of the points poisoned, no useful bound is proven: {bound} is no better than not learning."
        ),
        _ => format!(
            "With {rate} of the points poisoned, no adversary can push the long-run {loss} loss above {bound}."
        ),
    }
}

/// The certified loss from no poison to twice the rate in question. Rates without a bound are left out.
fn over_rates(subject: &LinearSubject, outcome: &LinearOutcome) -> LinePlot {
    let options = LinearOptions {
        target: subject.target,
        confidence: outcome.certificate.confidence.as_ref().map(|claim| 1.0 - claim.confidence.delta),
        ..LinearOptions::default()
    };
    let own = subject.learner.poison_rate;
    let mut certified = vec![(own, outcome.certified_loss)];
    for rate in MULTIPLES.map(|m| m * own).into_iter().filter(|rate| *rate < 0.5) {
        let other = Linear { poison_rate: rate, ..subject.learner.clone() };
        let bound = certify_linear(subject.data, &other, &options);
        certified.extend(bound.ok().map(|found| (rate, found.certified_loss)));
    }
    certified.sort_by(|a, b| a.0.total_cmp(&b.0));
    LinePlot {
        id: "poison-rate".into(),
        title: "Other poison rates".into(),
        x: Axis::percent("poison rate"),
        y: Axis::new(&format!("long-run {} loss", loss_name(subject.learner.loss))),
        series: vec![Series::new("certified loss", Kind::Certified, certified)],
        ..LinePlot::default()
    }
}

/// The proven bound on the average over the first steps from θ = 0.
fn over_steps(subject: &LinearSubject, outcome: &LinearOutcome) -> Result<LinePlot, AboutError> {
    let Linear { learning_rate, regularization, .. } = subject.learner;
    let steps = places(learning_rate * regularization);
    let witness = &outcome.certificate.loss.witness;
    // With a confidence the certificate is about a part of the data.
    let certified = subject.data.iter().zip(&outcome.certificate.data);
    let certified: Vec<Dataset> =
        certified.map(|(data, info)| data.first(info.rows)).collect::<Result<_, _>>()?;
    let rows: Vec<Rows> = certified.iter().map(Dataset::as_rows).collect();
    let evidence = Evidence { data: &rows, target: subject.target.map(Dataset::as_rows) };
    let proven = prove_linear(subject.learner, witness, &evidence)?;
    let start = vec![0.0; witness.beta.len()];
    let bounds: Vec<f64> = steps.iter().map(|s| proven.horizon(*s, &start)).collect::<Result<_, _>>()?;
    Ok(LinePlot {
        id: "steps".into(),
        title: "The first steps, from θ = 0".into(),
        x: Axis::log("steps"),
        y: Axis::new(&format!("{} loss", loss_name(subject.learner.loss))),
        series: vec![over_places(&steps, bounds, outcome.certified_loss)],
        limits: vec![Limit { value: outcome.certified_loss, label: "certified long-run loss".into() }],
        note: "The bound is on the average over all steps so far.".into(),
        ..LinePlot::default()
    })
}

fn table(subject: &LinearSubject, outcome: &LinearOutcome) -> Table {
    let figures = linear_lines(subject, outcome).into_iter().skip_while(|(name, _)| !name.is_empty()).skip(1);
    Table {
        id: "figures".into(),
        title: "Figures".into(),
        header: ["", "value"].map(str::to_owned).to_vec(),
        rows: figures.map(|(name, text)| vec![name.into(), text]).collect(),
        note: "Bounds are rounded up, measurements down.".into(),
    }
}
