//! Theorem E5: what a start adds to the sum of the errors over the first steps.
//!
//! ```text
//! ( ‖2αθ_0 + β‖²/(4αη) + ψ(Y(θ_0)) ) / T,      Y(θ_0) ≤ √(F(θ_0) − v₀ + a²)
//! ```
//!
//! λ_b grows exponentially with Y, which a start far from o could not pay. Beyond some shell ψ grows by γh_k per unit of Y in
//! shell k instead, h_k being as small as the bound allows there: h_k ≥ (G_j − B)/(−K_j) for all j ≥ k.

use dashu_ratio::RBig;

use super::LevelsProof;
use super::barrier::{Drift, power_down, power_up};
use super::level::{Levels, objective};
use super::setting::{LARGEST_MARGIN, dot};
use crate::exact::{Dyadic, Round, norm2, quotient, ratio, sqrt_up};
use crate::failure::{Reason, require, require_length, require_not_negative};
use crate::rows::Rows;
use crate::statement::{Horizon, Statement};

/// A shell between two levels.
#[derive(Clone, Debug)]
pub(crate) struct Shell {
    /// G, above G_λ for λ = λ_q.
    pub(crate) bound: Dyadic,
    pub(crate) barrier: Drift,
}

impl Shell {
    /// G + b
    fn sum(&self) -> Dyadic {
        &self.bound + &self.barrier.drift
    }
}

/// All shells of a proof, and the rows that starts are judged by.
#[derive(Clone, Debug)]
pub(crate) struct Shells {
    shells: Vec<Shell>,
    /// v₀
    base: Dyadic,
    z: Vec<f64>,
    weights: Option<Vec<f64>>,
    dimension: usize,
}

impl Shells {
    pub(super) fn new(shells: Vec<Shell>, levels: &Levels, rows: &Rows) -> Self {
        let (z, weights) = (rows.z.to_vec(), rows.weights.map(<[f64]>::to_vec));
        Shells { shells, base: levels.base.clone(), z, weights, dimension: rows.dimension }
    }

    /// The bound of each shell.
    pub(crate) fn bounds(&self) -> impl Iterator<Item = Dyadic> {
        self.shells.iter().map(Shell::sum)
    }

    /// What the start adds to the average over the horizon.
    pub(crate) fn start(
        &self,
        statement: &Statement,
        proof: &LevelsProof,
        horizon: &Horizon,
        m: f64,
    ) -> Result<RBig, Reason> {
        let Horizon { steps, start, .. } = horizon;
        require_length("entries of horizon.start", self.dimension, start.len())?;
        require(m == 0.0, "horizon.m", m, "0, as it must be for a proof by levels")?;
        let [eta, sigma, alpha, nu] =
            [statement.learner.learning_rate, statement.learner.regularization, proof.alpha, proof.nu]
                .map(Dyadic::new);
        let kept = Dyadic::new(proof.norm).square() - sigma.square() * norm2(start);
        require_not_negative(&kept, "n̂² − σ²‖θ_0‖²")?;
        let (two, four) = (Dyadic::whole(2), Dyadic::whole(4));
        let chi = &two * &alpha * (Dyadic::whole(1) - &eta * &sigma) - nu;
        let square = start.iter().zip(&proof.centre).zip(&proof.tilt).fold(
            Dyadic::zero(),
            |sum, ((&theta, &o), &tilt)| {
                let beta = Dyadic::new(tilt) - &chi * Dyadic::new(o);
                sum + (&two * &alpha * Dyadic::new(theta) + beta).square()
            },
        );
        let time = Dyadic::whole(*steps);
        let quadratic = ratio(&square, &(four * alpha * &eta * &time));
        Ok(quadratic + ratio(&self.barrier_at(statement, proof, start, &eta)?, &time))
    }

    /// ψ at a start, rounded up.
    fn barrier_at(
        &self,
        statement: &Statement,
        proof: &LevelsProof,
        start: &[f64],
        eta: &Dyadic,
    ) -> Result<Dyadic, Reason> {
        let y = self.place(statement, proof, start)?;
        let (edge, heights) = self.edge(proof, eta);
        let inner = y.clone().min(self.shells[edge - 1].barrier.edges[1].clone());
        let power = power_up(proof, &inner, "700 − γ(Y − Ȳ) of the start")?;
        let beyond = self.shells[edge..].iter().zip(heights).fold(Dyadic::zero(), |sum, (shell, h)| {
            let [low, high] = &shell.barrier.edges;
            sum + h * (y.clone().min(high.clone()) - low).max(Dyadic::zero())
        });
        let sum = Dyadic::new(proof.size) * power + Dyadic::new(proof.steepness) * beyond;
        Ok(quotient(&sum, eta, Round::Up))
    }

    /// Y of a start, rounded up.
    fn place(&self, statement: &Statement, proof: &LevelsProof, start: &[f64]) -> Result<Dyadic, Reason> {
        let weights = self.weights.as_deref();
        let rows = Rows { z: &self.z, pattern: None, dimension: self.dimension, weights, steps: None };
        let margins: Vec<Dyadic> = (0..rows.len()).map(|i| dot(rows.row(i), start)).collect();
        for (i, s) in margins.iter().enumerate() {
            let room = Dyadic::whole(LARGEST_MARGIN) - s.abs();
            require_not_negative(&room, format_args!("2^20 − |θ_0ᵀz[{i}]|"))?;
        }
        let benign = Dyadic::whole(1) - Dyadic::new(statement.threat.poison_rate);
        let level = objective(&rows, &statement.learner, &benign, start, &margins);
        Ok(sqrt_up(&(level - &self.base + Dyadic::new(proof.offset))))
    }

    /// How many shells keep the exponential, at least one and as few as may be, and ηh of those beyond them, rounded up. Rounding
    /// must not lift h above the exponential, from which it differs by no more than that where the shell has the proof's value.
    fn edge(&self, proof: &LevelsProof, eta: &Dyadic) -> (usize, Vec<Dyadic>) {
        let value = self.bounds().reduce(Dyadic::max).unwrap_or_else(Dyadic::zero);
        let (mut edge, mut heights, mut least) = (self.shells.len(), vec![], Dyadic::zero());
        while edge > 1 {
            let Shell { bound, barrier: Drift { edges, growth, .. } } = &self.shells[edge - 1];
            if !growth.is_negative() {
                break;
            }
            // The exponential must be as steep where it ends.
            let most = Dyadic::new(proof.size) * power_down(proof, &edges[0]);
            if (&most - &least).is_negative() {
                break;
            }
            let excess = (bound - &value).max(Dyadic::zero());
            let height = quotient(&(excess * eta), &(Dyadic::zero() - growth), Round::Up);
            least = least.max(height.min(most));
            heights.push(least.clone());
            edge -= 1;
        }
        heights.reverse();
        (edge, heights)
    }
}
