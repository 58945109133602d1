//! The data of the convex program: rows, weights and the constants of the setting.

use std::borrow::Cow;

use unswayed_check::Set;

use crate::certify::span::Span;
use crate::certify::start::StartCost;
use crate::data::Dataset;
use crate::problem::Problem;

/// Up to so many rows and columns every machine finds the same certificate for the hinge loss against a ball, byte by byte.
pub const MOST_SAME_ROWS: usize = 10_000;
/// See [`MOST_SAME_ROWS`].
pub const MOST_SAME_COLUMNS: usize = 64;

/// The ball has some extent even where all points are 0.
const SMALLEST_BALL: f64 = 1e-100;

/// Everything the bound depends on that is not optimised over.
pub struct Instance<'a> {
    /// The rows z_i, one after the other.
    z: Cow<'a, [f64]>,
    /// d, the number of columns.
    pub dimension: usize,
    /// p_i, positive weights that sum to one; `None` means 1/N each.
    weights: Option<Vec<f64>>,
    /// ‖z_i‖².
    pub squared_norms: Vec<f64>,
    /// η.
    pub eta: f64,
    /// σ.
    pub sigma: f64,
    /// ε.
    pub epsilon: f64,
    /// R, the adversary's radius.
    pub radius: f64,
    /// k = 1 − ησ.
    pub k: f64,
    /// ϱ of a projection.
    pub projection: Option<f64>,
    /// What a start costs, if the bound is for the first steps.
    pub start: Option<&'a StartCost>,
    /// Rows that have been taken out because they are always active.
    pub always: Option<Always>,
    /// What the rows lack of those that they are a sample of.
    pub tilt: Option<&'a Tilt>,
}

/// A linear function of (α, β, θ): the difference of two sums over rows, near a point.
#[derive(Clone, Debug)]
pub struct Tilt {
    /// Of α.
    pub alpha: f64,
    /// Of β.
    pub beta: Vec<f64>,
    /// Of θ.
    pub theta: Vec<f64>,
}

/// Rows that every reachable θ has q_i = 1 for: each adds J_i − κ(1 − s_i) exactly, so only their sums matter.
#[derive(Clone, Debug)]
pub struct Always {
    /// Σ p_i.
    pub mass: f64,
    /// Σ p_i j_i.
    pub j: f64,
    /// Σ p_i z_i.
    pub z: Vec<f64>,
}

/// What a row is in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// One that is solved for.
    Kept,
    /// One that acts on every model in question.
    Always,
    /// One that acts on none of them.
    Never,
}

impl<'a> Instance<'a> {
    /// Gathers the constants.
    pub fn new(problem: &'a Problem) -> Self {
        let (data, learner) = (&problem.data()[0], problem.learner());
        let (eta, sigma) = (learner.learning_rate, learner.regularization);
        let radius = if let Set::Ball { radius } = problem.threat().set { radius } else { 0.0 };
        Instance {
            z: Cow::Borrowed(data.z()),
            dimension: data.dimension(),
            weights: data.weights().map(|_| data.probabilities()),
            squared_norms: (0..data.rows()).map(|i| dot(data.row(i), data.row(i))).collect(),
            eta,
            sigma,
            epsilon: problem.threat().poison_rate,
            radius,
            projection: learner.projection,
            start: None,
            k: 1.0 - eta * sigma,
            always: None,
            tilt: None,
        }
    }

    /// The same for the first steps from a start.
    pub fn with_start(self, start: Option<&'a StartCost>) -> Self {
        Instance { start, ..self }
    }

    /// The same with a linear function added.
    pub fn with_tilt(self, tilt: Option<&'a Tilt>) -> Self {
        Instance { tilt, ..self }
    }

    /// The instance without adversary or learning rate: k = 1, so that α = 1 gives κ = 1.
    pub(in super::super) fn benign(data: &'a Dataset) -> Self {
        let weights = data.weights().map(|_| data.probabilities());
        let squared_norms = vec![0.0; data.rows()];
        let (z, dimension) = (Cow::Borrowed(data.z()), data.dimension());
        Instance {
            z,
            dimension,
            weights,
            squared_norms,
            eta: 0.0,
            sigma: 0.0,
            epsilon: 0.0,
            radius: 0.0,
            projection: None,
            start: None,
            k: 1.0,
            always: None,
            tilt: None,
        }
    }

    /// Whether speed matters more than certificates that are the same on every machine.
    #[cfg(feature = "general")]
    pub(super) fn is_large(&self) -> bool {
        self.rows() > MOST_SAME_ROWS || self.dimension > MOST_SAME_COLUMNS
    }

    /// The map into the span of the rows, if they are fewer than their columns, and the instance there.
    pub(in super::super) fn spanned(&self) -> Option<(Span<'_>, Instance<'_>)> {
        let is_isotropic = self.start.is_none_or(|start| start.theta.iter().all(|theta| *theta == 0.0));
        let span = Span::new(&self.z, self.dimension).filter(|_| is_isotropic)?;
        let (z, dimension) = (Cow::Owned(span.rows()), self.rows());
        let (weights, squared_norms) = (self.weights.clone(), self.squared_norms.clone());
        let always = self.always.clone();
        Some((span, Instance { z, dimension, weights, squared_norms, always, ..*self }))
    }

