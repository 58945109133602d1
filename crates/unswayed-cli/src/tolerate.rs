//! `unswayed tolerate`.

use std::process::ExitCode;

use serde_json::{Value, json};
use unswayed::attack::Attacked;
use unswayed::design::table::{Row, to_json};
use unswayed::design::tolerate::{
    Broken, Measure, Tolerated, Tolerating, largest_rate, smallest_broken_rate,
};
use unswayed::design::{Run, Setting};
use unswayed::{Dataset, Threat};

use crate::args::{Attacks, TolerateFlags};
use crate::progress::{Bar, Busy};
use crate::{Stop, attack, input, print};

pub fn run(flags: &TolerateFlags, as_json: bool) -> Result<ExitCode, Stop> {
    if !(flags.limit > 0.0 && flags.limit.is_finite()) {
        return Err(Stop("--limit: it must be positive and finite".into()));
    }
    let question = question(flags)?;
    let path = input::output(flags.output.as_ref(), input::data_path(&flags.data));
    input::keep_inputs(&path, "--output", &input::data_files(&flags.data))?;
    let data = input::dataset(&flags.data, &flags.read)?;
    match question {
        Question::Rate(setting) => rate(flags, &data, setting, as_json),
        Question::Settings => settings(flags, data, as_json),
    }
}

/// What is asked for.
enum Question {
    /// The largest rate for a setting.
    Rate(Setting),
    /// The settings for a rate.
    Settings,
}

