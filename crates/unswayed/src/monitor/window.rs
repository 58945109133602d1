//! The newest rows of a stream.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt::Write as _;

use super::labels::{LabelError, LabelReader};
use crate::data::{DataError, Dataset, Labels, Origin, RawLabels, Table};

/// A row may be so much longer than it should be: float32 rounding can do this to a row of norm 1.
const TOLERANCE: f64 = 1e-6;

/// A row that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RowError {
    /// It has other columns.
    #[error("the row has {found} features where there were {expected}; repair it")]
    Columns {
        /// Columns of the rows before.
        expected: usize,
        /// Columns of this row.
        found: usize,
    },
    /// A value is not a finite number.
    #[error("feature {} is {value}, not a finite number; remove the row or replace the value", index + 1)]
    NotFinite {
        /// Its index.
        index: usize,
        /// The value.
        value: f64,
    },
    /// It is too long.
    #[error(
        "the row has norm {norm}, and {limit} is the largest there may be; give all rows a fixed scale, or clip them"
    )]
    Long {
        /// Its norm.
        norm: f64,
        /// The largest one.
        limit: f64,
    },
    /// Its label cannot be used.
    #[error(transparent)]
    Label(#[from] LabelError),
}

/// The newest rows of a stream, with a scale that is fixed: a window's own norms would change the learner from window to window.
///
/// ```
/// use unswayed::data::LabelPolicy;
/// use unswayed::monitor::{LabelReader, Window};
///
/// let mut window = Window::new(2, LabelReader::new(LabelPolicy::Detect, vec![])?);
/// for (x, label) in [([0.0, 0.1], "ham"), ([0.6, 0.8], "spam"), ([0.5, 0.0], "ham")] {
///     window.push(&x, Some(label))?;
/// }
/// let data = window.datasets(2)?.remove(0);
/// assert_eq!((window.seen(), data.z()), (3, &[0.6, 0.8, -0.5, 0.0][..]));
/// assert!(window.push(&[3.0, 4.0], Some("ham")).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Window {
    pub(super) capacity: usize,
    pub(super) columns: usize,
    pub(super) x: VecDeque<f64>,
    pub(super) y: VecDeque<f64>,
    pub(super) labels: LabelReader,
    pub(super) seen: u64,
    pub(super) shortened: u64,
    names: Vec<String>,
    label_column: String,
    scale: f64,
    clip: Option<f64>,
}

impl Window {
    /// An empty window of so many rows.
    pub fn new(capacity: usize, labels: LabelReader) -> Self {
        Window {
            capacity,
            columns: 0,
            x: VecDeque::new(),
            y: VecDeque::new(),
            labels,
            seen: 0,
            shortened: 0,
            names: vec![],
            label_column: "label".to_owned(),
            scale: 1.0,
            clip: None,
        }
    }

    /// Divides all rows by this number. Rows that are longer are refused unless they are clipped.
    #[must_use]
    pub fn with_scale(self, scale: f64) -> Self {
        Window { scale, ..self }
    }

    /// Shortens rows to this norm, before they are divided.
    #[must_use]
    pub fn with_clip(self, norm: Option<f64>) -> Self {
        Window { clip: norm, ..self }
    }

    /// Names the features and the label.
    pub fn name(&mut self, features: Vec<String>, label_column: String) {
        (self.names, self.label_column) = (features, label_column);
    }

    /// Rows that have been taken, also those that have left the window.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Rows that were longer than the clip.
    pub fn shortened(&self) -> u64 {
        self.shortened
    }

    /// Rows that are in the window.
    pub fn rows(&self) -> usize {
        self.y.len()
    }

    /// The labels.
    pub fn labels(&self) -> &LabelReader {
        &self.labels
    }

    /// Takes the next row; the oldest leaves a full window.
    ///
    /// # Errors
    /// A row that cannot be used. The window stays as it was.
    pub fn push(&mut self, x: &[f64], label: Option<&str>) -> Result<(), RowError> {
        if self.columns != 0 && x.len() != self.columns {
            return Err(RowError::Columns { expected: self.columns, found: x.len() });
        }
        if let Some(index) = x.iter().position(|value| !value.is_finite()) {
            return Err(RowError::NotFinite { index, value: x[index] });
        }
        let length = norm(&self.difference(x));
        let limit = self.clip.unwrap_or(self.scale);
        let factor = match self.clip {
            Some(clip) if length.is_finite() && above(length) > clip => clip / above(above(length)),
            _ if length > limit * (1.0 + TOLERANCE) => return Err(RowError::Long { norm: length, limit }),
            _ => 1.0,
        };
        let y = self.labels.code(label)?;
        self.columns = x.len();
        self.shortened += u64::from(factor < 1.0);
        if self.y.len() == self.capacity {
            self.y.pop_front();
            self.x.drain(..self.columns);
        }
        self.x.extend(x.iter().map(|value| value * factor + 0.0));
        self.y.push_back(y);
        self.seen += 1;
        Ok(())
    }

