//! The attacks as users run them: each simulated from where it is strongest, with its interval and verdict.

use std::sync::OnceLock;

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::evolve::Candidate;
use super::{Fixed, Greedy, LabelFlip, Outward, Policy, SteadyState, Tracking, dot, search};
use crate::cancel::Cancel;
use crate::certify::{Benign, benign};
use crate::data::Dataset;
use crate::error::AttackError;
use crate::learner::{Hinge, HingeState, MeanState};
use crate::simulate::{Arena, Estimate, Judge, Plan, Scores, Simulated, Stream};
use crate::threat::Threat;

/// An attack by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attack {
    /// Nobody attacks: the learner's own long-run loss.
    None,
    /// Random rows with the wrong label.
    LabelFlip,
    /// One gradient step on the next loss (the paper's).
    Fgsm,
    /// Several projected gradient steps on the next loss (the paper's).
    Pgd,
    /// One well-chosen point, sent again and again.
    SteadyState,
    /// A point tuned by simulation at the learner's own learning rate, always moved just enough to act on the model.
    Tuned,
}

impl Attack {
    /// Those that take a second or so.
    pub const FAST: [Attack; 3] = [Attack::LabelFlip, Attack::Fgsm, Attack::SteadyState];

    /// All of them.
    pub const ALL: [Attack; 6] =
        [Attack::None, Attack::LabelFlip, Attack::Fgsm, Attack::Pgd, Attack::SteadyState, Attack::Tuned];

    /// Its name in tables and flags.
    pub fn name(self) -> &'static str {
        match self {
            Attack::None => "none",
            Attack::LabelFlip => "label-flip",
            Attack::Fgsm => "fgsm",
            Attack::Pgd => "pgd",
            Attack::SteadyState => "steady-state",
            Attack::Tuned => "tuned",
        }
    }
}

/// How much work to put in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// Seconds: shorter simulations, a shorter search.
    Fast,
    /// Minutes: long simulations, a long search.
    Full,
}

/// Steps that are measured, at least.
pub(super) const SHORTEST_WINDOW: f64 = 2e5;

/// Numbers in the data up to which a gradient costs little.
const SMALL_DATA: usize = 20_000;

/// Simulated steps that tuning may take; with long time constants there is no tuning, and none is needed.
const TUNING_STEPS: f64 = 3e8;

/// What an attack reached.
#[derive(Clone, Debug)]
pub struct Attacked {
    /// Which attack.
    pub attack: Attack,
    /// Its long-run averages.
    pub simulated: Simulated,
    /// For attacks with a steady-state point: the point, and the loss where the learner would settle if η were small.
    pub steady: Option<SteadyState>,
}

/// The attack that is surest to reach much: the largest lower end of a confidence interval. The largest average would be
/// the luckiest one where several are close.
pub fn strongest(attacks: &[Attacked]) -> Option<&Attacked> {
    let key = |a: &Attacked| (a.simulated.loss.low(), a.simulated.loss.mean);
    attacks.iter().max_by(|a, b| {
        let ((low, mean), (other_low, other_mean)) = (key(a), key(b));
        low.total_cmp(&other_low).then(mean.total_cmp(&other_mean))
    })
}

/// Everything the attacks on one hinge learner share.
pub struct Suite<'a> {
    data: &'a Dataset,
    test: Option<&'a Dataset>,
    learner: Hinge,
    threat: Threat,
    benign: Benign,
    stream: Stream,
    effort: Effort,
    seed: u64,
    cancel: Cancel,
    steady: OnceLock<Result<SteadyState, AttackError>>,
}

impl<'a> Suite<'a> {
    /// Fast, with seed 0, no held-out data.
    pub fn new(data: &'a Dataset, learner: &Hinge, threat: &Threat) -> Self {
        Suite {
            data,
            test: None,
            learner: *learner,
            threat: *threat,
            benign: benign(data, learner),
            stream: Stream::new(data, threat),
            effort: Effort::Fast,
            seed: 0,
            cancel: Cancel::default(),
            steady: OnceLock::new(),
        }
    }

    /// Also measures on held-out data.
    pub fn with_test(self, test: &'a Dataset) -> Result<Self, AttackError> {
        if test.dimension() != self.data.dimension() {
            let (expected, found) = (self.data.dimension(), test.dimension());
            return Err(AttackError::TestDimension { expected, found });
        }
        Ok(Suite { test: Some(test), ..self })
    }

