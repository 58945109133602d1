//! The saddle problem of Section 16 for sparse rows, by products with the rows alone.
//!
//! ```text
//! min over (α, τ, ν, β)  max over θ   Σ p_i Ψ_i(α, βᵀz_i, θᵀz_i) − σβᵀθ − ασ(2−ησ)‖θ‖² + εR‖χθ+β‖²/(2τ) + ε(αηR² + ν + Rτ/2)
//! ```
//!
//! with χ = 2αk − ν and C of Lemma L7. Ψ_i is what a row contributes: convex in (α, b), concave in s. A small barrier keeps ν, κ and a positive:
//! −μ(log ν + log κ + log aτ).

use unswayed_check::{Loss, Set};
use unswayed_data::SparseRows;

use super::acting::{self, Acting};
use super::dot;
use crate::problem::Problem;

/// Places in a vector of all variables; then come β_0, θ_0, β_1, θ_1, ….
pub(super) const ALPHA: usize = 0;
/// See [`ALPHA`].
pub(super) const TAU: usize = 1;
/// See [`ALPHA`].
pub(super) const NU: usize = 2;
/// Where the pairs (β_j, θ_j) begin.
pub(super) const PAIRS: usize = 3;

/// Without an adversary β has no curvature of its own; this little does no harm.
const LEAST_POISON: f64 = 1e-7;

/// What a row contributes at one place, with its derivatives in (α, b, s).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bend {
    pub value: f64,
    pub alpha: f64,
    pub b: f64,
    pub s: f64,
    pub alpha_alpha: f64,
    pub alpha_b: f64,
    pub alpha_s: f64,
    pub b_b: f64,
    pub b_s: f64,
    pub s_s: f64,
}

impl Bend {
    /// Whether the row bends in b or s.
    fn is_bent(&self) -> bool {
        self.b_b != 0.0 || self.s_s != 0.0 || self.b_s != 0.0
    }
}

/// What rows contribute.
pub(super) trait Envelope {
    /// Row i for b = βᵀz_i and s = θᵀz_i.
    fn at(&self, i: usize, alpha: f64, b: f64, s: f64) -> Bend;
}

/// Rows and constants.
pub(super) struct Program<'a> {
    pub rows: SparseRows<'a>,
    /// p_i.
    pub p: Vec<f64>,
    /// ‖z_i‖².
    pub squared: Vec<f64>,
    pub dimension: usize,
    pub eta: f64,
    pub sigma: f64,
    pub eps: f64,
    pub radius: f64,
    /// k = 1 − ησ.
    pub k: f64,
    /// Whether the loss is the logistic one, else it is the hinge loss.
    pub is_logistic: bool,
}

/// The saddle function and its gradient at a point, and what its Hessian needs.
pub(super) struct Slopes {
    pub value: f64,
    pub gradient: Vec<f64>,
    pub bends: Vec<Bend>,
}

impl<'a> Program<'a> {
    /// The rows of a problem with sparse rows against a ball.
    pub fn new(problem: &'a Problem) -> Option<Self> {
        let (data, learner) = (&problem.data()[0], problem.learner());
        let rows = data.sparse()?;
        let Set::Ball { radius } = problem.threat().set else { return None };
        let (eps, eta, sigma) = (problem.threat().poison_rate, learner.learning_rate, learner.regularization);
        let squared = (0..data.rows()).map(|i| rows.row(i).map(|(_, z)| z * z).sum()).collect();
        let is_poisoned = eps * radius > 0.0;
        Some(Program {
            rows,
            p: data.probabilities(),
            squared,
            dimension: data.dimension(),
            eta,
            sigma,
            eps: if is_poisoned { eps } else { LEAST_POISON },
            radius: if is_poisoned { radius } else { 1.0 },
            k: 1.0 - eta * sigma,
            is_logistic: learner.loss == Loss::Logistic,
        })
    }

