//! Rows that may be hostile: which of them are is part of the attack, which then meets what is left.
//!
//! The rows that may be hostile are those that the learner would miss most, by a few rules of thumb; the best of them is kept,
//! if it is better than to remove none. Whatever is left is a law that the bound covers, so an attack on it is a lower bound.

use super::nature::Nature;
use crate::error::AttackError;
use crate::problem::Problem;

/// How much the pull of a row counts beside its own loss. The right factor is the curvature of the learner's objective, inverted.
const FACTORS: [f64; 4] = [0.0, 1.0, 10.0, 100.0];

/// What is left of the rows where an attack is worth most. With several datasets, all of them.
pub(super) fn worst_rest(
    problem: &Problem,
    all: Nature,
    value: impl Fn(&Nature) -> Result<f64, AttackError>,
) -> Result<Nature, AttackError> {
    let statement = problem.statement();
    let [count] = statement.hostile_rows[..] else { return Ok(all) };
    let theta = all.benign(statement).theta;
    let mut best = (value(&all)?, None);
    for factor in FACTORS {
        let worth = all.target.worth(&theta, factor);
        let mut order: Vec<usize> = (0..worth.len()).collect();
        order.sort_by(|a, b| worth[*b].total_cmp(&worth[*a]));
        let rest = all.without(statement.learner.loss, &order[..count])?;
        let value = value(&rest)?;
        if value > best.0 {
            best = (value, Some(rest));
        }
    }
    Ok(best.1.unwrap_or(all))
}
