//! The part of the saddle function that is not a sum over rows, in the coordinates of the adversary's set:
//!
//! ```text
//! −(σ−δ)βᵀθ − p‖θ‖² + Σ_j ε·span_j(χθ_j + β_j)²/(2τ_j) + εC(D, ν) + ω(ϱ² − ‖o‖²) + 2ωoᵀθ + costs of (α, β),
//! p = α·pull + ω,    χ = 2αk − ν,    D = Σ price_j τ_j/2 + αη·squared,
//! ```
//!
//! minimised over x = (α, ν, ω, τ, β), maximised over θ. The inequalities on x are in [`super::guards`].

use faer::Mat;

use super::super::affine::Affine;
use super::super::logistic::Curve;
use super::super::points::{PointSet, Symmetric};
use super::super::program::{CaseProgram, LAMBERT};
use super::guards::{Cone, Constant, Guard};
use super::local::Local;
use crate::certify::dot;
use crate::certify::interior::cone::Sym2;
use crate::certify::start::StartCost;

/// Positions in x; the τ follow, then β.
pub(super) const ALPHA: usize = 0;
pub(super) const NU: usize = 1;
pub(super) const OMEGA: usize = 2;
pub(super) const TAU: usize = 3;

/// x and θ, or a direction.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) x: Vec<f64>,
    pub(super) theta: Vec<f64>,
}

impl Point {
    pub(super) fn moved(&self, along: &Point, part: f64) -> Point {
        let add = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + part * b).collect();
        Point { x: add(&self.x, &along.x), theta: add(&self.theta, &along.theta) }
    }
}

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
    pub(super) constant: Option<Constant>,
    /// One for each τ.
    pub(super) cones: Vec<Cone>,
}

/// Value and derivatives, to which rows and inequalities add theirs.
pub(super) struct Derivatives {
    pub(super) value: f64,
    pub(super) gradient: Point,
    /// A, B and the diagonal of C of Newton's system.
    pub(super) a: Mat<f64>,
    pub(super) b: Mat<f64>,
    pub(super) diagonal: Vec<f64>,
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
        let constant = set.map(|set| constant(task, set));
        let is_held = |k: &usize| widest[*k] > 0.0;
        let cones = (0..taus).filter(is_held).map(|k| cone(task, widest[k], TAU + k)).collect();
        Shared { task, set, taus, widest, shell, costs, constant, cones }
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

    /// Derivatives at a point.
    pub(super) fn derivatives(&self, point: &Point) -> Derivatives {
        let (size, d) = (self.size(), point.theta.len());
        let mut of = Derivatives {
            value: 0.0,
            gradient: Point { x: vec![0.0; size], theta: vec![0.0; d] },
            a: Mat::zeros(size, size),
            b: Mat::zeros(d, size),
            diagonal: vec![2.0 * self.hold(&point.x); d],
        };
        self.quadratic(&point.x, &point.theta, &mut of);
        self.costs(&point.x, &mut of);
        of
    }

    /// Holds entries of x that are no unknowns where they are, in a system.
    pub(super) fn hold_matrices(&self, a: &mut Mat<f64>, b: &mut Mat<f64>) {
        for j in (0..self.beta()).filter(|j| !self.is_unknown(*j)) {
            for i in 0..a.nrows() {
                (a[(i, j)], a[(j, i)]) = (0.0, 0.0);
            }
            a[(j, j)] = 1.0;
            (0..b.nrows()).for_each(|i| b[(i, j)] = 0.0);
        }
    }

    /// And in a gradient.
    pub(super) fn hold_gradient(&self, x: &mut [f64]) {
        (0..self.beta()).filter(|j| !self.is_unknown(*j)).for_each(|j| x[j] = 0.0);
    }

