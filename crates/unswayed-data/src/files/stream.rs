//! Data that are read in parts, for files that are larger than memory.
//!
//! Nothing is different but the way there: rows, labels, scale and digest are those of [`super::load`], to the last bit.

use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};
use std::thread::ScopedJoinHandle;

use super::columns::Layout;
use super::concat::append;
use super::source::{Format, Location, Source};
use super::{about, layout, npy, parquet, refuse_unwanted};
use crate::digest::Running;
use crate::error::{DataError, Place, Problem};
use crate::labels::{self, RawLabels};
use crate::make::{self, About, Divide, Reading};
use crate::norms::{self, Longest};
use crate::table::Table;
use crate::{Dataset, Labels, Origin};

/// Numbers in a block, about.
const BLOCK: usize = 1 << 20;
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
struct Sample {
    /// One of so many.
    stride: usize,
    table: Option<Table>,
}

impl Sample {
    fn take(&mut self, first: usize, table: &Table) -> Result<(), DataError> {
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

/// The files of a source that can be read in parts.
fn files(source: &Source) -> Result<Vec<PathBuf>, DataError> {
    let Location::Path(path) = &source.features else {
        return Err(Problem::NotInParts("data in memory").into());
    };
    let files = if path.is_dir() { super::source::tables_in(path)? } else { vec![path.clone()] };
    let is =
        |file: &PathBuf, wanted: Format| Format::of_name(file).is_some_and(|(format, _)| format == wanted);
    let is_known = files.iter().all(|file| is(file, Format::Parquet))
        || matches!(&files[..], [file] if is(file, Format::Npy));
    if is_known { Ok(files) } else { Err(Problem::NotInParts("other files than .npy and .parquet").into()) }
}

/// Refuses what is not read in parts.
fn refuse_kind(reading: &Reading, labels: &Labels) -> Result<(), DataError> {
    if reading.weight_column.is_some()
        || reading.step_weight_column.is_some()
        || reading.class_weights.is_some()
    {
        return Err(Problem::NotInParts("weights of rows and steps").into());
    }
    match labels {
        Labels::Classes { .. } | Labels::Scores | Labels::Premultiplied => Ok(()),
        _ => Err(Problem::NotInParts("labels other than two classes and scores").into()),
    }
}

/// The tables of the files, a part at a time.
struct Tables {
    files: Vec<PathBuf>,
    format: Format,
    about: AboutFiles,
    reading: Reading,
    /// How many rows the files have.
    of: usize,
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
    fn open(source: &Source, reading: &Reading) -> Result<Tables, DataError> {
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
    fn rows(&self) -> Result<usize, DataError> {
        match self.reading.rows {
            Some(wanted) if wanted > self.of => Err(Problem::TooFewRows { wanted, found: self.of }.into()),
            wanted => Ok(wanted.unwrap_or(self.of)),
        }
    }

    /// The next rows after a look at their numbers, with the number of the first one.
    fn next(&mut self) -> Result<Option<(usize, Table, About)>, DataError> {
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

fn base_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
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
    let mut sample = Sample { stride: rows.div_ceil(sample.max(1)).max(1), table: None };
    let mut found = Found::new(rows);
    let mut last = None;
    while let Some((first, table, about)) = tables.next()? {
        found.take(first, &table, &about)?;
        sample.take(first, &table)?;
        progress(first + table.rows(), rows);
        last = Some(about);
    }
    let Some(about) = last else { return Err(Problem::NoRows.into()) };
    let labels = found.labels.decide(reading).map_err(|error| about.labels.blame(error))?;
    refuse_kind(reading, &labels)?;
    let longest = if labels == Labels::Scores { &found.scored } else { &found.longest };
    let scale = match reading.divide() {
        Divide::By(scale) if scale > 0.0 && scale.is_finite() => scale,
        Divide::By(scale) => return Err(Problem::BadScale(scale).into()),
        Divide::ByLargestNorm => longest.scale(found.columns)?,
        Divide::Not => longest.check().map(|()| 1.0)?,
    };
    let origin = Origin {
        file: about.file,
        label_file: about.label_file,
        labels,
        label_column: about.label_column,
        weight_column: None,
        step_weight_column: None,
        class_weights: None,
        chosen_columns: about.chosen_columns,
        files: about.files,
        scale,
        rows,
        of: tables.of,
        columns: found.columns,
        of_columns: None,
        sha256: found.digest(),
        made: None,
    };
    let sample = sample.made(&origin)?;
    Ok((Stream { source: source.clone(), reading: reading.clone(), origin }, sample))
}

/// What a look at all rows finds.
struct Found {
    columns: usize,
    rows: usize,
    hash: Option<Running>,
    labels: Kinds,
    /// The longest rows x, and those of y·x for labels that are numbers.
    longest: Longest,
    scored: Longest,
}

impl Found {
    fn new(rows: usize) -> Found {
        Found {
            columns: 0,
            rows,
            hash: None,
            labels: Kinds::default(),
            longest: Longest::default(),
            scored: Longest::default(),
        }
    }

    fn take(&mut self, first: usize, table: &Table, about: &About) -> Result<(), DataError> {
        self.columns = table.columns;
        self.hash.get_or_insert_with(|| Running::new(self.rows, table.columns)).numbers(&table.x);
        self.longest.take(first, table.x.chunks_exact(table.columns), None);
        let Some(y) = &table.y else { return Ok(()) };
        if let RawLabels::Numbers(numbers) = y {
            self.scored.take(first, table.x.chunks_exact(table.columns), Some(numbers));
        }
        self.labels.take(first, y).map_err(|error| about.labels.blame(error))
    }

    fn digest(&mut self) -> String {
        let mut hash = self.hash.take().unwrap_or_else(|| Running::new(self.rows, self.columns));
        self.labels.hash(&mut hash);
        hash.finish(None, None)
    }
}

/// The labels of all rows: a bit for each as long as there are two different ones.
#[derive(Default)]
struct Kinds {
    count: usize,
    /// The different labels, as they stand in the files.
    numbers: Vec<f64>,
    texts: Vec<String>,
    /// Which of the two it is.
    bits: Vec<u64>,
    /// All labels, once there are more than two different numbers.
    all: Option<Vec<f64>>,
}

impl Kinds {
    fn take(&mut self, first: usize, y: &RawLabels) -> Result<(), DataError> {
        match y {
            RawLabels::Numbers(_) if !self.texts.is_empty() => {
                Err(Problem::UnlikeFiles(String::new()).into())
            }
            RawLabels::Texts(_) if !self.numbers.is_empty() => {
                Err(Problem::UnlikeFiles(String::new()).into())
            }
            RawLabels::Numbers(numbers) => {
                numbers.iter().for_each(|number| self.take_number(*number));
                Ok(())
            }
            RawLabels::Texts(texts) => {
                let mut rows = texts.iter().enumerate();
                rows.try_for_each(|(row, label)| self.take_text(first + row, label))
            }
        }
    }

    fn take_number(&mut self, number: f64) {
        if let Some(all) = &mut self.all {
            all.push(number);
            self.count += 1;
            return;
        }
        match self.numbers.iter().position(|known| known.to_bits() == number.to_bits()) {
            Some(kind) => self.push(kind),
            None if self.numbers.len() < 2 => {
                self.numbers.push(number);
                self.push(self.numbers.len() - 1);
            }
            None => {
                let mut all: Vec<f64> = (0..self.count).map(|row| self.numbers[self.kind(row)]).collect();
                all.push(number);
                self.all = Some(all);
                self.count += 1;
            }
        }
    }

    fn take_text(&mut self, row: usize, label: &str) -> Result<(), DataError> {
        match self.texts.iter().position(|known| known == label) {
            Some(kind) => self.push(kind),
            None if self.texts.len() < 2 => {
                self.texts.push(label.to_owned());
                self.push(self.texts.len() - 1);
            }
            None => {
                let [first, second] = [0, 1].map(|kind| crate::error::excerpt(&self.texts[kind]));
                let third = crate::error::excerpt(label);
                return Err(Problem::ThirdLabel { first, second, third }.at(Place::row(row)));
            }
        }
        Ok(())
    }

    fn push(&mut self, kind: usize) {
        if self.count.is_multiple_of(64) {
            self.bits.push(0);
        }
        if let Some(last) = self.bits.last_mut() {
            *last |= (kind as u64) << (self.count % 64);
        }
        self.count += 1;
    }

    fn kind(&self, row: usize) -> usize {
        (self.bits[row / 64] >> (row % 64) & 1) as usize
    }

    /// What they are: told from the different ones.
    fn decide(&self, reading: &Reading) -> Result<Labels, DataError> {
        let y = match (&self.all, self.count) {
            (Some(all), _) => Some(RawLabels::Numbers(all.clone())),
            (None, 0) => None,
            (None, _) if self.texts.is_empty() => Some(RawLabels::Numbers(self.numbers.clone())),
            (None, _) => Some(RawLabels::texts(&self.texts)?),
        };
        let y = labels::present(y.as_ref(), reading.labels)?;
        let decided = labels::decide(y, reading.labels)?;
        // Scores out of range are told here, by their row.
        if decided == Labels::Scores {
            labels::values(y, &decided)?;
        }
        Ok(decided)
    }

    fn hash(&self, hash: &mut Running) {
        match (&self.all, self.count) {
            (Some(all), _) => hash.number_labels(all.iter().copied()),
            (None, 0) => hash.no_labels(),
            (None, count) if self.texts.is_empty() => {
                hash.number_labels((0..count).map(|row| self.numbers[self.kind(row)]));
            }
            (None, count) => hash.text_labels((0..count).map(|row| self.texts[self.kind(row)].as_str())),
        }
    }
}

impl Longest {
    /// A look at rows; with labels, at the rows multiplied by them.
    fn take<'a>(&mut self, first: usize, rows: impl Iterator<Item = &'a [f64]>, y: Option<&[f64]>) {
        let mut scaled = Vec::new();
        for (i, row) in rows.enumerate() {
            match y {
                None => self.see(first + i, norms::norm(row)),
                Some(y) => {
                    scaled.clear();
                    scaled.extend(row.iter().map(|value| value * y[i]));
                    self.see(first + i, norms::norm(&scaled));
                }
            }
        }
    }
}
