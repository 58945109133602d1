//! One point a of a finite set: Lemma L9, c(θ, a) ≤ T + y·aᵀθ for y = 2αku.

use crate::evaluate::{Curve, Quadratic};
use crate::exact::Dyadic;
use crate::failure::{Reason, require};
use crate::lambda::Lambda;
use crate::parts::rows::entropy::Entropy;
use crate::rows::Entries;
use crate::statement::Loss;

/// The line for the point of case i, with the slope y = 2αk·`share`; for the logistic loss `w` is its w₀.
pub(crate) fn finite(
    lambda: &Lambda,
    loss: Loss,
    i: usize,
    point: &[f64],
    share: f64,
    w: f64,
) -> Result<Quadratic, Reason> {
    let conjugate = loss.conjugate();
    let high = conjugate.map_or(1.0, |e| e.high);
    let allowed = (0.0..=high).contains(&share);
    require(allowed, format_args!("share[{i}]"), share, "between 0 and the steepest slope of the loss")?;
    let (n, b) = lambda.products(Entries::of(point));
    let y = &lambda.two_ak * Dyadic::new(share);
    let c = lambda.alpha_eta(&n);
    let constant = if let Some(e) = conjugate {
        let label = Dyadic::whole(1);
        e.above(&label, &lambda.two_ak, &b, &c) - e.times(&label, &y, share)
    } else {
        let h = Entropy { a: lambda.two_ak.clone(), y1: y.clone(), y0: &lambda.two_ak - &y, b, c };
        h.above("w", i, w)?
    };
    let slope = point.iter().map(|&a| &y * Dyadic::new(a)).collect();
    Ok(Quadratic { constant, slope, curve: Curve::Flat })
}
