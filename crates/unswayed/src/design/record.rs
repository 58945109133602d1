//! What is known of one task and setting. Records are what the journal holds.

use serde::{Deserialize, Serialize};

use super::Setting;
use crate::certify::Solution;

/// One finished piece of work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Record {
    /// The learner without adversary.
    Benign(BenignRecord),
    /// A bound that the exact checker has confirmed.
    Certified(CertifiedRecord),
    /// What attacks reached.
    Attacked(AttackedRecord),
}

impl Record {
    /// The bound at this poison rate, if this is one.
    pub(super) fn certified_at(&self, rate: f64) -> Option<&CertifiedRecord> {
        match self {
            Record::Certified(record) if record.poison_rate.to_bits() == rate.to_bits() => Some(record),
            _ => None,
        }
    }
}

/// The learner without adversary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenignRecord {
    /// The task's name.
    pub task: String,
    /// The learner's setting.
    #[serde(flatten)]
    pub setting: Setting,
    /// The loss: in the long run, or averaged over the first steps.
    pub loss: f64,
    /// The error; absent for a regression loss.
    pub error: Option<f64>,
    /// Half the width of the loss's 95 % confidence interval; absent for the limit of small learning rates.
    pub half_width: Option<f64>,
    /// Whether the simulation was stationary; absent for the limit.
    pub verdict: Option<String>,
}

/// A bound that the exact checker has confirmed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CertifiedRecord {
    /// The task's name.
    pub task: String,
    /// The learner's setting.
    #[serde(flatten)]
    pub setting: Setting,
    /// ε.
    pub poison_rate: f64,
    /// No adversary gets the long-run loss above this.
    pub loss: f64,
    /// No adversary gets the long-run error above this; absent for a regression loss.
    pub error: Option<f64>,
    /// The form of the bound.
    pub method: String,
    /// What the bound is worth.
    pub status: String,
    /// No adversary gets the loss above this, averaged over the first steps; with a horizon.
    #[serde(default)]
    pub horizon_loss: Option<f64>,
    /// The same for the error.
    #[serde(default)]
    pub horizon_error: Option<f64>,
    /// Where the solver starts at the next poison rate, if it can.
    pub solution: Option<Solution>,
}

impl CertifiedRecord {
    /// The bound on the loss that a sweep is about: over the first steps if there is a horizon, else in the long run.
    pub fn bound(&self) -> f64 {
        self.horizon_loss.unwrap_or(self.loss)
    }

    /// The same for the error.
    pub fn error_bound(&self) -> Option<f64> {
        if self.horizon_loss.is_some() { self.horizon_error } else { self.error }
    }
}

/// What attacks reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttackedRecord {
    /// The task's name.
    pub task: String,
    /// The learner's setting.
    #[serde(flatten)]
    pub setting: Setting,
    /// ε.
    pub poison_rate: f64,
    /// Each attack, in the order of the suite.
    pub attacks: Vec<AttackRecord>,
}

/// What one attack reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttackRecord {
    /// The attack's name.
    pub attack: String,
    /// The long-run loss.
    pub loss: f64,
    /// Half the width of its 95 % confidence interval; absent if it could not be told.
    pub half_width: Option<f64>,
    /// The long-run error, where there is one.
    pub error: Option<f64>,
    /// Whether the simulation was stationary.
    pub verdict: String,
}

impl AttackedRecord {
    /// The attack that is surest to reach much, as [`crate::attack::strongest`] has it.
    pub fn strongest(&self) -> Option<&AttackRecord> {
        let low = |a: &AttackRecord| a.half_width.map_or(f64::NEG_INFINITY, |half| a.loss - half);
        self.attacks.iter().max_by(|a, b| low(a).total_cmp(&low(b)).then(a.loss.total_cmp(&b.loss)))
    }

    /// The largest error that an attack reaches, where there is an error.
    pub fn largest_error(&self) -> Option<f64> {
        self.attacks.iter().filter_map(|a| a.error).max_by(f64::total_cmp)
    }
}

/// What a record is about; records with equal keys are about the same thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    kind: Kind,
    task: usize,
    setting: [u64; 5],
    poison_rate: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Benign,
    Certified,
    Attacked,
}

impl Key {
    pub(super) fn benign(task: usize, setting: Setting) -> Key {
        Key { kind: Kind::Benign, task, setting: setting.bits(), poison_rate: 0 }
    }

    pub(super) fn certified(task: usize, setting: Setting, rate: f64) -> Key {
        Key { kind: Kind::Certified, task, setting: setting.bits(), poison_rate: rate.to_bits() }
    }

    pub(super) fn attacked(task: usize, setting: Setting, rate: f64) -> Key {
        Key { kind: Kind::Attacked, task, setting: setting.bits(), poison_rate: rate.to_bits() }
    }

    /// The key of a record, if its task is known.
    pub(super) fn of(record: &Record, task_index: impl Fn(&str) -> Option<usize>) -> Option<Key> {
        Some(match record {
            Record::Benign(r) => Key::benign(task_index(&r.task)?, r.setting),
            Record::Certified(r) => Key::certified(task_index(&r.task)?, r.setting, r.poison_rate),
            Record::Attacked(r) => Key::attacked(task_index(&r.task)?, r.setting, r.poison_rate),
        })
    }
}
