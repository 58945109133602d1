//! Rows that may be hostile (Theorem H1): every way to remove them by brute force, a second formula with errors that the search
//! must find, and the edges of every condition.

use unswayed_check::Feature::{self, *};
use unswayed_check::{RowBound, Set};

use crate::common::generic::{ALPHA, generic, generic_error};
use crate::common::random::{add_projection, add_schedule, nothing, random_problem};
use crate::common::search::Random;
use crate::common::{Numbers, Problem, dot, rounds};

const KINDS: [(RowBound, &str); 8] = [
    (RowBound::BoundedSlope, "ball"),
    (RowBound::Logistic, "ball"),
    (RowBound::BoundedSlope, "box"),
    (RowBound::LabelHinge, "labels"),
    (RowBound::ErrorHinge, "ellipsoid"),
    (RowBound::LabelLogistic, "labels"),
    (RowBound::ErrorLogistic, "ball"),
    (RowBound::ClippedHinge, "any"),
];

/// The weight of the rows that may be hostile over that of the others.
fn odds(problem: &Problem, count: usize) -> f64 {
    let rows = problem.data[0].len() / problem.dimension;
    let mut weights = problem.weights[0].clone().unwrap_or_else(|| vec![1.0; rows]);
    weights.sort_by(|a, b| b.total_cmp(a));
    let hostile: f64 = weights[..count].iter().sum();
    hostile / (weights.iter().sum::<f64>() - hostile)
}

/// Makes so many rows hostile, with numbers that need not be good.
fn add_hostile(problem: &mut Problem, random: &mut Random, count: usize) {
    let learner = &problem.statement.learner;
    let sigma = learner.regularization;
    let base = problem.proof.alpha * sigma * (2.0 - learner.learning_rate * sigma);
    let share = random.between(0.05, 0.4);
    problem.statement.hostile_rows = vec![count];
    problem.proof.cases.tau.iter_mut().for_each(|tau| *tau *= 1.05 / (1.0 - share));
    let odds = odds(problem, count);
    for lines in &mut problem.proof.lines {
        lines.pull = random.normal(problem.proof.beta.len()).iter().map(|x| 0.3 * x).collect();
        lines.spread = vec![odds / (2.0 * share * base)];
        lines.threshold = vec![random.between(-0.5, 0.5)];
    }
}

/// Better numbers, by trial, for what is to be small; `None` where the numbers prove nothing.
fn improve(
    problem: &mut Problem,
    random: &mut Random,
    tries: usize,
    value: impl Fn(&Problem) -> Option<f64>,
) -> Option<f64> {
    let mut best = value(problem)?;
    for _ in 0..tries {
        let mut next = problem.clone();
        let lines = &mut next.proof.lines[0];
        let size = 10_f64.powf(random.between(-2.0, 0.0));
        match random.below(4) {
            0 => lines.spread[0] *= (size * random.between(-1.0, 1.0)).exp(),
            1 => lines.threshold[0] += size * random.between(-1.0, 1.0),
            2 => {
                lines.u.iter_mut().for_each(|u| *u = (*u + size * random.between(-1.0, 1.0)).clamp(0.0, 1.0))
            }
            _ => {
                let shift = random.normal(lines.pull.len());
                lines.pull.iter_mut().zip(shift).for_each(|(c, s)| *c += size * s);
            }
        }
        if let Some(bound) = value(&next).filter(|bound| *bound < best) {
            (*problem, best) = (next, bound);
        }
    }
    Some(best)
}

/// The bound of the checker.
fn proven(problem: &Problem) -> Option<f64> {
    problem.bound().ok()
}

/// The problem of each law that is left without so many rows.
fn rests(problem: &Problem, count: usize) -> Vec<Problem> {
    let rows = problem.data[0].len() / problem.dimension;
    let removed = (0..1_usize << rows).filter(|set| set.count_ones() as usize <= count);
    removed
        .map(|set| {
            let mut rest = problem.clone();
            rest.statement.hostile_rows = vec![];
            let mut weights = problem.weights[0].clone().unwrap_or_else(|| vec![1.0; rows]);
            weights.iter_mut().enumerate().for_each(|(i, w)| *w *= f64::from(u8::from(set >> i & 1 == 0)));
            rest.weights = vec![Some(weights)];
            rest
        })
        .collect()
}

