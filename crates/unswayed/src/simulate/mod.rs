//! Running a learner under attack for millions of steps, and measuring its long-run average loss.
//!
//! With probability ε a step's point is the policy's (or at moments of its choosing, with so many in each block), else a benign
//! row drawn by weight. After a burn-in the loss is
//! evaluated at evenly spaced steps of a window; batch means give the confidence interval, and a verdict says
//! whether the window looks stationary. Results depend on the seed and the number of replicates, on nothing else.

mod region;
mod stats;
mod stream;
mod timing;

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

pub(crate) use region::Region;
pub use stats::{Estimate, Verdict};
pub use stream::Stream;
pub(crate) use timing::Timing;

use crate::attack::Policy;
use crate::cancel::Cancel;
use crate::error::AttackError;
use crate::learner::{LANES, Online};

/// How long to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Steps before anything is measured.
    pub burn_in: u64,
    /// Steps that are measured.
    pub window: u64,
    /// How often the loss is evaluated in the window.
    pub evaluations: u64,
    /// Independent runs, in parallel.
    pub replicates: u64,
    /// The seed of all randomness.
    pub seed: u64,
}

/// What a model θ scores; `None` where there is nothing to score on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scores {
    /// The loss on the target.
    pub loss: f64,
    /// The error on the target.
    pub error: Option<f64>,
    /// The loss on held-out data.
    pub test_loss: Option<f64>,
    /// The error on held-out data.
    pub test_error: Option<f64>,
}

/// Evaluates a model.
pub trait Judge: Sync {
    /// The scores of θ.
    fn scores(&self, theta: &[f64]) -> Scores;
}

/// Long-run averages under attack.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulated {
    /// The loss on the target.
    pub loss: Estimate,
    /// The error on the target.
    pub error: Option<Estimate>,
    /// The loss on held-out data.
    pub test_loss: Option<Estimate>,
    /// The error on held-out data.
    pub test_error: Option<Estimate>,
    /// All steps made, burn-in and replicates included.
    pub steps: u64,
    /// Whether the averages are those of the long run.
    pub verdict: Verdict,
}

/// First steps that are simulated, at most.
pub const MOST_FIRST_STEPS: u64 = 10_000_000;
/// Places among them at which the model is measured, and runs.
const FIRST_STEPS_EVALUATIONS: u64 = 500;
const FIRST_STEPS_REPLICATES: u64 = 4;

/// Everything a run needs but the policy.
pub struct Arena<'a, L, J> {
    /// The learner, whose state is copied.
    pub learner: L,
    /// The benign points, the poison rate and the adversary's set.
    pub stream: &'a Stream,
    /// What is measured.
    pub judge: &'a J,
    /// 1/(ησ) or the like: steps after which the learner has forgotten.
    pub time_constant: f64,
    /// Ends the run early.
    pub cancel: &'a Cancel,
}

