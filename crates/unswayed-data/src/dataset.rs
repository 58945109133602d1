//! Rows z.

use std::sync::{Arc, OnceLock};

use crate::error::Problem;
use crate::make::{self, About, Divide};
use crate::{DataError, Labels, Origin, Pattern, SparseRows, Table, norms};

/// Rows z of one dimension, all finite, with optional weights, and the record of how they were made.
///
/// ```
/// use unswayed_data::Dataset;
///
/// let data = Dataset::from_rows(vec![0.6, 0.8, -0.5, 0.0], 2, None)?;
/// assert_eq!((data.rows(), data.dimension()), (2, 2));
/// assert_eq!(data.row(1), [-0.5, 0.0]);
/// assert_eq!(data.largest_norm(), 1.0);
/// # Ok::<(), unswayed_data::DataError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dataset {
    /// The rows, if they are not the features of the table themselves.
    z: Option<Vec<f64>>,
    /// Of sparse rows: the columns of the table that are not 0 in all rows, and where the entries are among these columns.
    kept: Option<Arc<(Vec<u32>, Pattern)>>,
    /// Sparse rows written out, once that was asked for.
    written_out: OnceLock<Vec<f64>>,
    /// The step weights of the rows, if they are not those of the table themselves.
    steps: Option<Vec<f64>>,
    table: Arc<Table>,
    origin: Origin,
}

impl Dataset {
    pub(crate) fn new(
        z: Option<Vec<f64>>,
        kept: Option<Arc<(Vec<u32>, Pattern)>>,
        steps: Option<Vec<f64>>,
        table: Arc<Table>,
        origin: Origin,
    ) -> Self {
        Dataset { z, kept, written_out: OnceLock::new(), steps, table, origin }
    }

    /// A dataset of the rows in `z`, row after row. Rows of any length are accepted. Without weights all rows count the
    /// same.
    ///
    /// # Errors
    ///
    /// Refuses no rows, a length of `z` that is not a multiple of `dimension`, values that are not finite, and
    /// weights that are not one finite number ≥ 0 per row or are all 0.
    pub fn from_rows(z: Vec<f64>, dimension: usize, weights: Option<Vec<f64>>) -> Result<Self, DataError> {
        let table = Table { weights, ..Table::new(z, dimension) }.checked(&About::memory())?;
        let about = About { of: table.rows(), ..About::memory() };
        make::rows(table, Labels::Premultiplied, None, Divide::By(1.0), about)
    }

    /// The same rows, with a line on how their features had been made of raw data. The statements of certificates show it.
    ///
    /// # Errors
    ///
    /// Refuses a text that is empty, has several lines or is very long.
    ///
    /// ```
    /// let data = unswayed_data::Dataset::from_rows(vec![0.6, 0.8], 2, None)?.made_by("clipped to norm 1")?;
    /// assert_eq!(data.describe(), "1 row, 2 columns; rows are label × features already; features made by: clipped to norm 1");
    /// # Ok::<(), unswayed_data::DataError>(())
    /// ```
    pub fn made_by(self, text: &str) -> Result<Self, DataError> {
        let origin = Origin { made: Some(text.to_owned()), ..self.origin };
        origin.validate().map_err(Problem::BadOrigin)?;
        Ok(Dataset { origin, ..self })
    }

    /// The number of rows, N.
    pub fn rows(&self) -> usize {
        self.origin.rows
    }

    /// The number of entries of a row, with the class in front of it if there is one.
    pub fn dimension(&self) -> usize {
        self.origin.dimension()
    }

    /// All rows, one after the other. Sparse rows are written out, which may take much memory: see [`Dataset::sparse`].
    pub fn z(&self) -> &[f64] {
        match self.sparse() {
            Some(rows) => self.written_out.get_or_init(|| rows.pattern.dense(rows.values, self.dimension())),
            None => self.entries(),
        }
    }

