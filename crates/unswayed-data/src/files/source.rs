//! Where data comes from: a path, a folder, standard input, or bytes in memory.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use bytes::Bytes;

use super::expand::{self, Codec};
use super::several;
use super::text::Dialect;
use crate::error::{DataError, Problem};

/// The path that stands for standard input.
const STANDARD_INPUT: &str = "-";

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
    /// A file on disk, whose ending tells the format; tables that are alike, whose rows follow each other: a folder of them or a
    /// pattern such as `part-*.parquet`, in the order of the files' names, or `@names.txt`, in the order of a text file that names
    /// one a line; or `-` for standard input, whose beginning tells the format.
    pub fn path(path: impl AsRef<Path>) -> Self {
        Self { features: Location::Path(path.as_ref().to_owned()), labels: None }
    }

    /// Tables that are alike, whose rows follow each other in this order.
    pub fn paths(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        let paths = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        Self { features: Location::Paths(paths), labels: None }
    }

    /// The files that are read, but for those of labels: what a folder, a pattern or a list stands for, and the list itself.
    pub fn files(&self) -> Vec<PathBuf> {
        match &self.features {
            Location::Path(path) => {
                let files = several::files(path).and_then(Result::ok).unwrap_or_default();
                [path.clone()].into_iter().chain(several::list(path)).chain(files).collect()
            }
            Location::Paths(paths) => paths.clone(),
            Location::Memory(..) => Vec::new(),
        }
    }

    /// The content of a file; the ending of `name` tells the format.
    pub fn bytes(name: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self { features: Location::Memory(name.into(), Bytes::from(content.into())), labels: None }
    }

    /// Whether it is a table with named columns, as far as its name tells: several files and standard input are taken for one.
    pub fn is_table(&self) -> bool {
        let Some(path) = self.features.as_path() else { return true };
        several::is_several(path)
            || is_standard_input(path)
            || matches!(Format::of_name(path), Some((Format::Text(_) | Format::Parquet, _)))
    }

    /// Takes the labels from a `.npy` file of their own; the features must be in a `.npy` file too, or be a sparse matrix in a
    /// `.npz` file.
    #[must_use]
    pub fn labels(self, path: impl AsRef<Path>) -> Self {
        Self { labels: Some(Location::Path(path.as_ref().to_owned())), ..self }
    }
}

/// Where a file is, or where several are.
#[derive(Clone, Debug)]
pub(super) enum Location {
    /// As [`Source::path`] takes it.
    Path(PathBuf),
    Paths(Vec<PathBuf>),
    Memory(String, Bytes),
}

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Npy,
    Npz,
    Text(Dialect),
    Parquet,
    Svmlight,
}

impl Format {
    /// The format and the compression, told from the ending of a file's name.
    pub(super) fn of_name(path: &Path) -> Option<(Format, Codec)> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let (stem, codec) = match name.rsplit_once('.')? {
            (stem, "gz" | "gzip") => (stem, Codec::Gzip),
            (stem, "zst" | "zstd") => (stem, Codec::Zstd),
            _ => (name.as_str(), Codec::Plain),
        };
        let format = match stem.rsplit_once('.')?.1 {
            "npy" => Format::Npy,
            "npz" => Format::Npz,
            "csv" => Format::Text(Dialect::Separated(b',')),
            "tsv" | "tab" => Format::Text(Dialect::Separated(b'\t')),
            "jsonl" | "ndjson" => Format::Text(Dialect::Json),
            "parquet" => Format::Parquet,
            "svm" | "libsvm" | "svmlight" => Format::Svmlight,
            _ => return None,
        };
        // Parquet and .npz files have a compression of their own.
        (codec == Codec::Plain || matches!(format, Format::Text(_) | Format::Svmlight))
            .then_some((format, codec))
    }

    /// The format, told from how a file begins.
    fn of_content(content: &[u8]) -> Format {
        let first = content.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty());
        let first = first.unwrap_or_default();
        match content {
            [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Format::Npy,
            [b'P', b'K', 3, 4, ..] => Format::Npz,
            [b'P', b'A', b'R', b'1', ..] => Format::Parquet,
            _ if first.trim_ascii_start().starts_with(b"{") => Format::Text(Dialect::Json),
            _ if first.contains(&b'\t') && !first.contains(&b',') => Format::Text(Dialect::Separated(b'\t')),
            _ => Format::Text(Dialect::Separated(b',')),
        }
    }
}

