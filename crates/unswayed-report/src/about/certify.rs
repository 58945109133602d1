//! The report of one certificate: the bound at other poison rates, the transient, the learner under attack.

use unswayed::attack::{Attack, Attacked, Suite};
use unswayed::certify::{Benign, Options, Outcome, Status, certify, horizon_bounds};
use unswayed::{Dataset, Hinge, Threat};

use super::{AboutError, steps, tool};
use crate::number::{down, parameter, percent, up};
use crate::{Axis, Block, Kind, Limit, LinePlot, Report, Section, Series, Table};

/// Points of the curve over poison rates.
const RATES: u32 = 11;
/// Points of the curves over steps.
const PLACES: u32 = 60;
/// Simulated steps, at most.
const MOST_STEPS: f64 = 1e8;

/// What bound and attack say together.
pub(super) const TRUTH: &str =
    "The truth lies between what the strongest attack found reaches and what is proven for every adversary.";

/// What is certified.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The benign data.
    pub data: &'a Dataset,
    /// The learner.
    pub learner: Hinge,
    /// The adversary.
    pub threat: Threat,
    /// The seed of simulations.
    pub seed: u64,
}

/// The report of one certificate. `command` made it, `verify` checks it.
pub fn certify_report(
    subject: &Subject,
    outcome: &Outcome,
    attacked: Option<&Attacked>,
    command: String,
    verify: String,
) -> Result<Report, AboutError> {
    let mut blocks = vec![Block::Lines(over_rates(subject, outcome, attacked)?)];
    blocks.push(Block::Lines(over_steps(subject, outcome, attacked)?));
    Ok(Report {
        title: "What a poisoner can do".into(),
        verdict: verdict(subject, outcome, attacked),
        facts: vec![
            ("data".into(), subject.data.describe()),
            (
                "learner".into(),
                format!(
                    "hinge, learning rate {}, regularization {}",
                    parameter(subject.learner.learning_rate()),
                    parameter(subject.learner.regularization())
                ),
            ),
            ("adversary".into(), format!("any point of norm up to {}", subject.threat.radius())),
            (
                "method".into(),
                format!("{}, verified in exact arithmetic", outcome.certificate.loss.witness.method()),
            ),
        ],
        sections: vec![Section {
            heading: "Bound and attack".into(),
            text: TRUTH.into(),
            blocks: blocks.into_iter().chain([Block::Table(table(outcome, attacked))]).collect(),
        }],
        command,
        check: vec![verify],
        tool: tool(),
    })
}

fn verdict(subject: &Subject, outcome: &Outcome, attacked: Option<&Attacked>) -> Vec<String> {
    let bound = bound_in_words(subject.threat.poison_rate(), outcome.status, outcome.certified_loss);
    let (benign, error) = (down(outcome.benign.loss), up(outcome.certified_error));
    let reached = attacked.map_or(String::new(), reached_in_words);
    let rest = format!(
        "Without an adversary it is {benign}; the fraction misclassified stays at or below {error}.{reached}"
    );
    vec![bound, rest]
}

/// What a bound says.
pub(super) fn bound_in_words(poison_rate: f64, status: Status, certified_loss: f64) -> String {
    let (rate, bound) = (percent(poison_rate), up(certified_loss));
    match status {
        Status::Vacuous => format!(
            "With {rate} of the points poisoned, no useful bound is proven: {bound} is no better than not learning."
        ),
        _ => format!(
            "With {rate} of the points poisoned, no adversary can push the long-run loss above {bound}."
        ),
    }
}

/// What an attack reaches.
pub(super) fn reached_in_words(attacked: &Attacked) -> String {
    let (name, loss) = (attacked.attack.name(), down(attacked.simulated.loss.mean));
    format!(" The strongest attack found ({name}) reaches {loss}.")
}

/// The certified loss from no poison to twice the rate in question.
pub fn over_rates(
    subject: &Subject,
    outcome: &Outcome,
    attacked: Option<&Attacked>,
) -> Result<LinePlot, AboutError> {
    let most = (2.0 * subject.threat.poison_rate()).clamp(0.01, 0.5);
    let mut certified = Vec::new();
    for i in 0..RATES {
        let rate = most * f64::from(i) / f64::from(RATES - 1);
        let threat = Threat::new(rate)?.with_radius(subject.threat.radius())?;
        let bound = certify(subject.data, &subject.learner, &threat, &Options::default())?.certified_loss;
        certified.push((rate, bound));
    }
    let series = rate_series(certified, subject.threat.poison_rate(), &outcome.benign, attacked);
    Ok(LinePlot {
        id: "poison-rate".into(),
        title: "Other poison rates".into(),
        x: Axis::percent("poison rate"),
        y: Axis::new("long-run hinge loss"),
        series,
        ..LinePlot::default()
    })
}