/// The largest residual that is found on any of the laws.
fn worst(problem: &Problem, count: usize, random: &mut Random, steps: usize) -> f64 {
    let each = rests(problem, count).into_iter().map(|rest| rest.search(random, 3, steps));
    each.fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn no_choice_of_hostile_rows_breaks_a_bound() {
    let count = rounds(120, 8000);
    let (mut random, mut proved, mut least) = (Random(0x605), 0, f64::INFINITY);
    for i in 0..count {
        let (kind, set) = KINDS[i % KINDS.len()];
        let changes: [fn(&mut Problem, &mut Random); 3] = [nothing, add_schedule, add_projection];
        let change = changes[i / KINDS.len() % 3];
        let mut problem = random_problem(&mut random, kind, set, change);
        let hostile = 1 + random.below(3);
        add_hostile(&mut problem, &mut random, hostile);
        let Some(bound) = improve(&mut problem, &mut random, 30, proven) else { continue };
        proved += 1;
        let found = worst(&problem, hostile, &mut random, 60);
        assert!(found <= bound + 1e-9 * (1.0 + bound.abs()), "{kind:?} {set} {hostile}: {found} {bound}");
        least = least.min((bound - found) / (1.0 + bound.abs()));
    }
    println!("{proved} proofs, the least margin {least:e}");
    assert!(proved > count / 2 && least < 0.1, "{proved} of {count}, {least}");
}

/// What a checker could get wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wrong {
    Nothing,
    /// ‖θ‖²/(2t) is forgotten.
    Bend,
    /// γ alone, without what exceeds it.
    Excess,
    /// Divided by W in place of W − H.
    Scale,
    /// One row fewer is hostile.
    Count,
}

/// Theorem H1 for hinge rows without weights against a ball, in floating point; `None` where A is not positive.
fn formula(problem: &Problem, wrong: Wrong) -> Option<f64> {
    let Problem { statement, proof, data, dimension, .. } = problem;
    let (lines, learner) = (&proof.lines[0], &statement.learner);
    let numbers = Numbers::new(statement, proof.alpha);
    let Set::Ball { radius } = statement.threat.set else { panic!("a ball") };
    let (n, told) = (data[0].len() / dimension, statement.hostile_rows[0]);
    let hostile = if wrong == Wrong::Count { told - 1 } else { told } as f64;
    let (t, gamma, kappa) = (lines.spread[0], lines.threshold[0], numbers.kappa0 - 1.0);
    let scale = if wrong == Wrong::Scale { n as f64 } else { n as f64 - hostile };
    let mut constant = hostile * gamma;
    let mut slope: Vec<f64> = lines.pull.iter().map(|c| -hostile * c).collect();
    for (z, u) in data[0].chunks(*dimension).zip(&lines.u) {
        let jump = numbers.benign * (numbers.two_ak + numbers.alpha_eta * dot(z, z) + dot(&proof.beta, z));
        let (top, y) = (jump.max(0.0) - kappa * u, kappa * u);
        let gap: f64 = lines.pull.iter().zip(z).map(|(c, z)| (c - y * z).powi(2)).sum();
        let excess = t / 2.0 * gap - top - gamma;
        constant += top + if wrong == Wrong::Excess { 0.0 } else { excess.max(0.0) };
        slope.iter_mut().zip(z).for_each(|(s, z)| *s += y * z);
    }
    let (tau, nu) = (proof.cases.tau[0], proof.cases.nu[0]);
    let (chi, eps, sigma) = (numbers.two_ak - nu, numbers.eps, learner.regularization);
    let bend = if wrong == Wrong::Bend { 0.0 } else { hostile / (2.0 * t * scale) };
    let a = proof.alpha * sigma * (2.0 - learner.learning_rate * sigma)
        - bend
        - eps * radius * chi * chi / (2.0 * tau);
    let v: Vec<f64> = slope
        .iter()
        .zip(&proof.beta)
        .map(|(s, b)| s / scale + (eps * radius * chi / tau - sigma) * b)
        .collect();
    let point = numbers.alpha_eta * radius * radius + nu + radius * tau / 2.0;
    let point = point + radius * dot(&proof.beta, &proof.beta) / (2.0 * tau);
    (a > 0.0).then(|| constant / scale + eps * point + dot(&v, &v) / (4.0 * a))
}

