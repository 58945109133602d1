//! The bounds of the theorems in plain floating point, with a measure of how much rounding can have changed them.

use unswayed_check::{Hinge, Horizon, Learner, Mean, Rows, Witness};

use super::dot;

/// What a witness proves, if its conditions hold.
#[derive(Clone, Copy, Debug)]
pub struct Proof {
    pub value: f64,
    /// The sum of the sizes of all terms: rounding changes the value by this times a small multiple of 2⁻⁵².
    pub size: f64,
    /// ‖v‖²/(4a) and what a is the difference of, relative to a: rounding of a.
    pub last: f64,
    pub cancellation: f64,
}

impl Proof {
    /// A number that is certainly not above the exact value.
    pub fn low(&self) -> f64 {
        let doubt = 1e-12 * self.cancellation;
        self.value - 1e-11 * self.size - self.last * doubt / (1.0 + doubt)
    }

    /// A number that is certainly not below the exact value, unless a is lost in rounding.
    pub fn high(&self) -> f64 {
        let doubt = 1e-12 * self.cancellation;
        self.value + 1e-11 * self.size + self.last * doubt / (1.0 - doubt).max(1e-300)
    }
}

/// w_i divided by their sum.
pub fn probabilities(rows: &Rows) -> Vec<f64> {
    let n = rows.len();
    let weights = rows.weights.map_or(vec![1.0; n], <[f64]>::to_vec);
    let largest = weights.iter().copied().fold(0.0, f64::max);
    let total: f64 = weights.iter().map(|w| w / largest).sum();
    weights.iter().map(|w| w / largest / total).collect()
}

/// The value of a witness; `None` if the method is not for this learner or a ≤ 0 beyond doubt.
pub fn value(learner: &Learner, witness: &Witness, rows: &Rows) -> Option<Proof> {
    match learner {
        Learner::Hinge(hinge) => hinge_value(hinge, witness, rows),
        Learner::Mean(mean) => mean_value(mean, witness, rows),
    }
}

fn mean_value(mean: &Mean, witness: &Witness, rows: &Rows) -> Option<Proof> {
    let &Witness::ClosedForm { alpha, nu } = witness else { return None };
    let (eta, eps) = (mean.learning_rate, mean.poison_rate);
    let trace = mean.covariance_trace.unwrap_or_else(|| {
        let p = probabilities(rows);
        let z: Vec<&[f64]> = rows.z.chunks(rows.dimension).collect();
        let column = |j: usize| -> f64 {
            let mean: f64 = z.iter().zip(&p).map(|(z, p)| p * z[j]).sum();
            z.iter().zip(&p).map(|(z, p)| p * (z[j] - mean).powi(2)).sum()
        };
        (0..rows.dimension).map(column).sum()
    });
    let p = (2.0 * eta - eta * eta) * alpha - 1.0;
    let q = nu - eps * eta * eta * alpha;
    let corner = (eps * eta * (1.0 - eta) * alpha).powi(2);
    let doubt = 1e-11 * ((1.0 + eta * alpha) * nu + corner + eps * eta * eta * alpha * (1.0 + eta * alpha));
    if p < -1e-11 * (1.0 + eta * alpha) || q < -1e-11 * nu || p * q < corner - doubt {
        return None;
    }
    let value = eta * eta * alpha * ((1.0 - eps) * trace + mean.noise_trace) + nu * mean.squared_radius;
    Some(Proof { value, size: value, last: 0.0, cancellation: 0.0 })
}

