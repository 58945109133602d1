//! Why data was refused: where, what, and what to do about it.

use std::fmt;

use thiserror::Error;

/// Why data was refused. Its text is one line that names the file, the place and the remedy, such as
/// `spam.csv: row 17 (line 18), column "age": "n/a" is not a number; remove the row or replace the value`.
#[derive(Debug)]
pub struct DataError(Box<Details>);

#[derive(Debug)]
struct Details {
    file: String,
    place: Place,
    problem: Problem,
}

impl DataError {
    /// The file as the caller named it; empty if the rows did not come from a file.
    pub fn file(&self) -> &str {
        &self.0.file
    }

    /// Where in the file.
    pub fn place(&self) -> &Place {
        &self.0.place
    }

    /// What is wrong there.
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }

    /// Names the file, unless a file is named already.
    pub(super) fn in_file(mut self, file: &str) -> Self {
        if self.0.file.is_empty() {
            file.clone_into(&mut self.0.file);
        }
        self
    }

    /// Names the array of a `.npz` file.
    pub(super) fn in_array(mut self, array: &str) -> Self {
        self.0.place.array = Some(array.to_owned());
        self
    }

    /// Names the column.
    pub(super) fn in_column(mut self, name: &str) -> Self {
        self.0.place.column = Some(Column::Name(name.to_owned()));
        self
    }

    /// Names the line of a text file.
    pub(super) fn on_line(mut self, line: Option<u64>) -> Self {
        self.0.place.line = line;
        self
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details { file, place, problem } = &*self.0;
        let mut parts = Vec::new();
        if !file.is_empty() {
            parts.push(file.clone());
        }
        if *place != Place::default() {
            parts.push(place.to_string());
        }
        parts.push(problem.to_string());
        // Names and values from files can hold anything; a message is one line.
        f.write_str(&parts.join(": ").replace(char::is_control, " "))
    }
}

impl std::error::Error for DataError {}

impl From<Problem> for DataError {
    fn from(problem: Problem) -> Self {
        problem.at(Place::default())
    }
}

/// A place in a data file; whatever is unknown or does not apply is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The array of a `.npz` file.
    pub array: Option<String>,
    /// The data row, counted from 1; a header is not a row.
    pub row: Option<usize>,
    /// The line of a text file, counted from 1.
    pub line: Option<u64>,
    /// The column.
    pub column: Option<Column>,
}

/// A column of a data file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// A column with a name.
    Name(String),
    /// A column without a name, counted from 1.
    Number(usize),
}

impl Place {
    /// The row with this index (counted from 0).
    pub(super) fn row(index: usize) -> Self {
        Self { row: Some(index + 1), ..Self::default() }
    }

    /// The named column.
    pub(super) fn column(name: &str) -> Self {
        Self { column: Some(Column::Name(name.to_owned())), ..Self::default() }
    }

    /// The same place in the named column.
    pub(super) fn named(self, name: &str) -> Self {
        Self { column: Some(Column::Name(name.to_owned())), ..self }
    }

    /// The same place in the column with this index (counted from 0).
    pub(super) fn numbered(self, index: usize) -> Self {
        Self { column: Some(Column::Number(index + 1)), ..self }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut comma = "";
        if let Some(array) = &self.array {
            write!(f, "array {array:?}")?;
            comma = ", ";
        }
        if let Some(row) = self.row {
            write!(f, "{comma}row {row}")?;
            if let Some(line) = self.line {
                write!(f, " (line {line})")?;
            }
            comma = ", ";
        }
        match &self.column {
            Some(Column::Name(name)) => write!(f, "{comma}column {name:?}"),
            Some(Column::Number(number)) => write!(f, "{comma}column {number}"),
            None => Ok(()),
        }
    }
}

