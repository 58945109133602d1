//! Preprocessing.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use unswayed::data::Features;
use unswayed::prepare::Prepared;

use crate::data::numbers;
use crate::error;
use crate::work::run;

/// A fitted preprocessing.
#[pyclass(frozen, module = "unswayed._native")]
pub struct Transform(unswayed::prepare::Transform);

fn features(x: &PyReadonlyArray2<'_, f64>) -> PyResult<Features> {
    Features::from_rows(numbers(x), x.shape()[1]).map_err(error)
}

fn array<'py>(py: Python<'py>, prepared: &Prepared) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let rows = prepared.x.len() / prepared.dimension;
    PyArray1::from_slice(py, &prepared.x).reshape([rows, prepared.dimension])
}

#[pymethods]
impl Transform {
    #[staticmethod]
    fn fit<'py>(
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
        directions: usize,
    ) -> PyResult<(Self, Bound<'py, PyArray2<f64>>)> {
        let features = features(&x)?;
        let fitted = run(py, move || unswayed::prepare::Transform::fit(&features, directions))?;
        let (transform, prepared) = fitted.map_err(error)?;
        Ok((Transform(transform), array(py, &prepared)?))
    }

    /// The rows, and how many were shortened to norm 1.
    fn apply<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
        allow_seen: bool,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, usize)> {
        let (transform, features) = (self.0.clone(), features(&x)?);
        let prepared = run(py, move || transform.apply(&features, allow_seen))?.map_err(error)?;
        Ok((array(py, &prepared)?, prepared.shortened))
    }

    #[getter]
    fn directions(&self) -> usize {
        self.0.directions()
    }

    #[getter]
    fn kept_variance(&self) -> f64 {
        self.0.kept()
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        unswayed::prepare::Transform::from_bytes(bytes).map(Transform).map_err(error)
    }
}
