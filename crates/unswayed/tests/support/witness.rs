//! Witnesses that meet the conditions of their method without being the best.

use unswayed_check::Witness;

use super::random::Random;
use super::setting::Setting;
use super::{dot, moved, norm, scaled};

/// α, β, τ, ν with a + μ > 0.
struct Shared {
    alpha: f64,
    beta: Vec<f64>,
    tau: f64,
    nu: f64,
}

fn shared(random: &mut Random, setting: &Setting, least_alpha: f64) -> Shared {
    let &Setting { eta, sigma, eps, radius, .. } = setting;
    let (k, d) = (setting.k(), setting.data.dimension());
    let alpha = match random.below(3) {
        0 => least_alpha * (1.0 + random.log(1e-9, 1e-2)),
        1 => least_alpha * (1.0 + random.log(1e-2, 1.0)),
        _ => least_alpha * (1.0 + random.log(1.0, 30.0)),
    };
    // λ has its minimum at a random place, or at a plausible model.
    let direction = random.gaussian(d);
    let mut center = scaled(&direction, random.log(1e-3, 1.0 / sigma + 1.0) / norm(&direction));
    if random.chance(0.6) {
        center = vec![0.0; d];
        for (z, p) in setting.data.iter().zip(setting.data.probabilities()) {
            center = moved(&center, p * random.log(0.1, 10.0), z);
        }
    }
    let beta = scaled(&center, -2.0 * alpha * k);
    let nu = match random.below(3) {
        0 => 0.0,
        1 => 2.0 * alpha * k * random.unit(),
        _ => 2.0 * alpha * k * random.log(0.5, 3.0),
    };
    let chi = 2.0 * alpha * k - nu;
    let least_tau = eps * radius * chi * chi / (2.0 * alpha * sigma * (2.0 - eta * sigma));
    let tau = least_tau * (1.0 + random.log(1e-4, 10.0)) + random.log(1e-6, 1.0);
    Shared { alpha, beta, tau, nu }
}

/// For Theorem 2.
pub fn convexity(random: &mut Random, setting: &Setting) -> Witness {
    let least = 0.5 / (setting.k() * (1.0 - setting.eps)) * (1.0 + 1e-14);
    let Shared { alpha, beta, tau, nu } = shared(random, setting, least);
    let all = random.chance(0.5);
    let center = scaled(&beta, -0.5 / (alpha * setting.k()));
    let u = setting
        .data
        .iter()
        .map(|z| if all { f64::from(u8::from(dot(&center, z) < 1.0)) } else { random.share() })
        .collect();
    Witness::Convexity { alpha, beta, tau, nu, u }
}

/// For the bounded-range form.
pub fn bounded_range(random: &mut Random, setting: &Setting) -> Witness {
    let least = 0.5 / (setting.k() * (1.0 - setting.eps)) * random.log(0.05, 1.0);
    let Shared { alpha, beta, tau, nu } = shared(random, setting, least);
    let kappa = 2.0 * alpha * setting.k() * (1.0 - setting.eps) - 1.0;
    let mut stretch = || 1.0 + if random.chance(0.7) { 1e-14 } else { random.log(1e-9, 1.0) };
    let ball = setting.largest() / setting.sigma * stretch();
    let reach = setting.data.iter().map(|z| ball * norm(z) * stretch()).collect();
    let y = (0..setting.data.rows())
        .map(|_| match random.below(5) {
            0 => 0.0,
            1 => kappa,
            2 => -random.unit(),
            3 => kappa + random.unit(),
            _ => kappa * random.unit(),
        })
        .collect();
    let mu = if random.chance(0.5) { 0.0 } else { random.log(1e-6, 1.0) };
    Witness::BoundedRange { alpha, beta, tau, nu, mu, ball, reach, y }
}

/// For the error.
pub fn zero_one(random: &mut Random, setting: &Setting) -> Witness {
    let least = 0.5 / (setting.k() * (1.0 - setting.eps)) * random.log(0.05, 1.0);
    let Shared { alpha, beta, tau, nu } = shared(random, setting, least);
    let kappa = 2.0 * alpha * setting.k() * (1.0 - setting.eps) - 1.0;
    let n = setting.data.rows();
    let lowest = (-kappa).max(0.0) * (1.0 + 1e-15) + 1e-15;
    let c = (0..n).map(|_| (lowest + (1.0 - lowest) * random.share()).min(1.0)).collect();
    let mut shares = || (0..n).map(|_| random.share()).collect::<Vec<_>>();
    Witness::ZeroOne { alpha, beta, tau, nu, u: shares(), u2: shares(), c }
}

/// A witness next to another.
pub fn nudged(random: &mut Random, witness: &Witness) -> Witness {
    let size = random.log(1e-6, 0.3);
    let mut up = |x: &mut f64| *x *= 1.0 + size * random.unit();
    let mut witness = witness.clone();
    match &mut witness {
        Witness::Convexity { alpha, tau, nu, beta, .. }
        | Witness::BoundedRange { alpha, tau, nu, beta, .. }
        | Witness::ZeroOne { alpha, tau, nu, beta, .. } => {
            up(alpha);
            up(nu);
            up(tau);
            beta.iter_mut().for_each(up);
        }
        Witness::Paper(w) => {
            up(&mut w.nu8);
            up(&mut w.nu10);
            w.h.iter_mut().for_each(up);
        }
        Witness::ClosedForm { alpha, nu } => {
            up(alpha);
            up(nu);
        }
    }
    witness
}
