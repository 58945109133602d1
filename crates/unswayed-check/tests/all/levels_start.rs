//! The error over the first steps by levels (Theorem E5): its formulas once more, a learner that takes its steps, planted errors,
//! and every condition from both sides.

use unswayed_check::{
    Certificate, Evidence, Failure, Feature, Horizon, HorizonErrorClaim, LevelsProof, Loss, Part, Proof,
    Schedule, prove,
};

use crate::common::generic::generic_error;
use crate::common::search::Random;
use crate::common::section20::{Case, Letters, Planted, Term, blank};
use crate::common::{certificate, rounds};
use crate::levels_truth::{Line, random_case, statement};

/// The bound over the first steps, and the one without a start.
fn proven(case: &Case, start: &[f64], steps: u64, m: f64) -> Result<[f64; 2], Failure> {
    let proof = Proof::Levels(Box::new(case.proof.clone()));
    let proven = prove(&case.statement, &proof, &Evidence { data: &[case.rows()], target: None })?;
    let horizon = Horizon { steps, start: start.to_vec(), ..Horizon::default() };
    Ok([proven.horizon(&horizon, m)?, proven.bound()?])
}

/// Starts at the centre, near it and far from it.
fn random_start(case: &Case, random: &mut Random) -> Vec<f64> {
    let edge = case.proof.norm / case.statement.learner.regularization;
    let away = [0.0, 0.5, 0.7 * edge][random.below(3)];
    let start = case.proof.centre.iter().map(|o| o + away * random.between(-1.0, 1.0));
    start.map(|theta| theta.clamp(-0.7 * edge, 0.7 * edge)).collect()
}

#[test]
fn the_formulas_once_more() {
    let (mut random, count) = (Random(0x57a7_1e7e), rounds(150, 3000));
    let (mut accepted, mut beyond) = (0, 0);
    for i in 0..count {
        let case = random_case(&mut random, 1 + i % 2);
        let (start, steps) = (random_start(&case, &mut random), 1 + random.below(1000) as u64);
        let Ok([found, bound]) = proven(&case, &start, steps, 0.0) else { continue };
        accepted += 1;
        let letters = Letters::new(&case, None);
        beyond += usize::from(letters.slopes().0 < case.proof.heights.len());
        let written = bound + letters.start(&start) / steps as f64;
        // Cells of the logistic loss have a width, which h sees divided by K.
        let room = if case.is_hinge() { 1e-7 } else { 1e-3 } * (1.0 + case.proof.size + written.abs());
        assert!((found - written).abs() <= room, "{found} {written} {case:?}");
    }
    println!("{accepted} of {count} accepted, {beyond} with fewer exponential shells than shells");
    assert!(4 * accepted > 3 * count && 10 * beyond > accepted, "{accepted} of {count}, {beyond}");
}

/// A row that is wrong on one side of 0, where a thin shell is, and right on the inner level: all that counts is ψ.
fn thin() -> Case {
    let (sigma, smoothing, eta, eps, z) = (1.0_f64, 1e-3, 1e-8, 0.1, 0.5);
    let centre = (1.0 - eps) * z / sigma;
    let soft = sigma / (1.0 + sigma * smoothing);
    let height = soft * centre * centre / 2.0;
    let mut heights = vec![0.9 * height, height, height * (1.0 + 1e-7)];
    // So narrow at first that h of the thin shell is hardly that of those beyond it.
    while heights[heights.len() - 1] < 3.0 / sigma {
        let above = heights[heights.len() - 1] / height;
        heights.push(above * height * if above < 1.2 { 1.004 } else { above.sqrt() });
    }
    let offset = 1e-5;
    let force = (2.0 * heights[0] / (z * z * (smoothing + 1.0 / sigma))).sqrt();
    let proof = LevelsProof {
        norm: 1.000_001,
        smoothing,
        centre: vec![centre],
        forces: vec![force; 2],
        alpha: 1e-12,
        rho: 1e-3,
        omega: 1e-6,
        least: 5e-7,
        offset,
        steepness: 1.0,
        size: 2.0,
        anchor: (height + offset).sqrt(),
        heights,
        fine: 1,
        spread_near: 1.000_001,
        spread_far: 1.000_001,
        ..blank(1, 1, true)
    };
    let statement = statement(Loss::Hinge, eta, sigma, eps, 1.0);
    Case { statement, proof, z: vec![z], weights: None }
}

/// By how much G_λ exceeds the bound somewhere, relative to what rounding can do.
fn excess(case: &Case, planted: Option<Planted>, fineness: i32) -> f64 {
    let bounds = case.proven().expect("accepted");
    let bound = bounds.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let line = Line::with_slopes(case, planted);
    let above = |theta: f64| {
        let room = 1e-6 * (1.0 + bound.abs() + case.proof.size) + 1e-13 * line.lambda(theta)[1];
        (line.worst(theta) - bound) / room
    };
    line.places(fineness).into_iter().map(above).fold(f64::NEG_INFINITY, f64::max)
}

/// Nothing exceeds the bound where ψ stands for the exponential, and an error of one per cent in h is found.
#[test]
fn no_step_exceeds_a_bound() {
    let (mut random, count) = (Random(0x57a7_5eed), rounds(60, 2000));
    let mut accepted = 0;
    for _ in 0..count {
        let case = random_case(&mut random, 1);
        if case.proven().is_err() {
            continue;
        }
        accepted += 1;
        let found = excess(&case, None, 60);
        assert!(found <= 1.0, "{found}: {case:?}");
    }
    let planted = Some(Planted { term: Term::StartSlope, part: 0.01 });
    let [found, noticed] = [None, planted].map(|planted| excess(&thin(), planted, 60));
    println!("{accepted} of {count} accepted; the thin shell is {found} away, {noticed} with an error");
    assert!(4 * accepted > 3 * count && found <= 1.0 && noticed > 1.0, "{accepted}, {found}, {noticed}");
}

