//! Certificates and data that have been tampered with: what the checker still accepts is still true.

mod support;

use support::formula;
use support::random::Random;
use support::residual::Residual;
use support::setting::Setting;
use unswayed::certify::{MeanOutcome, MeanSetting, Options, certify, certify_mean};
use unswayed::{Dataset, Hinge, Threat};
use unswayed_check::{Certificate, Learner, Rows, Witness, check};

/// Changed certificate files, over all originals.
const FILES: usize = 10_000;
/// Changed data, over all originals.
const DATA: usize = 2_000;

/// A certificate as `certify` makes it, with its rows.
struct Original {
    certificate: Certificate,
    data: Option<Dataset>,
}

impl Original {
    fn rows(&self) -> Rows<'_> {
        let none = Rows { z: &[], dimension: 0, weights: None };
        self.data.as_ref().map_or(none, Dataset::as_rows)
    }

    fn hinge(data: Dataset, parameters: [f64; 4], options: &Options) -> Original {
        let [eta, sigma, eps, radius] = parameters;
        let (hinge, threat) = (Hinge::new(eta, sigma).unwrap(), Threat::new(eps).unwrap());
        let outcome = certify(&data, &hinge, &threat.with_radius(radius).unwrap(), options).unwrap();
        Original { certificate: outcome.certificate, data: Some(data) }
    }
}

/// One certificate or more of every method.
fn originals() -> Vec<Original> {
    let mut random = Random(71);
    let mut originals = Vec::new();
    for (parameters, weighted) in
        [([0.01, 0.05, 0.05, 1.0], false), ([0.1, 1.0, 0.2, 1.0], true), ([0.001, 0.01, 0.3, 0.5], false)]
    {
        let z: Vec<f64> = (0..8).flat_map(|_| [0.5, -0.3].map(|c| c + 0.4 * random.normal())).collect();
        let weights = weighted.then(|| (1..=8).map(|i| f64::from(i) / 4.0).collect());
        let data = Dataset::from_rows(z, 2, weights).unwrap();
        for start in [None, Some(vec![2.5 / parameters[1]; 2])] {
            let options = Options { horizon: Some(10_000), start };
            originals.push(Original::hinge(data.clone(), parameters, &options));
        }
        let outcome = MeanOutcome::of_samples(&data, 0.05, 0.1, 2.0, 0.25).unwrap();
        originals.push(Original { certificate: outcome.certificate, data: Some(data) });
    }
    let mean = certify_mean(&MeanSetting::new(0.01, 0.15, 2.0, 2.0, 0.0).unwrap()).unwrap();
    originals.push(Original { certificate: mean.certificate, data: None });
    originals
}

/// The largest entry of a witness's vectors.
fn largest(witness: &Witness) -> f64 {
    let vectors: Vec<&Vec<f64>> = match witness {
        Witness::Convexity { beta, u, .. } => vec![beta, u],
        Witness::BoundedRange { beta, reach, y, .. } => vec![beta, reach, y],
        Witness::ZeroOne { beta, u, u2, c, .. } => vec![beta, u, u2, c],
        Witness::Paper(w) => vec![&w.a, &w.b, &w.m, &w.h, &w.theta, &w.point],
        Witness::ClosedForm { .. } => vec![],
    };
    vectors.into_iter().flatten().fold(0.0, |m, v| m.max(v.abs()))
}

/// Asserts that an accepted certificate claims nothing below what its witnesses give for these rows.
fn assert_true(certificate: &Certificate, rows: &Rows) {
    let learner = &certificate.learner;
    let proves = |bound: f64, witness: &Witness, extra: f64| {
        let value = formula::value(learner, witness, rows);
        let value = value.unwrap_or_else(|| panic!("accepted without proof: {certificate:?}"));
        let low = value.low() + extra * (1.0 - 1e-11);
        // A vast number in the witness (a reach may be any) is beyond this test's floating point, not the checker's.
        assert!(low.is_finite() || largest(witness) > 1e100, "no number: {certificate:?}");
        assert!(!low.is_finite() || bound >= low, "accepted {bound} below {low}: {certificate:?}");
    };
    let loss = &certificate.loss;
    proves(loss.bound, &loss.witness, 0.0);
    if let Some(error) = &certificate.error {
        proves(error.bound, &error.witness, 0.0);
    }
    if let Some(horizon) = &certificate.horizon {
        let Learner::Hinge(hinge) = learner else { panic!("a horizon for the mean learner") };
        let extra = formula::transient(hinge, &loss.witness, horizon).unwrap();
        proves(horizon.bound, &loss.witness, extra);
    }
}

