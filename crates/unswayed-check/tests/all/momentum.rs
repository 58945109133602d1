//! Momentum: random witnesses against a learner that takes such steps, with errors that the search must find, the cost of every set, and
//! the edges of every condition.

use unswayed_check::Feature::{self, *};
use unswayed_check::{Checked, Loss, PoisonWeight, Set};

use crate::common::generic::{ALPHA, EPS, ETA, MOMENTUM, RATE, SIGMA, add_shells, generic, generic_error};
use crate::common::random::{KindOf, improve, kinds};
use crate::common::search::Random;
use crate::common::{Problem, certificate, dot, rounds};

/// The same witness for steps with momentum whose plain rate η̄ is the problem's, with η̄ = (1+ρ)η/(1−μ).
fn with_momentum(problem: &Problem, mu: f64, rho: f64) -> Problem {
    let mut changed = problem.clone();
    let rate = problem.statement.learner.learning_rate;
    changed.statement.learner.learning_rate = rate * (1.0 - mu) / (1.0 + rho);
    changed.statement.learner.momentum = Some(mu);
    changed.proof.rate = Some(rate);
    changed
}

/// Where θ is, and how it moved last: θ − the θ before is ηv.
#[derive(Clone)]
struct State {
    theta: Vec<f64>,
    v: Vec<f64>,
}

/// The Lyapunov function of Theorems M1 and M2, written out.
struct Momentous<'a> {
    /// The problem whose learning rate is η̄ and that has no momentum.
    plain: &'a Problem,
    mu: f64,
    eta: f64,
    /// Whether Theorem M1 serves.
    is_first: bool,
}

impl Momentous<'_> {
    fn weight(&self, i: usize) -> f64 {
        let weights = &self.plain.weights[0];
        let count = self.plain.data[0].len() / self.plain.dimension;
        weights.as_ref().map_or(1.0 / count as f64, |w| w[i] / w.iter().sum::<f64>())
    }

    /// d = g − σθ for a point.
    fn pull(&self, theta: &[f64], z: &[f64]) -> Vec<f64> {
        let next = self.plain.step(theta, z);
        let rate = self.plain.statement.learner.learning_rate;
        next.iter().zip(theta).map(|(next, theta)| (next - theta) / rate).collect()
    }

    /// (1−ε) times the mean of the learner's own loss, and its regularizer.
    fn objective(&self, theta: &[f64]) -> f64 {
        let mut own = self.plain.clone();
        own.proof.rows = unswayed_check::RowBound::BoundedSlope;
        let rows = self.plain.data[0].chunks(self.plain.dimension).enumerate();
        let loss: f64 = rows.map(|(i, z)| self.weight(i) * own.loss(theta, z)).sum();
        let learner = &self.plain.statement.learner;
        (1.0 - self.plain.statement.threat.poison_rate) * loss
            + learner.regularization / 2.0 * dot(theta, theta)
    }

    fn value(&self, state: &State) -> f64 {
        let (alpha, beta) = (self.plain.proof.alpha, &self.plain.proof.beta);
        let (rate, fast) = (self.plain.statement.learner.learning_rate, self.eta / (1.0 - self.mu));
        let at = |share: f64| -> Vec<f64> {
            state.theta.iter().zip(&state.v).map(|(t, v)| t + share * v).collect()
        };
        let y = at(self.mu * fast);
        let quadratic = (alpha * dot(&y, &y) + dot(beta, &y)) / fast;
        let squared = dot(&state.v, &state.v);
        if self.is_first {
            return quadratic + self.mu * alpha * fast * squared;
        }
        let before = at(-self.eta);
        let share = 2.0 * self.mu * alpha * rate / self.eta;
        quadratic + alpha * (rate - fast) * squared + share * self.objective(&before)
    }

    fn after(&self, state: &State, d: &[f64]) -> f64 {
        let v: Vec<f64> = state.v.iter().zip(d).map(|(v, d)| self.mu * v + d).collect();
        let theta = state.theta.iter().zip(&v).map(|(t, v)| t + self.eta * v).collect();
        self.value(&State { theta, v })
    }

    /// What the value grows by in the mean, and the loss.
    fn residual(&self, state: &State, point: &[f64]) -> f64 {
        let (eps, theta) = (self.plain.statement.threat.poison_rate, &state.theta);
        let after = |z: &[f64]| self.after(state, &self.pull(theta, z));
        let flips = self.plain.statement.threat.set == Set::LabelFlips;
        let rows = self.plain.data[0].chunks(self.plain.dimension).enumerate();
        let mut sum = if flips { 0.0 } else { eps * after(point) };
        for (i, z) in rows {
            let weight = self.weight(i);
            sum += weight * ((1.0 - eps) * after(z) + self.plain.loss(theta, z));
            if flips {
                let turned: Vec<f64> = z.iter().map(|z| -z).collect();
                sum += weight * eps * after(z).max(after(&turned));
            }
        }
        sum - self.value(state)
    }

    /// The largest residual found from random starts, by steps that improve.
    fn search(&self, random: &mut Random, starts: usize, steps: usize) -> f64 {
        let parameters = self.plain.proof.beta.len();
        let ball = self.plain.proof.shells.as_ref().map_or(f64::INFINITY, |shells| shells.ball);
        let inside = |theta: Vec<f64>| -> Vec<f64> {
            let f = (ball / dot(&theta, &theta).sqrt()).min(1.0);
            theta.into_iter().map(|x| f * x).collect()
        };
        let mut largest = f64::NEG_INFINITY;
        for _ in 0..starts {
            let size = 10_f64.powf(random.between(-1.0, 1.0));
            let theta = inside(random.normal(parameters).iter().map(|x| size * x).collect());
            let mut point = self.plain.best_point(&theta, random);
            let mut state = State { v: vec![0.0; parameters], theta };
            let mut best = self.residual(&state, &point);
            let mut reach = [size, 1.0];
            for step in 0..steps {
                let which = step % 2;
                let mut new = state.clone();
                let changed = if which == 0 { &mut new.theta } else { &mut new.v };
                changed.iter_mut().zip(random.normal(parameters)).for_each(|(x, s)| *x += reach[which] * s);
                new.theta = inside(new.theta);
                let other = if random.below(2) == 0 {
                    point.clone()
                } else {
                    self.plain.best_point(&new.theta, random)
                };
                let value = self.residual(&new, &other);
                if value > best {
                    (state, point, best) = (new, other, value);
                    reach[which] *= 1.5;
                } else {
                    reach[which] = (reach[which] * 0.95).max(1e-6);
                }
            }
            largest = largest.max(best);
        }
        largest
    }
}

