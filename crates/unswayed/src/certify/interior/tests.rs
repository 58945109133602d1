//! Each form by itself, against the reference values of `tests/oracles/hinge.json`.

use serde_json::Value;

use super::*;
use crate::data::Dataset;

/// How far above the reference value the solver may stay.
const REACHED: f64 = 1e-6;
/// How far below the lower bound on the optimum a proven value may be: rounding of the reference.
const BELOW: f64 = 1e-9;

fn cases() -> Vec<(Problem, Value)> {
    let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracles/hinge.json"));
    let cases: Vec<Value> = serde_json::from_str(text).unwrap();
    assert_eq!(cases.len(), 14);
    let problem = |json: &Value| {
        let number = |name: &str| json[name].as_f64().unwrap();
        let z: Vec<Vec<f64>> = serde_json::from_value(json["Z"].clone()).unwrap();
        let data = Dataset::from_rows(z.concat(), z[0].len(), None).unwrap();
        let builder = Problem::builder(data).learning_rate(number("eta")).regularization(number("sigma"));
        builder.poison_rate(number("eps")).radius(number("radius")).build().unwrap()
    };
    cases.into_iter().map(|json| (problem(&json), json)).collect()
}

fn assert_optimal(problem: &Problem, found: &Found, json: &Value, form: &str) {
    let exact = super::super::claim(problem, found.proof.clone()).unwrap().bound;
    let [value, lower] = ["value", "lower"].map(|key| json[form][key].as_f64().unwrap());
    assert!(exact <= value + REACHED, "{} {form}: {exact} is above {value}", json["name"]);
    assert!(exact >= lower - BELOW, "{} {form}: {exact} is below {lower}", json["name"]);
    // What the solver reports in floating point is what the checker proves.
    assert!((found.bound - exact).abs() <= 1e-9 * exact.max(1.0), "{} {exact}", found.bound);
}

#[test]
fn each_form_reaches_its_optimum() {
    for (problem, json) in cases() {
        let instance = Instance::new(&problem);
        let first = theorem2(&instance, None);
        let range = bounded_range(&instance, &first);
        assert!(first.converged && range.converged, "{}", json["name"]);
        let error = zero_one(&instance, &first);
        assert_optimal(&problem, &first, &json, "cert");
        assert_optimal(&problem, &range, &json, "cert_range");
        assert_optimal(&problem, &error, &json, "zero_one");
        // The one to fall back on holds too, and is no better.
        let plain = plain(&instance);
        assert!(plain.bound >= first.bound - BELOW);
        assert!(super::super::claim(&problem, plain.proof).is_ok(), "{}", json["name"]);
    }
}

#[test]
fn theorem2_reaches_its_optimum_from_the_solution_of_another_problem() {
    for (problem, json) in cases() {
        let other = problem.with_poison_rate(problem.threat().poison_rate * 0.8 + 0.01).unwrap();
        let similar = theorem2(&Instance::new(&other), None);
        let found = theorem2(&Instance::new(&problem), Some(&similar.point));
        assert_optimal(&problem, &found, &json, "cert");
    }
}
