//! Enclosures of logarithms of exact numbers.
//!
//! ```text
//! x = 2^e f, 2/3 ≤ f < 4/3:    log x = e log 2 + 2 artanh t,   t = (f−1)/(f+1),   |t| ≤ 1/5
//! log 2 = 2 artanh(1/3)        artanh t = Σ t^(2j+1)/(2j+1)
//! ```
//!
//! The series is summed in fixed point with 128 fractional bits, once rounding every operation down and once rounding every
//! operation up, so nothing has to be known about how errors add up.

use std::sync::LazyLock;

use dashu_base::{BitTest, UnsignedAbs};
use dashu_int::{IBig, UBig};

use crate::exact::Dyadic;

/// Fractional bits of the fixed-point numbers.
const BITS: usize = 128;

/// An interval that contains a number.
#[derive(Clone, Debug)]
pub(crate) struct Enclosure {
    pub(crate) low: Dyadic,
    pub(crate) high: Dyadic,
}

/// Encloses log x for x > 0.
pub(crate) fn log(x: &Dyadic) -> Enclosure {
    debug_assert!(x.is_positive());
    let (mantissa, exponent) = x.parts();
    let m: UBig = mantissa.clone().unsigned_abs();
    let length = m.bit_len();
    // f = m/2^length is in [1/2, 1); if it is below 2/3 it is doubled.
    let doubled = &m * UBig::from(3_u8) < (UBig::ONE << (length + 1));
    let scale = if doubled { length.saturating_sub(1) } else { length };
    let one = UBig::ONE << scale;
    let e = exponent + scale as i64;
    let sum = &m + &one;
    let (low, high) = if m >= one {
        artanh(m - one, &sum)
    } else {
        let (low, high) = artanh(one - m, &sum);
        (-high, -low)
    };
    let (log2_low, log2_high) = &*LOG2;
    let (times, two) = (IBig::from(e), IBig::from(2_u8));
    let (of_low, of_high) = if e >= 0 { (log2_low, log2_high) } else { (log2_high, log2_low) };
    let fixed = |x: IBig| Dyadic::scaled(x, -(BITS as i64));
    Enclosure { low: fixed(&times * of_low + &two * low), high: fixed(&times * of_high + &two * high) }
}

/// log 2, rounded down and up.
static LOG2: LazyLock<(IBig, IBig)> = LazyLock::new(|| {
    let (low, high) = artanh(UBig::ONE, &UBig::from(3_u8));
    (low * IBig::from(2_u8), high * IBig::from(2_u8))
});

/// Fixed-point numbers below and above artanh(n/d), for 0 ≤ n/d ≤ 1/3.
fn artanh(n: UBig, d: &UBig) -> (IBig, IBig) {
    let t = (n << BITS) / d;
    // 0 ≤ t < 2^128 because n/d ≤ 1/3.
    let t = u128::try_from(t).unwrap_or(u128::MAX / 2);
    (IBig::from(sum_down(t)), IBig::from(sum_up(t + 1)))
}

/// A number below Σ t^(2j+1)/(2j+1): every operation is rounded down, late terms are left out.
fn sum_down(t: u128) -> u128 {
    let square = product(t, t);
    let (mut power, mut sum, mut divisor) = (t, 0, 1);
    while power > 0 {
        sum += power / divisor;
        power = product(power, square);
        divisor += 2;
    }
    sum
}

/// A number above the sum: every operation is rounded up, and what is left of the series from a
/// power on is at most that power over its divisor, over 1 − t², which is at least 1/2.
fn sum_up(t: u128) -> u128 {
    let square = product(t, t) + 1;
    let (mut power, mut sum, mut divisor) = (t, 0, 1);
    while power > 2 {
        sum += power / divisor + 1;
        power = product(power, square) + 1;
        divisor += 2;
    }
    sum + 2 * power
}

/// ⌊ab/2^128⌋.
fn product(a: u128, b: u128) -> u128 {
    const HALF: u128 = (1 << 64) - 1;
    let (a1, a0, b1, b0) = (a >> 64, a & HALF, b >> 64, b & HALF);
    let low = a0 * b0;
    let middle = a1 * b0 + (low >> 64);
    let cross = a0 * b1 + (middle & HALF);
    a1 * b1 + (middle >> 64) + (cross >> 64)
}

