//! Files that are read: data, tasks, vectors.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use unswayed::data::{LabelPolicy, Source, load, load_vector};
use unswayed::design::{Grid, Task};
pub use unswayed_check::labels_beside;

use crate::args::{DataFlags, DesignFlags, GridFlags};
use crate::{Stop, problem};

/// The path that the user thinks of as the data.
pub fn data_path(flags: &DataFlags) -> &Path {
    flags.data.as_ref().or(flags.features.as_ref()).map_or(Path::new(""), PathBuf::as_path)
}

/// The data and label files that the flags name.
pub fn data_files(data: &DataFlags) -> Vec<PathBuf> {
    let path = data_path(data);
    let labels = labels_beside(path).into_iter().chain(data.labels.clone());
    Source::path(path).files().into_iter().chain(labels).collect()
}

/// A data file, with its labels if they are in another: the one given, or for features in `…x.npy` the one in `…y.npy`.
pub fn source(path: &Path, labels: Option<&Path>, policy: LabelPolicy) -> Source {
    let beside = if policy.is_labelled() { labels_beside(path) } else { None };
    match labels.map(Path::to_owned).or(beside) {
        Some(labels) => Source::path(path).labels(labels),
        None => Source::path(path),
    }
}

/// The name, if there is one, and the file of a task for design: a data file, or NAME=FILE.
pub fn task_path(text: &str) -> (Option<&str>, &Path) {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !name.contains(['/', '\\']) => {
            (Some(name), Path::new(path))
        }
        _ => (None, Path::new(text)),
    }
}

/// Reads a task for design.
pub fn task(text: &str, flags: &DesignFlags) -> Result<Task, Stop> {
    let (name, path) = task_path(text);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = name.map_or_else(|| stem.strip_suffix("_x").unwrap_or(&stem).to_owned(), str::to_owned);
    let reading = problem::reading(flags.label_column.as_deref(), &flags.read, &flags.learner);
    let data = load(&source(path, None, reading.labels), &reading)?;
    Ok(Task { name, data: Arc::new(data) })
}

/// The grid of the flags; where they are silent the paper's values, or those that suit a horizon.
pub fn grid(flags: &GridFlags, horizon: Option<u64>) -> Result<Grid, Stop> {
    let paper = horizon.map_or_else(Grid::default, Grid::for_horizon);
    let or = |given: &Option<Vec<f64>>, paper: Vec<f64>| given.clone().unwrap_or(paper);
    Ok(Grid::new(
        or(&flags.learning_rate, paper.learning_rates),
        or(&flags.regularization, paper.regularizations),
        or(&flags.poison_rate, paper.poison_rates),
    )?)
}

/// The learning rates of a .npy file, or of a text file with numbers separated by commas, spaces or lines.
pub fn rates(path: &Path) -> Result<Vec<f64>, Stop> {
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("npy")) {
        return Ok(load_vector(path)?);
    }
    let named = |message: String| Stop(format!("--schedule {}: {message}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| named(error.to_string()))?;
    let entries = text.split([',', '\n', '\r', ' ', '\t']).filter(|entry| !entry.is_empty());
    let number = |entry: &str| entry.parse().map_err(|_| named(format!("{entry:?} is not a number")));
    entries.map(number).collect()
}

/// A vector from numbers separated by commas, or from a file.
pub fn vector(text: &str, flag: &str) -> Result<Vec<f64>, Stop> {
    let path = Path::new(text);
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("npy")) {
        return Ok(load_vector(path)?);
    }
    let number = |entry: &str| {
        let entry = entry.trim();
        entry.parse().map_err(|_| {
            Stop(format!(
                "{flag}: {entry:?} is not a number; give a .npy file, or numbers separated by commas"
            ))
        })
    };
    text.split(',').map(number).collect()
}
