//! The attacks on one learner as users run them: each simulated from where it is strongest, with its interval and verdict.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;
use rayon::prelude::*;
use unswayed_check::{Loss, Set, Statement};

use super::drift::{single, worst_mixture};
use super::evolve::Candidate;
use super::flips::Flipping;
use super::goal::Goal;
use super::greedy::Greedy;
use super::hostile::worst_rest;
use super::kinds::{Length, SHORTEST_WINDOW, surer};
use super::measured::{Measured, TargetJudge};
use super::nature::Nature;
use super::policy::AnyPolicy;
use super::steady::{FINAL_ROWS, MOST_ROWS, Search, Work};
use super::{Attack, Attacked, Effort, Fixed, LabelFlip, Policy, SteadyState, Tracking};
use crate::cancel::Cancel;
use crate::certify::{Benign, benign};
use crate::data::Dataset;
use crate::error::AttackError;
use crate::learner::{LinearState, Padded, PointWeight};
use crate::problem::Problem;
use crate::simulate::{Arena, Plan, Region, Simulated, Stream, Timing};

/// Operations that the search for a steady state may take.
const FAST_WORK: f64 = 8e9;
const FULL_WORK: f64 = 6e10;
const WORK_A_SECOND: f64 = 5e9;

/// Neighbours that the search tries on data of at most so many numbers: so many over those of the data, within a bound.
const MOST_KINKED: f64 = 1e4;
const TRIED_NUMBERS: f64 = 2e7;
const MOST_TRIES: f64 = 2e4;

/// Starts that the search improves.
const FEWEST_ASCENTS: usize = 6;
const MOST_ASCENTS: usize = 24;
/// With a time budget: from one start on, and from as many as there is time for.
const ASCENTS_IN_TIME: [usize; 2] = [2, 1000];

/// Simulated steps that tuning may take; with long time constants there is no tuning, and none is needed.
const TUNING_STEPS: f64 = 3e8;

/// How far beyond the clip a point for the logistic loss may be: there it pulls with full force even at a margin above 0.
const BEYOND_CLIP: f64 = 10.0;

/// Everything the attacks on one learner share.
///
/// With several datasets nature's choice is part of the attack: the steady-state attack searches the worst mixture for itself, the
/// others meet the mixture that is worst with nobody attacking. The same holds for rows that may be hostile: attacks meet what
/// is left without those that the learner would miss most.
///
/// ```
/// use unswayed::attack::{Attack, Suite, strongest};
/// use unswayed::{Adversary, Dataset, Problem};
/// let data = unswayed::data::sample()?.first(50)?;
/// let problem = Problem::builder(data)
///     .loss("logistic".parse()?)
///     .learning_rate(0.01)
///     .regularization(0.1)
///     .poison_rate(0.05)
///     .adversary(Adversary::LabelFlips)
///     .build()?;
/// let suite = Suite::new(&problem)?;
/// let attacked = suite.run(&[Attack::LabelFlip, Attack::SteadyState])?;
/// assert!(strongest(&attacked).unwrap().simulated.loss.mean > suite.benign().loss);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Suite<'a> {
    problem: &'a Problem,
    test: Option<Measured>,
    allowed: Region,
    reach: Region,
    nature: Nature,
    benign: Benign,
    effort: Effort,
    seed: u64,
    cancel: Cancel,
    steady: OnceLock<Result<(SteadyState, Nature), AttackError>>,
    steady_error: OnceLock<Result<(SteadyState, Nature), AttackError>>,
    padded: Mutex<Vec<(Arc<Dataset>, Arc<Padded>)>>,
}

/// Points of a simulation's policy, and the conditions it is run under.
struct Setting<'s> {
    policy: AnyPolicy<'s>,
    nature: &'s Nature,
    start: &'s [f64],
    poison_rate: f64,
    steady: Option<SteadyState>,
}

