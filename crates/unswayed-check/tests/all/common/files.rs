//! A certificate of every kind that a file can hold.

use unswayed_check::Feature::{self, *};
use unswayed_check::{Certificate, Deviation, NewDataClaim, prove_new_data};

use super::generic::{generic, generic_error};
use super::{Problem, certificate};

/// A name, a problem, and its certificate. Together they have every field that a file can have, but for those of the paper's
/// proof and of the mean learner.
pub fn all() -> Vec<(&'static str, Problem, Certificate)> {
    let kinds: [(&'static str, &[Feature], bool); 18] = [
        ("hinge", &[Hinge, Ball], false),
        ("hinge error", &[Hinge, Feature::Box], true),
        ("logistic", &[Logistic, Feature::Box], false),
        ("logistic error", &[Logistic, Ball], true),
        ("ellipsoid", &[Hinge, Ellipsoid], false),
        ("points", &[Logistic, Points], false),
        ("labels", &[Hinge, LabelFlips], false),
        ("logistic labels", &[Logistic, LabelFlips], false),
        ("clip", &[Hinge, AnyPoint, Clip], false),
        ("logistic clip", &[Logistic, Ball, Clip], false),
        ("bias", &[Hinge, Ball, Bias], false),
        ("projection", &[Logistic, Ball, Projection, NoRegularization], false),
        ("target weights", &[Hinge, Ball, TargetWeights, RowWeights], false),
        ("target rows", &[Hinge, Ball, TargetRows, Projection], false),
        ("drift", &[Hinge, Ball, Drift], false),
        ("classes", &[Multiclass, Ball], true),
        ("new data", &[Hinge, Ball], false),
        ("new data ellipsoid", &[Hinge, Ellipsoid], false),
    ];
    kinds.map(|(name, features, is_error)| made(name, features, is_error)).into_iter().collect()
}

fn made(name: &'static str, features: &[Feature], is_error: bool) -> (&'static str, Problem, Certificate) {
    let problem = if is_error { generic_error(features) } else { generic(features) };
    let mut certificate = certificate(&problem);
    if name.starts_with("new data") {
        let mut claim = NewDataClaim {
            bound: 0.0,
            delta: 0.05,
            radius: 1.0,
            deviation: Deviation::Bernstein,
            alpha: 0.8,
            beta: vec![-0.5, -0.25],
            tau: vec![2.0],
            nu: 0.25,
            omega: problem.proof.omega,
            theta: vec![1.0, 0.75],
            gain: 0.5,
        };
        claim.bound = prove_new_data(&certificate.statement, &claim, &problem.rows()[0]).expect("a bound");
        certificate.new_data = Some(claim);
    }
    (name, problem, certificate)
}
