//! Rows of a loss with bounded slopes: Lemma L2, T = sup κ0e(w) + (1−ε)(bw + αηnw²) − κe(u) for y = κu.
//!
//! For the hinge that is max(F, 0) − y. The label of a row enters e alone.

use super::{Mass, Row, RowLine, Slope, require_kappa};
use crate::exact::Dyadic;
use crate::failure::{Reason, require};
use crate::lambda::Lambda;
use crate::loss::Conjugate;

/// y_i = κ_iu_i.
pub(crate) struct BoundedSlope<'a> {
    pub(crate) mass: Mass<'a>,
    pub(crate) u: &'a [f64],
    pub(crate) conjugate: Conjugate,
}

impl RowLine for BoundedSlope<'_> {
    fn mass(&self) -> &Mass<'_> {
        &self.mass
    }

    fn slope(&self, i: usize) -> Slope {
        self.mass.share(i, self.u[i])
    }

    fn constant(&self, lambda: &Lambda, i: usize, row: &Row) -> Result<Dyadic, Reason> {
        let (e, u) = (&self.conjugate, self.u[i]);
        let allowed = (e.low..=e.high).contains(&u);
        require(allowed, format_args!("u[{i}]"), u, "minus a slope of the loss")?;
        require_kappa(&row.kappa(lambda), i)?;
        let benign = &row.p * &lambda.benign;
        let (b, c) = (&benign * &row.b, benign * lambda.alpha_eta(&row.n));
        let y = &row.label;
        Ok(e.above(y, &(&lambda.kappa0 * &row.p), &b, &c) - e.times(y, &row.y, u))
    }
}
