//! Rows of which some may be hostile, nobody knows which: Theorem H1.
//!
//! ```text
//! (W−H)·Σ m_i(T_i + y_is_i) ≤ Σ w_i(T_i + y_is_i) + Hγ + Σ w_i max(x_i − γ, 0) − H cᵀθ + (H/(2t))‖θ‖²
//! x_i = −T_i + (t/2)‖c − y_iz_i‖²
//! ```
//!
//! for every law m of the rows that are left, H being the weight of the heaviest rows that may be hostile. T_i and y_i are per unit
//! of weight.

use std::ops::Range;

use super::{Line, RowLine, all_slopes, numbers};
use crate::exact::{Dyadic, ExactSum, Round, norm2, quotient};
use crate::failure::{Reason, require, require_positive};
use crate::lambda::Lambda;
use crate::proof::Lines;
use crate::rows::Rows;

/// How many rows may be hostile, and the numbers of the proof about them.
pub(crate) struct Hostile<'a> {
    /// The rows with their weights.
    rows: &'a Rows<'a>,
    count: usize,
    /// c
    pull: &'a [f64],
    /// t
    spread: Dyadic,
    /// γ
    threshold: Dyadic,
}

impl<'a> Hostile<'a> {
    /// The numbers of lines, which have the right lengths, after their conditions have been verified.
    pub(crate) fn new(rows: &'a Rows<'a>, count: usize, lines: &'a Lines) -> Result<Self, Reason> {
        let [spread, threshold] = [lines.spread[0], lines.threshold[0]];
        require(spread > 0.0, "spread", spread, "> 0")?;
        let (spread, threshold) = (Dyadic::new(spread), Dyadic::new(threshold));
        Ok(Hostile { rows, count, pull: &lines.pull, spread, threshold })
    }

    /// H, the weight of the heaviest rows.
    fn weight(&self) -> Dyadic {
        let mut weights: Vec<f64> = (0..self.rows.len()).map(|i| self.rows.weight(i)).collect();
        weights.sort_by(|a, b| b.total_cmp(a));
        weights[..self.count].iter().fold(Dyadic::zero(), |sum, w| sum + Dyadic::new(*w))
    }

    /// w_i(T_i + max(x_i − γ, 0)), summed over some rows of `unit`, which all have the weight 1.
    fn constants(
        &self,
        unit: &dyn RowLine,
        lambda: &Lambda,
        coefficients: &[Dyadic; 2],
        rows: Range<usize>,
    ) -> Result<Dyadic, Reason> {
        let (squared, half) = (norm2(self.pull), self.spread.clone().half());
        let mut product = ExactSum::new();
        let mut sum = Dyadic::zero();
        for i in rows {
            let row = numbers(unit, lambda, coefficients, i);
            let t = unit.constant(lambda, i, &row)?;
            for (&z, &c) in unit.mass().view.x(i).values.iter().zip(self.pull) {
                product.add([z, c]);
            }
            let two = Dyadic::whole(2);
            let distance = &squared + &row.y * (&row.y * &row.squared - two * product.take());
            let above = &half * distance - &t - &self.threshold;
            sum = sum + Dyadic::new(self.rows.weight(i)) * (t + above.max(Dyadic::zero()));
        }
        Ok(sum)
    }
}

/// The line above what is left of the rows, whichever were hostile. `kind` has the weights of the rows, `unit` has none.
pub(crate) fn without_hostile(
    kind: &dyn RowLine,
    unit: &dyn RowLine,
    lambda: &Lambda,
    hostile: &Hostile,
) -> Result<Line, Reason> {
    let weight = hostile.weight();
    let scale = hostile.rows.total_weight() - &weight;
    require_positive(&scale, "the weight of the rows that are not hostile")?;
    let coefficients = unit.coefficients(lambda);
    let parts = hostile.rows.in_parallel(|rows| hostile.constants(unit, lambda, &coefficients, rows));
    let constants = parts.into_iter().try_fold(Dyadic::zero(), |sum, part| Ok(sum + part?))?;
    let pulled = |(slope, &c): (Dyadic, &f64)| slope - &weight * Dyadic::new(c);
    let slope =
        all_slopes(kind, &kind.coefficients(lambda)).into_iter().zip(hostile.pull).map(pulled).collect();
    let bend = quotient(&weight, &(Dyadic::whole(2) * &hostile.spread * &scale), Round::Up);
    Ok(Line { constant: constants + &weight * &hostile.threshold, slope, scale, bend })
}
