//! What is certified, attacked and simulated: a learner with its adversary, and the rows they meet.

use std::sync::Arc;

use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use unswayed::{Adversary, Column, PoisonWeightPolicy, ProblemBuilder, ProblemError, Template};

use crate::data::{Data, numbers};
use crate::error;

/// A learner with its adversary and its data.
#[pyclass(frozen, module = "unswayed._native")]
pub struct Problem {
    pub problem: Arc<unswayed::Problem>,
    /// Whether the adversary's set was read off the data.
    pub is_around: bool,
}

/// Learner and adversary but for the rates: a dictionary with these keys.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Asked<'py> {
    loss: Option<String>,
    /// The name of a set.
    adversary: String,
    /// The numbers that the set is given by.
    numbers: Option<PyReadonlyArray2<'py, f64>>,
    radius: Option<f64>,
    batch: u64,
    projection: Option<f64>,
    clip: Option<f64>,
    momentum: f64,
    bias: Option<Bias>,
    schedule: Option<String>,
    average: bool,
    label_bound: Option<f64>,
    poison_weight: Option<PointWeights>,
    contaminated: Option<f64>,
    moments: Option<u64>,
}

/// A column: by its index, which counts from the end if it is negative, or by its name.
#[derive(FromPyObject)]
enum Bias {
    Index(isize),
    Name(String),
}

/// Step weights of poisoned points: one number, or one for each label as text.
#[derive(FromPyObject)]
enum PointWeights {
    All(f64),
    ByLabel(String),
}

#[pymethods]
impl Problem {
    /// `rates`: learning rate, regularization, poison rate.
    #[new]
    fn new(
        data: Vec<PyRef<'_, Data>>,
        target: Option<PyRef<'_, Data>>,
        rates: [f64; 3],
        asked: Asked<'_>,
    ) -> PyResult<Self> {
        let data: Vec<_> = data.iter().map(|one| one.0.clone()).collect();
        let columns = data.first().map(|first| first.dimension());
        let [learning_rate, regularization, poison_rate] = rates;
        let template = asked.template(columns)?;
        let is_around =
            matches!(template.adversary, Adversary::BoxAroundData | Adversary::EllipsoidAroundData);
        let mut builder = unswayed::Problem::of_template(data, template)
            .learning_rate(learning_rate)
            .regularization(regularization)
            .poison_rate(poison_rate);
        if let Some(target) = target {
            builder = builder.target(target.0.as_ref().clone());
        }
        build(builder).map(|problem| Problem { problem: Arc::new(problem), is_around })
    }

    /// The data; the first of them if they drift.
    #[getter]
    fn data(&self) -> Data {
        Data(self.problem.data()[0].clone())
    }
}

impl Asked<'_> {
    /// For data with so many columns, if that is known.
    pub fn template(self, columns: Option<usize>) -> PyResult<Template> {
        Ok(Template {
            loss: self.loss.as_deref().map(loss).transpose()?,
            adversary: adversary(&self.adversary, self.numbers.as_ref(), columns)?,
            radius: self.radius,
            label_bound: self.label_bound,
            poison_weight: self.poison_weight.map(poison_weight).transpose()?,
            contaminated: self.contaminated,
            moments: self.moments,
            batch: self.batch,
            projection: self.projection,
            clip: self.clip,
            momentum: Some(self.momentum).filter(|momentum| *momentum != 0.0),
            bias: self.bias.map(|bias| match bias {
                Bias::Index(index) if index < 0 => Column::FromEnd(index.unsigned_abs()),
                Bias::Index(index) => Column::Index(index.unsigned_abs()),
                Bias::Name(name) => Column::Name(name),
            }),
            decay: self.schedule.as_deref().filter(|name| *name != "constant").map(decay).transpose()?,
            average: self.average,
        })
    }
}

fn poison_weight(given: PointWeights) -> PyResult<PoisonWeightPolicy> {
    match given {
        PointWeights::All(weight) => Ok(weight.into()),
        PointWeights::ByLabel(text) => {
            text.parse().map_err(|reason: String| error(format!("poison_weight: {reason}")))
        }
    }
}

fn decay(name: &str) -> PyResult<unswayed::Decay> {
    name.parse().map_err(|reason: unswayed::ProblemError| error(format!("schedule: {reason}")))
}

fn loss(name: &str) -> PyResult<unswayed::LossName> {
    name.parse().map_err(|reason: unswayed::ProblemError| error(format!("loss: {reason}")))
}

/// The points that the adversary may send.
fn adversary(
    name: &str,
    given: Option<&PyReadonlyArray2<'_, f64>>,
    columns: Option<usize>,
) -> PyResult<Adversary> {
    if let (Some(array), Some(columns), "ellipsoid" | "points") = (given, columns, name) {
        let found = array.shape()[1];
        if found != columns {
            return Err(error(format!(
                "adversary {name}: there are {found} columns, the data have {columns}"
            )));
        }
    }
    Ok(match (name, given.map(numbers)) {
        ("ball", None) => Adversary::Ball,
        ("features", None) => Adversary::Features,
        ("box", None) => Adversary::BoxAroundData,
        ("box", Some(radii)) => Adversary::Box(radii),
        ("ellipsoid", None) => Adversary::EllipsoidAroundData,
        ("ellipsoid", Some(q)) => Adversary::Ellipsoid(q),
        ("points", Some(points)) => Adversary::Points(points),
        ("flips", None) => Adversary::Flips,
        ("labels", None) => Adversary::LabelFlips,
        ("any", None) => Adversary::Any,
        _ => {
            let known = "\"ball\", \"features\", \"box\", \"ellipsoid\", \"flips\", \"labels\", \"any\", or a Box, Ellipsoid or Points";
            return Err(error(format!("adversary {name:?}: it must be {known}")));
        }
    })
}

pub fn build(builder: ProblemBuilder) -> PyResult<unswayed::Problem> {
    builder.build().map_err(|problem| problem_error(&problem))
}

/// What is wrong, with remedies as arguments.
pub fn problem_error(problem: &ProblemError) -> PyErr {
    match problem {
        ProblemError::NoClasses => error(format!("{problem}: make the data with labels=\"classes\"")),
        ProblemError::Classes => error(format!("{problem} (loss=\"multiclass\")")),
        ProblemError::ScaledEllipsoid => error(format!("{problem} (leave out normalize=True)")),
        ProblemError::NoColumn { column, columns } => {
            let column = match column {
                Column::Index(index) => index.to_string(),
                Column::FromEnd(place) => format!("-{place}"),
                Column::Name(name) => format!("{name:?}"),
            };
            error(format!("bias {column}: there is no such column, the data have {columns}"))
        }
        other => error(other),
    }
}
