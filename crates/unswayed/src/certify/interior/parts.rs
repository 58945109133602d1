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

use unswayed_check::{CaseProof, Lines};

use super::super::dense::{Cholesky, Matrix};
use super::compact::settled;
use super::instance::{Instance, Tilt};
use super::passes::{GAIN, Model, Slopes, Totals};
use super::{Found, theorem, theorem2, zero_one};
use crate::problem::Problem;

/// The proofs of the loss and of the error that a sample leads to.
pub(in super::super) struct Parts<'a> {
    instance: Instance<'a>,
    found: [Candidate; 2],
}

/// A proof by a rule.
#[derive(Clone)]
pub(super) struct Candidate {
    pub(super) proof: CaseProof,
    pub(super) theta: Vec<f64>,
    converged: bool,
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
    pub(in super::super) fn of_sample(sample: &'a Problem) -> Self {
        let instance = Instance::new(sample);
        let loss = theorem2(&instance, None);
        Parts::new(instance, loss)
    }

    /// The same, if that of the loss is known.
    pub(super) fn new(instance: Instance<'a>, loss: Found) -> Self {
        let error = zero_one(&instance, &loss);
        Parts { instance, found: [loss, error].map(Candidate::new) }
    }

    /// The best proofs of the loss and the error after some passes over all rows, and whether the solver converged. `pass` makes the
    /// pass of a number, from 0 on: after so many first ones the sample is solved again, after the others the model of the rule.
    pub(in super::super) fn improved<E>(
        mut self,
        rounds: usize,
        passes: usize,
        mut pass: impl FnMut(&[Model; 2], usize) -> Result<[Totals; 2], E>,
    ) -> Result<([CaseProof; 2], bool), E> {
        let (mut best, mut bounds) = (self.found.clone(), [f64::INFINITY; 2]);
        for number in 0..passes {
            let sums = pass(&self.models(), number)?;
            for (which, (candidate, bound)) in self.settled(&sums).into_iter().enumerate() {
                if bound < bounds[which] {
                    (best[which], bounds[which]) = (candidate, bound);
                }
            }
            self.found =
                if number < rounds { self.solved_again(&sums) } else { self.with_next_models(&sums) };
        }
        let converged = best[0].converged;
        Ok((best.map(|candidate| candidate.proof), converged))
    }

    /// What a pass over all rows needs to know of the proofs.
    fn models(&self) -> [Model; 2] {
        self.found.each_ref().map(|candidate| Model::new(&self.instance, candidate))
    }

    /// The proofs with the τ and ν that are best for all rows, and their bounds up to rounding.
    fn settled(&self, all: &[Totals; 2]) -> [(Candidate, f64); 2] {
        [0, 1].map(|which| self.settled_for(&self.found[which], &all[which].slopes()))
    }

    fn settled_for(&self, candidate: &Candidate, all: &Slopes) -> (Candidate, f64) {
        let (proof, bound) = settled(&self.instance, candidate.proof.clone(), all.cost, &all.theta);
        (Candidate { proof, ..candidate.clone() }, bound)
    }

    /// The proofs of the next solution, after a pass over all rows.
    fn solved_again(&self, all: &[Totals; 2]) -> [Candidate; 2] {
        let models = self.models();
        let tilts = [0, 1].map(|which| {
            let mut own = Totals::new(&models[which]);
            (0..self.instance.rows()).for_each(|i| own.add(&models[which], self.instance.row(i)));
            all[which].slopes().less(&own.settled().slopes())
        });
        let instance = |which: usize| self.instance.sample(1).with_tilt(Some(&tilts[which]));
        let loss = theorem2(&instance(0), None);
        let error = zero_one(&instance(1), &loss);
        [loss, error].map(Candidate::new)
    }

    /// The same proofs with the next model θ̂ of the rule.
    fn with_next_models(&self, all: &[Totals; 2]) -> [Candidate; 2] {
        [0, 1].map(|which| self.with_next_model(&self.found[which], &all[which]))
    }

    fn with_next_model(&self, candidate: &Candidate, all: &Totals) -> Candidate {
        let slopes = all.slopes();
        let (candidate, _) = self.settled_for(candidate, &slopes);
        let Candidate { proof, theta, .. } = &candidate;
        let (v, a) = theorem::lever(&self.instance, proof, &slopes.theta);
        let entry = |i: usize, j: usize| GAIN * all.near(i, j) + if i == j { 2.0 * a } else { 0.0 };
        let Some(solver) = Cholesky::new(Matrix::from_fn(v.len(), v.len(), entry)) else { return candidate };
        let rest = v.iter().zip(theta).map(|(v, theta)| v - 2.0 * a * theta).collect();
        let change = solver.solve_one(rest);
        let next: Vec<f64> = theta.iter().zip(&change).map(|(theta, change)| theta + change).collect();
        if next.iter().any(|theta| !theta.is_finite()) {
            return candidate;
        }
        Candidate::with_model(candidate.proof, next, candidate.converged)
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
