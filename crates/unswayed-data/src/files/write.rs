//! Writing arrays as `.npz`.

use std::io::{Cursor, Write};

use crate::Pattern;
use zip::write::{SimpleFileOptions, ZipWriter};

/// The bytes of an `.npz` file with one array of rows for each name.
///
/// # Errors
///
/// None in practice: the file is made in memory.
///
/// ```
/// let bytes = unswayed_data::write_arrays(&[("steady_state".into(), vec![0.6, 0.8])], 2)?;
/// assert_eq!(&bytes[..2], b"PK"); // a zip archive, which NumPy opens
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_arrays(arrays: &[(String, Vec<f64>)], columns: usize) -> std::io::Result<Vec<u8>> {
    let shape = |points: &[f64]| format!("({}, {columns})", points.len() / columns.max(1));
    archive(arrays.iter().map(|(name, points)| (name.as_str(), shape(points), points.as_slice())))
}

/// The bytes of an `.npz` file with the rows `x` and, if there are any, the labels `y`, as [`crate::load`] reads them.
///
/// # Errors
///
/// None in practice: the file is made in memory.
///
/// ```
/// use unswayed_data::{Reading, Source, load, write_dataset};
/// let bytes = write_dataset(&[0.6, 0.8, 0.0, 0.5], 2, Some(&[1.0, -1.0]))?;
/// let data = load(&Source::bytes("mail.npz", bytes), &Reading::default())?;
/// assert_eq!(data.z(), [0.6, 0.8, 0.0, -0.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_dataset(x: &[f64], columns: usize, y: Option<&[f64]>) -> std::io::Result<Vec<u8>> {
    write_weighted(x, columns, y, None)
}

/// The same with an array `weight`, if there are weights.
///
/// # Errors
///
/// None in practice: the file is made in memory.
pub fn write_weighted(
    x: &[f64],
    columns: usize,
    y: Option<&[f64]>,
    weights: Option<&[f64]>,
) -> std::io::Result<Vec<u8>> {
    let x = ("x", format!("({}, {columns})", x.len() / columns.max(1)), x);
    let vector = |name, values: &'_ [f64]| (name, format!("({},)", values.len()));
    let y = y.map(|y| (vector("y", y), y));
    let weights = weights.map(|weights| (vector("weight", weights), weights));
    let vectors = y.into_iter().chain(weights).map(|((name, shape), values)| (name, shape, values));
    archive(std::iter::once(x).chain(vectors))
}

/// The bytes of an `.npz` file with sparse rows as `scipy.sparse.save_npz` writes them, and the labels and weights, if there
/// are any, as arrays `y` and `weight`, which SciPy does not look at.
///
/// # Errors
///
/// None in practice: the file is made in memory.
///
/// ```
/// use unswayed_data::{Pattern, Reading, Source, load, write_sparse};
/// let pattern = Pattern::new(vec![0, 1, 3], vec![4, 0, 4], 5)?;
/// let bytes = write_sparse(&pattern, &[0.5, 0.6, 0.8], 5, Some(&[1.0, -1.0]), None)?;
/// let data = load(&Source::bytes("mail.npz", bytes), &Reading::default())?;
/// assert_eq!(data.kept_columns(), Some(&[0, 4][..]));
/// assert_eq!(data.z(), [0.0, 0.5, -0.6, -0.8]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_sparse(
    pattern: &Pattern,
    values: &[f64],
    columns: usize,
    y: Option<&[f64]>,
    weights: Option<&[f64]>,
) -> std::io::Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let vector = |length: usize| format!("({length},)");
    let integers = |values: &mut dyn Iterator<Item = u64>| values.flat_map(u64::to_le_bytes).collect();
    let numbers = |values: &[f64]| values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let starts = pattern.starts();
    let mut parts: Vec<(&str, &str, String, Vec<u8>)> = vec![
        (
            "indices",
            "<i8",
            vector(values.len()),
            integers(&mut pattern.columns().iter().map(|j| u64::from(*j))),
        ),
        ("indptr", "<i8", vector(starts.len()), integers(&mut starts.iter().map(|start| *start as u64))),
        ("format", "|S3", "()".to_owned(), b"csr".to_vec()),
        ("shape", "<i8", vector(2), integers(&mut [pattern.rows(), columns].into_iter().map(|n| n as u64))),
        ("data", "<f8", vector(values.len()), numbers(values)),
    ];
    for (name, values) in [("y", y), ("weight", weights)] {
        parts.extend(values.map(|values| (name, "<f8", vector(values.len()), numbers(values))));
    }
    for (name, kind, shape, bytes) in parts {
        archive.start_file(format!("{name}.npy"), stored.large_file(bytes.len() > 1 << 31))?;
        archive.write_all(&header(kind, &shape))?;
        archive.write_all(&bytes)?;
    }
    Ok(archive.finish()?.into_inner())
}

fn archive<'a>(arrays: impl IntoIterator<Item = (&'a str, String, &'a [f64])>) -> std::io::Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, shape, values) in arrays {
        archive.start_file(format!("{name}.npy"), stored.large_file(values.len() > 1 << 28))?;
        archive.write_all(&header("<f8", &shape))?;
        for chunk in values.chunks(1 << 12) {
            archive.write_all(&chunk.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>())?;
        }
    }
    Ok(archive.finish()?.into_inner())
}

/// A `.npy` header, padded to a multiple of 64 bytes.
fn header(kind: &str, shape: &str) -> Vec<u8> {
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    let length = (10 + text.len() + 1).next_multiple_of(64);
    text.extend(std::iter::repeat_n(' ', length - 11 - text.len()));
    text.push('\n');
    let size = u16::try_from(text.len()).unwrap_or(u16::MAX).to_le_bytes();
    [b"\x93NUMPY\x01\x00", size.as_slice(), text.as_bytes()].concat()
}
