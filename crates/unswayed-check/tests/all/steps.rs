//! Step weights: random witnesses against a learner that takes weighted steps, with errors that the search must find, and the
//! edges of every condition.

use unswayed_check::{
    ClassWeights, Evidence, Failure, Feature, PoisonWeight, Proof, RowBound, Rows, Set, prove,
};

use crate::common::generic::{generic, split_classes};
use crate::common::random::{add_fixed, add_free, add_shells, fill_cases, random_problem};
use crate::common::search::Random;
use crate::common::{Problem, dot, rounds};

/// A problem with step weights, which its own type does not have.
pub struct Weighted {
    pub problem: Problem,
    pub steps: Vec<f64>,
}

const KINDS: [RowBound; 5] = [
    RowBound::BoundedSlope,
    RowBound::Logistic,
    RowBound::Interval,
    RowBound::ErrorHinge,
    RowBound::ErrorLogistic,
];

impl Weighted {
    pub fn random(random: &mut Random, kind: RowBound, set: &str) -> Self {
        // Shells hold a ball that is kept by steps of their usual length.
        let most = if kind == RowBound::Interval { 1.0 } else { 2.5 };
        let steps = random.vector(4, 0.4, most);
        let weight = random.between(0.4, most);
        let least = steps.iter().copied().fold(f64::INFINITY, f64::min);
        let is_bias = matches!(set, "free" | "fixed" | "classes") && kind != RowBound::Interval;
        let mut problem = random_problem(random, kind, if is_bias { "ball" } else { set }, |_, _| {});
        if kind != RowBound::Interval {
            problem.proof.alpha /= least;
        }
        fill_cases(&mut problem, random);
        let wider = if set == "ellipsoid" { weight * weight } else { weight };
        problem.proof.cases.tau.iter_mut().for_each(|tau| *tau *= wider.max(1.0));
        if kind == RowBound::Interval {
            add_shells(&mut problem, random, "data", false);
        }
        match set {
            "free" if is_bias => add_free(&mut problem, random),
            "fixed" | "classes" if is_bias => add_fixed(&mut problem, random),
            _ => {}
        }
        problem.statement.threat.poison_weight = Some(PoisonWeight::All(weight));
        if set == "classes" && is_bias {
            add_classes(&mut problem, random, weight);
        }
        problem.statement.data[0].step_weight_column = Some("c".to_owned());
        Weighted { problem, steps }
    }

    pub fn bound(&self) -> Result<f64, Failure> {
        let Problem { data, weights, dimension, .. } = &self.problem;
        let rows = Rows {
            z: &data[0],
            pattern: None,
            dimension: *dimension,
            weights: weights[0].as_deref(),
            steps: Some(&self.steps),
        };
        let proof = Proof::Cases(Box::new(self.problem.proof.clone()));
        prove(&self.problem.statement, &proof, &Evidence { data: &[rows], target: None })?.bound()
    }

    /// λ(θ') − λ(θ) for a step on z with this weight.
    fn moved(&self, theta: &[f64], z: &[f64], weight: f64) -> f64 {
        let (learner, proof) = (&self.problem.statement.learner, &self.problem.proof);
        let s = dot(theta, z);
        let pull = match learner.loss {
            unswayed_check::Loss::Logistic => 1.0 / (1.0 + s.exp()),
            _ => f64::from(u8::from(s <= 1.0)),
        };
        let (eta, k) = (learner.learning_rate, 1.0 - learner.learning_rate * learner.regularization);
        let share =
            |j: usize, free: f64, other: f64| if learner.unregularized.contains(&j) { free } else { other };
        let next = (0..theta.len()).map(|j| share(j, 1.0, k) * theta[j] + eta * weight * pull * z[j]);
        let next: Vec<f64> = next.collect();
        let square = |t: &[f64]| (0..t.len()).map(|j| share(j, k, 1.0) * t[j] * t[j]).sum::<f64>();
        let lambda = |t: &[f64]| (proof.alpha * square(t) + dot(&proof.beta, t)) / eta;
        lambda(&next) - lambda(theta)
    }

