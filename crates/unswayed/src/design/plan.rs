//! The whole design: sweep, κ, choice, refinement, and the verdict of the test task.

use std::path::Path;

use super::choose::{Objective, Ranked, harm, rank, refine, tune_kappa};
use super::customary::{Customary, customary};
use super::sweep::{BenignLoss, Chain, Run, Sweep, SweepPlan, Task};
use super::table::{Row, rows};
use super::{DesignError, Grid, Growing, Setting, Steps};
use crate::attack::Effort;
use crate::error::ParameterError;
use crate::problem::Template;

/// How often a grid grows, at most.
const MOST_GROWTHS: usize = 6;

/// Where attacks are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttackPlan {
    /// Nowhere.
    None,
    /// Where a choice depends on them or is shown: on the validation task for the candidates, on the test task for the chosen
    /// setting and the poor one.
    Chosen(Effort),
    /// Everywhere.
    Everywhere(Effort),
}

/// What to choose, on what, and how.
#[derive(Clone, Debug)]
pub struct Request {
    /// The tasks that the setting is chosen on.
    pub train: Vec<Task>,
    /// The task that κ is tuned on, if it is not given.
    pub validate: Option<Task>,
    /// The held-out task: the choice does not depend on it.
    pub test: Option<Task>,
    /// The settings and poison rates to try.
    pub grid: Grid,
    /// The weight of the certified loss; tuned on the validation task if absent, or 1 without one.
    pub kappa: Option<f64>,
    /// Learner and threat but for what the grid varies.
    pub template: Template,
    /// Where the benign loss comes from.
    pub benign: BenignLoss,
    /// Where attacks are run.
    pub attacks: AttackPlan,
    /// The seed of simulations and attacks.
    pub seed: u64,
    /// Whether to continue between the points of the grid.
    pub refine: bool,
    /// The number of first points of a stream: all figures are averages over the steps that these make; the long run if absent.
    pub horizon: Option<u64>,
    /// Where the learner starts, with a horizon; θ = 0 if absent.
    pub start: Option<Vec<f64>>,
    /// Choose the best benign loss among settings whose certified error is at most this, in place of the weighted sum.
    pub at_most_error: Option<f64>,
    /// Which axes of the grid grow where the choice is on their edge. For learning rates and batches this needs a horizon: in the
    /// long run a smaller rate and a larger batch never hurt.
    pub growing: Growing,
}

impl Request {
    /// With these steps as further axes of the grid; axes with suggested values may grow.
    ///
    /// # Errors
    /// Values that no learner can have.
    pub fn with_steps(mut self, steps: &Steps) -> Result<Self, DesignError> {
        self.grid = steps.extend(self.grid, &mut self.template, &self.train)?;
        let Growing { projections, clips, batches, .. } = steps.growing();
        self.growing = Growing { projections, clips, batches, ..self.growing };
        Ok(self)
    }

    /// The paper's grid, κ = 1, the unit ball, simulated benign losses, fast attacks where they matter, no refinement.
    pub fn new(train: Vec<Task>) -> Self {
        Request {
            train,
            validate: None,
            test: None,
            grid: Grid::default(),
            kappa: None,
            template: Template::default(),
            benign: BenignLoss::Simulated,
            attacks: AttackPlan::Chosen(Effort::Fast),
            seed: 0,
            refine: false,
            horizon: None,
            start: None,
            at_most_error: None,
            growing: Growing::default(),
        }
    }
}

/// What was chosen, and why.
#[derive(Clone, Debug)]
pub struct Design {
    /// The weight of the certified loss.
    pub kappa: f64,
    /// Whether it was tuned on the validation task.
    pub tuned: bool,
    /// What the choice makes small.
    pub objective: Objective,
    /// The grid, as far as it has grown.
    pub grid: Grid,
    /// What the choice gives up: its mean benign loss less the smallest one of the grid.
    pub price: f64,
    /// The customary learner's bounds on the last task, for comparison.
    pub customary: Customary,
    /// All settings of the grid, best first.
    pub ranking: Vec<Ranked>,
    /// The chosen setting: the best of the grid, or better if it was refined.
    pub chosen: Ranked,
    /// The worst setting of the grid.
    pub poor: Ranked,
    /// What the test task says.
    pub test: Option<OnTest>,
    /// Every figure: all tasks, all settings, all poison rates.
    pub rows: Vec<Row>,
    /// Records computed now; the others came from the journal.
    pub computed: usize,
    /// The certificates of the chosen setting: task, poison rate, bytes of the file.
    pub certificates: Vec<(String, f64, Vec<u8>)>,
}

