//! Hinge rows together with an adversary who chooses the label of a row: Lemma L5.

use super::{Mass, Row, RowLine, Slope, require_kappa, require_share};
use crate::exact::Dyadic;
use crate::failure::Reason;
use crate::lambda::Lambda;

/// y_i = κ_iu_i.
pub(crate) struct LabelHinge<'a> {
    pub(crate) mass: Mass<'a>,
    pub(crate) u: &'a [f64],
}

impl RowLine for LabelHinge<'_> {
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
        let zero = Dyadic::zero();
        let jump = row.jump(lambda);
        // ε times a, J₊ and J₋.
        let poison = &row.p * &lambda.eps;
        let two_a = Dyadic::whole(2) * &poison * &lambda.two_ak;
        let plus = &poison * lambda.jump(&row.n, &row.b);
        let minus = &poison * lambda.jump(&row.n, &(&zero - &row.b));
        let left = zero.clone().max(&plus - &two_a).max(minus.clone());
        let left = &jump - &kappa - &kappa + &row.y + left;
        let late = minus - two_a;
        let right = (jump + plus.max(late.clone())).max(zero).max(late);
        Ok(left.max(right - &row.y))
    }
}