    fn loss(&self, s: f64) -> f64 {
        match (self.problem.proof.rows.is_error(), self.problem.statement.learner.loss) {
            (true, _) => f64::from(u8::from(s <= 0.0)),
            (false, unswayed_check::Loss::Logistic) => (-s).exp().ln_1p(),
            (false, _) => (1.0 - s).max(0.0),
        }
    }

    /// The largest step weight of a point.
    fn weight(&self, point: &[f64]) -> f64 {
        let statement = &self.problem.statement;
        match statement.threat.poison_weight {
            Some(PoisonWeight::ByClass(weights)) if point[statement.learner.unregularized[0]] < 0.0 => {
                weights.negative
            }
            Some(PoisonWeight::ByClass(weights)) => weights.positive,
            Some(PoisonWeight::All(weight)) => weight,
            None => 1.0,
        }
    }

    /// G_λ at a model and a point, whose weight is the largest or, where that is worse, 0.
    fn residual(&self, theta: &[f64], point: &[f64]) -> f64 {
        let Problem { data, weights, dimension, statement, .. } = &self.problem;
        let weight = |i: usize| weights[0].as_ref().map_or(1.0, |w| w[i]);
        let rows = data[0].chunks(*dimension).enumerate();
        let total: f64 = (0..self.steps.len()).map(weight).sum();
        let eps = statement.threat.poison_rate;
        let benign: f64 = rows
            .map(|(i, z)| {
                let part = (1.0 - eps) * self.moved(theta, z, self.steps[i]) + self.loss(dot(theta, z));
                weight(i) / total * part
            })
            .sum();
        let largest = self.weight(point);
        benign + eps * self.moved(theta, point, largest).max(self.moved(theta, point, 0.0))
    }

    /// A point of the set along v.
    fn point(&self, v: &[f64], size: f64) -> Vec<f64> {
        match &self.problem.statement.threat.set {
            Set::Ball { radius } => {
                let norm = dot(v, v).sqrt().max(1e-300);
                v.iter().map(|x| size * radius * x / norm).collect()
            }
            Set::Features { radius, constant } => {
                let b = self.problem.statement.learner.unregularized[0];
                let mut x = v.to_vec();
                x[b] = 0.0;
                let norm = dot(&x, &x).sqrt().max(1e-300);
                for x in &mut x {
                    *x *= size * radius / norm;
                }
                x[b] = if v[b] < 0.0 { -constant } else { *constant };
                x
            }
            Set::Box { radii } => v.iter().zip(radii).map(|(x, r)| size * r * x.signum()).collect(),
            Set::Ellipsoid { q } => {
                // Qv/√(vᵀQv) for two columns.
                let w = [q[0] * v[0] + q[1] * v[1], q[1] * v[0] + q[2] * v[1]];
                let norm = dot(&w, v).max(1e-300).sqrt();
                w.iter().map(|x| size * x / norm).collect()
            }
            _ => vec![0.0; v.len()],
        }
    }

    /// The largest residual found.
    fn search(&self, random: &mut Random, tries: usize) -> f64 {
        let (proof, learner) = (&self.problem.proof, &self.problem.statement.learner);
        let k = 1.0 - learner.learning_rate * learner.regularization;
        let ball = proof.shells.as_ref().map_or(f64::INFINITY, |shells| shells.ball);
        let inside = |theta: Vec<f64>| -> Vec<f64> {
            let norm = dot(&theta, &theta).sqrt();
            if norm > ball { theta.iter().map(|t| t * ball / norm).collect() } else { theta }
        };
        let worst = |theta: &[f64], random: &mut Random| {
            let x: Vec<f64> =
                theta.iter().zip(&proof.beta).map(|(t, b)| 2.0 * proof.alpha * k * t + b).collect();
            let around = random.normal(theta.len());
            let points = [self.point(&x, 1.0), self.point(&around, 1.0), self.point(&x, random.unit())];
            points.iter().map(|point| self.residual(theta, point)).fold(f64::NEG_INFINITY, f64::max)
        };
        let mut largest = f64::NEG_INFINITY;
        for _ in 0..6 {
            let mut size = 10_f64.powf(random.between(-1.0, 1.0));
            let mut theta = inside(random.normal(proof.beta.len()).iter().map(|x| size * x).collect());
            let mut best = worst(&theta, random);
            for _ in 0..tries {
                let shift = random.normal(theta.len());
                let next = inside(theta.iter().zip(&shift).map(|(t, s)| t + size * s).collect());
                let value = worst(&next, random);
                if value > best {
                    (theta, best, size) = (next, value, 1.5 * size);
                } else {
                    size = (0.93 * size).max(1e-6);
                }
            }
            largest = largest.max(best);
        }
        largest
    }
}

