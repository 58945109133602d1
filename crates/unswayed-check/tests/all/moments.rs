//! An adversary who picks its moments (Theorem B1): the bound by hand, random witnesses against blocks of steps, with errors that the
//! search must find, and the edges of every condition.

use unswayed_check::Feature::{self, *};
use unswayed_check::{Checked, Loss, Set, Target, Threat};

use crate::boundaries::{edge, test_all};
use crate::common::generic::{
    ALPHA, BLOCK, EPS, ETA, NU, PROJECTION, SIGMA, Z, add_shells, generic, generic_error,
};
use crate::common::random::{KindOf, improve, kinds, regression_kinds};
use crate::common::search::Random;
use crate::common::{Problem, certificate, dot, rounds};

fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// What is by hand in the bound of the generic hinge learner.
struct ByHand {
    eps: f64,
    /// Steps of a block.
    steps: f64,
    /// Ĝ
    step: f64,
    /// L
    target: f64,
    /// ĝ
    poison: f64,
}

impl ByHand {
    /// B₀ and the cost, for slopes r = ½(κ0−1)·Σp_iz_i.
    fn parts(&self) -> (f64, f64) {
        let ByHand { eps, steps, step, target, poison } = self;
        let two_ak = 2.0 * ALPHA * (1.0 - ETA * SIGMA);
        let kappa = two_ak * (1.0 - eps) - 1.0;
        let beta = [-0.5, -0.25];
        let mut slope = [0.0; 2];
        let mut constant = -kappa / 2.0;
        for z in Z.chunks(2) {
            let jump = (1.0 - eps) * (two_ak + ALPHA * ETA * dot(z, z) + dot(z, &beta));
            constant += jump.max(0.0) / 4.0;
            slope.iter_mut().zip(z).for_each(|(r, z)| *r += kappa / 2.0 * z / 4.0);
        }
        let v: Vec<f64> = slope.iter().zip(beta).map(|(r, b)| r / (1.0 - eps) - SIGMA * b).collect();
        let curvature = ALPHA * SIGMA * (2.0 - ETA * SIGMA);
        let untaken = constant / (1.0 - eps) + dot(&v, &v) / (4.0 * curvature);
        let steepness = (norm(&slope) + target) / (1.0 - eps) + (two_ak - NU).abs() * poison;
        let share = if *eps > 0.5 { 0.25 } else { eps * (1.0 - eps) };
        (untaken, share * steps / 2.0 * ETA * step * steepness)
    }
}

/// The root of the mean of ‖z‖² with these weights.
fn of_target(weights: [f64; 4]) -> f64 {
    let sum: f64 = Z.chunks(2).zip(weights).map(|(z, w)| w * dot(z, z)).sum();
    (sum / weights.iter().sum::<f64>()).sqrt()
}

#[test]
fn the_bound_by_hand() {
    let plain = || ByHand { eps: EPS, steps: 10.0, step: 2.0, target: of_target([1.0; 4]), poison: 1.0 };
    let longest = norm(&Z[2..4]);
    type Change = fn(&mut Problem);
    let nothing: Change = |_| {};
    let cases: [(&[Feature], Change, ByHand); 10] = [
        (&[Hinge, Ball], nothing, plain()),
        (&[Hinge, Ball], |p| p.statement.learner.batch = 5, ByHand { steps: 2.0, ..plain() }),
        (&[Hinge, Ball], |p| p.statement.threat.moments = Some(35), ByHand { steps: 35.0, ..plain() }),
        (&[Hinge, Ball], |p| p.statement.threat.poison_rate = 0.6, ByHand { eps: 0.6, ..plain() }),
        // Rows make longer steps than the adversary's points.
        (
            &[Hinge, Ball],
            |p| p.statement.threat.set = Set::Ball { radius: 0.25 },
            ByHand { step: 2.0 * longest, poison: 0.25, ..plain() },
        ),
        // Poison that does nothing, and blocks without it are worse.
        (
            &[Hinge, Ball],
            |p| {
                p.statement.threat.set = Set::Ball { radius: 0.0 };
                p.statement.threat.poison_rate = 0.6;
            },
            ByHand { eps: 0.6, step: 2.0 * longest, poison: 0.0, ..plain() },
        ),
        // σϱ = 1.2 is beyond the longest step; 0.2 is not.
        (&[Hinge, Ball, Projection], nothing, plain()),
        (
            &[Hinge, Ball, Projection],
            |p| p.statement.learner.projection = Some(PROJECTION / 6.0),
            ByHand { step: 1.2, ..plain() },
        ),
        (&[Hinge, Box], nothing, ByHand { step: 2.0 * 1.25_f64.sqrt(), poison: 1.25_f64.sqrt(), ..plain() }),
        (
            &[Hinge, Ellipsoid],
            nothing,
            ByHand { step: 2.0 * 1.5_f64.sqrt(), poison: 1.5_f64.sqrt(), ..plain() },
        ),
    ];
    let mut without = 0;
    for (i, (features, change, by_hand)) in cases.into_iter().enumerate() {
        let mut coin = generic(features);
        change(&mut coin);
        let mut picked = coin.clone();
        picked.statement.threat.moments = coin.statement.threat.moments.or(Some(BLOCK));
        coin.statement.threat.moments = None;
        let (untaken, cost) = by_hand.parts();
        let coin = coin.bound().expect("a bound");
        let expected = coin.max(untaken) + cost;
        let found = picked.bound().expect("a bound");
        assert!((found - expected).abs() < 1e-9 * expected, "case {i}: {found}, by hand {expected}");
        without += usize::from(untaken > coin);
    }
    assert_eq!(without, 1, "times that a block without poison is worst");
    // The target has a slope of its own.
    let mut judged = generic(&[Hinge, Ball, TargetWeights, Moments]);
    let bound = judged.bound().expect("a bound");
    judged.statement.target = Target::Weights(vec![vec![2.0, 1.0, 0.5, 2.0]]);
    assert_eq!(
        judged.bound().expect("a bound").to_bits(),
        bound.to_bits(),
        "weights are divided by their sum"
    );
}

