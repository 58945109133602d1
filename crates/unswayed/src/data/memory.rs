//! Data that are in memory already: features, labels and weights side by side.

use super::error::{DataError, Place, Problem};
use super::labels::{LabelCollector, RawLabels};
use super::load::{LabelPolicy, Options, assemble};
use super::table::{Part, Table};
use super::{Dataset, Features, Provenance};

/// Features and what belongs to them, as they would stand in a file.
///
/// ```
/// use unswayed::data::{Arrays, LabelColumn, Options};
/// let arrays = Arrays {
///     x: vec![0.5, 0.1, 0.2, 0.9],
///     columns: 2,
///     y: Some(LabelColumn::Texts(vec!["spam".into(), "ham".into()])),
///     weights: None,
/// };
/// let data = arrays.into_dataset(&Options::default())?;
/// assert_eq!(data.z(), [0.5, 0.1, -0.2, -0.9]);
/// # Ok::<(), unswayed::data::DataError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arrays {
    /// The features, row after row.
    pub x: Vec<f64>,
    /// How many features a row has.
    pub columns: usize,
    /// The labels.
    pub y: Option<LabelColumn>,
    /// The weights; all rows count the same without them.
    pub weights: Option<Vec<f64>>,
}

/// Labels of either kind.
#[derive(Clone, Debug, PartialEq)]
pub enum LabelColumn {
    /// Numbers: two classes, or scores.
    Numbers(Vec<f64>),
    /// Texts: two classes.
    Texts(Vec<String>),
}

impl Arrays {
    /// Rows z = label · features, with all the checks of a file. Options about files do not matter here.
    pub fn into_dataset(self, options: &Options) -> Result<Dataset, DataError> {
        let labelled = options.labels.is_labelled();
        if labelled && self.y.is_none() {
            return Err(Problem::NoLabels.into());
        }
        if !labelled && self.y.is_some() {
            return Err(Problem::UnwantedLabels.into());
        }
        let options = Options { rows: None, ..options.clone() };
        assemble(self.into_table(options.labels)?, Provenance::default(), &options)
    }

    /// Features as they are, of any norm.
    pub fn into_features(self, policy: LabelPolicy) -> Result<Features, DataError> {
        Features::of(self.into_table(policy)?, policy)
    }

    fn into_table(self, policy: LabelPolicy) -> Result<Table, DataError> {
        let Arrays { x, columns, y, weights } = self;
        // Shape and finiteness; the rows are moved there and back, not copied.
        let rows = Dataset::from_rows(x, columns, None)?;
        let mut table = Table::new(columns);
        table.rows = rows.rows();
        table.values = rows.z;
        let part = |name: &str| Part::Array(name.to_owned());
        if let Some(labels) = y {
            let found = match &labels {
                LabelColumn::Numbers(numbers) => numbers.len(),
                LabelColumn::Texts(texts) => texts.len(),
            };
            same_length(table.rows, found).map_err(|error| part("y").blame(error))?;
            table.labels = Some((raw(labels, policy).map_err(|error| part("y").blame(error))?, part("y")));
        }
        if let Some(weights) = weights {
            same_length(table.rows, weights.len()).map_err(|error| part("weight").blame(error))?;
            table.weights = Some((weights, part("weight")));
        }
        Ok(table)
    }
}

fn same_length(rows: usize, found: usize) -> Result<(), DataError> {
    if rows == found { Ok(()) } else { Err(Problem::LengthMismatch { rows, found }.into()) }
}

fn raw(labels: LabelColumn, policy: LabelPolicy) -> Result<RawLabels, DataError> {
    match labels {
        LabelColumn::Numbers(numbers) => match numbers.iter().position(|y| !y.is_finite()) {
            Some(row) => Err(Problem::NotFinite(numbers[row]).at(Place::row(row))),
            None => Ok(RawLabels::Numbers(numbers)),
        },
        LabelColumn::Texts(texts) => {
            let mut collector = LabelCollector::new(policy);
            for (row, text) in texts.iter().enumerate() {
                collector.push(row, text.as_bytes())?;
            }
            Ok(collector.finish())
        }
    }
}