/// What is wrong with data, with the remedy.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// There is no file of that name.
    #[error("there is no such file; check the path")]
    NotFound,
    /// The path is a directory.
    #[error("this is a directory; name one .npz, .npy, .csv or .parquet file")]
    Directory,
    /// The file's name does not end in a known extension.
    #[error(
        "the format is told from the file's ending, and this one is not known; use .npz, .npy, .csv or .parquet"
    )]
    UnknownFormat,
    /// The operating system could not read the file.
    #[error("the file cannot be read: {0}")]
    Unreadable(String),
    /// The file has no content.
    #[error("the file is empty; write or download it again")]
    EmptyFile,
    /// The file ends early or contradicts itself.
    #[error("the file is cut short or damaged ({0}); write or download it again")]
    Damaged(String),
    /// The memory for the rows could not be had.
    #[error("{rows} rows of {columns} columns do not fit into memory; use fewer (`--rows`)")]
    OutOfMemory {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
    },
    /// No rows.
    #[error("there are no rows; at least one is needed")]
    NoRows,
    /// No feature columns.
    #[error("there are no feature columns; at least one is needed")]
    NoColumns,
    /// Fewer rows than asked for.
    #[error(
        "the first {wanted} rows were asked for (`--rows`), but there are only {found}; ask for at most {found}"
    )]
    TooFewRows {
        /// Rows asked for.
        wanted: usize,
        /// Rows there are.
        found: usize,
    },
    /// Zero rows were asked for.
    #[error("zero rows were asked for (`--rows`); ask for at least 1")]
    ZeroRowsWanted,
    /// An array that is needed is not in the file.
    #[error("there is no array {wanted:?}; the file has {}; {remedy}", list(.present))]
    MissingArray {
        /// The array's name.
        wanted: String,
        /// The arrays there are.
        present: Vec<String>,
        /// What to do.
        remedy: &'static str,
    },
    /// Both `x`, `y` and `z` are in the file.
    #[error("the file has both {0:?} and {1:?}, so the rows could be made in two ways; keep one of them")]
    AmbiguousArrays(String, String),
    /// The label column is not in the file.
    #[error("there is no label column {wanted:?}; the file has {}; name the label column (`--label-column`)", list(.present))]
    MissingColumn {
        /// The column's name.
        wanted: String,
        /// The columns there are.
        present: Vec<String>,
    },
    /// Two columns have the same name.
    #[error("the name stands over columns {0} and {1}; rename or remove one of them")]
    DuplicateColumn(usize, usize),
    /// A column has no name, or is the row number that a table library saved along.
    #[error(
        "the column is a saved row index or has no name; save without the index (pandas: `index=False`) or name the column"
    )]
    IndexColumn,
    /// The first line of a text file is data.
    #[error("the first line holds numbers; add a line of column names above it")]
    NoHeader,
    /// A row has more or fewer cells than there are columns.
    #[error("the row has {found} cells instead of {expected}; repair the row")]
    Ragged {
        /// The number of columns.
        expected: usize,
        /// Cells in the row.
        found: usize,
    },
    /// A cell is not a number.
    #[error("{0:?} is not a number; remove the row or replace the value")]
    NotANumber(String),
    /// A value is NaN or infinite.
    #[error("{0} is not a finite number; remove the row or replace the value")]
    NotFinite(f64),
    /// A cell is empty or null.
    #[error("the value is missing; remove the row or fill in the value")]
    MissingValue,
    /// The values are of a type that is not a real number.
    #[error("the values are of type {0}; convert them to float32 or float64")]
    WrongType(String),
    /// The columns of a table are compressed in a way that is not supported.
    #[error("the compression {0} is not supported; write the file with snappy compression")]
    Compression(String),
    /// An array has the wrong number of dimensions.
    #[error("the array has the shape {found:?}, but {wanted} is needed; reshape it")]
    WrongShape {
        /// The shape found.
        found: Vec<usize>,
        /// What is needed.
        wanted: &'static str,
    },
    /// Labels or weights are not as many as rows.
    #[error("there are {found} values for {rows} rows; give exactly one per row")]
    LengthMismatch {
        /// Number of rows.
        rows: usize,
        /// Number of values.
        found: usize,
    },
    /// Features came without labels.
    #[error(
        "a .npy file holds one array; name the file of the labels too (`--labels`), or save both in one .npz file as \"x\" and \"y\""
    )]
    NoLabels,
    /// A label file was given although the labels are in the data file or not wanted.
    #[error("a separate label file only goes with a .npy file of features; leave out `--labels`")]
    UnwantedLabels,
    /// A label column was named for a format without columns names.
    #[error("`--label-column` is for .csv and .parquet files; leave it out")]
    UnwantedLabelColumn,
    /// All labels are equal.
    #[error("every label is {0:?}; two classes are needed, or scores asked for (`--scores`)")]
    OneClass(String),
    /// A third label, and not all labels are numbers in [−1, 1].
    #[error(
        "{third:?} is a third label beside {first:?} and {second:?}; keep two classes, or use scores between -1 and 1"
    )]
    ThirdLabel {
        /// The label seen first.
        first: String,
        /// The label seen second.
        second: String,
        /// The label seen third.
        third: String,
    },
    /// A score outside [−1, 1].
    #[error("the score {0:?} is not between -1 and 1; scale the scores")]
    ScoreOutOfRange(f64),
    /// Scores were asked for, but the labels are text.
    #[error("the label {0:?} is not a number, so it cannot be a score; use numbers or two classes")]
    TextScore(String),
    /// Labels of so many kinds that they cannot be meant as classes.
    #[error("there are more than {} different labels; are they classes?", super::labels::MOST_CLASSES)]
    TooManyClasses,
    /// A column of a file of preferences that is neither half of a pair.
    #[error("the columns of preferences are called chosen_… and rejected_…; remove or rename this one")]
    NotAPair,
    /// A column of a file of preferences without the other half.
    #[error("there is no column {0:?} to go with it; add it, or remove this one")]
    NoPartner(String),
    /// An array of preferences that cannot be halved.
    #[error(
        "the {0} columns cannot be halved; the first half of the columns is the chosen, the second the rejected one"
    )]
    OddColumns(usize),
    /// Chosen and rejected ones of different shapes.
    #[error("it has the shape {found:?}, \"chosen\" has {expected:?}; there must be one for each")]
    UnequalPairs {
        /// The shape of `chosen`.
        expected: [usize; 2],
        /// The shape of `rejected`.
        found: Vec<usize>,
    },
    /// Rows that lie in a plane, where an ellipsoid needs a volume.
    #[error(
        "the rows do not fill all {0} columns, so they give no ellipsoid; use fewer columns (`unswayed prepare`), or give \
         the ellipsoid yourself"
    )]
    Flat(usize),
    /// A matrix that gives no ellipsoid.
    #[error("the matrix is not symmetric and positive definite; zᵀQ⁻¹z ≤ 1 is then no ellipsoid")]
    NotAnEllipsoid,
    /// Radii of a box that are neither one nor one for each column.
    #[error("{found} radii for {columns} columns; give one for all, or one for each")]
    OtherRadii {
        /// The number of columns.
        columns: usize,
        /// The number of radii.
        found: usize,
    },
    /// A radius of a box that is negative or not finite.
    #[error("the radius {0} is not a number from 0 on")]
    NotARadius(f64),
    /// Datasets that are to go together have different labels.
    #[error("{} and {} have different labels; each must have the same classes", names[0], names[1])]
    OtherLabels {
        /// The datasets.
        names: [String; 2],
    },
    /// Datasets that are to go together have different columns.
    #[error("{} has {} columns, {} has {}; they must be alike", names[0], columns[0], names[1], columns[1])]
    OtherColumns {
        /// The datasets.
        names: [String; 2],
        /// Their numbers of columns.
        columns: [usize; 2],
    },
    /// A row is longer than 1.
    #[error("the norm {} is larger than 1; divide all rows by the largest norm (`--normalize`)", digits(*.0))]
    LongRow(f64),
    /// Rows too long for their norm to be a number.
    #[error("the norm is too large for a number; scale the features")]
    HugeRow,
    /// A weight below 0.
    #[error("the weight {0:?} is negative; weights are at least 0")]
    NegativeWeight(f64),
    /// No weight above 0.
    #[error("every weight is 0; at least one must be positive")]
    ZeroWeights,
}

impl Problem {
    /// The problem as an error at a place.
    pub(super) fn at(self, place: Place) -> DataError {
        DataError(Box::new(Details { file: String::new(), place, problem: self }))
    }
}

/// Names in quotes, at most ten of them.
fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "nothing".to_owned();
    }
    let mut text: Vec<String> = names.iter().take(10).map(|name| format!("{name:?}")).collect();
    if names.len() > text.len() {
        text.push(format!("{} more", names.len() - text.len()));
    }
    text.join(", ")
}

/// Nine significant digits, shortened.
fn digits(value: f64) -> String {
    let rounded: f64 = format!("{value:.8e}").parse().unwrap_or(value);
    format!("{rounded:?}")
}

/// A cell's text for a message: one that is not too long.
pub(super) fn excerpt(cell: &[u8]) -> String {
    let text = String::from_utf8_lossy(cell);
    if text.chars().count() <= 40 {
        return text.into_owned();
    }
    text.chars().take(39).chain(['…']).collect()
}
