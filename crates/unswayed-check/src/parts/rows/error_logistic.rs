//! Logistic rows and the error 1[s ≤ 0]: Lemma L10, T = max(sup_{w≤½} h, 1 + sup_{w≥½} h) for 0 ≤ y ≤ κ0.

use super::logistic::row_entropy;
use super::{Mass, NONE, Row, RowLine, Slope, require_share};
use crate::exact::Dyadic;
use crate::failure::Reason;
use crate::lambda::Lambda;

/// y_i = κ0u_i; w_i is near the place of the supremum over w ≤ ½, w2_i over w ≥ ½.
pub(crate) struct ErrorLogistic<'a> {
    pub(crate) mass: Mass<'a>,
    pub(crate) u: &'a [f64],
    pub(crate) w: &'a [f64],
    pub(crate) w2: &'a [f64],
}

impl RowLine for ErrorLogistic<'_> {
    fn mass(&self) -> &Mass<'_> {
        &self.mass
    }

    fn coefficients(&self, lambda: &Lambda) -> [Dyadic; 2] {
        [&lambda.kappa0 * &self.mass.p, Dyadic::zero()]
    }

    fn slope(&self, i: usize) -> Slope {
        Slope { first: [self.mass.weight(i), self.u[i], self.mass.step(i)], second: [NONE; 4] }
    }

    fn constant(&self, lambda: &Lambda, i: usize, row: &Row) -> Result<Dyadic, Reason> {
        require_share("u", i, self.u[i])?;
        let h = row_entropy(lambda, row, &(&lambda.kappa0 * &row.p));
        let right = h.above_half("w", i, self.w[i], false)?;
        let wrong = h.above_half("w2", i, self.w2[i], true)?;
        Ok(right.max(wrong + &row.t))
    }
}
