//! What a steady-state attack raises: the loss, or the error, each smoothed less and less.

use unswayed_check::{Loss, Statement};

use super::SteadyState;
use super::curve::Curve;
use crate::learner::has_kink;

/// What is to be made large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// The loss on the target.
    Loss,
    /// The weight of the target's rows that are misclassified.
    Error,
}

/// A smooth stand-in for the goal.
#[derive(Clone, Copy, Debug)]
pub(super) enum Height {
    /// The loss on this curve.
    Loss(Curve),
    /// 1/(1 + e^(s/T)) for each row, s its lowest margin, T this width.
    Error(f64),
}

/// One stage of the ascent: the loss that the learner descends on, and what is climbed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stage {
    pub curve: Curve,
    pub height: Height,
}

/// Widths of the smoothed error, one after the other, and those of the learner's kink beside them.
const ERROR_WIDTHS: [(f64, f64); 7] =
    [(1.0, 0.3), (0.5, 0.1), (0.25, 0.05), (0.12, 0.05), (0.06, 0.03), (0.03, 0.02), (0.015, 0.01)];

impl Goal {
    /// The stages of the ascent, the smoothest first.
    pub fn stages(self, loss: Loss) -> Vec<Stage> {
        match self {
            Goal::Loss => {
                let curves = Curve::for_search(loss);
                curves.into_iter().map(|curve| Stage { curve, height: Height::Loss(curve) }).collect()
            }
            Goal::Error => {
                let stage = |(error, kink): (f64, f64)| Stage {
                    curve: Curve::of(loss, if has_kink(loss) { kink } else { 0.0 }),
                    height: Height::Error(error),
                };
                ERROR_WIDTHS.into_iter().map(stage).collect()
            }
        }
    }

    /// By how much an attack reaches the goal.
    pub fn of(self, found: &SteadyState) -> f64 {
        match self {
            Goal::Loss => found.loss,
            Goal::Error => found.error.unwrap_or(0.0),
        }
    }

    /// The better of attacks: by the goal, and by the loss where that is the same.
    pub fn best(self, found: impl IntoIterator<Item = SteadyState>) -> Option<SteadyState> {
        let order = |a: &SteadyState, b: &SteadyState| {
            self.of(a).total_cmp(&self.of(b)).then(a.loss.total_cmp(&b.loss))
        };
        found.into_iter().max_by(order)
    }

    /// Whether there is an error to raise.
    pub fn applies(self, statement: &Statement) -> bool {
        self == Goal::Loss || !statement.learner.loss.is_regression()
    }
}
