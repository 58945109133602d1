//! The step weights of poisoned points: what is asked for, and what it means for the data.

use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use unswayed_check::{ClassWeights, Learner, PoisonWeight, Set};

use crate::data::{Dataset, Labels};
use crate::problem::ProblemError;

/// The largest step weight of a poisoned point, or one for each class.
///
/// ```
/// use unswayed::PoisonWeightPolicy;
/// assert_eq!("2".parse(), Ok(PoisonWeightPolicy::All(2.0)));
/// let given = vec![("-1".to_owned(), 0.5), ("1".to_owned(), 2.0)];
/// assert_eq!("-1=0.5,1=2".parse(), Ok(PoisonWeightPolicy::ByLabel(given)));
/// assert!("0.5,2".parse::<PoisonWeightPolicy>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PoisonWeightPolicy {
    /// The same for all points.
    All(f64),
    /// Weights by label, both of them.
    ByLabel(Vec<(String, f64)>),
}

impl From<f64> for PoisonWeightPolicy {
    fn from(weight: f64) -> Self {
        PoisonWeightPolicy::All(weight)
    }
}

impl FromStr for PoisonWeightPolicy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(weight) = text.trim().parse() {
            return Ok(PoisonWeightPolicy::All(weight));
        }
        let one = |part: &str| {
            let (label, weight) = part.rsplit_once('=')?;
            Some((label.trim().to_owned(), weight.trim().parse::<f64>().ok()?))
        };
        let all: Option<Vec<(String, f64)>> = text.split(',').map(one).collect();
        all.map(PoisonWeightPolicy::ByLabel)
            .ok_or_else(|| format!("{text:?} is neither a number nor a list like -1=0.5,1=2"))
    }
}

impl PoisonWeightPolicy {
    /// The weights of the two classes.
    fn of_classes(&self, labels: &Labels) -> Result<ClassWeights, ProblemError> {
        let given = match self {
            PoisonWeightPolicy::All(weight) => {
                return Ok(ClassWeights { negative: *weight, positive: *weight });
            }
            PoisonWeightPolicy::ByLabel(given) => given,
        };
        let Labels::Classes { negative, positive } = labels else {
            return Err(ProblemError::NoClassesOfPoints);
        };
        let weight =
            |class: &String| given.iter().find(|(label, _)| label == class).map(|(_, weight)| *weight);
        match (weight(negative), weight(positive), given.len()) {
            (Some(negative), Some(positive), 2) => Ok(ClassWeights { negative, positive }),
            _ => {
                Err(ProblemError::ClassesOfPoints { negative: negative.clone(), positive: positive.clone() })
            }
        }
    }
}

/// What is asked for, or the largest weight of a row or class; by class if points of the set show theirs. `None` where steps have
/// no weights and none are asked for.
pub(crate) fn poison_weight(
    asked: Option<&PoisonWeightPolicy>,
    data: &[Arc<Dataset>],
    set: &Set,
    learner: &Learner,
) -> Result<Option<PoisonWeight>, ProblemError> {
    let column = match (set, &learner.unregularized[..]) {
        (Set::Features { .. }, &[column]) if !learner.loss.is_regression() && shows_class(data, column) => {
            Some(column)
        }
        _ => None,
    };
    let weights = match asked {
        Some(asked) => asked.of_classes(&data[0].origin().labels)?,
        None if !data.iter().any(|data| data.origin().has_step_weights()) => return Ok(None),
        None => largest(data, column),
    };
    let is_shown = column.is_some() && weights.negative.to_bits() != weights.positive.to_bits();
    Ok(Some(if is_shown { PoisonWeight::ByClass(weights) } else { PoisonWeight::All(larger(weights)) }))
}

/// Whether the entry of a point in this column has the sign of its label: it does where the column of the features is positive.
fn shows_class(data: &[Arc<Dataset>], column: usize) -> bool {
    let is_positive = |data: &Arc<Dataset>| {
        let table = data.table();
        table.x.iter().skip(column).step_by(table.columns).all(|&entry| entry > 0.0)
    };
    data.iter().all(is_positive)
}

/// The larger one, or one that no step can have, for the refusal.
fn larger(ClassWeights { negative, positive }: ClassWeights) -> f64 {
    let is_bad = |weight: &f64| !(*weight > 0.0 && weight.is_finite());
    [negative, positive].into_iter().find(is_bad).unwrap_or(negative.max(positive))
}

/// The largest step weights of the rows of each class, and of the class itself even if it has no row. Where no classes are weighed,
/// or no column shows them, that is the largest of all.
fn largest(data: &[Arc<Dataset>], column: Option<usize>) -> ClassWeights {
    let mut largest = ClassWeights { negative: 0.0, positive: 0.0 };
    let mut raise = |negative: f64, positive: f64| {
        largest.negative = largest.negative.max(negative);
        largest.positive = largest.positive.max(positive);
    };
    for data in data {
        match data.origin().class_weights {
            Some(weights) => raise(weights.negative, weights.positive),
            None if data.step_weights().is_none() => raise(1.0, 1.0),
            None => {}
        }
        for (row, &weight) in data.step_weights().into_iter().flatten().enumerate() {
            match column.map(|column| data.row(row)[column] < 0.0) {
                Some(true) => raise(weight, 0.0),
                Some(false) => raise(0.0, weight),
                None => raise(weight, weight),
            }
        }
    }
    let has_classes = data.iter().any(|data| data.origin().class_weights.is_some());
    if has_classes && column.is_some() {
        return largest;
    }
    ClassWeights { negative: largest.largest(), positive: largest.largest() }
}
