//! The barrier of Lemma E3: its drift in each shell, and the choice of its numbers.

use super::base::{Base, largest_eigenvalue};
use super::levels::Levels;

/// Steepnesses to try, as multiples of 2Y/(η·(mean square of a step)).
const KAPPAS: [f64; 16] =
    [0.02, 0.04, 0.055, 0.07, 0.085, 0.1, 0.125, 0.15, 0.2, 0.25, 0.3, 0.4, 0.55, 0.8, 1.2, 2.0];

/// The numbers of a barrier.
#[derive(Clone, Debug)]
pub(super) struct Barrier {
    pub(super) offset: f64,
    pub(super) steepness: f64,
    pub(super) size: f64,
    pub(super) anchor: f64,
    /// The largest sum of bound and drift, before the exact check.
    pub(super) value: f64,
}

/// The shells and the moments of steps in them.
pub(super) struct Shells {
    pub(super) heights: Vec<f64>,
    pub(super) fine: usize,
    pub(super) near: usize,
    pub(super) spread_near: f64,
    pub(super) spread_far: f64,
    trace_near: f64,
    trace_far: f64,
    anchor_height: f64,
}

impl Shells {
    /// Shells around the level at `f`² units of (εR)²/(2σ'), dense there, and up to all models.
    pub(super) fn new(levels: &Levels, f: f64) -> Self {
        let mut factors = vec![0.5, 0.6, 0.68, 0.74, 0.78, 0.82, 0.84, 0.86, 0.88];
        let mut next = 0.89;
        while next < f + 0.25 {
            factors.push(next);
            next += 0.01;
        }
        let near = factors.len();
        let beyond = [0.27, 0.3, 0.33, 0.36, 0.4, 0.44, 0.48, 0.52, 0.6, 0.7, 0.8, 1.0, 1.3];
        factors.extend(beyond.map(|more| f + more));
        let fine = factors.len();
        let (unit, last) = (levels.unit(), levels.last_height());
        let mut heights: Vec<f64> = factors.iter().map(|f| f * f * unit).collect();
        while heights[heights.len() - 1] < last {
            heights.push((heights[heights.len() - 1] * 1.5).min(last * 1.01));
        }
        let base = levels.base;
        let intervals = levels.intervals(heights[near - 1]);
        // Activities are rounded up by the checker.
        let activity = |low: f64| {
            if base.is_hinge {
                f64::from(u8::from(low <= 1.0 + 1e-9))
            } else {
                base.activity(1.0, low - 2e-3) + 2e-5
            }
        };
        let squares: Vec<f64> = intervals.iter().map(|[low, _]| activity(*low).powi(2)).collect();
        let (trace_near, spread_near) = moments(base, &squares);
        let (trace_far, spread_far) = moments(base, &vec![1.0; base.n]);
        let anchor_height = f * f * unit;
        Shells { heights, fine, near, spread_near, spread_far, trace_near, trace_far, anchor_height }
    }

