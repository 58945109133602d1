//! `unswayed tolerate`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};
use unswayed::attack::Attacked;
use unswayed::certify::Options;
use unswayed::design::table::{Row, to_json};
use unswayed::design::tolerate::{
    Broken, Limit, Measure, Tolerated, Tolerating, largest_rate, smallest_broken_rate,
};
use unswayed::design::{Run, Task};
use unswayed::{LossName, Problem, ProblemError};
use unswayed_check::{Feature, features, unsupported};
use unswayed_report::about::{Stated, axis_value, shown_axes, template_lines};

use crate::args::{Attacks, RateFlags, StepFlags, TolerateFlags};
use crate::certify::check_command;
use crate::problem::{Parts, ProblemFlags};
use crate::progress::{Bar, Busy};
use crate::{Stop, attack, input, output, print};

pub fn run(flags: &TolerateFlags, as_json: bool) -> Result<ExitCode, Stop> {
    if !(flags.limit > 0.0 && flags.limit.is_finite()) {
        return Err(Stop(format!("--limit {}: it must be a positive number, such as 0.2", flags.limit)));
    }
    let is_regression = matches!(flags.learner.loss, Some(LossName::Of(loss)) if loss.is_regression());
    if flags.error && is_regression {
        return Err(Stop(
            "--error: a regression loss classifies nothing; leave out --error to limit its loss".into(),
        ));
    }
    let question = question(flags)?;
    // Where several are tried, they are axes of a grid.
    let steps = flags.steps.only().unwrap_or_default();
    let asked = ProblemFlags {
        data: &flags.data,
        read: &flags.read,
        learner: &flags.learner,
        steps: &steps,
        nature: &flags.nature,
    };
    let path = certificate_path(flags, &question, &steps);
    let inputs: Vec<PathBuf> =
        asked.files().into_iter().chain(flags.start.as_ref().map(PathBuf::from)).collect();
    output::keep_inputs(&path, "--output", &inputs)?;
    let parts = asked.parts()?;
    match question {
        Question::Rate(rates) => rate(flags, &asked, &parts, &rates, &path, as_json),
        Question::Settings => settings(flags, &parts, as_json),
    }
}

/// The limit, with what it is about: the first steps, if there is a horizon, each of so many points.
fn limit(flags: &TolerateFlags, points_per_step: u64) -> Result<Limit, Stop> {
    let mut options = Options::default();
    options.horizon = flags.horizon.map(|points| points / points_per_step);
    if let (Some(points), Some(0)) = (flags.horizon, options.horizon) {
        return Err(Stop(format!(
            "--batch {points_per_step}: a stream of {points} points has no whole step"
        )));
    }
    options.start = flags.start.as_deref().map(|text| input::vector(text, "--start")).transpose()?;
    Ok(Limit::new(flags.limit, measure(flags)).with_options(options))
}

/// Where the certificate is written.
fn certificate_path(flags: &TolerateFlags, question: &Question, steps: &StepFlags) -> PathBuf {
    let mut numbers = vec![];
    if let Question::Rate(rates) = question {
        numbers.extend([("eta", rates.learning_rate), ("sigma", rates.regularization)]);
    }
    numbers.push((word(flags), flags.limit));
    numbers.extend(flags.horizon.map(|points| ("horizon", points as f64)));
    let learner = output::learner_part(&flags.learner, steps, &flags.nature, &flags.read);
    let parts = [learner, output::number_part(&numbers)];
    output::certificate(flags.output.as_ref(), input::data_path(&flags.data), &parts)
}

/// What is asked for.
enum Question {
    /// The largest rate for a setting.
    Rate(RateFlags),
    /// The settings for a rate.
    Settings,
}

fn question(flags: &TolerateFlags) -> Result<Question, Stop> {
    let grid = &flags.grid;
    if let Some(rates) = &grid.poison_rate {
        return match rates.len() {
            1 if flags.nature.drift || flags.nature.target.is_some() => Err(Stop(
                "--poison-rate is unsupported with --drift and --target; give --learning-rate and --regularization instead"
                    .into(),
            )),
            1 => Ok(Question::Settings),
            _ => Err(Stop("--poison-rate: give one rate".into())),
        };
    }
    match (grid.learning_rate.as_deref(), grid.regularization.as_deref(), flags.steps.only()) {
        (Some([learning_rate]), Some([regularization]), Some(_)) => Ok(Question::Rate(RateFlags {
            learning_rate: *learning_rate,
            regularization: *regularization,
            poison_rate: 0.0,
        })),
        _ => Err(Stop(
            "give --learning-rate and --regularization (one value each, as of --batch, --projection and --clip) to find the largest \
             tolerable poison rate, or --poison-rate to find the settings that tolerate it"
                .into(),
        )),
    }
}

