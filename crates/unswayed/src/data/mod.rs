//! Data: rows z = label · features, where they come from, and their checks.
//!
//! [`load()`] reads `.npz`, `.npy`, `.csv` and `.parquet` files into a [`Dataset`]; [`Arrays`] and [`Dataset::from_rows`]
//! take what is in memory already. Whatever is wrong with the data is a [`DataError`], one line that names the file,
//! the row, the column and the remedy.

mod csv;
mod error;
mod features;
mod labels;
mod load;
mod memory;
mod norms;
mod npy;
mod npz;
mod pairs;
mod parquet;
mod sample;
mod sets;
mod source;
mod table;
mod target;
mod write;

use std::fmt::Write;

use serde::{Deserialize, Serialize};

pub use error::{Column, DataError, Place, Problem};
pub use features::Features;
pub use labels::Labels;
pub use load::{LabelPolicy, Options, load, load_vector};
pub use memory::{Arrays, LabelColumn};
pub use sets::{box_around, box_of, ellipsoid_around, ellipsoid_of, flips};
pub use source::Source;
pub use target::{require_alike};
pub use write::{write_arrays, write_dataset};

/// Rows z of one dimension, all finite, with optional weights.
///
/// ```
/// use unswayed::data::Dataset;
///
/// let data = Dataset::from_rows(vec![0.6, 0.8, -0.5, 0.0], 2, None)?;
/// assert_eq!((data.rows(), data.dimension()), (2, 2));
/// assert_eq!(data.row(1), [-0.5, 0.0]);
/// assert_eq!(data.largest_norm(), 1.0);
/// # Ok::<(), unswayed::data::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    z: Vec<f64>,
    dimension: usize,
    names: Vec<String>,
    weights: Option<Vec<f64>>,
    provenance: Provenance,
}

/// How a [`Dataset`] came about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The data file's name without folders; empty if the rows did not come from a file.
    pub name: String,
    /// The label file's name without folders, if labels had a file of their own.
    pub label_file: Option<String>,
    /// The labels that became −1 and +1, if labels were classes. Numbers stand here as `{}` prints an `f64`.
    pub labels: Option<(String, String)>,
    /// Whether labels were real scores in [−1, 1].
    pub scores: bool,
    /// The labels of the classes 0, 1, …, if a row begins with its class.
    #[serde(default)]
    pub classes: Vec<String>,
    /// Whether a row is the difference of what was chosen and what was rejected.
    #[serde(default)]
    pub preferences: bool,
    /// What all rows were divided by.
    pub scale: Option<f64>,
    /// Whether only the first rows of the file were asked for.
    pub first_rows: bool,
}

impl Dataset {
    /// A dataset of the rows in `z`, row after row.
    ///
    /// Rows of any length are accepted. Without weights all rows count the same.
    ///
    /// # Errors
    ///
    /// Refuses no rows, a length of `z` that is not a multiple of `dimension`, values that are not finite, and
    /// weights that are not one finite number ≥ 0 per row or are all 0.
    pub fn from_rows(
        mut z: Vec<f64>,
        dimension: usize,
        weights: Option<Vec<f64>>,
    ) -> Result<Self, DataError> {
        if dimension == 0 {
            return Err(Problem::NoColumns.into());
        }
        let rows = z.len() / dimension;
        if !z.len().is_multiple_of(dimension) {
            let found = z.len() % dimension;
            return Err(Problem::Ragged { expected: dimension, found }.at(Place::row(rows)));
        }
        if rows == 0 {
            return Err(Problem::NoRows.into());
        }
        if let Some(i) = z.iter().position(|value| !value.is_finite()) {
            let cell = Place::row(i / dimension).numbered(i % dimension);
            return Err(Problem::NotFinite(z[i]).at(cell));
        }
        let weights = match weights {
            Some(weights) if weights.len() != rows => {
                let mismatch = Problem::LengthMismatch { rows, found: weights.len() };
                return Err(mismatch.at(Place::column("weight")));
            }
            Some(weights) => Some(check_weights(weights).map_err(|error| error.in_column("weight"))?),
            None => None,
        };
        clear_signs_of_zero(&mut z);
        Ok(Self { z, dimension, names: Vec::new(), weights, provenance: Provenance::default() })
    }

    /// The number of rows, N.
    pub fn rows(&self) -> usize {
        self.z.len() / self.dimension
    }

    /// The number of features, d.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// All rows, one after the other.
    pub fn z(&self) -> &[f64] {
        &self.z
    }

    /// The row with this index.
    ///
    /// # Panics
    ///
    /// If `index` is not below [`Dataset::rows`].
    pub fn row(&self, index: usize) -> &[f64] {
        &self.z[index * self.dimension..][..self.dimension]
    }

