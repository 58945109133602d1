//! What the tests share: problems, certificates of every kind, and G_λ computed by taking the learner's steps.

pub mod files;
pub mod fixtures;
pub mod generic;
pub mod random;
pub mod search;
pub mod section20;
pub mod section24;
pub mod textbook;

use unswayed_check::{
    CaseProof, Cases, Certificate, Claim, Evidence, Failure, Horizon, HorizonClaim, Labels, Learner, Lines,
    Loss, Origin, Proof, RowBound, Rows, Set, Statement, Target, Threat, Verdict, check, prove,
};
use unswayed_data::{Dataset, LabelPolicy, RawLabels, Reading, Table};

/// Whether the long searches are asked for.
pub fn is_full() -> bool {
    std::env::var_os("UNSWAYED_FULL").is_some_and(|value| value == "1")
}

/// The first number by default, the second one if the long searches are asked for.
pub fn rounds(few: usize, many: usize) -> usize {
    if is_full() { many } else { few }
}

/// A statement, a proof, and the rows they are about.
#[derive(Clone, Debug)]
pub struct Problem {
    pub statement: Statement,
    pub proof: CaseProof,
    pub data: Vec<Vec<f64>>,
    pub weights: Vec<Option<Vec<f64>>>,
    pub dimension: usize,
    pub target: Option<Vec<f64>>,
}

/// Step weights that change nothing.
const ONES: [f64; 64] = [1.0; 64];

impl Problem {
    pub fn rows(&self) -> Vec<Rows<'_>> {
        // Step weights other than 1 have tests of their own.
        let is_weighted = self.statement.threat.poison_weight.is_some();
        let steps = |z: &[f64]| is_weighted.then(|| &ONES[..z.len() / self.dimension]);
        let pairs = self.data.iter().zip(&self.weights);
        pairs
            .map(|(z, w)| Rows {
                z,
                pattern: None,
                dimension: self.dimension,
                weights: w.as_deref(),
                steps: steps(z),
            })
            .collect()
    }

    pub fn with_evidence<T>(&self, f: impl FnOnce(&Evidence) -> T) -> T {
        let target = self.target.as_ref().map(|z| Rows {
            z,
            pattern: None,
            dimension: self.dimension,
            weights: None,
            steps: None,
        });
        f(&Evidence { data: &self.rows(), target })
    }

    /// The bound and the bounds of all cases.
    pub fn bounds(&self) -> Result<(f64, Vec<f64>), Failure> {
        let proof = Proof::Cases(Box::new(self.proof.clone()));
        self.with_evidence(|e| {
            let proven = prove(&self.statement, &proof, e)?;
            Ok((proven.bound()?, proven.case_bounds()))
        })
    }

    pub fn bound(&self) -> Result<f64, Failure> {
        Ok(self.bounds()?.0)
    }

    /// First steps, with rates where they change: the first one at half the largest, or their sum.
    pub fn first_steps(&self, steps: u64, start: &[f64]) -> Horizon {
        let Learner { learning_rate, schedule, .. } = &self.statement.learner;
        let weighted = schedule.map(|schedule| schedule.weighted);
        Horizon {
            steps,
            start: start.to_vec(),
            first_rate: (weighted == Some(false)).then_some(learning_rate / 2.0),
            total_rate: (weighted == Some(true)).then_some(learning_rate * 3.0),
        }
    }

    /// The bound over the first steps.
    pub fn horizon(&self, steps: u64, start: &[f64], m: f64) -> Result<f64, Failure> {
        let proof = Proof::Cases(Box::new(self.proof.clone()));
        let horizon = self.first_steps(steps, start);
        self.with_evidence(|e| prove(&self.statement, &proof, e)?.horizon(&horizon, m))
    }

    pub fn complaint(&self) -> String {
        self.bound().expect_err("a refusal").to_string()
    }

    /// The claim on the proof's bound, as low as it can be.
    pub fn claim(&self) -> Claim {
        let proof = Proof::Cases(Box::new(self.proof.clone()));
        Claim { bound: self.bound().expect("a bound"), proof }
    }

    pub fn check(&self, certificate: &Certificate) -> Result<Verdict, Failure> {
        self.with_evidence(|e| check(certificate, e))
    }

    /// The datasets.
    pub fn datasets(&self) -> Vec<Dataset> {
        let all = self.data.iter().zip(&self.weights);
        let is_regression = self.statement.learner.loss.is_regression();
        let make = if is_regression { numbered } else { dataset };
        all.map(|(z, w)| make(z, self.dimension, w.as_deref())).collect()
    }

    /// The statement, with the origins of its rows.
    pub fn complete(&self) -> Statement {
        let data = self.datasets().iter().map(|data| data.origin().clone()).collect();
        let target = match (&self.statement.target, &self.target) {
            (Target::Rows(_), Some(z)) => Target::Rows(dataset(z, self.dimension, None).origin().clone()),
            (target, _) => target.clone(),
        };
        Statement { data, target, ..self.statement.clone() }
    }
}