/// The kinds with one dataset and neither projection, schedule, unregularized column, target nor rule.
fn plain_kinds() -> Vec<KindOf> {
    let other =
        ["projected", "schedule", "free", "fixed", "weights", "rows", "drift", "unregularized", "rule"];
    kinds().into_iter().filter(|(name, _)| !other.iter().any(|word| name.contains(word))).collect()
}

/// μ and ρ for which the learner does not swing.
fn draw(problem: &Problem, random: &mut Random) -> (f64, f64) {
    loop {
        let mu: f64 = random.between(0.02, 0.9);
        let most = 2.0 * mu / (1.0 - mu);
        // One time in four beyond the rate of Theorem M1.
        let rho = if random.below(4) == 0 {
            most * random.between(1.001, 1.5)
        } else {
            most * random.between(0.02, 0.9)
        };
        let learner = &problem.statement.learner;
        let decay = learner.learning_rate * learner.regularization * (1.0 - mu) / (1.0 + rho);
        if decay < (1.0 - mu.sqrt()).powi(2) {
            return (mu, rho);
        }
    }
}

fn momentous<'a>(plain: &'a Problem, changed: &Problem, mu: f64, rho: f64) -> Momentous<'a> {
    let eta = changed.statement.learner.learning_rate;
    Momentous { plain, mu, eta, is_first: rho > 2.0 * mu / (1.0 - mu) }
}

#[test]
fn no_state_breaks_a_bound() {
    let kinds = plain_kinds();
    assert!(kinds.len() >= 25, "{}", kinds.len());
    let (mut tried, mut first) = (0, 0);
    for (number, (name, make)) in kinds.into_iter().enumerate() {
        let mut random = Random(500 + number as u64);
        for _ in 0..rounds(3, 30) {
            let plain = make(&mut random);
            let (mu, rho) = draw(&plain, &mut random);
            let changed = with_momentum(&plain, mu, rho);
            let Ok(bound) = changed.bound() else {
                assert!(plain.bound().is_err(), "{name}: {}", changed.complaint());
                continue;
            };
            let found = momentous(&plain, &changed, mu, rho);
            let value = found.search(&mut random, 2, 200);
            assert!(value <= bound + 1e-8 * (1.0 + bound.abs()), "{name}: {value} > {bound}: {changed:?}");
            tried += 1;
            first += usize::from(found.is_first);
        }
    }
    assert!(tried >= 40 && first >= 5 && first < tried, "{first} of {tried}");
}

