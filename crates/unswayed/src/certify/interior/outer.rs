//! The variables shared by all rows, and the part of the saddle function that is not a sum over rows.
//!
//! Per row the solver sees Ψ(J_i, κ, s_i) of [`super::envelope`]. The rest of the saddle function is
//!
//! ```text
//! −σβᵀθ − (ασ(2−ησ) + μ)‖θ‖² + εR‖χθ + β‖²/(2τ) + ε(αηR² + ν + Rτ/2) + μϱ²,      χ = 2αk − ν,
//! ```
//!
//! plus, for rows that are always active (see [`super::instance::Always`]), Σ p_i(J_i − κ(1−s_i)). It is
//! minimised over x = (α, τ, ν, μ, β), maximised over θ. Its maximum over θ is finite where
//!
//! ```text
//! P = [[ασ(2−ησ) + μ, −εχ/2], [−εχ/2, ετ/(2R)]]  ≻ 0,
//! ```
//!
//! a cone constraint that carries a multiplier matrix Y. Without an adversary τ, ν and the second row of P are absent. A bound
//! for the first steps also has the price of its start, a convex function of (α, β) (see `certify::start`).

use super::cone::Sym2;
use super::instance::{Instance, dot};
use crate::certify::start::StartDerivatives;

/// x = (α, τ, ν, μ, β) and θ.
#[derive(Clone, Debug)]
pub struct Point {
    /// α, τ, ν, μ, then β.
    pub x: Vec<f64>,
    /// θ, the parameters at which the worst case is attained.
    pub theta: Vec<f64>,
}

/// Positions in `Point::x`.
pub const ALPHA: usize = 0;
/// See [`ALPHA`].
pub const TAU: usize = 1;
/// See [`ALPHA`].
pub const NU: usize = 2;
/// See [`ALPHA`].
pub const MU: usize = 3;
/// β starts here.
pub const BETA: usize = 4;

impl Point {
    /// α as given, everything else zero.
    pub fn at_alpha(alpha: f64, dimension: usize) -> Point {
        let mut x = vec![0.0; BETA + dimension];
        x[ALPHA] = alpha;
        Point { x, theta: vec![0.0; dimension] }
    }

    /// The same with β and θ in other coordinates.
    pub fn mapped(&self, map: impl Fn(&[f64]) -> Vec<f64>) -> Point {
        let x = self.x[..BETA].iter().copied().chain(map(self.beta())).collect();
        Point { x, theta: map(&self.theta) }
    }

    /// A direction in θ alone.
    pub fn towards(theta: Vec<f64>) -> Point {
        Point { x: vec![0.0; BETA + theta.len()], theta }
    }

    /// α.
    pub fn alpha(&self) -> f64 {
        self.x[ALPHA]
    }

    /// β.
    pub fn beta(&self) -> &[f64] {
        &self.x[BETA..]
    }

    /// self + step·direction.
    pub fn moved(&self, direction: &Point, step: f64) -> Point {
        let along = |from: &[f64], to: &[f64]| from.iter().zip(to).map(|(a, b)| a + step * b).collect();
        Point { x: along(&self.x, &direction.x), theta: along(&self.theta, &direction.theta) }
    }
}

/// The shared part of the program: which variables are in play, and its derivatives.
pub struct Outer<'a> {
    /// The setting.
    pub instance: &'a Instance<'a>,
    /// ϱ if the bounded-range form is solved (μ ≥ 0 and α ≥ 0 are in play), else `None`.
    pub ball: Option<f64>,
}

/// Gradient and Hessian blocks of the shared part: `xx` is (4+d)², `tx` is d×(4+d), `tt`·I is the θθ block.
pub struct Derivatives {
    /// ∂/∂x.
    pub x: Vec<f64>,
    /// ∂/∂θ.
    pub theta: Vec<f64>,
    /// The Hessian in x is q·EᵀE with rows E_j = ∂(χθ+β)_j/∂x − (χθ+β)_j/τ·dτ; this is q = εR/τ.
    pub q: f64,
    /// θθ: −2(ασ(2−ησ) + μ) + qχ², a multiple of the identity; −2a in the letters of the theorem.
    pub tt: f64,
}

