//! Rows whose gradient is clipped at the norm G: Theorem L16.
//!
//! r = min(1, G/‖z‖) contains a root, so the witness brings `low` ≤ r, and for the hinge `high` ≥ r: the jump is convex in r.

use super::logistic::row_entropy;
use super::{Mass, NONE, Row, RowLine, Slope, require_share};
use crate::exact::Dyadic;
use crate::failure::{Reason, require, require_not_negative};
use crate::lambda::Lambda;

/// y_i = (κ0·low_i·p_i − t_i)u_i.
pub(crate) struct Clipped<'a> {
    pub(crate) mass: Mass<'a>,
    pub(crate) clip: f64,
    pub(crate) u: &'a [f64],
    pub(crate) low: &'a [f64],
    pub(crate) loss: ClippedLoss<'a>,
}

/// What else the loss needs.
pub(crate) enum ClippedLoss<'a> {
    /// `high`
    Hinge(&'a [f64]),
    /// `w`
    Logistic(&'a [f64]),
}

impl RowLine for Clipped<'_> {
    fn mass(&self) -> &Mass<'_> {
        &self.mass
    }

    fn slope(&self, i: usize) -> Slope {
        let (mass, u) = (&self.mass, self.u[i]);
        Slope {
            first: [mass.weight(i), u, self.low[i]],
            second: [[-mass.target(i), u, 1.0], NONE, NONE, NONE],
        }
    }

    fn coefficients(&self, lambda: &Lambda) -> [Dyadic; 2] {
        [&lambda.kappa0 * &self.mass.p, self.mass.t.clone()]
    }

    fn constant(&self, lambda: &Lambda, i: usize, row: &Row) -> Result<Dyadic, Reason> {
        require_share("u", i, self.u[i])?;
        let (low, clip2) = (Dyadic::new(self.low[i]), Dyadic::new(self.clip).square());
        require((0.0..=1.0).contains(&self.low[i]), format_args!("low[{i}]"), self.low[i], "in [0, 1]")?;
        require_not_negative(&(&clip2 - low.square() * &row.n), format_args!("G² − low[{i}]²‖z[{i}]‖²"))?;
        let room = &lambda.kappa0 * &row.p * &low - &row.t;
        require_not_negative(&room, format_args!("κ0·low[{i}]·p[{i}] − t[{i}]"))?;
        match self.loss {
            ClippedLoss::Logistic(w) => row_entropy(lambda, row, &row.kappa(lambda)).above("w", i, w[i]),
            ClippedLoss::Hinge(high) => {
                let high = high[i];
                require(high > 0.0, format_args!("high[{i}]"), high, "> 0")?;
                let high = Dyadic::new(high);
                if !(&high - Dyadic::whole(1)).is_positive() && !(Dyadic::whole(1) - &high).is_zero() {
                    let enough = high.square() * &row.n - clip2;
                    require_not_negative(&enough, format_args!("high[{i}]²‖z[{i}]‖² − G²"))?;
                }
                let jump = jump(lambda, row, &low).max(jump(lambda, row, &high));
                Ok(jump.max(Dyadic::zero()) - &row.y)
            }
        }
    }
}

/// p·J̃ = p(1−ε)(r(2αk + b) + αηr²n).
fn jump(lambda: &Lambda, row: &Row, r: &Dyadic) -> Dyadic {
    let linear = &lambda.two_ak + &row.b + lambda.alpha_eta(&row.n) * r;
    &row.p * &lambda.benign * r * linear
}