    /// κ' of κ = κ'α − 1.
    pub fn kappa_slope(&self) -> f64 {
        2.0 * self.k * (1.0 - self.eps)
    }

    pub fn kappa(&self, alpha: f64) -> f64 {
        self.kappa_slope() * alpha - 1.0
    }

    /// c_i of J_i = (1−ε)(c_iα + b_i).
    pub fn jump_slope(&self, i: usize) -> f64 {
        2.0 * self.k + self.eta * self.squared[i]
    }

    fn chi(&self, x: &[f64]) -> f64 {
        2.0 * self.k * x[ALPHA] - x[NU]
    }

    /// σ(2−ησ).
    fn pull(&self) -> f64 {
        self.sigma * (2.0 - self.eta * self.sigma)
    }

    /// a of Theorem 2.
    pub fn curvature(&self, x: &[f64]) -> f64 {
        let chi = self.chi(x);
        x[ALPHA] * self.pull() - self.eps * self.radius * chi * chi / (2.0 * x[TAU])
    }

    /// A point where everything is defined.
    pub fn start(&self) -> Vec<f64> {
        let mut x = vec![0.0; PAIRS + 2 * self.dimension];
        x[ALPHA] = 2.0 / self.kappa_slope();
        x[NU] = self.k * x[ALPHA];
        let chi = self.chi(&x);
        x[TAU] = self.eps * self.radius * chi * chi / (x[ALPHA] * self.pull());
        x
    }

    /// (βᵀz_i, θᵀz_i) for all rows.
    pub fn products(&self, x: &[f64]) -> Vec<[f64; 2]> {
        (0..self.p.len()).map(|i| self.product(i, x)).collect()
    }

