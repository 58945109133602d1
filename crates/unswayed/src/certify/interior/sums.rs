//! What the passes over the rows add up to.

use super::super::dense::{Matrix, WIDE, padded};

/// Columns of the matrix product that are vectors: αβ, θα, and slope and weight, now and aimed at. Columns up to [`WIDE`] are empty.
pub const VECTORS: usize = 6;

/// The rows' part of a gradient, with respect to α, β and θ.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Gradient {
    pub alpha: f64,
    pub beta: Vec<f64>,
    pub theta: Vec<f64>,
}

/// The rows' part of the Newton system, and of the objective.
pub struct System {
    /// Σ p_i cᵀℓ_i.
    pub cost: f64,
    /// Σ p_i Σ_k λ_k·slack_k.
    pub complementarity: f64,
    /// The gradient at the current point.
    pub gradient: Gradient,
    /// The gradient that a step to complementarity zero aims at.
    pub aim: Gradient,
    /// αα of the Hessian.
    pub alpha_alpha: f64,
    /// αβ and θα of the Hessian.
    pub alpha_beta: Vec<f64>,
    /// See `alpha_beta`.
    pub theta_alpha: Vec<f64>,
    /// ββ of the Hessian.
    pub beta_beta: Matrix,
    /// −θθ of the Hessian.
    pub minus_theta_theta: Matrix,
    /// θβ of the Hessian, if rows couple the two.
    pub theta_beta: Option<Matrix>,
}

/// What the predictor tells: how far it may go, how the gap would change, and where the corrector aims.
pub struct Prediction {
    /// The longest step that keeps slacks and multipliers nonnegative.
    pub limit: f64,
    /// Complementarity after a step t: c0 + c1·t + c2·t².
    pub gap: [f64; 3],
    /// The gradient aimed at, second-order correction included, for complementarity zero …
    pub aim: Gradient,
    /// … and its change for each unit of complementarity.
    pub per_unit: Gradient,
}

impl Gradient {
    /// Zero.
    pub fn zero(d: usize) -> Self {
        Gradient { alpha: 0.0, beta: vec![0.0; d], theta: vec![0.0; d] }
    }

    /// self + scale·other.
    pub fn plus(&self, other: &Gradient, scale: f64) -> Gradient {
        let add = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + scale * b).collect();
        Gradient {
            alpha: self.alpha + scale * other.alpha,
            beta: add(&self.beta, &other.beta),
            theta: add(&self.theta, &other.theta),
        }
    }
}

impl Prediction {
    /// Nothing yet.
    pub fn new(d: usize) -> Self {
        Prediction {
            limit: f64::INFINITY,
            gap: [0.0; 3],
            aim: Gradient::zero(d),
            per_unit: Gradient::zero(d),
        }
    }

    /// The sum over two sets of rows.
    pub fn join(&self, other: &Prediction) -> Prediction {
        Prediction {
            limit: self.limit.min(other.limit),
            gap: std::array::from_fn(|k| self.gap[k] + other.gap[k]),
            aim: self.aim.plus(&other.aim, 1.0),
            per_unit: self.per_unit.plus(&other.per_unit, 1.0),
        }
    }
}

impl System {
    /// Sorts out what the passes added up. J depends on β through (1−ε)z, which the columns leave out.
    pub fn new(sums: [f64; 5], columns: &Matrix, epsilon: f64, coupled: bool) -> System {
        let (d, scale) = (columns.rows(), 1.0 - epsilon);
        let column = |j: usize, scale: f64| (0..d).map(|i| scale * columns[(i, j)]).collect::<Vec<_>>();
        let matrix = |b: usize, scale: f64| {
            Matrix::from_fn(d, d, |i, j| scale * columns[(i.min(j), WIDE + b * padded(d) + i.max(j))])
        };
        System {
            cost: sums[0],
            complementarity: sums[1],
            gradient: Gradient { alpha: sums[2], beta: column(2, scale), theta: column(3, 1.0) },
            aim: Gradient { alpha: sums[3], beta: column(4, scale), theta: column(5, 1.0) },
            alpha_alpha: sums[4],
            alpha_beta: column(0, scale),
            theta_alpha: column(1, 1.0),
            beta_beta: matrix(0, scale * scale),
            minus_theta_theta: matrix(1, 1.0),
            theta_beta: coupled.then(|| matrix(2, scale)),
        }
    }
}
