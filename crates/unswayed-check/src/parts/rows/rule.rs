//! Lines by a rule in place of numbers for each row (Lemma R1 of Section 23): the shares u, u' and c of a row z are
//!
//! ```text
//! u = ⌊clip((1 − s)·gain + ½)⌋     u' = ⌊clip((0 − s)·gain + ½)⌋     c = ⌈clip(max(−J, 1 − κ0))⌉     s = θ̂ᵀz
//! ```
//!
//! where clip cuts to [0, 1] and the brackets round to multiples of 2^−20. All of this is computed in binary64, sums from left to
//! right: which numbers come out matters for how good the bound is, and not for whether it holds. Rows that the proof names have
//! shares of their own.

use crate::failure::{Reason, require, require_each};
use crate::proof::{CaseProof, Lines, RowBound};
use crate::statement::Statement;

/// Shares are multiples of 1/`GRID`.
const GRID: f64 = 1_048_576.0;

/// What is in place of the numbers of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Shares {
    pub(crate) u: f64,
    pub(crate) u2: f64,
    pub(crate) c: f64,
}

/// The rule of a set of lines, in binary64.
#[derive(Clone, Debug)]
pub(crate) struct Rule<'a> {
    lines: &'a Lines,
    beta: &'a [f64],
    /// Whether the lines are those of the error: else u' and c are 0.
    of_error: bool,
    gain: f64,
    /// α, 1 − ε, 2αk, αη and 1 − κ0.
    alpha: f64,
    benign: f64,
    two_ak: f64,
    alpha_eta: f64,
    least: f64,
}

/// Products of a row with itself, β and θ̂, each summed from left to right.
#[derive(Clone, Copy, Default)]
pub(crate) struct Products {
    pub(crate) n: f64,
    pub(crate) b: f64,
    /// Σ|β_jz_j|
    pub(crate) size: f64,
    s: f64,
}

impl<'a> Rule<'a> {
    /// The rule, if there is one; its lengths have been verified.
    pub(crate) fn new(statement: &Statement, proof: &'a CaseProof, lines: &'a Lines) -> Option<Self> {
        let gain = *lines.gain.first()?;
        let (eta, sigma) = (statement.learner.learning_rate, statement.learner.regularization);
        let benign = 1.0 - statement.threat.poison_rate;
        let two_ak = 2.0 * proof.alpha * (1.0 - eta * sigma);
        Some(Rule {
            lines,
            beta: &proof.beta,
            of_error: proof.rows == RowBound::ErrorHinge,
            gain,
            alpha: proof.alpha,
            benign,
            two_ak,
            alpha_eta: proof.alpha * eta,
            least: 1.0 - two_ak * benign,
        })
    }

    pub(crate) fn products(&self, z: &[f64]) -> Products {
        let mut sums = Products::default();
        for ((z, beta), theta) in z.iter().zip(self.beta).zip(&self.lines.theta) {
            let b = z * beta;
            sums.n += z * z;
            sums.b += b;
            sums.size += b.abs();
            sums.s += z * theta;
        }
        sums
    }

    /// J of a row, not exact.
    pub(crate) fn jump(&self, of: &Products) -> f64 {
        self.benign * ((self.two_ak + self.alpha_eta * of.n) + of.b)
    }

    /// By how much the computed J + c can be wrong in a row of so many columns. There are fewer than d + 16 roundings on the way to it,
    /// each of a number that is not above `size`; the last term is for products that are too small for binary64.
    pub(crate) fn doubt(&self, of: &Products, columns: usize) -> f64 {
        let size = 2.0 * self.alpha + self.alpha_eta * of.n + of.size + 1.0;
        let tiny = columns as f64 * f64::MIN_POSITIVE * (1.0 + self.alpha_eta + of.n);
        (columns as f64 + 16.0) * 2.0 * f64::EPSILON * size + tiny
    }

    /// The shares that the rule gives.
    pub(crate) fn shares(&self, of: &Products) -> Shares {
        let u = below((1.0 - of.s) * self.gain + 0.5);
        if !self.of_error {
            return Shares { u, ..Shares::default() };
        }
        let minus = -self.jump(of);
        let c = above(if minus > self.least { minus } else { self.least });
        Shares { u, u2: below((0.0 - of.s) * self.gain + 0.5), c }
    }

    /// Where the exceptions of rows `from` to `to` are in the list, with their rows.
    pub(crate) fn exceptions(&self, from: usize, to: usize) -> impl Iterator<Item = (usize, usize)> {
        let before = |row: usize| self.lines.exceptions.partition_point(|&x| x < row as f64);
        (before(from)..before(to)).map(|at| (self.lines.exceptions[at] as usize, at))
    }

    /// The shares of an exception.
    pub(crate) fn given(&self, at: usize) -> Shares {
        let share = |of: &[f64]| of.get(at).copied().unwrap_or_default();
        Shares { u: share(&self.lines.u), u2: share(&self.lines.u2), c: share(&self.lines.c) }
    }

    /// Requires exceptions to be rows in increasing order, and their shares to be in [0, 1].
    pub(crate) fn require(&self, rows: usize) -> Result<(), Reason> {
        let Lines { u, u2, c, exceptions, .. } = self.lines;
        let mut next = 0.0;
        for (i, &row) in exceptions.iter().enumerate() {
            let good = row >= next && row < rows as f64 && row.fract() == 0.0;
            require(good, format_args!("exceptions[{i}]"), row, "a row after the one before")?;
            next = row + 1.0;
        }
        for (name, values) in [("u", u), ("u2", u2), ("c", c)] {
            require_each(name, values, |x| (0.0..=1.0).contains(&x), "in [0, 1]")?;
        }
        Ok(())
    }
}

/// clip(q), rounded down to the grid; 0 if q is no number.
fn below(q: f64) -> f64 {
    if q >= 1.0 {
        1.0
    } else if q > 0.0 {
        (q * GRID).floor() / GRID
    } else {
        0.0
    }
}

/// clip(q), rounded up to the grid; 0 if q is no number.
fn above(q: f64) -> f64 {
    if q >= 1.0 {
        1.0
    } else if q > 0.0 {
        (q * GRID).ceil() / GRID
    } else {
        0.0
    }
}