impl<L: Online + Sync, J: Judge> Arena<'_, L, J> {
    /// Simulates the learner from `start` under a policy.
    pub fn run<P: Policy + Clone + Sync>(
        &self,
        policy: &P,
        start: &[f64],
        plan: &Plan,
    ) -> Result<Simulated, AttackError> {
        let replicates: Result<Vec<Vec<Scores>>, AttackError> = (0..plan.replicates)
            .into_par_iter()
            .map(|r| self.replicate(policy.clone(), start, plan, r))
            .collect();
        let replicates = replicates?;
        let series = |pick: &dyn Fn(&Scores) -> Option<f64>| -> Option<Vec<Vec<f64>>> {
            replicates.iter().map(|run| run.iter().map(pick).collect()).collect()
        };
        let estimate = |pick: &dyn Fn(&Scores) -> Option<f64>| series(pick).map(|s| Estimate::of(&s));
        let losses = series(&|s| Some(s.loss)).unwrap_or_default();
        Ok(Simulated {
            loss: Estimate::of(&losses),
            error: estimate(&|s| s.error),
            test_loss: estimate(&|s| s.test_loss),
            test_error: estimate(&|s| s.test_error),
            steps: plan.replicates * (plan.burn_in + plan.window),
            verdict: Verdict::of(&losses, plan.window as f64 / self.time_constant),
        })
    }

    /// The average over the first steps from `start`, each replicate being one value. Of more than [`MOST_FIRST_STEPS`] the rest is
    /// taken to be like the second half of those that are simulated.
    pub fn first_steps<P: Policy + Clone + Sync>(
        &self,
        policy: &P,
        start: &[f64],
        steps: u64,
        seed: u64,
    ) -> Result<Simulated, AttackError> {
        let window = steps.min(MOST_FIRST_STEPS);
        let evaluations = window.min(FIRST_STEPS_EVALUATIONS);
        let plan = Plan { burn_in: 0, window, evaluations, replicates: FIRST_STEPS_REPLICATES, seed };
        let runs: Vec<Vec<Scores>> = (0..plan.replicates)
            .into_par_iter()
            .map(|r| self.replicate(policy.clone(), start, &plan, r))
            .collect::<Result<_, _>>()?;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let simulated = window as f64 / steps as f64;
        let average = |values: Vec<f64>| {
            let rest = mean(&values[values.len() / 2..]);
            vec![simulated * mean(&values) + (1.0 - simulated) * rest]
        };
        let estimate = |pick: &dyn Fn(&Scores) -> Option<f64>| -> Option<Estimate> {
            let series = |run: &Vec<Scores>| run.iter().map(pick).collect::<Option<Vec<f64>>>().map(average);
            Some(Estimate::of(&runs.iter().map(series).collect::<Option<Vec<_>>>()?))
        };
        Ok(Simulated {
            loss: estimate(&|s| Some(s.loss)).unwrap_or(Estimate { mean: 0.0, half_width: f64::INFINITY }),
            error: estimate(&|s| s.error),
            test_loss: estimate(&|s| s.test_loss),
            test_error: estimate(&|s| s.test_error),
            steps: plan.replicates * window,
            verdict: Verdict::FirstSteps,
        })
    }

    /// The loss at the given steps, ascending, of one run from `start`.
    pub fn trace<P: Policy>(
        &self,
        policy: P,
        start: &[f64],
        steps: &[u64],
        seed: u64,
    ) -> Result<Vec<f64>, AttackError> {
        let mut run = Run::new(self, policy, start, seed, 0);
        let (arch, mut now) = (pulp::Arch::new(), 0);
        let mut losses = Vec::with_capacity(steps.len());
        for step in steps {
            arch.dispatch(Advance { run: &mut run, steps: step.saturating_sub(now) })?;
            now = now.max(*step);
            losses.push(self.judge.scores(&run.theta()).loss);
        }
        Ok(losses)
    }

    /// The first points that the policy would send, one after the other, from `start`.
    pub fn poison_points<P: Policy>(
        &self,
        policy: P,
        start: &[f64],
        count: usize,
        seed: u64,
    ) -> Result<Vec<f64>, AttackError> {
        let mut run = Run::new(self, policy, start, seed, 0);
        let mut points = Vec::with_capacity(count * run.point.len());
        if run.until_poison == u64::MAX {
            return Ok(points);
        }
        for _ in 0..count {
            run.advance(run.until_poison.saturating_add(1))?;
            points.extend_from_slice(&run.point);
        }
        Ok(points)
    }

    fn replicate<P: Policy>(
        &self,
        policy: P,
        start: &[f64],
        plan: &Plan,
        replicate: u64,
    ) -> Result<Vec<Scores>, AttackError> {
        let mut run = Run::new(self, policy, start, plan.seed, replicate);
        let arch = pulp::Arch::new();
        let mut advance = |steps: u64| {
            if self.cancel.is_cancelled() {
                return Err(AttackError::Cancelled);
            }
            arch.dispatch(Advance { run: &mut run, steps })?;
            Ok::<_, AttackError>(run.theta())
        };
        advance(plan.burn_in)?;
        let mut places = Pcg64Mcg::seed_from_u64(plan.seed.rotate_left(32) ^ replicate);
        let mut scores = Vec::with_capacity(usize::try_from(plan.evaluations).unwrap_or(0));
        for i in 0..plan.evaluations {
            // Evenly spaced, the remainder spread.
            let until = |i: u64| {
                plan.window / plan.evaluations * i + plan.window % plan.evaluations * i / plan.evaluations
            };
            let length = until(i + 1) - until(i);
            // Bursts come again and again: models at even distances could all be behind one.
            let before =
                if self.stream.is_timed() && length > 0 { places.next_u64() % length + 1 } else { length };
            scores.push(self.judge.scores(&advance(before)?));
            advance(length - before)?;
        }
        Ok(scores)
    }
}

