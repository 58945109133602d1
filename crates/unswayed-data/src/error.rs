//! Why data was refused: where, what, and what to do about it.

use std::fmt;

use thiserror::Error;

use crate::labels::{LONGEST_LABEL, MOST_CLASSES};

/// Why data was refused. Its text is one line that names the file, the place and the remedy, such as
/// `spam.csv: row 17 (line 18), column "age": "n/a" is not a number; remove the row or replace the value`.
///
/// Where the remedy is a setting, [`DataError::for_command_line`] and [`DataError::for_python`] name it:
///
/// ```
/// use unswayed_data::{Reading, Source, load};
///
/// let mail = Source::bytes("mail.csv", "width,label\n0.5,1\n3,0\n");
/// let error = load(&mail, &Reading::default()).unwrap_err();
/// let text = "mail.csv: row 2 (line 3): the norm 3.0 is larger than 1; divide all rows by the largest norm";
/// assert_eq!(error.to_string(), text);
/// assert_eq!(error.for_command_line(), format!("{text} (`--normalize`)"));
/// assert_eq!(error.for_python(), format!("{text} (`normalize=True`)"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DataError(Box<Details>);

#[derive(Clone, Debug, PartialEq)]
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

    /// The text for users of the command: settings are flags.
    pub fn for_command_line(&self) -> String {
        self.render(Some(Setting::flag))
    }

    /// The text for users of the Python package: settings are arguments.
    pub fn for_python(&self) -> String {
        self.render(Some(Setting::argument))
    }

    fn render(&self, name: Option<fn(Setting) -> &'static str>) -> String {
        let Details { file, place, problem } = &*self.0;
        let place = place.to_string();
        let mut text = problem.to_string();
        if !problem.remedy().is_empty() {
            let setting =
                name.zip(problem.setting()).map(|(name, setting)| format!(" (`{}`)", name(setting)));
            text = format!("{text}; {}", problem.remedy().replace("{}", &setting.unwrap_or_default()));
        }
        let parts: Vec<&str> =
            [file, &place, &text].map(String::as_str).into_iter().filter(|part| !part.is_empty()).collect();
        // Names and values from files can hold anything; a message is one line.
        parts.join(": ").replace(char::is_control, " ")
    }

    /// The same error with the file's name, unless it has one already.
    #[must_use]
    pub fn in_file(mut self, file: &str) -> Self {
        if self.0.file.is_empty() {
            file.clone_into(&mut self.0.file);
        }
        self
    }

    /// Names the array of an `.npz` file.
    pub(crate) fn in_array(mut self, array: &str) -> Self {
        self.0.place.array = Some(array.to_owned());
        self
    }

    /// Names the column.
    pub(crate) fn in_column(mut self, name: &str) -> Self {
        self.0.place.column = Some(Column::Name(name.to_owned()));
        self
    }

    /// Names the row, counted from 0.
    #[cfg(feature = "files")]
    pub(crate) fn on_row(mut self, index: usize) -> Self {
        self.0.place.row = Some(index + 1);
        self
    }

    /// Counts the row from the top of the file, where so many rows are above the part that the error is about.
    #[cfg(feature = "files")]
    pub(crate) fn below(mut self, rows: usize) -> Self {
        self.0.place.row = self.0.place.row.map(|row| row + rows);
        self
    }

    /// Names the line of a text file.
    #[cfg(feature = "files")]
    pub(crate) fn on_line(mut self, line: Option<u64>) -> Self {
        self.0.place.line = line;
        self
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(None))
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
#[non_exhaustive]
pub struct Place {
    /// The array of an `.npz` file.
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
    pub(crate) fn row(index: usize) -> Self {
        Self { row: Some(index + 1), ..Self::default() }
    }

    /// The named column.
    #[cfg(feature = "files")]
    pub(crate) fn column(name: &str) -> Self {
        Self { column: Some(Column::Name(name.to_owned())), ..Self::default() }
    }

    /// The same place in the column with this index (counted from 0), by its name if it has one.
    pub(crate) fn at_column(self, index: usize, names: &[String]) -> Self {
        let column = names.get(index).cloned().map_or(Column::Number(index + 1), Column::Name);
        Self { column: Some(column), ..self }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(array) = &self.array {
            parts.push(format!("array {array:?}"));
        }
        if let Some(row) = self.row {
            let line = self.line.map(|line| format!(" (line {line})")).unwrap_or_default();
            parts.push(format!("row {row}{line}"));
        }
        match &self.column {
            Some(Column::Name(name)) => parts.push(format!("column {name:?}")),
            Some(Column::Number(number)) => parts.push(format!("column {number}")),
            None => {}
        }
        f.write_str(&parts.join(", "))
    }
}

