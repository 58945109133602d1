//! What is read, before rows are made of it.

use crate::error::{DataError, Part, Place, Problem};
use crate::labels::RawLabels;
use crate::make::{self, About, Divide, Reading};
use crate::{Dataset, Origin, Pattern, labels, steps};

/// The most numbers that sparse rows are written out to.
const MOST_DENSE: usize = 1 << 27;

/// Features, labels and weights as they stand in a file, or as a program has them in memory.
///
/// ```
/// use unswayed_data::{RawLabels, Reading, Table};
///
/// let table = Table {
///     y: Some(RawLabels::texts(["spam", "ham"])?),
///     ..Table::new(vec![0.5, 0.1, 0.2, 0.9], 2)
/// };
/// let data = table.into_dataset(&Reading::default())?;
/// assert_eq!(data.z(), [0.5, 0.1, -0.2, -0.9]);
/// # Ok::<(), unswayed_data::DataError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The features, row after row. Preferences have the features of what was chosen, then of what was rejected. If there is a
    /// pattern, only the entries that it lists.
    pub x: Vec<f64>,
    /// Where the entries are, if rows are sparse.
    pub pattern: Option<Pattern>,
    /// How many features a row has.
    pub columns: usize,
    /// The names of the features, or nothing.
    pub names: Vec<String>,
    /// The labels.
    pub y: Option<RawLabels>,
    /// The weights; all rows count the same without them.
    pub weights: Option<Vec<f64>>,
    /// What the learner's step on each row is multiplied by, if not by 1. How often a row comes is not changed by this.
    pub step_weights: Option<Vec<f64>>,
}

impl Table {
    /// Features without names, labels or weights.
    pub fn new(x: Vec<f64>, columns: usize) -> Self {
        Table { x, columns, ..Table::default() }
    }

    /// Sparse features without names, labels or weights: the entries of the pattern, in its order, in so many columns.
    pub fn sparse(entries: Vec<f64>, pattern: Pattern, columns: usize) -> Self {
        Table { pattern: Some(pattern), ..Table::new(entries, columns) }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        match &self.pattern {
            Some(pattern) => pattern.rows(),
            None => self.x.len().checked_div(self.columns).unwrap_or(0),
        }
    }