    /// With another effort.
    pub fn with_effort(self, effort: Effort) -> Self {
        Suite { effort, ..self }
    }

    /// With another seed.
    pub fn with_seed(self, seed: u64) -> Self {
        Suite { seed, ..self }
    }

    /// Ending early when asked to.
    pub fn with_cancel(self, cancel: &Cancel) -> Self {
        Suite { cancel: cancel.clone(), ..self }
    }

    /// The learner without adversary, which simulations start from.
    pub fn benign(&self) -> &Benign {
        &self.benign
    }

    /// Runs attacks, in parallel, in the order given.
    pub fn run(&self, attacks: &[Attack]) -> Result<Vec<Attacked>, AttackError> {
        attacks.par_iter().map(|attack| self.attack(*attack)).collect()
    }

    /// Simulates a policy from the benign model.
    pub fn simulate<P: Policy + Clone + Sync>(&self, policy: &P) -> Result<Simulated, AttackError> {
        self.simulate_from(policy, &self.benign.theta, SHORTEST_WINDOW)
    }

    fn attack(&self, attack: Attack) -> Result<Attacked, AttackError> {
        let (policy, start, steady) = self.policy(attack)?;
        // Where a choice costs not much more than a step, a longer look costs little.
        let least = match attack {
            Attack::Pgd => SHORTEST_WINDOW,
            Attack::Fgsm if self.data.z().len() > SMALL_DATA => SHORTEST_WINDOW,
            _ => 10.0 * SHORTEST_WINDOW,
        };
        Ok(Attacked { attack, simulated: self.simulate_from(&policy, &start, least)?, steady })
    }

    /// The first points that an attack sends, one after the other in one vector.
    pub fn poison_points(&self, attack: Attack, count: usize) -> Result<Vec<f64>, AttackError> {
        let (policy, start, _) = self.policy(attack)?;
        let judge = HingeJudge::new(self.data, None);
        self.arena(&judge).poison_points(policy, &start, count, self.seed)
    }

    /// The loss at the given steps, ascending, of a learner that starts at θ_0 and is attacked from its first step.
    pub fn trace(&self, attack: Attack, start: &[f64], steps: &[u64]) -> Result<Vec<f64>, AttackError> {
        let (policy, _, _) = self.policy(attack)?;
        let judge = HingeJudge::new(self.data, None);
        self.arena(&judge).trace(policy, start, steps, self.seed)
    }

    /// An attack's policy, where its simulation starts, and its steady state if it has one.
    fn policy(&self, attack: Attack) -> Result<(AnyPolicy<'_>, Vec<f64>, Option<SteadyState>), AttackError> {
        let (data, learner, radius) = (self.data, &self.learner, self.threat.radius());
        let policy = match attack {
            Attack::None => AnyPolicy::Fixed(Fixed::new(attack.name(), vec![0.0; data.dimension()])),
            Attack::LabelFlip => AnyPolicy::LabelFlip(LabelFlip::new(data, radius, self.seed)),
            Attack::Fgsm => AnyPolicy::Greedy(Greedy::fgsm(data, learner, radius)),
            Attack::Pgd => AnyPolicy::Greedy(Greedy::pgd(data, learner, radius)),
            Attack::SteadyState | Attack::Tuned => {
                let steady = self.steady_state()?;
                let policy = if attack == Attack::Tuned {
                    AnyPolicy::Tracking(Tracking::new(self.tuned(&steady)?))
                } else {
                    AnyPolicy::Fixed(Fixed::new(attack.name(), steady.point.clone()))
                };
                return Ok((policy, steady.theta.clone(), Some(steady)));
            }
        };
        Ok((policy, self.benign.theta.clone(), None))
    }

    /// The point of the steady-state attack, searched once.
    fn steady_state(&self) -> Result<SteadyState, AttackError> {
        // Small data are cheap to search well.
        let affordable = (2e7 / self.data.z().len() as f64).clamp(3e3, 2e4) as usize;
        let evaluations = match self.effort {
            Effort::Fast => affordable,
            Effort::Full => 10 * affordable,
        };
        let found = self
            .steady
            .get_or_init(|| search(self.data, &self.learner, &self.threat, &[], evaluations, self.seed));
        found.clone()
    }

