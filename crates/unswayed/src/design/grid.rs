//! The settings and poison rates to try.

use serde::{Deserialize, Serialize};

use super::DesignError;
use super::axis::Axis;
use crate::error::ParameterError;
use crate::problem::Template;

/// What is chosen: the learner's own numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// η.
    pub learning_rate: f64,
    /// σ.
    pub regularization: f64,
    /// The radius of the ball that every step is projected on.
    pub projection: Option<f64>,
    /// The norm at which the gradient of each point is clipped.
    pub clip: Option<f64>,
    /// Points per step.
    pub batch: u64,
}

impl Setting {
    /// One point per step, without projection and clipping.
    pub fn new(learning_rate: f64, regularization: f64) -> Self {
        Setting { learning_rate, regularization, projection: None, clip: None, batch: 1 }
    }

    /// With the steps of a template.
    pub fn of(learning_rate: f64, regularization: f64, template: &Template) -> Self {
        let Template { projection, clip, batch, .. } = *template;
        Setting { learning_rate, regularization, projection, clip, batch }
    }

    /// A template with these steps.
    pub fn steps_of(self, template: &Template) -> Template {
        Template { projection: self.projection, clip: self.clip, batch: self.batch, ..template.clone() }
    }

    /// How many steps are made of the first points of a stream.
    ///
    /// ```
    /// use unswayed::design::Setting;
    /// let setting = Setting { batch: 32, ..Setting::new(1e-3, 0.01) };
    /// assert_eq!(setting.steps(100_000), 3125);
    /// ```
    pub fn steps(self, points: u64) -> u64 {
        points / self.batch.max(1)
    }

    /// Refuses numbers that no learner can have.
    fn validate(self) -> Result<(), ParameterError> {
        let Setting { learning_rate, regularization, projection, clip, batch } = self;
        let error = |name, value, why: &str| Err(ParameterError::new(name, value, why));
        if !(learning_rate > 0.0 && learning_rate.is_finite()) {
            return error("learning rate", learning_rate, "it must be positive and finite");
        }
        if !(regularization >= 0.0 && learning_rate * regularization < 1.0) {
            let why = "it must not be negative, and times the learning rate it must be below 1";
            return error("regularization", regularization, why);
        }
        for (name, radius) in [("projection", projection), ("clip", clip)] {
            if let Some(radius) = radius.filter(|radius| !(*radius > 0.0 && radius.is_finite())) {
                return error(name, radius, "it must be positive and finite");
            }
        }
        if batch == 0 {
            return error("batch", 0.0, "a step has at least one point");
        }
        Ok(())
    }

    /// For comparing settings bit by bit.
    pub(super) fn bits(self) -> [u64; 5] {
        Axis::ALL.map(|axis| axis.of(self).to_bits())
    }
}

/// Which axes of a grid may grow where the choice is on their edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one for each axis")]
pub struct Growing {
    /// Values of η.
    pub learning_rates: bool,
    /// Values of σ.
    pub regularizations: bool,
    /// Radii to project on.
    pub projections: bool,
    /// Norms to clip at.
    pub clips: bool,
    /// Points per step.
    pub batches: bool,
}

impl Growing {
    fn may(self, axis: Axis) -> bool {
        match axis {
            Axis::LearningRate => self.learning_rates,
            Axis::Regularization => self.regularizations,
            Axis::Projection => self.projections,
            Axis::Clip => self.clips,
            Axis::Batch => self.batches,
        }
    }
}

/// All combinations of learning rates, regularizations, projections, clipping norms and batches, each with all poison rates.
///
/// ```
/// use unswayed::design::Grid;
/// let grid = Grid::default(); // the paper's
/// assert_eq!(grid.settings(&Default::default()).count() * grid.poison_rates.len(), 125);
/// let mine = Grid::new(vec![1e-3, 1e-4, 1e-3], vec![0.01], vec![0.02])?;
/// assert_eq!(mine.learning_rates, [1e-4, 1e-3]); // sorted, without repetitions
/// assert!(Grid::new(vec![], vec![0.01], vec![0.02]).is_err());
/// let more = mine.with_projections(vec![None, Some(2.0)])?.with_batches(vec![1, 8, 64])?;
/// assert_eq!(more.settings(&Default::default()).count(), 2 * 2 * 3);
/// assert_eq!(more.projections, [Some(2.0), None]); // no projection is that on the largest ball
/// # Ok::<(), unswayed::design::DesignError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    /// Values of η, ascending.
    pub learning_rates: Vec<f64>,
    /// Values of σ, ascending.
    pub regularizations: Vec<f64>,
    /// Values of ε, ascending.
    pub poison_rates: Vec<f64>,
    /// Radii of the ball that steps are projected on, ascending, `None` for no projection last; that of the template if empty.
    pub projections: Vec<Option<f64>>,
    /// Norms at which gradients are clipped, ascending, `None` for no clipping last; that of the template if empty.
    pub clips: Vec<Option<f64>>,
    /// Points per step, ascending; those of the template if empty.
    pub batches: Vec<u64>,
}

