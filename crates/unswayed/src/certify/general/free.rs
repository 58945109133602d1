//! Coordinates without regularization: Σ p_i y_i z_ij must be 0 there, exactly (Theorem L17).

use unswayed_check::Lines;

use super::program::CaseProgram;
use crate::data::Dataset;
use crate::error::CertifyError;
use crate::problem::Problem;

/// Shares are rounded to multiples of this, so that their sums are exact.
const GRAIN: f64 = 1.0 / (1u64 << 40) as f64;

/// Requires free coordinates to be one bias, of equal size in all rows, and these of equal weight, so that shares can be balanced.
pub(super) fn require_bias(problem: &Problem) -> Result<(), CertifyError> {
    let [j] = problem.learner().unregularized[..] else {
        let several = problem.learner().unregularized.len() > 1;
        return if several {
            Err(CertifyError::Unsupported("more than one unregularized column"))
        } else {
            Ok(())
        };
    };
    let is_bias = |data: &std::sync::Arc<Dataset>| {
        let place = problem.learner().loss.label_entries() + j;
        let size = data.row(0)[place].abs().to_bits();
        data.weights().is_none() && data.iter().all(|z| z[place].abs().to_bits() == size)
    };
    if problem.data().iter().all(is_bias) {
        Ok(())
    } else {
        Err(CertifyError::FreeCoordinate { column: j + 1 })
    }
}

/// Makes the shares of the rows with z_ij > 0 and of those with z_ij < 0 equal sums, by as little as possible.
pub(super) fn balance(task: &CaseProgram, lines: &mut Lines) {
    let table = &task.tables[lines.dataset];
    let Some(j) = task.constants.free.first() else { return };
    let mut grains: Vec<i64> = lines.u.iter().map(|u| (u / GRAIN).round() as i64).collect();
    let (low, high) = task.loss.conjugate().map_or((0.0, 1.0), |e| (e.low, e.high));
    let (least, most) = ((low / GRAIN) as i64, (high / GRAIN) as i64);
    let sign = |i: usize| if table.row(i)[*j] > 0.0 { 1 } else { -1 };
    let mut excess: i64 = grains.iter().enumerate().map(|(i, g)| sign(i) * g).sum();
    for (i, grain) in grains.iter_mut().enumerate() {
        let wanted = *grain - sign(i) * excess;
        let now = wanted.clamp(least, most);
        excess += sign(i) * (now - *grain);
        *grain = now;
    }
    lines.u = grains.into_iter().map(|g| g as f64 * GRAIN).collect();
}