/// The hot loop, in the form that is compiled for the machine's vector unit.
struct Advance<'r, 'a, L, P> {
    run: &'r mut Run<'a, L, P>,
    steps: u64,
}

impl<L: Online, P: Policy> pulp::WithSimd for Advance<'_, '_, L, P> {
    type Output = Result<(), AttackError>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
        self.run.advance(self.steps)
    }
}

/// One replicate in motion.
struct Run<'a, L, P> {
    stream: &'a Stream,
    learner: L,
    policy: P,
    rng: Pcg64Mcg,
    /// Points so far.
    now: u64,
    until_poison: u64,
    theta: Vec<f64>,
    point: Vec<f64>,
    padded: Vec<[f64; LANES]>,
}

impl<'a, L: Online, P: Policy> Run<'a, L, P> {
    fn new<J>(arena: &Arena<'a, L, J>, policy: P, start: &[f64], seed: u64, replicate: u64) -> Self {
        let seed = seed ^ replicate.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let mut learner = arena.learner.clone();
        learner.restart(start, seed);
        let (stream, dimension) = (arena.stream, arena.stream.dimension());
        Run {
            now: 0,
            until_poison: stream.until_poison(&mut rng, 0),
            stream,
            learner,
            policy,
            rng,
            theta: start.to_vec(),
            point: vec![0.0; dimension],
            padded: vec![[0.0; LANES]; dimension.div_ceil(LANES)],
        }
    }

    fn theta(&mut self) -> Vec<f64> {
        self.learner.theta(&mut self.theta);
        self.theta.clone()
    }

    /// The hot loop: nothing is allocated in it.
    #[inline(always)]
    fn advance(&mut self, steps: u64) -> Result<(), AttackError> {
        let mut left = steps;
        while left > 0 {
            let benign = left.min(self.until_poison);
            if let Some(rows) = self.stream.sparse() {
                for _ in 0..benign {
                    let row = self.stream.draw_index(&mut self.rng, rows.pattern.rows());
                    self.learner.sparse_step(rows, row);
                }
            } else {
                self.benign(benign);
            }
            left -= benign;
            self.now += benign;
            self.until_poison -= benign;
            if left > 0 {
                self.poison()?;
                left -= 1;
                self.now += 1;
                self.until_poison = self.stream.until_poison(&mut self.rng, self.now);
            }
        }
        Ok(())
    }

    /// Steps on benign rows that are not sparse.
    #[inline(always)]
    fn benign(&mut self, count: u64) {
        for _ in 0..count {
            let (z, weight) = self.stream.draw_weighted(&mut self.rng);
            self.learner.weighted_step(z, weight);
        }
    }

    fn poison(&mut self) -> Result<(), AttackError> {
        self.learner.theta(&mut self.theta);
        let drawn = self.stream.row_to_label(&mut self.rng);
        if let Some(row) = drawn {
            let dimension = self.point.len();
            self.point.copy_from_slice(&row[..dimension]);
        }
        self.policy.choose(&self.theta, &mut self.point);
        self.stream.admit(&self.policy, &self.point, drawn)?;
        self.padded.as_flattened_mut()[..self.point.len()].copy_from_slice(&self.point);
        self.learner.weighted_step(&self.padded, self.stream.poison_weight(&self.point));
        Ok(())
    }
}
