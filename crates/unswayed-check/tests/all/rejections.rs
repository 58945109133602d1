//! What is refused as a whole: claims and proofs that do not belong together, other rows, bounds that are too low.

use unswayed_check::Feature::{Ball, Bias, Drift, Hinge, Logistic, Multiclass, Projection, TargetRows};
use unswayed_check::{
    Certificate, Evidence, Failure, Horizon, HorizonClaim, Loss, MeanBenign, Origin, Part, Proof, Reason,
    Rows, Set, Statement, Target, check, check_mean, prove,
};

use crate::common::fixtures::{
    Z, bound, bounded_range, by_cases, by_paper, certificate, convexity, flat, hinge, horizon, mean, paper,
    rows, weighted_rows, zero_one,
};
use crate::common::generic::{ETA, SIGMA, generic, generic_error};
use crate::common::search::Random;
use crate::common::{Problem, dataset, rounds};
use crate::truth;

fn checked(certificate: &Certificate, rows: &Rows) -> Result<f64, Failure> {
    check(certificate, &Evidence { data: &[*rows], target: None }).map(|verdict| verdict.loss)
}

#[test]
fn proofs_of_one_claim_do_not_prove_another() {
    let mut mixed = certificate(hinge(), by_cases(convexity()), Some(by_cases(zero_one())), &rows());
    checked(&mixed, &rows()).unwrap();
    let error = mixed.error.as_mut().unwrap();
    std::mem::swap(&mut mixed.loss, error);
    let failure = checked(&mixed, &rows()).unwrap_err();
    assert_eq!(failure.to_string(), "loss: the proof error-hinge does not fit a claim on the loss");
    for proof in [by_cases(convexity()), by_cases(bounded_range(&rows())), by_paper(paper())] {
        let mut certificate =
            certificate(hinge(), by_cases(convexity()), Some(by_cases(zero_one())), &rows());
        let claim = certificate.error.as_mut().unwrap();
        claim.bound = 1e9;
        claim.proof = proof;
        let failure = checked(&certificate, &rows()).unwrap_err();
        assert!(
            failure.part == Part::Error && failure.to_string().contains("a claim on the error"),
            "{failure}"
        );
    }
}

#[test]
fn as_many_datasets_as_stated() {
    let problem = generic(&[Hinge, Ball, Drift]);
    let certificate = crate::common::certificate(&problem);
    problem.check(&certificate).unwrap();
    let all = problem.rows();
    for data in [&all[..1], &[], &[all[0], all[1], all[0]]] {
        let failure = check(&certificate, &Evidence { data, target: None }).unwrap_err();
        assert_eq!(failure.to_string(), format!("data: datasets: expected 2, found {}", data.len()));
    }
}

/// A statement about so many rows and columns is not checked against others, whoever asks.
#[test]
fn as_many_rows_and_columns_as_stated() {
    for (features, columns) in
        [(&[Hinge, Ball][..], 2), (&[Multiclass, Ball], 3), (&[Hinge, Ball, TargetRows], 2)]
    {
        let problem = generic(features);
        let good = crate::common::certificate(&problem);
        problem.check(&good).unwrap();
        let complaint = |change: fn(&mut Origin)| {
            let mut other = good.clone();
            change(match &mut other.statement.target {
                Target::Rows(origin) => origin,
                _ => &mut other.statement.data[0],
            });
            problem.check(&other).unwrap_err().to_string()
        };
        let rows = if features.contains(&TargetRows) { 3 } else { 4 };
        let said = complaint(|origin| (origin.rows, origin.of) = (origin.rows + 1, origin.of + 1));
        assert_eq!(said, format!("data: rows of the statement: expected {}, found {rows}", rows + 1));
        let said = complaint(|origin| origin.columns += 1);
        assert_eq!(
            said,
            format!("data: columns of the statement: expected {}, found {columns}", columns + 1)
        );
    }
    let mut certificate = mean(Some(&rows()));
    check_mean(&certificate, Some(&rows())).unwrap();
    let MeanBenign::Samples(origin) = &mut certificate.statement.benign else { panic!("samples") };
    (origin.rows, origin.of) = (6, 6);
    let said = check_mean(&certificate, Some(&rows())).unwrap_err().to_string();
    assert_eq!(said, "loss: rows of the statement: expected 6, found 5");
}

