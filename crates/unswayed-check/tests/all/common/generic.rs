//! A loose but valid proof for every combination of features that no rule refuses.

use unswayed_check::{
    CaseProof, Cases, ClassWeights, ContractionCase, ContractionProof, ContractionRound, Feature, Horizon,
    Labels, LevelsProof, Lines, Loss, PoisonWeight, Proof, RowBound, Schedule, Set, Shells, Statement,
    Target,
};

use super::section20::blank;
use super::{Problem, dot, origin, plain};

/// Four rows of two entries.
pub const Z: [f64; 8] = [0.5, 0.25, -0.75, 0.5, 0.125, 0.875, 0.5, -0.25];
/// The same with a class in front.
const CLASSES: [f64; 12] = [0.0, 0.5, 0.25, 1.0, -0.75, 0.5, 2.0, 0.125, 0.875, 0.0, 0.5, -0.25];
/// The same with a number in front.
const NUMBERS: [f64; 12] = [0.5, 0.5, 0.25, -0.25, -0.75, 0.5, 0.75, 0.125, 0.875, -1.0, 0.5, -0.25];
/// Rows whose second entry is a bias.
const BIASED: [f64; 8] = [0.5, 0.5, -0.75, -0.5, 0.125, 0.5, 0.25, -0.5];
/// Rows of a target of its own.
pub const TARGET: [f64; 6] = [0.25, 0.25, -0.5, 0.75, 0.875, 0.0];

pub const ETA: f64 = 0.01;
pub const SIGMA: f64 = 0.1;
pub const EPS: f64 = 0.05;
pub const ALPHA: f64 = 8.0;
pub const NU: f64 = 0.125;
pub const CLIP: f64 = 0.5;
pub const PROJECTION: f64 = 12.0;
/// μ, and a rate of plain steps at which Theorem M1 holds: RATE(1−μ)² ≥ ETA(1+μ).
pub const MOMENTUM: f64 = 0.25;
pub const RATE: f64 = 0.03;
/// ϱ of shells without a projection.
pub const BALL: f64 = 15.0;
/// The largest label of a poisoned point of a regression.
pub const LABELS: f64 = 1.0;
/// W of an adversary who picks its moments.
pub const BLOCK: u64 = 10;
/// K of several classes.
pub const K: usize = 3;

/// A problem with these features; its proof is for the loss.
pub fn generic(features: &[Feature]) -> Problem {
    make(features, false)
}

/// The same with a proof for the error.
pub fn generic_error(features: &[Feature]) -> Problem {
    make(features, true)
}

/// A loose proof by levels of the error of a generic problem, whether or not there is a theorem for it.
pub fn by_levels(problem: &Problem) -> Proof {
    let (n, d) = (problem.data[0].len() / problem.dimension, problem.dimension);
    let is_hinge = problem.statement.learner.loss == Loss::Hinge;
    let flat = blank(n, d, is_hinge);
    let proof = LevelsProof { radius: 1.25, norm: 1.5, omega: 1.0, least: 0.125, offset: 20.0, ..flat };
    Proof::Levels(Box::new(proof))
}

/// A loose proof by contraction of the loss of a generic problem, whether or not there is a theorem for it.
pub fn by_contraction(problem: &Problem) -> Proof {
    let round = |ends: [f64; 2]| ContractionRound {
        ends: ends.to_vec(),
        pulls: vec![0.5, 0.25],
        tau: vec![8.0, 9.0],
        nu: vec![NU, 0.0],
        codes: vec![0x0f, 0x37, 0x88, 0xf1],
    };
    let case = ContractionCase {
        rounds: vec![round([0.0, 3.0]), round([5.0, 6.0])],
        tau: 8.0,
        nu: NU,
        codes: vec![0x78, 0x56],
    };
    Proof::Contraction(Box::new(ContractionProof {
        alpha: ALPHA,
        beta: vec![-0.5; problem.dimension],
        ball: BALL,
        target: 0.5,
        cases: vec![case; problem.statement.data.len()],
    }))
}