    #[inline]
    fn product(&self, i: usize, x: &[f64]) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for (j, z) in self.rows.row(i) {
            let pair = &x[PAIRS + 2 * j..][..2];
            sums[0] += z * pair[0];
            sums[1] += z * pair[1];
        }
        sums
    }

    #[inline]
    fn add(&self, i: usize, factors: [f64; 2], out: &mut [f64]) {
        for (j, z) in self.rows.row(i) {
            let pair = &mut out[PAIRS + 2 * j..][..2];
            pair[0] += factors[0] * z;
            pair[1] += factors[1] * z;
        }
    }

    /// Gradient and bends at x, whose products with the rows are known.
    pub fn slopes(&self, envelope: &impl Envelope, x: &[f64], products: &[[f64; 2]], barrier: f64) -> Slopes {
        let mut gradient = vec![0.0; x.len()];
        let mut value = self.outer_gradient(x, barrier, &mut gradient);
        let mut bends = Vec::with_capacity(self.p.len());
        for (i, ([b, s], p)) in products.iter().zip(&self.p).enumerate() {
            let bend = envelope.at(i, x[ALPHA], *b, *s);
            value += p * bend.value;
            gradient[ALPHA] += p * bend.alpha;
            self.add(i, [p * bend.b, p * bend.s], &mut gradient);
            bends.push(bend);
        }
        Slopes { value, gradient, bends }
    }

    /// What is not a sum over rows, and its gradient in `out`.
    fn outer_gradient(&self, x: &[f64], barrier: f64, out: &mut [f64]) -> f64 {
        let (chi, q) = (self.chi(x), self.eps * self.radius / x[TAU]);
        let (mut lever_square, mut lever_theta, mut theta_square, mut beta_theta) = (0.0, 0.0, 0.0, 0.0);
        for (pair, out) in x[PAIRS..].chunks_exact(2).zip(out[PAIRS..].chunks_exact_mut(2)) {
            let (beta, theta) = (pair[0], pair[1]);
            let lever = chi * theta + beta;
            lever_square += lever * lever;
            lever_theta += lever * theta;
            theta_square += theta * theta;
            beta_theta += beta * theta;
            out[0] += q * lever - self.sigma * theta;
            out[1] += q * chi * lever - self.sigma * beta - 2.0 * self.pull() * x[ALPHA] * theta;
        }
        let (edges, slopes, _) = self.edges(x);
        let (acting, by) = (self.acting(x), self.point_slopes());
        out[ALPHA] += 2.0 * self.k * q * lever_theta - self.pull() * theta_square;
        out[TAU] -= 0.5 * q * lever_square / x[TAU];
        out[NU] -= q * lever_theta;
        for (out, by) in out.iter_mut().zip(by) {
            *out += self.eps * (acting.first[0] * by[0] + acting.first[1] * by[1]);
        }
        out.iter_mut().zip(slopes).for_each(|(out, slope)| *out -= barrier * slope);
        0.5 * q * lever_square - self.sigma * beta_theta - x[ALPHA] * self.pull() * theta_square
            + self.eps * acting.value
            - barrier * edges
    }

    /// C of Lemma L7 at x.
    pub fn acting(&self, x: &[f64]) -> Acting {
        let d = 0.5 * self.radius * x[TAU] + x[ALPHA] * self.eta * self.radius * self.radius;
        if self.is_logistic { acting::logistic(d, x[NU]) } else { acting::hinge(d, x[NU]) }
    }

    /// The derivatives of (D, ν) in α, τ and ν.
    fn point_slopes(&self) -> [[f64; 2]; 3] {
        [[self.eta * self.radius * self.radius, 0.0], [0.5 * self.radius, 0.0], [0.0, 1.0]]
    }

    /// log ν + log κ + log aτ with its derivatives in (α, τ, ν).
    fn edges(&self, x: &[f64]) -> (f64, [f64; 3], [[f64; 3]; 3]) {
        let (kappa, slope, chi) = (self.kappa(x[ALPHA]), self.kappa_slope(), self.chi(x));
        let (k2, pull, half) = (2.0 * self.k, self.pull(), 0.5 * self.eps * self.radius);
        // aτ = α·pull·τ − ½εRχ²
        let product = x[ALPHA] * pull * x[TAU] - half * chi * chi;
        let first = [pull * x[TAU] - 2.0 * half * chi * k2, pull * x[ALPHA], 2.0 * half * chi];
        let second = [
            [-2.0 * half * k2 * k2, pull, 2.0 * half * k2],
            [pull, 0.0, 0.0],
            [2.0 * half * k2, 0.0, -2.0 * half],
        ];
        let mut slopes = first.map(|f| f / product);
        let mut bends = [[0.0; 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                bends[i][j] = second[i][j] / product - first[i] * first[j] / (product * product);
            }
        }
        slopes[ALPHA] += slope / kappa;
        bends[ALPHA][ALPHA] -= (slope / kappa).powi(2);
        slopes[NU] += 1.0 / x[NU];
        bends[NU][NU] -= 1.0 / (x[NU] * x[NU]);
        (x[NU].ln() + kappa.ln() + product.ln(), slopes, bends)
    }

    /// The Hessian at x as an operator.
    pub fn hessian<'b>(&'b self, x: &'b [f64], bends: &'b [Bend], barrier: f64) -> Hessian<'b, 'a> {
        let active: Vec<usize> = (0..bends.len()).filter(|i| bends[*i].is_bent()).collect();
        let mut by_alpha = vec![0.0; x.len()];
        for (i, (bend, p)) in bends.iter().zip(&self.p).enumerate() {
            by_alpha[ALPHA] += p * bend.alpha_alpha;
            if bend.alpha_b != 0.0 || bend.alpha_s != 0.0 {
                self.add(i, [p * bend.alpha_b, p * bend.alpha_s], &mut by_alpha);
            }
        }
        Hessian { program: self, x, bends, active, by_alpha, barrier }
    }
}

