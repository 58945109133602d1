//! The steady-state attack: one point, sent again and again, that drags the learner to the worst place it can be held.
//!
//! A constant point u makes the learner settle, for small learning rates, at
//!
//! ```text
//! θ(u) = argmin (1−ε) Σ p_i max(0, 1−θᵀz_i) + ε max(0, 1−θᵀu) + (σ/2)‖θ‖²
//! ```
//!
//! and the attack maximises ℓ(θ(u)) over ‖u‖ ≤ R. The hinge on θᵀu must stay: the learner ignores a point with θᵀu > 1.
//! θ(u) comes from dual coordinate descent with warm starts; u from several starts, a damped Newton-like ascent on a
//! smoothed problem, and an evolution strategy. The reported figure is always a simulation's.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;

use super::evolve::Candidate;
use super::{dot, make_act, stretch};
use crate::certify::{Descent, benign};
use crate::data::Dataset;
use crate::error::AttackError;
use crate::learner::Hinge;
use crate::threat::Threat;

/// The search looks at no more rows than this; with more, at every so-manieth.
const MOST_ROWS: usize = 2000;

/// Random starts, and how many of the best starts are improved by ascent.
const RANDOM_STARTS: usize = 16;
const ASCENTS: usize = 8;

/// A constant attack and where it holds the learner.
#[derive(Clone, Debug)]
pub struct SteadyState {
    /// The point u; for an adversary who may choose labels only, the probability of a flip for each row.
    pub point: Vec<f64>,
    /// θ(u).
    pub theta: Vec<f64>,
    /// The loss of θ(u) on the target: what the attack reaches for small learning rates.
    pub loss: f64,
}

/// θ(u) and its loss, to full precision.
pub fn fixed_point(
    data: &Dataset,
    learner: &Hinge,
    threat: &Threat,
    point: &[f64],
) -> Result<SteadyState, AttackError> {
    let eps = threat.poison_rate();
    let mut weights: Vec<f64> = data.probabilities().iter().map(|p| (1.0 - eps) * p).collect();
    weights.push(eps);
    let rows = Dataset::from_rows([data.z(), point].concat(), data.dimension(), Some(weights))?;
    let theta = benign(&rows, learner).theta;
    let loss = data.iter().zip(data.probabilities()).map(|(z, p)| p * (1.0 - dot(z, &theta)).max(0.0)).sum();
    Ok(SteadyState { point: point.to_vec(), theta, loss })
}

/// Searches the best point. `starts` are tried first, besides the search's own; `evaluations` bounds the work.
pub fn search(
    data: &Dataset,
    learner: &Hinge,
    threat: &Threat,
    starts: &[Vec<f64>],
    evaluations: usize,
    seed: u64,
) -> Result<SteadyState, AttackError> {
    let stride = data.rows().div_ceil(MOST_ROWS);
    let mut search = Search::new(data, stride, learner, threat);
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut pool = search.first_points(starts, &mut rng);
    for start in pool.clone().into_iter().take(ASCENTS) {
        pool.push(search.ascend(start));
    }
    let best = search.race(pool, evaluations, &mut rng);
    fixed_point(data, learner, threat, &best)
}

struct Search {
    /// The rows, and u after them.
    rows: Vec<Vec<f64>>,
    weights: Vec<f64>,
    eps: f64,
    radius: f64,
    /// Where the learner settles, for the rows and u.
    settled: Descent,
}

impl Search {
    fn new(data: &Dataset, stride: usize, learner: &Hinge, threat: &Threat) -> Self {
        let mut rows: Vec<Vec<f64>> = data.iter().step_by(stride).map(<[f64]>::to_vec).collect();
        let weights: Vec<f64> = data.probabilities().into_iter().step_by(stride).collect();
        let total: f64 = weights.iter().sum();
        let weights: Vec<f64> = weights.iter().map(|p| p / total).collect();
        rows.push(vec![0.0; data.dimension()]);
        let eps = threat.poison_rate();
        let settled = Descent {
            caps: weights.iter().map(|p| (1.0 - eps) * p).chain([eps]).collect(),
            squared: rows.iter().map(|z| dot(z, z)).collect(),
            sigma: learner.regularization(),
            a: vec![0.0; rows.len()],
            theta: vec![0.0; data.dimension()],
        };
        Search { rows, weights, eps, radius: threat.radius(), settled }
    }

    /// ℓ(θ(u)), leaving θ(u) in place; starts from where the last point left it.
    fn settle(&mut self, point: &[f64]) -> f64 {
        let last = self.rows.len() - 1;
        let held = self.settled.a[last] / self.settled.sigma;
        for ((t, new), old) in self.settled.theta.iter_mut().zip(point).zip(&mut self.rows[last]) {
            *t += held * (new - *old);
            *old = *new;
        }
        self.settled.squared[last] = dot(point, point);
        let rows = &self.rows;
        self.settled.run(|i| &rows[i], 1e-7, 60);
        self.loss()
    }

