//! Small certificates of the hinge learner against a ball and of the mean learner, which `truth` can verify independently.

use unswayed_check::{
    CaseProof, Cases, Certificate, Claim, Evidence, Failure, Horizon, HorizonClaim, Lines, Loss, MeanBenign,
    MeanCertificate, MeanStatement, PaperProof, Proof, RowBound, Rows, Set, Shells, Statement, check_mean,
    prove,
};

use super::{dataset, plain};

/// Rows that the certificates below are about.
pub const Z: [f64; 10] = [0.5, 0.25, -0.75, 0.5, 0.125, 0.875, 0.3, -0.2, 0.9, 0.1];
pub const WEIGHTS: [f64; 5] = [1.0, 0.5, 2.0, 0.0, 0.1];

pub fn rows() -> Rows<'static> {
    Rows { z: &Z, pattern: None, dimension: 2, weights: None, steps: None }
}

pub fn weighted_rows() -> Rows<'static> {
    Rows { weights: Some(&WEIGHTS), ..rows() }
}

pub fn hinge() -> Statement {
    plain(0.01, 0.1, 0.05, Loss::Hinge, Set::Ball { radius: 1.0 })
}

pub fn convexity() -> CaseProof {
    let cases = Cases { lines: vec![0], tau: vec![2.0], nu: vec![0.125], ..Cases::default() };
    let lines = Lines { u: vec![0.0, 1.0, 0.5, 0.3, 0.9], ..Lines::default() };
    CaseProof::new(RowBound::BoundedSlope, 0.8, vec![-1.5, -0.25], lines, cases)
}

/// Slopes on an interval are multiples of the row's weight p_i = w_i/W.
pub fn bounded_range(rows: &Rows) -> CaseProof {
    let weight = |i: usize| rows.weights.map_or(1.0, |w| w[i]);
    let total: f64 = (0..rows.len()).map(weight).sum();
    let y = [-0.25, 0.5, 0.0, 0.1, 0.3].iter().enumerate().map(|(i, y)| y * weight(i) / total).collect();
    let lines = Lines { y, reach: vec![6.0, 10.0, 9.5, 4.0, 10.0], ..Lines::default() };
    let cases = Cases {
        lines: vec![0],
        tau: vec![2.0],
        nu: vec![0.125],
        outer: vec![0.01],
        inner: vec![0.0],
        ..Cases::default()
    };
    let shells = Some(Shells { centre: vec![0.0; 2], radii: vec![10.5], ball: 10.5 });
    CaseProof { shells, ..CaseProof::new(RowBound::Interval, 0.5, vec![-1.5, -0.25], lines, cases) }
}

/// The same with a small α: here a positive m is best, about 0.06.
pub fn flat(rows: &Rows) -> CaseProof {
    CaseProof { alpha: 1.0 / 64.0, ..bounded_range(rows) }
}

pub fn zero_one() -> CaseProof {
    let cases = Cases { lines: vec![0], tau: vec![1.5], nu: vec![0.0], ..Cases::default() };
    let lines = Lines {
        u: vec![0.0, 1.0, 0.5, 0.3, 0.9],
        u2: vec![0.1, 0.0, 1.0, 0.25, 0.7],
        c: vec![0.25, 0.5, 1.0, 0.3, 0.125],
        ..Lines::default()
    };
    CaseProof::new(RowBound::ErrorHinge, 0.5, vec![-1.0, -0.5], lines, cases)
}

/// A near 2/3·I, with multipliers of both signs.
pub fn paper() -> PaperProof {
    PaperProof {
        a: vec![0.6, 0.05, 0.7],
        b: vec![-1.5, -0.25],
        m: vec![0.25, -0.125, 0.0, 0.3, 0.01],
        h: vec![0.1, 0.0, -0.2, 0.05, 0.0, 0.3, 0.01, -0.02, 0.1, 0.1],
        nu8: 0.01,
        nu9: 0.02,
        nu10: 0.05,
        ball: 10.5,
        reach: 10.0,
        low: 0.5,
        high: 0.8,
        delta: 0.001,
        theta: vec![0.3, 0.4],
        point: vec![0.1, -0.2],
    }
}

