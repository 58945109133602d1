//! A primal-dual interior point method with predicted and corrected steps.

use faer::linalg::matmul::matmul;
use faer::linalg::solvers::{Llt, Solve};
use faer::{Accum, Mat, Par, Side};

use super::guards::Guards;
use super::rows::Rows;
use super::shared::{ALPHA, Derivatives, Point, Shared};

/// Newton systems, at most.
const MOST_STEPS: usize = 100;
/// The method ends when the products λ·room and what is wrong besides are worth less than this, relative to max(1, bound).
const TOLERANCE: f64 = 1e-9;
/// It has converged if they are worth less than this.
const CONVERGED: f64 = 1e-7;
/// The part of the way to the nearest edge that a step takes.
const FRACTION: f64 = 0.995;

/// How the nonlinearity of the program is kept in check.
#[derive(Clone, Copy)]
pub(super) struct Attempt {
    /// The products are not reduced much below this times what is wrong besides.
    patience: f64,
    /// A step may increase the distance to the solution by this factor; more is taken back.
    growth: f64,
}

/// No one choice is best for all data: they are tried in turn until one converges, the fastest first.
pub(super) const ATTEMPTS: [Attempt; 3] = [
    Attempt { patience: 0.01, growth: 4.0 },
    Attempt { patience: 0.1, growth: 1.5 },
    Attempt { patience: 0.001, growth: 100.0 },
];

/// The state of the iteration.
pub(super) struct Method<'a> {
    pub(super) shared: &'a Shared<'a>,
    pub(super) rows: Rows<'a>,
    pub(super) point: Point,
    guards: Guards,
    /// Inequalities, each row's counting by its mass.
    count: f64,
    attempt: Attempt,
}

/// How good a point is, and the Newton system there.
struct System {
    value: f64,
    /// Σ λ·room.
    products: f64,
    /// What is wrong besides may be worth so much.
    residual: f64,
    /// The gradient without inequalities and rows, and that for the aim 0.
    bare: Point,
    aim: Point,
    a: Mat<f64>,
    b: Mat<f64>,
    c: Mat<f64>,
}

impl System {
    /// An estimate of how far the value is from the best.
    fn distance(&self) -> f64 {
        self.products + self.residual
    }

    fn is_within(&self, tolerance: f64) -> bool {
        self.distance() <= tolerance * self.value.abs().max(1.0)
    }
}

impl<'a> Method<'a> {
    /// `None` if the point is not inside.
    pub(super) fn new(
        shared: &'a Shared<'a>,
        rows: Rows<'a>,
        point: Point,
        attempt: Attempt,
    ) -> Option<Self> {
        let guards = Guards::centred(shared, &point.x)?;
        let count = rows.count() + guards.count(shared);
        Some(Method { shared, rows, point, guards, count, attempt })
    }

    /// Runs to the end; the value there, and whether it is the best up to the tolerance. `None` if there is no way to begin.
    pub(super) fn run(mut self) -> Option<(Self, f64, bool)> {
        let mut system = self.assemble()?;
        for _ in 0..MOST_STEPS {
            if system.is_within(TOLERANCE) {
                break;
            }
            let Some(next) = self.step(&system) else { break };
            system = next;
        }
        let is_close = system.is_within(CONVERGED);
        Some((self, system.value, is_close))
    }

    /// A predicted and corrected step; `None` if rounding allows no further one.
    fn step(&mut self, system: &System) -> Option<System> {
        let newton = Newton::new(system)?;
        let first = self.shared.beta();
        let predicted = newton.direction(&system.aim);
        let rows = self.rows.predict(&self.point, &predicted)?;
        let (limits, [aim, unit]) = self.guards.predict(self.shared, &self.point.x, &predicted.x)?;
        let limits = limits.join(rows.limits);
        let left = limits.after(limits.step.min(1.0)) / system.products;
        let least = (self.attempt.patience * system.residual / system.products).min(1.0);
        let target = left.powi(3).clamp(1e-4, 0.8).max(least) * system.products / self.count;
        let mut gradient = system.bare.clone();
        rows.add_gradient(0, 1.0, first, &mut gradient);
        rows.add_gradient(1, target, first, &mut gradient);
        for (x, (aim, unit)) in gradient.x.iter_mut().zip(aim.iter().zip(&unit)) {
            *x += aim + target * unit;
        }
        self.shared.hold_gradient(&mut gradient.x);
        let corrected = newton.direction(&gradient);
        let guards = self.guards.correct(self.shared, &self.point.x, &corrected.x, target)?;
        let limits = guards.join(self.rows.correct(&self.point, &corrected, target)?);
        self.search(&corrected, (FRACTION * limits.step).min(1.0), system.distance())
    }

