//! The concave envelopes: what one data row contributes to the bound.
//!
//! A row enters the one-step residual through three numbers only,
//!
//! ```text
//! J = (1−ε)(2αk + αη‖z‖² + βᵀz)      κ = 2αk(1−ε) − 1      s = θᵀz
//! ```
//!
//! and what it adds, q(J + κ(s−1)) with q = 1\[s ≤ 1\], is replaced by a concave function of s above it.
//! The concave function is a minimum of lines T − y(1−s), and finding the best line is a linear program
//! in two to four *local* variables ℓ with K inequalities:
//!
//! ```text
//! Ψ(J, κ, s) = min over ℓ of  cᵀℓ + s·eᵀℓ   subject to   slack_k(ℓ, J, κ) ≥ 0
//! ```
//!
//! Ψ is convex in (J, κ) and concave in s. The interior point method of [`mod@super::solve`] needs nothing else of
//! a row than this linear program and its Newton step, which each form below gives in closed form. Every sum in them
//! is one of terms of equal sign, so that nothing cancels when the weights w_k = λ_k/slack_k spread over many
//! orders of magnitude, as they do near the solution.

use super::super::dense::hypot;

/// What a row depends on: (J, κ, s), or a change of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inputs {
    /// J = (1−ε)(2αk + αη‖z‖² + βᵀz).
    pub j: f64,
    /// κ = 2αk(1−ε) − 1.
    pub kappa: f64,
    /// s = θᵀz.
    pub s: f64,
}

/// The second derivatives of the smoothed Ψ: `jj`, `kk` ≥ 0 ≥ `ss`.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Curvature {
    pub jj: f64,
    pub jk: f64,
    pub kk: f64,
    pub js: f64,
    pub ks: f64,
    pub ss: f64,
}

/// One way to bound a row, as a linear program with `M` local variables and `K` inequalities.
pub trait Envelope<const M: usize, const K: usize>: Sync {
    /// Whether J and s are coupled by the elimination of ℓ (`Curvature::js` is not identically zero).
    const COUPLED: bool;

    /// c: the cost of the local variables.
    const COST: [f64; M];

    /// e: the local variables that make up y.
    const WEIGHT: [f64; M];

    /// κ must be above this for the program to have an interior.
    const LEAST_KAPPA: f64;

    /// A strictly feasible ℓ near the minimiser of the program with a barrier of weight μ.
    fn interior(&self, row: usize, at: Inputs, mu: f64) -> [f64; M];

    /// The K slacks, all positive inside.
    fn slacks(&self, row: usize, local: &[f64; M], at: Inputs) -> [f64; K];

    /// The change of the slacks, which are affine, for a change of ℓ, J and κ.
    fn slack_changes(&self, row: usize, local: &[f64; M], change: Inputs) -> [f64; K];

    /// Gᵀρ: how multipliers pull at the local variables (G = ∂slack/∂ℓ).
    fn pull(&self, row: usize, rho: &[f64; K]) -> [f64; M];

    /// ∂Ψ/∂(J, κ) from the multipliers λ; ∂Ψ/∂s = eᵀℓ is the same for all forms.
    fn slopes(&self, row: usize, lambda: &[f64; K]) -> (f64, f64);

    /// The Hessian of Ψ after ℓ has been eliminated, for the weights w.
    fn curvature(&self, row: usize, w: &[f64; K]) -> Curvature;

    /// Solves GᵀWG·Δℓ = f − GᵀW·(slack change by ΔJ, Δκ) − e·Δs.
    fn respond(&self, row: usize, w: &[f64; K], f: &[f64; M], change: Inputs) -> [f64; M];
}

/// w·w'/(w + w'): two weighted squares that share a free variable, seen as one.
#[inline(always)]
fn harmonic(w: f64, other: f64) -> f64 {
    w / (w + other) * other
}