    /// The inequalities that are no cones.
    pub(super) fn guards(&self, x: &[f64]) -> Vec<Guard> {
        let signs = [ALPHA, NU, OMEGA].into_iter().filter(|j| self.is_unknown(*j));
        let mut guards: Vec<Guard> = signs.map(|j| Guard::new(x[j], vec![(j, 1.0)])).collect();
        if let Some(radius) = self.task.constants.projection {
            // Theorem L15, with room for rounding.
            let (twice, first) = (2.0 * radius * (1.0 - 1e-9), self.beta());
            let (alpha, beta) = (x[ALPHA], &x[first..]);
            let square = dot(beta, beta) / (twice * alpha);
            let betas = beta.iter().enumerate();
            let slope = |(j, b): (usize, &f64)| (first + j, -2.0 * b / (twice * alpha));
            let bend =
                |(j, b): (usize, &f64)| (2.0 / (twice * alpha), vec![(first + j, 1.0), (ALPHA, -b / alpha)]);
            guards.push(Guard {
                value: twice * alpha - square,
                slopes: std::iter::once((ALPHA, twice + square / alpha))
                    .chain(betas.clone().map(slope))
                    .collect(),
                bends: betas.map(bend).collect(),
            });
        }
        guards
    }

    /// What depends on θ.
    fn quadratic(&self, x: &[f64], theta: &[f64], of: &mut Derivatives) {
        let constants = self.task.constants;
        let (pull, lean, k) = (constants.pull(), constants.lean(), constants.k);
        let (chi, hold, first) = (self.chi(x), self.hold(x), self.beta());
        if let Some((centre, outer)) = &self.shell {
            let ball = outer * outer - dot(centre, centre);
            of.value += x[OMEGA] * ball;
            of.gradient.x[OMEGA] += ball;
        }
        for (j, &t) in theta.iter().enumerate() {
            let (b, beta) = (first + j, x[first + j]);
            let (q, tau) = self.grip(x, j);
            let lever = chi * t + beta;
            let centre = self.shell.as_ref().map_or(0.0, |(centre, _)| centre[j]);
            of.value +=
                -lean * beta * t - hold * t * t + q * lever * lever / 2.0 + 2.0 * x[OMEGA] * centre * t;
            of.gradient.x[ALPHA] += -pull * t * t + q * lever * 2.0 * k * t;
            of.gradient.x[NU] -= q * lever * t;
            of.gradient.x[OMEGA] += -t * t + 2.0 * centre * t;
            of.gradient.x[b] += q * lever - lean * t;
            of.gradient.theta[j] += -lean * beta - 2.0 * hold * t + q * chi * lever + 2.0 * x[OMEGA] * centre;
            if q > 0.0 {
                of.gradient.x[tau] -= q * lever * lever / (2.0 * x[tau]);
            }
            let (a, cross) = (&mut of.a, &mut of.b);
            of.diagonal[j] -= q * chi * chi;
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
            of.gradient.x[ALPHA] += own.alpha;
            of.gradient.x[first..].iter_mut().zip(&own.beta).for_each(|(g, b)| *g += b);
            let a = &mut of.a;
            a[(ALPHA, ALPHA)] += own.alpha_alpha;
            for (j, cross) in own.alpha_beta.iter().enumerate() {
                a[(ALPHA, first + j)] += cross;
                a[(first + j, ALPHA)] += cross;
                a[(first + j, first + j)] += own.identity;
            }
        }
    }
}

/// [[p, −χ√(ε·span/2)], [·, τ]] as a function of x.
fn cone(task: &CaseProgram, span: f64, tau: usize) -> Cone {
    let constants = task.constants;
    let root = (constants.eps * span / 2.0).sqrt();
    vec![
        (ALPHA, Sym2::new(constants.pull(), -2.0 * constants.k * root, 0.0)),
        (NU, Sym2::new(0.0, root, 0.0)),
        (OMEGA, Sym2::new(1.0, 0.0, 0.0)),
        (tau, Sym2::new(0.0, 0.0, 1.0)),
    ]
}

/// C of Lemma L7 as a function of D = Σ price_j τ_j/2 + αη·squared and ν.
fn constant(task: &CaseProgram, set: &Symmetric) -> Constant {
    let reach = set.price.iter().enumerate().map(|(k, price)| (TAU + k, [price / 2.0, 0.0]));
    let own = [(ALPHA, [task.constants.eta * set.squared, 0.0]), (NU, [0.0, set.terms])];
    Constant { local: above(task), slopes: own.into_iter().chain(reach).collect() }
}

/// C's own problem, with D and ν for its inputs.
fn above(task: &CaseProgram) -> Local {
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
