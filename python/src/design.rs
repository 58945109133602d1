//! Choosing the learner: designs, here or on other machines, and tolerable poison rates.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use unswayed::Hinge;
use unswayed::Threat;
use unswayed::design::piece::Piece;
use unswayed::design::sweep::{Cores, Workers};
use unswayed::design::table::to_json;
use unswayed::design::tolerate::{Measure, Tolerating, smallest_broken_rate};
use unswayed::design::{
    AttackPlan, BenignLoss, Design, DesignError, Grid, Request, Run, Sweep, SweepPlan, Task,
};

use unswayed_report::about::{design_summary, write_design};

use crate::attack::effort;
use crate::certificate::Certificate;
use crate::data::Data;
use crate::error;
use crate::hinge::{HingeProven, HingeTask};
use crate::value::{simulated, to_python};
use crate::work::{Work, run};

/// Workers of an executor: a Python function from a plan and pieces to an iterator of records, all of them JSON.
struct Executor(Py<PyAny>);

impl Workers for Executor {
    fn run(&self, sweep: &Sweep, pieces: Vec<Piece>) -> Result<(), DesignError> {
        let elsewhere = |error: &dyn std::fmt::Display| DesignError::Elsewhere(error.to_string());
        let plan = serde_json::to_string(sweep.plan()).map_err(|e| elsewhere(&e))?;
        let pieces: Vec<(String, String)> = pieces
            .iter()
            .map(|piece| Ok((piece.task.clone(), serde_json::to_string(piece)?)))
            .collect::<Result<_, serde_json::Error>>()
            .map_err(|e| elsewhere(&e))?;
        Python::attach(|py| {
            let records = self.0.bind(py).call1((plan, pieces)).map_err(|e| elsewhere(&e))?;
            for record in records.try_iter().map_err(|e| elsewhere(&e))? {
                let text: String = record.and_then(|r| r.extract()).map_err(|e: PyErr| elsewhere(&e))?;
                let record = serde_json::from_str(&text).map_err(|e| elsewhere(&e))?;
                py.detach(|| sweep.keep(record))?;
                if sweep.is_cancelled() {
                    return Err(DesignError::Cancelled);
                }
            }
            Ok(())
        })
    }
}

/// Computes a piece: what a worker of an executor does. Returns the records as JSON.
#[pyfunction]
pub fn compute(py: Python<'_>, data: &Data, plan: &str, piece: &str) -> PyResult<Vec<String>> {
    let plan: SweepPlan = serde_json::from_str(plan).map_err(error)?;
    let piece: Piece = serde_json::from_str(piece).map_err(error)?;
    let (data, work) = (data.0.clone(), Work::default());
    let cancel = work.cancel.clone();
    let records = work.run(py, None, move || {
        let mut records = Vec::new();
        piece.compute(&data, &plan, &cancel, &mut |record| {
            records.push(json!(record).to_string());
            Ok(())
        })?;
        Ok::<_, DesignError>(records)
    })?;
    records.map_err(error)
}

