//! The reference values for the hinge learner against a ball, reached by `certify`.

use unswayed::certify::{Options, certify_with, horizon_bounds};
use unswayed::check::{Evidence, Horizon, RowBound, Rows, prove};
use unswayed::{Problem, certify, data};

use crate::fixtures::reference::{HingeCase, hinge_cases, number};
use crate::fixtures::{cases, mnist, verdict};

/// How far above the reference value the solver may stay.
const REACHED: f64 = 1e-6;
/// How far below the lower bound on the optimum a proven value may be: rounding of the reference.
const BELOW: f64 = 1e-9;

fn assert_optimal(case: &HingeCase, bound: f64, form: &str) {
    let (value, lower) = case.reference(form);
    assert!(bound <= value + REACHED, "{} {form}: {bound} is above {value}", case.name);
    assert!(bound >= lower - BELOW, "{} {form}: {bound} is below {lower}", case.name);
}

#[test]
fn certify_is_as_good_as_the_best_form() {
    for case in hinge_cases() {
        let problem = case.problem();
        let outcome = certify(&problem).unwrap();
        let (loss, name) = (outcome.certified_loss, &case.name);
        assert_optimal(&case, loss, "cert_range");
        let error = outcome.certified_error.expect("an error");
        assert!(error <= case.reference("zero_one").0.min(1.0) + REACHED, "{name}");
        let lower = case.reference("zero_one").1.min(case.reference("cert_range").1).min(1.0);
        assert!(error >= lower - BELOW, "{name}");
        let checked = verdict(&problem, &outcome.certificate).unwrap();
        assert_eq!(checked.loss.to_bits(), loss.to_bits());
        assert_eq!(checked.error, outcome.certified_error);

        assert_eq!(outcome.status.to_string(), if loss < 1.0 { "certified" } else { "vacuous" }, "{name}");
        let benign = number(&case.json["benign"]["loss"]);
        assert!((outcome.benign.loss - benign).abs() <= 1e-8, "{name}: {} {benign}", outcome.benign.loss);
        assert!(loss >= benign - BELOW);
        if let Some(attack) = case.attack() {
            assert!(attack <= loss + BELOW, "{name}: an attack reaches {attack}, certified is {loss}");
        }
    }
}

/// The start outside the ball leaves Theorem 2 only; the bound for many steps approaches the long-run bound.
#[test]
fn certify_from_a_far_start() {
    for case in hinge_cases() {
        let far = vec![2.0 / case.setting.sigma; case.setting.data.dimension()];
        let options = Options::default().with_horizon(1 << 50).with_start(far);
        let outcome = certify_with(&case.problem(), &options).unwrap();
        assert_eq!(outcome.certificate.loss.proof.method(), "convexity");
        assert_optimal(&case, outcome.certified_loss, "cert");
        let horizon = outcome.horizon_loss.unwrap();
        assert!(horizon > outcome.certified_loss && horizon < outcome.certified_loss + 1e-4, "{horizon}");
    }
}

/// At the number of transient steps the start adds 1 %, and no other m adds less.
#[test]
fn certify_the_transient() {
    let mut in_a_ball = 0;
    for case in hinge_cases() {
        let (name, problem) = (&case.name, case.problem());
        let at = |steps: f64| certify_with(&problem, &Options::default().with_horizon(steps as u64)).unwrap();
        let steps = at(1.0).transient_steps;
        assert!((1.0..1e12).contains(&steps), "{name}: {steps}");
        let outcome = at(steps);
        let start = vec![0.0; problem.parameters()];
        let steps = steps as u64;
        let bound =
            horizon_bounds(&problem, &certify(&problem).unwrap().certificate, &start, &[steps]).unwrap()[0];
        assert!(outcome.horizon_loss.unwrap() <= bound, "{name}");
        let (loss, steps) = (outcome.certified_loss, steps as f64);
        let added = bound - loss;
        let least = 0.01 * loss * (steps - 1.0) / steps;
        assert!(added <= 0.01 * loss + 1e-9 && added >= least - 1e-9, "{name}: {added} {loss}");

        let claim = &outcome.certificate.loss;
        if cases(claim).rows == RowBound::Interval {
            let rows = [Rows::of(&problem.data()[0])];
            let evidence = Evidence { data: &rows, target: None };
            let proven = prove(problem.statement(), &claim.proof, &evidence).unwrap();
            let horizon = Horizon { steps: steps as u64, start, ..Horizon::default() };
            in_a_ball += usize::from(proven.horizon(&horizon, 0.0).unwrap() > bound * (1.0 + 1e-9));
            for other in [0.0, 1e-6, 1e-3, 0.01, 0.1, 1.0, 1e3] {
                let with = proven.horizon(&horizon, other).unwrap();
                assert!(with >= bound * (1.0 - 1e-12), "{name}: {other} {with} {bound}");
            }
        }
    }
    println!("{in_a_ball} cases with m > 0");
    assert!(in_a_ball > 0);
}

