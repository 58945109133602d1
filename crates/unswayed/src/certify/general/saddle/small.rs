//! Systems as small as a row's unknowns.

use super::curves::UNKNOWNS;

/// The Cholesky factor of a small matrix.
pub(super) struct Small {
    size: usize,
    factor: [[f64; UNKNOWNS]; UNKNOWNS],
}

impl Small {
    /// `None` if the matrix is not positive.
    pub(super) fn new(size: usize, entry: impl Fn(usize, usize) -> f64) -> Option<Small> {
        let mut factor = [[0.0; UNKNOWNS]; UNKNOWNS];
        for i in 0..size {
            for j in 0..=i {
                let sum: f64 = (0..j).map(|k| factor[i][k] * factor[j][k]).sum();
                let rest = entry(i, j) - sum;
                if i == j {
                    // Where rounding leaves nothing, the direction has no curvature to speak of.
                    let least = 1e-15 * entry(i, i);
                    if rest.max(least).is_nan() || rest.max(least) <= 0.0 {
                        return None;
                    }
                    factor[i][i] = rest.max(least).sqrt();
                } else {
                    factor[i][j] = rest / factor[j][j];
                }
            }
        }
        Some(Small { size, factor })
    }

    /// The solution for a right side.
    pub(super) fn solve(&self, right: &[f64; UNKNOWNS]) -> [f64; UNKNOWNS] {
        let mut x = *right;
        for i in 0..self.size {
            let sum: f64 = (0..i).map(|k| self.factor[i][k] * x[k]).sum();
            x[i] = (x[i] - sum) / self.factor[i][i];
        }
        for i in (0..self.size).rev() {
            let sum: f64 = (i + 1..self.size).map(|k| self.factor[k][i] * x[k]).sum();
            x[i] = (x[i] - sum) / self.factor[i][i];
        }
        x
    }
}
