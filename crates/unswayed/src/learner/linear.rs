//! Linear learners in motion: every loss and every variant of the step that [`unswayed_check::Learner`] describes.

use unswayed_check::{Learner, Loss};

use unswayed_data::SparseRows;

use super::loss::{blocks, pull};
use super::online::{LANES, Online, add_padded, padded_dot};
use crate::certify::dot;

/// A linear learner in motion: θ' = P(kθ + (η/b) Σ g), and with momentum θ' = kθ + (η/b) Σ g + μ(θ − the θ before). A step in the sense of [`Online`] is one point: θ moves at the last one of
/// each batch.
#[derive(Clone, Debug)]
pub struct LinearState(Motion);

/// The way in which θ is kept.
#[derive(Clone, Debug)]
enum Motion {
    Scaled(Scaled),
    General(General),
}

impl LinearState {
    /// θ = 0, for points with so many entries.
    pub fn new(learner: &Learner, point: usize) -> Self {
        let is_plain = learner.batch == 1
            && learner.projection.is_none()
            && learner.unregularized.is_empty()
            && learner.momentum.is_none();
        let is_margin = learner.loss.label_entries() == 0;
        LinearState(if is_plain && is_margin {
            Motion::Scaled(Scaled::new(learner, point))
        } else {
            Motion::General(General::new(learner, point))
        })
    }

    /// One step of the learner on one point (of a batch of one), from and to an unpadded θ; with momentum the first one.
    ///
    /// ```
    /// use unswayed::check::{Learner, Loss};
    /// use unswayed::learner::LinearState;
    /// let mut theta = vec![0.0, 0.0];
    /// LinearState::update(&Learner::new(Loss::Hinge, 1e-3, 0.01), &mut theta, &[0.6, 0.8]);
    /// assert_eq!(theta, [6e-4, 8e-4]);
    /// ```
    pub fn update(learner: &Learner, theta: &mut [f64], z: &[f64]) {
        LinearState::weighted_update(learner, theta, z, 1.0);
    }

    /// The same on a point with a step weight.
    pub fn weighted_update(learner: &Learner, theta: &mut [f64], z: &[f64], weight: f64) {
        let mut state = General::new(&Learner { batch: 1, ..learner.clone() }, z.len());
        state.restart(theta, 0);
        let mut padded = vec![[0.0; LANES]; z.len().div_ceil(LANES)];
        padded.as_flattened_mut()[..z.len()].copy_from_slice(z);
        state.weighted_step(&padded, weight);
        state.theta(theta);
    }
}

impl Online for LinearState {
    #[inline(always)]
    fn sparse_step(&mut self, rows: SparseRows<'_>, row: usize) {
        match &mut self.0 {
            Motion::Scaled(state) => state.sparse_step(rows, row),
            Motion::General(state) => state.sparse_step(rows, row),
        }
    }

    #[inline(always)]
    fn step(&mut self, z: &[[f64; LANES]]) {
        match &mut self.0 {
            Motion::Scaled(state) => state.step(z),
            Motion::General(state) => state.step(z),
        }
    }

    #[inline(always)]
    fn weighted_step(&mut self, z: &[[f64; LANES]], weight: f64) {
        match &mut self.0 {
            Motion::Scaled(state) => state.weighted_step(z, weight),
            Motion::General(state) => state.weighted_step(z, weight),
        }
    }

    fn theta(&self, out: &mut [f64]) {
        match &self.0 {
            Motion::Scaled(state) => state.theta(out),
            Motion::General(state) => state.theta(out),
        }
    }

    fn restart(&mut self, theta: &[f64], seed: u64) {
        match &mut self.0 {
            Motion::Scaled(state) => state.restart(theta, seed),
            Motion::General(state) => state.restart(theta, seed),
        }
    }
}

/// One point per step and no projection: θ = scale·w, so that a point which does not act costs one product and no write.
#[derive(Clone, Debug)]
struct Scaled {
    loss: Loss,
    w: Vec<[f64; LANES]>,
    scale: f64,
    inverse: f64,
    keep: f64,
    inverse_keep: f64,
    learning_rate: f64,
    clip: f64,
}

/// Below this scale w is multiplied out, long before anything could overflow.
const SMALLEST_SCALE: f64 = 1e-3;

