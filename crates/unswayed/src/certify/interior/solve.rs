//! The interior point method: a primal-dual predictor-corrector on the saddle function
//!
//! ```text
//! min over x = (α, τ, ν, μ, β)   max over θ    Σ p_i Ψ(J_i, κ, s_i) + (the shared part of [`super::outer`])
//! ```
//!
//! Every iterate is strictly feasible, so each one is a valid witness; the solver only decides how good the witness
//! is. Newton's system in (x, θ) is
//!
//! ```text
//! [ A  Bᵀ ] [Δx]   [rx]        A = Φ_xx ⪰ 0,  B = Φ_θx,  C = −Φ_θθ ≻ 0,
//! [ B  −C ] [Δθ] = [rθ]
//! ```
//!
//! of size (4+d) + d, whatever N is. The method is deterministic and typically ends after 10 to 20 steps.

use super::super::dense::{Cholesky, Matrix};
use super::envelope::Envelope;
use super::guards::{Correction, GuardStep, Guards};
use super::instance::{Instance, dot};
use super::outer::{ALPHA, BETA, Derivatives, MU, NU, Outer, Point, TAU};
use super::rows::{Rows, limit};
use super::sums::{Gradient, System};

/// Steps after which the solver gives up and returns what it has.
const MOST_STEPS: usize = 80;
/// Stop when the bound is within this of the optimum, relative to max(1, bound).
const TOLERANCE: f64 = 1e-9;
/// Call the result converged when it is within this.
const CONVERGED: f64 = 1e-7;
/// Newton steps that a warm start may take to reach the central path.
const SETTLING_STEPS: usize = 8;
/// How much of the way to the boundary a step may go.
const FRACTION: f64 = 0.995;

/// How the nonlinearity of the program is kept in check. No one choice is best for all data: they are tried in turn
/// until one converges, the fastest first.
#[derive(Clone, Copy)]
struct Attempt {
    /// Complementarity is not reduced much below this times what remains of the gradient.
    patience: f64,
    /// A step may increase the distance to the solution by this factor; more is taken back.
    growth: f64,
}

const ATTEMPTS: [Attempt; 3] = [
    Attempt { patience: 0.01, growth: 4.0 },
    Attempt { patience: 0.1, growth: 1.5 },
    Attempt { patience: 0.001, growth: 100.0 },
];

/// A point near the solution of a similar instance, from which to start.
#[derive(Clone, Debug)]
pub struct Warm {
    /// The shared variables.
    pub point: Point,
    /// The barrier parameter to start with: small if the problems are alike.
    pub barrier: f64,
}

/// What the solver found.
pub struct Solution<'a, const M: usize, const K: usize, E> {
    /// The shared variables, strictly feasible.
    pub point: Point,
    /// The rows' local variables.
    pub rows: Rows<'a, M, K, E>,
    /// The bound, up to rounding.
    pub objective: f64,
    /// Whether it is within 1e-7 of the optimum, relative to max(1, objective).
    pub converged: bool,
}

/// Solves the program for one form of the envelope.
pub fn solve<'a, const M: usize, const K: usize, E: Envelope<M, K>>(
    instance: &'a Instance<'a>,
    envelope: &'a E,
    ball: Option<f64>,
    warm: Option<&Warm>,
) -> Solution<'a, M, K, E> {
    let mut best = iterate(instance, envelope, ball, warm, ATTEMPTS[0]);
    for attempt in &ATTEMPTS[1..] {
        if best.converged {
            break;
        }
        let next = iterate(instance, envelope, ball, None, *attempt);
        if next.objective < best.objective || best.objective.is_nan() {
            best = next;
        }
    }
    best
}

