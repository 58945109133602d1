//! Where data comes from: a path, or bytes in memory.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use bytes::Bytes;

use super::error::{DataError, Problem};

/// The file or files that data is loaded from.
///
/// ```
/// use unswayed::data::Source;
///
/// let one_file = Source::path("spam.csv");
/// let two_files = Source::path("spam_x.npy").labels("spam_y.npy");
/// ```
#[derive(Debug, Clone)]
pub struct Source {
    pub(super) features: Location,
    pub(super) labels: Option<Location>,
    pub(super) prefix: String,
}

impl Source {
    /// A file on disk; its ending tells the format.
    pub fn path(path: impl AsRef<Path>) -> Self {
        Self::at(Location::Path(path.as_ref().to_owned()))
    }

    /// The content of a file; the ending of `name` tells the format.
    pub fn bytes(name: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self::at(Location::Memory(name.into(), Bytes::from(content.into())))
    }

    fn at(features: Location) -> Self {
        Self { features, labels: None, prefix: String::new() }
    }

    /// Takes the labels from a `.npy` file of their own; the features must be in a `.npy` file too.
    #[must_use]
    pub fn labels(self, path: impl AsRef<Path>) -> Self {
        let labels = Some(Location::Path(path.as_ref().to_owned()));
        Self { labels, ..self }
    }

    /// In a `.npz` file, reads the arrays whose names begin so: with the prefix `test_` the
    /// arrays `test_x` and `test_y` instead of `x` and `y`.
    #[must_use]
    pub fn prefix(self, prefix: impl Into<String>) -> Self {
        Self { prefix: prefix.into(), ..self }
    }
}

/// One file.
#[derive(Debug, Clone)]
pub(super) enum Location {
    Path(PathBuf),
    Memory(String, Bytes),
}

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Npy,
    Npz,
    Csv,
    Parquet,
}

impl Location {
    /// The name for messages: the path as the caller gave it.
    pub fn display(&self) -> String {
        match self {
            Self::Path(path) => path.display().to_string(),
            Self::Memory(name, _) => name.clone(),
        }
    }

    /// The name without the folders.
    pub fn base_name(&self) -> String {
        let path = self.as_path();
        path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
    }

    fn as_path(&self) -> &Path {
        match self {
            Self::Path(path) => path,
            Self::Memory(name, _) => Path::new(name),
        }
    }

    /// The format, told from the ending.
    pub fn format(&self) -> Result<Format, DataError> {
        let ending = self.as_path().extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("npy") => Ok(Format::Npy),
            Some("npz") => Ok(Format::Npz),
            Some("csv") => Ok(Format::Csv),
            Some("parquet") => Ok(Format::Parquet),
            _ => Err(Problem::UnknownFormat.into()),
        }
    }

    /// Opens the file for reading from its start.
    pub fn open(&self) -> Result<Input, DataError> {
        let input = match self {
            Self::Memory(_, bytes) => Input::Memory(Cursor::new(bytes.clone())),
            Self::Path(path) => open_file(path).map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => Problem::NotFound,
                io::ErrorKind::IsADirectory => Problem::Directory,
                _ => Problem::Unreadable(error.to_string()),
            })?,
        };
        match input.length() {
            0 => Err(Problem::EmptyFile.into()),
            _ => Ok(input),
        }
    }
}

fn open_file(path: &Path) -> io::Result<Input> {
    let about = path.metadata()?;
    if about.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(Input::File(File::open(path)?, about.len()))
}

/// An open file of known length.
pub(super) enum Input {
    File(File, u64),
    Memory(Cursor<Bytes>),
}

impl Input {
    /// The file's length in bytes.
    pub fn length(&self) -> u64 {
        match self {
            Self::File(_, length) => *length,
            Self::Memory(cursor) => cursor.get_ref().len() as u64,
        }
    }

    /// A second handle on the same file. Handles of a file on disk share their position.
    pub fn again(&self) -> io::Result<Self> {
        Ok(match self {
            Self::File(file, length) => Self::File(file.try_clone()?, *length),
            Self::Memory(cursor) => Self::Memory(cursor.clone()),
        })
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file, _) => file.read(buffer),
            Self::Memory(cursor) => cursor.read(buffer),
        }
    }
}

impl Seek for Input {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::File(file, _) => file.seek(to),
            Self::Memory(cursor) => cursor.seek(to),
        }
    }
}
