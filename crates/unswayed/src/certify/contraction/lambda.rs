//! λ for the margins that an adversary can reach: the program of Theorem L1, with lines above the rows on short intervals only.
//!
//! Whether margins stay in these intervals does not matter here: Theorem C2 proves a bound for whatever α and β.

use unswayed_check::{CaseProof, Target};

use super::super::levels::{Base, Objective, norm};
use super::super::{dot, general, interior};
use crate::attack::{Suite, fixed_point};
use crate::data::Dataset;
use crate::problem::Problem;

/// The kink is rounded on this width, to see how far the model gives way.
const WIDTH: f64 = 0.6;
/// The least κ where the target is the data: with a smaller one the first round does not confine anything.
const LEAST_KAPPA: f64 = 1e-3;

/// α, β, and numbers to start from, for each dataset.
pub(super) struct Lambda {
    pub(super) alpha: f64,
    pub(super) beta: Vec<f64>,
    pub(super) tau: Vec<f64>,
    pub(super) nu: Vec<f64>,
}

/// Where the strongest constant attack holds the model, and how far an adversary can move it from there. With several datasets rows are
/// drawn from all of them alike.
pub(super) struct Reach {
    theta: Vec<f64>,
    /// The loss there.
    pub(super) attack: f64,
    /// Those of all datasets.
    margins: Vec<f64>,
    /// How far the margin of each row moves at most, to first order.
    distances: Vec<f64>,
}

impl Reach {
    pub(super) fn new(problem: &Problem) -> Option<Self> {
        if problem.data().len() > 1 {
            return Reach::new(&pooled(problem)?);
        }
        let point = Suite::new(problem).and_then(|suite| suite.steady_point()).ok()?;
        let held = fixed_point(problem, &point).ok()?;
        let base = Base::new(problem)?;
        let objective = Objective { base: &base, gain: 1.0 / WIDTH };
        let margins = base.margins(&held.theta);
        let activities: Vec<f64> = margins.iter().map(|s| base.activity(objective.gain, *s)).collect();
        let curvature = objective.curvature(&activities)?;
        let distance = |i: usize| base.eps * base.radius * norm(&curvature.solve(base.row(i)));
        let distances = (0..base.n).map(distance).collect();
        Some(Reach { theta: held.theta, attack: held.loss, margins, distances })
    }

    /// λ for intervals that are a share of these distances long to both sides.
    pub(super) fn lambda(&self, problem: &Problem, known: &CaseProof, share: f64) -> Option<Lambda> {
        let interval = |(s, distance): (&f64, &f64)| [s - share * distance, s + share * distance];
        let intervals: Vec<[f64; 2]> = self.margins.iter().zip(&self.distances).map(interval).collect();
        let (tau, nu) = (&known.cases.tau, &known.cases.nu);
        let (alpha, beta) = if problem.data().len() == 1 && problem.statement().target == Target::Data {
            let near = [known.alpha, tau[0], nu[0]];
            let found = interior::on_intervals(problem, &intervals, near, &known.beta, &self.theta)?;
            (found.alpha(), found.beta().to_vec())
        } else {
            general::on_intervals(problem, &intervals)?
        };
        // Where the target is a part of the rows α can be far from the known one, and τ and ν with it.
        let (alpha, beta, scale) = if problem.statement().target == Target::Data {
            let (alpha, beta) = confining(problem, known, (alpha, &beta));
            (alpha, beta, 1.0)
        } else {
            (alpha, beta, alpha / known.alpha)
        };
        let is_finite = alpha.is_finite() && dot(&beta, &beta).is_finite();
        let scaled = |numbers: &[f64]| numbers.iter().map(|x| scale * x).collect();
        is_finite.then(|| Lambda { alpha, beta, tau: scaled(tau), nu: scaled(nu) })
    }
}

/// The same learner on the rows of all datasets, each dataset having the same weight.
fn pooled(problem: &Problem) -> Option<Problem> {
    let data = problem.data();
    let z = data.iter().flat_map(|data| data.z().to_vec()).collect();
    let weights = data.iter().flat_map(|data| data.probabilities()).collect();
    let rows = Dataset::from_rows(z, data[0].dimension(), Some(weights)).ok()?;
    Some(problem.on(rows))
}

/// As much of the way from a known λ to a new one as leaves κ = c·α − 1 positive.
fn confining(problem: &Problem, known: &CaseProof, (alpha, beta): (f64, &[f64])) -> (f64, Vec<f64>) {
    let (learner, eps) = (problem.learner(), problem.threat().poison_rate);
    let k = 1.0 - learner.learning_rate * learner.regularization;
    let kappa = |alpha: f64| 2.0 * alpha * k * (1.0 - eps) - 1.0;
    let (own, other) = (kappa(known.alpha), kappa(alpha));
    let part = if other >= LEAST_KAPPA { 1.0 } else { ((own - LEAST_KAPPA) / (own - other)).max(0.0) };
    let between = |from: f64, to: f64| from + part * (to - from);
    let beta = known.beta.iter().zip(beta).map(|(from, to)| between(*from, *to)).collect();
    (between(known.alpha, alpha), beta)
}
