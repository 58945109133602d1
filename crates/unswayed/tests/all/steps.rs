//! Step weights through the whole library: bounds, attacks and simulations.

use unswayed::attack::{Attack, Suite};
use unswayed::check::{ClassWeights, PoisonWeight};
use unswayed::data::{ClassWeightPolicy, RawLabels, Reading, Table};
use unswayed::{Adversary, Column, Dataset, PoisonWeightPolicy, Problem, ProblemBuilder, certify};

fn sample() -> Dataset {
    unswayed::data::sample().expect("the sample").first(80).expect("rows")
}

fn build(builder: ProblemBuilder, loss: &str, adversary: &Adversary) -> Problem {
    let builder = builder.loss(loss.parse().expect("a loss")).adversary(adversary.clone());
    builder.poison_rate(0.05).build().expect("a problem")
}

/// With one weight c for all rows and points, the learner is the plain one with the rates ηc and σ/c.
#[test]
fn one_weight_for_all_is_another_learning_rate() {
    let (eta, sigma, c) = (0.01, 0.1, 2.0);
    let weighted = sample().with_step_weights(vec![c; 80]).expect("weights");
    let losses = ["hinge", "logistic", "smooth-hinge=0.5"];
    let sets = [Adversary::Ball, Adversary::BoxAroundData, Adversary::EllipsoidAroundData];
    for (loss, set) in losses.iter().zip(&sets).chain([(&losses[1], &sets[0]), (&losses[0], &sets[1])]) {
        let own = Problem::builder(weighted.clone()).learning_rate(eta).regularization(sigma);
        let plain = Problem::builder(sample()).learning_rate(c * eta).regularization(sigma / c);
        let [own, plain] = [own, plain].map(|builder| build(builder, loss, set));
        let [a, b] = [&own, &plain].map(|problem| certify(problem).expect("a bound"));
        let difference = (a.certified_loss - b.certified_loss).abs();
        // The search for an ellipsoid stops a little earlier with weights.
        let most = if *set == Adversary::EllipsoidAroundData { 0.02 } else { 5e-3 };
        assert!(difference < most * b.certified_loss, "{loss} {set}: off by {difference}");
        assert!((a.benign.loss - b.benign.loss).abs() < 1e-6, "{loss} {set}");
        let [a, b] =
            [&own, &plain].map(|problem| Suite::new(problem).expect("attacks").settled().expect("rest"));
        assert!((a - b).abs() < 0.05 * b, "{loss} {set}: {a} {b}");
    }
}

/// The simulated loss under attack stays below the bound, for weights of classes and of rows.
#[test]
fn attacks_stay_below_the_bound() {
    let table = sample().table().clone();
    let given = ClassWeightPolicy::Given(vec![("1".to_owned(), 2.0), ("-1".to_owned(), 0.5)]);
    for (policy, loss) in [(ClassWeightPolicy::Balanced, "logistic"), (given, "hinge")] {
        let reading = Reading { class_weights: Some(policy), ..Reading::default() };
        let data = table.clone().into_dataset(&reading).expect("data");
        assert!(data.origin().to_string().contains("are multiplied by"));
        let problem = Problem::builder(data).learning_rate(0.01).regularization(0.1);
        let problem = build(problem, loss, &Adversary::Ball);
        let bound = certify(&problem).expect("a bound").certified_loss;
        let suite = Suite::new(&problem).expect("attacks");
        let attacked = suite.run(&[Attack::SteadyState, Attack::Fgsm, Attack::LabelFlip]).expect("attacks");
        for one in &attacked {
            assert!(
                one.simulated.loss.mean < bound,
                "{loss} {:?}: {:?} {bound}",
                one.attack,
                one.simulated.loss
            );
        }
        assert!(attacked[0].simulated.loss.mean > suite.benign().loss);
        // A step weight of the adversary that is larger than stated would break it sooner or later; a smaller one lowers it.
        let smaller = Problem::builder(problem.data()[0].clone()).learning_rate(0.01).regularization(0.1);
        let smaller = build(smaller.poison_weight(0.25), loss, &Adversary::Ball);
        assert!(certify(&smaller).expect("a bound").certified_loss < bound);
    }
}

