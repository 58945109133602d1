//! Learner and rows as numbers, and small dense algebra.

use unswayed_check::{Loss, Set};

use super::super::dot;
use crate::problem::Problem;

/// The letters of Section 20 of docs/theory.md.
pub(in super::super) struct Base<'a> {
    pub(in super::super) z: &'a [f64],
    pub(in super::super) n: usize,
    pub(in super::super) d: usize,
    pub(in super::super) p: Vec<f64>,
    pub(in super::super) squares: Vec<f64>,
    pub(in super::super) is_hinge: bool,
    pub(in super::super) eta: f64,
    pub(in super::super) sigma: f64,
    pub(in super::super) eps: f64,
    /// R, the radius of a ball around the adversary's set.
    pub(in super::super) radius: f64,
    /// n̂
    pub(in super::super) norm: f64,
    /// 1 − ησ
    pub(in super::super) k: f64,
    /// σ(2−ησ)
    pub(in super::super) s2: f64,
}

impl<'a> Base<'a> {
    pub(in super::super) fn new(problem: &'a Problem) -> Option<Self> {
        let (learner, threat, data) = (problem.learner(), problem.threat(), &problem.data()[0]);
        let (eta, sigma, eps) = (learner.learning_rate, learner.regularization, threat.poison_rate);
        let d = data.dimension();
        let longest = data.largest_norm();
        // A little more, where the square root is rounded.
        let above = |square: f64| square.sqrt() * (1.0 + 1e-12);
        let radius = match &threat.set {
            Set::Ball { radius } => *radius,
            Set::Box { radii } => above(dot(radii, radii)),
            Set::Points { points } => above(points.chunks(d).map(|x| dot(x, x)).fold(0.0, f64::max)),
            Set::LabelFlips => longest * (1.0 + 1e-12),
            Set::Ellipsoid { q } => {
                above(largest_eigenvalue(d, |i, j| q[super::super::conic::packed(i, j)]) * 1.001)
            }
            Set::Any | Set::Features { .. } => return None,
        };
        let squares = data.iter().map(|z| dot(z, z)).collect();
        let norm = longest.max(radius) * (1.0 + 1e-6);
        Some(Base {
            z: data.z(),
            n: data.rows(),
            d,
            p: data.probabilities(),
            squares,
            is_hinge: learner.loss == Loss::Hinge,
            eta,
            sigma,
            eps,
            radius,
            norm,
            k: 1.0 - eta * sigma,
            s2: sigma * (2.0 - eta * sigma),
        })
    }

    pub(in super::super) fn row(&self, i: usize) -> &'a [f64] {
        &self.z[i * self.d..(i + 1) * self.d]
    }

    /// θᵀz of all rows.
    pub(in super::super) fn margins(&self, theta: &[f64]) -> Vec<f64> {
        self.z.chunks_exact(self.d).map(|z| dot(z, theta)).collect()
    }

    /// (1−ε)Σ p_i f_i z_i
    pub(in super::super) fn pull(&self, factors: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.d];
        for (i, f) in factors.iter().enumerate().filter(|(_, f)| **f != 0.0) {
            add(&mut sum, (1.0 - self.eps) * self.p[i] * f, self.row(i));
        }
        sum
    }

    /// −φ'(s); the hinge's jump has the slope `gain`.
    pub(in super::super) fn activity(&self, gain: f64, s: f64) -> f64 {
        if self.is_hinge { ((1.0 - s) * gain + 0.5).clamp(0.0, 1.0) } else { 1.0 / (1.0 + s.exp()) }
    }

    /// e(q)
    pub(in super::super) fn conjugate(&self, q: f64) -> f64 {
        if self.is_hinge {
            return q;
        }
        let part = |q: f64| if q > 0.0 { -q * q.ln() } else { 0.0 };
        part(q) + part(1.0 - q)
    }

    /// φ(s)
    pub(in super::super) fn loss(&self, s: f64) -> f64 {
        if self.is_hinge { (1.0 - s).max(0.0) } else { (-s).max(0.0) + (-s.abs()).exp().ln_1p() }
    }
}

/// x += factor·y
pub(in super::super) fn add(x: &mut [f64], factor: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += factor * y);
}

pub(in super::super) fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// A lower triangle L with LLᵀ = a matrix, row by row.
#[derive(Clone)]
pub(in super::super) struct Cholesky {
    d: usize,
    l: Vec<f64>,
}

impl Cholesky {
    /// Of the symmetric matrix with this lower triangle, row by row in a square; none if it is not positive definite.
    pub(in super::super) fn new(mut a: Vec<f64>, d: usize) -> Option<Self> {
        for i in 0..d {
            for j in 0..=i {
                let inner = dot(&a[i * d..i * d + j], &a[j * d..j * d + j]);
                let rest = a[i * d + j] - inner;
                if i == j {
                    if rest.is_nan() || rest <= 0.0 {
                        return None;
                    }
                    a[i * d + i] = rest.sqrt();
                } else {
                    a[i * d + j] = rest / a[j * d + j];
                }
            }
        }
        Some(Cholesky { d, l: a })
    }

    /// L⁻¹x
    pub(in super::super) fn half(&self, x: &[f64]) -> Vec<f64> {
        let mut y = x.to_vec();
        for i in 0..self.d {
            let row = &self.l[i * self.d..];
            y[i] = (y[i] - dot(&row[..i], &y[..i])) / row[i];
        }
        y
    }

    /// The entry in a row and a column of L.
    pub(in super::super) fn entry(&self, i: usize, j: usize) -> f64 {
        self.l[i * self.d + j]
    }

    /// (LLᵀ)⁻¹x
    pub(in super::super) fn solve(&self, x: &[f64]) -> Vec<f64> {
        self.other_half(&self.half(x))
    }

    /// L⁻ᵀx
    pub(in super::super) fn other_half(&self, x: &[f64]) -> Vec<f64> {
        let mut y = x.to_vec();
        for i in (0..self.d).rev() {
            let value = y[i] / self.l[i * self.d + i];
            y[i] = value;
            let row = &self.l[i * self.d..i * self.d + i];
            y.iter_mut().zip(row).for_each(|(y, l)| *y -= l * value);
        }
        y
    }
}

/// The largest eigenvalue of a symmetric matrix ⪰ 0, or a little less.
pub(in super::super) fn largest_eigenvalue(d: usize, entry: impl Fn(usize, usize) -> f64) -> f64 {
    let matrix: Vec<f64> = (0..d * d).map(|place| entry(place / d, place % d)).collect();
    let mut x: Vec<f64> = (0..d).map(|i| 1.0 + 0.01 * i as f64).collect();
    let mut value = 0.0;
    for _ in 0..500 {
        let y: Vec<f64> = matrix.chunks(d).map(|row| dot(row, &x)).collect();
        let length = norm(&y);
        if length == 0.0 {
            return 0.0;
        }
        value = length / norm(&x);
        x = y.iter().map(|y| y / length).collect();
    }
    value
}
