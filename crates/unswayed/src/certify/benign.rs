//! The loss without an adversary, in the limit of small learning rates.
//!
//! Then the learner settles at the minimiser of Σ p_i max(0, 1−θᵀz_i) + (σ/2)‖θ‖². This is the saddle problem of the
//! convexity certificate with everything but θ held fixed (ε = 0, κ = 1, P₁₁ = σ/2), so its rows serve here too.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

use super::convexity::{Point, Problem, Rows, WholeLine, dot};
use crate::data::Dataset;
use crate::learner::Hinge;

/// Steps after which the iteration ends, converged or not.
const MOST_STEPS: usize = 60;

/// Where the learner settles when nobody poisons it.
#[derive(Clone, Debug)]
pub struct Benign {
    /// The minimiser.
    pub theta: Vec<f64>,
    /// Its hinge loss.
    pub loss: f64,
    /// Its error: the weight of the rows with θᵀz ≤ 0.
    pub error: f64,
}

/// Solves for the minimiser.
///
/// ```
/// use unswayed::{Dataset, Hinge};
/// let data = Dataset::from_rows(vec![1.0, 0.0, 0.0, 1.0], 2, None)?;
/// let benign = unswayed::certify::benign(&data, &Hinge::new(1e-3, 1.0)?);
/// assert!((benign.theta[0] - 0.5).abs() < 1e-9 && (benign.loss - 0.5).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn benign(data: &Dataset, learner: &Hinge) -> Benign {
    let problem = Problem::benign(data);
    let (d, sigma) = (data.dimension(), learner.regularization());
    let envelope = WholeLine;
    let mut point = Point::at_alpha(1.0, d);
    let mut rows = Rows::centred(&problem, &envelope, &point, 1.0);
    for _ in 0..MOST_STEPS {
        let system = rows.assemble(&point);
        let c =
            Mat::from_fn(d, d, |i, j| system.minus_theta_theta[(i, j)] + if i == j { sigma } else { 0.0 });
        let Ok(c) = c.llt(Side::Lower) else { break };
        let direction = |aim: &[f64]| {
            let force = Mat::from_fn(d, 1, |i, _| aim[i] - sigma * point.theta[i]);
            Point::towards(c.solve(force).col(0).iter().copied().collect())
        };
        let predicted = rows.predict(&direction(&system.aim.theta));
        let [c0, c1, c2] = predicted.gap;
        let t = predicted.limit.min(1.0);
        let target = ((c0 + t * (c1 + t * c2)) / c0).powi(3).clamp(1e-6, 0.8) * c0 / 4.0;
        let corrector = direction(&predicted.aim.plus(&predicted.per_unit, target).theta);
        let step = (0.995 * rows.correct(&corrector, target)).min(1.0);
        if step.is_nan() || step < 1e-9 || corrector.theta.iter().any(|t| !t.is_finite()) {
            break;
        }
        rows.advance(step);
        point = point.moved(&corrector, step);
        let moved = dot(&corrector.theta, &corrector.theta).sqrt();
        if c0 < 1e-13 && moved <= 1e-12 * (1.0 + dot(&point.theta, &point.theta).sqrt()) {
            break;
        }
    }
    measure(data, point.theta)
}

fn measure(data: &Dataset, theta: Vec<f64>) -> Benign {
    let (mut loss, mut error) = (0.0, 0.0);
    for (z, p) in data.iter().zip(data.probabilities()) {
        let score = dot(z, &theta);
        loss += p * (1.0 - score).max(0.0);
        error += if score <= 0.0 { p } else { 0.0 };
    }
    Benign { theta, loss, error }
}
