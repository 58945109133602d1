//! Certificates: made, read, checked, compared with what is expected.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use unswayed::certify::{Compact, Effort, Options, Outcome, certify_with, horizon_bounds, paper};
use unswayed::{CertifyError, Dataset};
use unswayed_check::{
    AnyCertificate, Checked, Evidence, Failure, Feature, Files, NewDataClaim, Rows, Set, Target, Verdict,
    unsupported,
};

use crate::data::Data;
use crate::problem::{Problem, problem_error};
use crate::value::to_python;
use crate::work::run;
use crate::{CheckFailed, error};

/// A certificate with the problem it is about.
#[derive(Clone)]
#[pyclass(frozen, module = "unswayed._native")]
pub struct Certificate {
    pub problem: Arc<unswayed::Problem>,
    pub outcome: Arc<Outcome>,
}

#[pyfunction]
pub fn certify(
    py: Python<'_>,
    problem: &Problem,
    horizon: Option<u64>,
    start: Option<Vec<f64>>,
    rates: (Option<f64>, Option<f64>),
    confidence: Option<f64>,
    method: &str,
    effort: &str,
    compact: bool,
) -> PyResult<Certificate> {
    let effort = effort_of(effort)?;
    let is_paper = match method {
        "convexity" => false,
        "paper" => true,
        other => return Err(error(format!("method {other:?}: it must be \"convexity\" or \"paper\""))),
    };
    if compact && (is_paper || effort == Effort::Tight) {
        return Err(error(
            "compact proofs have neither another method nor more effort; leave out one of them",
        ));
    }
    if is_paper && confidence.is_some() {
        return Err(error("method \"paper\" has no confidence for new data; leave out one of them"));
    }
    if problem.is_around && confidence.is_some() {
        // The rows must have no say in the set, and the statement does not tell where it is from.
        let rule = unsupported(&[Feature::Hinge, Feature::Box, Feature::Confidence, Feature::SetAroundData]);
        return Err(rule.map_or_else(|| error("the set was read off the data"), error));
    }
    let problem = problem.problem.clone();
    let made: Result<_, CertifyFailed> = run(py, move || {
        let mut options = Options::default();
        (options.horizon, options.start, options.confidence) = (horizon, start, confidence);
        (options.first_rate, options.total_rate) = rates;
        options.effort = effort;
        options.compact = if compact { Compact::Always } else { Compact::IfLarge };
        if is_paper {
            return Ok((problem.clone(), paper::certify(&problem, &options, None)?));
        }
        let outcome = certify_with(&problem, &options)?;
        let rows = outcome.certificate.statement.data[0].rows;
        if rows == problem.data()[0].rows() {
            return Ok((problem, outcome));
        }
        // The other half chose the numbers; the certificate is about this one.
        let half = problem.data()[0].first(rows).map_err(|e| CertifyFailed::Data(e.for_python()))?;
        let (own, _) = unswayed::certify::recover(outcome.certificate.clone(), half, None)?;
        Ok((Arc::new(own), outcome))
    })?;
    let (problem, outcome) = made?;
    Ok(Certificate::new(problem, outcome))
}

/// How much time to spend.
pub fn effort_of(name: &str) -> PyResult<Effort> {
    match name {
        "quick" => Ok(Effort::Quick),
        "standard" => Ok(Effort::Standard),
        "tight" => Ok(Effort::Tight),
        other => Err(error(format!("effort {other:?}: it must be \"quick\", \"standard\" or \"tight\""))),
    }
}

/// What can go wrong, before it is an exception: those are made where the interpreter is held.
pub enum CertifyFailed {
    Certify(CertifyError),
    Data(String),
}

impl From<CertifyError> for CertifyFailed {
    fn from(error: CertifyError) -> Self {
        CertifyFailed::Certify(error)
    }
}

impl From<CertifyFailed> for PyErr {
    fn from(failed: CertifyFailed) -> PyErr {
        match failed {
            CertifyFailed::Certify(CertifyError::Refused(failure)) => refused(&failure),
            CertifyFailed::Certify(CertifyError::Problem(problem)) => problem_error(&problem),
            CertifyFailed::Certify(other) => error(other),
            CertifyFailed::Data(message) => error(message),
        }
    }
}

fn refused(failure: &Failure) -> PyErr {
    CheckFailed::new_err(failure.to_string())
}

impl Certificate {
    pub fn new(problem: Arc<unswayed::Problem>, outcome: Outcome) -> Self {
        Certificate { problem, outcome: Arc::new(outcome) }
    }

