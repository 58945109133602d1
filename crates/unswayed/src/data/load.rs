//! From files to a [`Dataset`].

use std::io::BufReader;
use std::path::Path;

use super::error::{DataError, Problem};
use super::labels::{self, RawLabels};
use super::source::{Format, Input, Location, Source};
use super::table::{Layout, Part, Table, column};
use super::{Dataset, Provenance, check_weights, clear_signs_of_zero, csv, norms, npy, npz, pairs, parquet};

/// How labels are to be understood.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LabelPolicy {
    /// Two different labels are classes: the smaller number, or the text that sorts first, becomes −1 and
    /// the other +1. More than two different numbers, all in [−1, 1], are scores.
    #[default]
    Detect,
    /// Labels are scores in [−1, 1], even if there are only two of them.
    Scores,
    /// The rows are z = label · features already: a `.npz` array `z`, or every column of another file.
    Premultiplied,
    /// There are no labels and the rows are samples of any length, as for mean estimation: a `.npz` array `x`,
    /// or every column of another file.
    Absent,
    /// Labels are two or more classes, which are numbered from 0 in the order of their labels; a row is the number of its
    /// class, then its features.
    Classes,
    /// There are no labels; a row is the difference of the features of what was chosen and of what was rejected.
    Preferences,
}

impl LabelPolicy {
    /// Whether there are labels beside the features.
    pub fn is_labelled(self) -> bool {
        matches!(self, LabelPolicy::Detect | LabelPolicy::Scores | LabelPolicy::Classes)
    }
}

/// How to load data.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How labels are to be understood.
    pub labels: LabelPolicy,
    /// The label column of a `.csv` or `.parquet` file; `label` if `None`.
    pub label_column: Option<String>,
    /// Divide all rows by the largest norm. Without it a row of norm above 1 is refused.
    pub normalize: bool,
    /// Divide all rows by this number instead, as another dataset was divided. Rows may then have any norm.
    pub scale: Option<f64>,
    /// Use only so many rows from the top; labels and scale are then told from these alone.
    pub rows: Option<usize>,
}

/// Loads data from a `.npz`, `.npy`, `.csv` or `.parquet` file.
///
/// - `.npz`: arrays `x` (rows, features) and `y`, or `z`; optionally `weight`; compressed or not.
/// - `.npy`: the features; the labels are in a second `.npy` file.
/// - `.csv`, `.parquet`: named columns; one is the label, `weight` (if there is one) holds weights, every other
///   column is a feature.
/// - [`LabelPolicy::Preferences`]: `.npz` arrays `chosen` and `rejected`; columns `chosen_…` and `rejected_…`, matched by what
///   follows; `.npy` features of which the first half is the chosen one.
///
/// # Errors
///
/// Refuses files that are missing, damaged, incomplete or contradictory, values that are not finite numbers,
/// labels that are neither two classes nor scores, and rows longer than 1 unless `normalize` is set.
///
/// ```
/// use unswayed::data::{Options, Source, load};
///
/// let text = "width,height,label\n0.5,0.1,spam\n0.2,0.9,ham\n";
/// let data = load(&Source::bytes("mail.csv", text), &Options::default())?;
/// assert_eq!(data.z(), [0.5, 0.1, -0.2, -0.9]);
/// let labels = ("ham".to_owned(), "spam".to_owned());
/// assert_eq!(data.provenance().labels, Some(labels));
///
/// let text = "width,label\n0.5,1\n3,0\n";
/// let error = load(&Source::bytes("mail.csv", text), &Options::default()).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "mail.csv: row 2 (line 3): the norm 3.0 is larger than 1; divide all rows by the largest norm (`--normalize`)"
/// );
/// # Ok::<(), unswayed::data::DataError>(())
/// ```
pub fn load(source: &Source, options: &Options) -> Result<Dataset, DataError> {
    let provenance = Provenance {
        name: source.features.base_name(),
        label_file: source.labels.as_ref().map(Location::base_name),
        first_rows: options.rows.is_some(),
        ..Provenance::default()
    };
    located(source, read(source, options).and_then(|table| assemble(table, provenance, options)))
}

/// Reads a vector from a `.npy` file: an array of one dimension, or of one row.
///
/// # Errors
///
/// Refuses files that are missing or damaged, values that are not finite numbers, and arrays of several rows.
pub fn load_vector(path: impl AsRef<Path>) -> Result<Vec<f64>, DataError> {
    let source = Source::path(path);
    let read = || {
        let array = read_npy(source.features.open()?, None)?;
        match array.shape.as_slice() {
            [_] | [1, _] => Ok(array.values),
            _ => Err(Problem::WrongShape { found: array.shape, wanted: "one dimension" }.into()),
        }
    };
    located(&source, read())
}

/// Names the file, and the line of a text file, in an error.
pub(super) fn located<T>(source: &Source, result: Result<T, DataError>) -> Result<T, DataError> {
    let file = &source.features;
    result.map_err(|error| locate(error, file).in_file(&file.display()))
}

/// Adds the line to an error about a row of a text file.
fn locate(error: DataError, file: &Location) -> DataError {
    match (file.format(), error.place().row, file.open()) {
        (Ok(Format::Csv), Some(row), Ok(input)) => error.on_line(csv::line_of_row(input, row)),
        _ => error,
    }
}

