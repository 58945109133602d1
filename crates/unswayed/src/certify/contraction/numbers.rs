//! Learner, rows and λ as numbers, in the letters of Section 24 of docs/theory.md.

use unswayed_check::Target;

use super::super::dot;
use crate::problem::Problem;

/// Rows are filled up with zeros to a multiple of this many entries.
const LANES: usize = 8;

/// Everything that does not change from round to round.
pub(super) struct Numbers {
    /// The rows, each filled up to `width` entries.
    z: Vec<f64>,
    pub(super) n: usize,
    pub(super) d: usize,
    pub(super) width: usize,
    pub(super) squares: Vec<f64>,
    pub(super) sigma: f64,
    pub(super) eps: f64,
    pub(super) radius: f64,
    pub(super) alpha: f64,
    /// β, filled up.
    pub(super) beta: Vec<f64>,
    /// 2αk
    pub(super) two_ak: f64,
    /// ασ(2−ησ)
    pub(super) curvature: f64,
    /// κ_i
    pub(super) kappas: Vec<f64>,
    /// F_i
    pub(super) jumps: Vec<f64>,
    /// εαηR²
    pub(super) noise: f64,
}

impl Numbers {
    /// For the rows of one dataset.
    pub(super) fn new(problem: &Problem, dataset: usize, radius: f64, alpha: f64, beta: &[f64]) -> Self {
        let (learner, data) = (problem.learner(), &problem.data()[dataset]);
        let (eta, sigma, eps) = (learner.learning_rate, learner.regularization, problem.threat().poison_rate);
        let (n, d) = (data.rows(), data.dimension());
        let width = d.next_multiple_of(LANES);
        let filled = |x: &[f64]| [x, &vec![0.0; width - d]].concat();
        let two_ak = 2.0 * alpha * (1.0 - eta * sigma);
        let squares: Vec<f64> = data.iter().map(|z| dot(z, z)).collect();
        let p = data.probabilities();
        let t = of_target(&problem.statement().target, dataset, &p);
        let jump =
            |((z, n), p): ((&[f64], &f64), &f64)| p * (1.0 - eps) * (two_ak + alpha * eta * n + dot(beta, z));
        Numbers {
            z: data.iter().flat_map(filled).collect(),
            n,
            d,
            width,
            jumps: data.iter().zip(&squares).zip(&p).map(jump).collect(),
            squares,
            sigma,
            eps,
            radius,
            alpha,
            beta: filled(beta),
            two_ak,
            curvature: alpha * sigma * (2.0 - eta * sigma),
            kappas: p.iter().zip(&t).map(|(p, t)| p * two_ak * (1.0 - eps) - t).collect(),
            noise: eps * alpha * eta * radius * radius,
        }
    }

    #[inline(always)]
    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.z[i * self.width..][..self.width]
    }
}

/// t_i of all rows.
fn of_target(target: &Target, dataset: usize, p: &[f64]) -> Vec<f64> {
    let Target::Weights(weights) = target else { return p.to_vec() };
    let total: f64 = weights[dataset].iter().sum();
    weights[dataset].iter().map(|t| t / total).collect()
}
