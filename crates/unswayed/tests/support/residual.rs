//! The one-step residual G(θ, z) of λ(θ) = (α‖θ‖² + βᵀθ)/η, and a search for its maximum.

use unswayed_check::Witness;

use super::random::Random;
use super::setting::Setting;
use super::{dot, dot_abs, moved, norm, scaled};

/// A number and the sum of the sizes of the terms it was added up from.
#[derive(Clone, Copy, Debug)]
pub struct Rounded {
    pub value: f64,
    pub size: f64,
}

impl Rounded {
    /// How far the value can be above another number for no other reason than rounding.
    pub fn tolerance(&self, bound: f64) -> f64 {
        1e-13 * (1.0 + bound.abs() + self.size)
    }
}

/// G for one setting and one λ.
pub struct Residual<'a> {
    setting: &'a Setting,
    p: Vec<f64>,
    squares: Vec<f64>,
    alpha: f64,
    beta: &'a [f64],
    /// Whether ℓ is the error, not the hinge loss.
    errors: bool,
    /// Θ is the ball of this radius.
    ball: f64,
    /// v/(2a), where the proof's last inequality is an equality.
    peak: Vec<f64>,
    centers: [f64; 2],
}

/// The best place found, and the number of evaluations.
pub struct Found {
    pub theta: Vec<f64>,
    pub residual: Rounded,
    pub evaluations: usize,
}

impl<'a> Residual<'a> {
    pub fn new(setting: &'a Setting, witness: &'a Witness) -> Self {
        let (alpha, beta, tau, nu, mu, ball) = match witness {
            Witness::Convexity { alpha, beta, tau, nu, .. }
            | Witness::ZeroOne { alpha, beta, tau, nu, .. } => (*alpha, beta, *tau, *nu, 0.0, f64::INFINITY),
            Witness::BoundedRange { alpha, beta, tau, nu, mu, ball, .. } => {
                (*alpha, beta, *tau, *nu, *mu, *ball)
            }
            Witness::Paper(_) | Witness::ClosedForm { .. } => panic!("a witness with α and β"),
        };
        let &Setting { eta, sigma, eps, radius, .. } = setting;
        let p = setting.data.probabilities();
        let k = setting.k();
        let kappa = 2.0 * alpha * k * (1.0 - eps) - 1.0;
        let chi = 2.0 * alpha * k - nu;
        let a = alpha * sigma * (2.0 - eta * sigma) + mu - eps * radius * chi * chi / (2.0 * tau);
        let mut v = scaled(beta, eps * radius * chi / tau - sigma);
        for (i, z) in setting.data.iter().enumerate() {
            let slope = match witness {
                Witness::Convexity { u, .. } => kappa * u[i],
                Witness::ZeroOne { u, u2, c, .. } => (kappa + c[i]) * u[i] + (1.0 - c[i]) * u2[i],
                Witness::BoundedRange { y, .. } => y[i],
                Witness::Paper(_) | Witness::ClosedForm { .. } => 0.0,
            };
            v = moved(&v, p[i] * slope, z);
        }
        Residual {
            squares: setting.data.iter().map(|z| dot(z, z)).collect(),
            p,
            alpha,
            beta,
            errors: matches!(witness, Witness::ZeroOne { .. }),
            ball,
            peak: scaled(&v, 0.5 / a.max(1e-300)),
            centers: [-0.5 / (alpha * k), if chi == 0.0 { 0.0 } else { -1.0 / chi }],
            setting,
        }
    }

    /// x = 2αkθ + β.
    pub fn force(&self, theta: &[f64]) -> Vec<f64> {
        moved(self.beta, 2.0 * self.alpha * self.setting.k(), theta)
    }