    /// The rows as sparse rows, if they were read as such. Columns that are 0 in all rows are left out:
    /// [`Dataset::kept_columns`] says which ones are there.
    pub fn sparse(&self) -> Option<SparseRows<'_>> {
        self.kept.as_ref().map(|kept| SparseRows { pattern: &kept.1, values: self.entries() })
    }

    /// Of sparse rows: the columns of the table that rows have, counted from 0.
    pub fn kept_columns(&self) -> Option<&[u32]> {
        self.kept.as_ref().map(|kept| kept.0.as_slice())
    }

    fn entries(&self) -> &[f64] {
        self.z.as_deref().unwrap_or(&self.table.x)
    }

    /// The row with this index.
    ///
    /// # Panics
    ///
    /// If `index` is not below [`Dataset::rows`].
    pub fn row(&self, index: usize) -> &[f64] {
        &self.z()[index * self.dimension()..][..self.dimension()]
    }

    /// The rows in turn.
    pub fn iter(&self) -> std::slice::ChunksExact<'_, f64> {
        self.z().chunks_exact(self.dimension())
    }

    /// The weights as given; they need not sum to 1.
    pub fn weights(&self) -> Option<&[f64]> {
        self.table.weights.as_deref()
    }

    /// What the learner's step on each row is multiplied by; `None` if all steps are as they are. How often a row comes is the
    /// matter of [`Dataset::weights`].
    pub fn step_weights(&self) -> Option<&[f64]> {
        self.steps.as_deref().or(self.table.step_weights.as_deref())
    }

    /// The same rows with other step weights: what the learner's step on each row is multiplied by.
    ///
    /// # Errors
    ///
    /// Refuses weights that are not one finite number > 0 per row.
    ///
    /// ```
    /// let data = unswayed_data::Dataset::from_rows(vec![0.5, -0.25], 1, None)?.with_step_weights(vec![1.0, 2.0])?;
    /// assert_eq!(data.step_weights(), Some(&[1.0, 2.0][..]));
    /// # Ok::<(), unswayed_data::DataError>(())
    /// ```
    pub fn with_step_weights(&self, step_weights: Vec<f64>) -> Result<Self, DataError> {
        let table = Table { step_weights: Some(step_weights), ..(*self.table).clone() };
        let column = self.origin.step_weight_column.clone().unwrap_or_else(|| "step_weight".to_owned());
        table.remade(&Origin { step_weight_column: Some(column), class_weights: None, ..self.origin.clone() })
    }

    /// The same rows without step weights.
    ///
    /// # Errors
    ///
    /// None in practice: the rows were made before.
    pub fn without_step_weights(self) -> Result<Self, DataError> {
        if self.step_weights().is_none() {
            return Ok(self);
        }
        let table = Table { step_weights: None, ..(*self.table).clone() };
        table.remade(&Origin { step_weight_column: None, class_weights: None, ..self.origin })
    }

    /// The probabilities p of the rows: weights divided by their sum, or 1/N each, rounded to binary64.
    pub fn probabilities(&self) -> Vec<f64> {
        let Some(weights) = self.weights() else {
            return vec![1.0 / self.rows() as f64; self.rows()];
        };
        // Divided by the largest first, so that the sum cannot overflow.
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let total: f64 = weights.iter().map(|weight| weight / largest).sum();
        weights.iter().map(|weight| weight / largest / total).collect()
    }

    /// The largest Euclidean norm of a row, rounded to binary64.
    pub fn largest_norm(&self) -> f64 {
        norms::largest(self.table.split(self.entries(), self.dimension()))
    }

    /// The first `rows` rows as a dataset of their own, made in the same way: with the same classes and the same scale.
    ///
    /// # Errors
    ///
    /// Refuses zero rows, more rows than there are, and rows whose weights are all 0.
    pub fn first(&self, rows: usize) -> Result<Self, DataError> {
        self.table.first(rows)?.remade(&Origin { rows, ..self.origin.clone() })
    }

    /// The rows with these indices, in this order and as often as they are named, as a dataset of their own made in the same way.
    ///
    /// # Errors
    ///
    /// Refuses no rows, indices of no row, and rows whose weights are all 0.
    ///
    /// ```
    /// let data = unswayed_data::Dataset::from_rows(vec![0.5, -0.25, 1.0], 1, None)?;
    /// assert_eq!(data.pick(&[2, 0, 2])?.z(), [1.0, 0.5, 1.0]);
    /// assert!(data.pick(&[3]).is_err());
    /// # Ok::<(), unswayed_data::DataError>(())
    /// ```
    pub fn pick(&self, rows: &[usize]) -> Result<Self, DataError> {
        if let Some(&row) = rows.iter().find(|&&row| row >= self.rows()) {
            return Err(Problem::TooFewRows { wanted: row + 1, found: self.rows() }.into());
        }
        let origin = Origin { rows: rows.len(), of: rows.len(), ..self.origin.clone() };
        self.table.pick(rows).remade(&origin)
    }

    /// The names of the entries of a row, if the file had names for its columns; else empty.
    pub fn names(&self) -> Vec<&str> {
        let names = self.table.names.iter().take(self.origin.columns).map(String::as_str);
        match self.origin.labels {
            Labels::Preferences => names.map(|name| name.strip_prefix("chosen_").unwrap_or(name)).collect(),
            _ => names.collect(),
        }
    }

    /// What the rows were made of.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// How the rows were made.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// What the data are, in a line.
    ///
    /// ```
    /// let data = unswayed_data::Dataset::from_rows(vec![0.6, 0.8], 2, None)?;
    /// assert_eq!(data.describe(), "1 row, 2 columns; rows are label × features already");
    /// # Ok::<(), unswayed_data::DataError>(())
    /// ```
    pub fn describe(&self) -> String {
        self.origin.describe()
    }
}

impl PartialEq for Dataset {
    /// Whether sparse rows have been written out makes no difference.
    fn eq(&self, other: &Self) -> bool {
        self.origin == other.origin
            && self.table == other.table
            && self.z == other.z
            && self.steps == other.steps
    }
}

impl<'a> IntoIterator for &'a Dataset {
    type Item = &'a [f64];
    type IntoIter = std::slice::ChunksExact<'a, f64>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
