//! The hinge learner: methods `convexity`, `bounded-range` and `zero-one` (`paper` has a file of its own).
//!
//! Letters: η learning rate, σ regularization, ε poison rate, R radius; α, β, τ, ν, μ, ϱ (`ball`), u,
//! u' (`u2`), c, y, h (`reach`) the witness; n_i = ‖z_i‖², p_i = w_i/W the weight of row i,
//!
//! ```text
//! k = 1 − ησ    κ0 = 2αk(1−ε)    κ = κ0 − 1    χ = 2αk − ν    J_i = (1−ε)(2αk + αηn_i + βᵀz_i)
//! a = ασ(2−ησ) + μ − εRχ²/(2τ)                  v = Σ p_i y_i z_i + (εRχ/τ − σ)β
//! value = Σ p_i(T_i − g_i) + ε(αηR² + ν + Rτ/2 + R‖β‖²/(2τ)) + μϱ² + ‖v‖²/(4a)
//! ```
//!
//! The method gives T_i and g_i ([`row_gain`]) and y_i ([`slopes`]).

use std::cmp::Ordering;
use std::ops::Range;

use dashu::rational::RBig;

use crate::exact::{Dyadic, ExactSum, ratio};
use crate::failure::{Reason, require, require_length, require_not_negative, require_positive};
use crate::format::{Hinge, Witness};
use crate::paper;
use crate::rows::Rows;

/// Checks the learner's parameters.
pub(crate) fn validate(hinge: &Hinge) -> Result<(), Reason> {
    let (eta, sigma) = (hinge.learning_rate, hinge.regularization);
    let (eps, radius) = (hinge.poison_rate, hinge.radius);
    require(eta > 0.0 && eta.is_finite(), "learning_rate", eta, "> 0")?;
    require(sigma > 0.0 && sigma.is_finite(), "regularization", sigma, "> 0")?;
    require((0.0..1.0).contains(&eps), "poison_rate", eps, "in [0, 1)")?;
    require(radius >= 0.0 && radius.is_finite(), "radius", radius, "≥ 0")?;
    let k = Dyadic::whole(1) - Dyadic::new(eta) * Dyadic::new(sigma);
    require_positive(&k, "1 − learning_rate·regularization")
}

/// The exact value of a witness whose numbers are all finite and whose vectors have the right
/// lengths, after every condition of its method has been verified.
pub(crate) fn value(hinge: &Hinge, witness: &Witness, rows: &Rows) -> Result<RBig, Reason> {
    if let Witness::Paper(witness) = witness {
        return paper::value(hinge, witness, rows);
    }
    let constants = Constants::new(hinge, witness)?;
    let c = &constants;
    c.check(witness)?;
    let gain = gain(c, witness, rows)?;
    let total = rows.total_weight();

    // 2τa, and Wτv for the total weight W: neither has a quotient in it.
    let chi2 = c.chi.square();
    let drift = &c.alpha * &c.sigma * (Dyadic::new(2.0) - &c.eta * &c.sigma) + &c.mu;
    let two_tau_a = Dyadic::new(2.0) * &c.tau * drift - &c.eps * &c.radius * chi2;
    require_positive(&two_tau_a, "2τa")?;
    let pull = &total * (&c.eps * &c.radius * &c.chi - &c.sigma * &c.tau);
    let mut v2 = Dyadic::zero();
    for (slope, &beta) in slopes(c, witness, rows).iter().zip(c.beta) {
        v2 = v2 + (&c.tau * slope + &pull * Dyadic::new(beta)).square();
    }

    // R‖β‖²/(2τ)·ε and ‖v‖²/(4a) = ‖Wτv‖²/(2·W²·τ·2τa).
    let two_tau = Dyadic::new(2.0) * &c.tau;
    let beta2 = ratio(&(&c.eps * &c.radius * norm2(c.beta)), &two_tau);
    let v_term = ratio(&v2, &(two_tau * total.square() * two_tau_a));
    let point = &c.alpha * &c.eta * c.radius.square() + &c.nu + Dyadic::new(0.5) * &c.radius * &c.tau;
    let rest = &c.eps * point + &c.mu * c.ball.square();
    Ok(ratio(&gain, &total) + RBig::from(rest) + beta2 + v_term)
}