    /// The point that moves λ up most, of all with ‖z‖ ≤ R that act (θᵀz ≤ 1).
    pub fn best_response(&self, theta: &[f64]) -> Vec<f64> {
        let (x, radius, d) = (self.force(theta), self.setting.radius, theta.len());
        let length = norm(&x);
        let mut best = vec![0.0; d];
        if radius == 0.0 {
            return best;
        }
        // On the sphere a convex function of this kind has its maximum in the plane of x and θ.
        let mut candidates = Vec::new();
        for direction in [scaled(&x, 1.0 / length), scaled(theta, -1.0 / norm(theta))] {
            if direction.iter().all(|x| x.is_finite()) {
                candidates.push(scaled(&direction, radius));
            }
        }
        let square = dot(theta, theta);
        if square * radius * radius > 1.0 {
            let foot = scaled(theta, 1.0 / square);
            let rise = (radius * radius - 1.0 / square).max(0.0).sqrt();
            // Where x is parallel to θ every direction across does.
            let axis = (0..d).min_by(|i, j| theta[*i].abs().total_cmp(&theta[*j].abs())).unwrap_or(0);
            let mut unit = vec![0.0; d];
            unit[axis] = 1.0;
            for direction in [x.clone(), unit] {
                let across = moved(&direction, -dot(&direction, theta) / square, theta);
                let across = moved(&across, -dot(&across, theta) / square, theta);
                let rim = moved(&foot, rise / norm(&across), &across);
                if d > 1 && norm(&across) > 1e-9 * norm(&direction) {
                    candidates.push(rim);
                }
            }
            candidates.push(foot);
        }
        let mut most = 0.0;
        for z in candidates {
            let gain = dot(&x, &z) + self.alpha * self.setting.eta * dot(&z, &z);
            if gain > most && dot(theta, &z) <= 1.0 + 4.0 * f64::EPSILON * (1.0 + dot_abs(theta, &z)) {
                most = gain;
                best = z;
            }
        }
        best
    }

    /// λ(F(θ, z)) − λ(θ) without its part that does not depend on z, where q = 1; the larger one at the kink.
    fn gain(&self, x: &[f64], theta: &[f64], z: &[f64], square: f64) -> Rounded {
        let score = dot(theta, z);
        let doubt = 4.0 * f64::EPSILON * (1.0 + dot_abs(theta, z));
        let gain = dot(x, z) + self.alpha * self.setting.eta * square;
        let size = dot_abs(self.beta, z)
            + self.alpha * (2.0 * dot_abs(theta, z) + self.setting.eta * square)
            + 2.0 * self.alpha * doubt / f64::EPSILON;
        let value = if score > 1.0 + doubt {
            0.0
        } else if score < 1.0 - doubt {
            gain
        } else {
            gain.max(0.0)
        };
        Rounded { value, size }
    }

    /// G(θ, z), for the q at kinks that makes it largest.
    pub fn at(&self, theta: &[f64], z: &[f64]) -> Rounded {
        let &Setting { eta, sigma, eps, .. } = self.setting;
        let x = self.force(theta);
        let drift = self.alpha * sigma * (2.0 - eta * sigma) * dot(theta, theta);
        let tilt = sigma * dot(self.beta, theta);
        let own = self.gain(&x, theta, z, dot(z, z));
        let mut value = eps * own.value;
        let mut size = eps * own.size + drift + sigma * dot_abs(self.beta, theta);
        for (i, z) in self.setting.data.iter().enumerate() {
            let score = dot(theta, z);
            let row = self.gain(&x, theta, z, self.squares[i]);
            let doubt = 4.0 * f64::EPSILON * (1.0 + dot_abs(theta, z));
            let loss = match self.errors {
                true if score <= doubt => 1.0,
                true => 0.0,
                false => (1.0 - score).max(0.0),
            };
            value += self.p[i] * ((1.0 - eps) * row.value + loss);
            size += self.p[i] * (row.size + 1.0 + dot_abs(theta, z));
        }
        Rounded { value: value - drift - tilt, size }
    }

    /// G(θ, z) from its definition, term by term: cancels badly where λ is large.
    pub fn literally(&self, theta: &[f64], z: &[f64]) -> Rounded {
        let &Setting { eta, sigma, eps, .. } = self.setting;
        let lambda = |theta: &[f64]| (self.alpha * dot(theta, theta) + dot(self.beta, theta)) / eta;
        let lambda_size = |theta: &[f64]| (self.alpha * dot(theta, theta) + dot_abs(self.beta, theta)) / eta;
        let step = |z: &[f64]| {
            let acts = dot(theta, z) <= 1.0;
            moved(&scaled(theta, 1.0 - eta * sigma), if acts { eta } else { 0.0 }, z)
        };
        let mut value = eps * lambda(&step(z)) - lambda(theta);
        let mut size = lambda_size(theta) + lambda_size(&step(z));
        for (z, p) in self.setting.data.iter().zip(&self.p) {
            let score = dot(theta, z);
            let loss = if self.errors { f64::from(u8::from(score <= 0.0)) } else { (1.0 - score).max(0.0) };
            value += p * ((1.0 - eps) * lambda(&step(z)) + loss);
            size += p * (lambda_size(&step(z)) + loss);
        }
        Rounded { value, size }
    }

    /// sup_z G(θ, z).
    pub fn worst(&self, theta: &[f64]) -> Rounded {
        self.at(theta, &self.best_response(theta))
    }

