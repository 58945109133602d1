//! G itself: exact for finitely many benign points, else estimated with a confidence interval.

use super::{Benign, Draw, Model, Random};
use crate::error::{CertifyError, ParameterError};
use crate::simulate::Estimate;

/// Points drawn from a distribution that is not finite, unless another number is asked for.
const SAMPLES: usize = 2000;

/// The 97.5 % point of the normal distribution.
const NORMAL: f64 = 1.959_964;

/// G(θ, z) for one learner and one λ.
pub struct Residual<'a, M: ?Sized, L> {
    pub(super) model: &'a M,
    pub(super) lambda: L,
    /// The benign points, one after the other, or a sample of them.
    pub(super) points: Vec<f64>,
    /// Their probabilities.
    pub(super) weights: Vec<f64>,
    /// For sampled distributions.
    draw: Option<Draw<'a>>,
}

impl<'a, M: Model + ?Sized, L: Fn(&[f64]) -> f64 + Sync> Residual<'a, M, L> {
    /// For a learner and a λ. A distribution that is not finite is represented by 2000 draws with seed 0.
    pub fn new(model: &'a M, lambda: L) -> Result<Self, ParameterError> {
        let rate = model.poison_rate();
        if !(0.0..=1.0).contains(&rate) {
            let why = "it is the fraction of points the adversary controls, from 0 to 1";
            return Err(ParameterError::new("poison rate", rate, why));
        }
        for (name, dimension) in
            [("length of a model", model.dimension()), ("length of a point", model.point_dimension())]
        {
            if dimension == 0 {
                return Err(ParameterError::new(name, 0.0, "it must be at least 1"));
            }
        }
        match model.benign() {
            Benign::Rows(data) if data.dimension() != model.point_dimension() => {
                let why = format!("the learner's points have {} entries", model.point_dimension());
                Err(ParameterError::new("number of columns", data.dimension() as f64, why))
            }
            Benign::Rows(data) => {
                let used = |(_, p): &(&[f64], f64)| *p > 0.0;
                let rows = || data.iter().zip(data.probabilities()).filter(used);
                let points = rows().flat_map(|(z, _)| z.iter().copied()).collect();
                let weights = rows().map(|(_, p)| p).collect();
                Ok(Residual { model, lambda, points, weights, draw: None })
            }
            Benign::Draws(draw) => {
                let nothing = Residual { model, lambda, points: vec![], weights: vec![], draw: Some(draw) };
                Ok(nothing.with_samples(SAMPLES, 0))
            }
        }
    }

    /// Draws that many points (at least two) with another seed, if the distribution is not finite.
    pub fn with_samples(mut self, samples: usize, seed: u64) -> Self {
        if let Some(draw) = &self.draw {
            let (samples, d) = (samples.max(2), self.model.point_dimension());
            let mut random = Random::new(seed);
            self.points = vec![0.0; samples * d];
            self.points.chunks_mut(d).for_each(|z| draw(&mut random, z));
            self.weights = vec![1.0 / samples as f64; samples];
        }
        self
    }

    /// Whether expectations are exact, up to rounding.
    pub fn is_exact(&self) -> bool {
        self.draw.is_none()
    }

    /// G(θ, z). For sampled distributions the interval holds for a (θ, z) chosen without regard to the draws.
    pub fn at(&self, theta: &[f64], z: &[f64]) -> Estimate {
        let (benign, half_width) = self.benign(theta, self.rows());
        Estimate { mean: benign + self.poison(theta, z), half_width }
    }

    /// The bound on the average loss over the first `steps` ≥ 1 steps from θ_0, for a bound on t(λ) and a lower bound
    /// `infimum` of λ on Θ: bound + (λ(θ_0) − infimum)/steps.
    pub fn horizon(&self, bound: f64, start: &[f64], infimum: f64, steps: u64) -> Result<f64, CertifyError> {
        if start.len() != self.model.dimension() {
            return Err(CertifyError::StartLength { expected: self.model.dimension(), found: start.len() });
        }
        if steps == 0 {
            return Err(CertifyError::EmptyHorizon);
        }
        let lost = (self.lambda)(start) - infimum;
        if lost.is_nan() || lost < 0.0 {
            let why = "λ is below it at the start, so it is no lower bound of λ";
            return Err(ParameterError::new("infimum", infimum, why).into());
        }
        Ok(bound + lost / steps as f64)
    }

