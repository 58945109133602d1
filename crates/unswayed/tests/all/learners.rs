//! The certificates of docs/learners.md against reference values: as good as those, and above what attacks reach.

use unswayed::attack::{Attack, Suite};
use unswayed::certify::{Options, certify_with};
use unswayed::check::{Certificate, Loss};
use unswayed::{Adversary, Column, Dataset, Decay, LossName, Problem, ProblemBuilder, certify};

use crate::fixtures::reference::{learner_cases, learner_problem, number};
use crate::fixtures::{budget, is_full, mnist, rows, verdict};

#[test]
fn bounds_are_as_good_as_the_reference_and_hold() {
    for case in learner_cases() {
        let (name, problem) = (case["name"].as_str().unwrap(), learner_problem(&case));
        let outcome = certify(&problem).unwrap_or_else(|e| panic!("{name}: {e}"));
        verdict(&problem, &outcome.certificate).unwrap();
        let of_error = name.contains("error");
        let found = if of_error { outcome.certified_error.unwrap() } else { outcome.certified_loss };
        let value = number(&case["value"]);
        println!("{name}: {found} (reference {value}, {})", outcome.status);
        assert!(found <= value + 1e-5, "{name}: {found} above {value}");
        for below in ["fixed_point", "simulated"] {
            if let Some(loss) = case[below].as_f64() {
                assert!(loss <= found + 1e-3, "{name}: {below} {loss} above {found}");
            }
        }
    }
}

/// The learner of docs/learners.md, Section 13.
fn on(data: Dataset, poison_rate: f64) -> ProblemBuilder {
    Problem::builder(data).learning_rate(1e-3).regularization(0.01).poison_rate(poison_rate)
}

fn hinge(poison_rate: f64) -> ProblemBuilder {
    on(mnist(500), poison_rate)
}

fn bound(problem: ProblemBuilder) -> f64 {
    certify(&problem.build().unwrap()).unwrap().certified_loss
}

/// Bounds of docs/learners.md, Section 13, up to their rounding; some of programs in another language and with another solver.
#[test]
fn steps_and_targets_are_as_good_as_the_reference() {
    let logistic = |eps| hinge(eps).loss(LossName::Of(unswayed::check::Loss::Logistic));
    let any = |eps| hinge(eps).adversary(Adversary::Any);
    let drift = |eps: f64| {
        let data = mnist(500);
        let sevens = data.iter().filter(|z| z[30] < 0.0).count() as f64;
        let shifted = |share: f64| {
            let weight =
                |z: &[f64]| if z[30] < 0.0 { share / sevens } else { (1.0 - share) / (500.0 - sevens) };
            let weights = Some(data.iter().map(weight).collect());
            Dataset::from_rows(data.z().to_vec(), 31, weights).unwrap()
        };
        Problem::builder(vec![shifted(0.8), shifted(0.2)])
            .learning_rate(1e-3)
            .regularization(0.01)
            .poison_rate(eps)
    };
    let quick = vec![
        ("ball", hinge(0.01), 0.1222),
        ("ball", hinge(0.05), 0.2469),
        ("projection 3", hinge(0.01).projection(3.0), 0.2805),
        ("projection 3", hinge(0.05).projection(3.0), 0.3420),
        ("projection 6", hinge(0.01).projection(6.0), 0.1222),
        ("projection 6", hinge(0.05).projection(6.0), 0.2456),
        // A clip at 1 leaves the rows as they are and makes every adversary one of radius 1.
        ("any point, clipped at 1", any(0.05).clip(1.0), 0.2470),
        ("batches", hinge(0.05).batch(32), 0.2469),
        ("label-only", hinge(0.01).adversary(Adversary::LabelFlips), 0.1169),
        ("logistic, label-only", logistic(0.05).adversary(Adversary::LabelFlips), 0.3138),
        ("logistic, any point", logistic(0.05).adversary(Adversary::Any).clip(0.5), 0.3599),
    ];
    let slow = vec![
        ("box", hinge(0.01).adversary(Adversary::BoxAroundData), 0.1394),
        ("box", hinge(0.05).adversary(Adversary::BoxAroundData), 0.3929),
        ("ellipsoid", hinge(0.01).adversary(Adversary::EllipsoidAroundData), 0.1512),
        ("ellipsoid", hinge(0.05).adversary(Adversary::EllipsoidAroundData), 0.5405),
        ("label-only", hinge(0.05).adversary(Adversary::LabelFlips), 0.1478),
        ("finite set", hinge(0.01).adversary(Adversary::Flips), 0.1149),
        ("finite set", hinge(0.05).adversary(Adversary::Flips), 0.1975),
        ("any point, clipped", any(0.01).clip(0.5), 0.1212),
        ("any point, clipped", any(0.05).clip(0.5), 0.1777),
        ("drift", drift(0.01), 0.1481),
        ("drift", drift(0.05), 0.2923),
        ("logistic", logistic(0.01), 0.3097),
        ("logistic", logistic(0.05), 0.4248),
        ("logistic, box", logistic(0.01).adversary(Adversary::BoxAroundData), 0.3176),
        ("logistic, box", logistic(0.05).adversary(Adversary::BoxAroundData), 0.4330),
        ("logistic, label-only", logistic(0.01).adversary(Adversary::LabelFlips), 0.2892),
        ("logistic, any point", logistic(0.01).adversary(Adversary::Any).clip(0.5), 0.2973),
    ];
    for (name, problem, reference) in quick.into_iter().chain(if is_full() { slow } else { vec![] }) {
        let began = std::time::Instant::now();
        let found = bound(problem);
        println!("{name}: {found:.5} against {reference}, in {:.1} s", began.elapsed().as_secs_f64());
        assert!((found - reference).abs() < 2e-4, "{name}: {found} against {reference}");
    }
}

