//! Attacks on linear learners: against the figures of docs/learners.md, against brute force, and against steps written out.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use serde_json::Value;
use unswayed::Dataset;
use unswayed::attack::{Attack, Attacked, LinearSuite};
use unswayed::check::{Linear, Loss, Set, Step, Target};
use unswayed::data::{Options, Source, load};

/// MNIST 1 v 7, the first rows of the training file.
fn mnist(rows: usize) -> Dataset {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/data/mnist_1v7_train");
    let source = Source::path(format!("{folder}_x.npy")).labels(format!("{folder}_y.npy"));
    load(&source, &Options { rows: Some(rows), ..Options::default() }).unwrap()
}

/// η = 0.001, σ = 0.01, the hinge loss, the unit ball.
fn learner(poison_rate: f64) -> Linear {
    Linear {
        learning_rate: 1e-3,
        regularization: 0.01,
        poison_rate,
        loss: Loss::Hinge,
        step: Step::default(),
        set: Set::Ball { radius: 1.0 },
        target: Target::Data,
    }
}

fn steady(data: &[&Dataset], learner: &Linear) -> Attacked {
    let start = std::time::Instant::now();
    let suite = LinearSuite::new(data, learner, None).unwrap();
    let a = suite.run(&[Attack::SteadyState]).unwrap().remove(0);
    println!("{:?}", start.elapsed());
    a
}

/// A pair of losses at ε = 1 % and 5 %, from section 13 of docs/learners.md.
fn reaches(name: &str, data: &[&Dataset], learner: &dyn Fn(f64) -> Linear, losses: [f64; 2]) {
    for (eps, loss) in [0.01, 0.05].into_iter().zip(losses) {
        let learner = learner(eps);
        let attacked = steady(data, &learner);
        let found = attacked.steady.unwrap().loss;
        println!("{name} at {eps}: settled {found:.5} ({loss}), simulated {:?}", attacked.simulated.loss);
    }
}

fn widest(data: &Dataset) -> Vec<f64> {
    let largest = |j: usize| data.iter().map(|z| z[j].abs()).fold(0.0, f64::max);
    (0..data.dimension()).map(largest).collect()
}

/// S·max zᵀS⁻¹z over the rows, S their second moments.
fn moments(data: &Dataset) -> Vec<f64> {
    let d = data.dimension();
    let moment = |i: usize, j: usize| data.iter().map(|z| z[i] * z[j]).sum::<f64>() / data.rows() as f64;
    let s = Mat::from_fn(d, d, moment);
    let factor = s.llt(Side::Lower).unwrap();
    let level = |z: &[f64]| {
        let x = factor.solve(Mat::from_fn(d, 1, |i, _| z[i]));
        (0..d).map(|i| z[i] * x[(i, 0)]).sum::<f64>()
    };
    let largest = data.iter().map(level).fold(0.0, f64::max);
    (0..d).flat_map(|j| (0..=j).map(move |i| (i, j))).map(|(i, j)| largest * s[(i, j)]).collect()
}

#[test]
fn figures() {
    let data = mnist(500);
    let one = [&data];
    reaches("ball", &one, &learner, [0.1158, 0.2015]);
    let radii = widest(&data);
    reaches(
        "box",
        &one,
        &|e| Linear { set: Set::Box { radii: radii.clone() }, ..learner(e) },
        [0.1233, 0.2823],
    );
    let q = moments(&data);
    reaches(
        "ellipsoid",
        &one,
        &|e| Linear { set: Set::Ellipsoid { q: q.clone() }, ..learner(e) },
        [0.1246, 0.2875],
    );
    reaches("labels", &one, &|e| Linear { set: Set::Labels, ..learner(e) }, [0.1033, 0.1127]);
    let free = Step { free: vec![30], ..Step::default() };
    reaches("free", &one, &|e| Linear { step: free.clone(), ..learner(e) }, [0.1167, 0.1854]);
    reaches("logistic", &one, &|e| Linear { loss: Loss::Logistic, ..learner(e) }, [0.3097, 0.4248]);
    reaches(
        "logistic labels",
        &one,
        &|e| Linear { loss: Loss::Logistic, set: Set::Labels, ..learner(e) },
        [0.28914, 0.31373],
    );
    let shifted = |share: f64| {
        let sevens = data.iter().filter(|z| z[30] < 0.0).count() as f64;
        let weight = |z: &[f64]| if z[30] < 0.0 { share / sevens } else { (1.0 - share) / (500.0 - sevens) };
        Dataset::from_rows(data.z().to_vec(), 31, Some(data.iter().map(weight).collect())).unwrap()
    };
    let (many, few) = (shifted(0.8), shifted(0.2));
    reaches("drift", &[&many, &few], &learner, [0.1156, 0.2106]);
    let tenth: Vec<f64> = (0..500).map(|i| f64::from(i % 10 == 0)).collect();
    reaches(
        "tenth",
        &one,
        &|e| Linear { target: Target::Weights(vec![tenth.clone()]), ..learner(e) },
        [0.1912, 0.3493],
    );
}