#[cfg(test)]
mod tests {
    use dashu_ratio::RBig;
    use proptest::prelude::*;

    use super::*;

    fn rational(x: &Dyadic) -> RBig {
        RBig::from(x.clone())
    }

    /// digits·10^−places
    fn decimal(digits: &str, places: usize) -> RBig {
        let digits: IBig = digits.parse().expect("digits");
        RBig::from_parts(digits, UBig::from(10_u8).pow(places))
    }

    fn width(e: &Enclosure) -> RBig {
        rational(&e.high) - rational(&e.low)
    }

    fn power_of_two(exponent: i64) -> RBig {
        rational(&Dyadic::scaled(IBig::ONE, exponent))
    }

    #[test]
    fn known_constants() {
        // 50 digits each, cut off: the number lies between the digits and the digits plus one.
        let cases = [
            (2.0, "69314718055994530941723212145817656807550013436025"),
            (3.0, "109861228866810969139524523692252570464749055782274"),
            (10.0, "230258509299404568401799145468436420760110148862877"),
            (0.75, "-28768207245178092743921900599382743150350971089777"),
            (1.5, "40546510810816438197801311546434913657199042346249"),
        ];
        for (x, digits) in cases {
            let e = log(&Dyadic::new(x));
            let cut = decimal(digits, 50);
            let unit = decimal("1", 50);
            assert!(rational(&e.low) <= &cut + &unit && rational(&e.high) >= &cut - &unit, "{x}");
            assert!(width(&e) < power_of_two(-118), "{x}");
        }
        let one = log(&Dyadic::whole(1));
        assert!(!one.low.is_positive() && !one.high.is_negative());
    }

    /// A number that fixed point rounds to 0 is still below the upper end.
    #[test]
    fn small_arguments_are_enclosed() {
        let (low, high) = artanh(UBig::ONE, &(UBig::from(3_u8) << (BITS - 1)));
        assert!(low == IBig::ZERO && high >= IBig::ONE);
    }

    proptest! {
        #[test]
        fn narrow_and_near_the_floating_point_value(x in prop_oneof![
            any::<u64>().prop_map(f64::from_bits), 0.0..1.0, 0.999..1.001, 0.6..1.4,
        ].prop_filter("positive", |x| x.is_finite() && *x > 0.0)) {
            let e = log(&Dyadic::new(x));
            prop_assert!(rational(&e.low) <= rational(&e.high));
            prop_assert!(width(&e) <= power_of_two(-110));
            let error = (e.low.nearest() - x.ln()).abs();
            prop_assert!(error <= 1e-15 * x.ln().abs().max(1e-300) || error < 1e-30);
        }

        /// log is increasing and log(xy) = log x + log y: the enclosures cannot contradict that.
        #[test]
        fn consistent_with_each_other(x in 1e-12..1e12, y in 1e-12..1e12) {
            let (a, b) = (Dyadic::new(x), Dyadic::new(y));
            let (of_a, of_b, of_ab) = (log(&a), log(&b), log(&(&a * &b)));
            prop_assert!(rational(&of_ab.low) <= rational(&(&of_a.high + &of_b.high)));
            prop_assert!(rational(&of_ab.high) >= rational(&(&of_a.low + &of_b.low)));
            let up = log(&Dyadic::new(x.next_up()));
            prop_assert!(rational(&up.high) >= rational(&of_a.low));
            // The gap of two neighbours is far wider than the enclosures.
            prop_assert!(rational(&up.low) > rational(&of_a.high));
        }

        #[test]
        fn products_are_those_of_big_integers(a in any::<u128>(), b in any::<u128>()) {
            let exact = (UBig::from(a) * UBig::from(b)) >> BITS;
            prop_assert_eq!(UBig::from(product(a, b)), exact);
        }

        /// Each operation rounded its own way: lower sums are below upper sums, for neighbouring t too.
        #[test]
        fn sums_are_ordered(t in 0_u128..u128::MAX / 3) {
            prop_assert!(sum_down(t) <= sum_up(t) && sum_down(t) <= sum_up(t + 1));
            prop_assert!(sum_up(t) - sum_down(t) < 256);
        }
    }
}
