//! An adversary who picks its moments (Theorem B1): certificate, worst case by value iteration, and attacks, in this order.

use unswayed::attack::{Suite, strongest};
use unswayed::certify::{Options, certify_with};
use unswayed::check::Loss;
use unswayed::{Adversary, CertifyError, Dataset, LossName, Problem, ProblemBuilder, certify};

use crate::fixtures::textbook::margin_loss;
use crate::fixtures::{cases, mnist, rows, verdict};

/// Where a step lands between two nodes, and how far it is from the first to the second.
type Landing = (usize, f64);

/// A learner with one parameter on a grid. Interpolation between nodes is a noise, of which the worst case is that of a learner.
struct Grid<'a> {
    problem: &'a Problem,
    edge: f64,
    losses: Vec<f64>,
    rows: Vec<Vec<Landing>>,
    points: Vec<Vec<Landing>>,
}

impl<'a> Grid<'a> {
    fn new(problem: &'a Problem, nodes: usize, radius: f64) -> Self {
        let learner = problem.learner();
        let data: Vec<f64> = problem.data()[0].z().to_vec();
        let longest = data.iter().fold(radius, |a, z| a.max(z.abs()));
        let edge = longest / learner.regularization;
        let width = 2.0 * edge / (nodes - 1) as f64;
        let land = |theta: f64, z: f64| {
            let k = 1.0 - learner.learning_rate * learner.regularization;
            let to =
                (k * theta + learner.learning_rate * activity(learner.loss, theta * z) * z + edge) / width;
            let node = (to.floor().max(0.0) as usize).min(nodes - 2);
            (node, to - node as f64)
        };
        let sent: Vec<f64> = (-4..=4).map(|i| f64::from(i) / 4.0 * radius).collect();
        let (mut losses, mut rows, mut points) = (vec![], vec![], vec![]);
        for node in 0..nodes {
            let theta = node as f64 * width - edge;
            losses.push(
                data.iter().map(|z| margin_loss(learner.loss, theta * z)).sum::<f64>() / data.len() as f64,
            );
            rows.push(data.iter().map(|z| land(theta, *z)).collect());
            points.push(sent.iter().map(|z| land(theta, *z)).collect());
        }
        Grid { problem, edge, losses, rows, points }
    }

    fn width(&self) -> f64 {
        2.0 * self.edge / (self.losses.len() - 1) as f64
    }

    /// Where a step leads on average: on a row, or on the worst point.
    fn after(&self, values: &[f64], node: usize, is_own: bool) -> f64 {
        let at = |(next, part): &Landing| (1.0 - part) * values[*next] + part * values[next + 1];
        let rows = &self.rows[node];
        if is_own {
            self.points[node].iter().map(at).fold(f64::NEG_INFINITY, f64::max)
        } else {
            rows.iter().map(at).sum::<f64>() / rows.len() as f64
        }
    }

    /// The worst long-run average if the adversary's points are always at these places of two blocks.
    fn at_places(&self, is_own: &[bool]) -> f64 {
        let (mut h, mut average) = (vec![0.0; self.losses.len()], 0.0);
        for _ in 0..100 {
            let mut next = h.clone();
            for own in is_own.iter().rev() {
                next =
                    (0..next.len()).map(|node| self.losses[node] + self.after(&next, node, *own)).collect();
            }
            average = (next[0] - h[0]) / is_own.len() as f64;
            let first = next[0];
            h = next.into_iter().map(|value| value - first).collect();
        }
        average
    }

    /// The worst average of a block, from each node, and what is behind it.
    fn block(&self, after: &[f64]) -> Vec<f64> {
        let threat = self.problem.threat();
        let most = threat.most_in_block().expect("moments") as usize;
        let mut worth = vec![after.to_vec(); most + 1];
        for _ in 0..threat.moments.expect("moments") {
            let next = |left: usize| -> Vec<f64> {
                let value = |node: usize| {
                    let benign = self.after(&worth[left], node, false);
                    let own = if left == 0 { benign } else { self.after(&worth[left - 1], node, true) };
                    benign.max(own) + self.losses[node]
                };
                (0..self.losses.len()).map(value).collect()
            };
            worth = (0..=most).map(next).collect();
        }
        worth.swap_remove(most)
    }

