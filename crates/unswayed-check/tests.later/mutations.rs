//! Nothing that has been tampered with is accepted unless it is still true.

mod common;
mod truth;

use common::{Random, all};
use unswayed_check::{Certificate, Horizon, Learner, Rows, Witness, check};

/// How often each kind of certificate is changed.
const ROUNDS: usize = 2000;

/// Accepted by the checker implies true, and the values it reports are the true ones rounded up.
fn accepted_is_true(certificate: &Certificate, rows: &Rows) -> bool {
    let Ok(verdict) = check(certificate, rows) else {
        return false;
    };
    assert!(truth::holds(certificate, rows), "accepted a false claim: {certificate:?}");
    let loss = truth::value(&certificate.learner, &certificate.loss.witness, rows).unwrap();
    assert!(truth::q(verdict.loss) >= loss && truth::q(verdict.loss.next_down()) < loss);
    if let (Some(h), Learner::Hinge(hinge)) = (&certificate.horizon, &certificate.learner) {
        let extra = truth::transient(hinge, &certificate.loss.witness, h.steps, &h.start, h.m);
        let (value, reported) = (loss + extra.unwrap(), verdict.horizon.unwrap());
        assert!(truth::q(reported) >= value && truth::q(reported.next_down()) < value);
    }
    true
}

#[test]
fn the_originals_are_accepted_and_cannot_be_improved() {
    for (certificate, rows) in all() {
        assert!(accepted_is_true(&certificate, &rows));
        let lowered = |lower: &dyn Fn(&mut Certificate)| {
            let mut changed = certificate.clone();
            lower(&mut changed);
            changed == certificate || check(&changed, &rows).is_err()
        };
        assert!(lowered(&|c| c.loss.bound = c.loss.bound.next_down()));
        assert!(lowered(&|c| c.error.iter_mut().for_each(|e| e.bound = e.bound.next_down())));
        assert!(lowered(&|c| c.horizon.iter_mut().for_each(|h| h.bound = h.bound.next_down())));
    }
}

/// Whatever m becomes, what is accepted is true; some are refused, some accepted.
#[test]
fn changed_m() {
    let factors = [-1.0, 0.0, 1e-300, 0.5, 0.99, 1.01, 2.0, 1e3, 1e300];
    let others = [-0.0, -1e-300, -1.0, 5e-324, 1e-9, 1.0, 1e308, f64::NAN, f64::INFINITY];
    for (original, rows) in all() {
        let Some(horizon) = original.horizon.clone() else { continue };
        let with = |m: f64, raised: f64| {
            let mut changed = original.clone();
            changed.horizon = Some(Horizon { m, bound: horizon.bound * raised, ..horizon.clone() });
            // The file says what the certificate says, or is refused.
            let read = Certificate::from_bytes(&changed.to_bytes());
            assert!(read.is_err() || read == Ok(changed.clone()));
            let accepted = m.is_finite() && accepted_is_true(&changed, &rows);
            assert!(!accepted || read.is_ok());
            assert!(accepted || check(&changed, &rows).is_err());
            accepted
        };
        let has_ball = ["bounded-range", "paper"].contains(&original.loss.witness.method());
        // A saddle has no lowest point without m.
        let least = if let Witness::Paper(w) = &original.loss.witness { -w.low } else { -1.0 };
        for m in factors.map(|f| f * horizon.m).into_iter().chain(others) {
            // The claimed bound may be far above what the witness proves, but a bad m is not made good.
            for raised in [1.0, 1.5, 1e6] {
                let accepted = with(m, raised);
                assert!(!accepted || (m >= 0.0 && (has_ball || m == 0.0)), "{m}");
            }
            let good = if has_ball { (0.0..1e3).contains(&m) && m > least } else { m == 0.0 };
            assert_eq!(with(m, 1e6), good, "{m}");
        }
    }
}

#[test]
fn flipped_bits_and_bytes_of_the_file() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let (mut readable, mut accepted) = (0, 0);
    for (certificate, rows) in all() {
        let file = certificate.to_bytes();
        for _ in 0..ROUNDS {
            let mut bytes = file.clone();
            for _ in 0..=random.below(2) {
                let at = random.below(bytes.len());
                match random.below(3) {
                    0 => bytes[at] ^= 1 << random.below(8),
                    1 => bytes[at] = u8::try_from(random.below(256)).unwrap(),
                    _ => bytes.swap(at, random.below(file.len())),
                }
            }
            if let Ok(changed) = Certificate::from_bytes(&bytes) {
                readable += 1;
                accepted += usize::from(accepted_is_true(&changed, &rows));
            }
        }
    }
    assert!(readable > 800 && accepted > 100, "{readable} {accepted}");
}

/// Arrays only, small changes: most of these are readable and close to the original.
#[test]
fn nudged_numbers() {
    let mut random = Random(0xfeed_beef);
    let (mut accepted, mut refused) = (0, 0);
    for (certificate, rows) in all() {
        let file = certificate.to_bytes();
        let header = 8 + usize::try_from(u64::from_le_bytes(file[..8].try_into().unwrap())).unwrap();
        for _ in 0..ROUNDS {
            let mut bytes = file.clone();
            let at = header + 8 * random.below((file.len() - header) / 8);
            let x = f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
            let x = match random.below(6) {
                0 => x.next_up(),
                1 => x.next_down(),
                2 => -x,
                3 => x * 1.001,
                4 => x * 0.999,
                _ => 0.0,
            };
            bytes[at..at + 8].copy_from_slice(&x.to_le_bytes());
            let changed = Certificate::from_bytes(&bytes);
            if changed.is_ok_and(|c| accepted_is_true(&c, &rows)) {
                accepted += 1;
            } else {
                refused += 1;
            }
        }
    }
    assert!(accepted > 1000 && refused > 1000, "{accepted} {refused}");
}

#[test]
fn changed_data_are_refused_and_never_better_than_true() {
    let mut random = Random(77);
    for (certificate, rows) in all() {
        for _ in 0..ROUNDS / 10 {
            let mut z = rows.z.to_vec();
            let mut weights = rows.weights.map(<[f64]>::to_vec);
            let numbers = match &mut weights {
                Some(weights) if random.below(2) == 0 => weights,
                _ => &mut z,
            };
            if numbers.is_empty() {
                continue;
            }
            let at = random.below(numbers.len());
            numbers[at] = f64::from_bits(numbers[at].to_bits() ^ 1 << random.below(64));
            let changed = Rows { z: &z, dimension: rows.dimension, weights: weights.as_deref() };
            assert!(check(&certificate, &changed).is_err() || changed.digest() == rows.digest());
            // Somebody who also forges the digest still cannot have a false claim accepted.
            let mut forged = certificate.clone();
            forged.data.sha256 = changed.digest();
            accepted_is_true(&forged, &changed);
        }
    }
}

#[test]
fn cut_and_extended_files_are_refused() {
    for (certificate, _) in all() {
        let file = certificate.to_bytes();
        for length in 0..file.len() {
            assert!(Certificate::from_bytes(&file[..length]).is_err());
        }
        assert!(Certificate::from_bytes(&[file.as_slice(), &[0]].concat()).is_err());
    }
}
