//! The axes of a grid: what can be varied, and which values are worth trying next.

use super::grid::{Grid, Setting};

/// What a grid varies beside the poison rate. A value is a number on all axes; no projection and no clipping are infinite radii.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// η.
    LearningRate,
    /// σ.
    Regularization,
    /// The radius of the ball that steps are projected on.
    Projection,
    /// The norm at which gradients are clipped.
    Clip,
    /// Points per step.
    Batch,
}

impl Axis {
    /// All of them, in the order of tables.
    pub const ALL: [Axis; 5] =
        [Axis::LearningRate, Axis::Regularization, Axis::Projection, Axis::Clip, Axis::Batch];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Axis::LearningRate => "learning rate",
            Axis::Regularization => "regularization",
            Axis::Projection => "projection",
            Axis::Clip => "clip",
            Axis::Batch => "batch",
        }
    }

    /// Where a setting is on it.
    pub fn of(self, setting: Setting) -> f64 {
        match self {
            Axis::LearningRate => setting.learning_rate,
            Axis::Regularization => setting.regularization,
            Axis::Projection => setting.projection.unwrap_or(f64::INFINITY),
            Axis::Clip => setting.clip.unwrap_or(f64::INFINITY),
            Axis::Batch => setting.batch as f64,
        }
    }

    /// A setting moved to this value.
    pub fn put(self, setting: Setting, value: f64) -> Setting {
        let radius = Some(value).filter(|radius| radius.is_finite());
        match self {
            Axis::LearningRate => Setting { learning_rate: value, ..setting },
            Axis::Regularization => Setting { regularization: value, ..setting },
            Axis::Projection => Setting { projection: radius, ..setting },
            Axis::Clip => Setting { clip: radius, ..setting },
            Axis::Batch => Setting { batch: (value.round() as u64).max(1), ..setting },
        }
    }

    /// Its values in a grid, ascending; none if the grid leaves it to the template.
    pub fn values(self, grid: &Grid) -> Vec<f64> {
        let radii = |values: &[Option<f64>]| values.iter().map(|x| x.unwrap_or(f64::INFINITY)).collect();
        match self {
            Axis::LearningRate => grid.learning_rates.clone(),
            Axis::Regularization => grid.regularizations.clone(),
            Axis::Projection => radii(&grid.projections),
            Axis::Clip => radii(&grid.clips),
            Axis::Batch => grid.batches.iter().map(|points| *points as f64).collect(),
        }
    }

    /// The grid with one more value.
    pub(super) fn add(self, grid: &mut Grid, value: f64) {
        let radius = Some(value).filter(|radius| radius.is_finite());
        match self {
            Axis::LearningRate => grid.learning_rates.push(value),
            Axis::Regularization => grid.regularizations.push(value),
            Axis::Projection => grid.projections.push(radius),
            Axis::Clip => grid.clips.push(radius),
            Axis::Batch => grid.batches.push(value as u64),
        }
    }

    /// The next value to try beyond this one; none where nothing is there.
    pub(super) fn beyond(self, value: f64, is_above: bool) -> Option<f64> {
        match self {
            Axis::Batch if is_above => Some(4.0 * value),
            Axis::Batch => Some((value / 4.0).floor()).filter(|points| *points >= 1.0),
            // Beyond no projection there is nothing.
            _ if value.is_infinite() => None,
            _ => Some(neighbour(value, is_above)),
        }
    }

    /// Whether a setting is at an end of several values, beyond which there may be better ones.
    pub(super) fn is_edge(self, grid: &Grid, at: Setting) -> bool {
        let (values, here) = (self.values(grid), self.of(at));
        let is = |end: Option<&f64>| end.is_some_and(|end| end.to_bits() == here.to_bits());
        values.len() > 1
            && (is(values.first()) && self.beyond(here, false).is_some()
                || is(values.last()) && self.beyond(here, true).is_some())
    }
}

/// The neighbour of a value on the ladder …, 0.01, 0.03, 0.1, 0.3, …, above or below it: a setting should be easy to copy.
pub(super) fn neighbour(value: f64, is_above: bool) -> f64 {
    let power = value.log10().floor() as i32;
    // By way of text, which gives the number nearest to the decimal.
    let rung = |digit: u32, power: i32| format!("{digit}e{power}").parse::<f64>().unwrap_or(value);
    let mut ladder = (power - 1..=power + 1).flat_map(|power| [rung(1, power), rung(3, power)]);
    if is_above {
        ladder.find(|x| *x > 1.5 * value).unwrap_or(3.0 * value)
    } else {
        ladder.rfind(|x| *x < value / 1.5).unwrap_or(value / 3.0)
    }
}
