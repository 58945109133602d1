//! Which learning rates a certificate is for, and what lists of rates amount to.

use dashu_ratio::RBig;
use unswayed_check::Feature::{Average, Ball, Hinge, Schedule as Changing};
use unswayed_check::{
    Certificate, Checked, Evidence, Horizon, Proof, RatesError, Schedule, Statement, check,
};

use crate::common::certificate;
use crate::common::fixtures::all;
use crate::common::generic::generic;
use crate::common::search::Random;

/// δ is at least what 1/rate grows by in every step, and no smaller number is.
#[test]
fn slowdowns_are_the_smallest() {
    let mut random = Random(5);
    for _ in 0..200 {
        let count = 1 + random.below(6);
        let rates: Vec<f64> = (0..count).map(|_| 10f64.powf(random.between(-6.0, 0.0))).collect();
        let largest = rates.iter().copied().fold(0.0, f64::max);
        let found = Schedule::of_rates(&rates, largest, 1e9).unwrap();
        assert_eq!(found.from_step, Some(1));
        let exact = |rate: f64| RBig::ONE / RBig::try_from(rate).unwrap();
        let steps = rates.windows(2).map(|pair| exact(pair[1]) - exact(pair[0]));
        let wanted = steps.max().unwrap_or_default().max(RBig::ZERO);
        let as_exact = |x: f64| RBig::try_from(x).unwrap();
        assert!(as_exact(found.slowdown) >= wanted, "{rates:?}");
        assert!(found.slowdown == 0.0 || as_exact(found.slowdown.next_down()) < wanted, "{rates:?}");
    }
}

#[test]
fn lists_of_rates() {
    let of = |rates: &[f64], largest: f64| {
        Schedule::of_rates(rates, largest, 4.0).map(|found| (found.slowdown, found.from_step.unwrap()))
    };
    assert_eq!(of(&[0.5], 0.5), Ok((0.0, 1)));
    assert_eq!(of(&[0.25, 0.25, 0.5], 0.5), Ok((0.0, 1)));
    // A rate above the largest, also a late one: what is before it does not count.
    assert_eq!(of(&[1.0, 0.5, 0.25, 0.5, 0.25], 0.5), Ok((2.0, 2)));
    assert_eq!(of(&[0.125, 1.0, 0.5, 0.5], 0.5), Ok((0.0, 3)));
    assert_eq!(
        of(&[0.5, 0.5], 0.5_f64.next_down()),
        Err(RatesError::AboveLargest { rate: 0.5, largest: 0.5_f64.next_down() })
    );
    // A fall by more than the fastest, just inside and just outside: steps of a staircase do not count in the long run.
    assert_eq!(of(&[0.25, 0.125, 0.125], 0.5), Ok((4.0, 1)));
    assert_eq!(of(&[0.25, 0.125_f64.next_down(), 0.125], 0.5), Ok((0.0, 2)));
    assert_eq!(of(&[], 1.0), Err(RatesError::Empty));
    assert_eq!(of(&[0.5, 0.0], 1.0), Err(RatesError::NotPositive { step: 2, rate: 0.0 }));
    assert!(of(&[f64::NAN], 1.0).is_err() && of(&[f64::INFINITY], 1.0).is_err());
}

fn text(certificate: &Certificate, rows: &unswayed_check::Rows) -> (String, bool) {
    let verdict = check(certificate, &Evidence { data: &[*rows], target: None }).unwrap();
    let checked = Checked::Valid(Box::new(certificate.clone()), verdict);
    (checked.text(), checked.json()["smaller_rates"] == true)
}

