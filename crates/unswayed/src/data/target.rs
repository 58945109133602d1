//! Data side by side: datasets that are alike, and targets that are made of rows of the data.

use std::collections::HashMap;

use super::Dataset;
use super::error::{DataError, Problem};

impl Dataset {
    /// The weights of these rows with which they are the rows of `data`: for each row here how much of `data` is that row, bit for
    /// bit; equal rows share alike. `None` if a row of `data` is not among these.
    ///
    /// ```
    /// use unswayed::Dataset;
    /// let data = Dataset::from_rows(vec![0.5, 0.25, 0.5, 1.0], 1, None)?;
    /// let target = Dataset::from_rows(vec![0.5, 1.0, 1.0], 1, None)?;
    /// assert_eq!(data.weights_as(&target), Some(vec![0.5, 0.0, 0.5, 2.0]));
    /// assert_eq!(target.weights_as(&data), None);
    /// # Ok::<(), unswayed::data::DataError>(())
    /// ```
    pub fn weights_as(&self, data: &Dataset) -> Option<Vec<f64>> {
        let bits = |row: &[f64]| row.iter().map(|z| z.to_bits()).collect::<Vec<u64>>();
        let mut places: HashMap<Vec<u64>, Vec<usize>> = HashMap::new();
        for (i, row) in self.iter().enumerate() {
            places.entry(bits(row)).or_default().push(i);
        }
        let mut weights = vec![0.0; self.rows()];
        for (i, row) in data.iter().enumerate() {
            let equal = places.get(&bits(row))?;
            let share = data.weights().map_or(1.0, |w| w[i]) / equal.len() as f64;
            for &place in equal {
                weights[place] += share;
            }
        }
        Some(weights)
    }
}

/// Refuses datasets of different columns, or of different labels: a class must be the same one everywhere.
///
/// # Errors
///
/// What the first dataset and another one differ in.
///
/// ```
/// use unswayed::{Dataset, data::require_alike};
/// let data = Dataset::from_rows(vec![0.5, 0.25], 2, None)?;
/// let other = Dataset::from_rows(vec![0.5], 1, None)?;
/// let error = require_alike(&data, [&other]).unwrap_err();
/// assert!(error.to_string().starts_with("the first dataset has 2 columns, another dataset has 1"));
/// # Ok::<(), unswayed::data::DataError>(())
/// ```
pub fn require_alike<'a>(
    first: &Dataset,
    others: impl IntoIterator<Item = &'a Dataset>,
) -> Result<(), DataError> {
    for other in others {
        let (own, its) = (first.provenance(), other.provenance());
        let names = [name_or(&own.name, "the first dataset"), name_or(&its.name, "another dataset")];
        if own.classes != its.classes
            || own.labels.is_some() && its.labels.is_some() && own.labels != its.labels
        {
            return Err(Problem::OtherLabels { names }.into());
        }
        let columns = [first.dimension(), other.dimension()];
        if columns[0] != columns[1] {
            return Err(Problem::OtherColumns { names, columns }.into());
        }
    }
    Ok(())
}

fn name_or(name: &str, nameless: &str) -> String {
    if name.is_empty() { nameless.to_owned() } else { name.to_owned() }
}
