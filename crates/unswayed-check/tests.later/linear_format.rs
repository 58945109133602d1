//! Files about linear learners: what is written is read, and nothing that was tampered with is accepted unless it is still true.

mod linear_common;

use linear_common::random::{improve, kinds};
use linear_common::search::Random;
use linear_common::{Problem, certificate};
use serde_json::{Value, json};
use unswayed_check::{Certificate, Evidence, FormatError, LinearCertificate, Set, Target, check_linear};

/// A certificate of every kind, with its problem.
fn all() -> Vec<(Problem, LinearCertificate)> {
    let mut random = Random(77);
    let mut draw = |make: &dyn Fn(&mut Random) -> Problem| loop {
        let mut problem = make(&mut random);
        improve(&mut problem, &mut random, 100);
        if problem.bound().is_ok() {
            return problem;
        }
    };
    let problems = kinds().into_iter().map(|(_, make)| draw(&make));
    problems
        .map(|p| {
            let c = certificate(&p);
            (p, c)
        })
        .collect()
}

#[test]
fn what_is_written_is_read_and_accepted() {
    for (problem, original) in all() {
        let bytes = original.to_bytes();
        assert!(LinearCertificate::is_linear(&bytes));
        assert_eq!(LinearCertificate::from_bytes(&bytes).as_ref(), Ok(&original));
        assert_eq!(original.clone().to_bytes(), bytes);
        // Readers of version 1 refuse it.
        assert!(Certificate::from_bytes(&bytes).is_err());
        problem.with_evidence(|e| {
            let verdict = check_linear(&original, e).unwrap();
            assert!(verdict.loss <= original.loss.bound);
            let refused = |change: &dyn Fn(&mut LinearCertificate)| {
                let mut changed = original.clone();
                change(&mut changed);
                changed == original || check_linear(&changed, e).is_err()
            };
            assert!(refused(&|c| c.loss.bound = c.loss.bound.next_down()));
            assert!(refused(&|c| c.error.iter_mut().for_each(|x| x.bound = x.bound.next_down())));
            assert!(refused(&|c| c.horizon.iter_mut().for_each(|x| x.bound = x.bound.next_down())));
            assert!(refused(&|c| c.horizon.iter_mut().for_each(|x| x.m = 0.5)));
            assert!(refused(&|c| c.data[0].sha256 = "0".repeat(64)));
            assert!(refused(&|c| c.data.push(c.data[0].clone())));
            assert!(refused(&|c| c.target = None) || original.target.is_none());
        });
    }
}

/// Header and arrays of a certificate file.
fn take_apart(file: &[u8]) -> (Value, Vec<u8>) {
    let length = usize::try_from(u64::from_le_bytes(file[..8].try_into().unwrap())).unwrap();
    (serde_json::from_slice(&file[8..8 + length]).unwrap(), file[8 + length..].to_vec())
}

fn put_together(header: &Value, arrays: &[u8]) -> Vec<u8> {
    let header = header.to_string();
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), arrays].concat()
}

#[test]
fn missing_unknown_and_misshapen_entries() {
    for (_, original) in all() {
        let (header, arrays) = take_apart(&original.to_bytes());
        let read = |header: &Value| LinearCertificate::from_bytes(&put_together(header, &arrays));
        let mut extra = header.clone();
        extra["__metadata__"]["extra"] = json!("x");
        assert_eq!(read(&extra), Err(FormatError::UnknownText("extra".into())));
        for key in header["__metadata__"].as_object().unwrap().keys() {
            let mut changed = header.clone();
            changed["__metadata__"].as_object_mut().unwrap().shift_remove(key);
            assert!(read(&changed).is_err(), "{key}");
        }
        for name in header.as_object().unwrap().keys().filter(|n| *n != "__metadata__") {
            let mut renamed = header.clone();
            let entry = renamed.as_object_mut().unwrap().shift_remove(name).unwrap();
            renamed["another"] = entry;
            assert!(read(&renamed).is_err(), "{name}");
            let mut typed = header.clone();
            typed[name]["dtype"] = json!("I64");
            assert_eq!(read(&typed), Err(FormatError::WrongType(name.clone())));
            let mut shaped = header.clone();
            shaped[name]["shape"].as_array_mut().unwrap().push(json!(1));
            assert!(matches!(read(&shaped), Err(FormatError::WrongShape { .. })), "{name}");
            let mut numbers = arrays.clone();
            let at = usize::try_from(header[name]["data_offsets"][0].as_u64().unwrap()).unwrap();
            numbers[at..at + 8].copy_from_slice(&f64::NAN.to_le_bytes());
            let read = LinearCertificate::from_bytes(&put_together(&header, &numbers));
            assert!(matches!(read, Err(FormatError::BadNumber { .. })), "{name}");
        }
    }
}