/// The part of the data that an error is about.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "files"), allow(dead_code))]
pub(crate) enum Part {
    /// An array of an `.npz` file, or in memory.
    Array(String),
    /// A named column.
    Column(String),
    /// A file of its own.
    File(String),
}

impl Part {
    pub fn memory(name: &str) -> Self {
        Part::Array(name.to_owned())
    }

    /// Names this part in an error.
    pub fn blame(&self, error: DataError) -> DataError {
        match self {
            Part::Array(name) => error.in_array(name),
            Part::Column(name) => error.in_column(name),
            Part::File(name) => error.in_file(name),
        }
    }
}

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

    /// The setting to use or to leave out.
    fn setting(&self) -> Option<Setting> {
        use Problem as P;
        match self {
            P::TooLarge { .. } | P::TooFewRows { .. } | P::ZeroRowsWanted => Some(Setting::Rows),
            P::MissingColumn { role: "step weight", .. } | P::NoStepWeights | P::UnwantedStepWeights => {
                Some(Setting::StepWeightColumn)
            }
            P::MissingColumn { role: "label", .. } | P::UnwantedLabelColumn => Some(Setting::LabelColumn),
            P::MissingColumn { role: "feature", .. } | P::ChosenTwice | P::UnwantedColumns => {
                Some(Setting::Columns)
            }
            P::Dates | P::IndexColumn => Some(Setting::DropColumns),
            P::MissingColumn { .. } | P::UnusedArrays(_) | P::NoWeights | P::UnwantedWeights => {
                Some(Setting::WeightColumn)
            }
            P::NoLabels | P::UnwantedLabels => Some(Setting::LabelFile),
            P::OneClass(_) => Some(Setting::Scores),
            P::ThirdLabel { .. } => Some(Setting::Multiclass),
            P::LongRow(_) => Some(Setting::Normalize),
            P::SparseLabels => Some(Setting::Dense),
            _ => None,
        }
    }

    /// What to do about it; the name of the setting is put where `{}` stands.
    fn remedy(&self) -> &'static str {
        use Problem as P;
        match self {
            P::NotFound => "check the path",
            P::NotAFile => {
                "name a file; several are a folder of tables, a quoted pattern such as 'part-*.parquet', or @names.txt"
            }
            P::UnknownFormat => "use .npz, .npy, .csv, .tsv, .jsonl, .parquet or .svm",
            P::Expands(_) => "if that is right, expand it first",
            P::NotAnObject(_) => "write one object per line",
            P::NewField => "write the same fields on every line",
            P::NoTables => {
                "name a folder of .csv, .tsv, .jsonl or .parquet files, a pattern that fits some, or a list of them"
            }
            P::SeveralArrays => "write .npy, .npz and .svm data as one file",
            P::UnlikeFiles(_) => "write them with the same columns in the same order",
            P::EmptyFile | P::Damaged(_) => "write or download it again",
            P::TooLarge { .. } => "use fewer rows{}",
            P::NoRows | P::NoColumns => "at least one is needed",
            P::ZeroRowsWanted => "ask for at least one{}",
            P::TooFewRows { .. } => "ask for fewer{}",
            P::MissingArray { wanted, .. } => match wanted.as_str() {
                "z" => "save the rows as \"z\" (NumPy: `savez(file, z=…)`)",
                "x" | "y" => {
                    "save the features as \"x\" and the labels as \"y\" (NumPy: `savez(file, x=…, y=…)`)"
                }
                "chosen" | "rejected" => {
                    "save the features of both as \"chosen\" and \"rejected\" (NumPy: `savez(file, chosen=…, rejected=…)`)"
                }
                _ => "check the name",
            },
            P::UnusedArrays(_) => "save the file without them, or name the one that holds weights{}",
            P::AmbiguousArrays | P::DuplicateArray(_) => "keep one of them",
            P::MissingColumn { .. } => "name the column{}",
            P::LabelIsWeight | P::StepWeightIsOther => "name two columns",
            P::ChosenTwice => "name it once{}",
            P::UnwantedColumns => "leave the choice out{}; it goes with tables",
            P::Dates => "leave the column out{}, or make a number of it, such as the days since an event",
            P::DuplicateColumn(..) => "rename or remove one of them",
            P::IndexColumn => {
                "save without the index (pandas: `index=False`), leave it out{}, or name the column"
            }
            P::NoHeader => "add a line of column names above it",
            P::Ragged { .. } => "repair the row",
            P::NotANumber(_) | P::NotFinite(_) => "remove the row or replace the value",
            P::MissingValue => "remove the row or fill in the value",
            P::WrongType(_) => "convert them to float32 or float64",
            P::Encoding(_) => "write the file with snappy compression and the default encodings",
            P::WrongShape { .. } => "reshape it",
            P::NotInParts(_) => {
                "use .npy files stored row by row, or .parquet files; a larger limit reads them as a whole{}"
            }
            P::OtherRows(_) => "do not change files while they are read",
            P::LengthMismatch { .. } => "give exactly one per row",
            P::NoLabels => {
                "name the file of the labels too{}, or save both in one .npz file as \"x\" and \"y\""
            }
            P::UnwantedLabels => {
                "leave them out{}; a file of labels is for .npy features and sparse matrices"
            }
            P::UnwantedLabelColumn => "leave it out{}; it goes with tables that have labels",
            P::NoWeights | P::NoStepWeights => "name the column that holds them{}",
            P::UnwantedWeights => "leave them out{}; a column of weights goes with .npz files and tables",
            P::UnwantedStepWeights => {
                "leave them out{}; a column of step weights goes with .npz files and tables"
            }
            P::OneClass(_) => "add the other class, or take the labels as scores{}",
            P::ThirdLabel { .. } => {
                "keep two classes, use scores between -1 and 1, or certify a learner of several classes{}"
            }
            P::UnknownLabel { .. } => "use the file that the record is about",
            P::ScoreOutOfRange(_) => "scale the scores",
            P::TextScore(_) => "use numbers or two classes",
            P::TooManyClasses | P::LongLabel(_) => "check that this column holds classes",
            P::NotAPair => "remove or rename this one",
            P::NoPartner(_) => "add it, or remove this one",
            P::UnequalPairs { .. } => "save one for each",
            P::LongRow(_) => "divide all rows by the largest norm{}",
            P::HugeRow | P::Overflow => "scale the features",
            P::BadScale(_) => "use a positive number",
            P::NegativeWeight(_) => "weights are at least 0",
            P::ZeroWeights => "at least one must be positive",
            P::BadStepWeight(_) => "step weights are above 0; leave out rows that are to have no effect",
            P::UnknownClassWeight(_) => "name the labels as they are in the file",
            P::NoClassesToWeigh => "use step weights of rows instead",
            P::Unsorted { .. } => {
                "sort the entries and add up those of one column (SciPy: `x.sum_duplicates()`)"
            }
            P::NoSuchColumn { .. } => "correct the entry, or the shape",
            P::AllZero => "there is nothing to learn from",
            P::SparseLabels => "write the zeros out{}, if there are not too many",
            P::NotByRows(_) => "convert it first (SciPy: `x.tocsr()`)",
            P::NotAnEntry(_) => {
                "write a label and then INDEX:VALUE for each entry; query ids are not supported"
            }
            P::Unreadable(_) | P::OddColumns(_) | P::BadOrigin(_) => "",
        }
    }
}