/// The same with an A that is not positive definite.
pub fn saddle() -> PaperProof {
    let a = vec![0.6, 0.05, -0.03];
    PaperProof { a, low: -0.05, high: 0.75, nu8: 0.03, ..paper() }
}

pub fn by_cases(proof: CaseProof) -> Proof {
    Proof::Cases(Box::new(proof))
}

pub fn by_paper(proof: PaperProof) -> Proof {
    Proof::Paper(Box::new(proof))
}

pub fn bound(statement: &Statement, proof: &Proof, rows: &Rows) -> Result<f64, Failure> {
    prove(statement, proof, &Evidence { data: &[*rows], target: None })?.bound()
}

pub fn horizon(
    statement: &Statement,
    proof: &Proof,
    rows: &Rows,
    horizon: &Horizon,
    m: f64,
) -> Result<f64, Failure> {
    prove(statement, proof, &Evidence { data: &[*rows], target: None })?.horizon(horizon, m)
}

/// The same proof with a larger α.
pub fn steeper(proof: &Proof) -> Proof {
    match proof.clone() {
        Proof::Cases(mut proof) => {
            proof.alpha *= 1.25;
            Proof::Cases(proof)
        }
        other => other,
    }
}

/// A certificate with the smallest bounds its proofs have.
pub fn certificate(statement: Statement, loss: Proof, error: Option<Proof>, rows: &Rows) -> Certificate {
    let steps = Horizon { steps: 1000, start: vec![0.5; rows.dimension], ..Horizon::default() };
    let m = if loss.ball().is_some() { 0.0625 } else { 0.0 };
    // Where the error has a proof of its own, the horizon has one too: another than that of the loss.
    let own = error.is_some().then(|| steeper(&loss));
    let transient = horizon(&statement, own.as_ref().unwrap_or(&loss), rows, &steps, m).expect("a horizon");
    let claim = |proof: Proof| Claim { bound: bound(&statement, &proof, rows).expect("a bound"), proof };
    let data = vec![dataset(rows.z, rows.dimension, rows.weights).origin().clone()];
    Certificate {
        tool: "test 1.0".to_owned(),
        loss: claim(loss),
        error: error.map(claim),
        horizon: Some(HorizonClaim { bound: transient, m, proof: own }),
        horizon_error: None,
        new_data: None,
        statement: Statement { data, horizon: Some(steps), ..statement },
    }
}

pub fn mean(rows: Option<&Rows>) -> MeanCertificate {
    let benign = match rows {
        None => MeanBenign::CovarianceTrace(2.0),
        Some(rows) => MeanBenign::Samples(dataset(rows.z, rows.dimension, rows.weights).origin().clone()),
    };
    let statement = MeanStatement {
        learning_rate: 0.01,
        poison_rate: 0.15,
        squared_radius: 2.0,
        noise_trace: 0.5,
        benign,
    };
    let loose =
        MeanCertificate { tool: "test 1.0".to_owned(), statement, bound: 1e9, alpha: 86.75, nu: 0.0242 };
    let bound = check_mean(&loose, rows).expect("a bound");
    MeanCertificate { bound, ..loose }
}

/// One certificate of every kind about a hinge learner and a ball, with its rows.
pub fn all() -> Vec<(Certificate, Rows<'static>)> {
    let mut all = vec![];
    for rows in [rows(), weighted_rows()] {
        let mut add = |loss: Proof, error: Option<CaseProof>| {
            all.push((certificate(hinge(), loss, error.map(by_cases), &rows), rows));
        };
        add(by_cases(convexity()), None);
        add(by_cases(convexity()), Some(zero_one()));
        add(by_cases(bounded_range(&rows)), Some(zero_one()));
        add(by_cases(flat(&rows)), None);
        add(by_paper(paper()), None);
        add(by_paper(saddle()), Some(zero_one()));
    }
    all
}