#[test]
fn a_target_of_other_rows_has_a_bound() {
    let (data, all) = (mnist(60), mnist(75));
    let target = rows(all.z()[60 * 31..].to_vec(), 31);
    let problem = on(data, 0.005).regularization(0.1).target(target).build().unwrap();
    let outcome = certify(&problem).unwrap();
    assert!(outcome.certified_loss < 1.0, "{}", outcome.certified_loss);
    let certificate = Certificate::from_bytes(&outcome.certificate.to_bytes()).unwrap();
    let again = verdict(&problem, &certificate).unwrap().loss;
    assert_eq!(again.to_bits(), outcome.certified_loss.to_bits());
}

/// More rows than the program sees: each of 250 rows, in four coordinates, 24 times is the same data.
#[test]
fn a_sample_is_almost_enough() {
    type Make = fn(ProblemBuilder) -> ProblemBuilder;
    let all = mnist(250);
    let few = rows(all.iter().flat_map(|z| [z[0], z[1], z[2], z[30]]).collect(), 4);
    let many = rows(few.z().repeat(24), 4);
    let learners: [(Make, f64); 3] = [
        (|problem| problem.adversary(Adversary::BoxAroundData), 0.02),
        (|problem| problem.adversary(Adversary::LabelFlips), 0.03),
        (|problem| problem.loss(LossName::Of(unswayed::check::Loss::Logistic)), 1e-5),
    ];
    // The logistic one takes two minutes.
    for (make, room) in learners.into_iter().take(budget(2, 3)) {
        let [less, more] = [&few, &many].map(|data| bound(make(on(data.clone(), 0.05))));
        assert!(more > less - 1e-6 && more < less * (1.0 + room), "{more} against {less}");
    }
}

/// Samples of a distribution on few points, for which bound and attack are known: what holds with probability 0.9 must hold in most.
#[test]
fn confidence_covers_the_distribution() {
    for loss in [Loss::Hinge, Loss::Logistic] {
        confidence_covers(loss);
    }
}

fn confidence_covers(loss: Loss) {
    let support = [[0.6, 0.5], [0.7, -0.1], [0.2, 0.8], [-0.3, 0.4]];
    let learning = |data: Dataset| {
        on(data, 0.05).loss(LossName::Of(loss)).learning_rate(0.01).regularization(0.1).build().unwrap()
    };
    let truth = learning(rows(support.concat(), 2));
    let attacked = Suite::new(&truth).unwrap().run(&[Attack::SteadyState]).unwrap();
    let reached = attacked[0].steady.as_ref().unwrap().loss;
    let best = certify(&truth).unwrap().certified_loss;
    let mut state: u64 = 1;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        support[(state >> 62) as usize]
    };
    // Logistic rows take longer.
    let samples = if loss == Loss::Hinge { budget(10, 30) } else { budget(3, 20) };
    let (mut below_best, mut below_reached) = (0, 0);
    for _ in 0..samples {
        let z: Vec<f64> = (0..400).flat_map(|_| draw()).collect();
        let options = Options::default().with_confidence(0.9);
        let found = certify_with(&learning(rows(z, 2)), &options).unwrap().new_data_loss.unwrap();
        assert!(found < 2.0, "{found}");
        below_best += usize::from(found < best);
        below_reached += usize::from(found < reached);
    }
    assert!(below_best * 10 <= samples && below_reached == 0, "{below_best} {below_reached}");
}

