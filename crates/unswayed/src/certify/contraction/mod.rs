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

use unswayed_check::{
    CaseProof, Claim, ContractionCase, ContractionProof, Feature, Proof, Set, Target, features, unsupported,
};

use super::{exact_bound, norm};
use crate::problem::Problem;
use descent::Multipliers;
use lambda::Reach;
use numbers::Numbers;
use rounds::{Rounds, State};

/// Rows beyond which search and file would grow too large: both grow with their square.
const MOST_ROWS: usize = 1000;
/// ϱ, in units of the largest norm that θ can reach: as good as none.
const BALL: f64 = 1e3;
/// Half-lengths of the intervals that λ is made for, in units of how far an adversary can move a margin: longer ones cost something, and
/// the first rounds confine more, which matters where the target is a part of the rows.
const SHARES: [f64; 3] = [0.5, 0.75, 1.0];
/// A search that gains less than this, as a share of what there was to gain, is the last one for its λ.
const WORTH: f64 = 0.1;
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
    let Proof::Cases(cases) = &known.proof else { return None };
    if cases.cases.tau.len() != problem.data().len() {
        return None;
    }
    let proof = Proof::Contraction(Box::new(best(problem, radius, (cases, known.bound), start)?.proof));
    let bound = exact_bound(problem, &proof).ok()?;
    Some(Claim { bound, proof })
}

/// A proof, with its bound in floating point.
struct Found {
    bound: f64,
    proof: ContractionProof,
}

/// The best proof over several λ: each search for a target ends below the best bound so far.
fn best(problem: &Problem, radius: f64, (known, bound): (&CaseProof, f64), start: &[f64]) -> Option<Found> {
    let reach = Reach::new(problem)?;
    let mut best: Option<Found> = None;
    let datasets = problem.data().len();
    let is_whole = problem.statement().target == Target::Data && datasets == 1;
    for share in if is_whole { &SHARES[..1] } else { &SHARES[..] } {
        let Some(lambda) = reach.lambda(problem, known, *share) else { continue };
        let numbers = |dataset| Numbers::new(problem, dataset, radius, lambda.alpha, &lambda.beta);
        let numbers: Vec<Numbers> = (0..datasets).map(numbers).collect();
        let ball = ball(problem, &numbers, start);
        let state = |(dataset, numbers)| state(numbers, [lambda.tau[dataset], lambda.nu[dataset]], bound);
        let first: Vec<State> = numbers.iter().enumerate().map(state).collect();
        loop {
            let so_far = best.as_ref().map_or(bound, |best| best.bound);
            let Some(found) = proof(&numbers, ball, &first, [reach.attack, so_far]) else { break };
            let is_worth = so_far - found.bound > WORTH * (so_far - reach.attack);
            best = Some(found);
            if is_whole || !is_worth {
                break;
            }
        }
    }
    best
}

/// Where searches start.
fn state(numbers: &Numbers, [tau, nu]: [f64; 2], bound: f64) -> State {
    let at = [(0.1 * bound).ln(), (1.2 * tau).ln(), nu];
    State {
        multipliers: Multipliers { at, step: [0.4, 0.1, 0.03 * numbers.two_ak] },
        u: vec![0.5; numbers.n],
    }
}

/// ϱ: more than θ can reach, from this start too, or the radius of the projection.
fn ball(problem: &Problem, numbers: &[Numbers], start: &[f64]) -> f64 {
    let squares = numbers.iter().flat_map(|numbers| &numbers.squares);
    let Numbers { radius, sigma, .. } = numbers[0];
    let longest = squares.fold(0.0_f64, |most, n| most.max(*n)).sqrt().max(radius);
    problem.learner().projection.unwrap_or((BALL * longest / sigma).max(2.0 * norm(start)))
}

/// First the least target for which the intervals of every dataset vanish, then the proofs for it; none if that is not below what is
/// known.
fn proof(numbers: &[Numbers], ball: f64, start: &[State], [attack, known]: [f64; 2]) -> Option<Found> {
    let at = |share: f64| attack + share * (known - attack);
    let (mut share, mut firsts) = (FIRST_TARGET, vec![]);
    for (numbers, start) in numbers.iter().zip(start) {
        let (least, first) = least_share(Rounds::new(numbers, ball, start), share, at)?;
        share = least;
        firsts.push(first);
    }
    let target = at(share);
    let cases: Vec<(f64, ContractionCase)> =
        firsts.into_iter().map(|first| case(first.again(ball), target)).collect();
    let bound = cases.iter().fold(target, |most, (bound, _)| most.max(*bound));
    let Numbers { alpha, ref beta, d, .. } = numbers[0];
    let cases = cases.into_iter().map(|(_, case)| case).collect();
    let proof = ContractionProof { alpha, beta: beta[..d].to_vec(), ball, target, cases };
    (bound < known).then_some(Found { bound, proof })
}

/// The least target, as a share of the way to what is known, for which the intervals of a dataset vanish, and its searches after the
/// first sweep.
fn least_share(mut rounds: Rounds<'_>, mut share: f64, at: impl Fn(f64) -> f64) -> Option<(f64, Rounds<'_>)> {
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
    Some((share, first?))
}

/// The proof of a dataset for a target, and the bound on what is left.
fn case(mut rounds: Rounds, target: f64) -> (f64, ContractionCase) {
    let mut rest = rounds.rest(target);
    for _ in 0..PROOF_SWEEPS {
        if rest.bound <= target || rounds.sweep(target, false) > ENDED {
            break;
        }
        rest = rounds.rest(target);
    }
    (rest.bound, ContractionCase { rounds: rounds.written, tau: rest.tau, nu: rest.nu, codes: rest.codes })
}
