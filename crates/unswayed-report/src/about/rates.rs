//! The report of certificates at several poison rates: loss and error over the range.

use super::{Summary, tool, words};
use crate::number::{down, percent, up};
use crate::{Axis, Block, Kind, LinePlot, Report, Section, Series, Table};

/// The report of several poison rates, ascending, of one learner. `command` is the command line that made it.
///
/// ```
/// use unswayed::{Problem, certify};
/// use unswayed_report::about::{Summary, rates_report};
/// let data = unswayed::data::sample()?.first(50)?;
/// let problem = Problem::builder(data).learning_rate(1e-3).regularization(0.01).poison_rate(0.0).build()?;
/// let at = |rate| Ok::<_, Box<dyn std::error::Error>>(Summary::new(&certify(&problem.with_poison_rate(rate)?)?, &[]));
/// let (low, high) = (at(0.01)?, at(0.02)?);
/// let report = rates_report(&[&low, &high], "unswayed certify …".into());
/// assert!(report.verdict[1].contains("2 %"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn rates_report(all: &[&Summary], command: String) -> Report {
    let mut facts = all.first().map_or_else(Vec::new, |first| first.statement_lines());
    // The threat of one rate is not that of the others.
    facts.retain(|(name, _)| *name != "threat");
    let mut blocks = vec![Block::Lines(losses(all))];
    blocks.extend(errors(all).map(Block::Lines));
    blocks.push(Block::Table(table(all)));
    Report {
        title: "What a poisoner can do".into(),
        verdict: all.first().into_iter().chain(all.last()).map(|one| verdict(one)).collect(),
        facts: facts.into_iter().map(|(name, text)| (name.to_owned(), text)).collect(),
        sections: vec![Section {
            heading: "Bound and attack".into(),
            text: "The truth lies between what the strongest attack found reaches and what is proven for every adversary."
                .into(),
            blocks,
        }],
        command,
        check: all.iter().filter_map(|one| one.verify.clone()).collect(),
        tool: tool(),
        glossary: words::glossary(),
        ..Report::default()
    }
    .with_common_axes()
}

fn verdict(one: &Summary) -> String {
    let error = one
        .certified_error
        .map_or(String::new(), |error| format!(", nor the fraction misclassified above {}", up(error)));
    let (rate, bound) = (percent(one.stated.poison_rate), up(one.certified_loss));
    format!(
        "With {rate} of the points poisoned, no adversary can push the long-run loss above {bound}{error}."
    )
}

/// Points of a figure over the poison rates; rates without it are left out.
fn over(all: &[&Summary], pick: impl Fn(&Summary) -> Option<f64>) -> Vec<(f64, f64)> {
    all.iter().filter_map(|one| Some((one.stated.poison_rate, pick(one)?))).collect()
}

/// Half the widths of the confidence intervals of those that were measured.
fn widths(all: &[&Summary], pick: impl Fn(&Summary) -> Option<[f64; 2]>) -> Vec<f64> {
    all.iter().filter_map(|one| pick(one)).map(|[low, high]| (high - low) / 2.0).collect()
}

fn losses(all: &[&Summary]) -> LinePlot {
    let loss = all.first().map_or("", |one| &one.stated.loss_function);
    let mut series =
        vec![Series::new("certified loss", Kind::Certified, over(all, |one| Some(one.certified_loss)))];
    let attack = over(all, |one| one.attack_loss);
    let mut gaps = vec![];
    if !attack.is_empty() {
        let widths = widths(all, |one| one.attack_loss_interval);
        series.push(Series::new("attack loss", Kind::Attack, attack).with_half_widths(widths));
        gaps.push((0, 1));
    }
    series.push(Series::new("benign loss", Kind::Benign, over(all, |one| Some(one.benign_loss))));
    LinePlot {
        id: "losses".into(),
        title: "Loss at each poison rate".into(),
        x: Axis::percent("poison rate"),
        y: Axis::new(&format!("long-run {loss} loss")),
        series,
        gaps,
        ..LinePlot::default()
    }
}

/// The same for the error, where there is one.
fn errors(all: &[&Summary]) -> Option<LinePlot> {
    let certified = over(all, |one| one.certified_error);
    if certified.is_empty() {
        return None;
    }
    let mut series = vec![Series::new("certified error", Kind::Certified, certified)];
    let attack = over(all, |one| one.attack_error);
    let mut gaps = vec![];
    if !attack.is_empty() {
        let widths = widths(all, |one| one.attack_error_interval);
        series.push(Series::new("attack error", Kind::Attack, attack).with_half_widths(widths));
        gaps.push((0, 1));
    }
    series.push(Series::new("benign error", Kind::Benign, over(all, |one| one.benign_error)));
    Some(LinePlot {
        id: "errors".into(),
        title: "Error at each poison rate".into(),
        x: Axis::percent("poison rate"),
        y: Axis::percent("long-run fraction misclassified"),
        series,
        gaps,
        ..LinePlot::default()
    })
}

fn table(all: &[&Summary]) -> Table {
    let header = [
        "poison rate",
        "benign loss",
        "attack loss",
        "certified loss",
        "benign error",
        "attack error",
        "certified error",
        "status",
    ];
    let row = |one: &&Summary| {
        let (down, up) = (|x: Option<f64>| x.map_or(String::new(), down), up);
        vec![
            percent(one.stated.poison_rate),
            down(Some(one.benign_loss)),
            down(one.attack_loss),
            up(one.certified_loss),
            down(one.benign_error),
            down(one.attack_error),
            one.certified_error.map_or(String::new(), up),
            one.status.to_string(),
        ]
    };
    Table {
        id: "figures".into(),
        title: "Figures".into(),
        header: header.map(str::to_owned).to_vec(),
        rows: all.iter().map(row).collect(),
        note: "Bounds are rounded up, measurements down.".into(),
    }
}
