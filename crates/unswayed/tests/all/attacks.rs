//! Attacks and simulation: against reference values, against each other, and against the certificates.

use unswayed::attack::{Attack, Effort, Fixed, Policy, Suite, fixed_point};
use unswayed::learner::{LANES, LinearState, Online, Padded};
use unswayed::simulate::Verdict;
use unswayed::{AttackError, Dataset, Problem, certify, data};

use crate::fixtures::reference::{HingeCase, hinge_cases, numbers};
use crate::fixtures::{budget, mnist, norm};

/// The reference cases that have an attack.
fn cases() -> Vec<HingeCase> {
    hinge_cases().into_iter().filter(|case| case.attack().is_some()).collect()
}

/// The embedded sample, with this learner and adversary.
fn sampled(eta: f64, sigma: f64, eps: f64) -> Problem {
    let data = data::sample().unwrap();
    Problem::builder(data).learning_rate(eta).regularization(sigma).poison_rate(eps).build().unwrap()
}

#[test]
fn the_resting_place_of_a_constant_point_is_exact() {
    for case in cases() {
        let point = numbers(&case.json["attack"]["u"]);
        let (found, loss) = (fixed_point(&case.problem(), &point).unwrap().loss, case.attack().unwrap());
        assert!((found - loss).abs() < 1e-8, "{}: {found} for {loss}", case.name);
    }
}

#[test]
fn the_search_finds_what_is_known_and_never_beats_a_certificate() {
    let mut weak = vec![];
    for case in cases() {
        let (problem, reference) = (case.problem(), case.attack().unwrap());
        let suite = Suite::new(&problem).unwrap().with_seed(1);
        let found = suite.run(&[Attack::SteadyState]).unwrap().remove(0).steady.unwrap();
        let percent = 100.0 * (found.loss / reference - 1.0);
        println!("{}: {:.6} found, {reference:.6} the reference, {percent:+.2} %", case.name, found.loss);
        if found.loss < 0.98 * reference {
            weak.push(format!("{}: {} for {reference}", case.name, found.loss));
        }
        let certified = case.reference("cert_range").0;
        assert!(found.loss <= certified + 1e-9, "{}: {} above {certified}", case.name, found.loss);
        assert!(norm(&found.point) <= 1.0 + 1e-12);
    }
    assert!(weak.is_empty(), "{weak:#?}");
}

/// The steady states that the evolution strategy used to reach: one seed, η = 0.001, ε = 5 %.
#[test]
fn on_mnist_the_search_is_as_strong_as_the_evolution_strategy_was() {
    for (sigma, eps, before) in FORMERLY {
        let problem = Problem::builder(mnist(500)).learning_rate(1e-3).regularization(sigma).poison_rate(eps);
        let problem = problem.build().unwrap();
        let suite = Suite::new(&problem).unwrap();
        let found = suite.run(&[Attack::SteadyState]).unwrap().remove(0).steady.unwrap().loss;
        println!("σ {sigma} ε {eps}: {found:.5}, formerly {before:.5}");
        assert!(found >= 0.99 * before, "σ {sigma} ε {eps}: {found} of {before}");
    }
}

/// σ, ε and the loss.
const FORMERLY: [(f64, f64, f64); 2] = [(0.01, 0.01, 0.1158), (0.01, 0.05, 0.2015)];

#[test]
fn no_attack_is_above_the_certificate_by_more_than_its_interval() {
    for case in cases() {
        let (problem, certified) = (case.problem(), case.reference("cert_range").0);
        let certified_error = certify(&problem).unwrap().certified_error.unwrap();
        for attacked in Suite::new(&problem).unwrap().run(&Attack::FAST).unwrap() {
            let (loss, error) = (attacked.simulated.loss, attacked.simulated.error.unwrap());
            assert!(loss.low() <= certified, "{}: {} {loss:?}", case.name, attacked.attack.name());
            assert!(error.low() <= certified_error, "{}: {} {error:?}", case.name, attacked.attack.name());
        }
    }
}

#[test]
fn the_simulated_loss_is_the_settled_one_for_a_small_learning_rate() {
    let case = cases().into_iter().find(|c| c.name == "blob-10-3").unwrap();
    let problem = case.problem().with_rates(1e-4, case.setting.sigma).unwrap();
    let suite = Suite::new(&problem).unwrap();
    let attacked = &suite.run(&[Attack::SteadyState]).unwrap()[0];
    let (settled, loss) = (attacked.steady.as_ref().unwrap().loss, attacked.simulated.loss);
    assert!((loss.mean - settled).abs() < loss.half_width + 0.01 * settled, "{loss:?} for {settled}");
    assert_eq!(attacked.simulated.verdict, Verdict::Stationary);
}

