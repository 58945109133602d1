//! Certificates and data that have been tampered with: what the checker still accepts is still true.

use unswayed::certify::{MeanOutcome, MeanSetting, Options, certify_mean, certify_with, recover};
use unswayed::check::{
    AnyCertificate, CaseProof, Cases, Certificate, Claim, Lines, MeanCertificate, Proof, Rows, Set,
    check_mean,
};
use unswayed::{Dataset, Problem};

use crate::fixtures::random::Random;
use crate::fixtures::residual::Residual;
use crate::fixtures::setting::Setting;
use crate::fixtures::{budget, cases, formula, verdict};

/// A certificate as the library makes it, with its rows.
#[allow(clippy::large_enum_variant)] // there are few of them
enum Original {
    Linear(Box<Certificate>, Problem),
    Mean(Box<MeanCertificate>, Option<Dataset>),
}

/// One certificate or more of every kind that the independent formulas know.
fn originals() -> Vec<Original> {
    let mut random = Random(71);
    let mut originals = Vec::new();
    for ([eta, sigma, eps, radius], weighted) in
        [([0.01, 0.05, 0.05, 1.0], false), ([0.1, 1.0, 0.2, 1.0], true), ([0.001, 0.01, 0.3, 0.5], false)]
    {
        let z: Vec<f64> = (0..8).flat_map(|_| [0.5, -0.3].map(|c| c + 0.4 * random.normal())).collect();
        let weights = weighted.then(|| (1..=8).map(|i| f64::from(i) / 4.0).collect());
        let data = Dataset::from_rows(z, 2, weights).unwrap();
        let make = |projection: Option<f64>, start: Option<Vec<f64>>| {
            let builder = Problem::builder(data.clone()).learning_rate(eta).regularization(sigma);
            let builder = builder.poison_rate(eps).radius(radius);
            let builder = if let Some(ball) = projection { builder.projection(ball) } else { builder };
            let problem = builder.build().unwrap();
            let mut options = Options::default().with_horizon(10_000);
            options.start = start;
            Original::Linear(Box::new(certify_with(&problem, &options).unwrap().certificate), problem)
        };
        originals.push(make(None, None));
        originals.push(make(None, Some(vec![2.5 / sigma; 2])));
        originals.push(make(Some(2.0), None));
        let outcome = MeanOutcome::of_samples(&data, 0.05, 0.1, 2.0, 0.25).unwrap();
        originals.push(Original::Mean(Box::new(outcome.certificate), Some(data)));
    }
    let mean = certify_mean(&MeanSetting::new(0.01, 0.15, 2.0, 2.0, 0.0).unwrap()).unwrap();
    originals.push(Original::Mean(Box::new(mean.certificate), None));
    originals
}

impl Original {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Original::Linear(certificate, _) => certificate.to_bytes(),
            Original::Mean(certificate, _) => certificate.to_bytes(),
        }
    }
}

/// What happened to changed certificates.
#[derive(Debug, Default)]
struct Tally {
    readable: usize,
    accepted: usize,
    unchanged: usize,
    /// Accepted ones that the formulas here do not cover; the search does.
    unknown: usize,
    points: usize,
}

/// All numbers of a claim.
fn claimed(claim: &mut Claim) -> Vec<&mut f64> {
    let mut all = vec![&mut claim.bound];
    all.extend(proving(&mut claim.proof));
    all
}

/// All numbers of a proof.
fn proving(proof: &mut Proof) -> Vec<&mut f64> {
    let Proof::Cases(proof) = proof else { return vec![] };
    let CaseProof { alpha, beta, shells, lines, cases, .. } = &mut **proof;
    let mut all = vec![alpha];
    all.extend(beta);
    if let Some(shells) = shells {
        all.extend(shells.centre.iter_mut().chain(&mut shells.radii).chain([&mut shells.ball]));
    }
    for Lines { u, u2, c, y, reach, .. } in lines {
        all.extend([u, u2, c, y, reach].into_iter().flatten());
    }
    let Cases { tau, nu, outer, inner, .. } = cases;
    all.extend([tau, nu, outer, inner].into_iter().flatten());
    all
}

