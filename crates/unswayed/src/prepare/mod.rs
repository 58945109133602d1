//! From raw features to rows that can be certified: the paper's preprocessing.
//!
//! ```text
//! features F (n × p) ── top d right singular vectors V ──► F V ── minus the mean ──► ── divided by the largest norm ──►
//!     ── a constant 1/√d appended (the bias) ──► ── divided by the largest norm again ──► rows of norm at most 1
//! ```
//!
//! Everything is fitted on the training rows alone. [`Transform`] holds the fit; [`Transform::apply`] treats other rows the
//! same way, and refuses rows that the fit has seen: figures on them would say nothing about unseen data.
//!
//! Tables as people have them, with categories, gaps and long tails, are for [`TableTransform`]; free text is for [`TextTransform`].

mod category;
mod file;
mod fourier;
mod number;
mod quality;
mod rows;
mod svd;
mod table;
mod table_file;
mod texts;
mod texts_file;
mod words;

use sha2::{Digest, Sha256};

use crate::certify::dot;
use crate::data::Features;
use crate::sequential::decompose_on_one_thread;

pub use file::TransformError;
pub use quality::Quality;
pub use rows::RowNorm;
use svd::right_singular_vectors;
pub use table::{LabelKind, PreparedTable, RowNorms, TableError, TableOptions, TableTransform};
pub use table_file::AnyTransform;
pub use texts::{PreparedTexts, TermWeights, TextOptions, TextTransform};

/// A fitted preprocessing.
#[derive(Clone, Debug, PartialEq)]
pub struct Transform {
    /// Directions, one after the other: d rows of p numbers.
    directions: Vec<f64>,
    /// The mean of the projected training rows.
    mean: Vec<f64>,
    /// What the centred rows are divided by.
    first_scale: f64,
    /// The constant that is appended.
    bias: f64,
    /// What the rows with the constant are divided by.
    second_scale: f64,
    /// The share of the training rows' centred variance that the directions keep.
    kept: f64,
    /// Fingerprints of the training rows, sorted.
    seen: Vec<u64>,
    /// What the features were made with.
    encoder: Option<String>,
}

/// Rows after the transform.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// The rows, one after the other.
    pub x: Vec<f64>,
    /// Their length: one more than the number of directions.
    pub dimension: usize,
    /// How many rows were longer than 1 and were shortened to 1; none of the training rows is.
    pub shortened: usize,
}

/// Why features cannot be prepared.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PrepareError {
    /// More directions than there can be.
    #[error(
        "{wanted} directions wanted, but {rows} rows of {columns} features have at most {most}; choose fewer"
    )]
    TooManyDirections {
        /// How many were wanted.
        wanted: usize,
        /// Rows of the training data.
        rows: usize,
        /// Features of the training data.
        columns: usize,
        /// The most there can be.
        most: usize,
    },
    /// No directions at all.
    #[error("0 directions wanted; choose at least 1")]
    NoDirections,
    /// All training rows are projected to the same point.
    #[error("the training rows do not differ in any of the directions: there is nothing to learn from")]
    NoVariance,
    /// Data with another number of features.
    #[error("the rows have {found} features, but the transform was fitted on {expected}")]
    Columns {
        /// The number that the transform expects.
        expected: usize,
        /// The number found.
        found: usize,
    },
    /// Rows that the fit has seen.
    #[error(
        "{count} of {rows} rows are among those that the transform was fitted on (the first is row {}): figures on them say \
         nothing about unseen data; remove them, or say --allow-seen if they are true duplicates",
        first + 1
    )]
    Leak {
        /// How many.
        count: usize,
        /// Of how many.
        rows: usize,
        /// The first of them, from 0.
        first: usize,
    },
}