/// What a start θ_0 adds to the value over T steps, with A = α + m:
/// (‖2Aθ_0 + β‖²/(4A) + m(ϱ² − ‖θ_0‖²))/(ηT).
pub(crate) fn transient(
    hinge: &Hinge,
    witness: &Witness,
    steps: u64,
    start: &[f64],
    m: f64,
) -> Result<RBig, Reason> {
    if let Witness::Paper(witness) = witness {
        return paper::transient(hinge, witness, steps, start, m);
    }
    let c = Constants::new(hinge, witness)?;
    require_length("entries of horizon.start", c.beta.len(), start.len())?;
    require(steps >= 1, "horizon.steps", 0.0, "≥ 1")?;
    let room = room_in_ball(&c, witness, start, m)?;
    let four_a = Dyadic::new(4.0) * (&c.alpha + Dyadic::new(m));
    let mut distance = Dyadic::zero();
    for (&theta, &beta) in start.iter().zip(c.beta) {
        let entry = Dyadic::new(0.5) * &four_a * Dyadic::new(theta) + Dyadic::new(beta);
        distance = distance + entry.square();
    }
    let sum = distance + &four_a * room;
    Ok(ratio(&sum, &(four_a * &c.eta * Dyadic::whole(steps))))
}

/// m(ϱ² − ‖θ_0‖²) where there is a ball, after the conditions on both factors have been verified.
fn room_in_ball(c: &Constants, witness: &Witness, start: &[f64], m: f64) -> Result<Dyadic, Reason> {
    if !witness.has_ball() {
        require(m == 0.0, "horizon.m", m, "0, as it must be without a ball")?;
        return Ok(Dyadic::zero());
    }
    require(m >= 0.0 && m.is_finite(), "horizon.m", m, "≥ 0")?;
    let room = c.ball.square() - norm2(start);
    require_not_negative(&room, "ϱ² − ‖θ_0‖²")?;
    Ok(Dyadic::new(m) * room)
}

/// ‖x‖².
pub(crate) fn norm2(x: &[f64]) -> Dyadic {
    let mut sum = ExactSum::new();
    for &x in x {
        sum.add([x, x]);
    }
    sum.take()
}

/// The numbers that are the same for all rows.
struct Constants<'a> {
    eta: Dyadic,
    sigma: Dyadic,
    eps: Dyadic,
    radius: Dyadic,
    alpha: Dyadic,
    beta: &'a [f64],
    tau: Dyadic,
    nu: Dyadic,
    mu: Dyadic,
    ball: Dyadic,
    /// 1 − ε
    benign: Dyadic,
    kappa0: Dyadic,
    kappa: Dyadic,
    chi: Dyadic,
}

impl<'a> Constants<'a> {
    fn new(hinge: &Hinge, witness: &'a Witness) -> Result<Self, Reason> {
        let (alpha, beta, tau, nu, mu, ball) = match witness {
            Witness::Convexity { alpha, beta, tau, nu, .. }
            | Witness::ZeroOne { alpha, beta, tau, nu, .. } => (alpha, beta, tau, nu, &0.0, &0.0),
            Witness::BoundedRange { alpha, beta, tau, nu, mu, ball, .. } => (alpha, beta, tau, nu, mu, ball),
            Witness::Paper(_) | Witness::ClosedForm { .. } => return Err(no_method(witness)),
        };
        let one = Dyadic::whole(1);
        let (eta, sigma) = (Dyadic::new(hinge.learning_rate), Dyadic::new(hinge.regularization));
        let (eps, nu) = (Dyadic::new(hinge.poison_rate), Dyadic::new(*nu));
        let benign = &one - &eps;
        let two_alpha_k = Dyadic::whole(2) * Dyadic::new(*alpha) * (&one - &eta * &sigma);
        let kappa0 = &two_alpha_k * &benign;
        Ok(Constants {
            kappa: &kappa0 - &one,
            chi: two_alpha_k - &nu,
            radius: Dyadic::new(hinge.radius),
            alpha: Dyadic::new(*alpha),
            tau: Dyadic::new(*tau),
            mu: Dyadic::new(*mu),
            ball: Dyadic::new(*ball),
            eta,
            sigma,
            eps,
            beta,
            nu,
            benign,
            kappa0,
        })
    }

