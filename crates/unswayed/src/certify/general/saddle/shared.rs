//! The part of the saddle function that is not a sum over rows, in the coordinates of the adversary's set:
//!
//! ```text
//! −(σ−δ)βᵀθ − p‖θ‖² + Σ_j ε·span_j(χθ_j + β_j)²/(2τ_j) + εC(D, ν) + ω(ϱ² − ‖o‖²) + 2ωoᵀθ + costs of (α, β),
//! p = α·pull + ω,    χ = 2αk − ν,    D = Σ price_j τ_j/2 + αη·squared,
//! ```
//!
//! minimised over x = (α, ν, ω, τ, β), maximised over θ, with barriers for ν, ω ≥ 0, for pτ_j ≥ ε·span_j·χ²/2 and, where steps are
//! projected, for ‖β‖ ≤ 2αϱ.

use faer::Mat;

use super::super::affine::Affine;
use super::super::logistic::Curve;
use super::super::points::{PointSet, Symmetric};
use super::super::program::{CaseProgram, LAMBERT};
use super::local::{Local, Place, Slopes};
use crate::certify::dot;
use crate::certify::start::StartCost;

/// Positions in x; the τ follow, then β.
pub(super) const ALPHA: usize = 0;
pub(super) const NU: usize = 1;
pub(super) const OMEGA: usize = 2;
pub(super) const TAU: usize = 3;

/// A step leaves at least this part of the room that an inequality has.
const LEAST: f64 = 0.1;

/// The setting.
pub(super) struct Shared<'a> {
    task: &'a CaseProgram<'a>,
    pub(super) set: Option<&'a Symmetric>,
    /// How many τ there are.
    pub(super) taus: usize,
    /// The largest span of each τ's coordinates.
    widest: Vec<f64>,
    /// The shell's centre in the set's coordinates, and its outer radius.
    shell: Option<(Vec<f64>, f64)>,
    /// What (α, β) cost besides.
    costs: Vec<StartCost>,
    /// C of Lemma L7.
    constant: Option<Local>,
    pub(super) place: Place,
}

/// Values, derivatives and rates in μ, to which the rows add theirs.
pub(super) struct Derivatives {
    pub(super) value: f64,
    pub(super) x: Vec<f64>,
    pub(super) theta: Vec<f64>,
    pub(super) rate: Vec<f64>,
    /// A, B and the diagonal of C of Newton's system, if wanted.
    pub(super) blocks: Option<(Mat<f64>, Mat<f64>, Vec<f64>)>,
}

impl Derivatives {
    /// Holds an entry of x where it is.
    fn hold(&mut self, j: usize) {
        (self.x[j], self.rate[j]) = (0.0, 0.0);
        if let Some((a, b, _)) = &mut self.blocks {
            for i in 0..a.nrows() {
                (a[(i, j)], a[(j, i)]) = (0.0, 0.0);
            }
            a[(j, j)] = 1.0;
            (0..b.nrows()).for_each(|i| b[(i, j)] = 0.0);
        }
    }
}

impl<'a> Shared<'a> {
    pub(super) fn new(task: &'a CaseProgram<'a>) -> Self {
        let constants = task.constants;
        let set = match &task.parts[0] {
            PointSet::Symmetric(set) if constants.eps > 0.0 && set.span.iter().any(|s| *s > 0.0) => Some(set),
            _ => None,
        };
        let taus = set.map_or(0, |set| set.price.len());
        let mut widest = vec![0.0; taus];
        if let Some(set) = set {
            (0..constants.parameters)
                .for_each(|j| widest[set.tau_of(j)] = set.span[j].max(widest[set.tau_of(j)]));
        }
        let turned = |v: &[f64]| set.map_or_else(|| v.to_vec(), |set| set.turn(v));
        let shell = task.shells.first().map(|shell| (turned(shell.centre), shell.outer));
        let ones = vec![1.0; constants.parameters];
        let mut costs = vec![];
        if constants.slowdown > 0.0 {
            let theta = vec![0.0; constants.parameters];
            costs.push(StartCost { weight: constants.slowdown, theta, shares: ones.clone() });
        }
        if let Some(start) = &constants.start {
            costs.push(StartCost { theta: turned(&start.theta), ..start.clone() });
        }
        let constant = set.map(|_| constant(task));
        Shared { task, set, taus, widest, shell, costs, constant, place: Place::default() }
    }

    /// Where β begins.
    pub(super) fn beta(&self) -> usize {
        TAU + self.taus
    }

    /// The entries of x.
    pub(super) fn size(&self) -> usize {
        self.beta() + self.task.constants.parameters
    }

