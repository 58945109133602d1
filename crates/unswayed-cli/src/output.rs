//! Files that are written: their names, and what they may replace.

use std::path::{Path, PathBuf};

use unswayed_report::number::parameter;

use crate::Stop;
use unswayed::check::Loss;
use unswayed::data::ClassWeightPolicy;
use unswayed::{Decay, PoisonWeightPolicy};

use crate::args::{AdversaryFlag, LearnerFlags, NatureFlags, ReadFlags, ScheduleFlag, StepFlags};

/// The longest part of a name that comes from a user's text.
const LONGEST_PART: usize = 24;

/// The certificate's path: as given, or in the current folder under a name that says its setting, such as
/// `spam.hinge-ball.eta0.001-sigma0.01-eps0.02.certificate.json`.
pub fn certificate(given: Option<&PathBuf>, data: &Path, parts: &[String]) -> PathBuf {
    given.cloned().unwrap_or_else(|| {
        let name = [stem(data)].into_iter().chain(parts.iter().cloned()).collect::<Vec<_>>().join(".");
        PathBuf::from(name + ".certificate.json")
    })
}

/// Learner and threat in a file's name: what is the default is left out.
pub fn learner_part(
    learner: &LearnerFlags,
    steps: &StepFlags,
    nature: &NatureFlags,
    read: &ReadFlags,
) -> String {
    let by_data = if read.preferences { Loss::Logistic } else { Loss::Hinge };
    let loss = learner.loss.unwrap_or(by_data.into()).to_string().replace('=', "");
    let set = match &learner.adversary {
        AdversaryFlag::Ball => "ball".to_owned(),
        AdversaryFlag::Features => "features".to_owned(),
        AdversaryFlag::Box(None) => "box".to_owned(),
        AdversaryFlag::Box(Some(radii)) => format!("box{}", safe(radii.trim_end_matches(".npy"))),
        AdversaryFlag::Ellipsoid(None) => "ellipsoid".to_owned(),
        AdversaryFlag::Ellipsoid(Some(path)) => format!("ellipsoid-{}", stem(path)),
        AdversaryFlag::Points(path) => format!("points-{}", stem(path)),
        AdversaryFlag::Flips => "flips".to_owned(),
        AdversaryFlag::Labels => "labels".to_owned(),
        AdversaryFlag::Any => "any".to_owned(),
    };
    let number = |name: &str, value: Option<f64>| value.map(|value| format!("{name}{}", parameter(value)));
    let parts = [
        Some(loss),
        Some(set),
        number("radius", learner.radius),
        number("labels", learner.label_bound),
        learner.schedule.as_ref().and_then(|schedule| match schedule {
            ScheduleFlag::Constant => None,
            ScheduleFlag::File(path) => Some(format!("rates-{}", stem(path))),
            ScheduleFlag::Falls(Decay::Inverse) => Some("optimal".to_owned()),
            ScheduleFlag::Falls(Decay::Slowdown(slowdown)) => {
                Some(format!("slowdown{}", parameter(*slowdown)))
            }
            ScheduleFlag::Falls(Decay::Weighted) => Some("weighted".to_owned()),
            ScheduleFlag::Falls(_) => Some("invscaling".to_owned()),
        }),
        learner.average.then(|| "average".to_owned()),
        (steps.batch > 1).then(|| format!("batch{}", steps.batch)),
        number("projection", steps.projection),
        number("clip", steps.clip),
        number("momentum", learner.momentum.filter(|momentum| *momentum > 0.0)),
        learner.bias.as_ref().map(|column| format!("bias-{}", safe(column))),
        nature.drift.then(|| format!("drift{}", nature.more.len() + 1)),
        nature.target.as_ref().map(|path| format!("target-{}", stem(path))),
        read.rows.map(|rows| format!("rows{rows}")),
        read.normalize.then(|| "normalized".to_owned()),
        read.weight_column.as_ref().map(|column| format!("weight-{}", safe(column))),
        read.step_weight_column.as_ref().map(|column| format!("steps-{}", safe(column))),
        read.class_weight.as_ref().map(class_part),
        learner.poison_weight.as_ref().map(poison_part),
        number("contaminated", learner.contaminated),
        learner.moments.map(|block| format!("moments{block}")),
        read.scores.then(|| "scores".to_owned()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("-")
}

/// Class weights in a file's name.
fn class_part(weights: &ClassWeightPolicy) -> String {
    match weights {
        ClassWeightPolicy::Balanced => "balanced".to_owned(),
        ClassWeightPolicy::Given(given) => format!("classes-{}", label_parts(given)),
    }
}

/// Weights of poisoned points in a file's name.
fn poison_part(weights: &PoisonWeightPolicy) -> String {
    match weights {
        PoisonWeightPolicy::All(weight) => format!("poisonweight{}", parameter(*weight)),
        PoisonWeightPolicy::ByLabel(given) => format!("poisonweight-{}", label_parts(given)),
    }
}

fn label_parts(given: &[(String, f64)]) -> String {
    let one = |(label, weight): &(String, f64)| format!("{}x{}", safe(label), parameter(*weight));
    given.iter().map(one).collect::<Vec<_>>().join("-")
}

/// Numbers in a file's name: `eta0.001-sigma0.01`.
pub fn number_part(numbers: &[(&str, f64)]) -> String {
    numbers.iter().map(|(name, value)| format!("{name}{}", parameter(*value))).collect::<Vec<_>>().join("-")
}

/// A path as given, or the data's name with this ending in the current folder.
pub fn beside(given: Option<&PathBuf>, data: &Path, ending: &str) -> PathBuf {
    given.cloned().unwrap_or_else(|| PathBuf::from(data_stem(data) + ending))
}

/// A file's name without folders and ending, fit for another name.
fn stem(path: &Path) -> String {
    safe_of(&data_stem(path), usize::MAX)
}

/// A data file's name without folders, ending and compression.
fn data_stem(path: &Path) -> String {
    if path == Path::new("-") {
        return "stdin".to_owned();
    }
    let is_compressed = path.extension().is_some_and(|ending| ["gz", "zst"].iter().any(|c| ending == *c));
    let stem = Path::new(path.file_stem().unwrap_or_default());
    let stem = if is_compressed { stem.file_stem().unwrap_or_default() } else { stem.as_os_str() };
    // A list is called @names.txt, and a pattern part-*.csv.
    stem.to_string_lossy().trim_start_matches('@').replace(['*', '?'], "")
}

fn safe(text: &str) -> String {
    safe_of(text.rsplit(['/', '\\']).next().unwrap_or(text), LONGEST_PART)
}

/// Letters, digits and a few signs stay, others become underscores.
fn safe_of(text: &str, longest: usize) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    text.chars().take(longest).map(safe).collect()
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

/// Writes a result, and returns whether it replaced something: an older certificate may be replaced by a newer one. Any other
/// file is kept.
pub fn write(path: &Path, bytes: &[u8], flag: &str) -> Result<bool, Stop> {
    let is_certificate = |bytes: &[u8]| {
        let head = &bytes[..bytes.len().min(1 << 16)];
        head.windows(20).any(|part| part == b"unswayed-certificate")
    };
    require_file(path, flag)?;
    let replaces = match std::fs::read(path) {
        Ok(old) if old == bytes => return Ok(false),
        Ok(old) if !(is_certificate(&old) && is_certificate(bytes)) => {
            return Err(Stop(format!(
                "{}: exists already, with other contents; remove it, or name another file with {flag}",
                path.display()
            )));
        }
        old => old.is_ok(),
    };
    replace(path, bytes, flag)?;
    Ok(replaces)
}

/// Refuses a place that is taken by something else than a file: reading a pipe or a device may never end, and renaming would
/// replace it.
fn require_file(path: &Path, flag: &str) -> Result<(), Stop> {
    match std::fs::metadata(path) {
        Ok(about) if !about.is_file() => Err(Stop(format!(
            "{}: exists already and is no file; name another file with {flag}",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// Writes a file in full or not at all: to a neighbour first, then renamed.
pub fn replace(path: &Path, bytes: &[u8], flag: &str) -> Result<(), Stop> {
    require_file(path, flag)?;
    let mut partial = path.as_os_str().to_os_string();
    partial.push(".partial");
    let done = std::fs::write(&partial, bytes).and_then(|()| std::fs::rename(&partial, path));
    done.map_err(|error| {
        let _ = std::fs::remove_file(&partial);
        Stop(format!("{}: cannot be written ({error}); name another file with {flag}", path.display()))
    })
}
