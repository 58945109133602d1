//! Proofs for a finite horizon: they minimise the bound over the first steps itself, B + Λ(θ_0)/(ηT), not B alone.
//!
//! The proof of the long-run bound serves for every horizon, but its λ can be steep: over few steps the start then costs more
//! than all that follows. The exact checker has the last word on each proof, and the smaller of the two bounds is claimed.

use unswayed_check::{CaseProof, Evidence, Horizon, HorizonClaim, Proof, prove};

use super::start::StartCost;
use super::{Compact, best_m, general, interior, norm};
use crate::problem::Problem;

/// The smallest bound for these first steps that a proof of its own gives, if there is one that the checker accepts.
pub(super) fn search(problem: &Problem, horizon: &Horizon, compact: Compact) -> Option<HorizonClaim> {
    let start = StartCost::new(problem.statement(), horizon);
    let proofs =
        if interior::applies(problem) { interior::first_steps(problem, &start, compact) } else { vec![] };
    let is_outside = proofs.first().is_some_and(|proof| is_outside(problem.learner().projection, proof));
    let mut best = smallest(problem, horizon, proofs);
    if compact != Compact::Always && (best.is_none() || is_outside) {
        let other = smallest(problem, horizon, general::first_steps(problem, &start));
        best = best.into_iter().chain(other).min_by(|a, b| a.bound.total_cmp(&b.bound));
    }
    best
}

/// Whether λ is least outside of the ball that steps are projected on, of which the interior point method knows nothing
/// (Theorem L15).
fn is_outside(projection: Option<f64>, proof: &CaseProof) -> bool {
    projection.is_some_and(|ball| norm(&proof.beta) > 2.0 * proof.alpha * ball)
}

/// The claim with the smallest bound. Proofs come in an order in which bounds fall and then rise.
fn smallest(
    problem: &Problem,
    horizon: &Horizon,
    proofs: impl IntoIterator<Item = CaseProof>,
) -> Option<HorizonClaim> {
    let rows = problem.data_rows();
    let evidence = problem.evidence(&rows);
    let mut best: Option<HorizonClaim> = None;
    for proof in proofs {
        let Some(claim) = claim(problem, horizon, proof, &evidence) else { continue };
        if best.as_ref().is_some_and(|best| best.bound <= claim.bound) {
            break;
        }
        best = Some(claim);
    }
    best
}

/// A proof with the bound that the exact checker finds for it and these steps.
fn claim(
    problem: &Problem,
    horizon: &Horizon,
    proof: CaseProof,
    evidence: &Evidence,
) -> Option<HorizonClaim> {
    let statement = problem.statement();
    let proof = Proof::Cases(Box::new(proof));
    let m = best_m(statement, &proof);
    let bound = prove(statement, &proof, evidence).and_then(|proven| proven.horizon(horizon, m)).ok()?;
    Some(HorizonClaim { bound, m, proof: Some(proof) })
}
