//! The question turned round: the largest poison rate that keeps the harm under a limit.

use super::sweep::{BenignLoss, Chain, Run, Sweep, SweepPlan, Task};
use super::table::{Row, rows};
use super::{DesignError, Grid, Setting};
use crate::attack::{Attack, Attacked, Effort, Suite, strongest, strongest_error};
use crate::certify::{Options, Outcome, Solution, certify_near};
use crate::data::Dataset;
use crate::error::{AttackError, CertifyError};
use crate::problem::{Problem, ProblemError, Template};

/// What the limit is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The long-run loss.
    Loss,
    /// The long-run error.
    Error,
}

impl Measure {
    /// The certified figure.
    pub fn certified(self, outcome: &Outcome) -> f64 {
        match self {
            Measure::Loss => outcome.certified_loss,
            Measure::Error => outcome.certified_error.unwrap_or(f64::INFINITY),
        }
    }

    /// The attack that is meant to raise it.
    pub fn attack(self) -> Attack {
        match self {
            Measure::Loss => Attack::SteadyState,
            Measure::Error => Attack::SteadyStateError,
        }
    }

    /// The attack that reaches the most of it.
    pub fn strongest(self, attacks: &[Attacked]) -> Option<&Attacked> {
        match self {
            Measure::Loss => strongest(attacks),
            Measure::Error => strongest_error(attacks),
        }
    }

    /// The attack's figure.
    pub fn attacked(self, attacked: &Attacked) -> f64 {
        match self {
            Measure::Loss => attacked.simulated.loss.mean,
            Measure::Error => attacked.simulated.error.map_or(0.0, |e| e.mean),
        }
    }
}

/// Poison rates are found to this relative accuracy.
const ACCURACY: f64 = 1e-3;
/// Rates below this are not told from 0, rates above its complement not from 1.
const SMALLEST_RATE: f64 = 1e-6;
/// Certificates computed, at most.
const MOST_TRIALS: usize = 60;
/// Searches for an attack that breaks the limit.
const ATTACK_TRIALS: usize = 10;

/// The largest poison rate for which the certificate stays under the limit.
#[derive(Clone, Debug)]
pub struct Tolerated {
    /// The rate: certified, not interpolated.
    pub poison_rate: f64,
    /// The certificate at that rate.
    pub outcome: Outcome,
    /// A slightly larger rate, and the certified figure there, which is above the limit; absent near 1.
    pub beyond: Option<(f64, f64)>,
}

/// Finds the largest poison rate; `None` if the limit is not certified even without an adversary. The problem's own poison
/// rate does not matter.
///
/// ```
/// use unswayed::Problem;
/// use unswayed::design::tolerate::{Measure, largest_rate};
/// let data = unswayed::data::sample()?;
/// let problem = Problem::builder(data).learning_rate(1e-3).regularization(0.01).poison_rate(0.0).build()?;
/// let found = largest_rate(&problem, 0.2, Measure::Loss)?.unwrap();
/// assert!(found.outcome.certified_loss <= 0.2 && found.poison_rate > 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn largest_rate(
    problem: &Problem,
    limit: f64,
    measure: Measure,
) -> Result<Option<Tolerated>, DesignError> {
    let mut near: Option<Solution> = None;
    let mut trial = |rate: f64| -> Result<Outcome, DesignError> {
        let problem = problem.with_poison_rate(rate).map_err(problem_error)?;
        // The problem without adversary has fewer variables: it is no start for the others.
        let start = near.as_ref().filter(|_| rate > 0.0);
        let (outcome, solution) =
            certify_near(&problem, &Options::default(), start).map_err(certify_error)?;
        near = solution.filter(|_| rate > 0.0);
        Ok(outcome)
    };
    let none = trial(0.0)?;
    if measure.certified(&none) > limit {
        return Ok(None);
    }
    let mut under = Tolerated { poison_rate: 0.0, outcome: none, beyond: None };
    let mut over = 1.0 - SMALLEST_RATE;
    for _ in 0..MOST_TRIALS {
        let rate = round_down(between(&under, over, limit, measure));
        if over - under.poison_rate <= ACCURACY * over || over < SMALLEST_RATE || rate <= under.poison_rate {
            break;
        }
        let outcome = trial(rate)?;
        let value = measure.certified(&outcome);
        if value <= limit {
            under = Tolerated { poison_rate: rate, outcome, ..under };
        } else {
            over = rate;
            under.beyond = Some((rate, value));
        }
    }
    Ok(Some(under))
}

/// A rate strictly between the largest tolerated and the smallest not tolerated one. With the figures at both ends: where
/// the straight line between them meets the limit, but not too close to either end; else half way, in factors.
fn between(under: &Tolerated, over: f64, limit: f64, measure: Measure) -> f64 {
    let low = under.poison_rate;
    let (Some((_, high_value)), true) = (under.beyond, low > 0.0) else {
        return (low.max(SMALLEST_RATE / 4.0) * over).sqrt();
    };
    let low_value = measure.certified(&under.outcome);
    let share = (limit - low_value) / (high_value - low_value);
    low + (over - low) * share.clamp(0.1, 0.9)
}

