//! The central path of the program, followed by Newton steps. Cuts and τ' may change on the way.

use faer::{Mat, Scale};

use super::super::dot;
use super::base::add;
use super::newton::Place;
use super::program::{OMEGA, POINT, Program, Slacks, Unknowns};
use super::scaling::{Scaling, first_moments, mean_and_trace};

/// Steps of one stretch, at most.
const STEPS: usize = 40;
/// How much of the way to the boundary a step goes.
const NEARLY: f64 = 0.95;

/// A point near the path.
pub(super) struct Path {
    pub(super) x: Unknowns,
    /// t, above ¼vᵀA⁻¹v.
    top: f64,
    /// The moments of the worst model.
    moments: Mat<f64>,
    slacks: Slacks,
    barrier: f64,
}

impl Path {
    /// The program's start, with a gap of about this size.
    pub(super) fn new(program: &Program, gap: f64) -> Option<Self> {
        let x = program.start();
        let slack = program.slack(&x);
        let barrier = gap / (slack.len() + program.base.d + 1) as f64;
        let multiplier = slack.iter().map(|s| barrier / s).collect();
        let peak = program.peak(&x)?;
        let moments = first_moments(&peak.delta, &peak.factor, barrier);
        let top = dot(&peak.v, &peak.delta) / 2.0 + barrier;
        Some(Path { x, top, moments, slacks: Slacks { slack, multiplier }, barrier })
    }

    /// Goes on until the gap is below `gap`.
    pub(super) fn follow(&mut self, program: &Program, gap: f64) -> Option<()> {
        let size = program.base.d + 1;
        let count = (self.slacks.slack.len() + size) as f64;
        for _ in 0..STEPS {
            let (primal, dual) = self.step(program)?;
            let made = primal.min(dual);
            let x = inequality(program, &self.x, self.top);
            let trace: f64 =
                (0..size * size).map(|p| x[(p / size, p % size)] * self.moments[(p / size, p % size)]).sum();
            let mean = (dot(&self.slacks.slack, &self.slacks.multiplier) + trace) / count;
            if mean * count < gap && made > 0.5 {
                break;
            }
            let shrink = match made {
                s if s > 0.9 => 0.5,
                s if s > 0.7 => 0.6,
                s if s > 0.2 => 0.7,
                _ => 1.0,
            };
            self.barrier = (shrink * mean).max(0.3 * gap / count);
        }
        Some(())
    }

    /// One Newton step towards the centre of the barrier: how much of it was made, on either side.
    fn step(&mut self, program: &Program) -> Option<(f64, f64)> {
        let barrier = self.barrier;
        let scaling = Scaling::new(&inequality(program, &self.x, self.top), &self.moments)?;
        let residual = scaling.residual(barrier)?;
        let place =
            Place { x: &self.x, slacks: &self.slacks, moments: &self.moments, scaling: &scaling, barrier };
        let (step, coordinates) = program.newton(&place, &residual)?;
        let (moments, top) = scaling.change(&coordinates, &residual);
        let slacks = &mut self.slacks;
        let change = program.slack_change(&step);
        let dual_change: Vec<f64> = (0..change.len())
            .map(|c| (barrier - slacks.multiplier[c] * change[c]) / slacks.slack[c] - slacks.multiplier[c])
            .collect();
        let mut primal = most(&slacks.slack, &change);
        let mut dual = most(&slacks.multiplier, &dual_change);
        let inside = |part: f64| {
            let x = self.x.moved(part, &step);
            Scaling::is_definite(&inequality(program, &x, self.top + part * top))
        };
        while primal > 1e-9 && !inside(primal / NEARLY) {
            primal *= 0.8;
        }
        while dual > 1e-9 && !Scaling::is_definite(&(&self.moments + Scale(dual / NEARLY) * &moments)) {
            dual *= 0.8;
        }
        self.x = self.x.moved(primal, &step);
        self.top += primal * top;
        self.moments += Scale(dual) * &moments;
        self.slacks.slack = program.slack(&self.x);
        add(&mut self.slacks.multiplier, dual, &dual_change);
        Some((primal, dual))
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

/// How far values may go along their changes: nearly to the first 0, and at most 1.
fn most(values: &[f64], changes: &[f64]) -> f64 {
    let ratios = values.iter().zip(changes).filter(|(_, c)| **c < 0.0).map(|(v, c)| -v / c);
    (NEARLY * ratios.fold(f64::INFINITY, f64::min)).min(1.0)
}