fn measure(flags: &TolerateFlags) -> Measure {
    if flags.error { Measure::Error } else { Measure::Loss }
}

fn word(flags: &TolerateFlags) -> &'static str {
    if flags.error { "error" } else { "loss" }
}

/// The largest rate, with its certificate, and where an attack breaks the limit.
fn rate(
    flags: &TolerateFlags,
    asked: &ProblemFlags,
    parts: &Parts,
    rates: &RateFlags,
    path: &Path,
    as_json: bool,
) -> Result<ExitCode, Stop> {
    let limit = &limit(flags, asked.steps.batch)?;
    let problem = parts.problem(rates)?;
    if flags.horizon.is_some() {
        let all = [features(problem.statement()), vec![Feature::Horizon]].concat();
        unsupported(&all).map_or(Ok(()), |rule| Err(ProblemError::Unsupported(rule)))?;
    }
    let busy = Busy::with("searching the largest rate");
    let found = largest_rate(&problem, limit)?;
    drop(busy);
    let limit_value = flags.limit;
    let Some(found) = found else {
        if as_json {
            print::json(&json!({ "status": "not tolerable", "limit": limit_value, "poison_rate": null }));
        } else {
            print::text(&format!(
                "Not even without an adversary is the {} certified to stay under {limit_value}: choose a larger --limit, or another \
                 setting (see: unswayed tolerate --poison-rate 0 --limit {limit_value})\n",
                word(flags),
            ));
        }
        return Ok(ExitCode::SUCCESS);
    };
    let replaced = output::write(path, &found.outcome.certificate.to_bytes(), "--output")?;
    let problem = problem.with_poison_rate(found.poison_rate)?;
    let attacks = match flags.horizon {
        Some(_) => vec![],
        None => attack::beside_bound(&problem, flags.attacks, flags.seed)?,
    };
    let attacked = limit.measure.strongest(&attacks).cloned();
    let broken = if flags.attacks == Attacks(None) {
        None
    } else {
        let _busy = Busy::with("searching an attack that breaks the limit");
        smallest_broken_rate(&problem, limit, found.poison_rate, flags.seed)?
    };
    let verify = check_command(asked, problem.statement(), path);
    let path = path.display().to_string();
    let answer = Answer { problem, found, attacked, broken, path, replaced, verify };
    if as_json {
        print::json(&rate_json(flags, parts, &answer)?);
    } else {
        print::text(&describe_rate(flags, &answer));
    }
    Ok(ExitCode::SUCCESS)
}

/// What was found.
struct Answer {
    /// The problem at the tolerated rate.
    problem: Problem,
    found: Tolerated,
    /// The strongest attack at the tolerated rate.
    attacked: Option<Attacked>,
    broken: Option<Broken>,
    path: String,
    replaced: bool,
    verify: String,
}

fn rate_json(flags: &TolerateFlags, parts: &Parts, answer: &Answer) -> Result<Value, Stop> {
    let Answer { problem, found, attacked, broken, path, replaced, verify } = answer;
    let (attacked, broken) = (attacked.as_ref(), broken.as_ref());
    let mut object = json!({
        "status": "tolerable",
        "limit": flags.limit,
        "measure": word(flags),
        "certified_loss": found.outcome.certified_loss,
        "certified_error": found.outcome.certified_error,
        "horizon": flags.horizon,
        "horizon_loss": found.outcome.horizon_loss,
        "horizon_error": found.outcome.horizon_error(),
        "trials": found.trials,
        "attack": attacked.map(|a| a.attack.name()),
        "attack_loss": attacked.map(|a| a.simulated.loss.mean),
        "attack_error": attacked.and_then(|a| a.simulated.error).map(|e| e.mean),
        "broken_poison_rate": broken.map(|b| b.poison_rate),
        "broken_loss": broken.map(|b| b.attacked.simulated.loss.mean),
        "broken_error": broken.and_then(|b| b.attacked.simulated.error).map(|e| e.mean),
        "certificate": path,
        "replaced": replaced,
        "verify": verify,
    });
    let adversary = parts.template.adversary.to_string();
    let stated = serde_json::to_value(Stated { adversary, ..Stated::of(problem.statement()) })?;
    if let (Some(object), Value::Object(stated)) = (object.as_object_mut(), stated) {
        object.extend(stated);
    }
    Ok(object)
}

