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
