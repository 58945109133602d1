//! Mean estimation: θ' = (1−η)θ + ηz + ηBw, loss ‖θ−μ‖², adversary ‖z−μ‖² ≤ r. The certificate has a closed form.
//!
//! With T = (1−ε) tr Σ + tr S, S = BBᵀ, and λ(θ) = a‖θ−μ‖² the best bound is
//!
//! ```text
//! C1 = η(T + εr)/(2−η)     C2 = ε²r(1−η)²/(2−η)²     bound = (√C2 + √(C1+C2))²
//! a = (1+x)/(2η−η²), x = √(C2/(C1+C2))               ν = εη²a + ε²η²(1−η)²a²/((2η−η²)a − 1)
//! ```

use unswayed_check::{MeanBenign, MeanCertificate, MeanStatement, Rows, check_mean};

use super::tool;
use crate::data::Dataset;
use crate::error::{CertifyError, ParameterError};

/// Learner, threat and distribution, of which only these five numbers matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanSetting {
    learning_rate: f64,
    poison_rate: f64,
    squared_radius: f64,
    covariance_trace: f64,
    noise_trace: f64,
}

/// The certificate for mean estimation, and what surrounds it.
#[derive(Clone, Debug)]
pub struct MeanOutcome {
    /// Everything needed to verify the bound.
    pub certificate: MeanCertificate,
    /// No adversary gets the long-run E‖θ−μ‖² above this.
    pub certified_loss: f64,
    /// E‖θ−μ‖² without adversary, exactly η tr(Σ+S)/(2−η).
    pub benign_loss: f64,
    /// What the constant point μ + √r·e reaches, exactly: a lower bound on the worst case.
    pub attack_loss: f64,
    /// After this many steps a start at distance √r adds less than 1 % to the certified loss.
    pub transient_steps: f64,
}

