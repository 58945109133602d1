//! From flags to linear learners: their data, steps, adversaries and targets.

mod refuse;
mod set;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use unswayed::Dataset;
use unswayed::check::{Linear, Loss, Set, Step, Target};
use unswayed::data::{LabelPolicy, Options, load, require_alike, split_target};
use unswayed_report::about::loss_name;

use crate::args::{DataFlags, LearnerFlags, LossFlag, ReadFlags, SettingFlags};
use crate::{Stop, input};

/// A learner, and the rows that a statement about it speaks of.
pub struct Task {
    /// One dataset, or several if the data drift.
    pub data: Vec<Dataset>,
    /// The target's rows, if they are not all rows of the data.
    pub target: Option<Dataset>,
    /// The learner, its adversary and its target.
    pub learner: Linear,
}

/// All flags that say which learner is meant.
pub struct Flags<'a> {
    pub data: &'a DataFlags,
    pub read: &'a ReadFlags,
    pub setting: &'a SettingFlags,
    pub learner: &'a LearnerFlags,
    pub confidence: Option<f64>,
}

/// The data files, in the order in which a certificate names them.
pub fn paths<'a>(data: &'a DataFlags, learner: &'a LearnerFlags) -> impl Iterator<Item = &'a Path> {
    std::iter::once(input::data_path(data)).chain(learner.more.iter().map(PathBuf::as_path))
}

impl Flags<'_> {
    /// Reads the data and the target, and makes the learner.
    pub fn task(&self) -> Result<Task, Stop> {
        let (hinge, threat) = input::setting(self.setting)?;
        refuse::combinations(self)?;
        let (data, options) = self.datasets()?;
        refuse::labels(self, &data)?;
        let own: Vec<&Dataset> = data.iter().collect();
        let target = self.learner.target.as_ref().map(|path| read_alike(path, None, &options)).transpose()?;
        require_alike(own[0], own[1..].iter().copied().chain(&target))?;
        let (target, rows) = split_target(&own, target.as_ref());
        refuse::target_rows(self, &target)?;
        let learner = Linear {
            learning_rate: hinge.learning_rate(),
            regularization: hinge.regularization(),
            poison_rate: threat.poison_rate(),
            loss: match self.learner.loss() {
                LossFlag::Hinge => Loss::Hinge,
                LossFlag::Logistic => Loss::Logistic,
                LossFlag::Multiclass => Loss::Classes(data[0].provenance().classes.len()),
            },
            step: self.step(&data[0])?,
            set: set::of(&self.learner.adversary, &own, threat.radius())?,
            target,
        };
        let target = rows.cloned();
        Ok(Task { data, target, learner })
    }

    /// Reads held-out data the way the data were read.
    pub fn test(&self, path: &Path, labels: Option<&Path>, task: &Task) -> Result<Dataset, Stop> {
        let options = Options { scale: task.data[0].provenance().scale, ..self.options() };
        let test = read_alike(path, labels, &options)?;
        require_alike(&task.data[0], [&test])?;
        Ok(test)
    }

    /// All datasets, and how they were read. If they are scaled, then by one number, so that one model fits all.
    fn datasets(&self) -> Result<(Vec<Dataset>, Options), Stop> {
        let mut options = self.options();
        let mut data = self.load_all(&options)?;
        options.scale = data.iter().filter_map(|one| one.provenance().scale).reduce(f64::max);
        if options.scale.is_some() && data.len() > 1 {
            data = self.load_all(&options)?;
        }
        Ok((data, options))
    }

    fn load_all(&self, options: &Options) -> Result<Vec<Dataset>, Stop> {
        let labels = self.data.labels.as_deref();
        let one = |path| Ok(load(&input::source(path, labels, options.labels), options)?);
        paths(self.data, self.learner).map(one).collect()
    }

    fn options(&self) -> Options {
        let options = input::options(self.data.label_column.as_deref(), self.read);
        let labels = match (self.learner.loss(), self.learner.preferences) {
            (LossFlag::Multiclass, _) => LabelPolicy::Classes,
            (_, true) => LabelPolicy::Preferences,
            _ => options.labels,
        };
        Options { labels, ..options }
    }

    fn step(&self, data: &Dataset) -> Result<Step, Stop> {
        let LearnerFlags { batch, projection, clip, bias, .. } = self.learner;
        let free = bias.iter().map(|column| coordinate(column, data)).collect::<Result<_, _>>()?;
        Ok(Step { batch: *batch, projection: *projection, clip: *clip, free })
    }
}

impl Task {
    /// Data, learner and adversary for machines.
    pub fn to_json(&self, flags: &LearnerFlags) -> Value {
        let Task { data, learner, .. } = self;
        let step = &learner.step;
        let classes = match learner.loss {
            Loss::Classes(classes) => Some(classes),
            _ => None,
        };
        json!({
            "rows": data.iter().map(Dataset::rows).sum::<usize>(),
            "dimension": data[0].dimension() - usize::from(classes.is_some()),
            "datasets": data.len(),
            "target": match learner.target {
                Target::Data => "data",
                Target::Weights(_) => "weights",
                Target::Rows => "rows",
            },
            "loss_function": loss_name(learner.loss),
            "classes": classes,
            "adversary": flags.adversary.name(),
            "radius": match learner.set {
                Set::Ball { radius } => Some(radius),
                _ => None,
            },
            "learning_rate": learner.learning_rate,
            "regularization": learner.regularization,
            "poison_rate": learner.poison_rate,
            "batch": step.batch,
            "projection": step.projection,
            "clip": step.clip,
            "bias": step.free.first().map(|coordinate| coordinate + 1),
        })
    }
}

/// Reads a file the way the data were read, all rows of it.
fn read_alike(path: &Path, labels: Option<&Path>, options: &Options) -> Result<Dataset, Stop> {
    let options = Options { rows: None, ..options.clone() };
    Ok(load(&input::source(path, labels, options.labels), &options)?)
}

/// The coordinate of a column, from 0: by its number from 1, its name, or `last`.
fn coordinate(column: &str, data: &Dataset) -> Result<usize, Stop> {
    let columns = data.dimension();
    if let Some(named) = data.names().iter().position(|name| name == column) {
        return Ok(named);
    }
    match column.parse() {
        _ if column == "last" => Ok(columns - 1),
        Ok(number) if (1..=columns).contains(&number) => Ok(number - 1),
        _ => Err(Stop(format!(
            "--bias {column}: there is no such column; give a name, a number from 1 to {columns}, or 'last'"
        ))),
    }
}
