//! A certificate of every kind that a file can hold.

use std::boxed::Box;

use unswayed_check::Feature::{self, *};
use unswayed_check::{
    AnyCertificate, Certificate, Claim, Deviation, HostileSample, NewDataClaim, PaperProof, Rows, check_mean,
    prove, prove_new_data,
};

use super::fixtures::{self, by_paper, mean, paper};
use super::generic::{by_contraction, by_levels, generic, generic_error, ruled};
use super::{Problem, certificate as certificate_of};

/// A name, a problem, and its certificate. Together they have every field that a file can have, but for those of the paper's
/// proof and of the mean learner.
pub fn all() -> Vec<(&'static str, Problem, Certificate)> {
    let kinds: [(&'static str, &[Feature], bool); 27] = [
        ("hinge", &[Hinge, Ball], false),
        ("hinge error", &[Hinge, Feature::Box], true),
        ("rule", &[Hinge, Ball], false),
        ("rule error", &[Hinge, Ball], true),
        ("logistic", &[Logistic, Feature::Box], false),
        ("logistic error", &[Logistic, Ball], true),
        ("ellipsoid", &[Hinge, Ellipsoid], false),
        ("points", &[Logistic, Points], false),
        ("labels", &[Hinge, LabelFlips], false),
        ("logistic labels", &[Logistic, LabelFlips], false),
        ("clip", &[Hinge, AnyPoint, Clip], false),
        ("logistic clip", &[Logistic, Ball, Clip], false),
        ("bias", &[Hinge, Ball, Bias], false),
        ("momentum", &[Hinge, Ball, Momentum], false),
        ("projection", &[Logistic, Ball, Projection, NoRegularization], false),
        ("target weights", &[Hinge, Ball, TargetWeights, RowWeights], false),
        ("target rows", &[Hinge, Ball, TargetRows, Projection], false),
        ("drift", &[Hinge, Ball, Drift], false),
        ("hostile rows", &[Logistic, Ball, HostileRows], true),
        ("classes", &[Multiclass, Ball], true),
        ("levels", &[Hinge, Ball], false),
        ("logistic levels", &[Logistic, Ellipsoid], false),
        ("contraction", &[Hinge, Ball, RowWeights], false),
        ("new data", &[Hinge, Ball], false),
        ("new data ellipsoid", &[Hinge, Ellipsoid], false),
        ("new data logistic", &[Logistic, Ball], false),
        ("new data hostile", &[Hinge, Ball, HostileRows], false),
    ];
    kinds.map(|(name, features, is_error)| made(name, features, is_error)).into_iter().collect()
}

fn made(name: &'static str, features: &[Feature], is_error: bool) -> (&'static str, Problem, Certificate) {
    let mut problem = if is_error { generic_error(features) } else { generic(features) };
    if name.starts_with("rule") {
        ruled(&mut problem);
    }
    let mut certificate = certificate_of(&problem);
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
            floor: name.ends_with("logistic").then_some(0.125),
            w: if name.ends_with("logistic") { vec![0.375; problem.rows()[0].len()] } else { vec![] },
            hostile: name.ends_with("hostile").then(|| HostileSample {
                earlier: 1,
                pull: vec![0.25, 0.125],
                spread: 16.0,
                threshold: -0.5,
            }),
        };
        claim.bound = prove_new_data(&certificate.statement, &claim, &problem.rows()[0]).expect("a bound");
        certificate.new_data = Some(claim);
    }
    if name.ends_with("levels") {
        let proof = by_levels(&problem);
        let bound =
            problem.with_evidence(|e| prove(&problem.statement, &proof, e)?.bound()).expect("a bound");
        certificate.error = Some(Claim { bound, proof });
    }
    if name == "contraction" {
        let proof = by_contraction(&problem);
        let bound =
            problem.with_evidence(|e| prove(&problem.statement, &proof, e)?.bound()).expect("a bound");
        certificate.loss = Claim { bound, proof };
        // The claim on the first steps is that of the other proof.
        (certificate.horizon, certificate.statement.horizon) = (None, None);
    }
    (name, problem, certificate)
}

/// The rows that a certificate is about.
#[derive(Clone, Debug)]
pub enum About {
    /// Those of the problem; its proof is not used.
    Rows(Box<Problem>),
    /// Samples, or none.
    Samples(Option<Rows<'static>>),
}

/// A certificate with its rows.
#[derive(Clone, Debug)]
pub struct Sample {
    pub name: &'static str,
    pub certificate: AnyCertificate,
    pub about: About,
}

impl Sample {
    pub fn bytes(&self) -> Vec<u8> {
        match &self.certificate {
            AnyCertificate::Linear(certificate) => certificate.to_bytes(),
            AnyCertificate::Mean(certificate) => certificate.to_bytes(),
        }
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.bytes()).expect("JSON")
    }

    /// The bounds that are proved (loss, error, horizon, new data), if a certificate holds for the rows of this one.
    pub fn check(&self, certificate: &AnyCertificate) -> Result<[Option<f64>; 4], String> {
        match (certificate, &self.about) {
            (AnyCertificate::Linear(certificate), About::Rows(problem)) => {
                let verdict = problem.check(certificate).map_err(|failure| failure.to_string())?;
                Ok([Some(verdict.loss), verdict.error, verdict.horizon, verdict.new_data])
            }
            (AnyCertificate::Mean(certificate), About::Samples(rows)) => {
                let bound = check_mean(certificate, rows.as_ref()).map_err(|failure| failure.to_string())?;
                Ok([Some(bound), None, None, None])
            }
            _ => Err("another kind of learner".to_owned()),
        }
    }
}

/// The bounds that a certificate claims, in the same order.
pub fn claimed(certificate: &AnyCertificate) -> [Option<f64>; 4] {
    match certificate {
        AnyCertificate::Linear(c) => [
            Some(c.loss.bound),
            c.error.as_ref().map(|claim| claim.bound),
            c.horizon.as_ref().map(|claim| claim.bound),
            c.new_data.as_ref().map(|claim| claim.bound),
        ],
        AnyCertificate::Mean(c) => [Some(c.bound), None, None, None],
    }
}

/// A certificate of every kind there is.
pub fn samples() -> Vec<Sample> {
    let linear = |name, problem: Problem, certificate| Sample {
        name,
        certificate: AnyCertificate::Linear(certificate),
        about: About::Rows(Box::new(problem)),
    };
    let mut samples: Vec<Sample> = all().into_iter().map(|(name, p, c)| linear(name, p, c)).collect();
    let problem = generic(&[Hinge, Ball]);
    let proof = PaperProof { m: vec![0.25, -0.125, 0.0, 0.3], h: vec![0.05; 8], ..paper() };
    let rows = problem.rows()[0];
    let certificate = fixtures::certificate(problem.statement.clone(), by_paper(proof), None, &rows);
    samples.push(linear("paper", problem.clone(), certificate));
    let mut bare = certificate_of(&problem);
    (bare.statement.horizon, bare.horizon) = (None, None);
    samples.push(linear("bare", problem, bare));
    for (name, rows) in [("mean", None), ("samples", Some(fixtures::weighted_rows()))] {
        let certificate = AnyCertificate::Mean(mean(rows.as_ref()));
        samples.push(Sample { name, certificate, about: About::Samples(rows) });
    }
    samples
}
