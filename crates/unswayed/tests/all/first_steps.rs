//! Bounds for the first steps: against simulated attacks, and against what the long-run proof gives.

use unswayed::certify::{Options, certify, certify_with, horizon_bounds};
use unswayed::check::Proof;
use unswayed::{Adversary, Dataset, Problem, ProblemBuilder};

use crate::fixtures::random::Random;
use crate::fixtures::{dot, exact, is_full, norm, scaled, verdict};

const RATES: [f64; 3] = [5e-5, 1e-3, 5e-2];
const RUNS: usize = 3;

/// From the model to the point that is sent.
type Policy<'a> = dyn Fn(&[f64]) -> Vec<f64> + 'a;

/// The hinge learner on 500 rows of MNIST.
fn mnist(learning_rate: f64) -> Problem {
    let data = unswayed::data::sample().unwrap();
    Problem::builder(data)
        .learning_rate(learning_rate)
        .regularization(0.01)
        .poison_rate(0.02)
        .build()
        .unwrap()
}

/// The long-run bound of a proof.
fn exact_value(problem: &Problem, proof: &Proof) -> Option<f64> {
    let Proof::Cases(proof) = proof else { return None };
    exact(problem, proof).ok()
}

fn hinge(data: &Dataset, theta: &[f64]) -> f64 {
    data.iter().map(|z| (1.0 - dot(theta, z)).max(0.0)).sum::<f64>() / data.rows() as f64
}

/// The average loss over the first steps from θ = 0 under the point that `choose` finds every hundred steps. It is measured
/// every so many steps: over a stretch as short as that it hardly changes.
fn simulated(problem: &Problem, steps: u64, random: &mut Random, choose: &dyn Fn(&[f64]) -> Vec<f64>) -> f64 {
    let (data, learner) = (&problem.data()[0], problem.learner());
    let (eta, k) = (learner.learning_rate, 1.0 - learner.learning_rate * learner.regularization);
    let every = (steps / 1000).clamp(1, 100);
    let (mut theta, mut point) = (vec![0.0; data.dimension()], vec![]);
    let (mut sum, mut count) = (0.0, 0);
    for step in 0..steps {
        if step % every == 0 {
            (sum, count) = (sum + hinge(data, &theta), count + 1);
            point = choose(&theta);
        }
        let own = random.chance(problem.threat().poison_rate);
        let z = if own { &point[..] } else { data.row(random.below(data.rows())) };
        let push = if dot(&theta, z) <= 1.0 { eta } else { 0.0 };
        theta.iter_mut().zip(z).for_each(|(t, z)| *t = k * *t + push * z);
    }
    sum / f64::from(count)
}

/// The strongest of three attacks: against where the learner settles, against the rows that it has not learned, against θ.
fn attacked(problem: &Problem, settled: &[f64], steps: u64, random: &mut Random) -> f64 {
    let data = &problem.data()[0];
    let unit = |v: Vec<f64>| scaled(&v, 1.0 / norm(&v).max(1e-9));
    let against_rows = |theta: &[f64]| {
        let mut sum = vec![0.0; theta.len()];
        for z in data.iter().filter(|z| dot(theta, z) < 1.0) {
            sum.iter_mut().zip(z).for_each(|(s, z)| *s -= z);
        }
        unit(sum)
    };
    let constant = unit(scaled(settled, -1.0));
    let policies: [&Policy; 3] = [&|_| constant.clone(), &against_rows, &|theta| unit(scaled(theta, -1.0))];
    let mean = |choose: &&dyn Fn(&[f64]) -> Vec<f64>, random: &mut Random| {
        (0..RUNS).map(|_| simulated(problem, steps, random, choose)).sum::<f64>() / RUNS as f64
    };
    policies.iter().map(|choose| mean(choose, random)).fold(0.0, f64::max)
}

