//! The attacks by name, how much work goes into them, and what they reach.

use std::cmp::Ordering;

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

/// How much work to put in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// Seconds: shorter simulations, a shorter search.
    Fast,
    /// Minutes: long simulations, a long search.
    Full,
}

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

/// Burn-in and window in time constants, within bounds; as many evaluations as cost little beside the steps.
pub(super) fn plan(time_constant: f64, size: f64, least: f64, effort: Effort, seed: u64) -> Plan {
    let (burn_in, window, most, replicates) = match effort {
        Effort::Fast => (2.0, 6.0, 5e7, 1),
        Effort::Full => (6.0, 40.0, 4e8, 4),
    };
    let steps = |constants: f64, least: f64| (constants * time_constant).clamp(least, most) as u64;
    Plan {
        burn_in: steps(burn_in, 1e4),
        window: steps(window, least),
        evaluations: (5e8 / size).clamp(64.0, 1024.0) as u64,
        replicates,
        seed,
    }
}
