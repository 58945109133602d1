//! Attacks and simulation: against reference values, against each other, and against the certificates.

use serde_json::Value;
use unswayed::attack::{Attack, Effort, Fixed, MeanLearner, Policy, Suite, attack_mean, fixed_point};
use unswayed::certify::{Options, certify};
use unswayed::simulate::Verdict;
use unswayed::{AttackError, Dataset, Hinge, Threat};

struct Case {
    name: String,
    data: Dataset,
    learner: Hinge,
    threat: Threat,
    loss: f64,
    point: Vec<f64>,
    certified: f64,
}

/// The reference cases that have an attack.
fn cases() -> Vec<Case> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../unswayed-check/tests/oracles/hinge.json");
    let cases: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let with_attack = cases.as_array().unwrap().iter().filter(|c| !c["attack"].is_null());
    with_attack
        .map(|c| {
            let number = |name: &str| c[name].as_f64().unwrap();
            let rows = c["Z"].as_array().unwrap();
            let z = rows.iter().flat_map(numbers).collect();
            Case {
                name: c["name"].as_str().unwrap().to_owned(),
                data: Dataset::from_rows(z, rows[0].as_array().unwrap().len(), None).unwrap(),
                learner: Hinge::new(number("eta"), number("sigma")).unwrap(),
                threat: Threat::new(number("eps")).unwrap(),
                loss: c["attack"]["loss"].as_f64().unwrap(),
                point: numbers(&c["attack"]["u"]),
                certified: c["cert_range"]["value"].as_f64().unwrap(),
            }
        })
        .collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

#[test]
fn the_resting_place_of_a_constant_point_is_exact() {
    for case in cases() {
        let found = fixed_point(&case.data, &case.learner, &case.threat, &case.point).unwrap();
        assert!((found.loss - case.loss).abs() < 1e-8, "{}: {} for {}", case.name, found.loss, case.loss);
    }
}

#[test]
fn the_search_finds_what_is_known_and_never_beats_a_certificate() {
    for case in cases() {
        let suite = Suite::new(&case.data, &case.learner, &case.threat).with_seed(1);
        let found = suite.run(&[Attack::SteadyState]).unwrap().remove(0).steady.unwrap();
        assert!(found.loss >= 0.98 * case.loss, "{}: {} for {}", case.name, found.loss, case.loss);
        assert!(
            found.loss <= case.certified + 1e-9,
            "{}: {} above {}",
            case.name,
            found.loss,
            case.certified
        );
        let norm: f64 = found.point.iter().map(|u| u * u).sum();
        assert!(norm <= 1.0 + 1e-12);
    }
}

#[test]
fn no_attack_is_above_the_certificate_by_more_than_its_interval() {
    for case in cases() {
        let suite = Suite::new(&case.data, &case.learner, &case.threat);
        for attacked in suite.run(&Attack::FAST).unwrap() {
            let loss = attacked.simulated.loss;
            assert!(loss.low() <= case.certified, "{}: {} {loss:?}", case.name, attacked.attack.name());
        }
    }
}

#[test]
fn the_simulated_loss_is_the_settled_one_for_a_small_learning_rate() {
    let case = cases().into_iter().find(|c| c.name == "blob-10-3").unwrap();
    let learner = Hinge::new(1e-4, case.learner.regularization()).unwrap();
    let suite = Suite::new(&case.data, &learner, &case.threat);
    let attacked = &suite.run(&[Attack::SteadyState]).unwrap()[0];
    let (settled, loss) = (attacked.steady.as_ref().unwrap().loss, attacked.simulated.loss);
    assert!((loss.mean - settled).abs() < loss.half_width + 0.01 * settled, "{loss:?} for {settled}");
    assert_eq!(attacked.simulated.verdict, Verdict::Stationary);
}

#[test]
fn on_mnist_the_steady_state_attack_is_the_strongest() {
    let data = Dataset::sample().unwrap();
    let threat = Threat::new(0.05).unwrap();
    for sigma in [1e-2, 3e-2] {
        let learner = Hinge::new(1e-3, sigma).unwrap();
        let certified = certify(&data, &learner, &threat, &Options::default()).unwrap().certified_loss;
        let suite = Suite::new(&data, &learner, &threat);
        let results = suite.run(&[Attack::LabelFlip, Attack::Fgsm, Attack::SteadyState]).unwrap();
        let [flip, fgsm, steady] = [0, 1, 2].map(|i| results[i].simulated.loss);
        assert!(steady.low() > fgsm.high() && fgsm.low() > flip.high(), "{flip:?} {fgsm:?} {steady:?}");
        assert!(steady.low() < certified);
    }
}

#[test]
fn tuning_pays_where_the_learning_rate_is_large() {
    let case = cases().into_iter().find(|c| c.name == "eps-0.4").unwrap();
    let suite = Suite::new(&case.data, &case.learner, &case.threat);
    let results = suite.run(&[Attack::SteadyState, Attack::Tuned]).unwrap();
    let (steady, tuned) = (results[0].simulated.loss, results[1].simulated.loss);
    assert!(tuned.mean > steady.mean, "{tuned:?} {steady:?}");
    assert!(tuned.low() <= case.certified);
}