/// A smaller weight for one of the classes, and cases of their own for both.
fn add_classes(problem: &mut Problem, random: &mut Random, largest: f64) {
    let other = largest * random.between(0.1, 1.0);
    let weights = match random.below(2) {
        0 => ClassWeights { negative: largest, positive: other },
        _ => ClassWeights { negative: other, positive: largest },
    };
    problem.statement.threat.poison_weight = Some(PoisonWeight::ByClass(weights));
    let cases = &mut problem.proof.cases;
    split_classes(cases);
    cases.tau.iter_mut().for_each(|tau| *tau *= random.between(1.0, 2.0));
    // In a slab the first of the two has ν of its own, closer to 2αk.
    let Problem { statement, proof, .. } = problem;
    let k = 1.0 - statement.learner.learning_rate * statement.learner.regularization;
    let part = random.unit();
    let nus = proof.cases.nu.iter_mut().step_by(2).filter(|nu| **nu > 0.0);
    nus.for_each(|nu| *nu += part * (2.0 * proof.alpha * k - *nu));
}

#[test]
fn no_weighted_step_breaks_a_bound() {
    let count = rounds(350, 20_000);
    let (mut random, mut proved) = (Random(0x57e9), 0);
    for i in 0..count {
        let set = ["ball", "box", "ellipsoid", "free", "fixed", "box", "classes"][i % 7];
        let weighted = Weighted::random(&mut random, KINDS[i % KINDS.len()], set);
        let Ok(bound) = weighted.bound() else { continue };
        proved += 1;
        let found = weighted.search(&mut random, 80);
        assert!(
            found <= bound + 1e-9 * (1.0 + bound.abs()),
            "{set} {:?}: {found} {bound}",
            weighted.problem.proof.rows
        );
    }
    assert!(proved > count / 2, "{proved} of {count}");
}

/// At θ = 0 with a steep λ a point of weight 2 does far more than one of weight 0.01: a checker that is told of the latter
/// proves too little.
#[test]
fn a_forgotten_weight_of_points_is_found() {
    let mut random = Random(5);
    let mut weighted = Weighted::random(&mut random, RowBound::BoundedSlope, "ball");
    let Problem { statement, proof, data, weights, .. } = &mut weighted.problem;
    (statement.learner.learning_rate, statement.learner.regularization) = (0.01, 0.01);
    statement.threat.poison_rate = 0.5;
    statement.threat.set = Set::Ball { radius: 1.0 };
    statement.threat.poison_weight = Some(PoisonWeight::All(0.01));
    *data = vec![[-0.1, 0.0].repeat(4)];
    *weights = vec![None];
    (proof.alpha, proof.beta) = (0.51, vec![10.0, 0.0]);
    proof.lines[0].u.fill(0.0);
    proof.cases.nu.fill(0.0);
    proof.cases.tau.fill(10.0);
    weighted.steps = vec![2.0; 4];
    let bound = weighted.bound().expect("a bound");
    let reached = |weighted: &Weighted| weighted.residual(&[0.0, 0.0], &[1.0, 0.0]);
    assert!(reached(&weighted) <= bound, "{bound}");
    weighted.problem.statement.threat.poison_weight = Some(PoisonWeight::All(2.0));
    assert!(reached(&weighted) > bound, "{bound}");
}

const BY_CLASS: [Feature; 5] =
    [Feature::Hinge, Feature::FixedBias, Feature::StepWeights, Feature::ClassPoisonWeights, Feature::Bias];