fn question(flags: &TolerateFlags) -> Result<Question, Stop> {
    let grid = &flags.grid;
    if let Some(rates) = &grid.poison_rate {
        return match rates.len() {
            1 => Ok(Question::Settings),
            _ => Err(Stop("--poison-rate: give one rate".into())),
        };
    }
    match (grid.learning_rate.as_deref(), grid.regularization.as_deref()) {
        (Some([learning_rate]), Some([regularization])) => {
            Ok(Question::Rate(Setting { learning_rate: *learning_rate, regularization: *regularization }))
        }
        _ => Err(Stop(
            "give --learning-rate and --regularization (one value each) to find the largest tolerable poison rate, \
             or --poison-rate to find the settings that tolerate it"
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
fn rate(flags: &TolerateFlags, data: &Dataset, setting: Setting, as_json: bool) -> Result<ExitCode, Stop> {
    let (learner, measure) = (setting.learner()?, measure(flags));
    let busy = Busy::with("searching the largest rate");
    let found = largest_rate(data, &learner, flags.radius, flags.limit, measure)?;
    drop(busy);
    let Some(found) = found else {
        if as_json {
            print::json(&json!({ "status": "not tolerable", "limit": flags.limit, "poison_rate": null }));
        } else {
            print::text(&format!(
                "Not even without an adversary is the {} certified to stay under {}: choose a larger --limit, or another \
                 setting (see: unswayed tolerate --poison-rate 0 --limit {1})\n",
                word(flags),
                flags.limit,
            ));
        }
        return Ok(ExitCode::SUCCESS);
    };
    let path = input::output(flags.output.as_ref(), input::data_path(&flags.data));
    input::write(&path, &found.outcome.certificate.to_bytes(), "--output")?;
    let threat = Threat::new(found.poison_rate)?.with_radius(flags.radius)?;
    let attacked = attack::strongest(data, &learner, &threat, flags.attacks, flags.seed)?;
    let broken = if flags.attacks == Attacks::None {
        None
    } else {
        let _busy = Busy::with("searching an attack that breaks the limit");
        let (radius, limit) = (flags.radius, flags.limit);
        smallest_broken_rate(data, &learner, radius, limit, measure, found.poison_rate, flags.seed)?
    };
    let answer = Answer { setting, found, attacked, broken, path: path.display().to_string() };
    if as_json {
        print::json(&rate_json(flags, &answer));
    } else {
        print::text(&describe_rate(flags, data, &answer));
    }
    Ok(ExitCode::SUCCESS)
}

/// What was found.
struct Answer {
    setting: Setting,
    found: Tolerated,
    /// The strongest attack at the tolerated rate.
    attacked: Option<Attacked>,
    broken: Option<Broken>,
    path: String,
}

fn rate_json(flags: &TolerateFlags, answer: &Answer) -> Value {
    let Answer { setting, found, attacked, broken, path } = answer;
    let (attacked, broken) = (attacked.as_ref(), broken.as_ref());
    json!({
        "status": "tolerable",
        "limit": flags.limit,
        "measure": word(flags),
        "learning_rate": setting.learning_rate,
        "regularization": setting.regularization,
        "radius": flags.radius,
        "poison_rate": found.poison_rate,
        "certified_loss": found.outcome.certified_loss,
        "certified_error": found.outcome.certified_error,
        "attack": attacked.map(|a| a.attack.name()),
        "attack_loss": attacked.map(|a| a.simulated.loss.mean),
        "attack_error": attacked.and_then(|a| a.simulated.error).map(|e| e.mean),
        "broken_poison_rate": broken.map(|b| b.poison_rate),
        "broken_loss": broken.map(|b| b.attacked.simulated.loss.mean),
        "broken_error": broken.and_then(|b| b.attacked.simulated.error).map(|e| e.mean),
        "certificate": path,
    })
}

fn describe_rate(flags: &TolerateFlags, data: &Dataset, answer: &Answer) -> String {
    let Answer { setting, found, attacked, broken, path } = answer;
    let (word, value) = (word(flags), measure(flags).certified(&found.outcome));
    let mut rows = vec![
        vec!["data".into(), data.describe()],
        vec![
            "learner".into(),
            format!(
                "hinge, learning rate {}, regularization {}",
                setting.learning_rate, setting.regularization
            ),
        ],
        vec![String::new()],
        vec![
            "tolerates".into(),
            format!(
                "{} of the points poisoned: certified {word} {}, limit {}",
                print::percent(found.poison_rate),
                print::up(value),
                flags.limit
            ),
        ],
    ];
    if let Some(attacked) = attacked {
        let reached = print::down(measure(flags).attacked(attacked));
        let text =
            format!("{word} {reached}, by {}: the strongest attack found there", attacked.attack.name());
        rows.push(vec!["attack reaches".into(), text]);
    }
    if let Some(broken) = broken {
        rows.push(vec![
            "does not".into(),
            format!(
                "{} poisoned: there {} reaches {word} {}, above the limit",
                print::percent(broken.poison_rate),
                broken.attacked.attack.name(),
                print::down(measure(flags).attacked(&broken.attacked)),
            ),
        ]);
    } else if flags.attacks != Attacks::None {
        rows.push(vec!["does not".into(), "unknown: no attack was found that exceeds the limit".into()]);
    }
    rows.push(vec!["certificate".into(), path.clone()]);
    print::list(&rows)
}

/// The settings that tolerate a rate, the one with the smallest benign loss first.
fn settings(flags: &TolerateFlags, data: Dataset, as_json: bool) -> Result<ExitCode, Stop> {
    let grid = input::grid(&flags.grid)?;
    let (poison_rate, described) = (grid.poison_rates[0], data.describe());
    let bar = Bar::new();
    let run = Run::observed(&bar);
    let found = Tolerating::find(data, grid, flags.radius, flags.limit, measure(flags), flags.seed, &run);
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
        print::text(&describe_settings(flags, &described, poison_rate, &rows, &smallest, tried));
    }
    Ok(ExitCode::SUCCESS)
}

fn describe_settings(
    flags: &TolerateFlags,
    data: &str,
    poison_rate: f64,
    rows: &[Row],
    best: &Row,
    tried: usize,
) -> String {
    let (word, rate) = (word(flags), print::percent(poison_rate));
    let header = ["learning rate", "regularization", "benign loss", "certified loss", "certified error"];
    let mut table = vec![header.map(str::to_owned).to_vec()];
    let shown = if rows.is_empty() { std::slice::from_ref(best) } else { rows };
    for row in shown {
        table.push(vec![
            print::number(row.learning_rate),
            print::number(row.regularization),
            print::down(row.benign_loss),
            print::up(row.certified_loss),
            print::up(row.certified_error),
        ]);
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
    format!("{data}\n\n{verdict}\n\n{}", print::table(&table))
}