#[test]
fn on_mnist_the_steady_state_attack_is_the_strongest() {
    for sigma in [1e-2, 3e-2] {
        let problem = sampled(1e-3, sigma, 0.05);
        let certified = certify(&problem).unwrap().certified_loss;
        let suite = Suite::new(&problem).unwrap();
        let results = suite.run(&[Attack::LabelFlip, Attack::Fgsm, Attack::SteadyState]).unwrap();
        let [flip, fgsm, steady] = [0, 1, 2].map(|i| results[i].simulated.loss);
        assert!(steady.low() > fgsm.high() && fgsm.low() > flip.high(), "{flip:?} {fgsm:?} {steady:?}");
        assert!(steady.low() < certified);
    }
}

/// What the attacks on the error and on the loss reach where the learner settles, and that no certificate is below.
#[test]
fn on_mnist_the_attack_on_the_error_reaches_twice_the_error_of_the_attack_on_the_loss() {
    for (eps, least) in ERRORS {
        let problem = sampled(1e-4, 0.01, eps);
        let outcome = certify(&problem).unwrap();
        let suite = Suite::new(&problem).unwrap();
        let (error, loss) = (suite.settled_error().unwrap().unwrap(), suite.settled().unwrap());
        println!("ε {eps}: error {error}, certified {:?}; loss {loss}", outcome.certified_error);
        assert!(error >= least, "ε {eps}: {error} of {least}");
        assert!(error <= outcome.certified_error.unwrap() && loss <= outcome.certified_loss);
    }
}

/// ε and the error.
const ERRORS: [(f64, f64); 2] = [(0.01, 0.026), (0.05, 0.068)];

#[test]
fn the_simulated_error_is_the_settled_one_for_a_small_learning_rate() {
    let problem = Problem::builder(mnist(100)).loss("logistic".parse().unwrap());
    let problem = problem.learning_rate(1e-4).regularization(0.1).poison_rate(0.1).build().unwrap();
    let attacked = Suite::new(&problem).unwrap().run(&[Attack::SteadyStateError]).unwrap().remove(0);
    let (settled, error) = (attacked.steady.unwrap().error.unwrap(), attacked.simulated.error.unwrap());
    assert!((error.mean - settled).abs() < error.half_width + 0.01, "{error:?} for {settled}");
}

#[test]
fn tuning_pays_where_the_learning_rate_is_large() {
    let case = cases().into_iter().find(|c| c.name == "eps-0.4").unwrap();
    let problem = case.problem();
    let suite = Suite::new(&problem).unwrap();
    let results = suite.run(&[Attack::SteadyState, Attack::Tuned]).unwrap();
    let (steady, tuned) = (results[0].simulated.loss, results[1].simulated.loss);
    assert!(tuned.mean > steady.mean, "{tuned:?} {steady:?}");
    assert!(tuned.low() <= case.reference("cert_range").0);
}

/// θ' = (1 − ησ)θ + ηz where θᵀz ≤ 1, else without z.
fn hinge_step(eta: f64, sigma: f64, theta: &mut [f64], z: &[f64]) {
    let gain = if theta.iter().zip(z).map(|(t, z)| t * z).sum::<f64>() <= 1.0 { eta } else { 0.0 };
    theta.iter_mut().zip(z).for_each(|(t, z)| *t = (1.0 - eta * sigma) * *t + gain * z);
}