    /// The entries of the rows in turn.
    pub(crate) fn split<'a>(
        &'a self,
        z: &'a [f64],
        columns: usize,
    ) -> Box<dyn Iterator<Item = &'a [f64]> + 'a> {
        match &self.pattern {
            Some(pattern) => Box::new(pattern.split(z)),
            None => Box::new(z.chunks_exact(columns)),
        }
    }

    /// The row of an entry, counted from 0.
    pub(crate) fn row_of(&self, entry: usize, columns: usize) -> usize {
        match &self.pattern {
            Some(pattern) => pattern.starts().partition_point(|start| *start <= entry) - 1,
            None => entry / columns,
        }
    }

    /// The same table without a pattern.
    ///
    /// # Errors
    ///
    /// More numbers than a table may have that is not sparse.
    pub fn dense(self) -> Result<Self, DataError> {
        let Some(pattern) = &self.pattern else { return Ok(self) };
        let (rows, columns) = (self.rows(), self.columns);
        if rows.checked_mul(columns).is_none_or(|count| count > MOST_DENSE) {
            return Err(Problem::TooLarge { rows, columns }.into());
        }
        Ok(Table { x: pattern.dense(&self.x, columns), pattern: None, ..self })
    }

    /// Makes rows z of it. What the reading says about files does not matter here.
    ///
    /// # Errors
    ///
    /// Refuses what [`crate::load`] refuses: no rows, rows of different lengths, values that are not finite, labels and
    /// weights that are not one for each row, labels that are not what the reading says, and long rows.
    pub fn into_dataset(self, reading: &Reading) -> Result<Dataset, DataError> {
        let table = self.checked(&About::memory())?;
        let about = About { of: table.rows(), ..About::memory() };
        match reading.rows {
            Some(rows) => table.first(rows)?.made(reading, about),
            None => table.made(reading, about),
        }
    }

    /// Makes rows z exactly as an origin says.
    ///
    /// # Errors
    ///
    /// As [`crate::reload`].
    pub fn remade(self, origin: &Origin) -> Result<Dataset, DataError> {
        let about = About {
            file: origin.file.clone(),
            label_file: origin.label_file.clone(),
            label_column: origin.label_column.clone(),
            weight_column: origin.weight_column.clone(),
            step_weight_column: origin.step_weight_column.clone(),
            chosen_columns: origin.chosen_columns.clone(),
            files: origin.files.clone(),
            of: origin.of,
            ..About::memory()
        };
        self.checked(&about)?.remade_as(origin, about)
    }

    /// Makes rows of a table that has been checked.
    pub(crate) fn made(self, reading: &Reading, about: About) -> Result<Dataset, DataError> {
        let y = labels::present(self.y.as_ref(), reading.labels)?;
        let labels = labels::decide(y, reading.labels).map_err(|error| about.labels.blame(error))?;
        let classes = reading.class_weights.as_ref().map(|wanted| wanted.of(y, &labels)).transpose()?;
        make::rows(self, labels, classes, reading.divide(), about)
    }

    /// Makes rows of a table that has been checked, as an origin says.
    pub(crate) fn remade_as(self, origin: &Origin, about: About) -> Result<Dataset, DataError> {
        origin.validate().map_err(Problem::BadOrigin)?;
        labels::present(self.y.as_ref(), labels::policy(&origin.labels))?;
        match (&origin.weight_column, &self.weights) {
            (Some(_), None) => return Err(Problem::NoWeights.into()),
            (None, Some(_)) => return Err(Problem::UnwantedWeights.into()),
            _ => {}
        }
        match (&origin.step_weight_column, &self.step_weights) {
            (Some(_), None) => return Err(Problem::NoStepWeights.into()),
            (None, Some(_)) => return Err(Problem::UnwantedStepWeights.into()),
            _ => {}
        }
        let divide = Divide::By(origin.scale);
        let data = make::rows(self, origin.labels.clone(), origin.class_weights, divide, about)?;
        match &origin.made {
            Some(text) => data.made_by(text),
            None => Ok(data),
        }
    }

    /// The first rows.
    pub(crate) fn first(&self, rows: usize) -> Result<Table, DataError> {
        match rows {
            0 => return Err(Problem::ZeroRowsWanted.into()),
            wanted if wanted > self.rows() => {
                return Err(Problem::TooFewRows { wanted, found: self.rows() }.into());
            }
            _ => {}
        }
        let weights = self.weights.as_ref().map(|weights| weights[..rows].to_vec());
        if let Some(weights) = &weights {
            check_weights(weights).map_err(|error| Part::memory("weight").blame(error))?;
        }
        Ok(Table {
            x: self.x[..self.pattern.as_ref().map_or(rows * self.columns, |p| p.starts()[rows])].to_vec(),
            pattern: self.pattern.as_ref().map(|pattern| pattern.first(rows)),
            columns: self.columns,
            names: self.names.clone(),
            y: self.y.as_ref().map(|labels| labels.first(rows)),
            weights,
            step_weights: self.step_weights.as_ref().map(|steps| steps[..rows].to_vec()),
        })
    }

    /// The rows with these indices, which are those of rows, in this order.
    pub(crate) fn pick(&self, rows: &[usize]) -> Table {
        let entries = |row: &usize| match &self.pattern {
            Some(pattern) => &self.x[pattern.range(*row)],
            None => &self.x[row * self.columns..][..self.columns],
        };
        let each = |numbers: &Vec<f64>| rows.iter().map(|&row| numbers[row]).collect();
        Table {
            x: rows.iter().flat_map(entries).copied().collect(),
            pattern: self.pattern.as_ref().map(|pattern| pattern.pick(rows)),
            columns: self.columns,
            names: self.names.clone(),
            y: self.y.as_ref().map(|labels| labels.pick(rows)),
            weights: self.weights.as_ref().map(each),
            step_weights: self.step_weights.as_ref().map(each),
        }
    }

    /// Refuses values that cannot be used, and makes every −0 a +0.
    pub(crate) fn checked(mut self, about: &About) -> Result<Self, DataError> {
        let columns = self.columns;
        if columns == 0 {
            return Err(Problem::NoColumns.into());
        }
        if let Some(pattern) = &self.pattern {
            if pattern.columns().len() != self.x.len() {
                let (rows, found) = (pattern.columns().len(), self.x.len());
                return Err(Problem::LengthMismatch { rows, found }.into());
            }
            if pattern.columns().iter().any(|column| *column as usize >= columns) {
                let column = pattern.columns().iter().copied().max().unwrap_or(0);
                return Err(Problem::NoSuchColumn { column, columns }.into());
            }
        } else if !self.x.len().is_multiple_of(columns) {
            let found = self.x.len() % columns;
            return Err(Problem::Ragged { expected: columns, found }.at(Place::row(self.rows())));
        }
        if self.rows() == 0 {
            return Err(Problem::NoRows.into());
        }
        if let Some(i) = self.x.iter().position(|value| !value.is_finite()) {
            let column = self.pattern.as_ref().map_or(i % columns, |pattern| pattern.columns()[i] as usize);
            let place = Place::row(self.row_of(i, columns)).at_column(column, &self.names);
            return Err(Problem::NotFinite(self.x[i]).at(place));
        }
        if let Some(labels) = &self.y {
            let rows = self.same_length(labels.len());
            rows.and_then(|()| labels.check()).map_err(|error| about.labels.blame(error))?;
        }
        if let Some(weights) = &self.weights {
            let rows = self.same_length(weights.len());
            rows.and_then(|()| check_weights(weights)).map_err(|error| about.weights.blame(error))?;
        }
        if let Some(steps) = &self.step_weights {
            let rows = self.same_length(steps.len());
            rows.and_then(|()| steps::check(steps)).map_err(|error| about.step_weights.blame(error))?;
        }
        clear_signs_of_zero(&mut self.x);
        if let Some(pattern) = &mut self.pattern {
            pattern.drop_zeros(&mut self.x);
            if self.x.is_empty() {
                return Err(Problem::AllZero.into());
            }
        }
        clear_signs_of_zero(self.weights.as_deref_mut().unwrap_or_default());
        if let Some(RawLabels::Numbers(labels)) = &mut self.y {
            clear_signs_of_zero(labels);
        }
        Ok(self)
    }

    fn same_length(&self, found: usize) -> Result<(), DataError> {
        let rows = self.rows();
        if rows == found { Ok(()) } else { Err(Problem::LengthMismatch { rows, found }.into()) }
    }
}

/// Makes every −0 a +0.
pub(crate) fn clear_signs_of_zero(values: &mut [f64]) {
    for value in values {
        *value += 0.0;
    }
}

/// Refuses weights that are negative, not finite, or all zero.
pub(crate) fn check_weights(weights: &[f64]) -> Result<(), DataError> {
    for (row, &weight) in weights.iter().enumerate() {
        if !weight.is_finite() {
            return Err(Problem::NotFinite(weight).at(Place::row(row)));
        }
        if weight < 0.0 {
            return Err(Problem::NegativeWeight(weight).at(Place::row(row)));
        }
    }
    if weights.iter().all(|&weight| weight == 0.0) {
        return Err(Problem::ZeroWeights.into());
    }
    Ok(())
}