fn iterate<'a, const M: usize, const K: usize, E: Envelope<M, K>>(
    instance: &'a Instance<'a>,
    envelope: &'a E,
    ball: Option<f64>,
    warm: Option<&Warm>,
    attempt: Attempt,
) -> Solution<'a, M, K, E> {
    let outer = Outer { instance, ball };
    let (point, barrier) = start(&outer, warm);
    let rows = Rows::centred(instance, envelope, &point, barrier);
    let guards = Guards::centred(&outer, &point.x, barrier);
    let mut method = Method { outer, point, rows, guards, attempt };
    if warm.is_some() && !method.settle(barrier) {
        return iterate(instance, envelope, ball, None, attempt);
    }
    let mut system = method.rows.assemble(&method.point);
    let mut now = method.measure(&system);
    let mut steps = 0;
    while now.distance() > TOLERANCE * now.scale() && steps < MOST_STEPS {
        let Some(next) = method.step(&system, &now) else { break };
        (system, now) = next;
        steps += 1;
    }
    let converged = now.distance() <= CONVERGED * now.scale();
    Solution { objective: now.objective, point: method.point, rows: method.rows, converged }
}

/// A point inside all inequalities of Theorem 2.
pub fn feasible_point(instance: &Instance) -> Point {
    start(&Outer { instance, ball: None }, None).0
}

/// Where to begin: a neighbour's solution drawn back into the interior, or a point that is feasible for every setting.
fn start(outer: &Outer, warm: Option<&Warm>) -> (Point, f64) {
    let instance = outer.instance;
    let alpha_at_kappa = |kappa: f64| (1.0 + kappa) / instance.kappa_of_alpha();
    let (mut point, barrier) = if let Some(warm) = warm {
        (warm.point.clone(), warm.barrier)
    } else {
        let mut point = Point::at_alpha(alpha_at_kappa(0.5), instance.dimension);
        let x = &mut point.x;
        // χ that balances the two prices of the adversary, εν and εRτ/2.
        let chi = x[ALPHA] * instance.pull() / (instance.epsilon * instance.radius.powi(2)).max(1e-300);
        x[NU] = 2.0 * x[ALPHA] * instance.k - chi.min(1.5 * x[ALPHA] * instance.k);
        (point, 1.0)
    };
    let x = &mut point.x;
    x[ALPHA] = x[ALPHA].max(alpha_at_kappa(0.01));
    x[NU] = if instance.has_adversary() { x[NU].max(1e-3 * x[ALPHA]) } else { 0.0 };
    x[MU] = outer.ball.map_or(0.0, |ball| barrier / (ball * ball));
    // P ≻ 0 with room to spare: a ≥ ασ(2−ησ)/2.
    let chi = outer.chi(x);
    let smallest_tau = instance.epsilon * instance.radius * chi * chi / (x[ALPHA] * instance.pull());
    x[TAU] = x[TAU].max(smallest_tau).max(1e-3);
    (point, barrier)
}

/// The state of the iteration.
struct Method<'a, const M: usize, const K: usize, E> {
    outer: Outer<'a>,
    point: Point,
    rows: Rows<'a, M, K, E>,
    guards: Guards,
    attempt: Attempt,
}

/// How good the current point is.
struct Measure {
    derivatives: Derivatives,
    /// The sum of all products variable·multiplier.
    gap: f64,
    /// What the remaining gradient could still be worth.
    residual: f64,
    objective: f64,
}

impl Measure {
    /// An estimate of how far the objective is from the optimum, and the merit that steps must not increase.
    fn distance(&self) -> f64 {
        self.gap + self.residual
    }

    fn scale(&self) -> f64 {
        self.objective.abs().max(1.0)
    }
}

