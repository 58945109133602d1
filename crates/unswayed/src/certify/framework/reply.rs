//! The adversary's reply to a model: the z ∈ 𝒜 that makes λ(F(θ, z)) largest, as far as a short search can tell.

use super::residual::Residual;
use super::{Model, gradient, moved, norm};

/// Far away in units of the set's size: the nearest point of the set is then its extreme point in that direction.
const FAR: f64 = 1e6;
/// Halvings on the way to a kink.
const HALVINGS: usize = 45;

/// The middle of the adversary's set and its size, found by projecting far points.
#[derive(Clone, Debug)]
pub(super) struct PointBall {
    pub centre: Vec<f64>,
    pub size: f64,
}

impl PointBall {
    pub fn of(model: &(impl Model + ?Sized)) -> Self {
        let d = model.point_dimension();
        let extreme = |j: usize, far: f64| {
            let mut z = vec![0.0; d];
            z[j] = far;
            model.project_point(&mut z);
            z[j]
        };
        let ends: Vec<(f64, f64)> = (0..d).map(|j| (extreme(j, -1e9), extreme(j, 1e9))).collect();
        let mut centre: Vec<f64> = ends.iter().map(|(low, high)| f64::midpoint(*low, *high)).collect();
        model.project_point(&mut centre);
        let size = ends.iter().map(|(low, high)| (high - low) / 2.0).fold(0.0, f64::max);
        PointBall { centre, size }
    }
}

impl<M: Model + ?Sized, L: Fn(&[f64]) -> f64 + Sync> Residual<'_, M, L> {
    /// The best of the points tried, `last` among them, and ε(λ(F(θ, z)) − λ(θ)) there.
    pub(super) fn reply(&self, reach: &PointBall, theta: &[f64], last: &[f64]) -> (Vec<f64>, f64) {
        let mut best = (last.to_vec(), self.poison(theta, last));
        if self.model.poison_rate() == 0.0 {
            return best;
        }
        self.offer(&mut best, theta, reach.centre.clone());
        for round in 0..2 {
            // At the centre first, where the size of z plays no part; then where we are, for sets that are not round.
            let at = if round == 0 { reach.centre.clone() } else { best.0.clone() };
            let uphill = self.uphill(reach, theta, &at);
            self.offer_along(&mut best, reach, theta, &uphill);
        }
        if theta.len() == reach.centre.len() {
            let against: Vec<f64> = theta.iter().map(|t| -t).collect();
            self.offer_along(&mut best, reach, theta, &against);
        }
        best
    }

    fn offer(&self, best: &mut (Vec<f64>, f64), theta: &[f64], z: Vec<f64>) {
        let value = self.poison(theta, &z);
        if value > best.1 {
            *best = (z, value);
        }
    }

    /// The direction in which λ(F(θ, z)) grows; where the point has no effect, the direction in which λ grows.
    fn uphill(&self, reach: &PointBall, theta: &[f64], z: &[f64]) -> Vec<f64> {
        let width = 1e-4 * reach.size;
        let mut next = theta.to_vec();
        let uphill = gradient(z, width, |z| self.after(theta, z, &mut next));
        if norm(&uphill) > 0.0 || theta.len() != z.len() {
            return uphill;
        }
        gradient(theta, 1e-4 * norm(theta).max(1e-2), &self.lambda)
    }

    /// Offers the extreme point of the set in a direction, and those on kinks on the way there.
    fn offer_along(&self, best: &mut (Vec<f64>, f64), reach: &PointBall, theta: &[f64], direction: &[f64]) {
        let Some(end) = self.extreme(reach, direction) else { return };
        for which in 0..self.model.kinks() {
            let normal = gradient(&end, 1e-4 * reach.size, |z| self.model.kink(which, theta, z));
            let side = self.model.kink(which, theta, &end).signum();
            for z in self.between(reach, theta, which, direction, &normal, side) {
                self.offer(best, theta, z);
            }
        }
        self.offer(best, theta, end);
    }

    /// The two points next to where the kink's function changes its sign, on the path of extreme points from `direction`
    /// to the function's steepest way back to the other side. Of a linear function on a convex set the largest value
    /// beyond a linear kink lies on this path.
    fn between(
        &self,
        reach: &PointBall,
        theta: &[f64],
        which: usize,
        direction: &[f64],
        normal: &[f64],
        side: f64,
    ) -> Vec<Vec<f64>> {
        let (a, b) = (norm(direction), norm(normal));
        if a == 0.0 || b == 0.0 {
            return Vec::new();
        }
        let mixed = |w: f64| -> Vec<f64> {
            direction.iter().zip(normal).map(|(g, n)| (1.0 - w) * g / a - w * side * n / b).collect()
        };
        let same = |z: &[f64]| self.model.kink(which, theta, z) * side > 0.0;
        let (mut low, mut high) = (0.0, 1.0);
        if self.extreme(reach, &mixed(high)).is_none_or(|z| same(&z)) {
            return Vec::new();
        }
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            match self.extreme(reach, &mixed(middle)) {
                Some(z) if same(&z) => low = middle,
                _ => high = middle,
            }
        }
        [low, high].into_iter().filter_map(|w| self.extreme(reach, &mixed(w))).collect()
    }

    /// The point of 𝒜 farthest in a direction.
    fn extreme(&self, reach: &PointBall, direction: &[f64]) -> Option<Vec<f64>> {
        let length = norm(direction);
        if !(length > 0.0 && length.is_finite()) {
            return None;
        }
        let mut z = moved(&reach.centre, FAR * reach.size / length, direction);
        self.model.project_point(&mut z);
        Some(z)
    }
}