#[test]
fn other_texts() {
    let (_, original) = all().swap_remove(0);
    let (header, arrays) = take_apart(&original.to_bytes());
    let cases = [
        ("format_version", "1"),
        ("learner", "hinge"),
        ("learner.loss", "square"),
        ("set", "sphere"),
        ("target", "rows"),
        ("step.batch", "01"),
        ("step.free", ""),
        ("step.free", "1,"),
        ("step.free", "+1"),
        ("data.count", "0"),
        ("loss.method", "error-hinge"),
        ("loss.method", "trust-me"),
        ("loss.split", "classes"),
    ];
    for (key, value) in cases {
        let mut changed = header.clone();
        changed["__metadata__"][key] = json!(value);
        let read = LinearCertificate::from_bytes(&put_together(&changed, &arrays));
        assert!(
            matches!(read, Err(FormatError::BadText { .. } | FormatError::BadMethod { .. })),
            "{key} {read:?}"
        );
    }
    for (name, value) in [("loss.case.lines", 0.5), ("loss.case.lines", -1.0), ("loss.lines.dataset", -0.0)] {
        let mut numbers = arrays.clone();
        let at = usize::try_from(header[name]["data_offsets"][0].as_u64().unwrap()).unwrap();
        numbers[at..at + 8].copy_from_slice(&f64::to_le_bytes(value));
        let read = LinearCertificate::from_bytes(&put_together(&header, &numbers));
        assert!(matches!(read, Err(FormatError::BadNumber { .. })), "{name}");
    }
}

/// Accepted implies that the search finds nothing above the claimed bounds.
fn accepted_is_true(
    changed: &LinearCertificate,
    problem: &Problem,
    evidence: &Evidence,
    random: &mut Random,
) -> bool {
    if check_linear(changed, evidence).is_err() {
        return false;
    }
    for claim in [Some(&changed.loss), changed.error.as_ref()].into_iter().flatten() {
        let mut changed_problem = problem.clone();
        changed_problem.learner = changed.learner.clone();
        changed_problem.witness = claim.witness.clone();
        let found = changed_problem.search(random, 2, 60);
        let room = 1e-8 * (1.0 + claim.bound.abs());
        assert!(found <= claim.bound + room, "{found} > {}: {changed:?}", claim.bound);
    }
    true
}

/// Small changes of numbers and flipped bits: what is accepted is still true, and never by a smaller value than the claim.
#[test]
fn tampered_files() {
    let mut random = Random(0xfeed);
    let (mut accepted, mut refused) = (0, 0);
    for (problem, original) in all() {
        let file = original.to_bytes();
        let header = 8 + usize::try_from(u64::from_le_bytes(file[..8].try_into().unwrap())).unwrap();
        for round in 0..120 {
            let mut bytes = file.clone();
            if round % 4 == 0 {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            } else {
                let at = header + 8 * random.below((file.len() - header) / 8);
                let x = f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
                let x = match random.below(7) {
                    0 => x.next_up(),
                    1 => x.next_down(),
                    2 => -x,
                    3 => x * 1.01,
                    4 => x * 0.99,
                    5 => x + 1.0,
                    _ => 0.0,
                };
                bytes[at..at + 8].copy_from_slice(&x.to_le_bytes());
            }
            let Ok(changed) = LinearCertificate::from_bytes(&bytes) else { continue };
            let good = problem.with_evidence(|e| accepted_is_true(&changed, &problem, e, &mut random));
            if good { accepted += 1 } else { refused += 1 }
        }
    }
    println!("accepted {accepted}, refused {refused}");
    assert!(accepted > 500 && refused > 500, "{accepted} {refused}");
}

#[test]
fn cut_and_extended_files_are_refused() {
    for (_, original) in all().into_iter().step_by(9) {
        let file = original.to_bytes();
        for length in 0..file.len() {
            assert!(LinearCertificate::from_bytes(&file[..length]).is_err());
        }
        assert!(LinearCertificate::from_bytes(&[file.as_slice(), &[0]].concat()).is_err());
    }
}

#[test]
fn changed_data_are_refused() {
    for (problem, original) in all() {
        let mut changed = problem.clone();
        changed.data[0][1] += 1e-9;
        let failure = changed.with_evidence(|e| check_linear(&original, e)).unwrap_err().to_string();
        assert!(failure.starts_with("data: these are not the certified rows"), "{failure}");
        if let Some(target) = &mut changed.target {
            changed.data = problem.data.clone();
            target[0] += 1e-9;
            let failure = changed.with_evidence(|e| check_linear(&original, e)).unwrap_err().to_string();
            assert!(failure.starts_with("data: these are not the certified rows"), "{failure}");
        }
    }
    // Other sets and targets are other statements.
    let (problem, original) = all().swap_remove(0);
    let mut changed = original.clone();
    changed.learner.set = Set::Ball { radius: 100.0 };
    assert!(problem.with_evidence(|e| check_linear(&changed, e)).is_err());
    changed = original.clone();
    changed.learner.target = Target::Rows;
    assert!(problem.with_evidence(|e| check_linear(&changed, e)).is_err());
}
