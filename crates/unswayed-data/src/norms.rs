//! Euclidean norms of rows.

use serde::{Deserialize, Serialize};

use crate::error::{DataError, Place, Problem};

/// A row may be so much longer than 1: float32 rounding can do this to a row of norm 1.
const TOLERANCE: f64 = 1e-6;

/// The Euclidean norm, also where squares overflow or underflow.
pub(crate) fn norm(row: &[f64]) -> f64 {
    let squares = row.iter().map(|value| value * value).sum::<f64>();
    if squares.is_finite() && squares > 1e-280 {
        return squares.sqrt();
    }
    let largest = row.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    let parts = row.iter().map(|value| value / largest);
    parts.map(|part| part * part).sum::<f64>().sqrt() * largest
}

/// The largest norm of a row.
pub(crate) fn largest<'a>(rows: impl Iterator<Item = &'a [f64]>) -> f64 {
    rows.map(norm).fold(0.0, f64::max)
}

/// Refuses rows longer than 1.
pub(crate) fn check<'a>(rows: impl Iterator<Item = &'a [f64]>) -> Result<(), DataError> {
    let mut longest = Longest::default();
    rows.map(norm).enumerate().for_each(|(row, norm)| longest.see(row, norm));
    longest.check()
}

/// A number s a little above the largest norm: divided by it, every norm is at most 1 in exact arithmetic. It is 1 if all
/// rows are zero.
pub(crate) fn scale<'a>(rows: impl Iterator<Item = &'a [f64]>, columns: usize) -> Result<f64, DataError> {
    let mut longest = Longest::default();
    rows.map(norm).enumerate().for_each(|(row, norm)| longest.see(row, norm));
    longest.scale(columns)
}

/// The longest of some rows, and the first that is longer than 1.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Longest {
    norm: f64,
    row: usize,
    long: Option<(usize, f64)>,
}

impl Longest {
    /// A look at a row.
    pub(crate) fn see(&mut self, row: usize, norm: f64) {
        if norm > self.norm {
            (self.norm, self.row) = (norm, row);
        }
        if norm > 1.0 + TOLERANCE && self.long.is_none() {
            self.long = Some((row, norm));
        }
    }

    /// A look at later rows, the first of which has this number.
    #[cfg(feature = "files")]
    pub(crate) fn merge(&mut self, first: usize, later: &Longest) {
        if later.norm > self.norm {
            (self.norm, self.row) = (later.norm, first + later.row);
        }
        self.long = self.long.or(later.long.map(|(row, norm)| (first + row, norm)));
    }

    /// Refuses rows longer than 1.
    pub(crate) fn check(&self) -> Result<(), DataError> {
        self.long.map_or(Ok(()), |(row, norm)| Err(Problem::LongRow(norm).at(Place::row(row))))
    }

    /// See [`scale`].
    pub(crate) fn scale(&self, columns: usize) -> Result<f64, DataError> {
        if self.norm == 0.0 {
            return Ok(1.0);
        }
        // The computed norm is off by at most d/2 + 4 units of the last place, a quotient by half a unit.
        let scale = (self.norm * (1.0 + (columns as f64 + 8.0) * f64::EPSILON)).next_up();
        if scale.is_finite() { Ok(scale) } else { Err(Problem::HugeRow.at(Place::row(self.row))) }
    }
}
