//! The report of one certificate: the bound at other poison rates, the first steps, the figures.

use unswayed::attack::{Attack, Attacked, Suite};
use unswayed::certify::{Benign, Effort, Options, Outcome, Status, certify_with, held, horizon_bounds};
use unswayed::simulate::Estimate;
use unswayed::{AttackError, Problem};
use unswayed_check::{Failure, Feature, Proof, features, unsupported};

use super::{Summary, portrait, tool, words};
use crate::number::{down, percent, up};
use crate::{Axis, Block, Kind, Limit, LinePlot, Report, Section, Series, Table};

/// Points of the curves over poison rates where the solver is fast, and elsewhere.
const RATES: [u32; 2] = [11, 5];
/// Points of the curves over steps.
const PLACES: u32 = 60;
/// Simulated steps, at most, where a step is fast, and elsewhere.
const MOST_STEPS: [f64; 2] = [1e8, 1e7];

/// Why a report could not be made: it proves bounds for first steps, and simulates.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the variants say no more than the errors they hold")]
pub enum AboutError {
    #[error(transparent)]
    Attack(#[from] AttackError),
    #[error(transparent)]
    Check(#[from] Failure),
}

/// What was certified, and what came out.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// Its certificate.
    pub outcome: &'a Outcome,
    /// The strongest attack, if any was run.
    pub attacked: Option<&'a Attacked>,
    /// The seed of simulations.
    pub seed: u64,
}

impl Subject<'_> {
    /// Whether this is the hinge learner against a ball with plain steps, for which everything is fast.
    fn is_plain(&self) -> bool {
        let all = [features(self.problem.statement()), vec![Feature::Paper]].concat();
        unsupported(&all).is_none()
    }

    fn of_speed<T: Copy>(&self, [fast, slow]: [T; 2]) -> T {
        if self.is_plain() { fast } else { slow }
    }

    fn poison_rate(&self) -> f64 {
        self.problem.threat().poison_rate
    }

    /// What was spent on its certificate: bounds that are shown beside it are to be of the same kind.
    fn effort(&self) -> Effort {
        let certificate = &self.outcome.certificate;
        match (&certificate.loss.proof, certificate.error.as_ref().map(|claim| &claim.proof)) {
            (Proof::Contraction(_), _) => Effort::Tight,
            (_, Some(Proof::Levels(_))) => Effort::Standard,
            _ => Effort::Quick,
        }
    }
}

/// The report of one certificate. `summary` is what is printed about it, `command` the command line that made it.
///
/// # Errors
/// A simulation or a bound on first steps that is not to be had.
pub fn certify_report(subject: &Subject, summary: &Summary, command: String) -> Result<Report, AboutError> {
    let mut facts = summary.statement_lines();
    facts.push(("assumes", summary.stated.assumptions.clone()));
    facts.push(("date", words::now()));
    let facts = facts.into_iter().map(|(name, text)| (name.to_owned(), text));
    let rates = at_rates(subject);
    let mut blocks = vec![Block::Lines(losses(subject, &rates))];
    blocks.extend(errors(subject, summary, &rates).map(Block::Lines));
    blocks.extend([Block::Lines(over_steps(subject)?), Block::Table(table(summary))]);
    let mut sections = vec![Section {
        heading: "Bound and attack".into(),
        text:
            "The truth lies between what the strongest attack found reaches and what is proven for every adversary."
                .into(),
        blocks,
    }];
    sections.extend(summary.bootstrap.as_ref().map(|resampled| resampled.section(summary)));
    sections.extend(portrait::section(subject)?);
    let report = Report {
        title: "What a poisoner can do".into(),
        verdict: verdict(summary),
        facts: facts.chain(words::digests(statement(subject))).collect(),
        sections,
        command,
        check: summary.verify.clone().into_iter().collect(),
        glossary: words::glossary(),
        tool: tool(),
        ..Report::default()
    };
    Ok(report.with_common_axes())
}

fn statement<'a>(subject: &'a Subject) -> &'a unswayed_check::Statement {
    &subject.outcome.certificate.statement
}

