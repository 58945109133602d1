//! The digest of a table, see [`crate::Origin`] for what it covers.

use sha2::{Digest, Sha256};

use crate::labels::RawLabels;
use crate::table::Table;

/// How many numbers are put into bytes at a time.
const CHUNK: usize = 1 << 12;

/// What the digest of sparse rows begins with: no table has so many rows.
const SPARSE: [u8; 8] = [0xff; 8];

/// The digest as 64 lower-case hexadecimal digits.
pub(crate) fn of(table: &Table) -> String {
    let mut hash = Sha256::new();
    if table.pattern.is_some() {
        hash.update(SPARSE);
    }
    hash.update((table.rows() as u64).to_le_bytes());
    hash.update((table.columns as u64).to_le_bytes());
    if let Some(pattern) = &table.pattern {
        integers(&mut hash, pattern.starts().iter().map(|start| *start as u64));
        integers(&mut hash, pattern.columns().iter().map(|column| u64::from(*column)));
    }
    numbers(&mut hash, &table.x);
    match &table.y {
        None => hash.update([0]),
        Some(RawLabels::Numbers(labels)) => {
            hash.update([1]);
            numbers(&mut hash, labels);
        }
        Some(RawLabels::Texts(labels)) => {
            hash.update([2]);
            for label in labels.iter() {
                hash.update((label.len() as u64).to_le_bytes());
                hash.update(label.as_bytes());
            }
        }
    }
    hash.update([u8::from(table.weights.is_some())]);
    numbers(&mut hash, table.weights.as_deref().unwrap_or_default());
    if let Some(steps) = &table.step_weights {
        hash.update([1]);
        numbers(&mut hash, steps);
    }
    let hexadecimal =
        |byte: &u8| [byte >> 4, byte & 15].map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]));
    hash.finalize().iter().flat_map(hexadecimal).collect()
}

fn integers(hash: &mut Sha256, values: impl Iterator<Item = u64>) {
    let mut bytes = Vec::with_capacity(8 * CHUNK);
    for value in values {
        bytes.extend(value.to_le_bytes());
        if bytes.len() == 8 * CHUNK {
            hash.update(&bytes);
            bytes.clear();
        }
    }
    hash.update(&bytes);
}

fn numbers(hash: &mut Sha256, values: &[f64]) {
    for chunk in values.chunks(CHUNK) {
        let bytes: Vec<u8> = chunk.iter().flat_map(|value| value.to_le_bytes()).collect();
        hash.update(&bytes);
    }
}