impl Outer<'_> {
    /// Which entries of x\[0..4\] are variables.
    pub fn active(&self) -> [bool; 4] {
        let adversary = self.instance.has_adversary();
        [true, adversary, adversary, self.ball.is_some()]
    }

    /// Which of them carry their own inequality ≥ 0 (α > 0 follows from P ≻ 0 where μ is absent).
    pub fn signed(&self) -> [bool; 4] {
        [self.ball.is_some(), false, self.instance.has_adversary(), self.ball.is_some()]
    }

    /// χ = 2αk − ν.
    pub fn chi(&self, x: &[f64]) -> f64 {
        2.0 * self.instance.k * x[ALPHA] - x[NU]
    }

    /// q = εR/τ, the weight of ‖χθ + β‖²/2; zero without an adversary.
    pub fn q(&self, x: &[f64]) -> f64 {
        if self.instance.has_adversary() {
            self.instance.epsilon * self.instance.radius / x[TAU]
        } else {
            0.0
        }
    }

    /// P at x. Without an adversary only its first entry counts; the second is 1.
    pub fn p(&self, x: &[f64]) -> Sym2 {
        let p11 = x[ALPHA] * self.instance.pull() + x[MU];
        if self.instance.has_adversary() {
            let e = self.instance.epsilon;
            Sym2::new(p11, -e * self.chi(x) / 2.0, e * x[TAU] / (2.0 * self.instance.radius))
        } else {
            Sym2::new(p11, 0.0, 1.0)
        }
    }

    /// ∂P/∂x\[0..4\].
    pub fn p_slopes(&self) -> [Sym2; 4] {
        let alpha = self.instance.pull();
        let mu = Sym2::new(1.0, 0.0, 0.0);
        if !self.instance.has_adversary() {
            let none = Sym2::default();
            return [Sym2::new(alpha, 0.0, 0.0), none, none, mu];
        }
        let e = self.instance.epsilon;
        [
            Sym2::new(alpha, -e * self.instance.k, 0.0),
            Sym2::new(0.0, 0.0, e / (2.0 * self.instance.radius)),
            Sym2::new(0.0, e / 2.0, 0.0),
            mu,
        ]
    }

    /// The coefficients of the linear term ε(αηR² + ν + Rτ/2) + μϱ².
    pub fn linear(&self) -> [f64; 4] {
        let Instance { epsilon, eta, radius, .. } = *self.instance;
        let ball = self.ball.unwrap_or(0.0);
        [epsilon * eta * radius * radius, epsilon * radius / 2.0, epsilon, ball * ball]
    }

    /// χθ + β, which the adversary's best point is parallel to.
    pub fn lever(&self, at: &Point) -> Vec<f64> {
        let chi = self.chi(&at.x);
        at.theta.iter().zip(at.beta()).map(|(t, b)| chi * t + b).collect()
    }

    /// The derivatives of what the start costs, if the bound is for the first steps.
    pub fn start(&self, x: &[f64]) -> Option<StartDerivatives> {
        self.instance.start.map(|start| start.derivatives(self.ball, x[ALPHA], &x[BETA..]))
    }

    /// First and second derivatives at a point.
    pub fn derivatives(&self, at: &Point) -> Derivatives {
        let Instance { sigma, k, .. } = *self.instance;
        let (chi, p11) = (self.chi(&at.x), self.p(&at.x).a);
        let mut x = vec![0.0; at.x.len()];
        x[..4].copy_from_slice(&self.linear());
        let squared = dot(&at.theta, &at.theta);
        x[ALPHA] -= self.instance.pull() * squared;
        x[MU] -= squared;
        for (g, t) in x[BETA..].iter_mut().zip(&at.theta) {
            *g -= sigma * t;
        }
        let mut theta: Vec<f64> =
            at.theta.iter().zip(at.beta()).map(|(t, b)| -sigma * b - 2.0 * p11 * t).collect();
        let q = self.q(&at.x);
        if q > 0.0 {
            let lever = self.lever(at);
            let along = q * dot(&lever, &at.theta);
            x[ALPHA] += 2.0 * k * along;
            x[NU] -= along;
            x[TAU] -= q * dot(&lever, &lever) / (2.0 * at.x[TAU]);
            for (j, l) in lever.iter().enumerate() {
                x[BETA + j] += q * l;
                theta[j] += q * chi * l;
            }
        }
        if let Some(always) = &self.instance.always {
            let (k0, kappa) = (self.instance.kappa_of_alpha(), self.instance.kappa(at.alpha()));
            x[ALPHA] += always.j - k0 * (always.mass - dot(&always.z, &at.theta));
            for (j, z) in always.z.iter().enumerate() {
                x[BETA + j] += (1.0 - self.instance.epsilon) * z;
                theta[j] += kappa * z;
            }
        }
        if let Some(tilt) = self.instance.tilt {
            x[ALPHA] += tilt.alpha;
            x[BETA..].iter_mut().zip(&tilt.beta).for_each(|(g, b)| *g += b);
            theta.iter_mut().zip(&tilt.theta).for_each(|(g, t)| *g += t);
        }
        if let Some(start) = self.start(&at.x) {
            x[ALPHA] += start.alpha;
            x[BETA..].iter_mut().zip(&start.beta).for_each(|(g, b)| *g += b);
        }
        // −2a with a = det P / P₂₂, which is more accurate than the difference when a is small.
        let tt = -2.0 * self.p(&at.x).schur();
        Derivatives { x, theta, q, tt }
    }
}