    /// Between which numbers the worst long-run average is.
    fn solve(&self) -> (f64, f64) {
        let mut h = vec![0.0; self.losses.len()];
        let length = self.problem.threat().moments.expect("moments") as f64;
        for _ in 0..400 {
            let next = self.block(&h);
            let gains: Vec<f64> = next.iter().zip(&h).map(|(a, b)| (a - b) / length).collect();
            let low = gains.iter().copied().fold(f64::INFINITY, f64::min);
            let high = gains.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if high - low < 1e-4 {
                return (low, high);
            }
            // Half way only: the worst bursts may come in every other block, and then values swing for ever.
            let first = f64::midpoint(next[0], h[0]);
            h = next.iter().zip(&h).map(|(a, b)| f64::midpoint(*a, *b) - first).collect();
        }
        panic!("value iteration has not ended");
    }
}

/// w of a step g = wz.
fn activity(loss: Loss, s: f64) -> f64 {
    match loss {
        Loss::Logistic => 1.0 / (1.0 + s.exp()),
        Loss::SmoothHinge(q) => ((1.0 - s) / q).clamp(0.0, 1.0),
        _ => f64::from(u8::from(s < 1.0)),
    }
}

fn learning(data: Dataset, loss: Loss, rate: f64, block: u64) -> ProblemBuilder {
    let builder = Problem::builder(data).loss(LossName::Of(loss)).moments(block);
    builder.learning_rate(rate).regularization(0.4).poison_rate(0.25)
}

/// No adversary of a block is worse than certified, and no attack is worse than the worst adversary.
#[test]
fn certificate_then_worst_case_then_attack() {
    let data = || rows(vec![0.9, 0.5, -0.3, 0.7, 0.2], 1);
    let mut closest = f64::INFINITY;
    for loss in [Loss::Hinge, Loss::Logistic, Loss::SmoothHinge(0.5)] {
        for (rate, block) in [(0.05, 8), (0.2, 20), (0.5, 20)] {
            let problem = learning(data(), loss, rate, block).build().expect("a problem");
            let outcome = certify(&problem).expect("a certificate");
            let proven = verdict(&problem, &outcome.certificate).expect("accepted").loss;
            assert_eq!(proven.to_bits(), outcome.certified_loss.to_bits());
            let coin = Problem::builder(data()).loss(LossName::Of(loss));
            let coin =
                coin.learning_rate(rate).regularization(0.4).poison_rate(0.25).build().expect("a problem");
            let coin = certify(&coin).expect("a certificate").certified_loss;
            assert!(proven > coin, "{proven} {coin}");
            let grid = Grid::new(&problem, 801, 1.0);
            let (low, high) = grid.solve();
            // The noise of the grid raises λ, and makes steps longer by a cell.
            let noise = cases(&outcome.certificate.loss).alpha / rate * grid.width().powi(2) / 4.0;
            let longer = (proven - coin) * grid.width() / (2.0 * rate);
            assert!(low - noise - longer <= proven, "{loss:?} {rate}: {low} > {proven}");
            let suite = Suite::new(&problem).expect("attacks");
            let attacked = suite.run(&suite.usual()).expect("attacks");
            let attack = strongest(&attacked).expect("an attack").simulated.loss;
            assert!(attack.low() <= high + 1e-3, "{loss:?} {rate}: {attack:?} > {high}");
            println!(
                "{loss:?} {rate}: attack {:.4} worst {low:.4} certified {proven:.4} coin {coin:.4}",
                attack.mean
            );
            closest = closest.min(proven / low);
        }
    }
    assert!(closest < 1.6, "{closest}");
}

/// Bursts of learners with a short memory are worse than the coin's bound, in the worst case and by attacks: a bound that left out
/// what models of one block differ by would be wrong.
#[test]
fn bursts_break_the_coins_bound() {
    let of = |block: Option<u64>| {
        let builder = Problem::builder(rows(vec![1.0, 0.8, 0.9], 1)).learning_rate(0.3).regularization(0.05);
        let builder = block.map_or(builder.clone(), |block| builder.moments(block));
        builder.poison_rate(0.25).build().expect("a problem")
    };
    let (problem, coin) = (of(Some(60)), certify(&of(None)).expect("a certificate").certified_loss);
    let proven = certify(&problem).expect("a certificate").certified_loss;
    let (low, high) = Grid::new(&problem, 401, 1.0).solve();
    let suite = Suite::new(&problem).expect("attacks");
    let attacked = suite.run(&suite.usual()).expect("attacks");
    let attack = strongest(&attacked).expect("an attack").simulated.loss;
    println!("coin {coin:.4} attack {:.4} worst {low:.4} certified {proven:.4}", attack.mean);
    assert!(low > 1.5 * coin && low <= proven, "{low} {coin} {proven}");
    assert!(coin < attack.low() && attack.low() <= high + 1e-3, "{attack:?} {coin} {high}");
}

