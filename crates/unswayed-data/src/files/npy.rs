//! NumPy's `.npy` format: one array, a short text header in front of the raw numbers.

use std::cmp::Ordering;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use crate::error::{DataError, Place, Problem, excerpt};
use crate::table::Table;

/// How many values are decoded at a time.
const CHUNK: usize = 1 << 15;
/// NumPy's own headers have 128 bytes.
const LONGEST_HEADER: u64 = 1 << 16;

/// An array read from a file, its values in row-major order.
pub(super) struct Array {
    /// The shape in the file; it can be longer than what was read.
    pub shape: Vec<usize>,
    /// The values of the rows read.
    pub values: Vec<f64>,
}

/// The header of a `.npy` file.
struct Header {
    dtype: Dtype,
    fortran: bool,
    shape: Vec<usize>,
    /// Length of header and magic bytes together.
    length: u64,
}

/// A type of number, with its width in bytes.
#[derive(Clone, Copy)]
struct Dtype {
    kind: u8,
    width: usize,
    big_endian: bool,
}

/// An array that is read row by row.
pub(super) struct Parts {
    /// The shape in the file.
    pub shape: Vec<usize>,
    reader: BufReader<File>,
    dtype: Dtype,
    /// Values of a row.
    width: usize,
    /// Rows that have not been read.
    left: usize,
}

impl Parts {
    /// Reads the header.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        let unreadable = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => DataError::from(Problem::NotFound),
            _ => read_error(error),
        };
        let file = File::open(path).map_err(unreadable)?;
        let available = file.metadata().map_err(unreadable)?.len();
        let mut reader = BufReader::with_capacity(1 << 20, file);
        let Header { dtype, fortran, shape, length } = read_header(&mut reader)?;
        if fortran && shape.len() == 2 {
            return Err(Problem::NotInParts("an array that is stored column by column").into());
        }
        let bytes = shape.iter().try_fold(dtype.width, |n, &m| n.checked_mul(m));
        match bytes.map(|bytes| (bytes as u64).cmp(&available.saturating_sub(length))) {
            Some(Ordering::Equal) => {}
            Some(Ordering::Less) => return Err(damaged("it is longer than its header says")),
            _ => return Err(damaged("the array is shorter than its header says")),
        }
        let (left, width) = (shape.first().copied().unwrap_or(1), shape.iter().skip(1).product());
        Ok(Parts { shape, reader, dtype, width, left })
    }

    /// The values of the next rows, of which there must be so many.
    pub fn next(&mut self, rows: usize) -> Result<Vec<f64>, DataError> {
        let rows = rows.min(self.left);
        self.left -= rows;
        read_values(&mut self.reader, self.dtype, rows * self.width)
    }
}

/// Reads an array of finite numbers, or of its first `rows` rows. `available` is an upper bound on the
/// file's length, against which the header is checked before memory is asked for.
pub(super) fn read_array(
    reader: &mut dyn Read,
    available: u64,
    rows: Option<usize>,
) -> Result<Array, DataError> {
    let header = read_header(reader)?;
    let count = header.shape.iter().try_fold(1_usize, |n, &m| n.checked_mul(m));
    let bytes = count.and_then(|n| n.checked_mul(header.dtype.width));
    let room = available.saturating_sub(header.length);
    if bytes.is_none_or(|bytes| bytes as u64 > room) {
        return Err(damaged("the array is shorter than its header says"));
    }
    if count == Some(0) {
        return Ok(Array { shape: header.shape, values: Vec::new() });
    }
    let total = header.shape.first().copied().unwrap_or(1);
    let kept = rows.map_or(total, |rows| rows.min(total));
    let width = header.shape.iter().skip(1).product::<usize>();
    let values = if header.fortran && header.shape.len() == 2 {
        read_columns(reader, header.dtype, (total, width), kept)?
    } else {
        read_values(reader, header.dtype, kept * width)?
    };
    if kept == total {
        refuse_rest(reader)?;
    }
    if let Some(i) = values.iter().position(|value| !value.is_finite()) {
        return Err(Problem::NotFinite(values[i]).at(cell(&header.shape, i)));
    }
    Ok(Array { shape: header.shape, values })
}

