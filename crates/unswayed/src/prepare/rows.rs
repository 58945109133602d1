//! The last step: rows of norm at most 1, with a constant appended.

use serde::{Deserialize, Serialize};

use super::above;
use super::number::quantile;
use crate::certify::dot;

/// The constant that is appended to rows of norm at most 1. A larger one lets the model learn its intercept faster, and
/// leaves less of the norm to the features.
pub(super) const BIAS: f64 = 0.3;
/// Clipping shortens this share of the training rows.
const SHORTENED: f64 = 0.05;

/// How rows get a norm of at most 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum RowNorm {
    /// Each is divided by its norm.
    Unit,
    /// All are divided by `radius`, and longer ones by their norm.
    Clip {
        /// The norm that becomes 1.
        radius: f64,
    },
}

impl RowNorm {
    /// Clipping at a norm that few of these rows exceed.
    pub(super) fn clip(x: &[f64], dimension: usize) -> RowNorm {
        let mut norms: Vec<f64> = x.chunks_exact(dimension).map(norm).collect();
        norms.sort_unstable_by(f64::total_cmp);
        let radius = quantile(&norms, 1.0 - SHORTENED);
        if radius > 0.0 && radius.is_finite() { RowNorm::Clip { radius } } else { RowNorm::Unit }
    }

    /// The rows with norm at most 1 and the constant `bias` appended, and how many were longer than the radius.
    pub(super) fn apply(self, x: &[f64], dimension: usize, bias: f64) -> (Vec<f64>, usize) {
        let whole = above((1.0 + bias * bias).sqrt());
        let (mut rows, mut shortened) = (Vec::with_capacity(x.len() / dimension * (dimension + 1)), 0);
        for row in x.chunks_exact(dimension) {
            let norm = norm(row);
            let divisor = match self {
                RowNorm::Unit if norm > 0.0 => norm,
                RowNorm::Unit => 1.0,
                RowNorm::Clip { radius } => {
                    shortened += usize::from(norm > radius);
                    norm.max(radius)
                }
            };
            rows.extend(row.iter().map(|x| x / divisor / whole).chain([bias / whole]));
        }
        (rows, shortened)
    }

    /// In words.
    pub(super) fn describe(self) -> String {
        match self {
            RowNorm::Unit => "each divided by its norm".to_owned(),
            RowNorm::Clip { radius } => {
                format!("divided by {radius:.4}, longer ones by their norm")
            }
        }
    }
}

fn norm(row: &[f64]) -> f64 {
    dot(row, row).sqrt()
}