/// Numbers that suit a wrong formula best: some model and some choice of hostile rows exceed what it says.
#[test]
fn the_formula_agrees_and_wrong_ones_are_found() {
    let wrongs = [Wrong::Bend, Wrong::Excess, Wrong::Scale, Wrong::Count];
    let mut random = Random(0xbad);
    let mut broken = [0; 4];
    let mut proved = 0;
    for _ in 0..rounds(80, 1000) {
        let mut problem = random_problem(&mut random, RowBound::BoundedSlope, "ball", nothing);
        problem.weights = vec![None];
        add_hostile(&mut problem, &mut random, 2);
        let Some(bound) = improve(&mut problem, &mut random, 100, proven) else { continue };
        proved += 1;
        let again = formula(&problem, Wrong::Nothing).expect("a bound");
        assert!((again - bound).abs() <= 1e-9 * (1.0 + bound.abs()), "{again} {bound}");
        let found = worst(&problem, 2, &mut random, 60);
        assert!(found <= bound + 1e-9 * (1.0 + bound.abs()), "{found} {bound}");
        for (count, wrong) in broken.iter_mut().zip(wrongs) {
            let mut fooled = problem.clone();
            let claimed = improve(&mut fooled, &mut random, 150, |p| formula(p, wrong)).expect("a number");
            *count += usize::from(worst(&fooled, 2, &mut random, 60) > claimed + 1e-6);
        }
    }
    println!("{proved} proofs; wrong formulas broken: {broken:?} of {wrongs:?}");
    assert!(proved > 20 && broken.iter().all(|&count| count > 0), "{proved}: {broken:?} of {wrongs:?}");
}

const PLAIN: &[Feature] = &[Hinge, Ball, HostileRows];

fn changed(features: &[Feature], change: impl Fn(&mut Problem)) -> Result<f64, String> {
    let mut problem = generic(features);
    change(&mut problem);
    problem.bound().map_err(|failure| failure.to_string())
}

fn refused(features: &[Feature], words: &str, change: impl Fn(&mut Problem)) {
    let complaint = changed(features, change).expect_err(words);
    assert!(complaint.contains(words), "{words}: {complaint}");
}

#[test]
fn the_edges_of_every_condition() {
    // All but one of four rows may be hostile.
    for count in 1..4 {
        changed(PLAIN, |p| p.statement.hostile_rows = vec![count]).expect("a bound");
    }
    refused(PLAIN, "less than the number of rows", |p| p.statement.hostile_rows = vec![4]);
    refused(PLAIN, "hostile_rows", |p| p.statement.hostile_rows = vec![0]);
    refused(PLAIN, "hostile_rows", |p| p.statement.hostile_rows = vec![1, 1]);
    changed(&[Hinge, Ball, Drift, HostileRows], |p| p.statement.hostile_rows = vec![0, 1]).expect("a bound");
    // t > 0.
    for bad in [0.0, -0.0, -1.0] {
        refused(PLAIN, "spread", |p| p.proof.lines[0].spread = vec![bad]);
    }
    // Numbers of another length, or none.
    for values in [vec![], vec![1.0; 2]] {
        refused(PLAIN, "spread", |p| p.proof.lines[0].spread.clone_from(&values));
        refused(PLAIN, "threshold", |p| p.proof.lines[0].threshold.clone_from(&values));
    }
    refused(PLAIN, "pull", |p| p.proof.lines[0].pull = vec![0.0]);
    refused(PLAIN, "pull", |p| p.proof.lines[0].pull = vec![0.0, f64::NAN]);
    refused(PLAIN, "threshold", |p| p.proof.lines[0].threshold = vec![f64::INFINITY]);
    // They belong to statements with hostile rows alone.
    for (name, fill) in [("pull", 0), ("spread", 1), ("threshold", 2)] {
        refused(&[Hinge, Ball], name, |p| {
            let lines = &mut p.proof.lines[0];
            [&mut lines.pull, &mut lines.spread, &mut lines.threshold][fill].push(1.0);
        });
    }
    refused(PLAIN, "pull", |p| p.statement.hostile_rows = vec![]);
    // Nothing is left if the other rows have no weight.
    let weigh = |weights: [f64; 4]| {
        move |p: &mut Problem| {
            p.weights = vec![Some(weights.to_vec())];
            p.proof.lines[0].spread = vec![1e12];
        }
    };
    changed(PLAIN, weigh([1.0, 1e-9, 0.0, 0.0])).expect("a bound");
    refused(PLAIN, "the weight of the rows that are not hostile", weigh([1.0, 0.0, 0.0, 0.0]));
    // The heaviest row counts, wherever it is.
    changed(PLAIN, weigh([0.0, 1e-9, 0.0, 1.0])).expect("a bound");
    refused(PLAIN, "the weight of the rows that are not hostile", weigh([0.0, 0.0, 0.0, 1.0]));
}