fn describe_rate(flags: &TolerateFlags, answer: &Answer) -> String {
    let Answer { found, attacked, broken, path, replaced, verify, .. } = answer;
    let (word, value) = (word(flags), measure(flags).certified(&found.outcome));
    let mut lines = found.outcome.certificate.statement.lines();
    lines.push(("", String::new()));
    let over = flags.horizon.map_or(String::new(), |points| format!(" over the first {points} points"));
    lines.push((
        "tolerates",
        format!(
            "{} of the points poisoned: certified {word}{over} {}, limit {} ({} certificates tried)",
            print::percent(found.poison_rate),
            print::up(value),
            flags.limit,
            found.trials,
        ),
    ));
    if let Some(attacked) = attacked {
        let reached = print::down(measure(flags).attacked(attacked));
        let text =
            format!("{word} {reached}, by {}: the strongest attack found there", attacked.attack.name());
        lines.push(("attack reaches", text));
    }
    if let Some(broken) = broken {
        lines.push((
            "does not",
            format!(
                "{} poisoned: there {} reaches {word} {}, above the limit",
                print::percent(broken.poison_rate),
                broken.attacked.attack.name(),
                print::down(measure(flags).attacked(&broken.attacked)),
            ),
        ));
    } else if flags.attacks != Attacks(None) {
        lines.push(("does not", "unknown: no attack was found that exceeds the limit".into()));
    }
    lines.push(("certificate", format!("{path}{}", if *replaced { " (replaced)" } else { "" })));
    lines.push(("verify with", verify.clone()));
    print::lines(lines)
}

/// The settings that tolerate a rate, the one with the smallest benign loss first.
fn settings(flags: &TolerateFlags, parts: &Parts, as_json: bool) -> Result<ExitCode, Stop> {
    let limit = limit(flags, 1)?;
    let task = Task { name: "data".into(), data: parts.data[0].clone() };
    let mut template = parts.template.clone();
    let grid = input::grid(&flags.grid, flags.horizon)?;
    let grid = flags.steps.axes().extend(grid, &mut template, std::slice::from_ref(&task))?;
    let poison_rate = grid.poison_rates[0];
    let bar = Bar::new();
    let found = Tolerating::find(&task, template, grid, &limit, flags.seed, &Run::observed(&bar));
    bar.finish();
    let Tolerating { rows, smallest, tried } = found?;
    if as_json {
        print::json(&json!({
            "status": if rows.is_empty() { "not tolerable" } else { "tolerable" },
            "limit": flags.limit,
            "measure": word(flags),
            "poison_rate": poison_rate,
            "settings": to_json(&rows),
            "smallest": to_json(&[smallest])[0],
        }));
    } else {
        print::text(&describe_settings(flags, parts, poison_rate, &rows, &smallest, tried));
    }
    Ok(ExitCode::SUCCESS)
}

fn describe_settings(
    flags: &TolerateFlags,
    parts: &Parts,
    poison_rate: f64,
    rows: &[Row],
    best: &Row,
    tried: usize,
) -> String {
    let (word, rate) = (word(flags), print::percent(poison_rate));
    let axes = shown_axes(rows.iter().chain([best]).map(Row::setting));
    let figures = ["benign loss", "certified loss", "certified error"];
    let header = axes.iter().map(|axis| axis.name()).chain(figures);
    let mut table = vec![header.map(str::to_owned).collect::<Vec<_>>()];
    let shown = if rows.is_empty() { std::slice::from_ref(best) } else { rows };
    for row in shown {
        let setting = axes.iter().map(|axis| axis_value(*axis, row.setting()));
        table.push(
            setting
                .chain([
                    print::down(row.benign_loss),
                    print::up(row.bound()),
                    row.error_bound().map_or_else(|| "-".into(), print::up),
                ])
                .collect(),
        );
    }
    let verdict = if rows.is_empty() {
        format!(
            "None of the {tried} settings keeps the certified {word} under {} at {rate}; the best is:",
            flags.limit
        )
    } else {
        format!(
            "{} of {tried} settings keep the certified {word} under {} at {rate}, the smallest benign loss first:",
            rows.len(),
            flags.limit
        )
    };
    let mut lines = template_lines(&parts.template);
    lines.push(("rows", parts.data[0].describe()));
    lines.extend(
        flags.horizon.map(|points| ("figures are", format!("averages over the first {points} points"))),
    );
    format!("{}\n{verdict}\n\n{}", print::lines(lines), print::table(&table))
}
