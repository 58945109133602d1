//! The saddle method against the conic program, on small random problems of each kind.

use unswayed_check::{Loss, Set, Target};

use super::super::rows::{ErrorHinge, ErrorLogistic};
use super::super::{RowKind, Search, shells};
use super::*;
use crate::data::{Dataset, Labels, Origin, RawLabels, Table};
use crate::problem::{Adversary, Problem, ProblemBuilder};

/// How far above the program's value the method may stay, and how far the program may be above it: relative to max(1, value).
const SOLVER: [f64; 2] = [1e-6, 1e-4];

/// Numbers in [−½, ½).
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / 16_777_216.0 - 0.5
    }
}

/// Rows that mostly lean one way; with `labels`, each has a number in front that it predicts poorly.
fn data(seed: u64, labels: bool) -> Dataset {
    let mut next = noise(seed);
    let mut z = vec![];
    for _ in 0..24 {
        let lean = if next() < 0.35 { 0.5 } else { -0.4 };
        let row = [lean + 0.3 * next(), 0.9 * next(), 0.9 * next()];
        z.extend(labels.then(|| row[0] - row[1] + 0.5 * next()));
        z.extend(row);
    }
    if !labels {
        return Dataset::from_rows(z, 3, None).unwrap();
    }
    let (y, x) = (z.chunks(4).map(|row| row[0]).collect(), z.chunks(4).flat_map(|row| &row[1..]).copied());
    let x: Vec<f64> = x.collect();
    let plain = Dataset::from_rows(x.clone(), 3, None).unwrap();
    let origin = Origin { labels: Labels::Numbers, ..plain.origin().clone() };
    Table { y: Some(RawLabels::Numbers(y)), ..Table::new(x, 3) }.remade(&origin).unwrap()
}

fn builder(data: Dataset, seed: u64) -> ProblemBuilder {
    let (eta, sigma, eps) = [(1e-3, 0.05, 0.02), (0.1, 0.2, 0.1), (0.02, 0.02, 0.01)][seed as usize % 3];
    Problem::builder(data).learning_rate(eta).regularization(sigma).poison_rate(eps)
}

/// Both methods on the loss, and on the error where there is a theorem.
fn compare(problem: &Problem, name: &str) {
    let search = Search::new(problem, None).unwrap();
    let (_, loss) = search.loss_kind();
    let regions: Vec<shells::Shell> = search.shells.iter().flat_map(shells::each).collect();
    let is_plain = problem.learner().clip.is_none()
        && problem.threat().set != Set::LabelFlips
        && problem.statement().target == Target::Data;
    let error: Option<Box<dyn RowKind>> = match problem.learner().loss {
        Loss::Logistic if is_plain => Some(Box::new(ErrorLogistic)),
        Loss::Hinge if is_plain => Some(Box::new(ErrorHinge)),
        _ => None,
    };
    for kind in [Some(loss), error].into_iter().flatten() {
        let task = search.task(&*kind, &regions);
        assert!(applies(&task), "{name}");
        let found = solve(&task).unwrap_or_else(|| panic!("{name}: nothing found"));
        let reference = super::super::solve::solve(&task).unwrap();
        let excess = (found.value - reference.value) / reference.value.abs().max(1.0);
        println!("{name}: {} found, {} by the program", found.value, reference.value);
        assert!(found.converged && excess <= SOLVER[0], "{name}: {excess:e}");
        assert!(!reference.converged || excess >= -SOLVER[1], "{name}: {excess:e}");
    }
}

#[test]
fn losses_against_a_ball() {
    for (seed, loss) in [
        Loss::Logistic,
        Loss::Logistic,
        Loss::Logistic,
        Loss::SmoothHinge(0.5),
        Loss::ModifiedHuber,
        Loss::Hinge,
    ]
    .into_iter()
    .enumerate()
    {
        let problem = builder(data(seed as u64, false), seed as u64).loss(loss.into()).build().unwrap();
        compare(&problem, &format!("{loss:?}, seed {seed}"));
    }
}

#[test]
fn regression() {
    for (seed, loss) in [
        Loss::Huber(0.2),
        Loss::Huber(0.5),
        Loss::Huber(1.0),
        Loss::Absolute,
        Loss::EpsilonInsensitive(0.1),
        Loss::Quantile(0.3),
    ]
    .into_iter()
    .enumerate()
    {
        let plain = builder(data(seed as u64, true), seed as u64).loss(loss.into());
        compare(&plain.clone().label_bound(1.5).build().unwrap(), &format!("{loss:?}, bounded labels"));
        compare(&plain.build().unwrap(), &format!("{loss:?}, any label"));
    }
}

#[test]
fn sets_and_steps() {
    for (seed, loss) in
        [Loss::Logistic, Loss::Logistic, Loss::SmoothHinge(0.3), Loss::Hinge].into_iter().enumerate()
    {
        let plain = || builder(data(10 + seed as u64, false), seed as u64).loss(loss.into());
        let with = |builder: ProblemBuilder, name: &str| {
            compare(&builder.build().unwrap(), &format!("{loss:?}, {name}"));
        };
        with(plain().adversary(Adversary::BoxAroundData), "box");
        with(plain().adversary(Adversary::Box(vec![0.5, 0.0, 0.3])), "flat box");
        with(plain().adversary(Adversary::EllipsoidAroundData), "ellipsoid");
        if matches!(loss, Loss::Logistic | Loss::Hinge) {
            with(plain().adversary(Adversary::LabelFlips), "labels");
            with(plain().clip(0.5), "clipped");
        }
        with(plain().projection(2.0), "projection");
        with(plain().poison_rate(0.0), "no adversary");
    }
}
