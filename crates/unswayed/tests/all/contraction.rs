//! Proofs of the loss by contraction (Theorem C2): accepted, better than those by cases, and above the worst case.

use unswayed::certify::{Effort, Options, certify_with};
use unswayed::{Dataset, Problem, ProblemBuilder};
use unswayed_check::{Proof, Target};

use crate::fixtures::grid::{Fineness, Grid, Rules};
use crate::fixtures::{mnist, rows, verdict};

/// A bound lower than the true one by this share must be noticed where the worst case is known.
const PLANTED: f64 = 0.3;

/// Bounds with little effort and with much, and whether the latter is by contraction; the checker has accepted both.
fn bounds(problem: &Problem) -> ([f64; 2], bool) {
    let tight = Options::default().with_effort(Effort::Tight);
    let outcomes = [Options::default(), tight].map(|options| {
        let outcome = certify_with(problem, &options).expect("a certificate");
        let verdict = verdict(problem, &outcome.certificate).expect("accepted");
        assert_eq!(verdict.loss, outcome.certified_loss);
        outcome
    });
    let is_contraction = matches!(outcomes[1].certificate.loss.proof, Proof::Contraction(_));
    (outcomes.map(|outcome| outcome.certified_loss), is_contraction)
}

fn part_of(data: &Dataset, keep: impl Fn(usize) -> bool) -> Dataset {
    let z = data.iter().enumerate().filter(|(i, _)| keep(*i)).flat_map(|(_, z)| z.to_vec());
    Dataset::from_rows(z.collect(), data.dimension(), None).expect("rows")
}

fn builder(data: Dataset, eta: f64, sigma: f64, eps: f64) -> ProblemBuilder {
    Problem::builder(data).learning_rate(eta).regularization(sigma).poison_rate(eps)
}

/// Where a tenth of the rows is the target, lines for all margins need a steep λ, and lines on intervals do not.
#[test]
fn a_part_of_the_rows_gains_most() {
    let data = mnist(100);
    let target = part_of(&data, |i| i % 10 == 3);
    let problem = builder(data, 1e-3, 0.01, 0.05).target(target).build().expect("a problem");
    assert!(matches!(problem.statement().target, Target::Weights(_)));
    let ([plain, tight], is_contraction) = bounds(&problem);
    println!("a tenth of the rows: {plain} by cases, {tight} with more effort");
    assert!(is_contraction && tight < 0.8 * plain, "{plain} {tight}");
}

/// In one dimension the worst case is known by value iteration.
#[test]
fn a_part_of_the_rows_is_bounded_above_the_worst_case() {
    let data = rows(vec![0.9, 0.8, 1.0, -0.3, 0.6, 0.7], 1);
    for (weights, eps) in [([0.0, 0.0, 0.0, 1.0, 1.0, 0.0], 0.1), ([0.1, 0.1, 0.0, 0.0, 2.0, 0.5], 0.05)] {
        let target = Dataset::from_rows(data.z().to_vec(), 1, Some(weights.to_vec())).expect("rows");
        let problem = builder(data.clone(), 0.05, 0.2, eps).target(target).build().expect("a problem");
        let ([plain, tight], is_contraction) = bounds(&problem);
        let solve = |nodes: usize| {
            let rules = Rules { of_error: false, one_coin: false };
            Grid::new(&problem, rules, Fineness { nodes, points: 8, free: 4.0 }).solve(1e-5, 3000)
        };
        let [rough, truth] = [501, 1001].map(solve);
        let room = 1e-4 + 2.0 * (rough.high - truth.low).abs();
        println!("{weights:?}: worst case {:.5} ± {room:.5}, {plain:.5} and {tight:.5}", truth.low);
        assert!(is_contraction && tight < plain, "{weights:?}: {plain} {tight}");
        assert!(truth.low <= tight + room, "{weights:?}: {} > {tight}", truth.low);
        assert!(truth.low > (1.0 - PLANTED) * tight + room, "{weights:?}: a planted error is not noticed");
    }
}