fn statement(features: &[Feature]) -> Statement {
    let has = |feature: Feature| features.contains(&feature);
    let loss = match () {
        () if has(Feature::Logistic) => Loss::Logistic,
        () if has(Feature::Multiclass) => Loss::Multiclass(K),
        () if has(Feature::SmoothMargin) => Loss::SmoothHinge(0.5),
        () if has(Feature::Regression) => Loss::Huber(1.0),
        () => Loss::Hinge,
    };
    let set = match () {
        () if has(Feature::FixedBias) => Set::Features { radius: 1.0, constant: 0.5 },
        () if has(Feature::Box) => Set::Box { radii: vec![1.0, 0.5] },
        () if has(Feature::Ellipsoid) => Set::Ellipsoid { q: vec![1.0, 0.25, 0.75] },
        () if has(Feature::Points) => Set::Points { points: vec![0.5, -0.25, -0.75, 0.25] },
        () if has(Feature::LabelFlips) => Set::LabelFlips,
        () if has(Feature::AnyPoint) => Set::Any,
        () => Set::Ball { radius: 1.0 },
    };
    let datasets = if has(Feature::Drift) { 2 } else { 1 };
    let mut statement = plain(ETA, SIGMA, EPS, loss, set);
    statement.data = vec![origin(4, 2); datasets];
    if has(Feature::Regression) {
        statement.data.iter_mut().for_each(|origin| origin.labels = Labels::Numbers);
        statement.threat.label_bound = (!has(Feature::AnyLabel)).then_some(LABELS);
    }
    if has(Feature::ScaledRows) {
        statement.data[0].scale = 2.0;
    }
    let learner = &mut statement.learner;
    learner.projection = has(Feature::Projection).then_some(PROJECTION);
    learner.clip = has(Feature::Clip).then_some(CLIP);
    learner.unregularized = if has(Feature::Bias) { vec![1] } else { vec![] };
    learner.schedule = match (has(Feature::WeightedRates), has(Feature::Schedule)) {
        (true, _) => Some(Schedule { weighted: true, ..Schedule::default() }),
        (false, true) => Some(Schedule { slowdown: SIGMA / 4.0, ..Schedule::default() }),
        (false, false) => None,
    };
    learner.momentum = has(Feature::Momentum).then_some(MOMENTUM);
    learner.average = has(Feature::Average);
    if has(Feature::Horizon) {
        let parameters = if has(Feature::Multiclass) { 2 * K } else { 2 };
        let weighted = has(Feature::WeightedRates);
        let first_rate = (has(Feature::Schedule) && !weighted).then_some(ETA / 2.0);
        let total_rate = weighted.then_some(ETA);
        statement.horizon = Some(Horizon { steps: 10, start: vec![0.0; parameters], first_rate, total_rate });
    }
    statement.threat.moments = has(Feature::Moments).then_some(BLOCK);
    if has(Feature::HostileRows) {
        statement.hostile_rows = vec![1; datasets];
    }
    let learner = &mut statement.learner;
    if has(Feature::NoRegularization) {
        learner.regularization = 0.0;
    }
    if has(Feature::TargetWeights) {
        statement.target = Target::Weights(vec![vec![1.0, 0.5, 0.25, 1.0]; datasets]);
    }
    if has(Feature::TargetRows) {
        statement.target = Target::Rows(origin(3, 2));
    }
    statement
}

