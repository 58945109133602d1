//! Data that are larger than the limit: they are read in parts.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use serde_json::json;
use unswayed::certify::{Outcome, certify_stream, sample_rows};
use unswayed::data::{Source, Stream};
use unswayed_check::MEMORY;
use unswayed_report::about::{Stated, Summary};

use super::{Job, check_command, refuse};
use crate::args::{CertifyFlags, Effort, Method, RateFlags};
use crate::problem::{Parts, ProblemFlags, reading};
use crate::progress::Rows;
use crate::{Stop, input, output, print};

/// The source, if the data are one that is larger than the limit and can be read in parts.
pub fn large(flags: &CertifyFlags, asked: &ProblemFlags) -> Option<Source> {
    let policy = reading(None, asked.read, asked.learner).labels;
    let source = input::source(input::data_path(asked.data), asked.data.labels.as_deref(), policy);
    let bytes = Stream::bytes(&source)?;
    (bytes > flags.memory.unwrap_or(MEMORY) && asked.paths().count() == 1).then_some(source)
}

/// Certifies at one poison rate.
pub fn run(
    (flags, asked): (&CertifyFlags, &ProblemFlags),
    source: &Source,
    rates: &[RateFlags],
    path: &Path,
    start: Option<Vec<f64>>,
    as_json: bool,
) -> Result<ExitCode, Stop> {
    let [rates] = rates else {
        return Err(beyond("several poison rates at once"));
    };
    refuse_more(flags, asked)?;
    let began = Instant::now();
    let bar = Rows::new();
    let reading = reading(asked.data.label_column.as_deref(), asked.read, asked.learner);
    let columns = Stream::columns(source, &reading)?;
    let opened =
        Stream::open(source, &reading, sample_rows(columns), &|rows, of| bar.show("first look", rows, of));
    let (stream, sample) = opened?;
    let parts = Parts::of_sample(asked, sample)?;
    let problem = parts.problem(rates)?;
    refuse(flags, &problem, &parts.template)?;
    let job = Job::new(flags, asked, &parts, start, None);
    let outcome =
        certify_stream(&problem, &stream, &job.options, &|what, rows, of| bar.show(what, rows, of))?;
    drop(bar);
    let summary = written(&job, &outcome, path, began.elapsed().as_secs_f64())?;
    let sample = problem.data()[0].rows();
    if as_json {
        let mut object = serde_json::to_value(&summary)?;
        object["read_in_parts"] = json!({ "sample_rows": sample });
        print::json(&object);
    } else {
        let note = format!("read in parts; the benign loss is that of a sample of {sample} rows\n");
        print::text(&(print::lines(summary.lines()) + &note));
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the certificate.
fn written(job: &Job, outcome: &Outcome, path: &Path, seconds: f64) -> Result<Summary, Stop> {
    let statement = &outcome.certificate.statement;
    let replaced = output::write(path, &outcome.certificate.to_bytes(), "--output")?;
    let adversary = job.parts.template.adversary.to_string();
    Ok(Summary {
        stated: Stated { adversary, ..Stated::of(statement) },
        seconds: Some(seconds),
        verify: Some(check_command(job.asked, statement, path)),
        certificate: Some(path.display().to_string()),
        replaced,
        ..Summary::new(outcome, &[])
    })
}

fn beyond(what: &str) -> Stop {
    Stop(format!("{what}: not for data that are read in parts; raise --memory to read them as a whole"))
}

/// Refuses what needs all rows at once.
fn refuse_more(flags: &CertifyFlags, asked: &ProblemFlags) -> Result<(), Stop> {
    let cases = [
        (flags.report.is_some(), "--report"),
        (flags.confidence.is_some(), "--confidence"),
        (flags.bootstrap.is_some(), "--bootstrap"),
        (flags.method != Method::Convexity, "--method"),
        (flags.effort == Effort::Tight, "--effort tight"),
        (asked.nature.target.is_some(), "--target"),
    ];
    match cases.into_iter().find(|(bad, _)| *bad) {
        Some((_, what)) => Err(beyond(what)),
        None => Ok(()),
    }
}