/// Planted errors: the cost left out, and the rate η/(1−μ) taken for a proof's. A search that did not look at v would find neither.
#[test]
fn errors_are_found() {
    let kinds = plain_kinds();
    let (_, make) = kinds.iter().find(|(name, _)| name == "bounded-slope ball").expect("a kind");
    let mut random = Random(99);
    let (mut tried, mut costs, mut rates) = (0, 0, 0);
    while tried < 8 {
        let mut plain = make(&mut random);
        plain.statement.threat.poison_rate = 0.3;
        plain.statement.learner.regularization = 0.05;
        if plain.bound().is_err() {
            continue;
        }
        improve(&mut plain, &mut random, 400);
        let (mu, rho) = (0.6, 0.2);
        let changed = with_momentum(&plain, mu, rho);
        let (Ok(bound), Ok(without)) = (changed.bound(), plain.bound()) else { continue };
        tried += 1;
        let found = momentous(&plain, &changed, mu, rho).search(&mut random, 6, 400);
        assert!(found <= bound);
        costs += usize::from(found > without + 1e-9);
        // With ρ = 0 nothing is left to pay v with.
        let mut faster = with_momentum(&plain, mu, 1e-9);
        faster.statement.threat.poison_rate = 0.3;
        let search = Momentous { is_first: true, ..momentous(&plain, &faster, mu, 0.0) };
        rates += usize::from(search.search(&mut random, 6, 400) > without + 1e-9);
    }
    assert!(costs >= 2 && rates >= 2, "{costs} and {rates} of {tried}");
}

/// The cost by hand, for every set and the losses with other slopes: the bound is that of plain steps at the rate and the cost.
#[test]
fn costs() {
    const FEW: f64 = 0.014;
    let plain = |features: &[Feature], change: &dyn Fn(&mut Problem)| {
        let mut problem = generic(features);
        change(&mut problem);
        let mut plain = problem.clone();
        plain.statement.learner.learning_rate = FEW;
        let mut changed = problem;
        changed.statement.learner.momentum = Some(MOMENTUM);
        changed.proof.rate = Some(FEW);
        (changed.bound().expect("a bound"), plain.bound().expect("a bound"))
    };
    let of = |longest: f64| {
        (EPS * MOMENTUM * FEW).powi(2) * ALPHA * longest / ((1.0 + MOMENTUM) * ((1.0 - MOMENTUM) * FEW - ETA))
    };
    let points: f64 = 0.75 * 0.75 + 0.25 * 0.25;
    let longest_row = 0.75_f64 * 0.75 + 0.5 * 0.5;
    let nothing = |_: &mut Problem| {};
    let steeper = |p: &mut Problem| p.statement.learner.loss = Loss::Huber(1.5);
    let quantile = |p: &mut Problem| {
        p.statement.learner.loss = Loss::Quantile(0.25);
        p.proof.lines[0].u.fill(0.125);
    };
    let wide = |p: &mut Problem| p.statement.threat.set = Set::Ball { radius: 3.0 };
    let weighted = |p: &mut Problem| p.statement.threat.poison_weight = Some(PoisonWeight::All(2.0));
    let cases: [(&[Feature], &dyn Fn(&mut Problem), f64); 13] = [
        (&[Hinge, Ball], &nothing, 1.0),
        (&[Logistic, Ball], &nothing, 1.0),
        (&[Hinge, Ball], &wide, 9.0),
        (&[Hinge, Box], &nothing, 1.25),
        (&[Hinge, Ellipsoid], &nothing, 1.5),
        (&[Hinge, Points], &nothing, points),
        (&[Hinge, LabelFlips], &nothing, longest_row.max(0.125_f64.powi(2) + 0.875_f64.powi(2))),
        (&[Hinge, AnyPoint, Clip], &nothing, 0.25),
        (&[Multiclass, Ball], &nothing, 6.0),
        (&[Regression, Ball], &steeper, 2.25),
        (&[Regression, Ball, AnyLabel], &quantile, 0.5625),
        (&[Hinge, Ball, StepWeights], &weighted, 4.0),
        (&[Hinge, Ball, TargetRows], &nothing, 1.0),
    ];
    for (features, change, longest) in cases {
        let (with, without) = plain(features, change);
        assert!(
            (with - without - of(longest)).abs() < 1e-12 * (1.0 + with),
            "{features:?}: {}",
            with - without
        );
    }
    // And those of the error; at the rate of Theorem M1 there is no cost, for several datasets and an unregularized column too.
    for features in [&[Hinge, Ball][..], &[Logistic, Ball], &[Hinge, Ball, Drift], &[Hinge, Ball, Bias]] {
        let mut problem = generic_error(&[features, &[Momentum]].concat());
        let with = problem.bound().expect("a bound");
        (problem.statement.learner.momentum, problem.proof.rate) = (None, None);
        problem.statement.learner.learning_rate = RATE;
        assert_eq!(with, problem.bound().expect("a bound"), "{features:?}");
    }
}