fn verdict(summary: &Summary) -> Vec<String> {
    let (rate, bound) = (percent(summary.stated.poison_rate), up(summary.certified_loss));
    let first = match summary.status {
        Status::Vacuous => format!(
            "With {rate} of the points poisoned, no useful bound is proven: {bound} is no better than not learning."
        ),
        _ => format!(
            "With {rate} of the points poisoned, no adversary can push the long-run loss above {bound}."
        ),
    };
    let error = summary.certified_error.map_or(String::new(), |error| {
        format!("; the fraction misclassified stays at or below {}", up(error))
    });
    let mut second = format!("Without an adversary it is {}{error}.", down(summary.benign_loss));
    if let (Some(attack), Some(loss)) = (summary.attack, summary.attack_loss) {
        second = format!("{second} The strongest attack found ({attack}) reaches {}.", down(loss));
    }
    vec![first, second]
}

/// The certified loss from no poison to twice the rate in question, the benign loss, and what the attack reaches. Rates without
/// a bound are left out.
pub fn over_rates(subject: &Subject) -> LinePlot {
    losses(subject, &at_rates(subject))
}

/// What is known at a poison rate.
struct AtRate {
    rate: f64,
    loss: f64,
    error: Option<f64>,
    /// Where the strongest attack's point holds the learner.
    held: Option<Benign>,
}

/// Bounds, and attacks where they are fast, from no poison to twice the rate in question.
fn at_rates(subject: &Subject) -> Vec<AtRate> {
    let own = subject.poison_rate();
    let most = (2.0 * own).clamp(0.01, 0.5).max(own);
    let effort = subject.effort();
    let points = if effort == Effort::Quick { subject.of_speed(RATES) } else { RATES[1] };
    let last = points - 1;
    let mut rates: Vec<f64> = (0..=last).map(|i| most * f64::from(i) / f64::from(last)).collect();
    rates.retain(|rate| (rate - own).abs() > 1e-9);
    let steady = subject.attacked.and_then(|attacked| attacked.steady.as_ref());
    let held = |problem: &Problem| held(problem, &steady?.point);
    let known = |rate: f64, outcome: &Outcome, problem: &Problem| AtRate {
        rate,
        loss: outcome.certified_loss,
        error: outcome.certified_error,
        held: held(problem),
    };
    let at = |rate: &f64| {
        let problem = subject.problem.with_poison_rate(*rate).ok()?;
        let outcome = certify_with(&problem, &Options::default().with_effort(effort)).ok()?;
        Some(known(*rate, &outcome, &problem))
    };
    let mut known: Vec<AtRate> = std::iter::once(known(own, subject.outcome, subject.problem))
        .chain(rates.iter().filter_map(at))
        .collect();
    known.sort_by(|a, b| a.rate.total_cmp(&b.rate));
    known
}

/// Losses over poison rates.
fn losses(subject: &Subject, rates: &[AtRate]) -> LinePlot {
    let certified = rates.iter().map(|at| (at.rate, at.loss));
    let held = rates.iter().filter_map(|at| Some((at.rate, at.held.as_ref()?.loss)));
    let attack = subject.attacked.map(|attacked| attacked.simulated.loss);
    let quantity = ["certified loss", "benign loss", "attack loss", "fixed-point attack"];
    LinePlot {
        id: "poison-rate".into(),
        title: "Loss at other poison rates".into(),
        y: Axis::new(&format!("long-run {} loss", loss_name(subject))),
        ..curves(subject, quantity, certified, subject.outcome.benign.loss, attack, held)
    }
}

/// Errors over poison rates; none for a regression loss.
fn errors(subject: &Subject, summary: &Summary, rates: &[AtRate]) -> Option<LinePlot> {
    let certified = rates.iter().filter_map(|at| Some((at.rate, at.error?)));
    let held = rates.iter().filter_map(|at| Some((at.rate, at.held.as_ref()?.error?)));
    let attack = summary.attack_error.zip(summary.attack_error_interval);
    let attack = attack.map(|(mean, [low, high])| Estimate { mean, half_width: (high - low) / 2.0 });
    let quantity = ["certified error", "benign error", "attack error", "fixed-point attack"];
    Some(LinePlot {
        id: "poison-rate-error".into(),
        title: "Misclassified at other poison rates".into(),
        y: Axis::percent("fraction misclassified"),
        ..curves(subject, quantity, certified, subject.outcome.benign.error?, attack, held)
    })
}