    fn figures_json(&self) -> Value {
        let (outcome, statement) = (&self.outcome, self.problem.statement());
        json!({
            "status": outcome.status,
            "method": outcome.certificate.loss.proof.method(),
            "certified_loss": outcome.certified_loss,
            "certified_error": outcome.certified_error,
            "horizon_loss": outcome.horizon_loss,
            "horizon_error": outcome.horizon_error(),
            "new_data_loss": outcome.new_data_loss,
            "confidence": outcome.certificate.new_data.as_ref().map(NewDataClaim::confidence),
            "benign_loss": outcome.benign.loss,
            "benign_error": outcome.benign.error,
            "benign_model": outcome.benign.theta,
            "transient_steps": outcome.transient_steps,
            "start_norm": outcome.certificate.start_norm(),
            "radius": match statement.threat.set {
                Set::Ball { radius } | Set::Features { radius, .. } => Some(radius),
                _ => None,
            },
        })
    }
}

#[pymethods]
impl Certificate {
    fn figures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.figures_json())
    }

    /// The whole statement; vectors are base64 texts of little-endian binary64 numbers, as in the file.
    fn statement<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &json!(self.outcome.certificate.statement))
    }

    /// The whole statement in words, and what the proof relies on: headings and sentences.
    fn lines(&self) -> Vec<(&'static str, String)> {
        let certificate = &self.outcome.certificate;
        let mut lines = certificate.statement.lines();
        let start =
            certificate.start_norm().map_or("any".to_owned(), |norm| format!("any of norm at most {norm}"));
        lines.push(("start", start));
        lines.push(("assumes", certificate.statement.assumptions()));
        lines
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.outcome.certificate.to_bytes())
    }

    #[getter]
    fn problem(&self) -> Problem {
        Problem { problem: self.problem.clone(), is_around: false }
    }

    /// The datasets; several if the data drift.
    #[getter]
    fn data(&self) -> Vec<Data> {
        self.problem.data().iter().cloned().map(Data).collect()
    }

    /// The target's rows, if they are not all rows of the data.
    #[getter]
    fn target(&self) -> Option<Data> {
        self.problem.target().map(|target| Data(Arc::new(target.clone())))
    }

    fn horizon(&self, py: Python<'_>, steps: Vec<u64>, start: Option<Vec<f64>>) -> PyResult<Vec<f64>> {
        let (problem, outcome) = (self.problem.clone(), self.outcome.clone());
        let start = start.unwrap_or_else(|| vec![0.0; problem.parameters()]);
        let bounds = run(py, move || horizon_bounds(&problem, &outcome.certificate, &start, &steps))?;
        bounds.map_err(error)
    }
}

/// An exception, unless everything is as expected.
fn met(checked: Checked) -> PyResult<()> {
    match checked {
        Checked::Valid(..) | Checked::ValidMean(..) => Ok(()),
        Checked::NotValid(failure) => Err(refused(&failure)),
        Checked::Unexpected(message) => Err(CheckFailed::new_err(message)),
        Checked::Unreadable(message) => Err(error(message.trim_start_matches("--expect "))),
    }
}

fn read(bytes: &[u8]) -> PyResult<AnyCertificate> {
    AnyCertificate::from_bytes(bytes).map_err(error)
}

fn verdict(
    certificate: &unswayed_check::Certificate,
    data: &[Arc<Dataset>],
    target: Option<&Dataset>,
) -> Result<Verdict, Failure> {
    let rows: Vec<Rows> = data.iter().map(|data| Rows::of(data)).collect();
    unswayed_check::check(certificate, &Evidence { data: &rows, target: target.map(Rows::of) })
}

/// How the rows of a certificate file were made, before it is checked: each dataset, and the target if it has rows of its own.
#[pyfunction]
pub fn origins(bytes: &[u8]) -> PyResult<(Vec<String>, Option<String>)> {
    let text = |origin: &unswayed_check::Origin| json!(origin).to_string();
    Ok(match read(bytes)? {
        AnyCertificate::Linear(certificate) => {
            let target = match &certificate.statement.target {
                Target::Rows(origin) => Some(text(origin)),
                _ => None,
            };
            (certificate.statement.data.iter().map(text).collect(), target)
        }
        AnyCertificate::Mean(certificate) => match &certificate.statement.benign {
            unswayed_check::MeanBenign::Samples(origin) => (vec![text(origin)], None),
            unswayed_check::MeanBenign::CovarianceTrace(_) => (vec![], None),
        },
    })
}

/// A certificate from its file, checked against the data.
#[pyfunction]
pub fn recover(
    py: Python<'_>,
    bytes: &[u8],
    data: Vec<PyRef<'_, Data>>,
    target: Option<&Data>,
) -> PyResult<Certificate> {
    let AnyCertificate::Linear(certificate) = read(bytes)? else {
        return Err(error(unswayed_check::FormatError::OtherLearner("mean")));
    };
    let data: Vec<_> = data.iter().map(|one| one.0.clone()).collect();
    let target = target.map(|target| target.0.as_ref().clone());
    let recovered = run(py, move || unswayed::certify::recover(certificate, data, target))?;
    let (problem, outcome) = recovered.map_err(|failed| match failed {
        CertifyError::Problem(other @ unswayed::ProblemError::OtherRows(_)) => {
            CheckFailed::new_err(other.to_string())
        }
        other => CertifyFailed::Certify(other).into(),
    })?;
    Ok(Certificate::new(Arc::new(problem), outcome))
}