    /// The rows in turn.
    pub fn iter(&self) -> std::slice::ChunksExact<'_, f64> {
        self.z.chunks_exact(self.dimension)
    }

    /// The weights as given; they need not sum to 1.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The rows as the exact checker takes them.
    pub fn as_rows(&self) -> unswayed_check::Rows<'_> {
        unswayed_check::Rows { z: &self.z, dimension: self.dimension, weights: self.weights() }
    }

    /// The probabilities p of the rows: weights divided by their sum, or 1/N each, rounded to binary64.
    pub fn probabilities(&self) -> Vec<f64> {
        let Some(weights) = &self.weights else {
            return vec![1.0 / self.rows() as f64; self.rows()];
        };
        // Divided by the largest first, so that the sum cannot overflow.
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let total: f64 = weights.iter().map(|weight| weight / largest).sum();
        weights.iter().map(|weight| weight / largest / total).collect()
    }

    /// The largest Euclidean norm of a row, rounded to binary64.
    pub fn largest_norm(&self) -> f64 {
        norms::largest(&self.z, self.dimension)
    }

    /// The first `rows` rows as a dataset of their own.
    ///
    /// # Errors
    ///
    /// Refuses zero rows, more rows than there are, and rows whose weights are all 0.
    pub fn first(&self, rows: usize) -> Result<Self, DataError> {
        if rows == 0 {
            return Err(Problem::ZeroRowsWanted.into());
        }
        if rows > self.rows() {
            return Err(Problem::TooFewRows { wanted: rows, found: self.rows() }.into());
        }
        let weights =
            self.weights.as_ref().map(|weights| check_weights(weights[..rows].to_vec())).transpose()?;
        let provenance = Provenance { first_rows: true, ..self.provenance.clone() };
        Ok(Self {
            z: self.z[..rows * self.dimension].to_vec(),
            dimension: self.dimension,
            names: self.names.clone(),
            weights,
            provenance,
        })
    }

    /// The names of the features, if the file had names for its columns; else empty.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// What the data are, in a line.
    ///
    /// ```
    /// let data = unswayed::Dataset::from_rows(vec![0.6, 0.8], 2, None)?;
    /// assert_eq!(data.describe(), "1 rows, 2 columns");
    /// # Ok::<(), unswayed::data::DataError>(())
    /// ```
    pub fn describe(&self) -> String {
        let origin = &self.provenance;
        let columns = self.dimension - usize::from(!origin.classes.is_empty());
        let mut text = format!("{} rows, {columns} columns", self.rows());
        if !origin.name.is_empty() {
            text = format!("{}: {text}", origin.name);
        }
        if origin.first_rows {
            text.push_str(" (the first rows of the file)");
        }
        if let Some((negative, positive)) = &origin.labels {
            let _ = write!(text, "; label {negative} is −1, {positive} is +1");
        } else if origin.scores {
            text.push_str("; labels are real scores");
        } else if origin.preferences {
            text.push_str("; rows are chosen − rejected");
        } else if let [first, .., last] = origin.classes.as_slice() {
            let _ = write!(
                text,
                "; {} classes, label {first} is the first, {last} the last",
                origin.classes.len()
            );
        }
        if let Some(scale) = origin.scale {
            let _ = write!(text, "; rows divided by {scale}");
        }
        text
    }

    /// How the rows were made, as statements have it.
    pub fn origin(&self) -> unswayed_check::Origin {
        use unswayed_check::Labels;
        let p = &self.provenance;
        let labels = match &p.labels {
            Some((negative, positive)) => Labels::Classes { negative: negative.clone(), positive: positive.clone() },
            None if p.scores => Labels::Scores,
            None if p.preferences => Labels::Preferences,
            None if !p.classes.is_empty() => Labels::Multiclass { labels: p.classes.clone() },
            None => Labels::Premultiplied,
        };
        unswayed_check::Origin {
            file: p.name.clone(),
            label_file: p.label_file.clone(),
            labels,
            label_column: None,
            weight_column: None,
            scale: p.scale.unwrap_or(1.0),
            rows: self.rows(),
            of: self.rows(),
            columns: self.dimension - usize::from(!p.classes.is_empty()),
            sha256: format!("{:x}", self.z.iter().fold(0_u64, |h, x| h.wrapping_mul(31).wrapping_add(x.to_bits()))),
        }
    }

    /// What rows were divided by.
    pub fn scale(&self) -> f64 {
        self.provenance.scale.unwrap_or(1.0)
    }

    /// Whether rows are chosen − rejected.
    pub fn is_preferences(&self) -> bool {
        self.provenance.preferences
    }

    /// Whether labels are real scores.
    pub fn is_scored(&self) -> bool {
        self.provenance.scores
    }

    /// The number of classes, if rows begin with their class.
    pub fn classes(&self) -> Option<usize> {
        Some(self.provenance.classes.len()).filter(|n| *n > 0)
    }

    /// The same rows with another account of how they came about.
    pub fn with_provenance(self, provenance: Provenance) -> Self {
        Dataset { provenance, ..self }
    }

    /// How the rows came about.
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }
}

impl<'a> IntoIterator for &'a Dataset {
    type Item = &'a [f64];
    type IntoIter = std::slice::ChunksExact<'a, f64>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Makes every −0 a +0.
fn clear_signs_of_zero(values: &mut [f64]) {
    for value in values {
        *value += 0.0;
    }
}

/// Refuses weights that are negative, not finite, or all zero; otherwise they stay as they are, bit for bit.
fn check_weights(weights: Vec<f64>) -> Result<Vec<f64>, DataError> {
    for (row, weight) in weights.iter().enumerate() {
        if !weight.is_finite() {
            return Err(Problem::NotFinite(*weight).at(Place::row(row)));
        }
        if *weight < 0.0 {
            return Err(Problem::NegativeWeight(*weight).at(Place::row(row)));
        }
    }
    if weights.iter().all(|&weight| weight == 0.0) {
        return Err(Problem::ZeroWeights.into());
    }
    Ok(weights)
}
