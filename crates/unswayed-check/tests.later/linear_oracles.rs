//! The reference cases of `docs/learners.md`: the exact value of each stored witness.

mod linear_common;

use std::fs::File;

use linear_common::*;
use ndarray::{Array1, Array2};
use ndarray_npy::ReadNpyExt as _;
use serde_json::Value;
use unswayed_check::{Cases, Linear, LinearWitness, Lines, Loss, Method, Set, Target};

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().map(number).collect(),
        one => vec![number(one)],
    }
}

fn table(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().expect("a table").iter().map(numbers).collect()
}

/// z = y·x for the first rows of a file of `experiments/data`.
fn file_rows(name: &str, count: usize) -> Vec<Vec<f64>> {
    let open = |part: &str| {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/data/");
        File::open(format!("{root}{name}_{part}.npy")).expect("a data file")
    };
    let x = Array2::<f32>::read_npy(open("x")).expect("features");
    let y = Array1::<i8>::read_npy(open("y")).expect("labels");
    let row = |i: usize| x.row(i).iter().map(|&x| f64::from(x) * f64::from(y[i])).collect();
    (0..count).map(row).collect()
}

fn rows(case: &Value) -> Vec<Vec<f64>> {
    match case["file"].as_str() {
        Some(name) => file_rows(name, usize::try_from(case["rows"].as_u64().unwrap()).unwrap()),
        None => table(&case["Z"]),
    }
}

fn learner(case: &Value, loss: Loss) -> Linear {
    let set = if case["name"].as_str().unwrap().contains("label-only") {
        Set::Labels
    } else if let Some(points) = case.get("points") {
        Set::Points { points: table(points).concat() }
    } else if let Some(q) = case.get("Q") {
        Set::Ellipsoid { q: triangle(&table(q)) }
    } else if let Some(radii) = case.get("half_widths") {
        Set::Box { radii: numbers(radii) }
    } else {
        Set::Ball { radius: number(&case["radius"]) }
    };
    let mut learner = plain(number(&case["eta"]), number(&case["sigma"]), number(&case["eps"]), loss, set);
    if let Some(t) = case.get("target_weights") {
        learner.target = Target::Weights(vec![numbers(t)]);
    }
    if let Some(free) = case.get("free") {
        learner.step.free = numbers(free).iter().map(|&j| j as usize).collect();
    }
    learner
}

/// A problem with one dataset and no classes.
fn one_dataset(case: &Value) -> Problem {
    let name = case["name"].as_str().unwrap();
    let (is_logistic, is_error) = (name.starts_with("logistic"), name.contains("-error"));
    let loss = if is_logistic { Loss::Logistic } else { Loss::Hinge };
    let learner = learner(case, loss);
    let z = rows(case);
    let w = &case["witness"];
    let (mut alpha, beta) = (number(&w["alpha"]), numbers(&w["beta"]));
    if !learner.step.free.is_empty() {
        alpha /= 1.0 - learner.learning_rate * learner.regularization;
    }
    let constants = Numbers::new(&learner, alpha);
    let t = |i: usize| case.get("target_weights").map_or(1.0, |t| number(&t[i]) * z.len() as f64);
    let is_label = learner.set == Set::Labels;
    let method = match (is_logistic, is_error, is_label) {
        (false, false, false) => Method::Hinge,
        (true, false, false) => Method::Logistic,
        (false, true, _) => Method::ErrorHinge,
        (true, true, _) => Method::ErrorLogistic,
        (false, _, true) => Method::LabelHinge,
        (true, _, true) => Method::LabelLogistic,
    };
    let lines_of = |u: Vec<f64>| {
        let mut lines = Lines::default();
        match method {
            Method::Logistic => {
                lines.w = w.get("w").map_or_else(
                    || {
                        let y = |i: usize| (constants.kappa0 - t(i)) * u[i];
                        (0..z.len()).map(|i| constants.logistic(&z[i], &beta, y(i), t(i))).collect()
                    },
                    numbers,
                );
            }
            Method::ErrorLogistic => {
                let place = |i: usize| constants.logistic(&z[i], &beta, constants.kappa0 * u[i], 0.0);
                lines.w = (0..z.len()).map(|i| place(i).min(0.5)).collect();
                lines.w2 = (0..z.len()).map(|i| place(i).max(0.5)).collect();
            }
            Method::LabelLogistic => {
                let places = |i: usize| constants.labels(&z[i], &beta, (constants.kappa0 - 1.0) * u[i]);
                (lines.w, lines.w2) = (0..z.len()).map(places).unzip();
            }
            Method::ErrorHinge => {
                lines.u2 = numbers(&w["u2"]);
                lines.c = numbers(&w["c"]);
            }
            _ => {}
        }
        lines.u = u;
        lines
    };
    let mut cases = Cases { lines: vec![0], ..Cases::default() };
    let mut omega = None;
    let flat = z.concat();
    let lines: Vec<Lines> = match &learner.set {
        Set::Points { points } => {
            let d = beta.len();
            cases.share = numbers(&w["point_share"]);
            cases.lines = (0..cases.share.len()).collect();
            if is_logistic {
                let place = |(a, &share): (&[f64], &f64)| constants.finite(a, &beta, share);
                cases.w = points.chunks(d).zip(&cases.share).map(place).collect();
            }
            table(&w["u"]).into_iter().map(lines_of).collect()
        }
        set => {
            let u = numbers(&w["u"]);
            if *set != Set::Labels {
                cases.tau = w.get("tau").map_or_else(|| vec![dot(&beta, &beta).sqrt()], numbers);
                cases.nu = if learner.step.free.is_empty() { vec![number(&w["nu"])] } else { vec![] };
            }
            if let Some(q) = case.get("Q") {
                let q = table(q);
                let y = |i: usize| (constants.kappa0 - t(i)) * u[i];
                let r = slope(&flat, beta.len(), y);
                cases.x = ellipsoid_x(&learner, alpha, &beta, &q, &r, cases.tau[0], cases.nu[0]);
                omega = Some(largest_eigenvalue(&q) * (1.0 + 1e-12));
            }
            vec![lines_of(u)]
        }
    };
    let dimension = beta.len();
    let witness = LinearWitness { method, alpha, beta, omega, shells: None, by_label: false, lines, cases };
    Problem { learner, witness, data: vec![flat], weights: vec![None], dimension, target: None }
}

