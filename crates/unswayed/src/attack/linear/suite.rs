//! The attacks on one linear learner as users run them.

use std::sync::OnceLock;

use rayon::prelude::*;
use unswayed_check::{Linear, Loss, Set};

use super::super::suite::{SHORTEST_WINDOW, plan};
use super::super::{Attack, Attacked, Effort, LabelFlip, Policy, SteadyState};
use super::drift::worst_mixture;
use super::flips::Flipping;
use super::greedy::Greedy;
use super::measured::{Measured, TargetJudge};
use super::nature::Nature;
use super::policy::LinearPolicy;
use super::steady::{Search, Work};
use super::validate::{reach, validate};
use crate::attack::Fixed;
use crate::cancel::Cancel;
use crate::certify::Benign;
use crate::data::Dataset;
use crate::error::AttackError;
use crate::learner::LinearState;
use crate::simulate::{Arena, Region, Simulated, Stream};

/// Everything the attacks on one linear learner share.
///
/// With several datasets nature's choice is part of the attack: the steady-state attack searches the worst mixture for itself, the
/// others meet the mixture that is worst with nobody attacking.
///
/// ```
/// use unswayed::attack::{Attack, LinearSuite, strongest};
/// use unswayed::check::{Linear, Loss, Set, Step, Target};
/// let data = unswayed::Dataset::sample()?.first(50)?;
/// let learner = Linear {
///     learning_rate: 0.01,
///     regularization: 0.1,
///     poison_rate: 0.05,
///     loss: Loss::Logistic,
///     step: Step::default(),
///     set: Set::Labels,
///     target: Target::Data,
/// };
/// let data = [&data];
/// let suite = LinearSuite::new(&data, &learner, None)?;
/// let attacked = suite.run(&[Attack::LabelFlip, Attack::SteadyState])?;
/// assert!(strongest(&attacked).unwrap().simulated.loss.mean > suite.benign().loss);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LinearSuite<'a> {
    data: &'a [&'a Dataset],
    learner: &'a Linear,
    target: Option<&'a Dataset>,
    test: Option<Measured>,
    allowed: Region,
    reach: Region,
    nature: Nature,
    benign: Benign,
    effort: Effort,
    seed: u64,
    cancel: Cancel,
    steady: OnceLock<Result<(SteadyState, Nature), AttackError>>,
}

/// Points of a simulation's policy, and the conditions it is run under.
struct Setting<'s> {
    policy: LinearPolicy<'s>,
    nature: &'s Nature,
    start: &'s [f64],
    poison_rate: f64,
    steady: Option<SteadyState>,
}

/// Operations that a search may take, about: a fast one, and a full one.
const FAST_WORK: f64 = 4e9;
const FULL_WORK: f64 = 6e10;

