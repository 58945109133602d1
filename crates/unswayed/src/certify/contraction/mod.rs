//! Proofs of the loss by contraction (Theorem C2), for the hinge learner against a ball.
//!
//! | module | its part |
//! |---|---|
//! | `numbers` | learner, rows and λ as numbers |
//! | `lambda` | λ for the margins that an adversary can reach |
//! | `hull` | intervals of the margins, and the rows' hulls on them |
//! | `descent` | the search for one end of an interval |
//! | `rounds` | rounds of such searches |

mod descent;
mod hull;
mod lambda;
mod numbers;
mod rounds;

use unswayed_check::{Claim, ContractionProof, Feature, Proof, Set, features, unsupported};

use super::{exact_bound, norm};
use crate::problem::Problem;
use descent::Multipliers;
use lambda::Lambda;
use numbers::Numbers;
use rounds::{Rounds, State};

/// Rows beyond which search and file would grow too large: both grow with their square.
const MOST_ROWS: usize = 1000;
/// ϱ, in units of the largest norm that θ can reach: as good as none.
const BALL: f64 = 1e3;
/// Where the targets begin: this share of the way from the loss of the attack to the bound that is to be improved.
const FIRST_TARGET: f64 = 0.5;
/// What a target is raised by when intervals hardly become shorter, as a share of the same way.
const RAISE: f64 = 0.02;
/// Sweeps that leave more than this of the intervals are no progress.
const STALLED: f64 = 0.97;
/// Sweeps that leave more than this end a proof.
const ENDED: f64 = 0.999;
/// Sweeps of the search for a target, and of the proof.
const MOST_SWEEPS: usize = 60;
const PROOF_SWEEPS: usize = 40;

/// A proof of the loss, with the bound that the exact checker finds; none if there is no theorem for the problem, or if it is
/// too large. `known` is the proof to be improved, `start` where the learner starts.
pub(super) fn search(problem: &Problem, known: &Claim, start: &[f64]) -> Option<Claim> {
    let features = [features(problem.statement()), vec![Feature::Contraction]].concat();
    let Set::Ball { radius } = problem.threat().set else { return None };
    let has_adversary = problem.threat().poison_rate * radius > 0.0;
    if problem.rows() > MOST_ROWS || unsupported(&features).is_some() || !has_adversary {
        return None;
    }
    let lambda = Lambda::search(problem, known)?;
    let numbers = Numbers::new(problem, radius, lambda.alpha, &lambda.beta);
    let ball = ball(problem, &numbers, start);
    let start = State {
        multipliers: Multipliers {
            at: [(0.1 * known.bound).ln(), (1.2 * lambda.tau).ln(), lambda.nu],
            step: [0.4, 0.1, 0.03 * numbers.two_ak],
        },
        u: vec![0.5; numbers.n],
    };
    let proof = proof(&numbers, ball, &start, [lambda.attack, known.bound])?;
    let proof = Proof::Contraction(Box::new(proof));
    let bound = exact_bound(problem, &proof).ok()?;
    Some(Claim { bound, proof })
}

/// ϱ: more than θ can reach, from this start too, or the radius of the projection.
fn ball(problem: &Problem, numbers: &Numbers, start: &[f64]) -> f64 {
    let longest = numbers.squares.iter().fold(0.0_f64, |most, n| most.max(*n)).sqrt().max(numbers.radius);
    problem.learner().projection.unwrap_or((BALL * longest / numbers.sigma).max(2.0 * norm(start)))
}

/// First the least target for which intervals vanish, then the proof for it.
fn proof(numbers: &Numbers, ball: f64, start: &State, [attack, known]: [f64; 2]) -> Option<ContractionProof> {
    let at = |share: f64| attack + share * (known - attack);
    let mut share = FIRST_TARGET;
    let mut rounds = Rounds::new(numbers, ball, start);
    let mut first = None;
    for sweep in 0..MOST_SWEEPS {
        let left = rounds.sweep(at(share), sweep == 0);
        if sweep == 0 {
            first = Some(rounds.clone());
        }
        if rounds.rest(at(share)).bound <= at(share) {
            break;
        }
        if left > STALLED {
            share += RAISE;
        }
        if share >= 1.0 {
            return None;
        }
    }
    let target = at(share);
    let mut rounds = first?.again(ball);
    let mut rest = rounds.rest(target);
    for _ in 0..PROOF_SWEEPS {
        if rest.bound <= target || rounds.sweep(target, false) > ENDED {
            break;
        }
        rest = rounds.rest(target);
    }
    Some(ContractionProof {
        alpha: numbers.alpha,
        beta: numbers.beta[..numbers.d].to_vec(),
        ball,
        target,
        rounds: rounds.written,
        tau: rest.tau,
        nu: rest.nu,
        codes: rest.codes,
    })
}