/// By repeated multiplication.
fn largest_eigenvalue(q: &[Vec<f64>]) -> f64 {
    let mut x: Vec<f64> = (0..q.len()).map(|i| 1.0 + 0.1 * i as f64).collect();
    let mut value = 0.0;
    for _ in 0..5000 {
        let y: Vec<f64> = q.iter().map(|row| dot(row, &x)).collect();
        value = dot(&y, &y).sqrt();
        x = y.iter().map(|y| y / value).collect();
    }
    value
}

fn drift(case: &Value) -> Problem {
    let w = &case["witness"];
    let parts = w["datasets"].as_array().unwrap();
    let lines =
        |(dataset, part): (usize, &Value)| Lines { dataset, u: numbers(&part["u"]), ..Lines::default() };
    let all = |name: &str| parts.iter().map(|p| number(&p[name])).collect();
    let witness = LinearWitness {
        lines: parts.iter().enumerate().map(lines).collect(),
        cases: Cases { lines: vec![0, 1], tau: all("tau"), nu: all("nu"), ..Cases::default() },
        ..simple(Method::Hinge, number(&w["alpha"]), numbers(&w["beta"]), Lines::default(), Cases::default())
    };
    let data: Vec<_> = case["datasets"].as_array().unwrap().iter().map(|z| table(z).concat()).collect();
    let (dimension, weights) = (witness.beta.len(), vec![None; data.len()]);
    Problem { learner: learner(case, Loss::Hinge), witness, data, weights, dimension, target: None }
}

fn classes(case: &Value) -> Problem {
    let name = case["name"].as_str().unwrap();
    let count = name["multi-class K=".len()..][..1].parse::<usize>().unwrap();
    let by_label = name.ends_with("classes");
    let w = &case["witness"];
    let parts = w["cases"].as_array().unwrap();
    let (k, radius) = (count as f64, number(&case["radius"]));
    let gamma = if by_label { 1.0 } else { (k * (k - 1.0)).sqrt() * radius };
    let witness = LinearWitness {
        by_label,
        lines: parts.iter().map(|p| Lines { u: numbers(&p["u"]), ..Lines::default() }).collect(),
        cases: Cases {
            lines: (0..parts.len()).collect(),
            tau: parts.iter().map(|p| number(&p["tau"]) / gamma).collect(),
            nu: parts.iter().map(|p| number(&p["nu"])).collect(),
            ..Cases::default()
        },
        ..simple(Method::Hinge, number(&w["alpha"]), numbers(&w["beta"]), Lines::default(), Cases::default())
    };
    let (x, labels) = (table(&case["X"]), numbers(&case["labels"]));
    let dimension = 1 + x[0].len();
    let data = vec![x.iter().zip(&labels).flat_map(|(x, &y)| [&[y], x.as_slice()].concat()).collect()];
    let learner = learner(case, Loss::Classes(count));
    Problem { learner, witness, data, weights: vec![None], dimension, target: None }
}

#[test]
fn every_reference_case_is_reproduced() {
    let text = include_str!("../../unswayed/tests/oracles/learners.json");
    let cases: Vec<Value> = serde_json::from_str(text).expect("a list of cases");
    let mut worst: [f64; 2] = [0.0; 2];
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let problem = match name {
            _ if name.contains("drift") => drift(case),
            _ if name.starts_with("multi-class") => classes(case),
            _ => one_dataset(case),
        };
        let value = number(&case["value"]);
        let bound = problem.bound().unwrap_or_else(|e| panic!("{name}: {e}"));
        let is_logistic = name.starts_with("logistic");
        let error = (bound - value).abs() / value.abs().max(1.0);
        println!("{name:28} {bound:.12} {value:.12} {error:.1e}");
        assert!(error <= if is_logistic { 1e-7 } else { 1e-9 }, "{name}: {bound} {value}");
        worst[usize::from(is_logistic)] = worst[usize::from(is_logistic)].max(error);
        for below in ["brute_force", "fixed_point"] {
            assert!(case[below].as_f64().is_none_or(|x| x <= bound), "{name} {below}");
        }
    }
    println!("{} cases, largest errors {worst:?}", cases.len());
    assert_eq!(cases.len(), 35);
}