    /// Whether an entry of x is an unknown: ν only where margins have a bound, ω only in a shell, τ only where there is a span.
    fn is_unknown(&self, j: usize) -> bool {
        match j {
            NU => self.set.is_some() && self.task.constants.point_label.is_some(),
            OMEGA => self.shell.is_some(),
            _ if (TAU..self.beta()).contains(&j) => self.widest[j - TAU] > 0.0,
            _ => true,
        }
    }

    /// How many inequalities there are, a cone counting twice.
    pub(super) fn count(&self) -> f64 {
        let signs = [NU, OMEGA].iter().filter(|j| self.is_unknown(**j)).count();
        let cones = self.widest.iter().filter(|w| **w > 0.0).count().max(1)
            + usize::from(self.task.constants.projection.is_some());
        (signs + 2 * cones) as f64 + self.constant.as_ref().map_or(0.0, Local::count)
    }

    fn chi(&self, x: &[f64]) -> f64 {
        2.0 * x[ALPHA] * self.task.constants.k - x[NU]
    }

    fn hold(&self, x: &[f64]) -> f64 {
        x[ALPHA] * self.task.constants.pull() + x[OMEGA]
    }

    /// ε·span_j/τ_j, and the place of τ_j.
    fn grip(&self, x: &[f64], j: usize) -> (f64, usize) {
        let Some(set) = self.set else { return (0.0, TAU) };
        let at = TAU + set.tau_of(j);
        (if set.span[j] > 0.0 { self.task.constants.eps * set.span[j] / x[at] } else { 0.0 }, at)
    }

    /// D and ν as C sees them.
    fn reach(&self, set: &Symmetric, x: &[f64]) -> [f64; 3] {
        let half: f64 = (0..self.taus).map(|k| set.price[k] * x[TAU + k] / 2.0).sum();
        [half + x[ALPHA] * self.task.constants.eta * set.squared, set.terms * x[NU], 0.0]
    }

    /// A start that is inside for every setting: A is half of what it is without adversary.
    pub(super) fn start(&self, alpha: f64) -> Vec<f64> {
        let constants = self.task.constants;
        let mut x = vec![0.0; self.size()];
        x[ALPHA] = alpha;
        if self.is_unknown(NU) {
            x[NU] = alpha * constants.k;
        }
        if let Some((_, outer)) = &self.shell {
            x[OMEGA] = 0.1 * alpha * constants.pull().max(1e-3 / (outer * outer));
        }
        for k in 0..self.taus {
            x[TAU + k] = 1.0;
        }
        self.widen(&mut x);
        x
    }

    /// Makes the τ large enough.
    pub(super) fn widen(&self, x: &mut [f64]) {
        let (chi, hold) = (self.chi(x), self.hold(x));
        for k in 0..self.taus {
            x[TAU + k] = x[TAU + k].max(self.task.constants.eps * self.widest[k] * chi * chi / hold);
        }
    }

    /// Draws x back so that no inequality has less than a tenth of the room it had, but for those on β.
    pub(super) fn draw_back(&self, x: &mut [f64], from: &[f64]) {
        for j in [ALPHA, NU, OMEGA] {
            x[j] = x[j].max(LEAST * from[j]);
        }
        let room = |x: &[f64], k: usize| {
            self.hold(x) * x[TAU + k] - self.task.constants.eps * self.widest[k] * self.chi(x).powi(2) / 2.0
        };
        for k in (0..self.taus).filter(|k| self.widest[*k] > 0.0) {
            let missing = LEAST * room(from, k) - room(x, k);
            if missing > 0.0 {
                x[TAU + k] += missing / self.hold(x);
            }
        }
    }

    /// Derivatives at a point; `None` outside.
    pub(super) fn derivatives(
        &mut self,
        x: &[f64],
        theta: &[f64],
        mu: f64,
        full: bool,
    ) -> Option<Derivatives> {
        let size = self.size();
        let blocks = full.then(|| {
            (Mat::zeros(size, size), Mat::zeros(theta.len(), size), vec![2.0 * self.hold(x); theta.len()])
        });
        let mut of = Derivatives {
            value: 0.0,
            x: vec![0.0; size],
            theta: vec![0.0; theta.len()],
            rate: vec![0.0; size],
            blocks,
        };
        if x[ALPHA].is_nan() || x[ALPHA] <= 0.0 {
            return None;
        }
        self.quadratic(x, theta, &mut of);
        self.costs(x, &mut of);
        self.constant(x, mu, &mut of)?;
        self.guards(x, mu, &mut of)?;
        (0..self.beta()).filter(|j| !self.is_unknown(*j)).for_each(|j| of.hold(j));
        Some(of)
    }