/// Reads the rows of any format.
pub(super) fn read(source: &Source, options: &Options) -> Result<Table, DataError> {
    if options.rows == Some(0) {
        return Err(Problem::ZeroRowsWanted.into());
    }
    let input = source.features.open()?;
    let format = source.features.format()?;
    let labelled = options.labels.is_labelled();
    if source.labels.is_some() && (format != Format::Npy || !labelled) {
        return Err(Problem::UnwantedLabels.into());
    }
    if options.label_column.is_some() && (matches!(format, Format::Npy | Format::Npz) || !labelled) {
        return Err(Problem::UnwantedLabelColumn.into());
    }
    let label_column = labelled.then(|| options.label_column.as_deref().unwrap_or("label"));
    let layout = Layout { policy: options.labels, label_column };
    match format {
        Format::Npz => npz::read(input, &source.prefix, options.labels, options.rows),
        Format::Csv => csv::read(input, layout, options.rows),
        Format::Parquet => parquet::read(input, layout, options.rows),
        Format::Npy if options.labels == LabelPolicy::Preferences => {
            let table = Table::from_array(read_npy(input, options.rows)?)?;
            let pairs = pairs::halves(table.dimension)?;
            Ok(pairs::differences(table, &pairs))
        }
        Format::Npy if !labelled => Table::from_array(read_npy(input, options.rows)?),
        Format::Npy => {
            let labels = source.labels.as_ref().ok_or(Problem::NoLabels)?;
            let mut table = Table::from_array(read_npy(input, options.rows)?)?;
            let y = read_label_file(labels, table.total, options.rows)
                .map_err(|error| error.in_file(&labels.display()))?;
            table.labels = Some((RawLabels::Numbers(y), Part::File(labels.display())));
            Ok(table)
        }
    }
}

fn read_npy(input: Input, rows: Option<usize>) -> Result<npy::Array, DataError> {
    let length = input.length();
    npy::read_array(&mut BufReader::new(input), length, rows)
}

/// Labels of their own file, which must have one for each of `total` rows.
pub(super) fn read_label_file(
    file: &Location,
    total: usize,
    rows: Option<usize>,
) -> Result<Vec<f64>, DataError> {
    let input = file.open()?;
    if file.format()? != Format::Npy {
        return Err(Problem::UnwantedLabels.into());
    }
    column(read_npy(input, rows)?, total)
}

/// Makes rows z from features and labels, in the order that the certificate format prescribes.
pub(super) fn assemble(
    table: Table,
    mut provenance: Provenance,
    options: &Options,
) -> Result<Dataset, DataError> {
    let Table { values: mut z, rows, mut dimension, names, labels, weights, .. } = table;
    if rows == 0 {
        return Err(Problem::NoRows.into());
    }
    if let Some(wanted) = options.rows.filter(|&wanted| wanted > rows) {
        return Err(Problem::TooFewRows { wanted, found: rows }.into());
    }
    let mut classes = None;
    if let Some((raw, part)) = labels {
        if options.labels == LabelPolicy::Classes {
            let (numbers, kinds) = labels::numbered(raw).map_err(|error| part.blame(error))?;
            classes = Some(numbers);
            provenance.classes = kinds;
        } else {
            let labels = labels::interpret(raw, options.labels).map_err(|error| part.blame(error))?;
            multiply(&mut z, dimension, &labels.y);
            provenance.scores = labels.classes.is_none();
            provenance.labels = labels.classes;
        }
    }
    provenance.preferences = options.labels == LabelPolicy::Preferences;
    provenance.scale = scaled(&mut z, dimension, options)?;
    if let Some(classes) = classes {
        z = labelled(&z, dimension, &classes);
        dimension += 1;
    }
    clear_signs_of_zero(&mut z);
    let weights = match weights {
        Some((weights, part)) => Some(check_weights(weights).map_err(|error| part.blame(error))?),
        None => None,
    };
    Ok(Dataset { z, dimension, names, weights, provenance })
}

fn multiply(z: &mut [f64], dimension: usize, y: &[f64]) {
    for (row, y) in z.chunks_exact_mut(dimension).zip(y) {
        for value in row {
            *value *= y;
        }
    }
}

/// Divides the rows as the options say, and returns by what; refuses long rows if they are not divided.
fn scaled(z: &mut [f64], dimension: usize, options: &Options) -> Result<Option<f64>, DataError> {
    if let Some(scale) = options.scale {
        for value in z {
            *value /= scale;
        }
        return Ok(Some(scale));
    }
    if options.normalize {
        return norms::normalize(z, dimension);
    }
    if options.labels != LabelPolicy::Absent {
        norms::check(z, dimension)?;
    }
    Ok(None)
}

/// Puts each row's class in front of it.
fn labelled(x: &[f64], dimension: usize, classes: &[f64]) -> Vec<f64> {
    let rows = classes.iter().zip(x.chunks_exact(dimension));
    rows.flat_map(|(class, x)| std::iter::once(*class).chain(x.iter().copied())).collect()
}
