//! Proofs of the error by levels (Theorem E4): quadratics above the rows on the levels of the learner's own objective.
//!
//! | module | its part |
//! |---|---|
//! | `base` | learner and rows as numbers, small dense algebra |
//! | `objective` | the learner's objective and Newton's method on it |
//! | `levels` | the centre, and the intervals of the margins on a level |
//! | `rows` | what a row contributes on its interval |
//! | `program`, `newton` | the semidefinite program for α, β and the rows' quadratics, and its Newton steps |
//! | `barrier` | the barrier and its drift in each shell |

mod barrier;
mod base;
#[expect(clippy::module_inception, reason = "it is about levels")]
mod levels;
mod newton;
mod objective;
mod program;
mod rows;

use unswayed_check::{Claim, Feature, LevelsProof, Proof, features, unsupported};

use super::exact_bound;
use crate::problem::Problem;
use barrier::Shells;
use base::Base;
use levels::Levels;
use program::{Program, Unknowns};
use rows::{RowNumbers, first_cuts};

/// Rows beyond which the search would take too long.
const MOST_ROWS: usize = 3000;
/// Rounds of the program: the first ones only add cuts, then τ' is searched.
const ROUNDS: usize = 8;
const CUT_ROUNDS: usize = 2;
/// By how much τ' is changed first.
const FIRST_FACTOR: f64 = 1.15;
/// The gap at which a round ends, and that at which the next one starts.
const GAP: f64 = 1e-4;
const RESTART_GAP: f64 = 0.03;

/// The level on which the quadratics are fitted, as the root of a multiple of (εR)²/(2σ').
const LEVEL: f64 = 1.06;

/// A proof of the error, with the bound that the exact checker finds; none if there is no theorem for the problem, or if it is
/// too large.
pub(super) fn search(problem: &Problem) -> Option<Claim> {
    let features = [features(problem.statement()), vec![Feature::Levels]].concat();
    if problem.rows() > MOST_ROWS || unsupported(&features).is_some() || problem.threat().poison_rate == 0.0 {
        return None;
    }
    let base = Base::new(problem)?;
    let smoothing = if base.is_hinge { 4.0 } else { 0.0 };
    let levels = Levels::new(&base, smoothing, LEVEL * LEVEL)?;
    let (program, unknowns) = fit(&levels)?;
    let proof = finish(&levels, &program, &unknowns, problem.learner().batch > 1)?;
    let proof = Proof::Levels(Box::new(proof));
    let bound = exact_bound(problem, &proof).ok()?;
    Some(Claim { bound, proof })
}

/// Fits the quadratics on one level: cuts are added where a row exceeds its quadratic, and τ' follows the worst model.
fn fit<'a>(levels: &'a Levels<'a>) -> Option<(Program<'a>, Unknowns)> {
    let base = levels.base;
    let height = LEVEL * LEVEL * levels.unit();
    let (intervals, reach) = (levels.intervals(height), levels.reach(height));
    let cuts = (0..base.n)
        .map(|i| first_cuts(base, intervals[i], levels.margins[i], if base.is_hinge { 5 } else { 9 }));
    let points = if base.is_hinge {
        vec![[1.0, 1.0]]
    } else {
        (1..40).map(|j| f64::from(j) / 40.0).map(|w| [w, w * ((1.0 - w) / w).ln()]).collect()
    };
    let mut program = Program {
        base,
        centre: &levels.centre,
        margins: &levels.margins,
        reach,
        tau: 0.7 * reach,
        curved: true,
        cuts: cuts.collect(),
        points,
    };
    let mut x = program.start();
    let mut best: Option<(f64, f64, Unknowns)> = None;
    // The first rounds add cuts where the rows exceed their quadratics; then τ' goes where the bound falls.
    let (mut factor, mut turned, mut gap) = (FIRST_FACTOR, false, 100.0);
    for round in 0..ROUNDS {
        program.solve(&mut x, gap, GAP)?;
        let peak = program.peak(&x)?;
        let value = refine(&mut program, levels, &intervals, &x) + program.rest(&x, &peak);
        let better = best.as_ref().is_none_or(|best| value < best.0);
        if better {
            best = Some((value, program.tau, x.clone()));
        }
        let tau = best.as_ref().map_or(program.tau, |best| best.1);
        if round + 1 >= CUT_ROUNDS {
            if !better && round >= CUT_ROUNDS {
                factor = if turned { factor.sqrt() } else { 1.0 / factor };
                turned = !turned;
            }
            program.tau = tau * factor;
        }
        gap = RESTART_GAP;
        restart(&program, &mut x);
    }
    let (_, tau, x) = best?;
    program.tau = tau;
    Some((program, x))
}

/// Makes A positive definite and T and C large enough for new cuts and a new τ'.
fn restart(program: &Program, x: &mut Unknowns) {
    program.raise(x, 1e-3);
    x.shared[program::OMEGA] += 1e-5;
    while program.peak(x).is_none() {
        x.shared[program::OMEGA] = 1.1 * x.shared[program::OMEGA] + 1e-4;
    }
    x.shared[program::POINT] = 1.05 * program.least_point(x) + 1e-3;
}

/// Σp_iT_i for the exact T_i, and new cuts where they exceed the program's.
fn refine(program: &mut Program, levels: &Levels, intervals: &[[f64; 2]], x: &Unknowns) -> f64 {
    let base = levels.base;
    let numbers = numbers(levels, x);
    let mut sum = 0.0;
    for (i, interval) in intervals.iter().enumerate() {
        let tops = numbers.tops(i, *interval, levels.margins[i], x.y[i], x.m[i]);
        sum += base.p[i] * tops.iter().map(|(top, _)| *top).fold(f64::MIN, f64::max);
        program.cuts[i].extend(tops.iter().filter(|(value, _)| *value > x.t[i] + 1e-6).map(|(_, cut)| *cut));
    }
    sum
}

fn numbers<'a>(levels: &'a Levels<'a>, x: &Unknowns) -> RowNumbers<'a> {
    let along = levels.base.margins(x.tilt());
    let fixed = along.iter().zip(&levels.margins).map(|(b, o)| b + x.nu() * o).collect();
    RowNumbers { base: levels.base, alpha: x.alpha(), fixed }
}

/// The bound in every fine shell and the crude one beyond, then a barrier, then all numbers together.
fn finish(levels: &Levels, program: &Program, x: &Unknowns, batch: bool) -> Option<LevelsProof> {
    let base = levels.base;
    let peak = program.peak(x)?;
    let shells = Shells::new(levels, LEVEL);
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
        heights: shells.heights.clone(),
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
