//! Hinge rows and the error 1[s ≤ 0]: y = (κ0−1+c)u + (1−c)u', T = max(J+c, 0) − (κ0−1+c)u (Theorem 4).

use super::{Mass, Row, RowLine, Slope, require_share};
use crate::exact::Dyadic;
use crate::failure::{Reason, require_not_negative};
use crate::lambda::Lambda;

/// The shares u, u' and c of each row.
pub(crate) struct ErrorHinge<'a> {
    pub(crate) mass: Mass<'a>,
    pub(crate) u: &'a [f64],
    pub(crate) u2: &'a [f64],
    pub(crate) c: &'a [f64],
}

impl RowLine for ErrorHinge<'_> {
    fn mass(&self) -> &Mass<'_> {
        &self.mass
    }

    fn slope(&self, i: usize) -> Slope {
        // (κ0−1)u, then cu + u' − cu': the target is the data.
        let (mass, w) = (&self.mass, self.mass.weight(i));
        let (u, u2, c) = (self.u[i], self.u2[i], self.c[i]);
        let second = [[w, c, u], [w, u2, 1.0], [-w, c, u2], mass.minus_target(i, u)];
        Slope { first: [w, u, mass.step(i)], second }
    }

    fn constant(&self, lambda: &Lambda, i: usize, row: &Row) -> Result<Dyadic, Reason> {
        require_share("u", i, self.u[i])?;
        require_share("u2", i, self.u2[i])?;
        require_share("c", i, self.c[i])?;
        let share = &row.t * Dyadic::new(self.c[i]);
        let slope = row.kappa(lambda) + &share;
        require_not_negative(&slope, format_args!("κ0 − 1 + c[{i}]"))?;
        Ok((row.jump(lambda) + share).max(Dyadic::zero()) - slope * Dyadic::new(self.u[i]))
    }
}