/// The kind of lines, and the vectors that it needs.
fn lines(statement: &Statement, is_error: bool, rows: &[f64], dimension: usize) -> (RowBound, Lines) {
    let learner = &statement.learner;
    let is_logistic = learner.loss == Loss::Logistic;
    let flips = statement.threat.set == Set::LabelFlips;
    let kind = match (is_logistic, is_error, flips, learner.clip.is_some()) {
        _ if matches!(statement.target, Target::Rows(_)) => RowBound::Interval,
        (false, true, ..) => RowBound::ErrorHinge,
        (true, true, ..) => RowBound::ErrorLogistic,
        (false, _, true, _) => RowBound::LabelHinge,
        (true, _, true, _) => RowBound::LabelLogistic,
        (false, _, _, true) => RowBound::ClippedHinge,
        (true, _, _, true) => RowBound::ClippedLogistic,
        (false, ..) => RowBound::BoundedSlope,
        (true, ..) => RowBound::Logistic,
    };
    let each = if let Loss::Multiclass(k) = learner.loss { k - 1 } else { 1 };
    let norms = rows.chunks(dimension).map(|z| dot(z, z).sqrt());
    let n = rows.len() / dimension * each;
    let u = if learner.unregularized.is_empty() { 0.5 } else { 0.0 };
    let mut lines = Lines { u: vec![u; n], ..Lines::default() };
    match kind {
        RowBound::Interval => {
            lines.u = vec![];
            lines.y = vec![0.0; n];
            lines.reach = norms.map(|norm| norm * BALL * (1.0 + 1e-9)).collect();
            lines.target_y = vec![0.0; 3];
            lines.target_reach = TARGET.chunks(2).map(|z| dot(z, z).sqrt() * BALL * (1.0 + 1e-9)).collect();
        }
        RowBound::Logistic => lines.w = vec![0.4; n],
        RowBound::LabelLogistic | RowBound::ErrorLogistic => {
            (lines.w, lines.w2) = (vec![0.4; n], vec![0.6; n]);
        }
        RowBound::ErrorHinge => (lines.u2, lines.c) = (vec![0.25; n], vec![1.0; n]),
        RowBound::ClippedHinge | RowBound::ClippedLogistic => {
            lines.low = norms.map(|norm| (CLIP / norm).min(1.0) * (1.0 - 1e-12)).collect();
            if kind == RowBound::ClippedHinge { lines.high = vec![1.0; n] } else { lines.w = vec![0.4; n] }
        }
        RowBound::BoundedSlope | RowBound::LabelHinge => {}
    }
    if !statement.hostile_rows.is_empty() {
        (lines.pull, lines.spread, lines.threshold) =
            (vec![0.125; dimension - learner.loss.label_entries()], vec![10.0], vec![0.0]);
    }
    (kind, lines)
}

fn make(features: &[Feature], is_error: bool) -> Problem {
    let has = |feature: Feature| features.contains(&feature);
    let statement = statement(features);
    let biased = || BIASED.chunks(2).flat_map(|z| [0.5, z[0], z[1]]).collect();
    let (z, dimension) = match () {
        () if has(Feature::Multiclass) => (CLASSES.to_vec(), 3),
        () if has(Feature::Regression) && has(Feature::Bias) => (biased(), 3),
        () if has(Feature::Regression) => (NUMBERS.to_vec(), 3),
        () if has(Feature::Bias) => (BIASED.to_vec(), 2),
        () => (Z.to_vec(), 2),
    };
    let (kind, lines) = lines(&statement, is_error, &z, dimension);
    let parameters = if has(Feature::Multiclass) { 2 * K } else { 2 };
    let beta: Vec<f64> = (0..parameters).map(|j| [-0.5, -0.25][j % 2]).collect();
    let mut cases = Cases { lines: vec![0], ..Cases::default() };
    match &statement.threat.set {
        Set::Box { .. } => cases.tau = vec![100.0; 2],
        Set::Points { .. } => {
            cases.lines = vec![0; 2];
            cases.share = vec![0.5; 2];
            cases.w = if has(Feature::Logistic) { vec![0.4; 2] } else { vec![] };
        }
        Set::LabelFlips => {}
        _ => cases.tau = vec![100.0],
    }
    let is_free = has(Feature::Bias);
    cases.nu = if cases.tau.is_empty() { vec![] } else { vec![NU] };
    if has(Feature::AnyLabel) {
        cases.nu.fill(0.0);
    }
    let is_ellipsoid = has(Feature::Ellipsoid);
    cases.x = if is_ellipsoid { vec![0.0; 2] } else { vec![] };
    let datasets = statement.data.len();
    let weights = has(Feature::RowWeights).then(|| vec![1.0, 2.0, 0.5, 1.0]);
    let target = matches!(statement.target, Target::Rows(_)).then(|| TARGET.to_vec());
    let proof = CaseProof {
        rate: has(Feature::Momentum).then_some(RATE),
        omega: is_ellipsoid.then_some(1.5),
        ..CaseProof::new(kind, ALPHA, beta, lines, cases)
    };
    let needs_shells = kind == RowBound::Interval || has(Feature::NoRegularization);
    let mut problem = Problem { statement, proof, data: vec![z], weights: vec![weights], dimension, target };
    if has(Feature::StepWeights) {
        problem.statement.threat.poison_weight = Some(PoisonWeight::All(1.0));
        problem.statement.data.iter_mut().for_each(|origin| origin.step_weight_column = Some("c".to_owned()));
    }
    if has(Feature::ClassPoisonWeights) {
        let weights = ClassWeights { negative: 0.5, positive: 1.0 };
        problem.statement.threat.poison_weight = Some(PoisonWeight::ByClass(weights));
    }
    if needs_shells {
        add_shells(&mut problem);
    }
    if is_free {
        add_slabs(&mut problem);
    }
    if has(Feature::ClassPoisonWeights) && has(Feature::FixedBias) {
        split_classes(&mut problem.proof.cases);
    }
    if datasets == 2 {
        add_dataset(&mut problem);
    }
    problem
}

