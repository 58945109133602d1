//! What a watch keeps: its state, a log of its updates, certificates with their rows.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use unswayed::Problem;
use unswayed::certify::Outcome;
use unswayed::monitor::{Monitor, Update, Window};

use super::keep_stream;
use crate::args::KeepFlags;
use crate::{Stop, output, report};

/// What the state file holds besides monitor and window.
#[derive(Serialize, Deserialize)]
pub struct Kept {
    pub settings: Value,
    pub position: Value,
    pub first_line: Option<String>,
    pub skipped: u64,
    pub log_bytes: u64,
}

/// A state that is continued.
pub struct Resumed {
    pub monitor: Monitor,
    pub position: Value,
    pub first_line: Option<String>,
    pub skipped: u64,
}

pub struct Keeper<'a> {
    flags: &'a KeepFlags,
    log: Option<(File, u64)>,
}

impl<'a> Keeper<'a> {
    pub fn new(flags: &'a KeepFlags, stream: &Path) -> Result<Self, Stop> {
        keep_stream(flags, stream)?;
        if let Some(folder) = &flags.certificates {
            std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, "--certificates", &error))?;
        }
        let log = match &flags.log {
            Some(path) => {
                let opened = OpenOptions::new().create(true).append(true).open(path);
                let file = opened.map_err(|error| unwritable(path, "--log", &error))?;
                let bytes = file.metadata().map_err(|error| unwritable(path, "--log", &error))?.len();
                Some((file, bytes))
            }
            None => None,
        };
        Ok(Keeper { flags, log })
    }

    /// The state to continue from, if there is one. The window gets its rows back, and the log loses what was written after.
    pub fn resume(&mut self, window: &mut Window, settings: &Value) -> Result<Option<Resumed>, Stop> {
        let Some(path) = &self.flags.state else { return Ok(None) };
        let file = match std::fs::read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|error| Stop(format!("{}: cannot be read ({error})", path.display())))?,
        };
        let named = |message: String| Stop(format!("--state {}: {message}", path.display()));
        let read: Result<(Monitor, Kept), _> = Monitor::from_bytes(&file, window);
        let (monitor, kept) = read.map_err(|error| named(error.to_string()))?;
        if let Some(difference) = difference(&kept.settings, settings) {
            return Err(named(format!("{difference}; use the same settings, or another file")));
        }
        if let (Some((log, bytes)), Some(path)) = (&mut self.log, &self.flags.log) {
            if *bytes < kept.log_bytes {
                return Err(named(format!(
                    "{} is shorter than it was; use another state file",
                    path.display()
                )));
            }
            log.set_len(kept.log_bytes).map_err(|error| unwritable(path, "--log", &error))?;
            *bytes = kept.log_bytes;
        }
        Ok(Some(Resumed {
            monitor,
            position: kept.position,
            first_line: kept.first_line,
            skipped: kept.skipped,
        }))
    }

    pub fn log_bytes(&self) -> u64 {
        self.log.as_ref().map_or(0, |(_, bytes)| *bytes)
    }

    pub fn save(&self, monitor: &Monitor, window: &Window, kept: &Kept) -> Result<(), Stop> {
        match &self.flags.state {
            Some(path) => output::replace(path, &monitor.to_bytes(window, kept)?, "--state"),
            None => Ok(()),
        }
    }

    /// Appends an update to the log.
    pub fn log(&mut self, update: &Update) -> Result<(), Stop> {
        let (Some((log, bytes)), Some(path)) = (&mut self.log, &self.flags.log) else { return Ok(()) };
        let line = serde_json::to_string(update)? + "\n";
        log.write_all(line.as_bytes()).map_err(|error| unwritable(path, "--log", &error))?;
        *bytes += line.len() as u64;
        Ok(())
    }

    /// Keeps a certificate and its rows, and returns the command that verifies them.
    pub fn certificate(
        &self,
        window: &Window,
        problem: &Problem,
        outcome: &Outcome,
        number: u64,
    ) -> Result<Option<String>, Stop> {
        let Some(folder) = &self.flags.certificates else { return Ok(None) };
        let path = certificate_path(folder, number);
        let mut command = format!("unswayed check {}", report::quote(&path.display().to_string()));
        for (i, data) in problem.data().iter().enumerate() {
            let rows = rows_path(folder, number, i);
            output::replace(&rows, window.csv(data).as_bytes(), "--certificates")?;
            command.push(' ');
            command.push_str(&report::quote(&rows.display().to_string()));
        }
        output::replace(&path, &outcome.certificate.to_bytes(), "--certificates")?;
        if let Some(old) = self.flags.newest.and_then(|newest| number.checked_sub(newest as u64)) {
            // Those that are not there need not be removed.
            let _ = std::fs::remove_file(certificate_path(folder, old));
            let mut rows = (0..).map(|i| rows_path(folder, old, i));
            while rows.next().is_some_and(|path| std::fs::remove_file(path).is_ok()) {}
        }
        Ok(Some(command))
    }
}

fn certificate_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("window-{number:06}.certificate.json"))
}

/// The rows of a certificate's dataset, counted from 0.
fn rows_path(folder: &Path, number: u64, dataset: usize) -> PathBuf {
    let of = if dataset == 0 { String::new() } else { format!(".{}", dataset + 1) };
    folder.join(format!("window-{number:06}{of}.csv"))
}

/// The first setting that differs.
fn difference(kept: &Value, now: &Value) -> Option<String> {
    let now = now.as_object()?;
    let differs = now.iter().find(|(name, value)| kept[name.as_str()] != **value)?;
    Some(format!("it was written with {} {}, not {}", differs.0, kept[differs.0.as_str()], differs.1))
}

fn unwritable(path: &Path, flag: &str, error: &std::io::Error) -> Stop {
    Stop(format!("{}: cannot be written ({error}); name another place with {flag}", path.display()))
}
