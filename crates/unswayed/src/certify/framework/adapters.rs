//! The built-in hinge learner as a [`Model`], and the λ of its certificates.

use unswayed_check::Witness;

use super::{Benign, Model, dot, norm, shorten};
use crate::data::Dataset;
use crate::learner::Hinge;
use crate::threat::Threat;

/// The hinge learner on data, with the loss a witness speaks of.
///
/// ```
/// use unswayed::certify::framework::{HingeModel, Quadratic, Residual, Search};
/// use unswayed::{Dataset, Hinge, Threat, certify};
///
/// let data = Dataset::from_rows(vec![0.6, 0.5, 0.9, -0.1, 0.2, 0.7, -0.1, 0.4], 2, None)?;
/// let (learner, threat) = (Hinge::new(0.01, 0.1)?, Threat::new(0.05)?);
/// let claim = certify::certify(&data, &learner, &threat, &Default::default())?.certificate.loss;
///
/// // Is there a model and a point at which the certificate's inequality fails?
/// let model = HingeModel::new(&data, &learner, &threat).of(&claim.witness);
/// let lambda = Quadratic::of(&claim.witness, &learner).unwrap();
/// let found = Residual::new(&model, |theta| lambda.value(theta))?.falsify(&Search::default());
/// assert!(!found.refutes(claim.bound));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct HingeModel<'a> {
    data: &'a Dataset,
    weights: Vec<f64>,
    learner: Hinge,
    threat: Threat,
    ball: f64,
    errors: bool,
}

impl<'a> HingeModel<'a> {
    /// With the hinge loss, for all models θ ∈ R^d.
    pub fn new(data: &'a Dataset, learner: &Hinge, threat: &Threat) -> Self {
        let (learner, threat) = (*learner, *threat);
        HingeModel {
            data,
            weights: data.probabilities(),
            learner,
            threat,
            ball: f64::INFINITY,
            errors: false,
        }
    }

    /// For what the witness claims: models in its ball if it has one, and the error instead of the loss if it bounds that.
    pub fn of(self, witness: &Witness) -> Self {
        let ball = if let Witness::BoundedRange { ball, .. } = witness { *ball } else { f64::INFINITY };
        HingeModel { ball, errors: matches!(witness, Witness::ZeroOne { .. }), ..self }
    }
}

impl Model for HingeModel<'_> {
    fn dimension(&self) -> usize {
        self.data.dimension()
    }

    fn poison_rate(&self) -> f64 {
        self.threat.poison_rate()
    }

    fn step(&self, theta: &mut [f64], z: &[f64]) {
        self.learner.update(theta, z);
    }

    fn loss(&self, theta: &[f64]) -> f64 {
        let wrong = |score: f64| f64::from(u8::from(score <= 0.0));
        let hinge = |score: f64| (1.0 - score).max(0.0);
        let loss = |score: f64| if self.errors { wrong(score) } else { hinge(score) };
        self.data.iter().zip(&self.weights).map(|(z, p)| p * loss(dot(theta, z))).sum()
    }

    fn benign(&self) -> Benign<'_> {
        Benign::Rows(self.data)
    }

    fn project_point(&self, z: &mut [f64]) {
        shorten(z, self.threat.radius());
    }

    fn project_model(&self, theta: &mut [f64]) {
        shorten(theta, self.ball);
    }

    /// Where a point stops acting, θᵀz = 1, and for the error where it counts as wrong, θᵀz = 0.
    fn kinks(&self) -> usize {
        if self.errors { 2 } else { 1 }
    }

    fn kink(&self, which: usize, theta: &[f64], z: &[f64]) -> f64 {
        (if which == 0 { 1.0 } else { 0.0 }) - dot(theta, z)
    }
}

/// λ(θ) = (α‖θ‖² + βᵀθ)/η, the λ of the hinge learner's certificates.
#[derive(Clone, Debug, PartialEq)]
pub struct Quadratic {
    alpha: f64,
    beta: Vec<f64>,
    learning_rate: f64,
}

impl Quadratic {
    /// α > 0, β and the learning rate η.
    pub fn new(alpha: f64, beta: Vec<f64>, learning_rate: f64) -> Self {
        Quadratic { alpha, beta, learning_rate }
    }

    /// The λ of a witness; `None` if it is not about the hinge learner.
    pub fn of(witness: &Witness, learner: &Hinge) -> Option<Self> {
        let (Witness::Convexity { alpha, beta, .. }
        | Witness::BoundedRange { alpha, beta, .. }
        | Witness::ZeroOne { alpha, beta, .. }) = witness
        else {
            return None;
        };
        Some(Quadratic::new(*alpha, beta.clone(), learner.learning_rate()))
    }

    /// λ(θ).
    pub fn value(&self, theta: &[f64]) -> f64 {
        (self.alpha * dot(theta, theta) + dot(&self.beta, theta)) / self.learning_rate
    }

    /// The least value of λ on the whole space, −‖β‖²/(4αη).
    pub fn infimum(&self) -> f64 {
        -norm(&self.beta).powi(2) / (4.0 * self.alpha * self.learning_rate)
    }
}