/// The slopes of other losses: the bound grows with the block by the cost that they give.
#[test]
fn steeper_losses_cost_more() {
    let cost = |features: &[Feature], loss: Loss| {
        let of = |block: u64| {
            let mut problem = generic(features);
            problem.statement.learner.loss = loss;
            problem.statement.threat.moments = Some(block);
            problem.bound().expect("a bound")
        };
        of(20) - of(10)
    };
    let [rounded, huber] =
        [Loss::SmoothHinge(0.5), Loss::ModifiedHuber].map(|loss| cost(&[SmoothMargin, Ball], loss));
    assert!(huber > 3.9 * rounded, "{huber} {rounded}");
    let [one, three] = [1.0, 3.0].map(|slope| cost(&[Regression, Ball], Loss::Huber(slope)));
    assert!(three > 2.9 * one, "{three} {one}");
}

fn supported() -> Vec<KindOf> {
    let other = [
        "free", "fixed", "schedule", "rates", "interval", "error", "points", "labels", "clipped", "drift",
        "class",
    ];
    let all = kinds().into_iter().chain(regression_kinds());
    all.filter(|(name, _)| !other.iter().any(|word| name.contains(word))).collect()
}

/// What a block of steps adds up to: the losses, and what λ grows by, in the mean over each coming draw.
struct Blocks<'a> {
    benign: Problem,
    own: Problem,
    problem: &'a Problem,
    block: usize,
    most: usize,
}

impl<'a> Blocks<'a> {
    fn new(problem: &'a Problem) -> Self {
        let at = |rate: f64| {
            let mut changed = problem.clone();
            changed.statement.threat.poison_rate = rate;
            changed
        };
        let threat = &problem.statement.threat;
        let most = threat.most_in_block().expect("moments") as usize;
        let block = threat.moments.expect("moments") as usize;
        Blocks { benign: at(0.0), own: at(1.0), problem, block, most }
    }

    /// The average of a block from θ, with the adversary's points at these places; rows are drawn at random.
    fn average(&self, mut theta: Vec<f64>, is_own: &[bool], random: &mut Random) -> f64 {
        let mut sum = 0.0;
        for &own in is_own {
            let rows = &self.problem.data[0];
            let z = if own {
                self.own.best_point(&theta, random)
            } else {
                let d = self.problem.dimension;
                let row = random.below(rows.len() / d);
                rows[row * d..(row + 1) * d].to_vec()
            };
            sum += if own { self.own.residual(0, &theta, &z) } else { self.benign.residual(0, &theta, &z) };
            theta = self.problem.step(&theta, &z);
        }
        sum / self.block as f64
    }

    /// Places for at most as many points as the adversary has: a burst somewhere, or anywhere.
    fn places(&self, random: &mut Random) -> Vec<bool> {
        let count = if random.below(4) == 0 { random.below(self.most + 1) } else { self.most };
        let mut own = vec![false; self.block];
        if random.below(2) == 0 {
            let first = [0, self.block - count, random.below(self.block - count + 1)][random.below(3)];
            own[first..first + count].fill(true);
            return own;
        }
        let mut left = count;
        while left > 0 {
            let place = random.below(self.block);
            left -= usize::from(!own[place]);
            own[place] = true;
        }
        own
    }