/// Asserts the same by what the claims are about: the residual at many places.
fn assert_sound(certificate: &Certificate, rows: &Rows, random: &mut Random) -> usize {
    let Learner::Hinge(hinge) = &certificate.learner else { return 0 };
    let weights = rows.weights.map(<[f64]>::to_vec);
    let setting = Setting {
        data: Dataset::from_rows(rows.z.to_vec(), rows.dimension, weights).unwrap(),
        eta: hinge.learning_rate,
        sigma: hinge.regularization,
        eps: hinge.poison_rate,
        radius: hinge.radius,
    };
    let mut points = 0;
    for claim in certificate.error.iter().chain([&certificate.loss]) {
        let found = Residual::new(&setting, &claim.witness).search(random, 80);
        let (value, room) = (found.residual.value, found.residual.tolerance(claim.bound));
        assert!(value <= claim.bound + room, "G = {value} {certificate:?}");
        points += found.evaluations;
    }
    points
}

/// The length of the header with its length field: the arrays follow.
fn header(file: &[u8]) -> usize {
    8 + usize::try_from(u64::from_le_bytes(file[..8].try_into().unwrap())).unwrap()
}

fn number_at(file: &[u8], at: usize) -> f64 {
    f64::from_le_bytes(file[at..at + 8].try_into().unwrap())
}

fn changed_number(random: &mut Random, x: f64) -> f64 {
    match random.below(10) {
        0 => x.next_up(),
        1 => x.next_down(),
        2 => -x,
        3 => x * (1.0 + random.log(1e-12, 1.0)),
        4 => x * (1.0 - random.log(1e-12, 1.0)),
        5 => 0.0,
        6 => 1.0,
        7 => x * random.log(1e-300, 1e300),
        8 => *random.pick(&[f64::NAN, f64::INFINITY, f64::MAX, f64::MIN_POSITIVE, 5e-324, -0.0]),
        _ => f64::from_bits(x.to_bits() ^ (1 << random.below(64))),
    }
}

/// Names of tensors, methods and learners.
const NAMES: &str = "loss.alpha loss.beta loss.tau loss.nu loss.u loss.y loss.reach loss.mu loss.ball loss.bound error.u error.u2 error.c error.tau error.alpha error.bound \
    learning_rate regularization poison_rate radius squared_radius noise_trace horizon.steps horizon.bound horizon.start horizon.m \
    convexity bounded-range zero-one closed-form hinge mean";

/// Puts two names in each other's place, header rewritten with its new length.
fn swap_names(random: &mut Random, file: &[u8]) -> Vec<u8> {
    let end = header(file);
    let text = String::from_utf8(file[8..end].to_vec()).unwrap();
    let names: Vec<&str> = NAMES.split(' ').filter(|name| text.contains(&format!("\"{name}\""))).collect();
    let [one, two] = [0, 1].map(|_| format!("\"{}\"", random.pick(&names)));
    let text = text.replace(&one, "\u{1}").replace(&two, &one).replace('\u{1}', &two);
    with_header(text, &file[end..])
}

/// Changes a digit somewhere in the header: counts, shapes, offsets, digests, versions.
fn change_digit(random: &mut Random, file: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    let digits: Vec<usize> = (8..header(&file)).filter(|i| file[*i].is_ascii_digit()).collect();
    file[*random.pick(&digits)] = b"0123456789"[random.below(10)];
    file
}

fn with_header(mut text: String, arrays: &[u8]) -> Vec<u8> {
    while !text.len().is_multiple_of(8) {
        text.push(' ');
    }
    [&(text.len() as u64).to_le_bytes()[..], text.as_bytes(), arrays].concat()
}

fn changed_file(random: &mut Random, file: &[u8]) -> Vec<u8> {
    let (mut bytes, end) = (file.to_vec(), header(file));
    let numbers = (file.len() - end) / 8;
    match random.below(10) {
        0 => {
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
        }
        1 => {
            let (at, other) = (random.below(bytes.len()), random.below(bytes.len()));
            bytes.swap(at, other);
        }
        2 => bytes.truncate(random.below(file.len())),
        3 => return swap_names(random, file),
        4 => return change_digit(random, file),
        5 => {
            // Two numbers, or two runs of numbers, change places.
            let length = 8 * (1 + random.below(4.min(numbers - 1)));
            let place = |random: &mut Random| end + 8 * random.below(numbers - length / 8 + 1);
            let (one, two) = (place(random), place(random));
            let (first, second) = (bytes[one..one + length].to_vec(), bytes[two..two + length].to_vec());
            bytes[one..one + length].copy_from_slice(&second);
            bytes[two..two + length].copy_from_slice(&first);
        }
        _ => {
            for _ in 0..=random.below(2) {
                let at = end + 8 * random.below(numbers);
                let x = changed_number(random, number_at(&bytes, at));
                bytes[at..at + 8].copy_from_slice(&x.to_le_bytes());
            }
        }
    }
    bytes
}