/// An array as rows of features.
pub(super) fn matrix(array: Array) -> Result<Table, DataError> {
    match *array.shape.as_slice() {
        [0, _] => Err(Problem::NoRows.into()),
        [_, 0] => Err(Problem::NoColumns.into()),
        [_, columns] => Ok(Table::new(array.values, columns)),
        _ => {
            let wanted = "one of two dimensions (rows, features)";
            Err(Problem::WrongShape { found: array.shape, wanted }.into())
        }
    }
}

/// An array that has one value for each of so many rows.
pub(super) fn column(array: Array, rows: usize) -> Result<Vec<f64>, DataError> {
    match *array.shape.as_slice() {
        [found] | [found, 1] if found == rows => Ok(array.values),
        [found] | [found, 1] => Err(Problem::LengthMismatch { rows, found }.into()),
        _ => Err(Problem::WrongShape { found: array.shape, wanted: "one value per row" }.into()),
    }
}

/// Row and, in an array of two dimensions, column of the value with this index.
fn cell(shape: &[usize], index: usize) -> Place {
    match shape {
        [_, columns] => Place::row(index / columns).at_column(index % columns, &[]),
        _ => Place::row(index),
    }
}

fn damaged(cause: &str) -> DataError {
    Problem::Damaged(cause.to_owned()).into()
}

/// A failed read as an error: the end of the file, or trouble of the operating system.
#[allow(clippy::needless_pass_by_value)] // used in `map_err`
pub(super) fn read_error(error: std::io::Error) -> DataError {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => damaged("it ends too early"),
        std::io::ErrorKind::InvalidData | std::io::ErrorKind::InvalidInput | std::io::ErrorKind::Other => {
            damaged(&error.to_string())
        }
        _ => Problem::Unreadable(error.to_string()).into(),
    }
}

fn read_header(reader: &mut dyn Read) -> Result<Header, DataError> {
    let mut start = [0; 8];
    reader.read_exact(&mut start).map_err(read_error)?;
    if &start[..6] != b"\x93NUMPY" {
        return Err(damaged("it does not begin like a .npy file"));
    }
    let long = start[6] >= 2;
    let mut size = [0; 4];
    let size_bytes = if long { &mut size[..] } else { &mut size[..2] };
    reader.read_exact(size_bytes).map_err(read_error)?;
    let size = u64::from(u32::from_le_bytes(size));
    if size > LONGEST_HEADER {
        return Err(damaged("its header is too long"));
    }
    let mut text = Vec::new();
    reader.take(size).read_to_end(&mut text).map_err(read_error)?;
    if text.len() as u64 != size {
        return Err(damaged("it ends too early"));
    }
    let text = String::from_utf8_lossy(&text);
    let length = 8 + size + if long { 4 } else { 2 };
    parse_header(&text, length)
}

/// Parses a header such as `{'descr': '<f4', 'fortran_order': False, 'shape': (500, 31), }`.
fn parse_header(text: &str, length: u64) -> Result<Header, DataError> {
    let unclear = || damaged("its header cannot be understood");
    let descr = after(text, "descr").ok_or_else(unclear)?;
    let Some(descr) = descr.strip_prefix(['\'', '"']) else {
        return Err(Problem::WrongType("structured records".to_owned()).into());
    };
    let descr = descr.split(['\'', '"']).next().unwrap_or_default();
    let fortran = after(text, "fortran_order").ok_or_else(unclear)?.starts_with("True");
    let shape = after(text, "shape").and_then(|shape| shape.strip_prefix('(')).ok_or_else(unclear)?;
    let (shape, _) = shape.split_once(')').ok_or_else(unclear)?;
    let sizes = shape.split(',').map(str::trim).filter(|size| !size.is_empty());
    let shape = sizes
        .map(|size| size.trim_end_matches('L').parse().map_err(|_| unclear()))
        .collect::<Result<_, _>>()?;
    Ok(Header { dtype: parse_dtype(descr)?, fortran, shape, length })
}

