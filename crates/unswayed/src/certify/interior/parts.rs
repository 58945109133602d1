//! Proofs for rows that come in parts: found on a sample, and improved by passes over all rows.
//!
//! At the solution (x, θ) for a sample, the gradient of the saddle function of all rows is not 0. One pass over them computes it, and
//! the difference of the two gradients, a linear function of (x, θ), is added to the sample's. The solution of that is the next
//! one: near it the sample has the curvature of all rows up to its sampling error.
//!
//! What is left is the model θ̂ of the rule. Where a is small, v must be, too: v = 2aθ̂ to more digits than a sample has. The shares
//! near the kink are not 0 or 1 but in between, so that v is a smooth function of θ̂, and its derivative is minus
//!
//! ```text
//! H = gain·Σ p_i (κ + c_i) z_iz_iᵀ over rows with |1 − s_i| < 1/(2·gain), and with 1 − c_i for those with |s_i| < 1/(2·gain)
//! ```
//!
//! A pass computes it, and θ̂ + (H + 2aI)⁻¹(v − 2aθ̂) is the next model.

use unswayed_check::{CaseProof, Lines, RowBound};

use super::super::dense::{Cholesky, Matrix};
use super::compact::settled;
use super::instance::{Instance, Tilt, dot};
use super::{Found, theorem, theorem2, zero_one};
use crate::problem::Problem;

/// The gain of the rules. What it costs falls with its square, and rows that are nearer to the kink than half its inverse must be more
/// than there are columns.
const GAIN: f64 = 300.0;

/// The proofs of the loss and of the error that a sample leads to.
pub(in super::super) struct Parts<'a> {
    instance: Instance<'a>,
    pub(in super::super) found: [Candidate; 2],
}

/// A proof by a rule.
#[derive(Clone)]
pub(in super::super) struct Candidate {
    pub(in super::super) proof: CaseProof,
    theta: Vec<f64>,
    pub(in super::super) converged: bool,
}

impl Candidate {
    fn new(found: Found) -> Candidate {
        Candidate::with_model(found.proof, found.point.theta, found.converged)
    }

    fn with_model(proof: CaseProof, theta: Vec<f64>, converged: bool) -> Candidate {
        let lines = Lines { theta: theta.clone(), gain: vec![GAIN], ..Lines::default() };
        Candidate { proof: CaseProof { lines: vec![lines], ..proof }, theta, converged }
    }
}

impl<'a> Parts<'a> {
    /// The first proofs, from a sample alone.
    pub(in super::super) fn new(sample: &'a Problem) -> Self {
        let instance = Instance::new(sample);
        let loss = theorem2(&instance, None);
        let error = zero_one(&instance, &loss);
        Parts { instance, found: [loss, error].map(Candidate::new) }
    }

    /// What all rows add to the saddle function and its gradient at the proofs: nothing yet.
    pub(in super::super) fn passes(&self) -> [Pass<'_>; 2] {
        self.found.each_ref().map(|candidate| Pass::new(&self.instance, candidate))
    }

    /// The proofs of the next solution, after a pass over all rows.
    pub(in super::super) fn solved_again(&self, all: &[Slopes; 2]) -> [Candidate; 2] {
        let tilts = [0, 1].map(|which| {
            let mut own = Pass::new(&self.instance, &self.found[which]);
            (0..self.instance.rows()).for_each(|i| own.add(self.instance.row(i)));
            all[which].less(&own.slopes())
        });
        let instance = |which: usize| self.instance.sample(1).with_tilt(Some(&tilts[which]));
        let loss = theorem2(&instance(0), None);
        let error = zero_one(&instance(1), &loss);
        [loss, error].map(Candidate::new)
    }
}

/// Sums over rows at a proof.
#[derive(Clone)]
pub(in super::super) struct Pass<'a> {
    instance: &'a Instance<'a>,
    candidate: &'a Candidate,
    rows: f64,
    /// Of the constants T and of the derivatives of T + ys for α, β and θ.
    cost: f64,
    alpha: f64,
    beta: Vec<f64>,
    theta: Vec<f64>,
    /// H without the gain, the lower half by rows.
    near: Vec<f64>,
}

/// The same, divided by the number of rows.
pub(in super::super) struct Slopes {
    cost: f64,
    alpha: f64,
    beta: Vec<f64>,
    theta: Vec<f64>,
}

impl<'a> Pass<'a> {
    fn new(instance: &'a Instance<'a>, candidate: &'a Candidate) -> Self {
        let none = vec![0.0; instance.dimension];
        let near = vec![0.0; none.len() * (none.len() + 1) / 2];
        Pass { instance, candidate, rows: 0.0, cost: 0.0, alpha: 0.0, beta: none.clone(), theta: none, near }
    }

