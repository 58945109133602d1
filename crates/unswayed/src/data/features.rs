//! Features and labels as they stand in a file, before they become rows z.

use super::{DataError, Dataset, LabelPolicy, Labels, Problem, Reading, Source, load_table};

/// Rows of features of any length, with labels if the file has them.
#[derive(Clone, Debug, PartialEq)]
pub struct Features {
    /// The features, row after row.
    pub x: Vec<f64>,
    /// How many features a row has.
    pub dimension: usize,
    /// −1 and +1, or scores.
    pub y: Option<Vec<f64>>,
    /// What became −1 and what became +1, unless labels are scores.
    pub classes: Option<(String, String)>,
}

impl Features {
    /// Features without labels.
    ///
    /// # Errors
    ///
    /// Refuses what [`Dataset::from_rows`] refuses.
    pub fn from_rows(x: Vec<f64>, dimension: usize) -> Result<Features, DataError> {
        let rows = Dataset::from_rows(x, dimension, None)?;
        Ok(Features { x: rows.z().to_vec(), dimension, y: None, classes: None })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.x.len() / self.dimension
    }

    /// Loads features, and labels unless the reading says [`LabelPolicy::None`]. Rows may have any norm.
    ///
    /// # Errors
    ///
    /// As for [`super::load()`], but for the norms.
    pub fn load(source: &Source, reading: &Reading) -> Result<Features, DataError> {
        if reading.labels == LabelPolicy::Premultiplied {
            return Err(Problem::NoLabels.into());
        }
        let (table, y, labels) = load_table(source, &Reading { dense: true, ..reading.clone() })?;
        let y = table.y.is_some().then_some(y);
        Ok(Features { dimension: table.columns, x: table.x, y, classes: pair(labels) })
    }

    /// The same features with labels: y, and what they are.
    pub fn with_labels(self, (y, labels): (Vec<f64>, Labels)) -> Features {
        Features { y: Some(y), classes: pair(labels), ..self }
    }
}

fn pair(labels: Labels) -> Option<(String, String)> {
    match labels {
        Labels::Classes { negative, positive } => Some((negative, positive)),
        _ => None,
    }
}