impl Transform {
    /// Fits the transform with so many directions, and returns the training rows as it makes them.
    ///
    /// ```
    /// use unswayed::data::Features;
    /// use unswayed::prepare::Transform;
    /// let train = Features::from_rows(vec![3.0, 4.0, 0.1, 6.0, 8.1, 0.0, 9.0, 12.0, 0.2], 3)?;
    /// let (transform, prepared) = Transform::fit(&train, 1)?;
    /// assert_eq!(prepared.dimension, 2); // one direction and the constant
    /// assert!(prepared.x.chunks(2).all(|row| row[0] * row[0] + row[1] * row[1] <= 1.0));
    ///
    /// // The same for new rows; rows of the fit are refused.
    /// let test = Features::from_rows(vec![4.0, 5.0, 0.0], 3)?;
    /// assert_eq!(transform.apply(&test, false)?.dimension, 2);
    /// assert!(transform.apply(&train, false).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fit(train: &Features, directions: usize) -> Result<(Transform, Prepared), PrepareError> {
        decompose_on_one_thread();
        let (rows, columns) = (train.rows(), train.dimension);
        let most = rows.min(columns);
        if directions == 0 {
            return Err(PrepareError::NoDirections);
        }
        if directions > most {
            return Err(PrepareError::TooManyDirections { wanted: directions, rows, columns, most });
        }
        let mut transform = Transform {
            directions: right_singular_vectors(&train.x, columns, directions),
            mean: vec![0.0; directions],
            first_scale: 1.0,
            bias: 1.0 / (directions as f64).sqrt(),
            second_scale: 1.0,
            kept: 0.0,
            seen: fingerprints(train).collect(),
            encoder: None,
        };
        transform.seen.sort_unstable();
        let mut projected = transform.project(train);
        transform.centre(&mut projected, rows);
        transform.kept = squares(&projected) / centred_squares(train);
        transform.first_scale = above(largest_norm(&projected, directions));
        if !(transform.first_scale > f64::MIN_POSITIVE && transform.first_scale.is_finite()) {
            return Err(PrepareError::NoVariance);
        }
        transform.second_scale = above(largest_norm(&transform.with_bias(&projected), directions + 1));
        let prepared = transform.finish(&projected);
        Ok((transform, prepared))
    }

    /// Treats other rows as the training rows were treated. Rows that the fit has seen are refused unless `allow_seen`.
    pub fn apply(&self, features: &Features, allow_seen: bool) -> Result<Prepared, PrepareError> {
        if features.dimension != self.columns() {
            return Err(PrepareError::Columns { expected: self.columns(), found: features.dimension });
        }
        if !allow_seen {
            let mut seen =
                fingerprints(features).enumerate().filter(|(_, f)| self.seen.binary_search(f).is_ok());
            if let Some((first, _)) = seen.next() {
                return Err(PrepareError::Leak { count: 1 + seen.count(), rows: features.rows(), first });
            }
        }
        let mut projected = self.project(features);
        for row in projected.chunks_exact_mut(self.mean.len()) {
            row.iter_mut().zip(&self.mean).for_each(|(x, m)| *x -= m);
        }
        Ok(self.finish(&projected))
    }

    /// The number of features that it takes.
    pub fn columns(&self) -> usize {
        self.directions.len() / self.mean.len()
    }

    /// The number of directions.
    pub fn directions(&self) -> usize {
        self.mean.len()
    }

    /// The share of the training rows' centred variance that the directions keep.
    pub fn kept(&self) -> f64 {
        self.kept
    }

    /// What the training rows' features were made with, if that was noted.
    pub fn encoder(&self) -> Option<&str> {
        self.encoder.as_deref()
    }

    /// Notes what the training rows' features were made with: encoder and settings, in a line. Its file keeps the note.
    ///
    /// ```
    /// use unswayed::data::Features;
    /// use unswayed::prepare::Transform;
    /// let train = Features::from_rows(vec![3.0, 4.0, 6.0, 8.1], 2)?;
    /// let (transform, _) = Transform::fit(&train, 1)?;
    /// assert_eq!(Transform::from_bytes(&transform.to_bytes())?.encoder(), None);
    /// let noted = transform.with_encoder("resnet18, 224×224");
    /// assert_eq!(Transform::from_bytes(&noted.to_bytes())?.encoder(), Some("resnet18, 224×224"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_encoder(self, recipe: impl Into<String>) -> Self {
        Transform { encoder: Some(recipe.into()), ..self }
    }

    fn project(&self, features: &Features) -> Vec<f64> {
        let columns = features.dimension;
        let row = |x: &[f64]| self.directions.chunks_exact(columns).map(|v| dot(v, x)).collect::<Vec<f64>>();
        features.x.chunks_exact(columns).flat_map(row).collect()
    }

    /// Finds the mean and takes it away.
    fn centre(&mut self, projected: &mut [f64], rows: usize) {
        let d = self.mean.len();
        for row in projected.chunks_exact(d) {
            self.mean.iter_mut().zip(row).for_each(|(m, x)| *m += x / rows as f64);
        }
        for row in projected.chunks_exact_mut(d) {
            row.iter_mut().zip(&self.mean).for_each(|(x, m)| *x -= m);
        }
    }

    /// Scaled a first time, the constant appended.
    fn with_bias(&self, centred: &[f64]) -> Vec<f64> {
        let row = |x: &[f64]| x.iter().map(|x| x / self.first_scale).chain([self.bias]).collect::<Vec<f64>>();
        centred.chunks_exact(self.mean.len()).flat_map(row).collect()
    }

    /// The last steps, the same for training rows and others.
    fn finish(&self, centred: &[f64]) -> Prepared {
        let dimension = self.mean.len() + 1;
        let mut x = self.with_bias(centred);
        let mut shortened = 0;
        for row in x.chunks_exact_mut(dimension) {
            for x in row.iter_mut() {
                *x /= self.second_scale;
            }
            let norm = dot(row, row).sqrt();
            if norm > 1.0 {
                shortened += 1;
                for x in row {
                    *x /= above(norm);
                }
            }
        }
        Prepared { x, dimension, shortened }
    }
}

