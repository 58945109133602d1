//! From flags to data.

use std::path::{Path, PathBuf};

use unswayed::data::{LabelPolicy, Options, Source, load, load_vector};
use unswayed::design::{Grid, Task};
use unswayed::{Dataset, Hinge, Threat};

use crate::Stop;
use crate::args::{
    Adversary, AttackFlags, DataFlags, DesignFlags, GridFlags, LearnerFlags, ReadFlags, SettingFlags,
};

/// Learner and threat, validated.
pub fn setting(flags: &SettingFlags) -> Result<(Hinge, Threat), Stop> {
    let learner = Hinge::new(flags.learning_rate, flags.regularization)?;
    Ok((learner, Threat::new(flags.poison_rate)?.with_radius(flags.radius)?))
}

/// The path that the user thinks of as the data.
pub fn data_path(flags: &DataFlags) -> &Path {
    flags.data.as_ref().or(flags.features.as_ref()).map_or(Path::new(""), PathBuf::as_path)
}

/// Reads what the flags name.
pub fn dataset(data: &DataFlags, read: &ReadFlags) -> Result<Dataset, Stop> {
    let options = options(data.label_column.as_deref(), read);
    Ok(load(&source(data_path(data), data.labels.as_deref(), options.labels), &options)?)
}

/// Reads held-out data the way the data were read, all rows of them.
pub fn test_data(path: &Path, flags: &AttackFlags) -> Result<Dataset, Stop> {
    let options = Options { rows: None, ..options(flags.data.label_column.as_deref(), &flags.read) };
    Ok(load(&source(path, flags.test_labels.as_deref(), options.labels), &options)?)
}

pub fn options(label_column: Option<&str>, read: &ReadFlags) -> Options {
    Options {
        labels: match (read.scores, read.premultiplied) {
            (true, _) => LabelPolicy::Scores,
            (_, true) => LabelPolicy::Premultiplied,
            _ => LabelPolicy::Detect,
        },
        label_column: label_column.map(str::to_owned),
        normalize: read.normalize,
        scale: None,
        rows: read.rows,
    }
}

/// A data file, with its labels if they are in another: the one given, or for features in `…x.npy` the one in `…y.npy`.
pub fn source(path: &Path, labels: Option<&Path>, policy: LabelPolicy) -> Source {
    let beside = if policy.is_labelled() { labels_beside(path) } else { None };
    match labels.map(Path::to_owned).or(beside) {
        Some(labels) => Source::path(path).labels(labels),
        None => Source::path(path),
    }
}

/// For features in `…x.npy`, the labels in `…y.npy` if there is such a file.
pub fn labels_beside(features: &Path) -> Option<PathBuf> {
    let name = features.file_name()?.to_str()?.strip_suffix("x.npy")?;
    Some(features.with_file_name(format!("{name}y.npy"))).filter(|labels| labels.exists())
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
    let options = options(flags.label_column.as_deref(), &flags.read);
    let data = load(&source(path, None, options.labels), &options)?;
    Ok(Task { name, data })
}

/// The grid of the flags, the paper's values where they are silent.
pub fn grid(flags: &GridFlags) -> Result<Grid, Stop> {
    let paper = Grid::default();
    let or = |given: &Option<Vec<f64>>, paper: Vec<f64>| given.clone().unwrap_or(paper);
    Ok(Grid::new(
        or(&flags.learning_rate, paper.learning_rates),
        or(&flags.regularization, paper.regularizations),
        or(&flags.poison_rate, paper.poison_rates),
    )?)
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

/// The data and label files that the flags name.
pub fn data_files(data: &DataFlags) -> Vec<PathBuf> {
    let path = data_path(data);
    [Some(path.to_owned()), labels_beside(path), data.labels.clone()].into_iter().flatten().collect()
}

/// All files that the flags of a learner name.
pub fn learner_files(data: &DataFlags, learner: &LearnerFlags) -> Vec<PathBuf> {
    let set = match &learner.adversary {
        Adversary::Box(Some(text)) => Some(PathBuf::from(text)),
        Adversary::Ellipsoid(Some(path)) | Adversary::Points(path) => Some(path.clone()),
        _ => None,
    };
    let others = learner.more.iter().chain(&learner.target);
    let beside = others.clone().filter_map(|path| labels_beside(path));
    data_files(data).into_iter().chain(others.cloned()).chain(beside).chain(set).collect()
}

/// The certificate's path: as given, or the data's name with another ending in the current folder.
pub fn output(given: Option<&PathBuf>, data: &Path) -> PathBuf {
    beside(given, data, ".certificate.safetensors")
}

/// A path as given, or the data's name with this ending in the current folder.
pub fn beside(given: Option<&PathBuf>, data: &Path, ending: &str) -> PathBuf {
    given.cloned().unwrap_or_else(|| {
        let mut name = data.file_stem().unwrap_or_default().to_os_string();
        name.push(ending);
        PathBuf::from(name)
    })
}

/// Refuses to write where a file is read from, before any work is done. If `output` is a folder, no input may be inside it.
pub fn keep_inputs<'a>(
    output: &Path,
    flag: &str,
    inputs: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<(), Stop> {
    let place = |path: &Path| path.canonicalize().ok();
    // A file that does not exist yet overwrites nothing.
    let Some(target) = place(output) else { return Ok(()) };
    match inputs.into_iter().find(|input| place(input).is_some_and(|input| input.starts_with(&target))) {
        Some(input) => Err(Stop(format!(
            "{}: writing there would overwrite the input {}; name another place with {flag}",
            output.display(),
            input.display()
        ))),
        None => Ok(()),
    }
}

/// Writes a result. What is there already is kept unless it is the same, or an older certificate to be replaced by a newer one.
pub fn write(path: &Path, bytes: &[u8], flag: &str) -> Result<(), Stop> {
    let is_certificate = |bytes: &[u8]| {
        let head = &bytes[..bytes.len().min(1 << 16)];
        head.windows(20).any(|part| part == b"unswayed-certificate")
    };
    match std::fs::read(path) {
        Ok(old) if old == bytes => return Ok(()),
        Ok(old) if !(is_certificate(&old) && is_certificate(bytes)) => {
            return Err(Stop(format!(
                "{}: exists already, with other contents; remove it, or name another file with {flag}",
                path.display()
            )));
        }
        _ => {}
    }
    replace(path, bytes, flag)
}

/// Writes a file in full or not at all: to a neighbour first, then renamed.
pub fn replace(path: &Path, bytes: &[u8], flag: &str) -> Result<(), Stop> {
    let mut partial = path.as_os_str().to_os_string();
    partial.push(".partial");
    let done = std::fs::write(&partial, bytes).and_then(|()| std::fs::rename(&partial, path));
    done.map_err(|error| {
        let _ = std::fs::remove_file(&partial);
        Stop(format!("{}: cannot be written ({error}); name another file with {flag}", path.display()))
    })
}