pub fn dataset(z: &[f64], dimension: usize, weights: Option<&[f64]>) -> Dataset {
    Dataset::from_rows(z.to_vec(), dimension, weights.map(<[f64]>::to_vec)).expect("good rows")
}

/// Rows that begin with a label that is a number.
pub fn numbered(z: &[f64], dimension: usize, weights: Option<&[f64]>) -> Dataset {
    let (y, x): (Vec<f64>, Vec<&[f64]>) = z.chunks(dimension).map(|z| (z[0], &z[1..])).unzip();
    let weights = weights.map(<[f64]>::to_vec);
    let columns = dimension - 1;
    let table = Table { y: Some(RawLabels::Numbers(y)), weights, ..Table::new(x.concat(), columns) };
    let reading = Reading { labels: LabelPolicy::Numbers, scale: Some(1.0), ..Reading::default() };
    table.into_dataset(&reading).expect("good rows")
}

/// An origin of so many rows that no file has.
pub fn origin(rows: usize, columns: usize) -> Origin {
    Origin {
        file: String::new(),
        label_file: None,
        labels: Labels::Premultiplied,
        label_column: None,
        weight_column: None,
        step_weight_column: None,
        class_weights: None,
        chosen_columns: None,
        files: None,
        scale: 1.0,
        rows,
        of: rows,
        columns,
        of_columns: None,
        sha256: "0".repeat(64),
        made: None,
    }
}

/// A learner without variants, about one dataset, which is also the target.
pub fn plain(eta: f64, sigma: f64, eps: f64, loss: Loss, set: Set) -> Statement {
    Statement {
        learner: Learner::new(loss, eta, sigma),
        threat: Threat { poison_rate: eps, set, label_bound: None, poison_weight: None, moments: None },
        data: vec![origin(1, 1)],
        target: Target::Data,
        horizon: None,
        hostile_rows: vec![],
    }
}

/// The name of a kind in files.
pub fn name_of(rows: RowBound) -> String {
    serde_json::to_value(rows).expect("a name").as_str().expect("a name").to_owned()
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
    pub fn new(statement: &Statement, alpha: f64) -> Self {
        let learner = &statement.learner;
        let k = 1.0 - learner.learning_rate * learner.regularization;
        let benign = 1.0 - statement.threat.poison_rate;
        let two_ak = 2.0 * alpha * k;
        Numbers {
            two_ak,
            kappa0: two_ak * benign,
            benign,
            eps: statement.threat.poison_rate,
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
    statement: &Statement,
    alpha: f64,
    beta: &[f64],
    q: &[Vec<f64>],
    r: &[f64],
    tau: f64,
    nu: f64,
) -> Vec<f64> {
    let (sigma, eps) = (statement.learner.regularization, statement.threat.poison_rate);
    let n = Numbers::new(statement, alpha);
    let chi = n.two_ak - nu;
    let d = beta.len();
    let base = alpha * sigma * (2.0 - statement.learner.learning_rate * sigma);
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

/// The certificate with the smallest bounds that the proof has. A proof for the error stands beside one for the loss.
pub fn certificate(problem: &Problem) -> Certificate {
    let mut loss = problem.clone();
    let is_error = problem.proof.rows.is_error();
    if is_error {
        let is_logistic = problem.statement.learner.loss == Loss::Logistic;
        loss.proof.rows = if is_logistic { RowBound::Logistic } else { RowBound::BoundedSlope };
        loss.proof.alpha = problem.proof.alpha.max(2.0);
        for lines in &mut loss.proof.lines {
            (lines.u2, lines.c, lines.w2) = (vec![], vec![], vec![]);
        }
        for tau in &mut loss.proof.cases.tau {
            *tau *= 1e5;
        }
    }
    let start = if problem.statement.learner.projection.is_some() { 0.01 } else { 0.5 };
    let start = vec![start; problem.proof.beta.len()];
    let has_ball = problem.proof.shells.is_some() || problem.statement.learner.projection.is_some();
    let learner = &problem.statement.learner;
    let falls = learner.schedule.is_some_and(|schedule| !schedule.weighted);
    let m = if has_ball && !falls { 0.0625 } else { 0.0 };
    // Where there is a proof for the error, the horizon has one of its own, with another α.
    let mut own = loss.clone();
    own.proof.alpha *= if is_error { 1.25 } else { 1.0 };
    let is_long = !(learner.average && falls);
    let bound = is_long.then(|| own.horizon(1000, &start, m).expect("a horizon"));
    let proof = is_error.then(|| own.claim().proof);
    let horizon = is_long.then(|| problem.first_steps(1000, &start));
    Certificate {
        tool: "test 1.0".to_owned(),
        statement: Statement { horizon, ..problem.complete() },
        loss: loss.claim(),
        error: is_error.then(|| problem.claim()),
        horizon: bound.map(|bound| HorizonClaim { bound, m, proof }),
        horizon_error: None,
        new_data: None,
    }
}
