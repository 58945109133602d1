//! The reference values of `unswayed-check/tests/oracles`, reached by the solvers.

use serde_json::Value;
use unswayed::certify::convexity::{Problem, bounded_range, theorem2, zero_one};
use unswayed::certify::{MeanOutcome, MeanSetting, Options, certify, certify_mean};
use unswayed::{Dataset, Hinge, Threat};
use unswayed_check::{Learner, Rows, Witness, check, exact_bound, prove};

/// How far above the reference value the solver may stay.
const REACHED: f64 = 1e-6;
/// How far below the lower bound on the optimum a proven value may be: rounding of the reference.
const BELOW: f64 = 1e-9;

fn cases(text: &str) -> Vec<Value> {
    serde_json::from_str(text).expect("a list of cases")
}

fn hinge_cases() -> Vec<Value> {
    cases(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../unswayed-check/tests/oracles/hinge.json")))
}

fn mean_cases() -> Vec<Value> {
    cases(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../unswayed-check/tests/oracles/mean.json")))
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn matrix(value: &Value) -> Vec<Vec<f64>> {
    let rows = value.as_array().expect("a list of rows");
    rows.iter().map(|row| row.as_array().expect("a row").iter().map(number).collect()).collect()
}

fn trace(value: &Value) -> f64 {
    matrix(value).iter().enumerate().map(|(i, row)| row[i]).sum()
}

struct Case {
    name: String,
    data: Dataset,
    hinge: Hinge,
    threat: Threat,
    learner: Learner,
    json: Value,
}

impl Case {
    fn all() -> Vec<Case> {
        let all: Vec<_> = hinge_cases().into_iter().map(Case::new).collect();
        assert_eq!(all.len(), 14);
        all
    }

    fn new(json: Value) -> Case {
        let z = matrix(&json["Z"]);
        let [eta, sigma, eps, radius] = ["eta", "sigma", "eps", "radius"].map(|name| number(&json[name]));
        Case {
            name: json["name"].to_string(),
            data: Dataset::from_rows(z.concat(), z[0].len(), None).unwrap(),
            hinge: Hinge::new(eta, sigma).unwrap(),
            threat: Threat::new(eps).unwrap().with_radius(radius).unwrap(),
            learner: Learner::Hinge(unswayed_check::Hinge {
                learning_rate: eta,
                regularization: sigma,
                poison_rate: eps,
                radius,
            }),
            json,
        }
    }

    fn problem(&self) -> Problem<'_> {
        Problem::new(&self.data, &self.hinge, &self.threat)
    }

    fn exact(&self, witness: &Witness) -> f64 {
        exact_bound(&self.learner, witness, &self.data.as_rows()).expect("a valid witness")
    }

    /// The reference for one form: the value reached, and a lower bound on the optimum.
    fn reference(&self, form: &str) -> (f64, f64) {
        (number(&self.json[form]["value"]), number(&self.json[form]["lower"]))
    }

    fn assert_optimal(&self, bound: f64, form: &str) {
        let (value, lower) = self.reference(form);
        assert!(bound <= value + REACHED, "{} {form}: {bound} is above {value}", self.name);
        assert!(bound >= lower - BELOW, "{} {form}: {bound} is below {lower}", self.name);
    }
}

#[test]
fn each_form_reaches_its_optimum() {
    for case in Case::all() {
        let problem = case.problem();
        let first = theorem2(&problem, None);
        assert!(first.converged, "{}", case.name);
        case.assert_optimal(case.exact(&first.witness), "cert");
        let range = bounded_range(&problem, &first);
        assert!(range.converged, "{}", case.name);
        case.assert_optimal(case.exact(&range.witness), "cert_range");
        let error = zero_one(&problem, &first);
        case.assert_optimal(case.exact(&error.witness), "zero_one");
        // What the solver reports in floating point is what the checker proves.
        for found in [&first, &range, &error] {
            let exact = case.exact(&found.witness);
            assert!((found.bound - exact).abs() <= 1e-9 * exact.max(1.0), "{} {}", found.bound, exact);
        }
    }
}

#[test]
fn theorem2_reaches_its_optimum_from_the_solution_of_another_problem() {
    let cases = Case::all();
    for case in &cases {
        let changed = Threat::new(case.threat.poison_rate() * 0.8 + 0.01).unwrap();
        let similar = theorem2(&Problem::new(&case.data, &case.hinge, &changed), None);
        let found = theorem2(&case.problem(), Some(&similar));
        case.assert_optimal(case.exact(&found.witness), "cert");
    }
}

#[test]
fn certify_is_as_good_as_the_best_form() {
    for case in Case::all() {
        let outcome = certify(&case.data, &case.hinge, &case.threat, &Options::default()).unwrap();
        let (loss, name) = (outcome.certified_loss, &case.name);
        case.assert_optimal(loss, "cert_range");
        assert!(outcome.certified_error <= case.reference("zero_one").0.min(1.0) + REACHED, "{name}");
        let lower = case.reference("zero_one").1.min(case.reference("cert_range").1).min(1.0);
        assert!(outcome.certified_error >= lower - BELOW, "{name}");
        let verdict = check(&outcome.certificate, &case.data.as_rows()).unwrap();
        assert_eq!(verdict.loss.to_bits(), loss.to_bits());

        assert_eq!(outcome.status.word(), if loss < 1.0 { "certified" } else { "vacuous" }, "{name}");
        let benign = number(&case.json["benign"]["loss"]);
        assert!((outcome.benign.loss - benign).abs() <= 1e-8, "{name}: {} {benign}", outcome.benign.loss);
        assert!(loss >= benign - BELOW);
        if let Some(attack) = case.json["attack"]["loss"].as_f64() {
            assert!(attack <= loss + BELOW, "{name}: an attack reaches {attack}, certified is {loss}");
        }
    }
}

/// The start outside the ball leaves Theorem 2 only; the bound for many steps approaches the long-run bound.
#[test]
fn certify_from_a_far_start() {
    for case in Case::all() {
        let far = 2.0 / case.hinge.regularization();
        let start = Some(vec![far; case.data.dimension()]);
        let options = Options { horizon: Some(1 << 50), start };
        let outcome = certify(&case.data, &case.hinge, &case.threat, &options).unwrap();
        assert_eq!(outcome.certificate.loss.witness.method(), "convexity");
        case.assert_optimal(outcome.certified_loss, "cert");
        let horizon = outcome.horizon_loss.unwrap();
        assert!(horizon > outcome.certified_loss && horizon < outcome.certified_loss + 1e-4, "{horizon}");
    }
}

/// At the number of transient steps the start adds 1 %, and no other m adds less.
#[test]
fn certify_the_transient() {
    let mut in_a_ball = 0;
    for case in Case::all() {
        let name = &case.name;
        let at = |steps: f64| {
            let options = Options { horizon: Some(steps as u64), start: None };
            certify(&case.data, &case.hinge, &case.threat, &options).unwrap()
        };
        let steps = at(1.0).transient_steps;
        assert!((1.0..1e12).contains(&steps), "{name}: {steps}");
        let outcome = at(steps);
        let (loss, bound) = (outcome.certified_loss, outcome.horizon_loss.unwrap());
        let added = bound - loss;
        let least = 0.01 * loss * (steps - 1.0) / steps;
        assert!(added <= 0.01 * loss + 1e-9 && added >= least - 1e-9, "{name}: {added} {loss}");

        let (witness, horizon) = (&outcome.certificate.loss.witness, outcome.certificate.horizon.unwrap());
        if let Witness::BoundedRange { .. } = witness {
            in_a_ball += usize::from(horizon.m > 0.0);
            let rows = case.data.as_rows();
            let proven = prove(&case.learner, witness, &rows).unwrap();
            for m in [0.0, 0.5 * horizon.m, 0.99 * horizon.m, 1.01 * horizon.m + 1e-6, 1.0, 1e3] {
                let other = proven.horizon(horizon.steps, &horizon.start, m).unwrap();
                assert!(other >= bound * (1.0 - 1e-12), "{name}: {m} {other} {bound}");
            }
        }
    }
    println!("{in_a_ball} cases with m > 0");
    assert!(in_a_ball > 0);
}

/// α near 0: from the minimum of λ over R^d the bound would be above 100.
#[test]
fn the_first_steps_of_strongly_regularized_learning() {
    let data = Dataset::sample().unwrap();
    let (hinge, threat) = (Hinge::new(0.01, 1.0).unwrap(), Threat::new(0.02).unwrap());
    let options = Options { horizon: Some(1_000_000), start: None };
    let outcome = certify(&data, &hinge, &threat, &options).unwrap();
    let (loss, bound) = (outcome.certified_loss, outcome.horizon_loss.unwrap());
    assert_eq!(outcome.certificate.loss.witness.method(), "bounded-range");
    assert!(outcome.certificate.horizon.unwrap().m > 0.0);
    assert!(bound < loss + 1e-4 && outcome.transient_steps < 1e4, "{bound} {}", outcome.transient_steps);
}

fn mean_setting(case: &Value) -> MeanSetting {
    let [eta, eps, r] = ["eta", "eps", "r"].map(|name| number(&case[name]));
    MeanSetting::new(eta, eps, r, trace(&case["Sigma"]), trace(&case["S"])).unwrap()
}

#[test]
fn mean_estimation_reaches_the_closed_form() {
    let cases = mean_cases();
    assert_eq!(cases.len(), 11);
    for case in cases {
        let setting = mean_setting(&case);
        let value = number(&case["closed"]["value"]);
        let near = |x: f64, reference: f64| (x - reference).abs() <= 1e-12 * reference.abs().max(1e-300);
        assert!(near(setting.bound(), value), "{} {} {value}", case["name"], setting.bound());
        let outcome = certify_mean(&setting).unwrap();
        let loss = outcome.certified_loss;
        assert!(loss <= value * (1.0 + 1e-9), "{} {loss} {value}", case["name"]);
        assert!(loss >= value * (1.0 - 1e-12), "{} {loss} {value}", case["name"]);
        assert!(near(outcome.benign_loss, number(&case["benign"]["loss"])), "{}", case["name"]);
        assert!(near(outcome.attack_loss, number(&case["constant_attack_loss"])), "{}", case["name"]);
        assert!(outcome.attack_loss <= loss * (1.0 + 1e-12));
        let none = Rows { z: &[], dimension: 0, weights: None };
        assert_eq!(check(&outcome.certificate, &none).unwrap().loss.to_bits(), loss.to_bits());
    }
}

/// Samples ±√(dλ_j)·e_j have mean 0 and covariance diag(λ) exactly when the roots are exact.
#[test]
fn mean_estimation_of_samples_with_known_moments() {
    // d = 4, variances 1, 4, 0.25, 1/16: roots of dλ are 2, 4, 1, 1/2.
    let roots = [2.0, 4.0, 1.0, 0.5];
    let mut z = Vec::new();
    for (j, root) in roots.iter().enumerate() {
        for sign in [1.0, -1.0] {
            let mut row = [3.0, -1.0, 0.5, 7.0];
            row[j] += sign * root;
            z.extend(row);
        }
    }
    let variance = 1.0 + 4.0 + 0.25 + 1.0 / 16.0;
    for (weights, scale) in [(None, 1.0), (Some(vec![0.125; 8]), 1.0), (Some(vec![3.0; 8]), 1.0)] {
        let data = Dataset::from_rows(z.clone(), 4, weights).unwrap();
        for (eta, eps, r, noise) in [(0.01, 0.15, 2.0, 0.0), (0.5, 0.3, 1.0, 0.25), (1.5, 0.01, 9.0, 0.0)] {
            let outcome = MeanOutcome::of_samples(&data, eta, eps, r, noise).unwrap();
            let setting = MeanSetting::new(eta, eps, r, scale * variance, noise).unwrap();
            let ratio = outcome.certified_loss / setting.bound();
            assert!((1.0 - 1e-12..1.0 + 1e-9).contains(&ratio), "{ratio}");
            assert!((outcome.benign_loss / setting.benign_loss() - 1.0).abs() < 1e-12);
            assert!((outcome.attack_loss / setting.constant_attack_loss() - 1.0).abs() < 1e-12);
            check(&outcome.certificate, &data.as_rows()).unwrap();
        }
    }
    // Only the rows with weight count.
    let weights = vec![1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let data = Dataset::from_rows(z, 4, Some(weights)).unwrap();
    let outcome = MeanOutcome::of_samples(&data, 0.1, 0.1, 1.0, 0.0).unwrap();
    let bound = MeanSetting::new(0.1, 0.1, 1.0, 4.0, 0.0).unwrap().bound();
    assert!((outcome.certified_loss / bound - 1.0).abs() < 1e-9);
}