/// argmin t − μ log(t−J) − μ log t: above max(J, 0) by about μ.
fn centre_above(j: f64, mu: f64) -> f64 {
    (j + 2.0 * mu + hypot(j, 2.0 * mu)) / 2.0
}

/// argmin −gain·y − μ log y − μ log(width−y): inside [0, width], near the end that the gain points to.
fn centre_between(gain: f64, width: f64, mu: f64) -> f64 {
    width / 2.0 + gain * width * width / (2.0 * (hypot(gain * width, 2.0 * mu) + 2.0 * mu))
}

/// Theorem 2: Ψ = max(J, 0) − κ max(0, 1−s), which is the envelope over all of R.
///
/// ℓ = (T, y) with T ≥ J, T ≥ 0, y ≥ 0, y ≤ κ; Ψ = min T − y(1−s).
pub struct WholeLine;

impl Envelope<2, 4> for WholeLine {
    const COUPLED: bool = false;
    const COST: [f64; 2] = [1.0, -1.0];
    const WEIGHT: [f64; 2] = [0.0, 1.0];

    const LEAST_KAPPA: f64 = 0.0;

    fn interior(&self, _: usize, at: Inputs, mu: f64) -> [f64; 2] {
        [centre_above(at.j, mu), centre_between(1.0 - at.s, at.kappa, mu)]
    }

    #[inline(always)]
    fn slacks(&self, row: usize, local: &[f64; 2], at: Inputs) -> [f64; 4] {
        self.slack_changes(row, local, at)
    }

    #[inline(always)]
    fn slack_changes(&self, _: usize, &[t, y]: &[f64; 2], at: Inputs) -> [f64; 4] {
        [t - at.j, t, y, at.kappa - y]
    }

    #[inline(always)]
    fn pull(&self, _: usize, rho: &[f64; 4]) -> [f64; 2] {
        [rho[0] + rho[1], rho[2] - rho[3]]
    }

    #[inline(always)]
    fn slopes(&self, _: usize, lambda: &[f64; 4]) -> (f64, f64) {
        (lambda[0], -lambda[3])
    }

    #[inline(always)]
    fn curvature(&self, _: usize, w: &[f64; 4]) -> Curvature {
        Curvature {
            jj: harmonic(w[0], w[1]),
            kk: harmonic(w[2], w[3]),
            ks: w[3] / (w[2] + w[3]),
            ss: -1.0 / (w[2] + w[3]),
            ..Curvature::default()
        }
    }

    #[inline(always)]
    fn respond(&self, _: usize, w: &[f64; 4], f: &[f64; 2], change: Inputs) -> [f64; 2] {
        [(f[0] + w[0] * change.j) / (w[0] + w[1]), (f[1] + w[3] * change.kappa - change.s) / (w[2] + w[3])]
    }
}

/// The bounded-range form: the envelope over s ∈ \[l, h\] only, l ≤ 1 ≤ h, for either sign of κ.
///
/// ℓ = (T, y) with T ≥ J + (y−κ)(1−l), T ≥ J, T ≥ 0, T ≥ −y(h−1); Ψ = min T − y(1−s).
pub struct BoundedRange {
    /// (l_i, h_i) for each row. A longer interval than needed is always allowed.
    pub ends: Vec<[f64; 2]>,
}

impl BoundedRange {
    /// The coefficients of y in the first and the last slack.
    #[inline(always)]
    fn coefficients(&self, row: usize) -> (f64, f64) {
        let [low, high] = self.ends[row];
        (low - 1.0, high - 1.0)
    }
}

impl Envelope<2, 4> for BoundedRange {
    const COUPLED: bool = true;
    const COST: [f64; 2] = [1.0, -1.0];
    const WEIGHT: [f64; 2] = [0.0, 1.0];

    const LEAST_KAPPA: f64 = f64::NEG_INFINITY;