/// All numbers of a certificate.
fn numbers(certificate: &mut AnyCertificate) -> Vec<&mut f64> {
    match certificate {
        AnyCertificate::Linear(certificate) => {
            let Certificate { statement, loss, error, horizon, .. } = certificate;
            let (learner, threat) = (&mut statement.learner, &mut statement.threat);
            let mut all =
                vec![&mut learner.learning_rate, &mut learner.regularization, &mut threat.poison_rate];
            all.extend(&mut learner.projection);
            if let Set::Ball { radius } = &mut threat.set {
                all.push(radius);
            }
            if let (Some(stated), Some(claim)) = (&mut statement.horizon, horizon) {
                all.extend(stated.start.iter_mut().chain([&mut claim.bound, &mut claim.m]));
                all.extend(claim.proof.iter_mut().flat_map(proving));
            }
            all.extend(claimed(loss));
            all.extend(error.iter_mut().flat_map(claimed));
            all
        }
        AnyCertificate::Mean(MeanCertificate { statement, bound, alpha, nu, .. }) => vec![
            bound,
            alpha,
            nu,
            &mut statement.learning_rate,
            &mut statement.poison_rate,
            &mut statement.squared_radius,
            &mut statement.noise_trace,
        ],
    }
}

fn is_small(proof: &Proof) -> bool {
    let Proof::Cases(proof) = proof else { return false };
    let Lines { reach, y, .. } = &proof.lines[0];
    proof.beta.iter().chain(reach).chain(y).all(|x| x.abs() < 1e100)
}

/// Asserts that a claim is not below what its proof gives for these rows; false if the formulas do not cover it.
fn assert_true(certificate: &Certificate, rows: &Rows) -> bool {
    let statement = &certificate.statement;
    let proves = |bound: f64, proof: &Proof, extra: f64| {
        let Some(value) = formula::value(statement, proof, rows) else { return false };
        let low = value.low() + extra * (1.0 - 1e-11);
        // A vast number in the proof (a reach may be any) is beyond this test's floating point, not the checker's.
        assert!(low.is_finite() || !is_small(proof), "no number: {certificate:?}");
        assert!(!low.is_finite() || bound >= low, "accepted {bound} below {low}: {certificate:?}");
        true
    };
    let loss = &certificate.loss;
    let mut known = proves(loss.bound, &loss.proof, 0.0);
    if let Some(error) = &certificate.error {
        known &= proves(error.bound, &error.proof, 0.0);
    }
    if let (Some(claim), Some(horizon)) = (&certificate.horizon, &statement.horizon) {
        let proof = claim.proof.as_ref().unwrap_or(&loss.proof);
        let extra = formula::transient(statement, proof, horizon, claim.m).expect("a horizon");
        known &= proves(claim.bound, proof, extra);
    }
    known
}

/// Asserts the same by what the claims are about: the residual at many places.
fn assert_sound(certificate: &Certificate, data: &Dataset, random: &mut Random) -> usize {
    let (learner, threat) = (&certificate.statement.learner, &certificate.statement.threat);
    let Set::Ball { radius } = threat.set else { panic!("accepted for another set: {certificate:?}") };
    let setting = Setting {
        data: data.clone(),
        eta: learner.learning_rate,
        sigma: learner.regularization,
        eps: threat.poison_rate,
        radius,
    };
    let mut points = 0;
    // A projection only makes λ smaller, so that the residual without it is a bound as well.
    for claim in certificate.error.iter().chain([&certificate.loss]) {
        let found = Residual::new(&setting, cases(claim)).search(random, 80);
        let (value, room) = (found.residual.value, found.residual.tolerance(claim.bound));
        assert!(value <= claim.bound + room, "G = {value} {certificate:?}");
        points += found.evaluations;
    }
    points
}

