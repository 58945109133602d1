//! One certificate for rows on other machines: what each of them does, and what is put together here.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use unswayed::CertifyError;
use unswayed::certify::{Options, certify_partitions as certified, pass_over, sample_rows};
use unswayed::data::{self, DigestSoFar, Look, Reading, Table};
use unswayed_check::Origin;

use crate::certificate::{Certificate, CertifyFailed};
use crate::data::{
    GivenLabels, HeldFeatures, HeldLabels, Paths, held_labels, labels, numbers, policy, source,
};
use crate::problem::Problem;
use crate::work::run;
use crate::{data_error, error};

/// How rows are read: label column, labels, whether they are divided by the largest norm.
#[derive(FromPyObject)]
pub struct Asked(Option<String>, String, bool);

impl Asked {
    fn reading(&self) -> PyResult<Reading> {
        let Asked(label_column, labels, normalize) = self;
        let (label_column, labels) = (label_column.clone(), policy(labels)?);
        Ok(Reading { labels, label_column, normalize: *normalize, ..Reading::default() })
    }
}

/// Some of the rows, on the machine that has them.
#[pyclass(frozen, module = "unswayed._native")]
pub struct Partition(Arc<data::Partition>);

#[pymethods]
impl Partition {
    /// The rows of a file.
    #[staticmethod]
    fn file(path: PathBuf, label_file: Option<PathBuf>, asked: Asked) -> PyResult<Self> {
        let source = source(Paths::One(path), label_file);
        Ok(Partition(Arc::new(data::Partition::files(source, asked.reading()?))))
    }

    /// Rows in memory; there may be none.
    #[staticmethod]
    fn arrays(
        x: PyReadonlyArray2<'_, f64>,
        y: Option<GivenLabels<'_>>,
        names: Vec<String>,
        asked: Asked,
    ) -> PyResult<Self> {
        let y = y.map(labels).transpose().map_err(data_error)?;
        let columns = x.as_array().ncols();
        let table = Table { y, names, ..Table::new(numbers(&x), columns) };
        let partition = data::Partition::memory(table, asked.reading()?).map_err(data_error)?;
        Ok(Partition(Arc::new(partition)))
    }

    fn look(&self, py: Python<'_>) -> PyResult<String> {
        let partition = self.0.clone();
        let look = run(py, move || partition.look())?.map_err(data_error)?;
        serde_json::to_string(&look).map_err(error)
    }

    fn digest(&self, py: Python<'_>, before: &str) -> PyResult<String> {
        let before: DigestSoFar = serde_json::from_str(before).map_err(error)?;
        let partition = self.0.clone();
        let digest = run(py, move || partition.digest(&before))?.map_err(data_error)?;
        serde_json::to_string(&digest).map_err(error)
    }

    /// Features and labels of some of the rows as they stand in the table; none if none of them is here.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        first: usize,
        stride: usize,
    ) -> PyResult<Option<(HeldFeatures<'py>, Option<HeldLabels<'py>>)>> {
        let partition = self.0.clone();
        let sample = run(py, move || partition.sample(first, stride))?.map_err(data_error)?;
        sample.map(|table| Ok((HeldFeatures::of(py, &table)?, held_labels(py, &table)))).transpose()
    }

    fn pass_over(&self, py: Python<'_>, first: usize, request: String) -> PyResult<String> {
        let partition = self.0.clone();
        Ok(run(py, move || pass_over(&partition, first, &request))?.map_err(CertifyFailed::from)?)
    }
}

/// All partitions, after a look at each.
#[pyclass(frozen, module = "unswayed._native")]
pub struct Partitions(Arc<data::Partitions>);

#[pymethods]
impl Partitions {
    #[new]
    fn new(looks: Vec<String>) -> PyResult<Self> {
        let looks = looks.iter().map(|look| serde_json::from_str::<Look>(look)).collect::<Result<_, _>>();
        let looks = looks.map_err(error)?;
        Ok(Partitions(Arc::new(data::Partitions::new(looks).map_err(data_error)?)))
    }

    /// The first row of each partition.
    #[getter]
    fn firsts(&self) -> Vec<usize> {
        self.0.firsts().to_vec()
    }

    /// The sample of the search takes one of so many rows.
    #[getter]
    fn stride(&self) -> usize {
        self.0.stride(sample_rows(self.0.columns()))
    }

    /// The digest before the first row.
    #[getter]
    fn digest(&self) -> PyResult<String> {
        serde_json::to_string(&self.0.digest()).map_err(error)
    }

    /// How the rows are made.
    fn origin(
        &self,
        digest: &str,
        files: Option<Paths>,
        label_file: Option<PathBuf>,
        asked: Asked,
    ) -> PyResult<String> {
        let source = files.map(|files| source(files, label_file));
        let digest = serde_json::from_str(digest).map_err(error)?;
        let origin = self.0.origin(&digest, source.as_ref(), &asked.reading()?).map_err(data_error)?;
        serde_json::to_string(&origin).map_err(error)
    }
}

/// The files that can be partitions, in the order of the rows.
#[pyfunction]
pub fn partition_files(paths: Paths) -> PyResult<Vec<PathBuf>> {
    source(paths, None).partitions().map_err(data_error)
}

/// `search` takes a text to `Partition.pass_over` of all partitions, and returns their answers in the order of the rows.
#[pyfunction]
pub fn certify_partitions(
    py: Python<'_>,
    sample: &Problem,
    partitions: &Partitions,
    origin: &str,
    horizon: Option<u64>,
    start: Option<Vec<f64>>,
    search: Py<PyAny>,
) -> PyResult<Certificate> {
    let origin: Origin = serde_json::from_str(origin).map_err(error)?;
    let (problem, partitions) = (sample.problem.clone(), partitions.0.clone());
    let mut options = Options::default();
    (options.horizon, options.start) = (horizon, start);
    let asked = problem.clone();
    let ask = move |request: &str| {
        Python::attach(|py| search.call1(py, (request,)).and_then(|answers| answers.extract(py)))
            .map_err(|error: PyErr| CertifyError::Elsewhere(error.to_string()))
    };
    let outcome = run(py, move || certified(&asked, &partitions, &origin, &options, &ask))?;
    Ok(Certificate::new(problem, outcome.map_err(CertifyFailed::from)?))
}
