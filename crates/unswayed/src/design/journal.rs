//! An append-only file of entries that survives being killed at any byte.
//!
//! Each line is one JSON object, `{"check":"<16 hex digits>","entry":…}`, where `check` begins the SHA-256 of the bytes of
//! `entry`. The first entry is the header: what the journal is about. A line that is cut off or whose check fails ends the
//! journal if no good line follows, and is cut away when the journal is opened again; its result counts as never computed.
//! An advisory lock on the file keeps a second process out for as long as the first lives.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::DesignError;

/// A journal open for appending.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Opens a journal, new or (with `resume`) continued, and returns its entries after the header.
    ///
    /// Refuses one that exists if `resume` is false, one that another process has open, and one with another header.
    ///
    /// ```
    /// use serde_json::json;
    /// use unswayed::design::journal::Journal;
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("journal.jsonl");
    /// let header = json!({ "about": "squares" });
    /// let (mut journal, _) = Journal::open(&path, &header, false)?;
    /// journal.append(&json!({ "2": 4 }))?;
    /// drop(journal); // or the process is killed
    /// let (_, entries) = Journal::open(&path, &header, true)?;
    /// assert_eq!(entries, [json!({ "2": 4 })]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open(path: &Path, header: &Value, resume: bool) -> Result<(Journal, Vec<Value>), DesignError> {
        let mut options = OpenOptions::new();
        options.read(true).append(true);
        let opened =
            if resume { options.create(true).open(path) } else { options.create_new(true).open(path) };
        let mut file = opened.map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => DesignError::JournalExists { path: path.into() },
            _ => DesignError::io(path, "create")(error),
        })?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => DesignError::JournalInUse { path: path.into() },
            TryLockError::Error(error) => DesignError::io(path, "lock")(error),
        })?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(DesignError::io(path, "read"))?;
        let (mut entries, good) = read(&bytes, path)?;
        file.set_len(good as u64).map_err(DesignError::io(path, "append"))?;
        file.seek(SeekFrom::End(0)).map_err(DesignError::io(path, "append"))?;
        let mut journal = Journal { file, path: path.into() };
        if entries.is_empty() {
            journal.append(header)?;
        } else {
            same(path, "", &entries.remove(0), header)?;
        }
        Ok((journal, entries))
    }

    /// Adds an entry with one write; when this returns the entry outlives the process.
    pub fn append(&mut self, entry: &Value) -> Result<(), DesignError> {
        let line = line(&entry.to_string());
        self.file.write_all(line.as_bytes()).map_err(DesignError::io(&self.path, "append"))
    }
}

fn line(entry: &str) -> String {
    format!("{BEFORE}{}{BETWEEN}{entry}{AFTER}\n", check(entry))
}

const BEFORE: &str = "{\"check\":\"";
const BETWEEN: &str = "\",\"entry\":";
const AFTER: &str = "}";

/// The first 16 hexadecimal digits of the SHA-256.
fn check(entry: &str) -> String {
    let digest = Sha256::digest(entry);
    let first = digest[..8].iter().fold(0, |value: u64, byte| value << 8 | u64::from(*byte));
    format!("{first:016x}")
}

/// The entry of a line that is whole.
fn entry(line: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(line).ok()?;
    let body = text.strip_prefix(BEFORE)?.strip_suffix(AFTER)?;
    let (digits, entry) = body.split_once(BETWEEN)?;
    (check(entry) == digits).then(|| serde_json::from_str(entry).ok())?
}

/// All entries, and the number of bytes up to the end of the last good line.
fn read(bytes: &[u8], path: &Path) -> Result<(Vec<Value>, usize), DesignError> {
    let (mut entries, mut good, mut torn) = (Vec::new(), 0, None);
    let mut at = 0;
    for (number, line) in bytes.split_inclusive(|b| *b == b'\n').enumerate() {
        at += line.len();
        match line.strip_suffix(b"\n").and_then(entry) {
            Some(_) if torn.is_some() => {
                let line = torn.unwrap_or(0) + 1;
                return Err(DesignError::JournalDamaged { path: path.into(), line });
            }
            Some(entry) => {
                entries.push(entry);
                good = at;
            }
            None => {
                torn.get_or_insert(number);
            }
        }
    }
    Ok((entries, good))
}

/// Refuses a header that differs, naming the first difference.
fn same(path: &Path, what: &str, then: &Value, now: &Value) -> Result<(), DesignError> {
    let join = |key: &str| if what.is_empty() { key.to_owned() } else { format!("{what}.{key}") };
    match (then, now) {
        _ if then == now => Ok(()),
        (Value::Object(a), Value::Object(b)) => {
            let keys = b.keys().chain(a.keys().filter(|k| !b.contains_key(*k)));
            keys.into_iter().try_for_each(|key| same(path, &join(key), &then[key], &now[key]))
        }
        _ => Err(DesignError::JournalDiffers {
            path: path.into(),
            what: what.into(),
            then: show(then),
            now: show(now),
        }),
    }
}

fn show(value: &Value) -> String {
    match value {
        Value::Null => "absent".into(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