    /// The same instance with the rows for which `keep` is false turned into sums.
    pub fn without_always_active(&self, keep: &[bool]) -> Instance<'_> {
        self.reduced(|i| if keep[i] { Role::Kept } else { Role::Always })
    }

    /// The same instance without the rows that are always or never active; the others are kept.
    pub fn reduced(&self, role: impl Fn(usize) -> Role) -> Instance<'_> {
        let kept: Vec<usize> = (0..self.rows()).filter(|i| role(*i) == Role::Kept).collect();
        let none = || Always { mass: 0.0, j: 0.0, z: vec![0.0; self.dimension] };
        let mut always = self.always.clone().unwrap_or_else(none);
        for i in (0..self.rows()).filter(|i| role(*i) == Role::Always) {
            let p = self.weight(i);
            always.mass += p;
            always.j += p * self.j_of_alpha(i);
            for (sum, z) in always.z.iter_mut().zip(self.row(i)) {
                *sum += p * z;
            }
        }
        let everything = kept.len() == self.rows();
        Instance {
            z: if everything {
                Cow::Borrowed(&self.z)
            } else {
                Cow::Owned(kept.iter().flat_map(|i| self.row(*i)).copied().collect())
            },
            weights: Some(kept.iter().map(|i| self.weight(*i)).collect()),
            squared_norms: kept.iter().map(|i| self.squared_norms[*i]).collect(),
            always: (self.always.is_some() || !everything).then_some(always),
            ..*self
        }
    }

    /// One row of each so many, as an instance of its own.
    pub fn sample(&self, stride: usize) -> Instance<'_> {
        // Not always the same place, which could be the same label.
        let place = |block: usize| block * stride + (block.wrapping_mul(2_654_435_761) >> 16) % stride;
        let kept: Vec<usize> =
            (0..self.rows().div_ceil(stride)).map(place).filter(|i| *i < self.rows()).collect();
        let total: f64 = kept.iter().map(|i| self.weight(*i)).sum();
        Instance {
            z: Cow::Owned(kept.iter().flat_map(|i| self.row(*i)).copied().collect()),
            weights: Some(kept.iter().map(|i| self.weight(*i) / total).collect()),
            squared_norms: kept.iter().map(|i| self.squared_norms[*i]).collect(),
            always: None,
            ..*self
        }
    }

    /// Rows `first` to `first + count`, one after the other.
    pub fn block(&self, first: usize, count: usize) -> &[f64] {
        &self.z[first * self.dimension..][..count * self.dimension]
    }

    /// N.
    pub fn rows(&self) -> usize {
        self.squared_norms.len()
    }

    /// z_i.
    #[inline(always)]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.z[i * self.dimension..][..self.dimension]
    }

    /// p_i.
    #[inline(always)]
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0 / self.rows() as f64, |p| p[i])
    }

    /// Whether the adversary can move the learner at all (ε > 0 and R > 0).
    pub fn has_adversary(&self) -> bool {
        self.epsilon * self.radius > 0.0
    }

    /// σ(2−ησ): α times this is the pull of the regularization on ‖θ‖².
    pub fn pull(&self) -> f64 {
        self.sigma * (2.0 - self.eta * self.sigma)
    }

    /// J_i = α·j_i + (1−ε)βᵀz_i with this j_i = (1−ε)(2k + η‖z_i‖²).
    #[inline(always)]
    pub fn j_of_alpha(&self, i: usize) -> f64 {
        (1.0 - self.epsilon) * (2.0 * self.k + self.eta * self.squared_norms[i])
    }

    /// κ = 2αk(1−ε) − 1.
    #[inline(always)]
    pub fn kappa(&self, alpha: f64) -> f64 {
        self.kappa_of_alpha() * alpha - 1.0
    }

    /// κ0 = α·(this), that is 2k(1−ε).
    #[inline(always)]
    pub fn kappa_of_alpha(&self) -> f64 {
        2.0 * self.k * (1.0 - self.epsilon)
    }

    /// ϱ = max(R, max‖z_i‖)/σ, rounded up, or that of the projection: no step leaves the ball of this radius.
    pub fn ball(&self) -> f64 {
        let largest = self.squared_norms.iter().fold(0.0_f64, |m, n| m.max(*n)).sqrt();
        let kept = self.rounded_up(self.radius.max(largest) / self.sigma).max(SMALLEST_BALL);
        self.projection.unwrap_or(kept)
    }

    /// A number that contains a computed norm, made larger by more than rounding can have made it smaller.
    pub fn rounded_up(&self, norm: f64) -> f64 {
        norm * (1.0 + (self.dimension + 8) as f64 * f64::EPSILON)
    }
}

/// xᵀy, with four sums side by side so that it runs at the speed of the vector unit.
#[inline(always)]
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    let (mut sums, (xs, ys)) = ([0.0; 4], (x.chunks_exact(4), y.chunks_exact(4)));
    let rest: f64 = xs.remainder().iter().zip(ys.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in xs.zip(ys) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}