/// Where the learner appends the constant, points of each class have the weight of that class, and the bound is smaller than with the
/// larger weight for both. Attacks stay below it.
#[test]
fn points_have_the_weight_of_their_class() {
    let table = sample().table().clone();
    let given = ClassWeightPolicy::Given(vec![("1".to_owned(), 0.5), ("-1".to_owned(), 2.0)]);
    let reading = Reading { class_weights: Some(given), ..Reading::default() };
    let data = table.into_dataset(&reading).expect("data");
    let with = |change: &dyn Fn(ProblemBuilder) -> ProblemBuilder| {
        let builder = Problem::builder(data.clone()).learning_rate(0.01).regularization(0.1);
        build(change(builder.bias(Column::FromEnd(1))), "hinge", &Adversary::Features)
    };
    let by_class = with(&|builder| builder);
    let weights = ClassWeights { negative: 2.0, positive: 0.5 };
    assert_eq!(by_class.threat().poison_weight, Some(PoisonWeight::ByClass(weights)));
    let bound = |problem: &Problem| certify(problem).expect("a bound").certified_loss;
    let (own, all) = (bound(&by_class), bound(&with(&|builder| builder.poison_weight(2.0))));
    assert!(own < all, "{own} {all}");
    for attack in [Attack::SteadyState, Attack::Fgsm, Attack::Pgd] {
        let attacked = Suite::new(&by_class).expect("attacks").run(&[attack]).expect("an attack");
        let reached = attacked[0].simulated.loss.mean;
        assert!(reached < own, "{attack:?}: {reached} {own}");
    }
    let named = |weights: [(&str, f64); 2]| {
        PoisonWeightPolicy::ByLabel(weights.map(|(label, weight)| (label.to_owned(), weight)).to_vec())
    };
    let small = with(&|builder| builder.poison_weight(named([("1", 0.1), ("-1", 0.2)])));
    assert!(bound(&small) < own);
    // A constant that is negative shows the other class: the larger weight is that of all.
    let x = vec![0.3, -0.5, -0.4, -0.5, 0.2, -0.5];
    let table = Table { y: Some(RawLabels::Numbers(vec![1.0, -1.0, 1.0])), ..Table::new(x, 2) };
    let turned = Problem::builder(table.into_dataset(&reading).expect("data"))
        .learning_rate(0.01)
        .regularization(0.1)
        .poison_rate(0.05)
        .bias(Column::FromEnd(1))
        .adversary(Adversary::Features)
        .build()
        .expect("a problem");
    assert_eq!(turned.threat().poison_weight, Some(PoisonWeight::All(2.0)));
    // Elsewhere a point may be sent with either label: the larger weight is that of all.
    let ball = |policy: PoisonWeightPolicy| {
        let builder =
            Problem::builder(data.clone()).learning_rate(0.01).regularization(0.1).poison_rate(0.05);
        builder.poison_weight(policy).build()
    };
    let problem = ball(named([("1", 0.1), ("-1", 0.2)])).expect("a problem");
    assert_eq!(problem.threat().poison_weight, Some(PoisonWeight::All(0.2)));
    let refused = |policy: PoisonWeightPolicy| ball(policy).expect_err("a refusal").to_string();
    let one = PoisonWeightPolicy::ByLabel(vec![("1".to_owned(), 2.0)]);
    assert!(refused(one).contains("both classes"));
    assert!(refused(named([("1", 2.0), ("0", 2.0)])).contains("both classes"));
    assert!(refused(named([("1", 2.0), ("-1", -2.0)])).contains("poison_weight"));
}

#[test]
fn what_is_not_proved_is_refused() {
    let weighted = || sample().with_step_weights(vec![2.0; 80]).expect("weights");
    let problem = |adversary| {
        let builder = Problem::builder(weighted()).learning_rate(0.01).regularization(0.1).poison_rate(0.05);
        builder.adversary(adversary).build()
    };
    for adversary in [Adversary::Flips, Adversary::LabelFlips] {
        let message = problem(adversary).expect_err("a refusal").to_string();
        assert!(message.contains("weights of steps"), "{message}");
    }
    assert!(weighted().with_step_weights(vec![0.0; 80]).is_err());
    assert!(weighted().with_step_weights(vec![1.0; 79]).is_err());
}