impl<const M: usize, const K: usize, E: Envelope<M, K>> Method<'_, M, K, E> {
    fn measure(&self, system: &System) -> Measure {
        let derivatives = self.outer.derivatives(&self.point);
        let (active, pull) = (self.outer.active(), self.guards.pull(&self.outer));
        let mut x = derivatives.x.clone();
        x[ALPHA] += system.gradient.alpha;
        for j in 0..BETA {
            x[j] = if active[j] { x[j] - pull[j] } else { 0.0 };
        }
        for (g, r) in x[BETA..].iter_mut().zip(&system.gradient.beta) {
            *g += r;
        }
        let theta = derivatives.theta.iter().zip(&system.gradient.theta).map(|(a, b)| a + b);
        let residual = x.iter().zip(&self.point.x).map(|(g, x)| (g * x).abs()).sum::<f64>()
            + theta.zip(&self.point.theta).map(|(g, t)| (g * t).abs()).sum::<f64>();
        let gap = system.complementarity + self.guards.gap(&self.outer, &self.point.x);
        Measure { derivatives, gap, residual, objective: self.objective(system) }
    }

    /// B at the current point, with the rows' T in place of the best one.
    fn objective(&self, system: &System) -> f64 {
        let (x, beta, instance) = (&self.point.x, self.point.beta(), self.outer.instance);
        let q = self.outer.q(x);
        let lean = q * self.outer.chi(x) - instance.sigma;
        let mut v: Vec<f64> = system.gradient.theta.iter().zip(beta).map(|(g, b)| g + lean * b).collect();
        let mut cost = system.cost;
        if let Some(always) = &instance.always {
            let kappa = instance.kappa(x[ALPHA]);
            cost +=
                always.j * x[ALPHA] + (1.0 - instance.epsilon) * dot(&always.z, beta) - kappa * always.mass;
            for (v, z) in v.iter_mut().zip(&always.z) {
                *v += kappa * z;
            }
        }
        if let Some(tilt) = instance.tilt {
            cost += tilt.alpha * x[ALPHA] + dot(&tilt.beta, beta);
            v.iter_mut().zip(&tilt.theta).for_each(|(v, t)| *v += t);
        }
        if let Some(start) = instance.start {
            cost += start.value_in(self.outer.ball, x[ALPHA], beta);
        }
        cost + dot(&self.outer.linear(), &x[..BETA])
            + q * dot(beta, beta) / 2.0
            + dot(&v, &v) / (4.0 * self.outer.p(x).schur())
    }

    /// From a neighbour's solution to the central path at the given barrier, by Newton's method with the rows held on their
    /// own paths: with many rows their sum is smooth, and a few steps are enough. False if they are not.
    fn settle(&mut self, barrier: f64) -> bool {
        for _ in 0..SETTLING_STEPS {
            self.rows.recentre(&self.point, barrier);
            self.guards = Guards::centred(&self.outer, &self.point.x, barrier);
            let system = self.rows.assemble(&self.point);
            let now = self.measure(&system);
            if now.residual < now.gap {
                return true;
            }
            let Some(direction) = self.centring_direction(&system, &now) else { return false };
            let guard =
                self.guards.step(&self.outer, &self.point.x, &direction.x, barrier, &Correction::default());
            let kappa = self.outer.instance.kappa(self.point.alpha());
            let room = limit(
                &[kappa - E::LEAST_KAPPA],
                &[self.outer.instance.kappa_of_alpha() * direction.x[ALPHA]],
            );
            let longest = Guards::longest_in_x(&self.outer, &self.point.x, &guard).min(room);
            self.point = self.point.moved(&direction, (0.9 * longest).min(1.0));
        }
        false
    }

    fn centring_direction(&self, system: &System, now: &Measure) -> Option<Point> {
        let (outer, x) = (&self.outer, &self.point.x);
        let newton =
            Newton::new(outer, &self.point, system, &now.derivatives, &self.guards.hessian(outer, x))?;
        newton.direction(&system.gradient, &self.guards.pull(outer))
    }

    /// One predictor-corrector step; `None` if rounding errors allow no further one.
    fn step(&mut self, system: &System, now: &Measure) -> Option<(System, Measure)> {
        let (outer, x) = (&self.outer, &self.point.x);
        let newton =
            Newton::new(outer, &self.point, system, &now.derivatives, &self.guards.hessian(outer, x))?;
        let none = Correction::default();
        let predictor = newton.direction(&system.aim, &Guards::aim(outer, x, 0.0, &none))?;
        let guard = self.guards.step(outer, x, &predictor.x, 0.0, &none);
        let rows = self.rows.predict(&predictor);
        let t = self.guards.longest(outer, x, &guard).min(rows.limit).min(1.0);
        let [c0, c1, c2] = rows.gap;
        let after = c0 + t * (c1 + t * c2) + self.guards.gap_after(outer, x, &guard, t);
        let centring = (after / now.gap)
            .powi(3)
            .clamp(1e-4, 0.8)
            .max((self.attempt.patience * now.residual / now.gap).min(1.0));
        let target = centring * now.gap / (K as f64 + Guards::count(outer));

        let correction = Guards::correction(outer, x, &guard);
        let aim = rows.aim.plus(&rows.per_unit, target);
        let corrector = newton.direction(&aim, &Guards::aim(outer, x, target, &correction))?;
        let guard = self.guards.step(outer, x, &corrector.x, target, &correction);
        let longest = self.guards.longest(outer, x, &guard).min(self.rows.correct(&corrector, target));
        self.line_search(&corrector, &guard, (FRACTION * longest).min(1.0), now)
    }

    /// Moves along the direction as far as allowed, less if the distance to the solution would grow: Newton's
    /// direction reduces it for short steps, but the program is not linear.
    fn line_search(
        &mut self,
        along: &Point,
        guard: &GuardStep,
        longest: f64,
        now: &Measure,
    ) -> Option<(System, Measure)> {
        let (origin, mut t, mut done) = (self.point.clone(), longest, 0.0);
        while t > 1e-6 {
            let point = origin.moved(along, t);
            if let (true, Some(guards)) =
                (self.outer.p(&point.x).is_positive(), self.guards.moved(guard, t - done))
            {
                self.rows.advance(t - done);
                (self.point, self.guards, done) = (point, guards, t);
                let system = self.rows.assemble(&self.point);
                let next = self.measure(&system);
                if next.distance() < self.attempt.growth * now.distance() {
                    return Some((system, next));
                }
            }
            t /= 4.0;
        }
        // Back to where the step began: a valid point, if not the best imaginable.
        self.rows.advance(-done);
        self.guards = self.guards.moved(guard, -done)?;
        self.point = origin;
        None
    }
}