    fn interior(&self, row: usize, at: Inputs, mu: f64) -> [f64; 2] {
        let y = if at.kappa > 0.0 { centre_between(1.0 - at.s, at.kappa, mu) } else { 0.0 };
        let t = if at.kappa > 0.0 { centre_above(at.j, mu) } else { at.j.max(0.0) + 1.0 };
        let lowest = self.slacks(row, &[t, y], at).into_iter().fold(f64::INFINITY, f64::min);
        [if lowest > 0.0 { t } else { t - lowest + 1.0 }, y]
    }

    #[inline(always)]
    fn slacks(&self, row: usize, local: &[f64; 2], at: Inputs) -> [f64; 4] {
        self.slack_changes(row, local, at)
    }

    #[inline(always)]
    fn slack_changes(&self, row: usize, &[t, y]: &[f64; 2], at: Inputs) -> [f64; 4] {
        let (g1, g4) = self.coefficients(row);
        [t - at.j + g1 * (y - at.kappa), t - at.j, t, t + g4 * y]
    }

    #[inline(always)]
    fn pull(&self, row: usize, rho: &[f64; 4]) -> [f64; 2] {
        let (g1, g4) = self.coefficients(row);
        [rho.iter().sum(), g1 * rho[0] + g4 * rho[3]]
    }

    #[inline(always)]
    fn slopes(&self, row: usize, lambda: &[f64; 4]) -> (f64, f64) {
        (lambda[0] + lambda[1], self.coefficients(row).0 * lambda[0])
    }

    /// By the Cauchy-Binet formula: a determinant of GᵀWG is a sum of squares over pairs of slacks, one of the
    /// system bordered by (J, κ) a sum over triples.
    #[inline(always)]
    fn curvature(&self, row: usize, w: &[f64; 4]) -> Curvature {
        let (g1, g4) = self.coefficients(row);
        let [w1, w2, w3, w4] = *w;
        let det = self.determinant(row, w);
        let (with4, g14) = (w1 * w4 * (w2 + w3), g1 * g4);
        Curvature {
            jj: (w1 * w2 * (w3 + w4) * g1 * g1 + w3 * w4 * (w1 + w2) * g4 * g4) / det,
            jk: w1 * w4 * g14 * (w2 * g1 + w3 * g4) / det,
            kk: with4 * g14 * g14 / det,
            js: (w1 * (w3 + w4) * g1 - w4 * (w1 + w2) * g4) / det,
            ks: g1 * w1 * (g1 * (w2 + w3 + w4) - g4 * w4) / det,
            ss: -(w1 + w2 + w3 + w4) / det,
        }
    }

    #[inline(always)]
    fn respond(&self, row: usize, w: &[f64; 4], f: &[f64; 2], change: Inputs) -> [f64; 2] {
        let (g1, g4) = self.coefficients(row);
        let first = w[0] * (change.j + g1 * change.kappa);
        let (ft, fy) = (f[0] + first + w[1] * change.j, f[1] + g1 * first - change.s);
        let det = self.determinant(row, w);
        let (tt, ty, yy) = (w.iter().sum::<f64>(), g1 * w[0] + g4 * w[3], g1 * g1 * w[0] + g4 * g4 * w[3]);
        [(yy * ft - ty * fy) / det, (tt * fy - ty * ft) / det]
    }
}

impl BoundedRange {
    /// det GᵀWG = Σ_{k<l} w_k w_l (g_k − g_l)².
    #[inline(always)]
    fn determinant(&self, row: usize, w: &[f64; 4]) -> f64 {
        let (g1, g4) = self.coefficients(row);
        let middle = w[1] + w[2];
        w[0] * middle * g1 * g1 + middle * w[3] * g4 * g4 + w[0] * w[3] * (g1 - g4) * (g1 - g4)
    }
}

