//! The numbers of Theorem C2.

use serde::{Deserialize, Serialize};

use crate::array;

/// The numbers of Theorem C2, with a case for each dataset.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContractionProof {
    /// α, the curvature of λ.
    pub alpha: f64,
    /// β, the slope of λ.
    #[serde(with = "array")]
    pub beta: Vec<f64>,
    /// ϱ, a norm that θ never exceeds.
    pub ball: f64,
    /// B: models at which more can be lost are excluded.
    pub target: f64,
    /// One for each dataset, in their order.
    pub cases: Vec<ContractionCase>,
}

/// What is proved of a dataset: rounds that make the intervals of its margins shorter, and a last bound on what is left.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContractionCase {
    /// The rounds, in their order.
    pub rounds: Vec<ContractionRound>,
    /// τ of the last bound.
    pub tau: f64,
    /// ν of the last bound.
    pub nu: f64,
    /// Which slopes the rows have in the last bound: half a byte for each row whose interval has 1 in it, the lower half first.
    #[serde(with = "array::bytes")]
    pub codes: Vec<u8>,
}

/// Ends of intervals that are moved inwards at once. All refer to the intervals before the round.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContractionRound {
    /// The ends: 2i is the upper end of row i, 2i + 1 its lower end, rows counted from 0.
    #[serde(with = "array")]
    pub ends: Vec<f64>,
    /// t of each.
    #[serde(with = "array")]
    pub pulls: Vec<f64>,
    /// τ of each.
    #[serde(with = "array")]
    pub tau: Vec<f64>,
    /// ν of each.
    #[serde(with = "array")]
    pub nu: Vec<f64>,
    /// The slopes of each, as in the last bound; each begins with a new byte.
    #[serde(with = "array::bytes")]
    pub codes: Vec<u8>,
}
