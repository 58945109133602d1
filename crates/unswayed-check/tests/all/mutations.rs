//! Nothing that has been tampered with is accepted unless it is still true.

use unswayed_check::{
    AnyCertificate, Certificate, Evidence, HorizonClaim, MeanCertificate, Proof, Rows, check, check_mean,
};

use crate::common::files::{claimed, samples};
use crate::common::fixtures::{self, all, mean};
use crate::common::random::{improve, kinds, provable};
use crate::common::search::Random;
use crate::common::{Problem, certificate, dataset, is_full, rounds};
use crate::truth;

/// Accepted by the checker implies true, and the values it reports are the true ones rounded up.
fn accepted_is_true(certificate: &Certificate, rows: &Rows) -> bool {
    let Ok(verdict) = check(certificate, &Evidence { data: &[*rows], target: None }) else {
        return false;
    };
    let statement = &certificate.statement;
    assert!(truth::holds(certificate, rows), "accepted a false claim: {certificate:?}");
    let loss = truth::value(statement, &certificate.loss.proof, rows).expect("a value");
    truth::assert_rounded_up(verdict.loss, &loss);
    if let (Some(horizon), Some(claim)) = (&statement.horizon, &certificate.horizon) {
        let proof = claim.proof.as_ref().unwrap_or(&certificate.loss.proof);
        let value = truth::value(statement, proof, rows).expect("a value");
        let extra = truth::transient(statement, proof, horizon, claim.m).expect("a value");
        truth::assert_rounded_up(verdict.horizon.expect("a bound"), &(value + extra));
    }
    true
}

fn accepted_mean_is_true(certificate: &MeanCertificate, rows: Option<&Rows>) -> bool {
    let Ok(bound) = check_mean(certificate, rows) else {
        return false;
    };
    let value = truth::mean_value(certificate, rows).expect("accepted a false claim");
    assert!(value <= truth::q(certificate.bound));
    truth::assert_rounded_up(bound, &value);
    true
}

#[test]
fn the_originals_are_accepted() {
    for (certificate, rows) in all() {
        assert!(accepted_is_true(&certificate, &rows));
    }
    for rows in [None, Some(fixtures::rows()), Some(fixtures::weighted_rows())] {
        assert!(accepted_mean_is_true(&mean(rows.as_ref()), rows.as_ref()));
    }
}

/// Whatever m becomes, what is accepted is true; some are refused, some accepted.
#[test]
fn changed_m() {
    let factors = [-1.0, 0.0, 1e-300, 0.5, 0.99, 1.01, 2.0, 1e3, 1e300];
    let others = [-0.0, -1e-300, -1.0, 5e-324, 1e-9, 1.0, 1e308, f64::NAN, f64::INFINITY];
    for (original, rows) in all() {
        let claim = original.horizon.clone().expect("a horizon");
        let with = |m: f64, raised: f64| {
            let horizon = Some(HorizonClaim { m, bound: claim.bound * raised, ..claim.clone() });
            let changed = Certificate { horizon, ..original.clone() };
            if !m.is_finite() {
                let failure =
                    check(&changed, &Evidence { data: &[rows], target: None }).expect_err("no number");
                assert!(failure.to_string().contains("horizon.m"), "{failure}");
                // Such a number cannot be written: the file is refused.
                assert!(Certificate::from_bytes(&changed.to_bytes()).is_err());
                return false;
            }
            assert_eq!(Certificate::from_bytes(&changed.to_bytes()).as_ref(), Ok(&changed));
            accepted_is_true(&changed, &rows)
        };
        let has_ball = original.loss.proof.ball().is_some();
        // A saddle has no lowest point without m.
        let least = if let Proof::Paper(w) = &original.loss.proof { -w.low } else { -1.0 };
        for m in factors.map(|f| f * claim.m).into_iter().chain(others) {
            // The claimed bound may be far above what the proof gives, but a bad m is not made good.
            for raised in [1.0, 1.5, 1e6] {
                let accepted = with(m, raised);
                assert!(!accepted || (m >= 0.0 && (has_ball || m == 0.0)), "{m}");
            }
            let good = if has_ball { (0.0..1e3).contains(&m) && m > least } else { m == 0.0 };
            assert_eq!(with(m, 1e6), good, "{m}");
        }
    }
}

