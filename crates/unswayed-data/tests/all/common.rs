//! Files for tests: written to disk, loaded by path, messages without the folder.

use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::data_type::{BoolType, DoubleType};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use unswayed_data::{DataError, Dataset, LabelPolicy, Reading, Source, load};
use zip::write::{SimpleFileOptions, ZipWriter};

/// The rows that all fixtures hold.
pub const Z: [f64; 15] =
    [0.5, -0.25, 0.0, -0.125, -0.5, 0.75, 0.0, 0.0, -1.0, -0.5, 0.5, 0.5, 0.25, 0.25, 0.25];

/// The path of a fixture.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// Default options with a label policy.
pub fn policy(labels: LabelPolicy) -> Reading {
    Reading { labels, ..Reading::default() }
}

/// Writes a file and loads it from disk.
pub fn load_file(name: &str, content: impl AsRef<[u8]>, options: &Reading) -> Result<Dataset, DataError> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("a file");
    load(&Source::path(path), options)
}

/// The message with which a file is refused, without its folder.
pub fn refusal(name: &str, content: impl AsRef<[u8]>, options: &Reading) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("a file");
    message(load(&Source::path(path), options), folder.path())
}

/// The message with which features and labels in `.npy` files are refused, without their folder.
pub fn refusal_of_pair(x: &[u8], y: &[u8], options: &Reading) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let [x_path, y_path] = ["x.npy", "y.npy"].map(|name| folder.path().join(name));
    std::fs::write(&x_path, x).expect("a file");
    std::fs::write(&y_path, y).expect("a file");
    message(load(&Source::path(x_path).labels(y_path), options), folder.path())
}

/// The message of a refusal, without the folder.
pub fn message(result: Result<Dataset, DataError>, folder: &Path) -> String {
    let error = result.expect_err("this data is to be refused").for_command_line();
    assert!(!error.contains('\n'), "{error:?} has more than one line");
    error.replace(&format!("{}/", folder.display()), "")
}

/// A `.npy` file.
pub fn npy(dtype: &str, shape: &str, content: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend(u16::try_from(header.len()).expect("short").to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(content);
    file
}

/// A `.npy` file of float64 values.
pub fn npy_f64(shape: &str, values: &[f64]) -> Vec<u8> {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    npy("<f8", shape, &bytes)
}

/// A `.npz` file.
pub fn npz(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    archive(arrays, ".npy", zip::CompressionMethod::Stored)
}

/// A compressed `.npz` file.
pub fn npz_deflated(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    archive(arrays, ".npy", zip::CompressionMethod::Deflated)
}

/// A `.npz` file whose members have exactly these names.
pub fn npz_members(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    archive(members, "", zip::CompressionMethod::Stored)
}

fn archive(members: &[(&str, Vec<u8>)], ending: &str, method: zip::CompressionMethod) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        let options = SimpleFileOptions::default().compression_method(method);
        archive.start_file(format!("{name}{ending}"), options).expect("a zip entry");
        archive.write_all(content).expect("a zip entry");
    }
    archive.finish().expect("a zip archive").into_inner()
}

/// A Parquet file of one row group with this schema; the columns are written in turn.
fn parquet_file<'a>(
    schema: &str,
    columns: impl IntoIterator<Item = Box<dyn FnOnce(&mut SerializedColumnWriter) + 'a>>,
) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).expect("a schema"));
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).expect("a file");
    let mut group = file.next_row_group().expect("a group");
    for write in columns {
        let mut column = group.next_column().expect("a column").expect("a column");
        write(&mut column);
        column.close().expect("a column");
    }
    group.close().expect("a group");
    file.into_inner().expect("a file")
}

fn doubles<'a>(values: &'a [f64]) -> Box<dyn FnOnce(&mut SerializedColumnWriter) + 'a> {
    Box::new(|column| {
        column.typed::<DoubleType>().write_batch(values, None, None).expect("values");
    })
}

fn booleans<'a>(values: &'a [bool]) -> Box<dyn FnOnce(&mut SerializedColumnWriter) + 'a> {
    Box::new(|column| {
        column.typed::<BoolType>().write_batch(values, None, None).expect("values");
    })
}

/// A Parquet file of columns of doubles.
pub fn parquet_doubles(names: &[&str], columns: &[&[f64]]) -> Vec<u8> {
    let fields: Vec<String> = names.iter().map(|name| format!("required double {name};")).collect();
    let schema = format!("message m {{ {} }}", fields.join(" "));
    parquet_file(&schema, columns.iter().map(|values| doubles(values)))
}

/// A Parquet file of the columns a (truth values), b and label (truth values).
pub fn parquet_booleans(a: &[bool], b: &[f64], label: &[bool]) -> Vec<u8> {
    let schema = "message m { required boolean a; required double b; required boolean label; }";
    parquet_file(schema, [booleans(a), doubles(b), booleans(label)])
}

/// A Parquet file of so many rows 0.5.
pub fn parquet_constant(rows: usize) -> Vec<u8> {
    parquet_doubles(&["a"], &[&vec![0.5; rows]])
}
