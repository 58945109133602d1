//! Tables that are text: `.csv` and `.tsv` with a line of names, `.jsonl` with an object a line.

use std::borrow::Cow;
use std::collections::HashSet;

use csv::{ByteRecord, Reader, ReaderBuilder};

use super::columns::{Columns, Layout, Role};
use super::json;
use crate::error::{DataError, Place, Problem, excerpt};
use crate::labels::{LabelParser, number};
use crate::table::Table;

/// How rows are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Cells separated by this byte.
    Separated(u8),
    /// A JSON object a line.
    Json,
}

/// A cell: its text, or `None` for JSON's null and for a field that the row does not have.
pub(super) type Cell<'a> = Option<Cow<'a, str>>;

/// The names of the columns: the first line, or all fields in the order in which they appear.
pub(super) fn names(content: &[u8], dialect: Dialect) -> Result<Vec<String>, DataError> {
    let Dialect::Separated(separator) = dialect else {
        return field_names(content);
    };
    let mut record = ByteRecord::new();
    if !next(&mut open(content, separator), &mut record)? {
        return Err(Problem::NoRows.into());
    }
    let names: Vec<String> =
        record.iter().map(|cell| String::from_utf8_lossy(cell).trim().to_owned()).collect();
    let counting = names.iter().enumerate().all(|(j, name)| *name == j.to_string());
    if !counting && names.iter().all(|name| number(name).is_some()) {
        return Err(Problem::NoHeader.into());
    }
    Ok(names)
}

fn field_names(content: &[u8]) -> Result<Vec<String>, DataError> {
    let (mut names, mut known) = (Vec::new(), HashSet::new());
    for (row, line) in json::lines(content).enumerate() {
        for (name, _) in json::fields(line).map_err(|problem| problem.at(Place::row(row)))? {
            if !known.contains(&name) {
                known.insert(name.clone());
                names.push(name);
            }
        }
    }
    if names.is_empty() { Err(Problem::NoRows.into()) } else { Ok(names) }
}

/// Calls `row` with the number of every row, from 0, and its cells in the order of the names. Cells of rows from `wanted` on, and
/// those that are left out, are not looked at. Returns how many rows there are.
pub(super) fn for_each(
    content: &[u8],
    dialect: Dialect,
    names: &[String],
    roles: &[Role],
    wanted: Option<usize>,
    mut row: impl FnMut(usize, &[Cell]) -> Result<(), DataError>,
) -> Result<usize, DataError> {
    let is_wanted = |rows: usize| wanted.is_none_or(|wanted| rows < wanted);
    let mut rows = 0;
    match dialect {
        Dialect::Json => {
            let reader = json::Rows::new(names, roles);
            for line in json::lines(content) {
                if is_wanted(rows) {
                    row(rows, &reader.cells(line).map_err(|error| error.on_row(rows))?)?;
                }
                rows += 1;
            }
        }
        Dialect::Separated(separator) => {
            let (mut reader, mut record) = (open(content, separator), ByteRecord::new());
            next(&mut reader, &mut record)?;
            while next(&mut reader, &mut record)? {
                if is_wanted(rows) {
                    if record.len() != names.len() {
                        let ragged = Problem::Ragged { expected: names.len(), found: record.len() };
                        return Err(ragged.at(Place::row(rows)));
                    }
                    let cells: Vec<Cell> =
                        record.iter().map(|cell| Some(String::from_utf8_lossy(cell))).collect();
                    row(rows, &cells)?;
                }
                rows += 1;
            }
        }
    }
    Ok(rows)
}

/// The cells of a line that is a row by itself.
pub(super) fn cells(line: &[u8], separator: u8, expected: usize) -> Result<Vec<Cell<'static>>, DataError> {
    let mut record = ByteRecord::new();
    next(&mut open(line, separator), &mut record)?;
    if record.len() != expected {
        return Err(Problem::Ragged { expected, found: record.len() }.into());
    }
    Ok(record.iter().map(|cell| Some(String::from_utf8_lossy(cell).into_owned().into())).collect())
}

/// Reads the columns of a text table according to their roles. Returns the table, and how many rows the file has.
pub(super) fn read(content: &[u8], dialect: Dialect, layout: Layout) -> Result<(Table, usize), DataError> {
    let names = names(content, dialect)?;
    let Columns { roles, names: features } = Columns::new(&names, layout)?;
    let mut table = Table { names: features, ..Table::default() };
    table.columns = table.names.len();
    let (mut labels, mut weights, mut steps) = (LabelParser::default(), Vec::new(), Vec::new());
    let rows = for_each(content, dialect, &names, &roles, layout.rows, |row, cells| {
        let start = table.x.len();
        table.x.resize(start + table.columns, 0.0);
        for (j, cell) in cells.iter().enumerate() {
            let read = match roles[j] {
                Role::Feature(feature) => parse(cell).map(|value| table.x[start + feature] = value),
                Role::Weight => parse(cell).map(|value| weights.push(value)),
                Role::StepWeight => parse(cell).map(|value| steps.push(value)),
                Role::Label => labels.push(cell.as_deref().unwrap_or_default()),
                Role::Ignored => Ok(()),
            };
            read.map_err(|problem| problem.at(Place::row(row).at_column(j, &names)))?;
        }
        Ok(())
    })?;
    table.y = layout.label_column.map(|_| labels.finish());
    table.weights = layout.weight_column.map(|_| weights);
    table.step_weights = layout.step_weight_column.map(|_| steps);
    Ok((table, rows))
}

/// The line on which a data row (counted from 1) begins.
pub(super) fn line_of_row(content: &[u8], dialect: Dialect, row: usize) -> Option<u64> {
    let Dialect::Separated(separator) = dialect else { return json::line_of_row(content, row) };
    let mut reader = open(content, separator);
    let mut record = ByteRecord::new();
    for _ in 0..=row {
        reader.read_byte_record(&mut record).ok()?.then_some(())?;
    }
    // The reader remembers a position before the blank lines that it skips.
    let start = record.position()?;
    let rest = content.get(usize::try_from(start.byte()).ok()?..)?;
    let breaks = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).filter(|&&byte| byte == b'\n');
    Some(start.line() + breaks.count() as u64)
}

fn open(content: &[u8], separator: u8) -> Reader<&[u8]> {
    ReaderBuilder::new().has_headers(false).flexible(true).delimiter(separator).from_reader(content)
}

fn next(reader: &mut Reader<&[u8]>, record: &mut ByteRecord) -> Result<bool, DataError> {
    reader.read_byte_record(record).map_err(|error| Problem::Unreadable(error.to_string()).into())
}

/// A cell as a number.
pub(super) fn parse(cell: &Cell) -> Result<f64, Problem> {
    let cell = cell.as_deref().unwrap_or_default();
    match number(cell) {
        Some(value) => Ok(value),
        None if cell.trim().is_empty() => Err(Problem::MissingValue),
        None => Err(Problem::NotANumber(excerpt(cell.trim()))),
    }
}
