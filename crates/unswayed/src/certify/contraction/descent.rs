//! Φ of Lemma C1, made small: coordinate descent on the rows' slopes, and a rule by signs for the other numbers.
//!
//! For fixed (t, τ, ν) the least Φ over the slopes is the dual of a small support vector machine, with θ = h/(2a). At its solution
//! the derivatives by t, τ and ν have signs that θ tells, and each number moves by a step that grows while its sign stays the same.

use super::super::dot;
use super::hull::Hulls;
use super::numbers::Numbers;

/// Slopes that the checker knows, but for the first.
pub(super) const STEPS: f64 = 15.0;
/// The least a, as a share of ασ(2−ησ).
const LEAST_CURVATURE: f64 = 0.005;
/// Rows so far from their kink are left out for a while.
const ASIDE: f64 = 0.02;
/// Passes after which all rows are looked at again.
const PASSES_ASIDE: usize = 12;

/// (log t, log τ, ν) and how far each moves next.
#[derive(Clone, Copy)]
pub(super) struct Multipliers {
    pub(super) at: [f64; 3],
    pub(super) step: [f64; 3],
}

/// How long to search.
#[derive(Clone, Copy)]
pub(super) struct Work {
    /// Changes of (t, τ, ν).
    pub(super) steps: usize,
    /// Passes over the rows for each.
    pub(super) passes: usize,
    /// Rows within this of their kinks are settled.
    pub(super) tolerance: f64,
}

/// What was found: the smallest value, its numbers and u of the free rows.
pub(super) struct Best {
    pub(super) value: f64,
    pub(super) at: [f64; 3],
    pub(super) u: Vec<f32>,
}

/// A search in one direction: that of a row, or none.
pub(super) struct Search<'a> {
    pub(super) numbers: &'a Numbers,
    pub(super) hulls: &'a Hulls,
    /// ±z_i, for an end.
    pub(super) direction: Option<(usize, f64)>,
    /// B
    pub(super) target: f64,
    pub(super) work: Work,
}

/// A search in the form that is compiled for the machine's vector unit.
struct Run<'a, 'b> {
    search: &'b Search<'a>,
    multipliers: &'b mut Multipliers,
    u: &'b mut [f32],
}

impl pulp::WithSimd for Run<'_, '_> {
    type Output = Best;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Best {
        self.search.run(self.multipliers, self.u)
    }
}

