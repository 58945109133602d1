//! What can be wrong with data.

use thiserror::Error;

use super::{DataError, Details, Place, excerpt};
use crate::labels::{LONGEST_LABEL, MOST_CLASSES};

/// What is wrong with data.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// There is no file of that name.
    #[error("there is no such file")]
    NotFound,
    /// The path is a directory or another thing that is not a file.
    #[error("this is not a file")]
    NotAFile,
    /// The file's name does not end in a known extension.
    #[error("the format is told from the file's ending, and this one is not known")]
    UnknownFormat,
    /// The operating system could not read the file.
    #[error("the file cannot be read: {0}")]
    Unreadable(String),
    /// The file has no content.
    #[error("the file is empty")]
    EmptyFile,
    /// The file ends early or contradicts itself.
    #[error("the file is cut short or damaged ({0})")]
    Damaged(String),
    /// A compressed text that is too large for its file.
    #[error("it expands to more than {0} times its size")]
    Expands(usize),
    /// A line of a `.jsonl` file that is not a JSON object.
    #[error("the line is not a JSON object with one value for each field ({0})")]
    NotAnObject(String),
    /// A field that the first object of a stream does not have.
    #[error("the first line has no such field")]
    NewField,
    /// A folder without tables.
    #[error("there are no tables in this folder")]
    NoTables,
    /// The files of a folder are not alike.
    #[error(
        "its format, its columns or its kind of labels are not those of {0:?}, with which it is to be one table"
    )]
    UnlikeFiles(String),
    /// Several files that are no tables.
    #[error("several files are one dataset only if they are tables")]
    SeveralArrays,
    /// More values than memory, or than a file of this size can hold.
    #[error("{rows} rows of {columns} columns are more than fits into memory, or into a file of this size")]
    TooLarge {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
    },
    /// No rows.
    #[error("there are no rows")]
    NoRows,
    /// No feature columns.
    #[error("there are no feature columns")]
    NoColumns,
    /// Fewer rows than asked for.
    #[error("the first {wanted} rows were asked for, but there are only {found}")]
    TooFewRows {
        /// Rows asked for.
        wanted: usize,
        /// Rows there are.
        found: usize,
    },
    /// Zero rows were asked for.
    #[error("zero rows were asked for")]
    ZeroRowsWanted,
    /// An array that is needed is not in the file.
    #[error("there is no array {wanted:?}; the file has {}", list(.present))]
    MissingArray {
        /// The array's name.
        wanted: String,
        /// The arrays there are.
        present: Vec<String>,
    },
    /// Arrays that are not used.
    #[error("there are arrays that are not used: {}", list(.0))]
    UnusedArrays(Vec<String>),
    /// Both `x` and `z` are in the file.
    #[error("the file has both \"x\" and \"z\", so the rows could be made in two ways")]
    AmbiguousArrays,
    /// An archive has two members of one name.
    #[error("the file has two arrays {0:?}")]
    DuplicateArray(String),
    /// A column that was named is not in the file.
    #[error("there is no {role} column {wanted:?}; the file has {}", list(.present))]
    MissingColumn {
        /// `label`, `weight`, `step weight` or `feature`.
        role: &'static str,
        /// The column's name.
        wanted: String,
        /// The columns there are.
        present: Vec<String>,
    },
    /// A column was chosen twice.
    #[error("the column is chosen twice")]
    ChosenTwice,
    /// Columns were chosen for a format without column names.
    #[error("columns were chosen, but the columns of this file have no names")]
    UnwantedColumns,
    /// A column holds dates or times.
    #[error("the values are dates or times")]
    Dates,
    /// One column was named for labels and for weights.
    #[error("the column is named for the labels and for the weights")]
    LabelIsWeight,
    /// One column was named for step weights and for something else.
    #[error("the column is named for the step weights and for the labels or weights")]
    StepWeightIsOther,
    /// Two columns have the same name.
    #[error("columns {0} and {1} have this name")]
    DuplicateColumn(usize, usize),
    /// A column has no name, or is the row number that a table library saved along.
    #[error("the column is a saved row index or has no name")]
    IndexColumn,
    /// The first line of a text file is data.
    #[error("the first line holds numbers")]
    NoHeader,
    /// A row has more or fewer cells than there are columns.
    #[error("the row has {found} cells instead of {expected}")]
    Ragged {
        /// The number of columns.
        expected: usize,
        /// Cells in the row.
        found: usize,
    },
    /// A cell is not a number.
    #[error("{0:?} is not a number")]
    NotANumber(String),
    /// A value is NaN or infinite.
    #[error("{0} is not a finite number")]
    NotFinite(f64),
    /// A row z is not finite, although what it is made of is.
    #[error("the row is too large for a number once it is made")]
    Overflow,
    /// A cell is empty or null.
    #[error("the value is missing")]
    MissingValue,
    /// The values are of a type that is not a real number.
    #[error("the values are of type {0}")]
    WrongType(String),
    /// The columns of a table are compressed or encoded in a way that is not supported.
    #[error("the {0} is not supported")]
    Encoding(String),
    /// An array has the wrong number of dimensions.
    #[error("the array has the shape {found:?}, but {wanted} is needed")]
    WrongShape {
        /// The shape found.
        found: Vec<usize>,
        /// What is needed.
        wanted: &'static str,
    },
    /// Labels or weights are not as many as rows.
    #[error("there are {found} values for {rows} rows")]
    LengthMismatch {
        /// Number of rows.
        rows: usize,
        /// Number of values.
        found: usize,
    },
    /// Features came without labels.
    #[error("there are features but no labels")]
    NoLabels,
    /// Labels were given although they are in the data file or not wanted.
    #[error("labels were given beside data that take none")]
    UnwantedLabels,
    /// A label column was named for a format without column names, or for data without labels.
    #[error("a label column was named, but these data have none")]
    UnwantedLabelColumn,
    /// Weights are needed, and there are none.
    #[error("the rows are to be weighted, but there are no weights")]
    NoWeights,
    /// Weights were given or named, and there is no place for them.
    #[error("weights were given or named, but these data take none")]
    UnwantedWeights,
    /// Step weights are needed, and there are none.
    #[error("steps are to be weighted, but there are no step weights")]
    NoStepWeights,
    /// Step weights were given or named, and there is no place for them.
    #[error("step weights were given or named, but these data take none")]
    UnwantedStepWeights,
    /// All labels are equal.
    #[error("every label is {0:?}, and two classes are needed")]
    OneClass(String),
    /// A third label, and not all labels are numbers in [−1, 1].
    #[error("{third:?} is a third label beside {first:?} and {second:?}")]
    ThirdLabel {
        /// The label seen first.
        first: String,
        /// The label seen second.
        second: String,
        /// The label seen third.
        third: String,
    },
    /// A label that an origin does not name.
    #[error("the label {label:?} is none of the {known} that these data are said to have")]
    UnknownLabel {
        /// The label.
        label: String,
        /// How many labels are named.
        known: usize,
    },
    /// A score outside [−1, 1].
    #[error("the score {0:?} is not between -1 and 1")]
    ScoreOutOfRange(f64),
    /// Scores were asked for, but the labels are text.
    #[error("the label {0:?} is not a number, so it cannot be a score")]
    TextScore(String),
    /// Labels of so many kinds that they cannot be meant as classes.
    #[error("there are more than {MOST_CLASSES} different labels")]
    TooManyClasses,
    /// A text that is too long for a label.
    #[error("the label has {0} bytes, and {LONGEST_LABEL} are the most")]
    LongLabel(usize),
    /// A column of a file of preferences that is neither half of a pair.
    #[error("the columns of preferences are called chosen_… and rejected_…")]
    NotAPair,
    /// A column of a file of preferences without the other half.
    #[error("there is no column {0:?} to go with it")]
    NoPartner(String),
    /// An array of preferences that cannot be halved.
    #[error("{0} columns cannot be halved; the first half is what was chosen, the second what was rejected")]
    OddColumns(usize),
    /// Chosen and rejected ones of different shapes.
    #[error("it has the shape {found:?}, but \"chosen\" has {expected:?}")]
    UnequalPairs {
        /// The shape of `chosen`.
        expected: Vec<usize>,
        /// The shape of `rejected`.
        found: Vec<usize>,
    },
    /// A row is longer than 1.
    #[error("the norm {} is larger than 1", digits(*.0))]
    LongRow(f64),
    /// Rows too long for their norm to be a number.
    #[error("the norm is too large for a number")]
    HugeRow,
    /// A scale that is no positive number.
    #[error("rows cannot be divided by {0}")]
    BadScale(f64),
    /// A weight below 0.
    #[error("the weight {0:?} is negative")]
    NegativeWeight(f64),
    /// No weight above 0.
    #[error("every weight is 0")]
    ZeroWeights,
    /// A step weight that no step can have.
    #[error("the step weight {0:?} is not a positive number")]
    BadStepWeight(f64),
    /// A weight for a class that there is not.
    #[error("there is a class weight for {0:?}, which is no label of these rows")]
    UnknownClassWeight(String),
    /// Class weights for labels that are not two classes.
    #[error("class weights were given, but the labels are not two classes")]
    NoClassesToWeigh,
    /// The columns of a sparse row are not in order.
    #[error("column index {column} comes after {before}, but the indexes of a row must increase")]
    Unsorted {
        /// The column, as an index from 0.
        column: u32,
        /// The one before it.
        before: u32,
    },
    /// A sparse row has an entry in a column that there is not.
    #[error("column index {column} is out of range: there are {columns} columns, counted from 0")]
    NoSuchColumn {
        /// The column, as an index from 0.
        column: u32,
        /// Number of columns.
        columns: usize,
    },
    /// Sparse rows in which every entry is 0.
    #[error("every entry is 0")]
    AllZero,
    /// Sparse rows with labels that are not classes or scores.
    #[error("sparse rows are supported for labels that are two classes or scores, and for rows z")]
    SparseLabels,
    /// A sparse matrix that is not stored by rows.
    #[error("the matrix is not stored by rows (its format is {0:?})")]
    NotByRows(String),
    /// A word of an svmlight file that is not an entry.
    #[error("{0:?} is not an entry like 7:0.5")]
    NotAnEntry(String),
    /// Data that can only be read as a whole.
    #[error("{0} cannot be read in parts")]
    NotInParts(&'static str),
    /// Rows that are not those that were read before.
    #[error("these are not the certified rows: {0}")]
    OtherRows(String),
    /// An origin that no data can have.
    #[error("the record of how the rows were made is wrong: {0}")]
    BadOrigin(String),
}

impl Problem {
    /// The problem as an error at a place.
    pub(crate) fn at(self, place: Place) -> DataError {
        DataError(Box::new(Details { file: String::new(), place, problem: self }))
    }
}

/// Names in quotes, at most ten of them.
fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "nothing".to_owned();
    }
    let mut text: Vec<String> = names.iter().take(10).map(|name| format!("{:?}", excerpt(name))).collect();
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
