//! The quadratics on one level: cuts are added where a row exceeds its quadratic, and τ' follows the worst model, while the
//! gap shrinks.

use super::levels::Levels;
use super::path::Path;
use super::program::{Program, Unknowns};
use super::rows::{RowNumbers, first_cuts};

/// The gaps at which cuts and τ' are looked at again.
const GAPS: [f64; 8] = [0.02, 5e-3, 2e-3, 1e-3, 1e-3, 1e-3, 2e-4, 4e-5];
/// The gap from which on the worst model says something about τ'.
const TURN: f64 = 6e-3;
/// τ' moves this part of the way, in logarithms.
const DAMPING: f64 = 0.5;

/// A program with its solution.
pub(super) struct Fit<'a> {
    pub(super) program: Program<'a>,
    pub(super) x: Unknowns,
}

/// Fits the quadratics on the level of this height.
pub(super) fn fit<'a>(levels: &'a Levels<'a>, height: f64) -> Option<Fit<'a>> {
    let base = levels.base;
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
        cuts: cuts.collect(),
        points,
    };
    let mut path = Path::new(&program)?;
    let mut best: Option<(f64, f64, Unknowns)> = None;
    for gap in GAPS {
        path.follow(&program, gap)?;
        let peak = program.peak(&path.x)?;
        let counts: Vec<usize> = program.cuts.iter().map(Vec::len).collect();
        let rows = refine(&mut program, levels, &intervals, &path.x, gap);
        let value = rows + program.rest(&path.x, &peak);
        if best.as_ref().is_none_or(|best| value < best.0) {
            best = Some((value, program.tau, path.x.clone()));
        }
        if gap < TURN {
            let tau = program.tau * (path.best_tau(&program) / program.tau).powf(DAMPING).clamp(0.8, 1.25);
            path.turn(&mut program, tau);
        }
        path.change(&program, &counts)?;
    }
    let (_, tau, x) = best?;
    program.tau = tau;
    Some(Fit { program, x })
}

/// Σp_iT_i for the exact T_i, and new cuts where they exceed the program's.
fn refine(program: &mut Program, levels: &Levels, intervals: &[[f64; 2]], x: &Unknowns, gap: f64) -> f64 {
    let base = levels.base;
    let numbers = numbers(levels, x);
    let mut sum = 0.0;
    for (i, interval) in intervals.iter().enumerate() {
        let tops = numbers.tops(i, *interval, levels.margins[i], x.y[i], x.m[i]);
        sum += base.p[i] * tops.iter().map(|(top, _)| *top).fold(f64::MIN, f64::max);
        program.cuts[i]
            .extend(tops.iter().filter(|(value, _)| *value > x.t[i] + 0.02 * gap).map(|(_, cut)| *cut));
    }
    sum
}

/// The numbers of λ that rows see.
pub(super) fn numbers<'a>(levels: &'a Levels<'a>, x: &Unknowns) -> RowNumbers<'a> {
    let along = levels.base.margins(x.tilt());
    let fixed = along.iter().zip(&levels.margins).map(|(b, o)| b + x.nu() * o).collect();
    RowNumbers { base: levels.base, alpha: x.alpha(), fixed }
}
