//! Attacks, and simulations under policies written in Python.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use serde_json::json;
use unswayed::attack::{self, Attack, Attacked, Policy, Suite};
use unswayed::data::require_alike;
use unswayed::learner::LinearState;
use unswayed::{AttackError, Cancel, Dataset};
use unswayed_check::{Learner, Loss, Set};

use crate::data::Data;
use crate::error;
use crate::problem::Problem;
use crate::value::{simulated, to_python};
use crate::work::Work;

/// What attacks reached, kept for tables and reports.
#[pyclass(frozen, module = "unswayed._native")]
pub struct Attacks(pub Vec<Attacked>);

#[pymethods]
impl Attacks {
    fn figures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (in_loss, in_error) = (attack::strongest(&self.0), attack::strongest_error(&self.0));
        let figures = self.0.iter().map(|attacked| {
            let is = |strongest: Option<&Attacked>| strongest.is_some_and(|s| std::ptr::eq(s, attacked));
            let mut object = simulated(&attacked.simulated);
            object["strongest"] = is(in_loss).into();
            object["strongest_error"] = is(in_error).into();
            object["attack"] = attacked.attack.name().into();
            object["settled_loss"] = attacked.steady.as_ref().map(|s| s.loss).into();
            object["settled_error"] = attacked.steady.as_ref().and_then(|s| s.error).into();
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

/// The first steps, from a start, that attacks are averaged over.
struct FirstSteps {
    steps: u64,
    start: Option<Vec<f64>>,
}

impl Effort {
    fn new(effort: &str, seed: u64, test: Option<&Data>, work: &Work) -> PyResult<Self> {
        let test = test.map(|test| test.0.clone());
        Ok(Effort { effort: self::effort("effort", effort)?, seed, test, cancel: work.cancel.clone() })
    }

    /// Does something with the attacks on this learner.
    fn with_suite<T>(
        &self,
        problem: &unswayed::Problem,
        act: impl FnOnce(&Suite) -> Result<T, AttackError>,
    ) -> Result<T, AttackError> {
        let mut suite =
            Suite::new(problem)?.with_effort(self.effort).with_seed(self.seed).with_cancel(&self.cancel);
        if let Some(test) = &self.test {
            require_alike(&problem.data()[0], [test.as_ref()])
                .map_err(|e| AttackError::Data(e.to_string()))?;
            suite = suite.with_test(test)?;
        }
        act(&suite)
    }
}

/// Runs attacks, the usual ones if none are named.
fn run(
    problem: &unswayed::Problem,
    attacks: Option<&[Attack]>,
    effort: &Effort,
    first: Option<&FirstSteps>,
) -> Result<Vec<Attacked>, AttackError> {
    effort.with_suite(problem, |suite| {
        let usual = suite.usual();
        let attacks = attacks.unwrap_or(&usual);
        let Some(FirstSteps { steps, start }) = first else { return suite.run(attacks) };
        let start = start.clone().unwrap_or_else(|| vec![0.0; problem.parameters()]);
        suite.run_first(attacks, &start, *steps)
    })
}

/// The effort that is given as this argument.
pub fn effort(argument: &str, word: &str) -> PyResult<attack::Effort> {
    word.parse().map_err(|reason| error(format!("{argument}: {reason}")))
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
    problem: &Problem,
    test: Option<&Data>,
    attacks: Option<Vec<String>>,
    effort: &str,
    seed: u64,
    horizon: Option<u64>,
    start: Option<Vec<f64>>,
) -> PyResult<Attacks> {
    let named = |names: Vec<String>| names.iter().map(|name| named(name)).collect::<PyResult<Vec<_>>>();
    let attacks = attacks.map(named).transpose()?;
    let work = Work::default();
    let (problem, effort) = (problem.problem.clone(), Effort::new(effort, seed, test, &work)?);
    let first = horizon.map(|steps| FirstSteps { steps, start });
    let found = work.run(py, None, move || run(&problem, attacks.as_deref(), &effort, first.as_ref()))?;
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
    loss: &str,
    has_bias: bool,
    weight: f64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (mut theta, z) = (theta.as_array().to_vec(), z.as_array().to_vec());
    let is_rate = learning_rate > 0.0 && regularization >= 0.0 && learning_rate * regularization < 1.0;
    if !is_rate {
        return Err(error("learning_rate must be > 0, regularization ≥ 0, and their product below 1"));
    }
    let loss: Loss = loss.parse().map_err(|reason: String| error(format!("loss: {reason}")))?;
    if theta.len() + loss.label_entries() != z.len() || theta.is_empty() {
        return Err(error(format!("the model has {} numbers, the point {}", theta.len(), z.len())));
    }
    let unregularized = has_bias.then(|| theta.len() - 1).into_iter().collect();
    let learner = Learner { unregularized, ..Learner::new(loss, learning_rate, regularization) };
    LinearState::weighted_update(&learner, &mut theta, &z, weight);
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
    problem: &Problem,
    test: Option<&Data>,
    policy: Py<PyAny>,
    name: &str,
    effort: &str,
    seed: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let work = Work::default();
    let (problem, effort) = (problem.problem.clone(), Effort::new(effort, seed, test, &work)?);
    let raised = Arc::new(Mutex::new(None));
    let policy = Written {
        function: Arc::new(policy),
        name: name.into(),
        sees_row: problem.threat().set == Set::LabelFlips,
        raised: raised.clone(),
        cancel: work.cancel.clone(),
    };
    let found = work.run(py, None, move || effort.with_suite(&problem, |suite| suite.simulate(&policy)))?;
    if let Some(exception) = raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(exception);
    }
    to_python(py, &json!(simulated(&found.map_err(error)?)))
}
