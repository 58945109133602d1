//! `unswayed certify` with several poison rates: one table, a certificate for each.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Value, json};
use unswayed::Problem;
use unswayed_check::Threat;
use unswayed_report::about::{Summary, rates_report};

use super::{Attempt, Job};
use crate::args::{Method, RateFlags};
use crate::{Stop, print, report};

/// What was found at a poison rate.
struct AtRate {
    poison_rate: f64,
    found: Result<Summary, Stop>,
    /// The methods that were tried, with `--method all`.
    methods: Option<Value>,
}

pub(super) fn run(
    job: &mut Job,
    rates: Vec<RateFlags>,
    problems: Vec<Problem>,
    paths: &[PathBuf],
    as_json: bool,
) -> Result<ExitCode, Stop> {
    if let Some(folder) = &job.flags.output {
        std::fs::create_dir_all(folder).map_err(|error| {
            let folder = folder.display();
            Stop(format!(
                "{folder}: cannot be made ({error}); with several poison rates --output names a folder"
            ))
        })?;
    }
    let mut all = vec![];
    for ((rates, problem), path) in rates.into_iter().zip(problems).zip(paths) {
        let certified = job.certify(problem, &rates, path);
        let methods = certified.as_ref().ok().filter(|_| job.flags.method == Method::All);
        let methods = methods.map(|certified| certified.attempts.iter().map(Attempt::to_json).collect());
        let found = certified.map(|certified| certified.summary);
        all.push(AtRate { poison_rate: rates.poison_rate, found, methods });
    }
    let proven: Vec<&Summary> = all.iter().filter_map(|at| at.found.as_ref().ok()).collect();
    if proven.is_empty() {
        // Nothing at all: the reason is the same everywhere, or close to it.
        let first = all.into_iter().find_map(|at| at.found.err());
        return Err(first.unwrap_or_else(|| Stop("--poison-rate: give at least one number".into())));
    }
    if let Some(folder) = &job.flags.report {
        report::write(&rates_report(&proven, report::command_line()), folder)?;
    }
    if as_json {
        print::json(&all.iter().map(to_json).collect());
    } else {
        print::text(&describe(job, &proven, &all));
    }
    Ok(ExitCode::SUCCESS)
}

fn to_json(at: &AtRate) -> Value {
    match &at.found {
        Ok(summary) => {
            let mut object = serde_json::to_value(summary).unwrap_or_default();
            if let Some(methods) = &at.methods {
                object["methods"] = methods.clone();
            }
            object
        }
        Err(Stop(message)) => {
            json!({ "status": "failed", "poison_rate": at.poison_rate, "message": message })
        }
    }
}

/// What is said of a threat, with the poison rate of a table in place of its own.
fn of_table(text: &str, threat: &Threat) -> String {
    let rate = threat.poison_rate;
    let Some((block, most)) = threat.moments.zip(threat.most_in_block()) else {
        return text.replace(&format!("probability {rate}"), "the probability of the table");
    };
    text.replace(&format!("{most} points ({rate} of {block})"), "the poison rate of the table")
}

/// The statement, the table, and the files.
fn describe(job: &Job, proven: &[&Summary], all: &[AtRate]) -> String {
    let first = proven[0];
    let rates: Vec<String> = all.iter().map(|at| print::percent(at.poison_rate)).collect();
    let mut lines = first.stated.statement.lines();
    for (name, text) in &mut lines {
        if *name == "threat" {
            *text = of_table(text, &first.stated.statement.threat);
        }
    }
    lines.push(("poison rates", rates.join(", ")));
    let files = proven.iter().filter_map(|summary| summary.certificate.as_ref());
    let verify = proven.last().and_then(|summary| summary.verify.clone());
    let mut last = vec![("assumes", first.stated.assumptions.clone())];
    last.extend(files.map(|path| ("certificate", path.clone())));
    last.extend(verify.map(|command| ("verify with", command)));
    last.extend(first.report.iter().map(|path| ("report", path.clone())));
    let failed = all.iter().filter_map(|at| {
        let Stop(message) = at.found.as_ref().err()?;
        Some(format!("{}: no bound: {message}\n", print::percent(at.poison_rate)))
    });
    format!(
        "{}\n{}{}\n\
         attack: the strongest attack found, simulated. certified: no adversary gets the long-run average above this; each bound\n\
         was verified in exact arithmetic. gap: certified / attack loss. {}error: the fraction misclassified.\n\n{}",
        print::lines(lines),
        print::table(&table_of_rates(proven)),
        failed.collect::<String>(),
        horizon_words(job),
        print::lines(last),
    )
}

fn horizon_words(job: &Job) -> String {
    job.flags.horizon.map_or(String::new(), |steps| {
        format!("horizon loss, horizon error: the same for the averages over the first {steps} steps. ")
    })
}

/// A line for each poison rate; columns that no rate has are left out.
pub fn table_of_rates(all: &[&Summary]) -> Vec<Vec<String>> {
    type Column = (&'static str, fn(&Summary) -> Option<String>);
    let columns: [Column; 11] = [
        ("poison rate", |s| Some(print::percent(s.stated.poison_rate))),
        ("benign loss", |s| Some(print::down(s.benign_loss))),
        ("attack loss", |s| s.attack_loss.map(print::down)),
        ("certified loss", |s| Some(print::up(s.certified_loss))),
        ("horizon loss", |s| s.horizon_loss.map(print::up)),
        ("horizon error", |s| s.horizon_error.map(print::up)),
        ("benign error", |s| s.benign_error.map(print::down)),
        ("attack error", |s| s.attack_error.map(print::down)),
        ("certified error", |s| s.certified_error.map(print::up)),
        ("gap", |s| s.gap.map(print::gap)),
        ("status", |s| Some(s.status.to_string())),
    ];
    let used: Vec<&Column> =
        columns.iter().filter(|(_, cell)| all.iter().any(|s| cell(s).is_some())).collect();
    let header = used.iter().map(|(name, _)| (*name).to_owned()).collect();
    let line = |s: &&Summary| used.iter().map(|(_, cell)| cell(s).unwrap_or_default()).collect();
    std::iter::once(header).chain(all.iter().map(line)).collect()
}