    /// A point of Θ.
    fn confined(&self, theta: Vec<f64>) -> Vec<f64> {
        let length = norm(&theta);
        if length > self.ball { scaled(&theta, self.ball * (1.0 - 1e-15) / length) } else { theta }
    }

    /// Where one or several rows have the score 1 or 0, near θ.
    fn at_kinks(&self, random: &mut Random, theta: &[f64]) -> Vec<f64> {
        let data = &self.setting.data;
        let count = 1 + random.below(data.rows().min(data.dimension()).min(4));
        let chosen: Vec<(usize, f64)> = (0..count)
            .map(|_| (random.below(data.rows()), if random.chance(0.75) { 1.0 } else { 0.0 }))
            .collect();
        let mut theta = theta.to_vec();
        for _ in 0..if count == 1 { 2 } else { 12 } {
            for &(i, score) in &chosen {
                if self.squares[i] > 1e-24 {
                    let gap = score - dot(&theta, data.row(i));
                    theta = moved(&theta, gap / self.squares[i], data.row(i));
                }
            }
        }
        theta
    }

    fn scale(&self, random: &mut Random) -> f64 {
        let far = self.setting.largest().max(0.1) / self.setting.sigma;
        if random.chance(0.2) { random.log(1e-6, 1e-2) } else { random.log(1e-2, 3.0 * far.max(1.0)) }
    }

    fn candidate(&self, random: &mut Random) -> Vec<f64> {
        let data = &self.setting.data;
        let d = data.dimension();
        let direction = random.gaussian(d);
        let row = data.row(random.below(data.rows()));
        let base = match random.below(7) {
            0 => scaled(&direction, self.scale(random) / norm(&direction)),
            1 => scaled(row, self.scale(random)),
            2 => scaled(row, -self.scale(random)),
            3 => scaled(&self.peak, random.within(0.0, 2.0)),
            4 => scaled(self.beta, random.pick(&self.centers) * random.within(0.5, 1.5)),
            5 => scaled(row, 1.0 / dot(row, row).max(1e-12)),
            _ => self.peak.clone(),
        };
        let size = norm(&base).max(1e-3);
        let noise = if random.chance(0.5) { size * random.log(1e-6, 1.0) } else { 0.0 };
        let theta = moved(&base, noise, &direction);
        if random.chance(0.5) { self.at_kinks(random, &theta) } else { theta }
    }

    /// Looks for the largest G with about this many evaluations.
    pub fn search(&self, random: &mut Random, effort: usize) -> Found {
        let d = self.setting.data.dimension();
        let mut starts = vec![
            vec![0.0; d],
            self.peak.clone(),
            scaled(self.beta, self.centers[0]),
            scaled(self.beta, self.centers[1]),
        ];
        starts.extend((0..effort / 4).map(|_| self.candidate(random)));
        let mut places: Vec<(Vec<f64>, Rounded)> = starts
            .into_iter()
            .map(|theta| self.confined(theta))
            .filter(|theta| theta.iter().all(|t| t.is_finite()))
            .map(|theta| {
                let residual = self.worst(&theta);
                (theta, residual)
            })
            .filter(|(_, residual)| !residual.value.is_nan())
            .collect();
        places.sort_by(|a, b| b.1.value.total_cmp(&a.1.value));
        let mut evaluations = places.len();
        let climbs = 4.min(places.len());
        places.truncate(climbs);
        for place in &mut places {
            evaluations += self.climb(random, place, effort * 3 / 4 / climbs);
        }
        places.sort_by(|a, b| b.1.value.total_cmp(&a.1.value));
        let (theta, residual) = places.swap_remove(0);
        Found { theta, residual, evaluations }
    }

    /// Uphill by random steps of a length that adapts, now and then onto kinks.
    fn climb(&self, random: &mut Random, place: &mut (Vec<f64>, Rounded), effort: usize) -> usize {
        let mut step = 0.1 * norm(&place.0).max(0.1);
        for _ in 0..effort {
            let direction = random.gaussian(place.0.len());
            let mut theta = moved(&place.0, step, &direction);
            if random.chance(0.3) {
                theta = self.at_kinks(random, &theta);
            }
            let theta = self.confined(theta);
            let residual = self.worst(&theta);
            if residual.value > place.1.value {
                *place = (theta, residual);
                step *= 1.6;
            } else {
                step *= 0.92;
            }
            if step < 1e-12 * norm(&place.0).max(1e-3) {
                step = norm(&place.0).max(0.1) * random.log(1e-6, 1.0);
            }
        }
        effort
    }
}