/// A λ that is steep along the column, and a model on which a point of one class acts: a checker that is told of the weights of the
/// other way round proves too little.
#[test]
fn weights_of_the_wrong_class_are_found() {
    for sign in [1.0, -1.0] {
        let told = |negative: f64, positive: f64| -> Weighted {
            let mut problem = generic(&BY_CLASS);
            let threat = &mut problem.statement.threat;
            threat.poison_rate = 0.5;
            threat.set = Set::Features { radius: 0.5, constant: 1.0 };
            threat.poison_weight = Some(PoisonWeight::ByClass(ClassWeights { negative, positive }));
            (problem.proof.alpha, problem.proof.beta) = (2.0, vec![0.0, sign * 400.0]);
            Weighted { problem, steps: vec![1.0; 4] }
        };
        let (heavy, light) = (2.0, 0.25);
        let right = if sign > 0.0 { told(light, heavy) } else { told(heavy, light) };
        let wrong = if sign > 0.0 { told(heavy, light) } else { told(light, heavy) };
        let reached = right.residual(&[0.0, -10.0 * sign], &[0.0, sign]);
        let [enough, less] = [&right, &wrong].map(|told| told.bound().expect("a bound"));
        assert!(reached <= enough, "{sign}: {reached} {enough}");
        assert!(reached > less, "{sign}: {reached} {less}");
        // With the heavier weight for both the bound is the same: the other class does not decide it.
        let both = told(heavy, heavy).bound().expect("a bound");
        assert!(both >= enough && both <= enough * (1.0 + 1e-9), "{both} {enough}");
    }
}

/// Weights by class are positive numbers, and there are two cases for each slab.
#[test]
fn the_edges_of_weights_by_class() {
    let with = |negative: f64, positive: f64, change: &dyn Fn(&mut Weighted)| {
        let mut weighted = Weighted { problem: generic(&BY_CLASS), steps: vec![1.0; 4] };
        weighted.problem.statement.threat.poison_weight =
            Some(PoisonWeight::ByClass(ClassWeights { negative, positive }));
        change(&mut weighted);
        weighted.bound().map_err(|failure| failure.to_string())
    };
    assert!(with(f64::MIN_POSITIVE, 1.0, &|_| ()).is_ok() && with(1.0, f64::MIN_POSITIVE, &|_| ()).is_ok());
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(with(bad, 1.0, &|_| ()).unwrap_err().contains("poison_weight[0]"));
        assert!(with(1.0, bad, &|_| ()).unwrap_err().contains("poison_weight[1]"));
    }
    let drop_case = |w: &mut Weighted| w.problem.proof.cases.lines.truncate(5);
    assert!(with(1.0, 0.5, &drop_case).unwrap_err().contains("lines of the cases"));
    let as_one = |w: &mut Weighted| w.problem.statement.threat.poison_weight = Some(PoisonWeight::All(1.0));
    assert!(with(1.0, 0.5, &as_one).unwrap_err().contains("lines of the cases"));
    let unweighted = |w: &mut Weighted| w.problem.statement.data[0].step_weight_column = None;
    assert!(with(1.0, 0.5, &unweighted).unwrap_err().contains("step weights of the rows"));
    // Larger weights of either class give larger bounds, and equal ones that of a single number.
    let of = |negative, positive| with(negative, positive, &|_| ()).expect("a bound");
    assert!(of(1.0, 0.5) <= of(1.0, 1.0) && of(0.5, 1.0) <= of(1.0, 1.0));
    let halves = |w: &mut Weighted| {
        as_one(w);
        let cases = &mut w.problem.proof.cases;
        cases.lines = vec![0, 1, 2];
        (cases.tau, cases.nu) =
            ([0, 2, 4].map(|i| cases.tau[i]).to_vec(), [0, 2, 4].map(|i| cases.nu[i]).to_vec());
    };
    assert_eq!(Ok(of(1.0, 1.0)), with(1.0, 1.0, &halves));
}