/// θ of the engine (padded lanes) against the step as it is written, step by step.
#[test]
fn the_engine_makes_the_learner_s_steps() {
    let data = data::sample().unwrap();
    for (eta, sigma) in [(1e-3, 1e-2), (0.5, 1.9), (0.3, 0.03)] {
        let problem = sampled(eta, sigma, 0.0);
        let learner = problem.learner();
        let rows = Padded::new(data.iter(), data.dimension());
        let mut state = LinearState::new(learner, data.dimension());
        let (mut theta, mut fast) = (vec![0.0; data.dimension()], vec![0.0; data.dimension()]);
        for step in 0..20_000 {
            let i = step * 7919 % data.rows();
            assert_eq!(rows.row(i).len(), data.dimension().div_ceil(LANES));
            hinge_step(eta, sigma, &mut theta, data.row(i));
            let mut once = vec![0.0; data.dimension()];
            LinearState::update(learner, &mut once, data.row(i));
            assert!(once.iter().zip(data.row(i)).all(|(t, z)| (t - eta * z).abs() < 1e-15));
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
    let problem = sampled(0.01, 0.1, 0.05);
    let run = |threads, seed| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let suite = Suite::new(&problem).unwrap().with_seed(seed);
        pool.install(|| {
            suite.run(&[Attack::LabelFlip, Attack::SteadyState, Attack::SteadyStateError]).unwrap()
        })
        .iter()
        .map(|a| a.simulated.loss.mean)
        .collect::<Vec<_>>()
    };
    assert_eq!(run(1, 0), run(2, 0));
    assert_ne!(run(2, 0), run(2, 1));
}

#[test]
fn without_attack_the_loss_is_near_the_benign_one() {
    let problem = sampled(1e-3, 0.03, 0.0);
    let suite = Suite::new(&problem).unwrap();
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
    let problem = sampled(0.01, 0.1, 0.05);
    let suite = Suite::new(&problem).unwrap();
    let error = suite.simulate(&Cheater).unwrap_err();
    assert!(matches!(error, AttackError::OutsideSet { .. }));
    assert_eq!(
        error.to_string(),
        "policy \"cheater\" chose a point of norm 1.5, outside the adversary's set of radius 1"
    );
    let nan = Fixed::new("nan", vec![f64::NAN; problem.columns()]);
    assert!(suite.simulate(&nan).is_err());
}

#[test]
fn held_out_data_are_measured_too_and_must_fit() {
    let (problem, test) = (sampled(0.01, 0.1, 0.05), data::sample_test().unwrap());
    let suite = Suite::new(&problem).unwrap().with_test(&test).unwrap();
    let simulated = &suite.run(&[Attack::None]).unwrap()[0].simulated;
    assert!(simulated.test_loss.unwrap().mean > 0.0 && simulated.test_error.unwrap().mean < 0.1);
    let narrow = Dataset::from_rows(vec![0.5, 0.5], 1, None).unwrap();
    assert!(Suite::new(&problem).unwrap().with_test(&narrow).is_err());
}

#[test]
fn the_points_an_attack_sends_are_in_the_set() {
    let data = data::sample().unwrap().first(100).unwrap();
    let builder = Problem::builder(data).learning_rate(0.01).regularization(0.1).poison_rate(0.05);
    let problem = builder.radius(0.5).build().unwrap();
    let suite = Suite::new(&problem).unwrap().with_effort(Effort::Fast);
    // Tuning is the same search with more simulations.
    let attacks = &Attack::ALL[..budget(Attack::ALL.len() - 1, Attack::ALL.len())];
    for attack in attacks {
        let points = suite.poison_points(*attack, 20).unwrap();
        // Nobody sends nothing.
        let count = if *attack == Attack::None { 0 } else { 20 };
        assert_eq!(points.len(), count * problem.columns());
        for point in points.chunks(problem.columns()) {
            assert!(norm(point) <= 0.5 + 1e-9, "{}", attack.name());
        }
    }
}

/// A time is an amount of work: the same attack each time, and a longer search for more of it.
#[test]
fn a_longer_time_is_more_work() {
    let problem = sampled(0.01, 0.1, 0.05);
    let run = |text: &str| {
        let suite = Suite::new(&problem).unwrap().with_effort(text.parse().unwrap());
        let attacked = suite.run(&[Attack::Fgsm, Attack::SteadyState]).unwrap();
        (
            suite.settled().unwrap(),
            attacked.iter().map(|a| (a.simulated.steps, a.simulated.loss.mean)).collect(),
        )
    };
    let short: (f64, Vec<(u64, f64)>) = run("1s");
    assert_eq!(short, run("1s"));
    let long = run("4s");
    assert!(long.0 >= short.0 - 1e-9, "{long:?} {short:?}");
    assert!(long.1[0].0 > short.1[0].0, "{long:?} {short:?}");
    // A minute is enough for all attacks.
    let usual = |text: &str| Suite::new(&problem).unwrap().with_effort(text.parse().unwrap()).usual();
    assert_eq!(usual("59s"), usual("fast"));
    assert_eq!(usual("60s"), usual("full"));
    assert_eq!("2m".parse::<Effort>(), "120s".parse());
    for bad in ["", "s", "0s", "5", "-1s", "5 s", "1.5s", "quick", "99999999m"] {
        assert!(bad.parse::<Effort>().is_err(), "{bad}");
    }
}
