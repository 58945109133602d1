//! Texts: the rows of a table.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::{EncodeError, brief, list, unreadable};

/// Which columns of a table are used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// The text.
    pub text: String,
    /// The second text, for pairs of texts.
    pub pair: Option<String>,
    /// The label, if there is one.
    pub label: Option<String>,
}

impl Default for Columns {
    /// The columns `text` and `label`.
    fn default() -> Self {
        Columns { text: "text".to_owned(), pair: None, label: Some("label".to_owned()) }
    }
}

/// Texts, or pairs of texts, with labels if there are any.
#[derive(Clone, Debug)]
pub struct Texts {
    path: PathBuf,
    rows: Vec<Row>,
}

/// One row.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub text: String,
    pub pair: Option<String>,
    label: Option<String>,
    line: u64,
}

impl Texts {
    /// Reads a .csv file with a header, or a .jsonl file with one object per line; all rows, or the first.
    ///
    /// # Errors
    ///
    /// Refuses files without these columns and rows that cannot be read.
    pub fn open(
        path: impl AsRef<Path>,
        columns: &Columns,
        rows: Option<usize>,
    ) -> Result<Texts, EncodeError> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
        let csv = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
        let limit = rows.unwrap_or(usize::MAX);
        let read = if csv { read_csv } else { read_json_lines };
        let texts = Texts { path: path.to_owned(), rows: read(&bytes, columns, limit, path)? };
        let (file, found) = (path.display().to_string(), texts.rows.len());
        match rows {
            _ if found == 0 => Err(EncodeError::NoRows { file }),
            Some(wanted) if wanted > found => Err(EncodeError::TooFewRows { file, wanted, found }),
            _ => Ok(texts),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The labels, if a column was asked for.
    pub fn labels(&self) -> Option<Vec<&str>> {
        self.rows.iter().map(|row| row.label.as_deref()).collect()
    }

    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The row's name for messages.
    pub(crate) fn place(&self, row: usize) -> String {
        place(&self.path, row, self.rows[row].line)
    }
}

fn place(path: &Path, row: usize, line: u64) -> String {
    format!("{}: row {} (line {line})", path.display(), row + 1)
}

/// The columns that are wanted, each with the flag that names it.
fn wanted(columns: &Columns) -> impl Iterator<Item = (&str, &'static str)> {
    let text = (columns.text.as_str(), "--text-column");
    let pair = columns.pair.as_deref().map(|name| (name, "--pair-column"));
    let label = columns.label.as_deref().map(|name| (name, "--label-column, or say --unlabelled"));
    std::iter::once(text).chain(pair).chain(label)
}

fn read_csv(bytes: &[u8], columns: &Columns, limit: usize, path: &Path) -> Result<Vec<Row>, EncodeError> {
    let mut reader = csv::Reader::from_reader(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let file = || path.display().to_string();
    let failed = |row: usize, error: &csv::Error| match error.position() {
        Some(position) => EncodeError::Row {
            place: place(path, row, position.line()),
            cause: format!("cannot be read ({}); repair the row", brief(error)),
        },
        None => unreadable(path, error),
    };
    let header = reader.headers().map_err(|error| failed(0, &error))?.clone();
    let mut places = Vec::new();
    for (column, flag) in wanted(columns) {
        let found = header.iter().position(|name| name.trim() == column);
        places.push(found.ok_or_else(|| EncodeError::MissingColumn {
            place: file(),
            column: column.to_owned(),
            found: list(&header),
            flag,
        })?);
    }
    let mut rows = Vec::new();
    for record in reader.records().take(limit) {
        let record = record.map_err(|error| failed(rows.len(), &error))?;
        let mut cells = places.iter().map(|&place| record.get(place).unwrap_or_default().to_owned());
        rows.push(Row {
            text: cells.next().unwrap_or_default(),
            pair: columns.pair.as_ref().and_then(|_| cells.next()),
            label: columns.label.as_ref().and_then(|_| cells.next()),
            line: record.position().map_or(0, csv::Position::line),
        });
    }
    Ok(rows)
}

fn read_json_lines(
    bytes: &[u8],
    columns: &Columns,
    limit: usize,
    path: &Path,
) -> Result<Vec<Row>, EncodeError> {
    let lines = bytes.split(|byte| *byte == b'\n').enumerate();
    let mut rows = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.trim_ascii().is_empty()).take(limit) {
        let line_number = number as u64 + 1;
        let place = || place(path, rows.len(), line_number);
        let object: Value = serde_json::from_slice(line).map_err(|error| EncodeError::Row {
            place: place(),
            cause: format!("not a JSON object ({}); repair the line", brief(&error)),
        })?;
        let mut cells = Vec::new();
        for (column, flag) in wanted(columns) {
            cells.push(cell(&object, column, flag, &place)?);
        }
        let mut cells = cells.into_iter();
        rows.push(Row {
            text: cells.next().unwrap_or_default(),
            pair: columns.pair.as_ref().and_then(|_| cells.next()),
            label: columns.label.as_ref().and_then(|_| cells.next()),
            line: line_number,
        });
    }
    Ok(rows)
}

/// A field as text: strings as they are, numbers and truth values as JSON writes them.
fn cell(
    object: &Value,
    column: &str,
    flag: &'static str,
    place: &impl Fn() -> String,
) -> Result<String, EncodeError> {
    match object.get(column) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(value @ (Value::Number(_) | Value::Bool(_))) => Ok(value.to_string()),
        Some(_) => Err(EncodeError::Row {
            place: place(),
            cause: format!(
                "the field {column:?} is neither text nor a number; remove the row or replace the value"
            ),
        }),
        None => Err(EncodeError::MissingColumn {
            place: place(),
            column: column.to_owned(),
            found: list(object.as_object().iter().flat_map(|fields| fields.keys()).map(String::as_str)),
            flag,
        }),
    }
}
