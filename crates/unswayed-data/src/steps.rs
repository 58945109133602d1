//! Step weights: what the learner's step on a row is multiplied by. How often a row comes is another matter, that of weights.

use serde::{Deserialize, Serialize};

use crate::error::{DataError, Place, Problem};
use crate::labels::{self, RawLabels};
use crate::table::Table;
use crate::{Labels, Origin};

/// What steps on the rows of the two classes are multiplied by.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassWeights {
    /// For the label that is −1.
    pub negative: f64,
    /// For the label that is +1.
    pub positive: f64,
}

impl ClassWeights {
    /// Refuses weights that no step can have, and weights of classes where there are not two.
    pub(crate) fn validate(&self, labels: &Labels) -> Result<(), String> {
        if !matches!(labels, Labels::Classes { .. }) {
            return Err("class weights need labels of two classes".to_owned());
        }
        match [self.negative, self.positive].into_iter().find(|weight| !is_step_weight(*weight)) {
            Some(weight) => Err(format!("the class weight {weight} is not a positive number")),
            None => Ok(()),
        }
    }

    /// The larger one.
    pub fn largest(&self) -> f64 {
        self.negative.max(self.positive)
    }
}

/// How class weights are told.
///
/// ```
/// use unswayed_data::ClassWeightPolicy;
/// assert_eq!("balanced".parse(), Ok(ClassWeightPolicy::Balanced));
/// let given = vec![("-1".to_owned(), 2.0), ("1".to_owned(), 0.5)];
/// assert_eq!("-1=2,1=0.5".parse(), Ok(ClassWeightPolicy::Given(given)));
/// assert!("2,0.5".parse::<ClassWeightPolicy>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum ClassWeightPolicy {
    /// Weights by label; a label that is not named has weight 1.
    Given(Vec<(String, f64)>),
    /// N/(2·the rows of the class), from the rows that are used: both classes weigh the same together.
    Balanced,
}

impl ClassWeightPolicy {
    /// The weights of the two classes.
    pub(crate) fn of(&self, y: Option<&RawLabels>, labels: &Labels) -> Result<ClassWeights, DataError> {
        let classes = match (labels, labels.classes().as_slice()) {
            (Labels::Classes { .. }, &[negative, positive]) => [negative, positive],
            _ => return Err(Problem::NoClassesToWeigh.into()),
        };
        let [negative, positive] = match self {
            ClassWeightPolicy::Given(given) => {
                if let Some((unknown, _)) = given.iter().find(|(label, _)| !classes.contains(&label.as_str()))
                {
                    return Err(Problem::UnknownClassWeight(unknown.clone()).into());
                }
                let weight =
                    |class: &str| given.iter().find(|(label, _)| label == class).map_or(1.0, |(_, w)| *w);
                classes.map(weight)
            }
            ClassWeightPolicy::Balanced => {
                let values = labels::values(y, labels)?;
                [-1.0, 1.0].map(|sign: f64| {
                    let count = values.iter().filter(|value| **value * sign > 0.0).count();
                    values.len() as f64 / (2.0 * count as f64)
                })
            }
        };
        let weights = ClassWeights { negative, positive };
        match [negative, positive].into_iter().find(|weight| !is_step_weight(*weight)) {
            Some(weight) => Err(Problem::BadStepWeight(weight).into()),
            None => Ok(weights),
        }
    }
}

impl std::str::FromStr for ClassWeightPolicy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "balanced" {
            return Ok(ClassWeightPolicy::Balanced);
        }
        let one = |part: &str| {
            let (label, weight) = part.rsplit_once('=')?;
            Some((label.trim().to_owned(), weight.trim().parse::<f64>().ok()?))
        };
        let all: Option<Vec<(String, f64)>> = text.split(',').map(one).collect();
        all.map(ClassWeightPolicy::Given)
            .ok_or_else(|| format!("{text:?} is neither \"balanced\" nor a list like -1=2,1=0.5"))
    }
}

/// Class weights as a setting of the origin times the column, in binary64; `None` where the column alone says it.
pub(crate) fn of_rows(
    table: &Table,
    labels: &Labels,
    class_weights: Option<ClassWeights>,
) -> Result<Option<Vec<f64>>, DataError> {
    let Some(ClassWeights { negative, positive }) = class_weights else { return Ok(None) };
    let values = labels::values(table.y.as_ref(), labels)?;
    let of_class = |value: &f64| if *value < 0.0 { negative } else { positive };
    let steps: Vec<f64> = match &table.step_weights {
        None => values.iter().map(of_class).collect(),
        Some(own) => values.iter().zip(own).map(|(value, own)| of_class(value) * own).collect(),
    };
    check(&steps)?;
    Ok(Some(steps))
}

/// Refuses step weights that are not finite numbers > 0.
pub(crate) fn check(steps: &[f64]) -> Result<(), DataError> {
    match steps.iter().position(|weight| !is_step_weight(*weight)) {
        Some(row) => Err(Problem::BadStepWeight(steps[row]).at(Place::row(row))),
        None => Ok(()),
    }
}

fn is_step_weight(weight: f64) -> bool {
    weight > 0.0 && weight.is_finite()
}

impl Origin {
    /// Whether steps on the rows are multiplied by weights.
    pub fn has_step_weights(&self) -> bool {
        self.step_weight_column.is_some() || self.class_weights.is_some()
    }
}