    /// The largest average found.
    fn search(&self, random: &mut Random, starts: usize, steps: usize) -> f64 {
        let learner = &self.problem.statement.learner;
        let reach = self.longest() / learner.regularization;
        let ball = learner.projection.map_or(reach, |ball| ball.min(reach));
        let inside = |theta: &[f64]| -> Vec<f64> {
            let f = (ball / norm(theta)).min(1.0);
            theta.iter().map(|x| f * x).collect()
        };
        let mut largest = f64::NEG_INFINITY;
        for _ in 0..starts {
            let mut size = ball * 10_f64.powf(random.between(-2.0, 0.0));
            let mut theta: Vec<f64> = inside(
                &random.normal(self.problem.proof.beta.len()).iter().map(|x| size * x).collect::<Vec<_>>(),
            );
            let mut own = self.places(random);
            let mut best = self.average(theta.clone(), &own, random);
            for _ in 0..steps {
                let moved: Vec<f64> =
                    theta.iter().zip(random.normal(theta.len())).map(|(t, s)| t + size * s).collect();
                let (new, other) =
                    (inside(&moved), if random.below(3) == 0 { self.places(random) } else { own.clone() });
                let value = self.average(new.clone(), &other, random);
                if value > best {
                    (theta, own, best) = (new, other, value);
                    size *= 1.5;
                } else {
                    size = (size * 0.9).max(1e-6);
                }
            }
            largest = largest.max(best);
        }
        largest
    }

    /// The largest ‖g‖.
    fn longest(&self) -> f64 {
        let Problem { statement, proof, data, dimension, .. } = self.problem;
        let labels = statement.learner.loss.label_entries();
        let rows = data[0].chunks(*dimension).map(|z| norm(&z[labels..])).fold(0.0, f64::max);
        let point = match &statement.threat.set {
            Set::Ball { radius } => *radius,
            Set::Box { radii } => norm(radii),
            _ => proof.omega.expect("an ellipsoid").sqrt(),
        };
        statement.learner.loss.steepest() * rows.max(point)
    }
}

/// Random witnesses whose learning rates are large, so that models of one block differ.
fn with_moments(make: &dyn Fn(&mut Random) -> Problem, random: &mut Random) -> Problem {
    let mut problem = make(random);
    problem.statement.threat.moments = Some(2 + random.below(30) as u64);
    problem
}

#[test]
fn no_block_breaks_a_bound() {
    let kinds = supported();
    assert!(kinds.len() >= 12, "{}", kinds.len());
    let (mut tried, mut closest) = (0, f64::INFINITY);
    for (number, (name, make)) in kinds.into_iter().enumerate() {
        let mut random = Random(700 + number as u64);
        for _ in 0..rounds(4, 60) {
            let problem = with_moments(&*make, &mut random);
            let Ok(bound) = problem.bound() else { continue };
            let value = Blocks::new(&problem).search(&mut random, 3, 60);
            assert!(value <= bound + 1e-8 * (1.0 + bound.abs()), "{name}: {value} > {bound}: {problem:?}");
            (tried, closest) = (tried + 1, closest.min(bound - value));
        }
    }
    println!("{tried} problems, closest {closest}");
    assert!(tried >= 20, "{tried}");
}

/// Planted error: what models of one block differ by left out. The search must find that blocks can be worse than the coin's bound.
#[test]
fn errors_are_found() {
    let kinds = supported();
    let (_, make) = kinds.iter().find(|(name, _)| name == "bounded-slope ball").expect("a kind");
    let mut random = Random(7);
    let (mut tried, mut found) = (0, 0);
    while tried < 8 {
        let mut coin = make(&mut random);
        coin.statement.threat.poison_rate = 0.3;
        // Models of a block differ a lot where it is longer than the learner's memory: 1/(ησ) is 33 steps.
        coin.statement.learner.regularization = 0.1;
        coin.statement.learner.learning_rate = 0.3;
        if coin.bound().is_err() {
            continue;
        }
        improve(&mut coin, &mut random, 400);
        let mut problem = coin.clone();
        problem.statement.threat.moments = Some(60);
        let (Ok(bound), Ok(without)) = (problem.bound(), coin.bound()) else { continue };
        tried += 1;
        let value = Blocks::new(&problem).search(&mut random, 6, 300);
        assert!(value <= bound, "{value} > {bound}");
        found += usize::from(value > without + 1e-9);
    }
    println!("found {found} of {tried}");
    assert!(found >= 4, "{found} of {tried}");
}

