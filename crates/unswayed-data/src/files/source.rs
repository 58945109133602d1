//! Where data comes from: a path, or bytes in memory.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use bytes::Bytes;

use crate::error::{DataError, Problem};

/// The file or files that data is loaded from.
///
/// ```
/// use unswayed_data::Source;
///
/// let one_file = Source::path("spam.csv");
/// let two_files = Source::path("spam_x.npy").labels("spam_y.npy");
/// ```
#[derive(Clone, Debug)]
pub struct Source {
    pub(super) features: Location,
    pub(super) labels: Option<Location>,
}

impl Source {
    /// A file on disk; its ending tells the format.
    pub fn path(path: impl AsRef<Path>) -> Self {
        Self { features: Location::Path(path.as_ref().to_owned()), labels: None }
    }

    /// The content of a file; the ending of `name` tells the format.
    pub fn bytes(name: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self { features: Location::Memory(name.into(), Bytes::from(content.into())), labels: None }
    }

    /// Takes the labels from a `.npy` file of their own; the features must be in a `.npy` file too.
    #[must_use]
    pub fn labels(self, path: impl AsRef<Path>) -> Self {
        Self { labels: Some(Location::Path(path.as_ref().to_owned())), ..self }
    }
}

/// One file.
#[derive(Clone, Debug)]
pub(super) enum Location {
    Path(PathBuf),
    Memory(String, Bytes),
}

/// A format, told from the ending of a file's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Npy,
    Npz,
    Csv,
    Parquet,
}

impl Location {
    /// The name for messages: the path as the caller gave it.
    pub fn display(&self) -> String {
        self.as_path().display().to_string()
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

    /// The whole file. It is read once, so that everything is about the same bytes.
    pub fn content(&self) -> Result<Bytes, DataError> {
        let bytes = match self {
            Self::Memory(_, bytes) => bytes.clone(),
            Self::Path(path) => read(path)?,
        };
        if bytes.is_empty() { Err(Problem::EmptyFile.into()) } else { Ok(bytes) }
    }
}

fn read(path: &Path) -> Result<Bytes, DataError> {
    let unreadable = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => Problem::NotFound,
        _ => Problem::Unreadable(error.to_string()),
    };
    let about = path.metadata().map_err(unreadable)?;
    if !about.is_file() {
        return Err(Problem::NotAFile.into());
    }
    let mut bytes = Vec::new();
    let length = usize::try_from(about.len()).unwrap_or(usize::MAX);
    let reserved = bytes.try_reserve_exact(length);
    reserved.map_err(|error| Problem::Unreadable(error.to_string()))?;
    File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(unreadable)?;
    Ok(bytes.into())
}