    /// What depends on θ.
    fn quadratic(&self, x: &[f64], theta: &[f64], of: &mut Derivatives) {
        let constants = self.task.constants;
        let (pull, lean, k) = (constants.pull(), constants.lean(), constants.k);
        let (chi, hold, first) = (self.chi(x), self.hold(x), self.beta());
        if let Some((centre, outer)) = &self.shell {
            let ball = outer * outer - dot(centre, centre);
            of.value += x[OMEGA] * ball;
            of.x[OMEGA] += ball;
        }
        for (j, &t) in theta.iter().enumerate() {
            let (b, beta) = (first + j, x[first + j]);
            let (q, tau) = self.grip(x, j);
            let lever = chi * t + beta;
            let centre = self.shell.as_ref().map_or(0.0, |(centre, _)| centre[j]);
            of.value +=
                -lean * beta * t - hold * t * t + q * lever * lever / 2.0 + 2.0 * x[OMEGA] * centre * t;
            of.x[ALPHA] += -pull * t * t + q * lever * 2.0 * k * t;
            of.x[NU] -= q * lever * t;
            of.x[OMEGA] += -t * t + 2.0 * centre * t;
            of.x[b] += q * lever - lean * t;
            of.theta[j] += -lean * beta - 2.0 * hold * t + q * chi * lever + 2.0 * x[OMEGA] * centre;
            if q > 0.0 {
                of.x[tau] -= q * lever * lever / (2.0 * x[tau]);
            }
            let Some((a, cross, minus)) = &mut of.blocks else { continue };
            minus[j] -= q * chi * chi;
            cross[(j, ALPHA)] += -2.0 * pull * t + 2.0 * k * q * (lever + chi * t);
            cross[(j, NU)] -= q * (lever + chi * t);
            cross[(j, OMEGA)] += 2.0 * (centre - t);
            cross[(j, b)] += q * chi - lean;
            if q > 0.0 {
                cross[(j, tau)] -= q * chi * lever / x[tau];
                // q·EᵀE with E the slopes of χθ_j + β_j, less its part in τ.
                let slopes = [(ALPHA, 2.0 * k * t), (NU, -t), (tau, -lever / x[tau]), (b, 1.0)];
                for (i, s) in slopes {
                    for (l, r) in slopes {
                        a[(i, l)] += q * s * r;
                    }
                }
            }
        }
    }

    /// What (α, β) cost besides.
    fn costs(&self, x: &[f64], of: &mut Derivatives) {
        let (first, beta) = (self.beta(), &x[self.beta()..]);
        for cost in &self.costs {
            let own = cost.derivatives(None, x[ALPHA], beta);
            of.value += cost.value(x[ALPHA], beta);
            of.x[ALPHA] += own.alpha;
            of.x[first..].iter_mut().zip(&own.beta).for_each(|(g, b)| *g += b);
            let Some((a, _, _)) = &mut of.blocks else { continue };
            a[(ALPHA, ALPHA)] += own.alpha_alpha;
            for (j, cross) in own.alpha_beta.iter().enumerate() {
                a[(ALPHA, first + j)] += cross;
                a[(first + j, ALPHA)] += cross;
                a[(first + j, first + j)] += own.identity;
            }
        }
    }

    /// C, with its own barrier.
    fn constant(&mut self, x: &[f64], mu: f64, of: &mut Derivatives) -> Option<()> {
        let (Some(local), Some(set)) = (&self.constant, self.set) else { return Some(()) };
        let u = self.reach(set, x);
        let (place, slopes) = local.solve(&self.place, &self.place, u, mu)?;
        let Slopes { value, gradient, rate, hessian, .. } = slopes;
        self.place = place;
        of.value += value;
        // The slopes of D and of ν in x.
        let reach = (0..self.taus).map(|k| (TAU + k, [set.price[k] / 2.0, 0.0]));
        let slopes: Vec<(usize, [f64; 2])> =
            [(ALPHA, [self.task.constants.eta * set.squared, 0.0]), (NU, [0.0, set.terms])]
                .into_iter()
                .chain(reach)
                .collect();
        let [dd, dn, nn, ..] = hessian;
        for (i, s) in &slopes {
            of.x[*i] += gradient[0] * s[0] + gradient[1] * s[1];
            of.rate[*i] += rate[0] * s[0] + rate[1] * s[1];
            let Some((a, _, _)) = &mut of.blocks else { continue };
            for (l, r) in &slopes {
                a[(*i, *l)] += s[0] * (dd * r[0] + dn * r[1]) + s[1] * (dn * r[0] + nn * r[1]);
            }
        }
        Some(())
    }

