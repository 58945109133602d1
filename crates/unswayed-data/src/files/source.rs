//! Where data comes from: a path, a folder, standard input, or bytes in memory.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use bytes::Bytes;

use super::expand::{self, Codec};
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
    /// A file on disk, whose ending tells the format; a folder of tables that are alike, whose rows follow each other in the
    /// order of the files' names; or `-` for standard input, whose beginning tells the format.
    pub fn path(path: impl AsRef<Path>) -> Self {
        Self { features: Location::Path(path.as_ref().to_owned()), labels: None }
    }

    /// The content of a file; the ending of `name` tells the format.
    pub fn bytes(name: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self { features: Location::Memory(name.into(), Bytes::from(content.into())), labels: None }
    }

    /// Whether it is a table with named columns, as far as its name tells: a folder and standard input are taken for one.
    pub fn is_table(&self) -> bool {
        let path = self.features.as_path();
        path.is_dir()
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

/// One file.
#[derive(Clone, Debug)]
pub(super) enum Location {
    Path(PathBuf),
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
    pub fn of_name(path: &Path) -> Option<(Format, Codec)> {
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

    /// Reads the file, or all tables of a folder in the order of their names.
    pub fn open(&self) -> Result<Vec<Opened>, DataError> {
        let one = |path: &Path, content: Bytes| {
            let (format, codec) = Format::of_name(path).ok_or(Problem::UnknownFormat)?;
            Ok(vec![Opened {
                path: path.display().to_string(),
                format,
                content: expand::text(codec, &content)?,
            }])
        };
        match self {
            Self::Memory(name, content) => one(Path::new(name), not_empty(content.clone())?),
            Self::Path(path) if is_standard_input(path) => sniffed().map(|opened| vec![opened]),
            Self::Path(path) if path.is_dir() => folder(path),
            Self::Path(path) if path.exists() && Format::of_name(path).is_none() => {
                Err(Problem::UnknownFormat.into())
            }
            Self::Path(path) => one(path, content(path)?),
        }
    }
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

/// The tables of a folder.
fn folder(path: &Path) -> Result<Vec<Opened>, DataError> {
    let open = |file: &PathBuf| {
        let opened = Location::Path(file.clone()).open();
        opened.map_err(|error| error.in_file(&file.display().to_string()))
    };
    Ok(tables_in(path)?.iter().map(open).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// The paths of the tables of a folder, in the order of their names. Other files are not looked at.
pub(super) fn tables_in(path: &Path) -> Result<Vec<PathBuf>, DataError> {
    let unreadable = |error: std::io::Error| Problem::Unreadable(error.to_string());
    let mut files = Vec::new();
    for entry in path.read_dir().map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        let is_table = matches!(Format::of_name(&file), Some((Format::Text(_) | Format::Parquet, _)));
        if is_table && file.is_file() {
            files.push(file);
        }
    }
    files.sort();
    if files.is_empty() { Err(Problem::NoTables.into()) } else { Ok(files) }
}

/// What is in a file.
pub(super) fn content(path: &Path) -> Result<Bytes, DataError> {
    not_empty(read(path)?)
}

fn not_empty(content: Bytes) -> Result<Bytes, DataError> {
    if content.is_empty() { Err(Problem::EmptyFile.into()) } else { Ok(content) }
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
