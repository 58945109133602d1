//! Proofs by a rule (Lemmas R1 and R2): the numbers that the rule stands for, rows in parts, planted errors, and every condition from
//! both sides.

use std::boxed::Box;

use serde_json::{Value, json};
use unswayed_check::Feature::*;
use unswayed_check::{
    Certificate, CertificateSums, Claim, Deviation, Failure, NewDataClaim, Proof, RowBound, RowSums,
    Statement,
};

use crate::boundaries::{Edge, edge, test_all};
use crate::common::generic::{ALPHA, EPS, ETA, SIGMA, Z, generic, generic_error, ruled};
use crate::common::random::{add_rule, improve, provable, random_problem};
use crate::common::search::Random;
use crate::common::{Problem, dot, rounds};

/// The textbook form of the rule: u, u' and c of a row, as the theory has them.
fn shares(problem: &Problem, z: &[f64]) -> [f64; 3] {
    let (learner, lines) = (&problem.statement.learner, &problem.proof.lines[0]);
    let clip = |x: f64| x.clamp(0.0, 1.0);
    let (s, gain) = (dot(z, &lines.theta), lines.gain[0]);
    let k = 1.0 - learner.learning_rate * learner.regularization;
    let (benign, alpha) = (1.0 - problem.statement.threat.poison_rate, problem.proof.alpha);
    let jump =
        benign * (2.0 * alpha * k + alpha * learner.learning_rate * dot(z, z) + dot(z, &problem.proof.beta));
    let grid = f64::from(1 << 20);
    let down = |x: f64| (clip(x) * grid).floor() / grid;
    let c = (clip((-jump).max(1.0 - 2.0 * alpha * k * benign)) * grid).ceil() / grid;
    [down((1.0 - s) * gain + 0.5), down(-s * gain + 0.5), c]
}

/// The same problem with a number for each row in place of the rule.
fn written_out(problem: &Problem) -> Problem {
    let mut plain = problem.clone();
    let lines = &mut plain.proof.lines[0];
    let of_error = problem.proof.rows == RowBound::ErrorHinge;
    (lines.u, lines.u2, lines.c) = (vec![], vec![], vec![]);
    for (i, z) in problem.data[0].chunks(problem.dimension).enumerate() {
        let given = &problem.proof.lines[0];
        let [u, u2, c] = match given.exceptions.iter().position(|row| *row == i as f64) {
            Some(at) if of_error => [given.u[at], given.u2[at], given.c[at]],
            Some(at) => [given.u[at], 0.0, 0.0],
            None => shares(problem, z),
        };
        lines.u.push(u);
        if of_error {
            lines.u2.push(u2);
            lines.c.push(c);
        }
    }
    (lines.theta, lines.gain, lines.exceptions) = (vec![], vec![], vec![]);
    plain
}

/// A problem of many rows, most of them near the kinks of the rule.
fn large(random: &mut Random, method: RowBound, rows: usize) -> Problem {
    let mut problem = provable(|| random_problem(random, method, "ball", add_rule), |_| true);
    problem.data = vec![random.vector(rows * problem.dimension, -0.7, 1.0)];
    let n = rows as f64;
    let lines = &mut problem.proof.lines[0];
    lines.exceptions = vec![0.0, (n / 2.0).floor(), n - 1.0];
    lines.u = vec![0.1, 0.7, 1.0];
    if method == RowBound::ErrorHinge {
        (lines.u2, lines.c) = (vec![0.3, 0.0, 0.2], vec![1.0, 0.9, 0.95]);
    }
    problem.statement.data = problem.complete().data;
    problem
}

#[test]
fn a_rule_is_what_it_stands_for() {
    let mut random = Random(0x23);
    let mut proven = 0;
    for i in 0..rounds(300, 20_000) {
        let method = [RowBound::BoundedSlope, RowBound::ErrorHinge][i % 2];
        let problem = random_problem(&mut random, method, "ball", add_rule);
        let (by_rule, plain) = (problem.bound(), written_out(&problem).bound());
        assert_eq!(by_rule.is_ok(), plain.is_ok(), "{problem:?}");
        if let (Ok(by_rule), Ok(plain)) = (by_rule, plain) {
            assert_eq!(by_rule, plain, "{problem:?}");
            proven += 1;
        }
    }
    assert!(proven > 200, "{proven}");
}

