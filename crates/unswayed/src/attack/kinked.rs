//! A hinge learner held by one point, by coordinate descent: exact at kinks, and cheap from where the last point left it. A search
//! by gradients ends near kinks; a search by neighbours, which needs many places of rest, goes on from there.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;
use unswayed_check::Statement;

use super::dot;
use super::evolve::Candidate;
use super::goal::{Goal, Height};
use super::nature::Nature;
use super::steady::Search;
use crate::certify::Descent;
use crate::error::AttackError;

/// Points that are improved, at most.
const MOST_POINTS: usize = 32;

/// A row that is nearly misclassified counts a little: the width of the smoothed error that is added to the error.
const NEARLY_WRONG: f64 = 0.05;

/// The rows, a point after them, and where the learner settles.
struct Kinked<'s> {
    goal: Goal,
    nature: &'s Nature,
    point: Vec<f64>,
    settled: Descent,
}

impl<'s> Kinked<'s> {
    fn new(statement: &Statement, nature: &'s Nature, goal: Goal) -> Self {
        let (rows, point) = (&nature.rows, vec![0.0; nature.rows.dimension()]);
        let settled = Descent {
            caps: nature.pulls(statement, &point),
            squared: rows.iter().map(|z| dot(z, z)).chain([0.0]).collect(),
            sigma: statement.learner.regularization,
            a: vec![0.0; rows.rows() + 1],
            theta: vec![0.0; rows.dimension()],
        };
        Kinked { goal, nature, point, settled }
    }

    /// The goal where a point holds the learner.
    fn value(&mut self, point: &[f64]) -> f64 {
        let (rows, last) = (&self.nature.rows, self.nature.rows.rows());
        let held = self.settled.a[last] / self.settled.sigma;
        for ((t, new), old) in self.settled.theta.iter_mut().zip(point).zip(&mut self.point) {
            *t += held * (new - *old);
            *old = *new;
        }
        self.settled.squared[last] = dot(point, point);
        let point = &self.point;
        self.settled.run(|i| if i < last { rows.row(i) } else { point }, 1e-7, 60);
        let (target, theta) = (&self.nature.target, &self.settled.theta);
        let (loss, error) = target.loss_and_error(theta);
        match self.goal {
            Goal::Loss => loss,
            Goal::Error => {
                let mut gradient = vec![0.0; theta.len()];
                error.unwrap_or(0.0) + target.height(theta, Height::Error(NEARLY_WRONG), &mut gradient)
            }
        }
    }
}

impl Search<'_> {
    /// Points of a ball, improved by an evolution strategy: each a little, the worse half is dropped, and so on until one is left.
    pub fn evolved(&self, points: Vec<Vec<f64>>, radius: f64) -> Result<Vec<f64>, AttackError> {
        let mut kinked = Kinked::new(self.statement, self.nature, self.goal);
        let mut rng = Pcg64Mcg::seed_from_u64(self.seed ^ 0x6b69_6e6b);
        let candidate = |point| Candidate::new(point, radius, |u| kinked.value(u));
        let mut pool: Vec<Candidate> = points.into_iter().map(candidate).collect();
        let mut most = MOST_POINTS;
        let rounds = MOST_POINTS.ilog2() as usize + 1;
        loop {
            pool.sort_by(|a, b| b.value.total_cmp(&a.value));
            pool.truncate(most);
            let share = self.work.evaluations / rounds / pool.len().max(1);
            for candidate in &mut pool {
                self.look()?;
                candidate.evolve(share, radius, &mut rng, |u| kinked.value(u));
            }
            if pool.len() <= 1 {
                return Ok(pool.pop().map_or_else(|| vec![0.0; kinked.point.len()], |last| last.point));
            }
            most = pool.len() / 2;
        }
    }
}
