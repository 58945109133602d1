//! Levels of V and the intervals of the margins on them (Lemma E2).

use super::super::dot;
use super::base::{Base, Cholesky, norm};
use super::objective::Objective;

/// The slope of the rounded jump of a hinge row's activity, where intervals are found.
const GAIN: f64 = 100.0;
/// Forces that are tried for an end, at most, and how near to the best one is near enough.
const FORCES: usize = 3;
const CLOSE: f64 = 0.05;
/// Points are found up to this part of εR in the gradient: that makes levels higher by about its square.
const INEXACT: f64 = 3e-3;

/// The centre, the intervals' witnesses, and what follows from them.
pub(super) struct Levels<'a> {
    pub(super) base: &'a Base<'a>,
    /// μ
    pub(super) smoothing: f64,
    pub(super) centre: Vec<f64>,
    pub(super) shares: Vec<f64>,
    pub(super) gain: f64,
    pub(super) gap: f64,
    /// σ'
    pub(super) sigma: f64,
    /// oᵀz
    pub(super) margins: Vec<f64>,
    /// v₀
    top: f64,
    /// For the lower ends and then for the upper ends.
    pub(super) forces: Vec<f64>,
    pub(super) points: Vec<f64>,
    constants: Vec<f64>,
}

impl<'a> Levels<'a> {
    /// The centre, and intervals that are short on the level of this height, as a multiple of (εR)²/(2σ').
    pub(super) fn new(base: &'a Base<'a>, smoothing: f64, height: f64) -> Option<Self> {
        let d = base.d;
        let none = vec![0.0; d];
        let gains: &[f64] =
            if base.is_hinge { &[3.0, 10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4, 1e5] } else { &[1.0] };
        let settle = |theta: Vec<f64>, &gain: &f64| Objective { base, gain }.solve(&none, &theta, 1e-10);
        let theta = gains.iter().fold(none.clone(), settle);
        let last = *gains.last()?;
        let shares: Vec<f64> = base.margins(&theta).iter().map(|&s| base.activity(last, s)).collect();
        let centre: Vec<f64> = base.pull(&shares).iter().map(|x| x / base.sigma).collect();
        let margins = base.margins(&centre);
        let weighted = |f: &dyn Fn(usize) -> f64| (0..base.n).map(|i| base.p[i] * f(i)).sum::<f64>();
        let half = base.sigma / 2.0 * dot(&centre, &centre);
        let top = (1.0 - base.eps) * weighted(&|i| base.loss(margins[i])) + half;
        let least = (1.0 - base.eps) * weighted(&|i| base.conjugate(shares[i])) - half;
        let sigma = base.sigma / (1.0 + base.sigma * smoothing);
        let mut levels = Levels {
            base,
            smoothing,
            gap: (top - least).max(0.0),
            sigma,
            centre,
            shares,
            gain: GAIN,
            margins,
            top,
            forces: vec![],
            points: vec![],
            constants: vec![],
        };
        levels.find_intervals(&theta, height * levels.unit())?;
        Some(levels)
    }

    /// (εR)²/(2σ')
    pub(super) fn unit(&self) -> f64 {
        (self.base.eps * self.base.radius).powi(2) / (2.0 * self.sigma)
    }

    /// v₀ above the loss of any model of the kept ball needs at least this height.
    pub(super) fn last_height(&self) -> f64 {
        let Base { eps, norm, sigma, .. } = self.base;
        ((1.0 - eps) * (1.0 + norm * norm / sigma) + norm * norm / (2.0 * sigma) - self.top) * (1.0 + 1e-9)
            + 1e-9
    }

    /// x
    pub(super) fn reach(&self, height: f64) -> f64 {
        (2.0 * (height + self.gap) / self.sigma).sqrt()
    }

    fn find_intervals(&mut self, settled: &[f64], height: f64) -> Option<()> {
        let base = self.base;
        let objective = Objective { base, gain: self.gain };
        let start = objective.solve(&vec![0.0; base.d], settled, 1e-8);
        let q: Vec<f64> = base.margins(&start).iter().map(|&s| base.activity(self.gain, s)).collect();
        let curvature = objective.curvature(&q)?;
        let level = self.top + height;
        for sign in [-1.0, 1.0] {
            for i in 0..base.n {
                let a: Vec<f64> = base.row(i).iter().map(|z| sign * z).collect();
                let (force, point, constant) = self.end(&objective, &a, level, &start, &curvature);
                self.forces.push(force);
                self.points.extend(point);
                self.constants.push(constant);
            }
        }
        Some(())
    }

    /// The best of a few forces: π, the point, and the constant of (E3). It is K(π) with K' = aᵀθ + μπ‖a‖², and the best π has
    /// πK' = v + K.
    fn end(
        &self,
        objective: &Objective,
        a: &[f64],
        level: f64,
        start: &[f64],
        curvature: &Cholesky,
    ) -> (f64, Vec<f64>, f64) {
        let tolerance = INEXACT * self.base.eps * self.base.radius;
        let rounded = self.smoothing * dot(a, a);
        let mut bend = (dot(a, &curvature.solve(a)) + rounded).max(1e-300);
        let mut force = (2.0 * (level - self.top + self.gap) / bend).sqrt().clamp(1e-12, 1e12);
        let mut point = start.to_vec();
        let mut best = (f64::INFINITY, force, vec![], 0.0);
        let mut last: Option<[f64; 2]> = None;
        for _ in 0..FORCES {
            let pull: Vec<f64> = a.iter().map(|a| force * a).collect();
            point = objective.solve_near(&pull, &point, Some(curvature), tolerance);
            let constant = self.constant(&pull, &point);
            let end = (level + constant) / force;
            if end < best.0 {
                best = (end, force, point.clone(), constant);
            }
            let slope = dot(a, &point) + force * rounded;
            if let Some([before, other]) = last {
                let secant = (slope - other) / (force - before);
                bend = if secant > 0.0 { secant } else { bend };
            }
            last = Some([force, slope]);
            let next = (force - (slope - end) / bend).clamp(force / 2.0, 2.0 * force);
            if (next / force - 1.0).abs() < CLOSE {
                break;
            }
            force = next;
        }
        (best.1, best.2, best.3)
    }

    /// What (E3) adds to v, for πa and the activities of a point.
    fn constant(&self, pull: &[f64], point: &[f64]) -> f64 {
        let base = self.base;
        let q: Vec<f64> = base.margins(point).iter().map(|&s| base.activity(self.gain, s)).collect();
        let mut sum = base.pull(&q);
        sum.iter_mut().zip(pull).for_each(|(c, a)| *c += a);
        let conjugate: f64 = q.iter().zip(&base.p).map(|(&q, p)| p * base.conjugate(q)).sum();
        self.smoothing / 2.0 * dot(pull, pull) + dot(&sum, &sum) / (2.0 * base.sigma)
            - (1.0 - base.eps) * conjugate
    }

    /// The interval of each margin on a level.
    pub(super) fn intervals(&self, height: f64) -> Vec<[f64; 2]> {
        let (n, x, level) = (self.base.n, self.reach(height), self.top + height);
        let end = |place: usize| (level + self.constants[place]) / self.forces[place];
        let around = |i: usize| x * self.base.squares[i].sqrt();
        let interval = |i: usize| {
            let o = self.margins[i];
            [(-end(i)).max(o - around(i)), end(n + i).min(o + around(i))]
        };
        (0..n).map(interval).collect()
    }

    /// ‖o‖
    pub(super) fn centre_norm(&self) -> f64 {
        norm(&self.centre)
    }
}
