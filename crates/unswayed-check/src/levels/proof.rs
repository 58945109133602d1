//! The numbers of Theorem E4.

use serde::{Deserialize, Serialize};

use crate::array;

/// The numbers of Theorem E4: quadratics above the rows on the levels of a Lyapunov function, and a barrier along the levels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LevelsProof {
    /// R: the adversary's points have at most this norm.
    pub radius: f64,
    /// n̂, above the norm of every point; the ball ‖θ‖ ≤ n̂/σ is never left.
    pub norm: f64,
    /// μ of the Moreau envelope; 0 for the logistic loss.
    pub smoothing: f64,
    /// o, near the minimiser of the learner's objective F.
    #[serde(with = "array")]
    pub centre: Vec<f64>,
    /// q⁰, the activity of each row there.
    #[serde(with = "array")]
    pub shares: Vec<f64>,
    /// How fast the activity falls in the points below.
    pub gain: f64,
    /// π for the lower ends of all rows' intervals, then for the upper ends.
    #[serde(with = "array")]
    pub forces: Vec<f64>,
    /// The points whose activities are the q of these ends, in the same order.
    #[serde(with = "array")]
    pub points: Vec<f64>,
    /// α, the curvature of λ.
    pub alpha: f64,
    /// ν, the multiplier of the adversary's margin.
    pub nu: f64,
    /// b̃ = β + χo.
    #[serde(with = "array")]
    pub tilt: Vec<f64>,
    /// ω, the multiplier of ‖θ−o‖ ≤ x.
    pub omega: f64,
    /// 1/τ'.
    pub rho: f64,
    /// y of each row's quadratic.
    #[serde(with = "array")]
    pub slopes: Vec<f64>,
    /// m of each row's quadratic.
    #[serde(with = "array")]
    pub curves: Vec<f64>,
    /// a > 0 with A ⪰ aI.
    pub least: f64,
    /// A vector near A⁻¹v.
    #[serde(with = "array")]
    pub peak: Vec<f64>,
    /// a² of the barrier.
    pub offset: f64,
    /// γ of the barrier.
    pub steepness: f64,
    /// c of the barrier.
    pub size: f64,
    /// Ȳ of the barrier.
    pub anchor: f64,
    /// The heights of the levels above F(o), increasing.
    #[serde(with = "array")]
    pub heights: Vec<f64>,
    /// So many shells have the rows' quadratics; in those beyond them G_∞ is used.
    pub fine: usize,
    /// So many shells have the activities of the last of them; those beyond have w ≤ 1.
    pub near: usize,
    /// Above the largest eigenvalue of Σ p w̄² zzᵀ in the near shells.
    pub spread_near: f64,
    /// The same for w̄ = 1.
    pub spread_far: f64,
}