/// What moments that depend on the model, which no attack tries, would add to points at fixed places of the blocks: nothing where
/// blocks are short, and no more than a fifth where they are as long as the learner's memory.
#[test]
fn moments_that_depend_on_the_model() {
    let (mixed, easy) = ([0.9, 0.5, -0.3, 0.7, 0.2], [1.0, 0.8, 0.9]);
    let cases: [(&[f64], f64, f64, u64, f64); 5] = [
        (&mixed, 0.05, 0.4, 8, 0.99),
        (&mixed, 0.5, 0.4, 20, 0.95),
        (&mixed, 0.3, 0.05, 60, 0.8),
        (&easy, 0.5, 0.4, 20, 0.9),
        (&easy, 0.3, 0.05, 60, 0.9),
    ];
    for (z, rate, regularization, block, least) in cases {
        let builder = Problem::builder(rows(z.to_vec(), 1)).moments(block).poison_rate(0.25);
        let builder = builder.learning_rate(rate).regularization(regularization);
        let problem = builder.build().expect("a problem");
        let grid = Grid::new(&problem, 401, 1.0);
        let (low, high) = grid.solve();
        let (length, most) = (block as usize, problem.threat().most_in_block().expect("moments") as usize);
        let burst = |first: usize| (0..length).map(move |place| (first..first + most).contains(&place));
        let spread = |place: usize| (place * most).div_ceil(length) * length / most == place;
        let ways: [Vec<bool>; 3] = [
            burst(length - most).chain(burst(length - most)).collect(),
            burst(length - most).chain(burst(0)).collect(),
            (0..length).chain(0..length).map(spread).collect(),
        ];
        let reached = ways.map(|places| grid.at_places(&places));
        let best = reached.into_iter().fold(0.0, f64::max);
        println!(
            "{z:?} η {rate} σ {regularization} W {block}: at best {low:.4}, burst, across, spread {reached:.4?}"
        );
        assert!(best <= high + 1e-3 && best >= least * low, "{reached:?} {low}");
    }
}

/// Blocks that are short beside the learner's memory cost little.
#[test]
fn short_blocks_are_cheap() {
    let with = |builder: ProblemBuilder| builder.learning_rate(1e-4).regularization(0.01).poison_rate(0.05);
    let cases = [
        (Loss::Hinge, Adversary::Ball),
        (Loss::Hinge, Adversary::BoxAroundData),
        (Loss::Logistic, Adversary::Ball),
    ];
    for (loss, adversary) in cases {
        let base =
            || with(Problem::builder(mnist(100)).loss(LossName::Of(loss)).adversary(adversary.clone()));
        let coin = certify(&base().build().expect("a problem")).expect("a certificate");
        let problem = base().moments(100).build().expect("a problem");
        let picked = certify(&problem).expect("a certificate");
        let price = picked.certified_loss - coin.certified_loss;
        assert!(price > 0.0 && price < 0.01, "{loss:?} {adversary}: {price}");
        assert!(picked.certificate.error.is_none(), "the error jumps");
    }
}

#[test]
fn horizons_are_whole_blocks() {
    let problem = with_rates(Problem::builder(mnist(60)).moments(100).batch(5)).build().expect("a problem");
    let at = |steps: u64| certify_with(&problem, &Options::default().with_horizon(steps));
    let outcome = at(200).expect("ten blocks");
    let proven = verdict(&problem, &outcome.certificate).expect("accepted");
    assert_eq!(proven.horizon.map(f64::to_bits), outcome.horizon_loss.map(f64::to_bits));
    assert!(matches!(at(210), Err(CertifyError::PartOfBlock { steps: 210, block: 20 })));
    // A start that steps can never come back to from outside.
    let far = Options::default().with_horizon(200).with_start(vec![1e3; problem.parameters()]);
    assert!(matches!(certify_with(&problem, &far), Err(CertifyError::Refused(_))));
}

fn with_rates(builder: ProblemBuilder) -> ProblemBuilder {
    builder.learning_rate(1e-3).regularization(0.01).poison_rate(0.05)
}