impl MeanSetting {
    /// 0 < η < 2, 0 ≤ ε ≤ 1, r ≥ 0, tr Σ ≥ 0, tr S ≥ 0.
    ///
    /// ```
    /// use unswayed::certify::{MeanSetting, certify_mean};
    /// let setting = MeanSetting::new(0.01, 0.15, 2.0, 2.0, 0.0)?; // d = 2, Σ = I, r = 2
    /// let outcome = certify_mean(&setting)?;
    /// assert!((outcome.certified_loss - 0.0630473).abs() < 1e-7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        learning_rate: f64,
        poison_rate: f64,
        squared_radius: f64,
        covariance_trace: f64,
        noise_trace: f64,
    ) -> Result<Self, ParameterError> {
        if !(learning_rate > 0.0 && learning_rate < 2.0) {
            let why = "it must be above 0 and below 2: at 2 and above the estimate never settles";
            return Err(ParameterError::new("learning rate", learning_rate, why));
        }
        if !(0.0..=1.0).contains(&poison_rate) {
            let why = "it is the fraction of points the adversary controls, from 0 to 1";
            return Err(ParameterError::new("poison rate", poison_rate, why));
        }
        for (name, value) in [
            ("squared radius", squared_radius),
            ("trace of the covariance", covariance_trace),
            ("trace of the noise", noise_trace),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(ParameterError::new(name, value, "it must be finite and not negative"));
            }
        }
        Ok(MeanSetting { learning_rate, poison_rate, squared_radius, covariance_trace, noise_trace })
    }

    /// η.
    pub fn learning_rate(&self) -> f64 {
        self.learning_rate
    }

    /// ε.
    pub fn poison_rate(&self) -> f64 {
        self.poison_rate
    }

    /// r.
    pub fn squared_radius(&self) -> f64 {
        self.squared_radius
    }

    /// T = (1−ε) tr Σ + tr S.
    fn spread(&self) -> f64 {
        (1.0 - self.poison_rate) * self.covariance_trace + self.noise_trace
    }

    fn c1(&self) -> f64 {
        let eta = self.learning_rate;
        eta * (self.spread() + self.poison_rate * self.squared_radius) / (2.0 - eta)
    }

    fn c2(&self) -> f64 {
        let eta = self.learning_rate;
        self.squared_radius * (self.poison_rate * (1.0 - eta) / (2.0 - eta)).powi(2)
    }

    /// The closed form, in floating point.
    pub fn bound(&self) -> f64 {
        (self.c2().sqrt() + (self.c1() + self.c2()).sqrt()).powi(2)
    }

    /// a = (1+x)/(2η−η²): the bound is t(λ) of λ(θ) = a‖θ−μ‖².
    pub fn curvature(&self) -> f64 {
        let eta = self.learning_rate;
        (1.0 + self.excess()) / (2.0 * eta - eta * eta)
    }

    /// x = √(C2/(C1+C2)).
    fn excess(&self) -> f64 {
        let (c1, c2) = (self.c1(), self.c2());
        if c2 > 0.0 { (c2 / (c1 + c2)).sqrt() } else { 0.0 }
    }

    /// η tr(Σ+S)/(2−η).
    pub fn benign_loss(&self) -> f64 {
        self.learning_rate * (self.covariance_trace + self.noise_trace) / (2.0 - self.learning_rate)
    }

    /// ε²r + η(T + ε(1−ε)r)/(2−η).
    pub fn constant_attack_loss(&self) -> f64 {
        let (eta, eps, r) = (self.learning_rate, self.poison_rate, self.squared_radius);
        eps * eps * r + eta * (self.spread() + eps * (1.0 - eps) * r) / (2.0 - eta)
    }

    /// (a, ν) of the closed form. `slack` > 0 moves them inside the conditions, which hold with equality otherwise; for
    /// r = 0 the bound is an infimum, approached as ν grows, and slack is what keeps ν finite.
    fn witness(&self, slack: f64) -> (f64, f64) {
        let (eta, eps) = (self.learning_rate, self.poison_rate);
        let excess = self.excess() + slack; // (2η−η²)a − 1
        let a = (1.0 + excess) / (2.0 * eta - eta * eta);
        let corner = (eps * eta * (1.0 - eta) * a).powi(2);
        let nu = eps * eta * eta * a + if corner > 0.0 { corner / excess } else { 0.0 };
        (a, nu * (1.0 + slack))
    }
}

/// A proven bound on the long-run E‖θ−μ‖² of the estimate with shrinkage, θ' = (1−η−ησ)θ + ηz.
///
/// With c = 1/(1+σ) this is θ' = (1−η')θ + η'·cz, η' = η(1+σ): plain mean estimation of the points cz, whose mean is cμ, so
/// that E‖θ−cμ‖² ≤ C by the closed form for η', c²r and c² tr Σ. By the triangle inequality in L², the root of E‖θ−μ‖² is at
/// most √C + ‖μ−cμ‖. C has been verified by the exact checker; the last step rounds outward.
///
/// ```
/// use unswayed::certify::{MeanSetting, certify_mean, certify_shrunk_mean};
/// let setting = MeanSetting::new(1e-6, 0.3, 4.0, 1.0, 0.0)?;
/// let plain = certify_mean(&setting)?.certified_loss;
/// let near = certify_shrunk_mean(&setting, 0.5, 0.1)?; // ‖μ‖ = 0.1 < ε√r = 0.6: shrinkage helps
/// let far = certify_shrunk_mean(&setting, 0.5, 5.0)?;
/// assert!(near < plain && plain < far);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn certify_shrunk_mean(
    setting: &MeanSetting,
    shrinkage: f64,
    mean_norm: f64,
) -> Result<f64, CertifyError> {
    for (name, value) in [("shrinkage", shrinkage), ("norm of the mean", mean_norm)] {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(ParameterError::new(name, value, "it must be finite and not negative").into());
        }
    }
    // Larger numbers give larger bounds, so rounding them up is safe.
    let up = |x: f64| x * (1.0 + 1e-14);
    let c = 1.0 / (1.0 + shrinkage);
    let shrunk = MeanSetting::new(
        up(setting.learning_rate * (1.0 + shrinkage)),
        setting.poison_rate,
        up(c * c * setting.squared_radius),
        up(c * c * setting.covariance_trace),
        up(c * c * setting.noise_trace),
    )?;
    let root = certify_mean(&shrunk)?.certified_loss.sqrt() + shrinkage * c * mean_norm;
    Ok(up(up(root).powi(2)))
}