/// A bound, what the learner reaches without adversary, what an attack was simulated to reach, and where a point holds the learner.
fn curves(
    subject: &Subject,
    names: [&str; 4],
    certified: impl Iterator<Item = (f64, f64)>,
    benign: f64,
    attack: Option<Estimate>,
    held: impl Iterator<Item = (f64, f64)>,
) -> LinePlot {
    let certified = Series::new(names[0], Kind::Certified, certified);
    let ends = [certified.points.first(), certified.points.last()].into_iter().flatten();
    let benign = Series::new(names[1], Kind::Benign, ends.map(|end| (end.x, benign)).collect::<Vec<_>>());
    let mut series = vec![certified, benign];
    series.extend(attack.map(|attack| {
        let point = [(subject.poison_rate(), attack.mean)];
        Series::new(names[2], Kind::Attack, point).with_half_widths([attack.half_width])
    }));
    let held = Series::new(names[3], Kind::Attack, held);
    let note = if held.points.is_empty() {
        ""
    } else {
        "Fixed-point attack: where the strongest attack's point holds the learner, for small learning rates."
    };
    series.extend(Some(held).filter(|held| !held.points.is_empty()));
    LinePlot { x: Axis::percent("poison rate"), series, note: note.into(), ..LinePlot::default() }
}

fn loss_name(subject: &Subject) -> String {
    subject.problem.learner().loss.to_string()
}

/// The first steps: the proven bound on the average, and one simulated run from θ = 0 under the strongest attack.
fn over_steps(subject: &Subject) -> Result<LinePlot, AboutError> {
    let Subject { problem, outcome, attacked, seed } = *subject;
    let learner = problem.learner();
    let steps = places(learner.learning_rate * learner.regularization, subject.of_speed(MOST_STEPS));
    let start = vec![0.0; problem.parameters()];
    // Where the start still dominates, a bound says nothing and would flatten the rest.
    let bounds = along(&steps, horizon_bounds(problem, &outcome.certificate, &start, &steps)?);
    let telling = bounds.into_iter().filter(|(_, bound)| *bound <= 3.0 * outcome.certified_loss);
    let attack = attacked.map_or(Attack::None, |attacked| attacked.attack);
    let (name, kind) = match attack {
        Attack::None => ("loss, nobody attacks", Kind::Benign),
        _ => ("loss under attack", Kind::Attack),
    };
    let traced = Suite::new(problem)?.with_seed(seed).trace(attack, &start, &steps)?;
    Ok(LinePlot {
        id: "steps".into(),
        title: "The first steps, from θ = 0".into(),
        x: Axis::log("steps"),
        y: Axis::new(&format!("{} loss", loss_name(subject))),
        series: vec![
            Series::new("bound on the average so far", Kind::Certified, telling),
            Series::new(name, kind, along(&steps, traced)),
        ],
        limits: vec![Limit { value: outcome.certified_loss, label: "certified long-run loss".into() }],
        note: "The bound is on the average over all steps so far; the simulated loss is that of the model at each step.".into(),
        ..LinePlot::default()
    })
}

/// Numbers of steps, to ten times the learner's memory, of which each step forgets `rate`.
fn places(rate: f64, most: f64) -> Vec<u64> {
    let last = (10.0 / rate).clamp(1e4, most);
    let place = |i: u32| last.powf(f64::from(i) / f64::from(PLACES - 1)).round() as u64;
    let mut steps: Vec<u64> = (0..PLACES).map(place).collect();
    steps.dedup();
    steps
}

fn along(steps: &[u64], losses: Vec<f64>) -> Vec<(f64, f64)> {
    steps.iter().map(|s| *s as f64).zip(losses).collect()
}

fn table(summary: &Summary) -> Table {
    Table {
        id: "figures".into(),
        title: "Figures".into(),
        header: ["", "value"].map(str::to_owned).to_vec(),
        rows: summary.figures().into_iter().map(|(name, text)| vec![name.into(), text]).collect(),
        note: "Bounds are rounded up, measurements down.".into(),
    }
}
