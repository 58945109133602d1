//! The search: the program on all rows, or on a sample of them, with points on the curves added until nothing changes.

use super::cuts::Cuts;
use super::hostile::HostileFound;
use super::program::{CaseAt, CaseProgram, Layout, Place};
use super::rows::RowUnknowns;

/// Rounds of new points on the curves, at most.
const MOST_ROUNDS: usize = 25;
/// The value may still fall by this much, relative to max(1, value), when no more points are added.
const TOLERANCE: f64 = 1e-7;
/// α stays below this at first: with few points on its curves the program may be unbounded.
const FAR: f64 = 1e2;
/// And below this at last.
const FARTHEST: f64 = 1e7;

/// Unknowns with their values, in the order of the task's lines and cases.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) alpha: f64,
    pub(super) beta: Vec<f64>,
    pub(super) lines: Vec<LinesFound>,
    pub(super) cases: Vec<CaseFound>,
    /// The program's value.
    pub(super) value: f64,
    /// Whether the solver met its tolerances.
    pub(super) converged: bool,
}

/// Lines above the rows of a dataset, in a shell or slab.
#[derive(Clone, Debug)]
pub(super) struct LinesFound {
    pub(super) dataset: usize,
    /// From 0; 0 if there are none.
    pub(super) shell: usize,
    /// The unknowns of each row.
    pub(super) rows: Vec<RowUnknowns>,
    /// Where rows may be hostile.
    pub(super) hostile: Option<HostileFound>,
}

/// The values of a case.
#[derive(Clone, Debug, Default)]
pub(super) struct CaseFound {
    /// Which lines it uses.
    pub(super) lines: usize,
    pub(super) tau: Vec<f64>,
    pub(super) nu: f64,
    /// y of a point.
    pub(super) push: f64,
    /// ω and μ.
    pub(super) outer: f64,
    pub(super) inner: f64,
    /// ω of a bounded slab.
    pub(super) hold: f64,
    /// By how much C pushes along a bounded slab, on average.
    pub(super) lean: f64,
    /// What the case is worth.
    pub(super) bound: f64,
}

impl CaseFound {
    /// W = (ω − μ)I.
    pub(super) fn held(&self) -> f64 {
        self.outer - self.inner
    }
}

/// Solves to the end; `None` if the solver breaks down.
pub(super) fn solve(task: &CaseProgram) -> Option<Found> {
    let mut cuts = Cuts::first(task);
    let (mut far, mut last) = (FAR, None);
    for _ in 0..MOST_ROUNDS {
        let (program, layout) = task.build(&cuts, far);
        let Some(solved) = program.solve(None) else { break };
        if solved.x.iter().any(|x| !x.is_finite()) {
            break;
        }
        let missing = cuts.refine(task, &layout, &solved.x);
        let is_exact = missing <= TOLERANCE * solved.cost.abs().max(1.0);
        let at_edge = solved.x[layout.alpha] > 0.99 * far && far < FARTHEST;
        let converged = is_exact && !at_edge && solved.converged();
        last = Some(read(task, &layout, &solved.x, solved.cost, converged));
        if is_exact && !at_edge {
            break;
        }
        if at_edge && is_exact {
            far *= 100.0;
        }
    }
    last
}

fn read(task: &CaseProgram, layout: &Layout, x: &[f64], value: f64, converged: bool) -> Found {
    let unknowns = task.kind.unknowns();
    let lines = layout.lines.iter().zip(task.each_lines()).map(|(at, (dataset, shell, _))| {
        let own = |i: usize| {
            let mut own = RowUnknowns::default();
            own[..unknowns].copy_from_slice(&x[at.first + i * unknowns..][..unknowns]);
            own
        };
        let hostile = at.hostile.as_ref().map(|at| HostileFound {
            pull: x[at.pull..][..task.constants.parameters].to_vec(),
            curve: x[at.curve].max(f64::MIN_POSITIVE),
        });
        LinesFound { dataset, shell, rows: (0..at.parts.len()).map(own).collect(), hostile }
    });
    let case = |(case, place): (&CaseAt, Place)| {
        let at = |place: Option<usize>| place.map_or(0.0, |v| x[v].max(0.0));
        let (hold, lean) = along_slab(task, layout, case, place, x).unwrap_or((at(case.hold), 0.0));
        CaseFound {
            lines: place.lines,
            tau: case.tau.iter().map(|v| x[*v].max(f64::MIN_POSITIVE)).collect(),
            nu: at(case.nu),
            push: at(case.point.map(|(_, y)| y)),
            outer: at(case.multipliers.map(|(outer, _)| outer)),
            inner: at(case.multipliers.map(|(_, inner)| inner)),
            hold,
            lean,
            bound: case.price.at(x),
        }
    };
    Found {
        alpha: x[layout.alpha],
        beta: x[layout.beta..][..task.constants.parameters].to_vec(),
        lines: lines.collect(),
        cases: layout.cases.iter().zip(task.places()).map(case).collect(),
        value,
        converged,
    }
}

/// Where C differs at the ends of a slab: the ω with which v_bθ_b + ω(θ_b−l)(h−θ_b) is largest at an end, and (C(h) − C(l))/(h − l).
fn along_slab(
    task: &CaseProgram,
    layout: &Layout,
    case: &CaseAt,
    place: Place,
    x: &[f64],
) -> Option<(f64, f64)> {
    let (Some([low, high]), Some(slab), [b]) = (&case.ends, place.slab, &task.constants.free[..]) else {
        return None;
    };
    let width = slab.high - slab.low;
    let lean = task.constants.eps * (high.at(x) - low.at(x)) / width;
    let force = x[layout.lines[place.lines].slope + b] + lean;
    Some((force.abs() / width, lean))
}
