//! Suprema of h(w) = a H(w) + y1 log w + y0 log(1−w) + bw + cw² over 0 < w < 1, H the entropy.
//!
//! With a, y1, y0 ≥ 0 and m = 2a − c > 0 the function is so concave that h(w) ≤ h(w₀) + h'(w₀)²/(4m) for all w and w₀ (Lemma L3).

use crate::exact::{Dyadic, Round, quotient};
use crate::failure::{Reason, require, require_positive};
use crate::log::{Enclosure, log};

/// The coefficients of h, all of them times the same positive weight.
pub(crate) struct Entropy {
    pub(crate) a: Dyadic,
    pub(crate) y1: Dyadic,
    pub(crate) y0: Dyadic,
    pub(crate) b: Dyadic,
    pub(crate) c: Dyadic,
}

/// h and h' at one place.
pub(crate) struct Tangent {
    /// A number above h.
    pub(crate) value: Dyadic,
    /// An enclosure of h'.
    pub(crate) slope: Enclosure,
}

impl Entropy {
    /// A number above sup h, from the place w₀ = `w`, which is named `name[i]`.
    pub(crate) fn above(&self, name: &str, i: usize, w: f64) -> Result<Dyadic, Reason> {
        require_inside(name, i, w)?;
        // Without any weight h is 0.
        if self.a.is_zero() {
            return Ok(Dyadic::zero());
        }
        let tangent = self.tangent(w);
        Ok(tangent.value + self.rise(&tangent.slope, i)?)
    }

    /// sup h is between these: a number not above h(w₀), and [`Self::above`].
    pub(crate) fn enclosed(&self, name: &str, i: usize, w: f64) -> Result<Enclosure, Reason> {
        let high = self.above(name, i, w)?;
        let w = Dyadic::new(w);
        let v = Dyadic::whole(1) - &w;
        let zero = Dyadic::zero();
        // −c·log ≤ what `times_up` makes of −c.
        let down = |coefficient: Dyadic, x: &Dyadic| &zero - times_up(&(&zero - coefficient), &log(x));
        let low = down(&self.y1 - &self.a * &w, &w)
            + down(&self.y0 - &self.a * &v, &v)
            + (&self.b + &self.c * &w) * &w;
        Ok(Enclosure { low, high })
    }

    /// The same for the supremum over w ≥ 1/2 if `upper`, or over w ≤ 1/2: if w₀ = 1/2 and h falls from there, it is h(1/2).
    pub(crate) fn above_half(&self, name: &str, i: usize, w: f64, upper: bool) -> Result<Dyadic, Reason> {
        require_inside(name, i, w)?;
        if self.a.is_zero() {
            return Ok(Dyadic::zero());
        }
        let tangent = self.tangent(w);
        let rise = self.rise(&tangent.slope, i)?;
        let Enclosure { low, high } = &tangent.slope;
        let falls = if upper { !high.is_positive() } else { !low.is_negative() };
        let at_half = Dyadic::new(w - 0.5).is_zero();
        Ok(if at_half && falls { tangent.value } else { tangent.value + rise })
    }

    /// h'²/(4m), rounded up.
    fn rise(&self, slope: &Enclosure, i: usize) -> Result<Dyadic, Reason> {
        let m = Dyadic::whole(2) * &self.a - &self.c;
        require_positive(&m, format_args!("4k − η‖z[{i}]‖², as a multiple of the weight,"))?;
        let steepest = slope.low.abs().max(slope.high.abs());
        Ok(quotient(&steepest.square(), &(Dyadic::whole(4) * m), Round::Up))
    }