/// Zero-one error: the envelope of q(J + κ0(s−1)) + 1\[s ≤ 0\] with κ0 = κ + 1.
///
/// ℓ = (T, a, b, c) with T ≥ J + c, T ≥ 0, 0 ≤ a ≤ κ + c, 0 ≤ b ≤ 1 − c, c ≥ 0; Ψ = min T − a(1−s) + b·s. In the
/// letters of the theorem a = (κ0−1+c)u and b = (1−c)u'.
pub struct ZeroOne;

impl Envelope<4, 7> for ZeroOne {
    const COUPLED: bool = true;
    const COST: [f64; 4] = [1.0, -1.0, 0.0, 0.0];
    const WEIGHT: [f64; 4] = [0.0, 1.0, 1.0, 0.0];

    const LEAST_KAPPA: f64 = -1.0;

    fn interior(&self, _: usize, at: Inputs, mu: f64) -> [f64; 4] {
        // κ > −1, so that c can be chosen with κ + c > 0 and c < 1.
        let least = (-at.kappa).max(0.0);
        let c = least + (1.0 - least) * mu.clamp(1e-6, 1.0) / 2.0;
        let (a, b) = (centre_between(1.0 - at.s, at.kappa + c, mu), centre_between(-at.s, 1.0 - c, mu));
        [centre_above(at.j + c, mu), a, b, c]
    }

    #[inline(always)]
    fn slacks(&self, row: usize, local: &[f64; 4], at: Inputs) -> [f64; 7] {
        let mut slacks = self.slack_changes(row, local, at);
        slacks[5] += 1.0;
        slacks
    }

    #[inline(always)]
    fn slack_changes(&self, _: usize, &[t, a, b, c]: &[f64; 4], at: Inputs) -> [f64; 7] {
        [t - c - at.j, t, a, at.kappa + c - a, b, -c - b, c]
    }

    #[inline(always)]
    fn pull(&self, _: usize, rho: &[f64; 7]) -> [f64; 4] {
        [rho[0] + rho[1], rho[2] - rho[3], rho[4] - rho[5], rho[3] - rho[0] - rho[5] + rho[6]]
    }

    #[inline(always)]
    fn slopes(&self, _: usize, lambda: &[f64; 7]) -> (f64, f64) {
        (lambda[0], -lambda[3])
    }

    /// T, a and b are eliminated first (each meets two slacks), then c.
    #[inline(always)]
    fn curvature(&self, _: usize, w: &[f64; 7]) -> Curvature {
        let (t, a, rest) = (harmonic(w[0], w[1]), harmonic(w[2], w[3]), harmonic(w[4], w[5]) + w[6]);
        let c = t + a + rest;
        let (share_a, share_b) = (w[3] / (w[2] + w[3]), w[5] / (w[4] + w[5]));
        let tilt = share_a - share_b;
        Curvature {
            jj: t / c * (a + rest),
            jk: -t / c * a,
            kk: a / c * (t + rest),
            js: -t / c * tilt,
            ks: share_a - a / c * tilt,
            ss: -1.0 / (w[2] + w[3]) - 1.0 / (w[4] + w[5]) - tilt * tilt / c,
        }
    }

    #[inline(always)]
    fn respond(&self, _: usize, w: &[f64; 7], f: &[f64; 4], change: Inputs) -> [f64; 4] {
        let (t, a, b) = (harmonic(w[0], w[1]), harmonic(w[2], w[3]), harmonic(w[4], w[5]));
        let (share_t, share_a, share_b) = (w[0] / (w[0] + w[1]), w[3] / (w[2] + w[3]), w[5] / (w[4] + w[5]));
        let force = f[3] + share_t * f[0] + share_a * (f[1] - change.s)
            - share_b * (f[2] - change.s)
            - t * change.j
            - a * change.kappa;
        let c = force / (t + a + b + w[6]);
        [
            (f[0] + w[0] * (change.j + c)) / (w[0] + w[1]),
            (f[1] + w[3] * (change.kappa + c) - change.s) / (w[2] + w[3]),
            (f[2] - w[5] * c - change.s) / (w[4] + w[5]),
            c,
        ]
    }
}
