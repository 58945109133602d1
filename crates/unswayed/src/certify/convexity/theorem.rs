//! Theorem 2 and its two companions, in floating point, line by line.
//!
//! The proven numbers come from the exact checker (`unswayed-check`), which evaluates the same lines in rational
//! arithmetic. These are for the solver's own use and for reading.

use super::Witness;
use super::problem::{Problem, dot};

/// B, the bound that a witness proves if a > 0 and the conditions of its method hold; infinite if a ≤ 0.
pub fn bound(problem: &Problem, witness: &Witness) -> f64 {
    let Problem { eta, sigma, epsilon, radius, k, .. } = *problem;
    let (alpha, beta, tau, nu, mu, ball) = match witness {
        Witness::Convexity { alpha, beta, tau, nu, .. } | Witness::ZeroOne { alpha, beta, tau, nu, .. } => {
            (*alpha, beta, *tau, *nu, 0.0, 0.0)
        }
        Witness::BoundedRange { alpha, beta, tau, nu, mu, ball, .. } => (*alpha, beta, *tau, *nu, *mu, *ball),
        Witness::Paper(_) | Witness::ClosedForm { .. } => return f64::INFINITY,
    };

    let kappa0 = 2.0 * alpha * k * (1.0 - epsilon);
    let chi = 2.0 * alpha * k - nu;
    let a = alpha * sigma * (2.0 - eta * sigma) + mu - epsilon * radius * chi * chi / (2.0 * tau);
    if !(a > 0.0 && a.is_finite()) {
        return f64::INFINITY;
    }

    let mut v: Vec<f64> = beta.iter().map(|b| (epsilon * radius * chi / tau - sigma) * b).collect();
    let mut rows = 0.0;
    for i in 0..problem.rows() {
        let (p, z) = (problem.weight(i), problem.row(i));
        let j = problem.j_of_alpha(i) * alpha + (1.0 - epsilon) * dot(beta, z);
        let (t, g, y) = line(witness, i, j, kappa0);
        rows += p * (t - g);
        for (v, z) in v.iter_mut().zip(z) {
            *v += p * y * z;
        }
    }

    rows + epsilon
        * (alpha * eta * radius * radius + nu + radius * tau / 2.0 + radius * dot(beta, beta) / (2.0 * tau))
        + mu * ball * ball
        + dot(&v, &v) / (4.0 * a)
}

/// (T_i, g_i, y_i): the row's term is at most T_i − g_i + y_i·s_i, whatever s_i is.
fn line(witness: &Witness, i: usize, j: f64, kappa0: f64) -> (f64, f64, f64) {
    let kappa = kappa0 - 1.0;
    match witness {
        Witness::Convexity { u, .. } => (j.max(0.0), kappa * u[i], kappa * u[i]),
        Witness::ZeroOne { u, u2, c, .. } => {
            let gain = (kappa + c[i]) * u[i];
            ((j + c[i]).max(0.0), gain, gain + (1.0 - c[i]) * u2[i])
        }
        Witness::BoundedRange { reach, y, .. } => {
            let (h, y) = (reach[i], y[i]);
            let low = j + (y - kappa) * (1.0 + h);
            let rest = if h >= 1.0 { j.max(0.0).max(-y * (h - 1.0)) } else { j + (y - kappa) * (1.0 - h) };
            (low.max(rest), y, y)
        }
        Witness::Paper(_) | Witness::ClosedForm { .. } => (f64::INFINITY, 0.0, 0.0),
    }
}
