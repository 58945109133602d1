//! `unswayed reproduce`: the paper's experiments.

mod mean;
mod tasks;

use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};
use unswayed_report::{Report, Section};

use crate::args::{Experiment, ReproduceFlags};
use crate::progress::Bar;
use crate::{Stop, output, print, report};

/// What one experiment found, for people and machines.
struct Found {
    /// The result in words, a paragraph each.
    verdict: Vec<String>,
    sections: Vec<Section>,
    /// Words and tables for the terminal.
    text: String,
    json: Value,
}

/// What every report of these must say.
const FEATURES: &str = "Features: EfficientNet-Lite0 for images and all-MiniLM-L6-v2 for text, not the paper's ResNet18 and BERT; the \
                        figures are therefore not the paper's own.";

pub fn run(flags: &ReproduceFlags, as_json: bool) -> Result<ExitCode, Stop> {
    let is_default = flags.learner.is_default() && flags.steps.is_default();
    if flags.experiment == Experiment::Mean && !is_default {
        let message = "reproduce mean is about mean estimation: leave out the flags of learner and adversary";
        return Err(Stop(message.into()));
    }
    output::keep_inputs(&flags.output, "--output", [&flags.data])?;
    std::fs::create_dir_all(&flags.output).map_err(|error| {
        let folder = flags.output.display();
        Stop(format!("{folder}: cannot be made ({error}); choose another folder with --output"))
    })?;
    let bar = Bar::new();
    let mut found = Vec::new();
    for (experiment, name) in chosen(flags.experiment) {
        let result = match experiment {
            Experiment::Mean => mean::run(flags.seed, &bar),
            Experiment::Images => tasks::images(flags, &bar),
            Experiment::Reward => tasks::reward(flags, &bar),
            Experiment::All => continue,
        };
        if result.is_err() {
            bar.finish();
        }
        found.push((name, result?));
    }
    bar.finish();
    write(flags, &found)?;
    if as_json {
        let all: serde_json::Map<String, Value> =
            found.iter().map(|(name, f)| ((*name).to_owned(), f.json.clone())).collect();
        print::json(&json!({ "output": flags.output.display().to_string(), "experiments": all }));
    } else {
        let text: String = found.iter().map(|(_, f)| f.text.as_str()).collect();
        let page = flags.output.join("report.html");
        print::text(&format!("{text}{FEATURES}\n\nreport           {}\n", page.display()));
    }
    Ok(ExitCode::SUCCESS)
}

fn chosen(experiment: Experiment) -> Vec<(Experiment, &'static str)> {
    let all = [(Experiment::Mean, "mean"), (Experiment::Images, "images"), (Experiment::Reward, "reward")];
    all.into_iter().filter(|(e, _)| experiment == Experiment::All || *e == experiment).collect()
}

/// The report, and the figures as JSON.
fn write(flags: &ReproduceFlags, found: &[(&str, Found)]) -> Result<(), Stop> {
    for (name, f) in found {
        let path = flags.output.join(format!("{name}.json"));
        output::replace(&path, format!("{:#}\n", f.json).as_bytes(), "--output")?;
    }
    let mut verdict: Vec<String> = found.iter().flat_map(|(_, f)| f.verdict.clone()).collect();
    verdict.push(FEATURES.into());
    let report = Report {
        title: "The paper's experiments, reproduced".into(),
        verdict,
        facts: vec![
            ("paper".into(), "Bose, Lessard, Fazel, Dvijotham, AISTATS 2025".into()),
            ("seed".into(), flags.seed.to_string()),
            ("rows of a task".into(), flags.rows.to_string()),
        ],
        sections: found.iter().flat_map(|(_, f)| f.sections.clone()).collect(),
        command: report::command_line(),
        check: vec![format!("unswayed check {}/TASK/certificates/FILE DATA", show(&flags.output))],
        tool: report::tool(),
        ..Report::default()
    };
    report::write(&report, &flags.output)
}

fn show(path: &Path) -> String {
    path.display().to_string()
}