/// One byte of a file is another, is left out, is there twice, or has changed places with the next.
fn change(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len());
    match random.below(6) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = u8::try_from(random.below(256)).expect("a byte"),
        2 => {
            bytes.remove(at);
        }
        3 => bytes.insert(at, bytes[at]),
        4 => bytes[at] = b"0123456789eE+-."[random.below(15)],
        _ => {
            let next = (at + 1).min(bytes.len() - 1);
            bytes.swap(at, next);
        }
    }
}

/// A file of every kind: no change of one byte makes the checker panic, or accept a bound below the proven value.
#[test]
fn changed_bytes_of_files() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let (mut readable, mut accepted) = (0, 0);
    for sample in samples() {
        let file = sample.bytes();
        let proven = claimed(&sample.certificate);
        for _ in 0..rounds(2000, 100_000) {
            let mut bytes = file.clone();
            change(&mut bytes, &mut random);
            let Ok(changed) = AnyCertificate::from_bytes(&bytes) else { continue };
            readable += 1;
            if let Ok(values) = sample.check(&changed) {
                accepted += 1;
                for (i, claim) in claimed(&changed).into_iter().enumerate() {
                    // This cannot change a bound and its proof, so a lower bound is a false one.
                    assert!(
                        claim.is_none_or(|c| proven[i].is_some_and(|p| c >= p)),
                        "{}: {changed:?}",
                        sample.name
                    );
                    // The error's value may be that of the loss.
                    assert!(
                        i == 1 || claim.is_none_or(|c| values[i].is_some_and(|v| v <= c)),
                        "{}",
                        sample.name
                    );
                }
            }
        }
    }
    println!("{readable} files could be read, {accepted} were accepted");
    assert!(readable > 5000 && accepted > 1000, "{readable} {accepted}");
}

/// The number with index `at` of all numbers in the document, changed. Returns whether there is one.
fn nudge(document: &mut serde_json::Value, at: &mut usize, change: &mut dyn FnMut(f64) -> f64) -> bool {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    match document {
        serde_json::Value::Number(number) => {
            if *at > 0 {
                *at -= 1;
                return false;
            }
            let changed = change(number.as_f64().expect("a number"));
            if let (true, Some(changed)) = (number.is_f64(), serde_json::Number::from_f64(changed)) {
                *number = changed;
            }
            true
        }
        serde_json::Value::String(text) => {
            let Ok(bytes) = STANDARD.decode(text.as_bytes()) else { return false };
            let (chunks, []) = bytes.as_chunks::<8>() else { return false };
            if text.len() == 64 && !text.contains('=') || *at >= chunks.len() {
                *at = at.saturating_sub(chunks.len());
                return false;
            }
            let mut numbers: Vec<f64> = chunks.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect();
            numbers[*at] = change(numbers[*at]);
            *text = STANDARD.encode(numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>());
            true
        }
        serde_json::Value::Array(entries) => entries.iter_mut().any(|entry| nudge(entry, at, change)),
        serde_json::Value::Object(entries) => entries.values_mut().any(|entry| nudge(entry, at, change)),
        _ => false,
    }
}

/// The file with one number a little different, or of another sign, or 0.
pub fn nudged(document: &serde_json::Value, random: &mut Random) -> Vec<u8> {
    loop {
        let mut changed = document.clone();
        let (mut at, how) = (random.below(120), random.below(7));
        let found = nudge(&mut changed, &mut at, &mut |x| match how {
            0 => x.next_up(),
            1 => x.next_down(),
            2 => -x,
            3 => x * 1.001,
            4 => x * 0.999,
            5 => x + 1.0,
            _ => 0.0,
        });
        if found {
            return changed.to_string().into_bytes();
        }
    }
}

