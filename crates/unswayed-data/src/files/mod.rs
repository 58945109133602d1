//! From files to a [`Dataset`].

mod columns;
mod csv;
mod npy;
mod npz;
mod pages;
mod parquet;
mod source;
mod write;

use std::path::Path;

use columns::Layout;
pub use source::Source;
use source::{Format, Location};
pub use write::{write_arrays, write_dataset};

use crate::error::{DataError, Part, Problem};
use crate::labels::{self, LabelPolicy, RawLabels};
use crate::make::{About, Reading};
use crate::table::Table;
use crate::{Dataset, Labels, Origin};

/// No compression that is read here shrinks data by more than this factor. Whatever claims to be larger is refused before
/// memory is asked for.
const LARGEST_RATIO: u64 = 1032;

/// Loads data from an `.npz`, `.npy`, `.csv` or `.parquet` file.
///
/// - `.npz`: arrays `x` (rows, features) and `y`, or `z`, compressed or not.
/// - `.npy`: the features; the labels are in a second `.npy` file.
/// - `.csv`, `.parquet`: named columns; one is the label, every other column is a feature.
/// - [`LabelPolicy::Preferences`]: `.npz` arrays `chosen` and `rejected`; columns `chosen_…` and `rejected_…`, matched by
///   what follows, in the order of the former; `.npy` features of which the first half is what was chosen.
/// - Weights are in the column or array that [`Reading::weight_column`] names, and nowhere else.
///
/// # Errors
///
/// Refuses files that are missing, damaged, incomplete or contradictory, or hold arrays that are not used; values that are
/// not finite numbers; labels that are not what the reading says; and rows longer than 1 unless they are divided.
///
/// ```
/// use unswayed_data::{Labels, Reading, Source, load};
///
/// let text = "width,height,label\n0.5,0.1,spam\n0.2,0.9,ham\n";
/// let data = load(&Source::bytes("mail.csv", text), &Reading::default())?;
/// assert_eq!(data.z(), [0.5, 0.1, -0.2, -0.9]);
/// assert_eq!(data.origin().labels, Labels::Classes { negative: "ham".into(), positive: "spam".into() });
/// # Ok::<(), unswayed_data::DataError>(())
/// ```
pub fn load(source: &Source, reading: &Reading) -> Result<Dataset, DataError> {
    located(source, |content| {
        let Found { table, about, policy } = read(source, content, reading)?;
        table.made(&Reading { labels: policy, ..reading.clone() }, about)
    })
}

/// Makes rows from a file exactly as an [`Origin`] says: with its labels, columns, scale, and so many rows from the top.
/// Nothing is guessed. Whether the rows are those that the origin is about, [`Origin::same_rows`] tells:
///
/// ```
/// use unswayed_data::{Reading, Source, load, reload};
///
/// let mail = Source::bytes("mail.csv", "a,label\n3,ham\n4,spam\n");
/// let data = load(&mail, &Reading { normalize: true, ..Reading::default() })?;
/// let other = Source::bytes("mail.csv", "a,label\n3,ham\n5,spam\n");
/// assert_eq!(reload(&mail, data.origin())?, data);
/// let difference = reload(&other, data.origin())?.origin().same_rows(data.origin()).unwrap_err();
/// assert!(difference.starts_with("sha256: "));
/// # Ok::<(), unswayed_data::DataError>(())
/// ```
///
/// # Errors
///
/// Refuses what [`load`] refuses, but for the norms; a file with fewer rows, with other labels, or without the columns that
/// the origin names; and an origin that no data can have.
pub fn reload(source: &Source, origin: &Origin) -> Result<Dataset, DataError> {
    let reading = Reading {
        labels: labels::policy(&origin.labels),
        label_column: origin.label_column.clone(),
        weight_column: origin.weight_column.clone(),
        step_weight_column: origin.step_weight_column.clone(),
        rows: Some(origin.rows),
        ..Reading::default()
    };
    located(source, |content| {
        let Found { table, about, .. } = read(source, content, &reading)?;
        table.remade_as(origin, about)
    })
}

/// Loads a table as it is, with features of any norm, and what its labels mean: y (nothing if there are no labels) and
/// how it was told.
///
/// # Errors
///
/// As [`load`], but for the norms.
pub fn load_table(source: &Source, reading: &Reading) -> Result<(Table, Vec<f64>, Labels), DataError> {
    located(source, |content| {
        let Found { table, about, policy } = read(source, content, reading)?;
        let y = labels::present(table.y.as_ref(), policy)?;
        let meaning = labels::decide(y, policy)
            .and_then(|labels| Ok((labels::values(y, &labels)?, labels)))
            .map_err(|error| about.labels.blame(error))?;
        Ok((table, meaning.0, meaning.1))
    })
}

