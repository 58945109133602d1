//! Data: from NumPy arrays and files.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use unswayed::Dataset;
use unswayed::data::{Arrays, LabelColumn, LabelPolicy, Options, Source};

use crate::error;

/// Rows z = label · features, checked. Shared, never changed.
#[pyclass(frozen, module = "unswayed._native")]
pub struct Data(pub Arc<Dataset>);

/// Labels as Python hands them over.
#[derive(FromPyObject)]
pub enum RawLabels<'py> {
    Numbers(PyReadonlyArray1<'py, f64>),
    Texts(Vec<String>),
}

/// The numbers of an array in the order of its rows: read where they are if they lie so, copied otherwise.
pub fn numbers(array: &PyReadonlyArray2<'_, f64>) -> Vec<f64> {
    match array.as_slice() {
        Ok(slice) => slice.to_vec(),
        Err(_) => array.as_array().iter().copied().collect(),
    }
}

pub fn arrays(
    x: &PyReadonlyArray2<'_, f64>,
    y: Option<RawLabels<'_>>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
) -> Arrays {
    let list = |array: &PyReadonlyArray1<'_, f64>| array.as_array().iter().copied().collect();
    Arrays {
        x: numbers(x),
        columns: x.shape()[1],
        y: y.map(|labels| match labels {
            RawLabels::Numbers(numbers) => LabelColumn::Numbers(list(&numbers)),
            RawLabels::Texts(texts) => LabelColumn::Texts(texts),
        }),
        weights: weights.map(|w| list(&w)),
    }
}

pub fn policy(labels: &str) -> PyResult<LabelPolicy> {
    Ok(match labels {
        "detect" => LabelPolicy::Detect,
        "scores" => LabelPolicy::Scores,
        "premultiplied" => LabelPolicy::Premultiplied,
        "absent" => LabelPolicy::Absent,
        "classes" => LabelPolicy::Classes,
        "preferences" => LabelPolicy::Preferences,
        other => {
            let known =
                "\"detect\", \"scores\", \"premultiplied\", \"absent\", \"classes\" or \"preferences\"";
            return Err(error(format!("labels {other:?}: it must be {known}")));
        }
    })
}

#[pymethods]
impl Data {
    #[staticmethod]
    #[pyo3(signature = (x, y, weights, labels, normalize, scale))]
    fn from_arrays(
        x: PyReadonlyArray2<'_, f64>,
        y: Option<RawLabels<'_>>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        labels: &str,
        normalize: bool,
        scale: Option<f64>,
    ) -> PyResult<Self> {
        let options = Options { labels: policy(labels)?, normalize, scale, ..Options::default() };
        let data = arrays(&x, y, weights).into_dataset(&options).map_err(error)?;
        Ok(Data(Arc::new(data)))
    }

    /// What [`Data::from_state`] takes: rows, weights, how they came about.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyArray2<f64>>, Option<Vec<f64>>, String)> {
        let provenance = serde_json::to_string(self.0.provenance()).map_err(error)?;
        Ok((self.z(py)?, self.0.weights().map(<[f64]>::to_vec), provenance))
    }

    #[staticmethod]
    #[pyo3(signature = (z, weights, provenance))]
    fn from_state(
        z: PyReadonlyArray2<'_, f64>,
        weights: Option<Vec<f64>>,
        provenance: &str,
    ) -> PyResult<Self> {
        let provenance = serde_json::from_str(provenance).map_err(error)?;
        let data = Dataset::from_rows(numbers(&z), z.shape()[1], weights).map_err(error)?;
        Ok(Data(Arc::new(data.with_provenance(provenance))))
    }

    #[getter]
    fn rows(&self) -> usize {
        self.0.rows()
    }

    /// The number of features; a class in front of them is none.
    #[getter]
    fn columns(&self) -> usize {
        self.0.dimension() - usize::from(self.begins_with_class())
    }

    #[getter]
    fn begins_with_class(&self) -> bool {
        !self.0.provenance().classes.is_empty()
    }

    #[getter]
    fn sha256(&self) -> String {
        self.0.as_rows().digest()
    }

    #[getter]
    fn classes(&self) -> Vec<String> {
        let origin = self.0.provenance();
        match &origin.labels {
            Some((negative, positive)) => vec![negative.clone(), positive.clone()],
            None => origin.classes.clone(),
        }
    }

    #[getter]
    fn scale(&self) -> Option<f64> {
        self.0.provenance().scale
    }

    #[getter]
    fn z<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        numpy::PyArray1::from_slice(py, self.0.z()).reshape([self.0.rows(), self.0.dimension()])
    }

    fn first(&self, rows: usize) -> PyResult<Self> {
        Ok(Data(Arc::new(self.0.first(rows).map_err(error)?)))
    }

    fn describe(&self) -> String {
        self.0.describe()
    }
}

#[pyfunction]
pub fn load(
    py: Python<'_>,
    path: PathBuf,
    label_file: Option<PathBuf>,
    label_column: Option<String>,
    labels: &str,
    normalize: bool,
    scale: Option<f64>,
    rows: Option<usize>,
) -> PyResult<Data> {
    let source = match label_file {
        Some(labels) => Source::path(path).labels(labels),
        None => Source::path(path),
    };
    let options = Options { labels: policy(labels)?, label_column, normalize, scale, rows };
    let data = crate::work::run(py, move || unswayed::data::load(&source, &options))?;
    Ok(Data(Arc::new(data.map_err(error)?)))
}

#[pyfunction]
pub fn sample() -> PyResult<Data> {
    Ok(Data(Arc::new(Dataset::sample().map_err(error)?)))
}

#[pyfunction]
pub fn sample_test() -> PyResult<Data> {
    Ok(Data(Arc::new(Dataset::sample_test().map_err(error)?)))
}
