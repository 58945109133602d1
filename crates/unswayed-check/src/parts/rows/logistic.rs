//! Logistic rows: Lemma L3, T = sup h for 0 ≤ y ≤ κ.

use super::entropy::Entropy;
use super::{Mass, Row, RowLine, Slope, require_kappa, require_share};
use crate::exact::Dyadic;
use crate::failure::Reason;
use crate::lambda::Lambda;

/// y_i = κ_iu_i; w_i is near the place of the supremum.
pub(crate) struct Logistic<'a> {
    pub(crate) mass: Mass<'a>,
    pub(crate) u: &'a [f64],
    pub(crate) w: &'a [f64],
}

impl RowLine for Logistic<'_> {
    fn mass(&self) -> &Mass<'_> {
        &self.mass
    }

    fn slope(&self, i: usize) -> Slope {
        self.mass.share(i, self.u[i])
    }

    fn constant(&self, lambda: &Lambda, i: usize, row: &Row) -> Result<Dyadic, Reason> {
        require_share("u", i, self.u[i])?;
        let kappa = row.kappa(lambda);
        require_kappa(&kappa, i)?;
        row_entropy(lambda, row, &kappa).above("w", i, self.w[i])
    }
}

/// h of (3.2) with κ as given.
pub(super) fn row_entropy(lambda: &Lambda, row: &Row, kappa: &Dyadic) -> Entropy {
    let benign = &row.p * &lambda.benign;
    Entropy {
        a: &lambda.kappa0 * &row.p,
        y1: row.y.clone(),
        y0: kappa - &row.y,
        b: &benign * &row.b,
        c: benign * lambda.alpha_eta(&row.n),
    }
}