/// A file that has been read.
pub(super) struct Opened {
    /// The path, for messages.
    pub path: String,
    pub format: Format,
    /// What is in it, expanded if it is compressed text. It is read once, so that everything is about the same bytes.
    pub content: Bytes,
}

impl Opened {
    /// The name without the folders.
    pub fn base_name(&self) -> String {
        let path = Path::new(&self.path);
        path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
    }
}

impl Location {
    /// The name for messages: the path as the caller gave it.
    pub fn display(&self) -> String {
        self.as_path().map_or_else(|| self.base_name(), |path| path.display().to_string())
    }

    /// The name without the folders.
    pub fn base_name(&self) -> String {
        let name = |path: &Path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        match self {
            Self::Paths(paths) => match paths.as_slice() {
                [] => "no files".to_owned(),
                [first] => name(first),
                [first, others @ ..] => format!("{} and {} more", name(first), others.len()),
            },
            Self::Path(path) => name(path),
            Self::Memory(path, _) => name(Path::new(path)),
        }
    }

    fn as_path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) => Some(path),
            Self::Memory(name, _) => Some(Path::new(name)),
            Self::Paths(_) => None,
        }
    }

    /// Reads the file, or the files.
    pub fn open(&self) -> Result<Vec<Opened>, DataError> {
        match self {
            Self::Memory(name, content) => Ok(vec![told(Path::new(name), content.clone())?]),
            Self::Paths(paths) => opened(paths),
            Self::Path(path) if is_standard_input(path) => sniffed().map(|opened| vec![opened]),
            Self::Path(path) => match several::files(path) {
                Some(files) => opened(&files?),
                None => Ok(vec![Self::one(path)?]),
            },
        }
    }

    fn one(path: &Path) -> Result<Opened, DataError> {
        if path.exists() && Format::of_name(path).is_none() {
            return Err(Problem::UnknownFormat.into());
        }
        told(path, read(path)?)
    }
}

/// A file whose name tells its format.
fn told(path: &Path, content: Bytes) -> Result<Opened, DataError> {
    let content = not_empty(content)?;
    let (format, codec) = Format::of_name(path).ok_or(Problem::UnknownFormat)?;
    Ok(Opened { path: path.display().to_string(), format, content: expand::text(codec, &content)? })
}

fn is_standard_input(path: &Path) -> bool {
    path == Path::new(STANDARD_INPUT)
}

/// Standard input, which can be read only once.
fn sniffed() -> Result<Opened, DataError> {
    static CONTENT: OnceLock<Result<Bytes, String>> = OnceLock::new();
    let read = || {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        read.map(|_| bytes.into()).map_err(|error| error.to_string())
    };
    let content = not_empty(CONTENT.get_or_init(read).clone().map_err(Problem::Unreadable)?)?;
    let codec = match &content[..] {
        [0x1f, 0x8b, ..] => Codec::Gzip,
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Codec::Zstd,
        _ => Codec::Plain,
    };
    let content = expand::text(codec, &content)?;
    Ok(Opened { path: STANDARD_INPUT.to_owned(), format: Format::of_content(&content), content })
}

/// Several files, each of them one.
fn opened(files: &[PathBuf]) -> Result<Vec<Opened>, DataError> {
    let open = |file: &PathBuf| {
        let opened = if file.is_dir() { Err(Problem::NotAFile.into()) } else { Location::one(file) };
        opened.map_err(|error| error.in_file(&file.display().to_string()))
    };
    files.iter().map(open).collect()
}

/// What is in a file.
pub(super) fn content(path: &Path) -> Result<Bytes, DataError> {
    not_empty(read(path)?)
}

fn not_empty(content: Bytes) -> Result<Bytes, DataError> {
    if content.is_empty() { Err(Problem::EmptyFile.into()) } else { Ok(content) }
}

pub(super) fn read(path: &Path) -> Result<Bytes, DataError> {
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