/// Other rows have another origin, whatever differs.
#[test]
fn other_rows_have_another_origin() {
    let of = |z: &[f64], dimension: usize, weights: Option<&[f64]>| {
        dataset(z, dimension, weights).origin().clone()
    };
    let original = of(&Z, 2, None);
    let mut z = Z;
    z[9] = z[9].next_up();
    let others = [
        of(&z, 2, None),
        of(&Z, 2, Some(&[1.0; 5])),
        of(&Z[..8], 2, None),
        of(&Z, 5, None),
        dataset(&Z, 2, None).first(4).unwrap().origin().clone(),
    ];
    for other in others {
        assert!(original.same_rows(&other).is_err(), "{other:?}");
    }
    assert_eq!(original.same_rows(&of(&Z, 2, None)), Ok(()));
}

#[test]
fn a_bound_that_is_too_low() {
    let mut low = certificate(hinge(), by_cases(convexity()), None, &rows());
    let proven = low.loss.bound;
    low.loss.bound = proven - 1e-3;
    let failure = checked(&low, &rows()).unwrap_err();
    let Failure { part: Part::Loss, reason: Reason::BoundTooLow { bound, value, excess } } = failure else {
        panic!("{failure}")
    };
    assert_eq!((bound, value), (proven - 1e-3, proven));
    assert!((excess - 1e-3).abs() < 1e-12);
}

/// The error is at most 1, at most the hinge loss, and at most the logistic loss over log 2; a proof of its own may say less.
#[test]
fn what_the_loss_says_of_the_error() {
    let error = |problem: &Problem| {
        let certificate = crate::common::certificate(problem);
        let verdict = problem.check(&certificate).unwrap();
        (verdict.loss, verdict.error.unwrap(), certificate.error.map(|claim| claim.bound))
    };
    for (rows, is_logistic) in [(Hinge, false), (Logistic, true)] {
        let (loss, found, own) = error(&generic(&[rows, Ball]));
        assert_eq!(own, None);
        let by_loss = if is_logistic { loss / 2.0_f64.ln() } else { loss };
        assert!(found >= by_loss.min(1.0) && found <= (by_loss * 1.001).min(1.0), "{loss} {found}");
        let mut small = generic(&[rows, Ball]);
        small.statement.threat.poison_rate = 0.0;
        small.proof.alpha = 0.6;
        small.proof.beta = vec![-0.6, -0.3];
        let (loss, found, _) = error(&small);
        let by_loss = if is_logistic { loss / 2.0_f64.ln() } else { loss };
        assert!(found >= by_loss.min(1.0) && found <= by_loss * 1.001 && found <= 1.0, "{loss} {found}");
    }
    let both = certificate(hinge(), by_cases(convexity()), Some(by_cases(zero_one())), &rows());
    let verdict = check(&both, &Evidence { data: &[rows()], target: None }).unwrap();
    let least = both.loss.bound.min(both.error.unwrap().bound).min(1.0);
    assert_eq!(verdict.error, Some(least));
}

fn steps(steps: u64, start: &[f64]) -> Horizon {
    Horizon { steps, start: start.to_vec(), ..Horizon::default() }
}

