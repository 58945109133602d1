//! Momentum through the whole library: the worst case on a line by value iteration, bounds beside plain steps, attacks.

use unswayed::attack::{Attack, Suite};
use unswayed::certify::{Options, certify_with};
use unswayed::check::Loss;
use unswayed::{Adversary, Column, Dataset, LossName, Problem, ProblemBuilder, certify};

use crate::fixtures::rows;

const ROWS: [f64; 4] = [0.9, 0.6, -0.3, 0.4];

/// Loss and its negative slope at the margin s.
fn margin(loss: Loss, s: f64) -> (f64, f64) {
    match loss {
        Loss::Logistic => ((-s).exp().ln_1p(), 1.0 / (1.0 + s.exp())),
        _ => ((1.0 - s).max(0.0), f64::from(u8::from(s <= 1.0))),
    }
}

/// A grid of θ and of its last move, with a number at each place.
struct Plane {
    steps: [f64; 2],
    counts: [usize; 2],
    values: Vec<f64>,
}

impl Plane {
    /// All |θ| ≤ `ranges[0]` and all moves up to `ranges[1]`.
    fn new(ranges: [f64; 2], cells: [usize; 2]) -> Self {
        let counts = cells.map(|cells| 2 * cells + 1);
        let steps = [ranges[0] / cells[0] as f64, ranges[1] / cells[1] as f64];
        Plane { steps, counts, values: vec![0.0; counts[0] * counts[1]] }
    }

    fn place(&self, i: usize) -> [f64; 2] {
        let at = |k: usize, i: usize| (i as f64 - (self.counts[k] / 2) as f64) * self.steps[k];
        [at(0, i / self.counts[1]), at(1, i % self.counts[1])]
    }

    /// Between the four places around a state.
    fn at(&self, state: [f64; 2]) -> f64 {
        let [(i, x), (j, y)] = [0, 1].map(|k| {
            let exact = state[k] / self.steps[k] + (self.counts[k] / 2) as f64;
            let low = (exact.floor().max(0.0) as usize).min(self.counts[k] - 2);
            (low, exact - low as f64)
        });
        let value = |i: usize, j: usize| self.values[i * self.counts[1] + j];
        let row = |i: usize| (1.0 - y) * value(i, j) + y * value(i, j + 1);
        (1.0 - x) * row(i) + x * row(i + 1)
    }
}

/// The largest long-run loss that an adversary who sends points of a grid in [−1, 1] can reach, up to the width of the grid: the
/// state is θ and its last move.
fn worst(problem: &Problem, cells: [usize; 2]) -> f64 {
    let learner = problem.learner();
    let (eta, sigma, mu) = (learner.learning_rate, learner.regularization, learner.momentum.unwrap());
    let eps = problem.threat().poison_rate;
    let mut plane = Plane::new([1.0 / sigma, 2.0 * eta / (1.0 - mu)], cells);
    let points: Vec<f64> = (-4..=4).map(|i| f64::from(i) / 4.0).collect();
    let next = |[theta, moved]: [f64; 2], z: f64| {
        let move_ = mu * moved + eta * (margin(learner.loss, theta * z).1 * z - sigma * theta);
        [theta + move_, move_]
    };
    let mut bracket = [f64::NEG_INFINITY, f64::INFINITY];
    for _ in 0..2000 {
        let improved = |i: usize| {
            let state = plane.place(i);
            let benign = ROWS.iter().map(|z| plane.at(next(state, *z))).sum::<f64>() / 4.0;
            let own = points.iter().map(|z| plane.at(next(state, *z))).fold(f64::NEG_INFINITY, f64::max);
            let loss = ROWS.iter().map(|z| margin(learner.loss, state[0] * z).0).sum::<f64>() / 4.0;
            loss + (1.0 - eps) * benign + eps * own
        };
        let values: Vec<f64> = (0..plane.values.len()).map(improved).collect();
        let gains = values.iter().zip(&plane.values).map(|(new, old)| new - old);
        let (low, high) = gains.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), g| (l.min(g), h.max(g)));
        bracket = [low, high];
        let base = values[values.len() / 2];
        plane.values = values.into_iter().map(|value| value - base).collect();
        if high - low < 1e-4 {
            break;
        }
    }
    assert!(bracket[1] - bracket[0] < 1e-3, "{bracket:?}");
    f64::midpoint(bracket[0], bracket[1])
}

fn on_a_line(loss: Loss, mu: f64, eta: f64) -> ProblemBuilder {
    let builder = Problem::builder(rows(ROWS.to_vec(), 1)).loss(LossName::Of(loss)).poison_rate(0.15);
    builder.learning_rate(eta).regularization(0.3).momentum(mu)
}

/// The truth is between the attacks and the certificate.
#[test]
fn on_a_line_the_worst_case_is_between_attack_and_certificate() {
    for (loss, mu, eta) in [(Loss::Hinge, 0.4, 0.1), (Loss::Hinge, 0.7, 0.05), (Loss::Logistic, 0.5, 0.2)] {
        let problem = on_a_line(loss, mu, eta).build().expect("a problem");
        let [coarse, fine] = [[50, 16], [100, 32]].map(|cells| worst(&problem, cells));
        let room = 1.5 * (coarse - fine).abs() + 2e-3;
        let outcome = certify(&problem).expect("a bound");
        let suite = Suite::new(&problem).expect("attacks");
        let attacked = suite.run(&[Attack::SteadyState, Attack::Pgd]).expect("attacks");
        let attack = attacked.iter().map(|one| one.simulated.loss.low()).fold(0.0, f64::max);
        let bound = outcome.certified_loss;
        println!(
            "{loss:?} μ {mu} η {eta}: attack {attack:.4}, worst {fine:.4} ± {room:.4}, bound {bound:.4}"
        );
        assert!(attack <= fine + room, "{attack} {fine}");
        assert!(fine - room <= bound && bound < 1.6 * fine, "{fine} {bound}");
    }
}

