//! The paper's experiment on mean estimation: does designed noise protect, and what does?
//!
//! Distributions N(μ, Σ) from the paper's priors: some to choose on, others to judge on. The adversary sees the estimate and always
//! pushes it straight away from the mean. Curves are averages over the test distributions.

use faer::{Mat, Side};
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;
use rayon::prelude::*;

use super::{Curve, ExperimentError, Panel};
use crate::attack::{Effort, MeanLearner, attack_mean};
use crate::certify::{MeanOutcome, MeanSetting, certify_shrunk_mean};
use crate::data::Dataset;
use crate::design::noise::{Noise, Task, Terms, alternate, paper_tasks};
use crate::design::sweep::Observer;

/// The experiment's numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct MeanExperiment {
    /// d.
    pub dimension: usize,
    /// Distributions to choose on.
    pub train: usize,
    /// Distributions to judge on.
    pub test: usize,
    /// Points drawn from each distribution; they are its stand-in.
    pub samples: usize,
    /// r: the adversary's points have ‖z−μ‖² ≤ r.
    pub squared_radius: f64,
    /// η where it is not varied.
    pub learning_rate: f64,
    /// ε where it is not varied.
    pub poison_rate: f64,
    /// tr S of the noise that is tried.
    pub noise_trace: f64,
    /// κ.
    pub weight: f64,
    /// The seed of everything random.
    pub seed: u64,
}

impl Default for MeanExperiment {
    /// d = 20, 10 and 50 distributions, r = d, as in the paper; the rest is our choice.
    fn default() -> Self {
        MeanExperiment {
            dimension: 20,
            train: 10,
            test: 50,
            samples: 1000,
            squared_radius: 20.0,
            learning_rate: 0.05,
            poison_rate: 0.1,
            noise_trace: 20.0,
            weight: 1.0,
            seed: 0,
        }
    }
}

/// Learning rates of the first panel.
const LEARNING_RATES: [f64; 6] = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2];
/// Poison rates of the second panel.
const POISON_RATES: [f64; 6] = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4];
/// What the learner may be chosen from instead of noise.
const CHOICE_RATES: [f64; 3] = [0.005, 0.01, 0.05];
const CHOICE_SHRINKAGES: [f64; 7] = [0.0, 0.03, 0.1, 0.2, 0.3, 0.5, 1.0];
/// Iterations of Algorithm 1.
const ITERATIONS: usize = 10;

/// What came out.
#[derive(Clone, Debug)]
pub struct MeanResult {
    /// Loss against learning rate, loss against poison rate.
    pub panels: [Panel; 2],
    /// tr S after each half step of Algorithm 1, from isotropic and from shaped noise.
    pub noise_traces: [Vec<f64>; 2],
    /// For each poison rate of the second panel, the learning rate and shrinkage that were chosen.
    pub chosen: Vec<(f64, f64, f64)>,
    /// The certified loss at other squared radii, as a mean over the test distributions: r and the loss.
    pub radii: Vec<(f64, f64)>,
}

/// A distribution by its sample.
struct Sampled {
    data: Dataset,
    mean_norm: f64,
    covariance_trace: f64,
}

/// A way to protect the estimate.
#[derive(Clone, Debug)]
enum Defence {
    /// Noise with this B (columns, one after the other); none if empty.
    Noise(Vec<f64>),
    /// Shrinkage σ.
    Shrinkage(f64),
}

impl MeanExperiment {
    /// Runs it.
    pub fn run(&self, observer: &dyn Observer) -> Result<MeanResult, ExperimentError> {
        crate::sequential::decompose_on_one_thread();
        let train = paper_tasks(self.dimension, self.train, self.seed);
        let test = paper_tasks(self.dimension, self.test, self.seed ^ 0x7465_7374);
        let test: Vec<Sampled> =
            test.iter().enumerate().map(|(i, t)| self.sample(t, i as u64)).collect::<Result<_, _>>()?;
        let shaped = mean_covariance(&train);
        let scale =
            self.noise_trace / (0..self.dimension).map(|i| shaped[i * self.dimension + i]).sum::<f64>();
        let shaped: Vec<f64> = shaped.iter().map(|x| x * scale).collect();
        let defences = [
            ("no noise", Defence::Noise(Vec::new())),
            ("isotropic noise", Defence::Noise(self.isotropic())),
            ("shaped noise", Defence::Noise(root(&shaped, self.dimension))),
        ];
        observer.expect(defences.len() * (LEARNING_RATES.len() + POISON_RATES.len()) + POISON_RATES.len());
        let by_rate = self.curves(&test, &defences, &LEARNING_RATES, true, observer)?;
        let mut by_poison = self.curves(&test, &defences, &POISON_RATES, false, observer)?;
        let chosen =
            POISON_RATES.iter().map(|eps| self.choose(&train, *eps)).collect::<Result<Vec<_>, _>>()?;
        by_poison.push(self.chosen_curve(&test, &chosen, observer)?);
        Ok(MeanResult {
            panels: [
                Panel { title: format!("poison rate {}", self.poison_rate), curves: by_rate },
                Panel { title: format!("learning rate {}", self.learning_rate), curves: by_poison },
            ],
            noise_traces: [
                self.algorithm1(&train, Noise::Isotropic(self.noise_trace / self.dimension as f64))?,
                self.algorithm1(&train, Noise::Shaped(shaped))?,
            ],
            radii: self.radii(&test)?,
            chosen,
        })
    }

