//! The attacks by name, how much work goes into them, and what they reach.

use std::cmp::Ordering;
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::SteadyState;
use crate::simulate::{Estimate, Plan, Simulated};

/// An attack by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attack {
    /// Nobody attacks: the learner's own long-run loss.
    None,
    /// Random rows with the wrong label.
    LabelFlip,
    /// One gradient step on the next loss (the paper's).
    Fgsm,
    /// Several projected gradient steps on the next loss (the paper's).
    Pgd,
    /// One well-chosen point, sent again and again.
    SteadyState,
    /// One point, sent again and again, chosen to make the error large, not the loss.
    SteadyStateError,
    /// A point tuned by simulation at the learner's own learning rate, always moved just enough to act on the model.
    Tuned,
}

impl Attack {
    /// Those that take a second or so.
    pub const FAST: [Attack; 4] =
        [Attack::LabelFlip, Attack::Fgsm, Attack::SteadyState, Attack::SteadyStateError];

    /// All of them.
    pub const ALL: [Attack; 7] = [
        Attack::None,
        Attack::LabelFlip,
        Attack::Fgsm,
        Attack::Pgd,
        Attack::SteadyState,
        Attack::SteadyStateError,
        Attack::Tuned,
    ];

    /// Its name in tables and flags.
    pub fn name(self) -> &'static str {
        match self {
            Attack::None => "none",
            Attack::LabelFlip => "label-flip",
            Attack::Fgsm => "fgsm",
            Attack::Pgd => "pgd",
            Attack::SteadyState => "steady-state",
            Attack::SteadyStateError => "steady-state-error",
            Attack::Tuned => "tuned",
        }
    }
}

/// How much work to put in. It is an amount of work, no time on a clock: what is found does not depend on how fast the machine is.
///
/// ```
/// use unswayed::attack::Effort;
/// let effort: Effort = "5s".parse()?;
/// assert_eq!(effort, Effort::Seconds(5.try_into()?));
/// assert_eq!(effort.to_string(), "5s");
/// assert!("5".parse::<Effort>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Effort {
    /// Seconds: shorter simulations, a shorter search.
    Fast,
    /// Minutes: long simulations, a long search.
    Full,
    /// What takes at most about so many seconds on two cores, for up to 100,000 rows of 31 columns. All attacks from a minute on, else
    /// those of [`Attack::FAST`].
    Seconds(NonZeroU32),
}

/// From this time on there is enough of it for all attacks.
const LONG: u32 = 60;

impl Effort {
    /// The attacks that are worth it.
    pub(super) fn attacks(self) -> &'static [Attack] {
        match self {
            Effort::Full => &Attack::ALL,
            Effort::Seconds(seconds) if seconds.get() >= LONG => &Attack::ALL,
            Effort::Fast | Effort::Seconds(_) => &Attack::FAST,
        }
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Effort::Fast => f.write_str("fast"),
            Effort::Full => f.write_str("full"),
            Effort::Seconds(seconds) => write!(f, "{seconds}s"),
        }
    }
}

impl FromStr for Effort {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let time = |unit, seconds: u32| {
            let number: NonZeroU32 = text.strip_suffix(unit)?.parse().ok()?;
            Some(Effort::Seconds(number.checked_mul(NonZeroU32::new(seconds)?)?))
        };
        match text {
            "fast" => Ok(Effort::Fast),
            "full" => Ok(Effort::Full),
            _ => time('s', 1)
                .or_else(|| time('m', 60))
                .ok_or_else(|| format!("{text:?} is neither fast nor full nor a time such as 5s or 2m")),
        }
    }
}

impl From<Effort> for String {
    fn from(effort: Effort) -> String {
        effort.to_string()
    }
}

impl TryFrom<String> for Effort {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// Numbers that a simulation takes for each second of a time budget, and what a point costs beside its own, in numbers.
const SIMULATED_A_SECOND: f64 = 1.8e8;
const OVERHEAD: f64 = 30.0;

/// Evaluations of the model, at least: fewer do not tell whether it has settled.
const FEWEST_EVALUATIONS: f64 = 32.0;

/// Steps that are measured, at least.
pub(super) const SHORTEST_WINDOW: f64 = 2e5;

/// What an attack reached.
#[derive(Clone, Debug)]
pub struct Attacked {
    /// Which attack.
    pub attack: Attack,
    /// Its long-run averages.
    pub simulated: Simulated,
    /// For attacks with a steady-state point: the point, and the loss where the learner would settle if η were small.
    pub steady: Option<SteadyState>,
}

/// The attack that is surest to reach a large loss: the largest lower end of a confidence interval. The largest average would be
/// the luckiest one where several are close.
pub fn strongest(attacks: &[Attacked]) -> Option<&Attacked> {
    let key = |a: &Attacked| a.simulated.loss;
    attacks.iter().max_by(|a, b| surer(key(a), key(b)))
}

/// The attack that is surest to reach a large error; none if there is no error.
pub fn strongest_error(attacks: &[Attacked]) -> Option<&Attacked> {
    let errors = attacks.iter().filter_map(|a| Some((a, a.simulated.error?)));
    errors.max_by(|(_, a), (_, b)| surer(*a, *b)).map(|(attacked, _)| attacked)
}

pub(super) fn surer(a: Estimate, b: Estimate) -> Ordering {
    a.low().total_cmp(&b.low()).then(a.mean.total_cmp(&b.mean))
}

/// What the length of a simulation depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Length {
    /// Points after which the learner has forgotten.
    pub time_constant: f64,
    /// Numbers that an evaluation takes.
    pub size: f64,
    /// Numbers that a point takes, on average.
    pub cost: f64,
    /// Points that are measured, at least.
    pub least: f64,
}

impl Length {
    /// Burn-in and window in time constants, within bounds; as many evaluations as cost little beside the steps.
    pub fn plan(self, effort: Effort, seed: u64) -> Plan {
        let (burn_in, window, most, replicates) = match effort {
            Effort::Fast => (2.0, 6.0, [5e7; 2], 1),
            Effort::Full => (6.0, 40.0, [4e8; 2], 4),
            Effort::Seconds(seconds) => {
                let points = f64::from(seconds.get()) * SIMULATED_A_SECOND / (self.cost + OVERHEAD);
                (2.0, 40.0, [0.2 * points, 0.8 * points], 1)
            }
        };
        let steps = |constants: f64, least: f64, most: f64| {
            (constants * self.time_constant).max(least).min(most) as u64
        };
        Plan {
            burn_in: steps(burn_in, 1e4, most[0]),
            window: steps(window, self.least, most[1]),
            evaluations: (5e8 / self.size).clamp(FEWEST_EVALUATIONS, 1024.0) as u64,
            replicates,
            seed,
        }
    }
}
