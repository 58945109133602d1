//! Certificates: made, read, checked, described.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use unswayed::Dataset;
use unswayed::attack::Attacked;
use unswayed_check::{DataInfo, Evidence, LinearCertificate, Loss, Rows, Verdict};
use unswayed_report::{Block, Report};

use crate::attack::{Attacks, strongest};
use crate::data::Data;
use crate::task::{Options, Subject, Task};
use crate::value::to_python;
use crate::work::run;
use crate::{CheckFailed, error, hinge, linear};

/// A certificate with the data it is about.
#[pyclass(frozen, module = "unswayed._native")]
pub struct Certificate(Arc<dyn Proven>);

/// A bound with its proof, and what it is about.
pub trait Proven: Send + Sync {
    fn task(&self) -> Arc<dyn Subject>;
    /// The datasets; several if the data drift.
    fn data(&self) -> Vec<Arc<Dataset>>;
    /// The target's rows, if it has rows of its own.
    fn target(&self) -> Option<Arc<Dataset>>;
    /// All figures.
    fn figures(&self) -> Value;
    fn to_bytes(&self) -> Vec<u8>;
    /// Bounds on the average loss over the first steps, from θ = 0 if there is no other start.
    fn horizon(&self, steps: &[u64], start: Option<Vec<f64>>) -> PyResult<Vec<f64>>;
    /// Names and texts of the table that people read.
    fn lines(&self, attacked: Option<&Attacked>) -> Vec<(&'static str, String)>;
    fn report(&self, account: Account) -> PyResult<Report>;
    /// The plot of a notebook: bounds at other poison rates, the attack if there is one.
    fn plot(&self, attacked: Option<&Attacked>, seed: u64) -> PyResult<Block>;
}

/// What a report tells beside the bound.
pub struct Account<'a> {
    pub attacked: Option<&'a Attacked>,
    pub command: String,
    pub verify: String,
    pub seed: u64,
}

#[pyfunction]
pub fn certify(
    py: Python<'_>,
    task: &Task,
    horizon: Option<u64>,
    start: Option<Vec<f64>>,
    method: &str,
) -> PyResult<Certificate> {
    let paper = match method {
        "convexity" => false,
        "paper" => true,
        other => return Err(error(format!("method {other:?}: it must be \"convexity\" or \"paper\""))),
    };
    let (task, options) = (task.0.clone(), Options { horizon, start, paper });
    Ok(Certificate(run(py, move || task.certify(&options))??.into()))
}

impl Certificate {
    pub fn of(proven: impl Proven + 'static) -> Self {
        Certificate(Arc::new(proven))
    }
}

#[pymethods]
impl Certificate {
    fn figures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.figures())
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    #[getter]
    fn task(&self) -> Task {
        Task(self.0.task())
    }

    #[getter]
    fn data(&self) -> Vec<Data> {
        self.0.data().into_iter().map(Data).collect()
    }

    #[getter]
    fn target(&self) -> Option<Data> {
        self.0.target().map(Data)
    }

    fn horizon(&self, py: Python<'_>, steps: Vec<u64>, start: Option<Vec<f64>>) -> PyResult<Vec<f64>> {
        if let Some(steps) = steps.iter().find(|steps| **steps == 0) {
            return Err(error(format!("horizon {steps}: it is a number of steps, at least 1")));
        }
        let proven = self.0.clone();
        run(py, move || proven.horizon(&steps, start))?
    }

    fn lines(&self, attacked: Option<&Attacks>) -> Vec<(&'static str, String)> {
        self.0.lines(attacked.and_then(strongest))
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
        let (proven, attacked) = (self.0.clone(), attacked.and_then(strongest).cloned());
        run(py, move || {
            let report = proven.report(Account { attacked: attacked.as_ref(), command, verify, seed })?;
            unswayed_report::write_folder(&report, &folder)
                .map_err(|e| error(format!("{}: {e}", folder.display())))
        })?
    }

    fn plot(&self, py: Python<'_>, attacked: Option<&Attacks>, seed: u64) -> PyResult<String> {
        let (proven, attacked) = (self.0.clone(), attacked.and_then(strongest).cloned());
        let block = run(py, move || proven.plot(attacked.as_ref(), seed))??;
        unswayed_report::to_svg(&block).ok_or_else(|| error("there is nothing to plot"))
    }
}

/// A certificate file of either kind, before it is checked.
enum File {
    Plain(Box<unswayed_check::Certificate>),
    Linear(Box<LinearCertificate>),
}

