//! What is certified, attacked and simulated: a learner with its adversary, and the rows they meet.

use std::sync::Arc;

use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use unswayed::attack::{Attack, Attacked};
use unswayed::check::{Linear, Loss, Set, Step};
use unswayed::data::{
    DataError, box_around, box_of, ellipsoid_around, ellipsoid_of, flips, require_alike, split_target,
};
use unswayed::learner::{Asked, Conflict};
use unswayed::simulate::Simulated;
use unswayed::{AttackError, Dataset, Hinge, Threat};

use crate::attack::{Effort, Written};
use crate::certificate::Proven;
use crate::data::{Data, numbers};
use crate::error;
use crate::hinge::HingeTask;
use crate::linear::LinearTask;

/// A learner with its adversary and its data.
#[pyclass(frozen, module = "unswayed._native")]
pub struct Task(pub Arc<dyn Subject>);

/// What can be done with one.
pub trait Subject: Send + Sync {
    /// The data; the first of them if they drift.
    fn data(&self) -> &Arc<Dataset>;

    fn certify(&self, options: &Options) -> PyResult<Box<dyn Proven>>;

    /// Runs attacks, the usual ones if none are named.
    fn attack(&self, attacks: Option<&[Attack]>, effort: &Effort) -> Result<Vec<Attacked>, AttackError>;

    fn simulate(&self, policy: &Written, effort: &Effort) -> Result<Simulated, AttackError>;

    /// Whether the adversary is given a row, of which it chooses the label.
    fn gives_row(&self) -> bool {
        false
    }
}

/// What to certify beyond the long-run loss, and how.
pub struct Options {
    pub horizon: Option<u64>,
    pub start: Option<Vec<f64>>,
    /// By the semidefinite program of the paper.
    pub paper: bool,
}