/// 1/(2t)·H/(W−H) is taken from A: the last t that leaves it positive, and the one before.
#[test]
fn the_curvature_left() {
    let a = {
        let problem = generic(PLAIN);
        let numbers = Numbers::new(&problem.statement, ALPHA);
        let (learner, cases) = (&problem.statement.learner, &problem.proof.cases);
        let sigma = learner.regularization;
        let chi = numbers.two_ak - cases.nu[0];
        ALPHA * sigma * (2.0 - learner.learning_rate * sigma) - numbers.eps * chi * chi / (2.0 * cases.tau[0])
    };
    // One of four rows.
    let edge = 1.0 / (2.0 * 3.0 * a);
    changed(PLAIN, |p| p.proof.lines[0].spread = vec![edge * (1.0 + 1e-12)]).expect("a bound");
    refused(PLAIN, "A", |p| p.proof.lines[0].spread = vec![edge * (1.0 - 1e-12)]);
}

/// The bound can only grow with the number of rows that may be hostile, for the same numbers at their best γ; and no γ gives
/// less than the best.
#[test]
fn more_hostile_rows_and_other_thresholds() {
    let at = |count: usize, gamma: f64| {
        changed(PLAIN, |p| {
            p.statement.hostile_rows = vec![count];
            p.proof.lines[0].threshold = vec![gamma];
        })
        .expect("a bound")
    };
    let grid = || (-400..400).map(|i| f64::from(i) / 8.0);
    let best = |count: usize| grid().map(|gamma| at(count, gamma)).fold(f64::INFINITY, f64::min);
    let bests: Vec<f64> = (1..4).map(best).collect();
    assert!(bests[0] < bests[1] && bests[1] < bests[2], "{bests:?}");
    let plain = generic(&[Hinge, Ball]).bound().expect("a bound");
    assert!(plain < bests[0], "{plain} {bests:?}");
}

/// Weights that are all alike are as good as none, and a heavier row may be the hostile one.
#[test]
fn weights_of_hostile_rows() {
    let with =
        |weights: Option<Vec<f64>>| changed(PLAIN, |p| p.weights = vec![weights.clone()]).expect("a bound");
    assert_eq!(with(None), with(Some(vec![0.5; 4])));
    assert!(with(Some(vec![2.0, 1.0, 1.0, 1.0])) > with(None));
}

/// Lines on an interval have slopes that are not per unit of weight.
#[test]
fn intervals_are_refused() {
    let mut problem = generic(&[Hinge, Ball, TargetRows]);
    problem.statement.target = unswayed_check::Target::Data;
    problem.target = None;
    let lines = &mut problem.proof.lines[0];
    (lines.target_y, lines.target_reach) = (vec![], vec![]);
    problem.bound().expect("a bound");
    problem.statement.hostile_rows = vec![1];
    let lines = &mut problem.proof.lines[0];
    (lines.pull, lines.spread, lines.threshold) = (vec![0.0; 2], vec![10.0], vec![0.0]);
    assert!(problem.complaint().contains("rows that may be hostile"), "{}", problem.complaint());
}

#[test]
fn the_statement_says_it() {
    let lines = generic_error(&[Hinge, Ball, Drift, HostileRows]).statement.lines();
    let text = &lines.iter().find(|(name, _)| *name == "hostile").expect("a line").1;
    assert!(text.starts_with("up to 1 of the 4 and 1 of the 4 rows may be hostile"), "{text}");
    assert!(text.contains("the bounds are for these"), "{text}");
}