/// Compares origins, and verifies every claim in exact arithmetic.
fn verified(certificate: AnyCertificate, data: &[Arc<Dataset>], target: Option<&Dataset>) -> Checked {
    let checked = match certificate {
        AnyCertificate::Linear(certificate) => {
            if let Err(message) = same_rows(&certificate.statement, data, target) {
                return Checked::Unexpected(message);
            }
            verdict(&certificate, data, target).map(|verdict| Checked::Valid(Box::new(certificate), verdict))
        }
        AnyCertificate::Mean(certificate) => {
            if let (unswayed_check::MeanBenign::Samples(origin), Some(samples)) =
                (&certificate.statement.benign, data.first())
                && let Err(difference) = origin.same_rows(samples.origin())
            {
                return Checked::Unexpected(format!("these are not the certified rows: {difference}"));
            }
            let rows = data.first().map(|samples| Rows::of(samples));
            unswayed_check::check_mean(&certificate, rows.as_ref())
                .map(|bound| Checked::ValidMean(Box::new(certificate), bound))
        }
    };
    checked.unwrap_or_else(Checked::NotValid)
}

fn same_rows(
    statement: &unswayed_check::Statement,
    data: &[Arc<Dataset>],
    target: Option<&Dataset>,
) -> Result<(), String> {
    if statement.data.len() != data.len() {
        let (wanted, found) = (statement.data.len(), data.len());
        return Err(format!("the certificate is about {wanted} datasets, not {found}"));
    }
    let own = match &statement.target {
        Target::Rows(origin) => Some(origin),
        _ => None,
    };
    match (own, target) {
        (Some(_), None) => return Err("the certificate has a target of its own: give that as well".into()),
        (None, Some(_)) => return Err("the certificate has no target of its own: leave it out".into()),
        _ => {}
    }
    let found = data.iter().map(AsRef::as_ref).chain(target);
    for (wanted, found) in statement.data.iter().chain(own).zip(found) {
        let same = wanted.same_rows(found.origin());
        same.map_err(|difference| format!("these are not the certified rows: {difference}"))?;
    }
    Ok(())
}

fn checked_file(
    py: Python<'_>,
    bytes: &[u8],
    data: &[PyRef<'_, Data>],
    target: Option<&Data>,
) -> PyResult<Checked> {
    let certificate = read(bytes)?;
    let data: Vec<_> = data.iter().map(|one| one.0.clone()).collect();
    let target = target.map(|target| target.0.clone());
    run(py, move || verified(certificate, &data, target.as_deref()))
}

/// Verifies every claim in exact arithmetic and returns what is proven: loss, error, loss and error over the horizon, loss on new data.
#[pyfunction]
pub fn check(
    py: Python<'_>,
    bytes: &[u8],
    data: Vec<PyRef<'_, Data>>,
    target: Option<&Data>,
) -> PyResult<(f64, Option<f64>, Option<f64>, Option<f64>, Option<f64>)> {
    match checked_file(py, bytes, &data, target)? {
        Checked::Valid(_, verdict) => {
            let Verdict { loss, error, horizon, horizon_error, new_data, .. } = verdict;
            Ok((loss, error, horizon, horizon_error, new_data))
        }
        Checked::ValidMean(_, bound) => Ok((bound, None, None, None, None)),
        other => Err(met(other).err().unwrap_or_else(|| error("not valid"))),
    }
}

/// Verifies every claim, and that the statement and its bounds are as expected, such as `poison_rate>=0.02`.
#[pyfunction]
pub fn expect(
    py: Python<'_>,
    bytes: &[u8],
    data: Vec<PyRef<'_, Data>>,
    target: Option<&Data>,
    expected: Vec<String>,
) -> PyResult<()> {
    met(checked_file(py, bytes, &data, target)?.expect(&expected))
}

/// Checks files as the command does: the exit code, and what is proven or what is wrong.
#[pyfunction]
pub fn check_files<'py>(
    py: Python<'py>,
    certificate: PathBuf,
    data: Vec<PathBuf>,
    labels: Option<PathBuf>,
    target: Option<PathBuf>,
) -> PyResult<(u8, Bound<'py, PyAny>)> {
    let files = Files { certificate, data, labels, target, memory: None };
    let checked = run(py, move || files.check())?;
    Ok((checked.code(), to_python(py, &checked.json())?))
}
