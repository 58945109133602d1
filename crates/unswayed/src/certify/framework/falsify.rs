//! The search for the largest G, from many starts, and what it found.

use rayon::prelude::*;

use super::climb::{Climber, Place};
use super::reply::PointBall;
use super::residual::Residual;
use super::{Model, Random};
use crate::simulate::Estimate;

/// How hard to search. The result depends on these numbers and on nothing else.
///
/// Up to five dimensions and sixty rows different seeds have led to the same place in our tests. In eleven dimensions the default
/// stayed up to two per cent below what sixteen times the effort found: compare several seeds, or search harder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    /// Models that are looked at first.
    pub starts: usize,
    /// How many of them are improved: the best ones, and as many others.
    pub climbs: usize,
    /// Evaluations of G for improving them: after a few for each, the better half goes on, and so forth.
    pub evaluations: usize,
    /// For sampled distributions: draws for the figure that is reported, none of which the search has seen.
    pub fresh: usize,
    /// The seed of all randomness.
    pub seed: u64,
}

impl Default for Search {
    /// A second or so for data of a few dozen rows.
    fn default() -> Self {
        Search { starts: 400, climbs: 64, evaluations: 12_000, fresh: 200_000, seed: 0 }
    }
}

/// The worst place found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// θ.
    pub theta: Vec<f64>,
    /// z.
    pub point: Vec<f64>,
    /// G(θ, z), exact or, for sampled distributions, estimated from draws that the search has not seen.
    pub residual: Estimate,
    /// How much rounding can have changed it, to first order.
    pub rounding: f64,
    /// The number of models at which G was evaluated.
    pub evaluations: usize,
}

impl Finding {
    /// The lower bound of t(λ) that was found, rounding and the confidence interval taken off. For sampled
    /// distributions it holds with 97.5 % confidence.
    pub fn low(&self) -> f64 {
        self.residual.low() - self.rounding
    }

    /// Whether the finding disproves that G ≤ bound.
    pub fn refutes(&self, bound: f64) -> bool {
        self.low() > bound
    }
}

impl<M: Model + ?Sized, L: Fn(&[f64]) -> f64 + Sync> Residual<'_, M, L> {
    /// Searches for the largest G(θ, z).
    pub fn falsify(&self, search: &Search) -> Finding {
        let reach = PointBall::of(self.model);
        let places = self.first_places(search, &reach);
        let looked_at = places.len();
        let mut climbers = chosen(places, search);
        let rounds = climbers.len().ilog2() + 1;
        let mut evaluations = 0;
        loop {
            let each = search.evaluations / (rounds as usize * climbers.len());
            climbers.par_iter_mut().for_each(|climber| self.climb(&reach, climber, each));
            evaluations += each * climbers.len();
            climbers.sort_by(|a, b| b.place.value.total_cmp(&a.place.value));
            if climbers.len() == 1 {
                break;
            }
            climbers.truncate(climbers.len() / 2);
        }
        let best = climbers.swap_remove(0).place;
        Finding {
            residual: self.afresh(&best.theta, &best.point, search.fresh, !search.seed),
            rounding: self.rounding(&best.theta, &best.point),
            evaluations: looked_at + evaluations,
            theta: best.theta,
            point: best.point,
        }
    }

    /// The starts, best first.
    fn first_places(&self, search: &Search, reach: &PointBall) -> Vec<Place> {
        let mut random = Random::new(search.seed);
        let given = self.model.starts().into_iter().filter(|start| start.len() == self.model.dimension());
        let mut starts: Vec<Vec<f64>> = given.chain([vec![0.0; self.model.dimension()]]).collect();
        starts.extend((0..search.starts).map(|_| self.start(&mut random)));
        let mut places: Vec<Place> =
            starts.into_par_iter().map(|theta| self.place(reach, theta, &reach.centre)).collect();
        places.sort_by(|a, b| b.value.total_cmp(&a.value));
        places
    }

    /// A model in a random direction, of a random length, on kinks or not.
    fn start(&self, random: &mut Random) -> Vec<f64> {
        let length = random.logarithmic(1e-3, 1e3);
        let theta: Vec<f64> = random.direction(self.model.dimension()).iter().map(|t| length * t).collect();
        if random.uniform() < 0.5 { self.onto_any_kinks(theta, random) } else { theta }
    }
}

/// The best places, and as many others spread over the rest: the best ones may all lead to the same summit.
fn chosen(mut places: Vec<Place>, search: &Search) -> Vec<Climber> {
    let climbs = search.climbs.clamp(1, places.len());
    let rest = places.split_off(climbs.div_ceil(2));
    let others = rest.len().checked_div(climbs / 2).unwrap_or(1).max(1);
    places.extend(rest.into_iter().step_by(others).take(climbs / 2));
    let seed = |i: usize| search.seed ^ (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    places.into_iter().enumerate().map(|(i, place)| Climber::new(place, Random::new(seed(i)))).collect()
}