/// The hinge learner, the paper's program and the mean learner: what is accepted is true, by an implementation that shares
/// nothing with the checker.
#[test]
fn nudged_numbers_against_the_truth() {
    let mut random = Random(0xfeed_beef);
    let (mut accepted, mut refused) = (0, 0);
    let mut count = |is_accepted: bool| if is_accepted { accepted += 1 } else { refused += 1 };
    for (certificate, rows) in all() {
        let (file, document) =
            (certificate.to_bytes(), serde_json::from_slice(&certificate.to_bytes()).expect("JSON"));
        for round in 0..rounds(250, 5000) {
            let mut bytes = nudged(&document, &mut random);
            if round % 5 == 0 {
                bytes.clone_from(&file);
                change(&mut bytes, &mut random);
                change(&mut bytes, &mut random);
            }
            let changed = Certificate::from_bytes(&bytes);
            count(changed.is_ok_and(|c| accepted_is_true(&c, &rows)));
        }
    }
    for rows in [None, Some(fixtures::rows()), Some(fixtures::weighted_rows())] {
        let document = serde_json::from_slice(&mean(rows.as_ref()).to_bytes()).expect("JSON");
        for _ in 0..rounds(250, 5000) {
            let changed = MeanCertificate::from_bytes(&nudged(&document, &mut random));
            count(changed.is_ok_and(|c| accepted_mean_is_true(&c, rows.as_ref())));
        }
    }
    assert!(accepted > 500 && refused > 500, "{accepted} {refused}");
}

/// Every kind of problem: what is accepted is not contradicted by a search for θ and z.
#[test]
fn nudged_numbers_against_a_search() {
    let mut random = Random(0xfeed);
    let (mut accepted, mut refused) = (0, 0);
    for (_, make) in kinds() {
        let mut problem = provable(|| make(&mut random), |_| true);
        improve(&mut problem, &mut random, rounds(30, 300));
        let document = serde_json::from_slice(&certificate(&problem).to_bytes()).expect("JSON");
        for _ in 0..rounds(25, 400) {
            let Ok(changed) = Certificate::from_bytes(&nudged(&document, &mut random)) else { continue };
            if problem.check(&changed).is_err() {
                refused += 1;
                continue;
            }
            accepted += 1;
            for claim in std::iter::once(&changed.loss).chain(&changed.error) {
                let Proof::Cases(proof) = &claim.proof else { unreachable!() };
                let (statement, proof) = (changed.statement.clone(), (**proof).clone());
                let other = Problem { statement, proof, ..problem.clone() };
                let found = other.search(&mut random, if is_full() { 4 } else { 1 }, 40);
                let room = 1e-8 * (1.0 + claim.bound.abs());
                assert!(found <= claim.bound + room, "{found} > {}: {changed:?}", claim.bound);
            }
        }
    }
    assert!(accepted > 300 && refused > 300, "{accepted} {refused}");
}

/// Other rows have another digest; and somebody who forges it still cannot have a false claim accepted.
#[test]
fn changed_data() {
    let mut random = Random(77);
    let (mut accepted, mut refused) = (0, 0);
    for (certificate, rows) in all() {
        for _ in 0..rounds(60, 2000) {
            let mut z = rows.z.to_vec();
            let mut weights = rows.weights.map(<[f64]>::to_vec);
            let numbers = match &mut weights {
                Some(weights) if random.below(2) == 0 => weights,
                _ => &mut z,
            };
            let at = random.below(numbers.len());
            numbers[at] = f64::from_bits(numbers[at].to_bits() ^ 1 << random.below(64));
            let changed = Rows {
                z: &z,
                pattern: None,
                dimension: rows.dimension,
                weights: weights.as_deref(),
                steps: None,
            };
            if changed.validate().is_ok() {
                let other = dataset(&z, rows.dimension, weights.as_deref());
                let differs = certificate.statement.data[0].same_rows(other.origin()).is_err();
                let is_zero = numbers_equal(&changed, &rows);
                assert!(differs || is_zero, "{z:?}");
            }
            if accepted_is_true(&certificate, &changed) { accepted += 1 } else { refused += 1 }
        }
    }
    assert!(accepted > 30 && refused > 30, "{accepted} {refused}");
}

/// Whether two sets of rows hold the same numbers: 0 and −0 are the same.
fn numbers_equal(a: &Rows, b: &Rows) -> bool {
    a.z == b.z && a.weights == b.weights
}
