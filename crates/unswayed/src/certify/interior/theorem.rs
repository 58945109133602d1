//! Theorem 2 and its two companions, in floating point, line by line.
//!
//! The proven numbers come from the exact checker, which evaluates the same lines in rational arithmetic. These are for the
//! solver's own use and for reading.

use unswayed_check::{CaseProof, RowBound};

use super::instance::{Instance, dot};

/// B, the bound that a proof with one case proves if a > 0 and its conditions hold; infinite if a ≤ 0.
pub(super) fn bound(instance: &Instance, proof: &CaseProof) -> f64 {
    let (rows, slope) = line_of_rows(instance, proof);
    of_line(instance, proof, rows, &slope)
}

/// The constant and the slope of the line above all rows.
pub(super) fn line_of_rows(instance: &Instance, proof: &CaseProof) -> (f64, Vec<f64>) {
    let Instance { epsilon, k, .. } = *instance;
    let (alpha, beta) = (proof.alpha, &proof.beta);
    let kappa0 = 2.0 * alpha * k * (1.0 - epsilon);
    let mut slope = vec![0.0; beta.len()];
    let mut rows = 0.0;
    for i in 0..instance.rows() {
        let (p, z) = (instance.weight(i), instance.row(i));
        let j = instance.j_of_alpha(i) * alpha + (1.0 - epsilon) * dot(beta, z);
        let (t, y) = line(proof, i, p, j, kappa0);
        rows += t;
        for (slope, z) in slope.iter_mut().zip(z) {
            *slope += y * z;
        }
    }
    (rows, slope)
}

/// B for a line above the rows together: its constant and its slope.
pub(super) fn of_line(instance: &Instance, proof: &CaseProof, rows: f64, slope: &[f64]) -> f64 {
    let Instance { eta, epsilon, radius, .. } = *instance;
    let (alpha, beta, tau, nu) = (proof.alpha, &proof.beta, proof.cases.tau[0], proof.cases.nu[0]);
    let (mu, ball) = outer(proof);
    let (v, a) = lever(instance, proof, slope);
    if !(a > 0.0 && a.is_finite()) {
        return f64::INFINITY;
    }
    rows + epsilon
        * (alpha * eta * radius * radius + nu + radius * tau / 2.0 + radius * dot(beta, beta) / (2.0 * tau))
        + mu * ball * ball
        + dot(&v, &v) / (4.0 * a)
}

/// v and a for the slope of the line above the rows.
pub(super) fn lever(instance: &Instance, proof: &CaseProof, slope: &[f64]) -> (Vec<f64>, f64) {
    let Instance { eta, sigma, epsilon, radius, k, .. } = *instance;
    let (alpha, tau, nu) = (proof.alpha, proof.cases.tau[0], proof.cases.nu[0]);
    let chi = 2.0 * alpha * k - nu;
    let lean = epsilon * radius * chi / tau - sigma;
    let a = alpha * sigma * (2.0 - eta * sigma) + outer(proof).0 - epsilon * radius * chi * chi / (2.0 * tau);
    (proof.beta.iter().zip(slope).map(|(b, slope)| lean * b + slope).collect(), a)
}

/// μ and ϱ of a proof in a ball, else 0.
fn outer(proof: &CaseProof) -> (f64, f64) {
    match (&proof.shells, proof.cases.outer.first()) {
        (Some(shells), Some(mu)) => (*mu, shells.ball),
        _ => (0.0, 0.0),
    }
}

/// (T, y), both times the row's weight p: the row's term is at most T + y·s, whatever s is.
fn line(proof: &CaseProof, i: usize, p: f64, j: f64, kappa0: f64) -> (f64, f64) {
    let (kappa, lines) = (kappa0 - 1.0, &proof.lines[0]);
    match proof.rows {
        RowBound::ErrorHinge => {
            let (u, u2, c) = (lines.u[i], lines.u2[i], lines.c[i]);
            let gain = (kappa + c) * u;
            (p * ((j + c).max(0.0) - gain), p * (gain + (1.0 - c) * u2))
        }
        RowBound::Interval => {
            let (h, y) = (lines.reach[i], lines.y[i]);
            let (kappa, j) = (p * kappa, p * j);
            let low = j + (y - kappa) * (1.0 + h);
            let rest = if h >= 1.0 { j.max(0.0).max(-y * (h - 1.0)) } else { j + (y - kappa) * (1.0 - h) };
            (low.max(rest) - y, y)
        }
        _ => {
            let y = p * kappa * lines.u[i];
            (p * j.max(0.0) - y, y)
        }
    }
}
