//! How a bound varies with the sample of rows.

use pyo3::prelude::*;
use unswayed::certify::Options;
use unswayed_report::about::Resampled;

use crate::certificate::{Certificate, effort_of};
use crate::error;
use crate::work::run;

/// The bounds of samples of the rows.
#[pyclass(frozen, module = "unswayed._native")]
pub struct Bootstrap(unswayed::certify::Bootstrap);

impl Bootstrap {
    pub fn resampled(&self) -> Resampled {
        Resampled::of(&self.0)
    }
}

#[pymethods]
impl Bootstrap {
    #[getter]
    fn seed(&self) -> u64 {
        self.0.seed
    }

    #[getter]
    fn losses(&self) -> Vec<f64> {
        self.0.losses.clone()
    }

    #[getter]
    fn errors(&self) -> Vec<f64> {
        self.0.errors.clone()
    }

    fn text(&self) -> String {
        self.resampled().text()
    }
}

/// Certifies samples of the rows of a certificate, drawn with replacement.
#[pyfunction]
pub fn bootstrap(
    py: Python<'_>,
    certificate: &Certificate,
    samples: usize,
    seed: u64,
    effort: &str,
) -> PyResult<Bootstrap> {
    let (problem, options) =
        (certificate.problem.clone(), Options::default().with_effort(effort_of(effort)?));
    let found = run(py, move || unswayed::certify::bootstrap(&problem, &options, samples, seed))?;
    found.map(Bootstrap).map_err(error)
}
