//! The svmlight (or libsvm) format: a row a line, its label and then INDEX:VALUE for each entry that is not 0.
//!
//! Indexes increase within a line. They count from 1, or from 0 if an index 0 occurs; columns beyond the largest one are not
//! known of. What follows a `#` is a comment.

use crate::Pattern;
use crate::error::{DataError, Place, Problem, excerpt};
use crate::labels::RawLabels;
use crate::table::Table;

/// Reads all rows, or the first ones, and how many there are.
pub(super) fn read(content: &[u8], rows: Option<usize>) -> Result<(Table, usize), DataError> {
    let (mut values, mut columns, mut starts, mut y) = (Vec::new(), Vec::new(), vec![0], Vec::new());
    let mut of = 0;
    for (line, text) in content.split(|byte| *byte == b'\n').enumerate() {
        let text = text.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii();
        if text.is_empty() {
            continue;
        }
        of += 1;
        if rows.is_some_and(|rows| of > rows) {
            continue;
        }
        let at_line = |error: DataError| error.on_row(of - 1).on_line(Some(line as u64 + 1));
        row(text, &mut y, &mut columns, &mut values).map_err(at_line)?;
        starts.push(columns.len());
    }
    if of == 0 {
        return Err(Problem::NoRows.into());
    }
    let first = u32::from(!columns.contains(&0));
    for column in &mut columns {
        *column -= first;
    }
    let width = columns.iter().max().map_or(0, |last| *last as usize + 1);
    let table = Table::sparse(values, Pattern::new(starts, columns, width)?, width);
    Ok((Table { y: Some(RawLabels::Numbers(y)), ..table }, of))
}

/// Appends a row's label and entries.
fn row(
    text: &[u8],
    y: &mut Vec<f64>,
    columns: &mut Vec<u32>,
    values: &mut Vec<f64>,
) -> Result<(), DataError> {
    let text = String::from_utf8_lossy(text);
    let mut words = text.split_ascii_whitespace();
    y.push(number(words.next().unwrap_or_default()).map_err(|error| error.in_column("label"))?);
    let mut before = None;
    for word in words {
        let entry = word.split_once(':').and_then(|(index, value)| Some((index.parse::<u32>().ok()?, value)));
        let Some((column, value)) = entry else {
            return Err(Problem::NotAnEntry(excerpt(word)).into());
        };
        if let Some(before) = before.filter(|before| *before >= column) {
            return Err(Problem::Unsorted { column, before }.into());
        }
        let place = || Place { column: Some(crate::Column::Name(column.to_string())), ..Place::default() };
        let value: f64 = value.parse().map_err(|_| Problem::NotANumber(excerpt(value)).at(place()))?;
        if !value.is_finite() {
            return Err(Problem::NotFinite(value).at(place()));
        }
        columns.push(column);
        values.push(value);
        before = Some(column);
    }
    Ok(())
}

fn number(word: &str) -> Result<f64, DataError> {
    match word.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(value) => Err(Problem::NotFinite(value).into()),
        Err(_) => Err(Problem::NotANumber(excerpt(word)).into()),
    }
}
