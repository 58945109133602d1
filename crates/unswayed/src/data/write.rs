//! Writing points as `.npz`.

use std::io::Cursor;

use ndarray::ArrayView2;
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
