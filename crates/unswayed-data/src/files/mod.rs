//! From files to a [`Dataset`].

mod columns;
mod concat;
mod csr;
mod expand;
mod found;
mod frame;
mod json;
mod lines;
mod npy;
mod npz;
mod pages;
mod parquet;
mod partition;
mod parts;
mod several;
mod source;
mod stream;
mod svmlight;
mod text;
mod write;
mod zstd_pages;

use std::path::Path;

use columns::Layout;
pub use frame::load_frame;
pub use lines::{Line, Lines};
pub use partition::{DigestSoFar, Look, Partition, Partitions};
pub use source::Source;
use source::{Format, Location, Opened};
pub use stream::{Block, Stream};
pub use write::{write_arrays, write_dataset, write_sparse, write_weighted};

use crate::error::{DataError, Part, Problem};
use crate::labels::{self, LabelPolicy, RawLabels};
use crate::make::{About, Reading};
use crate::table::Table;
use crate::{Dataset, Labels, Origin};

/// No compression that is read here shrinks data by more than this factor. Whatever claims to be larger is refused before
/// memory is asked for.
const LARGEST_RATIO: u64 = 1032;

/// Loads data from an `.npz` or `.npy` file, or from a table: `.csv`, `.tsv`, `.jsonl` or `.parquet`.
///
/// - `.npz`: arrays `x` (rows, features) and `y`, or `z`, compressed or not.
/// - `.npy`: the features; the labels are in a second `.npy` file.
/// - `.npz` with a sparse matrix by rows, as `scipy.sparse.save_npz` writes it; its labels are an array `y` beside it, or in a
///   `.npy` file. `.svm`, `.libsvm` or `.svmlight`: sparse rows as text. Both give sparse rows unless [`Reading::dense`] is set.
/// - Tables: named columns; one is the label, every other column is a feature unless [`Reading::columns`] says otherwise.
///   Those that are text may be compressed (`.gz`, `.zst`). A folder of tables, a
///   pattern of names or a list of names is one table ([`Source::path`]).
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
    located(source, |files| {
        let Found { table, about, policy } = read(source, files, reading)?;
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
    let reading = reading(origin);
    located(source, |files| {
        let Found { table, about, .. } = read(source, files, &reading)?;
        table.remade_as(origin, about)
    })
}

/// How the table of an origin is read.
fn reading(origin: &Origin) -> Reading {
    Reading {
        labels: labels::policy(&origin.labels),
        label_column: origin.label_column.clone(),
        weight_column: origin.weight_column.clone(),
        step_weight_column: origin.step_weight_column.clone(),
        columns: origin.chosen_columns.clone(),
        dense: origin.of_columns.is_none(),
        rows: Some(origin.rows),
        ..Reading::default()
    }
}

/// Loads a table as it is, with features of any norm, and what its labels mean: y (nothing if there are no labels) and
/// how it was told.
///
/// # Errors
///
/// As [`load`], but for the norms.
pub fn load_table(source: &Source, reading: &Reading) -> Result<(Table, Vec<f64>, Labels), DataError> {
    located(source, |files| {
        let Found { table, about, policy } = read(source, files, reading)?;
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
    located(&Source::path(path), |files| {
        let array = match files {
            [file] => read_npy(&file.content, None)?,
            _ => return Err(Problem::UnknownFormat.into()),
        };
        match *array.shape.as_slice() {
            [_] | [1, _] | [_, 1] => Ok(array.values),
            _ => Err(Problem::WrongShape { found: array.shape, wanted: "one dimension" }.into()),
        }
    })
}

/// Reads the file, and names it, and the line of a text file, in an error.
fn located<T>(source: &Source, work: impl Fn(&[Opened]) -> Result<T, DataError>) -> Result<T, DataError> {
    let done = source.features.open().and_then(|files| {
        let line = |error: DataError| match files.as_slice() {
            [file] => with_line(error, file),
            _ => error,
        };
        work(&files).map_err(line)
    });
    done.map_err(|error| error.in_file(&source.features.display()))
}

/// Names the line of the row that an error is about.
fn with_line(error: DataError, file: &Opened) -> DataError {
    match (file.format, error.place().row) {
        (Format::Text(dialect), Some(row)) => error.on_line(text::line_of_row(&file.content, dialect, row)),
        _ => error,
    }
}

/// What has been read, and checked.
struct Found {
    table: Table,
    about: About,
    policy: LabelPolicy,
}

/// Reads the rows of any format, from one file or from several that are alike.
fn read(source: &Source, files: &[Opened], reading: &Reading) -> Result<Found, DataError> {
    let Some(first) = files.first() else { return Err(Problem::NoTables.into()) };
    let is_table = matches!(first.format, Format::Text(_) | Format::Parquet);
    if files.len() > 1 && !is_table {
        return Err(Problem::SeveralArrays.into());
    }
    let source = &beside(source, first, reading);
    refuse_unwanted(source, first.format, reading)?;
    let mut policy = reading.labels;
    let layout = layout(is_table, reading);
    let (table, of) = match first.format {
        Format::Text(_) | Format::Parquet => concat::tables(files, layout)?,
        Format::Npy => read_features(source, &first.content, reading)?,
        Format::Npz => {
            let (weights, steps) = (layout.weight_column, layout.step_weight_column);
            let labelled = source.labels.is_some();
            let found = npz::read(&first.content, policy, weights, steps, reading.rows, labelled)?;
            policy = found.policy;
            let y = label_file(source, found.of, reading.rows)?;
            (Table { y: found.table.y.or(y), ..found.table }, found.of)
        }
        Format::Svmlight => svmlight::read(&first.content, reading.rows)?,
    };
    let names: Vec<String> = files.iter().map(Opened::base_name).collect();
    let about = about(source, &names, is_table, reading, (&table.names, of));
    let table = if reading.dense { table.dense()? } else { table };
    let table = table.checked(&about)?;
    match reading.rows {
        Some(wanted) if wanted > table.rows() => {
            Err(Problem::TooFewRows { wanted, found: table.rows() }.into())
        }
        _ => Ok(Found { table, about, policy }),
    }
}

/// What is said of files of these names with so many rows, whose features have these names if they have any.
fn about(
    source: &Source,
    files: &[String],
    is_table: bool,
    reading: &Reading,
    (features, of): (&[String], usize),
) -> About {
    let layout = layout(is_table, reading);
    let part =
        |name: &str| if is_table { Part::Column(name.to_owned()) } else { Part::Array(name.to_owned()) };
    let is_chosen = reading.columns.is_some() || !reading.drop_columns.is_empty();
    About {
        file: source.features.base_name(),
        label_file: source.labels.as_ref().map(Location::base_name),
        label_column: layout.label_column.map(str::to_owned),
        weight_column: reading.weight_column.clone(),
        step_weight_column: reading.step_weight_column.clone(),
        chosen_columns: is_chosen.then(|| features.to_vec()),
        files: (files.len() > 1).then(|| files.to_vec()),
        of,
        labels: match &source.labels {
            Some(file) => Part::File(file.display()),
            None => part(layout.label_column.unwrap_or("y")),
        },
        weights: part(layout.weight_column.unwrap_or_default()),
        step_weights: part(layout.step_weight_column.unwrap_or_default()),
    }
}

/// The source with the labels in `…y.npy`, for a sparse matrix in `…x.npz` that has none.
fn beside(source: &Source, file: &Opened, reading: &Reading) -> Source {
    let path = Path::new(&file.path);
    let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix("x.npz"));
    let is_open = source.labels.is_none() && reading.labels.is_labelled();
    match name.map(|name| path.with_file_name(format!("{name}y.npy"))) {
        Some(labels) if is_open && labels.exists() && npz::is_unlabelled_matrix(&file.content) => {
            source.clone().labels(labels)
        }
        _ => source.clone(),
    }
}

/// What a reading wants of a file.
fn layout(is_table: bool, reading: &Reading) -> Layout<'_> {
    let label = reading.label_column.as_deref().unwrap_or("label");
    Layout {
        policy: reading.labels,
        label_column: (is_table && reading.labels.is_labelled()).then_some(label),
        weight_column: reading.weight_column.as_deref(),
        step_weight_column: reading.step_weight_column.as_deref(),
        chosen: reading.columns.as_deref(),
        dropped: &reading.drop_columns,
        rows: reading.rows,
    }
}

/// Refuses settings that do not go with the format or with each other.
fn refuse_unwanted(source: &Source, format: Format, reading: &Reading) -> Result<(), DataError> {
    let labelled = reading.labels.is_labelled();
    if reading.rows == Some(0) {
        return Err(Problem::ZeroRowsWanted.into());
    }
    if source.labels.is_some() && (!matches!(format, Format::Npy | Format::Npz) || !labelled) {
        return Err(Problem::UnwantedLabels.into());
    }
    let is_named = matches!(format, Format::Text(_) | Format::Parquet);
    if format == Format::Svmlight && !labelled {
        return Err(Problem::SparseLabels.into());
    }
    if reading.label_column.is_some() && !(is_named && labelled) {
        return Err(Problem::UnwantedLabelColumn.into());
    }
    let is_chosen = reading.columns.is_some() || !reading.drop_columns.is_empty();
    if is_chosen && !is_named {
        return Err(Problem::UnwantedColumns.into());
    }
    let has_weights = is_named || format == Format::Npz;
    if reading.weight_column.is_some() && !has_weights {
        return Err(Problem::UnwantedWeights.into());
    }
    if reading.step_weight_column.is_some() && !has_weights {
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
    table.y = label_file(source, of, reading.rows)?;
    Ok((table, of))
}

/// The labels of so many rows from a file of their own, if there is one.
fn label_file(source: &Source, of: usize, rows: Option<usize>) -> Result<Option<RawLabels>, DataError> {
    let Some(file) = &source.labels else { return Ok(None) };
    let y = file.open().and_then(|files| match files.as_slice() {
        [Opened { format: Format::Npy, content, .. }] => npy::column(read_npy(content, rows)?, of),
        _ => Err(Problem::UnwantedLabels.into()),
    });
    Ok(Some(RawLabels::Numbers(y.map_err(|error| error.in_file(&file.display()))?)))
}

fn read_npy(mut content: &[u8], rows: Option<usize>) -> Result<npy::Array, DataError> {
    let length = content.len() as u64;
    npy::read_array(&mut content, length, rows)
}
