//! What the tests of linear learners share: problems, and G_λ computed by taking the learner's steps.
#![allow(dead_code)]

pub mod random;
pub mod search;

use unswayed_check::{
    Cases, DataInfo, Evidence, Failure, Horizon, Linear, LinearCertificate, LinearClaim, LinearProven,
    LinearWitness, Lines, Loss, Method, Rows, Set, Step, Target, prove_linear,
};

/// A learner, a witness, and the rows they are about.
#[derive(Clone, Debug)]
pub struct Problem {
    pub learner: Linear,
    pub witness: LinearWitness,
    pub data: Vec<Vec<f64>>,
    pub weights: Vec<Option<Vec<f64>>>,
    pub dimension: usize,
    pub target: Option<Vec<f64>>,
}

impl Problem {
    pub fn rows(&self) -> Vec<Rows<'_>> {
        let pairs = self.data.iter().zip(&self.weights);
        pairs.map(|(z, w)| Rows { z, dimension: self.dimension, weights: w.as_deref() }).collect()
    }

    pub fn with_evidence<T>(&self, f: impl FnOnce(&Evidence) -> T) -> T {
        let target = self.target.as_ref().map(|z| Rows { z, dimension: self.dimension, weights: None });
        f(&Evidence { data: &self.rows(), target })
    }

    pub fn prove(&self) -> Result<LinearProven<'_>, Failure> {
        self.with_evidence(|e| prove_linear(&self.learner, &self.witness, e))
    }

    pub fn bound(&self) -> Result<f64, Failure> {
        self.prove()?.bound()
    }

    pub fn complaint(&self) -> String {
        self.bound().expect_err("a refusal").to_string()
    }
}

/// A learner without variants whose target are the data.
pub fn plain(eta: f64, sigma: f64, eps: f64, loss: Loss, set: Set) -> Linear {
    Linear {
        learning_rate: eta,
        regularization: sigma,
        poison_rate: eps,
        loss,
        step: Step::default(),
        set,
        target: Target::Data,
    }
}

