//! `NumPy`'s `.npz` format: a zip archive of `.npy` files, stored or deflated.

use std::io::BufReader;

use zip::ZipArchive;
use zip::result::ZipError;

use super::error::{DataError, Problem};
use super::labels::RawLabels;
use super::load::LabelPolicy;
use super::npy::{Array, read_array, read_error};
use super::source::Input;
use super::table::{Part, Table};

/// Deflate cannot shrink data by more than this factor.
const LARGEST_RATIO: u64 = 1032;

/// An open `.npz` file.
struct Npz {
    archive: ZipArchive<BufReader<Input>>,
    prefix: String,
    length: u64,
    rows: Option<usize>,
}

/// Reads the arrays `x` and `y`, or `z`, or `chosen` and `rejected`, and `weight`, their names after `prefix`.
pub(super) fn read(
    input: Input,
    prefix: &str,
    policy: LabelPolicy,
    rows: Option<usize>,
) -> Result<Table, DataError> {
    let length = input.length();
    let archive = ZipArchive::new(BufReader::new(input)).map_err(zip_error)?;
    let mut file = Npz { archive, prefix: prefix.to_owned(), length, rows };
    let mut table = match policy {
        LabelPolicy::Preferences => file.pairs()?,
        _ => file.features(policy)?,
    };
    if file.has("weight") {
        let weights = file.column("weight", &table)?;
        table.weights = Some((weights, Part::Array(file.name("weight"))));
    }
    Ok(table)
}

impl Npz {
    /// The arrays `x` and `y`, or `z`.
    fn features(&mut self, policy: LabelPolicy) -> Result<Table, DataError> {
        let premultiplied = match policy {
            LabelPolicy::Detect | LabelPolicy::Scores => self.holds_products()?,
            other => other == LabelPolicy::Premultiplied,
        };
        let mut table = self.table(if premultiplied { "z" } else { "x" })?;
        if !premultiplied && policy.is_labelled() {
            let labels = self.column("y", &table)?;
            table.labels = Some((RawLabels::Numbers(labels), Part::Array(self.name("y"))));
        }
        Ok(table)
    }

    /// The array `chosen` minus the array `rejected`.
    fn pairs(&mut self) -> Result<Table, DataError> {
        let mut table = self.table("chosen")?;
        let rejected = self.array("rejected")?;
        let expected = [table.total, table.dimension];
        if rejected.shape != expected {
            let unequal = Problem::UnequalPairs { expected, found: rejected.shape };
            return Err(DataError::from(unequal).in_array(&self.name("rejected")));
        }
        table.values.iter_mut().zip(rejected.values).for_each(|(chosen, rejected)| *chosen -= rejected);
        Ok(table)
    }

    /// The array as rows.
    fn table(&mut self, array: &str) -> Result<Table, DataError> {
        let name = self.name(array);
        let values = self.array(array)?;
        Table::from_array(values).map_err(|error| error.in_array(&name))
    }

    fn name(&self, array: &str) -> String {
        format!("{}{array}", self.prefix)
    }

    fn has(&self, array: &str) -> bool {
        let name = self.name(array);
        self.archive.file_names().any(|file| array_name(file) == name)
    }

    /// Whether the rows are to be taken from `z`, rather than made from `x` and `y`.
    fn holds_products(&self) -> Result<bool, DataError> {
        if self.has("z") && self.has("x") {
            return Err(Problem::AmbiguousArrays(self.name("x"), self.name("z")).into());
        }
        Ok(self.has("z"))
    }

    /// The array as one value per row of the table.
    fn column(&mut self, array: &str, table: &Table) -> Result<Vec<f64>, DataError> {
        let name = self.name(array);
        let values = self.array(array)?;
        table.column(values).map_err(|error| error.in_array(&name))
    }

    fn array(&mut self, array: &str) -> Result<Array, DataError> {
        let name = self.name(array);
        let Some(index) = (0..self.archive.len())
            .find(|&i| self.archive.name_for_index(i).is_some_and(|file| array_name(file) == name))
        else {
            return Err(self.missing(&name));
        };
        let mut file = self.archive.by_index(index).map_err(zip_error)?;
        let packed = file.compressed_size().min(self.length);
        let available = match file.compression() {
            zip::CompressionMethod::Stored => packed,
            _ => file.size().min(packed.saturating_mul(LARGEST_RATIO)),
        };
        read_array(&mut file, available, self.rows).map_err(|error| error.in_array(&name))
    }

    fn missing(&self, wanted: &str) -> DataError {
        let mut present: Vec<String> =
            self.archive.file_names().map(|file| array_name(file).to_owned()).collect();
        present.sort();
        let remedy = match &wanted[self.prefix.len()..] {
            "z" => "save the rows as \"z\" (numpy: `savez(file, z=…)`)",
            "chosen" | "rejected" => {
                "save the features of both as \"chosen\" and \"rejected\" (numpy: `savez(file, chosen=…, rejected=…)`)"
            }
            _ => "save the features as \"x\" and the labels as \"y\" (numpy: `savez(file, x=…, y=…)`)",
        };
        Problem::MissingArray { wanted: wanted.to_owned(), present, remedy }.into()
    }
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
