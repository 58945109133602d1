//! Lemma I1: ‖x‖ ≤ R in the regularized columns, and the entry of the unregularized one is ±c₀ (c₀ for a regression loss), at one
//! end of a slab. t = Rτ, N = (R/τ)I without that column, n = R² + kc₀². Lemma I2: the same for the points of one class, with a step
//! weight of their own.

use super::{Split, flattened};
use crate::evaluate::{Curve, Quadratic};
use crate::exact::{Dyadic, Round, norm2, quotient};
use crate::lambda::Lambda;

/// The class of a point, which is the sign of its fixed entry.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Class {
    Negative,
    Positive,
}

/// The quadratic where the unregularized entry b of θ is at `end`, for the points of one class or of both.
pub(crate) fn features(
    lambda: &Lambda,
    split: &Split,
    (radius, constant, class): (f64, f64, Option<Class>),
    tau: f64,
    (b, end): (usize, &Dyadic),
) -> Quadratic {
    let [tau, radius, constant] = [tau, radius, constant].map(Dyadic::new);
    let (radius, constant) = (&radius * &split.weight, &constant * &split.weight);
    let n = radius.square() + &lambda.k * constant.square();
    let d = (&radius * &tau).half() + lambda.alpha_eta(&n);
    // c₀X_b at the end, for the label that is worse unless the sign of the entry is known.
    let linear = constant * (&split.chi * end + Dyadic::new(lambda.beta[b]));
    let linear = match class {
        Some(Class::Negative) => Dyadic::zero() - linear,
        None if !split.acting.has_sign() => linear.abs(),
        _ => linear,
    };
    let (two_tau, factor) = (Dyadic::whole(2) * tau, Dyadic::whole(2) * &split.chi * &radius);
    let mut rest = lambda.beta.to_vec();
    rest[b] = 0.0;
    let squares = quotient(&(&radius * norm2(&rest)), &two_tau, Round::Up);
    let mut m = vec![split.chi.square() * radius; rest.len()];
    m[b] = Dyadic::zero();
    let over = vec![two_tau; rest.len()];
    let quadratic = Quadratic {
        constant: split.constant_with(&d, &linear) + squares,
        slope: rest.iter().map(|&beta| &factor * Dyadic::new(beta)).collect(),
        curve: Curve::Diagonal { m, over },
    };
    flattened(quadratic, split)
}