#[pymethods]
impl Task {
    /// `setting`: learning rate, regularization, poison rate, radius. `adversary`: its name, and the numbers that it is given by.
    /// `step`: batch, projection, clip, and the column that is not regularized, which counts from the end if it is negative.
    #[new]
    fn new(
        data: Vec<PyRef<'_, Data>>,
        target: Option<PyRef<'_, Data>>,
        setting: [f64; 4],
        loss: Option<&str>,
        adversary: (String, Option<PyReadonlyArray2<'_, f64>>),
        step: (u64, Option<f64>, Option<f64>, Option<isize>),
        confidence: Option<f64>,
    ) -> PyResult<Self> {
        let [learning_rate, regularization, poison_rate, radius] = setting;
        let learner = Hinge::new(learning_rate, regularization).map_err(error)?;
        let threat = Threat::new(poison_rate).and_then(|t| t.with_radius(radius)).map_err(error)?;
        let Some(first) = data.first().map(|one| &one.0) else { return Err(error("there are no data")) };
        let loss = loss.unwrap_or(if first.provenance().preferences { "logistic" } else { "hinge" });
        let (batch, projection, clip, bias) = step;
        let asked = Asked {
            loss,
            adversary: &adversary.0,
            around: matches!(&*adversary.0, "box" | "ellipsoid") && adversary.1.is_none(),
            radius,
            scaled: data.iter().any(|one| one.0.provenance().scale.is_some_and(|scale| scale != 1.0)),
            drift: data.len() > 1,
            target: target.is_some(),
            projection: projection.is_some(),
            clip: clip.is_some(),
            bias: bias.is_some(),
            confidence: confidence.is_some(),
        };
        asked.check().map_err(in_words)?;
        asked.check_labels(data.iter().map(|one| one.0.as_ref())).map_err(in_words)?;
        let loss = self::loss(loss, first)?;
        if is_plain(&asked) && batch == 1 && !first.provenance().preferences {
            return Ok(Task(Arc::new(HingeTask { data: first.clone(), learner, threat })));
        }
        let rows: Vec<&Dataset> = data.iter().map(|one| one.0.as_ref()).collect();
        let given = target.as_ref().map(|target| target.0.as_ref());
        require_alike(rows[0], rows[1..].iter().copied().chain(given)).map_err(error)?;
        let (target, own) = split_target(&rows, given);
        asked.check_target(&target).map_err(in_words)?;
        let step = Step {
            batch,
            projection: positive("projection", projection)?,
            clip: positive("clip", clip)?,
            free: bias.map(|bias| coordinate(bias, first)).transpose()?.into_iter().collect(),
        };
        let set = set(&adversary.0, adversary.1.as_ref(), &rows, radius)?;
        let learner = Linear { learning_rate, regularization, poison_rate, loss, step, set, target };
        Ok(Task(Arc::new(LinearTask {
            target: own.cloned().map(Arc::new),
            data: data.iter().map(|one| one.0.clone()).collect(),
            learner,
            confidence,
        })))
    }

    #[getter]
    fn data(&self) -> Data {
        Data(self.0.data().clone())
    }
}

/// Whether this is the hinge learner against a ball, which has solvers of its own.
fn is_plain(asked: &Asked) -> bool {
    let Asked {
        loss,
        adversary,
        around: _,
        radius: _,
        scaled: _,
        drift,
        target,
        projection,
        clip,
        bias,
        confidence,
    } = *asked;
    let variants = drift || target || projection || clip || bias || confidence;
    loss == "hinge" && adversary == "ball" && !variants
}

fn in_words(conflict: Conflict) -> PyErr {
    error(conflict.words(""))
}

/// The loss of that name, if the rows are made for it.
fn loss(name: &str, data: &Dataset) -> PyResult<Loss> {
    let classes = data.provenance().classes.len();
    match (name, classes) {
        ("multiclass", 0) => {
            Err(error("loss multiclass needs classes: make the data with labels=\"classes\""))
        }
        ("multiclass", classes) => Ok(Loss::Classes(classes)),
        ("hinge" | "logistic", 1..) => {
            Err(error("the rows begin with their classes: they are for loss multiclass only"))
        }
        ("hinge", _) => Ok(Loss::Hinge),
        ("logistic", _) => Ok(Loss::Logistic),
        _ => Err(error(format!("loss {name:?}: it must be \"hinge\", \"logistic\" or \"multiclass\""))),
    }
}

/// The points that the adversary may send, around the data where they are not given by numbers.
fn set(
    name: &str,
    given: Option<&PyReadonlyArray2<'_, f64>>,
    data: &[&Dataset],
    radius: f64,
) -> PyResult<Set> {
    let columns = data[0].dimension();
    let blame = |e: DataError| error(format!("adversary {name}: {e}"));
    let rows = |array: &PyReadonlyArray2<'_, f64>| {
        let rows = Dataset::from_rows(numbers(array), array.shape()[1], None).map_err(blame)?;
        if rows.dimension() == columns {
            return Ok(rows);
        }
        let found = rows.dimension();
        Err(error(format!("adversary {name}: there are {found} columns, the data have {columns}")))
    };
    Ok(match (name, given) {
        ("ball", None) => Set::Ball { radius },
        ("box", None) => Set::Box { radii: box_around(data) },
        ("box", Some(radii)) => Set::Box { radii: box_of(numbers(radii), columns).map_err(blame)? },
        ("ellipsoid", None) => Set::Ellipsoid { q: ellipsoid_around(data).map_err(blame)? },
        ("ellipsoid", Some(q)) => Set::Ellipsoid { q: ellipsoid_of(&rows(q)?).map_err(blame)? },
        ("points", Some(points)) => Set::Points { points: rows(points)?.z().to_vec() },
        ("flips", None) => Set::Points { points: flips(data) },
        ("labels", None) => Set::Labels,
        ("any", None) => Set::Any,
        _ => {
            let known = "\"ball\", \"box\", \"ellipsoid\", \"flips\", \"labels\", \"any\", or a Box, Ellipsoid or Points";
            return Err(error(format!("adversary {name:?}: it must be {known}")));
        }
    })
}

fn positive(name: &str, value: Option<f64>) -> PyResult<Option<f64>> {
    match value {
        Some(value) if !(value > 0.0 && value.is_finite()) => {
            Err(error(format!("{name} {value}: it must be a positive number")))
        }
        _ => Ok(value),
    }
}

/// The coordinate of a column, counted from the end if it is negative.
fn coordinate(column: isize, data: &Dataset) -> PyResult<usize> {
    let columns = data.dimension();
    let from_end = columns.checked_add_signed(column).filter(|_| column < 0);
    let found = usize::try_from(column).ok().or(from_end).filter(|found| *found < columns);
    found.ok_or_else(|| error(format!("bias {column}: there is no such column, the data have {columns}")))
}