/// λ of the paper's proof need not be convex: then nothing is said of smaller rates.
#[test]
fn smaller_rates_are_claimed_where_they_are_proven() {
    let mut silent = 0;
    for (certificate, rows) in all() {
        let proofs = [&certificate.loss].into_iter().chain(&certificate.error).map(|claim| &claim.proof);
        let is_convex = proofs.into_iter().all(|p| !matches!(p, Proof::Paper(p) if p.low < 0.0));
        let (text, stated) = text(&certificate, &rows);
        assert_eq!(text.contains("for every constant learning rate up to 0.01"), is_convex, "{text}");
        assert_eq!(stated, is_convex);
        assert_eq!(text.contains("once the rates add up to 1000·0.01"), is_convex);
        silent += usize::from(!is_convex);
    }
    assert!(silent > 0);
}

#[test]
fn schedules_and_averages_are_named() {
    let text = |features: &[unswayed_check::Feature]| {
        let problem = generic(features);
        let certificate = certificate(&problem);
        let verdict = problem.check(&certificate).unwrap();
        Checked::Valid(Box::new(certificate), verdict).text()
    };
    assert!(text(&[Hinge, Ball]).contains("averages over time must be weighted by the rates"));
    // Rates 0.1·2^−t, whose sum is finite, keep a far start in the average for ever.
    assert!(text(&[Hinge, Ball]).contains("whose sum grows beyond all bounds"));
    assert!(
        text(&[Hinge, Ball, Average]).contains("the average of the models must be weighted by the rates")
    );
    let changing = text(&[Hinge, Ball, Changing]);
    assert!(
        changing.contains("averages over time are plain") && changing.contains("a step, from some step on")
    );
    let mut problem = generic(&[Hinge, Ball, Changing]);
    problem.statement.learner.schedule.as_mut().unwrap().from_step = Some(17);
    let lines = problem.statement.lines();
    assert!(lines[0].1.contains("a step, from step 17 on"), "{}", lines[0].1);
}

/// The steps of a horizon are counted from the step on from which the rates are known, and its bound is on an expectation.
#[test]
fn a_horizon_says_which_steps_are_its_own() {
    let horizon = Some(Horizon { steps: 10, start: vec![0.0; 2], first_rate: Some(0.001), total_rate: None });
    let mut statement = generic(&[Hinge, Ball, Changing]).statement;
    statement.horizon = horizon;
    let line = |statement: &Statement| statement.lines().pop().unwrap().1;
    assert!(line(&statement).contains("the model at the step from which on the rates are known"));
    statement.learner.schedule.as_mut().unwrap().from_step = Some(17);
    assert!(line(&statement).contains("the model at step 17: they are counted from there"));
    statement.learner.schedule = None;
    assert!(!line(&statement).contains("counted from there"));
    for (certificate, rows) in all() {
        assert!(
            text(&certificate, &rows).0.contains("the expected average loss over the first steps is at most")
        );
    }
}

/// The averages that a learner had on the way may be worse than the bound, which is on the last of them: with one row z = 1, η =
/// 0.1, σ = 0.01, nobody attacking, the average after 40 steps loses at most 0.14, and on the way 0.35 on average.
#[test]
fn the_first_steps_of_an_averaged_model_end_in_its_average() {
    let problem = generic(&[Hinge, Ball, Average]);
    let certificate = certificate(&problem);
    let verdict = problem.check(&certificate).unwrap();
    let text = Checked::Valid(Box::new(certificate), verdict).text();
    assert!(text.contains("after the first steps, the expected loss of the averaged model"), "{text}");
    assert!(!text.contains("average loss over the first steps"), "{text}");
}

/// Rates that depend on what was seen weigh some stretches more than others: weighted averages are for rates fixed in advance.
#[test]
fn weighted_averages_are_for_rates_fixed_in_advance() {
    let mut problem = generic(&[Hinge, Ball]);
    problem.statement.learner.schedule = Some(Schedule { weighted: true, ..Schedule::default() });
    let certificate = certificate(&problem);
    let verdict = problem.check(&certificate).unwrap();
    let text = Checked::Valid(Box::new(certificate), verdict).text();
    assert!(text.contains("that are fixed in advance, however they fall"), "{text}");
}
