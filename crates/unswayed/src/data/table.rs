//! What the readers of all formats hand over, and the roles of named columns.

use super::error::{DataError, Place, Problem};
use super::labels::RawLabels;
use super::load::LabelPolicy;
use super::npy::Array;
use super::pairs::{self, Pairs};

/// The name of the column or array of weights.
const WEIGHT: &str = "weight";

/// Features, labels and weights as read; all values are finite.
pub(super) struct Table {
    /// The features, row after row.
    pub values: Vec<f64>,
    /// How many rows were read.
    pub rows: usize,
    /// How many rows the file has; known for arrays only.
    pub total: usize,
    /// How many features.
    pub dimension: usize,
    /// The names of the features, if they have any.
    pub names: Vec<String>,
    /// The labels, and where they stood.
    pub labels: Option<(RawLabels, Part)>,
    /// The weights, and where they stood.
    pub weights: Option<(Vec<f64>, Part)>,
}

/// The part of the data that an error is about.
pub(super) enum Part {
    /// An array of a `.npz` file.
    Array(String),
    /// A named column.
    Column(String),
    /// A file of its own.
    File(String),
}

impl Part {
    /// The column of weights.
    pub fn weight_column() -> Self {
        Self::Column(WEIGHT.to_owned())
    }

    /// Names this part in an error.
    pub fn blame(&self, error: DataError) -> DataError {
        match self {
            Self::Array(name) => error.in_array(name),
            Self::Column(name) => error.in_column(name),
            Self::File(name) => error.in_file(name),
        }
    }
}

impl Table {
    /// A table without rows.
    pub fn new(dimension: usize) -> Self {
        Self {
            values: Vec::new(),
            rows: 0,
            total: 0,
            dimension,
            names: Vec::new(),
            labels: None,
            weights: None,
        }
    }

    /// A table of features alone.
    pub fn from_array(array: Array) -> Result<Self, DataError> {
        let &[total, dimension] = array.shape.as_slice() else {
            let wanted = "one of two dimensions (rows, features)";
            return Err(Problem::WrongShape { found: array.shape, wanted }.into());
        };
        match (total, dimension) {
            (0, _) => Err(Problem::NoRows.into()),
            (_, 0) => Err(Problem::NoColumns.into()),
            _ => {
                let rows = array.values.len() / dimension;
                Ok(Self { values: array.values, rows, total, ..Self::new(dimension) })
            }
        }
    }

    /// An array that has one value per row.
    pub fn column(&self, array: Array) -> Result<Vec<f64>, DataError> {
        column(array, self.total)
    }
}

/// An array that has one value for each of so many rows.
pub(super) fn column(array: Array, rows: usize) -> Result<Vec<f64>, DataError> {
    match array.shape.as_slice() {
        &[found] | &[found, 1] if found == rows => Ok(array.values),
        &[found] | &[found, 1] => Err(Problem::LengthMismatch { rows, found }.into()),
        _ => Err(Problem::WrongShape { found: array.shape, wanted: "one value per row" }.into()),
    }
}

/// What is wanted of a table with named columns.
#[derive(Clone, Copy)]
pub(super) struct Layout<'a> {
    /// How labels are to be understood.
    pub policy: LabelPolicy,
    /// The label column, if there is one.
    pub label_column: Option<&'a str>,
}

/// What a column is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Feature,
    Label,
    Weight,
}

/// The roles of all columns of a table.
pub(super) struct Roles {
    /// One per column.
    pub of: Vec<Role>,
    /// How many are features.
    pub dimension: usize,
    /// Their names.
    pub names: Vec<String>,
    /// Which features belong together, if the rows are preferences.
    pub pairs: Option<Pairs>,
}

impl Roles {
    /// Gives every column its role; an error if a name is missing or stands twice.
    pub fn new(names: &[String], layout: Layout) -> Result<Self, DataError> {
        let Layout { policy, label_column } = layout;
        for (j, name) in names.iter().enumerate() {
            if name.is_empty() || name == "__index_level_0__" || name == "Unnamed: 0" {
                return Err(Problem::IndexColumn.at(Place::default().numbered(j)));
            }
        }
        if let Some((i, j)) = duplicate(names) {
            return Err(Problem::DuplicateColumn(i + 1, j + 1).at(Place::column(&names[i])));
        }
        if let Some(wanted) = label_column.filter(|wanted| !names.iter().any(|name| name == wanted)) {
            let (wanted, present) = (wanted.to_owned(), names.to_owned());
            return Err(Problem::MissingColumn { wanted, present }.into());
        }
        let role = |name: &String| match name.as_str() {
            name if Some(name) == label_column => Role::Label,
            WEIGHT => Role::Weight,
            _ => Role::Feature,
        };
        let of: Vec<Role> = names.iter().map(role).collect();
        let features = names.iter().zip(&of).filter(|(_, role)| **role == Role::Feature);
        let names: Vec<String> = features.map(|(name, _)| name.clone()).collect();
        if names.is_empty() {
            return Err(Problem::NoColumns.into());
        }
        let pairs = (policy == LabelPolicy::Preferences).then(|| pairs::by_name(&names)).transpose()?;
        Ok(Self { of, dimension: names.len(), names, pairs })
    }

    /// The features of a table that has been read, under their names; preferences as differences.
    pub fn finish(self, table: Table) -> Table {
        let table = Table { names: self.names, ..table };
        match self.pairs {
            Some(pairs) => pairs::differences(table, &pairs),
            None => table,
        }
    }

    /// Whether there is a column of weights.
    pub fn has_weights(&self) -> bool {
        self.of.contains(&Role::Weight)
    }
}

/// The first name that stands over two columns.
fn duplicate(names: &[String]) -> Option<(usize, usize)> {
    let mut sorted: Vec<usize> = (0..names.len()).collect();
    sorted.sort_by(|&i, &j| names[i].cmp(&names[j]));
    sorted.windows(2).find(|pair| names[pair[0]] == names[pair[1]]).map(|pair| (pair[0], pair[1]))
}
