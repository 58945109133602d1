//! Exact arithmetic on binary floating point numbers.
//!
//! Every finite `f64` is a whole number times a power of two, so sums and products of them can be
//! written down without rounding. [`ExactSum`] adds very many products quickly, [`Dyadic`] is a
//! single such number with `+`, `−`, `×` and comparison. Division is left to the very end, where
//! [`ratio`] gives a rational number, or is rounded in a chosen direction by [`quotient`].

use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

use dashu_base::{BitTest, DivRemEuclid, Signed, SquareRoot, UnsignedAbs};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use serde::{Deserialize, Serialize};

/// Largest number of factors in one product.
const FACTORS: usize = 4;
/// Exponent of the lowest bit of the lowest cell: the smallest product of four subnormals.
const LOWEST: i64 = -1074 * 4;
/// Cells of 32 bits from 2^`LOWEST` up to 2^4408: products of four reach 2^4096, the rest is room
/// for 2^64 of them.
const CELLS: usize = 272;
/// Cells that a sum from another machine may use: the rest is room for merging.
const ROOM: usize = CELLS - 2;
/// Additions after which carries are propagated at the latest: a cell then stays below 2^63.
const MOST_PENDING: u32 = 1 << 30;
/// The bits a cell keeps when carries are propagated.
const MASK: i64 = 0xffff_ffff;

/// Splits |x| into (m, e) with |x| = m·2^e, m < 2^53, −1074 ≤ e ≤ 971, for finite x.
fn split(x: f64) -> (u64, i64) {
    let bits = x.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    let exponent = i64::from((bits >> 52) as u32 & 0x7ff);
    if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) }
}

/// A sum of products of finite doubles, held exactly in a fixed-point number of 8704 bits.
///
/// The number is Σ `cells[c]`·2^(`LOWEST` + 32c). Cells are signed 64-bit integers and each product
/// changes a cell by less than 2^32, so carries can wait for 2^30 additions.
#[derive(Clone, Serialize, Deserialize)]
#[serde(into = "Cells", try_from = "Cells")]
pub(crate) struct ExactSum {
    cells: [i64; CELLS],
    /// Only `cells[low..high]` can differ from zero.
    low: usize,
    high: usize,
    pending: u32,
}

impl ExactSum {
    /// The empty sum.
    pub(crate) fn new() -> Self {
        ExactSum { cells: [0; CELLS], low: CELLS, high: 0, pending: 0 }
    }

    /// Adds the product of at most four finite numbers.
    pub(crate) fn add<const K: usize>(&mut self, factors: [f64; K]) {
        const { assert!(K >= 1 && K <= FACTORS) };
        let mut limbs = [0_u64; FACTORS];
        limbs[0] = 1;
        let mut exponent = -LOWEST;
        let mut sign = 0_i64; // 0 for plus, −1 for minus
        for factor in factors {
            let (mantissa, e) = split(factor);
            if mantissa == 0 {
                return;
            }
            exponent += e;
            sign ^= -i64::from(factor.is_sign_negative());
            multiply(&mut limbs[..K], mantissa);
        }
        // Truncation cannot happen: 0 ≤ exponent ≤ 8180.
        self.place::<K>(limbs, exponent as usize, sign);
    }

    /// Adds ±(the integer in `limbs`, below 2^(53K))·2^(`LOWEST` + `offset`).
    fn place<const K: usize>(&mut self, limbs: [u64; FACTORS], offset: usize, sign: i64) {
        let (first, shift) = (offset / 32, offset % 32);
        let count = (53 * K + 31).div_ceil(32);
        let mut below = 0;
        let mut shifted = [0_u64; FACTORS];
        for (out, limb) in shifted.iter_mut().zip(limbs) {
            *out = limb << shift | below;
            below = limb >> 1 >> (63 - shift);
        }
        let cells = &mut self.cells[first..first + count];
        for (c, cell) in cells.iter_mut().enumerate() {
            let chunk = (shifted[c / 2] >> (32 * (c % 2))) as i64 & MASK;
            *cell += (chunk ^ sign) - sign;
        }
        self.low = self.low.min(first);
        self.high = self.high.max(first + count);
        self.pending += 1;
        if self.pending == MOST_PENDING {
            self.carry();
        }
    }

    /// Adds another sum.
    pub(crate) fn merge(&mut self, other: &ExactSum) {
        self.carry();
        for c in other.low..other.high {
            self.cells[c] += other.cells[c];
        }
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
        self.carry();
    }