    /// The conditions on the numbers that are the same for all rows, but for a > 0.
    fn check(&self, witness: &Witness) -> Result<(), Reason> {
        require_positive(&self.alpha, "alpha")?;
        require_positive(&self.tau, "tau")?;
        require_not_negative(&self.nu, "nu")?;
        require_not_negative(&self.mu, "mu")?;
        match witness {
            Witness::Convexity { .. } => require_not_negative(&self.kappa, "κ"),
            Witness::BoundedRange { .. } => {
                require_not_negative(&(&self.ball * &self.sigma - &self.radius), "ϱσ − R")
            }
            _ => Ok(()),
        }
    }

    /// J_i from n_i and βᵀz_i.
    fn jump(&self, n: &Dyadic, beta_z: &Dyadic) -> Dyadic {
        &self.kappa0 + &self.benign * (&self.alpha * &self.eta * n + beta_z)
    }
}

fn no_method(witness: &Witness) -> Reason {
    Reason::Method { method: witness.method(), learner: "hinge" }
}

/// Σ w_i(T_i − g_i), after the conditions on every row have been verified.
fn gain(c: &Constants, witness: &Witness, rows: &Rows) -> Result<Dyadic, Reason> {
    let parts = rows.in_parallel(|range| gain_of(c, witness, rows, range));
    parts.into_iter().try_fold(Dyadic::zero(), |sum, part| Ok(sum + part?))
}

/// The part of [`gain`] that comes from some of the rows.
fn gain_of(c: &Constants, witness: &Witness, rows: &Rows, range: Range<usize>) -> Result<Dyadic, Reason> {
    let (mut norm, mut product) = (ExactSum::new(), ExactSum::new());
    let mut sum = Dyadic::zero();
    for i in range {
        for (&z, &beta) in rows.row(i).iter().zip(c.beta) {
            norm.add([z, z]);
            product.add([beta, z]);
        }
        let n = norm.take();
        let jump = c.jump(&n, &product.take());
        let gain = row_gain(c, witness, i, &n, jump)?;
        sum = sum + Dyadic::new(rows.weight(i)) * gain;
    }
    Ok(sum)
}

/// T_i − g_i for row i with n_i and J_i, after the conditions on the row have been verified.
fn row_gain(c: &Constants, witness: &Witness, i: usize, n: &Dyadic, jump: Dyadic) -> Result<Dyadic, Reason> {
    match witness {
        Witness::Convexity { u, .. } => {
            require_share("u", i, u[i])?;
            Ok(jump.max(Dyadic::zero()) - &c.kappa * Dyadic::new(u[i]))
        }
        Witness::ZeroOne { u, u2, c: share, .. } => {
            require_share("u", i, u[i])?;
            require_share("u2", i, u2[i])?;
            require_share("c", i, share[i])?;
            let share = Dyadic::new(share[i]);
            let slope = &c.kappa + &share;
            require_not_negative(&slope, format_args!("κ0 − 1 + c[{i}]"))?;
            Ok((jump + share).max(Dyadic::zero()) - slope * Dyadic::new(u[i]))
        }
        Witness::BoundedRange { y, reach, .. } => {
            let reach = Dyadic::new(reach[i]);
            require_reach(c, i, n, &reach)?;
            let y = Dyadic::new(y[i]);
            Ok(range_envelope(&jump, &y, &c.kappa, &reach) - y)
        }
        Witness::Paper(_) | Witness::ClosedForm { .. } => Err(no_method(witness)),
    }
}