impl<'a> Suite<'a> {
    /// The attacks on a problem's learner. Fast, with seed 0.
    ///
    /// # Errors
    /// A set that cannot be worked with, such as an ellipsoid whose matrix has no inverse.
    pub fn new(problem: &'a Problem) -> Result<Self, AttackError> {
        let statement = problem.statement();
        let allowed = Region::new(statement, problem.data()[0].dimension())?;
        Ok(Suite {
            problem,
            test: None,
            reach: reach(statement, &allowed),
            allowed,
            nature: worst_rest(problem, without_adversary(problem)?, |rest| Ok(rest.benign(statement).loss))?,
            benign: benign(problem),
            effort: Effort::Fast,
            seed: 0,
            cancel: Cancel::default(),
            steady: OnceLock::new(),
            steady_error: OnceLock::new(),
            padded: Mutex::default(),
        })
    }

    /// Also measures on held-out data.
    pub fn with_test(self, test: &Dataset) -> Result<Self, AttackError> {
        let (expected, found) = (self.dimension(), test.dimension());
        if expected != found {
            return Err(AttackError::TestDimension { expected, found });
        }
        Ok(Suite {
            test: Some(Measured::new(
                self.statement().learner.loss,
                &Arc::new(test.clone()),
                test.probabilities(),
            )),
            ..self
        })
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

    /// The learner with nobody attacking, for small learning rates.
    pub fn benign(&self) -> &Benign {
        &self.benign
    }

    /// The attacks that there are for this learner and set, [`Attack::None`] excluded.
    pub fn attacks(&self) -> Vec<Attack> {
        let is_offered = |attack: &Attack| *attack != Attack::None && self.require(*attack).is_ok();
        Attack::ALL.into_iter().filter(is_offered).collect()
    }

    /// Of these, the ones that are run at the suite's effort.
    pub fn usual(&self) -> Vec<Attack> {
        let is_usual = |attack: &Attack| self.effort.attacks().contains(attack);
        self.attacks().into_iter().filter(is_usual).collect()
    }

    /// The strongest of the usual attacks, if there are any.
    ///
    /// # Errors
    /// A simulation that is ended early.
    pub fn strongest(&self) -> Result<Option<Attacked>, AttackError> {
        Ok(super::strongest(&self.run(&self.usual())?).cloned())
    }

    /// Loss where the steady-state attack holds the learner, for small learning rates: no simulation.
    ///
    /// # Errors
    /// A search that is ended early.
    pub fn settled(&self) -> Result<f64, AttackError> {
        Ok(self.found(Goal::Loss)?.0.loss)
    }

    /// The point of the steady-state attack; for an adversary who chooses labels the probability of a flip for each row.
    ///
    /// # Errors
    /// A search that is ended early.
    pub fn steady_point(&self) -> Result<Vec<f64>, AttackError> {
        Ok(self.found(Goal::Loss)?.0.point.clone())
    }

    /// Error where the attack on the error holds the learner, for small learning rates; none for a regression loss.
    ///
    /// # Errors
    /// A search that is ended early.
    pub fn settled_error(&self) -> Result<Option<f64>, AttackError> {
        Ok(if Goal::Error.applies(self.statement()) { self.found(Goal::Error)?.0.error } else { None })
    }

    /// Runs attacks, in parallel, in the order given.
    pub fn run(&self, attacks: &[Attack]) -> Result<Vec<Attacked>, AttackError> {
        if self.nature.rows.rows() > FINAL_ROWS {
            // The last part of a search takes a copy of the rows: one at a time.
            let searched = [(Attack::SteadyState, Goal::Loss), (Attack::SteadyStateError, Goal::Error)];
            for (_, goal) in searched.iter().filter(|(attack, _)| attacks.contains(attack)) {
                self.found(*goal)?;
            }
        }
        attacks.par_iter().map(|attack| self.attack(*attack)).collect()
    }

    /// The same, each averaged over the first steps of a learner that starts at θ_0 and is attacked from its first step. A batch is one
    /// step.
    pub fn run_first(
        &self,
        attacks: &[Attack],
        start: &[f64],
        steps: u64,
    ) -> Result<Vec<Attacked>, AttackError> {
        let (expected, found) = (self.problem.parameters(), start.len());
        if expected != found {
            return Err(AttackError::StartLength { expected, found });
        }
        let points = steps.saturating_mul(self.statement().learner.batch);
        let one = |attack: &Attack| {
            let Setting { policy, nature, poison_rate, steady, .. } = self.setting(*attack)?;
            let judge = TargetJudge { target: &nature.target, test: self.test.as_ref() };
            let simulated = self.at_worst_moments(nature, poison_rate, |stream| {
                self.arena(stream, &judge).first_steps(&policy, start, points, self.seed)
            })?;
            Ok(Attacked { attack: *attack, simulated, steady })
        };
        attacks.par_iter().map(one).collect()
    }

    /// Simulates a policy from the benign model.
    pub fn simulate<P: Policy + Clone + Sync>(&self, policy: &P) -> Result<Simulated, AttackError> {
        let plan = self.plan(&self.nature, self.dimension() as f64, SHORTEST_WINDOW);
        self.simulate_plan(policy, &self.benign.theta, &plan)
    }

    /// Simulates a policy from a start for as long as the plan says.
    ///
    /// # Errors
    /// A policy that sends a point outside the set, or a simulation that is ended early.
    pub fn simulate_plan<P: Policy + Clone + Sync>(
        &self,
        policy: &P,
        start: &[f64],
        plan: &Plan,
    ) -> Result<Simulated, AttackError> {
        self.simulate_from(policy, &self.nature, start, self.statement().threat.poison_rate, plan)
    }

    /// The first points that an attack sends, one after the other in one vector.
    pub fn poison_points(&self, attack: Attack, count: usize) -> Result<Vec<f64>, AttackError> {
        let Setting { policy, nature, start, poison_rate, .. } = self.setting(attack)?;
        let stream = self.stream(nature, poison_rate);
        let judge = TargetJudge { target: &nature.target, test: None };
        self.arena(&stream, &judge).poison_points(policy, start, count, self.seed)
    }

    fn attack(&self, attack: Attack) -> Result<Attacked, AttackError> {
        let Setting { policy, nature, start, poison_rate, steady } = self.setting(attack)?;
        let (cost, least) = match &policy {
            AnyPolicy::Greedy(policy) => (poison_rate * policy.cost(), SHORTEST_WINDOW),
            _ => (0.0, 10.0 * SHORTEST_WINDOW),
        };
        let plan = self.plan(nature, self.dimension() as f64 + cost, least);
        Ok(Attacked {
            attack,
            simulated: self.simulate_from(&policy, nature, start, poison_rate, &plan)?,
            steady,
        })
    }

    /// Refuses attacks that there are not.
    fn require(&self, attack: Attack) -> Result<(), AttackError> {
        let learner = match (attack, &self.statement().threat.set) {
            (Attack::Fgsm | Attack::Pgd | Attack::Tuned, _) if self.problem.data()[0].sparse().is_some() => {
                "sparse rows, where every choice of a point would take a pass over them"
            }
            (Attack::Tuned, _) if !self.is_tunable() => "this learner and set",
            (Attack::SteadyStateError, _) if !Goal::Error.applies(self.statement()) => "a regression loss",
            (Attack::LabelFlip, Set::Points { .. }) => "a finite set of points",
            // What is simulated is the average of losses, which may be above the loss of the average.
            (attack, _) if self.statement().learner.average && attack != Attack::None => "an averaged model",
            _ => return Ok(()),
        };
        Err(AttackError::NotOffered { attack: attack.name(), learner })
    }

    fn setting(&self, attack: Attack) -> Result<Setting<'_>, AttackError> {
        self.require(attack)?;
        let (statement, nature, dimension) = (self.statement(), &self.nature, self.dimension());
        let policy = match attack {
            Attack::SteadyState | Attack::SteadyStateError | Attack::Tuned => {
                return self.steady_setting(attack);
            }
            Attack::LabelFlip => {
                let flip = LabelFlip::within(&nature.rows, self.allowed.clone(), self.seed);
                AnyPolicy::LabelFlip(flip)
            }
            Attack::Fgsm => {
                AnyPolicy::Greedy(Box::new(Greedy::fgsm(statement, &nature.target, &self.reach, dimension)))
            }
            Attack::Pgd => {
                AnyPolicy::Greedy(Box::new(Greedy::pgd(statement, &nature.target, &self.reach, dimension)))
            }
            Attack::None => AnyPolicy::Fixed(Fixed::new(attack.name(), vec![0.0; dimension])),
        };
        let poison_rate = if attack == Attack::None { 0.0 } else { statement.threat.poison_rate };
        Ok(Setting { policy, nature, start: &self.benign.theta, poison_rate, steady: None })
    }