/// Reads a vector from a `.npy` file: an array of one dimension, of one row or of one column.
///
/// # Errors
///
/// Refuses files that are missing or damaged, values that are not finite numbers, and arrays of several rows and columns.
pub fn load_vector(path: impl AsRef<Path>) -> Result<Vec<f64>, DataError> {
    located(&Source::path(path), |content| {
        let array = read_npy(content, None)?;
        match *array.shape.as_slice() {
            [_] | [1, _] | [_, 1] => Ok(array.values),
            _ => Err(Problem::WrongShape { found: array.shape, wanted: "one dimension" }.into()),
        }
    })
}

/// Reads the file, and names it, and the line of a text file, in an error.
fn located<T>(source: &Source, work: impl Fn(&bytes::Bytes) -> Result<T, DataError>) -> Result<T, DataError> {
    let file = &source.features;
    let line = |error: DataError, content: &[u8]| match (file.format(), error.place().row) {
        (Ok(Format::Csv), Some(row)) => error.on_line(csv::line_of_row(content, row)),
        _ => error,
    };
    let done = file.content().and_then(|content| work(&content).map_err(|error| line(error, &content)));
    done.map_err(|error| error.in_file(&file.display()))
}

/// What has been read, and checked.
struct Found {
    table: Table,
    about: About,
    policy: LabelPolicy,
}

/// Reads the rows of any format.
fn read(source: &Source, content: &bytes::Bytes, reading: &Reading) -> Result<Found, DataError> {
    let format = source.features.format()?;
    let is_table = matches!(format, Format::Csv | Format::Parquet);
    refuse_unwanted(source, format, reading)?;
    let mut policy = reading.labels;
    let (weights, steps) = (reading.weight_column.as_deref(), reading.step_weight_column.as_deref());
    let label = reading.label_column.as_deref().unwrap_or("label");
    let label_column = (is_table && policy.is_labelled()).then_some(label);
    let layout = Layout {
        policy,
        label_column,
        weight_column: weights,
        step_weight_column: steps,
        rows: reading.rows,
    };
    let (table, of) = match format {
        Format::Csv => csv::read(content, layout)?,
        Format::Parquet => parquet::read(content, layout)?,
        Format::Npy => read_features(source, content, reading)?,
        Format::Npz => {
            let found = npz::read(content, policy, weights, steps, reading.rows)?;
            policy = found.policy;
            (found.table, found.of)
        }
    };
    let part =
        |name: &str| if is_table { Part::Column(name.to_owned()) } else { Part::Array(name.to_owned()) };
    let about = About {
        file: source.features.base_name(),
        label_file: source.labels.as_ref().map(Location::base_name),
        label_column: label_column.map(str::to_owned),
        weight_column: reading.weight_column.clone(),
        step_weight_column: reading.step_weight_column.clone(),
        of,
        labels: match &source.labels {
            Some(file) => Part::File(file.display()),
            None => part(label_column.unwrap_or("y")),
        },
        weights: part(weights.unwrap_or_default()),
        step_weights: part(steps.unwrap_or_default()),
    };
    let table = table.checked(&about)?;
    match reading.rows {
        Some(wanted) if wanted > table.rows() => {
            Err(Problem::TooFewRows { wanted, found: table.rows() }.into())
        }
        _ => Ok(Found { table, about, policy }),
    }
}

/// Refuses settings that do not go with the format or with each other.
fn refuse_unwanted(source: &Source, format: Format, reading: &Reading) -> Result<(), DataError> {
    let labelled = reading.labels.is_labelled();
    if reading.rows == Some(0) {
        return Err(Problem::ZeroRowsWanted.into());
    }
    if source.labels.is_some() && (format != Format::Npy || !labelled) {
        return Err(Problem::UnwantedLabels.into());
    }
    if reading.label_column.is_some() && (matches!(format, Format::Npy | Format::Npz) || !labelled) {
        return Err(Problem::UnwantedLabelColumn.into());
    }
    if reading.weight_column.is_some() && format == Format::Npy {
        return Err(Problem::UnwantedWeights.into());
    }
    if reading.step_weight_column.is_some() && format == Format::Npy {
        return Err(Problem::UnwantedStepWeights.into());
    }
    Ok(())
}

/// Features in a `.npy` file, with their labels from another.
fn read_features(source: &Source, content: &[u8], reading: &Reading) -> Result<(Table, usize), DataError> {
    if reading.labels.is_labelled() && source.labels.is_none() {
        return Err(Problem::NoLabels.into());
    }
    let array = read_npy(content, reading.rows)?;
    let of = array.shape.first().copied().unwrap_or(0);
    let mut table = npy::matrix(array)?;
    if let Some(file) = &source.labels {
        let y = file.content().and_then(|content| match file.format()? {
            Format::Npy => npy::column(read_npy(&content, reading.rows)?, of),
            _ => Err(Problem::UnwantedLabels.into()),
        });
        table.y = Some(RawLabels::Numbers(y.map_err(|error| error.in_file(&file.display()))?));
    }
    Ok((table, of))
}

fn read_npy(mut content: &[u8], rows: Option<usize>) -> Result<npy::Array, DataError> {
    let length = content.len() as u64;
    npy::read_array(&mut content, length, rows)
}
