//! Lemma L7 for ‖z‖ ≤ R: t = Rτ, N = (R/τ)I, n = R². Also any point, clipped at R.

use super::{Split, flattened};
use crate::evaluate::{Curve, Quadratic};
use crate::exact::norm2;
use crate::exact::{Dyadic, Round, quotient};
use crate::lambda::Lambda;

/// The quadratic for the ball.
pub(crate) fn ball(lambda: &Lambda, split: &Split, radius: &Dyadic, tau: f64) -> Quadratic {
    let (tau, radius) = (Dyadic::new(tau), &(radius * &split.weight));
    let d = (radius * &tau).half() + lambda.alpha_eta(&radius.square());
    let over = Dyadic::whole(2) * tau;
    let beta2 = quotient(&(radius * norm2(lambda.beta)), &over, Round::Up);
    let factor = Dyadic::whole(2) * &split.chi * radius;
    let quadratic = Quadratic {
        constant: split.constant(&d) + beta2,
        slope: lambda.beta.iter().map(|&b| &factor * Dyadic::new(b)).collect(),
        curve: Curve::Scalar { m: split.chi.square() * radius, over },
    };
    flattened(quadratic, split)
}