#[test]
fn horizons() {
    let of = |proof: &Proof, count: u64, start: &[f64]| {
        horizon(&hinge(), proof, &rows(), &steps(count, start), 0.0)
    };
    let (plain, wide) = (by_cases(convexity()), by_cases(bounded_range(&rows())));
    let bound = bound(&hinge(), &plain, &rows()).unwrap();
    assert!(of(&plain, 1, &[0.0, 0.0]).unwrap() > bound);
    assert!(of(&plain, u64::MAX, &[100.0, 0.0]).unwrap() >= bound);
    let refused = |result: Result<f64, Failure>, words: &str| {
        let failure = result.expect_err(words);
        assert!(failure.part == Part::Horizon && failure.to_string().contains(words), "{failure}");
    };
    refused(of(&plain, 0, &[0.0, 0.0]), "horizon.steps");
    refused(of(&plain, 1, &[0.0]), "entries of horizon.start: expected 2, found 1");
    refused(of(&plain, 1, &[0.0, f64::NAN]), "horizon.start[1] = NaN");
    assert!(of(&wide, 1, &[10.5, 0.0]).is_ok());
    refused(of(&wide, 1, &[10.5, 1e-200]), "ϱ² − ‖θ_0‖²");
    refused(of(&by_paper(paper()), 1, &[0.0; 3]), "entries of horizon.start: expected 2, found 3");
    refused(of(&by_paper(paper()), 0, &[0.0; 2]), "horizon.steps");
    // (α/(ηT))‖θ_0 + β/(2α)‖², and the same for unregularized coordinates with αk in place of α.
    for features in [&[Logistic, Ball][..], &[Hinge, Ball, Bias]] {
        let p = generic(features);
        let k = 1.0 - ETA * SIGMA;
        let alpha = [p.proof.alpha, p.proof.alpha * if features.contains(&Bias) { k } else { 1.0 }];
        let start = [0.3, -0.2];
        let square = |j: usize| alpha[j] * (start[j] + p.proof.beta[j] / (2.0 * alpha[j])).powi(2);
        let extra = (square(0) + square(1)) / (ETA * 50.0);
        let found = p.horizon(50, &start, 0.0).unwrap() - p.bound().unwrap();
        assert!((found - extra).abs() < 1e-9 * (1.0 + extra), "{found} {extra}");
    }
}

/// What is claimed of a horizon is stated, and what is stated is claimed.
/// The paper's proof has conditions of its own on the start.
#[test]
fn horizons_of_the_paper() {
    let proof = by_paper(paper());
    let said = |start: &[f64], m: f64| {
        horizon(&hinge(), &proof, &rows(), &steps(10, start), m).unwrap_err().to_string()
    };
    horizon(&hinge(), &proof, &rows(), &steps(10, &[0.5, 0.5]), 0.0).unwrap();
    for start in [&[0.5][..], &[0.5, 0.5, 0.5]] {
        assert!(said(start, 0.0).contains("entries of horizon.start: expected 2"), "{}", said(start, 0.0));
    }
    assert!(said(&[0.5, 0.5], f64::INFINITY).contains("horizon.m = inf"));
    let cases = by_cases(convexity());
    let failed = horizon(&hinge(), &cases, &rows(), &steps(10, &[0.5, 0.5]), f64::INFINITY).unwrap_err();
    assert!(failed.to_string().contains("horizon.m = inf"), "{failed}");
}

#[test]
fn horizons_are_stated_and_claimed() {
    for problem in
        [generic(&[Hinge, Ball]), generic(&[Hinge, Ball, TargetRows]), generic(&[Logistic, Ball, Projection])]
    {
        let good = crate::common::certificate(&problem);
        problem.check(&good).unwrap();
        let stated = Certificate { horizon: None, ..good.clone() };
        let claimed =
            Certificate { statement: Statement { horizon: None, ..good.statement.clone() }, ..good.clone() };
        for (certificate, words) in [(stated, "horizons claimed = 0.0"), (claimed, "horizons claimed = 1.0")]
        {
            let failure = problem.check(&certificate).unwrap_err().to_string();
            assert!(failure.starts_with("horizon: ") && failure.contains(words), "{failure}");
        }
        // Fewer steps and other starts are other statements.
        let mut fewer = good.clone();
        fewer.statement.horizon.as_mut().unwrap().steps = 999;
        assert!(problem.check(&fewer).unwrap_err().to_string().starts_with("horizon: the bound"));
        let mut more = good.clone();
        more.statement.horizon.as_mut().unwrap().steps = 1001;
        problem.check(&more).unwrap();
        more.horizon = Some(HorizonClaim { bound: f64::INFINITY, m: 0.0, proof: None });
        assert!(problem.check(&more).is_err());
    }
}