fn refusal(change: impl Fn(&mut Problem)) -> String {
    let mut problem = generic(&[Hinge, Ball, Momentum]);
    change(&mut problem);
    problem.complaint()
}

/// Each condition just inside and just outside.
#[test]
fn edges() {
    let accepts = |change: &dyn Fn(&mut Problem)| {
        let mut problem = generic(&[Hinge, Ball, Momentum]);
        change(&mut problem);
        problem.bound().unwrap_or_else(|failure| panic!("{failure}"))
    };
    for momentum in [0.0, -0.25, 1.0, 1.5, f64::NAN] {
        let words = refusal(|p| p.statement.learner.momentum = Some(momentum));
        assert!(words.contains("momentum = ") && words.contains("in (0, 1)"), "{words}");
    }
    accepts(&|p| p.statement.learner.momentum = Some(5e-324));
    // μ = ¼: ησ ≤ ¼ exactly. (The rate is then larger, and σ is what the proof's numbers are made for.)
    let swing = |p: &mut Problem, sigma: f64| {
        p.statement.learner.regularization = sigma;
        (p.statement.learner.learning_rate, p.proof.rate) = (0.5, Some(1.25));
        p.proof.alpha = 64.0;
        p.proof.cases.tau = vec![1000.0];
    };
    accepts(&|p| swing(p, 0.5));
    let words = refusal(|p| swing(p, 0.5_f64.next_up()));
    assert!(words.contains("(1 + momentum − learning_rate·regularization)² − 4·momentum"), "{words}");
    // η̄(1−μ) > η: ¾η̄ > 3/128.
    let slow = |p: &mut Problem, rate: f64| {
        (p.statement.learner.learning_rate, p.proof.rate) = (3.0 / 128.0, Some(rate));
    };
    assert!(accepts(&|p| slow(p, 0.031_25_f64.next_up())) > 1e6);
    let words = refusal(|p| slow(p, 0.031_25));
    assert!(words.contains("rate·(1 − momentum) − learning_rate"), "{words}");
    // η̄(1−μ)² ≥ η(1+μ): 9/16·η̄ ≥ 5/4·η, without cost from there on.
    let fast = |p: &mut Problem, rate: f64| {
        (p.statement.learner.learning_rate, p.proof.rate) = (9.0 / 1024.0, Some(rate));
    };
    let free = accepts(&|p| fast(p, 0.019_531_25));
    let paid = accepts(&|p| fast(p, 0.019_531_25_f64.next_down()));
    assert!(paid > free + 1e-6, "{paid} {free}");
    for feature in [Drift, Bias] {
        let mut problem = generic(&[Hinge, Ball, feature, Momentum]);
        fast(&mut problem, 0.019_531_25);
        problem.bound().expect("a bound");
        fast(&mut problem, 0.019_531_25_f64.next_down());
        let words = problem.complaint();
        assert!(words.contains("rate·(1 − momentum)² − learning_rate·(1 + momentum)"), "{words}");
    }
    // k > 0 at the rate of the proof.
    let words = refusal(|p| p.proof.rate = Some(1.0 / SIGMA));
    assert!(words.contains("1 − rate·regularization"), "{words}");
    for rate in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        let words = refusal(|p| p.proof.rate = Some(rate));
        assert!(words.contains(" rate = "), "{words}");
    }
    assert!(refusal(|p| p.proof.rate = None).contains("momentum without a rate"));
    assert!(refusal(|p| p.statement.learner.momentum = None).contains("a rate without momentum"));
}