/// The factorised Newton system.
struct Newton {
    gradient: Derivatives,
    b: Matrix,
    /// C⁻¹B.
    c_inverse_b: Matrix,
    c: Cholesky,
    /// A + BᵀC⁻¹B.
    schur: Cholesky,
    active: [bool; 4],
}

impl Newton {
    fn new(
        outer: &Outer,
        at: &Point,
        system: &System,
        own: &Derivatives,
        guards: &[[f64; 4]; 4],
    ) -> Option<Newton> {
        let (mut a, b) = (hessian_xx(outer, at, system, own, guards), hessian_tx(outer, at, system, own));
        let d = at.theta.len();
        let c = Matrix::from_fn(d, d, |i, j| {
            system.minus_theta_theta[(i, j)] - if i == j { own.tt } else { 0.0 }
        });
        let c = Cholesky::new(c)?;
        let c_inverse_b = c.solve(b.clone());
        a.add_symmetric_product_of(&b, &c_inverse_b);
        let schur = Cholesky::new(a)?;
        let gradient = Derivatives { x: own.x.clone(), theta: own.theta.clone(), ..*own };
        Some(Newton { gradient, b, c_inverse_b, c, schur, active: outer.active() })
    }

    /// The step for which the rows' gradient and the guards' pull reach what they aim at; `None` if not finite.
    fn direction(&self, rows: &Gradient, pull: &[f64; 4]) -> Option<Point> {
        let mut rx: Vec<f64> = self.gradient.x.iter().map(|g| -g).collect();
        rx[ALPHA] -= rows.alpha;
        for j in 0..BETA {
            rx[j] = if self.active[j] { rx[j] + pull[j] } else { 0.0 };
        }
        for (r, g) in rx[BETA..].iter_mut().zip(&rows.beta) {
            *r -= g;
        }
        let rt: Vec<f64> = self.gradient.theta.iter().zip(&rows.theta).map(|(a, b)| -(a + b)).collect();
        rx.iter_mut().zip(self.c_inverse_b.transposed_times(&rt)).for_each(|(r, b)| *r += b);
        let x = self.schur.solve_one(rx);
        let theta = self.b.times(&x).iter().zip(&rt).map(|(b, r)| b - r).collect();
        let point = Point { x, theta: self.c.solve_one(theta) };
        let finite = point.x.iter().chain(&point.theta).all(|v| v.is_finite());
        finite.then_some(point)
    }
}

