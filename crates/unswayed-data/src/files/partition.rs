//! Rows that are spread over machines: each one reads its partition, and what it finds is put together in one place.
//!
//! Nothing is different but the way there: rows, labels, scale and digest are those of [`super::load`], to the last bit.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::found::Found;
use super::parts::{Tables, base_name, files};
use super::source::{Format, Source};
use super::stream::{Block, Sample};
use crate::Origin;
use crate::digest::Running;
use crate::error::{DataError, Problem};
use crate::make::{self, About, Divide, Reading};
use crate::table::Table;

/// Consecutive rows of a table that is spread over machines. It may have none.
#[derive(Clone, Debug)]
pub struct Partition {
    from: From,
    reading: Reading,
}

/// Where the rows of a partition are.
#[derive(Clone, Debug)]
enum From {
    Files(Source),
    /// A table that has been checked.
    Memory(Box<Table>),
    Nowhere,
}

/// What a partition is like, before it is known which rows are before it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Look {
    names: Vec<String>,
    found: Found,
    sha256: String,
}

/// The digest of all rows of the partitions so far. It is computed in the order of the rows, and so handed from one to the next.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DigestSoFar {
    state: String,
    partitions: Vec<String>,
}

impl Partition {
    /// The rows of files: of a `.npy` file, a `.parquet` file, or several of the latter.
    pub fn files(source: Source, reading: Reading) -> Partition {
        Partition { from: From::Files(source), reading }
    }

    /// The rows of a table in memory.
    ///
    /// # Errors
    ///
    /// As [`Table::into_dataset`], but there may be no rows.
    pub fn memory(table: Table, reading: Reading) -> Result<Partition, DataError> {
        if table.pattern.is_some() {
            return Err(Problem::NotInParts("sparse rows").into());
        }
        let from = match table.rows() {
            0 => From::Nowhere,
            _ => From::Memory(Box::new(table.checked(&About::memory())?)),
        };
        Ok(Partition { from, reading })
    }

    /// A look at the rows. Nothing is known of the others.
    ///
    /// # Errors
    ///
    /// As [`super::Stream::open`].
    pub fn look(&self) -> Result<Look, DataError> {
        refuse_reading(&self.reading)?;
        let mut found = Found::new(self.rows()?);
        let mut names = vec![];
        self.each(|first, table, about| -> Result<(), DataError> {
            names.clone_from(&table.names);
            found.take(first, table, about)
        })?;
        found.require_finite()?;
        let sha256 = found.digest();
        Ok(Look { names, found, sha256 })
    }

    /// The digest of the rows so far, together with these.
    ///
    /// # Errors
    ///
    /// As [`Partition::look`].
    pub fn digest(&self, before: &DigestSoFar) -> Result<DigestSoFar, DataError> {
        let broken = || Problem::Damaged("the state of a digest is wrong".to_owned());
        let mut hash = Running::at(&before.state).ok_or_else(broken)?;
        let mut found = Found::new(self.rows()?);
        self.each(|first, table, about| -> Result<(), DataError> {
            hash.numbers(&table.x);
            found.take(first, table, about)
        })?;
        let partitions = before.partitions.iter().cloned().chain([found.digest()]).collect();
        Ok(DigestSoFar { state: hash.state(), partitions })
    }

    /// One of so many of all rows as they stand in the table, where the first one here is row `first`; `None` if none of them is here.
    /// They are the rows that [`super::Stream::open`] takes.
    ///
    /// # Errors
    ///
    /// As [`Partition::look`].
    pub fn sample(&self, first: usize, stride: usize) -> Result<Option<Table>, DataError> {
        let mut sample = Sample::new(stride);
        self.each(|before, table, _| sample.take(first + before, table))?;
        Ok(sample.into_table().filter(|table| table.rows() > 0))
    }

    /// Reads the rows block by block as an origin says, the first one being row `first`. Returns the digest of the partition, by which
    /// [`Partitions::require_same`] tells whether they are those of the origin.
    ///
    /// # Errors
    ///
    /// What `work` returns; files that cannot be read; and labels that the origin does not have.
    pub fn read<E: std::convert::From<DataError>>(
        &self,
        first: usize,
        origin: &Origin,
        mut work: impl FnMut(Block) -> Result<(), E>,
    ) -> Result<String, E> {
        let mut found = Found::new(self.rows()?);
        self.each(|before, table, about| {
            found.take(before, table, about)?;
            let (z, _) = make::entries(table, &origin.labels, Divide::By(origin.scale), about)?;
            work(Block { first: first + before, z: z.into_owned() })
        })?;
        Ok(found.digest())
    }

    fn rows(&self) -> Result<usize, DataError> {
        match &self.from {
            From::Files(source) => Tables::open(source, &self.reading).and_then(|tables| tables.rows()),
            From::Memory(table) => Ok(table.rows()),
            From::Nowhere => Ok(0),
        }
    }