/// A proof of its own must be about the loss, and meet its conditions; the bound is its value and what the start adds.
#[test]
fn horizons_with_a_proof_of_their_own() {
    let problem = generic(&[Hinge, Ball]);
    let mut good = crate::common::certificate(&problem);
    let mut own = problem.clone();
    own.proof.alpha *= 1.25;
    let start = good.statement.horizon.as_ref().unwrap().start.clone();
    let bound = own.horizon(1000, &start, 0.0).unwrap();
    let claim = HorizonClaim { bound, m: 0.0, proof: Some(own.claim().proof) };
    good.horizon = Some(claim.clone());
    let verdict = problem.check(&good).unwrap();
    assert_eq!((verdict.horizon, verdict.loss), (Some(bound), problem.bound().unwrap()));
    assert_ne!(bound, problem.horizon(1000, &start, 0.0).unwrap());
    let refused = |horizon: HorizonClaim, words: &str| {
        let failure = problem.check(&Certificate { horizon: Some(horizon), ..good.clone() }).unwrap_err();
        assert!(failure.part == Part::Horizon && failure.to_string().contains(words), "{failure}");
    };
    refused(HorizonClaim { bound: bound.next_down(), ..claim.clone() }, "the bound");
    let changed = |change: fn(&mut unswayed_check::CaseProof)| {
        let mut own = own.proof.clone();
        change(&mut own);
        HorizonClaim { bound: 1e9, proof: Some(Proof::Cases(Box::new(own))), ..claim.clone() }
    };
    refused(changed(|proof| proof.alpha = 0.0), "alpha");
    refused(changed(|proof| proof.cases.tau[0] = 0.0), "tau[0]");
    refused(changed(|proof| proof.lines[0].u[0] = 2.0), "u[0]");
    let error = crate::common::certificate(&generic_error(&[Hinge, Ball])).error.unwrap();
    refused(
        HorizonClaim { bound: 1e9, proof: Some(error.proof), ..claim },
        "does not fit a claim on the loss",
    );
}

#[test]
fn horizons_in_the_ball() {
    for (proof, best) in [(bounded_range(&rows()), 0.0), (flat(&rows()), 0.0568)] {
        let (statement, proof) = (hinge(), by_cases(proof));
        let all = [rows()];
        let evidence = Evidence { data: &all, target: None };
        let proven = prove(&statement, &proof, &evidence).unwrap();
        let value = truth::value(&statement, &proof, &rows()).unwrap();
        for start in [[0.0, 0.0], [0.5, -0.25], [-10.5, 0.0], [10.0, 2.0]] {
            let horizon = steps(10, &start);
            let with = |m: f64| proven.horizon(&horizon, m).unwrap();
            for m in [0.0, 1e-300, 0.03, best, 0.0625, 1.0, 1e9] {
                let extra = truth::transient(&statement, &proof, &horizon, m).unwrap();
                let bound = with(m);
                truth::assert_rounded_up(bound, &(&value + extra));
                assert!(bound >= with(best) * (1.0 - 1e-6) && bound > proven.bound().unwrap(), "{m}");
            }
        }
        for bad in [-1e-300, -1.0, f64::NAN, f64::INFINITY] {
            let complaint = proven.horizon(&steps(10, &[0.0, 0.0]), bad).unwrap_err().to_string();
            assert_eq!(complaint, format!("horizon: horizon.m = {bad:?} is not ≥ 0"));
        }
    }
    // Without a ball nothing but 0 will do.
    let of = |m: f64| horizon(&hinge(), &by_cases(convexity()), &rows(), &steps(10, &[0.0, 0.0]), m);
    assert_eq!(of(-0.0), of(0.0));
    for bad in [1e-300, 1.0, -1.0, f64::NAN] {
        let failure = of(bad).unwrap_err();
        assert!(failure.part == Part::Horizon && failure.to_string().contains("horizon.m"));
    }
}

