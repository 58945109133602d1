//! Proofs of the error by levels (Theorem E4): quadratics above the rows on the levels of the learner's own objective.
//!
//! | module | its part |
//! |---|---|
//! | `base` | learner and rows as numbers, small dense algebra |
//! | `objective` | the learner's objective and Newton's method on it |
//! | `levels` | the centre, and the intervals of the margins on a level |
//! | `rows` | what a row contributes on its interval |
//! | `program` | the semidefinite program for α, β and the rows' quadratics |
//! | `newton`, `squares`, `scaling`, `path` | its Newton steps, their matrix, the scaling of its matrix inequality, its central path |
//! | `fit` | cuts and τ', chosen on the way |
//! | `barrier` | the barrier and its drift in each shell |

mod barrier;
mod base;
mod fit;
#[expect(clippy::module_inception, reason = "it is about levels")]
mod levels;
mod newton;
mod objective;
mod path;
mod program;
mod rows;
mod scaling;
mod squares;

use unswayed_check::{Claim, Feature, LevelsProof, Proof, features, unsupported};

use super::exact_bound;
use crate::problem::Problem;
use barrier::Shells;
pub(super) use base::{Base, norm};
use fit::{Fit, fit, numbers};
use levels::Levels;
pub(super) use objective::Objective;
use program::{Program, Unknowns};

/// Rows beyond which the exact check would take too long.
const MOST_ROWS: usize = 5000;
/// Multiplications of a Newton step up to which a search takes a few seconds.
const FEW_SECONDS: f64 = 4e8;
/// The level for which intervals are made short, as the root of a multiple of (εR)²/(2σ').
const LEVEL: f64 = 1.07;

/// Whether a search takes a few seconds at most.
pub(super) fn is_quick(problem: &Problem) -> bool {
    let (rows, columns) = (problem.rows() as f64, problem.data()[0].dimension() as f64);
    let moments = columns * (columns + 3.0) / 2.0;
    rows <= 2000.0 && (rows + moments / 3.0) * moments * moments <= FEW_SECONDS
}

/// A proof of the error, with the bound that the exact checker finds; none if there is no theorem for the problem, or if it is
/// too large. One that is also for first steps has more shells: few of them make a start that is far out dear (Theorem E5).
pub(super) fn search(problem: &Problem, first_steps: bool) -> Option<Claim> {
    let features = [features(problem.statement()), vec![Feature::Levels]].concat();
    if problem.rows() > MOST_ROWS || unsupported(&features).is_some() || problem.threat().poison_rate == 0.0 {
        return None;
    }
    let base = Base::new(problem)?;
    let levels = Levels::new(&base, smoothing(&base), LEVEL * LEVEL)?;
    // An adversary who can send nothing but 0 has no levels.
    if levels.unit() <= 0.0 {
        return None;
    }
    let level = Shells::new(&levels, LEVEL).level(&levels)?;
    let Fit { program, x } = fit(&levels, level * level * levels.unit())?;
    let proof = finish(&levels, &program, &x, level, [problem.learner().batch > 1, first_steps])?;
    let proof = Proof::Levels(Box::new(proof));
    let bound = exact_bound(problem, &proof).ok()?;
    Some(Claim { bound, proof })
}

/// μ. A large one makes levels higher and intervals longer, in proportion to it; a small one makes the barrier's second order
/// larger, by η/(μ(εR)²). The factor is from trials.
fn smoothing(base: &Base) -> f64 {
    if !base.is_hinge {
        return 0.0;
    }
    (4.0 * base.eta.sqrt() / (base.eps * base.radius).max(1e-300)).min(0.8 / base.sigma)
}

/// The bound in every fine shell and the crude one beyond, then a barrier, then all numbers together.
fn finish(
    levels: &Levels,
    program: &Program,
    x: &Unknowns,
    level: f64,
    [batch, first_steps]: [bool; 2],
) -> Option<LevelsProof> {
    let base = levels.base;
    let peak = program.peak(x)?;
    let mut shells = Shells::new(levels, level);
    let numbers = numbers(levels, x);
    let rest = program.rest(x, &peak) - x.omega() * program.reach * program.reach;
    let crude = crude(levels, program, x);
    let bound = |k: usize| {
        if k >= shells.fine {
            return crude;
        }
        let height = shells.heights[k];
        let intervals = levels.intervals(height);
        let top = |i: usize| {
            let tops = numbers.tops(i, intervals[i], levels.margins[i], x.y[i], x.m[i]);
            base.p[i] * tops.iter().map(|(top, _)| *top).fold(f64::MIN, f64::max)
        };
        let rows: f64 = (0..base.n).map(top).sum();
        (rows + rest + x.omega() * levels.reach(height).powi(2)).min(crude)
    };
    let bounds: Vec<f64> = (0..shells.heights.len()).map(bound).collect();
    let barrier = shells.choose(levels, &bounds, batch)?;
    shells.thin(levels, &bounds, &barrier, if first_steps { shells.near } else { bounds.len() });
    Some(LevelsProof {
        radius: base.radius,
        norm: base.norm,
        smoothing: levels.smoothing,
        centre: levels.centre.clone(),
        shares: levels.shares.clone(),
        gain: levels.gain,
        forces: levels.forces.clone(),
        points: levels.points.iter().map(|&x| f64::from(x as f32)).collect(),
        alpha: x.alpha(),
        nu: x.nu(),
        tilt: x.tilt().to_vec(),
        omega: x.omega(),
        rho: 1.0 / program.tau,
        slopes: x.y.clone(),
        curves: x.m.clone(),
        least: 0.5 * program.least_curvature(&peak),
        peak: peak.delta.iter().map(|x| 2.0 * x).collect(),
        offset: barrier.offset,
        steepness: barrier.steepness,
        size: barrier.size,
        anchor: barrier.anchor,
        heights: shells.heights,
        fine: shells.fine,
        near: shells.near,
        spread_near: shells.spread_near,
        spread_far: shells.spread_far,
    })
}

/// G_∞ of (E4).
fn crude(levels: &Levels, program: &Program, x: &Unknowns) -> f64 {
    let Base { p, eps, sigma, radius, eta, norm, is_hinge, .. } = levels.base;
    let most = if *is_hinge { 1.0 } else { 0.278_470_1 };
    let row = |s: f64| if *is_hinge { (1.0 - s).max(0.0) } else { (-s).max(0.0) + most };
    let rows: f64 = levels.margins.iter().zip(p).map(|(&s, p)| p * row(s)).sum();
    let pull = sigma * levels.centre_norm() + eps * radius;
    let middle = (1.0 - eps) * rows + pull * pull / (4.0 * sigma);
    let tilt = 2.0 * norm * base::norm(x.tilt());
    1.0 + program.chi(x) * middle + x.nu() * most + x.alpha() * eta * norm * norm + tilt
}
