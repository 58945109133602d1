//! Writing points and datasets as `.npz`.

use std::io::Cursor;

use ndarray::{ArrayView1, ArrayView2};
use ndarray_npy::{NpzWriter, WriteNpzError};

/// The bytes of an `.npz` file with one array of rows for each name.
///
/// ```
/// let bytes = unswayed::data::write_arrays(&[("steady_state".into(), vec![0.6, 0.8])], 2)?;
/// assert_eq!(&bytes[..2], b"PK"); // a zip archive, which NumPy opens
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_arrays(arrays: &[(String, Vec<f64>)], dimension: usize) -> Result<Vec<u8>, WriteNpzError> {
    let mut file = NpzWriter::new(Cursor::new(Vec::new()));
    for (name, points) in arrays {
        let rows = points.len() / dimension.max(1);
        if let Ok(view) = ArrayView2::from_shape((rows, dimension), points) {
            file.add_array(name, &view)?;
        }
    }
    Ok(file.finish()?.into_inner())
}

/// The bytes of an `.npz` file with the rows `x` and, if there are any, the labels `y`, as [`super::load()`] reads them.
///
/// ```
/// use unswayed::data::{Options, Source, load, write_dataset};
/// let bytes = write_dataset(&[0.6, 0.8, 0.0, 0.5], 2, Some(&[1.0, -1.0]))?;
/// let data = load(&Source::bytes("mail.npz", bytes), &Options::default())?;
/// assert_eq!(data.z(), [0.6, 0.8, 0.0, -0.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_dataset(x: &[f64], dimension: usize, y: Option<&[f64]>) -> Result<Vec<u8>, WriteNpzError> {
    let mut file = NpzWriter::new(Cursor::new(Vec::new()));
    if let Ok(view) = ArrayView2::from_shape((x.len() / dimension.max(1), dimension), x) {
        file.add_array("x", &view)?;
    }
    if let Some(y) = y {
        file.add_array("y", &ArrayView1::from(y))?;
    }
    Ok(file.finish()?.into_inner())
}