/// Without slabs the bounds are 0.1213 and 0.3600.
#[test]
fn an_unregularized_column_is_proved_in_slabs() {
    for (eps, reference) in [(0.01, 0.0589), (0.05, 0.2366)] {
        let found = bound(on(mnist(80), eps).bias(Column::FromEnd(1)));
        assert!(found <= reference, "{eps}: {found} against {reference}");
    }
}

/// The adversary's entry is that of every row, ±c₀; against a ball of the same largest norm the bound is 0.2302.
#[test]
fn a_fixed_entry_is_worth_more_than_a_ball() {
    let radius = (1.0_f64 - 0.179_605_13_f64.powi(2)).sqrt();
    let asked = on(mnist(80), 0.05).bias(Column::FromEnd(1)).adversary(Adversary::Features).radius(radius);
    let found = bound(asked);
    assert!(found <= 0.1852, "{found}");
    let varied = on(mnist(80), 0.05).bias(Column::Index(0)).adversary(Adversary::Features);
    assert!(varied.build().unwrap_err().to_string().contains("not all of one size"));
    let without = on(mnist(80), 0.05).adversary(Adversary::Features);
    assert!(without.build().unwrap_err().to_string().contains("bias"));
}

/// A bound for the first steps: by the first rate where averages are plain, by their sum where they are weighted.
#[test]
fn rates_that_change_have_a_horizon() {
    let options = Options::default().with_horizon(100_000);
    let plain = on(mnist(50), 0.02).decay(Decay::Inverse).build().unwrap();
    let found = certify_with(&plain, &options).unwrap();
    assert!(found.horizon_loss > Some(found.certified_loss));
    let mut slower = options.clone();
    slower.first_rate = Some(2.5e-4);
    assert!(certify_with(&plain, &slower).unwrap().horizon_loss > found.horizon_loss);
    let weighted = on(mnist(50), 0.02).decay(Decay::Weighted).build().unwrap();
    assert!(certify_with(&weighted, &options).unwrap_err().to_string().contains("add up to"));
    let mut summed = options;
    summed.total_rate = Some(50.0);
    let long = certify_with(&weighted, &summed).unwrap().horizon_loss;
    summed.total_rate = Some(5.0);
    assert!(certify_with(&weighted, &summed).unwrap().horizon_loss > long);
}

#[test]
fn what_cannot_be_is_refused_in_words() {
    let hinge = || on(mnist(50), 0.05);
    let refusal = |problem: ProblemBuilder, options: &Options| match problem.build() {
        Ok(problem) => certify_with(&problem, options).unwrap_err().to_string(),
        Err(error) => error.to_string(),
    };
    let plain = Options::default();
    assert!(refusal(hinge().adversary(Adversary::Any), &plain).contains("clip"));
    for confidence in [0.0, 1.0, f64::NAN] {
        let options = Options::default().with_confidence(confidence);
        assert!(refusal(hinge(), &options).starts_with("confidence"));
    }
    let options = Options::default().with_confidence(0.9);
    let smooth = refusal(hinge().loss(LossName::Of(unswayed::check::Loss::ModifiedHuber)), &options);
    assert!(smooth.contains("loss"), "{smooth}");
    let options = Options::default().with_horizon(10).with_start(vec![0.0]);
    assert!(refusal(hinge(), &options).contains("31"));
    assert!(refusal(hinge(), &Options::default().with_horizon(0)).contains("horizon 0"));
}

