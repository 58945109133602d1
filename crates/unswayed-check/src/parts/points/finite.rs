//! One point a of a finite set: Lemma L9, c(θ, a) ≤ T + y·aᵀθ for 0 ≤ y ≤ 2αk.

use super::constant::Acting;
use crate::evaluate::{Curve, Quadratic};
use crate::exact::Dyadic;
use crate::failure::{Reason, require};
use crate::lambda::Lambda;
use crate::parts::rows::entropy::Entropy;

/// The line for the point of case i, with the slope y = 2αk·`share`; for the logistic loss `w` is its w₀.
pub(crate) fn finite(
    lambda: &Lambda,
    acting: Acting,
    i: usize,
    point: &[f64],
    share: f64,
    w: f64,
) -> Result<Quadratic, Reason> {
    require((0.0..=1.0).contains(&share), format_args!("share[{i}]"), share, "in [0, 1]")?;
    let (n, b) = lambda.products(point);
    let y = &lambda.two_ak * Dyadic::new(share);
    let constant = if acting == Acting::Hinge {
        lambda.jump(&n, &b).max(Dyadic::zero()) - &y
    } else {
        let c = lambda.alpha_eta(&n);
        let h = Entropy { a: lambda.two_ak.clone(), y1: y.clone(), y0: &lambda.two_ak - &y, b, c };
        h.above("w", i, w)?
    };
    let slope = point.iter().map(|&a| &y * Dyadic::new(a)).collect();
    Ok(Quadratic { constant, slope, curve: Curve::Flat })
}