/// What follows a key and its colon.
fn after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let rest = &text[text.find(key)? + key.len()..];
    Some(rest.get(1..)?.trim_start().strip_prefix(':')?.trim_start())
}

fn parse_dtype(descr: &str) -> Result<Dtype, DataError> {
    let (big_endian, name) = match descr.split_at_checked(1) {
        Some((">", name)) => (true, name),
        Some(("<" | "|" | "=", name)) => (false, name),
        _ => (false, descr),
    };
    let wrong = |name: &str| Err(Problem::WrongType(name.to_owned()).into());
    match name {
        "f4" | "f8" | "i1" | "i2" | "i4" | "i8" | "u1" | "u2" | "u4" | "u8" | "b1" => {
            let &[kind, width] = name.as_bytes() else {
                return wrong(name);
            };
            Ok(Dtype { kind, width: usize::from(width - b'0'), big_endian })
        }
        "f2" => wrong("float16"),
        "f12" | "f16" => wrong("longdouble"),
        "c8" | "c16" => wrong("complex"),
        _ if name.starts_with('U') || name.starts_with('S') => {
            wrong("text (use numbers, or a .csv file for text labels)")
        }
        _ if name.starts_with('O') => wrong("object"),
        _ => wrong(&excerpt(descr)),
    }
}

/// Memory for so many values, or an error.
fn reserve(count: usize) -> Result<Vec<f64>, DataError> {
    let mut values = Vec::new();
    match values.try_reserve_exact(count) {
        Ok(()) => Ok(values),
        Err(_) => Err(Problem::TooLarge { rows: count, columns: 1 }.into()),
    }
}

fn read_values(reader: &mut dyn Read, dtype: Dtype, count: usize) -> Result<Vec<f64>, DataError> {
    let mut values = reserve(count)?;
    let mut buffer = vec![0; CHUNK.min(count) * dtype.width];
    while values.len() < count {
        let chunk = &mut buffer[..CHUNK.min(count - values.len()) * dtype.width];
        reader.read_exact(chunk).map_err(read_error)?;
        decode(dtype, chunk, &mut values);
    }
    Ok(values)
}

/// Reads an array that is stored column by column.
fn read_columns(
    reader: &mut dyn Read,
    dtype: Dtype,
    (rows, columns): (usize, usize),
    kept: usize,
) -> Result<Vec<f64>, DataError> {
    let mut values = reserve(kept * columns)?;
    values.resize(kept * columns, 0.0);
    for j in 0..columns {
        let column = read_values(reader, dtype, rows)?;
        for (row, value) in values.chunks_exact_mut(columns).zip(column) {
            row[j] = value;
        }
    }
    Ok(values)
}

/// Reads to the end, so that checksums are compared, and refuses bytes behind the array.
fn refuse_rest(reader: &mut dyn Read) -> Result<(), DataError> {
    match reader.read(&mut [0; 16]).map_err(read_error)? {
        0 => Ok(()),
        _ => Err(damaged("it is longer than its header says")),
    }
}

/// Appends the numbers in `bytes` to `values`.
fn decode(dtype: Dtype, bytes: &[u8], values: &mut Vec<f64>) {
    macro_rules! numbers {
        ($type:ty, $to_f64:expr) => {{
            let (items, _) = bytes.as_chunks();
            if dtype.big_endian {
                values.extend(items.iter().map(|item| $to_f64(<$type>::from_be_bytes(*item))));
            } else {
                values.extend(items.iter().map(|item| $to_f64(<$type>::from_le_bytes(*item))));
            }
        }};
    }
    match (dtype.kind, dtype.width) {
        (b'f', 4) => numbers!(f32, f64::from),
        (b'f', _) => numbers!(f64, |value| value),
        (b'i', 1) => numbers!(i8, f64::from),
        (b'i', 2) => numbers!(i16, f64::from),
        (b'i', 4) => numbers!(i32, f64::from),
        (b'i', _) => numbers!(i64, |value| value as f64),
        (b'u', 2) => numbers!(u16, f64::from),
        (b'u', 4) => numbers!(u32, f64::from),
        (b'u', 8) => numbers!(u64, |value| value as f64),
        _ => numbers!(u8, f64::from),
    }
}
