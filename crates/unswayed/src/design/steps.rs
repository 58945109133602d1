//! The further axes of a grid: radii to project on, norms to clip at, points per step.

use std::fmt;
use std::str::FromStr;

use super::axis::neighbour;
use super::grid::{Grid, Growing};
use super::{DesignError, Task};
use crate::certify::benign;
use crate::problem::{Adversary, Problem, Template};

/// What to try on an axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Tried<T> {
    /// What the template says.
    #[default]
    AsTemplate,
    /// Values that suit the data, and more where the best is at their end.
    Suggested,
    /// These.
    These(Vec<T>),
}

impl<T> Tried<T> {
    fn parse(text: &str, one: impl Fn(&str) -> Option<T>) -> Option<Self> {
        if text.trim() == "auto" {
            return Some(Tried::Suggested);
        }
        text.split(',').map(|entry| one(entry.trim())).collect::<Option<_>>().map(Tried::These)
    }

    /// The only value, if there is no other.
    pub fn only(&self) -> Option<&T> {
        match self {
            Tried::These(values) if values.len() == 1 => values.first(),
            _ => None,
        }
    }
}

/// A list of values that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotTried(&'static str);

impl fmt::Display for NotTried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for NotTried {}

impl FromStr for Tried<Option<f64>> {
    type Err = NotTried;

    /// ```
    /// use unswayed::design::Tried;
    /// assert_eq!("none,2".parse(), Ok(Tried::These(vec![None, Some(2.0)])));
    /// assert_eq!("auto".parse::<Tried<Option<f64>>>(), Ok(Tried::Suggested));
    /// assert!("2,-1".parse::<Tried<Option<f64>>>().is_err());
    /// ```
    fn from_str(text: &str) -> Result<Self, NotTried> {
        let radius = |entry: &str| match entry {
            "none" => Some(None),
            _ => entry.parse::<f64>().ok().filter(|x| *x > 0.0 && x.is_finite()).map(Some),
        };
        let wrong = "must be positive numbers or 'none', separated by commas, or 'auto'";
        Tried::parse(text, radius).ok_or(NotTried(wrong))
    }
}

impl FromStr for Tried<u64> {
    type Err = NotTried;

    fn from_str(text: &str) -> Result<Self, NotTried> {
        let points = |entry: &str| entry.parse().ok().filter(|points| *points >= 1);
        let wrong = "must be whole numbers from 1 on, separated by commas, or 'auto'";
        Tried::parse(text, points).ok_or(NotTried(wrong))
    }
}

/// Which steps to try beside the learning rate and the regularization.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    /// Radii to project on, `None` for no projection.
    pub projections: Tried<Option<f64>>,
    /// Norms to clip at, `None` for no clipping.
    pub clips: Tried<Option<f64>>,
    /// Points per step.
    pub batches: Tried<u64>,
}

impl Steps {
    /// A grid with these axes. What has one value goes to the template.
    ///
    /// ```
    /// use unswayed::design::{Grid, Steps, Task, Tried};
    /// let tasks = [Task { name: "mnist".into(), data: unswayed::data::sample()?.into() }];
    /// let steps = Steps { clips: Tried::Suggested, batches: "8".parse()?, ..Steps::default() };
    /// let mut template = Default::default();
    /// let grid = steps.extend(Grid::default(), &mut template, &tasks)?;
    /// assert_eq!(grid.clips, [Some(0.1), Some(0.3), None]); // the largest norm of a row is 1
    /// assert_eq!((template.batch, grid.batches), (8, vec![]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn extend(&self, grid: Grid, template: &mut Template, tasks: &[Task]) -> Result<Grid, DesignError> {
        let several = |values: &Tried<Option<f64>>, suggested: &dyn Fn() -> Vec<Option<f64>>| match values {
            Tried::Suggested => suggested(),
            Tried::These(values) if values.len() > 1 => values.clone(),
            _ => vec![],
        };
        template.projection = self.projections.only().copied().unwrap_or(template.projection);
        template.clip = self.clips.only().copied().unwrap_or(template.clip);
        template.batch = self.batches.only().copied().unwrap_or(template.batch);
        let projections = several(&self.projections, &|| projections(&grid, template, tasks));
        let clips = several(&self.clips, &|| clips(template, tasks));
        let batches = match &self.batches {
            Tried::Suggested => vec![1, 4, 16],
            Tried::These(values) if values.len() > 1 => values.clone(),
            _ => vec![],
        };
        grid.with_projections(projections)?.with_clips(clips)?.with_batches(batches)
    }

    /// Which of these axes may grow: those whose values are suggested.
    pub fn growing(&self) -> Growing {
        Growing {
            projections: self.projections == Tried::Suggested,
            clips: self.clips == Tried::Suggested,
            batches: self.batches == Tried::Suggested,
            ..Growing::default()
        }
    }
}

/// Round numbers from a little above the largest norm of where clean data lead the learner, downwards, and no projection.
fn projections(grid: &Grid, template: &Template, tasks: &[Task]) -> Vec<Option<f64>> {
    // Little regularization leads far.
    let least = grid.regularizations.first().copied().unwrap_or(0.0).max(1e-3);
    let settled = |task: &Task| {
        let template = Template { projection: None, ..template.clone() };
        let builder = Problem::of_template(task.data.clone(), template).learning_rate(1e-3);
        let problem = builder.regularization(least).poison_rate(0.0).build().ok()?;
        Some(benign(&problem).theta.iter().map(|x| x * x).sum::<f64>().sqrt())
    };
    let farthest = tasks.iter().filter_map(settled).filter(|norm| norm.is_finite()).fold(0.01, f64::max);
    let needs_one = grid.regularizations.iter().any(|sigma| *sigma <= 0.0);
    downwards(neighbour(farthest, true), 3, !needs_one)
}

/// Round numbers below the largest norm of a row, and no clipping.
fn clips(template: &Template, tasks: &[Task]) -> Vec<Option<f64>> {
    let largest = tasks.iter().map(|task| task.data.largest_norm()).fold(0.01, f64::max);
    downwards(neighbour(largest, false), 2, template.adversary != Adversary::Any)
}

/// So many round numbers from the first down, and none of them if that is possible.
fn downwards(first: f64, count: usize, none: bool) -> Vec<Option<f64>> {
    let numbers = std::iter::successors(Some(first), |x| Some(neighbour(*x, false)));
    numbers.take(count).map(Some).chain(none.then_some(None)).collect()
}
