//! Reports: what a command found, for people. `unswayed report` renders a run's report again.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use unswayed::Problem;
use unswayed::data::{Source, reload};
use unswayed_check::labels_beside;
use unswayed_report::live::{Live, WhatIf};
use unswayed_report::{Report, write_folder, write_pictures};

use crate::args::ReportFlags;
use crate::{Stop, print};

/// `unswayed report RUN`.
pub fn run(flags: &ReportFlags, as_json: bool) -> Result<ExitCode, Stop> {
    let path = flags.run.join("report.json");
    let stop = |text: String| Stop(format!("{}: {text}", path.display()));
    let text = std::fs::read_to_string(&path).map_err(|error| {
        stop(format!(
            "cannot be read ({error}); name the folder of a run of design or reproduce, or of certify --report"
        ))
    })?;
    let mut report: Report = serde_json::from_str(&text)
        .map_err(|error| stop(format!("is no report of this program ({error})")))?;
    if flags.live {
        report.live = Some(live(flags, &report).map_err(|Stop(text)| stop(text))?);
    }
    let folder = flags.output.as_ref().unwrap_or(&flags.run);
    write(&report, folder)?;
    let page = folder.join("report.html").display().to_string();
    if as_json {
        print::json(&serde_json::json!({ "report": page }));
    } else {
        print::text(&format!(
            "report           {page}\nfigures          {}\n",
            folder.join("figures").display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// What a live page holds: the run's rows are read again, and attacks searched.
fn live(flags: &ReportFlags, report: &Report) -> Result<Live, Stop> {
    let Some(WhatIf { template, setting, origin, data, labels }) = &report.what_if else {
        return Err(Stop(
            "cannot be live; that is for certify --report with the hinge loss against a ball".into(),
        ));
    };
    let path = flags.data.clone().unwrap_or_else(|| data.into());
    let source = match labels.clone().map(PathBuf::from).or_else(|| labels_beside(&path)) {
        Some(labels) if origin.label_file.is_some() => Source::path(&path).labels(labels),
        _ => Source::path(&path),
    };
    let rows = reload(&source, origin)?;
    origin.same_rows(rows.origin()).map_err(|text| Stop(format!("{}: {text}", path.display())))?;
    let problem = Problem::of_template(rows, template.clone())
        .learning_rate(setting.learning_rate)
        .regularization(setting.regularization)
        .poison_rate(setting.poison_rate)
        .build()?;
    Ok(Live::new(&problem, template, *setting, 0)?)
}

/// Writes report.html, report.json and the figures.
pub fn write(report: &Report, folder: &Path) -> Result<(), Stop> {
    let written = write_folder(report, folder).and_then(|()| write_pictures(report, folder));
    written.map_err(|error| Stop(format!("{}: {error}", folder.display())))
}

/// The command line as it was typed, quoted where a shell needs it.
pub fn command_line() -> String {
    let arguments = std::env::args().skip(1).map(|argument| quote(&argument));
    std::iter::once("unswayed".to_owned()).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// An argument as a shell takes it.
pub fn quote(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', "'\\''"))
    }
}

/// The program and its version.
pub fn tool() -> String {
    concat!("unswayed ", env!("CARGO_PKG_VERSION")).into()
}
