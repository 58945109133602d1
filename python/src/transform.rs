//! Preprocessing.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use unswayed::data::{Cells, Features, Frame, FrameColumn, LabelPolicy};
use unswayed::prepare::{
    AnyTransform, LabelKind, Prepared, PreparedTexts, RowNorms, TableOptions, TableTransform, TermWeights,
    TextOptions, TextTransform,
};

use crate::data::{GivenLabels, labels, numbers, policy};
use crate::error;
use crate::work::run;

/// A fitted preprocessing.
#[pyclass(frozen, module = "unswayed._native")]
pub struct Transform(AnyTransform);

/// What a column of a frame holds: numbers, NaN where one is missing, or texts.
#[derive(FromPyObject)]
pub enum GivenCells<'py> {
    Numbers(PyReadonlyArray1<'py, f64>),
    Texts(Vec<Option<String>>),
}

/// The columns of a frame by their names.
type Columns<'py> = Vec<(String, GivenCells<'py>)>;

fn frame(columns: Columns<'_>, rows: usize) -> Frame {
    let column = |(name, cells)| FrameColumn {
        name,
        cells: match cells {
            GivenCells::Numbers(numbers) => Cells::Numbers(numbers.as_array().iter().copied().collect()),
            GivenCells::Texts(texts) => Cells::Texts(texts.into_iter().collect()),
        },
    };
    Frame { columns: columns.into_iter().map(column).collect(), rows, y: None, weights: None }
}

const FOR_TABLES: &str = "the transform was fitted on a table; give it a frame with the same columns";

/// Sparse rows: entries, their columns, where rows begin, and how many columns there are.
type Sparse<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, usize);

fn sparse<'py>(py: Python<'py>, rows: &PreparedTexts) -> Sparse<'py> {
    let columns = rows.pattern.columns().iter().map(|column| i64::from(*column));
    let starts = rows.pattern.starts().iter().map(|start| *start as i64);
    (
        PyArray1::from_slice(py, &rows.values),
        PyArray1::from_iter(py, columns),
        PyArray1::from_iter(py, starts),
        rows.dimension,
    )
}