fn sampled(sigma: f64, eps: f64) -> unswayed::ProblemBuilder {
    let data = data::sample().unwrap();
    Problem::builder(data).learning_rate(0.01).regularization(sigma).poison_rate(eps)
}

/// α near 0: from the minimum of λ over R^d the bound would be above 100.
#[test]
fn the_first_steps_of_strongly_regularized_learning() {
    let problem = sampled(1.0, 0.02).build().unwrap();
    let outcome = certify_with(&problem, &Options::default().with_horizon(1_000_000)).unwrap();
    let (loss, bound) = (outcome.certified_loss, outcome.horizon_loss.unwrap());
    assert_eq!(outcome.certificate.loss.proof.method(), "bounded-range");
    assert!(outcome.certificate.horizon.unwrap().m > 0.0);
    assert!(bound < loss + 1e-4 && outcome.transient_steps < 1e4, "{bound} {}", outcome.transient_steps);
}

/// Theorem L14: the size of a batch does not enter the bound.
#[test]
fn batches_change_no_bound_at_all() {
    let same = |one: &Problem, batches: &Problem| {
        let [one, five] = [one, batches].map(|problem| certify(problem).unwrap());
        assert_eq!(one.certified_loss.to_bits(), five.certified_loss.to_bits());
        assert_eq!(one.certified_error.map(f64::to_bits), five.certified_error.map(f64::to_bits));
        assert_eq!(one.certificate.loss, five.certificate.loss);
        assert_eq!(five.certificate.statement.learner.batch, 5);
    };
    for case in hinge_cases() {
        let setting = &case.setting;
        let builder = Problem::builder(setting.data.clone()).learning_rate(setting.eta);
        let builder = builder.regularization(setting.sigma).poison_rate(setting.eps).radius(setting.radius);
        same(&case.problem(), &builder.batch(5).build().unwrap());
    }
    for eps in [0.01, 0.05] {
        let mnist = || Problem::builder(mnist(500)).learning_rate(1e-3).regularization(0.01).poison_rate(eps);
        same(&mnist().build().unwrap(), &mnist().batch(5).build().unwrap());
        let projected = || mnist().projection(6.0);
        same(&projected().build().unwrap(), &projected().batch(5).build().unwrap());
    }
}

/// A projection on a ball that the learner never leaves has a bound no worse than Theorem 2.
#[test]
fn a_projection_that_never_acts_costs_next_to_nothing() {
    for case in hinge_cases() {
        let setting = &case.setting;
        let ball = setting.largest() / setting.sigma;
        let bound = |radius: Option<f64>| {
            let builder = Problem::builder(setting.data.clone()).learning_rate(setting.eta);
            let builder =
                builder.regularization(setting.sigma).poison_rate(setting.eps).radius(setting.radius);
            let problem = match radius {
                Some(radius) => builder.projection(radius).build().unwrap(),
                None => builder.build().unwrap(),
            };
            let outcome = certify(&problem).unwrap();
            verdict(&problem, &outcome.certificate).unwrap();
            outcome.certified_loss
        };
        let free = bound(None);
        for factor in [1.0, 3.0] {
            let kept = bound(Some(factor * ball * (1.0 + 1e-12)));
            println!("{}: {free} free, {kept} with a projection on {factor} times the ball", case.name);
            // Theorem L15 restricts λ although the projection does nothing; Theorem 2 is what is left at worst.
            let room = case.reference("cert").0 + REACHED;
            assert!(kept <= room, "{}: {kept} with a projection, {free} without", case.name);
        }
    }
}
