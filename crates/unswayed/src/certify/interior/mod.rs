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
//! It is Theorem L1 with one case; the proof is in `docs/theory.md`, the formula in [`theorem::bound`]. B is jointly convex in (α, β, τ, ν, κu), and
//! also the value of a saddle problem, which is what is solved:
//!
//! ```text
//! B = min over x = (α, τ, ν, β)  max over θ   Σ p_i Ψ(J_i, κ, θᵀz_i) + (a function of x and θ alone)
//! ```
//!
//! | module | its part |
//! |---|---|
//! | [`theorem`] | the formula of the bound, for all three forms |
//! | [`instance`] | data and constants |
//! | [`envelope`] | Ψ: what one row contributes, one type for each form |
//! | [`rows`], [`sums`] | the passes over the rows, and what they add up to |
//! | [`outer`] | the function of x and θ alone |
//! | [`parts`], [`passes`] | rows that come in parts |
//! | [`many`] | rows in memory that are treated so |
//! | [`compact`] | rules in place of numbers for each row |
//! | [`guards`], [`cone`] | the inequalities on x |
//! | [`mod@solve`] | the interior point method |

mod compact;
pub(super) mod cone;
mod envelope;
mod guards;
mod instance;
mod many;
mod outer;
mod parts;
mod passes;
mod rows;
mod solve;
mod sums;
#[cfg(test)]
mod tests;
mod theorem;

pub(super) use envelope::WholeLine;
pub(crate) use instance::dot;
pub(super) use instance::{Instance, Role};
pub use instance::{MOST_SAME_COLUMNS, MOST_SAME_ROWS};
pub(crate) use outer::Point;
use parts::Candidate;
pub(super) use parts::Parts;
pub(super) use passes::{Model, Totals, add_rows};
pub(super) use rows::Rows;
use unswayed_check::{CaseProof, Cases, Claim, Failure, Lines, Loss, RowBound, Set, Shells, Target};

use super::span::Span;
use super::start::StartCost;
use super::{Compact, Found as Proven, LARGE as LARGE_DATA};
use crate::error::CertifyError;
use crate::problem::Problem;

use envelope::{BoundedRange, ZeroOne};
use outer::{MU, NU, TAU};
use solve::{Warm, solve};

/// With more rows than this, a solve starts from the solution for a sample of them …
const LARGE: usize = 8000;
/// … of one in so many.
const STRIDE: usize = 8;

/// By how much a bound may be larger, relatively, for a proof whose size does not grow with the rows.
fn noticeable(rows: usize) -> f64 {
    if rows > LARGE_DATA { NOTICEABLE } else { SLIGHT }
}
const NOTICEABLE: f64 = 1e-3;
const SLIGHT: f64 = 3e-4;

/// How much a bound must be worse than a refused one to matter.
const REFUSED: f64 = 1e-6;

/// A proof and how it was found.
struct Found {
    /// Strictly feasible, up to rounding.
    proof: CaseProof,
    /// The bound it proves, with what a start costs, in floating point; only the checker's exact value may be shown to anyone.
    bound: f64,
    /// Whether the solver came within its tolerance of the best proof.
    converged: bool,
    point: Point,
}

impl Found {
    fn new(instance: &Instance, proof: CaseProof, point: Point, converged: bool) -> Found {
        let ball = proof.shells.as_ref().map(|shells| shells.ball);
        let start = instance.start.map_or(0.0, |start| start.value_in(ball, proof.alpha, &proof.beta));
        Found { bound: theorem::bound(instance, &proof) + start, proof, converged, point }
    }

    /// From coordinates in the span of the rows to those of the data.
    fn map_back(&mut self, span: &Span) {
        self.point = self.point.mapped(|v| span.back(v));
        self.proof.beta = self.point.beta().to_vec();
        if let Some(shells) = &mut self.proof.shells {
            shells.centre = vec![0.0; self.proof.beta.len()];
        }
    }
}

/// Whether the method is for this problem: hinge rows of one dataset against a ball, with the data as target. Batches need
/// nothing of their own (Theorem L14), nor does a projection unless its ball is small (Theorem L15).
pub(super) fn applies(problem: &Problem) -> bool {
    is_plain_hinge(problem) && problem.statement().hostile_rows.is_empty()
}

