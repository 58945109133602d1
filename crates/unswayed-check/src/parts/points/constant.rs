//! The number C of Lemma L7 and of Lemma I1: a number above D·w² + l·w + ν·w·s for all activities w that a point can have.

use crate::exact::{Dyadic, Round, quotient};
use crate::log::{Enclosure, log};
use crate::loss::Conjugate;
use crate::parts::rows::entropy::times_up;

/// A little more than sup s/(1 + e^s), by Lemma L8.
const LAMBERT: f64 = 0.278_470_1;
/// Halvings after which the search for the supremum ends.
const HALVINGS: usize = 600;
/// The search ends when at most this part of D + |l| + ν could still be gained.
const GAIN: f64 = 1e-15;

/// How activity and margin of a point depend on each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Acting {
    /// φ(s) = e(w) − ws ≥ 0, so ws ≤ e(w), for labels y with |y| at most this number; exactly it where −φ' ≥ 0.
    Bounded(Conjugate, f64),
    /// s = log((1−w)/w).
    Logistic,
    /// The same, but w is cut off somewhere.
    ClippedLogistic,
}

impl Acting {
    /// Whether activities have either sign, so that the sign of what they are multiplied by matters.
    pub(crate) fn has_sign(self) -> bool {
        matches!(self, Acting::Bounded(e, _) if e.low < 0.0)
    }

    /// C, for D ≥ 0 and ν ≥ 0.
    pub(crate) fn constant(self, d: &Dyadic, linear: &Dyadic, nu: &Dyadic) -> Dyadic {
        match self {
            Acting::Bounded(e, label) => {
                let label = Dyadic::new(label);
                let above = |y: &Dyadic| e.above(y, nu, linear, d);
                // Only w ≥ 0: the largest label is the worst one.
                if self.has_sign() {
                    above(&label).max(above(&(Dyadic::zero() - &label)))
                } else {
                    above(&label)
                }
            }
            Acting::ClippedLogistic => (d + linear).max(Dyadic::zero()) + Dyadic::new(LAMBERT) * nu,
            // Convex in w, and 0 at w = 0.
            Acting::Logistic if nu.is_zero() => (d + linear).max(Dyadic::zero()),
            Acting::Logistic => supremum(d, linear, nu),
        }
    }
}

/// An interval [l, r] of w, with a number above the function there.
struct Piece {
    l: f64,
    r: f64,
    above: Dyadic,
}

/// A number above sup Dw² + lw + νw log((1−w)/w) over 0 < w < 1: halve the interval with the largest bound.
fn supremum(d: &Dyadic, linear: &Dyadic, nu: &Dyadic) -> Dyadic {
    let (first, mut best) = piece(d, linear, nu, 0.0, 1.0);
    let mut pieces = vec![first];
    let small = Dyadic::new(GAIN) * (d + linear.abs() + nu);
    for _ in 0..HALVINGS {
        let top = highest(&pieces);
        let Piece { l, r, ref above } = pieces[top];
        let middle = f64::midpoint(l, r);
        let done = !(above - &best - &small).is_positive() || middle <= l || middle >= r;
        if done {
            break;
        }
        let (left, seen) = piece(d, linear, nu, l, middle);
        best = best.max(seen);
        let (right, seen) = piece(d, linear, nu, middle, r);
        best = best.max(seen);
        pieces[top] = left;
        pieces.push(right);
    }
    let top = highest(&pieces);
    pieces.swap_remove(top).above
}

fn highest(pieces: &[Piece]) -> usize {
    let above = |i: &usize, j: &usize| pieces[*i].above.cmp(&pieces[*j].above);
    (0..pieces.len()).max_by(above).unwrap_or(0)
}

/// On [l, r], w² ≤ (l+r)w − lr. What remains is concave, so it is below its tangent at the midpoint, and that below its value there
/// plus its slope's size times half the width. Also a number near the function at the midpoint, to know when to stop.
fn piece(d: &Dyadic, linear: &Dyadic, nu: &Dyadic, l: f64, r: f64) -> (Piece, Dyadic) {
    let c = f64::midpoint(l, r);
    // An interval between neighbouring numbers has no midpoint of its own, but it is never split further.
    let c = if c <= 0.0 || c >= 1.0 { 0.5 } else { c };
    let [left, right, w] = [l, r, c].map(Dyadic::new);
    let v = Dyadic::whole(1) - &w;
    let (of_w, of_v) = (log(&w), log(&v));
    let odds = Enclosure { low: of_v.low - of_w.high, high: of_v.high - of_w.low };
    let chord = &left + &right;
    let entropy = times_up(&(nu * &w), &odds);
    let value = d * (&chord * &w - &left * &right) + linear * &w + &entropy;
    let one = Dyadic::whole(1);
    let fixed = d * chord + linear;
    let low = &fixed + nu * (odds.low - quotient(&one, &v, Round::Up));
    let high = fixed + nu * (odds.high - quotient(&one, &v, Round::Down));
    let reach = (&right - &w).max(&w - &left);
    let above = (value + low.abs().max(high.abs()) * reach).rounded_up();
    (Piece { l, r, above }, d * w.square() + linear * w + entropy)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn function(d: f64, linear: f64, nu: f64, s: f64) -> f64 {
        let w = 1.0 / (1.0 + s.exp());
        d * w * w + linear * w + nu * w * s
    }

    proptest! {
        /// Above the function everywhere, and no further above its largest value than rounding.
        #[test]
        fn the_supremum_is_found(d in 1e-6..1e3, linear in prop_oneof![Just(0.0), 1e-6..1e3, -1e3..-1e-6], nu in 1e-6..1e3) {
            let (exact_d, exact_linear, exact_nu) = (Dyadic::new(d), Dyadic::new(linear), Dyadic::new(nu));
            let found = supremum(&exact_d, &exact_linear, &exact_nu).nearest();
            let at = |i: i32| function(d, linear, nu, f64::from(i) * 1e-4);
            let largest = (-400_000..=400_000).map(at).fold(0.0, f64::max);
            let size = d + linear.abs() + nu;
            prop_assert!(found >= largest - 1e-13 * size, "{found} {largest}");
            prop_assert!(found <= largest + 1e-8 * size, "{found} {largest}");
            let crude = Acting::ClippedLogistic.constant(&exact_d, &exact_linear, &exact_nu).nearest();
            prop_assert!(found <= crude);
        }
    }

    /// Intervals without a midpoint of their own, at both ends.
    #[test]
    fn neighbouring_numbers_are_enclosed_too() {
        let (d, nu) = (Dyadic::new(1.0), Dyadic::new(0.125));
        let none = Dyadic::zero();
        let (first, _) = piece(&d, &none, &nu, 0.0, f64::from_bits(1));
        assert!(first.above.is_positive());
        let (last, _) = piece(&d, &none, &nu, 1.0_f64.next_down(), 1.0);
        let w = 1.0_f64.next_down();
        assert!(last.above.nearest() > w * w + 0.125 * w * ((1.0 - w) / w).ln());
    }

    /// m·Σ (1+m)^j/j! > 1 for m = 0.27847, a comparison of rational numbers (Lemma L8).
    #[test]
    fn the_constant_of_lemma_l8() {
        use dashu_ratio::RBig;
        let m = RBig::from_parts(27847.into(), 100_000_u32.into());
        let (mut term, mut sum) = (RBig::ONE, RBig::ZERO);
        for j in 1..=9_u8 {
            sum += &term;
            term = term * (RBig::ONE + &m) / RBig::from(j);
        }
        assert!(&m * sum > RBig::ONE);
        assert!(RBig::from(Dyadic::new(LAMBERT)) > m);
    }
}