impl Scaled {
    fn new(learner: &Learner, dimension: usize) -> Self {
        let keep = 1.0 - learner.learning_rate * learner.regularization;
        Scaled {
            loss: learner.loss,
            w: vec![[0.0; LANES]; dimension.div_ceil(LANES)],
            scale: 1.0,
            inverse: 1.0,
            keep,
            inverse_keep: 1.0 / keep,
            learning_rate: learner.learning_rate,
            clip: learner.clip.unwrap_or(f64::INFINITY),
        }
    }

    /// How strongly the point pulls.
    #[inline(always)]
    fn weight(&self, z: &[[f64; LANES]]) -> f64 {
        let product = padded_dot(&self.w, z);
        let weight = match self.loss {
            // θᵀz ≤ 1 with θ = scale·w.
            Loss::Hinge => f64::from(product <= self.inverse),
            loss => pull(loss, self.scale * product),
        };
        if self.clip < f64::INFINITY && weight > 0.0 {
            weight * shortened(self.clip, weight * padded_dot(z, z).sqrt())
        } else {
            weight
        }
    }

    #[cold]
    fn renormalise(&mut self) {
        self.w.as_flattened_mut().iter_mut().for_each(|w| *w *= self.scale);
        (self.scale, self.inverse) = (1.0, 1.0);
    }
}

impl Online for Scaled {
    /// The time of a step is that of the row's entries.
    #[inline(always)]
    fn sparse_step(&mut self, rows: SparseRows<'_>, row: usize) {
        let weight = pull(self.loss, self.scale * rows.dot(row, self.w.as_flattened()));
        self.scale *= self.keep;
        self.inverse *= self.inverse_keep;
        if weight > 0.0 {
            rows.add(row, self.learning_rate * weight * self.inverse, self.w.as_flattened_mut());
        }
        if self.scale < SMALLEST_SCALE {
            self.renormalise();
        }
    }

    #[inline(always)]
    fn step(&mut self, z: &[[f64; LANES]]) {
        self.weighted_step(z, 1.0);
    }

    #[inline(always)]
    fn weighted_step(&mut self, z: &[[f64; LANES]], step_weight: f64) {
        let weight = step_weight * self.weight(z);
        self.scale *= self.keep;
        self.inverse *= self.inverse_keep;
        if weight > 0.0 {
            add_padded(&mut self.w, self.learning_rate * weight * self.inverse, z);
        }
        if self.scale < SMALLEST_SCALE {
            self.renormalise();
        }
    }

    fn theta(&self, out: &mut [f64]) {
        for (out, w) in out.iter_mut().zip(self.w.as_flattened()) {
            *out = self.scale * w;
        }
    }

    fn restart(&mut self, theta: &[f64], _: u64) {
        self.w.as_flattened_mut().fill(0.0);
        self.w.as_flattened_mut()[..theta.len()].copy_from_slice(theta);
        (self.scale, self.inverse) = (1.0, 1.0);
    }
}

/// θ' = P(Kθ + (η/b) Σ g): K shrinks all coordinates but the free ones, g is minus the gradient of a point's loss, clipped,
/// b the size of a batch, P the projection on a ball. Momentum adds μ times the last move, which is ηv for v' = μv + (Σg)/b − σθ.
#[derive(Clone, Debug)]
struct General {
    loss: Loss,
    /// Entries of x.
    dimension: usize,
    theta: Vec<[f64; LANES]>,
    /// Σ g over the batch so far.
    sum: Vec<[f64; LANES]>,
    /// The last move of θ.
    moved: Vec<[f64; LANES]>,
    /// What each coordinate is multiplied by.
    keep: Vec<[f64; LANES]>,
    /// η/b.
    gain: f64,
    momentum: f64,
    batch: u64,
    seen: u64,
    clip: f64,
    ball: f64,
    /// ⟨Θ_j, x⟩ for each class.
    scores: Vec<f64>,
}

impl General {
    /// θ = 0, for points with so many entries.
    fn new(learner: &Learner, point: usize) -> Self {
        let (blocks, dimension) = blocks(learner.loss, point);
        let padded = vec![[0.0; LANES]; (blocks * dimension).div_ceil(LANES)];
        let mut keep = padded.clone();
        keep.as_flattened_mut().fill(1.0 - learner.learning_rate * learner.regularization);
        for &j in &learner.unregularized {
            keep.as_flattened_mut()[j] = 1.0;
        }
        General {
            loss: learner.loss,
            dimension,
            sum: padded.clone(),
            moved: padded.clone(),
            theta: padded,
            keep,
            gain: learner.learning_rate / learner.batch as f64,
            momentum: learner.momentum.unwrap_or_default(),
            batch: learner.batch,
            seen: 0,
            clip: learner.clip.unwrap_or(f64::INFINITY),
            ball: learner.projection.unwrap_or(f64::INFINITY),
            scores: vec![0.0; blocks],
        }
    }

