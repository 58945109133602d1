//! Hinge rows on the whole line: Lemma L4 with κ ≥ 0, T = max(F, 0) − y for 0 ≤ y ≤ κ.

use super::{Kind, Mass, Row, Slope, require_kappa, require_share};
use crate::exact::Dyadic;
use crate::failure::Reason;
use crate::lambda::Lambda;

/// y_i = κ_iu_i.
pub(crate) struct Hinge<'a> {
    pub(crate) mass: Mass<'a>,
    pub(crate) u: &'a [f64],
}

impl Kind for Hinge<'_> {
    fn mass(&self) -> &Mass<'_> {
        &self.mass
    }

    fn slope(&self, i: usize) -> Slope {
        self.mass.share(i, self.u[i])
    }

    fn constant(&self, lambda: &Lambda, i: usize, row: &Row) -> Result<Dyadic, Reason> {
        require_share("u", i, self.u[i])?;
        require_kappa(&row.kappa(lambda), i)?;
        Ok(row.jump(lambda).max(Dyadic::zero()) - &row.y)
    }
}