    /// The steady-state point improved by simulation: at larger learning rates the learner does not stay where it would
    /// settle. All points see the same random numbers; the reported loss comes from others.
    fn tuned(&self, steady: &SteadyState) -> Result<Vec<f64>, AttackError> {
        let constant = self.time_constant();
        let run = Plan {
            burn_in: (3.0 * constant) as u64,
            window: (30.0 * constant).max(1e4) as u64,
            evaluations: 128,
            replicates: 1,
            seed: self.seed ^ 0x7475_6e65,
        };
        let evaluations = (TUNING_STEPS / (run.burn_in + run.window) as f64).min(400.0) as usize;
        let mut failure = None;
        let mut loss =
            |point: &[f64]| match self.run_plan(&Tracking::new(point.to_vec()), &steady.theta, &run) {
                Ok(simulated) => simulated.loss.mean,
                Err(error) => {
                    failure = Some(error);
                    f64::NEG_INFINITY
                }
            };
        let radius = self.threat.radius();
        let mut best = Candidate::new(steady.point.clone(), radius, &mut loss);
        best.evolve(evaluations, radius, &mut Pcg64Mcg::seed_from_u64(run.seed), &mut loss);
        failure.map_or(Ok(best.point), Err)
    }

    fn time_constant(&self) -> f64 {
        1.0 / (self.learner.learning_rate() * self.learner.regularization())
    }

    fn simulate_from<P: Policy + Clone + Sync>(
        &self,
        policy: &P,
        start: &[f64],
        least: f64,
    ) -> Result<Simulated, AttackError> {
        let rows = self.data.rows() + self.test.map_or(0, Dataset::rows);
        let size = (rows * self.data.dimension()) as f64;
        self.run_plan(policy, start, &plan(self.time_constant(), size, least, self.effort, self.seed))
    }

    fn run_plan<P: Policy + Clone + Sync>(
        &self,
        policy: &P,
        start: &[f64],
        plan: &Plan,
    ) -> Result<Simulated, AttackError> {
        self.arena(&HingeJudge::new(self.data, self.test)).run(policy, start, plan)
    }

    fn arena<'j, J>(&'j self, judge: &'j J) -> Arena<'j, HingeState, J> {
        let (eta, sigma) = (self.learner.learning_rate(), self.learner.regularization());
        let learner = HingeState::new(eta, sigma, self.data.dimension());
        Arena {
            learner,
            stream: &self.stream,
            judge,
            time_constant: self.time_constant(),
            cancel: &self.cancel,
        }
    }
}

/// The suite's policies as one type.
#[derive(Clone)]
enum AnyPolicy<'a> {
    Fixed(Fixed),
    LabelFlip(LabelFlip<'a>),
    Greedy(Greedy),
    Tracking(Tracking),
}

impl AnyPolicy<'_> {
    fn inner(&mut self) -> &mut dyn Policy {
        match self {
            AnyPolicy::Fixed(p) => p,
            AnyPolicy::LabelFlip(p) => p,
            AnyPolicy::Greedy(p) => p,
            AnyPolicy::Tracking(p) => p,
        }
    }
}

impl Policy for AnyPolicy<'_> {
    fn name(&self) -> &str {
        match self {
            AnyPolicy::Fixed(p) => p.name(),
            AnyPolicy::LabelFlip(p) => p.name(),
            AnyPolicy::Greedy(p) => p.name(),
            AnyPolicy::Tracking(p) => p.name(),
        }
    }

    fn choose(&mut self, theta: &[f64], z: &mut [f64]) {
        self.inner().choose(theta, z);
    }
}

/// Burn-in and window in time constants, within bounds; as many evaluations as cost little beside the steps.
pub(super) fn plan(time_constant: f64, size: f64, least: f64, effort: Effort, seed: u64) -> Plan {
    let (burn_in, window, most, replicates) = match effort {
        Effort::Fast => (2.0, 6.0, 5e7, 1),
        Effort::Full => (6.0, 40.0, 4e8, 4),
    };
    let steps = |constants: f64, least: f64| (constants * time_constant).clamp(least, most) as u64;
    Plan {
        burn_in: steps(burn_in, 1e4),
        window: steps(window, least),
        evaluations: (5e8 / size).clamp(64.0, 1024.0) as u64,
        replicates,
        seed,
    }
}