/// Numbers of every size: the sign of J + c is decided exactly where binary64 cannot tell it.
#[test]
fn rows_that_only_just_act() {
    let mut random = Random(0x2301);
    for i in 0..rounds(300, 20_000) {
        let method = [RowBound::BoundedSlope, RowBound::ErrorHinge][i % 2];
        let mut problem = large(&mut random, method, 7);
        // J is 0 up to rounding: β = −(2αk + αηn)z/n for a row z.
        let learner = &problem.statement.learner;
        let k = 1.0 - learner.learning_rate * learner.regularization;
        let z = problem.data[0][..2].to_vec();
        let n = dot(&z, &z);
        let alpha = problem.proof.alpha;
        let full = 2.0 * alpha * k + alpha * learner.learning_rate * n;
        problem.proof.beta = z.iter().map(|z| -full * z / n).collect();
        let size = 10_f64.powf(random.between(-6.0, 6.0));
        problem.data[0][2..6].iter_mut().for_each(|x| *x *= size);
        match (problem.bound(), written_out(&problem).bound()) {
            (Ok(by_rule), Ok(plain)) => assert_eq!(by_rule, plain, "{problem:?}"),
            (by_rule, plain) => assert_eq!(by_rule.is_ok(), plain.is_ok(), "{problem:?}"),
        }
    }
}

