//! Learners with momentum: a proof for plain steps at a larger rate η̄ is one for them (Theorems M1 and M2).
//!
//! With e the slope of the bound in αη̄ and P = ε²μ²Ĝ²/(1−μ²), a rate η̄ = (1+ρ)η/(1−μ) costs αη/(1−μ) times eρ + P(1+ρ)²/ρ, which is
//! least at ρ² = P/(e+P). The rate of Theorem M1, ρ = 2μ/(1−μ), costs eρ.

use unswayed_check::{Claim, Feature, Horizon, HorizonClaim, Proof, prove};

use super::{Found, Options, Outcome, Solution, dot, exact_bound, finish, first_steps, search, start};
use crate::error::CertifyError;
use crate::problem::Problem;

/// ρ is at least this.
const LEAST: f64 = 1e-4;
/// Rates that differ by less, relatively, are not worth another search.
const WORTH: f64 = 0.02;
/// How far apart the rates are, relatively, of which the slope of the bound is the difference.
const APART: f64 = 0.01;

/// The slope of a bound in αη̄, as a share of the mean of ‖g‖² if all rows acted fully: at least and at most.
const SLOPES: [f64; 2] = [0.05, 2.0];

/// Searches a proof for plain steps at a good rate, and has the checker evaluate it for the learner itself.
pub(super) fn certify_near(
    problem: &Problem,
    options: &Options,
    near: Option<&Solution>,
) -> Result<(Outcome, Option<Solution>), CertifyError> {
    if options.confidence.is_some() {
        problem.require(&[Feature::Confidence])?;
    }
    let mut rate = first_rate(problem);
    let mut plain = problem.without_momentum(rate)?;
    let (mut found, mut solution) = search(&plain, options, near)?;
    let better = best_rate(problem, &plain, &found.loss);
    if let Some(better) = better.filter(|better| (better / rate - 1.0).abs() > WORTH) {
        rate = better;
        plain = problem.without_momentum(rate)?;
        (found, solution) = search(&plain, options, solution.as_ref().or(near))?;
    }
    let found = Found {
        loss: lifted(problem, found.loss.proof, rate)?,
        error: found.error.and_then(|error| lifted(problem, error.proof, rate).ok()),
        converged: found.converged,
    };
    let own = first_steps(&plain, options)?;
    let own = own.and_then(|claim| lifted_horizon(problem, options, claim, rate));
    Ok((finish(problem, options, found, own, None)?, solution))
}

/// ρ of a rate.
fn share(problem: &Problem, rate: f64) -> f64 {
    let learner = problem.learner();
    rate * (1.0 - learner.momentum.unwrap_or_default()) / learner.learning_rate - 1.0
}

/// The rate with this ρ.
fn rate_of(problem: &Problem, share: f64) -> f64 {
    let learner = problem.learner();
    (1.0 + share) * learner.learning_rate / (1.0 - learner.momentum.unwrap_or_default())
}

/// ρ of Theorem M1, a little larger so that rounding does no harm.
fn widest(problem: &Problem) -> f64 {
    let mu = problem.learner().momentum.unwrap_or_default();
    2.0 * mu / (1.0 - mu) * (1.0 + 1e-12) + 1e-12
}

/// Whether Theorem M2 is for this problem: one objective, with a gradient that is the same in all coordinates.
fn is_single(problem: &Problem) -> bool {
    problem.data().len() == 1 && problem.learner().unregularized.is_empty()
}

/// A rate to begin with: as if e were a sixth of Ĝ².
fn first_rate(problem: &Problem) -> f64 {
    if !is_single(problem) {
        return rate_of(problem, widest(problem));
    }
    let mu = problem.learner().momentum.unwrap_or_default();
    let share = 2.5 * problem.threat().poison_rate * mu / (1.0 - mu * mu).sqrt();
    rate_of(problem, share.clamp(LEAST, 0.5).min(widest(problem)))
}

