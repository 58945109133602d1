//! Results are the same on one and on several threads, to the last bit: each solver and the preparation of features. What attacks and
//! simulations reach has tests of its own beside theirs.

use unswayed::certify::{Compact, Effort, Options, bootstrap, certify_with, paper};
use unswayed::data::Features;
use unswayed::prepare::Transform;
use unswayed::{Adversary, Dataset, IntoData, Problem, ProblemBuilder};

use crate::fixtures::random::Random;
use crate::fixtures::{experiment, labelled, mnist, moved, norm, numbered, scaled};

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[track_caller]
fn does_not_depend_on_threads<T: PartialEq + Send>(work: impl Fn() -> T + Send + Sync) {
    let alone = on_threads(1, &work);
    assert!(alone == on_threads(2, &work) && alone == on_threads(3, &work));
}

#[track_caller]
fn same_certificate(problem: ProblemBuilder, options: &Options) {
    let problem = problem.build().unwrap();
    does_not_depend_on_threads(|| certify_with(&problem, options).unwrap().certificate.to_bytes());
}

/// Rows around a centre, of norm 1 at most.
fn around_centre(random: &mut Random, rows: usize, columns: usize) -> Vec<f64> {
    let center = random.gaussian(columns);
    let row = |_| {
        let noise = random.gaussian(columns);
        let z = moved(&center, 0.8, &noise);
        scaled(&z, 1.0 / norm(&z).max(1.0))
    };
    (0..rows).flat_map(row).collect()
}

fn on(data: impl IntoData) -> ProblemBuilder {
    Problem::builder(data).learning_rate(1e-3).regularization(0.02).poison_rate(0.05)
}

fn losses(problem: &ProblemBuilder, names: &[&str]) {
    for name in names {
        same_certificate(problem.clone().loss(name.parse().unwrap()), &Options::default());
    }
}

#[test]
fn hinge_rows_against_a_ball() {
    let mut random = Random(51);
    let z = around_centre(&mut random, 7001, 4);
    let weights: Vec<f64> = (0..7001).map(|_| random.log(0.1, 10.0)).collect();
    for weights in [None, Some(weights)] {
        let data = Dataset::from_rows(z.clone(), 4, weights).unwrap();
        same_certificate(on(data), &Options::default().with_horizon(1000));
    }
}

#[test]
fn proofs_by_a_rule() {
    let data = Dataset::from_rows(around_centre(&mut Random(53), 7001, 4), 4, None).unwrap();
    same_certificate(on(data), &Options::default().with_compact(Compact::Always).with_horizon(1000));
}

#[test]
fn many_columns() {
    let data = Dataset::from_rows(around_centre(&mut Random(52), 300, 290), 290, None).unwrap();
    same_certificate(on(data), &Options::default());
}

#[test]
fn other_losses_and_sets() {
    let rows = around_centre(&mut Random(54), 1500, 4);
    let data = Dataset::from_rows(rows, 4, None).unwrap();
    losses(&on(data.clone()), &["logistic"]);
    for set in [Adversary::BoxAroundData, Adversary::EllipsoidAroundData] {
        same_certificate(on(data.clone()).adversary(set), &Options::default());
    }
}

#[test]
fn classes_and_numbers() {
    let mut random = Random(55);
    let rows = |random: &mut Random, label: fn(usize) -> f64| -> Vec<f64> {
        let x = around_centre(random, 600, 3);
        x.chunks(3).enumerate().flat_map(|(i, x)| [&[label(i)], x].concat()).collect()
    };
    let classes = labelled(&rows(&mut random, |i| (i % 3) as f64), 4, 3, None);
    losses(&on(classes), &["multiclass"]);
    let numbers = numbered(&rows(&mut random, |i| (i % 7) as f64 / 7.0), 4, None);
    losses(&on(numbers).label_bound(1.0), &["absolute", "huber=0.5", "quantile=0.3"]);
}

#[test]
fn other_steps() {
    let data = || mnist(60);
    for problem in [
        on(data()).projection(3.0),
        on(data()).clip(0.5).adversary(Adversary::Any),
        on(data()).batch(4),
        on(data()).momentum(0.5),
        on(data()).moments(100),
        on(data()).average(true),
        on(data()).contaminated(0.02),
    ] {
        same_certificate(problem, &Options::default());
    }
    same_certificate(on(vec![data(), experiment("mnist_0v6_train", Some(60))]), &Options::default());
}

#[test]
fn levels_and_contraction() {
    let tight = Options::default().with_effort(Effort::Tight);
    let hinge = on(mnist(40));
    same_certificate(hinge.clone().loss("logistic".parse().unwrap()), &tight);
    same_certificate(hinge, &tight);
}

#[test]
fn the_confidence_of_new_data() {
    same_certificate(on(mnist(400)), &Options::default().with_confidence(0.95));
}

#[test]
fn the_program_of_the_paper() {
    let problem = on(mnist(20)).build().unwrap();
    let run = || paper::certify(&problem, &Options::default(), None).unwrap().certificate.to_bytes();
    does_not_depend_on_threads(run);
}

#[test]
fn samples_of_the_rows() {
    let problem = on(mnist(100)).build().unwrap();
    does_not_depend_on_threads(|| bootstrap(&problem, &Options::default(), 5, 1).unwrap());
}

/// A decomposition that is large enough to be computed in parallel.
#[test]
fn prepared_features() {
    let x = Random(56).gaussian(600 * 300);
    let features = Features::from_rows(x, 300).unwrap();
    does_not_depend_on_threads(|| Transform::fit(&features, 20).unwrap().1.x);
}
