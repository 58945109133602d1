//! Sparse rows: where their entries are.

use std::ops::Range;

use crate::error::{DataError, Place, Problem};

/// The most columns that sparse rows may have.
const MOST_COLUMNS: u64 = 1 << 32;

/// Where the entries of sparse rows are. What is not listed is 0. The entries themselves are kept beside it, in the same order.
///
/// ```
/// use unswayed_data::Pattern;
/// let pattern = Pattern::new(vec![0, 2, 3], vec![0, 4, 1], 5)?;
/// assert_eq!((pattern.rows(), pattern.row(0), pattern.row(1)), (2, &[0, 4][..], &[1][..]));
/// assert!(Pattern::new(vec![0, 2], vec![4, 0], 5).is_err()); // not in order
/// # Ok::<(), unswayed_data::DataError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Where each row begins in `columns`, and where the last one ends.
    starts: Vec<usize>,
    /// The column of each entry; within a row they increase.
    columns: Vec<u32>,
}

impl Pattern {
    /// The pattern of rows that begin at `starts` (the last number is where the last row ends), with entries in these columns
    /// of so many.
    ///
    /// # Errors
    ///
    /// Refuses rows that overlap or leave entries out, columns that do not increase within a row, and columns that there are not.
    pub fn new(starts: Vec<usize>, columns: Vec<u32>, of: usize) -> Result<Self, DataError> {
        if of as u64 > MOST_COLUMNS {
            return Err(Problem::TooLarge { rows: starts.len().saturating_sub(1), columns: of }.into());
        }
        let in_order = starts.first() == Some(&0) && starts.last() == Some(&columns.len());
        if !in_order || starts.windows(2).any(|pair| pair[0] > pair[1]) {
            return Err(Problem::Damaged("the rows do not follow one another".to_owned()).into());
        }
        let pattern = Pattern { starts, columns };
        for i in 0..pattern.rows() {
            let row = pattern.row(i);
            if let Some(pair) = row.windows(2).find(|pair| pair[0] >= pair[1]) {
                return Err(Problem::Unsorted { column: pair[1], before: pair[0] }.at(Place::row(i)));
            }
            if let Some(&column) = row.last().filter(|last| **last as usize >= of) {
                return Err(Problem::NoSuchColumn { column, columns: of }.at(Place::row(i)));
            }
        }
        Ok(pattern)
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The columns of a row's entries.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    pub fn row(&self, row: usize) -> &[u32] {
        &self.columns[self.range(row)]
    }

    /// Where a row's entries are among all.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    pub fn range(&self, row: usize) -> Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// Where each row begins, and where the last one ends.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The columns of all entries, row after row.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// The rows of numbers that are kept in this order.
    pub(crate) fn split<'a>(&'a self, values: &'a [f64]) -> impl Iterator<Item = &'a [f64]> {
        self.starts.windows(2).map(move |pair| &values[pair[0]..pair[1]])
    }

    /// The first rows.
    pub(crate) fn first(&self, rows: usize) -> Self {
        Pattern { starts: self.starts[..=rows].to_vec(), columns: self.columns[..self.starts[rows]].to_vec() }
    }

    /// The rows with these indices.
    pub(crate) fn pick(&self, rows: &[usize]) -> Self {
        let mut starts = vec![0];
        let mut columns = vec![];
        for &row in rows {
            columns.extend_from_slice(&self.columns[self.range(row)]);
            starts.push(columns.len());
        }
        Pattern { starts, columns }
    }

    /// Leaves out entries that are 0.
    pub(crate) fn drop_zeros(&mut self, values: &mut Vec<f64>) {
        let mut kept = 0;
        for i in 0..self.rows() {
            // Row i − 1 has been shortened already, and begins where it did before or earlier.
            let range = self.range(i);
            self.starts[i] = kept;
            for place in range {
                if values[place] != 0.0 {
                    (values[kept], self.columns[kept]) = (values[place], self.columns[place]);
                    kept += 1;
                }
            }
        }
        let rows = self.rows();
        self.starts[rows] = kept;
        values.truncate(kept);
        self.columns.truncate(kept);
    }

    /// The columns with an entry, in order, and the same rows with only these columns.
    pub(crate) fn compact(&self) -> (Vec<u32>, Pattern) {
        let mut kept = self.columns.clone();
        kept.sort_unstable();
        kept.dedup();
        let place = |column: &u32| kept.partition_point(|other| other < column) as u32;
        let columns = self.columns.iter().map(place).collect();
        (kept, Pattern { starts: self.starts.clone(), columns })
    }

    /// The rows with all their zeros.
    pub(crate) fn dense(&self, values: &[f64], columns: usize) -> Vec<f64> {
        let mut all = vec![0.0; self.rows() * columns];
        for (i, row) in all.chunks_exact_mut(columns).enumerate() {
            self.row(i).iter().zip(&values[self.range(i)]).for_each(|(j, value)| row[*j as usize] = *value);
        }
        all
    }
}

/// Sparse rows z: in each of them the columns that are listed, and 0 elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct SparseRows<'a> {
    /// Where the entries are.
    pub pattern: &'a Pattern,
    /// The entries.
    pub values: &'a [f64],
}

impl<'a> SparseRows<'a> {
    /// The entries of a row with their columns.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + Clone + 'a {
        let range = self.pattern.range(row);
        let columns = self.pattern.columns[range.clone()].iter();
        columns.zip(&self.values[range]).map(|(column, value)| (*column as usize, *value))
    }

    /// The product of a row with a vector.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    pub fn dot(&self, row: usize, vector: &[f64]) -> f64 {
        self.row(row).map(|(column, value)| value * vector[column]).sum()
    }

    /// vector ← vector + factor·row.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    pub fn add(&self, row: usize, factor: f64, vector: &mut [f64]) {
        self.row(row).for_each(|(column, value)| vector[column] += factor * value);
    }
}