impl Search<'_> {
    /// Starts from numbers and u, and leaves there what it ends with.
    pub(super) fn best(&self, multipliers: &mut Multipliers, u: &mut [f32]) -> Best {
        pulp::Arch::new().dispatch(Run { search: self, multipliers, u })
    }

    #[inline(always)]
    fn run(&self, multipliers: &mut Multipliers, u: &mut [f32]) -> Best {
        let Numbers { two_ak, radius, .. } = *self.numbers;
        let Multipliers { at, step } = multipliers;
        let limits = [1.0, 0.4, 0.15 * two_ak];
        let least = [0.02, 0.01, 0.004 * two_ak];
        for k in 0..3 {
            step[k] = (1.5 * step[k]).clamp(least[k], limits[k]);
        }
        at[1] = at[1].max(self.least_tau(at[2]).ln());
        let (mut best, mut last) = (Best { value: f64::INFINITY, at: *at, u: u.to_vec() }, [0.0; 3]);
        let mut free: Vec<f64> = u.iter().map(|u| f64::from(*u)).collect();
        let mut theta = vec![0.0; self.numbers.width];
        for _ in 0..self.work.steps {
            let (value, pull) = self.descend(*at, &mut free, &mut theta);
            if value < best.value {
                best.value = value;
                best.at = *at;
                best.u.iter_mut().zip(&free).for_each(|(best, u)| *best = *u as f32);
            }
            let (length, along) = self.tangent(at[2], &theta);
            let tau = at[1].exp();
            let signs = [pull, length - tau, radius * along - tau];
            let settled = (0..3).all(|k| k == 0 && self.direction.is_none() || step[k] <= 0.1 * least[k]);
            if settled || (self.direction.is_none() && best.value <= self.target) {
                break;
            }
            for k in 0..3 {
                let sign = if signs[k] > 0.0 { 1.0 } else { -1.0 };
                if last[k] != 0.0 {
                    step[k] = (step[k] * if sign * last[k] > 0.0 { 1.3 } else { 0.5 }).min(limits[k]);
                }
                last[k] = sign;
                at[k] += sign * step[k];
            }
            at[2] = at[2].clamp(0.0, two_ak);
            at[1] = at[1].max(self.least_tau(at[2]).ln());
        }
        *at = best.at;
        u.copy_from_slice(&best.u);
        best
    }

    /// The least τ for which a is large enough.
    fn least_tau(&self, nu: f64) -> f64 {
        let Numbers { two_ak, curvature, eps, radius, .. } = *self.numbers;
        let chi = two_ak - nu;
        (eps * radius * chi * chi / (2.0 * curvature * (1.0 - LEAST_CURVATURE))).max(1e-12)
    }

    /// a, and all of h that does not depend on u.
    #[inline(always)]
    fn fixed(&self, [log_t, log_tau, nu]: [f64; 3]) -> (f64, Vec<f64>) {
        let Numbers { two_ak, curvature, eps, radius, sigma, ref beta, .. } = *self.numbers;
        let (chi, tau) = (two_ak - nu, log_tau.exp());
        let a = curvature - eps * radius * chi * chi / (2.0 * tau);
        let on_beta = eps * radius * chi / tau - sigma;
        let mut h: Vec<f64> = self.hulls.slope.iter().zip(beta).map(|(s, b)| s + on_beta * b).collect();
        if let Some((row, sign)) = self.direction {
            let t = sign * log_t.exp();
            h.iter_mut().zip(self.numbers.row(row)).for_each(|(h, z)| *h += t * z);
        }
        (a, h)
    }

    /// Φ, or (Φ − B)/t for an end, from h and Σ W_iu_i.
    #[inline(always)]
    fn value(&self, [log_t, log_tau, nu]: [f64; 3], a: f64, h: &[f64], gain: f64) -> f64 {
        let Numbers { eps, radius, ref beta, .. } = *self.numbers;
        let tau = log_tau.exp();
        let point = eps * (nu + radius * (tau / 2.0 + dot(beta, beta) / (2.0 * tau)));
        let phi = self.hulls.constant - gain + point + dot(h, h) / (4.0 * a);
        if self.direction.is_some() { (phi - self.target) / log_t.exp() } else { phi }
    }

    /// Coordinate descent on u. Returns the value and −∂/∂(log t) of it, up to a factor.
    #[inline(always)]
    fn descend(&self, at: [f64; 3], u: &mut [f64], theta: &mut [f64]) -> (f64, f64) {
        let Hulls { free, width, .. } = self.hulls;
        let (a, fixed) = self.fixed(at);
        self.sum(&fixed, u, theta);
        for theta in theta.iter_mut() {
            *theta /= 2.0 * a;
        }
        let all: Vec<u32> = (0..free.len() as u32).filter(|place| width[*place as usize] > 0.0).collect();
        let mut active = all.clone();
        for pass in 0..self.work.passes {
            let (mut largest, mut kept) = (0.0_f64, 0);
            for k in 0..active.len() {
                let place = active[k] as usize;
                let z = self.numbers.row(free[place]);
                let slack = dot(z, theta) - 1.0;
                let held = (u[place] <= 0.0 && slack > 0.0) || (u[place] >= 1.0 && slack < 0.0);
                if !held {
                    largest = largest.max(slack.abs());
                    let scale = width[place] / (2.0 * a);
                    let to = (u[place] - slack / (scale * self.numbers.squares[free[place]])).clamp(0.0, 1.0);
                    let change = (to - u[place]) * scale;
                    u[place] = to;
                    theta.iter_mut().zip(z).for_each(|(theta, z)| *theta += change * z);
                }
                if !(held && slack.abs() > ASIDE) {
                    active[kept] = active[k];
                    kept += 1;
                }
            }
            let is_all = active.len() == all.len();
            active.truncate(kept);
            if largest < self.work.tolerance {
                if is_all {
                    break;
                }
                active.clone_from(&all);
            } else if pass % PASSES_ASIDE == PASSES_ASIDE - 1 || kept == 0 {
                active.clone_from(&all);
            }
        }
        let gain = self.sum(&fixed, u, theta);
        let value = self.value(at, a, theta, gain);
        for theta in theta.iter_mut() {
            *theta /= 2.0 * a;
        }
        let pull = self.direction.map_or(0.0, |(row, sign)| value - sign * dot(self.numbers.row(row), theta));
        (value, pull)
    }

    /// h = (what is fixed) + Σ W_iu_iz_i and Σ W_iu_i.
    #[inline(always)]
    fn sum(&self, fixed: &[f64], u: &[f64], h: &mut [f64]) -> f64 {
        let mut gain = 0.0;
        h.copy_from_slice(fixed);
        for ((&row, width), u) in self.hulls.free.iter().zip(&self.hulls.width).zip(u) {
            let factor = width * u;
            if factor != 0.0 {
                gain += factor;
                h.iter_mut().zip(self.numbers.row(row)).for_each(|(h, z)| *h += factor * z);
            }
        }
        gain
    }

    /// ‖χθ + β‖ and θᵀ(χθ + β).
    #[inline(always)]
    fn tangent(&self, nu: f64, theta: &[f64]) -> (f64, f64) {
        let chi = self.numbers.two_ak - nu;
        let q: Vec<f64> = theta.iter().zip(&self.numbers.beta).map(|(theta, b)| chi * theta + b).collect();
        (dot(&q, &q).sqrt(), dot(&q, theta))
    }

    /// The value for u rounded to what the checker knows, and its codes, half a byte each.
    pub(super) fn rounded(&self, best: &Best) -> (f64, Vec<u8>) {
        let codes: Vec<u8> = best.u.iter().map(|u| (f64::from(*u) * STEPS).round() as u8).collect();
        let u: Vec<f64> = codes.iter().map(|code| f64::from(*code) / STEPS).collect();
        let (a, fixed) = self.fixed(best.at);
        let mut h = vec![0.0; self.numbers.width];
        let gain = self.sum(&fixed, &u, &mut h);
        let packed = codes.chunks(2).map(|pair| pair[0] | pair.get(1).map_or(0, |code| code << 4));
        (self.value(best.at, a, &h, gain), packed.collect())
    }
}