impl File {
    fn read(bytes: &[u8]) -> PyResult<Self> {
        Ok(if LinearCertificate::is_linear(bytes) {
            File::Linear(Box::new(LinearCertificate::from_bytes(bytes).map_err(error)?))
        } else {
            File::Plain(Box::new(unswayed_check::Certificate::from_bytes(bytes).map_err(error)?))
        })
    }

    /// What is said of the datasets; nothing if the certificate needs none.
    fn data(&self) -> Vec<&DataInfo> {
        match self {
            File::Plain(plain) => std::iter::once(&plain.data).filter(|data| data.rows > 0).collect(),
            File::Linear(linear) => linear.data.iter().collect(),
        }
    }

    fn target(&self) -> Option<&DataInfo> {
        match self {
            File::Plain(_) => None,
            File::Linear(linear) => linear.target.as_ref(),
        }
    }

    /// Refuses more data than the certificate is about, and less.
    fn require(&self, data: &[Arc<Dataset>], target: Option<&Arc<Dataset>>) -> PyResult<()> {
        let (needed, found) = (self.data().len(), data.len());
        if needed != found {
            return Err(error(format!("the certificate is about {needed} datasets, not {found}")));
        }
        match (self.target(), target) {
            (Some(_), None) => Err(error("the certificate has a target of its own: give that as well")),
            (None, Some(_)) => Err(error("the certificate has no target of its own: leave it out")),
            _ => Ok(()),
        }
    }

    fn check(&self, data: &[Arc<Dataset>], target: Option<&Arc<Dataset>>) -> PyResult<Verdict> {
        self.require(data, target)?;
        let rows = linear::rows(data);
        let verdict = match self {
            File::Plain(plain) => {
                let none = Rows { z: &[], dimension: plain.data.dimension, weights: None };
                unswayed_check::check(plain, rows.first().unwrap_or(&none))
            }
            File::Linear(linear) => {
                let target = target.map(|target| target.as_rows());
                unswayed_check::check_linear(linear, &Evidence { data: &rows, target })
            }
        };
        verdict.map_err(|failure| CheckFailed::new_err(failure.to_string()))
    }
}

/// What a certificate file says of its data, before it is checked: for each dataset, and for the target if it has rows of its own.
#[pyfunction]
pub fn header<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let file = File::read(bytes)?;
    let is_class = matches!(&file, File::Linear(linear) if matches!(linear.learner.loss, Loss::Classes(_)));
    let describe = |info: &DataInfo| {
        json!({
            "rows": info.first_rows.then_some(info.rows),
            "scale": info.scale,
            "sha256": info.sha256,
            "labels": match (&info.labels, is_class) {
                (Some(_), _) => vec!["detect"],
                (None, true) => vec!["classes"],
                (None, false) => vec!["premultiplied", "scores", "preferences"],
            },
        })
    };
    let data: Vec<Value> = file.data().into_iter().map(describe).collect();
    to_python(py, &json!({ "data": data, "target": file.target().map(describe) }))
}

/// Verifies every claim in exact arithmetic and returns what is proven: loss, error, loss over the horizon, loss on new data.
#[pyfunction]
pub fn check(
    py: Python<'_>,
    bytes: &[u8],
    data: Vec<PyRef<'_, Data>>,
    target: Option<&Data>,
) -> PyResult<(f64, Option<f64>, Option<f64>, Option<f64>)> {
    let file = File::read(bytes)?;
    let (data, target) = shared(&data, target);
    let verdict = run(py, move || file.check(&data, target.as_ref()))??;
    Ok((verdict.loss, verdict.error, verdict.horizon, verdict.confidence))
}

/// A certificate from its file, checked against the data.
#[pyfunction]
pub fn recover(
    py: Python<'_>,
    bytes: &[u8],
    data: Vec<PyRef<'_, Data>>,
    target: Option<&Data>,
) -> PyResult<Certificate> {
    let file = File::read(bytes)?;
    let (data, target) = shared(&data, target);
    file.require(&data, target.as_ref())?;
    run(py, move || match file {
        File::Linear(certificate) => Ok(Certificate::of(linear::recover(*certificate, data, target)?)),
        File::Plain(certificate) => match data.into_iter().next() {
            Some(data) => Ok(Certificate::of(hinge::recover(*certificate, data)?)),
            None => Err(error(unswayed::CertifyError::NotHinge)),
        },
    })?
}

fn shared(data: &[PyRef<'_, Data>], target: Option<&Data>) -> (Vec<Arc<Dataset>>, Option<Arc<Dataset>>) {
    (data.iter().map(|one| one.0.clone()).collect(), target.map(|target| target.0.clone()))
}
