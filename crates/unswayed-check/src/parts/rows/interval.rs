//! Hinge rows on an interval of s: Lemma L4, κ of either sign. Rows of the target alone have p = 0.

use std::cmp::Ordering;

use super::{Mass, NONE, Row, RowLine, Slope};
use crate::exact::{Dyadic, ExactSum};
use crate::failure::{Reason, require_not_negative};
use crate::lambda::Lambda;

/// s_i is within `reach` of oᵀz_i, because ‖θ − o‖ ≤ r. The slopes y_i are given, and not divided by weights.
pub(crate) struct Interval<'a> {
    pub(crate) mass: Mass<'a>,
    pub(crate) y: &'a [f64],
    pub(crate) reach: &'a [f64],
    pub(crate) centre: &'a [f64],
    pub(crate) radius: f64,
    /// What the rows are called: `z` or `target`.
    pub(crate) name: &'static str,
}

impl RowLine for Interval<'_> {
    fn mass(&self) -> &Mass<'_> {
        &self.mass
    }

    fn slope(&self, i: usize) -> Slope {
        Slope { first: [self.y[i], 1.0, 1.0], second: [NONE; 4] }
    }

    fn coefficients(&self, _: &Lambda) -> [Dyadic; 2] {
        [self.mass.scale.clone(), Dyadic::zero()]
    }

    fn constant(&self, lambda: &Lambda, i: usize, row: &Row) -> Result<Dyadic, Reason> {
        let (reach, name) = (Dyadic::new(self.reach[i]), self.name);
        require_not_negative(&reach, format_args!("reach of {name}[{i}]"))?;
        let reached = reach.square() - Dyadic::new(self.radius).square() * &row.squared;
        require_not_negative(&reached, format_args!("reach² − r²‖{name}[{i}]‖²"))?;
        let mut middle = ExactSum::new();
        for (&z, &o) in self.mass.view.rows.row(i).iter().zip(self.centre) {
            middle.add([z, o]);
        }
        // Everything in terms of s − 1.
        let middle = middle.take() - Dyadic::whole(1);
        let (low, high) = (&middle - &reach, &middle + &reach);
        let top = envelope(&row.jump(lambda), &row.kappa(lambda), &row.y, &low, &high);
        Ok(top - &row.y)
    }
}

/// The smallest T with q(F + κx) ≤ T + yx for low ≤ x ≤ high, where q = 1 for x < 0, q = 0 for x > 0, and either at 0.
pub(crate) fn envelope(jump: &Dyadic, kappa: &Dyadic, y: &Dyadic, low: &Dyadic, high: &Dyadic) -> Dyadic {
    let zero = Dyadic::zero();
    let below = |x: &Dyadic| x.cmp(&zero) != Ordering::Greater;
    let acts = |x: &Dyadic| jump + (kappa - y) * x;
    let idles = |x: &Dyadic| &zero - y * x;
    match (below(low), below(high) && !high.is_zero()) {
        (true, true) => acts(low).max(acts(high)),
        (true, false) => acts(low).max(jump.clone()).max(idles(high)).max(zero.clone()),
        (false, _) => idles(low).max(idles(high)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn small() -> impl Strategy<Value = f64> {
        (-40_i32..=40).prop_map(|x| f64::from(x) / 8.0)
    }

    proptest! {
        /// The envelope lies above the function on a grid of its interval, and touches it at an end or at 0.
        #[test]
        fn the_envelope_is_the_smallest(jump in small(), y in small(), kappa in small(), low in small(), width in 0_i32..=64) {
            // All numbers are multiples of 1/512 or coarser: f64 arithmetic is exact here.
            let step = f64::from(width) / 512.0;
            let [j, k, yy, l, h] = [jump, kappa, y, low, low + 64.0 * step].map(Dyadic::new);
            let top = envelope(&j, &k, &yy, &l, &h).nearest();
            let mut touches = false;
            for x in (0..=64).map(|i| low + f64::from(i) * step).chain([0.0]) {
                if x < low || x > low + 64.0 * step {
                    continue;
                }
                for q in [0.0, 0.5, 1.0] {
                    if (x < 0.0 && q < 1.0) || (x > 0.0 && q > 0.0) {
                        continue;
                    }
                    let room = top + y * x - q * (jump + kappa * x);
                    prop_assert!(room >= 0.0);
                    touches |= room == 0.0;
                }
            }
            prop_assert!(touches);
        }
    }
}
