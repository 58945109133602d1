//! Data: from NumPy arrays and files.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use unswayed::Dataset;
use unswayed::data::{
    ClassWeightPolicy, DataError, LabelPolicy, Labels, Origin, Pattern, RawLabels, Reading, Source, Table,
};

use crate::{data_error, error};

/// Rows z = label · features, checked. Shared, never changed.
#[pyclass(frozen, module = "unswayed._native")]
pub struct Data(pub Arc<Dataset>);

/// Labels as Python hands them over.
#[derive(FromPyObject)]
pub enum GivenLabels<'py> {
    Numbers(PyReadonlyArray1<'py, f64>),
    Texts(Vec<String>),
}

/// Features as Python hands them over: an array, or the entries of a sparse matrix by rows with their columns, where each row begins,
/// and how many columns there are.
#[derive(FromPyObject)]
pub enum GivenFeatures<'py> {
    Dense(PyReadonlyArray2<'py, f64>),
    Sparse(PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>, usize),
}

impl GivenFeatures<'_> {
    fn table(&self) -> Result<Table, DataError> {
        let (entries, columns, starts, of) = match self {
            GivenFeatures::Dense(x) => return Ok(Table::new(numbers(x), x.shape()[1])),
            GivenFeatures::Sparse(entries, columns, starts, of) => (entries, columns, starts, *of),
        };
        // What is negative or too large becomes a column that there is not.
        let columns =
            columns.as_array().iter().map(|column| u32::try_from(*column).unwrap_or(u32::MAX)).collect();
        let starts =
            starts.as_array().iter().map(|start| usize::try_from(*start).unwrap_or(usize::MAX)).collect();
        Ok(Table::sparse(list(entries), Pattern::new(starts, columns, of)?, of))
    }
}

fn list(array: &PyReadonlyArray1<'_, f64>) -> Vec<f64> {
    array.as_array().iter().copied().collect()
}

/// Features as they are handed over to Python.
#[derive(IntoPyObject)]
pub enum HeldFeatures<'py> {
    Dense(Bound<'py, PyArray2<f64>>),
    Sparse(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, usize),
}

impl<'py> HeldFeatures<'py> {
    fn sparse(py: Python<'py>, entries: &[f64], pattern: &Pattern, of: usize) -> Self {
        let columns = pattern.columns().iter().map(|column| i64::from(*column));
        let starts = pattern.starts().iter().map(|start| *start as i64);
        HeldFeatures::Sparse(
            PyArray1::from_slice(py, entries),
            PyArray1::from_iter(py, columns),
            PyArray1::from_iter(py, starts),
            of,
        )
    }

    /// The features of a table.
    pub fn of(py: Python<'py>, table: &Table) -> PyResult<Self> {
        Ok(match &table.pattern {
            Some(pattern) => HeldFeatures::sparse(py, &table.x, pattern, table.columns),
            None => HeldFeatures::Dense(
                PyArray1::from_slice(py, &table.x).reshape([table.rows(), table.columns])?,
            ),
        })
    }
}

/// The numbers of an array in the order of its rows: read where they are if they lie so, copied otherwise.
pub fn numbers(array: &PyReadonlyArray2<'_, f64>) -> Vec<f64> {
    match array.as_slice() {
        Ok(slice) => slice.to_vec(),
        Err(_) => array.as_array().iter().copied().collect(),
    }
}

/// Labels as Python gives them.
pub fn labels(y: GivenLabels<'_>) -> Result<RawLabels, DataError> {
    match y {
        GivenLabels::Numbers(numbers) => Ok(RawLabels::Numbers(numbers.as_array().iter().copied().collect())),
        GivenLabels::Texts(texts) => RawLabels::texts(texts),
    }
}

fn table(
    x: &GivenFeatures<'_>,
    y: Option<GivenLabels<'_>>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    steps: Option<PyReadonlyArray1<'_, f64>>,
) -> Result<Table, DataError> {
    let y = y.map(labels).transpose()?;
    let (weights, step_weights) = (weights.map(|w| list(&w)), steps.map(|c| list(&c)));
    Ok(Table { y, weights, step_weights, ..x.table()? })
}

/// Class weights as the command takes them.
fn class_weights(text: Option<&str>) -> PyResult<Option<ClassWeightPolicy>> {
    text.map(|text| text.parse().map_err(|reason| error(format!("class_weight: {reason}")))).transpose()
}

/// Labels as they are handed over to Python.
#[derive(IntoPyObject)]
pub enum HeldLabels<'py> {
    Numbers(Bound<'py, PyArray1<f64>>),
    Texts(Vec<String>),
}