    fn steady_setting(&self, attack: Attack) -> Result<Setting<'_>, AttackError> {
        let goal = if attack == Attack::SteadyStateError { Goal::Error } else { Goal::Loss };
        let (steady, nature) = self.found(goal)?;
        let policy = match self.statement().threat.set {
            Set::LabelFlips => {
                let flips = steady.point.clone();
                AnyPolicy::Flipping(Flipping::new(attack.name(), nature, flips, self.seed))
            }
            _ if attack == Attack::Tuned => AnyPolicy::Tracking(Tracking::new(self.tuned(steady, nature)?)),
            _ => AnyPolicy::Fixed(Fixed::new(attack.name(), steady.point.clone())),
        };
        let poison_rate = self.statement().threat.poison_rate;
        Ok(Setting { policy, nature, start: &steady.theta, poison_rate, steady: Some(steady.clone()) })
    }

    /// The best constant attack for a goal, with the mixture of datasets that it was found for; searched once.
    fn found(&self, goal: Goal) -> Result<&(SteadyState, Nature), AttackError> {
        let kept = if goal == Goal::Loss { &self.steady } else { &self.steady_error };
        kept.get_or_init(|| self.steady_state(goal)).as_ref().map_err(Clone::clone)
    }

    fn steady_state(&self, goal: Goal) -> Result<(SteadyState, Nature), AttackError> {
        if let Some(found) = super::sparse::steady_state(self.problem, goal == Goal::Error) {
            return Ok((found, self.nature.clone()));
        }
        let estimate = |nature: &Nature| {
            self.search(nature, goal, Work { ascents: 1, steps: 12, evaluations: 0 }).estimate()
        };
        let data = self.problem.data().len();
        let mixture = worst_mixture(data, |q| estimate(&Nature::new(self.problem, q)?))?;
        let nature = worst_rest(self.problem, Nature::new(self.problem, &mixture)?, estimate)?;
        let found = self.search(&nature, goal, self.work(goal)).run()?;
        if data == 1 {
            return Ok((found, nature));
        }
        // The estimates are short searches: where mixtures are about as bad as a single dataset, they can miss the latter.
        let only = |i| Nature::new(self.problem, &single(data, i));
        let estimated = |i| -> Result<(f64, usize), AttackError> { Ok((estimate(&only(i)?)?, i)) };
        let singles = (0..data).map(estimated).collect::<Result<Vec<_>, _>>()?;
        let worst = singles.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).map_or(0, |(_, i)| i);
        let alone = only(worst)?;
        let other = self.search(&alone, goal, self.work(goal)).run()?;
        Ok(if goal.of(&other) > goal.of(&found) { (other, alone) } else { (found, nature) })
    }

    /// Whether points can be moved so that they act: hinge rows and a ball.
    fn is_tunable(&self) -> bool {
        let is_ball = matches!(self.statement().threat.set, Set::Ball { .. });
        self.statement().learner.loss == Loss::Hinge && is_ball && self.statement().learner.clip.is_none()
    }

    /// The steady-state point improved by simulation: at larger learning rates the learner does not stay where it would
    /// settle. All points see the same random numbers; the reported loss comes from others.
    fn tuned(&self, steady: &SteadyState, nature: &Nature) -> Result<Vec<f64>, AttackError> {
        let constant = self.time_constant();
        let run = Plan {
            burn_in: (3.0 * constant) as u64,
            window: (30.0 * constant).max(1e4) as u64,
            evaluations: 128,
            replicates: 1,
            seed: self.seed ^ 0x7475_6e65,
        };
        let evaluations = (TUNING_STEPS / (run.burn_in + run.window) as f64).min(400.0) as usize;
        let stream = self.stream(nature, self.statement().threat.poison_rate);
        let judge = TargetJudge { target: &nature.target, test: None };
        let arena = self.arena(&stream, &judge);
        let mut failure = None;
        let mut loss = |point: &[f64]| match arena.run(&Tracking::new(point.to_vec()), &steady.theta, &run) {
            Ok(simulated) => simulated.loss.mean,
            Err(error) => {
                failure = Some(error);
                f64::NEG_INFINITY
            }
        };
        let Set::Ball { radius } = self.statement().threat.set else { return Ok(steady.point.clone()) };
        let mut best = Candidate::new(steady.point.clone(), radius, &mut loss);
        best.evolve(evaluations, radius, &mut Pcg64Mcg::seed_from_u64(run.seed), &mut loss);
        failure.map_or(Ok(best.point), Err)
    }

    /// The loss at the given steps, ascending, of a learner that starts at θ_0 and is attacked from its first step.
    ///
    /// # Errors
    /// An attack that is not offered for this learner.
    pub fn trace(&self, attack: Attack, start: &[f64], steps: &[u64]) -> Result<Vec<f64>, AttackError> {
        let Setting { policy, nature, poison_rate, .. } = self.setting(attack)?;
        let stream = self.stream(nature, poison_rate);
        let judge = TargetJudge { target: &nature.target, test: None };
        let points: Vec<u64> =
            steps.iter().map(|steps| steps.saturating_mul(self.statement().learner.batch)).collect();
        self.arena(&stream, &judge).trace(policy, start, &points, self.seed)
    }

    fn statement(&self) -> &'a Statement {
        self.problem.statement()
    }

    /// The entries of a point.
    fn dimension(&self) -> usize {
        self.problem.data()[0].dimension()
    }

    fn search<'s>(&'s self, nature: &'s Nature, goal: Goal, work: Work) -> Search<'s> {
        let Self { reach, seed, cancel, .. } = self;
        Search { statement: self.statement(), nature, reach, goal, work, seed: *seed, cancel }
    }

    /// As many steps as are affordable: each inverts a matrix a few times.
    fn work(&self, goal: Goal) -> Work {
        let rows = self.nature.rows.rows().min(MOST_ROWS) as f64;
        let parameters = self.benign.theta.len() as f64;
        let loss = self.statement().learner.loss;
        let blocks = if let Loss::Multiclass(classes) = loss { classes as f64 } else { 1.0 };
        // The margins of a row have two blocks of θ each.
        let newton =
            rows * blocks * (parameters / blocks).powi(2) + parameters.powi(3) / 3.0 + 100.0 * rows * blocks;
        let (operations, [least, most], steps) = match self.effort {
            Effort::Fast => (FAST_WORK, [FEWEST_ASCENTS, MOST_ASCENTS], 60.0),
            Effort::Full => (FULL_WORK, [MOST_ASCENTS; 2], 120.0),
            Effort::Seconds(seconds) => (f64::from(seconds.get()) * WORK_A_SECOND, ASCENTS_IN_TIME, 60.0),
        };
        let affordable = operations / (5.0 * newton * goal.stages(loss).len() as f64);
        // Small data have many kinks and are cheap to search well.
        let ascents =
            ((affordable / 80.0) as usize).clamp(least, most).min((affordable / 10.0) as usize).max(2);
        let numbers = rows * parameters;
        let evaluations =
            if numbers > MOST_KINKED { 0 } else { (TRIED_NUMBERS / numbers).min(MOST_TRIES) as usize };
        Work { ascents, steps: (affordable / ascents as f64).clamp(5.0, steps) as usize, evaluations }
    }

    fn simulate_from<P: Policy + Clone + Sync>(
        &self,
        policy: &P,
        nature: &Nature,
        start: &[f64],
        poison_rate: f64,
        plan: &Plan,
    ) -> Result<Simulated, AttackError> {
        let judge = TargetJudge { target: &nature.target, test: self.test.as_ref() };
        self.at_worst_moments(nature, poison_rate, |stream| {
            self.arena(stream, &judge).run(policy, start, plan)
        })
    }

    /// How long to simulate where a point takes so many numbers.
    fn plan(&self, nature: &Nature, cost: f64, least: f64) -> Plan {
        let size = (nature.target.size() + self.test.as_ref().map_or(0, Measured::size)) as f64;
        Length { time_constant: self.time_constant(), size, cost, least }.plan(self.effort, self.seed)
    }

    /// The surest to reach a large loss of the runs at the moments that an adversary who picks them may pick; the one run if a coin
    /// names them.
    fn at_worst_moments(
        &self,
        nature: &Nature,
        poison_rate: f64,
        run: impl Fn(&Stream) -> Result<Simulated, AttackError>,
    ) -> Result<Simulated, AttackError> {
        let mut best = run(&self.stream(nature, poison_rate))?;
        for timing in self.timings(poison_rate).into_iter().skip(1) {
            let simulated = run(&self.stream_at(nature, poison_rate, timing))?;
            if surer(simulated.loss, best.loss).is_gt() {
                best = simulated;
            }
        }
        Ok(best)
    }

    /// When the adversary may send its points; with nobody attacking that does not matter.
    fn timings(&self, poison_rate: f64) -> Vec<Option<Timing>> {
        if poison_rate > 0.0 { Timing::all(&self.statement().threat) } else { vec![None] }
    }

    /// Nature's rows, and an adversary at this rate whose points have the largest step weight, at the first of its timings.
    fn stream(&self, nature: &Nature, poison_rate: f64) -> Stream {
        let timing = self.timings(poison_rate).into_iter().next().flatten();
        self.stream_at(nature, poison_rate, timing)
    }

    fn stream_at(&self, nature: &Nature, poison_rate: f64, timing: Option<Timing>) -> Stream {
        let weight = PointWeight::new(self.statement());
        let rows = self.padded(&nature.rows);
        let stream = Stream::of_rows(rows, &nature.rows, poison_rate, self.allowed.clone());
        stream.with_poison_weight(weight).with_timing(timing)
    }

    /// The rows as all streams of them share them.
    fn padded(&self, rows: &Arc<Dataset>) -> Arc<Padded> {
        let mut all = self.padded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, padded)) = all.iter().find(|(own, _)| Arc::ptr_eq(own, rows)) {
            return padded.clone();
        }
        let padded = Stream::padded(rows);
        all.push((rows.clone(), padded.clone()));
        padded
    }

    fn arena<'j>(
        &'j self,
        stream: &'j Stream,
        judge: &'j TargetJudge<'j>,
    ) -> Arena<'j, LinearState, TargetJudge<'j>> {
        let learner = LinearState::new(&self.statement().learner, self.dimension());
        Arena { learner, stream, judge, time_constant: self.time_constant(), cancel: &self.cancel }
    }

    /// Points after which the learner has forgotten: shrinkage takes 1/(ησ) steps, crossing a ball of radius ϱ about ϱ/η. Momentum makes
    /// both 1/(1−μ) times as fast.
    fn time_constant(&self) -> f64 {
        let learner = &self.statement().learner;
        let width = (1.0 / learner.regularization).min(learner.projection.unwrap_or(f64::INFINITY));
        let slower = 1.0 - learner.momentum.unwrap_or_default();
        learner.batch as f64 * width * slower / learner.learning_rate
    }
}