    fn each<E: std::convert::From<DataError>>(
        &self,
        mut work: impl FnMut(usize, &Table, &About) -> Result<(), E>,
    ) -> Result<(), E> {
        match &self.from {
            From::Files(source) => {
                let named = |error: DataError| E::from(error.in_file(&source.features.display()));
                let mut tables = Tables::open(source, &self.reading).map_err(named)?;
                while let Some((first, table, about)) = tables.next().map_err(named)? {
                    work(first, &table, &about)?;
                }
                Ok(())
            }
            From::Memory(table) => work(0, table, &About::memory()),
            From::Nowhere => Ok(()),
        }
    }
}

/// All partitions of a table, after a look at each.
#[derive(Debug)]
pub struct Partitions {
    names: Vec<String>,
    found: Found,
    /// The first rows of the partitions, and their digests.
    firsts: Vec<usize>,
    digests: Vec<String>,
}

impl Partitions {
    /// Puts looks together, in the order of the rows.
    ///
    /// # Errors
    ///
    /// No rows; partitions with different columns or kinds of labels; and what [`super::load`] refuses of labels.
    pub fn new(looks: Vec<Look>) -> Result<Partitions, DataError> {
        let digests = looks.iter().map(|look| look.sha256.clone()).collect();
        let mut firsts = vec![];
        let mut all: Option<(Vec<String>, Found)> = None;
        let mut rows = 0;
        for Look { names, found, .. } in looks {
            firsts.push(rows);
            rows += found.rows;
            match &mut all {
                _ if found.rows == 0 => {}
                None => all = Some((names, found)),
                Some((known, all)) => {
                    if *known != names || all.columns != found.columns {
                        return Err(Problem::UnlikeFiles("those before them".to_owned()).into());
                    }
                    all.merge(&found)?;
                }
            }
        }
        let (names, found) = all.ok_or(Problem::NoRows)?;
        Ok(Partitions { names, found, firsts, digests })
    }

    /// The number of all rows.
    pub fn rows(&self) -> usize {
        self.found.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.found.columns
    }

    /// The number of the first row of each partition, from 0.
    pub fn firsts(&self) -> &[usize] {
        &self.firsts
    }

    /// Which rows a sample of about so many takes: one of so many.
    pub fn stride(&self, sample: usize) -> usize {
        self.rows().div_ceil(sample.max(1)).max(1)
    }

    /// The digest before the first row.
    pub fn digest(&self) -> DigestSoFar {
        let hash = Running::new(self.rows(), self.columns());
        DigestSoFar { state: hash.state(), partitions: vec![] }
    }

    /// How the rows are made, once all partitions have been added to the digest. The files are those of all partitions, in the order of
    /// the rows; none for tables in memory.
    ///
    /// # Errors
    ///
    /// Partitions that have changed; labels and norms that [`super::load`] refuses.
    pub fn origin(
        &self,
        digest: &DigestSoFar,
        source: Option<&Source>,
        reading: &Reading,
    ) -> Result<Origin, DataError> {
        self.require_same(&digest.partitions)?;
        let hash = Running::at(&digest.state);
        let hash = hash.ok_or_else(|| Problem::Damaged("the state of a digest is wrong".to_owned()))?;
        let of = self.rows();
        let about = match source {
            None => About { of, ..About::memory() },
            Some(source) => {
                let files = files(source)?;
                let names: Vec<String> = files.iter().map(|file| base_name(file)).collect();
                let is_table =
                    Format::of_name(&files[0]).is_some_and(|(format, _)| format == Format::Parquet);
                super::about(source, &names, is_table, reading, (&self.names, of))
            }
        };
        self.found.origin(reading, about, of, self.found.digest_after(hash))
    }

    /// Refuses digests of partitions other than those of the first look.
    ///
    /// # Errors
    ///
    /// The first partition that has changed.
    pub fn require_same(&self, digests: &[String]) -> Result<(), DataError> {
        let changed = (0..self.digests.len()).find(|i| digests.get(*i) != self.digests.get(*i));
        match changed {
            None => Ok(()),
            Some(i) => {
                let words = format!("partition {} has changed since the first look", i + 1);
                Err(Problem::OtherRows(words).into())
            }
        }
    }
}

/// Only whole tables are spread.
fn refuse_reading(reading: &Reading) -> Result<(), DataError> {
    if reading.rows.is_some() {
        return Err(Problem::NotInParts("so many rows from the top").into());
    }
    Ok(())
}

impl Source {
    /// The files that can be partitions, in the order of the rows: `.parquet` files, or one `.npy` file.
    ///
    /// # Errors
    ///
    /// Other files, and data in memory.
    pub fn partitions(&self) -> Result<Vec<PathBuf>, DataError> {
        files(self).map_err(|error| error.in_file(&self.features.display()))
    }
}