/// θ of the engine (lazy scaling, padded lanes) against the learner's own update, step by step.
#[test]
fn the_engine_makes_the_learner_s_steps() {
    use unswayed::learner::{HingeState, LANES, Online, Padded};
    let data = Dataset::sample().unwrap();
    for (eta, sigma) in [(1e-3, 1e-2), (0.5, 1.9), (0.3, 0.03)] {
        let learner = Hinge::new(eta, sigma).unwrap();
        let rows = Padded::new(data.iter(), data.dimension());
        let mut state = HingeState::new(eta, sigma, data.dimension());
        let (mut theta, mut fast) = (vec![0.0; data.dimension()], vec![0.0; data.dimension()]);
        for step in 0..20_000 {
            let i = step * 7919 % data.rows();
            assert_eq!(rows.row(i).len(), data.dimension().div_ceil(LANES));
            learner.update(&mut theta, data.row(i));
            state.step(rows.row(i));
        }
        state.theta(&mut fast);
        let scale = theta.iter().fold(0.0_f64, |m, t| m.max(t.abs()));
        for (a, b) in theta.iter().zip(&fast) {
            assert!((a - b).abs() < 1e-9 * scale, "{a} {b}");
        }
    }
}

#[test]
fn results_depend_on_the_seed_and_not_on_the_threads() {
    let data = Dataset::sample().unwrap();
    let learner = Hinge::new(0.01, 0.1).unwrap();
    let threat = Threat::new(0.05).unwrap();
    let run = |threads, seed| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let suite = Suite::new(&data, &learner, &threat).with_seed(seed);
        pool.install(|| suite.run(&[Attack::LabelFlip, Attack::SteadyState]).unwrap())
            .iter()
            .map(|a| a.simulated.loss.mean)
            .collect::<Vec<_>>()
    };
    assert_eq!(run(1, 0), run(2, 0));
    assert_ne!(run(2, 0), run(2, 1));
}

#[test]
fn without_attack_the_loss_is_near_the_benign_one() {
    let data = Dataset::sample().unwrap();
    let suite = Suite::new(&data, &Hinge::new(1e-3, 0.03).unwrap(), &Threat::new(0.0).unwrap());
    let nobody = &suite.run(&[Attack::None]).unwrap()[0].simulated;
    assert!(nobody.loss.mean > suite.benign().loss && nobody.loss.mean < 1.1 * suite.benign().loss);
}

#[derive(Clone)]
struct Cheater;

impl Policy for Cheater {
    fn name(&self) -> &'static str {
        "cheater"
    }
    fn choose(&mut self, _: &[f64], z: &mut [f64]) {
        z[0] = 1.5;
    }
}

#[test]
fn a_point_outside_the_set_is_an_error_with_name_and_norm() {
    let data = Dataset::sample().unwrap();
    let suite = Suite::new(&data, &Hinge::new(0.01, 0.1).unwrap(), &Threat::new(0.05).unwrap());
    let error = suite.simulate(&Cheater).unwrap_err();
    assert!(matches!(error, AttackError::OutsideSet { .. }));
    assert_eq!(
        error.to_string(),
        "policy \"cheater\" chose a point of norm 1.5, outside the adversary's set of radius 1"
    );
    let nan = Fixed::new("nan", vec![f64::NAN; data.dimension()]);
    assert!(suite.simulate(&nan).is_err());
}

#[test]
fn held_out_data_are_measured_too_and_must_fit() {
    let (data, test) = (Dataset::sample().unwrap(), Dataset::sample_test().unwrap());
    let (learner, threat) = (Hinge::new(0.01, 0.1).unwrap(), Threat::new(0.05).unwrap());
    let suite = Suite::new(&data, &learner, &threat).with_test(&test).unwrap();
    let simulated = &suite.run(&[Attack::None]).unwrap()[0].simulated;
    assert!(simulated.test_loss.unwrap().mean > 0.0 && simulated.test_error.unwrap().mean < 0.1);
    let narrow = Dataset::from_rows(vec![0.5, 0.5], 1, None).unwrap();
    assert!(Suite::new(&data, &learner, &threat).with_test(&narrow).is_err());
}

#[test]
fn the_points_an_attack_sends_are_in_the_set() {
    let data = Dataset::sample().unwrap();
    let threat = Threat::new(0.05).unwrap().with_radius(0.5).unwrap();
    let suite = Suite::new(&data, &Hinge::new(0.01, 0.1).unwrap(), &threat).with_effort(Effort::Fast);
    for attack in Attack::ALL {
        let points = suite.poison_points(attack, 20).unwrap();
        assert_eq!(points.len(), 20 * data.dimension());
        for point in points.chunks(data.dimension()) {
            assert!(point.iter().map(|z| z * z).sum::<f64>().sqrt() <= 0.5 + 1e-9, "{}", attack.name());
        }
    }
}

/// Four points with mean 0 and tr Σ = 1, so that everything is known.
#[test]
fn pushing_a_mean_outward_is_stronger_than_a_constant_point_and_below_the_certificate() {
    let samples = Dataset::from_rows(vec![1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, -1.0], 2, None).unwrap();
    let (eta, eps, r) = (0.01, 0.15, 2.0);
    let outcome = unswayed::certify::MeanOutcome::of_samples(&samples, eta, eps, r, 0.0).unwrap();
    let attacked = attack_mean(&samples, &MeanLearner::plain(eta), eps, r, Effort::Fast, 0).unwrap();
    assert!(attacked.loss.low() < outcome.certified_loss, "{attacked:?}");
    assert!(attacked.loss.high() > outcome.attack_loss, "{attacked:?} {}", outcome.attack_loss);
}
