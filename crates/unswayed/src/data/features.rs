//! Features and labels as they stand in a file, before they become rows z.

use super::error::{DataError, Place, Problem};
use super::labels;
use super::load::{LabelPolicy, Options, located, read};
use super::source::Source;
use super::table::Table;

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
    /// Refuses what [`super::Dataset::from_rows`] refuses.
    pub fn from_rows(x: Vec<f64>, dimension: usize) -> Result<Features, DataError> {
        let rows = super::Dataset::from_rows(x, dimension, None)?;
        Ok(Features { x: rows.z, dimension, y: None, classes: None })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.x.len() / self.dimension
    }

    /// Loads features, and labels unless the options say [`LabelPolicy::Absent`]. Rows may have any norm.
    ///
    /// # Errors
    ///
    /// As for [`super::load()`], but for the norms.
    pub fn load(source: &Source, options: &Options) -> Result<Features, DataError> {
        located(source, Self::read(source, options))
    }

    fn read(source: &Source, options: &Options) -> Result<Features, DataError> {
        if options.labels == LabelPolicy::Premultiplied {
            return Err(Problem::UnwantedLabels.at(Place::default()));
        }
        let table = read(source, options)?;
        if table.rows == 0 {
            return Err(Problem::NoRows.into());
        }
        if let Some(wanted) = options.rows.filter(|&wanted| wanted > table.rows) {
            return Err(Problem::TooFewRows { wanted, found: table.rows }.into());
        }
        Self::of(table, options.labels)
    }

    /// Features and labels that have been read.
    pub(super) fn of(table: Table, policy: LabelPolicy) -> Result<Features, DataError> {
        let labels = match table.labels {
            Some((raw, part)) => Some(labels::interpret(raw, policy).map_err(|error| part.blame(error))?),
            None => None,
        };
        let (y, classes) = labels.map_or((None, None), |l| (Some(l.y), l.classes));
        Ok(Features { x: table.values, dimension: table.dimension, y, classes })
    }
}
