//! Text tables: a line of column names, then one row per line.

use csv::{ByteRecord, Reader, ReaderBuilder};

use super::columns::{Columns, Layout, Role};
use crate::error::{DataError, Place, Problem, excerpt};
use crate::labels::{LabelParser, number};
use crate::table::Table;

/// Reads the columns of a text table according to their roles. Returns the table, and how many rows the file has.
pub(super) fn read(content: &[u8], layout: Layout) -> Result<(Table, usize), DataError> {
    let mut reader = open(content);
    let mut record = ByteRecord::new();
    if !next(&mut reader, &mut record)? {
        return Err(Problem::NoRows.into());
    }
    let names = header(&record)?;
    let Columns { roles, names: features } = Columns::new(&names, layout)?;
    let mut table = Table { names: features, ..Table::default() };
    table.columns = table.names.len();
    let (mut labels, mut weights, mut steps) = (LabelParser::default(), Vec::new(), Vec::new());
    let mut rows = 0;
    while next(&mut reader, &mut record)? {
        rows += 1;
        if layout.rows.is_some_and(|wanted| rows > wanted) {
            continue;
        }
        let row = Place::row(rows - 1);
        if record.len() != names.len() {
            return Err(Problem::Ragged { expected: names.len(), found: record.len() }.at(row));
        }
        let start = table.x.len();
        table.x.resize(start + table.columns, 0.0);
        for (j, cell) in record.iter().enumerate() {
            let cell = String::from_utf8_lossy(cell);
            let read = match roles[j] {
                Role::Feature(feature) => parse(&cell).map(|value| table.x[start + feature] = value),
                Role::Weight => parse(&cell).map(|value| weights.push(value)),
                Role::StepWeight => parse(&cell).map(|value| steps.push(value)),
                Role::Label => labels.push(&cell),
            };
            read.map_err(|problem| problem.at(row.clone().at_column(j, &names)))?;
        }
    }
    table.y = layout.label_column.map(|_| labels.finish());
    table.weights = layout.weight_column.map(|_| weights);
    table.step_weights = layout.step_weight_column.map(|_| steps);
    Ok((table, rows))
}

/// The line on which a data row (counted from 1) begins.
pub(super) fn line_of_row(content: &[u8], row: usize) -> Option<u64> {
    let mut reader = open(content);
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

fn open(content: &[u8]) -> Reader<&[u8]> {
    ReaderBuilder::new().has_headers(false).flexible(true).from_reader(content)
}

fn next(reader: &mut Reader<&[u8]>, record: &mut ByteRecord) -> Result<bool, DataError> {
    reader.read_byte_record(record).map_err(|error| Problem::Unreadable(error.to_string()).into())
}

fn header(record: &ByteRecord) -> Result<Vec<String>, DataError> {
    let names: Vec<String> =
        record.iter().map(|cell| String::from_utf8_lossy(cell).trim().to_owned()).collect();
    let counting = names.iter().enumerate().all(|(j, name)| *name == j.to_string());
    if !counting && names.iter().all(|name| number(name).is_some()) {
        return Err(Problem::NoHeader.into());
    }
    Ok(names)
}

fn parse(cell: &str) -> Result<f64, Problem> {
    match number(cell) {
        Some(value) => Ok(value),
        None if cell.trim().is_empty() => Err(Problem::MissingValue),
        None => Err(Problem::NotANumber(excerpt(cell.trim()))),
    }
}
