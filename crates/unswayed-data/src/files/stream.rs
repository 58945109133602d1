//! Data that are read in parts, for files that are larger than memory.
//!
//! Nothing is different but the way there: rows, labels, scale and digest are those of [`super::load`], to the last bit.

use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};
use std::thread::ScopedJoinHandle;

use super::concat::append;
use super::found::{Found, refuse_kind};
use super::parts::{Tables, files};
use super::source::Source;
use crate::error::{DataError, Problem};
use crate::labels::RawLabels;
use crate::make::{self, Divide, Reading};
use crate::table::Table;
use crate::{Dataset, Origin};

/// Blocks that wait for a thread.
const WAITING: usize = 2;

/// Rows of a `.npy` file, a `.parquet` file or a folder of the latter, which are read in parts as often as they are needed.
#[derive(Clone, Debug)]
pub struct Stream {
    source: Source,
    reading: Reading,
    origin: Origin,
}

/// Some rows z, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The number of the first one, from 0.
    pub first: usize,
    /// Their entries.
    pub z: Vec<f64>,
}

impl Stream {
    /// How many bytes the files of a source have, if it can be read in parts.
    pub fn bytes(source: &Source) -> Option<u64> {
        let files = files(source).ok()?;
        files.iter().map(|file| file.metadata().ok().map(|about| about.len())).sum()
    }

    /// How many columns the table of a source has.
    ///
    /// # Errors
    ///
    /// Files that cannot be read in parts.
    pub fn columns(source: &Source, reading: &Reading) -> Result<usize, DataError> {
        let first = Tables::open(source, &Reading { rows: Some(1), ..reading.clone() })
            .and_then(|mut tables| tables.next());
        let first = first.map_err(|error| error.in_file(&source.features.display()))?;
        Ok(first.map_or(0, |(_, table, _)| table.columns))
    }

    /// Reads everything once, to know how rows are made and what the digest is, and takes about `sample` rows from everywhere as a
    /// dataset of their own, which is made in the same way. `progress` is told how many rows have been read, and of how many.
    ///
    /// # Errors
    ///
    /// What [`super::load`] refuses; other formats; weights; and labels that are neither two classes nor scores.
    pub fn open(
        source: &Source,
        reading: &Reading,
        sample: usize,
        progress: &dyn Fn(usize, usize),
    ) -> Result<(Stream, Dataset), DataError> {
        let tables = Tables::open(source, reading);
        let opened = tables.and_then(|tables| scan(source, reading, tables, sample, progress));
        opened.map_err(|error| error.in_file(&source.features.display()))
    }

    /// The rows that an origin is about. Nothing is read yet: whether these are the rows, [`Stream::read`] tells.
    ///
    /// # Errors
    ///
    /// Files that are missing, or that cannot be read in parts as the origin says.
    pub fn of(source: &Source, origin: &Origin) -> Result<Stream, DataError> {
        let reading = super::reading(origin);
        let opened = Tables::open(source, &reading).and_then(|_| {
            origin.validate().map_err(Problem::BadOrigin)?;
            refuse_kind(&reading, &origin.labels)?;
            if origin.class_weights.is_some() || origin.of_columns.is_some() {
                return Err(Problem::NotInParts("weights of steps and sparse rows").into());
            }
            Ok(Stream { source: source.clone(), reading, origin: origin.clone() })
        });
        opened.map_err(|error| error.in_file(&source.features.display()))
    }

    /// How the rows are made.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Reads all rows once more, block by block.
    ///
    /// # Errors
    ///
    /// What `work` returns; files that cannot be read; and rows that are not those of the origin, whose digest is then another one.
    pub fn read<E: From<DataError>>(&self, mut work: impl FnMut(Block) -> Result<(), E>) -> Result<(), E> {
        let named = |error: DataError| E::from(error.in_file(&self.source.features.display()));
        let mut tables = Tables::open(&self.source, &self.reading).map_err(named)?;
        let Origin { scale, labels, .. } = &self.origin;
        let mut found = Found::new(tables.rows().map_err(named)?);
        while let Some((first, table, about)) = tables.next().map_err(named)? {
            found.take(first, &table, &about).map_err(named)?;
            let made = make::entries(&table, labels, Divide::By(*scale), &about);
            let (z, _) = made.map_err(|error| named(error.below(first)))?;
            work(Block { first, z: z.into_owned() })?;
        }
        let (of, columns, sha256) = (tables.of, found.columns, found.digest());
        let origin = Origin { rows: found.rows, of, columns, sha256, ..self.origin.clone() };
        self.origin.same_rows(&origin).map_err(|difference| named(Problem::OtherRows(difference).into()))
    }

