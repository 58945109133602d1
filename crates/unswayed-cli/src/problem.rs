//! From flags to a problem: files are read, the learner and the adversary made.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use unswayed::certify::benign;
use unswayed::check::{Feature, Reason};
use unswayed::data::{LabelPolicy, Reading, Source, load, require_alike};
use unswayed::{
    Adversary, Column, Dataset, Decay, LossName, Problem, ProblemBuilder, ProblemError, Template,
};

use crate::args::{
    AdversaryFlag, DataFlags, LearnerFlags, NatureFlags, RateFlags, ReadFlags, ScheduleFlag, StepFlags,
};
use crate::{Stop, input};

/// All flags that say which problem is meant, but for the rates.
pub struct ProblemFlags<'a> {
    pub data: &'a DataFlags,
    pub read: &'a ReadFlags,
    pub learner: &'a LearnerFlags,
    pub steps: &'a StepFlags,
    pub nature: &'a NatureFlags,
}

/// What a problem is made of but for the rates.
pub struct Parts {
    /// One dataset, or several if the data drift.
    pub data: Vec<Arc<Dataset>>,
    pub target: Option<Dataset>,
    pub template: Template,
    /// The learning rates of a file, with its path.
    rates: Option<(PathBuf, Vec<f64>)>,
    /// How a further file is read like the data.
    alike: Reading,
}

impl ProblemFlags<'_> {
    /// The data files, in the order in which a certificate names them.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(input::data_path(self.data)).chain(self.nature.more.iter().map(PathBuf::as_path))
    }

    /// All files that are read.
    pub fn files(&self) -> Vec<PathBuf> {
        let set = match &self.learner.adversary {
            AdversaryFlag::Box(Some(text)) => Some(PathBuf::from(text)),
            AdversaryFlag::Ellipsoid(Some(path)) | AdversaryFlag::Points(path) => Some(path.clone()),
            _ => None,
        };
        let rates = match &self.learner.schedule {
            Some(ScheduleFlag::File(path)) => Some(path.clone()),
            _ => None,
        };
        let others: Vec<PathBuf> = self.nature.more.iter().chain(&self.nature.target).cloned().collect();
        let beside = others.iter().filter_map(|path| input::labels_beside(path));
        let others = others.iter().flat_map(|path| Source::path(path).files());
        input::data_files(self.data).into_iter().chain(others).chain(beside).chain(set).chain(rates).collect()
    }

    /// Reads all files.
    pub fn parts(&self) -> Result<Parts, Stop> {
        self.refuse()?;
        let mut reading = reading(self.data.label_column.as_deref(), self.read, self.learner);
        let mut data = self.load_all(&reading)?;
        if reading.normalize {
            // One number for all, so that one model fits all.
            reading.scale = data.iter().map(|one| one.origin().scale).reduce(f64::max);
            if data.len() > 1 {
                data = self.load_all(&reading)?;
            }
        }
        let alike = Reading { rows: None, ..reading };
        let target = self.nature.target.as_ref().map(|path| read_alike(path, None, &alike)).transpose()?;
        require_alike(&data[0], data[1..].iter().chain(&target))?;
        let rates = match &self.learner.schedule {
            Some(ScheduleFlag::File(path)) => Some((path.clone(), input::rates(path)?)),
            _ => None,
        };
        let template = but_for_rates(self.learner, self.steps, Some(data[0].origin().columns))?;
        Ok(Parts { data: data.into_iter().map(Arc::new).collect(), target, template, rates, alike })
    }

    fn load_all(&self, reading: &Reading) -> Result<Vec<Dataset>, Stop> {
        let labels = self.data.labels.as_deref();
        let one = |path| Ok(load(&input::source(path, labels, reading.labels), reading)?);
        self.paths().map(one).collect()
    }

    /// Refuses flags that say two things about the data.
    fn refuse(&self) -> Result<(), Stop> {
        let (read, several) = (self.read, !self.nature.more.is_empty());
        let labels = self.data.labels.is_some();
        let raw = read.scores || read.premultiplied;
        let is_multiclass = self.learner.loss == Some(LossName::Multiclass);
        let is_npy = |path: &PathBuf| path.extension().is_some_and(|e| e.eq_ignore_ascii_case("npy"));
        let cases = [
            (
                several && !self.nature.drift,
                "several data files need --drift: the data may then switch between them at any time; tables whose rows make one dataset \
                 are named by a quoted pattern such as 'part-*.parquet', by a folder, or by a list of names (@names.txt)",
            ),
            (
                self.nature.drift && !several,
                "--drift needs several data files: the data may switch between them at any time",
            ),
            (
                labels && (several || self.nature.target.as_ref().is_some_and(is_npy)),
                "--labels is for one file of features; save features and labels in one file, or the labels of …x.npy in …y.npy",
            ),
            (
                read.preferences && (raw || labels || self.data.label_column.is_some()),
                "--preferences have no labels: leave out --labels, --label-column, --scores and --premultiplied",
            ),
            (is_multiclass && read.preferences, "--loss multiclass needs labels: leave out --preferences"),
            (
                is_multiclass && raw,
                "--loss multiclass needs labels of classes: leave out --scores and --premultiplied",
            ),
        ];
        match cases.into_iter().find(|(bad, _)| *bad) {
            Some((_, message)) => Err(Stop(message.into())),
            None => Ok(()),
        }
    }
}