    /// The barriers.
    fn guards(&self, x: &[f64], mu: f64, of: &mut Derivatives) -> Option<()> {
        let constants = self.task.constants;
        for j in [NU, OMEGA].into_iter().filter(|j| self.is_unknown(*j)) {
            bar(of, mu, x[j], &[(j, 1.0)], &[])?;
        }
        let (pull, eps, k) = (constants.pull(), constants.eps, constants.k);
        let (hold, chi) = (self.hold(x), self.chi(x));
        let mut is_held = false;
        for (i, widest) in self.widest.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            // pτ − ½ε·span·χ², a determinant.
            let (at, tau, half) = (TAU + i, x[TAU + i], eps * widest * chi);
            let slopes = [(ALPHA, pull * tau - 2.0 * k * half), (NU, half), (OMEGA, tau), (at, hold)];
            let bends = [
                (ALPHA, at, pull),
                (OMEGA, at, 1.0),
                (ALPHA, ALPHA, -2.0 * k * k * eps * widest),
                (ALPHA, NU, 2.0 * k * eps * widest),
                (NU, NU, -0.5 * eps * widest),
            ];
            (hold > 0.0 && tau > 0.0).then_some(())?;
            bar(of, mu, hold * tau - half * chi / 2.0, &slopes, &bends)?;
            is_held = true;
        }
        if !is_held {
            bar(of, mu, hold, &[(ALPHA, pull), (OMEGA, 1.0)], &[])?;
        }
        if let Some(radius) = constants.projection {
            // Theorem L15, with room for rounding.
            let (edge, first) = (4.0 * (radius * (1.0 - 1e-9)).powi(2), self.beta());
            let beta = &x[first..];
            let betas = beta.iter().enumerate();
            let slopes: Vec<(usize, f64)> = std::iter::once((ALPHA, 2.0 * edge * x[ALPHA]))
                .chain(betas.map(|(j, b)| (first + j, -2.0 * b)))
                .collect();
            let bends: Vec<(usize, usize, f64)> =
                std::iter::once((ALPHA, ALPHA, edge)).chain((first..x.len()).map(|j| (j, j, -1.0))).collect();
            bar(of, mu, edge * x[ALPHA].powi(2) - dot(beta, beta), &slopes, &bends)?;
        }
        Some(())
    }
}

/// −μ log of something positive, of which slopes and second derivatives are known. A bend (i, i, c) stands for c·x_i², a bend
/// (i, j, c) for c·x_i·x_j.
fn bar(
    of: &mut Derivatives,
    mu: f64,
    value: f64,
    slopes: &[(usize, f64)],
    bends: &[(usize, usize, f64)],
) -> Option<()> {
    if value.is_nan() || value <= 0.0 {
        return None;
    }
    for (i, s) in slopes {
        of.x[*i] -= mu * s / value;
        of.rate[*i] -= s / value;
        let Some((a, _, _)) = &mut of.blocks else { continue };
        for (l, r) in slopes {
            a[(*i, *l)] += mu * s * r / (value * value);
        }
    }
    if let Some((a, _, _)) = &mut of.blocks {
        for (i, j, c) in bends {
            a[(*i, *j)] -= mu * c / value;
            a[(*j, *i)] -= mu * c / value;
        }
    }
    Some(())
}

/// C of Lemma L7 as a function of D and ν, the inputs of its own problem.
fn constant(task: &CaseProgram) -> Local {
    let (reach, nu) = (Affine::of(0), Affine::of(1));
    let price = task.constants.eps;
    let Some(e) = task.loss.conjugate() else {
        if task.is_cut {
            return Local::constant(price, &[reach + nu * LAMBERT], None);
        }
        let none = Affine::default();
        let curve = Curve {
            entropy: nu.clone(),
            first: none.clone(),
            second: nu,
            linear: none.clone(),
            square: reach,
            constant: none,
        };
        return Local::constant(price, &[], Some(curve));
    };
    let label = task.constants.point_label.unwrap_or_default();
    let steepest = e.high.max(-e.low);
    let linear = nu.clone() * (label - e.tube);
    let square = reach - nu * (0.5 * e.curve);
    let at_end = linear.clone() * steepest + square.clone() * (steepest * steepest);
    let curve = (e.curve > 0.0).then(|| Curve::parabola(linear, square, steepest));
    Local::constant(price, &[at_end], curve)
}
