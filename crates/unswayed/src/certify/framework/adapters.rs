//! The built-in hinge learner as a [`Model`], and the λ of its certificates.

use unswayed_check::{Proof, RowBound, Set};

use super::{Benign, Model, dot, norm, shorten};
use crate::data::Dataset;
use crate::learner::LinearState;
use crate::problem::Problem;

/// The hinge learner against a ball, with the loss a proof speaks of.
///
/// ```
/// use unswayed::certify::framework::{HingeModel, Quadratic, Residual, Search};
/// use unswayed::{Dataset, Problem, certify};
///
/// let data = Dataset::from_rows(vec![0.6, 0.5, 0.9, -0.1, 0.2, 0.7, -0.1, 0.4], 2, None)?;
/// let problem = Problem::builder(data).learning_rate(0.01).regularization(0.1).poison_rate(0.05).build()?;
/// let claim = certify(&problem)?.certificate.loss;
///
/// // Is there a model and a point at which the certificate's inequality fails?
/// let model = HingeModel::new(&problem).of(&claim.proof);
/// let lambda = Quadratic::of(&claim.proof, &problem).unwrap();
/// let found = Residual::new(&model, |theta| lambda.value(theta))?.falsify(&Search::default());
/// assert!(!found.refutes(claim.bound));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct HingeModel<'a> {
    problem: &'a Problem,
    weights: Vec<f64>,
    ball: f64,
    errors: bool,
}

impl<'a> HingeModel<'a> {
    /// With the hinge loss, for all models θ ∈ R^d.
    pub fn new(problem: &'a Problem) -> Self {
        let weights = problem.data()[0].probabilities();
        HingeModel { problem, weights, ball: f64::INFINITY, errors: false }
    }

    /// For what the proof claims: models in its ball if it has one, and the error instead of the loss if it bounds that.
    pub fn of(self, proof: &Proof) -> Self {
        let errors = matches!(proof, Proof::Cases(proof) if proof.rows == RowBound::ErrorHinge);
        HingeModel { ball: proof.ball().unwrap_or(f64::INFINITY), errors, ..self }
    }

    fn data(&self) -> &Dataset {
        &self.problem.data()[0]
    }
}

impl Model for HingeModel<'_> {
    fn dimension(&self) -> usize {
        self.problem.parameters()
    }

    fn poison_rate(&self) -> f64 {
        self.problem.threat().poison_rate
    }

    fn step(&self, theta: &mut [f64], z: &[f64]) {
        LinearState::update(self.problem.learner(), theta, z);
    }

    fn loss(&self, theta: &[f64]) -> f64 {
        let wrong = |score: f64| f64::from(u8::from(score <= 0.0));
        let hinge = |score: f64| (1.0 - score).max(0.0);
        let loss = |score: f64| if self.errors { wrong(score) } else { hinge(score) };
        self.data().iter().zip(&self.weights).map(|(z, p)| p * loss(dot(theta, z))).sum()
    }

    fn benign(&self) -> Benign<'_> {
        Benign::Rows(self.data())
    }

    fn project_point(&self, z: &mut [f64]) {
        if let Set::Ball { radius } = self.problem.threat().set {
            shorten(z, radius);
        }
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

    /// The λ of a proof; `None` if it is not of this form.
    pub fn of(proof: &Proof, problem: &Problem) -> Option<Self> {
        // With momentum λ is one of θ and of its last move.
        let Proof::Cases(proof) = proof else { return None };
        if proof.rate.is_some() {
            return None;
        }
        Some(Quadratic::new(proof.alpha, proof.beta.clone(), problem.learner().learning_rate))
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