impl<'a> LinearSuite<'a> {
    /// The attacks on a learner with its data, several if they drift, and the target's rows if it has rows of its own. Fast, with seed 0.
    pub fn new(
        data: &'a [&'a Dataset],
        learner: &'a Linear,
        target: Option<&'a Dataset>,
    ) -> Result<Self, AttackError> {
        validate(data, learner, target)?;
        let dimension = data[0].dimension();
        let mixture =
            worst_mixture(data.len(), |q| Ok(Nature::new(data, learner, target, q)?.benign(learner).loss))?;
        let nature = Nature::new(data, learner, target, &mixture)?;
        let allowed = Region::new(learner, dimension)?;
        Ok(LinearSuite {
            data,
            learner,
            target,
            test: None,
            reach: reach(learner, &allowed),
            allowed,
            benign: nature.benign(learner),
            nature,
            effort: Effort::Fast,
            seed: 0,
            cancel: Cancel::default(),
            steady: OnceLock::new(),
        })
    }

    /// Also measures on held-out data.
    pub fn with_test(self, test: &Dataset) -> Result<Self, AttackError> {
        let (expected, found) = (self.data[0].dimension(), test.dimension());
        if expected != found {
            return Err(AttackError::TestDimension { expected, found });
        }
        Ok(LinearSuite { test: Some(Measured::new(self.learner.loss, test, test.probabilities())), ..self })
    }

    /// With another effort.
    pub fn with_effort(self, effort: Effort) -> Self {
        LinearSuite { effort, ..self }
    }

    /// With another seed.
    pub fn with_seed(self, seed: u64) -> Self {
        LinearSuite { seed, ..self }
    }

    /// Ending early when asked to.
    pub fn with_cancel(self, cancel: &Cancel) -> Self {
        LinearSuite { cancel: cancel.clone(), ..self }
    }

    /// The learner with nobody attacking, for small learning rates.
    pub fn benign(&self) -> &Benign {
        &self.benign
    }

    /// The attacks that there are for this learner and set, [`Attack::None`] excluded.
    pub fn attacks(&self) -> Vec<Attack> {
        let attacks = [Attack::LabelFlip, Attack::Fgsm, Attack::Pgd, Attack::SteadyState];
        attacks.into_iter().filter(|attack| self.require(*attack).is_ok()).collect()
    }

    /// Runs attacks, in parallel, in the order given.
    pub fn run(&self, attacks: &[Attack]) -> Result<Vec<Attacked>, AttackError> {
        attacks.par_iter().map(|attack| self.attack(*attack)).collect()
    }

    /// Simulates a policy from the benign model.
    pub fn simulate<P: Policy + Clone + Sync>(&self, policy: &P) -> Result<Simulated, AttackError> {
        let (start, rate) = (&self.benign.theta, self.learner.poison_rate);
        self.simulate_from(policy, &self.nature, start, rate, SHORTEST_WINDOW)
    }

    /// The first points that an attack sends, one after the other in one vector.
    pub fn poison_points(&self, attack: Attack, count: usize) -> Result<Vec<f64>, AttackError> {
        let Setting { policy, nature, start, poison_rate, .. } = self.setting(attack)?;
        let stream = Stream::with_region(&nature.rows, poison_rate, self.allowed.clone());
        let judge = TargetJudge { target: &nature.target, test: None };
        self.arena(&stream, &judge).poison_points(policy, start, count, self.seed)
    }

    fn attack(&self, attack: Attack) -> Result<Attacked, AttackError> {
        let Setting { policy, nature, start, poison_rate, steady } = self.setting(attack)?;
        let is_cheap = !matches!(attack, Attack::Fgsm | Attack::Pgd);
        let least = if is_cheap { 10.0 * SHORTEST_WINDOW } else { SHORTEST_WINDOW };
        Ok(Attacked {
            attack,
            simulated: self.simulate_from(&policy, nature, start, poison_rate, least)?,
            steady,
        })
    }

    /// Refuses attacks that there are not.
    fn require(&self, attack: Attack) -> Result<(), AttackError> {
        let learner = match (attack, &self.learner.set) {
            (Attack::Tuned, _) => "linear learners",
            (Attack::LabelFlip, Set::Points { .. }) => "a finite set of points",
            _ => return Ok(()),
        };
        Err(AttackError::NotOffered { attack: attack.name(), learner })
    }

    fn setting(&self, attack: Attack) -> Result<Setting<'_>, AttackError> {
        self.require(attack)?;
        let (learner, nature, dimension) = (self.learner, &self.nature, self.data[0].dimension());
        let policy = match attack {
            Attack::SteadyState => return self.steady_setting(),
            Attack::LabelFlip => {
                let flip = LabelFlip::within(&nature.rows, self.allowed.clone(), self.seed);
                LinearPolicy::LabelFlip(flip)
            }
            Attack::Fgsm => {
                LinearPolicy::Greedy(Box::new(Greedy::fgsm(learner, &nature.target, &self.reach, dimension)))
            }
            Attack::Pgd => {
                LinearPolicy::Greedy(Box::new(Greedy::pgd(learner, &nature.target, &self.reach, dimension)))
            }
            Attack::None | Attack::Tuned => {
                LinearPolicy::Fixed(Fixed::new(attack.name(), vec![0.0; dimension]))
            }
        };
        let poison_rate = if attack == Attack::None { 0.0 } else { learner.poison_rate };
        Ok(Setting { policy, nature, start: &self.benign.theta, poison_rate, steady: None })
    }

    fn steady_setting(&self) -> Result<Setting<'_>, AttackError> {
        let (steady, nature) =
            self.steady.get_or_init(|| self.steady_state()).as_ref().map_err(Clone::clone)?;
        let policy = match self.learner.set {
            Set::Labels => LinearPolicy::Flipping(Flipping::new(nature, steady.point.clone(), self.seed)),
            _ => LinearPolicy::Fixed(Fixed::new(Attack::SteadyState.name(), steady.point.clone())),
        };
        let poison_rate = self.learner.poison_rate;
        Ok(Setting { policy, nature, start: &steady.theta, poison_rate, steady: Some(steady.clone()) })
    }

    /// The best constant attack, with the mixture of datasets that it was found for.
    fn steady_state(&self) -> Result<(SteadyState, Nature), AttackError> {
        let mixture = worst_mixture(self.data.len(), |q| {
            let nature = Nature::new(self.data, self.learner, self.target, q)?;
            self.search(&nature, Work { ascents: 1, steps: 12 }).estimate()
        })?;
        let nature = Nature::new(self.data, self.learner, self.target, &mixture)?;
        Ok((self.search(&nature, self.work()).run()?, nature))
    }

    fn search<'s>(&'s self, nature: &'s Nature, work: Work) -> Search<'s> {
        let Self { learner, reach, seed, cancel, .. } = self;
        Search { learner, nature, reach, work, seed: *seed, cancel }
    }

    /// As many steps as are affordable: each inverts a matrix a few times.
    fn work(&self) -> Work {
        let rows = self.nature.rows.rows().min(2000) as f64;
        let parameters = self.benign.theta.len() as f64;
        let (blocks, curves) = match self.learner.loss {
            Loss::Hinge => (1.0, 3.0),
            Loss::Logistic => (1.0, 1.0),
            Loss::Classes(classes) => (classes as f64, 3.0),
        };
        // The margins of a row have two blocks of θ each.
        let newton =
            rows * blocks * (parameters / blocks).powi(2) + parameters.powi(3) / 3.0 + 100.0 * rows * blocks;
        let (operations, ascents, steps) = match self.effort {
            Effort::Fast => (FAST_WORK, 8, 60.0),
            Effort::Full => (FULL_WORK, 24, 120.0),
        };
        let affordable = operations / (5.0 * newton * curves);
        let ascents = ascents.min((affordable / 10.0) as usize).max(2);
        Work { ascents, steps: (affordable / ascents as f64).clamp(5.0, steps) as usize }
    }

    fn simulate_from<P: Policy + Clone + Sync>(
        &self,
        policy: &P,
        nature: &Nature,
        start: &[f64],
        poison_rate: f64,
        least: f64,
    ) -> Result<Simulated, AttackError> {
        let stream = Stream::with_region(&nature.rows, poison_rate, self.allowed.clone());
        let judge = TargetJudge { target: &nature.target, test: self.test.as_ref() };
        let size = nature.target.size() + self.test.as_ref().map_or(0, Measured::size);
        let plan = plan(self.time_constant(), size as f64, least, self.effort, self.seed);
        self.arena(&stream, &judge).run(policy, start, &plan)
    }

    fn arena<'j>(
        &'j self,
        stream: &'j Stream,
        judge: &'j TargetJudge<'j>,
    ) -> Arena<'j, LinearState, TargetJudge<'j>> {
        let learner = LinearState::new(self.learner, self.data[0].dimension());
        Arena { learner, stream, judge, time_constant: self.time_constant(), cancel: &self.cancel }
    }

    /// Points after which the learner has forgotten: shrinkage takes 1/(ησ) steps, crossing a ball of radius ϱ about ϱ/η.
    fn time_constant(&self) -> f64 {
        let Linear { learning_rate, regularization, step, .. } = self.learner;
        let width = (1.0 / regularization).min(step.projection.unwrap_or(f64::INFINITY));
        step.batch as f64 * width / learning_rate
    }
}