    fn isotropic(&self) -> Vec<f64> {
        let d = self.dimension;
        let s = (self.noise_trace / d as f64).sqrt();
        (0..d * d).map(|i| if i / d == i % d { s } else { 0.0 }).collect()
    }

    /// Points of a distribution.
    fn sample(&self, task: &Task, index: u64) -> Result<Sampled, ExperimentError> {
        let d = self.dimension;
        let columns = root(&task.covariance, d);
        let mut random = Pcg64Mcg::seed_from_u64(self.seed.wrapping_mul(1_000_003) ^ index);
        let mut rows = Vec::with_capacity(self.samples * d);
        for _ in 0..self.samples {
            let mut x = task.mean.clone();
            for column in columns.chunks_exact(d) {
                let w: f64 = StandardNormal.sample(&mut random);
                x.iter_mut().zip(column).for_each(|(x, b)| *x += w * b);
            }
            rows.extend(x);
        }
        let mut mean = vec![0.0; d];
        rows.chunks_exact(d)
            .for_each(|x| mean.iter_mut().zip(x).for_each(|(m, x)| *m += x / self.samples as f64));
        let squares = |x: &[f64]| x.iter().zip(&mean).map(|(x, m)| (x - m).powi(2)).sum::<f64>();
        let covariance_trace = rows.chunks_exact(d).map(squares).sum::<f64>() / self.samples as f64;
        let mean_norm = mean.iter().map(|m| m * m).sum::<f64>().sqrt();
        let data = Dataset::from_rows(rows, d, None)?;
        Ok(Sampled { data, mean_norm, covariance_trace })
    }

    /// One curve for each defence, over learning rates or poison rates.
    fn curves(
        &self,
        test: &[Sampled],
        defences: &[(&str, Defence)],
        values: &[f64],
        over_rates: bool,
        observer: &dyn Observer,
    ) -> Result<Vec<Curve>, ExperimentError> {
        let mut curves = Vec::new();
        for (name, defence) in defences {
            let mut curve = Curve::new(name, values);
            for value in values {
                let (eta, eps) =
                    if over_rates { (*value, self.poison_rate) } else { (self.learning_rate, *value) };
                curve.push(self.average(test, eta, eps, defence)?);
                observer.done();
            }
            curves.push(curve);
        }
        Ok(curves)
    }

    /// The learner that was chosen for each poison rate.
    fn chosen_curve(
        &self,
        test: &[Sampled],
        chosen: &[(f64, f64, f64)],
        observer: &dyn Observer,
    ) -> Result<Curve, ExperimentError> {
        let mut curve = Curve::new("chosen learning rate and shrinkage", &POISON_RATES);
        for (eps, eta, sigma) in chosen {
            curve.push(self.average(test, *eta, *eps, &Defence::Shrinkage(*sigma))?);
            observer.done();
        }
        Ok(curve)
    }

    /// Certified, attack and benign loss, as means over the test distributions.
    fn average(
        &self,
        test: &[Sampled],
        eta: f64,
        eps: f64,
        defence: &Defence,
    ) -> Result<[f64; 3], ExperimentError> {
        let one = |task: &Sampled| self.one(task, eta, eps, defence);
        let all: Vec<[f64; 3]> = test.par_iter().map(one).collect::<Result<_, _>>()?;
        let mean = |i: usize| all.iter().map(|x| x[i]).sum::<f64>() / all.len() as f64;
        Ok([mean(0), mean(1), mean(2)])
    }

