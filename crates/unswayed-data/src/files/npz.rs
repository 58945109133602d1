//! NumPy's `.npz` format: a zip archive of `.npy` files, stored or deflated.

use std::io::{Cursor, Read};

use bytes::Bytes;
use zip::ZipArchive;
use zip::result::ZipError;

use super::npy::{Array, column, matrix, read_array, read_error};
use super::{LARGEST_RATIO, csr};
use crate::error::{DataError, Problem};
use crate::labels::{LabelPolicy, RawLabels};
use crate::table::Table;

/// A text in an array is no longer than this, with the array's header.
const LONGEST_TEXT: u64 = 1 << 10;

/// An open `.npz` file.
pub(super) struct Npz {
    archive: ZipArchive<Cursor<Bytes>>,
    /// The names of all arrays.
    names: Vec<String>,
    rows: Option<usize>,
}

/// What an `.npz` file holds.
pub(super) struct Contents {
    pub table: Table,
    /// How many rows the file has.
    pub of: usize,
    /// What its labels are: [`LabelPolicy::Detect`] becomes [`LabelPolicy::Premultiplied`] if there is an array `z`.
    pub policy: LabelPolicy,
}

/// Reads the arrays `x` and `y`, or `z`, or `chosen` and `rejected`, and the named arrays of weights and step weights.
/// There must be no other array in the file. `labelled`: whether labels have a file of their own.
pub(super) fn read(
    content: &Bytes,
    policy: LabelPolicy,
    weights: Option<&str>,
    steps: Option<&str>,
    rows: Option<usize>,
    labelled: bool,
) -> Result<Contents, DataError> {
    let mut file = Npz::open(content, rows)?;
    let is_sparse = file.has("indptr");
    let policy = file.policy(policy)?;
    if is_sparse {
        return sparse(file, policy, weights, steps, labelled);
    }
    if labelled {
        return Err(Problem::UnwantedLabels.into());
    }
    let used = match policy {
        LabelPolicy::Preferences => ["chosen", "rejected"].as_slice(),
        LabelPolicy::Premultiplied => &["z"],
        LabelPolicy::None => &["x"],
        _ => &["x", "y"],
    };
    let needed: Vec<&str> = used.iter().copied().chain(weights).chain(steps).collect();
    if let Some(wanted) = needed.iter().find(|name| !file.has(name)) {
        return Err(Problem::MissingArray { wanted: (*wanted).to_owned(), present: file.names }.into());
    }
    let unused: Vec<String> =
        file.names.iter().filter(|name| !needed.contains(&name.as_str())).cloned().collect();
    if !unused.is_empty() {
        return Err(Problem::UnusedArrays(unused).into());
    }
    let (mut table, of) = match policy {
        LabelPolicy::Preferences => file.pairs()?,
        _ => file.features(used[0])?,
    };
    if policy.is_labelled() {
        table.y = Some(RawLabels::Numbers(file.column("y", of)?));
    }
    table.weights = weights.map(|name| file.column(name, of)).transpose()?;
    table.step_weights = steps.map(|name| file.column(name, of)).transpose()?;
    Ok(Contents { table, of, policy })
}

/// Whether a file is a sparse matrix without an array of labels.
pub(super) fn is_unlabelled_matrix(content: &Bytes) -> bool {
    Npz::open(content, None).is_ok_and(|file| file.has("indptr") && !file.has("y"))
}

/// The same for a sparse matrix: its labels are the array `y`, or in a file of their own.
fn sparse(
    mut file: Npz,
    policy: LabelPolicy,
    weights: Option<&str>,
    steps: Option<&str>,
    labelled: bool,
) -> Result<Contents, DataError> {
    let has_y = policy.is_labelled() && !labelled;
    let needed: Vec<&str> = csr::ARRAYS[..5].iter().copied().chain(weights).chain(steps).collect();
    if has_y && !file.has("y") {
        return Err(Problem::NoLabels.into());
    }
    if let Some(wanted) = needed.iter().find(|name| !file.has(name)) {
        return Err(Problem::MissingArray { wanted: (*wanted).to_owned(), present: file.names }.into());
    }
    let is_used =
        |name: &str| needed.contains(&name) || csr::ARRAYS.contains(&name) || (has_y && name == "y");
    let unused: Vec<String> = file.names.iter().filter(|name| !is_used(name)).cloned().collect();
    if !unused.is_empty() {
        return Err(Problem::UnusedArrays(unused).into());
    }
    let rows = file.rows.take();
    let (mut table, of) = csr::read(&mut file, rows)?;
    file.rows = rows;
    if has_y {
        table.y = Some(RawLabels::Numbers(file.column("y", of)?));
    }
    table.weights = weights.map(|name| file.column(name, of)).transpose()?;
    table.step_weights = steps.map(|name| file.column(name, of)).transpose()?;
    Ok(Contents { table, of, policy })
}