    /// The same in as many threads as there are cores: each has its own `S`, which blocks are added to by whichever thread is free.
    /// `progress` is told how many rows have been read, and of how many.
    ///
    /// # Errors
    ///
    /// As [`Stream::read`].
    pub fn in_threads<S: Send, E: From<DataError> + Send>(
        &self,
        new: impl Fn() -> Result<S, E> + Sync,
        add: impl Fn(&mut S, Block) -> Result<(), E> + Sync,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Vec<S>, E> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let (sender, receiver) = sync_channel::<Block>(WAITING);
        let receiver = Mutex::new(receiver);
        let Origin { rows, columns, .. } = self.origin;
        std::thread::scope(|scope| {
            let work = || -> Result<S, E> {
                let mut sums = new()?;
                loop {
                    let next = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(block) = next else { return Ok(sums) };
                    add(&mut sums, block)?;
                }
            };
            let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let read = self.read(|block: Block| -> Result<(), E> {
                progress(block.first + block.z.len() / columns, rows);
                // Nobody takes a block only if all threads have failed, and then their errors are returned.
                let _ = sender.send(block);
                Ok(())
            });
            drop(sender);
            let join = |handle: ScopedJoinHandle<'_, Result<S, E>>| {
                handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            let sums = handles.into_iter().map(join).collect::<Result<Vec<S>, E>>();
            read.and(sums)
        })
    }
}

/// Rows from everywhere.
pub(super) struct Sample {
    /// One of so many.
    stride: usize,
    table: Option<Table>,
}

impl Sample {
    pub(super) fn new(stride: usize) -> Self {
        Sample { stride, table: None }
    }

    pub(super) fn into_table(self) -> Option<Table> {
        self.table
    }

    pub(super) fn take(&mut self, first: usize, table: &Table) -> Result<(), DataError> {
        let (stride, rows) = (self.stride, first..first + table.rows());
        // Not always the same place, which could be the same label.
        let place = |block: usize| block * stride + (block.wrapping_mul(2_654_435_761) >> 16) % stride;
        let blocks = first / stride..rows.end.div_ceil(stride);
        let kept: Vec<usize> =
            blocks.map(place).filter(|row| rows.contains(row)).map(|row| row - first).collect();
        let some = picked(table, &kept)?;
        self.table = Some(match self.table.take() {
            None => some,
            Some(before) => append(before, some).ok_or_else(|| Problem::UnlikeFiles(String::new()))?,
        });
        Ok(())
    }

    fn made(self, origin: &Origin) -> Result<Dataset, DataError> {
        let table = self.table.ok_or(Problem::NoRows)?;
        let rows = table.rows();
        table.remade(&Origin { rows, of: rows, ..origin.clone() })
    }
}

/// Some rows of a table.
fn picked(table: &Table, rows: &[usize]) -> Result<Table, DataError> {
    let d = table.columns;
    let x = rows.iter().flat_map(|row| &table.x[row * d..(row + 1) * d]).copied().collect();
    let y = match &table.y {
        None => None,
        Some(RawLabels::Numbers(numbers)) => {
            Some(RawLabels::Numbers(rows.iter().map(|row| numbers[*row]).collect()))
        }
        Some(RawLabels::Texts(texts)) => {
            let all: Vec<&str> = texts.iter().collect();
            Some(RawLabels::texts(rows.iter().map(|row| all[*row]))?)
        }
    };
    Ok(Table { x, y, columns: d, names: table.names.clone(), ..Table::default() })
}

/// Reads everything once.
fn scan(
    source: &Source,
    reading: &Reading,
    mut tables: Tables,
    sample: usize,
    progress: &dyn Fn(usize, usize),
) -> Result<(Stream, Dataset), DataError> {
    let rows = tables.rows()?;
    let mut sample = Sample::new(rows.div_ceil(sample.max(1)).max(1));
    let mut found = Found::new(rows);
    let mut last = None;
    while let Some((first, table, about)) = tables.next()? {
        found.take(first, &table, &about)?;
        sample.take(first, &table)?;
        progress(first + table.rows(), rows);
        last = Some(about);
    }
    let Some(about) = last else { return Err(Problem::NoRows.into()) };
    let sha256 = found.digest();
    let origin = found.origin(reading, about, tables.of, sha256)?;
    let sample = sample.made(&origin)?;
    Ok((Stream { source: source.clone(), reading: reading.clone(), origin }, sample))
}