    /// Propagates carries: all cells in use are then in [0, 2^32) but the highest, which is a
    /// signed 32-bit number.
    fn carry(&mut self) {
        self.pending = 0;
        if self.low >= self.high {
            return;
        }
        let mut carry = 0;
        for cell in &mut self.cells[self.low..self.high - 1] {
            let total = *cell + carry;
            *cell = total & MASK;
            carry = total >> 32;
        }
        let mut top = self.cells[self.high - 1] + carry;
        while i32::try_from(top).is_err() {
            self.cells[self.high - 1] = top & MASK;
            top >>= 32;
            self.high += 1;
        }
        self.cells[self.high - 1] = top;
    }

    /// The sum as a number. The sum is empty afterwards.
    pub(crate) fn take(&mut self) -> Dyadic {
        self.carry();
        let mut bytes = [0_u8; 4 * CELLS];
        let mut length = 0;
        for cell in self.cells.iter_mut().take(self.high).skip(self.low) {
            bytes[length..length + 4].copy_from_slice(&(*cell as u32).to_le_bytes());
            length += 4;
            *cell = 0;
        }
        let number = Dyadic {
            mantissa: IBig::from_le_bytes(&bytes[..length]),
            exponent: LOWEST + 32 * self.low as i64,
        };
        (self.low, self.high) = (CELLS, 0);
        number
    }
}

/// A sum for another machine: Σ `cells[c]`·2^(32(`low` + c)) units of its lowest bit.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cells {
    low: usize,
    cells: Vec<i64>,
}

impl From<ExactSum> for Cells {
    fn from(mut sum: ExactSum) -> Cells {
        sum.carry();
        Cells { low: sum.low, cells: sum.cells.get(sum.low..sum.high).unwrap_or_default().to_vec() }
    }
}

impl TryFrom<Cells> for ExactSum {
    type Error = &'static str;

    fn try_from(Cells { low, cells }: Cells) -> Result<ExactSum, Self::Error> {
        let mut sum = ExactSum::new();
        let Some((top, below)) = cells.split_last() else { return Ok(sum) };
        let is_carried = below.iter().all(|cell| (0..=MASK).contains(cell)) && i32::try_from(*top).is_ok();
        if low >= ROOM || cells.len() > ROOM - low || !is_carried {
            return Err("these are not the cells of a sum");
        }
        (sum.low, sum.high) = (low, low + cells.len());
        sum.cells[low..sum.high].copy_from_slice(&cells);
        Ok(sum)
    }
}

/// Multiplies a little-endian integer in place.
fn multiply(limbs: &mut [u64], factor: u64) {
    let mut carry = 0;
    for limb in limbs {
        let product = u128::from(*limb) * u128::from(factor) + carry;
        *limb = product as u64;
        carry = product >> 64;
    }
}

/// The exact number `mantissa`·2^`exponent`.
#[derive(Clone, Debug)]
pub(crate) struct Dyadic {
    mantissa: IBig,
    exponent: i64,
}

impl Dyadic {
    /// The value of a finite `f64`.
    pub(crate) fn new(x: f64) -> Self {
        debug_assert!(x.is_finite());
        let (mantissa, exponent) = split(x);
        let mantissa = IBig::from(mantissa);
        Dyadic { mantissa: if x < 0.0 { -mantissa } else { mantissa }, exponent }
    }

    /// The number `mantissa`·2^`exponent`.
    pub(crate) fn scaled(mantissa: IBig, exponent: i64) -> Self {
        Dyadic { mantissa, exponent }
    }

    /// (m, e) with the number = m·2^e.
    pub(crate) fn parts(&self) -> (&IBig, i64) {
        (&self.mantissa, self.exponent)
    }

    /// A whole number.
    pub(crate) fn whole(n: u64) -> Self {
        Dyadic { mantissa: IBig::from(n), exponent: 0 }
    }

    /// The number zero.
    pub(crate) fn zero() -> Self {
        Dyadic::whole(0)
    }

    /// The square.
    pub(crate) fn square(&self) -> Self {
        self * self
    }

    /// Half of the number.
    pub(crate) fn half(self) -> Self {
        Dyadic { exponent: self.exponent - 1, ..self }
    }

    /// Whether the number is 0.
    pub(crate) fn is_zero(&self) -> bool {
        self.mantissa == IBig::ZERO
    }