impl Default for Grid {
    fn default() -> Self {
        Grid {
            learning_rates: vec![5e-5, 1e-4, 5e-4, 1e-3, 5e-3],
            regularizations: vec![3e-3, 6e-3, 1e-2, 3e-2, 6e-2],
            poison_rates: vec![0.01, 0.02, 0.03, 0.04, 0.05],
            projections: vec![],
            clips: vec![],
            batches: vec![],
        }
    }
}

impl Grid {
    /// Sorted, without repetitions, every combination valid; the steps are those of a template.
    pub fn new(
        learning_rates: Vec<f64>,
        regularizations: Vec<f64>,
        poison_rates: Vec<f64>,
    ) -> Result<Self, DesignError> {
        Grid { learning_rates, regularizations, poison_rates, ..Grid::default() }.tidy()
    }

    /// With these radii to project on, `None` for no projection.
    pub fn with_projections(self, projections: Vec<Option<f64>>) -> Result<Self, DesignError> {
        Grid { projections, ..self }.tidy()
    }

    /// With these norms to clip at, `None` for no clipping.
    pub fn with_clips(self, clips: Vec<Option<f64>>) -> Result<Self, DesignError> {
        Grid { clips, ..self }.tidy()
    }

    /// With these numbers of points per step.
    pub fn with_batches(self, batches: Vec<u64>) -> Result<Self, DesignError> {
        Grid { batches, ..self }.tidy()
    }

    fn tidy(mut self) -> Result<Self, DesignError> {
        let numbers = [
            (&mut self.learning_rates, "learning rates"),
            (&mut self.regularizations, "regularizations"),
            (&mut self.poison_rates, "poison rates"),
        ];
        for (values, of) in numbers {
            values.sort_by(f64::total_cmp);
            values.dedup();
            if values.is_empty() {
                return Err(DesignError::EmptyGrid { of });
            }
        }
        let radius = |value: &Option<f64>| value.unwrap_or(f64::INFINITY);
        for radii in [&mut self.projections, &mut self.clips] {
            radii.sort_by(|a, b| radius(a).total_cmp(&radius(b)));
            radii.dedup();
        }
        self.batches.sort_unstable();
        self.batches.dedup();
        for setting in self.settings(&Template::default()) {
            setting.validate()?;
        }
        if let Some(rate) = self.poison_rates.iter().find(|rate| !(0.0..1.0).contains(*rate)) {
            return Err(ParameterError::new("poison rate", *rate, "it must be at least 0 and below 1").into());
        }
        Ok(self)
    }

    /// Settings worth trying for a stream of so many points: learning rates from the slowest that learn anything in this time to 1.
    ///
    /// ```
    /// use unswayed::design::Grid;
    /// assert_eq!(Grid::for_horizon(100_000).learning_rates, [1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1]);
    /// assert_eq!(Grid::for_horizon(1_000).learning_rates, [1e-2, 3e-2, 1e-1, 3e-1, 1.0]);
    /// ```
    pub fn for_horizon(points: u64) -> Grid {
        let slowest = (1.0 - (points.max(1) as f64).log10()).round().clamp(-7.0, -1.0) as i32;
        // By way of text, which gives the number nearest to the decimal.
        let number = |digit: u32, power: i32| format!("{digit}e{power}").parse::<f64>().unwrap_or(1e-3);
        let rates = (0..7).map(|i| number(if i % 2 == 0 { 1 } else { 3 }, slowest + i / 2));
        Grid {
            learning_rates: rates.filter(|rate| *rate <= 1.0).collect(),
            regularizations: vec![1e-3, 3e-3, 1e-2, 3e-2, 1e-1],
            ..Grid::default()
        }
    }

    /// The same with one more value beyond each edge that the setting is on, as far as these may grow; none if it is on no such
    /// edge, or if what lies beyond is no learner. A step has at most so many points.
    pub(super) fn beyond(&self, at: Setting, growing: Growing, most_points: u64) -> Option<Grid> {
        let mut larger = self.clone();
        for axis in Axis::ALL.into_iter().filter(|axis| growing.may(*axis)) {
            let (values, here) = (axis.values(self), axis.of(at));
            for (end, is_above) in [(values.first(), false), (values.last(), true)] {
                if end.is_some_and(|end| end.to_bits() == here.to_bits())
                    && let Some(value) = axis.beyond(here, is_above)
                {
                    axis.add(&mut larger, value);
                }
            }
        }
        larger.batches.retain(|points| *points <= most_points);
        larger.tidy().ok().filter(|larger| larger != self)
    }

    /// Which axes a setting is at the end of, in words; not where nothing lies beyond.
    pub fn edges(&self, at: Setting) -> Vec<&'static str> {
        Axis::ALL.into_iter().filter(|axis| axis.is_edge(self, at)).map(Axis::name).collect()
    }

    /// The settings, row by row: learning rate first. Steps that the grid leaves open are those of the template.
    pub fn settings(&self, template: &Template) -> impl Iterator<Item = Setting> {
        let first = Setting::of(f64::NAN, f64::NAN, template);
        let mut settings = vec![first];
        for axis in Axis::ALL {
            let values = axis.values(self);
            let values = if values.is_empty() { vec![axis.of(first)] } else { values };
            let with = |setting: &Setting| {
                let setting = *setting;
                values.iter().map(move |value| axis.put(setting, *value)).collect::<Vec<_>>()
            };
            settings = settings.iter().flat_map(with).collect();
        }
        settings.into_iter()
    }
}
