//! Rows that come line by line, from a stream that has no end.

use super::columns::{Columns, Role};
use super::text::{self, Dialect};
use super::{json, layout};
use crate::Reading;
use crate::error::{DataError, Place, Problem};
use crate::labels::number;

/// A row of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The features, in the order of [`Lines::features`].
    pub x: Vec<f64>,
    /// The label, without surrounding white space; a number in its shortest form. None if rows have no labels.
    pub label: Option<String>,
}

/// Reads a stream of rows: `.csv` or `.tsv` with a line of names, or a JSON object a line. Which of them is told from the first line.
/// Names of columns, labels and features are those of the reading; what it says about classes and division does not matter here.
///
/// ```
/// use unswayed_data::{Lines, Reading};
///
/// let mut lines = Lines::new(Reading::default());
/// assert_eq!(lines.read(b"width,height,label")?, None);
/// let row = lines.read(b"0.5,0.1,spam")?.unwrap();
/// assert_eq!((row.x, row.label.as_deref()), (vec![0.5, 0.1], Some("spam")));
/// assert!(lines.read(b"0.5,spam").is_err());
/// assert_eq!(lines.features(), ["width", "height"]);
/// # Ok::<(), unswayed_data::DataError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Lines {
    reading: Reading,
    header: Option<Header>,
}

/// What the first line said.
#[derive(Clone, Debug)]
struct Header {
    line: Vec<u8>,
    dialect: Dialect,
    names: Vec<String>,
    roles: Vec<Role>,
    features: Vec<String>,
}

impl Lines {
    /// A stream of which nothing has been read.
    pub fn new(reading: Reading) -> Self {
        Lines { reading, header: None }
    }

    /// The row of the next line; none if the line is blank, or names the columns. Such a line may come again, as it does where a
    /// file is replaced by the next one.
    ///
    /// # Errors
    ///
    /// A line that is not a row with exactly the columns of the first one, and values that are not finite numbers.
    pub fn read(&mut self, line: &[u8]) -> Result<Option<Line>, DataError> {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
        if line.is_empty() {
            return Ok(None);
        }
        let header = match &self.header {
            Some(header) => header,
            None => self.header.insert(Header::of(line, &self.reading)?),
        };
        if header.dialect != Dialect::Json && line == header.line {
            return Ok(None);
        }
        header.row(line).map(Some)
    }

    /// The names of the features; empty before the first line.
    pub fn features(&self) -> &[String] {
        self.header.as_ref().map_or(&[], |header| &header.features)
    }

    /// The line that named the columns. Whoever continues in the middle of a stream reads it first.
    pub fn first_line(&self) -> Option<&[u8]> {
        self.header.as_ref().map(|header| header.line.as_slice())
    }
}

impl Header {
    fn of(line: &[u8], reading: &Reading) -> Result<Self, DataError> {
        let dialect = match line {
            [b'{', ..] => Dialect::Json,
            _ if line.contains(&b'\t') => Dialect::Separated(b'\t'),
            _ => Dialect::Separated(b','),
        };
        let names = text::names(line, dialect)?;
        let Columns { roles, names: features } = Columns::new(&names, layout(true, reading))?;
        Ok(Header { line: line.to_vec(), dialect, names, roles, features })
    }

    fn row(&self, line: &[u8]) -> Result<Line, DataError> {
        let mut row = Line { x: vec![0.0; self.features.len()], label: None };
        let cells = match self.dialect {
            Dialect::Json => {
                self.refuse_unknown(line)?;
                json::Rows::new(&self.names, &self.roles).cells(line)?
            }
            Dialect::Separated(separator) => text::cells(line, separator, self.names.len())?,
        };
        for (j, cell) in cells.iter().enumerate() {
            let read = match self.roles[j] {
                Role::Feature(feature) => {
                    text::parse(cell).and_then(finite).map(|value| row.x[feature] = value)
                }
                Role::Label => {
                    label(cell.as_deref().unwrap_or_default()).map(|label| row.label = Some(label))
                }
                Role::Weight | Role::StepWeight | Role::Ignored => Ok(()),
            };
            read.map_err(|problem| problem.at(Place::default().at_column(j, &self.names)))?;
        }
        Ok(row)
    }

    /// A field that the first line does not have is no feature by accident.
    fn refuse_unknown(&self, line: &[u8]) -> Result<(), DataError> {
        let fields = json::fields(line)?;
        match fields.iter().find(|(name, _)| !self.names.contains(name)) {
            Some((name, _)) => Err(Problem::NewField.at(Place::column(name))),
            None => Ok(()),
        }
    }
}

fn finite(value: f64) -> Result<f64, Problem> {
    if value.is_finite() { Ok(value + 0.0) } else { Err(Problem::NotFinite(value)) }
}

fn label(text: &str) -> Result<String, Problem> {
    match (text.trim(), number(text)) {
        ("", _) => Err(Problem::MissingValue),
        (_, Some(value)) => finite(value).map(|value| value.to_string()),
        (text, None) => Ok(text.to_owned()),
    }
}
