//! Logistic rows together with an adversary who chooses the label of a row: Lemma L6.

use super::entropy::Entropy;
use super::{Mass, Row, RowLine, Slope, require_kappa, require_share};
use crate::exact::Dyadic;
use crate::failure::Reason;
use crate::lambda::Lambda;

/// y_i = κ_iu_i; w_i and w2_i are near the places of the suprema of h₊ and h₋.
pub(crate) struct LabelLogistic<'a> {
    pub(crate) mass: Mass<'a>,
    pub(crate) u: &'a [f64],
    pub(crate) w: &'a [f64],
    pub(crate) w2: &'a [f64],
}

impl RowLine for LabelLogistic<'_> {
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
        let a = &row.p * &lambda.two_ak;
        let (b, c) = (&row.p * &row.b, &row.p * lambda.alpha_eta(&row.n));
        let poison = &lambda.eps * &a;
        let rest = kappa - &row.y;
        let shift = &lambda.eps * (&c - &b);
        let turned = &b - Dyadic::whole(2) * &lambda.eps * &c;
        let kept = Entropy { a: a.clone(), y1: row.y.clone(), y0: &rest + &poison, b, c: c.clone() };
        let flipped = Entropy { a, y1: &row.y + poison, y0: rest, b: turned, c };
        let kept = kept.above("w", i, self.w[i])?;
        Ok(kept.max(flipped.above("w2", i, self.w2[i])? + shift))
    }
}