#[test]
fn all_methods_are_among_the_originals() {
    let mut methods: Vec<&str> = Vec::new();
    for original in originals() {
        assert_true(&original.certificate, &original.rows());
        check(&original.certificate, &original.rows()).unwrap();
        methods.push(original.certificate.loss.witness.method());
        methods.extend(original.certificate.error.as_ref().map(|e| e.witness.method()));
        // The independent evaluation would notice a bound that is too low.
        let bound = original.certificate.loss.bound;
        let value = formula::value(
            &original.certificate.learner,
            &original.certificate.loss.witness,
            &original.rows(),
        );
        let value = value.unwrap();
        assert!(
            (value.low()..=value.high()).contains(&bound) && value.low() > bound - 1e-6,
            "{value:?} {bound}"
        );
    }
    for method in ["convexity", "bounded-range", "zero-one", "closed-form"] {
        assert!(methods.contains(&method), "{methods:?}");
    }
}

#[test]
fn changed_files_are_accepted_only_if_true() {
    let mut random = Random(72);
    let originals: Vec<_> = originals().into_iter().map(|o| (o.certificate.to_bytes(), o)).collect();
    let (mut readable, mut accepted, mut unchanged, mut points) = (0, 0, 0, 0);
    for round in 0..FILES {
        let (file, original) = &originals[round % originals.len()];
        let bytes = changed_file(&mut random, file);
        let Ok(changed) = Certificate::from_bytes(&bytes) else { continue };
        readable += 1;
        let Ok(verdict) = check(&changed, &original.rows()) else { continue };
        accepted += 1;
        unchanged += usize::from(changed == original.certificate);
        assert!(verdict.loss <= changed.loss.bound);
        assert_true(&changed, &original.rows());
        points += assert_sound(&changed, &original.rows(), &mut random);
    }
    println!(
        "{FILES} files: {readable} readable, {accepted} accepted, {unchanged} of them unchanged; {points} points"
    );
    assert!(readable > FILES / 3 && accepted > FILES / 20 && accepted < FILES / 2, "{readable} {accepted}");
}

/// Rows after a change, with the weights.
fn changed_data(random: &mut Random, rows: &Rows) -> (Vec<f64>, usize, Option<Vec<f64>>) {
    let (mut z, mut d) = (rows.z.to_vec(), rows.dimension);
    let mut weights = rows.weights.map(<[f64]>::to_vec);
    match random.below(8) {
        0 => {
            let (i, j) = (random.below(z.len()), random.below(z.len()));
            z.swap(i, j);
        }
        1 => z.truncate(z.len() - d),
        2 => z.extend_from_slice(&rows.z[..d]),
        3 => d = if d == 1 { 2 } else { 1 },
        4 => match &mut weights {
            Some(weights) => {
                let i = random.below(weights.len());
                weights[i] = changed_number(random, weights[i]);
            }
            None => weights = Some(vec![1.0; rows.len()]),
        },
        5 => match &mut weights {
            Some(weights) if random.chance(0.5) => weights.iter_mut().for_each(|w| *w *= 2.0),
            _ => weights = None,
        },
        _ => {
            let i = random.below(z.len());
            z[i] = changed_number(random, z[i]);
        }
    }
    (z, d, weights)
}

#[test]
fn changed_data_are_refused() {
    let mut random = Random(73);
    let originals: Vec<_> = originals().into_iter().filter(|o| o.data.is_some()).collect();
    let (mut changes, mut forged, mut accepted) = (0, 0, 0);
    for round in 0..DATA {
        let original = &originals[round % originals.len()];
        let rows = original.rows();
        let (z, dimension, weights) = changed_data(&mut random, &rows);
        let changed = Rows { z: &z, dimension, weights: weights.as_deref() };
        if (changed.z, changed.dimension, changed.weights) == (rows.z, rows.dimension, rows.weights) {
            continue;
        }
        changes += 1;
        assert!(check(&original.certificate, &changed).is_err(), "{changed:?}");
        // Whoever forges the digest too still gets nothing false accepted.
        let mut certificate = original.certificate.clone();
        certificate.data.sha256 = changed.digest();
        certificate.data.rows = changed.len();
        certificate.data.dimension = dimension;
        forged += 1;
        if random.chance(0.5) {
            certificate.loss.bound *= 1.0 + random.log(1e-6, 1.0);
        }
        let read = Certificate::from_bytes(&certificate.to_bytes());
        if let Ok(read) = read
            && check(&read, &changed).is_ok()
        {
            accepted += 1;
            assert_true(&read, &changed);
            assert_sound(&read, &changed, &mut random);
        }
    }
    println!("{changes} changed data refused; {accepted} of {forged} forgeries accepted, all true");
    assert!(changes > DATA * 3 / 4 && accepted > 50, "{changes} {accepted}");
}
