//! Lines of standard input or of a file that may grow, be cut or be replaced.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Stdin};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::Stop;

/// How long to wait for a file to grow.
const PAUSE: Duration = Duration::from_millis(100);

/// A longer line is no row; memory must stay bounded whatever comes.
const LONGEST_LINE: u64 = 1 << 24;

/// Bytes by which a file is known again.
const HEAD: usize = 1024;

/// Where lines come from.
pub struct Lines {
    path: PathBuf,
    input: Input,
    follow: bool,
    /// What has been read of a line that has no end yet.
    partial: Vec<u8>,
    place: Place,
}

enum Input {
    Standard(BufReader<Stdin>),
    File(BufReader<File>),
}

/// How far a file has been read.
#[derive(Clone, Default, PartialEq)]
struct Place {
    /// Bytes up to the end of the newest line.
    bytes: u64,
    /// Lines so far.
    lines: u64,
    /// The first bytes of the file.
    head: Vec<u8>,
}

impl Lines {
    pub fn open(path: &Path, follow: bool) -> Result<Self, Stop> {
        let is_standard = path == Path::new("-");
        if is_standard && follow {
            return Err(Stop("--follow is for a file; standard input is read until it ends anyway".into()));
        }
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        if ["npz", "npy", "parquet", "gz", "zst"].contains(&ending.as_str()) {
            let path = path.display();
            return Err(Stop(format!(
                "{path}: a stream has one row per line; write .csv, .tsv or .jsonl, not compressed"
            )));
        }
        let input = if is_standard {
            Input::Standard(BufReader::new(std::io::stdin()))
        } else {
            Input::File(BufReader::new(File::open(path).map_err(|error| unreadable(path, &error))?))
        };
        Ok(Lines { path: path.to_owned(), input, follow, partial: vec![], place: Place::default() })
    }

    /// The name of the stream in messages.
    pub fn name(&self) -> String {
        match self.input {
            Input::Standard(_) => "standard input".to_owned(),
            Input::File(_) => self.path.display().to_string(),
        }
    }

    /// The number of the newest line.
    pub fn line(&self) -> u64 {
        self.place.lines
    }

    /// Where reading would continue, for a state file.
    pub fn position(&self) -> Value {
        match self.input {
            Input::Standard(_) => json!({ "lines": self.place.lines }),
            Input::File(_) => {
                let Place { bytes, lines, head } = &self.place;
                json!({ "bytes": bytes, "lines": lines, "head": head })
            }
        }
    }

    /// Continues at a position. Returns what is to be said if that is not possible because the file is another one.
    pub fn resume(&mut self, position: &Value) -> Result<Option<String>, Stop> {
        let Input::File(file) = &mut self.input else {
            self.place.lines = position["lines"].as_u64().unwrap_or(0);
            return Ok(None);
        };
        let head: Vec<u8> = serde_json::from_value(position["head"].clone()).unwrap_or_default();
        let bytes = position["bytes"].as_u64().unwrap_or(0);
        let mut found = Vec::new();
        let failed = |error: std::io::Error| unreadable(&self.path, &error);
        file.by_ref().take(head.len() as u64).read_to_end(&mut found).map_err(failed)?;
        let length = file.get_ref().metadata().map_err(failed)?.len();
        if found != head || length < bytes {
            file.seek(SeekFrom::Start(0)).map_err(failed)?;
            return Ok(Some(format!(
                "{}: the file is not the one that was read before; it is read from its beginning",
                self.path.display()
            )));
        }
        file.seek(SeekFrom::Start(bytes)).map_err(failed)?;
        self.place = Place { bytes, lines: position["lines"].as_u64().unwrap_or(0), head };
        Ok(None)
    }

    /// The next line, without its end; none at the end of the stream.
    pub fn next(&mut self) -> Result<Option<Vec<u8>>, Stop> {
        let mut is_leaving = false;
        loop {
            let room = LONGEST_LINE.saturating_sub(self.partial.len() as u64);
            let read = match &mut self.input {
                Input::Standard(input) => input.by_ref().take(room).read_until(b'\n', &mut self.partial),
                Input::File(file) => file.by_ref().take(room).read_until(b'\n', &mut self.partial),
            };
            read.map_err(|error| unreadable(&self.path, &error))?;
            if self.partial.len() as u64 >= LONGEST_LINE {
                let (name, line) = (self.name(), self.place.lines + 1);
                return Err(Stop(format!(
                    "{name}, line {line}: longer than {LONGEST_LINE} bytes; this is no row"
                )));
            }
            if self.partial.ends_with(b"\n") || (!self.partial.is_empty() && (!self.follow || is_leaving)) {
                return Ok(Some(self.take_line()));
            }
            if !self.follow {
                return Ok(None);
            }
            if is_leaving {
                self.reopen()?;
                is_leaving = false;
            } else if self.is_replaced() {
                // Whatever was still written to the old file is read first.
                is_leaving = true;
            } else {
                std::thread::sleep(PAUSE);
            }
        }
    }

    fn take_line(&mut self) -> Vec<u8> {
        let line = std::mem::take(&mut self.partial);
        let room = HEAD.saturating_sub(self.place.head.len());
        if self.place.bytes < HEAD as u64 {
            self.place.head.extend(line.iter().take(room));
        }
        self.place.bytes += line.len() as u64;
        self.place.lines += 1;
        line
    }

    /// Whether the path is another file by now, or the file has been cut.
    fn is_replaced(&self) -> bool {
        let Input::File(file) = &self.input else { return false };
        let (Ok(here), Ok(there)) = (file.get_ref().metadata(), std::fs::metadata(&self.path)) else {
            return false;
        };
        is_other(&here, &there) || there.len() < self.place.bytes
    }

    fn reopen(&mut self) -> Result<(), Stop> {
        let file = File::open(&self.path).map_err(|error| unreadable(&self.path, &error))?;
        self.input = Input::File(BufReader::new(file));
        self.partial.clear();
        self.place = Place::default();
        Ok(())
    }
}

#[cfg(unix)]
fn is_other(here: &std::fs::Metadata, there: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (here.dev(), here.ino()) != (there.dev(), there.ino())
}

#[cfg(not(unix))]
fn is_other(_: &std::fs::Metadata, _: &std::fs::Metadata) -> bool {
    false
}

fn unreadable(path: &Path, error: &std::io::Error) -> Stop {
    Stop(format!("{}: cannot be read ({error})", path.display()))
}
