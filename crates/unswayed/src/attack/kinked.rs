//! A hinge learner held by one point, by coordinate descent: exact at kinks, and cheap from where the last point left it. A search
//! by gradients ends near kinks; a search by neighbours, which needs many places of rest, goes on from there.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;
use unswayed_check::Statement;

use super::dot;
use super::evolve::Candidate;
use super::nature::Nature;
use super::steady::Search;
use crate::certify::Descent;
use crate::error::AttackError;

/// Points that are improved, at most.
const MOST_POINTS: usize = 32;

/// The rows, a point after them, and where the learner settles.
struct Kinked<'s> {
    nature: &'s Nature,
    point: Vec<f64>,
    settled: Descent,
}

impl<'s> Kinked<'s> {
    fn new(statement: &Statement, nature: &'s Nature) -> Self {
        let (rows, point) = (&nature.rows, vec![0.0; nature.rows.dimension()]);
        let settled = Descent {
            caps: nature.pulls(statement, &point),
            squared: rows.iter().map(|z| dot(z, z)).chain([0.0]).collect(),
            sigma: statement.learner.regularization,
            a: vec![0.0; rows.rows() + 1],
            theta: vec![0.0; rows.dimension()],
        };
        Kinked { nature, point, settled }
    }

    /// The loss on the target where a point holds the learner.
    fn loss(&mut self, point: &[f64]) -> f64 {
        let (rows, last) = (&self.nature.rows, self.nature.rows.rows());
        let held = self.settled.a[last] / self.settled.sigma;
        for ((t, new), old) in self.settled.theta.iter_mut().zip(point).zip(&mut self.point) {
            *t += held * (new - *old);
            *old = *new;
        }
        self.settled.squared[last] = dot(point, point);
        let point = &self.point;
        self.settled.run(|i| if i < last { rows.row(i) } else { point }, 1e-7, 60);
        self.nature.target.loss_and_error(&self.settled.theta).0
    }
}

impl Search<'_> {
    /// Points of a ball, improved by an evolution strategy: each a little, the worse half is dropped, and so on until one is left.
    pub fn evolved(&self, points: Vec<Vec<f64>>, radius: f64) -> Result<Vec<f64>, AttackError> {
        let mut kinked = Kinked::new(self.statement, self.nature);
        let mut rng = Pcg64Mcg::seed_from_u64(self.seed ^ 0x6b69_6e6b);
        let candidate = |point| Candidate::new(point, radius, |u| kinked.loss(u));
        let mut pool: Vec<Candidate> = points.into_iter().map(candidate).collect();
        let mut most = MOST_POINTS;
        let rounds = MOST_POINTS.ilog2() as usize + 1;
        loop {
            pool.sort_by(|a, b| b.loss.total_cmp(&a.loss));
            pool.truncate(most);
            let share = self.work.evaluations / rounds / pool.len().max(1);
            for candidate in &mut pool {
                self.look()?;
                candidate.evolve(share, radius, &mut rng, |u| kinked.loss(u));
            }
            if pool.len() <= 1 {
                return Ok(pool.pop().map_or_else(|| vec![0.0; kinked.point.len()], |last| last.point));
            }
            most = pool.len() / 2;
        }
    }
}