    /// The level on which a fit pays, as `f`: bounds are flat up to the level of the fit and rise steeply beyond. How much they
    /// rise is from trials; they grow slowly with the level of the fit itself.
    pub(super) fn level(&self, levels: &Levels) -> Option<f64> {
        const SLOW: f64 = 0.5;
        const STEEP: f64 = 7.0;
        let cost = |level: f64| {
            let bound = |k: usize| {
                let f = (self.heights[k] / levels.unit()).sqrt();
                let steep = if k < self.fine { STEEP * (f - level).max(0.0) } else { STEEP };
                (SLOW * level + steep).exp()
            };
            let bounds: Vec<f64> = (0..self.heights.len()).map(bound).collect();
            Some((self.choose(levels, &bounds, false)?.value, level))
        };
        // The shells of `new` end at hundredths.
        let costs = (1..=25).filter_map(|j| cost(1.0 + f64::from(j) / 50.0));
        costs.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, level)| level)
    }

    /// The barrier that makes the largest sum of `bounds` and drift smallest.
    pub(super) fn choose(&self, levels: &Levels, bounds: &[f64], batch: bool) -> Option<Barrier> {
        let base = levels.base;
        let mut best: Option<Barrier> = None;
        for part in [0.02, 0.05, 0.1, 0.2] {
            let offset = part * levels.unit() + 2.0 * levels.gap + 1e-9;
            let y = (levels.unit() + offset).sqrt();
            let pull = base.sigma * (levels.centre_norm() + levels.reach(levels.unit()));
            let step = ((1.0 - base.eps) * self.spread_near + base.eps * base.radius.powi(2)).sqrt() + pull;
            for kappa in KAPPAS {
                let steepness = kappa * 2.0 * y / (base.eta * step * step);
                if batch && steepness * steepness * (offset - levels.gap) < 1.0001 {
                    continue;
                }
                let anchor = (self.anchor_height + offset).sqrt();
                let mut barrier = Barrier { offset, steepness, size: 1.0, anchor, value: f64::INFINITY };
                let Some(drifts) = self.drifts(levels, &barrier) else { continue };
                let sum = |size: f64| {
                    bounds.iter().zip(&drifts).map(|(g, b)| g + size * b).fold(f64::MIN, f64::max)
                };
                for j in 0..600 {
                    let size = 10_f64.powf(-14.0 + f64::from(j) / 25.0);
                    let value = sum(size);
                    if value < barrier.value {
                        (barrier.size, barrier.value) = (size, value);
                    }
                }
                if best.as_ref().is_none_or(|best| barrier.value < best.value) {
                    best = Some(barrier);
                }
            }
        }
        best
    }

    /// b of every shell; none if the barrier is too steep.
    fn drifts(&self, levels: &Levels, barrier: &Barrier) -> Option<Vec<f64>> {
        let drift = self.drift(levels, barrier)?;
        let low = |k: usize| if k == 0 { -levels.gap } else { self.heights[k - 1] };
        (0..self.heights.len()).map(|k| drift(low(k), k)).collect()
    }

    /// Leaves out the levels that the bound does not need, of the first ones.
    pub(super) fn thin(&mut self, levels: &Levels, bounds: &[f64], barrier: &Barrier, first: usize) {
        let Some(mut kept) = self.needed(levels, &bounds[..first], barrier) else { return };
        kept.extend(first..bounds.len());
        let before = |end: usize| kept.iter().filter(|k| **k < end).count();
        (self.near, self.fine) = (before(self.near), before(self.fine));
        self.heights = kept.iter().map(|&k| self.heights[k]).collect();
    }

    /// The levels whose shells have sums up to the barrier's value and are as wide as that allows.
    fn needed(&self, levels: &Levels, bounds: &[f64], barrier: &Barrier) -> Option<Vec<usize>> {
        let drift = self.drift(levels, barrier)?;
        let most = barrier.value + 1e-9 * barrier.value.abs();
        let (mut low, mut kept, mut next) = (-levels.gap, vec![], 0);
        while next < bounds.len() {
            let serves =
                |k: usize| drift(low, k).is_some_and(|drift| bounds[k] + barrier.size * drift <= most);
            let k = (next + 1..bounds.len()).take_while(|&k| serves(k)).last().unwrap_or(next);
            kept.push(k);
            (low, next) = (self.heights[k], k + 1);
        }
        Some(kept)
    }

    /// b of a shell from a height up to that of a level, as a function of the two; none if the barrier is too steep.
    fn drift(&self, levels: &Levels, barrier: &Barrier) -> Option<impl Fn(f64, usize) -> Option<f64>> {
        let base = levels.base;
        let Base { eta, eps, radius, sigma, norm, is_hinge, .. } = *base;
        let gamma = barrier.steepness;
        let lipschitz =
            if is_hinge { 1.0 / levels.smoothing } else { sigma + (1.0 - eps) * self.spread_far / 4.0 };
        let longest = 2.0 * norm;
        let first = gamma * eta * longest * (lipschitz / 2.0).sqrt();
        let lowest = (barrier.offset - levels.gap).sqrt();
        let second = gamma * lipschitz * (eta * longest).powi(2) / (4.0 * lowest);
        if first + second > 300.0 {
            return None;
        }
        let push = eps * radius;
        let drift = move |low: f64, k: usize| {
            let (y0, y1) = ((low + barrier.offset).sqrt(), (self.heights[k] + barrier.offset).sqrt());
            let near = k < self.near;
            let (trace, spread) =
                if near { (self.trace_near, self.spread_near) } else { (self.trace_far, self.spread_far) };
            let point = eps * radius * radius;
            let c2 = 1.0 - gamma * eta * ((1.0 - eps) * spread + point) * first.exp() / (4.0 * y0);
            if c2 <= 0.0 {
                return None;
            }
            let r = (2.0 * levels.sigma * low.max(0.0)).sqrt().max(push / (2.0 * c2));
            let mean = (push - c2 * r) * r;
            let zeta = gamma * eta / 2.0 * mean / if mean > 0.0 { y0 } else { y1 };
            let pull = (sigma * (levels.centre_norm() + levels.reach(self.heights[k]))).min(norm);
            let step = ((1.0 - eps) * trace + point).sqrt() + pull;
            let bend = (first + second).exp() * gamma * lipschitz * (eta * step).powi(2) / (4.0 * y0);
            let growth = zeta.exp_m1() + bend;
            let exponent = gamma * (if growth > 0.0 { y1 } else { y0 } - barrier.anchor);
            if growth > 0.0 && exponent > 600.0 {
                return None;
            }
            Some(growth / eta * exponent.min(600.0).exp())
        };
        Some(drift)
    }
}

/// Trace and a number above the largest eigenvalue of Σ p f zzᵀ.
fn moments(base: &Base, factors: &[f64]) -> (f64, f64) {
    let d = base.d;
    let mut matrix = vec![0.0; d * d];
    for (i, f) in factors.iter().enumerate() {
        let z = base.row(i);
        for j in 0..d {
            super::base::add(&mut matrix[j * d..(j + 1) * d], base.p[i] * f * z[j], z);
        }
    }
    let trace = (0..d).map(|j| matrix[j * d + j]).sum();
    (trace, largest_eigenvalue(d, |i, j| matrix[i * d + j]) * 1.001 + 1e-12)
}