/// A setting that a remedy is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Setting {
    /// Divide rows by the largest norm.
    Normalize,
    /// How many rows are used.
    Rows,
    /// The file of the labels.
    LabelFile,
    /// The label column.
    LabelColumn,
    /// The column or array of weights.
    WeightColumn,
    /// The column or array of step weights.
    StepWeightColumn,
    /// The columns that are features.
    Columns,
    /// The columns that are left out.
    DropColumns,
    /// Labels are scores.
    Scores,
    /// Labels are several classes.
    Multiclass,
    /// Write sparse rows out.
    Dense,
}

impl Setting {
    /// The flag of the command.
    pub fn flag(self) -> &'static str {
        match self {
            Setting::Normalize => "--normalize",
            Setting::Rows => "--rows",
            Setting::LabelFile => "--labels",
            Setting::LabelColumn => "--label-column",
            Setting::WeightColumn => "--weight-column",
            Setting::StepWeightColumn => "--step-weight-column",
            Setting::Columns => "--columns",
            Setting::DropColumns => "--drop-columns",
            Setting::Scores => "--scores",
            Setting::Multiclass => "--loss multiclass",
            Setting::Dense => "--dense",
        }
    }

    /// The argument of the Python package.
    pub fn argument(self) -> &'static str {
        match self {
            Setting::Normalize => "normalize=True",
            Setting::Rows => "rows",
            Setting::LabelFile => "label_file",
            Setting::LabelColumn => "label_column",
            Setting::WeightColumn => "weight_column",
            Setting::StepWeightColumn => "step_weight_column",
            Setting::Columns => "columns",
            Setting::DropColumns => "drop_columns",
            Setting::Scores => "labels=\"scores\"",
            Setting::Multiclass => "labels=\"classes\"",
            Setting::Dense => "dense=True",
        }
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

/// A cell's text for a message: one that is not too long.
pub(crate) fn excerpt(cell: &str) -> String {
    if cell.chars().count() <= 40 {
        return cell.to_owned();
    }
    cell.chars().take(39).chain(['…']).collect()
}
