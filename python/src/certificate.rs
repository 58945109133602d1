//! Certificates: made, read, checked, described.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use unswayed::certify::{Options, Outcome, horizon_bounds, paper};
use unswayed::{CertifyError, Dataset, Hinge, Threat};
use unswayed_check::Learner;
use unswayed_report::about::{Subject, certificate_lines, certify_report};

use crate::attack::{Attacks, strongest};
use crate::data::Data;
use crate::value::to_python;
use crate::work::{Work, run};
use crate::{CheckFailed, error};

/// A certificate with the data it is about.
#[pyclass(frozen, module = "unswayed._native")]
pub struct Certificate {
    outcome: Arc<Outcome>,
    data: Arc<Dataset>,
    learner: Hinge,
    threat: Threat,
}

#[pyfunction]
pub fn certify(
    py: Python<'_>,
    data: &Data,
    learning_rate: f64,
    regularization: f64,
    poison_rate: f64,
    radius: f64,
    horizon: Option<u64>,
    start: Option<Vec<f64>>,
    method: &str,
) -> PyResult<Certificate> {
    let learner = Hinge::new(learning_rate, regularization).map_err(error)?;
    let threat = Threat::new(poison_rate).and_then(|t| t.with_radius(radius)).map_err(error)?;
    let options = Options { horizon, start };
    let paper = match method {
        "convexity" => false,
        "paper" => true,
        other => return Err(error(format!("method {other:?}: it must be \"convexity\" or \"paper\""))),
    };
    let rows = data.0.clone();
    let outcome = run(py, move || {
        if paper {
            paper::certify(&rows, &learner, &threat, &options, None)
        } else {
            unswayed::certify::certify(&rows, &learner, &threat, &options)
        }
    })?;
    Ok(Certificate::of(outcome.map_err(error)?, data.0.clone(), learner, threat))
}

impl Certificate {
    pub fn of(outcome: Outcome, data: Arc<Dataset>, learner: Hinge, threat: Threat) -> Self {
        Certificate { outcome: Arc::new(outcome), data, learner, threat }
    }

    fn subject(&self, seed: u64) -> Subject<'_> {
        Subject { data: &self.data, learner: self.learner, threat: self.threat, seed }
    }
}

#[pymethods]
impl Certificate {
    /// All figures.
    fn figures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let outcome = &self.outcome;
        to_python(
            py,
            &json!({
                "status": outcome.status.word(),
                "method": outcome.certificate.loss.witness.method(),
                "certified_loss": outcome.certified_loss,
                "certified_error": outcome.certified_error,
                "benign_loss": outcome.benign.loss,
                "benign_error": outcome.benign.error,
                "benign_model": outcome.benign.theta,
                "horizon_loss": outcome.horizon_loss,
                "transient_steps": outcome.transient_steps,
                "learning_rate": self.learner.learning_rate(),
                "regularization": self.learner.regularization(),
                "poison_rate": self.threat.poison_rate(),
                "radius": self.threat.radius(),
                "data": self.data.describe(),
            }),
        )
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.outcome.certificate.to_bytes())
    }

    #[getter]
    fn data(&self) -> Data {
        Data(self.data.clone())
    }

    /// Bounds on the average loss over the first steps.
    fn horizon(&self, py: Python<'_>, steps: Vec<u64>, start: Option<Vec<f64>>) -> PyResult<Vec<f64>> {
        if let Some(steps) = steps.iter().find(|steps| **steps == 0) {
            return Err(error(format!("horizon {steps}: it is a number of steps, at least 1")));
        }
        let (outcome, data) = (self.outcome.clone(), self.data.clone());
        let start = start.unwrap_or_else(|| vec![0.0; data.dimension()]);
        let bounds = run(py, move || horizon_bounds(&data, &outcome.certificate, &start, &steps))?;
        bounds.map_err(error)
    }

    /// Names and texts of the table that people read.
    fn lines(&self, attacked: Option<&Attacks>) -> Vec<(&'static str, String)> {
        certificate_lines(&self.subject(0), &self.outcome, attacked.and_then(strongest))
    }

    /// Writes report.html, report.json and the figures.
    fn report(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        attacked: Option<&Attacks>,
        command: String,
        verify: String,
        seed: u64,
    ) -> PyResult<()> {
        let attacked = attacked.and_then(strongest).cloned();
        let (outcome, data) = (self.outcome.clone(), self.data.clone());
        let (learner, threat) = (self.learner, self.threat);
        let done = run(py, move || -> Result<(), String> {
            let subject = Subject { data: &data, learner, threat, seed };
            let report = certify_report(&subject, &outcome, attacked.as_ref(), command, verify);
            let report = report.map_err(|error| error.to_string())?;
            unswayed_report::write_folder(&report, &folder)
                .map_err(|error| format!("{}: {error}", folder.display()))
        })?;
        done.map_err(error)
    }

    /// The plot of a notebook: bounds at other poison rates, the attack if there is one.
    fn plot(&self, py: Python<'_>, attacked: Option<&Attacks>, seed: u64) -> PyResult<String> {
        let attacked = attacked.and_then(strongest).cloned();
        let (outcome, data) = (self.outcome.clone(), self.data.clone());
        let (learner, threat) = (self.learner, self.threat);
        let plot = Work::default().run(py, None, move || {
            let subject = Subject { data: &data, learner, threat, seed };
            unswayed_report::about::over_rates(&subject, &outcome, attacked.as_ref())
        })?;
        let block = unswayed_report::Block::Lines(plot.map_err(error)?);
        unswayed_report::to_svg(&block).ok_or_else(|| error("there is nothing to plot"))
    }
}