    /// h rounded up and h' enclosed, at 0 < w < 1.
    pub(crate) fn tangent(&self, w: f64) -> Tangent {
        let w = Dyadic::new(w);
        let v = Dyadic::whole(1) - &w;
        let (of_w, of_v) = (log(&w), log(&v));
        let square = &self.c * &w;
        let value = times_up(&(&self.y1 - &self.a * &w), &of_w)
            + times_up(&(&self.y0 - &self.a * &v), &of_v)
            + (&self.b + &square) * &w;
        let fixed = &self.b + &square + &square;
        let side = |log_v: &Dyadic, log_w: &Dyadic, round: Round| {
            let other = if round == Round::Up { Round::Down } else { Round::Up };
            let pull = quotient(&self.y1, &w, round) - quotient(&self.y0, &v, other);
            &self.a * (log_v - log_w) + pull + &fixed
        };
        let low = side(&of_v.low, &of_w.high, Round::Down);
        Tangent {
            value: value.rounded_up(),
            slope: Enclosure { low, high: side(&of_v.high, &of_w.low, Round::Up) },
        }
    }
}

/// A number above the coefficient times the enclosed number.
pub(crate) fn times_up(coefficient: &Dyadic, x: &Enclosure) -> Dyadic {
    coefficient * if coefficient.is_negative() { &x.low } else { &x.high }
}

fn require_inside(name: &str, i: usize, w: f64) -> Result<(), Reason> {
    require(w > 0.0 && w < 1.0, format_args!("{name}[{i}]"), w, "in (0, 1)")
}

#[cfg(test)]
mod tests {
    use dashu_ratio::RBig;

    use super::*;

    fn entropy(a: u64, y1: u64, y0: u64) -> Entropy {
        let [a, y1, y0] = [a, y1, y0].map(Dyadic::whole);
        Entropy { a, y1, y0, b: Dyadic::zero(), c: Dyadic::zero() }
    }

    fn enclosure(low: f64, high: f64) -> Enclosure {
        Enclosure { low: Dyadic::new(low), high: Dyadic::new(high) }
    }

    /// The end of an enclosure that makes the result larger, by its sign and size.
    #[test]
    fn the_right_ends_are_taken() {
        for (coefficient, wanted) in [(2.0, 6), (-2.0, 2)] {
            let found = times_up(&Dyadic::new(coefficient), &enclosure(-1.0, 3.0));
            assert_eq!(RBig::from(found), RBig::from(wanted));
        }
        for (low, high) in [(-3.0, 1.0), (-1.0, 3.0), (-3.0, -1.0), (1.0, 3.0)] {
            let rise = entropy(1, 0, 0).rise(&enclosure(low, high), 0).expect("m > 0");
            let exact = RBig::from_parts(9.into(), 8_u32.into());
            assert_eq!(RBig::from(rise), exact, "{low} {high}");
        }
        let third = entropy(3, 0, 0).rise(&enclosure(1.0, 1.0), 0).expect("m > 0");
        assert!(RBig::from(third) > RBig::from_parts(1.into(), 24_u32.into()));
    }

    /// log 2 at the middle, and less than the supremum elsewhere.
    #[test]
    fn suprema_are_enclosed() {
        let entropy = entropy(1, 0, 0);
        let two = log(&Dyadic::whole(2));
        for (w, least, most) in [(0.5, 0.0, 1e-30), (0.25, 0.1, 1.0), (0.75, 0.1, 1.0)] {
            let Enclosure { low, high } = entropy.enclosed("w", 0, w).expect("m > 0");
            assert!((&two.high - &low).is_positive() && (&high - &two.low).is_positive(), "{w}");
            let width = (&high - &low).nearest();
            assert!(width >= least && width < most, "{w}: {width}");
        }
    }

    /// y₁/w and −y₀/(1−w) are no binary numbers here, and lie strictly between the ends.
    #[test]
    fn slopes_are_enclosed() {
        for (y1, y0, n) in [(1, 0, 40), (0, 1, -24)] {
            let Enclosure { low, high } = entropy(0, y1, y0).tangent(0.375).slope;
            let exact = RBig::from_parts(n.into(), 15_u32.into());
            assert!(RBig::from(low) < exact && exact < RBig::from(high), "{y1} {y0}");
        }
    }
}