    fn one(
        &self,
        task: &Sampled,
        eta: f64,
        eps: f64,
        defence: &Defence,
    ) -> Result<[f64; 3], ExperimentError> {
        let r = self.squared_radius;
        let mut learner = MeanLearner::plain(eta);
        let (certified, benign) = match defence {
            Defence::Noise(columns) => {
                learner.noise.clone_from(columns);
                let trace = columns.iter().map(|b| b * b).sum();
                let outcome = MeanOutcome::of_samples(&task.data, eta, eps, r, trace)?;
                (outcome.certified_loss, outcome.benign_loss)
            }
            Defence::Shrinkage(sigma) => {
                learner.shrinkage = *sigma;
                let setting = MeanSetting::new(eta, eps, r, task.covariance_trace, 0.0)?;
                let certified = certify_shrunk_mean(&setting, *sigma, task.mean_norm)?;
                (certified, shrunk_benign_loss(eta, *sigma, task))
            }
        };
        let attacked = attack_mean(&task.data, &learner, eps, r, Effort::Fast, self.seed)?;
        Ok([certified, attacked.loss.mean, benign])
    }

    /// The learning rate and shrinkage with the smallest mean of benign loss + κ · certified loss on the training distributions.
    fn choose(&self, train: &[Task], eps: f64) -> Result<(f64, f64, f64), ExperimentError> {
        let mut best = (f64::INFINITY, (eps, 0.0, 0.0));
        for eta in CHOICE_RATES {
            for sigma in CHOICE_SHRINKAGES {
                let mut objective = 0.0;
                for (i, task) in train.iter().enumerate() {
                    let task = self.sample(task, 1_000_000 + i as u64)?;
                    let setting =
                        MeanSetting::new(eta, eps, self.squared_radius, task.covariance_trace, 0.0)?;
                    let certified = certify_shrunk_mean(&setting, sigma, task.mean_norm)?;
                    objective += shrunk_benign_loss(eta, sigma, &task) + self.weight * certified;
                }
                if objective < best.0 {
                    best = (objective, (eps, eta, sigma));
                }
            }
        }
        Ok(best.1)
    }

    /// tr S after each half step.
    fn algorithm1(&self, train: &[Task], start: Noise) -> Result<Vec<f64>, ExperimentError> {
        let terms = Terms {
            learning_rate: self.learning_rate,
            poison_rate: self.poison_rate,
            squared_radius: self.squared_radius,
            weight: self.weight,
        };
        let first = start.trace(self.dimension);
        let designed = alternate(train, &terms, start, ITERATIONS)?;
        Ok(std::iter::once(first).chain(designed.history.iter().map(|p| p.noise_trace)).collect())
    }

    /// The certified loss if poisoned points are confined more tightly.
    fn radii(&self, test: &[Sampled]) -> Result<Vec<(f64, f64)>, ExperimentError> {
        let at = |r: f64| {
            let mut sum = 0.0;
            for task in test {
                let data = &task.data;
                sum += MeanOutcome::of_samples(data, self.learning_rate, self.poison_rate, r, 0.0)?
                    .certified_loss;
            }
            Ok((r, sum / test.len() as f64))
        };
        [1.0, 0.5, 0.25].map(|share| at(share * self.squared_radius)).into_iter().collect()
    }
}

/// E‖θ−μ‖² without adversary: with c = 1/(1+σ) and η' = η(1+σ), η'c² tr Σ/(2−η') + ‖μ−cμ‖².
fn shrunk_benign_loss(eta: f64, sigma: f64, task: &Sampled) -> f64 {
    let (c, rate) = (1.0 / (1.0 + sigma), eta * (1.0 + sigma));
    rate * c * c * task.covariance_trace / (2.0 - rate) + (sigma * c * task.mean_norm).powi(2)
}

/// The mean of the tasks' covariances.
fn mean_covariance(tasks: &[Task]) -> Vec<f64> {
    let mut mean = vec![0.0; tasks[0].covariance.len()];
    for task in tasks {
        mean.iter_mut().zip(&task.covariance).for_each(|(m, c)| *m += c / tasks.len() as f64);
    }
    mean
}

/// The columns of a B with BBᵀ = the matrix, by Cholesky's factor.
fn root(matrix: &[f64], dimension: usize) -> Vec<f64> {
    let a = Mat::from_fn(dimension, dimension, |i, j| matrix[i * dimension + j]);
    let Ok(factor) = a.llt(Side::Lower) else { return vec![0.0; matrix.len()] };
    (0..dimension * dimension).map(|i| factor.L()[(i % dimension, i / dimension)]).collect()
}
