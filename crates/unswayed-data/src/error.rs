//! Why data was refused: where, what, and what to do about it.

mod problem;
mod remedy;

use std::fmt;

pub use problem::Problem;
pub use remedy::Setting;

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

/// A cell's text for a message: one that is not too long.
pub(crate) fn excerpt(cell: &str) -> String {
    if cell.chars().count() <= 40 {
        return cell.to_owned();
    }
    cell.chars().take(39).chain(['…']).collect()
}
