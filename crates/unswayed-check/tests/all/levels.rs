//! Proofs of the error by levels (Theorem E4): values of the second checker, every condition from both sides, and numbers that
//! were changed.

use std::sync::LazyLock;

use serde_json::Value;
use unswayed_check::{Evidence, Failure, LevelsProof, Loss, Proof, Rows, Set, Statement, prove};

use crate::common::fixtures::{hinge, rows};

static ORACLES: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../oracles/levels.json")).expect("JSON"));

fn statement(loss: Loss) -> Statement {
    let mut statement = hinge();
    statement.learner.loss = loss;
    statement
}

fn stored(name: &str) -> (LevelsProof, f64) {
    let proof = serde_json::from_value(ORACLES[name]["proof"].clone()).expect("a proof");
    let Proof::Levels(proof) = proof else { panic!("a proof by levels") };
    (*proof, ORACLES[name]["value"].as_f64().expect("a number"))
}

fn bound_of(statement: &Statement, proof: LevelsProof, rows: Rows) -> Result<f64, Failure> {
    prove(statement, &Proof::Levels(Box::new(proof)), &Evidence { data: &[rows], target: None })?.bound()
}

fn bound(proof: LevelsProof) -> Result<f64, Failure> {
    bound_of(&statement(Loss::Hinge), proof, rows())
}

#[test]
fn the_second_checker_finds_the_same_values() {
    for (name, loss) in [("hinge", Loss::Hinge), ("logistic", Loss::Logistic)] {
        let (proof, value) = stored(name);
        let found = bound_of(&statement(loss), proof, rows()).expect("accepted");
        assert!((found - value).abs() <= 1e-15, "{name}: {found} {value}");
    }
}

/// Each number just inside its condition, and just outside, where it is refused by name.
#[test]
fn conditions_from_both_sides() {
    type Change = fn(&mut LevelsProof, f64);
    let edges: [(&str, f64, f64, Change); 20] = [
        ("radius", 1.0, -1.0, |p, x| p.radius = x),
        ("R² − ‖z‖²", 1.0, 1.0_f64.next_down(), |p, x| p.radius = x),
        ("n̂ − R", 1.0_f64.next_up(), 1.0, |p, x| p.norm = x),
        ("smoothing", 1e-3, 0.0, |p, x| p.smoothing = x),
        ("shares[0]", 1.0, 1.0_f64.next_up(), |p, x| p.shares[0] = x),
        ("shares[1]", 0.0, -1e-300, |p, x| p.shares[1] = x),
        ("forces[3]", 1e-3, 0.0, |p, x| p.forces[3] = x),
        ("alpha", 0.5, 0.0, |p, x| p.alpha = x),
        ("nu", 0.0, -1e-300, |p, x| p.nu = x),
        ("omega", 0.0, -1e-300, |p, x| p.omega = x),
        ("rho", 1e-3, 0.0, |p, x| p.rho = x),
        ("least", 1e-9, 0.0, |p, x| p.least = x),
        ("A − aI", 1e-9, 10.0, |p, x| p.least = x),
        ("steepness", 1.0, 0.0, |p, x| p.steepness = x),
        ("size", 0.0, -1e-300, |p, x| p.size = x),
        ("heights[0]", 1e-9, 0.0, |p, x| p.heights[0] = x),
        ("offset − (v₀ − F_q)", 1.0, 0.0, |p, x| p.offset = x),
        ("spread_near", 1.0, 1e-6, |p, x| p.spread_near = x),
        ("spread_far", 1.0, 0.1, |p, x| p.spread_far = x),
        ("the last height", 1e5, 0.0, |p, x| {
            let last = p.heights.len() - 1;
            p.heights[last] = if x > 0.0 { x } else { p.heights[last - 1].next_up() };
        }),
    ];
    for (name, inside, outside, change) in edges {
        let with = |x: f64| {
            let mut proof = stored("hinge").0;
            // ω large enough that A stays positive definite, and a gentle barrier.
            (proof.omega, proof.least) = (proof.omega + 1.0, 1e-6);
            (proof.steepness, proof.offset) = (1.0, 1.0);
            change(&mut proof, x);
            if name == "omega" {
                proof.curves.fill(0.0);
                proof.rho = 1e-9;
            }
            bound(proof)
        };
        with(inside).unwrap_or_else(|failure| panic!("{name}: {inside} is refused: {failure}"));
        let failure = with(outside).expect_err(name).to_string();
        assert!(failure.contains(name), "{name}: refused otherwise: {failure}");
    }
}

