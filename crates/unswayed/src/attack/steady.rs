//! The steady-state attack: one point, sent again and again, that drags the learner to the worst place it can be held.
//!
//! With θ(u) the place of rest under u, the attack maximises ℓ(θ(u)), or the error of θ(u), over the set. The gradient is known from
//! the place of rest: if θ moves by H⁻¹v when pulled along v, then dℓ = ε gᵀd(step on u) with g = H⁻¹∇ℓ. The ascent starts from
//! several points; a kink, and the error, are smoothed, less and less.

use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;
use rayon::prelude::*;
use unswayed_check::{Learner, Loss, Set, Statement};

use super::climb::climb;
use super::goal::{Goal, Stage};
use super::nature::Nature;
use super::poisoned::{PoisonedLearner, Price};
use super::{dot, scale};
use crate::cancel::Cancel;
use crate::certify::settled_hinge;
use crate::data::Dataset;
use crate::error::AttackError;
use crate::learner::has_kink;
use crate::simulate::Region;

/// The search looks at no more rows than this; with more, at every so-manieth.
pub(super) const MOST_ROWS: usize = 2000;

/// Random starts for each label, at least.
const RANDOM_STARTS: usize = 20;

/// Of the points found on a part of the rows so many are tried on at most so many rows, and the best one on all of them.
const FINALISTS: usize = 2;
pub(super) const FINAL_ROWS: usize = 50_000;

/// How often the price of points beyond the kink is raised in a stage.
const PRICES: usize = 2;

/// A shorter point may hold a hinge learner farther out, at its kink: the length is changed by this much at first and at last.
const FIRST_CHANGE: f64 = 0.05;
const LAST_CHANGE: f64 = 1e-3;

/// How long to search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    /// Starts that are improved.
    pub ascents: usize,
    /// Steps of each, in each stage.
    pub steps: usize,
    /// Neighbours that are tried after that, where trying is cheap.
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
    /// Its error; none for a regression loss.
    pub error: Option<f64>,
}

/// What a search needs to know.
#[derive(Clone, Copy)]
pub(super) struct Search<'s> {
    pub statement: &'s Statement,
    pub nature: &'s Nature,
    /// Where points are looked for.
    pub reach: &'s Region,
    pub goal: Goal,
    pub work: Work,
    pub seed: u64,
    pub cancel: &'s Cancel,
}

/// A point, where it holds the learner on a smooth loss, and how smooth that is.
#[derive(Clone)]
struct End {
    point: Vec<f64>,
    theta: Vec<f64>,
    width: f64,
    height: f64,
}

