//! Uphill from one model: an evolution strategy whose steps also run along kinks.

use super::reply::Reach;
use super::residual::Residual;
use super::{Model, Random, moved, norm};

/// A model, the adversary's reply, and G there.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub theta: Vec<f64>,
    pub point: Vec<f64>,
    /// The part of G that does not depend on the point.
    benign: f64,
    pub value: f64,
}

/// Longer steps after a success, shorter after a failure, as in the search for attacks.
const LONGER: f64 = 1.5;
const SHORTER: f64 = 0.93;
/// Relative to the model's length: the first step, and the one at which long steps are tried again.
const FIRST_STEP: f64 = 0.3;
const LAST_STEP: f64 = 1e-9;
/// Models are not followed further than this: G is lost in rounding there.
const FARTHEST: f64 = 1e12;

impl<M: Model + ?Sized, L: Fn(&[f64]) -> f64 + Sync> Residual<'_, M, L> {
    /// The model moved into Θ, with the best reply found.
    pub(super) fn place(&self, reach: &Reach, mut theta: Vec<f64>, last: &[f64]) -> Place {
        self.model.project_model(&mut theta);
        let (benign, _) = self.benign(&theta, self.rows());
        let (point, poison) = self.reply(reach, &theta, last);
        let sum = benign + poison;
        // A sum that is not a number refutes nothing.
        let value = if sum.is_nan() || norm(&theta) > FARTHEST { f64::NEG_INFINITY } else { sum };
        Place { theta, point, benign, value }
    }

    /// Climbs with that many evaluations of G.
    pub(super) fn climb(&self, reach: &Reach, place: &mut Place, evaluations: usize, random: &mut Random) {
        let scale = |place: &Place| norm(&place.theta).max(1e-2);
        let (mut stride, mut reach_stride) = (FIRST_STEP * scale(place), FIRST_STEP * reach.size);
        for round in 0..evaluations {
            if round % 4 == 3 && self.model.poison_rate() > 0.0 {
                // Replies are found from gradients; where λ has none, random neighbours help.
                let better = self.try_point(reach_stride, place, random);
                reach_stride *= if better { LONGER } else { SHORTER };
                if reach_stride < LAST_STEP * reach.size {
                    reach_stride = FIRST_STEP * reach.size;
                }
                continue;
            }
            let direction = random.direction(place.theta.len());
            let mut theta = moved(&place.theta, stride, &direction);
            if random.uniform() < 0.6 {
                theta = self.onto_kinks(&place.theta, theta, random);
            }
            let next = self.place(reach, theta, &place.point);
            if next.value > place.value {
                *place = next;
                stride *= LONGER;
            } else {
                stride *= SHORTER;
            }
            if stride < LAST_STEP * scale(place) {
                stride = scale(place) * random.logarithmic(1e-6, 1.0);
            }
        }
    }

    /// Tries a neighbour of the adversary's point; the benign part of G stays as it is.
    fn try_point(&self, stride: f64, place: &mut Place, random: &mut Random) -> bool {
        let mut point = moved(&place.point, stride, &random.direction(place.point.len()));
        self.model.project_point(&mut point);
        let value = place.benign + self.poison(&place.theta, &point);
        let better = value > place.value;
        if better {
            (place.point, place.value) = (point, value);
        }
        better
    }
}