    /// The number with at most [`QUOTIENT_BITS`] bits, rounded up.
    pub(crate) fn rounded_up(self) -> Self {
        let excess = self.mantissa.clone().unsigned_abs().bit_len().saturating_sub(QUOTIENT_BITS);
        if excess == 0 {
            return self;
        }
        // The shift of a negative number rounds down as well.
        let mantissa = -(-self.mantissa >> excess);
        Dyadic { mantissa, exponent: self.exponent + excess as i64 }
    }

    /// The nearest multiple of 2^`exponent` on the given side.
    pub(crate) fn on_grid(&self, exponent: i64, round: Round) -> Self {
        let Ok(excess @ 1..) = usize::try_from(exponent - self.exponent) else { return self.clone() };
        // The shift of a negative number rounds down as well.
        let mantissa = match round {
            Round::Down => self.mantissa.clone() >> excess,
            Round::Up => -(-self.mantissa.clone() >> excess),
        };
        Dyadic { mantissa, exponent }
    }

    /// The number with at most [`QUOTIENT_BITS`] bits (or one more), rounded.
    pub(crate) fn shortened(&self, round: Round) -> Self {
        let length = self.length();
        self.on_grid(length - QUOTIENT_BITS as i64, round)
    }

    /// L with 2^(L−1) ≤ |x| < 2^L; for 0 a number that means nothing.
    pub(crate) fn length(&self) -> i64 {
        self.exponent + self.mantissa.clone().unsigned_abs().bit_len() as i64
    }

    /// The smaller of two numbers.
    pub(crate) fn min(self, other: Self) -> Self {
        if self.cmp(&other) == Ordering::Greater { other } else { self }
    }

    /// The number as a multiple of 2^`exponent`, if it is one that fits.
    pub(crate) fn units(&self, exponent: i64) -> Option<i64> {
        let shift = usize::try_from(self.exponent - exponent).ok()?;
        i64::try_from(self.mantissa.clone() << shift).ok()
    }

    /// Whether the number is > 0.
    pub(crate) fn is_positive(&self) -> bool {
        !self.is_negative() && self.mantissa != IBig::ZERO
    }

    /// Whether the number is < 0.
    pub(crate) fn is_negative(&self) -> bool {
        self.mantissa.is_negative()
    }

    /// The absolute value.
    pub(crate) fn abs(&self) -> Self {
        if self.is_negative() { Dyadic::zero() - self } else { self.clone() }
    }

    /// The larger of two numbers.
    pub(crate) fn max(self, other: Self) -> Self {
        if self.cmp(&other) == Ordering::Less { other } else { self }
    }

    /// Exact comparison.
    pub(crate) fn cmp(&self, other: &Self) -> Ordering {
        let (a, b, _) = self.aligned(other);
        a.cmp(&b)
    }

    /// The nearest `f64`, for messages.
    pub(crate) fn nearest(&self) -> f64 {
        nearest(&self.clone().into())
    }

    /// Both mantissas for the smaller of the two exponents, and that exponent.
    fn aligned(&self, other: &Self) -> (IBig, IBig, i64) {
        let exponent = self.exponent.min(other.exponent);
        let raise = |x: &Dyadic| match usize::try_from(x.exponent - exponent) {
            Ok(0) | Err(_) => x.mantissa.clone(),
            Ok(shift) => &x.mantissa << shift,
        };
        (raise(self), raise(other), exponent)
    }
}

impl From<Dyadic> for RBig {
    fn from(x: Dyadic) -> RBig {
        ratio(&x, &Dyadic::whole(1))
    }
}

/// The four forms (by value, by reference) of an operator.
macro_rules! operator {
    ($trait:ident, $method:ident, |$a:ident, $b:ident| $body:expr) => {
        impl $trait<&Dyadic> for &Dyadic {
            type Output = Dyadic;
            fn $method(self, other: &Dyadic) -> Dyadic {
                let ($a, $b) = (self, other);
                $body
            }
        }
        impl $trait<Dyadic> for &Dyadic {
            type Output = Dyadic;
            fn $method(self, other: Dyadic) -> Dyadic {
                self.$method(&other)
            }
        }
        impl $trait<&Dyadic> for Dyadic {
            type Output = Dyadic;
            fn $method(self, other: &Dyadic) -> Dyadic {
                (&self).$method(other)
            }
        }
        impl $trait<Dyadic> for Dyadic {
            type Output = Dyadic;
            fn $method(self, other: Dyadic) -> Dyadic {
                (&self).$method(&other)
            }
        }
    };
}

