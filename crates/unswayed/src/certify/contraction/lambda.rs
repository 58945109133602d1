//! λ for the margins that an adversary can reach: the program of Theorem 2, with lines above the rows on short intervals only.
//!
//! Whether margins stay in these intervals does not matter here: Theorem C2 proves a bound for whatever α and β.

use unswayed_check::{Claim, Proof};

use super::super::levels::{Base, Objective, norm};
use super::super::{dot, interior};
use crate::attack::{Suite, fixed_point};
use crate::problem::Problem;

/// The kink is rounded on this width, to see how far the model gives way.
const WIDTH: f64 = 0.6;
/// Intervals are this share of how far an adversary can move a margin, to first order.
const SHARE: f64 = 0.5;
/// The least κ: with a smaller one the first round does not confine anything.
const LEAST_KAPPA: f64 = 1e-3;

/// α, β, and numbers to start from.
pub(super) struct Lambda {
    pub(super) alpha: f64,
    pub(super) beta: Vec<f64>,
    pub(super) tau: f64,
    pub(super) nu: f64,
    /// The loss that a constant attack reaches.
    pub(super) attack: f64,
}

impl Lambda {
    pub(super) fn search(problem: &Problem, known: &Claim) -> Option<Self> {
        let Proof::Cases(known) = &known.proof else { return None };
        let point = Suite::new(problem).and_then(|suite| suite.steady_point()).ok()?;
        let held = fixed_point(problem, &point).ok()?;
        let base = Base::new(problem)?;
        let objective = Objective { base: &base, gain: 1.0 / WIDTH };
        let margins = base.margins(&held.theta);
        let activities: Vec<f64> = margins.iter().map(|s| base.activity(objective.gain, *s)).collect();
        let curvature = objective.curvature(&activities)?;
        let reach = |i: usize| base.eps * base.radius * norm(&curvature.solve(base.row(i)));
        let intervals: Vec<[f64; 2]> = (0..base.n)
            .map(|i| {
                let half = SHARE * reach(i);
                [margins[i] - half, margins[i] + half]
            })
            .collect();
        let [mut alpha, tau, nu] = [known.alpha, known.cases.tau[0], known.cases.nu[0]];
        let mut beta = known.beta.clone();
        let found = interior::on_intervals(problem, &intervals, [alpha, tau, nu], &beta, &held.theta)?;
        // κ = c·α − 1: as much of the way to the new λ as leaves κ positive.
        let kappa = |alpha: f64| 2.0 * alpha * base.k * (1.0 - base.eps) - 1.0;
        let (own, other) = (kappa(alpha), kappa(found.alpha()));
        let part = if other >= LEAST_KAPPA { 1.0 } else { ((own - LEAST_KAPPA) / (own - other)).max(0.0) };
        alpha += part * (found.alpha() - alpha);
        beta.iter_mut().zip(found.beta()).for_each(|(beta, other)| *beta += part * (other - *beta));
        let finite = alpha.is_finite() && dot(&beta, &beta).is_finite();
        finite.then_some(Lambda { alpha, beta, tau, nu, attack: held.loss })
    }
}