/// What the proof of the long-run bound gives, the bound, and what an attack reaches. The full test prints the figures of the
/// documentation.
#[test]
fn first_steps_on_mnist() {
    let mut random = Random(77);
    let most = if is_full() { 1_000_000 } else { 10_000 };
    let (mut tightest, mut found_wrong) = (f64::INFINITY, 0);
    for rate in RATES {
        let problem = mnist(rate);
        let long_run = certify(&problem).unwrap();
        for steps in [1_000, 10_000, 100_000, 1_000_000] {
            let outcome = certify_with(&problem, &Options::default().with_horizon(steps)).unwrap();
            let bound = outcome.horizon_loss.unwrap();
            let before = horizon_bounds(&problem, &long_run.certificate, &[0.0; 31], &[steps]).unwrap()[0];
            assert!(bound <= before && bound >= outcome.certified_loss, "{bound} {before}");
            assert!(bound < 1.05, "from θ = 0 few steps cannot lose more than not learning: {bound}");
            if steps <= most {
                let found = attacked(&problem, &long_run.benign.theta, steps, &mut random);
                assert!(found <= bound + 0.01, "{found} above {bound} at {rate}, {steps} steps");
                tightest = tightest.min(bound / found);
                // A bound that forgets what the start costs is wrong, and the simulation shows it.
                let own = outcome.certificate.horizon.as_ref().and_then(|claim| claim.proof.as_ref());
                let forgetful = own.and_then(|proof| exact_value(&problem, proof));
                found_wrong += usize::from(forgetful.is_some_and(|bound| found > bound + 0.01));
                println!("{rate:>6} {steps:>8}: {before:.4} {bound:.4} attack {found:.4}");
            }
        }
    }
    assert!(found_wrong > 0, "no bound without the start's cost was exceeded");
    assert!(tightest < 1.3, "the bounds are too loose to be told from wrong ones: {tightest}");
}

fn rows(random: &mut Random, n: usize, columns: usize) -> Dataset {
    let mut row = || {
        let z: Vec<f64> = random.gaussian(columns).iter().map(|x| 0.3 * x + 0.3).collect();
        scaled(&z, 1.0 / norm(&z).max(1.0))
    };
    Dataset::from_rows((0..n).flat_map(|_| row()).collect(), columns, None).unwrap()
}

/// A problem of each kind that a search for first steps goes another way for.
fn kinds(data: &Dataset, other: &Dataset) -> Vec<(&'static str, ProblemBuilder)> {
    let of = || Problem::builder(data.clone()).learning_rate(0.01).regularization(0.05).poison_rate(0.05);
    let loss = |name: &str| of().loss(name.parse().unwrap());
    vec![
        ("hinge", of()),
        ("without adversary", of().poison_rate(0.0)),
        ("logistic", loss("logistic")),
        ("smooth hinge", loss("smooth-hinge=0.5")),
        ("modified huber", loss("modified-huber")),
        ("box", of().adversary(Adversary::BoxAroundData)),
        ("logistic box", loss("logistic").adversary(Adversary::BoxAroundData)),
        ("ellipsoid", of().adversary(Adversary::EllipsoidAroundData)),
        ("flips", of().adversary(Adversary::Flips)),
        ("labels", of().adversary(Adversary::LabelFlips)),
        ("clip", of().clip(0.5)),
        ("projection", of().projection(3.0)),
        ("small projection", of().projection(0.5)),
        ("logistic projection", loss("logistic").projection(3.0)),
        ("no regularization", of().regularization(0.0).projection(3.0)),
        (
            "drift",
            Problem::builder(vec![data.clone(), other.clone()])
                .learning_rate(0.01)
                .regularization(0.05)
                .poison_rate(0.05),
        ),
        ("target", of().target(other.clone())),
        ("average", of().average(true)),
    ]
}

#[test]
fn a_proof_of_its_own_is_never_worse() {
    let mut random = Random(78);
    let (data, other) = (rows(&mut random, 20, 3), rows(&mut random, 20, 3));
    let (mut better, mut asked) = (vec![], 0);
    for (name, builder) in kinds(&data, &other) {
        let problem = builder.build().unwrap_or_else(|error| panic!("{name}: {error}"));
        let start = scaled(&random.gaussian(3), 0.15);
        for steps in [1, 100, 100_000] {
            let options = Options::default().with_horizon(steps).with_start(start.clone());
            let outcome = certify_with(&problem, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
            let certificate = &outcome.certificate;
            let verdict = verdict(&problem, certificate).unwrap();
            assert_eq!(verdict.horizon, outcome.horizon_loss, "{name}");
            let long_run = certify_with(&problem, &Options::default().with_start(start.clone())).unwrap();
            let before = horizon_bounds(&problem, &long_run.certificate, &start, &[steps]).unwrap()[0];
            let bound = outcome.horizon_loss.unwrap();
            assert!(bound <= before, "{name}, {steps} steps: {bound} above {before}");
            asked += 1;
            if certificate.horizon.as_ref().is_some_and(|claim| claim.proof.is_some()) && steps == 100 {
                better.push(name);
            }
        }
    }
    println!("of {asked} horizons; at 100 steps better: {better:?}");
    assert!(better.len() >= 15, "{better:?}");
}
