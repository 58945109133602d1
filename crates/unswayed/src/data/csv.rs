//! Text tables: a line of column names, then one row per line.

use std::io::BufReader;

use csv::{ByteRecord, ReaderBuilder};

use super::error::{DataError, Place, Problem, excerpt};
use super::labels::{LabelCollector, number};
use super::source::Input;
use super::table::{Layout, Part, Role, Roles, Table};

/// Reads the columns of a text table according to their roles.
pub(super) fn read(input: Input, layout: Layout, rows: Option<usize>) -> Result<Table, DataError> {
    let mut reader = open(input);
    let mut record = ByteRecord::new();
    if !reader.read_byte_record(&mut record).map_err(csv_error)? {
        return Err(Problem::NoRows.into());
    }
    let names = header(&record)?;
    let roles = Roles::new(&names, layout)?;
    let mut labels = LabelCollector::new(layout.policy);
    let mut table = Table::new(roles.dimension);
    let mut weights = Vec::new();
    while rows.is_none_or(|rows| table.rows < rows)
        && reader.read_byte_record(&mut record).map_err(csv_error)?
    {
        let row = Place::row(table.rows);
        if record.len() != names.len() {
            return Err(Problem::Ragged { expected: names.len(), found: record.len() }.at(row));
        }
        for (j, cell) in record.iter().enumerate() {
            let cell = cell.trim_ascii();
            let value = || parse(cell).map_err(|problem| problem.at(row.clone().named(&names[j])));
            match roles.of[j] {
                Role::Feature => table.values.push(value()?),
                Role::Weight => weights.push(value()?),
                Role::Label => labels.push(table.rows, cell).map_err(|error| error.in_column(&names[j]))?,
            }
        }
        table.rows += 1;
    }
    table.values.shrink_to_fit();
    table.labels = layout.label_column.map(|name| (labels.finish(), Part::Column(name.to_owned())));
    table.weights = roles.has_weights().then(|| (weights, Part::weight_column()));
    Ok(roles.finish(table))
}

/// The line on which a data row (counted from 1) begins.
pub(super) fn line_of_row(input: Input, row: usize) -> Option<u64> {
    let mut content = input.again().ok()?;
    let mut reader = open(input);
    let mut record = ByteRecord::new();
    for _ in 0..=row {
        reader.read_byte_record(&mut record).ok()?.then_some(())?;
    }
    // The reader remembers a position before the blank lines that it skips.
    let start = record.position()?;
    std::io::Seek::seek(&mut content, std::io::SeekFrom::Start(start.byte())).ok()?;
    let bytes = std::io::Read::bytes(BufReader::new(content)).map_while(Result::ok);
    let breaks = bytes.take_while(|byte| matches!(byte, b'\r' | b'\n')).filter(|&byte| byte == b'\n');
    Some(start.line() + breaks.count() as u64)
}

fn open(input: Input) -> csv::Reader<Input> {
    ReaderBuilder::new().has_headers(false).flexible(true).buffer_capacity(1 << 18).from_reader(input)
}

fn header(record: &ByteRecord) -> Result<Vec<String>, DataError> {
    let names: Vec<String> =
        record.iter().map(|cell| String::from_utf8_lossy(cell.trim_ascii()).into_owned()).collect();
    let counting = names.iter().enumerate().all(|(j, name)| *name == j.to_string());
    if !counting && names.iter().all(|name| number(name.as_bytes()).is_some()) {
        return Err(Problem::NoHeader.into());
    }
    Ok(names)
}

fn parse(cell: &[u8]) -> Result<f64, Problem> {
    match number(cell) {
        Some(value) if value.is_finite() => Ok(value),
        Some(value) => Err(Problem::NotFinite(value)),
        None if cell.is_empty() => Err(Problem::MissingValue),
        None => Err(Problem::NotANumber(excerpt(cell))),
    }
}

#[allow(clippy::needless_pass_by_value)] // used in `map_err`
fn csv_error(error: csv::Error) -> DataError {
    Problem::Unreadable(error.to_string()).into()
}