    /// The rows with their weights, without u.
    fn data(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.rows.iter().map(Vec::as_slice).zip(self.weights.iter().copied())
    }

    fn loss(&self) -> f64 {
        self.data().map(|(z, p)| p * (1.0 - dot(z, &self.settled.theta)).max(0.0)).sum()
    }

    /// −Σ p_i z_i over the rows with θᵀz_i < 1.
    fn gradient(&self) -> Vec<f64> {
        let mut gradient = vec![0.0; self.settled.theta.len()];
        for (z, p) in self.data() {
            if dot(z, &self.settled.theta) < 1.0 {
                gradient.iter_mut().zip(z).for_each(|(g, z)| *g -= p * z);
            }
        }
        gradient
    }

    fn try_point(&mut self, point: Vec<f64>) -> Candidate {
        Candidate::new(point, self.radius, |u| self.settle(u))
    }

    /// The given starts, the obvious directions and a few random ones, best first.
    fn first_points(&mut self, starts: &[Vec<f64>], rng: &mut Pcg64Mcg) -> Vec<Candidate> {
        let dimension = self.settled.theta.len();
        self.settle(&vec![0.0; dimension]);
        let mut mean = vec![0.0; dimension];
        for (z, p) in self.data() {
            mean.iter_mut().zip(z).for_each(|(m, z)| *m -= p * z);
        }
        let against: Vec<f64> = self.settled.theta.iter().map(|t| -t).collect();
        let mut points = starts.to_vec();
        points.extend([against, mean, self.gradient(), self.newton_direction()]);
        for _ in 0..RANDOM_STARTS {
            points.push((0..dimension).map(|_| StandardNormal.sample(rng)).collect());
        }
        for point in &mut points {
            stretch(point, self.radius);
        }
        let mut tried: Vec<Candidate> = points.into_iter().map(|point| self.try_point(point)).collect();
        tried.sort_by(|a, b| b.loss.total_cmp(&a.loss));
        tried
    }

    /// H⁻¹∇ℓ, H = σI + (1−ε) Σ p_i δ(s_i − 1) z_i z_iᵀ with a smooth δ: where θ would go if pushed.
    fn newton_direction(&self) -> Vec<f64> {
        const WIDTH: f64 = 0.3;
        let d = self.settled.theta.len();
        let mut h = Mat::<f64>::zeros(d, d);
        for (z, p) in self.data() {
            let off = (dot(z, &self.settled.theta) - 1.0) / WIDTH;
            if off.abs() < 1.0 {
                let weight = (1.0 - self.eps) * p * 0.75 / WIDTH * (1.0 - off * off);
                for i in 0..d {
                    for j in 0..=i {
                        h[(i, j)] += weight * z[i] * z[j];
                    }
                }
            }
        }
        for i in 0..d {
            h[(i, i)] += self.settled.sigma;
        }
        let gradient = self.gradient();
        match h.llt(Side::Lower) {
            Ok(h) => h.solve(Mat::from_fn(d, 1, |i, _| gradient[i])).col(0).iter().copied().collect(),
            Err(_) => gradient,
        }
    }

    /// Damped steps u ← (u + H⁻¹∇ℓ(θ(u)))/2 on the sphere: a good start, which stops early.
    fn ascend(&mut self, start: Candidate) -> Candidate {
        let (mut best, mut point) = (start.clone(), start.point);
        for _ in 0..25 {
            self.settle(&point);
            let mut direction = self.newton_direction();
            stretch(&mut direction, self.radius);
            point.iter_mut().zip(&direction).for_each(|(u, d)| *u = f64::midpoint(*u, *d));
            stretch(&mut point, self.radius);
            make_act(&self.settled.theta, &mut point);
            let next = self.try_point(point.clone());
            if next.loss > best.loss {
                best = next;
            }
        }
        best
    }

    /// Improves all candidates a little, drops the worse half, and so on until one is left: its point.
    fn race(&mut self, mut pool: Vec<Candidate>, evaluations: usize, rng: &mut Pcg64Mcg) -> Vec<f64> {
        let rounds = pool.len().max(2).ilog2() as usize + 1;
        while pool.len() > 1 {
            let share = evaluations / rounds / pool.len();
            for candidate in &mut pool {
                candidate.evolve(share, self.radius, rng, |u| self.settle(u));
            }
            pool.sort_by(|a, b| b.loss.total_cmp(&a.loss));
            pool.truncate(pool.len().div_ceil(2));
        }
        let Some(mut last) = pool.pop() else { return vec![0.0; self.settled.theta.len()] };
        last.evolve(evaluations / rounds, self.radius, rng, |u| self.settle(u));
        last.point
    }
}