fn label_kind(kind: &str) -> PyResult<LabelKind> {
    Ok(match policy(kind)? {
        LabelPolicy::Multiclass => LabelKind::Classes,
        LabelPolicy::Scores => LabelKind::Scores,
        LabelPolicy::Numbers => LabelKind::Numbers,
        _ => LabelKind::Detect,
    })
}

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
        Ok((Transform(AnyTransform::Features(transform)), array(py, &prepared)?))
    }

    /// The preparation of a table.
    #[staticmethod]
    #[pyo3(signature = (columns, rows, y, kind, fourier, directions, norm))]
    fn fit_table<'py>(
        py: Python<'py>,
        columns: Columns<'py>,
        rows: usize,
        y: Option<GivenLabels<'py>>,
        kind: &str,
        fourier: Option<usize>,
        directions: Option<usize>,
        norm: Option<&str>,
    ) -> PyResult<(Self, Bound<'py, PyArray2<f64>>)> {
        let norm = match norm {
            None => None,
            Some("unit") => Some(RowNorms::Unit),
            Some("clip") => Some(RowNorms::Clip),
            Some(other) => {
                return Err(error(format!("norm {other:?}: it must be \"unit\", \"clip\" or None")));
            }
        };
        let y = y.map(labels).transpose().map_err(error)?;
        let frame = Frame { y, ..frame(columns, rows) };
        let options = TableOptions { fourier, directions, norm, labels: label_kind(kind)? };
        let fitted = run(py, move || TableTransform::fit(&frame, &options))?;
        let (transform, prepared) = fitted.map_err(error)?;
        Ok((Transform(AnyTransform::Table(Box::new(transform))), array(py, &prepared.rows)?))
    }

    /// The preparation of texts: all columns hold texts.
    #[staticmethod]
    #[pyo3(signature = (columns, rows, y, kind, hash, ngrams, tf_idf, bias))]
    fn fit_texts<'py>(
        py: Python<'py>,
        columns: Columns<'py>,
        rows: usize,
        y: Option<GivenLabels<'py>>,
        kind: &str,
        hash: usize,
        ngrams: usize,
        tf_idf: bool,
        bias: f64,
    ) -> PyResult<(Self, Sparse<'py>)> {
        let y = y.map(labels).transpose().map_err(error)?;
        let frame = Frame { y, ..frame(columns, rows) };
        let options = TextOptions {
            columns: hash,
            longest_term: ngrams,
            weights: if tf_idf { TermWeights::TfIdf } else { TermWeights::Counts },
            bias,
            labels: label_kind(kind)?,
            ..TextOptions::of(frame.columns.iter().map(|column| column.name.clone()).collect())
        };
        let fitted = run(py, move || TextTransform::fit(&frame, &options))?;
        let (transform, prepared) = fitted.map_err(error)?;
        Ok((Transform(AnyTransform::Texts(Box::new(transform))), sparse(py, &prepared)))
    }

    /// Sparse rows of texts.
    fn apply_texts<'py>(
        &self,
        py: Python<'py>,
        columns: Columns<'py>,
        rows: usize,
        allow_seen: bool,
    ) -> PyResult<Sparse<'py>> {
        let AnyTransform::Texts(transform) = &self.0 else {
            return Err(error("the transform was not fitted on texts"));
        };
        let (transform, frame) = (transform.clone(), frame(columns, rows));
        let prepared = run(py, move || transform.apply(&frame, allow_seen))?.map_err(error)?;
        Ok(sparse(py, &prepared))
    }

    /// The columns of texts that it was fitted on; `None` if on something else.
    fn texts(&self) -> Option<Vec<String>> {
        match &self.0 {
            AnyTransform::Texts(transform) => Some(transform.needs().to_vec()),
            AnyTransform::Features(_) | AnyTransform::Table(_) => None,
        }
    }

    /// The rows of a table.
    fn apply_table<'py>(
        &self,
        py: Python<'py>,
        columns: Columns<'py>,
        rows: usize,
        allow_seen: bool,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let AnyTransform::Table(transform) = &self.0 else {
            return Err(error("the transform was fitted on features; give it an array"));
        };
        let (transform, frame) = (transform.clone(), frame(columns, rows));
        let prepared = run(py, move || transform.apply(&frame, allow_seen))?.map_err(error)?;
        array(py, &prepared.rows)
    }

    /// The columns that it needs and whether they hold texts; `None` if it was fitted on features.
    fn needs(&self) -> Option<Vec<(String, bool)>> {
        match &self.0 {
            AnyTransform::Features(_) | AnyTransform::Texts(_) => None,
            AnyTransform::Table(transform) => {
                Some(transform.needs().map(|(name, text)| (name.to_owned(), text)).collect())
            }
        }
    }

    /// What is done to each column; empty if it was fitted on features.
    fn columns(&self) -> Vec<(String, String)> {
        match &self.0 {
            AnyTransform::Features(_) => Vec::new(),
            AnyTransform::Table(transform) => transform.columns(),
            AnyTransform::Texts(transform) => {
                transform.needs().iter().map(|name| (name.clone(), transform.describe())).collect()
            }
        }
    }

    /// The rows, and how many were shortened to norm 1.
    fn apply<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
        allow_seen: bool,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, usize)> {
        let AnyTransform::Features(transform) = &self.0 else { return Err(error(FOR_TABLES)) };
        let (transform, features) = (transform.clone(), features(&x)?);
        let prepared = run(py, move || transform.apply(&features, allow_seen))?.map_err(error)?;
        Ok((array(py, &prepared)?, prepared.shortened))
    }

    #[getter]
    fn directions(&self) -> usize {
        match &self.0 {
            AnyTransform::Features(transform) => transform.directions(),
            AnyTransform::Table(transform) => transform.dimension() - 1,
            AnyTransform::Texts(transform) => transform.dimension() - usize::from(transform.has_bias()),
        }
    }

    #[getter]
    fn kept_variance(&self) -> Option<f64> {
        match &self.0 {
            AnyTransform::Features(transform) => Some(transform.kept()),
            AnyTransform::Table(_) | AnyTransform::Texts(_) => None,
        }
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = match &self.0 {
            AnyTransform::Features(transform) => transform.to_bytes(),
            AnyTransform::Table(transform) => transform.to_bytes(),
            AnyTransform::Texts(transform) => transform.to_bytes(),
        };
        PyBytes::new(py, &bytes)
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        AnyTransform::from_bytes(bytes).map(Transform).map_err(error)
    }
}
