//! Tolerable poison rates, and settings that tolerate a rate.

use std::sync::Arc;

use pyo3::prelude::*;
use serde_json::json;
use unswayed::certify::Options;
use unswayed::design::table::to_json;
use unswayed::design::tolerate::{Limit, Measure, Tolerating, smallest_broken_rate};
use unswayed::design::{DesignError, Grid, Run, Steps, Task, Tried};

use crate::certificate::Certificate;
use crate::data::Data;
use crate::error;
use crate::problem::{Asked, Problem};
use crate::value::{simulated, to_python};
use crate::work::{Work, run};

/// A number of first steps and a start; the long run without.
pub type Stream = (Option<u64>, Option<Vec<f64>>);

/// A limit on the long run, or on the first steps.
fn limit(value: f64, measure: &str, (horizon, start): Stream) -> PyResult<Limit> {
    let mut options = Options::default();
    (options.horizon, options.start) = (horizon, start);
    Ok(Limit::new(value, self::measure(measure)?).with_options(options))
}

/// A grid; where there are no values, the paper's, or those that suit a horizon.
pub fn grid(
    [learning_rates, regularizations, poison_rates]: [Option<Vec<f64>>; 3],
    horizon: Option<u64>,
) -> PyResult<Grid> {
    let paper = horizon.map_or_else(Grid::default, Grid::for_horizon);
    Grid::new(
        learning_rates.unwrap_or(paper.learning_rates),
        regularizations.unwrap_or(paper.regularizations),
        poison_rates.unwrap_or(paper.poison_rates),
    )
    .map_err(error)
}

/// What to try on an axis: a word, or numbers.
#[derive(FromPyObject)]
pub enum Axis {
    Word(String),
    Numbers(Vec<Option<f64>>),
}

impl Axis {
    fn radii(self, name: &str) -> PyResult<Tried<Option<f64>>> {
        match self {
            Axis::Word(word) => word.parse().map_err(|wrong| error(format!("{name} {word:?}: it {wrong}"))),
            Axis::Numbers(numbers) => Ok(Tried::These(numbers)),
        }
    }

    fn points(self, name: &str) -> PyResult<Tried<u64>> {
        let wrong =
            |what: String| error(format!("{name} {what}: it must be a whole number from 1 on, or \"auto\""));
        match self {
            Axis::Word(word) => word.parse().map_err(|_| wrong(format!("{word:?}"))),
            Axis::Numbers(numbers) => {
                let whole = |x: Option<f64>| x.filter(|x| *x >= 1.0 && x.fract() == 0.0).map(|x| x as u64);
                let points: Option<_> = numbers.iter().copied().map(whole).collect();
                points.map(Tried::These).ok_or_else(|| wrong(format!("{numbers:?}")))
            }
        }
    }
}

/// Projections, clips and batches to try.
pub fn axes([projections, clips, batches]: [Axis; 3]) -> PyResult<Steps> {
    Ok(Steps {
        projections: projections.radii("projection")?,
        clips: clips.radii("clip")?,
        batches: batches.points("batch")?,
    })
}

fn measure(word: &str) -> PyResult<Measure> {
    match word {
        "loss" => Ok(Measure::Loss),
        "error" => Ok(Measure::Error),
        other => Err(error(format!("measure {other:?}: it must be \"loss\" or \"error\""))),
    }
}

/// The largest tolerable rate with its certificate, and where an attack is seen to break the limit. The problem's own rate
/// does not matter.
#[pyfunction]
pub fn largest_rate<'py>(
    py: Python<'py>,
    problem: &Problem,
    limit: f64,
    measure: &str,
    stream: Stream,
    attacks: bool,
    seed: u64,
) -> PyResult<Option<(f64, Certificate, Bound<'py, PyAny>)>> {
    let (problem, limit) = (problem.problem.clone(), self::limit(limit, measure, stream)?);
    let asked = problem.clone();
    let found = run(py, move || {
        let found = unswayed::design::tolerate::largest_rate(&problem, &limit)?;
        let broken = match &found {
            Some(found) if attacks => smallest_broken_rate(&problem, &limit, found.poison_rate, seed)?,
            _ => None,
        };
        Ok::<_, DesignError>(found.map(|found| (found, broken)))
    })?;
    let Some((found, broken)) = found.map_err(error)? else { return Ok(None) };
    let problem = asked.with_poison_rate(found.poison_rate).map_err(error)?;
    let broken = broken.map(|broken| {
        json!({ "poison_rate": broken.poison_rate, "simulated": simulated(&broken.attacked.simulated) })
    });
    let certificate = Certificate::new(Arc::new(problem), found.outcome);
    Ok(Some((found.poison_rate, certificate, to_python(py, &json!(broken))?)))
}

/// The settings of a grid that keep the harm under a limit at one poison rate.
#[pyfunction]
pub fn tolerating<'py>(
    py: Python<'py>,
    data: &Data,
    asked: Asked<'py>,
    grid: [Option<Vec<f64>>; 3],
    steps: [Axis; 3],
    limit: f64,
    measure: &str,
    stream: Stream,
    seed: u64,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (grid, limit) = (self::grid(grid, stream.0)?, self::limit(limit, measure, stream)?);
    let template = asked.template(Some(data.0.dimension()))?;
    let task = Task { name: "data".into(), data: data.0.clone() };
    let (mut template, mut grid) = (template, grid);
    grid = axes(steps)?.extend(grid, &mut template, std::slice::from_ref(&task)).map_err(error)?;
    let work = Work::default();
    let (cancel, count) = (work.cancel.clone(), work.count.clone());
    let found = work.run(py, progress.as_ref(), move || {
        let run = Run { observer: count.as_ref(), cancel, ..Run::default() };
        Tolerating::find(&task, template, grid, &limit, seed, &run)
    })?;
    let found = found.map_err(error)?;
    to_python(py, &json!({ "settings": to_json(&found.rows), "smallest": to_json(&[found.smallest])[0] }))
}
