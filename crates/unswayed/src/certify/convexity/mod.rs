//! The convexity certificate for the hinge learner: Theorem 2, its bounded-range form, and zero-one error.
//!
//! **Theorem 2.** Let η, σ > 0, ησ < 1, 0 ≤ ε < 1, k = 1 − ησ. For any α > 0 with κ = 2αk(1−ε) − 1 ≥ 0, any β ∈ R^d,
//! τ > 0, ν ≥ 0 and u ∈ \[0,1\]^N with
//!
//! ```text
//! χ = 2αk − ν,     a = ασ(2−ησ) − εRχ²/(2τ) > 0,     v = κ Σ p_i u_i z_i + (εRχ/τ − σ)β,
//! J_i = (1−ε)(2αk + αη‖z_i‖² + βᵀz_i),
//! ```
//!
//! no adaptive adversary with ‖z‖ ≤ R gets the long-run hinge loss above
//!
//! ```text
//! B = Σ p_i max(J_i, 0) − κ Σ p_i u_i + ε(αηR² + ν + Rτ/2 + R‖β‖²/(2τ)) + ‖v‖²/(4a).
//! ```
//!
//! The proof is in `docs/theory.md`; the formula is [`theorem::bound`]. B is jointly convex in (α, β, τ, ν, κu), and
//! also the value of a saddle problem, which is what is solved:
//!
//! ```text
//! B = min over x = (α, τ, ν, β)  max over θ   Σ p_i Ψ(J_i, κ, θᵀz_i) + (a function of x and θ alone)
//! ```
//!
//! | module | its part |
//! |---|---|
//! | [`theorem`] | the formula of the bound, for all three forms |
//! | [`problem`] | data and constants |
//! | [`envelope`] | Ψ: what one row contributes, one type for each form |
//! | [`rows`], [`sums`] | the passes over the rows, and what they add up to |
//! | [`outer`] | the function of x and θ alone |
//! | [`guards`], [`cone`] | the inequalities on x |
//! | [`mod@solve`] | the interior point method |

mod cone;
mod envelope;
mod guards;
mod outer;
mod problem;
mod rows;
mod solve;
mod sums;
mod theorem;

pub(super) use envelope::WholeLine;
pub(crate) use outer::Point;
pub use problem::Problem;
pub(crate) use problem::dot;
pub(super) use rows::Rows;
use unswayed_check::Witness;

use envelope::{BoundedRange, ZeroOne};
use outer::{MU, NU, TAU};
use solve::{Warm, solve};

/// With more rows than this, a solve starts from the solution for a sample of them.
const LARGE: usize = 8000;

/// A witness and how it was found.
pub struct Found {
    /// Strictly feasible, up to rounding.
    pub witness: Witness,
    /// The bound it proves, in floating point; only the checker's exact value may be shown to anyone.
    pub bound: f64,
    /// Whether the solver came within its tolerance of the best witness.
    pub converged: bool,
    /// Newton steps of the last attempt.
    pub steps: usize,
    point: Point,
}

impl Found {
    fn new(problem: &Problem, witness: Witness, point: Point, converged: bool, steps: usize) -> Found {
        Found { bound: theorem::bound(problem, &witness), witness, converged, steps, point }
    }

    fn warm(&self, problem: &Problem) -> Warm {
        warm(problem, &self.point)
    }

    /// The variables that all rows share.
    pub(crate) fn point(&self) -> &Point {
        &self.point
    }
}

/// A witness that is valid for every setting, if not a good one: the one to fall back on.
pub fn plain(problem: &Problem) -> Found {
    let point = solve::feasible_point(problem);
    let (alpha, beta, tau, nu) = shared(&point);
    let witness = Witness::Convexity { alpha, beta, tau, nu, u: vec![0.0; problem.rows()] };
    Found::new(problem, witness, point, false, 0)
}

/// The best witness of Theorem 2, starting from that of a similar problem if there is one.
pub fn theorem2(problem: &Problem, similar: Option<&Found>) -> Found {
    theorem2_after(problem, similar.map(Found::point))
}