/// To four significant digits, so that the printed rate is the certified one.
fn round_down(rate: f64) -> f64 {
    let unit = 3 - rate.log10().floor() as i32;
    let digits = (rate * 10f64.powi(unit)).floor();
    // By way of text, which gives the number nearest to the decimal.
    format!("{digits}e{}", -unit).parse().unwrap_or(rate)
}

/// The settings of a grid that keep the harm under a limit.
#[derive(Clone, Debug)]
pub struct Tolerating {
    /// Those settings, at the grid's poison rates, the smallest benign loss first.
    pub rows: Vec<Row>,
    /// The smallest certified figure of all settings, under the limit or not.
    pub smallest: Row,
    /// How many settings were tried.
    pub tried: usize,
}

impl Tolerating {
    /// Certifies all settings of the grid and keeps those under the limit.
    ///
    /// ```
    /// use unswayed::design::tolerate::{Measure, Tolerating};
    /// use unswayed::design::{Grid, Run};
    /// let grid = Grid::new(vec![1e-3], vec![0.01, 0.1], vec![0.02])?;
    /// let data = unswayed::data::sample()?.first(100)?;
    /// let found = Tolerating::find(data, Default::default(), grid, 0.2, Measure::Loss, 0, &Run::default())?;
    /// assert_eq!((found.tried, found.rows.len()), (2, 1));
    /// assert_eq!(found.rows[0].regularization, 0.01);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find(
        data: Dataset,
        template: Template,
        grid: Grid,
        limit: f64,
        measure: Measure,
        seed: u64,
        run: &Run,
    ) -> Result<Tolerating, DesignError> {
        let settings: Vec<Setting> = grid.settings().collect();
        let plan = SweepPlan { template, grid, benign: BenignLoss::Simulated, effort: Effort::Fast, seed };
        let tasks = [Task { name: "data".into(), data: data.into() }];
        let sweep = Sweep::new(&tasks, plan, run)?;
        let chains: Vec<Chain> = settings.iter().map(|s| Chain { task: 0, setting: *s }).collect();
        sweep.certify(&chains)?;
        let value = |row: &Row| match measure {
            Measure::Loss => row.certified_loss,
            Measure::Error => row.certified_error.unwrap_or(f64::INFINITY),
        };
        let mut rows = rows(&sweep, &[0], &settings);
        let smallest = rows.iter().min_by(|a, b| value(a).total_cmp(&value(b))).cloned();
        let smallest = smallest.ok_or(DesignError::EmptyGrid { of: "settings" })?;
        rows.retain(|row| value(row) <= limit);
        rows.sort_by(|a, b| a.benign_loss.total_cmp(&b.benign_loss));
        Ok(Tolerating { rows, smallest, tried: settings.len() })
    }
}

/// A poison rate at which an attack is seen to break the limit.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The rate.
    pub poison_rate: f64,
    /// The attack.
    pub attacked: Attacked,
}

/// Looks for the smallest poison rate from `from` on at which the steady-state attack on what is measured, simulated, exceeds the limit. The
/// largest tolerable rate, whatever the method of proof, is below it.
pub fn smallest_broken_rate(
    problem: &Problem,
    limit: f64,
    measure: Measure,
    from: f64,
    seed: u64,
) -> Result<Option<Broken>, DesignError> {
    let at = |rate: f64| problem.with_poison_rate(rate).map_err(problem_error);
    // First by where the learner settles, which needs no simulation.
    let settled = |rate: f64| -> Result<f64, DesignError> {
        let problem = at(rate)?;
        let settled = |suite: Suite| match measure {
            Measure::Loss => suite.settled(),
            Measure::Error => suite.settled_error().map(|error| error.unwrap_or(0.0)),
        };
        let found = Suite::new(&problem).and_then(|suite| settled(suite.with_seed(seed)));
        found.map_err(attack_error)
    };
    let (mut low, mut high) = (from.max(SMALLEST_RATE), 1.0 - SMALLEST_RATE);
    for _ in 0..ATTACK_TRIALS {
        let rate = (low * high).sqrt();
        if settled(rate)? > limit { high = rate } else { low = rate }
    }
    // Then by simulation at the learner's own learning rate, going up until it is seen.
    for _ in 0..ATTACK_TRIALS {
        let rate = round_down(high);
        let problem = at(rate)?;
        let run = Suite::new(&problem).and_then(|suite| suite.with_seed(seed).run(&[measure.attack()]));
        for attacked in run.map_err(attack_error)? {
            if measure.attacked(&attacked) > limit {
                return Ok(Some(Broken { poison_rate: rate, attacked }));
            }
        }
        high *= 1.05;
        if high >= 1.0 {
            break;
        }
    }
    Ok(None)
}

fn problem_error(source: ProblemError) -> DesignError {
    DesignError::Problem { task: "data".into(), source }
}

fn certify_error(source: CertifyError) -> DesignError {
    DesignError::Certify { task: "data".into(), source }
}

fn attack_error(source: AttackError) -> DesignError {
    DesignError::attack("data", source)
}
