//! Models that lie on kinks: where the step on some benign points jumps.

use super::residual::Residual;
use super::{Model, Random, dot, gradient, moved, norm};

/// A kink counts as touched if its function is this small there, relative to what a unit step of θ changes.
const TOUCHED: f64 = 1e-7;
/// The distance kept from a kink, so that rounding does not decide on which side a model lies.
const MARGIN: f64 = 1e-10;

/// One kink of one benign point, and the side to be on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kink {
    row: usize,
    which: usize,
    side: f64,
}

impl<M: Model + ?Sized, L: Fn(&[f64]) -> f64 + Sync> Residual<'_, M, L> {
    fn kink_value(&self, kink: Kink, theta: &[f64]) -> f64 {
        let d = self.model.point_dimension();
        self.model.kink(kink.which, theta, &self.points[kink.row * d..][..d])
    }

    /// The number of kinks of all benign points.
    fn kink_count(&self) -> usize {
        self.weights.len() * self.model.kinks()
    }

    fn any_kink(&self, random: &mut Random) -> Kink {
        let side = if random.uniform() < 0.5 { 1.0 } else { -1.0 };
        let kinks = self.model.kinks();
        Kink { row: random.below(self.weights.len()), which: random.below(kinks), side }
    }

    /// The kinks that θ lies on, each with the side it is on.
    fn touched(&self, theta: &[f64]) -> Vec<Kink> {
        let kinks = self.model.kinks();
        (0..self.kink_count())
            .map(|i| Kink { row: i / kinks, which: i % kinks, side: 1.0 })
            .map(|kink| (kink, self.kink_value(kink, theta)))
            .filter(|(_, value)| value.abs() <= TOUCHED)
            .map(|(kink, value)| Kink { side: if value < 0.0 { -1.0 } else { 1.0 }, ..kink })
            .collect()
    }

    /// The kink nearest to θ of a few taken at random.
    fn near_kink(&self, theta: &[f64], random: &mut Random) -> Kink {
        let tries = 1 + random.below(self.kink_count().min(8));
        let candidates: Vec<Kink> = (0..tries).map(|_| self.any_kink(random)).collect();
        let distance = |kink: &Kink| self.kink_value(*kink, theta).abs();
        candidates.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(Kink {
            row: 0,
            which: 0,
            side: 1.0,
        })
    }

    /// θ moved onto the kinks that the model `from` touches, with one less, one more, or one on its other side now and
    /// then: an active set that changes at random.
    pub(super) fn onto_kinks(&self, from: &[f64], theta: Vec<f64>, random: &mut Random) -> Vec<f64> {
        if self.kink_count() == 0 {
            return theta;
        }
        let mut kinks = self.touched(from);
        let chance = random.uniform();
        if chance < 0.4 {
            kinks.push(self.near_kink(&theta, random));
        } else if chance < 0.6 && !kinks.is_empty() {
            kinks.swap_remove(random.below(kinks.len()));
        } else if chance < 0.7 && !kinks.is_empty() {
            let turned = random.below(kinks.len());
            kinks[turned].side *= -1.0;
        }
        // In random order: of dependent kinks only the first ones can be met.
        for i in (1..kinks.len()).rev() {
            kinks.swap(i, random.below(i + 1));
        }
        self.moved_onto(theta, &kinks)
    }

    /// A model on some kinks taken at random, near θ.
    pub(super) fn onto_any_kinks(&self, theta: Vec<f64>, random: &mut Random) -> Vec<f64> {
        if self.kink_count() == 0 {
            return theta;
        }
        let count = 1 + random.below(theta.len().min(self.kink_count()));
        let kinks: Vec<Kink> = (0..count).map(|_| self.any_kink(random)).collect();
        self.moved_onto(theta, &kinks)
    }

    /// Newton's method for all kinks at once, by Gram-Schmidt: each move leaves the kinks before it as they are.
    fn moved_onto(&self, mut theta: Vec<f64>, kinks: &[Kink]) -> Vec<f64> {
        for _ in 0..2 {
            let mut basis: Vec<Vec<f64>> = Vec::new();
            for kink in kinks.iter().take(2 * theta.len()) {
                let width = 1e-5 * norm(&theta).max(1e-2);
                let normal = gradient(&theta, width, |theta| self.kink_value(*kink, theta));
                let length = norm(&normal);
                let mut direction = normal.clone();
                for e in &basis {
                    direction = moved(&direction, -dot(&direction, e), e);
                }
                let independent = norm(&direction);
                if independent <= 1e-6 * length || basis.len() == theta.len() {
                    continue;
                }
                let direction: Vec<f64> = direction.iter().map(|e| e / independent).collect();
                let target = kink.side * MARGIN * (1.0 + length * norm(&theta));
                let gap = target - self.kink_value(*kink, &theta);
                theta = moved(&theta, gap / dot(&normal, &direction), &direction);
                basis.push(direction);
            }
        }
        theta
    }
}