/// The chosen setting on a held-out task.
#[derive(Clone, Debug)]
pub struct OnTest {
    /// The task's name.
    pub task: String,
    /// The chosen setting, at each poison rate.
    pub chosen: Vec<Row>,
    /// The poor setting.
    pub poor: Vec<Row>,
    /// The setting of the grid with the smallest mean certified loss on this very task.
    pub hindsight: Vec<Row>,
}

/// Chooses a setting.
///
/// With a journal (a file, and whether to continue it) every result is on disk as soon as it is known.
///
/// ```
/// use unswayed::design::{AttackPlan, BenignLoss, Grid, Request, Run, Task, design};
/// use unswayed::data::{sample, sample_test};
/// let (train, test) = (sample()?.first(100)?.into(), sample_test()?.first(100)?.into());
/// let request = Request {
///     test: Some(Task { name: "test".into(), data: test }),
///     grid: Grid::new(vec![1e-3, 1e-2], vec![0.01, 0.1], vec![0.02])?,
///     benign: BenignLoss::Limit,
///     attacks: AttackPlan::None,
///     ..Request::new(vec![Task { name: "train".into(), data: train }])
/// };
/// let design = design(&request, None, &Run::default())?;
/// assert_eq!(design.chosen.setting.learning_rate, 1e-3); // a smaller learning rate never hurts in the long run
/// assert_eq!(design.rows.len(), 2 * 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn design(request: &Request, journal: Option<(&Path, bool)>, run: &Run) -> Result<Design, DesignError> {
    if request.train.is_empty() {
        return Err(DesignError::NoTasks);
    }
    if let Some(kappa) = request.kappa.filter(|kappa| !(*kappa >= 0.0 && kappa.is_finite())) {
        return Err(ParameterError::new("kappa", kappa, "it is a weight, finite and not negative").into());
    }
    let roles = Roles::of(request);
    let mut sweep = Sweep::new(roles.tasks.iter().copied(), plan(request), run)?;
    if let Some((path, resume)) = journal {
        sweep = sweep.with_journal(path, resume)?;
    }
    sweep_all(request, &roles, &sweep, &request.grid)?;
    conclude(request, &roles, &sweep)
}

/// Certifies all settings of a grid on all tasks, and attacks them if that is planned.
fn sweep_all(request: &Request, roles: &Roles, sweep: &Sweep, grid: &Grid) -> Result<(), DesignError> {
    let settings: Vec<Setting> = grid.settings(&request.template).collect();
    let everywhere: Vec<Chain> = chains(&roles.all(), &settings);
    sweep.certify(&everywhere)?;
    if let AttackPlan::Everywhere(_) = request.attacks {
        sweep.attack(&everywhere)?;
    }
    Ok(())
}

/// Ranks the grid, and lets it grow while the best setting is on an edge that may.
fn grow(
    request: &Request,
    roles: &Roles,
    sweep: &Sweep,
    objective: Objective,
) -> Result<(Grid, Vec<Ranked>), DesignError> {
    let mut grid = request.grid.clone();
    let is_stream = request.horizon.is_some();
    let growing = Growing {
        learning_rates: request.growing.learning_rates && is_stream,
        batches: request.growing.batches && is_stream,
        ..request.growing
    };
    let most_points = request.horizon.unwrap_or(u64::MAX);
    let ranked = |grid: &Grid| {
        rank(sweep, &roles.train, &grid.settings(&request.template).collect::<Vec<_>>(), objective)
    };
    let mut ranking = ranked(&grid);
    for _ in 0..MOST_GROWTHS {
        let Some(larger) = grid.beyond(ranking[0].setting, growing, most_points) else { break };
        sweep_all(request, roles, sweep, &larger)?;
        (ranking, grid) = (ranked(&larger), larger);
    }
    Ok((grid, ranking))
}