/// The curve of the bound over poison rates, the benign loss, and what the attack reaches at its rate.
pub(super) fn rate_series(
    certified: Vec<(f64, f64)>,
    own_rate: f64,
    benign: &Benign,
    attacked: Option<&Attacked>,
) -> Vec<Series> {
    let most = certified.last().map_or(0.0, |(rate, _)| *rate);
    let mut series = vec![
        Series::new("certified loss", Kind::Certified, certified),
        Series::new("benign loss", Kind::Benign, [(0.0, benign.loss), (most, benign.loss)]),
    ];
    if let Some(attacked) = attacked {
        let loss = attacked.simulated.loss;
        let point = [(own_rate, loss.mean)];
        series.push(Series::new("attack loss", Kind::Attack, point).with_half_widths([loss.half_width]));
    }
    series
}

/// The first steps: the proven bound on the average, and one simulated run from θ = 0 under the strongest attack.
fn over_steps(
    subject: &Subject,
    outcome: &Outcome,
    attacked: Option<&Attacked>,
) -> Result<LinePlot, AboutError> {
    let steps = places(subject.learner.learning_rate() * subject.learner.regularization());
    let start = vec![0.0; subject.data.dimension()];
    let bounds = horizon_bounds(subject.data, &outcome.certificate, &start, &steps)?;
    let mut series = vec![over_places(&steps, bounds, outcome.certified_loss)];
    let attack = attacked.map_or(Attack::None, |a| a.attack);
    let suite = Suite::new(subject.data, &subject.learner, &subject.threat).with_seed(subject.seed);
    let (name, kind) = match attack {
        Attack::None => ("loss, nobody attacks", Kind::Benign),
        _ => ("loss under attack", Kind::Attack),
    };
    series.push(Series::new(name, kind, along(&steps, suite.trace(attack, &start, &steps)?)));
    Ok(LinePlot {
        id: "steps".into(),
        title: "The first steps, from θ = 0".into(),
        x: Axis::log("steps"),
        y: Axis::new("hinge loss"),
        series,
        limits: vec![Limit { value: outcome.certified_loss, label: "certified long-run loss".into() }],
        note: "The bound is on the average over all steps so far; the simulated loss is that of the model at each step.".into(),
        ..LinePlot::default()
    })
}

/// Numbers of steps, to ten times the learner's memory, of which each step forgets `rate`.
pub(super) fn places(rate: f64) -> Vec<u64> {
    let last = (10.0 / rate).clamp(1e4, MOST_STEPS);
    let place = |i: u32| last.powf(f64::from(i) / f64::from(PLACES - 1)).round() as u64;
    let mut steps: Vec<u64> = (0..PLACES).map(place).collect();
    steps.dedup();
    steps
}

/// The bounds for so many first steps, where they say something: where the start still dominates they would flatten the rest.
pub(super) fn over_places(steps: &[u64], bounds: Vec<f64>, certified_loss: f64) -> Series {
    let telling = along(steps, bounds).into_iter().filter(|(_, bound)| *bound <= 3.0 * certified_loss);
    Series::new("bound on the average so far", Kind::Certified, telling.collect::<Vec<_>>())
}

fn along(steps: &[u64], losses: Vec<f64>) -> Vec<(f64, f64)> {
    steps.iter().map(|s| *s as f64).zip(losses).collect()
}

fn table(outcome: &Outcome, attacked: Option<&Attacked>) -> Table {
    let mut rows = vec![
        vec!["certified loss".into(), up(outcome.certified_loss)],
        vec!["certified error".into(), up(outcome.certified_error)],
        vec!["benign loss".into(), down(outcome.benign.loss)],
        vec!["transient".into(), format!("{} steps", steps(outcome.transient_steps))],
    ];
    if let Some(attacked) = attacked {
        rows.push(vec![
            format!("attack loss ({})", attacked.attack.name()),
            down(attacked.simulated.loss.mean),
        ]);
        rows.push(vec![
            "gap".into(),
            format!("{:.2}", outcome.certified_loss / attacked.simulated.loss.mean),
        ]);
    }
    Table {
        id: "figures".into(),
        title: "Figures".into(),
        header: ["", "value"].map(str::to_owned).to_vec(),
        rows,
        note: "Bounds are rounded up, measurements down.".into(),
    }
}