    /// Adds the step on a point with a label: c·x to its class, −x to each class that comes within 1 of it, c of them.
    #[inline(always)]
    fn add_classes(&mut self, z: &[f64]) {
        let (label, x) = (z[0] as usize, &z[1..=self.dimension]);
        // A point is padded once, after x, and θ once, after the last class.
        for (score, theta) in self.scores.iter_mut().zip(self.theta.as_flattened().chunks(self.dimension)) {
            *score = dot(theta, x);
        }
        let acts = |j: usize| j != label && self.scores[label] - self.scores[j] <= 1.0;
        let count = (0..self.scores.len()).filter(|j| acts(*j)).count() as f64;
        let scale = shortened(self.clip, ((count * count + count) * dot(x, x)).sqrt());
        for (j, sum) in
            self.sum.as_flattened_mut().chunks_mut(self.dimension).take(self.scores.len()).enumerate()
        {
            let factor = if j == label { count * scale } else { -scale };
            if j == label || acts(j) {
                sum.iter_mut().zip(x).for_each(|(s, x)| *s += factor * x);
            }
        }
    }

    /// Adds the step on a point with a number in front of it.
    #[inline(always)]
    fn add_number(&mut self, z: &[f64], step_weight: f64) {
        let (label, x) = (z[0], &z[1..=self.dimension]);
        let theta = &self.theta.as_flattened()[..self.dimension];
        let weight = step_weight * pull(self.loss, dot(theta, x) - label + 1.0);
        self.sum.as_flattened_mut().iter_mut().zip(x).for_each(|(sum, x)| *sum += weight * x);
    }

    /// Ends a batch.
    #[inline(always)]
    fn finish(&mut self) {
        let lanes = self.theta.iter_mut().zip(&mut self.sum).zip(&mut self.moved).zip(&self.keep);
        for (((theta, sum), moved), keep) in lanes {
            let mut next = *theta;
            for lane in 0..LANES {
                let step = keep[lane] * theta[lane] + self.gain * sum[lane];
                next[lane] = step + self.momentum * moved[lane];
                moved[lane] = next[lane] - theta[lane];
            }
            (*theta, *sum) = (next, [0.0; LANES]);
        }
        self.seen = 0;
        if self.ball < f64::INFINITY {
            let norm = padded_dot(&self.theta, &self.theta).sqrt();
            if norm > self.ball {
                self.theta.as_flattened_mut().iter_mut().for_each(|t| *t *= self.ball / norm);
            }
        }
    }
}

impl Online for General {
    #[inline(always)]
    fn step(&mut self, z: &[[f64; LANES]]) {
        self.weighted_step(z, 1.0);
    }

    #[inline(always)]
    fn weighted_step(&mut self, z: &[[f64; LANES]], step_weight: f64) {
        if let Loss::Multiclass(_) = self.loss {
            self.add_classes(z.as_flattened());
        } else if self.loss.is_regression() {
            self.add_number(z.as_flattened(), step_weight);
        } else {
            let weight = step_weight * pull(self.loss, padded_dot(&self.theta, z));
            if weight > 0.0 {
                let is_clipped = self.clip < f64::INFINITY;
                let norm = if is_clipped { weight * padded_dot(z, z).sqrt() } else { 0.0 };
                add_padded(&mut self.sum, weight * shortened(self.clip, norm), z);
            }
        }
        self.seen += 1;
        if self.seen == self.batch {
            self.finish();
        }
    }

    fn theta(&self, out: &mut [f64]) {
        out.copy_from_slice(&self.theta.as_flattened()[..out.len()]);
    }

    fn restart(&mut self, theta: &[f64], _: u64) {
        self.theta.as_flattened_mut().fill(0.0);
        self.theta.as_flattened_mut()[..theta.len()].copy_from_slice(theta);
        self.sum.as_flattened_mut().fill(0.0);
        self.moved.as_flattened_mut().fill(0.0);
        self.seen = 0;
    }
}

/// What a step of that norm is multiplied by.
#[inline(always)]
fn shortened(clip: f64, norm: f64) -> f64 {
    if norm > clip { clip / norm } else { 1.0 }
}