/// Second derivatives of the saddle function.
pub(super) struct Hessian<'b, 'a> {
    program: &'b Program<'a>,
    x: &'b [f64],
    bends: &'b [Bend],
    /// Rows that bend.
    active: Vec<usize>,
    /// The rows' part of the column of α.
    by_alpha: Vec<f64>,
    barrier: f64,
}

impl Hessian<'_, '_> {
    /// out ← (second derivatives)·v.
    pub fn product(&self, v: &[f64], out: &mut [f64]) {
        let (program, x) = (self.program, self.x);
        for (out, column) in out.iter_mut().zip(&self.by_alpha) {
            *out = column * v[ALPHA];
        }
        out[ALPHA] += dot(&self.by_alpha[PAIRS..], &v[PAIRS..]);
        for &i in &self.active {
            let (bend, p, [b, s]) = (&self.bends[i], program.p[i], program.product(i, v));
            let factors = [p * (bend.b_b * b + bend.b_s * s), p * (bend.b_s * b + bend.s_s * s)];
            program.add(i, factors, out);
        }
        let (chi, tau) = (program.chi(x), x[TAU]);
        let (q, k2, pull) = (program.eps * program.radius / tau, 2.0 * program.k, program.pull());
        let (d_chi, d_tau) = (k2 * v[ALPHA] - v[NU], v[TAU]);
        let (mut by_chi, mut by_tau, mut theta_d) = (0.0, 0.0, 0.0);
        let pairs = x[PAIRS..].chunks_exact(2).zip(v[PAIRS..].chunks_exact(2));
        for ((at, d), out) in pairs.zip(out[PAIRS..].chunks_exact_mut(2)) {
            let (theta, lever) = (at[1], chi * at[1] + at[0]);
            let d_lever = chi * d[1] + theta * d_chi + d[0];
            let turned = q * d_lever - q / tau * lever * d_tau;
            out[0] += turned - program.sigma * d[1];
            out[1] += chi * turned + q * lever * d_chi
                - program.sigma * d[0]
                - 2.0 * pull * (x[ALPHA] * d[1] + theta * v[ALPHA]);
            by_chi += theta * turned + q * lever * d[1];
            by_tau += q / tau * (lever * lever / tau * d_tau - lever * d_lever);
            theta_d += theta * d[1];
        }
        out[ALPHA] += k2 * by_chi - 2.0 * pull * theta_d;
        out[TAU] += by_tau;
        out[NU] -= by_chi;
        let (_, _, bends) = program.edges(x);
        for (i, row) in bends.iter().enumerate() {
            out[i] -= self.barrier * row.iter().zip(v).map(|(bend, v)| bend * v).sum::<f64>();
        }
        let (acting, by) = (program.acting(x), program.point_slopes());
        let moved = [0, 1].map(|n| by.iter().zip(v).map(|(by, v)| by[n] * v).sum::<f64>());
        let turned = acting.second.map(|row| row[0] * moved[0] + row[1] * moved[1]);
        for (out, by) in out.iter_mut().zip(by) {
            *out += program.eps * (by[0] * turned[0] + by[1] * turned[1]);
        }
    }

    /// The sizes of the diagonal, all > 0, but for α, τ and ν.
    pub fn scales(&self) -> Vec<f64> {
        let (program, x) = (self.program, self.x);
        let q = program.eps * program.radius / x[TAU];
        let mut scales = vec![0.0; x.len()];
        for pair in scales[PAIRS..].chunks_exact_mut(2) {
            pair.copy_from_slice(&[q, 2.0 * program.curvature(x)]);
        }
        for &i in &self.active {
            let (bend, p) = (&self.bends[i], program.p[i]);
            for (j, z) in program.rows.row(i) {
                let pair = &mut scales[PAIRS + 2 * j..][..2];
                pair[0] += p * bend.b_b * z * z;
                pair[1] -= p * bend.s_s * z * z;
            }
        }
        scales[..PAIRS].fill(1.0);
        scales
    }
}