impl Parts {
    /// Those of a sample of data that are read in parts.
    pub fn of_sample(asked: &ProblemFlags, sample: Dataset) -> Result<Parts, Stop> {
        asked.refuse()?;
        let alike = reading(asked.data.label_column.as_deref(), asked.read, asked.learner);
        let template = but_for_rates(asked.learner, asked.steps, Some(sample.origin().columns))?;
        Ok(Parts { data: vec![Arc::new(sample)], target: None, template, rates: None, alike })
    }

    /// The problem at these rates.
    pub fn problem(&self, rates: &RateFlags) -> Result<Problem, Stop> {
        self.problem_on(self.data.clone(), rates)
    }

    /// The same about the first rows of the only dataset.
    pub fn problem_on_first(&self, rows: usize, rates: &RateFlags) -> Result<Problem, Stop> {
        self.problem_on(vec![Arc::new(self.data[0].first(rows)?)], rates)
    }

    /// The rate of the first step that the schedule of a file is for.
    pub fn first_rate(&self, problem: &Problem) -> Option<f64> {
        let (_, list) = self.rates.as_ref()?;
        let first = problem.learner().schedule?.from_step?;
        list.get(usize::try_from(first).ok()?.checked_sub(1)?).copied()
    }

    fn problem_on(&self, data: Vec<Arc<Dataset>>, rates: &RateFlags) -> Result<Problem, Stop> {
        let mut template = self.template.clone();
        if let Some((path, list)) = &self.rates {
            let decay = Decay::of_rates(list, rates.learning_rate, rates.regularization);
            let named = |error| Stop(format!("--schedule {}: {error}", path.display()));
            template.decay = Some(decay.map_err(named)?);
        }
        let mut builder = Problem::of_template(data, template)
            .learning_rate(rates.learning_rate)
            .regularization(rates.regularization)
            .poison_rate(rates.poison_rate);
        if let Some(target) = &self.target {
            builder = builder.target(target.clone());
        }
        match builder.clone().build() {
            Err(error) if is_unbounded(&error) => {
                Err(Stop(Stop::from(error).0 + &suggested_projection(builder)))
            }
            built => Ok(built?),
        }
    }

    /// Reads held-out data the way the data were read.
    pub fn test(&self, path: &Path, labels: Option<&Path>) -> Result<Dataset, Stop> {
        let test = read_alike(path, labels, &self.alike)?;
        require_alike(&self.data[0], [&test])?;
        Ok(test)
    }
}

/// Whether there is neither regularization nor a projection.
fn is_unbounded(error: &ProblemError) -> bool {
    let rule = match error {
        ProblemError::Unsupported(rule) => Some(*rule),
        ProblemError::Invalid(failure) => match failure.reason {
            Reason::Unsupported(rule) => Some(rule),
            _ => None,
        },
        _ => None,
    };
    rule.is_some_and(|rule| rule.these == [Feature::NoRegularization])
}

/// A radius to project on: twice the norm of where the learner settles on clean data, with a little regularization.
fn suggested_projection(builder: ProblemBuilder) -> String {
    const LITTLE: f64 = 0.01;
    let Ok(problem) = builder.regularization(LITTLE).build() else { return String::new() };
    let norm = benign(&problem).theta.iter().map(|x| x * x).sum::<f64>().sqrt();
    format!(". For these data: --projection {:.2}, or --regularization {LITTLE}", (2.0 * norm).max(0.01))
}

/// What labels are: told from the loss and the flags of that name.
pub fn label_policy(
    learner: &LearnerFlags,
    preferences: bool,
    scores: bool,
    premultiplied: bool,
) -> LabelPolicy {
    match learner.loss {
        Some(LossName::Multiclass) => LabelPolicy::Multiclass,
        Some(LossName::Of(loss)) if loss.is_regression() => LabelPolicy::Numbers,
        _ if preferences => LabelPolicy::Preferences,
        _ if scores => LabelPolicy::Scores,
        _ if premultiplied => LabelPolicy::Premultiplied,
        _ => LabelPolicy::Detect,
    }
}

