//! From flags to data.

use std::path::{Path, PathBuf};

use std::fmt::Write;

use unswayed::data::{LabelPolicy, Options, Source, load};
use unswayed::{Dataset, Hinge, Threat};

use crate::Stop;
use crate::args::{AttackFlags, DataFlags, ReadFlags, SettingFlags};

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
    Ok(load(&source(data_path(data), data.labels.as_deref()), &options(data, read))?)
}

/// Reads held-out data the way the data were read, all rows of them.
pub fn test_data(path: &Path, flags: &AttackFlags) -> Result<Dataset, Stop> {
    let options = Options { rows: None, ..options(&flags.data, &flags.read) };
    Ok(load(&source(path, flags.test_labels.as_deref()), &options)?)
}

fn options(data: &DataFlags, read: &ReadFlags) -> Options {
    Options {
        labels: match (read.scores, read.premultiplied) {
            (true, _) => LabelPolicy::Scores,
            (_, true) => LabelPolicy::Premultiplied,
            _ => LabelPolicy::Detect,
        },
        label_column: data.label_column.clone(),
        normalize: read.normalize,
        rows: read.rows,
    }
}

/// What the data are, in a line.
pub fn describe(data: &Dataset) -> String {
    let origin = data.provenance();
    let mut text = format!("{}: {} rows, {} columns", origin.name, data.rows(), data.dimension());
    if origin.first_rows {
        text.push_str(" (the first rows of the file)");
    }
    if let Some((negative, positive)) = &origin.labels {
        let _ = write!(text, "; label {negative} is −1, {positive} is +1");
    } else if origin.scores {
        text.push_str("; labels are real scores");
    }
    if let Some(scale) = origin.scale {
        let _ = write!(text, "; rows divided by {scale}");
    }
    text
}

/// A data file, with its labels if they are in another.
pub fn source(path: &Path, labels: Option<&Path>) -> Source {
    let source = Source::path(path);
    match labels {
        Some(labels) => source.labels(labels),
        None => source,
    }
}

/// θ_0 from numbers separated by commas or a file.
pub fn start(text: &str) -> Result<Vec<f64>, Stop> {
    let path = Path::new(text);
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("npy")) {
        let options = Options { labels: LabelPolicy::Absent, ..Options::default() };
        return Ok(load(&Source::path(path), &options)?.z().to_vec());
    }
    let number = |entry: &str| {
        let entry = entry.trim();
        entry.parse().map_err(|_| {
            Stop(format!(
                "--start: {entry:?} is not a number; give a .npy file, or numbers separated by commas"
            ))
        })
    };
    text.split(',').map(number).collect()
}

/// `--output`, or the data's name with another ending in the current folder.
pub fn output(given: Option<&PathBuf>, data: &Path) -> PathBuf {
    given.cloned().unwrap_or_else(|| {
        let stem = data.file_stem().unwrap_or_default();
        let mut name = stem.to_os_string();
        name.push(".certificate.safetensors");
        PathBuf::from(name)
    })
}

/// Writes a file in full or not at all: to a neighbour first, then renamed.
pub fn write(path: &Path, bytes: &[u8], flag: &str) -> Result<(), Stop> {
    let mut partial = path.as_os_str().to_os_string();
    partial.push(".partial");
    let done = std::fs::write(&partial, bytes).and_then(|()| std::fs::rename(&partial, path));
    done.map_err(|error| {
        let _ = std::fs::remove_file(&partial);
        Stop(format!("{}: cannot be written ({error}); name another file with {flag}", path.display()))
    })
}
