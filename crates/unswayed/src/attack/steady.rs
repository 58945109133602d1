//! The steady-state attack: one point, sent again and again, that drags the learner to the worst place it can be held.
//!
//! With θ(u) the place of rest under u, the attack maximises ℓ(θ(u)) over the set. Its gradient is known from the place of rest: if
//! θ moves by H⁻¹v when pulled along v, then dℓ = ε gᵀd(step on u) with g = H⁻¹∇ℓ. The ascent starts from several points; a hinge is
//! smoothed, less and less.

use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;
use rayon::prelude::*;
use unswayed_check::{Learner, Loss, Set, Statement};

use super::curve::Curve;
use super::kinked::pulls;
use super::nature::Nature;
use super::poisoned::PoisonedLearner;
use super::{dot, scale};
use crate::cancel::Cancel;
use crate::certify::settled_hinge;
use crate::data::Dataset;
use crate::error::AttackError;
use crate::learner::has_kink;
use crate::simulate::Region;

/// The search looks at no more rows than this; with more, at every so-manieth.
const MOST_ROWS: usize = 2000;

/// Random starts for each label.
const RANDOM_STARTS: usize = 8;

/// A shorter point may hold a hinge learner farther out, at its kink: these lengths are tried at the end, and then changed.
const LENGTHS: [f64; 3] = [1.0, 0.9, 0.7];
const FIRST_CHANGE: f64 = 0.2;
const LAST_CHANGE: f64 = 0.01;

/// How long to search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    /// Starts that are improved.
    pub ascents: usize,
    /// Steps of each, on each curve.
    pub steps: usize,
    /// Points that are tried after that, where trying is cheap.
    pub evaluations: usize,
}

/// A constant attack and where it holds the learner.
#[derive(Clone, Debug)]
pub struct SteadyState {
    /// The point u; for an adversary who may flip labels only, the probability of a flip for each row.
    pub point: Vec<f64>,
    /// θ(u).
    pub theta: Vec<f64>,
    /// The loss of θ(u) on the target: what the attack reaches for small learning rates.
    pub loss: f64,
}

/// What a search needs to know.
#[derive(Clone, Copy)]
pub(super) struct Search<'s> {
    pub statement: &'s Statement,
    pub nature: &'s Nature,
    /// Where points are looked for.
    pub reach: &'s Region,
    pub work: Work,
    pub seed: u64,
    pub cancel: &'s Cancel,
}

/// A value and the point that has it.
type Tried = (f64, Vec<f64>);

