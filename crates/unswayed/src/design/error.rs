//! Why a design or a sweep could not be carried out.

use std::io;
use std::path::PathBuf;

use crate::error::{AttackError, CertifyError, ParameterError};
use crate::problem::ProblemError;

/// Why a design or a sweep could not be carried out. What was finished is in the journal.
#[derive(Debug, thiserror::Error)]
pub enum DesignError {
    /// Nothing to try.
    #[error("the grid has no {of}; give at least one value")]
    EmptyGrid {
        /// Which list is empty.
        of: &'static str,
    },
    /// Nothing to try it on.
    #[error("there is no task to choose on; name at least one data file")]
    NoTasks,
    /// Two tasks with one name.
    #[error("two tasks are called {name:?}; give one of them another name (NAME=FILE)")]
    SameName {
        /// The name.
        name: String,
    },
    /// A parameter is outside its range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A certificate could not be made.
    #[error("task {task}: {source}")]
    Certify {
        /// The task's name.
        task: String,
        /// Why.
        source: CertifyError,
    },
    /// An attack could not be run.
    #[error("task {task}: {source}")]
    Attack {
        /// The task's name.
        task: String,
        /// Why.
        source: AttackError,
    },
    /// It was asked to end.
    #[error("cancelled; what was finished is in the journal, if there is one")]
    Cancelled,
    /// Another process that was to compute a piece could not.
    #[error("{0}")]
    Elsewhere(String),
    /// There is a journal already and nobody said to continue it.
    #[error(
        "{}: holds a sweep already; continue it with --resume, or choose another folder with --output",
        path.display()
    )]
    JournalExists {
        /// The journal.
        path: PathBuf,
    },
    /// Another process writes to the journal.
    #[error(
        "{}: another sweep is writing to it; wait for that one, or choose another folder with --output",
        path.display()
    )]
    JournalInUse {
        /// The journal.
        path: PathBuf,
    },
    /// The journal belongs to other data or settings.
    #[error(
        "{}: was written for another sweep: {what} is {then} there and {now} here; \
         repeat it as it was, or choose another folder with --output",
        path.display()
    )]
    JournalDiffers {
        /// The journal.
        path: PathBuf,
        /// What differs.
        what: String,
        /// Its value in the journal.
        then: String,
        /// Its value now.
        now: String,
    },
    /// The learner cannot be certified on a task.
    #[error("{task}: {source}")]
    Problem {
        /// The task's name.
        task: String,
        /// Why.
        source: ProblemError,
    },
    /// A line before the last is damaged: this is not the work of an interruption.
    #[error(
        "{}: line {line} is damaged (an interrupted sweep can only damage the end); \
         remove that line to have its result computed again, or choose another folder with --output",
        path.display()
    )]
    JournalDamaged {
        /// The journal.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// Reading or writing failed.
    #[error("{}: cannot {verb} ({source}){}", path.display(), remedy(verb))]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        verb: &'static str,
        /// Why it failed.
        source: io::Error,
    },
}

fn remedy(verb: &str) -> &'static str {
    match verb {
        "append" => "; what was finished is kept: make room and continue with --resume",
        "write" | "create" => "; choose another folder with --output",
        _ => "",
    }
}

impl DesignError {
    pub(super) fn attack(task: &str, source: AttackError) -> DesignError {
        match source {
            AttackError::Cancelled => DesignError::Cancelled,
            source => DesignError::Attack { task: task.into(), source },
        }
    }

    pub(super) fn io(path: impl Into<PathBuf>, verb: &'static str) -> impl FnOnce(io::Error) -> DesignError {
        let path = path.into();
        move |source| DesignError::Io { path, verb, source }
    }
}