/// Whether a problem is one of hinge rows against a ball and plain steps.
pub(super) fn is_plain_hinge(problem: &Problem) -> bool {
    let (learner, statement) = (problem.learner(), problem.statement());
    let is_plain = learner.clip.is_none()
        && learner.unregularized.is_empty()
        && learner.regularization > 0.0
        && learner.schedule.is_none()
        && problem.threat().poison_weight.is_none();
    let is_ball = matches!(problem.threat().set, Set::Ball { .. });
    learner.loss == Loss::Hinge
        && is_plain
        && is_ball
        && statement.target == Target::Data
        && statement.data.len() == 1
}

/// The smallest bounds that the exact checker confirms, the point they were found at, and whether the checker refused a
/// better one: the method knows nothing of the ball that λ's least value must be in where steps are projected (Theorem L15).
pub(super) fn search(
    problem: &Problem,
    start: &[f64],
    near: Option<&Point>,
    compact: Compact,
) -> Result<(Proven, Point, bool), CertifyError> {
    let own = Instance::new(problem);
    let spanned = own.spanned();
    let (span, instance) = spanned.as_ref().map_or((None, &own), |(span, instance)| (Some(span), instance));
    let near = near.map(|near| near.mapped(|v| span.map_or_else(|| v.to_vec(), |span| span.forth(v))));
    let may_be_ranged = dot(start, start).sqrt() <= own.ball() && compact != Compact::Always;
    if compact != Compact::Never
        && let Some((found, point)) = many::search(problem, &own, near.as_ref(), may_be_ranged)
    {
        return Ok((found, point, false));
    }
    let mut theorem2 = theorem2(instance, near.as_ref());
    let mut zero_one = zero_one(instance, &theorem2);
    let mut found = if compact == Compact::Always { vec![] } else { vec![plain(instance)] };
    if may_be_ranged {
        found.push(bounded_range(instance, &theorem2));
    }
    if let Some(span) = span {
        found.iter_mut().chain([&mut zero_one, &mut theorem2]).for_each(|found| found.map_back(span));
    }
    let point = theorem2.point.clone();
    found = shortened(&own, found, theorem2, compact);
    zero_one = shortened(&own, vec![], zero_one, compact).swap_remove(0);
    let best = found.iter().map(|found| found.bound).fold(f64::INFINITY, f64::min);
    let (loss, converged) = best_claim(problem, found)?;
    let wanted = zero_one.bound < loss.bound.min(1.0) && !problem.learner().average;
    let error = wanted
        .then(|| super::claim(problem, zero_one.proof).ok())
        .flatten()
        .filter(|error| error.bound < loss.bound);
    let refused = best < loss.bound - REFUSED || (wanted && error.is_none());
    Ok((Proven { loss, error, converged }, point, refused))
}

/// The proofs, one of which may have a rule in place of its numbers. If it must have one, or has one and is not noticeably worse than
/// the best of the others, it is the only one.
fn shortened(instance: &Instance, mut others: Vec<Found>, whole: Found, compact: Compact) -> Vec<Found> {
    if compact == Compact::Never {
        others.push(whole);
        return others;
    }
    let short = compact::by_rule(instance, &whole);
    let best = others.iter().fold(whole.bound, |best, other| best.min(other.bound));
    if compact == Compact::Always || short.bound <= best + noticeable(instance.rows()) * best.abs() {
        return vec![short];
    }
    others.push(whole);
    others
}

/// Proofs for the first steps from a start, best first: each minimises its bound together with what the start costs.
pub(super) fn first_steps(problem: &Problem, start: &StartCost, compact: Compact) -> Vec<CaseProof> {
    let own = Instance::new(problem).with_start(Some(start));
    if compact != Compact::Never
        && let Some(proof) = many::first_steps(problem, &own)
    {
        return vec![proof];
    }
    let spanned = own.spanned();
    let (span, instance) = spanned.as_ref().map_or((None, &own), |(span, instance)| (Some(span), instance));
    let mut theorem2 = theorem2(instance, None);
    let mut found = vec![];
    if dot(&start.theta, &start.theta).sqrt() <= instance.ball() && compact != Compact::Always {
        found.push(bounded_range(instance, &theorem2));
    }
    if let Some(span) = span {
        found.iter_mut().chain([&mut theorem2]).for_each(|found| found.map_back(span));
    }
    let mut found = shortened(&own, found, theorem2, compact);
    found.retain(|found| found.bound.is_finite());
    found.sort_by(|a, b| a.bound.total_cmp(&b.bound));
    found.into_iter().map(|found| found.proof).collect()
}

