//! The objective, the ranking of settings, the Pareto front, the weight κ, and the continuous search.

use super::axis::Axis;
use super::sweep::{Chain, Sweep};
use super::{DesignError, Grid, Setting};

/// The weights κ that are tried when it is tuned.
pub const KAPPAS: [f64; 7] = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0];

/// The continuous search ends when its steps are below this factor.
const FINEST: f64 = 1.02;

/// What the best setting is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Objective {
    /// The smallest mean of benign loss + κ · certified loss.
    Weighted(f64),
    /// The smallest mean benign loss among settings whose certified error is at most this on every task, at every poison rate.
    AtMostError(f64),
}

impl From<f64> for Objective {
    fn from(kappa: f64) -> Self {
        Objective::Weighted(kappa)
    }
}

impl Objective {
    /// Smaller is better; infinite if the setting will not do.
    fn of(self, ranked: &Ranked) -> f64 {
        match self {
            Objective::Weighted(kappa) => ranked.benign_loss + kappa * ranked.certified_loss,
            Objective::AtMostError(limit) if ranked.certified_error.is_some_and(|e| e <= limit) => {
                ranked.benign_loss
            }
            Objective::AtMostError(_) => f64::INFINITY,
        }
    }
}

/// A setting and how it does, averaged over training tasks and poison rates: in the long run, or over the sweep's horizon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// The setting.
    pub setting: Setting,
    /// The mean benign loss.
    pub benign_loss: f64,
    /// The mean certified loss.
    pub certified_loss: f64,
    /// The mean benign error; absent for a regression loss.
    pub benign_error: Option<f64>,
    /// The largest certified error of all tasks and poison rates; absent for a regression loss.
    pub certified_error: Option<f64>,
    /// What is made small; infinite if the setting will not do.
    pub objective: f64,
    /// Whether no other setting is better in one of the two losses and no worse in the other.
    pub pareto: bool,
}

/// The settings, best first, for an objective or a weight κ. All must have been certified on the tasks.
pub fn rank(
    sweep: &Sweep,
    tasks: &[usize],
    settings: &[Setting],
    objective: impl Into<Objective>,
) -> Vec<Ranked> {
    let objective = objective.into();
    let mut ranking: Vec<Ranked> =
        settings.iter().filter_map(|setting| average(sweep, tasks, *setting, objective)).collect();
    let points: Vec<(f64, f64)> = ranking.iter().map(|r| (r.benign_loss, r.certified_loss)).collect();
    for ranked in &mut ranking {
        let here = (ranked.benign_loss, ranked.certified_loss);
        ranked.pareto = !points.iter().any(|p| p.0 <= here.0 && p.1 <= here.1 && *p != here);
    }
    // Ties go to the setting that comes first, so that the choice does not depend on chance.
    // Those that will not do are sorted by how far they are from it.
    let error = |r: &Ranked| r.certified_error.unwrap_or(f64::INFINITY);
    let by_error = |a: &Ranked, b: &Ranked| error(a).total_cmp(&error(b));
    let is_out = |a: &Ranked, b: &Ranked| a.objective.is_infinite() && b.objective.is_infinite();
    ranking.sort_by(|a, b| if is_out(a, b) { by_error(a, b) } else { a.objective.total_cmp(&b.objective) });
    ranking
}

fn average(sweep: &Sweep, tasks: &[usize], setting: Setting, objective: Objective) -> Option<Ranked> {
    let rates = &sweep.plan().grid.poison_rates;
    let (mut benign, mut certified) = (0.0, 0.0);
    let (mut benign_error, mut certified_error) = (Some(0.0), Some(0.0));
    for task in tasks {
        let chain = Chain { task: *task, setting };
        let record = sweep.benign(chain)?;
        benign += record.loss / tasks.len() as f64;
        benign_error = benign_error.zip(record.error).map(|(sum, one)| sum + one / tasks.len() as f64);
        for rate in rates {
            let record = sweep.certified(chain, *rate)?;
            certified += record.bound() / (tasks.len() * rates.len()) as f64;
            certified_error = certified_error.zip(record.error_bound()).map(|(a, b): (f64, f64)| a.max(b));
        }
    }
    let ranked = Ranked {
        setting,
        benign_loss: benign,
        certified_loss: certified,
        benign_error,
        certified_error,
        objective: 0.0,
        pareto: false,
    };
    Some(Ranked { objective: objective.of(&ranked), ..ranked })
}

