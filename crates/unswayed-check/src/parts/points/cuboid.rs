//! Lemma L7 for |z_j| ≤ R_j: t = ΣR_jτ_j, N = diag(R_j/τ_j), n = ΣR_j².

use super::{Split, flattened};
use crate::evaluate::{Curve, Quadratic};
use crate::exact::norm2;
use crate::exact::{Dyadic, ExactSum, Round, quotient};
use crate::lambda::Lambda;

/// The quadratic for the box.
pub(crate) fn cuboid(lambda: &Lambda, split: &Split, radii: &[f64], tau: &[f64]) -> Quadratic {
    let mut t = ExactSum::new();
    for (&r, &tau) in radii.iter().zip(tau) {
        t.add([r, tau]);
    }
    let weight = &split.weight;
    let d = (t.take() * weight).half() + lambda.alpha_eta(&(norm2(radii) * weight.square()));
    let mut constant = split.constant(&d);
    let (mut slope, mut m, mut over) = (vec![], vec![], vec![]);
    for ((&r, &tau), &beta) in radii.iter().zip(tau).zip(lambda.beta) {
        let (r, beta) = (Dyadic::new(r) * weight, Dyadic::new(beta));
        let two_tau = Dyadic::whole(2) * Dyadic::new(tau);
        constant = constant + quotient(&(&r * beta.square()), &two_tau, Round::Up);
        slope.push(Dyadic::whole(2) * &split.chi * &r * beta);
        m.push(split.chi.square() * r);
        over.push(two_tau);
    }
    flattened(Quadratic { constant, slope, curve: Curve::Diagonal { m, over } }, split)
}