impl Search<'_> {
    /// The best constant attack found: a point, or for an adversary who chooses labels the probability of a flip for each row.
    pub fn run(&self) -> Result<SteadyState, AttackError> {
        let thin = self.nature.thinned(MOST_ROWS)?;
        let thin = Search { nature: &thin, ..*self };
        match &self.statement.threat.set {
            Set::LabelFlips => self.flips(),
            Set::Points { points } => self.best_on_all_rows(&thin, thin.screened(points)?),
            _ => {
                let mut found = Vec::new();
                for ends in thin.ends()? {
                    found.push(thin.resized(thin.exact_best(ends)?)?);
                }
                if let (Set::Ball { radius }, true) = (&self.statement.threat.set, self.evolves()) {
                    let mut points: Vec<_> = found.iter().map(|s| s.point.clone()).collect();
                    points.extend(thin.starts(self.stages()[0]));
                    found.push(thin.held(thin.evolved(points, *radius)?)?);
                }
                let ends = found.into_iter().map(|s| thin.end(s)).collect();
                self.best_on_all_rows(&thin, ends)
            }
        }
    }

    /// Whether neighbours are tried: on few rows the best point is at kinks, which a smooth ascent only comes near to.
    fn evolves(&self) -> bool {
        self.goal == Goal::Loss && self.is_plain() && self.work.evaluations > 0
    }

    /// Whether the learner is the plain one for the hinge loss, for which there are methods that are exact at kinks.
    fn is_plain(&self) -> bool {
        let Learner { loss, regularization, projection, clip, unregularized, .. } = &self.statement.learner;
        let is_plain = projection.is_none() && clip.is_none() && unregularized.is_empty();
        *loss == Loss::Hinge && is_plain && *regularization > 0.0
    }

    /// The same attack with the place of rest to full precision, where there is a method for that.
    pub fn exactly(&self, found: SteadyState) -> Result<SteadyState, AttackError> {
        if self.is_plain() { self.exactly_held(found.point) } else { Ok(found) }
    }

    /// Where a point holds the plain learner, to full precision.
    fn exactly_held(&self, point: Vec<f64>) -> Result<SteadyState, AttackError> {
        self.look()?;
        let rows = &self.nature.rows;
        let weights = self.nature.pulls(self.statement, &point);
        // Weights are divided by their sum, and then the regularizer must be too.
        let sum = if self.statement.threat.poison_weight.is_some() { weights.iter().sum() } else { 1.0 };
        let all = Dataset::from_rows([rows.z(), &point].concat(), rows.dimension(), Some(weights))?;
        let theta = settled_hinge(&all, self.statement.learner.regularization / sum).theta;
        let (loss, error) = self.nature.target.loss_and_error(&theta);
        Ok(SteadyState { point, theta, loss, error })
    }

    /// The more harm [`Search::run`] would find, the more this is; it takes less time.
    pub fn estimate(&self) -> Result<f64, AttackError> {
        if matches!(self.statement.threat.set, Set::LabelFlips | Set::Points { .. }) {
            return Ok(self.goal.of(&self.run()?));
        }
        let thin = self.nature.thinned(MOST_ROWS)?;
        let ends = Search { nature: &thin, ..*self }.ends()?;
        Ok(ends.iter().flatten().map(|end| end.height).fold(f64::NEG_INFINITY, f64::max))
    }

    /// Ends the search if asked to.
    pub fn look(&self) -> Result<(), AttackError> {
        if self.cancel.is_cancelled() { Err(AttackError::Cancelled) } else { Ok(()) }
    }

    fn hold(&self) -> PoisonedLearner<'_> {
        PoisonedLearner::new(self.statement, self.nature)
    }

    fn stages(&self) -> Vec<Stage> {
        self.goal.stages(self.statement.learner.loss)
    }

    /// An attack as the end of an ascent.
    fn end(&self, found: SteadyState) -> End {
        let width = self.stages()[0].curve.width();
        End { height: self.goal.of(&found), point: found.point, theta: found.theta, width }
    }

    /// Of the ends on a part of the rows, the best on all of them.
    fn best_on_all_rows(&self, thin: &Self, mut ends: Vec<End>) -> Result<SteadyState, AttackError> {
        if thin.nature.rows.rows() == self.nature.rows.rows() {
            return self.exactly(self.exact_best(ends)?);
        }
        ends.sort_by(|a, b| b.height.total_cmp(&a.height));
        ends.truncate(FINALISTS);
        if !self.is_plain() {
            return self.exact_best(ends);
        }
        let final_rows = self.nature.thinned(FINAL_ROWS)?;
        let of_many = self.nature.rows.rows() > FINAL_ROWS;
        let last = Search { nature: &final_rows, ..*self };
        let held = ends.into_par_iter().map(|end| last.exactly_held(end.point));
        let held = held.collect::<Result<Vec<_>, _>>()?;
        let best = self.goal.best(held).ok_or(AttackError::Unsupported("an empty set of points"))?;
        if of_many { self.exactly_held(best.point) } else { Ok(best) }
    }

    /// Of ends, the best one on the loss itself.
    fn exact_best(&self, ends: Vec<End>) -> Result<SteadyState, AttackError> {
        let held = ends.into_par_iter().map(|end| self.held_from(end));
        let held = held.collect::<Result<Vec<_>, _>>()?;
        self.goal.best(held).ok_or(AttackError::Unsupported("an empty set of points"))
    }

    /// Where a point holds the learner, on the loss itself.
    pub fn held(&self, point: Vec<f64>) -> Result<SteadyState, AttackError> {
        let theta = self.hold().theta;
        self.held_from(End { point, theta, width: self.stages()[0].curve.width(), height: 0.0 })
    }

    fn held_from(&self, end: End) -> Result<SteadyState, AttackError> {
        self.look()?;
        let mut hold = self.hold();
        hold.theta = end.theta;
        hold.place(&end.point);
        hold.settle_exactly(end.width);
        let (loss, error) = hold.loss_and_error();
        Ok(SteadyState { loss, error, theta: hold.theta, point: end.point })
    }

    /// The same point in the best length, by smaller and smaller changes.
    fn resized(&self, mut best: SteadyState) -> Result<SteadyState, AttackError> {
        let mut change = FIRST_CHANGE;
        while has_kink(self.statement.learner.loss) && change > LAST_CHANGE {
            let resized = |size: f64| {
                let point = self.scaled(&best.point, size);
                // Half of the change is a width at which the old place of rest is a good start.
                End { point, theta: best.theta.clone(), width: 0.5 * change, height: 0.0 }
            };
            let next = self.exact_best([1.0 - change, 1.0 + change].map(resized).to_vec())?;
            if self.goal.of(&next) > self.goal.of(&best) {
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

    /// The points that hold the learner worst in a stage.
    fn worst(&self, points: Vec<Vec<f64>>, stage: Stage, count: usize) -> Result<Vec<End>, AttackError> {
        let tried = points.into_par_iter().map(|point| {
            self.look()?;
            let mut hold = self.hold();
            hold.place(&point);
            hold.settle(stage.curve);
            let height = hold.height(stage.height).0;
            Ok(End { point, theta: hold.theta, width: stage.curve.width(), height })
        });
        let mut tried = tried.collect::<Result<Vec<End>, AttackError>>()?;
        tried.sort_by(|a, b| b.height.total_cmp(&a.height));
        tried.truncate(count);
        Ok(tried)
    }

    /// Where ascents from the worst starts are after each stage.
    fn ends(&self) -> Result<Vec<Vec<End>>, AttackError> {
        let first = self.stages()[0];
        let starts = self.worst(self.starts(first), first, self.work.ascents)?;
        starts.into_par_iter().map(|start| self.ascend(start.point)).collect()
    }

    /// Against the model, against the rows, along the gradient, along where θ gives way, and at random; for each label.
    fn starts(&self, stage: Stage) -> Vec<Vec<f64>> {
        let (mut hold, dimension) = (self.hold(), self.nature.rows.dimension());
        let rest = hold.settle(stage.curve);
        let gradient = hold.height(stage.height).1;
        let against = hold.theta.iter().map(|t| -t).collect();
        let pushes = [against, hold.against_rows(), rest.moved(&gradient), gradient];
        let mut rng = Pcg64Mcg::seed_from_u64(self.seed);
        let mut starts = Vec::new();
        for label in 0..self.labels() {
            let mut blank = vec![0.0; dimension];
            blank[0] = label as f64;
            self.reach.bring_in(&mut blank);
            hold.place(&blank);
            let mut directions: Vec<Vec<f64>> = pushes.iter().map(|v| hold.lever(stage.curve, v)).collect();
            let random = |_| (0..dimension).map(|_| StandardNormal.sample(&mut rng)).collect();
            let count = RANDOM_STARTS.max(self.work.ascents.saturating_sub(directions.len()));
            directions.extend((0..count).map(random));
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

    /// Where an ascent is after each of its stages.
    fn ascend(&self, mut point: Vec<f64>) -> Result<Vec<End>, AttackError> {
        let mut hold = self.hold();
        let (mut ends, mut price) = (Vec::new(), Price::default());
        for stage in self.stages() {
            for _ in 0..PRICES {
                point = climb(self.reach, &point, self.work.steps / PRICES, |u| {
                    self.look()?;
                    Ok(hold.climb(u, stage, &mut price))
                })?;
                hold.climb(&point, stage, &mut price);
                hold.reprice(&mut price);
            }
            let height = hold.height(stage.height).0;
            ends.push(End {
                point: point.clone(),
                theta: hold.theta.clone(),
                width: stage.curve.width(),
                height,
            });
        }
        Ok(ends)
    }

    /// The points of a finite set that are worth a closer look: of those that push hardest those that hold the learner worst.
    fn screened(&self, points: &[f64]) -> Result<Vec<End>, AttackError> {
        let stages = self.stages();
        let (first, last) = (stages[0], stages[stages.len() - 1]);
        let mut hold = self.hold();
        let rest = hold.settle(last.curve);
        let push = rest.moved(&hold.height(first.height).1);
        let effect = |z: &[f64]| last.curve.at(dot(&hold.theta, z), 1.0).pull * dot(&push, z);
        let points = points.chunks_exact(self.nature.rows.dimension());
        let mut points: Vec<(f64, Vec<f64>)> = points.map(|z| (effect(z), z.to_vec())).collect();
        points.sort_by(|a, b| b.0.total_cmp(&a.0));
        points.truncate(self.work.ascents * self.work.steps);
        self.worst(points.into_iter().map(|(_, z)| z).collect(), last, 2 * self.work.ascents)
    }

    /// Labels that a point may have.
    fn labels(&self) -> usize {
        if let Loss::Multiclass(classes) = self.statement.learner.loss { classes } else { 1 }
    }
}