/// The weight among [`KAPPAS`] whose choice does best on the validation task: the smallest mean loss over the poison
/// rates under the strongest attack, or the smallest mean certified loss if no attacks are run. Ties go to the smaller weight.
pub fn tune_kappa(
    sweep: &Sweep,
    tasks: &[usize],
    validation: usize,
    settings: &[Setting],
    attacks: bool,
) -> Result<f64, DesignError> {
    let choices: Vec<(f64, Setting)> = KAPPAS
        .iter()
        .filter_map(|kappa| Some((*kappa, rank(sweep, tasks, settings, *kappa).first()?.setting)))
        .collect();
    let chains: Vec<Chain> =
        distinct(choices.iter().map(|c| c.1)).map(|setting| Chain { task: validation, setting }).collect();
    if attacks {
        sweep.attack(&chains)?;
    }
    let score = |setting: Setting| harm(sweep, Chain { task: validation, setting }, attacks);
    let scored = choices.into_iter().map(|(kappa, setting)| (kappa, score(setting)));
    Ok(scored.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(1.0, |best| best.0))
}

/// The mean over the poison rates of the strongest attack's loss, or of the certified loss.
pub fn harm(sweep: &Sweep, chain: Chain, attacks: bool) -> f64 {
    let rates = &sweep.plan().grid.poison_rates;
    let loss = |rate: f64| {
        if attacks {
            sweep.attacks(chain, rate).and_then(|a| a.strongest().map(|s| s.loss))
        } else {
            sweep.certified(chain, rate).map(|c| c.bound())
        }
    };
    rates.iter().map(|rate| loss(*rate).unwrap_or(f64::INFINITY)).sum::<f64>() / rates.len() as f64
}

/// Each setting once, in order of first appearance.
fn distinct(settings: impl Iterator<Item = Setting>) -> impl Iterator<Item = Setting> {
    let mut seen = Vec::new();
    settings.filter(move |setting| {
        let new = !seen.contains(&setting.bits());
        seen.push(setting.bits());
        new
    })
}

/// Continues from the best setting of a ranking between the points of the grid: compass search in the logarithms of all axes with
/// several values, within the grid's range, with steps that start at half the grid's spacing and are halved where no neighbour is
/// better. A setting without projection or clipping stays so.
pub fn refine(
    sweep: &Sweep,
    tasks: &[usize],
    from: Ranked,
    objective: impl Into<Objective>,
    grid: &Grid,
) -> Result<(Ranked, Vec<Setting>), DesignError> {
    let objective = objective.into();
    let ranges = Axis::ALL.map(|axis| Range::of(axis, grid));
    let mut steps = ranges.map(|range| range.map_or(1.0, |range| range.spacing.sqrt()));
    let (mut best, mut tried) = (from, Vec::new());
    while steps.iter().any(|step| *step > FINEST) {
        let neighbours = neighbours(best.setting, steps, ranges);
        certify_all(sweep, tasks, &neighbours)?;
        let found = rank(sweep, tasks, &neighbours, objective);
        tried.extend(neighbours);
        match found.first() {
            Some(next) if next.objective < best.objective => best = *next,
            _ => steps = steps.map(f64::sqrt),
        }
    }
    Ok((best, tried))
}

fn certify_all(sweep: &Sweep, tasks: &[usize], settings: &[Setting]) -> Result<(), DesignError> {
    let chains: Vec<Chain> =
        settings.iter().flat_map(|s| tasks.iter().map(|task| Chain { task: *task, setting: *s })).collect();
    sweep.certify(&chains)
}

/// The finite values of a grid's axis: the ends, and the mean factor between neighbours.
#[derive(Clone, Copy)]
struct Range {
    axis: Axis,
    least: f64,
    most: f64,
    spacing: f64,
}

impl Range {
    /// None without several values; zero has no logarithm.
    fn of(axis: Axis, grid: &Grid) -> Option<Range> {
        let values: Vec<f64> = axis.values(grid).into_iter().filter(|x| *x > 0.0 && x.is_finite()).collect();
        let [least, .., most] = values[..] else { return None };
        let spacing = (most / least).powf(1.0 / (values.len() - 1) as f64);
        Some(Range { axis, least, most, spacing })
    }

    /// A setting moved by a factor within the range, rounded to three digits: a setting should be easy to copy.
    fn step(self, from: Setting, factor: f64) -> Option<Setting> {
        let at = Some(self.axis.of(from)).filter(|at| (self.least..=self.most).contains(at))?;
        let to = at * factor;
        let rounded = format!("{to:.2e}").parse().unwrap_or(to).clamp(self.least, self.most);
        Some(self.axis.put(from, rounded))
    }
}

/// Up to ten settings, one step away in one direction each.
fn neighbours(at: Setting, factors: [f64; 5], ranges: [Option<Range>; 5]) -> Vec<Setting> {
    let moves = ranges.into_iter().zip(factors).filter_map(|(range, factor)| Some((range?, factor)));
    let both = moves.flat_map(|(range, factor)| [range.step(at, 1.0 / factor), range.step(at, factor)]);
    distinct(both.flatten().filter(|setting| *setting != at)).collect()
}
