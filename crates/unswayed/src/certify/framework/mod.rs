//! The one-step theorem for a learner and a λ of one's own, and a search that tries to refute what is claimed of them.
//!
//! A learner moves from θ to F(θ, z); with probability ε the point z is an adversary's, from a set 𝒜, else a benign
//! draw ξ. For any function λ of the model put
//!
//! ```text
//! G(θ, z) = ε λ(F(θ, z)) + (1−ε) E λ(F(θ, ξ)) + ℓ(θ) − λ(θ),        t(λ) = sup G over θ ∈ Θ, z ∈ 𝒜.
//! ```
//!
//! Theorem 1 of `docs/theory.md`: if λ is bounded below on Θ, no adversary gets the long-run loss above t(λ), and
//! over the first T steps the average is at most t(λ) + (λ(θ_0) − inf λ)/T. So whoever claims a bound B claims that
//! G ≤ B everywhere. A [`Residual`] evaluates G; [`Residual::falsify`] looks for its largest value. What it finds is a
//! lower bound of t(λ), never a certificate: it can refute a bound, and raise trust in one that it fails to refute.
//!
//! A learner takes five methods. The online mean of ±1 with λ = aθ², for which everything is known in closed form:
//!
//! ```
//! use unswayed::Dataset;
//! use unswayed::certify::MeanSetting;
//! use unswayed::certify::framework::{Benign, Model, Residual, Search};
//!
//! struct OnlineMean {
//!     data: Dataset,
//! }
//!
//! const RATE: f64 = 0.1;
//!
//! impl Model for OnlineMean {
//!     fn dimension(&self) -> usize {
//!         1
//!     }
//!     fn poison_rate(&self) -> f64 {
//!         0.2
//!     }
//!     fn step(&self, theta: &mut [f64], z: &[f64]) {
//!         theta[0] += RATE * (z[0] - theta[0]);
//!     }
//!     fn loss(&self, theta: &[f64]) -> f64 {
//!         theta[0] * theta[0]
//!     }
//!     fn benign(&self) -> Benign<'_> {
//!         Benign::Rows(&self.data)
//!     }
//! }
//!
//! let learner = OnlineMean { data: Dataset::from_rows(vec![-1.0, 1.0], 1, None)? };
//! // Variance 1, adversary |z| ≤ 1. The best λ = aθ² is known, and so is t(λ): docs/theory.md, Section 14.
//! let setting = MeanSetting::new(RATE, 0.2, 1.0, 1.0, 0.0)?;
//! let a = setting.curvature();
//! let residual = Residual::new(&learner, |theta| a * theta[0] * theta[0])?;
//! let found = residual.falsify(&Search::default());
//! assert!((found.residual.mean / setting.bound() - 1.0).abs() < 1e-3);
//! assert!(found.refutes(0.99 * setting.bound()) && !found.refutes(setting.bound()));
//!
//! // From θ_0 = 3, over the first 1000 steps:
//! let first = residual.horizon(setting.bound(), &[3.0], 0.0, 1000)?;
//! assert!(first > setting.bound() && first < setting.bound() + 0.1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adapters;
mod climb;
mod falsify;
mod kinks;
mod reply;
mod residual;

use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

pub use adapters::{HingeModel, Quadratic};
pub use falsify::{Finding, Search};
pub use residual::Residual;

use crate::certify::dot;
use crate::data::Dataset;

/// A learner and its adversary.
///
/// The step must be deterministic. Θ must be kept by every step; what is found outside of it would refute nothing.
pub trait Model: Sync {
    /// The length of θ.
    fn dimension(&self) -> usize;

    /// The length of a point z.
    fn point_dimension(&self) -> usize {
        self.dimension()
    }

    /// ε.
    fn poison_rate(&self) -> f64;

    /// θ ← F(θ, z).
    fn step(&self, theta: &mut [f64], z: &[f64]);

    /// ℓ(θ).
    fn loss(&self, theta: &[f64]) -> f64;

    /// The distribution of benign points.
    fn benign(&self) -> Benign<'_>;

    /// Moves z to the nearest point of 𝒜, a bounded set. Unless defined, 𝒜 is the unit ball.
    fn project_point(&self, z: &mut [f64]) {
        shorten(z, 1.0);
    }

    /// Moves θ to the nearest point of Θ. Unless defined, Θ is the whole space.
    fn project_model(&self, _theta: &mut [f64]) {}

    /// The number of functions [`Model::kink`].
    fn kinks(&self) -> usize {
        0
    }

    /// A function that changes its sign where the step or the loss jumps, such as 1 − θᵀz for the hinge. The largest
    /// value of G often sits right at a jump, where a search that does not know of it hardly ever gets.
    fn kink(&self, _which: usize, _theta: &[f64], _z: &[f64]) -> f64 {
        1.0
    }

    /// Models that the search should look at first.
    fn starts(&self) -> Vec<Vec<f64>> {
        Vec::new()
    }
}

/// Draws a point into the slice.
pub type Draw<'a> = Box<dyn Fn(&mut Random, &mut [f64]) + Sync + 'a>;

/// Where benign points come from.
pub enum Benign<'a> {
    /// A row of the data, by weight: expectations are exact.
    Rows(&'a Dataset),
    /// Anything one can draw from: expectations are estimated.
    Draws(Draw<'a>),
}

/// Random numbers for drawing points, the same for the same seed.
#[derive(Clone, Debug)]
pub struct Random(Pcg64Mcg);

impl Random {
    /// The numbers of one seed.
    pub fn new(seed: u64) -> Self {
        Random(Pcg64Mcg::seed_from_u64(seed))
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Normal, of mean 0 and variance 1.
    pub fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.0)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64) as usize
    }

    /// Uniform on a logarithmic scale.
    fn logarithmic(&mut self, low: f64, high: f64) -> f64 {
        (low.ln() + (high / low).ln() * self.uniform()).exp()
    }

    fn direction(&mut self, dimension: usize) -> Vec<f64> {
        let u: Vec<f64> = (0..dimension).map(|_| self.normal()).collect();
        let length = norm(&u).max(f64::MIN_POSITIVE);
        u.iter().map(|u| u / length).collect()
    }
}

fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// Scales x down to the radius if it is longer.
fn shorten(x: &mut [f64], radius: f64) {
    let length = norm(x);
    if length > radius {
        for x in x {
            *x *= radius / length;
        }
    }
}

/// x + c·y.
fn moved(x: &[f64], c: f64, y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x + c * y).collect()
}

/// The gradient of f at x by central differences of width h.
fn gradient(x: &[f64], h: f64, mut f: impl FnMut(&[f64]) -> f64) -> Vec<f64> {
    let mut x = x.to_vec();
    (0..x.len())
        .map(|j| {
            let kept = x[j];
            x[j] = kept + h;
            let up = f(&x);
            x[j] = kept - h;
            let down = f(&x);
            x[j] = kept;
            (up - down) / (2.0 * h)
        })
        .collect()
}