#[test]
fn edges() {
    let on = |features: &'static [Feature], change: fn(&mut Problem, u64)| -> crate::boundaries::Check {
        std::boxed::Box::new(move |x| {
            let mut problem = generic(features);
            change(&mut problem, x as u64);
            problem.bound()
        })
    };
    // A whole number x stands for every number from x to below x + 1.
    let below = |x: u64| (x as f64).next_down();
    let edges = vec![
        edge("moments = 0.0", 5.0, 0.0, 1.0, on(&[Hinge, Ball], |p, x| p.statement.threat.moments = Some(x))),
        edge(
            "moments = 10.0 is not a multiple of the points per step",
            5.0,
            6.0,
            below(6),
            on(&[Hinge, Ball, Moments], |p, x| p.statement.learner.batch = x),
        ),
        edge(
            "horizon.steps = 11.0 is not a whole number of blocks",
            10.0,
            11.0,
            below(11),
            on(&[Hinge, Ball, Moments, Horizon], |p, x| p.statement.horizon.as_mut().expect("one").steps = x),
        ),
    ];
    test_all(edges, 3);
    // In steps: a block of 10 points is 2 steps of 5.
    let mut batches = generic(&[Hinge, Ball, Moments]);
    batches.statement.learner.batch = 5;
    assert!(batches.horizon(4, &[0.0; 2], 0.0).is_ok());
    let complaint = batches.horizon(5, &[0.0; 2], 0.0).expect_err("half a block").to_string();
    assert!(complaint.contains("whole number of blocks"), "{complaint}");
}

/// A start in the ball that is kept, whose radius is 1/σ, or in that of a projection: in both, if the latter is larger.
#[test]
fn starts_of_a_horizon() {
    let at = |features: &'static [Feature]| -> crate::boundaries::Check {
        std::boxed::Box::new(move |x| generic(features).horizon(20, &[x, 0.0], 0.0))
    };
    let in_a_ball = |radius: f64| -> crate::boundaries::Check {
        std::boxed::Box::new(move |x| {
            let mut problem = generic(&[Hinge, Ball, Moments, Projection]);
            problem.statement.learner.projection = Some(radius);
            problem.horizon(20, &[x, 0.0], 0.0)
        })
    };
    let edges = vec![
        edge("n² − σ²‖θ_0‖²", 0.0, 20.0, 1.0 / SIGMA, at(&[Hinge, Ball, Moments])),
        edge("ϱ² − ‖θ_0‖²", 0.0, 20.0, PROJECTION / 2.0, in_a_ball(PROJECTION / 2.0)),
        edge("n² − σ²‖θ_0‖²", 0.0, 20.0, 1.0 / SIGMA, in_a_ball(100.0 / SIGMA)),
    ];
    test_all(edges, 3);
}

#[test]
fn other_proofs_do_not_fit() {
    let error = generic_error(&[Hinge, Ball, Moments]);
    assert!(
        error.complaint().contains("does not fit an adversary who picks its moments"),
        "{}",
        error.complaint()
    );
    let mut shells = generic(&[Hinge, Ball, Moments]);
    add_shells(&mut shells);
    assert!(shells.complaint().contains("moments and shells"), "{}", shells.complaint());
}

/// The whole part of εW, where ε is the binary number.
#[test]
fn points_of_a_block() {
    let most =
        |rate: f64, block: u64| Threat { moments: Some(block), ..Threat::ball(rate, 1.0) }.most_in_block();
    assert_eq!(most(0.05, 100), Some(5));
    assert_eq!(most(0.05, 99), Some(4));
    // The nearest binary number to 0.29 is below it.
    assert_eq!(most(0.29, 100), Some(28));
    assert_eq!(most(0.0, 100), Some(0));
    assert_eq!(Threat::ball(0.05, 1.0).most_in_block(), None);
}

#[test]
fn moments_are_stated() {
    let problem = generic(&[Hinge, Ball, Moments]);
    let mut changed = problem.clone();
    changed.statement.threat.moments = Some(100);
    let certificate = certificate(&changed);
    let verdict = changed.check(&certificate).expect("valid");
    let checked = Checked::Valid(std::boxed::Box::new(certificate), verdict);
    let text = checked.text();
    for words in [
        "up to 5 points (0.05 of 100) of each block of 100 points, counted from the first, are the adversary's, at moments of its \
         choosing: any point with ‖z‖ ≤ 1",
        "sees everything but the coming draw, before which it decides whether the point is its own",
    ] {
        assert!(text.contains(words), "{text}");
    }
    // Blocks weigh their steps alike, which rates that change do not.
    assert!(!text.contains("every constant learning rate"), "{text}");
    let json = checked.json();
    assert_eq!(json["most_in_block"], 5);
    assert_eq!(json["smaller_rates"], false);
    let expected = ["moments=100", "moments<=100", "most_in_block>=5"].map(str::to_owned);
    assert_eq!(checked.expect(&expected).code(), 0);
}