/// ∂(χθ + β)/∂(α, τ, ν, μ), with the part of τ that makes the Hessian of ‖χθ + β‖²/τ a square: d rows of four.
fn lever_slopes(outer: &Outer, at: &Point) -> Vec<[f64; 4]> {
    let k = outer.instance.k;
    let lever = outer.lever(at);
    at.theta.iter().zip(lever).map(|(t, l)| [2.0 * k * t, -l / at.x[TAU], -t, 0.0]).collect()
}

/// A = Φ_xx, with ones on the diagonal for variables not in play.
fn hessian_xx(outer: &Outer, at: &Point, rows: &System, own: &Derivatives, guards: &[[f64; 4]; 4]) -> Matrix {
    let (d, q, active) = (at.theta.len(), own.q, outer.active());
    let slopes = lever_slopes(outer, at);
    let mut a = Matrix::zeros(BETA + d, BETA + d);
    for i in 0..BETA {
        for j in 0..BETA {
            let square: f64 = slopes.iter().map(|s| s[i] * s[j]).sum();
            let value = guards[i][j] + if q > 0.0 { q * square } else { 0.0 };
            a[(i, j)] = if active[i] && active[j] { value } else { f64::from(i == j) };
        }
        for j in 0..d {
            let value = if active[i] && q > 0.0 { q * slopes[j][i] } else { 0.0 };
            a[(i, BETA + j)] = value + if i == ALPHA { rows.alpha_beta[j] } else { 0.0 };
            a[(BETA + j, i)] = a[(i, BETA + j)];
        }
    }
    a[(ALPHA, ALPHA)] += rows.alpha_alpha;
    for i in 0..d {
        for j in 0..d {
            a[(BETA + i, BETA + j)] = rows.beta_beta[(i, j)] + if i == j { q } else { 0.0 };
        }
    }
    add_start(&mut a, outer, at);
    a
}

/// Adds the Hessian of what the start costs.
fn add_start(a: &mut Matrix, outer: &Outer, at: &Point) {
    let Some(start) = outer.start(&at.x) else { return };
    a[(ALPHA, ALPHA)] += start.alpha_alpha;
    for (i, (cross, b)) in start.alpha_beta.iter().zip(at.beta()).enumerate() {
        a[(ALPHA, BETA + i)] += cross;
        a[(BETA + i, ALPHA)] += cross;
        a[(BETA + i, BETA + i)] += start.identity;
        for (j, c) in at.beta().iter().enumerate() {
            a[(BETA + i, BETA + j)] += start.outer * b * c;
        }
    }
}

/// B = Φ_θx.
fn hessian_tx(outer: &Outer, at: &Point, rows: &System, own: &Derivatives) -> Matrix {
    let instance = outer.instance;
    let (d, q, chi, active) = (at.theta.len(), own.q, outer.chi(&at.x), outer.active());
    let (slopes, lever) = (lever_slopes(outer, at), outer.lever(at));
    let mut b = Matrix::zeros(d, BETA + d);
    for i in 0..d {
        let t = at.theta[i];
        b[(i, ALPHA)] = rows.theta_alpha[i] - 2.0 * instance.pull() * t;
        b[(i, MU)] = if active[MU] { -2.0 * t } else { 0.0 };
        if q > 0.0 {
            b[(i, ALPHA)] += q * (chi * slopes[i][ALPHA] + 2.0 * instance.k * lever[i]);
            b[(i, TAU)] = q * chi * slopes[i][TAU];
            b[(i, NU)] = q * (chi * slopes[i][NU] - lever[i]);
        }
        if let Some(always) = &instance.always {
            b[(i, ALPHA)] += instance.kappa_of_alpha() * always.z[i];
        }
        if let Some(cross) = &rows.theta_beta {
            for j in 0..d {
                b[(i, BETA + j)] = cross[(i, j)];
            }
        }
        b[(i, BETA + i)] += q * chi - instance.sigma;
    }
    b
}