/// Requires 0 ≤ x ≤ 1.
fn require_share(name: &str, i: usize, x: f64) -> Result<(), Reason> {
    require((0.0..=1.0).contains(&x), format_args!("{name}[{i}]"), x, "in [0, 1]")
}

/// Conditions of `bounded-range` on row i: (ϱσ)² ≥ n_i, h_i ≥ 0 and h_i² ≥ ϱ²n_i.
fn require_reach(c: &Constants, i: usize, n: &Dyadic, reach: &Dyadic) -> Result<(), Reason> {
    let kept = (&c.ball * &c.sigma).square() - n;
    require_not_negative(&kept, format_args!("(ϱσ)² − ‖z[{i}]‖²"))?;
    require_not_negative(reach, format_args!("reach[{i}]"))?;
    let reached = reach.square() - c.ball.square() * n;
    require_not_negative(&reached, format_args!("reach[{i}]² − ϱ²‖z[{i}]‖²"))
}

/// T_i of `bounded-range`: the smallest T with q(J + κ(s−1)) ≤ T − y(1−s) for |s| ≤ h, where
/// q = 1 for s < 1, q = 0 for s > 1, and either at s = 1.
fn range_envelope(jump: &Dyadic, y: &Dyadic, kappa: &Dyadic, h: &Dyadic) -> Dyadic {
    let one = Dyadic::whole(1);
    let slope = y - kappa;
    let left = jump + &slope * (&one + h);
    if h.cmp(&one) == Ordering::Less {
        return left.max(jump + slope * (one - h));
    }
    let idle = Dyadic::zero().max(y * (one - h));
    left.max(jump.clone()).max(idle)
}

/// Σ w_i y_i z_i, one number per dimension.
fn slopes(c: &Constants, witness: &Witness, rows: &Rows) -> Vec<Dyadic> {
    let scaled = |columns: Vec<Dyadic>| columns.into_iter().map(|x| &c.kappa * x);
    match witness {
        Witness::Convexity { u, .. } => scaled(rows.columns(|i| [[u[i], 1.0]])).collect(),
        Witness::BoundedRange { y, .. } => rows.columns(|i| [[y[i], 1.0]]),
        Witness::ZeroOne { u, u2, c: share, .. } => {
            // y = (κ + c)u + (1 − c)u' = κu + (cu + u' − cu')
            let free = rows.columns(|i| [[share[i], u[i]], [u2[i], 1.0], [-share[i], u2[i]]]);
            let scaled = scaled(rows.columns(|i| [[u[i], 1.0]]));
            scaled.zip(free).map(|(a, b)| a + b).collect()
        }
        Witness::Paper(_) | Witness::ClosedForm { .. } => vec![],
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn small() -> impl Strategy<Value = f64> {
        (-40_i32..=40).prop_map(|x| f64::from(x) / 8.0)
    }

    proptest! {
        /// The envelope lies above the function on a grid, and touches it.
        #[test]
        fn the_envelope_of_bounded_range(
            jump in small(), y in small(), kappa in small(), h in (0_i32..=24).prop_map(|x| f64::from(x) / 8.0),
        ) {
            // All numbers are multiples of 1/64 or coarser: f64 arithmetic is exact here.
            let [j, yy, k, hh] = [jump, y, kappa, h].map(Dyadic::new);
            let top = range_envelope(&j, &yy, &k, &hh).nearest();
            let mut touches = false;
            for step in -64..=64_i32 {
                let s = h * f64::from(step) / 64.0;
                for acts in [false, true] {
                    if (!acts && s < 1.0) || (acts && s > 1.0) {
                        continue;
                    }
                    let q = f64::from(u8::from(acts));
                    let room = top - y * (1.0 - s) - q * (jump + kappa * (s - 1.0));
                    prop_assert!(room >= 0.0);
                    touches |= room == 0.0;
                }
            }
            // For h ≥ 1 the function is also approached at s = 1, which the grid may miss.
            prop_assert!(touches || h > 1.0);
        }
    }
}
