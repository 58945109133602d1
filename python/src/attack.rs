//! Attacks, and simulations under policies written in Python.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use serde_json::json;
use unswayed::attack::{self, Attack, Attacked, Policy};
use unswayed::check::{Linear, Loss, Set, Step, Target};
use unswayed::learner::{LANES, LinearState, Online};
use unswayed::{Cancel, Dataset, Hinge};

use crate::data::Data;
use crate::error;
use crate::task::Task;
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

/// How hard to try, and what to measure on as well.
pub struct Effort {
    pub effort: attack::Effort,
    pub seed: u64,
    /// Held-out data.
    pub test: Option<Arc<Dataset>>,
    pub cancel: Cancel,
}

impl Default for Effort {
    fn default() -> Self {
        Effort { effort: attack::Effort::Fast, seed: 0, test: None, cancel: Cancel::default() }
    }
}

impl Effort {
    fn new(effort: &str, seed: u64, test: Option<&Data>, work: &Work) -> PyResult<Self> {
        let test = test.map(|test| test.0.clone());
        Ok(Effort { effort: self::effort(effort)?, seed, test, cancel: work.cancel.clone() })
    }

    pub fn is_full(&self) -> bool {
        self.effort == attack::Effort::Full
    }
}

pub fn effort(word: &str) -> PyResult<attack::Effort> {
    match word {
        "fast" => Ok(attack::Effort::Fast),
        "full" => Ok(attack::Effort::Full),
        other => Err(error(format!("effort {other:?}: it must be \"fast\" or \"full\""))),
    }
}

fn named(name: &str) -> PyResult<Attack> {
    Attack::ALL.into_iter().find(|attack| attack.name() == name).ok_or_else(|| {
        let names: Vec<&str> = Attack::ALL.iter().map(|attack| attack.name()).collect();
        error(format!("there is no attack {name:?}; there are {}", names.join(", ")))
    })
}

#[pyfunction]
#[pyo3(name = "attack")]
pub fn run_attacks(
    py: Python<'_>,
    task: &Task,
    test: Option<&Data>,
    attacks: Option<Vec<String>>,
    effort: &str,
    seed: u64,
) -> PyResult<Attacks> {
    let named = |names: Vec<String>| names.iter().map(|name| named(name)).collect::<PyResult<Vec<_>>>();
    let attacks = attacks.map(named).transpose()?;
    let work = Work::default();
    let (task, effort) = (task.0.clone(), Effort::new(effort, seed, test, &work)?);
    let found = work.run(py, None, move || task.attack(attacks.as_deref(), &effort))?;
    Ok(Attacks(found.map_err(error)?))
}

/// One step of a learner on the point z.
#[pyfunction]
pub fn update<'py>(
    py: Python<'py>,
    theta: PyReadonlyArray1<'py, f64>,
    z: PyReadonlyArray1<'py, f64>,
    learning_rate: f64,
    regularization: f64,
    is_logistic: bool,
    has_bias: bool,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (mut theta, z) = (theta.as_array().to_vec(), z.as_array().to_vec());
    if theta.len() != z.len() || z.is_empty() {
        return Err(error(format!("the model has {} numbers, the point {}", theta.len(), z.len())));
    }
    Hinge::new(learning_rate, regularization).map_err(error)?;
    let learner = Linear {
        learning_rate,
        regularization,
        poison_rate: 0.0,
        loss: if is_logistic { Loss::Logistic } else { Loss::Hinge },
        step: Step { free: has_bias.then(|| z.len() - 1).into_iter().collect(), ..Step::default() },
        set: Set::Any,
        target: Target::Data,
    };
    let mut state = LinearState::new(&learner, z.len());
    let mut padded = vec![[0.0; LANES]; z.len().div_ceil(LANES)];
    padded.as_flattened_mut()[..z.len()].copy_from_slice(&z);
    state.restart(&theta, 0);
    state.step(&padded);
    state.theta(&mut theta);
    Ok(PyArray1::from_vec(py, theta))
}

/// A policy written in Python: a function of the model, and of the row to label if there is one, that returns the point to send.
#[derive(Clone)]
pub struct Written {
    function: Arc<Py<PyAny>>,
    name: Arc<str>,
    sees_row: bool,
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
            let (function, theta) = (self.function.bind(py), PyArray1::from_slice(py, theta));
            let point = if self.sees_row {
                function.call1((theta, PyArray1::from_slice(py, z)))?
            } else {
                function.call1((theta,))?
            };
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
    task: &Task,
    test: Option<&Data>,
    policy: Py<PyAny>,
    name: &str,
    effort: &str,
    seed: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let work = Work::default();
    let (task, effort) = (task.0.clone(), Effort::new(effort, seed, test, &work)?);
    let raised = Arc::new(Mutex::new(None));
    let policy = Written {
        function: Arc::new(policy),
        name: name.into(),
        sees_row: task.gives_row(),
        raised: raised.clone(),
        cancel: work.cancel.clone(),
    };
    let found = work.run(py, None, move || task.simulate(&policy, &effort))?;
    if let Some(exception) = raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(exception);
    }
    to_python(py, &json!(simulated(&found.map_err(error)?)))
}