fn sample() -> Dataset {
    unswayed::data::sample().expect("the sample").first(100).expect("rows")
}

fn learning(eta: f64) -> ProblemBuilder {
    Problem::builder(sample()).learning_rate(eta).regularization(0.05).poison_rate(0.03)
}

/// The bound is above that of plain steps at η/(1−μ), by little, and that of Theorem M1 is not below it.
#[test]
fn momentum_costs_little_more_than_its_rate() {
    for (loss, set) in
        [("hinge", Adversary::Ball), ("logistic", Adversary::Ball), ("hinge", Adversary::LabelFlips)]
    {
        let with = |builder: ProblemBuilder| {
            certify(&builder.loss(loss.parse().unwrap()).adversary(set.clone()).build().unwrap())
                .expect("a bound")
        };
        let (eta, mu) = (1e-3, 0.75);
        let found = with(learning(eta).momentum(mu));
        let (plain, first) =
            (with(learning(eta / (1.0 - mu))), with(learning(eta * (1.0 + mu) / (1.0 - mu).powi(2))));
        let bound = found.certified_loss;
        assert!(bound >= plain.certified_loss - 1e-6 && bound <= first.certified_loss + 1e-6, "{loss} {set}");
        let more = (bound - plain.certified_loss) / (first.certified_loss - plain.certified_loss);
        assert!(more < 0.25, "{loss} {set}: {more}");
        let cost = found.momentum_cost.expect("a cost");
        assert!(cost > 0.0 && cost < 0.01 * bound, "{cost}");
        assert!(found.certified_error.unwrap() <= 1.0 && plain.momentum_cost.is_none());
    }
}

/// The figures of docs/theory.md.
#[test]
fn figures() {
    let data = unswayed::data::sample().expect("the sample");
    for (eta, mu, eps, wanted) in
        [(1e-4, 0.9, 0.01, 0.12222), (1e-3, 0.5, 0.01, 0.12248), (1e-2, 0.9, 0.05, 0.26863)]
    {
        let builder = Problem::builder(data.clone()).learning_rate(eta).regularization(0.01).poison_rate(eps);
        let found =
            certify(&builder.momentum(mu).build().expect("a problem")).expect("a bound").certified_loss;
        assert!((found - wanted).abs() < 2e-5, "{eta} {mu} {eps}: {found}");
    }
}

/// Every variant that is supported has a bound, which no simulated attack exceeds, and one for the first steps.
#[test]
fn variants_have_bounds_that_attacks_stay_below() {
    let base = || learning(5e-3).momentum(0.6);
    let more = sample().first(50).expect("rows");
    let two =
        Problem::builder(vec![sample(), more]).learning_rate(5e-3).regularization(0.05).poison_rate(0.03);
    let cases = [
        base(),
        base().batch(4),
        base().clip(0.4).adversary(Adversary::Any),
        base().adversary(Adversary::BoxAroundData),
        base().adversary(Adversary::LabelFlips),
        base().loss(LossName::Of(Loss::SmoothHinge(0.5))),
        base().bias(Column::FromEnd(1)),
        two.momentum(0.6),
    ];
    for builder in cases {
        let problem = builder.build().expect("a problem");
        let outcome = certify_with(&problem, &Options::default().with_horizon(2000)).expect("a bound");
        let bound = outcome.certified_loss;
        assert!(outcome.horizon_loss.unwrap() < 1.2, "{:?}", outcome.horizon_loss);
        assert!(outcome.transient_steps.is_finite());
        let suite = Suite::new(&problem).expect("attacks");
        for one in suite.run(&[Attack::SteadyState, Attack::Fgsm]).expect("attacks") {
            assert!(
                one.simulated.loss.low() <= bound,
                "{:?}: {:?} {bound}",
                problem.learner(),
                one.simulated.loss
            );
        }
        // At the rate of Theorem M1 there is nothing to pay.
        let is_first = problem.data().len() > 1 || !problem.learner().unregularized.is_empty();
        assert_eq!(outcome.momentum_cost == Some(0.0), is_first, "{:?}", problem.learner());
    }
}

#[test]
fn momentum_of_zero_is_none_and_what_is_not_proved_is_refused() {
    let plain = learning(1e-3).build().expect("a problem");
    assert_eq!(learning(1e-3).momentum(0.0).build().expect("a problem").statement(), plain.statement());
    let words = |builder: ProblemBuilder| builder.build().expect_err("a refusal").to_string();
    for momentum in [-0.1, 1.0, f64::NAN] {
        assert!(words(learning(1e-3).momentum(momentum)).contains("momentum"));
    }
    assert!(words(learning(0.1).momentum(0.9)).contains("4·momentum"));
    assert!(words(learning(1e-3).momentum(0.5).projection(3.0)).contains("momentum with a projection"));
    assert!(words(learning(1e-3).momentum(0.5).decay(unswayed::Decay::Inverse)).contains("momentum"));
    let problem = learning(1e-3).momentum(0.5).build().expect("a problem");
    let refused = certify_with(&problem, &Options::default().with_confidence(0.9)).expect_err("a refusal");
    assert!(refused.to_string().contains("confidence for new data with momentum"), "{refused}");
}
