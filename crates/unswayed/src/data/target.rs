//! Data side by side: datasets that are alike, and targets that are made of rows of the data.

use std::collections::HashMap;

use super::{Dataset, Labels};

/// Why datasets do not go together.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Unlike {
    /// They have different labels.
    #[error("{} and {} have different labels; each must have the same classes", names[0], names[1])]
    Labels {
        /// The datasets.
        names: [String; 2],
    },
    /// They have different columns.
    #[error("{} has {} columns, {} has {}; they must be alike", names[0], columns[0], names[1], columns[1])]
    Columns {
        /// The datasets.
        names: [String; 2],
        /// Their numbers of columns.
        columns: [usize; 2],
    },
}

/// The weights of the rows with which they are the rows of `data`: for each row how much of `data` is that row, bit for bit;
/// equal rows share alike. `None` if a row of `data` is not among these.
///
/// ```
/// use unswayed::{Dataset, data::weights_as};
/// let rows = Dataset::from_rows(vec![0.5, 0.25, 0.5, 1.0], 1, None)?;
/// let data = Dataset::from_rows(vec![0.5, 1.0, 1.0], 1, None)?;
/// assert_eq!(weights_as(&rows, &data), Some(vec![0.5, 0.0, 0.5, 2.0]));
/// assert_eq!(weights_as(&data, &rows), None);
/// # Ok::<(), unswayed::data::DataError>(())
/// ```
pub fn weights_as(rows: &Dataset, data: &Dataset) -> Option<Vec<f64>> {
    let bits = |row: &[f64]| row.iter().map(|z| z.to_bits()).collect::<Vec<u64>>();
    let mut places: HashMap<Vec<u64>, Vec<usize>> = HashMap::new();
    for (i, row) in rows.iter().enumerate() {
        places.entry(bits(row)).or_default().push(i);
    }
    let mut weights = vec![0.0; rows.rows()];
    for (i, row) in data.iter().enumerate() {
        let equal = places.get(&bits(row))?;
        let share = data.weights().map_or(1.0, |w| w[i]) / equal.len() as f64;
        for &place in equal {
            weights[place] += share;
        }
    }
    Some(weights)
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
) -> Result<(), Unlike> {
    for other in others {
        let (own, its) = (first.origin(), other.origin());
        let names = [name_or(&own.file, "the first dataset"), name_or(&its.file, "another dataset")];
        let is_named = |labels: &Labels| matches!(labels, Labels::Multiclass { .. } | Labels::Numbers);
        let matters = match (&own.labels, &its.labels) {
            (Labels::Classes { .. }, Labels::Classes { .. }) => true,
            (own, its) => is_named(own) || is_named(its),
        };
        if matters && own.labels != its.labels {
            return Err(Unlike::Labels { names });
        }
        let columns = [first.dimension(), other.dimension()];
        if columns[0] != columns[1] {
            return Err(Unlike::Columns { names, columns });
        }
    }
    Ok(())
}

fn name_or(name: &str, nameless: &str) -> String {
    if name.is_empty() { nameless.to_owned() } else { name.to_owned() }
}