/// How data files are read.
pub fn reading(label_column: Option<&str>, read: &ReadFlags, learner: &LearnerFlags) -> Reading {
    Reading {
        labels: label_policy(learner, read.preferences, read.scores, read.premultiplied),
        label_column: label_column.map(str::to_owned),
        weight_column: read.weight_column.clone(),
        step_weight_column: read.step_weight_column.clone(),
        class_weights: read.class_weight.clone(),
        columns: read.columns.columns.clone(),
        drop_columns: read.columns.drop_columns.clone(),
        normalize: read.normalize,
        scale: None,
        dense: read.dense,
        rows: read.rows,
    }
}

/// Reads a file the way the data were read, all rows of it.
fn read_alike(path: &Path, labels: Option<&Path>, reading: &Reading) -> Result<Dataset, Stop> {
    // What a model is judged by makes no steps.
    Ok(load(&input::source(path, labels, reading.labels), reading)?.without_step_weights()?)
}

/// Learner and threat but for their rates. `columns` are those of the data, if there is one dataset.
pub fn template(flags: &LearnerFlags, steps: &StepFlags, columns: Option<usize>) -> Result<Template, Stop> {
    if let Some(ScheduleFlag::File(path)) = &flags.schedule {
        let path = path.display();
        return Err(Stop(format!(
            "--schedule {path}: a list of rates is for one learner; certify it by itself"
        )));
    }
    but_for_rates(flags, steps, columns)
}

/// The same, without the rates of a file.
fn but_for_rates(flags: &LearnerFlags, steps: &StepFlags, columns: Option<usize>) -> Result<Template, Stop> {
    if let Some(radius) = flags.radius.filter(|radius| !(*radius >= 0.0 && radius.is_finite())) {
        return Err(Stop(format!("--radius {radius}: it must be a finite number that is not negative")));
    }
    Ok(Template {
        loss: flags.loss,
        adversary: adversary(&flags.adversary, columns)?,
        radius: flags.radius,
        label_bound: flags.label_bound,
        poison_weight: flags.poison_weight.clone(),
        contaminated: flags.contaminated,
        moments: flags.moments,
        batch: steps.batch,
        projection: steps.projection,
        clip: steps.clip,
        momentum: flags.momentum.filter(|momentum| *momentum > 0.0),
        bias: flags.bias.as_deref().map(column),
        decay: match flags.schedule {
            Some(ScheduleFlag::Falls(decay)) => Some(decay),
            _ => None,
        },
        average: flags.average,
    })
}

/// The adversary, with what is in its file.
fn adversary(flag: &AdversaryFlag, columns: Option<usize>) -> Result<Adversary, Stop> {
    let rows = |path: &Path, labels: LabelPolicy| -> Result<Vec<f64>, Stop> {
        let rows = load(&Source::path(path), &Reading { scale: Some(1.0), ..Reading::labels(labels) })?;
        let found = rows.dimension();
        match columns.filter(|columns| *columns != found) {
            None => Ok(rows.z().to_vec()),
            Some(columns) => Err(Stop(format!(
                "{}: there are {found} columns, but the data have {columns}; they must be alike",
                path.display()
            ))),
        }
    };
    Ok(match flag {
        AdversaryFlag::Ball => Adversary::Ball,
        AdversaryFlag::Features => Adversary::Features,
        AdversaryFlag::Box(None) => Adversary::BoxAroundData,
        AdversaryFlag::Box(Some(text)) => Adversary::Box(input::vector(text, "--adversary box")?),
        AdversaryFlag::Ellipsoid(None) => Adversary::EllipsoidAroundData,
        AdversaryFlag::Ellipsoid(Some(path)) => Adversary::Ellipsoid(rows(path, LabelPolicy::None)?),
        AdversaryFlag::Points(path) => Adversary::Points(rows(path, LabelPolicy::Premultiplied)?),
        AdversaryFlag::Flips => Adversary::Flips,
        AdversaryFlag::Labels => Adversary::LabelFlips,
        AdversaryFlag::Any => Adversary::Any,
    })
}

/// A column by its number from 1, as the last one, or else by its name.
fn column(text: &str) -> Column {
    match text.parse::<usize>() {
        Ok(number) if number > 0 => Column::Index(number - 1),
        _ if text == "last" => Column::FromEnd(1),
        _ => Column::Name(text.to_owned()),
    }
}
