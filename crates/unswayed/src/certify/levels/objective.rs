//! The learner's objective F(θ) = (1−ε)Σp_iφ(s_i) + (σ/2)‖θ‖², the hinge with its kink rounded, and Newton's method on it.

use super::super::dot;
use super::base::{Base, Cholesky, add, norm};

/// Steps of Newton's method, at most.
const STEPS: usize = 60;
/// A second derivative serves while its steps leave no more than this of the gradient.
const SERVES: f64 = 0.3;

/// F with a kink of the width 1/gain.
pub(in super::super) struct Objective<'a> {
    pub(in super::super) base: &'a Base<'a>,
    pub(in super::super) gain: f64,
}

impl Objective<'_> {
    fn loss(&self, s: f64) -> f64 {
        if !self.base.is_hinge {
            return self.base.loss(s);
        }
        let t = (1.0 - s) * self.gain + 0.5;
        match t {
            t if t <= 0.0 => 0.0,
            t if t >= 1.0 => 1.0 - s,
            t => t * t / (2.0 * self.gain),
        }
    }

    fn value(&self, margins: &[f64], theta: &[f64], force: &[f64]) -> f64 {
        let Base { p, eps, sigma, .. } = self.base;
        let loss: f64 = margins.iter().zip(p).map(|(&s, p)| p * self.loss(s)).sum();
        (1.0 - eps) * loss + sigma / 2.0 * dot(theta, theta) - dot(force, theta)
    }

    /// The second derivative of F, from the activities.
    pub(in super::super) fn curvature(&self, q: &[f64]) -> Option<Cholesky> {
        let Base { d, n, p, eps, sigma, is_hinge, .. } = self.base;
        let mut a = vec![0.0; d * d];
        for i in 0..*n {
            let bend = if *is_hinge { self.gain } else { q[i] * (1.0 - q[i]) };
            if q[i] > 0.0 && q[i] < 1.0 {
                let z = self.base.row(i);
                let factor = (1.0 - eps) * p[i] * bend;
                for j in 0..*d {
                    add(&mut a[j * d..=j * d + j], factor * z[j], z);
                }
            }
        }
        (0..*d).for_each(|j| a[j * d + j] += sigma);
        Cholesky::new(a, *d)
    }

    /// θ with ∇F(θ) = force, from a start.
    pub(super) fn solve(&self, force: &[f64], start: &[f64], tolerance: f64) -> Vec<f64> {
        self.solve_near(force, start, None, tolerance)
    }

    /// The same with a second derivative that is used while the gradient shrinks by it, if there is one.
    pub(super) fn solve_near(
        &self,
        force: &[f64],
        start: &[f64],
        near: Option<&Cholesky>,
        tolerance: f64,
    ) -> Vec<f64> {
        let base = self.base;
        let (mut theta, mut margins) = (start.to_vec(), base.margins(start));
        let mut before = self.value(&margins, &theta, force);
        let (mut last, mut own) = (f64::INFINITY, None);
        for _ in 0..STEPS {
            let q: Vec<f64> = margins.iter().map(|&s| base.activity(self.gain, s)).collect();
            let mut gradient: Vec<f64> = base.pull(&q).iter().map(|x| -x).collect();
            add(&mut gradient, base.sigma, &theta);
            add(&mut gradient, -1.0, force);
            let size = norm(&gradient);
            if size < tolerance {
                break;
            }
            if near.is_none() || size > SERVES * last {
                own = self.curvature(&q);
            }
            last = size;
            let Some(curvature) = own.as_ref().or(near) else { break };
            let step = curvature.solve(&gradient);
            let along = base.margins(&step);
            let slope = dot(&gradient, &step);
            let mut t = 1.0;
            let moved = loop {
                let next: Vec<f64> = theta.iter().zip(&step).map(|(x, s)| x - t * s).collect();
                let there: Vec<f64> = margins.iter().zip(&along).map(|(m, a)| m - t * a).collect();
                let value = self.value(&there, &next, force);
                if value <= before - 1e-4 * t * slope {
                    break Some((next, there, value));
                }
                t /= 2.0;
                if t < 1e-10 {
                    break None;
                }
            };
            let Some((next, there, value)) = moved else { break };
            (theta, margins, before) = (next, there, value);
        }
        theta
    }
}