/// Certifies mean estimation for a distribution given by tr Σ.
pub fn certify_mean(setting: &MeanSetting) -> Result<MeanOutcome, CertifyError> {
    outcome(setting, MeanBenign::CovarianceTrace(setting.covariance_trace), None)
}

impl MeanSetting {
    /// The setting for the distribution of the samples: each row is a point.
    pub fn of_samples(
        samples: &Dataset,
        learning_rate: f64,
        poison_rate: f64,
        squared_radius: f64,
        noise_trace: f64,
    ) -> Result<MeanSetting, ParameterError> {
        let trace = covariance_trace(samples);
        MeanSetting::new(learning_rate, poison_rate, squared_radius, trace, noise_trace)
    }
}

impl MeanOutcome {
    /// Certifies mean estimation for the distribution of the samples: each row is a point.
    pub fn of_samples(
        samples: &Dataset,
        learning_rate: f64,
        poison_rate: f64,
        squared_radius: f64,
        noise_trace: f64,
    ) -> Result<MeanOutcome, CertifyError> {
        let setting =
            MeanSetting::of_samples(samples, learning_rate, poison_rate, squared_radius, noise_trace)?;
        outcome(&setting, MeanBenign::Samples(samples.origin().clone()), Some(&Rows::of(samples)))
    }
}

fn outcome(
    setting: &MeanSetting,
    benign: MeanBenign,
    samples: Option<&Rows>,
) -> Result<MeanOutcome, CertifyError> {
    let statement = MeanStatement {
        learning_rate: setting.learning_rate,
        poison_rate: setting.poison_rate,
        squared_radius: setting.squared_radius,
        noise_trace: setting.noise_trace,
        benign,
    };
    let (alpha, nu) = (f64::NAN, f64::NAN);
    let mut certificate = MeanCertificate { tool: tool(), statement, bound: f64::MAX, alpha, nu };
    let mut refusal = None;
    for slack in [1e-15, 1e-14, 1e-13, 1e-12, 1e-9, 1e-6] {
        (certificate.alpha, certificate.nu) = setting.witness(slack);
        match check_mean(&certificate, samples) {
            Ok(bound) => {
                certificate.bound = bound;
                return Ok(MeanOutcome {
                    certified_loss: bound,
                    benign_loss: setting.benign_loss(),
                    attack_loss: setting.constant_attack_loss(),
                    transient_steps: transient_steps(setting, &certificate),
                    certificate,
                });
            }
            Err(failure) => refusal = Some(failure),
        }
    }
    Err(CertifyError::NoProof { refusal })
}

/// The T at which a‖θ_0−μ‖²/T is 1 % of the bound, for ‖θ_0−μ‖² = r.
fn transient_steps(setting: &MeanSetting, certificate: &MeanCertificate) -> f64 {
    let MeanCertificate { bound, alpha, .. } = *certificate;
    if bound == 0.0 { 0.0 } else { (alpha * setting.squared_radius / (0.01 * bound)).ceil() }
}

/// Σ p_i‖z_i − z̄‖².
fn covariance_trace(samples: &Dataset) -> f64 {
    let weights = samples.probabilities();
    let mut mean = vec![0.0; samples.dimension()];
    for (z, p) in samples.iter().zip(&weights) {
        for (m, z) in mean.iter_mut().zip(z) {
            *m += p * z;
        }
    }
    let deviation = |z: &[f64]| z.iter().zip(&mean).map(|(z, m)| (z - m).powi(2)).sum::<f64>();
    samples.iter().zip(&weights).map(|(z, p)| p * deviation(z)).sum()
}
