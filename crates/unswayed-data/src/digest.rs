//! The digest of a table, see [`crate::Origin`] for what it covers.

#[cfg(feature = "files")]
use sha2::digest::common::hazmat::SerializableState;
use sha2::{Digest, Sha256};

use crate::labels::RawLabels;
use crate::table::Table;

/// How many numbers are put into bytes at a time.
const CHUNK: usize = 1 << 12;

/// What the digest of sparse rows begins with: no table has so many rows.
const SPARSE: [u8; 8] = [0xff; 8];

/// The digest as 64 lower-case hexadecimal digits.
pub(crate) fn of(table: &Table) -> String {
    let mut hash = Running(Sha256::new());
    if table.pattern.is_some() {
        hash.0.update(SPARSE);
    }
    hash.size(table.rows(), table.columns);
    if let Some(pattern) = &table.pattern {
        hash.integers(pattern.starts().iter().map(|start| *start as u64));
        hash.integers(pattern.columns().iter().map(|column| u64::from(*column)));
    }
    hash.numbers(&table.x);
    match &table.y {
        None => hash.no_labels(),
        Some(RawLabels::Numbers(labels)) => hash.number_labels(labels.iter().copied()),
        Some(RawLabels::Texts(labels)) => hash.text_labels(labels.iter()),
    }
    hash.finish(table.weights.as_deref(), table.step_weights.as_deref())
}

/// A digest that is not complete yet: parts of a table are added in their order.
#[derive(Clone, Debug)]
pub(crate) struct Running(Sha256);

impl Running {
    /// Of a table of so many rows and columns that is not sparse.
    #[cfg(feature = "files")]
    pub(crate) fn new(rows: usize, columns: usize) -> Self {
        let mut hash = Running(Sha256::new());
        hash.size(rows, columns);
        hash
    }

    fn size(&mut self, rows: usize, columns: usize) {
        self.0.update((rows as u64).to_le_bytes());
        self.0.update((columns as u64).to_le_bytes());
    }

    /// The next features.
    pub(crate) fn numbers(&mut self, values: &[f64]) {
        for chunk in values.chunks(CHUNK) {
            self.integers(chunk.iter().map(|value| value.to_bits()));
        }
    }

    pub(crate) fn no_labels(&mut self) {
        self.0.update([0]);
    }

    pub(crate) fn number_labels(&mut self, labels: impl Iterator<Item = f64>) {
        self.0.update([1]);
        self.integers(labels.map(f64::to_bits));
    }

    pub(crate) fn text_labels<'a>(&mut self, labels: impl Iterator<Item = &'a str>) {
        self.0.update([2]);
        for label in labels {
            self.0.update((label.len() as u64).to_le_bytes());
            self.0.update(label.as_bytes());
        }
    }

    fn integers(&mut self, values: impl Iterator<Item = u64>) {
        let mut bytes = Vec::with_capacity(8 * CHUNK);
        for value in values {
            bytes.extend(value.to_le_bytes());
            if bytes.len() == 8 * CHUNK {
                self.0.update(&bytes);
                bytes.clear();
            }
        }
        self.0.update(&bytes);
    }

    /// The digest, after weights and step weights.
    pub(crate) fn finish(mut self, weights: Option<&[f64]>, steps: Option<&[f64]>) -> String {
        self.0.update([u8::from(weights.is_some())]);
        self.numbers(weights.unwrap_or_default());
        if let Some(steps) = steps {
            self.0.update([1]);
            self.numbers(steps);
        }
        hexadecimal(&self.0.finalize())
    }

    /// What has been added so far, for another machine to go on from.
    #[cfg(feature = "files")]
    pub(crate) fn state(&self) -> String {
        hexadecimal(&self.0.serialize())
    }

    /// Where another machine was; `None` if the text is no state.
    #[cfg(feature = "files")]
    pub(crate) fn at(state: &str) -> Option<Self> {
        let digits = |at: usize| u8::from_str_radix(state.get(at..at + 2)?, 16).ok();
        let bytes: Vec<u8> = (0..state.len()).step_by(2).map(digits).collect::<Option<_>>()?;
        Sha256::deserialize(bytes.as_slice().try_into().ok()?).ok().map(Running)
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digits =
        |byte: &u8| [byte >> 4, byte & 15].map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]));
    bytes.iter().flat_map(digits).collect()
}
