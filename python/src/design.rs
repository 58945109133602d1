//! Choosing the learner: designs, here or on other machines.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use unswayed::design::piece::Piece;
use unswayed::design::sweep::{Cores, Workers};
use unswayed::design::{
    AttackPlan, BenignLoss, Design, DesignError, Growing, Request, Run, Sweep, SweepPlan, Task,
};
use unswayed_report::about::{design_summary, write_design};

use crate::attack::effort;
use crate::data::Data;
use crate::error;
use crate::problem::Asked;
use crate::tolerate::{Axis, Stream, axes, grid as grid_of};
use crate::value::to_python;
use crate::work::Work;

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
    Task { name, data: data.0.clone() }
}

fn attack_plan(attacks: &str, everywhere: bool) -> PyResult<AttackPlan> {
    Ok(match (attacks, everywhere) {
        ("none", _) => AttackPlan::None,
        (word, true) => AttackPlan::Everywhere(effort("attacks", word)?),
        (word, false) => AttackPlan::Chosen(effort("attacks", word)?),
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
    steps: [Axis; 3],
    kappa: Option<f64>,
    at_most_error: Option<f64>,
    stream: Stream,
    asked: Asked<'py>,
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
    let template = asked.template(train.first().map(|(_, data)| data.0.dimension()))?;
    let (horizon, start) = stream;
    let request = Request {
        validate: validate.map(task),
        test: test.map(task),
        horizon,
        start,
        at_most_error,
        // Lists that are given are what the user wants tried.
        growing: Growing {
            learning_rates: horizon.is_some() && grid[0].is_none(),
            regularizations: horizon.is_some() && grid[1].is_none(),
            ..Growing::default()
        },
        grid: grid_of(grid, horizon)?,
        kappa,
        template,
        benign: match benign {
            "simulated" => BenignLoss::Simulated,
            "limit" => BenignLoss::Limit,
            other => return Err(error(format!("benign {other:?}: it must be \"simulated\" or \"limit\""))),
        },
        attacks: attack_plan(attacks, everywhere)?,
        seed,
        refine,
        ..Request::new(train.into_iter().map(task).collect())
    };
    let request = request.with_steps(&axes(steps)?).map_err(error)?;
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