/// A witness with one set of lines and no shells.
pub fn simple(method: Method, alpha: f64, beta: Vec<f64>, lines: Lines, cases: Cases) -> LinearWitness {
    LinearWitness {
        method,
        alpha,
        beta,
        omega: None,
        shells: None,
        by_label: false,
        lines: vec![lines],
        cases,
    }
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The place of the supremum of a H(w) + y1 log w + y0 log(1−w) + bw + cw², by bisection in the log-odds of w.
pub fn argmax(a: f64, y1: f64, y0: f64, b: f64, c: f64) -> f64 {
    let (mut low, mut high) = (-60.0_f64, 60.0_f64);
    for _ in 0..100 {
        let mid = f64::midpoint(low, high);
        let (w, v) = (1.0 / (1.0 + (-mid).exp()), 1.0 / (1.0 + mid.exp()));
        if -a * mid + y1 / w - y0 / v + b + 2.0 * c * w > 0.0 { low = mid } else { high = mid }
    }
    (1.0 / (1.0 + (-low).exp())).clamp(1e-15, 1.0 - 1e-15)
}

/// The constants 2αk, κ0 and, for a row, ‖z‖² and βᵀz, in floating point.
pub struct Numbers {
    pub two_ak: f64,
    pub kappa0: f64,
    pub benign: f64,
    pub eps: f64,
    pub alpha_eta: f64,
}

impl Numbers {
    pub fn new(learner: &Linear, alpha: f64) -> Self {
        let k = 1.0 - learner.learning_rate * learner.regularization;
        let benign = 1.0 - learner.poison_rate;
        let two_ak = 2.0 * alpha * k;
        Numbers {
            two_ak,
            kappa0: two_ak * benign,
            benign,
            eps: learner.poison_rate,
            alpha_eta: alpha * learner.learning_rate,
        }
    }

    /// w₀ of Lemma L3 for the slope y, target weight t per data weight.
    pub fn logistic(&self, z: &[f64], beta: &[f64], y: f64, t: f64) -> f64 {
        let (b, c) = (self.benign * dot(z, beta), self.benign * self.alpha_eta * dot(z, z));
        argmax(self.kappa0, y, self.kappa0 - t - y, b, c)
    }

    /// The two w₀ of Lemma L6.
    pub fn labels(&self, z: &[f64], beta: &[f64], y: f64) -> (f64, f64) {
        let (a, e, b, c) = (self.two_ak, self.eps, dot(z, beta), self.alpha_eta * dot(z, z));
        let rest = self.kappa0 - 1.0 - y;
        (argmax(a, y, rest + e * a, b, c), argmax(a, y + e * a, rest, b - 2.0 * e * c, c))
    }

    /// w₀ of Lemma L9.
    pub fn finite(&self, z: &[f64], beta: &[f64], share: f64) -> f64 {
        let y = self.two_ak * share;
        argmax(self.two_ak, y, self.two_ak - y, dot(z, beta), self.alpha_eta * dot(z, z))
    }
}

/// x near A⁻¹v for a symmetric matrix, by Gaussian elimination.
pub fn solve(mut a: Vec<Vec<f64>>, mut v: Vec<f64>) -> Vec<f64> {
    let d = v.len();
    for k in 0..d {
        for i in k + 1..d {
            let f = a[i][k] / a[k][k];
            let (upper, lower) = a.split_at_mut(i);
            for (x, y) in lower[0].iter_mut().zip(&upper[k]) {
                *x -= f * y;
            }
            v[i] -= f * v[k];
        }
    }
    for k in (0..d).rev() {
        let rest: f64 = (k + 1..d).map(|j| a[k][j] * v[j]).sum();
        v[k] = (v[k] - rest) / a[k][k];
    }
    v
}

/// The upper triangle, column by column.
pub fn triangle(q: &[Vec<f64>]) -> Vec<f64> {
    (0..q.len()).flat_map(|j| (0..=j).map(move |i| q[i][j])).collect()
}

/// x near A⁻¹v of an ellipsoid's case with r = Σ p_iy_iz_i.
pub fn ellipsoid_x(
    learner: &Linear,
    alpha: f64,
    beta: &[f64],
    q: &[Vec<f64>],
    r: &[f64],
    tau: f64,
    nu: f64,
) -> Vec<f64> {
    let (sigma, eps) = (learner.regularization, learner.poison_rate);
    let n = Numbers::new(learner, alpha);
    let chi = n.two_ak - nu;
    let d = beta.len();
    let base = alpha * sigma * (2.0 - learner.learning_rate * sigma);
    let entry =
        |i: usize, j: usize| (if i == j { base } else { 0.0 }) - eps * chi * chi / (2.0 * tau) * q[i][j];
    let a = (0..d).map(|i| (0..d).map(|j| entry(i, j)).collect()).collect();
    let v = (0..d).map(|i| r[i] + eps * chi / tau * dot(&q[i], beta) - sigma * beta[i]).collect();
    solve(a, v)
}

/// Σ p_iy_iz_i for equal weights.
pub fn slope(z: &[f64], d: usize, y: impl Fn(usize) -> f64) -> Vec<f64> {
    let n = z.len() / d;
    let mut r = vec![0.0; d];
    for i in 0..n {
        for j in 0..d {
            r[j] += y(i) * z[i * d + j] / n as f64;
        }
    }
    r
}

fn info(rows: &Rows) -> DataInfo {
    DataInfo {
        sha256: rows.digest(),
        rows: rows.len(),
        dimension: rows.dimension,
        first_rows: false,
        labels: None,
        scale: None,
    }
}

/// The certificate with the smallest bounds the witness proves. A witness for the error stands beside one for the loss.
pub fn certificate(problem: &Problem) -> LinearCertificate {
    let claim = |p: &Problem| LinearClaim { bound: p.bound().expect("a bound"), witness: p.witness.clone() };
    let mut loss = problem.clone();
    let is_error = problem.witness.method.is_error();
    if is_error {
        loss.witness.method =
            if problem.learner.loss == Loss::Logistic { Method::Logistic } else { Method::Hinge };
        loss.witness.alpha = problem.witness.alpha.max(2.0);
        for lines in &mut loss.witness.lines {
            (lines.u2, lines.c, lines.w2) = (vec![], vec![], vec![]);
        }
        for tau in &mut loss.witness.cases.tau {
            *tau *= 1e5;
        }
    }
    let start = if problem.learner.step.projection.is_some() { 0.01 } else { 0.5 };
    let start = vec![start; problem.witness.beta.len()];
    let horizon = loss.prove().unwrap().horizon(1000, &start).unwrap();
    problem.with_evidence(|e| LinearCertificate {
        tool: "test 1.0".to_owned(),
        data: e.data.iter().map(info).collect(),
        target: e.target.as_ref().map(info),
        learner: problem.learner.clone(),
        loss: claim(&loss),
        error: is_error.then(|| claim(problem)),
        horizon: Some(Horizon { steps: 1000, start: start.clone(), m: 0.0, bound: horizon }),
        confidence: None,
    })
}
