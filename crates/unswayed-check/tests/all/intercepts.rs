//! Points whose unregularized entry is fixed, and first steps of rates that change: edges of the conditions, and an error that must
//! be found.

use unswayed_check::Feature::{
    self, Ball, Bias, FixedBias, Hinge, Projection, Regression, Schedule, WeightedRates,
};
use unswayed_check::{Horizon, Proof, Set, prove};

use crate::common::Problem;
use crate::common::generic::{ETA, generic};

/// The bound over eight first steps, with changes.
fn over_steps(features: &[Feature], m: f64, change: &dyn Fn(&mut Horizon)) -> Result<f64, String> {
    let problem = generic(features);
    let mut horizon = problem.first_steps(8, &[0.0, 0.0]);
    change(&mut horizon);
    let proof = Proof::Cases(Box::new(problem.proof.clone()));
    let bound =
        problem.with_evidence(|e| prove(&problem.statement, &proof, e).and_then(|p| p.horizon(&horizon, m)));
    bound.map_err(|failure| failure.to_string())
}

const FALLS: &[Feature] = &[Hinge, Ball, Schedule];
const WEIGHTED: &[Feature] = &[Hinge, Ball, Schedule, WeightedRates];

#[test]
fn the_first_rate_is_named_where_averages_are_plain() {
    let slow = over_steps(FALLS, 0.0, &|_| ()).unwrap();
    let fast = over_steps(FALLS, 0.0, &|h| h.first_rate = Some(ETA)).unwrap();
    assert!(slow > fast, "{slow} {fast}");
    for rate in [Some(ETA.next_up()), Some(0.0), Some(f64::NAN), None] {
        assert!(over_steps(FALLS, 0.0, &|h| h.first_rate = rate).unwrap_err().contains("first_rate"));
    }
    assert!(over_steps(FALLS, 0.0, &|h| h.total_rate = Some(ETA)).unwrap_err().contains("total_rate"));
    for rate in [FALLS, WEIGHTED] {
        assert!(over_steps(rate, 0.1, &|_| ()).unwrap_err().contains("without a ball"));
    }
    let constant = over_steps(&[Hinge, Ball], 0.0, &|h| h.first_rate = Some(ETA));
    assert!(constant.unwrap_err().contains("first_rate"));
}

#[test]
fn the_sum_of_rates_is_named_where_averages_are_weighted() {
    let short = over_steps(WEIGHTED, 0.0, &|_| ()).unwrap();
    let long = over_steps(WEIGHTED, 0.0, &|h| h.total_rate = Some(8.0 * ETA)).unwrap();
    assert!(short > long, "{short} {long}");
    for total in [Some((8.0 * ETA).next_up()), Some(0.0), None] {
        assert!(over_steps(WEIGHTED, 0.0, &|h| h.total_rate = total).unwrap_err().contains("total_rate"));
    }
    // In a ball m helps a weighted average, not a plain one.
    let ball = |rest: &[Feature]| [&[Hinge, Ball][..], rest, &[Projection]].concat();
    assert!(over_steps(&ball(&[Schedule, WeightedRates]), 0.1, &|_| ()).is_ok());
    assert!(over_steps(&ball(&[Schedule]), 0.1, &|_| ()).unwrap_err().contains("plain averages"));
}

#[test]
fn weighted_rates_have_no_slowdown() {
    let with = |slowdown: f64| {
        let mut problem = generic(WEIGHTED);
        problem.statement.learner.schedule =
            Some(unswayed_check::Schedule { slowdown, weighted: true, from_step: None });
        problem.bound()
    };
    assert!(with(0.0).is_ok());
    assert!(with(f64::MIN_POSITIVE).unwrap_err().to_string().contains("averages are weighted"));
}

#[test]
fn a_fixed_entry_and_its_radius_are_not_negative() {
    let with = |radius: f64, constant: f64| {
        let mut problem = generic(&[Hinge, FixedBias, Bias]);
        problem.statement.threat.set = Set::Features { radius, constant };
        problem.bound().map_err(|failure| failure.to_string())
    };
    assert!(with(0.0, 0.0).is_ok() && with(1.0, 0.5) > with(1.0, 0.25));
    assert!(with(-0.0, 0.5).unwrap_err().contains("set.radius"));
    assert!(with(1.0, -0.0).unwrap_err().contains("set.constant"));
    assert!(with(1.0, f64::INFINITY).unwrap_err().contains("set.constant"));
}

/// A λ that is steep along the column, and a model on which the point acts: a checker that is told of a smaller entry proves too little.
#[test]
fn an_entry_that_is_told_too_small_is_found() {
    for loss in [Hinge, Regression] {
        for sign in [1.0, -1.0] {
            let told = |constant: f64| -> Problem {
                let mut problem = generic(&[loss, FixedBias, Bias]);
                problem.statement.threat.poison_rate = 0.5;
                problem.statement.threat.set = Set::Features { radius: 0.5, constant };
                (problem.proof.alpha, problem.proof.beta) = (2.0, vec![0.0, sign * 400.0]);
                problem
            };
            let point = match loss {
                // A label above the prediction pulls it up.
                Regression => vec![sign, 0.0, 1.0],
                _ => vec![0.0, sign],
            };
            let reached = told(1.0).residual(0, &[0.0, -10.0 * sign], &point);
            let (small, right) = (told(0.25).bound().unwrap(), told(1.0).bound().unwrap());
            assert!(reached <= right, "{loss:?}: {reached} {right}");
            assert!(reached > small, "{loss:?}: {reached} {small}");
        }
    }
}