impl Prepared {
    /// Shortens every row whose norm is above `radius` to it, and counts these among the shortened ones.
    ///
    /// ```
    /// # use unswayed::prepare::Prepared;
    /// let prepared = Prepared { x: vec![0.6, 0.8, 0.1, 0.0], dimension: 2, shortened: 0 }.clip(0.5);
    /// assert!(prepared.x[0] < 0.3 && prepared.x[0] > 0.299_999 && prepared.x[2..] == [0.1, 0.0]);
    /// assert_eq!(prepared.shortened, 1);
    /// ```
    #[must_use]
    pub fn clip(mut self, radius: f64) -> Self {
        for row in self.x.chunks_exact_mut(self.dimension) {
            let norm = above(dot(row, row).sqrt());
            if norm > radius {
                self.shortened += 1;
                let factor = radius / above(norm);
                for x in row {
                    *x *= factor;
                }
            }
        }
        self
    }
}

/// A number that is a little larger, so that quotients by it have norm at most 1 whatever rounding does.
fn above(norm: f64) -> f64 {
    norm * (1.0 + 1e-12)
}

fn largest_norm(rows: &[f64], dimension: usize) -> f64 {
    rows.chunks_exact(dimension).map(|row| dot(row, row).sqrt()).fold(0.0, f64::max)
}

fn squares(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

/// Σ‖x_i − mean‖².
fn centred_squares(features: &Features) -> f64 {
    let mut mean = vec![0.0; features.dimension];
    for row in features.x.chunks_exact(features.dimension) {
        mean.iter_mut().zip(row).for_each(|(m, x)| *m += x / features.rows() as f64);
    }
    let rows = features.x.chunks_exact(features.dimension);
    rows.map(|row| row.iter().zip(&mean).map(|(x, m)| (x - m).powi(2)).sum::<f64>()).sum()
}

/// The first eight bytes of the SHA-256 of each row.
fn fingerprints(features: &Features) -> impl Iterator<Item = u64> + '_ {
    fingerprints_of(&features.x, features.dimension)
}

fn fingerprints_of(x: &[f64], dimension: usize) -> impl Iterator<Item = u64> + '_ {
    x.chunks_exact(dimension).map(|row| {
        let mut hash = Sha256::new();
        for x in row {
            hash.update((x + 0.0).to_le_bytes());
        }
        fingerprint(hash)
    })
}

/// The first eight bytes of a SHA-256.
fn fingerprint(hash: Sha256) -> u64 {
    hash.finalize()[..8].iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
}
