//! The paper's gradient attacks: maximise the loss right after the update, ℓ(kθ + ηz), over the ball.
//!
//! fgsm makes one gradient step from z = 0 to the boundary; pgd makes several shorter ones, projects each to the ball,
//! and keeps the best point. A point with θᵀz > 1 does nothing, so points are projected to θᵀz ≤ 1 as well.

use std::sync::Arc;

use super::{Policy, dot, make_act, stretch};
use crate::data::Dataset;
use crate::learner::{Blocks, Hinge, LANES, Padded, add_padded};

/// Gradient ascent on the next loss.
#[derive(Clone, Debug)]
pub struct Greedy {
    rows: Arc<Padded>,
    blocks: Arc<Blocks>,
    weights: Arc<Vec<f64>>,
    arch: pulp::Arch,
    keep: f64,
    learning_rate: f64,
    radius: f64,
    steps: usize,
    next: Vec<f64>,
    sums: Vec<[f64; LANES]>,
    gradient: Vec<f64>,
    best: Vec<f64>,
}

/// pgd's number of steps, and the length of each as a fraction of the radius.
const PGD_STEPS: usize = 10;
const PGD_STRIDE: f64 = 0.3;

impl Greedy {
    /// One gradient step to the boundary.
    pub fn fgsm(data: &Dataset, learner: &Hinge, radius: f64) -> Self {
        Greedy::new(data, learner, radius, 1)
    }

    /// Ten projected gradient steps.
    pub fn pgd(data: &Dataset, learner: &Hinge, radius: f64) -> Self {
        Greedy::new(data, learner, radius, PGD_STEPS)
    }

    fn new(data: &Dataset, learner: &Hinge, radius: f64, steps: usize) -> Self {
        let blank = vec![0.0; data.dimension()];
        let padded = vec![[0.0; LANES]; data.dimension().div_ceil(LANES)];
        Greedy {
            rows: Arc::new(Padded::new(data.iter(), data.dimension())),
            blocks: Arc::new(Blocks::new(data.iter(), data.dimension())),
            weights: Arc::new(data.probabilities()),
            arch: pulp::Arch::new(),
            keep: 1.0 - learner.learning_rate() * learner.regularization(),
            learning_rate: learner.learning_rate(),
            radius,
            steps,
            next: blank.clone(),
            sums: padded,
            gradient: blank.clone(),
            best: blank,
        }
    }

    /// ℓ(kθ + ηz), with its gradient in `self.gradient`: N·d operations, on the machine's vector unit.
    fn next_loss(&mut self, theta: &[f64], z: &[f64]) -> f64 {
        for ((next, t), z) in self.next.iter_mut().zip(theta).zip(z) {
            *next = self.keep * t + self.learning_rate * z;
        }
        let loss = self.arch.dispatch(LossAndGradient {
            rows: &self.rows,
            blocks: &self.blocks,
            weights: &self.weights,
            theta: &self.next,
            gradient: &mut self.sums,
        });
        self.gradient.copy_from_slice(&self.sums.as_flattened()[..theta.len()]);
        loss
    }
}

/// Σ p_i max(0, 1−θᵀz_i) and its gradient, in the form that is compiled for the machine's vector unit.
struct LossAndGradient<'g> {
    rows: &'g Padded,
    blocks: &'g Blocks,
    weights: &'g [f64],
    theta: &'g [f64],
    gradient: &'g mut [[f64; LANES]],
}

impl pulp::WithSimd for LossAndGradient<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> f64 {
        self.gradient.as_flattened_mut().fill(0.0);
        let mut loss = 0.0;
        for (block, weights) in self.weights.chunks(Blocks::ROWS).enumerate() {
            let scores = self.blocks.scores(block, self.theta);
            // Which rows act is as good as random: they are listed without a branch.
            let (mut acting, mut count) = ([0; Blocks::ROWS], 0);
            for (i, score) in scores[..weights.len()].iter().enumerate() {
                acting[count] = i;
                count += usize::from(*score < 1.0);
            }
            for &i in &acting[..count] {
                let p = weights[i];
                loss += p * (1.0 - scores[i]);
                add_padded(self.gradient, -p, self.rows.row(block * Blocks::ROWS + i));
            }
        }
        loss
    }
}

impl Policy for Greedy {
    fn name(&self) -> &'static str {
        if self.steps == 1 { "fgsm" } else { "pgd" }
    }

    fn choose(&mut self, theta: &[f64], z: &mut [f64]) {
        z.fill(0.0);
        let mut best = f64::NEG_INFINITY;
        for step in 0..=self.steps {
            // fgsm needs no second evaluation: its one step is taken whatever comes out.
            if self.steps > 1 || step == 0 {
                let loss = self.next_loss(theta, z);
                if step > 0 && loss > best {
                    best = loss;
                    self.best.copy_from_slice(z);
                }
            } else {
                self.best.copy_from_slice(z);
            }
            if step == self.steps {
                break;
            }
            let stride = if self.steps == 1 { self.radius } else { PGD_STRIDE * self.radius };
            stretch(&mut self.gradient, stride);
            z.iter_mut().zip(&self.gradient).for_each(|(z, g)| *z += g);
            if dot(z, z) > self.radius * self.radius {
                stretch(z, self.radius);
            }
            make_act(theta, z);
        }
        z.copy_from_slice(&self.best);
    }
}
