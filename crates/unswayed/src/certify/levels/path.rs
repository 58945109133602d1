//! The central path of the program, followed by Newton steps. Cuts and τ' may change on the way.

use faer::{Mat, Scale};

use super::super::dot;
use super::base::{Base, add};
use super::newton::{Place, System};
use super::program::{OMEGA, POINT, Program, Slacks, Unknowns};
use super::scaling::{Scaling, first_moments, mean_and_trace};

/// Steps of one stretch, at most.
const STEPS: usize = 40;
/// How much of the way to the boundary a step goes.
const NEARLY: f64 = 0.95;
/// The first Δ has so many times the trace that the level allows.
const FAR: f64 = 100.0;
/// A corrected step that is shorter than this part of the plain one is not made.
const MISLED: f64 = 0.3;

/// A point near the path.
pub(super) struct Path {
    pub(super) x: Unknowns,
    /// t, above ¼vᵀA⁻¹v.
    top: f64,
    /// The moments of the worst model.
    moments: Mat<f64>,
    slacks: Slacks,
    barrier: f64,
    /// How much of the last step was made.
    made: f64,
}

impl Path {
    /// The program's start: multipliers of each row that sum up to its weight, and Δ with far more than the trace that the level
    /// allows. To shrink takes fewer steps than to grow.
    pub(super) fn new(program: &Program) -> Option<Self> {
        let Base { s2, d, .. } = program.base;
        let barrier = FAR * s2 * program.reach * program.reach / *d as f64;
        let x = program.start(barrier);
        let slack = program.slack(&x);
        let multiplier = slack.iter().map(|s| barrier / s).collect();
        let peak = program.peak(&x)?;
        let moments = first_moments(&peak.delta, &peak.factor, barrier);
        let top = dot(&peak.v, &peak.delta) / 2.0 + barrier;
        Some(Path { x, top, moments, slacks: Slacks { slack, multiplier }, barrier, made: 1.0 })
    }

    /// Goes on until the gap is below `gap`.
    pub(super) fn follow(&mut self, program: &Program, gap: f64) -> Option<()> {
        for _ in 0..STEPS {
            self.step(program, gap)?;
            let size = program.base.d + 1;
            let x = inequality(program, &self.x, self.top);
            let trace: f64 =
                (0..size * size).map(|p| x[(p / size, p % size)] * self.moments[(p / size, p % size)]).sum();
            let left = dot(&self.slacks.slack, &self.slacks.multiplier) + trace;
            if left < gap && self.made > 0.5 {
                break;
            }
        }
        Some(())
    }

    /// One step towards the path's point with this gap, or one before it: Mehrotra's predictor and corrector.
    fn step(&mut self, program: &Program, gap: f64) -> Option<()> {
        let scaling = Scaling::new(&inequality(program, &self.x, self.top), &self.moments)?;
        let place = Place { x: &self.x, slacks: &self.slacks, moments: &self.moments, scaling: &scaling };
        let system = program.system(&place)?;
        let slacks = &self.slacks;
        let count = (slacks.slack.len() + program.base.d + 1) as f64;
        let mean = (dot(&slacks.slack, &slacks.multiplier) + scaling.trace()) / count;
        let ahead = Step::new(&system, slacks, &scaling, 0.0, None);
        // The centre is kept where little of a step can be made.
        let is_stuck = self.made <= 0.2;
        let shrink = match self.made {
            made if made > 0.9 => 0.3,
            made if made > 0.7 => 0.4,
            _ if is_stuck => 1.0,
            _ => 0.6,
        };
        self.barrier = (shrink * mean).max(0.3 * gap / count);
        let step = |ahead| {
            let step = Step::new(&system, slacks, &scaling, self.barrier, ahead);
            Some((step.lengths(slacks, &scaling, NEARLY)?, step))
        };
        let shorter = |[primal, dual]: [f64; 2]| primal.min(dual);
        let (plain, corrected) = (step(None)?, step(Some(&ahead))?);
        // Far from the path the products of the first step's changes mislead.
        let misleads = is_stuck || shorter(corrected.0) < MISLED * shorter(plain.0);
        let ([mut primal, mut dual], step) = if misleads { plain } else { corrected };
        let (moments, top) = scaling.change(&step.coordinates, &step.residual);
        let inside = |part: f64| {
            let x = self.x.moved(part, &step.unknowns);
            Scaling::is_definite(&inequality(program, &x, self.top + part * top))
        };
        while primal > 1e-9 && !inside(primal) {
            primal *= 0.8;
        }
        while dual > 1e-9 && !Scaling::is_definite(&(&self.moments + Scale(dual) * &moments)) {
            dual *= 0.8;
        }
        self.x = self.x.moved(primal, &step.unknowns);
        self.top += primal * top;
        self.moments += Scale(dual) * &moments;
        self.slacks.slack = program.slack(&self.x);
        add(&mut self.slacks.multiplier, dual, &step.dual);
        self.made = primal.min(dual);
        Some(())
    }