/// Each case twice: for the points of either class.
pub fn split_classes(cases: &mut Cases) {
    let twice = |numbers: &[f64]| numbers.iter().flat_map(|&x| [x, x]).collect();
    cases.lines = cases.lines.iter().flat_map(|&lines| [lines, lines]).collect();
    (cases.tau, cases.nu) = (twice(&cases.tau), twice(&cases.nu));
}

/// A rule for all rows but the third.
pub fn ruled(problem: &mut Problem) {
    let lines = &mut problem.proof.lines[0];
    (lines.theta, lines.gain, lines.exceptions) = (vec![1.0, 0.75], vec![0.5], vec![2.0]);
    for numbers in [&mut lines.u, &mut lines.u2, &mut lines.c] {
        numbers.truncate(1);
    }
}

/// One shell around 0: the ball of the projection, or one that every step keeps.
pub fn add_shells(problem: &mut Problem) {
    let ball = problem.statement.learner.projection.unwrap_or(BALL);
    let centre = vec![0.0; problem.proof.beta.len()];
    problem.proof.shells = Some(Shells { centre, radii: vec![ball], ball });
    let cases = problem.proof.cases.lines.len();
    (problem.proof.cases.outer, problem.proof.cases.inner) = (vec![5.0; cases], vec![0.0; cases]);
}

/// Three slabs of the column without regularization.
fn add_slabs(problem: &mut Problem) {
    let proof = &mut problem.proof;
    proof.slabs = vec![-2.0, 2.0];
    proof.lines = (0..3).map(|shell| Lines { shell, ..proof.lines[0].clone() }).collect();
    repeat(&mut proof.cases, 3);
    proof.cases.x = proof.cases.x.repeat(2);
    proof.cases.nu.iter_mut().step_by(2).for_each(|nu| *nu = 0.0);
}

/// The same shell cut in two.
pub fn cut_shell(problem: &mut Problem, radius: f64) {
    let proof = &mut problem.proof;
    proof.shells.as_mut().expect("shells").radii.insert(0, radius);
    let mut second = proof.lines[0].clone();
    second.shell = 1;
    proof.lines.push(second);
    repeat(&mut proof.cases, 2);
}

/// The data once more, turned.
fn add_dataset(problem: &mut Problem) {
    let has_label = problem.statement.learner.loss.label_entries() > 0;
    let label = |j: usize| has_label && j.is_multiple_of(problem.dimension);
    let turned = problem.data[0].iter().enumerate().map(|(j, &z)| if label(j) { z } else { -z });
    problem.data.push(turned.collect());
    problem.weights.push(problem.weights[0].clone());
    let proof = &mut problem.proof;
    let each = proof.lines.len();
    let second: Vec<Lines> = proof.lines.iter().map(|lines| Lines { dataset: 1, ..lines.clone() }).collect();
    proof.lines.extend(second);
    let first = proof.cases.lines.clone();
    repeat(&mut proof.cases, 2);
    proof.cases.lines = first.iter().copied().chain(first.iter().map(|lines| lines + each)).collect();
}

/// All cases so many times; each time with the next lines.
fn repeat(cases: &mut Cases, times: usize) {
    let each = cases.lines.len();
    cases.lines = (0..times).flat_map(|i| vec![i; each]).collect();
    for vector in [
        &mut cases.tau,
        &mut cases.nu,
        &mut cases.share,
        &mut cases.w,
        &mut cases.x,
        &mut cases.outer,
        &mut cases.inner,
    ] {
        *vector = vector.repeat(times);
    }
}
