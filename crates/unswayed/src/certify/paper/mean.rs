//! The paper's Theorem 2 for mean estimation, corrected: general A, b and a mean μ that is not shifted to 0.
//!
//! With A and b standing for η times the paper's, the bound is the smallest gᵀD⁻¹g + e over A, b, ν ≥ 0 with D ⪰ 0,
//!
//! ```text
//! D = [[(2−η)A − I, −ε(1−η)A], [−ε(1−η)A, νI − εηA]]      2g = (2(1−ε)(1−η)Aμ − b − 2μ, εb + 2νμ)
//! e = ‖μ‖² + (1−ε)(η μᵀAμ + η tr AΣ + bᵀμ) + η tr AS + ν(r − ‖μ‖²)
//! ```
//!
//! The closed form ([`crate::certify::certify_mean`]) is its value; this program is there to show it.

use super::MOST_COLUMNS;
use crate::certify::conic::{Cone, Program, Progress, packed, triangle};
use crate::certify::{MeanOutcome, MeanSetting};
use crate::data::Dataset;
use crate::error::CertifyError;

/// What the program knows of the distribution and the learner's noise.
#[derive(Clone, Debug, PartialEq)]
pub struct MeanMoments {
    mean: Vec<f64>,
    /// Σ and S, packed upper triangles.
    covariance: Vec<f64>,
    noise: Vec<f64>,
}

impl MeanMoments {
    /// From μ and the full matrices Σ and S; `None` if their sizes do not fit. Of each matrix the symmetric part counts.
    pub fn new(mean: Vec<f64>, covariance: &[Vec<f64>], noise: &[Vec<f64>]) -> Option<Self> {
        let d = mean.len();
        let fits = |m: &[Vec<f64>]| m.len() == d && m.iter().all(|row| row.len() == d);
        let pack = |m: &[Vec<f64>]| triangle(d).map(|(i, j)| f64::midpoint(m[i][j], m[j][i])).collect();
        (d > 0 && fits(covariance) && fits(noise)).then(|| MeanMoments {
            covariance: pack(covariance),
            noise: pack(noise),
            mean,
        })
    }

    /// One dimension with these variances: the bound depends on the traces only.
    pub fn of_traces(covariance: f64, noise: f64) -> Self {
        MeanMoments { mean: vec![0.0], covariance: vec![covariance], noise: vec![noise] }
    }

    /// Mean and covariance of samples, and noise of the given trace, the same in all directions.
    pub fn of_samples(samples: &Dataset, noise_trace: f64) -> Self {
        let (d, weights) = (samples.dimension(), samples.probabilities());
        let mut mean = vec![0.0; d];
        for (z, p) in samples.iter().zip(&weights) {
            mean.iter_mut().zip(z).for_each(|(m, z)| *m += p * z);
        }
        let mut covariance = vec![0.0; d * (d + 1) / 2];
        for (z, p) in samples.iter().zip(&weights) {
            for ((i, j), sum) in triangle(d).zip(&mut covariance) {
                *sum += p * (z[i] - mean[i]) * (z[j] - mean[j]);
            }
        }
        let noise = triangle(d).map(|(i, j)| if i == j { noise_trace / d as f64 } else { 0.0 });
        MeanMoments { mean, covariance, noise: noise.collect() }
    }
}

/// The program's value, in floating point; `None` if the solver finds none.
pub fn mean_value(setting: &MeanSetting, moments: &MeanMoments, progress: Option<&Progress>) -> Option<f64> {
    value(setting, moments, 1.0, progress)
}

/// The value of the program in print, which has −νI in place of νI: `None`, because it is infeasible for every ε > 0.
pub fn printed_mean_value(setting: &MeanSetting, moments: &MeanMoments) -> Option<f64> {
    value(setting, moments, -1.0, None)
}

/// The closed form's certificate with the bound raised to the program's value, if that is larger: a number above a proven
/// bound is one.
pub fn certify_mean(
    mut closed: MeanOutcome,
    setting: &MeanSetting,
    moments: &MeanMoments,
    progress: Option<&Progress>,
) -> Result<MeanOutcome, CertifyError> {
    if moments.mean.len() > MOST_COLUMNS {
        return Err(CertifyError::TooLarge { rows: 0, columns: moments.mean.len() });
    }
    let none = CertifyError::NoProof { refusal: None };
    let value = mean_value(setting, moments, progress).ok_or(none)?;
    closed.certified_loss = closed.certified_loss.max(value);
    closed.certificate.bound = closed.certified_loss;
    Ok(closed)
}

/// The entries of A, then those of b, then ν and the bound on gᵀD⁻¹g.
struct Places(usize);

impl Places {
    fn b(&self, j: usize) -> usize {
        self.0 * (self.0 + 1) / 2 + j
    }

    fn nu(&self) -> usize {
        self.b(self.0)
    }

    fn square(&self) -> usize {
        self.nu() + 1
    }
}

fn value(
    setting: &MeanSetting,
    moments: &MeanMoments,
    sign: f64,
    progress: Option<&Progress>,
) -> Option<f64> {
    let d = moments.mean.len();
    let places = Places(d);
    let (eta, eps) = (setting.learning_rate(), setting.poison_rate());
    let mu = &moments.mean;
    let square: f64 = mu.iter().map(|m| m * m).sum();
    let mut program = Program::new(places.square() + 1);
    program.pay(places.square(), 1.0);
    program.pay(places.nu(), setting.squared_radius() - square);
    for (i, j) in triangle(d) {
        let times = if i == j { 1.0 } else { 2.0 };
        let second = mu[i] * mu[j] + moments.covariance[packed(i, j)];
        let cost = (1.0 - eps) * second + moments.noise[packed(i, j)];
        program.pay(packed(i, j), eta * times * cost);
    }
    (0..d).for_each(|j| program.pay(places.b(j), (1.0 - eps) * mu[j]));
    program.cone(Cone::NonNegative, |p| p.row(0.0, [(places.nu(), 1.0)]));
    program.cone(Cone::SemiDefinite(2 * d + 1), |p| schur(p, &places, mu, eta, eps, sign));
    let solved = program.solve(progress)?;
    solved.converged().then_some(solved.cost + square)
}

/// [[D, g], [gᵀ, bound]] ⪰ 0.
fn schur(p: &mut Program, places: &Places, mu: &[f64], eta: f64, eps: f64, sign: f64) {
    let d = mu.len();
    for (i, j) in triangle(2 * d + 1) {
        let root = if i == j { 1.0 } else { 2_f64.sqrt() };
        let unit = |x: f64| if i % d == j % d { root * x } else { 0.0 };
        let entry = |factor: f64| (packed(i % d, j % d), root * factor);
        match (i / d, j / d) {
            _ if i == 2 * d => p.row(0.0, [(places.square(), 1.0)]),
            (0, _) if j == 2 * d => {
                let mean = (0..d).map(|l| (packed(i, l), root * (1.0 - eps) * (1.0 - eta) * mu[l]));
                p.row(-root * mu[i], mean.chain([(places.b(i), -0.5 * root)]));
            }
            (1, _) if j == 2 * d => {
                let i = i - d;
                p.row(0.0, [(places.b(i), 0.5 * root * eps), (places.nu(), root * mu[i])]);
            }
            (0, 0) => p.row(-unit(1.0), [entry(2.0 - eta)]),
            (0, _) => p.row(0.0, [entry(-eps * (1.0 - eta))]),
            _ => p.row(0.0, [entry(-eps * eta), (places.nu(), sign * unit(1.0))]),
        }
    }
}
