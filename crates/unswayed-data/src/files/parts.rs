//! Tables of files that are read a part at a time.

use std::path::{Path, PathBuf};

use super::columns::Layout;
use super::source::{Format, Location, Source};
use super::{about, layout, npy, parquet, refuse_unwanted, several};
use crate::error::{DataError, Problem};
use crate::labels::RawLabels;
use crate::make::{About, Reading};
use crate::table::Table;

/// Numbers in a part of an array, about.
const BLOCK: usize = 1 << 20;

/// The files of a source that can be read in parts.
pub(super) fn files(source: &Source) -> Result<Vec<PathBuf>, DataError> {
    let files = match &source.features {
        Location::Path(path) => several::files(path).transpose()?.unwrap_or_else(|| vec![path.clone()]),
        Location::Paths(paths) => paths.clone(),
        Location::Memory(..) => return Err(Problem::NotInParts("data in memory").into()),
    };
    let is =
        |file: &PathBuf, wanted: Format| Format::of_name(file).is_some_and(|(format, _)| format == wanted);
    let is_known = files.iter().all(|file| is(file, Format::Parquet))
        || matches!(&files[..], [file] if is(file, Format::Npy));
    if is_known { Ok(files) } else { Err(Problem::NotInParts("other files than .npy and .parquet").into()) }
}

/// The tables of the files, a part at a time.
pub(super) struct Tables {
    files: Vec<PathBuf>,
    format: Format,
    about: AboutFiles,
    reading: Reading,
    /// How many rows the files have.
    pub(super) of: usize,
    /// Rows that have been read.
    done: usize,
    /// The next file of a folder.
    next: usize,
    npy: Option<Arrays>,
    parquet: Option<parquet::Groups>,
    /// The names of the features of the first table.
    names: Option<Vec<String>>,
}

/// What messages and origins say of the files.
struct AboutFiles {
    source: Source,
    names: Vec<String>,
}

/// Features and labels in `.npy` files.
struct Arrays {
    features: npy::Parts,
    labels: Option<(npy::Parts, String)>,
    columns: usize,
}

impl Tables {
    pub(super) fn open(source: &Source, reading: &Reading) -> Result<Tables, DataError> {
        let files = files(source)?;
        let format = Format::of_name(&files[0]).map_or(Format::Npy, |(format, _)| format);
        refuse_unwanted(source, format, reading)?;
        let names = files.iter().map(|file| base_name(file)).collect();
        let mut tables = Tables {
            format,
            about: AboutFiles { source: source.clone(), names },
            reading: reading.clone(),
            of: 0,
            done: 0,
            next: 0,
            npy: None,
            parquet: None,
            names: None,
            files,
        };
        if format == Format::Npy {
            let arrays = Arrays::open(source, &tables.files[0], reading)?;
            tables.of = arrays.features.shape[0];
            tables.npy = Some(arrays);
        } else {
            for file in &tables.files {
                tables.of +=
                    parquet::rows(file).map_err(|error| error.in_file(&file.display().to_string()))?;
            }
        }
        Ok(tables)
    }

    /// How many rows are wanted.
    pub(super) fn rows(&self) -> Result<usize, DataError> {
        match self.reading.rows {
            Some(wanted) if wanted > self.of => Err(Problem::TooFewRows { wanted, found: self.of }.into()),
            wanted => Ok(wanted.unwrap_or(self.of)),
        }
    }

    /// The next rows after a look at their numbers, with the number of the first one.
    pub(super) fn next(&mut self) -> Result<Option<(usize, Table, About)>, DataError> {
        let left = self.rows()? - self.done;
        if left == 0 {
            return Ok(None);
        }
        let first = self.done;
        let table = match &mut self.npy {
            Some(arrays) => arrays.next(left)?,
            None => self.next_group(left)?,
        };
        let names = self.names.get_or_insert_with(|| table.names.clone());
        if *names != table.names {
            return Err(Problem::UnlikeFiles(self.about.names[0].clone()).into());
        }
        let is_table = self.format == Format::Parquet;
        let about =
            about(&self.about.source, &self.about.names, is_table, &self.reading, (&table.names, self.of));
        let table = table.checked(&about).map_err(|error| error.below(first))?;
        self.done += table.rows();
        Ok(Some((first, table, about)))
    }

    /// The rows of the next row group that has any.
    fn next_group(&mut self, left: usize) -> Result<Table, DataError> {
        let layout = Layout { rows: Some(left), ..layout(true, &self.reading) };
        loop {
            let file = &self.files[self.next.saturating_sub(1).min(self.files.len() - 1)];
            let named = |error: DataError| error.in_file(&file.display().to_string());
            if let Some(table) =
                self.parquet.as_mut().map(|groups| groups.next(layout)).transpose().map_err(named)?.flatten()
            {
                return Ok(table);
            }
            let Some(file) = self.files.get(self.next) else { return Err(Problem::NoRows.into()) };
            let opened = parquet::Groups::open(file, layout);
            self.parquet = Some(opened.map_err(|error| error.in_file(&file.display().to_string()))?);
            self.next += 1;
        }
    }
}

impl Arrays {
    fn open(source: &Source, path: &Path, reading: &Reading) -> Result<Arrays, DataError> {
        let features = npy::Parts::open(path)?;
        let columns = match *features.shape.as_slice() {
            [0, _] => return Err(Problem::NoRows.into()),
            [_, 0] => return Err(Problem::NoColumns.into()),
            [_, columns] => columns,
            _ => {
                let wanted = "one of two dimensions (rows, features)";
                return Err(Problem::WrongShape { found: features.shape, wanted }.into());
            }
        };
        let labels = match &source.labels {
            None if reading.labels.is_labelled() => return Err(Problem::NoLabels.into()),
            None => None,
            Some(Location::Path(path)) => {
                let opened = npy::Parts::open(path).and_then(|labels| match *labels.shape.as_slice() {
                    [found] | [found, 1] if found == features.shape[0] => Ok(labels),
                    [found] | [found, 1] => {
                        Err(Problem::LengthMismatch { rows: features.shape[0], found }.into())
                    }
                    _ => Err(Problem::WrongShape { found: labels.shape, wanted: "one value per row" }.into()),
                });
                let name = path.display().to_string();
                Some((opened.map_err(|error| error.in_file(&name))?, name))
            }
            Some(Location::Paths(_)) => return Err(Problem::NotInParts("labels in several files").into()),
            Some(Location::Memory(..)) => return Err(Problem::NotInParts("data in memory").into()),
        };
        Ok(Arrays { features, labels, columns })
    }

    fn next(&mut self, left: usize) -> Result<Table, DataError> {
        let rows = (BLOCK / self.columns).max(1).min(left);
        let mut table = Table::new(self.features.next(rows)?, self.columns);
        if let Some((labels, name)) = &mut self.labels {
            let numbers = labels.next(rows).map_err(|error| error.in_file(name))?;
            table.y = Some(RawLabels::Numbers(numbers));
        }
        Ok(table)
    }
}

pub(super) fn base_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