/// Everything after the grid has been swept.
fn conclude(request: &Request, roles: &Roles, sweep: &Sweep) -> Result<Design, DesignError> {
    let first: Vec<Setting> = request.grid.settings(&request.template).collect();
    let attacks = request.attacks != AttackPlan::None;
    let (kappa, tuned) = match (request.kappa, roles.validate) {
        (Some(kappa), _) => (kappa, false),
        (None, Some(task)) => (tune_kappa(sweep, &roles.train, task, &first, attacks)?, true),
        (None, None) => (1.0, false),
    };
    let objective = request.at_most_error.map_or(Objective::Weighted(kappa), Objective::AtMostError);
    let (grid, ranking) = grow(request, roles, sweep, objective)?;
    let mut settings: Vec<Setting> = grid.settings(&request.template).collect();
    let (best, poor) = (ranking[0], ranking[ranking.len() - 1]);
    let mut chosen = best;
    if request.refine {
        let (refined, _) = refine(sweep, &roles.train, best, objective, &grid)?;
        if refined.setting != best.setting {
            let others: Vec<usize> = roles.all().into_iter().filter(|t| !roles.train.contains(t)).collect();
            sweep.certify(&chains(&others, &[refined.setting]))?;
            settings.push(refined.setting);
            chosen = refined;
        }
    }
    let test = roles.test.map(|task| on_test(sweep, task, &ranking, chosen, attacks)).transpose()?;
    let mut certificates = Vec::new();
    for task in roles.all() {
        for (rate, outcome) in sweep.certificates(Chain { task, setting: chosen.setting })? {
            certificates.push((roles.tasks[task].name.clone(), rate, outcome.certificate.to_bytes()));
        }
    }
    let rows = rows(sweep, &roles.all(), &settings);
    let least = ranking.iter().map(|r| r.benign_loss).fold(chosen.benign_loss, f64::min);
    let price = chosen.benign_loss - least;
    let customary = customary(roles.tasks[roles.tasks.len() - 1], request);
    let computed = sweep.computed();
    Ok(Design {
        kappa,
        tuned,
        objective,
        grid,
        price,
        customary,
        ranking,
        chosen,
        poor,
        test,
        rows,
        computed,
        certificates,
    })
}

fn on_test(
    sweep: &Sweep,
    task: usize,
    ranking: &[Ranked],
    chosen: Ranked,
    attacks: bool,
) -> Result<OnTest, DesignError> {
    let poor = ranking[ranking.len() - 1];
    let on = |setting: Setting| Chain { task, setting };
    if attacks {
        sweep.attack(&[on(chosen.setting), on(poor.setting)])?;
    }
    let certified = |ranked: &&Ranked| harm(sweep, on(ranked.setting), false);
    let hindsight =
        ranking.iter().min_by(|a, b| certified(a).total_cmp(&certified(b))).unwrap_or(&ranking[0]);
    Ok(OnTest {
        task: sweep.tasks()[task].name.clone(),
        chosen: rows(sweep, &[task], &[chosen.setting]),
        poor: rows(sweep, &[task], &[poor.setting]),
        hindsight: rows(sweep, &[task], &[hindsight.setting]),
    })
}

fn plan(request: &Request) -> SweepPlan {
    SweepPlan {
        grid: request.grid.clone(),
        template: request.template.clone(),
        benign: request.benign,
        effort: match request.attacks {
            AttackPlan::Chosen(effort) | AttackPlan::Everywhere(effort) => effort,
            AttackPlan::None => Effort::Fast,
        },
        seed: request.seed,
        horizon: request.horizon,
        start: request.start.clone(),
    }
}

fn chains(tasks: &[usize], settings: &[Setting]) -> Vec<Chain> {
    tasks.iter().flat_map(|task| settings.iter().map(|s| Chain { task: *task, setting: *s })).collect()
}

/// All tasks in one list, and which is which.
struct Roles<'a> {
    tasks: Vec<&'a Task>,
    train: Vec<usize>,
    validate: Option<usize>,
    test: Option<usize>,
}

impl<'a> Roles<'a> {
    fn of(request: &'a Request) -> Roles<'a> {
        let mut tasks: Vec<&Task> = request.train.iter().collect();
        let train = (0..tasks.len()).collect();
        let mut add = |task: &'a Option<Task>| {
            task.as_ref().map(|task| {
                tasks.push(task);
                tasks.len() - 1
            })
        };
        let (validate, test) = (add(&request.validate), add(&request.test));
        Roles { tasks, train, validate, test }
    }

    fn all(&self) -> Vec<usize> {
        (0..self.tasks.len()).collect()
    }
}