/// The labels of a table.
pub fn held_labels<'py>(py: Python<'py>, table: &Table) -> Option<HeldLabels<'py>> {
    table.y.as_ref().map(|y| match y {
        RawLabels::Numbers(numbers) => HeldLabels::Numbers(PyArray1::from_slice(py, numbers)),
        RawLabels::Texts(texts) => HeldLabels::Texts(texts.iter().map(str::to_owned).collect()),
    })
}

/// Features, labels, weights, names of the features, how rows are made of them, and step weights.
type State<'py> = (
    HeldFeatures<'py>,
    Option<HeldLabels<'py>>,
    Option<Bound<'py, PyArray1<f64>>>,
    Vec<String>,
    String,
    Option<Bound<'py, PyArray1<f64>>>,
);

pub fn policy(labels: &str) -> PyResult<LabelPolicy> {
    Ok(match labels {
        "detect" => LabelPolicy::Detect,
        "scores" => LabelPolicy::Scores,
        "premultiplied" => LabelPolicy::Premultiplied,
        "absent" => LabelPolicy::None,
        "classes" => LabelPolicy::Multiclass,
        "numbers" => LabelPolicy::Numbers,
        "preferences" => LabelPolicy::Preferences,
        other => {
            let known = "\"detect\", \"scores\", \"premultiplied\", \"absent\", \"classes\", \"numbers\" or \"preferences\"";
            return Err(error(format!("labels {other:?}: it must be {known}")));
        }
    })
}

#[pymethods]
impl Data {
    #[staticmethod]
    #[pyo3(signature = (x, y, weights, names, labels, normalize, scale, step_weights = None, class_weights = None, made = None))]
    fn from_arrays(
        x: GivenFeatures<'_>,
        y: Option<GivenLabels<'_>>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        names: Vec<String>,
        labels: &str,
        normalize: bool,
        scale: Option<f64>,
        step_weights: Option<PyReadonlyArray1<'_, f64>>,
        class_weights: Option<&str>,
        made: Option<&str>,
    ) -> PyResult<Self> {
        let class_weights = self::class_weights(class_weights)?;
        let reading =
            Reading { labels: policy(labels)?, normalize, scale, class_weights, ..Reading::default() };
        let table = Table { names, ..table(&x, y, weights, step_weights).map_err(data_error)? };
        let data = table.into_dataset(&reading).map_err(data_error)?;
        let data = match made {
            Some(text) => data.made_by(text).map_err(data_error)?,
            None => data,
        };
        Ok(Data(Arc::new(data)))
    }