/// The mixture of datasets that is worst with nobody attacking.
fn without_adversary(problem: &Problem) -> Result<Nature, AttackError> {
    let statement = problem.statement();
    let loss = |q: &[f64]| Ok(Nature::new(problem, q)?.benign(statement).loss);
    Nature::new(problem, &worst_mixture(problem.data().len(), loss)?)
}

/// Where the learner settles with nobody attacking, on the worst mixture of its datasets.
pub(crate) fn benign_of(problem: &Problem) -> Benign {
    match without_adversary(problem) {
        Ok(nature) => nature.benign(problem.statement()),
        // The rows of a problem are valid, so there is always a mixture of them.
        Err(_) => Benign { theta: vec![0.0; problem.parameters()], loss: f64::NAN, error: None },
    }
}

/// Where the learner settles if one point is sent again and again.
///
/// # Errors
/// Several datasets that cannot be put together.
pub fn fixed_point(problem: &Problem, point: &[f64]) -> Result<SteadyState, AttackError> {
    let suite = Suite::new(problem)?;
    let search = suite.search(&suite.nature, Goal::Loss, Work { ascents: 1, steps: 1, evaluations: 0 });
    search.exactly(search.held(point.to_vec())?)
}

/// Where attacks look for points: the set, without what clipping makes useless. A clipped hinge point is no stronger than one
/// at the clip, and acts on fewer models.
fn reach(statement: &Statement, allowed: &Region) -> Region {
    let Some(clip) = statement.learner.clip else { return allowed.clone() };
    let useful = if statement.learner.loss == Loss::Logistic { BEYOND_CLIP * clip } else { clip };
    let radius = if let Set::Ball { radius } = statement.threat.set { radius.min(useful) } else { useful };
    Region::Ball { radius, centre: None }
}