#[test]
fn values_beyond_the_range_of_doubles() {
    let mut proof = convexity();
    proof.beta[0] = f64::MAX;
    let failure = bound(&hinge(), &by_cases(proof), &rows()).unwrap_err();
    assert_eq!(failure.reason, Reason::TooLarge);
    // Every number at the end of its range: slow numbers, but no surprise.
    let extreme = [f64::MAX, f64::MIN_POSITIVE, f64::from_bits(1), -f64::MAX];
    for z in extreme {
        for x in extreme {
            let z = [z; 10];
            let rows = Rows { z: &z, ..weighted_rows() };
            let mut wide = bounded_range(&rows);
            (wide.alpha, wide.beta) = (0.6, vec![x; 2]);
            (wide.lines[0].y, wide.lines[0].reach) = (vec![x; 5], vec![f64::MAX; 5]);
            (wide.cases.tau, wide.cases.nu, wide.cases.outer) = (vec![x.abs()], vec![0.0], vec![1e300]);
            let shells = wide.shells.as_mut().unwrap();
            (shells.ball, shells.radii) = (1e300, vec![1e300]);
            let wide = by_cases(wide);
            let exact = truth::value(&hinge(), &wide, &rows);
            let bound = bound(&hinge(), &wide, &rows);
            assert!(exact.is_some() || bound.is_err());
            assert!(bound.is_err() || truth::q(bound.unwrap()) >= exact.unwrap());
        }
    }
}

#[test]
fn many_rows_in_several_threads_give_the_exact_value() {
    let mut random = Random(99);
    let mut draw =
        |count: usize| -> Vec<f64> { (0..count).map(|_| random.below(1025) as f64 / 1024.0).collect() };
    let (n, d) = (1 << rounds(14, 16), 12);
    let z: Vec<f64> = draw(n * d).iter().map(|x| (x - 0.5) / 4.0).collect();
    let weights = draw(n);
    let rows = Rows { z: &z, pattern: None, dimension: d, weights: Some(&weights), steps: None };
    let mut proof = zero_one();
    proof.beta = draw(d);
    let lines = &mut proof.lines[0];
    (lines.u, lines.u2, lines.c) = (draw(n), draw(n), vec![0.75; n]);
    let exact = truth::value(&hinge(), &by_cases(proof.clone()), &rows).unwrap();
    truth::assert_rounded_up(bound(&hinge(), &by_cases(proof.clone()), &rows).unwrap(), &exact);
    // The first bad row is named, whichever thread finds it.
    let u = &mut proof.lines[0].u;
    (u[77], u[n - 1]) = (2.0, 3.0);
    let failure = bound(&hinge(), &by_cases(proof), &rows).unwrap_err();
    assert_eq!(failure.to_string(), "error: u[77] = 2.0 is not in [0, 1]");
    // Rows of several classes have several lines each; all rows many times over are the same data.
    let mut problem = generic(&[Multiclass, Ball]);
    problem.proof.lines[0].u.iter_mut().zip([0.0, 0.25, 0.5, 0.75]).for_each(|(u, x)| *u = x);
    let bound = problem.bound().unwrap();
    (problem.data[0], problem.proof.lines[0].u) =
        (problem.data[0].repeat(n), problem.proof.lines[0].u.repeat(n));
    assert_eq!(problem.bound().unwrap(), bound);
}

/// Statements about the same rows that are not the same statement.
#[test]
fn other_statements_need_other_proofs() {
    let original = certificate(hinge(), by_cases(convexity()), None, &rows());
    type Change = fn(&mut Statement);
    let harder: [Change; 5] = [
        |s| s.threat.set = Set::Ball { radius: 100.0 },
        |s| s.threat.poison_rate = 0.06,
        |s| s.learner.loss = Loss::Logistic,
        |s| s.threat.set = Set::LabelFlips,
        |s| s.learner.unregularized = vec![0],
    ];
    for change in harder {
        let mut changed = original.clone();
        change(&mut changed.statement);
        assert!(checked(&changed, &rows()).is_err(), "{:?}", changed.statement);
    }
    // The bounds are those of one point per step, for all sizes.
    let mut batched = original.clone();
    batched.statement.learner.batch = 128;
    assert_eq!(checked(&batched, &rows()), checked(&original, &rows()));
}