#[test]
fn lengths_and_counts() {
    let changes: [(&str, fn(&mut LevelsProof)); 6] = [
        ("centre", |p| p.centre.push(0.0)),
        ("points", |p| p.points.truncate(3)),
        ("slopes", |p| p.slopes.push(0.0)),
        ("heights", |p| p.heights.clear()),
        ("fine", |p| p.fine = p.heights.len() + 1),
        ("near", |p| p.near = p.heights.len() + 1),
    ];
    for (name, change) in changes {
        let mut proof = stored("hinge").0;
        change(&mut proof);
        let failure = bound(proof).expect_err(name).to_string();
        assert!(failure.contains(name), "{name}: {failure}");
    }
}

/// Batches need a convex λ; what the theorem does not cover is refused by its rule.
#[test]
fn statements_that_are_not_covered() {
    let (proof, _) = stored("hinge");
    let mut batches = statement(Loss::Hinge);
    batches.learner.batch = 4;
    let mut gentle = proof.clone();
    gentle.steepness = 1e-3;
    let failure = bound_of(&batches, gentle, rows()).expect_err("not convex").to_string();
    assert!(failure.contains("for batches"), "{failure}");
    let changes: [fn(&mut Statement); 5] = [
        |s| s.learner.projection = Some(20.0),
        |s| s.learner.clip = Some(2.0),
        |s| s.learner.average = true,
        |s| {
            s.learner.schedule =
                Some(unswayed_check::Schedule { slowdown: 0.1, from_step: None, weighted: false })
        },
        |s| s.learner.loss = Loss::SmoothHinge(0.5),
    ];
    for change in changes {
        let mut other = statement(Loss::Hinge);
        change(&mut other);
        let failure = bound_of(&other, proof.clone(), rows()).expect_err("unsupported").to_string();
        assert!(failure.contains("levels"), "{failure}");
    }
}

/// Sets inside the ball are covered; a set that reaches beyond it is refused.
#[test]
fn sets_inside_the_ball() {
    let (proof, _) = stored("hinge");
    let sets = [
        (Set::Box { radii: vec![0.6, 0.8] }, Set::Box { radii: vec![0.6, 0.9] }),
        (Set::Points { points: vec![0.6, 0.8, 0.0, -1.0] }, Set::Points { points: vec![0.0, 1.1] }),
        (Set::Ellipsoid { q: vec![0.9, 0.0, 0.9] }, Set::Ellipsoid { q: vec![0.9, 0.2, 0.9] }),
    ];
    let mut wide = proof.clone();
    wide.radius = 1.0 + 1e-12;
    for (inside, outside) in sets {
        let with = |set: Set| {
            let mut statement = statement(Loss::Hinge);
            statement.threat.set = set;
            bound_of(&statement, wide.clone(), rows())
        };
        with(inside).expect("inside the ball");
        let failure = with(outside).expect_err("beyond the ball").to_string();
        assert!(failure.contains("R²"), "{failure}");
    }
}

/// Levels so far out that margins fit no whole number of cells, and a centre there: refused, not taken for margins of 0.
#[test]
fn margins_have_a_largest_size() {
    for loss in [Loss::Hinge, Loss::Logistic] {
        let (good, _) = stored(&loss.to_string());
        let outside: [fn(&mut LevelsProof); 2] = [
            |proof| (proof.heights, proof.fine, proof.near) = (vec![1e60], 1, 0),
            |proof| (proof.heights, proof.fine, proof.near) = (vec![1e60], 0, 1),
        ];
        for change in outside {
            let mut far = good.clone();
            (far.size, far.omega) = (0.0, 0.0);
            change(&mut far);
            let failure = bound_of(&statement(loss), far, rows()).expect_err("far levels").to_string();
            assert!(failure.contains("2^20 − n̂"), "{failure}");
        }
        for centre in [1e7, -1e300] {
            let mut far = good.clone();
            far.centre[0] = centre;
            let failure = bound_of(&statement(loss), far, rows()).expect_err("a far centre").to_string();
            assert!(failure.contains("2^20 − |oᵀz"), "{failure}");
        }
    }
}