/// Four equal rows, hardly any regularization and no adversary: the bound is reached at the kink, so that step weights that are
/// told a thousandth too small break it.
#[test]
fn the_bound_of_a_weighted_row_is_reached() {
    let mut random = Random(3);
    let mut weighted = Weighted::random(&mut random, RowBound::BoundedSlope, "ball");
    let Problem { statement, proof, data, weights, .. } = &mut weighted.problem;
    (statement.learner.learning_rate, statement.learner.regularization) = (0.1, 1e-9);
    statement.threat.poison_rate = 0.0;
    *data = vec![[1.0, 0.0].repeat(4)];
    *weights = vec![None];
    (proof.alpha, proof.beta) = (0.5, vec![0.0; 2]);
    proof.lines[0].u.fill(0.0);
    proof.cases.nu.fill(0.0);
    weighted.steps = vec![2.0; 4];
    let (bound, reached) = (weighted.bound().expect("a bound"), weighted.residual(&[1.0, 0.0], &[0.0, 0.0]));
    assert!(reached <= bound && reached > bound * (1.0 - 1e-6), "{reached} {bound}");
    weighted.steps = vec![2.0 * 0.999; 4];
    assert!(weighted.bound().expect("a bound") < reached);
}

fn one_row(step: f64, poison_weight: Option<f64>, change: impl Fn(&mut Weighted)) -> Result<f64, String> {
    let mut random = Random(7);
    let mut weighted = Weighted::random(&mut random, RowBound::BoundedSlope, "ball");
    weighted.steps = vec![step; 4];
    weighted.problem.weights = vec![None];
    weighted.problem.statement.threat.poison_weight = poison_weight.map(PoisonWeight::All);
    change(&mut weighted);
    weighted.bound().map_err(|failure| failure.to_string())
}

#[test]
fn the_edges_of_the_conditions() {
    let refused = |result: Result<f64, String>, by: &str| {
        let message = result.expect_err("a refusal");
        assert!(message.contains(by), "{message}");
    };
    assert!(one_row(2.5, Some(1.0), |_| {}).is_ok());
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(one_row(bad, Some(1.0), |_| {}), "step weight");
        refused(one_row(2.5, Some(bad), |_| {}), "poison_weight");
    }
    refused(one_row(2.5, None, |_| {}), "poison_weight");
    refused(one_row(2.5, Some(1.0), |w| w.steps.truncate(3)), "step weights");
    refused(
        one_row(2.5, Some(1.0), |w| w.problem.statement.data[0].step_weight_column = None),
        "step weights of the rows",
    );
    // κ0c ≥ 1, with k = 1 − ησ and 1 − ε binary numbers: α = 1/(2k(1−ε)c) exactly.
    let edge = |alpha: f64| {
        one_row(2.0, Some(0.5), |w| {
            let statement = &mut w.problem.statement;
            (statement.learner.learning_rate, statement.learner.regularization) = (0.5, 0.5);
            statement.threat.poison_rate = 0.0;
            w.problem.proof.alpha = alpha;
        })
    };
    // κ0c = 2·(3/4)·2α = 3α.
    let least = (1.0_f64 / 3.0).next_up();
    assert!(edge(least).is_ok());
    refused(edge((1.0_f64 / 3.0).next_down()), "κ0p[0] − t[0]");
}

/// A ball is kept if its radius times σ is at least c‖z‖, for rows and for points.
#[test]
fn the_ball_is_kept_by_weighted_steps() {
    let kept = |steps: f64, weight: f64| {
        let mut random = Random(11);
        let mut weighted = Weighted::random(&mut random, RowBound::Interval, "ball");
        weighted.problem.data = vec![vec![0.5, 0.0, 0.0, 0.5, -0.5, 0.0, 0.0, -0.5]];
        let statement = &mut weighted.problem.statement;
        statement.learner.regularization = 0.5;
        statement.threat.set = Set::Ball { radius: 0.25 };
        statement.threat.poison_weight = Some(PoisonWeight::All(weight));
        let shells = weighted.problem.proof.shells.as_mut().expect("shells");
        shells.ball = 4.0;
        weighted.steps = vec![steps; 4];
        weighted.bound().map_err(|failure| failure.to_string())
    };
    // ϱσ = 2.
    let refused = |result: Result<f64, String>, by: &str| {
        let message = result.expect_err("a refusal");
        assert!(message.contains(by), "{message}");
    };
    assert!(!kept(4.0, 8.0).is_err_and(|message| message.contains("(ϱσ)²")));
    refused(kept(4.0_f64.next_up(), 8.0), "(ϱσ)² − ‖z[0]‖²");
    refused(kept(4.0, 8.0_f64.next_up()), "on the set");
}