fn task((name, data): (String, PyRef<'_, Data>)) -> Task {
    Task { name, data: data.0.as_ref().clone() }
}

fn attack_plan(attacks: &str, everywhere: bool) -> PyResult<AttackPlan> {
    Ok(match (attacks, everywhere) {
        ("none", _) => AttackPlan::None,
        (word, true) => AttackPlan::Everywhere(effort(word)?),
        (word, false) => AttackPlan::Chosen(effort(word)?),
    })
}

/// The result, and the certificates of the chosen setting: task, poison rate, bytes.
#[pyfunction]
pub fn design<'py>(
    py: Python<'py>,
    train: Vec<(String, PyRef<'py, Data>)>,
    validate: Option<(String, PyRef<'py, Data>)>,
    test: Option<(String, PyRef<'py, Data>)>,
    grid: [Option<Vec<f64>>; 3],
    kappa: Option<f64>,
    radius: f64,
    benign: &str,
    attacks: &str,
    everywhere: bool,
    seed: u64,
    refine: bool,
    output: Option<PathBuf>,
    resume: bool,
    executor: Option<Py<PyAny>>,
    progress: Option<Bound<'py, PyAny>>,
    command: String,
) -> PyResult<(Bound<'py, PyAny>, Vec<(String, f64, Bound<'py, PyBytes>)>)> {
    let request = Request {
        train: train.into_iter().map(task).collect(),
        validate: validate.map(task),
        test: test.map(task),
        grid: self::grid(grid)?,
        kappa,
        radius,
        benign: match benign {
            "simulated" => BenignLoss::Simulated,
            "limit" => BenignLoss::Limit,
            other => return Err(error(format!("benign {other:?}: it must be \"simulated\" or \"limit\""))),
        },
        attacks: attack_plan(attacks, everywhere)?,
        seed,
        refine,
    };
    let work = Work::default();
    let (cancel, count) = (work.cancel.clone(), work.count.clone());
    let result = work.run(py, progress.as_ref(), move || -> Result<(Value, Design), String> {
        let executor = executor.map(Executor);
        let workers: &dyn Workers = executor.as_ref().map_or(&Cores, |e| e);
        let run = Run { observer: count.as_ref(), workers, cancel };
        let text = |error: &dyn std::fmt::Display| error.to_string();
        if let Some(folder) = &output {
            let made = std::fs::create_dir_all(folder);
            made.map_err(|error| format!("{}: cannot be made ({error})", folder.display()))?;
        }
        let journal = output.as_ref().map(|folder| folder.join("journal.jsonl"));
        let journal = journal.as_deref().map(|path| (path, resume));
        let result = unswayed::design::design(&request, journal, &run).map_err(|e| text(&e))?;
        if let Some(folder) = &output {
            write_design(&request, &result, command, folder).map_err(|e| text(&e))?;
        }
        Ok((design_summary(&request, &result), result))
    })?;
    let (mut summary, result) = result.map_err(error)?;
    summary["computed"] = result.computed.into();
    let certificates =
        result.certificates.iter().map(|(task, rate, bytes)| (task.clone(), *rate, PyBytes::new(py, bytes)));
    Ok((to_python(py, &summary)?, certificates.collect()))
}

fn grid([learning_rates, regularizations, poison_rates]: [Option<Vec<f64>>; 3]) -> PyResult<Grid> {
    let paper = Grid::default();
    Grid::new(
        learning_rates.unwrap_or(paper.learning_rates),
        regularizations.unwrap_or(paper.regularizations),
        poison_rates.unwrap_or(paper.poison_rates),
    )
    .map_err(error)
}

fn measure(word: &str) -> PyResult<Measure> {
    match word {
        "loss" => Ok(Measure::Loss),
        "error" => Ok(Measure::Error),
        other => Err(error(format!("measure {other:?}: it must be \"loss\" or \"error\""))),
    }
}

/// The largest tolerable rate with its certificate, and where an attack is seen to break the limit.
#[pyfunction]
pub fn largest_rate<'py>(
    py: Python<'py>,
    data: &Data,
    learning_rate: f64,
    regularization: f64,
    radius: f64,
    limit: f64,
    measure: &str,
    attacks: bool,
    seed: u64,
) -> PyResult<Option<(f64, Certificate, Bound<'py, PyAny>)>> {
    let (learner, measure) =
        (Hinge::new(learning_rate, regularization).map_err(error)?, self::measure(measure)?);
    let rows = data.0.clone();
    let found = run(py, move || {
        let found = unswayed::design::tolerate::largest_rate(&rows, &learner, radius, limit, measure)?;
        let broken = match &found {
            Some(found) if attacks => {
                smallest_broken_rate(&rows, &learner, radius, limit, measure, found.poison_rate, seed)?
            }
            _ => None,
        };
        Ok::<_, DesignError>(found.map(|found| (found, broken)))
    })?;
    let Some((found, broken)) = found.map_err(error)? else { return Ok(None) };
    let threat = Threat::new(found.poison_rate).and_then(|t| t.with_radius(radius)).map_err(error)?;
    let broken = broken.map(|broken| {
        json!({ "poison_rate": broken.poison_rate, "simulated": simulated(&broken.attacked.simulated) })
    });
    let task = HingeTask { data: Arc::clone(&data.0), learner, threat };
    let certificate = Certificate::of(HingeProven { task, outcome: found.outcome });
    Ok(Some((found.poison_rate, certificate, to_python(py, &json!(broken))?)))
}

/// The settings of a grid that keep the harm under a limit at one poison rate.
#[pyfunction]
pub fn tolerating<'py>(
    py: Python<'py>,
    data: &Data,
    grid: [Option<Vec<f64>>; 3],
    radius: f64,
    limit: f64,
    measure: &str,
    seed: u64,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (grid, measure) = (self::grid(grid)?, self::measure(measure)?);
    let data = data.0.as_ref().clone();
    let work = Work::default();
    let (cancel, count) = (work.cancel.clone(), work.count.clone());
    let found = work.run(py, progress.as_ref(), move || {
        let run = Run { observer: count.as_ref(), cancel, ..Run::default() };
        Tolerating::find(data, grid, radius, limit, measure, seed, &run)
    })?;
    let found = found.map_err(error)?;
    to_python(py, &json!({ "settings": to_json(&found.rows), "smallest": to_json(&[found.smallest])[0] }))
}