    /// G(θ, z) from that many draws of the given seed; as [`Residual::at`] if the distribution is finite.
    pub(super) fn afresh(&self, theta: &[f64], z: &[f64], samples: usize, seed: u64) -> Estimate {
        let Some(draw) = &self.draw else { return self.at(theta, z) };
        let mut random = Random::new(seed);
        let mut point = vec![0.0; self.model.point_dimension()];
        let mut increments = Vec::with_capacity(samples);
        let before = (self.lambda)(theta);
        let mut next = theta.to_vec();
        for _ in 0..samples.max(2) {
            draw(&mut random, &mut point);
            increments.push(self.after(theta, &point, &mut next) - before);
        }
        let p = 1.0 / increments.len() as f64;
        let (benign, half_width) = self.summed(theta, increments.iter().map(|i| (*i, p)));
        Estimate { mean: benign + self.poison(theta, z), half_width }
    }

    /// (1−ε) E(λ(F(θ,ξ)) − λ(θ)) + ℓ(θ), which does not depend on z, with the half-width of its interval.
    pub(super) fn benign<'z>(
        &self,
        theta: &[f64],
        rows: impl Iterator<Item = (&'z [f64], f64)>,
    ) -> (f64, f64) {
        let before = (self.lambda)(theta);
        let mut next = theta.to_vec();
        self.summed(theta, rows.map(|(z, p)| (self.after(theta, z, &mut next) - before, p)))
    }

    /// The same from the increments of λ and their probabilities. Increments, because λ itself can be far larger than G.
    fn summed(&self, theta: &[f64], increments: impl Iterator<Item = (f64, f64)>) -> (f64, f64) {
        let (mut mean, mut square, mut count) = (0.0, 0.0, 0.0);
        for (increment, p) in increments {
            mean += p * increment;
            square += p * increment * increment;
            count += 1.0;
        }
        let share = 1.0 - self.model.poison_rate();
        let error =
            if self.is_exact() { 0.0 } else { ((square - mean * mean).max(0.0) / (count - 1.0)).sqrt() };
        (share * mean + self.model.loss(theta), share * NORMAL * error)
    }

    /// ε(λ(F(θ,z)) − λ(θ)).
    pub(super) fn poison(&self, theta: &[f64], z: &[f64]) -> f64 {
        match self.model.poison_rate() {
            0.0 => 0.0,
            rate => rate * (self.after(theta, z, &mut theta.to_vec()) - (self.lambda)(theta)),
        }
    }

    /// λ(F(θ, z)).
    pub(super) fn after(&self, theta: &[f64], z: &[f64], next: &mut [f64]) -> f64 {
        next.copy_from_slice(theta);
        self.model.step(next, z);
        (self.lambda)(next)
    }

    /// The benign points with their probabilities.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.points.chunks(self.model.point_dimension()).zip(self.weights.iter().copied())
    }

    /// How much rounding can have changed G(θ, z): λ is taken at numbers known to some 2⁻⁵² of their size, and the changes of
    /// λ are added up.
    pub(super) fn rounding(&self, theta: &[f64], z: &[f64]) -> f64 {
        let rate = self.model.poison_rate();
        let before = (self.lambda)(theta);
        let mut next = theta.to_vec();
        let mut after = |z: &[f64]| {
            let increment = self.after(theta, z, &mut next) - before;
            (self.doubt(&next), increment.abs())
        };
        let (mut doubt, mut sum) = (0.0, self.model.loss(theta).abs());
        for (z, p) in self.rows() {
            let (d, i) = after(z);
            (doubt, sum) = (doubt + p * d, sum + p * i);
        }
        doubt = (1.0 - rate) * doubt + rate * after(z).0 + self.doubt(theta);
        f64::EPSILON * (self.operations() * doubt + self.weights.len() as f64 * sum)
    }

    /// Rounded operations in one step and one value of λ, roughly.
    fn operations(&self) -> f64 {
        8.0 + self.model.dimension() as f64
    }

    /// Much less work, and enough to keep the search from places where G is lost in rounding.
    pub(super) fn rough_rounding(&self, theta: &[f64]) -> f64 {
        6.0 * f64::EPSILON * self.operations() * (self.lambda)(theta).abs()
    }

    /// |λ| + Σ_j |θ_j ∂λ/∂θ_j|: the change of λ if every entry changes by its own size, to first order.
    fn doubt(&self, theta: &[f64]) -> f64 {
        const CHANGE: f64 = 1e-6;
        let here = (self.lambda)(theta);
        let mut theta = theta.to_vec();
        let mut sum = here.abs();
        for j in 0..theta.len() {
            let kept = theta[j];
            theta[j] += CHANGE * kept;
            sum += ((self.lambda)(&theta) - here).abs() / CHANGE;
            theta[j] = kept;
        }
        sum
    }
}