    /// Moves along the direction as far as allowed, less if the distance to the solution would grow: Newton's direction reduces it for
    /// short steps, but slacks bend.
    fn search(&mut self, along: &Point, longest: f64, distance: f64) -> Option<System> {
        let (origin, mut part, mut done) = (self.point.clone(), longest, 0.0);
        while part > 1e-6 {
            self.rows.advance(part - done);
            self.guards.advance(part - done);
            (self.point, done) = (origin.moved(along, part), part);
            let next = self.assemble().filter(|next| next.distance() < self.attempt.growth * distance);
            if next.is_some() {
                return next;
            }
            part /= 4.0;
        }
        // Back to where the step began.
        self.rows.advance(-done);
        self.guards.advance(-done);
        self.point = origin;
        None
    }

    /// Newton's system where the method is; `None` if rounding leaves an inequality no room.
    fn assemble(&mut self) -> Option<System> {
        let Derivatives { value, gradient: bare, mut a, mut b, diagonal } =
            self.shared.derivatives(&self.point);
        let own = self.guards.assemble(self.shared, &self.point.x, &mut a)?;
        let rows = self.rows.assemble(&self.point)?;
        let (d, first) = (self.point.theta.len(), self.shared.beta());
        a[(ALPHA, ALPHA)] += rows.alpha_alpha;
        let [cross, theta_alpha] = rows.cross();
        let (beta_beta, theta_beta, minus) = (rows.matrix(0), rows.matrix(1), rows.matrix(2));
        for i in 0..d {
            a[(ALPHA, first + i)] += cross[i];
            a[(first + i, ALPHA)] += cross[i];
            b[(i, ALPHA)] += theta_alpha[i];
            for j in 0..d {
                a[(first + i, first + j)] += beta_beta(i, j);
                b[(i, first + j)] += theta_beta(i, j);
            }
        }
        let c = Mat::from_fn(d, d, |i, j| minus(i, j) + if i == j { diagonal[i] } else { 0.0 });
        self.shared.hold_matrices(&mut a, &mut b);
        let [raw, aim] = [0, 1].map(|which: usize| {
            let mut gradient = bare.clone();
            rows.add_gradient(which, 1.0, first, &mut gradient);
            gradient.x.iter_mut().zip(&own.gradients[which]).for_each(|(x, g)| *x += g);
            self.shared.hold_gradient(&mut gradient.x);
            gradient
        });
        let worth = |gradient: &[f64], at: &[f64]| -> f64 {
            gradient.iter().zip(at).map(|(g, x)| (g * x).abs()).sum()
        };
        let residual = worth(&raw.x, &self.point.x) + worth(&raw.theta, &self.point.theta);
        Some(System {
            value: value + own.value + rows.value,
            products: own.products + rows.products,
            residual: residual + own.residual + rows.residual,
            bare,
            aim,
            a,
            b,
            c,
        })
    }
}

/// The factorised Newton system.
struct Newton<'a> {
    b: &'a Mat<f64>,
    /// C⁻¹B.
    answer: Mat<f64>,
    c: Llt<f64>,
    /// A + BᵀC⁻¹B.
    schur: Llt<f64>,
}

fn column(v: &[f64]) -> Mat<f64> {
    Mat::from_fn(v.len(), 1, |i, _| v[i])
}

impl<'a> Newton<'a> {
    fn new(system: &'a System) -> Option<Self> {
        let c = system.c.llt(Side::Lower).ok()?;
        let answer = c.solve(&system.b);
        let mut schur = system.a.clone();
        matmul(schur.as_mut(), Accum::Add, system.b.transpose(), &answer, 1.0, Par::Seq);
        Some(Newton { b: &system.b, answer, c, schur: schur.llt(Side::Lower).ok()? })
    }

    /// The step that takes a gradient to 0.
    fn direction(&self, gradient: &Point) -> Point {
        let (gx, gt) = (column(&gradient.x), column(&gradient.theta));
        let x = self.schur.solve(-(gx + self.answer.transpose() * &gt));
        let theta = self.c.solve(self.b * &x + &gt);
        let flat = |m: &Mat<f64>| m.col(0).iter().copied().collect::<Vec<f64>>();
        Point { x: flat(&x), theta: flat(&theta) }
    }
}
