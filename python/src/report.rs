//! What a certificate says to people: a table, a plot, a report.

use std::path::PathBuf;

use pyo3::prelude::*;
use unswayed::attack::{Attacked, strongest};
use unswayed_report::Block;
use unswayed_report::about::{Subject, Summary, certify_report, over_rates};

use crate::attack::Attacks;
use crate::bootstrap::Bootstrap;
use crate::certificate::Certificate;
use crate::error;
use crate::work::run;

fn subject<'a>(certificate: &'a Certificate, attacked: Option<&'a Attacked>, seed: u64) -> Subject<'a> {
    Subject { problem: &certificate.problem, outcome: &certificate.outcome, attacked, seed }
}

/// Statement and figures: headings and sentences.
#[pyfunction]
pub fn summary(
    certificate: &Certificate,
    attacked: Option<&Attacks>,
    bootstrap: Option<&Bootstrap>,
) -> Vec<(&'static str, String)> {
    let found = Summary::new(&certificate.outcome, attacked.map_or(&[], |attacks| &attacks.0));
    Summary { bootstrap: bootstrap.map(Bootstrap::resampled), ..found }.lines()
}

/// Writes report.html, report.json and the figures.
#[pyfunction]
pub fn report(
    py: Python<'_>,
    certificate: &Certificate,
    attacked: Option<&Attacks>,
    bootstrap: Option<&Bootstrap>,
    folder: PathBuf,
    file: String,
    command: String,
    verify: String,
    seed: u64,
) -> PyResult<()> {
    let (certificate, attacks) = (certificate.clone(), attacked.map_or(vec![], |attacks| attacks.0.clone()));
    let bootstrap = bootstrap.map(Bootstrap::resampled);
    let written = run(py, move || -> Result<(), String> {
        let mut summary = Summary::new(&certificate.outcome, &attacks);
        (summary.certificate, summary.verify, summary.bootstrap) = (Some(file), Some(verify), bootstrap);
        let report = certify_report(&subject(&certificate, strongest(&attacks), seed), &summary, command);
        let report = report.map_err(|e| e.to_string())?;
        unswayed_report::write_folder(&report, &folder).map_err(|e| format!("{}: {e}", folder.display()))
    })?;
    written.map_err(error)
}

/// The plot of a notebook: bounds at other poison rates, the attack if there is one.
#[pyfunction]
pub fn plot(
    py: Python<'_>,
    certificate: &Certificate,
    attacked: Option<&Attacks>,
    seed: u64,
) -> PyResult<String> {
    let (certificate, attacked) = (certificate.clone(), attacked.and_then(|a| strongest(&a.0)).cloned());
    let plot = run(py, move || over_rates(&subject(&certificate, attacked.as_ref(), seed)))?;
    unswayed_report::to_svg(&Block::Lines(plot)).ok_or_else(|| error("there is nothing to plot"))
}

/// An upper bound as text, rounded up.
#[pyfunction]
pub fn up(bound: f64) -> String {
    unswayed_report::number::up(bound)
}

/// A measured value as text, rounded down.
#[pyfunction]
pub fn down(value: f64) -> String {
    unswayed_report::number::down(value)
}