/// What a certificate file says, before it is checked.
#[pyfunction]
pub fn header<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let certificate = unswayed_check::Certificate::from_bytes(bytes).map_err(error)?;
    let learner = match &certificate.learner {
        Learner::Hinge(h) => json!({
            "learner": "hinge",
            "learning_rate": h.learning_rate,
            "regularization": h.regularization,
            "poison_rate": h.poison_rate,
            "radius": h.radius,
        }),
        Learner::Mean(m) => json!({
            "learner": "mean",
            "learning_rate": m.learning_rate,
            "poison_rate": m.poison_rate,
            "squared_radius": m.squared_radius,
            "noise_trace": m.noise_trace,
            "covariance_trace": m.covariance_trace,
        }),
    };
    let mut object = json!({
        "tool": certificate.tool,
        "method": certificate.loss.witness.method(),
        "claimed_loss": certificate.loss.bound,
        "claimed_error": certificate.error.as_ref().map(|e| e.bound),
        "rows": certificate.data.rows,
        "columns": certificate.data.dimension,
        "sha256": certificate.data.sha256,
        "classes": certificate.data.labels,
        "first_rows": certificate.data.first_rows,
        "scale": certificate.data.scale,
        "horizon": certificate.horizon.as_ref().map(|h| h.steps),
    });
    if let (Some(object), Value::Object(learner)) = (object.as_object_mut(), learner) {
        object.extend(learner);
    }
    to_python(py, &object)
}

/// Verifies every claim in exact arithmetic and returns what is proven: loss, error, loss over the horizon.
#[pyfunction]
pub fn check(
    py: Python<'_>,
    bytes: Vec<u8>,
    data: Option<&Data>,
) -> PyResult<(f64, Option<f64>, Option<f64>)> {
    let certificate = unswayed_check::Certificate::from_bytes(&bytes).map_err(error)?;
    if data.is_none() && certificate.data.rows > 0 {
        return Err(error("the certificate is about data: give the data as well"));
    }
    let data = data.map(|d| d.0.clone());
    let verdict = run(py, move || {
        let none = unswayed_check::Rows { z: &[], dimension: certificate.data.dimension, weights: None };
        let rows = data.as_ref().map_or(none, |data| data.as_rows());
        unswayed_check::check(&certificate, &rows)
    })?;
    let verdict = verdict.map_err(|failure| CheckFailed::new_err(failure.to_string()))?;
    Ok((verdict.loss, verdict.error, verdict.horizon))
}

/// A certificate from its file, checked against the data.
#[pyfunction]
pub fn recover(py: Python<'_>, bytes: &[u8], data: &Data) -> PyResult<Certificate> {
    let certificate = unswayed_check::Certificate::from_bytes(bytes).map_err(error)?;
    let Learner::Hinge(hinge) = certificate.learner.clone() else {
        return Err(error(CertifyError::NotHinge));
    };
    let learner = Hinge::new(hinge.learning_rate, hinge.regularization).map_err(error)?;
    let threat = Threat::new(hinge.poison_rate).and_then(|t| t.with_radius(hinge.radius)).map_err(error)?;
    let rows = data.0.clone();
    let outcome = run(py, move || unswayed::certify::recover(&rows, certificate))?;
    let outcome = outcome.map_err(|e| match e {
        CertifyError::Refused(failure) => CheckFailed::new_err(failure.to_string()),
        other => error(other),
    })?;
    Ok(Certificate::of(outcome, data.0.clone(), learner, threat))
}
