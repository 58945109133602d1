//! Files for tests: written to disk, loaded by path, messages without the folder.

#![allow(dead_code)] // every test file uses a part of it

use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use unswayed::data::{DataError, Dataset, LabelPolicy, Options, Source, load};
use zip::write::{SimpleFileOptions, ZipWriter};

/// The rows that all fixtures hold.
pub const Z: [f64; 15] =
    [0.5, -0.25, 0.0, -0.125, -0.5, 0.75, 0.0, 0.0, -1.0, -0.5, 0.5, 0.5, 0.25, 0.25, 0.25];

/// The path of a fixture.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// Default options with a label policy.
pub fn policy(labels: LabelPolicy) -> Options {
    Options { labels, ..Options::default() }
}

/// Writes a file and loads it from disk.
pub fn load_file(name: &str, content: impl AsRef<[u8]>, options: &Options) -> Result<Dataset, DataError> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("a file");
    load(&Source::path(path), options)
}

/// The message with which a file is refused, without its folder.
pub fn refusal(name: &str, content: impl AsRef<[u8]>, options: &Options) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("a file");
    message(load(&Source::path(path), options), folder.path())
}

/// The message with which features and labels in `.npy` files are refused, without their folder.
pub fn refusal_of_pair(x: &[u8], y: &[u8], options: &Options) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let [x_path, y_path] = ["x.npy", "y.npy"].map(|name| folder.path().join(name));
    std::fs::write(&x_path, x).expect("a file");
    std::fs::write(&y_path, y).expect("a file");
    message(load(&Source::path(x_path).labels(y_path), options), folder.path())
}

/// The message of a refusal, without the folder.
pub fn message(result: Result<Dataset, DataError>, folder: &Path) -> String {
    let error = result.expect_err("this data is to be refused").to_string();
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
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in arrays {
        let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        archive.start_file(format!("{name}.npy"), stored).expect("a zip entry");
        archive.write_all(content).expect("a zip entry");
    }
    archive.finish().expect("a zip archive").into_inner()
}