/// Hinge loss and error on the data, and on held-out data if there are any.
pub struct HingeJudge<'a> {
    data: &'a Dataset,
    weights: Vec<f64>,
    test: Option<(&'a Dataset, Vec<f64>)>,
}

impl<'a> HingeJudge<'a> {
    /// Judges on these.
    pub fn new(data: &'a Dataset, test: Option<&'a Dataset>) -> Self {
        HingeJudge { data, weights: data.probabilities(), test: test.map(|t| (t, t.probabilities())) }
    }
}

impl Judge for HingeJudge<'_> {
    fn scores(&self, theta: &[f64]) -> Scores {
        let (loss, error) = loss_and_error(self.data, &self.weights, theta);
        let test = self.test.as_ref().map(|(data, weights)| loss_and_error(data, weights, theta));
        Scores { loss, error: Some(error), test_loss: test.map(|t| t.0), test_error: test.map(|t| t.1) }
    }
}

fn loss_and_error(data: &Dataset, weights: &[f64], theta: &[f64]) -> (f64, f64) {
    let (mut loss, mut error) = (0.0, 0.0);
    for (z, p) in data.iter().zip(weights) {
        let score = dot(z, theta);
        loss += p * (1.0 - score).max(0.0);
        error += if score <= 0.0 { *p } else { 0.0 };
    }
    (loss, error)
}

/// ‖θ−μ‖².
struct SquaredDistance {
    mean: Vec<f64>,
}

impl Judge for SquaredDistance {
    fn scores(&self, theta: &[f64]) -> Scores {
        let loss = theta.iter().zip(&self.mean).map(|(t, m)| (t - m).powi(2)).sum();
        Scores { loss, ..Scores::default() }
    }
}

/// What the outward push does to a mean estimate.
#[derive(Clone, Debug)]
pub struct MeanAttacked {
    /// E‖θ−μ‖² in the long run.
    pub loss: Estimate,
    /// The whole simulation.
    pub simulated: Simulated,
}

/// An online mean estimate: θ ← (1−η−ησ)θ + ηz + ηBw.
#[derive(Clone, Debug, PartialEq)]
pub struct MeanLearner {
    /// η.
    pub learning_rate: f64,
    /// Shrinkage σ towards 0.
    pub shrinkage: f64,
    /// The columns of B, one after the other, of the length of a point; none for no noise.
    pub noise: Vec<f64>,
}

impl MeanLearner {
    /// Without shrinkage or noise.
    pub fn plain(learning_rate: f64) -> Self {
        MeanLearner { learning_rate, shrinkage: 0.0, noise: Vec::new() }
    }

    /// θ = 0, in motion.
    fn start(&self, dimension: usize) -> MeanState {
        let state = MeanState::new(self.learning_rate, dimension).shrunk(self.shrinkage);
        if self.noise.is_empty() { state } else { state.noisy(&self.noise, dimension) }
    }
}

/// Simulates the best-responding adversary against the online mean of samples; nobody attacks at poison rate 0.
pub fn attack_mean(
    samples: &Dataset,
    learner: &MeanLearner,
    poison_rate: f64,
    squared_radius: f64,
    effort: Effort,
    seed: u64,
) -> Result<MeanAttacked, AttackError> {
    let mut mean = vec![0.0; samples.dimension()];
    for (z, p) in samples.iter().zip(samples.probabilities()) {
        mean.iter_mut().zip(z).for_each(|(m, z)| *m += p * z);
    }
    let (radius, eta) = (squared_radius.sqrt(), learner.learning_rate);
    let threat = Threat::new(poison_rate)?.with_radius(radius)?;
    let stream = Stream::new(samples, &threat).around(mean.clone());
    let judge = SquaredDistance { mean: mean.clone() };
    let (state, time_constant) = (learner.start(samples.dimension()), 1.0 / eta);
    let cancel = &Cancel::default();
    let arena = Arena { learner: state, stream: &stream, judge: &judge, time_constant, cancel };
    let plan = plan(time_constant * 20.0, 1e5, SHORTEST_WINDOW, effort, seed);
    let keep = (1.0 - eta * (1.0 + learner.shrinkage)) / (1.0 - eta);
    let simulated = arena.run(&Outward { mean: mean.clone(), radius, keep }, &mean, &plan)?;
    Ok(MeanAttacked { loss: simulated.loss, simulated })
}
