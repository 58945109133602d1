//! Exponentials of exact numbers, rounded in a chosen direction.
//!
//! ```text
//! e^x = (e^r)^(2^k),   r = x/2^k ≤ ½,   e^r = Σ r^j/j!        e^−x = 1/e^x
//! ```
//!
//! Every operation is rounded the same way, in its 256th bit, so nothing has to be known about how errors add up.

use crate::exact::{Dyadic, Round, quotient};

/// Terms of the series. What is left is at most twice the next term, below 2^−390.
const TERMS: u64 = 64;

/// A number below e^x, or above it. |x| must be below 2^40, or this takes long.
pub(crate) fn exp(x: &Dyadic, round: Round) -> Dyadic {
    if !x.is_negative() {
        return of_positive(x, round);
    }
    let other = if round == Round::Up { Round::Down } else { Round::Up };
    quotient(&Dyadic::whole(1), &of_positive(&x.abs(), other), round)
}

fn of_positive(x: &Dyadic, round: Round) -> Dyadic {
    if x.is_zero() {
        return Dyadic::whole(1);
    }
    let halvings = (x.length() + 1).max(0);
    let r = x.shortened(round) * Dyadic::scaled(1.into(), -halvings);
    let (mut term, mut sum) = (Dyadic::whole(1), Dyadic::whole(1));
    for j in 1..=TERMS {
        term = quotient(&(&term * &r), &Dyadic::whole(j), round);
        sum = sum + &term;
    }
    if round == Round::Up {
        sum = sum + Dyadic::whole(2) * term;
    }
    for _ in 0..halvings {
        sum = sum.square().shortened(round);
    }
    sum
}

#[cfg(test)]
mod tests {
    use dashu_ratio::RBig;
    use proptest::prelude::*;

    use super::*;
    use crate::log::log;

    fn rational(x: &Dyadic) -> RBig {
        RBig::from(x.clone())
    }

    proptest! {
        /// The logarithm of what is below e^x is not above x, and the other way round; and the two are close.
        #[test]
        fn inverse_to_the_logarithm(x in prop_oneof![-700.0..700.0, -1.0..1.0, -1e-9..1e-9]) {
            let exact = Dyadic::new(x);
            let (low, high) = (exp(&exact, Round::Down), exp(&exact, Round::Up));
            prop_assert!(rational(&low) <= rational(&high));
            prop_assert!(rational(&log(&low).low) <= rational(&exact));
            prop_assert!(rational(&log(&high).high) >= rational(&exact));
            let width = rational(&high) - rational(&low);
            prop_assert!(width <= rational(&high) * rational(&Dyadic::scaled(1.into(), -220)));
            prop_assert!((low.nearest() / x.exp() - 1.0).abs() < 1e-13);
        }
    }

    #[test]
    fn zero_and_large_numbers() {
        assert!((exp(&Dyadic::zero(), Round::Up) - Dyadic::whole(1)).is_zero());
        let e = exp(&Dyadic::new(-30_000.0), Round::Down);
        assert!(e.is_positive() && (e.length() + 43_280).abs() < 2, "{}", e.length());
    }
}
