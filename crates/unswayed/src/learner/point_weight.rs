//! The step weights of the adversary's points.

use unswayed_check::{ClassWeights, PoisonWeight, Statement};

/// What the step on a poisoned point is multiplied by: the largest weight that it may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointWeight {
    weights: ClassWeights,
    /// The entry whose sign is the class of the point, if the weights are not the same.
    column: Option<usize>,
}

impl Default for PointWeight {
    /// 1 for all points.
    fn default() -> Self {
        PointWeight { weights: ClassWeights { negative: 1.0, positive: 1.0 }, column: None }
    }
}

impl PointWeight {
    pub(crate) fn new(statement: &Statement) -> Self {
        match statement.threat.poison_weight {
            None => PointWeight::default(),
            Some(PoisonWeight::All(weight)) => {
                PointWeight { weights: ClassWeights { negative: weight, positive: weight }, column: None }
            }
            Some(PoisonWeight::ByClass(weights)) => {
                PointWeight { weights, column: statement.learner.unregularized.first().copied() }
            }
        }
    }

    /// Whether it depends on the class of the point.
    pub(crate) fn is_by_class(&self) -> bool {
        self.column.is_some()
    }

    /// The weight of this point.
    pub(crate) fn of(&self, z: &[f64]) -> f64 {
        match self.column {
            Some(column) if z[column] < 0.0 => self.weights.negative,
            _ => self.weights.positive,
        }
    }
}