/// The same, from the shared variables alone.
pub(crate) fn theorem2_after(problem: &Problem, similar: Option<&Point>) -> Found {
    let warm = similar.map(|point| warm(problem, point)).or_else(|| sampled(problem));
    let solution = solve(problem, &WholeLine, None, warm.as_ref());
    let (alpha, beta, tau, nu) = shared(&solution.point);
    let kappa = problem.kappa(alpha);
    let u = solution.rows.locals().map(|[_, y]| share(*y, kappa)).collect();
    let witness = Witness::Convexity { alpha, beta, tau, nu, u };
    Found::new(problem, witness, solution.point, solution.converged, solution.steps)
}

fn warm(problem: &Problem, point: &Point) -> Warm {
    Warm { point: point.clone(), barrier: warm_barrier(problem) }
}

/// The barrier parameter with which a solve starts from the solution of another form, of a sample or of a similar problem.
/// With many rows the sum over them stays smooth down to smaller barriers, and Newton's method finds its way.
fn warm_barrier(problem: &Problem) -> f64 {
    (10.0 / problem.rows() as f64).clamp(1e-4, 1e-2)
}

/// For many rows: a start from a sample of them, which costs next to nothing.
fn sampled(problem: &Problem) -> Option<Warm> {
    (problem.rows() > LARGE).then(|| {
        let sample = problem.sample(problem.rows().div_ceil(LARGE / 2));
        Warm { point: solve(&sample, &WholeLine, None, None).point, barrier: warm_barrier(problem) }
    })
}

/// The best witness of the bounded-range form, starting from a solution of Theorem 2.
pub fn bounded_range(problem: &Problem, start: &Found) -> Found {
    let ball = problem.ball();
    let reach: Vec<f64> = problem.squared_norms.iter().map(|n| problem.rounded_up(ball * n.sqrt())).collect();
    let far: Vec<bool> = reach.iter().map(|h| *h >= 1.0).collect();
    let reduced = problem.without_always_active(&far);
    let envelope = BoundedRange { reach: reach.iter().copied().filter(|h| *h >= 1.0).collect() };
    let solution = solve(&reduced, &envelope, Some(ball), Some(&start.warm(problem)));
    let (alpha, beta, tau, nu) = shared(&solution.point);
    let kappa = problem.kappa(alpha);
    let mut solved = solution.rows.locals();
    // A row that is always active has y = κ; the others have been solved for, in order.
    let y = far.iter().map(|far| if *far { solved.next().map_or(0.0, |l| l[1]) } else { kappa }).collect();
    let mu = solution.point.x[MU];
    let witness = Witness::BoundedRange { alpha, beta, tau, nu, mu, ball, reach, y };
    Found::new(problem, witness, solution.point, solution.converged, solution.steps)
}

/// The best witness for zero-one error, starting from a solution of Theorem 2.
pub fn zero_one(problem: &Problem, start: &Found) -> Found {
    let solution = solve(problem, &ZeroOne, None, Some(&start.warm(problem)));
    let (alpha, beta, tau, nu) = shared(&solution.point);
    let kappa = problem.kappa(alpha);
    let c: Vec<f64> = solution.rows.locals().map(|l| l[3].clamp((-kappa).max(0.0), 1.0)).collect();
    let u = solution.rows.locals().zip(&c).map(|(l, c)| share(l[1], kappa + c)).collect();
    let u2 = solution.rows.locals().zip(&c).map(|(l, c)| share(l[2], 1.0 - c)).collect();
    let witness = Witness::ZeroOne { alpha, beta, tau, nu, u, u2, c };
    Found::new(problem, witness, solution.point, solution.converged, solution.steps)
}

/// α, β, τ, ν of a point. τ is positive even where it has no effect (no adversary).
fn shared(point: &Point) -> (f64, Vec<f64>, f64, f64) {
    (point.alpha(), point.beta().to_vec(), point.x[TAU], point.x[NU])
}

/// part/whole in \[0, 1\], whatever rounding has done.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 }
}