    /// τ' at which the bound's derivative by it would be 0, if the worst model stayed: the root mean square of ‖θ − o + b̃/χ‖,
    /// over that of the activity.
    pub(super) fn best_tau(&self, program: &Program) -> f64 {
        let (mean, trace) = mean_and_trace(&self.moments);
        let shift: Vec<f64> = self.x.tilt().iter().map(|b| b / program.chi(&self.x)).collect();
        let distance = trace + 2.0 * dot(&mean, &shift) + dot(&shift, &shift);
        let limits = self.slacks.multiplier.iter().rev().zip(program.points.iter().rev());
        let active: f64 = limits.map(|(multiplier, [w, _])| multiplier * w * w).sum();
        (program.base.eps * distance / active).sqrt()
    }

    /// Moves to another τ'. C and ω make up for it.
    pub(super) fn turn(&mut self, program: &mut Program, tau: f64) {
        let (point, pull) = (program.least_point(&self.x), 1.0 / program.tau);
        program.tau = tau;
        self.x.shared[POINT] += program.least_point(&self.x) - point;
        self.x.shared[OMEGA] += (program.push() * program.chi(&self.x) / 2.0 * (1.0 / tau - pull)).max(0.0);
    }

    /// Takes up more cuts and what `turn` changed: `counts` is how many cuts each row had before.
    pub(super) fn change(&mut self, program: &Program, counts: &[usize]) -> Option<()> {
        let before = std::mem::take(&mut self.slacks.multiplier);
        let peak = program.peak(&self.x)?;
        self.top = self.top.max(dot(&peak.v, &peak.delta) / 2.0 + self.barrier);
        program.raise(&mut self.x, |i| 2.0 * self.barrier / program.base.p[i].max(1e-300));
        self.slacks.slack = program.slack(&self.x);
        let (mut old, mut new) = (before.into_iter(), self.slacks.slack.iter());
        let mut multiplier = Vec::with_capacity(self.slacks.slack.len());
        // A multiplier that no longer fits its slack is replaced.
        let fit = |slack: f64, old: Option<f64>| {
            let central = self.barrier / slack;
            old.map_or(central, |old| old.clamp(0.2 * central, 5.0 * central))
        };
        for (cuts, &count) in program.cuts.iter().zip(counts) {
            for c in 0..cuts.len() {
                let known = if c < count { old.next() } else { None };
                multiplier.push(fit(*new.next()?, known));
            }
        }
        multiplier.extend(new.map(|&slack| fit(slack, old.next())));
        self.slacks.multiplier = multiplier;
        Some(())
    }
}

/// A Newton step.
struct Step {
    unknowns: Unknowns,
    /// The changes of slacks and multipliers.
    primal: Vec<f64>,
    dual: Vec<f64>,
    /// Of the moments.
    coordinates: Vec<f64>,
    residual: Mat<f64>,
    /// The changes of X and S, scaled.
    scaled: [Mat<f64>; 2],
}

impl Step {
    /// Towards the centre of this barrier. The products of the changes that an earlier step found are taken into account.
    fn new(system: &System, slacks: &Slacks, scaling: &Scaling, barrier: f64, ahead: Option<&Step>) -> Step {
        let Slacks { slack, multiplier } = slacks;
        let force = |c: usize| (barrier - ahead.map_or(0.0, |a| a.primal[c] * a.dual[c])) / slack[c];
        let forces: Vec<f64> = (0..slack.len()).map(force).collect();
        let residual = scaling.residual(barrier, ahead.map(|a| &a.scaled));
        let (unknowns, coordinates) = system.step(&forces, &residual);
        let primal = system.program.slack_change(&unknowns);
        let change = |c: usize| forces[c] - multiplier[c] * primal[c] / slack[c] - multiplier[c];
        let dual = (0..slack.len()).map(change).collect();
        let scaled = scaling.scaled_changes(&coordinates, &residual);
        Step { unknowns, primal, dual, coordinates, residual, scaled }
    }

    /// How far one can go on either side: this part of the way to the boundary, and at most 1.
    fn lengths(&self, slacks: &Slacks, scaling: &Scaling, part: f64) -> Option<[f64; 2]> {
        let length = |values: &[f64], changes: &[f64], matrix: &Mat<f64>| {
            let ratios = values.iter().zip(changes).filter(|(_, c)| **c < 0.0).map(|(v, c)| -v / c);
            Some((part * ratios.fold(scaling.room(matrix)?, f64::min)).min(1.0))
        };
        let [x, s] = &self.scaled;
        Some([length(&slacks.slack, &self.primal, x)?, length(&slacks.multiplier, &self.dual, s)?])
    }
}

/// [t, −v/2; −v/2, A]
fn inequality(program: &Program, x: &Unknowns, top: f64) -> Mat<f64> {
    let d = program.base.d;
    let (a, v) = program.parts(x);
    Mat::from_fn(d + 1, d + 1, |i, j| match (i.max(j), i.min(j)) {
        (0, _) => top,
        (i, 0) => -v[i - 1] / 2.0,
        (i, j) => a[(i - 1) * d + j - 1],
    })
}
