//! Sparse matrices as `scipy.sparse.save_npz` writes them: arrays `data`, `indices`, `indptr`, `shape` and `format`, by rows.

use super::npz::Npz;
use crate::Pattern;
use crate::error::{DataError, Problem};
use crate::table::Table;

/// The arrays of such a file. `_is_array` says which of SciPy's two classes it was.
pub(super) const ARRAYS: [&str; 6] = ["data", "indices", "indptr", "shape", "format", "_is_array"];

/// Reads the features, and how many rows the file has.
pub(super) fn read(file: &mut Npz, rows: Option<usize>) -> Result<(Table, usize), DataError> {
    let format = file.text("format")?;
    if format != "csr" {
        return Err(DataError::from(Problem::NotByRows(format)).in_array("format"));
    }
    let shape = integers(file, "shape")?;
    let [of, columns] = shape[..] else {
        let wanted = "two numbers";
        return Err(
            DataError::from(Problem::WrongShape { found: vec![shape.len()], wanted }).in_array("shape")
        );
    };
    if of == 0 || columns == 0 {
        return Err(if of == 0 { Problem::NoRows } else { Problem::NoColumns }.into());
    }
    let mut starts = integers(file, "indptr")?;
    if starts.len() - 1 != of {
        let mismatch = Problem::LengthMismatch { rows: of, found: starts.len() - 1 };
        return Err(DataError::from(mismatch).in_array("indptr"));
    }
    let mut values = entries(file, &starts)?;
    let mut indices = integers(file, "indices")?;
    let count = starts.last().copied().unwrap_or(0);
    if values.len() != count || indices.len() != count {
        let damaged = format!("{} entries, {} of columns, but {count} in rows", values.len(), indices.len());
        return Err(Problem::Damaged(damaged).into());
    }
    if let Some(rows) = rows.filter(|rows| *rows < of) {
        starts.truncate(rows + 1);
        let kept = starts[rows].min(count);
        values.truncate(kept);
        indices.truncate(kept);
    }
    let narrow = |index: &usize| u32::try_from(*index).unwrap_or(u32::MAX);
    let pattern = Pattern::new(starts, indices.iter().map(narrow).collect(), columns);
    Ok((Table::sparse(values, pattern.map_err(|error| error.in_array("indices"))?, columns), of))
}

/// The numbers of a matrix; what is wrong with one is said of its row.
fn entries(file: &mut Npz, starts: &[usize]) -> Result<Vec<f64>, DataError> {
    let array = file.array("data").map_err(|error| match (error.problem(), error.place().row) {
        (Problem::NotFinite(_), Some(place)) => {
            let row = starts.partition_point(|start| *start < place).saturating_sub(1);
            error.on_row(row)
        }
        _ => error,
    })?;
    one_dimension("data", array.shape.len(), array.values)
}

fn one_dimension(name: &str, dimensions: usize, values: Vec<f64>) -> Result<Vec<f64>, DataError> {
    match dimensions {
        1 => Ok(values),
        _ => Err(DataError::from(Problem::WrongShape { found: vec![dimensions], wanted: "one dimension" })
            .in_array(name)),
    }
}

/// An array of whole numbers ≥ 0, at least one.
fn integers(file: &mut Npz, name: &str) -> Result<Vec<usize>, DataError> {
    let array = file.array(name)?;
    let values = one_dimension(name, array.shape.len(), array.values)?;
    let whole = |value: &f64| {
        let is_whole = *value >= 0.0 && value.fract() == 0.0 && *value < 9e15;
        is_whole.then_some(*value as usize)
    };
    let found: Option<Vec<usize>> = values.iter().map(whole).collect();
    match found.filter(|found| !found.is_empty() || name == "indices") {
        Some(found) => Ok(found),
        None => {
            Err(DataError::from(Problem::Damaged("it does not hold whole numbers ≥ 0".into())).in_array(name))
        }
    }
}