operator!(Add, add, |a, b| {
    let (a, b, exponent) = a.aligned(b);
    Dyadic { mantissa: a + b, exponent }
});
operator!(Sub, sub, |a, b| {
    let (a, b, exponent) = a.aligned(b);
    Dyadic { mantissa: a - b, exponent }
});
operator!(Mul, mul, |a, b| Dyadic { mantissa: &a.mantissa * &b.mantissa, exponent: a.exponent + b.exponent });

/// The same numbers times one power of two that makes all of them whole.
pub(crate) fn common_integers(numbers: &[Dyadic]) -> Vec<IBig> {
    let filled = |x: &&Dyadic| x.mantissa != IBig::ZERO;
    let lowest = numbers.iter().filter(filled).map(|x| x.exponent).min().unwrap_or(0);
    let raise = |x: &Dyadic| match usize::try_from(x.exponent - lowest) {
        Ok(shift) => &x.mantissa << shift,
        Err(_) => x.mantissa.clone(), // only zeros have a lower exponent
    };
    numbers.iter().map(raise).collect()
}

/// The quotient of two numbers; zero if the divisor is zero, which every caller rules out.
pub(crate) fn ratio(numerator: &Dyadic, denominator: &Dyadic) -> RBig {
    let (n, d, _) = numerator.aligned(denominator);
    let n = if d.is_negative() { -n } else { n };
    let d: UBig = d.unsigned_abs();
    if d == UBig::ZERO {
        return RBig::ZERO;
    }
    RBig::from_parts(n, d)
}

/// ‖x‖².
pub(crate) fn norm2(x: &[f64]) -> Dyadic {
    let mut sum = ExactSum::new();
    for &x in x {
        sum.add([x, x]);
    }
    sum.take()
}

/// Significant bits of a rounded quotient, at least.
const QUOTIENT_BITS: usize = 256;

/// Which way an inexact result is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Round {
    Down,
    Up,
}

/// The quotient of two numbers, rounded in its 256th bit or later; zero if the divisor is zero, which
/// every caller rules out.
pub(crate) fn quotient(numerator: &Dyadic, denominator: &Dyadic, round: Round) -> Dyadic {
    let negative = denominator.is_negative();
    let d: UBig = denominator.mantissa.clone().unsigned_abs();
    if d == UBig::ZERO {
        return Dyadic::zero();
    }
    let n = if negative { -numerator.mantissa.clone() } else { numerator.mantissa.clone() };
    let shift = (QUOTIENT_BITS + d.bit_len()).saturating_sub(n.clone().unsigned_abs().bit_len());
    let (floor, rest) = (n << shift).div_rem_euclid(IBig::from(d));
    let up = round == Round::Up && rest != UBig::ZERO;
    let mantissa = if up { floor + IBig::ONE } else { floor };
    Dyadic { mantissa, exponent: numerator.exponent - denominator.exponent - shift as i64 }
}

/// The square root of a number ≥ 0 (0 for others, which every caller rules out), rounded up in its 256th bit or later.
pub(crate) fn sqrt_up(x: &Dyadic) -> Dyadic {
    if !x.is_positive() {
        return Dyadic::zero();
    }
    let m: UBig = x.mantissa.clone().unsigned_abs();
    let shift = (2 * QUOTIENT_BITS + 2).saturating_sub(m.bit_len());
    let shift = if (x.exponent - shift as i64) % 2 == 0 { shift } else { shift + 1 };
    let root = (m << shift).sqrt() + UBig::ONE;
    Dyadic { mantissa: IBig::from(root), exponent: (x.exponent - shift as i64) / 2 }
}

/// The same, rounded down.
pub(crate) fn sqrt_down(x: &Dyadic) -> Dyadic {
    let above = sqrt_up(x);
    if above.is_zero() {
        return above;
    }
    // sqrt_up adds one unit to the floor of the root.
    Dyadic { mantissa: above.mantissa - IBig::ONE, exponent: above.exponent }
}

/// The `f64` nearest to a rational number (infinite if it is out of range).
pub(crate) fn nearest(x: &RBig) -> f64 {
    x.to_f64().value()
}