    /// What [`Data::from_state`] takes.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<State<'py>> {
        let table = self.0.table();
        let list = |values: &[f64]| PyArray1::from_slice(py, values);
        let y = held_labels(py, table);
        let origin = serde_json::to_string(self.0.origin()).map_err(error)?;
        let x = HeldFeatures::of(py, table)?;
        let steps = table.step_weights.as_deref().map(list);
        Ok((x, y, table.weights.as_deref().map(list), table.names.clone(), origin, steps))
    }

    #[staticmethod]
    #[pyo3(signature = (x, y, weights, names, origin, step_weights=None))]
    fn from_state(
        x: GivenFeatures<'_>,
        y: Option<GivenLabels<'_>>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        names: Vec<String>,
        origin: &str,
        step_weights: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Self> {
        let table = Table { names, ..table(&x, y, weights, step_weights).map_err(data_error)? };
        Ok(Data(Arc::new(table.remade(&self::origin(origin)?).map_err(data_error)?)))
    }

    /// Rows made from arrays as an origin says. The arrays hold the first of `of` rows.
    #[staticmethod]
    #[pyo3(signature = (x, y, weights, of, origin, step_weights=None))]
    fn remade(
        x: GivenFeatures<'_>,
        y: Option<GivenLabels<'_>>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        of: usize,
        origin: &str,
        step_weights: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Self> {
        let table = table(&x, y, weights, step_weights).map_err(data_error)?;
        // Whether these are the rows of the origin is for a check to tell.
        let origin = Origin { rows: table.rows(), of, ..self::origin(origin)? };
        Ok(Data(Arc::new(table.remade(&origin).map_err(data_error)?)))
    }

    /// How the rows were made.
    #[getter]
    fn origin<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        crate::value::to_python(py, &serde_json::json!(self.0.origin()))
    }

    #[getter]
    fn rows(&self) -> usize {
        self.0.rows()
    }

    /// The number of features; a class or label in front of them is none.
    #[getter]
    fn columns(&self) -> usize {
        self.0.origin().columns
    }

    /// How labels were read that stand in front of the features.
    #[getter]
    fn front_label(&self) -> Option<&'static str> {
        match self.0.origin().labels {
            Labels::Multiclass { .. } => Some("classes"),
            Labels::Numbers => Some("numbers"),
            _ => None,
        }
    }

    #[getter]
    fn sha256(&self) -> String {
        self.0.origin().sha256.clone()
    }

    #[getter]
    fn classes(&self) -> Vec<String> {
        self.0.origin().labels.classes().into_iter().map(str::to_owned).collect()
    }

    #[getter]
    fn scale(&self) -> f64 {
        self.0.origin().scale
    }

    /// The scale with which to read other data like these: 1 if rows longer than 1 are meant as they are.
    #[getter]
    fn scale_for_others(&self) -> Option<f64> {
        let origin = self.0.origin();
        (origin.is_scaled() || self.0.largest_norm() > 1.0).then_some(origin.scale)
    }

    /// The rows; sparse ones with all columns of the table.
    #[getter]
    fn z<'py>(&self, py: Python<'py>) -> PyResult<HeldFeatures<'py>> {
        let table = self.0.table();
        Ok(match (self.0.sparse(), &table.pattern) {
            (Some(rows), Some(pattern)) => HeldFeatures::sparse(py, rows.values, pattern, table.columns),
            _ => HeldFeatures::Dense(
                PyArray1::from_slice(py, self.0.z()).reshape([self.0.rows(), self.0.dimension()])?,
            ),
        })
    }

    /// Of sparse rows: the columns of the table that are not 0 in all rows.
    #[getter]
    fn kept_columns<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<i64>>> {
        let kept = self.0.kept_columns()?.iter().map(|column| i64::from(*column));
        Some(PyArray1::from_iter(py, kept))
    }

    fn first(&self, rows: usize) -> PyResult<Self> {
        Ok(Data(Arc::new(self.0.first(rows).map_err(data_error)?)))
    }

    fn describe(&self) -> String {
        self.0.describe()
    }
}

fn origin(text: &str) -> PyResult<Origin> {
    serde_json::from_str(text).map_err(error)
}

/// Rows made from a file as an origin says.
#[pyfunction]
pub fn reload(py: Python<'_>, path: Paths, label_file: Option<PathBuf>, origin: &str) -> PyResult<Data> {
    let (source, origin) = (source(path, label_file), self::origin(origin)?);
    let data = crate::work::run(py, move || unswayed::data::reload(&source, &origin))?;
    Ok(Data(Arc::new(data.map_err(data_error)?)))
}

/// A path, or those of several tables that are one dataset.
#[derive(FromPyObject)]
pub enum Paths {
    One(PathBuf),
    Several(Vec<PathBuf>),
}

pub fn source(paths: Paths, label_file: Option<PathBuf>) -> Source {
    let source = match paths {
        Paths::One(path) => Source::path(path),
        Paths::Several(paths) => Source::paths(paths),
    };
    match label_file {
        Some(labels) => source.labels(labels),
        None => source,
    }
}

#[pyfunction]
#[pyo3(signature = (
    path, label_file, label_column, weight_column, columns, drop_columns, labels, normalize, scale, rows,
    step_weight_column = None, class_weights = None, dense = false
))]
pub fn load(
    py: Python<'_>,
    path: Paths,
    label_file: Option<PathBuf>,
    label_column: Option<String>,
    weight_column: Option<String>,
    columns: Option<Vec<String>>,
    drop_columns: Vec<String>,
    labels: &str,
    normalize: bool,
    scale: Option<f64>,
    rows: Option<usize>,
    step_weight_column: Option<String>,
    class_weights: Option<&str>,
    dense: bool,
) -> PyResult<Data> {
    let source = source(path, label_file);
    let reading = Reading {
        labels: policy(labels)?,
        label_column,
        weight_column,
        step_weight_column,
        class_weights: self::class_weights(class_weights)?,
        columns,
        drop_columns,
        normalize,
        scale,
        dense,
        rows,
    };
    let data = crate::work::run(py, move || unswayed::data::load(&source, &reading))?;
    Ok(Data(Arc::new(data.map_err(data_error)?)))
}

#[pyfunction]
pub fn sample() -> PyResult<Data> {
    Ok(Data(Arc::new(unswayed::data::sample().map_err(data_error)?)))
}

#[pyfunction]
pub fn sample_test() -> PyResult<Data> {
    Ok(Data(Arc::new(unswayed::data::sample_test().map_err(data_error)?)))
}