fn assert_true_mean(certificate: &MeanCertificate, rows: Option<&Rows>) {
    let value = formula::mean_value(certificate, rows);
    let value = value.unwrap_or_else(|| panic!("accepted without proof: {certificate:?}"));
    assert!(certificate.bound >= value.low(), "{certificate:?} {value:?}");
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

/// Names of fields and variants in a file.
const NAMES: &str = "alpha beta tau nu u y reach outer inner ball bound u2 c learning_rate regularization poison_rate radius \
    squared_radius noise_trace steps start m interval hinge error-hinge linear mean loss error horizon projection data radii centre";

/// Puts two names in each other's place.
fn swap_names(random: &mut Random, file: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(file.to_vec()).unwrap();
    let names: Vec<&str> = NAMES.split(' ').filter(|name| text.contains(&format!("\"{name}\""))).collect();
    let [one, two] = [0, 1].map(|_| format!("\"{}\"", random.pick(&names)));
    text.replace(&one, "\u{1}").replace(&two, &one).replace('\u{1}', &two).into_bytes()
}

/// Changes a digit somewhere: counts, numbers, digests, arrays, the version.
fn change_digit(random: &mut Random, file: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    let digits: Vec<usize> = (0..file.len()).filter(|i| file[*i].is_ascii_digit()).collect();
    file[*random.pick(&digits)] = b"0123456789"[random.below(10)];
    file
}

fn changed_file(random: &mut Random, file: &[u8]) -> Vec<u8> {
    let mut bytes = file.to_vec();
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
        which => {
            let mut certificate = AnyCertificate::from_bytes(file).unwrap();
            let mut all = numbers(&mut certificate);
            if which == 5 {
                // Two numbers change places.
                let (one, two) = (random.below(all.len()), random.below(all.len()));
                let (first, second) = (*all[one], *all[two]);
                (*all[one], *all[two]) = (second, first);
            } else {
                for _ in 0..=random.below(2) {
                    let at = random.below(all.len());
                    *all[at] = changed_number(random, *all[at]);
                }
            }
            return match certificate {
                AnyCertificate::Linear(certificate) => certificate.to_bytes(),
                AnyCertificate::Mean(certificate) => certificate.to_bytes(),
            };
        }
    }
    bytes
}

#[test]
fn all_kinds_of_proofs_are_among_the_originals() {
    let mut methods: Vec<&str> = Vec::new();
    for original in originals() {
        match original {
            Original::Linear(certificate, problem) => {
                let rows = Rows::of(&problem.data()[0]);
                assert!(assert_true(&certificate, &rows));
                verdict(&problem, &certificate).unwrap();
                for claim in certificate.error.iter().chain([&certificate.loss]) {
                    methods.push(claim.proof.method());
                    // The independent evaluation would notice a bound that is too low.
                    let value = formula::value(&certificate.statement, &claim.proof, &rows).unwrap();
                    let fits = (value.low()..=value.high()).contains(&claim.bound);
                    assert!(fits && value.low() > claim.bound - 1e-6, "{value:?} {}", claim.bound);
                }
            }
            Original::Mean(certificate, samples) => {
                let rows = samples.as_ref().map(Rows::of);
                assert_true_mean(&certificate, rows.as_ref());
                let bound = check_mean(&certificate, rows.as_ref()).unwrap();
                let value = formula::mean_value(&certificate, rows.as_ref()).unwrap();
                assert!((value.low()..=value.high()).contains(&bound), "{value:?} {bound}");
            }
        }
    }
    for method in ["convexity", "bounded-range", "error-hinge"] {
        assert!(methods.contains(&method), "{methods:?}");
    }
}

