//! Lemma L7 for zᵀQ⁻¹z ≤ 1: t = τ, N = Q/τ, n = ω with ωI ≻ Q.

use super::{Split, flattened};
use crate::evaluate::{Curve, Quadratic};
use crate::exact::{Dyadic, Round, quotient};
use crate::failure::{Reason, require};
use crate::lambda::Lambda;
use crate::matrix::{is_definite, times};

/// The matrix and a number above its eigenvalues.
pub(crate) struct Ellipsoid<'a> {
    q: &'a [f64],
    pub(crate) omega: Dyadic,
}

impl<'a> Ellipsoid<'a> {
    /// Requires 0 ≺ Q ≺ ωI.
    pub(crate) fn new(q: &'a [f64], omega: f64, d: usize) -> Result<Self, Reason> {
        let first = q.first().copied().unwrap_or_default();
        require(is_definite(q, d, 0.0, false), "set.q[0]", first, "that of a positive definite matrix")?;
        require(is_definite(q, d, omega, true), "omega", omega, "above all eigenvalues of set.q")?;
        Ok(Ellipsoid { q, omega: Dyadic::new(omega) })
    }
}

/// The quadratic for the ellipsoid; x is a vector near A⁻¹v (not needed if χ = 0).
pub(crate) fn ellipsoid(lambda: &Lambda, split: &Split, set: &Ellipsoid, tau: f64, x: &[f64]) -> Quadratic {
    let tau = Dyadic::new(tau);
    let square = split.weight.square();
    let d = tau.clone().half() + lambda.alpha_eta(&(&set.omega * &square));
    let over = Dyadic::whole(2) * tau;
    let q_beta: Vec<Dyadic> = times(set.q, lambda.beta).iter().map(|q| q * &square).collect();
    let product =
        q_beta.iter().zip(lambda.beta).fold(Dyadic::zero(), |sum, (q, &b)| sum + q * Dyadic::new(b));
    let factor = Dyadic::whole(2) * &split.chi;
    let quadratic = Quadratic {
        constant: split.constant(&d) + quotient(&product, &over, Round::Up),
        slope: q_beta.iter().map(|q| &factor * q).collect(),
        curve: Curve::Dense {
            m: split.chi.square() * square,
            over,
            q: set.q.to_vec(),
            omega: set.omega.clone(),
            x: x.iter().map(|&x| Dyadic::new(x)).collect(),
        },
    };
    flattened(quadratic, split)
}
