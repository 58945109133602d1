//! Several files as one table.

use super::columns::Layout;
use super::source::{Format, Opened};
use super::{parquet, text, with_line};
use crate::error::{DataError, Problem};
use crate::table::Table;

/// The rows of all files, one after the other, and how many rows the files have.
pub(super) fn tables(files: &[Opened], layout: Layout) -> Result<(Table, usize), DataError> {
    let mut all: Option<(Table, usize)> = None;
    for file in files {
        let have = all.as_ref().map_or(0, |(table, _)| table.rows());
        let layout = Layout { rows: layout.rows.map(|wanted| wanted - have), ..layout };
        let read = match file.format {
            Format::Text(dialect) => text::read(&file.content, dialect, layout),
            Format::Parquet => parquet::read(&file.content, layout),
            Format::Npy | Format::Npz | Format::Svmlight => {
                Err(Problem::UnlikeFiles(files[0].base_name()).into())
            }
        };
        let blame = |error: DataError| match files.len() {
            1 => error,
            _ => with_line(error, file).in_file(&file.path),
        };
        let (table, of) = read.map_err(blame)?;
        all = Some(match all {
            None => (table, of),
            Some((first, before)) => {
                let unlike = || blame(Problem::UnlikeFiles(files[0].base_name()).into());
                (append(first, table).ok_or_else(unlike)?, before + of)
            }
        });
    }
    all.ok_or_else(|| Problem::NoTables.into())
}

/// Two tables with the same columns and the same kind of labels.
pub(super) fn append(mut all: Table, next: Table) -> Option<Table> {
    if all.names != next.names {
        return None;
    }
    if next.x.is_empty() {
        return Some(all);
    }
    if all.x.is_empty() {
        return Some(next);
    }
    all.x.extend(next.x);
    if let (Some(weights), Some(more)) = (&mut all.weights, next.weights) {
        weights.extend(more);
    }
    if let (Some(steps), Some(more)) = (&mut all.step_weights, next.step_weights) {
        steps.extend(more);
    }
    all.y = match (all.y, next.y) {
        (None, None) => None,
        (Some(y), Some(more)) => Some(y.followed_by(more)?),
        _ => return None,
    };
    Some(all)
}