    /// What is bounded: the features, or of a preference the difference.
    fn difference<'x>(&self, x: &'x [f64]) -> Cow<'x, [f64]> {
        if !self.labels.are_preferences() {
            return x.into();
        }
        let (chosen, rejected) = x.split_at(x.len() / 2);
        chosen.iter().zip(rejected).map(|(chosen, rejected)| chosen - rejected).collect()
    }

    /// The newest full windows of so many rows, oldest first, none overlapping; all rows if there are fewer.
    ///
    /// # Errors
    /// If it is not known what the labels mean.
    pub fn datasets(&self, rows: usize) -> Result<Vec<Dataset>, DataError> {
        let windows = (self.rows() / rows.max(1)).max(1);
        let rows = rows.min(self.rows());
        (0..windows).rev().map(|age| self.dataset(self.rows() - (age + 1) * rows, rows)).collect()
    }

    /// So many rows, the ones there are again and again: to try out, before there are enough, whether such rows can be certified.
    ///
    /// # Errors
    /// If it is not known what the labels mean.
    pub fn tiled(&self, rows: usize) -> Result<Dataset, DataError> {
        let index = (0..rows).map(|i| i % self.rows());
        let x = index.clone().flat_map(|i| self.x.range(i * self.columns..(i + 1) * self.columns)).copied();
        self.made(x.collect(), &index.map(|i| self.y[i]).collect::<Vec<_>>(), None)
    }

    fn dataset(&self, start: usize, rows: usize) -> Result<Dataset, DataError> {
        let x = self.x.range(start * self.columns..(start + rows) * self.columns).copied().collect();
        let y: Vec<f64> = self.y.range(start..start + rows).copied().collect();
        let first = self.seen - (self.rows() - start) as u64 + 1;
        let mut made = format!("taking rows {first} to {} of a stream", first + rows as u64 - 1);
        if let Some(clip) = self.clip {
            let _ = write!(made, "; shortening those longer than {clip} to that norm");
        }
        self.made(x, &y, Some(made))
    }

    fn made(&self, x: Vec<f64>, y: &[f64], made: Option<String>) -> Result<Dataset, DataError> {
        let labels =
            self.labels.meaning().map_err(|error| crate::data::Problem::Unreadable(error.to_string()))?;
        let halves = if labels == Labels::Preferences { 2 } else { 1 };
        let origin = Origin {
            file: String::new(),
            label_file: None,
            label_column: self.labels.is_labelled().then(|| self.label_column.clone()),
            weight_column: None,
            step_weight_column: None,
            class_weights: None,
            chosen_columns: None,
            files: None,
            scale: self.scale,
            rows: y.len(),
            of: y.len(),
            columns: self.columns / halves,
            of_columns: None,
            // The digest is computed from the rows.
            sha256: "0".repeat(64),
            labels,
            made,
        };
        let table = Table { names: self.names.clone(), y: self.labels.raw(y), ..Table::new(x, self.columns) };
        table.remade(&origin)
    }

    /// The rows of a dataset of this window as a `.csv` file, from which `check` makes the same rows.
    pub fn csv(&self, data: &Dataset) -> String {
        let table = data.table();
        let name = |j: usize| self.names.get(j).map_or_else(|| format!("x{}", j + 1), |name| quoted(name));
        let mut header: Vec<String> = (0..table.columns).map(name).collect();
        let labels: Vec<String> = match &table.y {
            Some(RawLabels::Numbers(numbers)) => numbers.iter().map(f64::to_string).collect(),
            Some(RawLabels::Texts(texts)) => texts.iter().map(quoted).collect(),
            None => vec![],
        };
        header.extend((!labels.is_empty()).then(|| quoted(&self.label_column)));
        let mut text = header.join(",") + "\n";
        for (i, row) in table.x.chunks_exact(table.columns).enumerate() {
            for (j, value) in row.iter().enumerate() {
                let _ = write!(text, "{}{value}", if j > 0 { "," } else { "" });
            }
            if let Some(label) = labels.get(i) {
                let _ = write!(text, ",{label}");
            }
            text.push('\n');
        }
        text
    }
}

/// A cell of a `.csv` file.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r', '\t']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

/// The norm, also where squares overflow.
fn norm(x: &[f64]) -> f64 {
    let largest = x.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    if largest == 0.0 {
        0.0
    } else {
        largest * x.iter().map(|value| (value / largest).powi(2)).sum::<f64>().sqrt()
    }
}

/// A number that is a little larger, so that what is divided by it is short enough whatever rounding does.
fn above(norm: f64) -> f64 {
    norm * (1.0 + 1e-12)
}