/// The smallest bound that the exact checker confirms, and whether its solver converged.
fn best_claim(problem: &Problem, mut found: Vec<Found>) -> Result<(Claim, bool), CertifyError> {
    found.retain(|f| f.bound.is_finite());
    found.sort_by(|a, b| a.bound.total_cmp(&b.bound));
    let mut refusal: Option<Failure> = None;
    for Found { proof, converged, .. } in found {
        match super::claim(problem, proof) {
            Ok(claim) => return Ok((claim, converged)),
            Err(failure) => refusal = Some(failure),
        }
    }
    Err(CertifyError::NoProof { refusal })
}

/// A proof with one case and one set of lines.
fn proof(rows: RowBound, point: &Point, lines: Lines) -> CaseProof {
    let cases = Cases { lines: vec![0], tau: vec![point.x[TAU]], nu: vec![point.x[NU]], ..Cases::default() };
    CaseProof::new(rows, point.alpha(), point.beta().to_vec(), lines, cases)
}

/// A proof that is valid for every setting, if not a good one: the one to fall back on.
fn plain(instance: &Instance) -> Found {
    let point = solve::feasible_point(instance);
    let lines = Lines { u: vec![0.0; instance.rows()], ..Lines::default() };
    let proof = proof(RowBound::BoundedSlope, &point, lines);
    Found::new(instance, proof, point, false)
}

/// The best proof of Theorem 2, starting from that of a similar problem if there is one.
fn theorem2(instance: &Instance, similar: Option<&Point>) -> Found {
    let on_sample = |sample: &Instance, warm: Option<&Warm>| solve(sample, &WholeLine, None, warm).point;
    let warm = similar.map(|point| warm(instance, point)).or_else(|| climb(instance, None, &on_sample));
    let solution = solve(instance, &WholeLine, None, warm.as_ref());
    let kappa = instance.kappa(solution.point.alpha());
    let u = solution.rows.locals().map(|[_, y]| share(*y, kappa)).collect();
    let proof = proof(RowBound::BoundedSlope, &solution.point, Lines { u, ..Lines::default() });
    Found::new(instance, proof, solution.point, solution.converged)
}

fn warm(instance: &Instance, point: &Point) -> Warm {
    Warm { point: point.clone(), barrier: warm_barrier(instance) }
}

/// The barrier parameter with which a solve starts from the solution of another form, of a sample or of a similar problem.
/// With many rows the sum over them stays smooth down to smaller barriers, and Newton's method finds its way.
fn warm_barrier(instance: &Instance) -> f64 {
    (10.0 / instance.rows() as f64).clamp(1e-6, 1e-2)
}

/// A sample of the rows, if they are many.
pub(super) fn smaller<'a>(instance: &'a Instance) -> Option<Instance<'a>> {
    (instance.rows() > LARGE).then(|| instance.sample(STRIDE))
}

/// Where to start: at a point, or for many rows at the solution for a sample of them, found in the same way.
fn climb(
    instance: &Instance,
    first: Option<&Point>,
    on_sample: &dyn Fn(&Instance, Option<&Warm>) -> Point,
) -> Option<Warm> {
    let Some(sample) = smaller(instance) else { return first.map(|point| warm(instance, point)) };
    let start = climb(&sample, first, on_sample);
    Some(warm(instance, &on_sample(&sample, start.as_ref())))
}

/// The rows that a θ in a ball can leave inactive, and how far from 0 the scores of all rows can be.
fn within(instance: &Instance, ball: f64) -> (Vec<bool>, Vec<f64>) {
    let reach: Vec<f64> =
        instance.squared_norms.iter().map(|n| instance.rounded_up(ball * n.sqrt())).collect();
    (reach.iter().map(|h| *h >= 1.0).collect(), reach)
}