/// What a start adds is not less than λ there less the least λ, and hardly more.
#[test]
fn a_start_costs_what_it_is_worth() {
    let (mut random, count) = (Random(0x57a7_c057), rounds(60, 2000));
    let (mut accepted, mut nearest) = (0, f64::INFINITY);
    let mut noticed = [0; 2];
    for i in 0..count {
        let mut case = random_case(&mut random, 1);
        if i % 3 == 0 {
            case.proof.size = 0.0;
        }
        let start = random_start(&case, &mut random);
        let Ok([found, bound]) = proven(&case, &start, 1, 0.0) else { continue };
        accepted += 1;
        let line = Line::with_slopes(&case, None);
        let [here, barrier] = line.lambda(start[0]);
        let least =
            line.places(300).into_iter().map(|theta| line.lambda(theta)[0]).fold(f64::INFINITY, f64::min);
        let (cost, room) = (here - least, 1e-8 * (1.0 + here.abs() + least.abs() + barrier));
        assert!(cost <= found - bound + room, "{cost} {}: {case:?}", found - bound);
        nearest = nearest.min((found - bound - cost) / (found - bound));
        for (seen, term) in noticed.iter_mut().zip([Term::StartSquare, Term::StartHeight]) {
            let planted = Letters::new(&case, Some(Planted { term, part: 0.01 })).start(&start);
            *seen += usize::from(cost > planted + room);
        }
    }
    println!(
        "{accepted} of {count} accepted, the nearest {nearest} away, planted errors noticed {noticed:?} times"
    );
    assert!(4 * accepted > 3 * count && noticed.into_iter().all(|seen| seen > 0), "{accepted} {noticed:?}");
}

/// Each condition just inside, and just outside, where it is refused by name.
#[test]
fn conditions_from_both_sides() {
    let case = thin();
    let edge = case.proof.norm / case.statement.learner.regularization;
    let refused = |start: &[f64], steps, m, words: &str| {
        let failure = proven(&case, start, steps, m).expect_err(words).to_string();
        assert!(failure.starts_with("horizon: ") && failure.contains(words), "{words}: {failure}");
    };
    for start in [edge, -edge] {
        proven(&case, &[start], 1, 0.0).expect("the edge of the ball");
        refused(&[start * (1.0 + 1e-15)], 1, 0.0, "n̂² − σ²‖θ_0‖²");
    }
    refused(&[0.0, 0.0], 1, 0.0, "entries of horizon.start");
    refused(&[f64::NAN], 1, 0.0, "horizon.start");
    refused(&[0.0], 0, 0.0, "horizon.steps");
    refused(&[0.0], 1, 1e-300, "horizon.m");
}

/// With more steps the start counts for less, and one at the centre for hardly anything.
#[test]
fn more_steps_need_less() {
    let case = thin();
    let bound = |start: f64, steps| proven(&case, &[start], steps, 0.0).expect("a bound");
    for start in [case.proof.centre[0], 0.0, -0.5] {
        let bounds = [1, 1_000, 1_000_000].map(|steps| bound(start, steps)[0]);
        assert!(
            bounds[0] > bounds[1] && bounds[1] > bounds[2] && bounds[2] > bound(start, 1)[1],
            "{bounds:?}"
        );
    }
    assert!(bound(case.proof.centre[0], 1)[0] < bound(0.0, 1)[0]);
}

/// The claim in a certificate: with the proof of the error only, for stated steps, at a constant rate, and not below its value.
#[test]
fn claims_on_the_error_over_first_steps() {
    let problem = generic_error(&[Feature::Hinge, Feature::Ball]);
    let mut good = certificate(&problem);
    let Horizon { steps, start, .. } = good.statement.horizon.clone().expect("a horizon");
    let bound = problem.horizon(steps, &start, 0.0).expect("a bound");
    let claim = HorizonErrorClaim { bound, m: 0.0 };
    good.horizon_error = Some(claim);
    let verdict = problem.check(&good).expect("accepted");
    let by_loss = verdict.horizon.expect("a horizon");
    assert_eq!(verdict.horizon_error, Some(bound.min(by_loss).min(1.0)));
    assert_eq!(Certificate::from_bytes(&good.to_bytes()), Ok(good.clone()));
    let without = problem.check(&Certificate { horizon_error: None, ..good.clone() }).expect("accepted");
    assert_eq!(without.horizon_error, Some(by_loss.min(1.0)));
    let refused = |change: fn(&mut Certificate), words: &str| {
        let mut changed = good.clone();
        change(&mut changed);
        let failure = problem.check(&changed).expect_err(words);
        assert!(failure.part == Part::Horizon && failure.to_string().contains(words), "{failure}");
    };
    refused(|c| c.error = None, "no proof of the error");
    refused(|c| (c.statement.horizon, c.horizon) = (None, None), "no first steps");
    refused(|c| c.horizon_error.as_mut().unwrap().m = 1.0, "horizon.m");
    refused(
        |c| {
            let claim = c.horizon_error.as_mut().unwrap();
            claim.bound = claim.bound.next_down();
        },
        "the bound",
    );
    let mut falling = problem.clone();
    falling.statement.learner.schedule =
        Some(Schedule { slowdown: 1e-6, from_step: Some(1), weighted: false });
    let failure = falling.horizon(steps, &start, 0.0).expect_err("a rate that changes").to_string();
    assert!(failure.contains("whose rate changes"), "{failure}");
}
