//! The matrix inequality of the program, t ≥ vᵀδ − δᵀAδ for all δ, and the moments of the worst model that are its multiplier.
//!
//! X = [t, −v/2; −v/2, A] and S = [1, δ; δ, Δ] are scaled to the same matrix V = Ĝ⁻¹XĜ⁻ᵀ = ĜᵀSĜ (Nesterov and Todd), where
//! Ĝ = [g₀, g; 0, G]. A change of S with a fixed corner is then a vector e' = √2·g₀Gᵀdδ and a matrix
//! X' = Gᵀ(dΔ − δ_w dδᵀ − dδ δ_wᵀ)G, δ_w = −G⁻ᵀg, and its size in the scaled norm is ‖e'‖² + ‖X'‖².

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

use super::base::Cholesky;

/// X and S scaled to V.
pub(super) struct Scaling {
    /// G
    pub(super) factor: Cholesky,
    /// g₀
    pub(super) corner: f64,
    /// δ_w
    pub(super) centre: Vec<f64>,
    whole: Mat<f64>,
    /// V, its eigenvectors and eigenvalues.
    scaled: Mat<f64>,
    vectors: Mat<f64>,
    values: Vec<f64>,
}

/// A lower triangle of a positive definite matrix.
fn triangle(matrix: &Mat<f64>) -> Option<Mat<f64>> {
    Some(matrix.llt(Side::Lower).ok()?.L().to_owned())
}

impl Scaling {
    /// None if one of the two is not positive definite.
    pub(super) fn new(x: &Mat<f64>, s: &Mat<f64>) -> Option<Self> {
        let d = x.nrows() - 1;
        let lower = triangle(x)?;
        let svd = (triangle(s)?.transpose() * &lower).svd().ok()?;
        let roots: Vec<f64> = svd.S().column_vector().iter().map(|s| s.sqrt()).collect();
        let half = &lower * svd.V();
        let half = Mat::from_fn(d + 1, d + 1, |i, j| half[(i, j)] / roots[j]);
        let w = &half * half.transpose();
        let inner = (0..d * d).map(|place| w[(1 + place / d, 1 + place % d)]).collect();
        let factor = Cholesky::new(inner, d)?;
        let border: Vec<f64> = (1..=d).map(|j| w[(j, 0)]).collect();
        let g = factor.half(&border);
        // What the Cholesky decomposition leaves of the corner, without cancellation: 1/(W⁻¹)₀₀.
        let mut first = Mat::<f64>::zeros(d + 1, 1);
        first[(0, 0)] = 1.0;
        let corner = 1.0 / w.llt(Side::Lower).ok()?.solve(&first)[(0, 0)].sqrt();
        let centre = factor.solve(&border).iter().map(|x| -x).collect();
        let whole = Mat::from_fn(d + 1, d + 1, |i, j| match (i, j) {
            (0, 0) => corner,
            (0, j) => g[j - 1],
            (_, 0) => 0.0,
            (i, j) if j <= i => factor.entry(i - 1, j - 1),
            _ => 0.0,
        });
        let scaled = whole.transpose() * (s * &whole);
        let eigen = scaled.self_adjoint_eigen(Side::Lower).ok()?;
        let values: Vec<f64> = eigen.S().column_vector().iter().copied().collect();
        if values.iter().any(|value| value.is_nan() || *value <= 0.0) {
            return None;
        }
        let vectors = eigen.U().to_owned();
        Some(Scaling { factor, corner, centre, whole, scaled, vectors, values })
    }

    /// What the changes of X and S, scaled, must add up to: (V + dX)(V + dS) = b·I, symmetrized, where `made` are changes whose
    /// product is taken into account.
    pub(super) fn residual(&self, barrier: f64, made: Option<&[Mat<f64>; 2]>) -> Mat<f64> {
        let (vectors, values, size) = (&self.vectors, &self.values, self.values.len());
        let product = made.map(|[x, s]| vectors.transpose() * (x * s + s * x) * vectors);
        let inner = Mat::from_fn(size, size, |i, j| {
            let own = if i == j { barrier / values[i] - values[i] } else { 0.0 };
            own - product.as_ref().map_or(0.0, |p| p[(i, j)] / (values[i] + values[j]))
        });
        vectors * inner * vectors.transpose()
    }

    /// The trace of V².
    pub(super) fn trace(&self) -> f64 {
        self.scaled.norm_l2().powi(2)
    }

    /// The scaled changes of X and S of a step.
    pub(super) fn scaled_changes(&self, coordinates: &[f64], residual: &Mat<f64>) -> [Mat<f64>; 2] {
        let s = self.matrix(coordinates);
        [residual - &s, s]
    }