/// The rate at which the proof found at another one suggests the smallest bound.
fn best_rate(problem: &Problem, plain: &Problem, loss: &Claim) -> Option<f64> {
    let Proof::Cases(proof) = &loss.proof else { return None };
    let rate = plain.learner().learning_rate;
    if !is_single(problem) {
        return None;
    }
    let slower = plain.without_momentum(rate * (1.0 - APART)).ok()?;
    let fallen = loss.bound - exact_bound(&slower, &loss.proof).ok()?;
    // A proof that is not quite the best one shows a slope that is not quite its own.
    let usual = mean_square(problem);
    let slope = (fallen / (APART * proof.alpha * rate)).clamp(SLOPES[0] * usual, SLOPES[1] * usual);
    let rows = problem.data_rows();
    let own = with_rate(loss.proof.clone(), rate);
    let cost = prove(problem.statement(), &own, &problem.evidence(&rows)).ok()?.momentum_cost()?;
    let (rho, widest) = (share(problem, rate), widest(problem));
    let pull = cost * rho / ((1.0 + rho) * proof.alpha * rate);
    let best = (pull / (slope + pull)).sqrt().max(LEAST).min(widest);
    let price = slope * best + pull * (1.0 + best).powi(2) / best;
    Some(rate_of(problem, if price < slope * widest { best } else { widest }))
}

/// The mean of ‖g‖² if all rows acted fully.
fn mean_square(problem: &Problem) -> f64 {
    let (loss, data) = (problem.learner().loss, &problem.data()[0]);
    let step = |i: usize| data.step_weights().map_or(1.0, |steps| steps[i]) * loss.steepest();
    let rows = data.iter().map(|row| &row[loss.label_entries()..]).zip(data.probabilities());
    rows.enumerate().map(|(i, (x, p))| p * step(i).powi(2) * dot(x, x)).sum::<f64>().max(f64::MIN_POSITIVE)
}

fn with_rate(mut proof: Proof, rate: f64) -> Proof {
    if let Proof::Cases(proof) = &mut proof {
        proof.rate = Some(rate);
    }
    proof
}

/// A proof for plain steps as one for steps with momentum.
fn lifted(problem: &Problem, proof: Proof, rate: f64) -> Result<Claim, CertifyError> {
    let proof = with_rate(proof, rate);
    let bound = exact_bound(problem, &proof).map_err(CertifyError::Refused)?;
    Ok(Claim { bound, proof })
}

/// The same for the first steps.
fn lifted_horizon(
    problem: &Problem,
    options: &Options,
    claim: HorizonClaim,
    rate: f64,
) -> Option<HorizonClaim> {
    let proof = with_rate(claim.proof?, rate);
    let horizon =
        Horizon { steps: options.horizon?, start: start(problem, options).ok()?, ..Horizon::default() };
    let rows = problem.data_rows();
    let proven = prove(problem.statement(), &proof, &problem.evidence(&rows)).ok()?;
    let bound = proven.horizon(&horizon, 0.0).ok()?;
    Some(HorizonClaim { bound, m: 0.0, proof: Some(proof) })
}

/// The T at which the start adds 1 % to the certified loss; infinite for a start that the bound is not for.
pub(super) fn transient_steps(problem: &Problem, loss: &Claim, start: &[f64]) -> f64 {
    let rows = problem.data_rows();
    let one = Horizon { steps: 1, start: start.to_vec(), ..Horizon::default() };
    let proven = prove(problem.statement(), &loss.proof, &problem.evidence(&rows));
    let first = proven.and_then(|proven| proven.horizon(&one, 0.0));
    first.map_or(f64::INFINITY, |first| ((first - loss.bound) / (0.01 * loss.bound)).ceil())
}

/// What momentum adds to the bound beyond what the rate of its proof does.
pub(super) fn cost(problem: &Problem, loss: &Claim) -> Option<f64> {
    problem.learner().momentum?;
    let rows = problem.data_rows();
    prove(problem.statement(), &loss.proof, &problem.evidence(&rows)).ok()?.momentum_cost()
}