/// The smallest `f64` that is not below a rational number (+∞ if there is no finite one).
pub(crate) fn round_up(x: &RBig) -> f64 {
    let reaches = |y: f64| y == f64::INFINITY || (y.is_finite() && &RBig::from(Dyadic::new(y)) >= x);
    let mut y = nearest(x);
    while !reaches(y) {
        y = y.next_up();
    }
    while reaches(y.next_down()) {
        y = y.next_down();
    }
    y + 0.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rational(x: f64) -> RBig {
        RBig::try_from(x).expect("finite")
    }

    /// Finite doubles of every size, subnormal ones and zeros of both signs included.
    fn finite() -> impl Strategy<Value = f64> {
        prop_oneof![
            any::<u64>().prop_map(f64::from_bits),
            -1e3..1e3,
            (0_u64..1 << 52).prop_map(f64::from_bits),
            Just(f64::MAX),
            Just(-f64::MAX),
            Just(f64::from_bits(1)),
            Just(-0.0),
        ]
        .prop_filter("finite", |x| x.is_finite())
    }

    fn add(sum: &mut ExactSum, factors: &[f64]) -> RBig {
        match *factors {
            [a] => sum.add([a]),
            [a, b] => sum.add([a, b]),
            [a, b, c] => sum.add([a, b, c]),
            [a, b, c, d] => sum.add([a, b, c, d]),
            _ => unreachable!(),
        }
        factors.iter().fold(RBig::ONE, |p, &x| p * rational(x))
    }

    proptest! {
        #[test]
        fn sums_are_exact(products in prop::collection::vec(prop::collection::vec(finite(), 1..=4), 0..20)) {
            let mut sum = ExactSum::new();
            let total = products.iter().fold(RBig::ZERO, |t, p| t + add(&mut sum, p));
            prop_assert_eq!(RBig::from(sum.take()), total);
            prop_assert_eq!(RBig::from(sum.take()), RBig::ZERO);
        }

        #[test]
        fn cancellation_leaves_the_small_part(big in finite(), other in finite(), small in finite()) {
            let mut sum = ExactSum::new();
            sum.add([big, other, big]);
            sum.add([small]);
            sum.add([-big, other, big]);
            prop_assert_eq!(RBig::from(sum.take()), rational(small));
        }

        #[test]
        fn merging_and_early_carries_change_nothing(
            products in prop::collection::vec((prop::collection::vec(finite(), 1..=4), 0..3), 1..20),
        ) {
            let (mut left, mut right, mut total) = (ExactSum::new(), ExactSum::new(), RBig::ZERO);
            for (product, action) in &products {
                total += add(if *action == 0 { &mut left } else { &mut right }, product);
                if *action == 2 {
                    right.carry();
                    left.carry();
                }
            }
            let text = serde_json::to_string(&right).expect("a text");
            left.merge(&serde_json::from_str(&text).expect("the same sum"));
            prop_assert_eq!(RBig::from(left.take()), total);
        }

        #[test]
        fn dyadics_are_exact(a in finite(), b in finite(), c in finite()) {
            let (x, y, z) = (rational(a), rational(b), rational(c));
            let (p, q, r) = (Dyadic::new(a), Dyadic::new(b), Dyadic::new(c));
            prop_assert_eq!(RBig::from(&p * &q + &r), &x * &y + &z);
            prop_assert_eq!(RBig::from(&p - &q * &r), &x - &y * &z);
            prop_assert_eq!(p.cmp(&(&q * &r)), x.cmp(&(&y * &z)));
            prop_assert_eq!(p.is_positive(), x > RBig::ZERO);
            prop_assert_eq!(p.is_negative(), x < RBig::ZERO);
            let absolute = if x < RBig::ZERO { -x.clone() } else { x.clone() };
            prop_assert_eq!(RBig::from(p.abs()), absolute);
            let whole = common_integers(&[p.clone(), q.clone(), Dyadic::zero()]);
            prop_assert_eq!(RBig::from(whole[0].clone()) * &y, RBig::from(whole[1].clone()) * &x);
            prop_assert!(whole[2] == IBig::ZERO && (whole[0] == IBig::ZERO) == (x == RBig::ZERO));
            prop_assert_eq!(RBig::from(p.clone().max(q)), x.clone().max(y.clone()));
            if c != 0.0 {
                prop_assert_eq!(ratio(&p, &r), x / z);
            }
        }

        #[test]
        fn quotients_are_enclosed(a in finite(), b in finite(), c in finite()) {
            let (n, d) = (Dyadic::new(a) * Dyadic::new(b), Dyadic::new(c));
            if c != 0.0 {
                let exact = ratio(&n, &d);
                let low = RBig::from(quotient(&n, &d, Round::Down));
                let high = RBig::from(quotient(&n, &d, Round::Up));
                prop_assert!(low <= exact && exact <= high);
                let size = if exact < RBig::ZERO { -exact } else { exact };
                let ulp = RBig::from(Dyadic::scaled(IBig::ONE, -255));
                prop_assert!(high - low <= size * ulp);
            }
            let square = n.square();
            let root = RBig::from(sqrt_up(&n.abs()));
            let size = if n.is_negative() { -RBig::from(n.clone()) } else { RBig::from(n.clone()) };
            prop_assert!(root.sqr() >= size);
            prop_assert!(root.sqr() - &size <= size * RBig::from(Dyadic::scaled(IBig::ONE, -250)));
            prop_assert!(RBig::from(sqrt_up(&square)) >= RBig::from(n.abs()));
            let long = &n * &n * &n * &n * &d;
            let (exact, up) = (RBig::from(long.clone()), RBig::from(long.clone().rounded_up()));
            let size = RBig::from(long.abs()) * RBig::from(Dyadic::scaled(IBig::ONE, -255));
            prop_assert!(up >= exact && &up - &exact <= size);
        }

        #[test]
        fn rounding_up_is_tight(a in finite(), b in finite()) {
            for x in [rational(a), rational(a) * rational(b), rational(a) / (rational(b).sqr() + RBig::ONE)] {
                let up = round_up(&x);
                prop_assert!(up == f64::INFINITY || rational(up) >= x);
                let below = up.next_down();
                prop_assert!(below == f64::NEG_INFINITY || rational(below) < x);
            }
        }
    }

    #[test]
    fn rounding_up_at_the_ends() {
        let tiny = rational(f64::from_bits(1));
        assert_eq!(round_up(&(&tiny * &tiny)).to_bits(), 1);
        assert_eq!(round_up(&-(&tiny * &tiny)).to_bits(), 0);
        let largest = rational(f64::MAX);
        assert_eq!(round_up(&largest).to_bits(), f64::MAX.to_bits());
        assert!(round_up(&(&largest + &tiny)).is_infinite());
        let below = -(&largest * &largest);
        assert_eq!(round_up(&below).to_bits(), f64::MIN.to_bits());
    }

    /// Full mantissas at every place within a cell, so often that the highest cell overflows into new ones.
    #[test]
    fn full_cells_are_carried() {
        let full = 9_007_199_254_740_991.0;
        for shift in 0..32 {
            let (mut sum, mut total) = (ExactSum::new(), RBig::ZERO);
            for _ in 0..64 {
                total += add(&mut sum, &[full, full, full * f64::from(2_i32).powi(shift)]);
            }
            assert_eq!(RBig::from(sum.take()), total, "{shift}");
        }
    }

    #[test]
    fn sums_from_elsewhere_have_room_and_carried_cells() {
        let read = |text: &str| serde_json::from_str::<ExactSum>(text);
        for good in [
            r#"{"low":272,"cells":[]}"#,
            r#"{"low":269,"cells":[-2147483648]}"#,
            r#"{"low":268,"cells":[4294967295,2147483647]}"#,
        ] {
            let mut sum = read(good).expect(good);
            sum.merge(&sum.clone());
        }
        for bad in [
            r#"{"low":270,"cells":[1]}"#,
            r#"{"low":269,"cells":[1,1]}"#,
            r#"{"low":18446744073709551615,"cells":[1,1]}"#,
            r#"{"low":3,"cells":[2147483648]}"#,
            r#"{"low":3,"cells":[-1,0]}"#,
            r#"{"low":3,"cells":[4294967296,0]}"#,
            r#"{"low":3,"cells":[0],"high":5}"#,
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn carries_do_not_wait_too_long() {
        let mut sum = ExactSum::new();
        sum.pending = MOST_PENDING - 2;
        sum.add([1.0]);
        assert_eq!(sum.pending, MOST_PENDING - 1);
        sum.add([1.0]);
        assert_eq!(sum.pending, 0);
    }

    #[test]
    fn the_widest_products_fit() {
        let mut sum = ExactSum::new();
        for x in [f64::MAX, f64::from_bits(1), -f64::MAX] {
            sum.add([x; 4]);
        }
        let fourth = |x: f64| rational(x).pow(4);
        let expected = fourth(f64::MAX) * RBig::from(2) + fourth(f64::from_bits(1));
        assert_eq!(RBig::from(sum.take()), expected);
    }
}
