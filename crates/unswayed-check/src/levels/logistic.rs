//! The logistic loss, its conjugate and its activity as exact numbers, rounded.

use crate::exact::{Dyadic, Round, quotient};
use crate::exp::exp;
use crate::log::log;

/// A number above log(1 + e^−s).
pub(super) fn loss_up(s: &Dyadic) -> Dyadic {
    log(&(Dyadic::whole(1) + exp(&(Dyadic::zero() - s), Round::Up))).high
}

/// A number below −q log q − (1−q) log(1−q), for 0 ≤ q ≤ 1; at least 0.
pub(super) fn entropy_down(q: &Dyadic) -> Dyadic {
    let part = |q: Dyadic| if q.is_positive() { &q * log(&q).high } else { q };
    let sum = part(q.clone()) + part(Dyadic::whole(1) - q);
    (Dyadic::zero() - sum).max(Dyadic::zero())
}

/// 1/(1 + e^s), rounded.
pub(super) fn activity(s: &Dyadic, round: Round) -> Dyadic {
    let other = if round == Round::Up { Round::Down } else { Round::Up };
    quotient(&Dyadic::whole(1), &(Dyadic::whole(1) + exp(s, other)), round)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The two ends of an activity are on their sides of 1/(1 + e^s), whichever end of e^s it is compared with.
    #[test]
    fn activities_are_enclosed() {
        let one = || Dyadic::whole(1);
        for s in [-30.0, -1.5, -1e-9, 0.0, 0.3, 2.0, 40.0].map(Dyadic::new) {
            let [low, high] = [Round::Down, Round::Up].map(|round| activity(&s, round));
            assert!(!(low * (one() + exp(&s, Round::Up)) - one()).is_positive());
            assert!(!(high * (one() + exp(&s, Round::Down)) - one()).is_negative());
        }
    }

    #[test]
    fn losses_and_entropies_are_on_their_side() {
        for s in [-3.0_f64, 0.0, 0.5, 8.0] {
            let exact = (-s).exp().ln_1p();
            assert!((loss_up(&Dyadic::new(s)).nearest() - exact).abs() <= 1e-15 * (1.0 + exact));
        }
        for q in [0.25_f64, 0.5, 0.875] {
            let exact = -q * q.ln() - (1.0 - q) * (1.0 - q).ln();
            assert!((entropy_down(&Dyadic::new(q)).nearest() - exact).abs() <= 1e-15);
        }
        assert!(entropy_down(&Dyadic::zero()).is_zero() && entropy_down(&Dyadic::whole(1)).is_zero());
    }
}
