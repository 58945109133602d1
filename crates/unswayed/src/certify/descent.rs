//! Dual coordinate descent for min_θ Σ c_i max(0, 1−θᵀz_i) + (σ/2)‖θ‖²: exact at kinks, and cheap from a good start.
//!
//! θ = Σ a_i z_i/σ with 0 ≤ a_i ≤ c_i; one coordinate at a time is set to its best value.

use super::dot;

/// The state of the descent.
pub(crate) struct Descent {
    /// c_i, the weights of the rows.
    pub caps: Vec<f64>,
    /// ‖z_i‖².
    pub squared: Vec<f64>,
    /// σ.
    pub sigma: f64,
    /// a_i.
    pub a: Vec<f64>,
    /// θ.
    pub theta: Vec<f64>,
}

impl Descent {
    /// Descends until no coordinate moves θ by more than the tolerance, or for so many rounds. A round is one sweep over
    /// all rows and some over those in motion.
    pub fn run<'r>(&mut self, row: impl Fn(usize) -> &'r [f64], tolerance: f64, rounds: usize) {
        let everyone: Vec<usize> = (0..self.a.len()).collect();
        let mut open = Vec::new();
        for _ in 0..rounds {
            if self.sweep(&everyone, &row, &mut open) < tolerance {
                break;
            }
            let moving = std::mem::take(&mut open);
            for _ in 0..40 {
                if self.sweep(&moving, &row, &mut open) < tolerance / 3.0 {
                    break;
                }
            }
        }
    }

    /// One pass over some coordinates: the largest move of a score, and those that are inside their range or moved.
    fn sweep<'r>(
        &mut self,
        which: &[usize],
        row: &impl Fn(usize) -> &'r [f64],
        open: &mut Vec<usize>,
    ) -> f64 {
        open.clear();
        let mut largest = 0.0_f64;
        for &i in which {
            let (z, squared, cap) = (row(i), self.squared[i], self.caps[i]);
            if squared == 0.0 {
                continue;
            }
            let before = self.a[i];
            let after = (before - self.sigma * (dot(&self.theta, z) - 1.0) / squared).clamp(0.0, cap);
            let moved = (after - before) / self.sigma;
            if moved != 0.0 {
                self.theta.iter_mut().zip(z).for_each(|(t, z)| *t += moved * z);
                self.a[i] = after;
                largest = largest.max((moved * squared).abs());
            }
            if moved != 0.0 || after > 0.0 && after < cap {
                open.push(i);
            }
        }
        largest
    }
}