impl Search<'_> {
    /// The best constant attack found: a point, or for an adversary who chooses labels the probability of a flip for each row.
    pub fn run(&self) -> Result<SteadyState, AttackError> {
        let thin = self.nature.thinned(MOST_ROWS)?;
        let thin = Search { nature: &thin, ..*self };
        match &self.statement.threat.set {
            Set::LabelFlips => self.flips(),
            Set::Points { points } => self.exactly(self.exact_best(thin.screened(points)?)?),
            Set::Ball { radius } if self.is_plain() => {
                let mut points = thin.candidates()?;
                let found = self.resized(self.exact_best(points.clone())?)?;
                points.push(found.point.clone());
                points.extend(thin.starts(Curve::for_search(Loss::Hinge)[0]));
                let evolved = self.held(thin.evolved(points, *radius)?)?;
                self.exactly(if evolved.loss > found.loss { evolved } else { found })
            }
            _ => self.exactly(self.resized(self.exact_best(thin.candidates()?)?)?),
        }
    }

    /// Whether the learner is the plain one for the hinge loss, for which there are methods that are exact at kinks.
    fn is_plain(&self) -> bool {
        let Learner { loss, regularization, projection, clip, unregularized, .. } = &self.statement.learner;
        let is_plain = projection.is_none() && clip.is_none() && unregularized.is_empty();
        *loss == Loss::Hinge && is_plain && *regularization > 0.0
    }

    /// The same attack with the place of rest to full precision, where there is a method for that.
    pub fn exactly(&self, found: SteadyState) -> Result<SteadyState, AttackError> {
        if !self.is_plain() {
            return Ok(found);
        }
        let rows = &self.nature.rows;
        let weights = pulls(self.statement, self.nature);
        // Weights are divided by their sum, and then the regularizer must be too.
        let sum = if self.statement.threat.poison_weight.is_some() { weights.iter().sum() } else { 1.0 };
        let all = Dataset::from_rows([rows.z(), &found.point].concat(), rows.dimension(), Some(weights))?;
        let theta = settled_hinge(&all, self.statement.learner.regularization / sum).theta;
        Ok(SteadyState { loss: self.nature.target.loss(&theta), theta, point: found.point })
    }

    /// The more harm [`Search::run`] would find, the more this is; it takes less time.
    pub fn estimate(&self) -> Result<f64, AttackError> {
        if matches!(self.statement.threat.set, Set::LabelFlips | Set::Points { .. }) {
            return Ok(self.run()?.loss);
        }
        let thin = self.nature.thinned(MOST_ROWS)?;
        let ends = Search { nature: &thin, ..*self }.ends()?;
        Ok(ends.iter().map(|(height, _)| *height).fold(f64::NEG_INFINITY, f64::max))
    }

    /// Ends the search if asked to.
    pub fn look(&self) -> Result<(), AttackError> {
        if self.cancel.is_cancelled() { Err(AttackError::Cancelled) } else { Ok(()) }
    }

    fn hold(&self) -> PoisonedLearner<'_> {
        PoisonedLearner::new(self.statement, self.nature)
    }

    /// Of points, the one with the largest loss on the loss itself and on all rows.
    fn exact_best(&self, points: Vec<Vec<f64>>) -> Result<SteadyState, AttackError> {
        let held = points.into_par_iter().map(|point| self.held(point));
        let held = held.collect::<Result<Vec<_>, _>>()?;
        let best = held.into_iter().max_by(|a, b| a.loss.total_cmp(&b.loss));
        best.ok_or(AttackError::Unsupported("an empty set of points"))
    }

    /// Where a point holds the learner, on the loss itself.
    pub fn held(&self, point: Vec<f64>) -> Result<SteadyState, AttackError> {
        self.look()?;
        let mut hold = self.hold();
        hold.place(&point);
        hold.settle_exactly();
        Ok(SteadyState { loss: hold.loss(), theta: hold.theta, point })
    }

    /// The same point in the best length, by smaller and smaller changes.
    fn resized(&self, mut best: SteadyState) -> Result<SteadyState, AttackError> {
        let mut change = FIRST_CHANGE;
        while has_kink(self.statement.learner.loss) && change > LAST_CHANGE {
            let sizes = [1.0 - change, 1.0 + change].map(|size| self.scaled(&best.point, size));
            let next = self.exact_best(sizes.to_vec())?;
            if next.loss > best.loss {
                best = next;
            } else {
                change /= 2.0;
            }
        }
        Ok(best)
    }

    /// The point with another length, in the set, and with the same label.
    fn scaled(&self, point: &[f64], size: f64) -> Vec<f64> {
        let mut scaled = point.to_vec();
        scale(&mut scaled[self.statement.learner.loss.label_entries()..], size);
        self.reach.bring_in(&mut scaled);
        scaled
    }

    /// The points that hold the learner worst on a smooth loss.
    fn worst(&self, points: Vec<Vec<f64>>, curve: Curve, count: usize) -> Result<Vec<Vec<f64>>, AttackError> {
        let tried = points.into_par_iter().map(|point| {
            self.look()?;
            let mut hold = self.hold();
            hold.place(&point);
            hold.settle(curve);
            Ok((hold.height(curve), point))
        });
        let mut tried = tried.collect::<Result<Vec<Tried>, AttackError>>()?;
        tried.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok(tried.into_iter().take(count).map(|(_, point)| point).collect())
    }

    /// Where ascents from the worst starts end.
    fn ends(&self) -> Result<Vec<Tried>, AttackError> {
        let widest = Curve::for_search(self.statement.learner.loss)[0];
        let starts = self.worst(self.starts(widest), widest, self.work.ascents)?;
        starts.into_par_iter().map(|start| self.ascend(start)).collect()
    }

    /// The ends in a few lengths.
    fn candidates(&self) -> Result<Vec<Vec<f64>>, AttackError> {
        let lengths = if has_kink(self.statement.learner.loss) { &LENGTHS[..] } else { &LENGTHS[..1] };
        let ends = self.ends()?;
        Ok(ends.iter().flat_map(|(_, point)| lengths.iter().map(|l| self.scaled(point, *l))).collect())
    }

    /// Against the model, against the rows, along the gradient, along where θ gives way, and at random; for each label.
    fn starts(&self, curve: Curve) -> Vec<Vec<f64>> {
        let (mut hold, dimension) = (self.hold(), self.nature.rows.dimension());
        let rest = hold.settle(curve);
        let gradient = hold.gradient(curve);
        let against = hold.theta.iter().map(|t| -t).collect();
        let pushes = [against, hold.against_rows(), rest.moved(&gradient), gradient];
        let mut rng = Pcg64Mcg::seed_from_u64(self.seed);
        let mut starts = Vec::new();
        for label in 0..self.labels() {
            let mut blank = vec![0.0; dimension];
            blank[0] = label as f64;
            self.reach.bring_in(&mut blank);
            hold.place(&blank);
            let mut directions: Vec<Vec<f64>> = pushes.iter().map(|v| hold.lever(curve, v)).collect();
            let random = |_| (0..dimension).map(|_| StandardNormal.sample(&mut rng)).collect();
            directions.extend((0..RANDOM_STARTS).map(random));
            for direction in directions {
                let mut start = vec![0.0; dimension];
                self.reach.farthest(&direction, &mut start);
                if self.labels() > 1 {
                    start[0] = label as f64;
                }
                starts.push(start);
            }
        }
        starts
    }

    /// Projected ascent, with longer steps after a success and shorter ones after a failure.
    fn ascend(&self, start: Vec<f64>) -> Result<Tried, AttackError> {
        let mut hold = self.hold();
        let mut best: Tried = (f64::NEG_INFINITY, start);
        let mut direction = vec![0.0; best.1.len()];
        for curve in Curve::for_search(self.statement.learner.loss) {
            let (mut step, mut point) = (0.5, best.1.clone());
            best.0 = f64::NEG_INFINITY;
            for _ in 0..self.work.steps {
                self.look()?;
                hold.place(&point);
                let rest = hold.settle(curve);
                let height = hold.height(curve);
                if height > best.0 {
                    best = (height, point.clone());
                    let push = rest.moved(&hold.gradient(curve));
                    self.reach.uphill(&hold.lever(curve, &push), &mut direction);
                    step *= 1.3;
                } else {
                    step *= 0.4;
                    if step < 1e-4 {
                        break;
                    }
                }
                point.copy_from_slice(&best.1);
                point.iter_mut().zip(&direction).for_each(|(u, d)| *u += step * d);
                self.reach.bring_in(&mut point);
            }
        }
        Ok(best)
    }

    /// The points of a finite set that are worth a closer look: of those that push hardest those that hold the learner worst.
    fn screened(&self, points: &[f64]) -> Result<Vec<Vec<f64>>, AttackError> {
        let curves = Curve::for_search(self.statement.learner.loss);
        let curve = curves[curves.len() - 1];
        let mut hold = self.hold();
        let rest = hold.settle(curve);
        let push = rest.moved(&hold.gradient(curve));
        let effect = |z: &[f64]| curve.at(dot(&hold.theta, z), 1.0).pull * dot(&push, z);
        let points = points.chunks_exact(self.nature.rows.dimension());
        let mut points: Vec<Tried> = points.map(|z| (effect(z), z.to_vec())).collect();
        points.sort_by(|a, b| b.0.total_cmp(&a.0));
        points.truncate(self.work.ascents * self.work.steps);
        self.worst(points.into_iter().map(|(_, z)| z).collect(), curve, 2 * self.work.ascents)
    }

    /// Labels that a point may have.
    fn labels(&self) -> usize {
        if let Loss::Multiclass(classes) = self.statement.learner.loss { classes } else { 1 }
    }
}
