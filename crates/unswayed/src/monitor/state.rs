//! The state of a watch as a file: a line that names the format, a line of JSON, then the rows of the window as binary64.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Monitor, Window};

const FIRST_LINE: &[u8] = b"unswayed-watch 1\n";

/// Why a state cannot be continued.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// It is no state, or of another version.
    #[error("this is not the state of a watch, or one of another version; name another file")]
    Foreign,
    /// It is damaged.
    #[error("the state is damaged ({0}); remove the file to begin again")]
    Damaged(String),
    /// It belongs to another window.
    #[error("the state is of a watch with {0}; use the same settings, or another file")]
    Other(String),
}

/// What is kept of a window besides its rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowState {
    rows: usize,
    columns: usize,
    seen: u64,
    shortened: u64,
    classes: Vec<String>,
    sha256: String,
}

/// The line of JSON.
#[derive(Serialize, Deserialize)]
struct Line<T> {
    more: T,
    monitor: Monitor,
    window: WindowState,
}

impl Monitor {
    /// The state of this monitor, of its window and of more that the caller wants to keep, as a file.
    ///
    /// # Errors
    /// If `more` cannot be written as JSON.
    ///
    /// ```
    /// use unswayed::data::LabelPolicy;
    /// use unswayed::monitor::{LabelReader, Limits, Monitor, Policy, Window};
    ///
    /// let empty = Window::new(2, LabelReader::new(LabelPolicy::Premultiplied, vec![])?);
    /// let mut window = empty.clone();
    /// window.push(&[0.6, 0.8], None)?;
    /// let monitor = Monitor::new(Policy { window: 2, every: 1 }, Limits::default());
    /// let file = monitor.to_bytes(&window, "line 7")?;
    ///
    /// let mut again = empty;
    /// let (_, more): (Monitor, String) = Monitor::from_bytes(&file, &mut again)?;
    /// assert_eq!((again.rows(), again.seen(), more.as_str()), (1, 1, "line 7"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_bytes<T: Serialize + ?Sized>(
        &self,
        window: &Window,
        more: &T,
    ) -> Result<Vec<u8>, serde_json::Error> {
        let rows: Vec<u8> = window.x.iter().chain(&window.y).flat_map(|value| value.to_le_bytes()).collect();
        let line = Line {
            more: serde_json::to_value(more)?,
            monitor: self.clone(),
            window: WindowState {
                rows: window.rows(),
                columns: window.columns,
                seen: window.seen,
                shortened: window.shortened,
                classes: window.labels.classes().to_vec(),
                sha256: digest(&rows),
            },
        };
        let mut file = FIRST_LINE.to_vec();
        serde_json::to_writer(&mut file, &line)?;
        file.push(b'\n');
        file.extend(rows);
        Ok(file)
    }

    /// The monitor and what was kept along with it. The window, which is made with the same settings, gets its rows back.
    ///
    /// # Errors
    /// A file that is something else, is damaged, or does not fit the window.
    pub fn from_bytes<T: for<'de> Deserialize<'de>>(
        file: &[u8],
        window: &mut Window,
    ) -> Result<(Self, T), StateError> {
        let rest = file.strip_prefix(FIRST_LINE).ok_or(StateError::Foreign)?;
        let damaged = |reason: &str| StateError::Damaged(reason.to_owned());
        let end = rest.iter().position(|&byte| byte == b'\n').ok_or_else(|| damaged("it is cut short"))?;
        let (line, rows) = (&rest[..end], &rest[end + 1..]);
        let line: Line<T> = serde_json::from_slice(line).map_err(|error| damaged(&error.to_string()))?;
        let kept = line.window;
        let numbers = kept.columns.checked_add(1).and_then(|width| width.checked_mul(kept.rows));
        if numbers.and_then(|numbers| numbers.checked_mul(8)) != Some(rows.len())
            || digest(rows) != kept.sha256
        {
            return Err(damaged("its rows are not those that were written"));
        }
        if kept.rows > window.capacity {
            return Err(StateError::Other(format!("{} rows", kept.rows)));
        }
        let mut values = rows.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes));
        window.x = values.by_ref().take(kept.rows * kept.columns).collect();
        window.y = values.collect();
        (window.columns, window.seen, window.shortened) = (kept.columns, kept.seen, kept.shortened);
        window.labels.resume(kept.classes);
        Ok((line.monitor, line.more))
    }
}

fn digest(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(bytes) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
