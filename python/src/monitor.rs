//! A learner that runs, certified again and again.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use unswayed::Cancel;
use unswayed::monitor::{Limits, MEANING, Policy};

use crate::attack;
use crate::certificate::Certificate;
use crate::error;
use crate::problem::Problem;
use crate::value::to_python;
use crate::work::run;

/// Certifies one window after the other. One thread at a time may ask for updates.
#[pyclass(frozen, module = "unswayed._native")]
pub struct Monitor {
    monitor: Mutex<unswayed::monitor::Monitor>,
    cancel: Cancel,
}

#[pymethods]
impl Monitor {
    #[new]
    fn new(
        window: u64,
        every: u64,
        limit_loss: Option<f64>,
        limit_error: Option<f64>,
        attacks: &str,
        seed: u64,
    ) -> PyResult<Self> {
        let attacks = match attacks {
            "none" => None,
            effort => Some(attack::effort("attacks", effort)?),
        };
        let cancel = Cancel::default();
        let limits = Limits { loss: limit_loss, error: limit_error };
        let monitor = unswayed::monitor::Monitor::new(Policy { window, every }, limits)
            .with_attacks(attacks, seed)
            .with_cancel(&cancel);
        Ok(Monitor { monitor: Mutex::new(monitor), cancel })
    }

    /// Whether it is time, after so many rows. Never waits for an update that is under way.
    fn is_due(&self, rows: u64) -> bool {
        self.monitor.lock().unwrap_or_else(PoisonError::into_inner).is_due(rows)
    }

    /// The update, whether it is a new alarm, and the certificate.
    fn update<'py>(
        &self,
        py: Python<'py>,
        problem: &Problem,
        rows: u64,
    ) -> PyResult<(Bound<'py, PyAny>, bool, Option<Certificate>)> {
        let (problem, mut monitor) = (problem.problem.clone(), self.copy());
        let (update, outcome, monitor, problem) = run(py, move || {
            let (update, outcome) = monitor.update(&problem, rows);
            (update, outcome, monitor, problem)
        })?;
        let certificate = outcome.map(|outcome| Certificate::new(problem, outcome));
        Ok((self.keep(py, monitor, &update)?, self.is_new_alarm(), certificate))
    }

    /// The update of a window that cannot be certified, and whether it is a new alarm.
    fn fail<'py>(&self, py: Python<'py>, message: String, rows: u64) -> PyResult<(Bound<'py, PyAny>, bool)> {
        let mut monitor = self.copy();
        let update = monitor.fail(message, rows);
        Ok((self.keep(py, monitor, &update)?, self.is_new_alarm()))
    }

    /// Ends attacks early.
    fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Times that a limit was passed.
    #[getter]
    fn alarms(&self) -> u64 {
        self.monitor.lock().unwrap_or_else(PoisonError::into_inner).alarms()
    }

    /// What a windowed certificate says and does not say.
    #[classattr]
    fn meaning() -> &'static str {
        MEANING
    }
}

impl Monitor {
    /// A copy to work with, so that nobody waits for the lock while a window is certified.
    fn copy(&self) -> unswayed::monitor::Monitor {
        self.monitor.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn is_new_alarm(&self) -> bool {
        self.monitor.lock().unwrap_or_else(PoisonError::into_inner).is_new_alarm()
    }

    fn keep<'py>(
        &self,
        py: Python<'py>,
        monitor: unswayed::monitor::Monitor,
        update: &unswayed::monitor::Update,
    ) -> PyResult<Bound<'py, PyAny>> {
        *self.monitor.lock().unwrap_or_else(PoisonError::into_inner) = monitor;
        let value = serde_json::to_value(update).map_err(error)?;
        to_python(py, &value)
    }
}