impl Npz {
    fn open(content: &Bytes, rows: Option<usize>) -> Result<Self, DataError> {
        let archive = ZipArchive::new(Cursor::new(content.clone())).map_err(zip_error)?;
        // The archive keeps one of two members of the same name, and does not tell.
        let names = member_names(content, archive.central_directory_start())
            .ok_or_else(|| Problem::Damaged("its directory cannot be understood".to_owned()))?;
        let mut names: Vec<String> = names.iter().map(|name| array_name(name).to_owned()).collect();
        names.sort();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Problem::DuplicateArray(pair[0].clone()).into());
        }
        Ok(Npz { archive, names, rows })
    }

    fn policy(&self, policy: LabelPolicy) -> Result<LabelPolicy, DataError> {
        match policy {
            _ if self.has("x") && self.has("z") => Err(Problem::AmbiguousArrays.into()),
            LabelPolicy::Detect if self.has("z") => Ok(LabelPolicy::Premultiplied),
            other => Ok(other),
        }
    }

    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|other| other == name)
    }

    /// An array as rows of features, and how many of them the file has.
    fn features(&mut self, name: &str) -> Result<(Table, usize), DataError> {
        let array = self.array(name)?;
        let of = array.shape.first().copied().unwrap_or(0);
        Ok((matrix(array).map_err(|error| error.in_array(name))?, of))
    }

    /// The arrays `chosen` and `rejected`, side by side.
    fn pairs(&mut self) -> Result<(Table, usize), DataError> {
        let expected = self.array("chosen")?;
        let rejected = self.array("rejected")?;
        if rejected.shape != expected.shape {
            let unequal = Problem::UnequalPairs { expected: expected.shape, found: rejected.shape };
            return Err(DataError::from(unequal).in_array("rejected"));
        }
        let of = expected.shape.first().copied().unwrap_or(0);
        let chosen = matrix(expected).map_err(|error| error.in_array("chosen"))?;
        let rows = chosen.x.chunks_exact(chosen.columns).zip(rejected.values.chunks_exact(chosen.columns));
        let x = rows.flat_map(|(chosen, rejected)| chosen.iter().chain(rejected)).copied().collect();
        Ok((Table::new(x, 2 * chosen.columns), of))
    }

    /// An array with one value per row.
    fn column(&mut self, name: &str, rows: usize) -> Result<Vec<f64>, DataError> {
        column(self.array(name)?, rows).map_err(|error| error.in_array(name))
    }

    /// A short text: an array of bytes without dimensions.
    pub(super) fn text(&mut self, name: &str) -> Result<String, DataError> {
        let index = self.index(name)?;
        let mut bytes = Vec::new();
        let file = self.archive.by_index(index).map_err(zip_error)?;
        file.take(LONGEST_TEXT).read_to_end(&mut bytes).map_err(read_error)?;
        let text = bytes.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        Ok(String::from_utf8_lossy(text).replace('\0', ""))
    }

    fn index(&self, name: &str) -> Result<usize, DataError> {
        let is_wanted = |file: Option<&str>| file.is_some_and(|file| array_name(file) == name);
        let index = (0..self.archive.len()).find(|&i| is_wanted(self.archive.name_for_index(i)));
        index.ok_or_else(|| Problem::Damaged(format!("there is no array {name:?}")).into())
    }

    pub(super) fn array(&mut self, name: &str) -> Result<Array, DataError> {
        let index = self.index(name)?;
        let mut file = self.archive.by_index(index).map_err(zip_error)?;
        let packed = file.compressed_size();
        let available = match file.compression() {
            zip::CompressionMethod::Stored => packed,
            _ => file.size().min(packed.saturating_mul(LARGEST_RATIO)),
        };
        read_array(&mut file, available, self.rows).map_err(|error| error.in_array(name))
    }
}

/// The names in the central directory of a zip archive, as often as they are there.
fn member_names(content: &[u8], start: u64) -> Option<Vec<String>> {
    let mut rest = content.get(usize::try_from(start).ok()?..)?;
    let mut names = Vec::new();
    while rest.starts_with(b"PK\x01\x02") {
        let length = |at: usize| Some(usize::from(u16::from_le_bytes(*rest.get(at..)?.first_chunk()?)));
        let (name, extra, comment) = (length(28)?, length(30)?, length(32)?);
        names.push(String::from_utf8_lossy(rest.get(46..46 + name)?).into_owned());
        rest = rest.get(46 + name + extra + comment..)?;
    }
    Some(names)
}

fn array_name(file: &str) -> &str {
    file.strip_suffix(".npy").unwrap_or(file)
}

fn zip_error(error: ZipError) -> DataError {
    match error {
        ZipError::Io(error) => read_error(error),
        other => Problem::Damaged(other.to_string()).into(),
    }
}
