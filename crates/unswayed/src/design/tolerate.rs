//! The question turned round: the largest poison rate that keeps the harm under a limit.

use super::sweep::{BenignLoss, Chain, Run, Sweep, SweepPlan, Task};
use super::table::{Row, rows};
use super::{DesignError, Grid, Setting};
use crate::attack::{Attack, Attacked, Effort, Suite, strongest, strongest_error};
use crate::certify::{Options, Outcome, Series};
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
    /// The certified figure: for the first steps, if the outcome has a horizon, else for the long run.
    pub fn certified(self, outcome: &Outcome) -> f64 {
        match (self, outcome.horizon_loss) {
            (Measure::Loss, Some(loss)) => loss,
            (Measure::Loss, None) => outcome.certified_loss,
            (Measure::Error, Some(_)) => outcome.horizon_error().unwrap_or(f64::INFINITY),
            (Measure::Error, None) => outcome.certified_error.unwrap_or(f64::INFINITY),
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

/// A limit on the harm.
#[derive(Clone, Debug)]
pub struct Limit {
    /// The figure must not be above this.
    pub value: f64,
    /// What the limit is about.
    pub measure: Measure,
    /// With a horizon, the limit is about the average over these first steps; for settings of a grid over those that so many first
    /// points make.
    pub options: Options,
}

impl Limit {
    /// On the long run.
    pub fn new(value: f64, measure: Measure) -> Self {
        Limit { value, measure, options: Options::default() }
    }

    /// On what these options bound.
    pub fn with_options(self, options: Options) -> Self {
        Limit { options, ..self }
    }
}

/// Poison rates are found to this relative accuracy.
const ACCURACY: f64 = 1e-3;
/// Rates below this are not told from 0, rates above its complement not from 1.
const SMALLEST_RATE: f64 = 1e-6;
/// The first rate that is tried.
const FIRST_RATE: f64 = 0.01;
/// Certificates computed, at most.
pub const MOST_TRIALS: usize = 20;
/// Searches for an attack that breaks the limit.
const ATTACK_TRIALS: usize = 8;

/// The largest poison rate for which the certificate stays under the limit.
#[derive(Clone, Debug)]
pub struct Tolerated {
    /// The rate: certified, not interpolated.
    pub poison_rate: f64,
    /// The certificate at that rate.
    pub outcome: Outcome,
    /// A slightly larger rate, and the certified figure there, which is above the limit; absent near 1. Infinite if there is none.
    pub beyond: Option<(f64, f64)>,
    /// Certificates that were computed.
    pub trials: usize,
}

/// Finds the largest poison rate; `None` if the limit is not certified even without an adversary. The problem's own poison
/// rate does not matter.
///
/// ```
/// use unswayed::Problem;
/// use unswayed::design::tolerate::{Limit, Measure, largest_rate};
/// let data = unswayed::data::sample()?;
/// let problem = Problem::builder(data).learning_rate(1e-3).regularization(0.01).poison_rate(0.0).build()?;
/// let found = largest_rate(&problem, &Limit::new(0.2, Measure::Loss))?.unwrap();
/// assert!(found.outcome.certified_loss <= 0.2 && found.poison_rate > 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn largest_rate(problem: &Problem, limit: &Limit) -> Result<Option<Tolerated>, DesignError> {
    let mut series = Series::new(limit.options.clone());
    let mut trial = |rate: f64| -> Result<Result<Outcome, CertifyError>, DesignError> {
        Ok(series.certify(&problem.with_poison_rate(rate).map_err(problem_error)?))
    };
    let none = trial(0.0)?.map_err(certify_error)?;
    if limit.measure.certified(&none) > limit.value {
        return Ok(None);
    }
    let mut search = Bracket::new(limit.measure.certified(&none));
    let mut under = Tolerated { poison_rate: 0.0, outcome: none, beyond: None, trials: 1 };
    while under.trials < MOST_TRIALS {
        let Some(rate) = search.next(limit.value) else { break };
        under.trials += 1;
        // At large rates there may be no proof at all: that is not under the limit.
        let outcome = trial(rate)?.ok();
        let value = outcome.as_ref().map_or(f64::INFINITY, |outcome| limit.measure.certified(outcome));
        search.learn(rate, value, limit.value);
        match outcome.filter(|_| value <= limit.value) {
            Some(outcome) => under = Tolerated { poison_rate: rate, outcome, ..under },
            None => under.beyond = Some((rate, value)),
        }
    }
    Ok(Some(under))
}

/// Where the figure passes the limit: the rates on both sides that are known, with their figures.
struct Bracket {
    low: (f64, f64),
    high: Option<(f64, f64)>,
    /// How often in a row the same side moved: then a straight line is a bad guide.
    stuck: [usize; 2],
}

impl Bracket {
    fn new(without_adversary: f64) -> Self {
        Bracket { low: (0.0, without_adversary), high: None, stuck: [0; 2] }
    }

    fn learn(&mut self, rate: f64, value: f64, limit: f64) {
        let side = usize::from(value > limit);
        self.stuck = if side == 0 { [self.stuck[0] + 1, 0] } else { [0, self.stuck[1] + 1] };
        if side == 0 {
            self.low = (rate, value);
        } else {
            self.high = Some((rate, value));
        }
    }

    /// The next rate to try, with four digits; none if the two sides are close enough. Upwards in factors until the limit is
    /// passed; then where the straight line between the sides meets it, but half way if one side does not move.
    fn next(&self, limit: f64) -> Option<f64> {
        let (low, low_value) = self.low;
        let most = 1.0 - SMALLEST_RATE;
        let Some((high, high_value)) = self.high else {
            let next = if low == 0.0 { FIRST_RATE } else { (5.0 * low).min(0.5 * (low + 1.0)) };
            let next = round_down(next.min(most));
            return (next > low).then_some(next);
        };
        if high - low <= ACCURACY * high || high < SMALLEST_RATE {
            return None;
        }
        let share = (limit - low_value) / (high_value - low_value);
        let share = match self.stuck {
            _ if !(share.is_finite() && high_value.is_finite()) => 0.5,
            [first, second] if first.max(second) >= 3 => 0.5,
            // Just on the other side of where the line says, so that the sides close in on it.
            [first, _] if first > 0 => (share * 1.05 + 0.002).clamp(0.02, 0.98),
            _ => (share * 0.97 - 0.002).clamp(0.02, 0.98),
        };
        let next = round_down(low + (high - low) * share);
        (next > low).then_some(next)
    }
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
    /// use unswayed::design::tolerate::{Limit, Measure, Tolerating};
    /// use unswayed::design::{Grid, Run, Task};
    /// let grid = Grid::new(vec![1e-3], vec![0.01, 0.1], vec![0.02])?;
    /// let task = Task { name: "mnist".into(), data: unswayed::data::sample()?.first(100)?.into() };
    /// let limit = Limit::new(0.2, Measure::Loss);
    /// let found = Tolerating::find(&task, Default::default(), grid, &limit, 0, &Run::default())?;
    /// assert_eq!((found.tried, found.rows.len()), (2, 1));
    /// assert_eq!(found.rows[0].regularization, 0.01);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find(
        task: &Task,
        template: Template,
        grid: Grid,
        limit: &Limit,
        seed: u64,
        run: &Run,
    ) -> Result<Tolerating, DesignError> {
        let settings: Vec<Setting> = grid.settings(&template).collect();
        let Options { horizon, start, .. } = limit.options.clone();
        let benign = BenignLoss::Simulated;
        let plan = SweepPlan { template, grid, benign, effort: Effort::Fast, seed, horizon, start };
        let sweep = Sweep::new([task], plan, run)?;
        let chains: Vec<Chain> = settings.iter().map(|s| Chain { task: 0, setting: *s }).collect();
        sweep.certify(&chains)?;
        let value = |row: &Row| match limit.measure {
            Measure::Loss => row.bound(),
            Measure::Error => row.error_bound().unwrap_or(f64::INFINITY),
        };
        let mut rows = rows(&sweep, &[0], &settings);
        let smallest = rows.iter().min_by(|a, b| value(a).total_cmp(&value(b))).cloned();
        let smallest = smallest.ok_or(DesignError::EmptyGrid { of: "settings" })?;
        rows.retain(|row| value(row) <= limit.value);
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

/// Looks for a small poison rate from `from` on at which the steady-state attack on what is measured, simulated, exceeds the limit. The
/// largest tolerable rate, whatever the method of proof, is below it.
pub fn smallest_broken_rate(
    problem: &Problem,
    limit: &Limit,
    from: f64,
    seed: u64,
) -> Result<Option<Broken>, DesignError> {
    let at = |rate: f64| -> Result<Option<Broken>, DesignError> {
        let problem = problem.with_poison_rate(rate).map_err(problem_error)?;
        let attacked = attacked(&problem, limit, seed).map_err(attack_error)?;
        let broken = attacked.filter(|attacked| limit.measure.attacked(attacked) > limit.value);
        Ok(broken.map(|attacked| Broken { poison_rate: rate, attacked }))
    };
    let (mut low, mut found, mut factor) = (from.max(SMALLEST_RATE), None::<Broken>, 1.1);
    for _ in 0..ATTACK_TRIALS {
        let rate = match &found {
            // Upwards until it breaks, in growing steps; the gap between bound and attack is often small.
            None => (low * factor).min(0.5 * (low + 1.0)),
            Some(broken) if broken.poison_rate <= low * 1.02 => break,
            Some(broken) => (low * broken.poison_rate).sqrt(),
        };
        factor *= factor;
        match at(round_down(rate))? {
            Some(broken) => found = Some(broken),
            None => low = rate,
        }
    }
    Ok(found)
}

/// The steady-state attack on what is measured: in the long run, or over the first steps if the limit is about these.
fn attacked(problem: &Problem, limit: &Limit, seed: u64) -> Result<Option<Attacked>, AttackError> {
    let suite = Suite::new(problem)?.with_seed(seed);
    let attacks = [limit.measure.attack()];
    let Options { horizon, start, .. } = &limit.options;
    let mut all = match horizon {
        Some(steps) => {
            let start = start.clone().unwrap_or_else(|| vec![0.0; problem.parameters()]);
            suite.run_first(&attacks, &start, *steps)?
        }
        None => suite.run(&attacks)?,
    };
    Ok(all.pop())
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