/// The rows in so many parts, added by several threads, merged in another order.
fn in_parts(statement: &Statement, proof: &Proof, problem: &Problem, parts: usize) -> Result<f64, Failure> {
    let (z, d) = (&problem.data[0], problem.dimension);
    let rows = z.len() / d;
    let edges: Vec<usize> = (0..=parts).map(|part| part * rows / parts).collect();
    let sums: Vec<Result<RowSums, Failure>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|thread| {
                let edges = &edges;
                scope.spawn(move || {
                    let mut sums = RowSums::new(statement, proof)?;
                    for part in (thread..parts).rev().filter(|part| part % 3 == thread) {
                        sums.add(edges[part], &z[edges[part] * d..edges[part + 1] * d])?;
                    }
                    Ok(sums)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    let mut all = RowSums::new(statement, proof)?;
    for sums in sums.into_iter().rev() {
        all.merge(&sums?)?;
    }
    all.prove()?.bound()
}

#[test]
fn parts_and_order_change_no_bit() {
    let mut random = Random(0x2302);
    for method in [RowBound::BoundedSlope, RowBound::ErrorHinge] {
        let problem = large(&mut random, method, rounds(3000, 20_000));
        let bound = problem.bound().expect("a bound");
        assert_eq!(written_out(&problem).bound(), Ok(bound));
        let proof = Proof::Cases(Box::new(problem.proof.clone()));
        for parts in [1, 2, 7, 1000, 3000] {
            let found = in_parts(&problem.statement, &proof, &problem, parts);
            assert_eq!(found, Ok(bound), "{parts}");
        }
    }
}

/// Parts that are missing, come twice or are not of these rows.
#[test]
fn every_row_is_added_once() {
    let mut random = Random(0x2303);
    let problem = large(&mut random, RowBound::BoundedSlope, 10);
    let proof = Proof::Cases(Box::new(problem.proof.clone()));
    let new = || RowSums::new(&problem.statement, &proof).expect("a proof by a rule");
    let z = |from: usize, to: usize| &problem.data[0][2 * from..2 * to];
    let words = |result: Result<(), Failure>| result.expect_err("a refusal").to_string();
    let mut sums = new();
    sums.add(0, z(0, 4)).expect("new rows");
    sums.add(6, z(6, 9)).expect("new rows");
    let missing = sums.prove().expect_err("rows are missing").to_string();
    assert!(missing.contains("expected 10, found 7"), "{missing}");
    for (from, to) in [(3, 5), (0, 1), (5, 7), (8, 9), (2, 8)] {
        assert!(words(sums.add(from, z(from, to))).contains("not been added yet"), "{from} {to}");
        let mut other = new();
        other.add(from, z(from, to)).expect("new rows");
        assert!(words(sums.clone().merge(&other)).contains("not been added yet"), "{from} {to}");
    }
    sums.add(2, &[]).expect("no rows, which is no row twice");
    assert!(words(sums.add(9, z(8, 10))).contains("as many as the statement says"));
    assert!(words(sums.add(4, &z(4, 6)[..3])).contains("entries of z"));
    assert!(words(sums.add(4, &[0.5, f64::NAN])).contains("z[1]"));
    // Rows 4 and 5 of this one are new, and are not added because row 8 is not.
    let mut other = new();
    other.add(4, z(4, 6)).expect("new rows");
    other.add(8, z(8, 9)).expect("new rows");
    assert!(words(sums.merge(&other)).contains("not been added yet"));
    sums.add(4, z(4, 6)).expect("new rows");
    sums.add(9, z(9, 10)).expect("new rows");
    assert_eq!(sums.prove().and_then(|proven| proven.bound()), problem.bound());
    let mut other = problem.proof.clone();
    other.lines[0].gain[0] += 1.0;
    let other = Proof::Cases(Box::new(other));
    let foreign = RowSums::new(&problem.statement, &other).expect("a proof by a rule");
    assert!(words(sums.merge(&foreign)).contains("another proof"));
}

/// Sums that travel as texts are the same, and what cannot be sums of these rows is refused.
#[test]
fn sums_from_other_machines() {
    let mut random = Random(0x2305);
    let problem = large(&mut random, RowBound::BoundedSlope, 40);
    let proof = Proof::Cases(Box::new(problem.proof.clone()));
    let bound = problem.bound().expect("a bound");
    let certificate = Certificate {
        tool: String::new(),
        statement: problem.statement.clone(),
        loss: Claim { bound, proof: proof.clone() },
        error: None,
        horizon: None,
        horizon_error: None,
        new_data: None,
    };
    let part = |first: usize, end: usize| {
        let mut sums = CertificateSums::new(&certificate).expect("a proof by a rule");
        sums.add(first, &problem.data[0][2 * first..2 * end]).expect("new rows");
        sums.to_text().expect("a text")
    };
    let merged = |texts: &[String]| {
        let mut all = CertificateSums::new(&certificate)?;
        for text in texts.iter().rev() {
            all.merge(&CertificateSums::from_text(&certificate, text)?)?;
        }
        all.check()
    };
    let texts = [part(0, 13), part(13, 14), part(14, 40)];
    assert_eq!(merged(&texts).map(|verdict| verdict.loss), Ok(bound));
    assert!(merged(&texts[1..]).expect_err("rows are missing").to_string().contains("found 27"));
    // Rows that follow each other are one range, in whatever order they come.
    let mut sums = CertificateSums::new(&certificate).expect("a proof by a rule");
    for first in [3, 1, 2, 0] {
        sums.add(first, &problem.data[0][2 * first..2 * first + 2]).expect("new rows");
    }
    assert!(sums.to_text().expect("a text").contains("\"added\":[[0,4]]"));
    // A claim on new data needs all rows at once: it is not left out.
    let new_data = NewDataClaim {
        bound: 1e9,
        delta: 0.05,
        radius: 1e3,
        deviation: Deviation::Hoeffding,
        alpha: problem.proof.alpha,
        beta: problem.proof.beta.clone(),
        tau: vec![1.0],
        nu: 0.0,
        omega: None,
        theta: vec![0.0; 2],
        gain: 0.0,
        floor: None,
        w: vec![],
        hostile: None,
    };
    let claimed = Certificate { new_data: Some(new_data), ..certificate.clone() };
    let words = CertificateSums::new(&claimed).err().expect("a refusal").to_string();
    assert!(words.contains("rows in parts"), "{words}");
    let change = |at: &str, to: Value| {
        let mut value: Value = serde_json::from_str(&texts[0]).expect("JSON");
        *value.pointer_mut(at).expect("a place") = to;
        merged(&[value.to_string(), texts[1].clone(), texts[2].clone()])
    };
    for (at, to, words) in [
        ("/0/added", json!([[0, 14]]), "rows of a sum"),
        ("/0/added", json!([[1, 14]]), "not been added yet"),
        ("/0/added", json!([[0, 12], [12, 12], [13, 14]]), "not been added yet"),
        ("/0/added", json!([[13, 0]]), "not after its end"),
        ("/0/added", json!([[28, 41]]), "as many as the statement says"),
        ("/0/sums", json!([]), "sets of sums"),
        ("/0/sums/0/rows", json!(12), "rows of a sum"),
        ("/0/sums/0/active", json!(14), "active rows"),
        ("/0/sums/0/least", json!(1.5), "the smallest c"),
        ("/0/sums/0/least", json!(-0.5), "the smallest c"),
        ("/0/sums/0/uz", json!([]), "columns of a sum"),
        ("/0/sums/0/u/low", json!(300), "cannot be read"),
        ("", json!([]), "proofs of the sums"),
    ] {
        let words_found = change(at, to).expect_err(at).to_string();
        assert!(words_found.contains(words), "{at}: {words_found}");
    }
    // A planted error: one more active row makes another bound, and the claim is refused.
    let active = serde_json::from_str::<Value>(&texts[0]).expect("JSON")[0]["sums"][0]["active"].clone();
    let active = active.as_u64().expect("a number");
    let other = if active < 13 { active + 1 } else { active - 1 };
    assert_ne!(change("/0/sums/0/active", json!(other)).map(|verdict| verdict.loss), Ok(bound));
}

/// Sums are for proofs by rules alone, and for statements that rules are supported for.
#[test]
fn what_cannot_be_added_up_is_refused() {
    let refusal = |problem: &Problem| {
        let proof = Proof::Cases(Box::new(problem.proof.clone()));
        RowSums::new(&problem.statement, &proof).err().expect("a refusal").to_string()
    };
    let problem = generic(&[Hinge, Ball]);
    assert!(refusal(&problem).contains("rows in parts without a rule"));
    let ruled_with = |features| {
        let mut problem = generic(features);
        ruled(&mut problem);
        problem
    };
    assert!(refusal(&ruled_with(&[Hinge, Ball, Projection])).contains("a proof by a rule with a projection"));
    let mut weighted = ruled_with(&[Hinge, Ball]);
    weighted.statement.data[0].weight_column = Some("trust".to_owned());
    assert!(refusal(&weighted).contains("a proof by a rule with weighted rows"));
    let mut short = ruled_with(&[Hinge, Ball]);
    short.proof.lines[0].theta.pop();
    assert!(refusal(&short).contains("theta: expected 2, found 1"));
}

const LEAST_ALPHA: f64 = 1.0 / (2.0 * (1.0 - ETA * SIGMA) * (1.0 - EPS));

/// The bound of the generic problem with a rule after a change.
fn on(is_error: bool, change: impl Fn(&mut Problem, f64) + 'static) -> crate::boundaries::Check {
    Box::new(move |x| {
        let mut problem = if is_error { generic_error(&[Hinge, Ball]) } else { generic(&[Hinge, Ball]) };
        ruled(&mut problem);
        change(&mut problem, x);
        problem.bound()
    })
}

#[test]
fn conditions_of_rules() {
    let mut edges: Vec<Edge> = vec![
        edge("κ0 − 1 + c", ALPHA, 0.1, LEAST_ALPHA, on(false, |p, x| p.proof.alpha = x)),
        edge("gain[0]", 1.0, f64::INFINITY, f64::MAX, on(false, |p, x| p.proof.lines[0].gain[0] = x)),
        // α is so small that c of all rows must be 1: one that is given with less is refused.
        edge(
            "κ0 − 1 + c",
            1.0,
            0.0,
            1.0 - 0.5 / LEAST_ALPHA,
            on(true, |p, x| {
                p.proof.alpha = 0.5;
                p.proof.cases.tau[0] = 1e4;
                p.proof.lines[0].c[0] = x;
            }),
        ),
    ];
    for (is_error, name) in [(false, "u"), (true, "u"), (true, "u2"), (true, "c")] {
        let set = move |p: &mut Problem, x: f64| {
            let lines = &mut p.proof.lines[0];
            let numbers = match name {
                "u" => &mut lines.u,
                "u2" => &mut lines.u2,
                _ => &mut lines.c,
            };
            numbers[0] = x;
        };
        edges.push(edge(format!("{name}[0]"), 0.5, 2.0, 1.0, on(is_error, set)));
        edges.push(edge(format!("{name}[0]"), 0.5, -1.0, 0.0, on(is_error, set)));
    }
    test_all(edges, 11);
}

#[test]
fn exceptions_are_rows_in_order() {
    let complaint = |exceptions: &[f64]| {
        let mut problem = generic(&[Hinge, Ball]);
        ruled(&mut problem);
        let lines = &mut problem.proof.lines[0];
        (lines.exceptions, lines.u) = (exceptions.to_vec(), vec![0.5; exceptions.len()]);
        problem.bound().err().map(|failure| failure.to_string())
    };
    let last = (Z.len() / 2 - 1) as f64;
    for good in [&[][..], &[0.0], &[last], &[0.0, 1.0, last], &[-0.0, 1.0]] {
        assert_eq!(complaint(good), None, "{good:?}");
    }
    for (bad, at) in [
        (&[last + 1.0][..], 0),
        (&[-1.0], 0),
        (&[0.5], 0),
        (&[1.0, 1.0], 1),
        (&[1.0, 0.0], 1),
        (&[0.0, last, last + 1.0], 2),
        (&[1e300], 0),
    ] {
        let words = complaint(bad).expect("a refusal");
        assert!(words.contains(&format!("exceptions[{at}]")), "{bad:?}: {words}");
    }
    assert!(complaint(&[f64::NAN]).expect("a refusal").contains("exceptions[0]"));
}

/// Planted errors: rows that are added twice, and shares that are. The search finds models for which the bound is too low.
#[test]
fn planted_errors_are_found() {
    let mut random = Random(0x2304);
    let (mut doubled, mut twice, mut tried) = (0, 0, 0);
    for _ in 0..rounds(12, 100) {
        let mut problem =
            provable(|| random_problem(&mut random, RowBound::BoundedSlope, "ball", add_rule), |_| true);
        improve(&mut problem, &mut random, 300);
        let bound = problem.bound().expect("no change that is kept makes it worse");
        let is_broken = |planted: f64, random: &mut Random| problem.search(random, 4, 250) > planted + 1e-6;
        assert!(!is_broken(bound, &mut random), "{problem:?}");
        let mut other = problem.clone();
        let first = other.data[0][..2].to_vec();
        other.data[0].extend(first);
        doubled += usize::from(other.bound().is_ok_and(|planted| is_broken(planted, &mut random)));
        // What the shares take from the constants is taken twice.
        let plain = written_out(&problem);
        let u = plain.proof.lines[0].u.iter().sum::<f64>() / plain.proof.lines[0].u.len() as f64;
        let k = 1.0 - problem.statement.learner.learning_rate * problem.statement.learner.regularization;
        let kappa = 2.0 * problem.proof.alpha * k * (1.0 - problem.statement.threat.poison_rate) - 1.0;
        twice += usize::from(is_broken(bound - kappa * u, &mut random));
        tried += 1;
    }
    println!("{doubled} and {twice} of {tried} planted errors found");
    assert!(5 * doubled >= tried && 5 * twice >= tried, "{doubled} {twice} of {tried}");
}