#[test]
fn changed_files_are_accepted_only_if_true() {
    let (mut random, mut tally) = (Random(72), Tally::default());
    let originals: Vec<_> = originals().into_iter().map(|o| (o.bytes(), o)).collect();
    let files = budget(4000, 20_000);
    for round in 0..files {
        let (file, original) = &originals[round % originals.len()];
        let bytes = changed_file(&mut random, file);
        let Ok(changed) = AnyCertificate::from_bytes(&bytes) else { continue };
        tally.readable += 1;
        match (&changed, original) {
            (AnyCertificate::Linear(changed), Original::Linear(own, problem)) => {
                let Ok(verdict) = verdict(problem, changed) else { continue };
                tally.unchanged += usize::from(*changed == **own);
                assert!(verdict.loss <= changed.loss.bound);
                tally.unknown += usize::from(!assert_true(changed, &Rows::of(&problem.data()[0])));
                tally.points += assert_sound(changed, &problem.data()[0], &mut random);
            }
            (AnyCertificate::Mean(changed), Original::Mean(own, samples)) => {
                let rows = samples.as_ref().map(Rows::of);
                let Ok(bound) = check_mean(changed, rows.as_ref()) else { continue };
                tally.unchanged += usize::from(*changed == **own);
                assert!(bound <= changed.bound);
                assert_true_mean(changed, rows.as_ref());
            }
            _ => continue,
        }
        tally.accepted += 1;
    }
    println!("{files} files: {tally:?}");
    let Tally { readable, accepted, unknown, .. } = tally;
    assert!(readable > files / 3 && accepted > files / 20 && accepted < files / 2, "{readable} {accepted}");
    assert!(unknown * 20 < accepted, "{unknown} of {accepted}");
}

/// Rows after a change, with the weights.
fn changed_data(random: &mut Random, data: &Dataset) -> Option<Dataset> {
    let (mut z, mut d) = (data.z().to_vec(), data.dimension());
    let mut weights = data.weights().map(<[f64]>::to_vec);
    match random.below(8) {
        0 => {
            let (i, j) = (random.below(z.len()), random.below(z.len()));
            z.swap(i, j);
        }
        1 => {
            z.truncate(z.len() - d);
            if let Some(weights) = &mut weights {
                weights.pop();
            }
        }
        2 => {
            z.extend_from_slice(data.row(0));
            if let Some(weights) = &mut weights {
                weights.push(1.0);
            }
        }
        3 => {
            d = 1;
            weights = None;
        }
        4 => match &mut weights {
            Some(weights) => {
                let i = random.below(weights.len());
                weights[i] = changed_number(random, weights[i]);
            }
            None => weights = Some(vec![1.0; data.rows()]),
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
    Dataset::from_rows(z, d, weights).ok()
}

#[test]
fn changed_data_are_refused() {
    let mut random = Random(73);
    let (mut changes, mut invalid, mut accepted) = (0, 0, 0);
    let originals = originals();
    let linear = originals.iter().filter_map(|original| match original {
        Original::Linear(certificate, problem) => Some((certificate, problem)),
        Original::Mean(..) => None,
    });
    let rounds = budget(1000, 4000);
    for (certificate, problem) in linear.cycle().take(rounds) {
        let data = &problem.data()[0];
        let Some(changed) = changed_data(&mut random, data) else {
            invalid += 1;
            continue;
        };
        if (changed.z(), changed.weights()) == (data.z(), data.weights()) && changed.rows() == data.rows() {
            continue;
        }
        changes += 1;
        assert!(recover((**certificate).clone(), changed.clone(), None).is_err(), "{changed:?}");
        // Whoever forges the origin too still gets nothing false accepted.
        let mut forged = (**certificate).clone();
        forged.statement.data = vec![changed.origin().clone()];
        if random.chance(0.5) {
            forged.loss.bound *= 1.0 + random.log(1e-6, 1.0);
        }
        let forged = Certificate::from_bytes(&forged.to_bytes()).unwrap();
        if recover(forged.clone(), changed.clone(), None).is_ok() {
            accepted += 1;
            assert!(assert_true(&forged, &Rows::of(&changed)), "accepted without proof: {forged:?}");
            assert_sound(&forged, &changed, &mut random);
        }
    }
    println!(
        "{changes} changed data refused, {invalid} were no data; {accepted} forgeries accepted, all true"
    );
    assert!(
        changes > rounds / 2 && invalid < rounds / 4 && accepted > rounds / 50,
        "{changes} {invalid} {accepted}"
    );
}