    /// How far V may go along a change until it is no longer positive definite.
    pub(super) fn room(&self, change: &Mat<f64>) -> Option<f64> {
        let inner = self.vectors.transpose() * change * &self.vectors;
        let root = |i: usize| self.values[i].sqrt();
        let relative =
            Mat::from_fn(self.values.len(), self.values.len(), |i, j| inner[(i, j)] / (root(i) * root(j)));
        let least = relative.self_adjoint_eigenvalues(Side::Lower).ok()?.into_iter().fold(0.0, f64::min);
        Some(if least < 0.0 { -1.0 / least } else { f64::INFINITY })
    }

    /// The coordinates e', X' of a scaled symmetric matrix.
    pub(super) fn coordinates(matrix: &Mat<f64>) -> Vec<f64> {
        let root = std::f64::consts::SQRT_2;
        let size = matrix.nrows();
        let border = (1..size).map(|j| root * matrix[(j, 0)]);
        let lower =
            |j: usize| (1..=j).map(move |k| if j == k { matrix[(j, j)] } else { root * matrix[(j, k)] });
        border.chain((1..size).flat_map(lower)).collect()
    }

    /// The scaled matrix with these coordinates.
    fn matrix(&self, coordinates: &[f64]) -> Mat<f64> {
        let size = self.scaled.nrows();
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let mut matrix = Mat::<f64>::zeros(size, size);
        let (border, mut rest) = coordinates.split_at(size - 1);
        for j in 1..size {
            (matrix[(j, 0)], matrix[(0, j)]) = (half * border[j - 1], half * border[j - 1]);
            let (line, after) = rest.split_at(j);
            rest = after;
            for k in 1..=j {
                let value = if j == k { line[k - 1] } else { half * line[k - 1] };
                (matrix[(j, k)], matrix[(k, j)]) = (value, value);
            }
        }
        matrix
    }

    /// The changes of S and of t, for a change of the coordinates and a residual.
    pub(super) fn change(&self, coordinates: &[f64], residual: &Mat<f64>) -> (Mat<f64>, f64) {
        let d = self.centre.len();
        let matrix = self.matrix(coordinates);
        let row: Vec<f64> = (0..=d).map(|j| self.whole[(0, j)]).collect();
        let top = (0..=d)
            .map(|i| row[i] * (0..=d).map(|j| row[j] * (residual[(i, j)] - matrix[(i, j)])).sum::<f64>());
        let top = top.sum();
        // dδ = G⁻ᵀe'/(√2g₀), dΔ = G⁻ᵀX'G⁻¹ + δ_w dδᵀ + dδ δ_wᵀ
        let border: Vec<f64> = (1..=d).map(|j| matrix[(j, 0)] / self.corner).collect();
        let mean = self.factor.other_half(&border);
        let columns: Vec<Vec<f64>> = (1..=d)
            .map(|k| self.factor.other_half(&(1..=d).map(|j| matrix[(j, k)]).collect::<Vec<_>>()))
            .collect();
        let mut change = Mat::<f64>::zeros(d + 1, d + 1);
        for j in 0..d {
            (change[(j + 1, 0)], change[(0, j + 1)]) = (mean[j], mean[j]);
            let line: Vec<f64> = columns.iter().map(|column| column[j]).collect();
            for (k, value) in self.factor.other_half(&line).into_iter().enumerate() {
                change[(j + 1, k + 1)] = value + self.centre[j] * mean[k] + mean[j] * self.centre[k];
            }
        }
        (change, top)
    }

    /// Whether a matrix is positive definite.
    pub(super) fn is_definite(matrix: &Mat<f64>) -> bool {
        matrix.llt(Side::Lower).is_ok()
    }
}

/// The mean δ of the worst model and its second moment Δ, in one matrix.
pub(super) fn first_moments(delta: &[f64], factor: &Cholesky, barrier: f64) -> Mat<f64> {
    let d = delta.len();
    let mut s = Mat::<f64>::zeros(d + 1, d + 1);
    s[(0, 0)] = 1.0;
    for j in 0..d {
        let mut unit = vec![0.0; d];
        unit[j] = barrier;
        (s[(j + 1, 0)], s[(0, j + 1)]) = (delta[j], delta[j]);
        for (k, value) in factor.solve(&unit).into_iter().enumerate() {
            s[(k + 1, j + 1)] = value + delta[j] * delta[k];
        }
    }
    s
}

/// δ and the trace of Δ.
pub(super) fn mean_and_trace(s: &Mat<f64>) -> (Vec<f64>, f64) {
    let mean: Vec<f64> = (1..s.nrows()).map(|j| s[(j, 0)]).collect();
    let trace = (1..s.nrows()).map(|j| s[(j, j)]).sum();
    (mean, trace)
}
