//! Uphill from one model: an evolution strategy whose steps also run along kinks.

use super::reply::PointBall;
use super::residual::Residual;
use super::{Model, Random, moved, norm};

/// A model, the adversary's reply, and G there.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub theta: Vec<f64>,
    pub point: Vec<f64>,
    /// The part of G that does not depend on the point, less what rounding can have done to it.
    benign: f64,
    pub value: f64,
}

/// A place on its way uphill.
pub(super) struct Climber {
    pub place: Place,
    /// Relative to the model's length, and to the size of the adversary's set.
    stride: f64,
    point_stride: f64,
    random: Random,
}

impl Climber {
    pub fn new(place: Place, random: Random) -> Self {
        Climber { place, stride: FIRST_STEP, point_stride: FIRST_STEP, random }
    }
}

/// Longer steps after a success, shorter after a failure, as in the search for attacks.
const LONGER: f64 = 1.5;
const SHORTER: f64 = 0.93;
/// The first step, and the one at which long steps are tried again.
const FIRST_STEP: f64 = 0.3;
const LAST_STEP: f64 = 1e-9;
/// Models shorter than this count as this long.
const SHORTEST: f64 = 1e-2;
/// Where G has no bound, models are not followed further than this: numbers would overflow.
const FARTHEST: f64 = 1e12;

impl<M: Model + ?Sized, L: Fn(&[f64]) -> f64 + Sync> Residual<'_, M, L> {
    /// The model moved into Θ, with the best reply found.
    pub(super) fn place(&self, reach: &PointBall, mut theta: Vec<f64>, last: &[f64]) -> Place {
        self.model.project_model(&mut theta);
        let benign = self.benign(&theta, self.rows()).0 - self.rough_rounding(&theta);
        let (point, poison) = self.reply(reach, &theta, last);
        let sum = benign + poison;
        // A sum that is not a number refutes nothing.
        let value = if sum.is_nan() || norm(&theta) > FARTHEST { f64::NEG_INFINITY } else { sum };
        Place { theta, point, benign, value }
    }

    /// Climbs with that many evaluations of G.
    pub(super) fn climb(&self, reach: &PointBall, climber: &mut Climber, evaluations: usize) {
        for _ in 0..evaluations {
            if climber.random.uniform() < 0.25 && self.model.poison_rate() > 0.0 {
                // Replies are found from gradients; where λ has none, random neighbours help.
                self.try_point(reach, climber);
            } else {
                self.try_model(reach, climber);
            }
        }
    }

    /// Tries a neighbour of the model, with the best reply.
    fn try_model(&self, reach: &PointBall, climber: &mut Climber) {
        let Climber { place, stride, random, .. } = climber;
        let scale = norm(&place.theta).max(SHORTEST);
        let direction = random.direction(place.theta.len());
        let mut theta = moved(&place.theta, *stride * scale, &direction);
        if random.uniform() < 0.6 {
            theta = self.onto_kinks(&place.theta, theta, random);
        }
        let next = self.place(reach, theta, &place.point);
        if next.value > place.value {
            *place = next;
            *stride *= LONGER;
        } else {
            *stride *= SHORTER;
        }
        if *stride < LAST_STEP {
            *stride = random.logarithmic(1e-6, 1.0);
        }
    }

    /// Tries a neighbour of the adversary's point; the benign part of G stays as it is.
    fn try_point(&self, reach: &PointBall, climber: &mut Climber) {
        let Climber { place, point_stride, random, .. } = climber;
        let direction = random.direction(place.point.len());
        let mut point = moved(&place.point, *point_stride * reach.size, &direction);
        self.model.project_point(&mut point);
        let value = place.benign + self.poison(&place.theta, &point);
        if value > place.value {
            (place.point, place.value) = (point, value);
            *point_stride *= LONGER;
        } else {
            *point_stride *= SHORTER;
        }
        if *point_stride < LAST_STEP {
            *point_stride = FIRST_STEP;
        }
    }
}