/// What the start adds: λ is that of a model that moves 1/(1−μ) times as fast, and F(θ_0) counts unless the rate is that of M1.
#[test]
fn first_steps() {
    let few = |p: &mut Problem| p.proof.rate = Some(0.014);
    let of = |p: &Problem, start: &[f64]| {
        p.horizon(10, start, 0.0).expect("a bound") - p.bound().expect("a bound")
    };
    let square = |p: &Problem, start: &[f64]| {
        let shifted =
            start.iter().zip(&p.proof.beta).map(|(t, b)| (2.0 * ALPHA * t + b).powi(2)).sum::<f64>();
        shifted / (4.0 * ALPHA) * (1.0 - MOMENTUM) / (10.0 * ETA)
    };
    let close =
        |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-9 * (1.0 + wanted), "{found} {wanted}");
    let (zero, start) = ([0.0, 0.0], [3.0, -4.0]);
    let mut problem = generic(&[Hinge, Ball, Momentum]);
    close(of(&problem, &start), square(&problem, &start));
    few(&mut problem);
    let share = 2.0 * MOMENTUM * ALPHA * 0.014 / (10.0 * ETA);
    close(of(&problem, &zero), square(&problem, &zero) + share);
    let longest = (0.75_f64 * 0.75 + 0.5 * 0.5).max(0.125_f64.powi(2) + 0.875_f64.powi(2)).sqrt();
    close(of(&problem, &start), square(&problem, &start) + share * (1.0 + 5.0 * longest + SIGMA * 12.5));
    // Labels of a regression are at most 1 there; K−1 pairs of classes.
    let mut problem = generic(&[Regression, Ball, Momentum]);
    problem.statement.learner.loss = Loss::Huber(2.0);
    few(&mut problem);
    close(of(&problem, &zero), square(&problem, &zero) + 2.0 * share);
    let mut problem = generic(&[Multiclass, Ball, Momentum]);
    few(&mut problem);
    close(of(&problem, &[0.0; 6]), square(&problem, &[0.0; 6]) + 2.0 * share);
    // In a ball m is 0 all the same, and the start is inside.
    let mut problem = generic(&[Hinge, Ball, Momentum]);
    add_shells(&mut problem);
    assert!(problem.horizon(10, &[15.0, 0.0], 0.0).is_ok());
    let words = problem.horizon(10, &[15.0_f64.next_up(), 0.0], 0.0).unwrap_err().to_string();
    assert!(words.contains("ϱ² − ‖θ_0‖²"), "{words}");
    let words = problem.horizon(10, &zero, 5e-324).unwrap_err().to_string();
    assert!(words.contains("horizon.m") && words.contains("with momentum"), "{words}");
}

/// F(θ_0) of the hinge loss is at most what the checker takes for it.
#[test]
fn the_objective_is_bounded() {
    let mut random = Random(3);
    for features in [
        &[Hinge, Ball][..],
        &[Logistic, Ball],
        &[SmoothMargin, Ball],
        &[Multiclass, Ball],
        &[Regression, Ball],
    ] {
        let mut problem = generic(&[features, &[Momentum]].concat());
        problem.proof.rate = Some(0.014);
        let mut plain = problem.clone();
        plain.statement.learner.learning_rate = 0.014;
        let own = momentous(&plain, &problem, MOMENTUM, 0.01);
        let share = 2.0 * MOMENTUM * ALPHA * 0.014 / ETA;
        for _ in 0..50 {
            let size = 10_f64.powf(random.between(-2.0, 2.0));
            let theta: Vec<f64> = random.normal(problem.proof.beta.len()).iter().map(|x| size * x).collect();
            let added = problem.horizon(1, &theta, 0.0).expect("a bound") - problem.bound().expect("a bound");
            let shifted: f64 =
                theta.iter().zip(&problem.proof.beta).map(|(t, b)| (2.0 * ALPHA * t + b).powi(2)).sum();
            let square = shifted / (4.0 * ALPHA) * (1.0 - MOMENTUM) / ETA;
            assert!(added >= square + share * own.objective(&theta) - 1e-9 * added, "{features:?}");
        }
    }
}

#[test]
fn momentum_is_stated() {
    let mut problem = generic(&[Hinge, Ball, Momentum]);
    problem.proof.rate = Some(0.014);
    let certificate = certificate(&problem);
    let verdict = problem.check(&certificate).expect("valid");
    let cost = verdict.momentum_cost.expect("a cost");
    assert!(cost > 0.0 && cost < 1e-3);
    let checked = Checked::Valid(std::boxed::Box::new(certificate), verdict);
    let text = checked.text();
    for words in [
        "momentum 0.25 (v ← 0.25·v + gradient, θ ← θ − 0.01·v, from v = 0)",
        "steps without momentum at the learning rate 0.014, and momentum costs at most 0.000",
        "for every constant learning rate up to 0.01 with every momentum up to 0.25",
    ] {
        assert!(text.contains(words), "{text}");
    }
    let json = checked.json();
    assert_eq!(json["statement"]["learner"]["momentum"], 0.25);
    assert_eq!(json["momentum_cost"], cost);
    assert_eq!(checked.expect(&["momentum<=0.25".to_owned()]).code(), 0);
}
