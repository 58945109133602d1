//! The reference values in `tests/oracles`, reproduced exactly.
#![allow(clippy::float_cmp)]

mod truth;

use serde_json::Value;
use unswayed_check::{Hinge, Learner, Mean, Rows, Witness, exact_bound};

fn cases(text: &str) -> Vec<Value> {
    serde_json::from_str(text).expect("a list of cases")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

fn hinge_cases() -> Vec<Value> {
    cases(include_str!("oracles/hinge.json"))
}

fn learner(case: &Value) -> Learner {
    Learner::Hinge(Hinge {
        learning_rate: number(&case["eta"]),
        regularization: number(&case["sigma"]),
        poison_rate: number(&case["eps"]),
        radius: number(&case["radius"]),
    })
}

fn witness(claim: &Value, rows: usize, zero_one: bool) -> Witness {
    let alpha = number(&claim["alpha"]);
    let beta = numbers(&claim["beta"]);
    let tau = number(&claim["tau"]);
    let nu = claim["nu"].as_f64().unwrap_or(0.0);
    let u = numbers(&claim["u"]);
    if !zero_one {
        return Witness::Convexity { alpha, beta, tau, nu, u };
    }
    let c = claim.get("c").map_or(vec![0.0; rows], numbers);
    let u2 = numbers(&claim["u2"]);
    Witness::ZeroOne { alpha, beta, tau, nu, u, u2, c }
}

#[test]
fn hinge_values_are_reproduced_exactly() {
    let mut checked = 0;
    for case in hinge_cases() {
        let rows: Vec<Vec<f64>> = case["Z"].as_array().unwrap().iter().map(numbers).collect();
        let z = rows.concat();
        let rows = Rows { z: &z, dimension: rows[0].len(), weights: None };
        let learner = learner(&case);
        for name in ["cert", "cert_basic", "zero_one", "zero_one_basic"] {
            let claim = &case[name];
            let witness = witness(claim, rows.len(), name.starts_with("zero"));
            let exact = truth::value(&learner, &witness, &rows).expect("conditions hold");
            let value = number(&claim["value"]);
            assert_eq!(exact.to_f64().value(), value, "{} {name}", case["name"]);
            let bound = exact_bound(&learner, &witness, &rows).unwrap();
            assert!(truth::q(bound) >= exact && truth::q(bound.next_down()) < exact);
            assert!(bound == value || bound == value.next_up());
            checked += 1;
        }
    }
    assert_eq!(checked, 4 * 14);
}

#[test]
fn bounded_range_contains_convexity() {
    for case in hinge_cases() {
        let rows: Vec<Vec<f64>> = case["Z"].as_array().unwrap().iter().map(numbers).collect();
        let z = rows.concat();
        let rows = Rows { z: &z, dimension: rows[0].len(), weights: None };
        let learner = learner(&case);
        let Witness::Convexity { alpha, beta, tau, nu, u } = witness(&case["cert"], 0, false) else {
            unreachable!()
        };
        let (eta, sigma, eps) = (number(&case["eta"]), number(&case["sigma"]), number(&case["eps"]));
        let kappa = 2.0 * alpha * (1.0 - eta * sigma) * (1.0 - eps) - 1.0;
        let ball = 1.001 / sigma;
        let y: Vec<f64> = u.iter().map(|u| kappa.max(0.0) * u).collect();
        // κ is rounded, so y may exceed it by 1e-16: reach must not be huge.
        let reach = vec![ball * 1.001; rows.len()];
        let wide = Witness::BoundedRange { alpha, beta, tau, nu, mu: 0.0, ball, reach, y };
        let bound = exact_bound(&learner, &wide, &rows).unwrap();
        let value = number(&case["cert"]["value"]);
        assert!((bound - value).abs() <= 1e-9 * value.max(1.0), "{} {bound} {value}", case["name"]);
    }
}

#[test]
fn mean_values() {
    let mut checked = 0;
    for case in cases(include_str!("oracles/mean.json")) {
        let trace = |m: &Value| {
            let rows = m.as_array().unwrap();
            (0..rows.len()).map(|i| number(&rows[i][i])).sum::<f64>()
        };
        let learner = Learner::Mean(Mean {
            learning_rate: number(&case["eta"]),
            poison_rate: number(&case["eps"]),
            squared_radius: number(&case["r"]),
            noise_trace: trace(&case["S"]),
            covariance_trace: Some(trace(&case["Sigma"])),
        });
        let closed = &case["closed"];
        let Some(nu) = closed["nu"].as_f64() else {
            continue;
        };
        // a and ν are rounded: a little more of both keeps the conditions.
        let alpha = number(&closed["a"]) * (1.0 + 1e-10);
        let witness = Witness::ClosedForm { alpha, nu: nu * (1.0 + 1e-8) + 1e-12 };
        let rows = Rows { z: &[], dimension: 2, weights: None };
        let value = number(&closed["value"]);
        let bound = exact_bound(&learner, &witness, &rows).unwrap();
        let exact = truth::value(&learner, &witness, &rows).unwrap();
        assert!(truth::q(bound) >= exact && truth::q(bound.next_down()) < exact);
        assert!((bound - value).abs() <= 1e-6 * value.max(1e-3), "{} {bound} {value}", case["name"]);
        checked += 1;
    }
    assert!(checked >= 9);
}
