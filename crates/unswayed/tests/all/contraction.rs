//! Proofs of the loss by contraction (Theorem C2): accepted, and better than those by cases.

use unswayed::attack::Suite;
use unswayed::certify::{Effort, Options, certify_with};
use unswayed::{Dataset, Problem, ProblemBuilder};
use unswayed_check::{Proof, Target};

use crate::fixtures::{mnist, verdict};

/// Bounds with little effort and with much, and whether the latter is by contraction; the checker has accepted both.
fn bounds(problem: &Problem) -> ([f64; 2], bool) {
    let tight = Options::default().with_effort(Effort::Tight);
    let outcomes = [Options::default(), tight].map(|options| {
        let outcome = certify_with(problem, &options).expect("a certificate");
        let verdict = verdict(problem, &outcome.certificate).expect("accepted");
        assert_eq!(verdict.loss.to_bits(), outcome.certified_loss.to_bits());
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

/// Under drift each dataset has a case of its own, and the bound is below that by cases, and above what both datasets allow.
#[test]
fn drift_gains() {
    let data = mnist(80);
    let [first, second] = [0, 1].map(|half| part_of(&data, |i| (i / 40) == half));
    let builder = Problem::builder(vec![first, second]).learning_rate(1e-3).regularization(0.01);
    let problem = builder.poison_rate(0.05).build().expect("a problem");
    let ([plain, tight], is_contraction) = bounds(&problem);
    println!("two datasets: {plain} by cases, {tight} with more effort");
    assert!(is_contraction && tight < 0.97 * plain, "{plain} {tight}");
    let settled = Suite::new(&problem).and_then(|suite| suite.settled()).expect("an attack");
    assert!(settled <= tight, "{settled} {tight}");
}
