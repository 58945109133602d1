//! Small certificates that the tests share.
#![allow(dead_code)]

use unswayed_check::{
    Certificate, Claim, DataInfo, Hinge, Horizon, Learner, Mean, PaperWitness, Rows, Witness, exact_bound,
    exact_horizon,
};

/// Rows that the certificates below are about.
pub const Z: [f64; 10] = [0.5, 0.25, -0.75, 0.5, 0.125, 0.875, 0.3, -0.2, 0.9, 0.1];
pub const WEIGHTS: [f64; 5] = [1.0, 0.5, 2.0, 0.0, 0.1];

pub fn rows() -> Rows<'static> {
    Rows { z: &Z, dimension: 2, weights: None }
}

pub fn weighted_rows() -> Rows<'static> {
    Rows { weights: Some(&WEIGHTS), ..rows() }
}

pub fn hinge() -> Learner {
    Learner::Hinge(Hinge { learning_rate: 0.01, regularization: 0.1, poison_rate: 0.05, radius: 1.0 })
}

pub fn convexity() -> Witness {
    Witness::Convexity {
        alpha: 0.8,
        beta: vec![-1.5, -0.25],
        tau: 2.0,
        nu: 0.125,
        u: vec![0.0, 1.0, 0.5, 0.3, 0.9],
    }
}

pub fn bounded_range() -> Witness {
    Witness::BoundedRange {
        alpha: 0.5,
        beta: vec![-1.5, -0.25],
        tau: 2.0,
        nu: 0.125,
        mu: 0.01,
        ball: 10.5,
        reach: vec![6.0, 10.0, 9.5, 4.0, 10.0],
        y: vec![-0.25, 0.5, 0.0, 0.1, 0.3],
    }
}

/// The same with a small α: here a positive m is best, about 0.06.
pub fn flat() -> Witness {
    let mut witness = bounded_range();
    let Witness::BoundedRange { alpha, .. } = &mut witness else { unreachable!() };
    *alpha = 1.0 / 64.0;
    witness
}

pub fn zero_one() -> Witness {
    Witness::ZeroOne {
        alpha: 0.5,
        beta: vec![-1.0, -0.5],
        tau: 1.5,
        nu: 0.0,
        u: vec![0.0, 1.0, 0.5, 0.3, 0.9],
        u2: vec![0.1, 0.0, 1.0, 0.25, 0.7],
        c: vec![0.25, 0.5, 1.0, 0.3, 0.125],
    }
}

/// A near 2/3·I, with multipliers of both signs.
pub fn paper_numbers() -> PaperWitness {
    PaperWitness {
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

pub fn paper() -> Witness {
    Witness::Paper(Box::new(paper_numbers()))
}

/// The same with an A that is not positive definite.
pub fn saddle() -> Witness {
    let a = vec![0.6, 0.05, -0.03];
    Witness::Paper(Box::new(PaperWitness { a, low: -0.05, high: 0.75, nu8: 0.03, ..paper_numbers() }))
}

/// A certificate with the smallest bounds its witnesses prove.
pub fn certificate(learner: Learner, loss: Witness, error: Option<Witness>, rows: &Rows) -> Certificate {
    let claim = |witness: Witness| Claim {
        bound: exact_bound(&learner, &witness, rows).expect("a witness that proves something"),
        witness,
    };
    let start = vec![0.5; rows.dimension];
    let m = if let Witness::BoundedRange { .. } | Witness::Paper(_) = loss { 0.0625 } else { 0.0 };
    let horizon = matches!(learner, Learner::Hinge(_)).then(|| Horizon {
        steps: 1000,
        bound: exact_horizon(&learner, &loss, rows, 1000, &start, m).expect("a horizon"),
        start,
        m,
    });
    Certificate {
        tool: "test 1.0".to_owned(),
        data: DataInfo {
            sha256: rows.digest(),
            rows: rows.len(),
            dimension: rows.dimension,
            first_rows: false,
            labels: None,
            scale: None,
        },
        loss: claim(loss),
        error: error.map(claim),
        horizon,
        learner,
    }
}

pub fn mean(covariance_trace: Option<f64>) -> Learner {
    Learner::Mean(Mean {
        learning_rate: 0.01,
        poison_rate: 0.15,
        squared_radius: 2.0,
        noise_trace: 0.5,
        covariance_trace,
    })
}

pub fn closed_form() -> Witness {
    Witness::ClosedForm { alpha: 86.75, nu: 0.0242 }
}

pub fn no_rows() -> Rows<'static> {
    Rows { z: &[], dimension: 2, weights: None }
}

/// One certificate of every kind, with its rows.
pub fn all() -> Vec<(Certificate, Rows<'static>)> {
    let mut all = vec![(certificate(mean(Some(2.0)), closed_form(), None, &no_rows()), no_rows())];
    for rows in [rows(), weighted_rows()] {
        all.push((certificate(hinge(), convexity(), None, &rows), rows));
        all.push((certificate(hinge(), convexity(), Some(zero_one()), &rows), rows));
        all.push((certificate(hinge(), bounded_range(), Some(zero_one()), &rows), rows));
        all.push((certificate(hinge(), flat(), None, &rows), rows));
        all.push((certificate(hinge(), paper(), None, &rows), rows));
        all.push((certificate(hinge(), saddle(), Some(zero_one()), &rows), rows));
        all.push((certificate(mean(None), closed_form(), None, &rows), rows));
    }
    all
}

/// Deterministic pseudo-random numbers.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 16) % n as u64).unwrap_or(0)
    }
}
