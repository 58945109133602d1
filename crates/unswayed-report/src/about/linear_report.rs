//! The report of a certificate for a linear learner: the bound at other poison rates, and the transient.

use unswayed::Dataset;
use unswayed::certify::linear::{LinearOptions, LinearOutcome, certify_linear};
use unswayed::check::{Evidence, Linear, Rows, prove_linear};

use super::certify::{TRUTH, bound_in_words, over_places, places, rate_series, reached_in_words};
use super::linear::{figures, loss_name, subject_lines};
use super::{AboutError, Beside, LinearSubject, tool};
use crate::number::{down, up};
use crate::{Axis, Block, Limit, LinePlot, Report, Section, Table};

/// The rates of the curve, as multiples of the rate in question: fewer than for the hinge learner, whose solver is faster.
const MULTIPLES: [f64; 4] = [0.0, 0.5, 1.5, 2.0];

/// The report of one certificate. `command` made it, `verify` checks it.
pub fn linear_report(
    subject: &LinearSubject,
    outcome: &LinearOutcome,
    beside: &Beside,
    command: String,
    verify: String,
) -> Result<Report, AboutError> {
    let facts = subject_lines(subject).into_iter().map(|(name, text)| (name.to_owned(), text)).collect();
    Ok(Report {
        title: "What a poisoner can do".into(),
        verdict: verdict(subject, outcome, beside),
        facts,
        sections: vec![Section {
            heading: "Bound and attack".into(),
            text: TRUTH.into(),
            blocks: vec![
                Block::Lines(over_rates(subject, outcome, beside)),
                Block::Lines(over_steps(subject, outcome)?),
                Block::Table(table(subject, outcome, beside)),
            ],
        }],
        command,
        check: vec![verify],
        tool: tool(),
    })
}

fn verdict(subject: &LinearSubject, outcome: &LinearOutcome, beside: &Beside) -> Vec<String> {
    let bound = bound_in_words(subject.learner.poison_rate, outcome.status, outcome.certified_loss);
    let error = outcome.certified_error.map_or(String::new(), |error| {
        format!("; the fraction misclassified stays at or below {}", up(error))
    });
    let reached = beside.attacked.map_or(String::new(), reached_in_words);
    vec![bound, format!("Without an adversary it is {}{error}.{reached}", down(beside.benign.loss))]
}

/// The certified loss from no poison to twice the rate in question. Rates without a bound are left out.
fn over_rates(subject: &LinearSubject, outcome: &LinearOutcome, beside: &Beside) -> LinePlot {
    let options = LinearOptions { target: subject.target, ..LinearOptions::default() };
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
        series: rate_series(certified, own, beside.benign, beside.attacked),
        ..LinePlot::default()
    }
}

/// The proven bound on the average over the first steps from θ = 0.
fn over_steps(subject: &LinearSubject, outcome: &LinearOutcome) -> Result<LinePlot, AboutError> {
    let Linear { learning_rate, regularization, .. } = subject.learner;
    let steps = places(learning_rate * regularization);
    let witness = &outcome.certificate.loss.witness;
    let rows: Vec<Rows> = subject.data.iter().map(|data| data.as_rows()).collect();
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

fn table(subject: &LinearSubject, outcome: &LinearOutcome, beside: &Beside) -> Table {
    let figures = figures(subject, outcome, beside).into_iter();
    Table {
        id: "figures".into(),
        title: "Figures".into(),
        header: ["", "value"].map(str::to_owned).to_vec(),
        rows: figures.map(|(name, text)| vec![name.into(), text]).collect(),
        note: "Bounds are rounded up, measurements down.".into(),
    }
}