/// Settings in which the search, or the place of rest, once went wrong.
#[test]
#[expect(clippy::unreadable_literal, reason = "numbers as they were drawn")]
fn data_that_were_hard_stay_easy() {
    let free = [
        -0.1502015381946077,
        -0.2965658880006188,
        -1.0,
        -0.1671504278493295,
        0.008117807219376607,
        -1.0,
        -0.2843638256288016,
        0.33439558420574383,
        -1.0,
    ];
    let learning = |data: Vec<Dataset>| {
        Problem::builder(data)
            .loss(LossName::Of(unswayed::check::Loss::Logistic))
            .learning_rate(0.7193470958925859)
            .regularization(0.0285667467350094)
            .poison_rate(0.008910508896624314)
            .radius(0.310791501047698)
            .bias(Column::Index(2))
    };
    let data = rows(free.to_vec(), 3);
    let drift = bound(learning(vec![data.clone(), data.clone()]));
    let alone = bound(learning(vec![data]));
    assert!((drift - alone).abs() < 1e-3, "{drift} against {alone}");

    let projected = [
        0.44190479796393756,
        0.2651111623091838,
        0.4150204235373709,
        0.19317285949533755,
        0.3048235416553495,
        0.06349522425503167,
        -0.010796832681427983,
        0.1394830135706961,
        0.20090809087167205,
        0.6392754586999586,
        0.25790489641997677,
        -0.003712193085137968,
        0.056064379297554964,
        0.6876843069913346,
    ];
    let problem = on(rows(projected.to_vec(), 2), 0.0)
        .learning_rate(0.01)
        .regularization(0.12300402841061778)
        .projection(1.767247225616011)
        .radius(0.3)
        .build()
        .unwrap();
    let benign = Suite::new(&problem).unwrap().benign().loss;
    let bound = certify(&problem).unwrap().certified_loss;
    assert!(benign <= bound && bound < 0.357, "{benign} against {bound}");
}

/// A learning rate that falls like 1/(σt) costs something, one that falls more slowly next to nothing, and the average of all models
/// has the loss bound of the last one but no error bound beyond it.
#[test]
fn learning_rates_that_fall_and_averages() {
    let builder = |sigma: f64, eps: f64| {
        Problem::builder(unswayed::data::sample().unwrap().first(150).unwrap())
            .learning_rate(1e-3)
            .regularization(sigma)
            .poison_rate(eps)
    };
    for (sigma, eps) in [(0.01, 0.01), (0.01, 0.02), (0.03, 0.05)] {
        let bound = |builder: ProblemBuilder| certify(&builder.build().unwrap()).unwrap();
        let constant = bound(builder(sigma, eps));
        let falling = bound(builder(sigma, eps).decay(Decay::Inverse));
        let slow = bound(builder(sigma, eps).decay(Decay::Slow));
        let still = bound(builder(sigma, eps).decay(Decay::Slowdown(0.0)));
        println!(
            "σ = {sigma}, ε = {eps}: {} constant, {} slow, {} falling",
            constant.certified_loss, slow.certified_loss, falling.certified_loss
        );
        assert!((still.certified_loss - constant.certified_loss).abs() < 2e-3 * constant.certified_loss);
        assert!(still.certified_loss <= slow.certified_loss && slow.certified_loss < falling.certified_loss);
        assert!(slow.certified_loss < 1.01 * constant.certified_loss);
        assert!(falling.certified_loss < 1.25 * constant.certified_loss);
        let average = bound(builder(sigma, eps).average(true));
        assert_eq!(average.certified_loss.to_bits(), constant.certified_loss.to_bits());
        assert_eq!(average.certified_error.map(f64::to_bits), Some(average.certified_loss.to_bits()));
        assert!(average.certificate.error.is_none());
    }
    // What attacks are measured by, an average of losses, is not the loss of an average.
    let average = builder(0.01, 0.01).average(true).build().unwrap();
    assert!(unswayed::attack::Suite::new(&average).unwrap().attacks().is_empty());
    // Another regularization has another schedule.
    let problem = builder(0.01, 0.01).decay(Decay::Inverse).build().unwrap();
    let other = problem.with_rates(1e-3, 0.02).unwrap();
    assert_eq!(other.learner().schedule.unwrap().slowdown.to_bits(), 0.02_f64.to_bits());
}

#[test]
fn the_squared_loss_is_refused_with_the_reason() {
    for name in ["squared", "squared_error", "mse"] {
        let message = name.parse::<unswayed::LossName>().expect_err("a refusal").to_string();
        assert!(message.contains("move its learner anywhere") && message.contains("huber="), "{message}");
    }
    assert!("huber=0.5".parse::<unswayed::LossName>().is_ok());
}