    /// Adds a row.
    pub(in super::super) fn add(&mut self, z: &[f64]) {
        let (instance, proof) = (self.instance, &self.candidate.proof);
        let of_alpha = (1.0 - instance.epsilon) * (2.0 * instance.k + instance.eta * dot(z, z));
        let j = proof.alpha * of_alpha + (1.0 - instance.epsilon) * dot(&proof.beta, z);
        let (kappa, s) = (instance.kappa(proof.alpha), dot(&self.candidate.theta, z));
        let Row { cost, y, by_j, by_kappa, bend } = Row::new(proof.rows == RowBound::ErrorHinge, j, kappa, s);
        self.rows += 1.0;
        self.cost += cost;
        self.alpha += by_j * of_alpha + by_kappa * instance.kappa_of_alpha();
        let by_beta = (1.0 - instance.epsilon) * by_j;
        for ((beta, theta), z) in self.beta.iter_mut().zip(&mut self.theta).zip(z) {
            *beta += by_beta * z;
            *theta += y * z;
        }
        if bend > 0.0 {
            let pairs = (0..z.len()).flat_map(|i| (0..=i).map(move |j| (i, j)));
            self.near.iter_mut().zip(pairs).for_each(|(sum, (i, j))| *sum += bend * z[i] * z[j]);
        }
    }

    /// The sums divided by the number of rows.
    pub(in super::super) fn slopes(&self) -> Slopes {
        let each = |sums: &[f64]| sums.iter().map(|sum| sum / self.rows).collect();
        let (beta, theta) = (each(&self.beta), each(&self.theta));
        Slopes { cost: self.cost / self.rows, alpha: self.alpha / self.rows, beta, theta }
    }

    /// The proof with the τ and ν that are best for these rows, and its bound up to rounding.
    pub(in super::super) fn settled(&self) -> (Candidate, f64) {
        let Slopes { cost, theta, .. } = self.slopes();
        let (proof, bound) = settled(self.instance, self.candidate.proof.clone(), cost, &theta);
        (Candidate { proof, ..self.candidate.clone() }, bound)
    }

    /// The same with the next model θ̂ of the rule.
    pub(in super::super) fn with_next_model(&self) -> Candidate {
        let (candidate, _) = self.settled();
        let Candidate { proof, theta, .. } = &candidate;
        let (v, a) = theorem::lever(self.instance, proof, &self.slopes().theta);
        let entry = |i: usize, j: usize| {
            let place = i.max(j) * (i.max(j) + 1) / 2 + i.min(j);
            GAIN * self.near[place] / self.rows + if i == j { 2.0 * a } else { 0.0 }
        };
        let Some(solver) = Cholesky::new(Matrix::from_fn(v.len(), v.len(), entry)) else { return candidate };
        let rest = v.iter().zip(theta).map(|(v, theta)| v - 2.0 * a * theta).collect();
        let change = solver.solve_one(rest);
        let next: Vec<f64> = theta.iter().zip(&change).map(|(theta, change)| theta + change).collect();
        if next.iter().any(|theta| !theta.is_finite()) {
            return candidate;
        }
        Candidate::with_model(candidate.proof, next, candidate.converged)
    }

    /// Adds the sums over other rows.
    pub(in super::super) fn merge(&mut self, other: &Pass) {
        self.rows += other.rows;
        self.cost += other.cost;
        self.alpha += other.alpha;
        self.beta.iter_mut().zip(&other.beta).for_each(|(own, other)| *own += other);
        self.theta.iter_mut().zip(&other.theta).for_each(|(own, other)| *own += other);
        self.near.iter_mut().zip(&other.near).for_each(|(own, other)| *own += other);
    }
}

impl Slopes {
    fn less(&self, other: &Slopes) -> Tilt {
        let minus = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect();
        Tilt {
            alpha: self.alpha - other.alpha,
            beta: minus(&self.beta, &other.beta),
            theta: minus(&self.theta, &other.theta),
        }
    }
}

/// The best line T + ys of a row at (J, κ, s), and the derivatives of its value for J and κ.
struct Row {
    cost: f64,
    y: f64,
    by_j: f64,
    by_kappa: f64,
    /// By how much y falls as s grows, without the gain.
    bend: f64,
}

impl Row {
    fn new(is_error: bool, j: f64, kappa: f64, s: f64) -> Row {
        let step = |is: bool| f64::from(u8::from(is));
        let share = |gap: f64| (GAIN * gap + 0.5).clamp(0.0, 1.0);
        let is_near = |gap: f64| step(GAIN * gap.abs() < 0.5);
        let u = share(1.0 - s);
        if !is_error {
            let (by_j, by_kappa, bend) = (step(j > 0.0), -u * (1.0 - s), kappa * is_near(1.0 - s));
            return Row { cost: j.max(0.0) - kappa * u, y: kappa * u, by_j, by_kappa, bend };
        }
        let u2 = share(-s);
        let c = (-j).max(-kappa).clamp(0.0, 1.0);
        let is_pushed = -kappa > -j && -kappa > 0.0;
        // Where c follows J, or is pushed by κ, it moves with them.
        let moved = u * (1.0 - s) + u2 * s;
        let (by_j, by_kappa) = match () {
            () if is_pushed => (1.0, -1.0 + u2 * s),
            () if c > 0.0 && c < 1.0 => (moved, -u * (1.0 - s)),
            () => (step(j + c > 0.0), -u * (1.0 - s)),
        };
        let (cost, y) = ((j + c).max(0.0) - (kappa + c) * u, (kappa + c) * u + (1.0 - c) * u2);
        let bend = (kappa + c) * is_near(1.0 - s) + (1.0 - c) * is_near(s);
        Row { cost, y, by_j, by_kappa, bend }
    }
}