fn hinge_value(hinge: &Hinge, witness: &Witness, rows: &Rows) -> Option<Proof> {
    let Hinge { learning_rate: eta, regularization: sigma, poison_rate: eps, radius } = *hinge;
    let (alpha, beta, tau, nu, mu, ball) = match witness {
        Witness::Convexity { alpha, beta, tau, nu, .. } | Witness::ZeroOne { alpha, beta, tau, nu, .. } => {
            (*alpha, beta, *tau, *nu, 0.0, 0.0)
        }
        Witness::BoundedRange { alpha, beta, tau, nu, mu, ball, .. } => (*alpha, beta, *tau, *nu, *mu, *ball),
        Witness::Paper(_) | Witness::ClosedForm { .. } => return None,
    };
    let k = 1.0 - eta * sigma;
    let kappa0 = 2.0 * alpha * k * (1.0 - eps);
    let kappa = kappa0 - 1.0;
    let chi = 2.0 * alpha * k - nu;
    let (pull, push) = (alpha * sigma * (2.0 - eta * sigma) + mu, eps * radius * chi * chi / (2.0 * tau));
    let a = pull - push;
    if a <= 0.0 {
        return None;
    }

    let mut size = 0.0;
    let mut sum = 0.0;
    let factor = eps * radius * chi / tau - sigma;
    let mut v: Vec<f64> = beta.iter().map(|b| factor * b).collect();
    let factor_size = eps * radius * (2.0 * alpha * k + nu) / tau + sigma;
    let mut v_size: Vec<f64> = beta.iter().map(|b| factor_size * b.abs()).collect();
    for (i, (z, p)) in rows.z.chunks(rows.dimension).zip(probabilities(rows)).enumerate() {
        let n2 = dot(z, z);
        let jump = (1.0 - eps) * (2.0 * alpha * k + alpha * eta * n2 + dot(beta, z));
        let (t, g, y, h) = match witness {
            Witness::Convexity { u, .. } => {
                let g = kappa * u[i];
                (jump.max(0.0), g, g, 0.0)
            }
            Witness::ZeroOne { u, u2, c, .. } => {
                let g = (kappa + c[i]) * u[i];
                ((jump + c[i]).max(0.0), g, g + (1.0 - c[i]) * u2[i], 0.0)
            }
            Witness::BoundedRange { y, reach, .. } => {
                let (y, h) = (y[i], reach[i]);
                let left = jump + (y - kappa) * (1.0 + h);
                let t = if h < 1.0 {
                    left.max(jump + (y - kappa) * (1.0 - h))
                } else {
                    left.max(jump).max(0.0).max(-y * (h - 1.0))
                };
                (t, y, y, h)
            }
            Witness::Paper(_) | Witness::ClosedForm { .. } => return None,
        };
        sum += p * (t - g);
        let beta_z: f64 = beta.iter().zip(z).map(|(b, z)| (b * z).abs()).sum();
        let jump_size = 2.0 * alpha + alpha * eta * n2 + beta_z;
        size += p * (jump_size + 1.0 + (2.0 * alpha + 1.0 + y.abs()) * (1.0 + h));
        let y_size = match witness {
            Witness::BoundedRange { .. } => y.abs(),
            _ => kappa0 + 2.0,
        };
        for ((v, v_size), z) in v.iter_mut().zip(&mut v_size).zip(z) {
            *v += p * y * z;
            *v_size += p * y_size * z.abs();
        }
    }
    let point =
        alpha * eta * radius * radius + nu + radius * tau / 2.0 + radius * dot(beta, beta) / (2.0 * tau);
    let last = dot(&v, &v) / (4.0 * a);
    size += eps * point + mu * ball * ball + dot_of_sizes(&v, &v_size) / (2.0 * a);
    Some(Proof {
        value: sum + eps * point + mu * ball * ball + last,
        size,
        last,
        cancellation: (pull + eps * radius * (2.0 * alpha * k + nu).powi(2) / (2.0 * tau)) / a,
    })
}

/// The change of ‖v‖² if every entry of v changes by its size times a small number (divided by that number).
fn dot_of_sizes(v: &[f64], sizes: &[f64]) -> f64 {
    v.iter().zip(sizes).map(|(v, s)| v.abs() * s + 1e-11 * s * s).sum()
}

/// What a start adds over the first steps, but for rounding not above the exact number.
pub fn transient(hinge: &Hinge, witness: &Witness, horizon: &Horizon) -> Option<f64> {
    let &Horizon { steps, ref start, m, .. } = horizon;
    let (alpha, beta, ball) = match witness {
        Witness::Convexity { alpha, beta, .. } if m == 0.0 => (*alpha, beta, 0.0),
        Witness::BoundedRange { alpha, beta, ball, .. } if m >= 0.0 => (*alpha, beta, *ball),
        _ => return None,
    };
    let curve = alpha + m;
    let distance: f64 = start.iter().zip(beta).map(|(t, b)| (2.0 * curve * t + b).powi(2)).sum();
    let room = (ball * ball * (1.0 - 1e-12) - dot(start, start)).max(0.0);
    Some((distance / (4.0 * curve) + m * room) / (hinge.learning_rate * steps as f64))
}
