//! Attacks, and simulations under policies written in Python.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use serde_json::json;
use unswayed::attack::{Attack, Attacked, Effort, Policy, Suite};
use unswayed::{AttackError, Cancel, Dataset, Hinge, Threat};

use crate::data::Data;
use crate::error;
use crate::value::{simulated, to_python};
use crate::work::Work;

/// What attacks reached, kept for tables and reports.
#[pyclass(frozen, module = "unswayed._native")]
pub struct Attacks(Vec<Attacked>);

/// The strongest of them.
pub fn strongest(attacks: &Attacks) -> Option<&Attacked> {
    unswayed::attack::strongest(&attacks.0)
}

#[pymethods]
impl Attacks {
    fn figures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let figures = self.0.iter().map(|attacked| {
            let mut object = simulated(&attacked.simulated);
            object["strongest"] = strongest(self).is_some_and(|s| std::ptr::eq(s, attacked)).into();
            object["attack"] = attacked.attack.name().into();
            object["settled_loss"] = attacked.steady.as_ref().map(|s| s.loss).into();
            object["point"] = attacked.steady.as_ref().map(|s| s.point.clone()).into();
            object
        });
        to_python(py, &figures.collect())
    }
}

pub fn effort(word: &str) -> PyResult<Effort> {
    match word {
        "fast" => Ok(Effort::Fast),
        "full" => Ok(Effort::Full),
        other => Err(error(format!("effort {other:?}: it must be \"fast\" or \"full\""))),
    }
}

fn named(name: &str) -> PyResult<Attack> {
    Attack::ALL.into_iter().find(|attack| attack.name() == name).ok_or_else(|| {
        let names: Vec<&str> = Attack::ALL.iter().map(|attack| attack.name()).collect();
        error(format!("there is no attack {name:?}; there are {}", names.join(", ")))
    })
}

/// Learner, threat and data of a simulation.
struct Scene {
    data: Arc<Dataset>,
    test: Option<Arc<Dataset>>,
    learner: Hinge,
    threat: Threat,
    effort: Effort,
    seed: u64,
}

impl Scene {
    fn suite(&self, cancel: &Cancel) -> Result<Suite<'_>, AttackError> {
        let suite = Suite::new(&self.data, &self.learner, &self.threat)
            .with_effort(self.effort)
            .with_seed(self.seed)
            .with_cancel(cancel);
        match &self.test {
            Some(test) => suite.with_test(test),
            None => Ok(suite),
        }
    }
}

#[pyfunction]
pub fn attack(
    py: Python<'_>,
    data: &Data,
    test: Option<&Data>,
    learning_rate: f64,
    regularization: f64,
    poison_rate: f64,
    radius: f64,
    attacks: Option<Vec<String>>,
    effort: &str,
    seed: u64,
) -> PyResult<Attacks> {
    let scene = scene(data, test, [learning_rate, regularization, poison_rate, radius], effort, seed)?;
    let attacks = match attacks {
        Some(names) => names.iter().map(|name| named(name)).collect::<PyResult<Vec<_>>>()?,
        None if scene.effort == Effort::Full => Attack::ALL[1..].to_vec(),
        None => Attack::FAST.to_vec(),
    };
    let work = Work::default();
    let cancel = work.cancel.clone();
    let found = work.run(py, None, move || scene.suite(&cancel)?.run(&attacks))?;
    Ok(Attacks(found.map_err(error)?))
}

/// One step of the learner on the point z.
#[pyfunction]
pub fn update<'py>(
    py: Python<'py>,
    theta: PyReadonlyArray1<'py, f64>,
    z: PyReadonlyArray1<'py, f64>,
    learning_rate: f64,
    regularization: f64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let learner = Hinge::new(learning_rate, regularization).map_err(error)?;
    let (mut theta, z) = (theta.as_array().to_vec(), z.as_array().to_vec());
    if theta.len() != z.len() {
        return Err(error(format!("the model has {} numbers, the point {}", theta.len(), z.len())));
    }
    learner.update(&mut theta, &z);
    Ok(PyArray1::from_vec(py, theta))
}

fn scene(data: &Data, test: Option<&Data>, setting: [f64; 4], effort: &str, seed: u64) -> PyResult<Scene> {
    let [learning_rate, regularization, poison_rate, radius] = setting;
    Ok(Scene {
        data: data.0.clone(),
        test: test.map(|t| t.0.clone()),
        learner: Hinge::new(learning_rate, regularization).map_err(error)?,
        threat: Threat::new(poison_rate).and_then(|t| t.with_radius(radius)).map_err(error)?,
        effort: self::effort(effort)?,
        seed,
    })
}

/// A policy written in Python: a function of the model that returns the point to send.
#[derive(Clone)]
struct Written {
    function: Arc<Py<PyAny>>,
    name: Arc<str>,
    /// The first exception; the simulation ends with it.
    raised: Arc<Mutex<Option<PyErr>>>,
    cancel: Cancel,
}

impl Policy for Written {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose(&mut self, theta: &[f64], z: &mut [f64]) {
        let chosen = Python::attach(|py| -> PyResult<()> {
            let point = self.function.bind(py).call1((PyArray1::from_slice(py, theta),))?;
            let array = py.import("numpy")?.call_method1("require", (&point, "float64", ["C", "A"]))?;
            let array: PyReadonlyArray1<'_, f64> = array.extract().map_err(|_| {
                error(format!("policy {:?} returned {point}, not one number for each column", self.name))
            })?;
            let array = array.as_array();
            if array.len() != z.len() {
                let (found, expected) = (array.len(), z.len());
                return Err(error(format!(
                    "policy {:?} chose a point of {found} numbers, the data have {expected} columns",
                    self.name
                )));
            }
            z.iter_mut().zip(array).for_each(|(z, chosen)| *z = *chosen);
            Ok(())
        });
        if let Err(exception) = chosen {
            self.cancel.cancel();
            self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(exception);
            z.fill(0.0);
        }
    }
}

#[pyfunction]
pub fn simulate<'py>(
    py: Python<'py>,
    data: &Data,
    test: Option<&Data>,
    learning_rate: f64,
    regularization: f64,
    poison_rate: f64,
    radius: f64,
    policy: Py<PyAny>,
    name: &str,
    effort: &str,
    seed: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let scene = scene(data, test, [learning_rate, regularization, poison_rate, radius], effort, seed)?;
    let work = Work::default();
    let raised = Arc::new(Mutex::new(None));
    let policy = Written {
        function: Arc::new(policy),
        name: name.into(),
        raised: raised.clone(),
        cancel: work.cancel.clone(),
    };
    let cancel = work.cancel.clone();
    let found = work.run(py, None, move || scene.suite(&cancel)?.simulate(&policy))?;
    if let Some(exception) = raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(exception);
    }
    to_python(py, &json!(simulated(&found.map_err(error)?)))
}