fn far_rows(reach: &[f64]) -> BoundedRange {
    BoundedRange { ends: reach.iter().filter(|h| **h >= 1.0).map(|h| [-h, *h]).collect() }
}

/// The best proof of the bounded-range form, starting from a solution of Theorem 2: lines on an interval, and one shell
/// around 0.
fn bounded_range(instance: &Instance, start: &Found) -> Found {
    let ball = instance.ball();
    let on_sample = |sample: &Instance, warm: Option<&Warm>| {
        let (far, reach) = within(sample, ball);
        solve(&sample.without_always_active(&far), &far_rows(&reach), Some(ball), warm).point
    };
    let warm = climb(instance, Some(&start.point), &on_sample);
    let (far, reach) = within(instance, ball);
    let (reduced, envelope) = (instance.without_always_active(&far), far_rows(&reach));
    let solution = solve(&reduced, &envelope, Some(ball), warm.as_ref());
    let kappa = instance.kappa(solution.point.alpha());
    let mut solved = solution.rows.locals();
    // A row that is always active has y = κ; the others have been solved for, in order.
    let slope = |far: &bool| if *far { solved.next().map_or(0.0, |l| l[1]) } else { kappa };
    let y: Vec<f64> = far.iter().map(slope).enumerate().map(|(i, y)| instance.weight(i) * y).collect();
    let mut proof = proof(RowBound::Interval, &solution.point, Lines { y, reach, ..Lines::default() });
    proof.cases.outer = vec![solution.point.x[MU]];
    proof.cases.inner = vec![0.0];
    proof.shells = Some(Shells { centre: vec![0.0; instance.dimension], radii: vec![ball], ball });
    Found::new(instance, proof, solution.point, solution.converged)
}

/// The best x = (α, τ, ν, β) and θ for rows whose margins are in intervals, without a proof that they are, from a start.
#[cfg(feature = "general")]
pub(super) fn on_intervals(
    problem: &Problem,
    intervals: &[[f64; 2]],
    [alpha, tau, nu]: [f64; 3],
    beta: &[f64],
    theta: &[f64],
) -> Option<Point> {
    let instance = Instance::new(problem);
    let acts: Vec<bool> = intervals.iter().map(|[low, _]| *low <= 1.0).collect();
    let acting = instance.reduced(|i| if acts[i] { Role::Kept } else { Role::Never });
    let intervals: Vec<[f64; 2]> = intervals.iter().copied().filter(|[low, _]| *low <= 1.0).collect();
    let far: Vec<bool> = intervals.iter().map(|[_, high]| *high >= 1.0).collect();
    let reduced = acting.without_always_active(&far);
    let envelope = BoundedRange { ends: intervals.into_iter().filter(|[_, high]| *high >= 1.0).collect() };
    let x = [&[alpha, tau, nu, 0.0], beta].concat();
    let start = warm(&instance, &Point { x, theta: theta.to_vec() });
    let solution = solve(&reduced, &envelope, None, Some(&start));
    solution.objective.is_finite().then_some(solution.point)
}

/// The best proof for zero-one error, starting from a solution of Theorem 2.
fn zero_one(instance: &Instance, start: &Found) -> Found {
    let on_sample = |sample: &Instance, warm: Option<&Warm>| solve(sample, &ZeroOne, None, warm).point;
    let warm = climb(instance, Some(&start.point), &on_sample);
    let solution = solve(instance, &ZeroOne, None, warm.as_ref());
    let kappa = instance.kappa(solution.point.alpha());
    let c: Vec<f64> = solution.rows.locals().map(|l| l[3].clamp((-kappa).max(0.0), 1.0)).collect();
    let u = solution.rows.locals().zip(&c).map(|(l, c)| share(l[1], kappa + c)).collect();
    let u2 = solution.rows.locals().zip(&c).map(|(l, c)| share(l[2], 1.0 - c)).collect();
    let proof = proof(RowBound::ErrorHinge, &solution.point, Lines { u, u2, c, ..Lines::default() });
    Found::new(instance, proof, solution.point, solution.converged)
}

/// part/whole in \[0, 1\], whatever rounding has done.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 }
}
