//! Rows of a loss with bounded slopes: Lemma L2, T = sup κ0e(w) + (1−ε)(bw + αηnw²) − κe(u) for y = κu.
//!
//! For the hinge that is max(F, 0) − y.

use super::{Kind, Mass, Row, Slope, require_kappa};
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

impl Kind for BoundedSlope<'_> {
    fn mass(&self) -> &Mass<'_> {
        &self.mass
    }

    fn slope(&self, i: usize) -> Slope {
        self.mass.share(i, self.u[i])
    }

    fn constant(&self, lambda: &Lambda, i: usize, row: &Row) -> Result<Dyadic, Reason> {
        let (e, u) = (&self.conjugate, self.u[i]);
        let allowed = (e.low..=e.high).contains(&u);
        require(allowed, format_args!("u[{i}]"), u, "between the slopes of the loss")?;
        let kappa = row.kappa(lambda);
        require_kappa(&kappa, i)?;
        let centre = Dyadic::new(e.centre.unwrap_or_else(|| self.mass.view.label(i)));
        let benign = &row.p * &lambda.benign;
        let (b, c) = (&benign * &row.b, benign * lambda.alpha_eta(&row.n));
        let top = e.above(&centre, &(&lambda.kappa0 * &row.p), &b, &c);
        Ok(top - e.times(&centre, &row.y, &kappa, u))
    }
}
