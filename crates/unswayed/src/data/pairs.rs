//! Preferences: features of what was chosen and of what was rejected, side by side.

use super::error::{DataError, Place, Problem};
use super::table::Table;

/// For each feature of a row, the columns of the chosen one and of the rejected one.
pub(super) type Pairs = Vec<(usize, usize)>;

const CHOSEN: &str = "chosen_";
const REJECTED: &str = "rejected_";

/// Matches the columns `chosen_…` with the columns `rejected_…`, in the order of the former.
pub(super) fn by_name(names: &[String]) -> Result<Pairs, DataError> {
    let mut pairs = Pairs::new();
    for (column, name) in names.iter().enumerate() {
        let (is_chosen, partner) = match (name.strip_prefix(CHOSEN), name.strip_prefix(REJECTED)) {
            (Some(feature), _) => (true, format!("{REJECTED}{feature}")),
            (_, Some(feature)) => (false, format!("{CHOSEN}{feature}")),
            _ => return Err(Problem::NotAPair.at(Place::column(name))),
        };
        let Some(other) = names.iter().position(|name| *name == partner) else {
            return Err(Problem::NoPartner(partner).at(Place::column(name)));
        };
        if is_chosen {
            pairs.push((column, other));
        }
    }
    Ok(pairs)
}

/// The first half of the columns is the chosen one.
pub(super) fn halves(columns: usize) -> Result<Pairs, DataError> {
    if !columns.is_multiple_of(2) {
        return Err(Problem::OddColumns(columns).into());
    }
    Ok((0..columns / 2).map(|column| (column, columns / 2 + column)).collect())
}

/// Rows chosen − rejected.
pub(super) fn differences(table: Table, pairs: &Pairs) -> Table {
    let difference = |row: &[f64]| -> Vec<f64> { pairs.iter().map(|&(i, j)| row[i] - row[j]).collect() };
    let values = table.values.chunks_exact(table.dimension).flat_map(difference).collect();
    let feature = |&(chosen, _): &(usize, usize)| {
        let name = table.names.get(chosen)?;
        Some(name.strip_prefix(CHOSEN).unwrap_or(name).to_owned())
    };
    let names = pairs.iter().filter_map(feature).collect();
    Table { values, dimension: pairs.len(), names, ..table }
}
