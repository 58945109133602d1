//! Random Fourier features: cosines in random directions, in which a linear model can follow smooth curves. Their inner products
//! approximate a Gaussian kernel (Rahimi and Recht, 2007).

use rand_distr::{Distribution, StandardNormal, StandardUniform};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;

use super::number::quantile;
use crate::certify::dot;

/// Pairs of rows that the kernel's width is taken from.
const PAIRS: usize = 1000;

/// cos(w·x + φ) · √(2/n) for n random directions w and phases φ.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fourier {
    /// The directions, one after the other.
    pub directions: Vec<f64>,
    pub phases: Vec<f64>,
}

impl Fourier {
    /// Draws so many directions. The kernel is as wide as the median distance of the rows.
    pub fn fit(x: &[f64], dimension: usize, count: usize) -> Fourier {
        let mut random = Pcg64Mcg::seed_from_u64(0);
        let width = median_distance(x, dimension, &mut random);
        let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
        let directions = (0..count * dimension).map(|_| normal() / width).collect();
        let mut uniform = || -> f64 { StandardUniform.sample(&mut random) };
        let phases = (0..count).map(|_| uniform() * std::f64::consts::TAU).collect();
        Fourier { directions, phases }
    }

    pub fn apply(&self, x: &[f64], dimension: usize) -> Vec<f64> {
        let size = (2.0 / self.phases.len() as f64).sqrt();
        let row = |x: &[f64]| {
            let waves = self.directions.chunks_exact(dimension).zip(&self.phases);
            waves.map(|(w, phase)| size * (dot(w, x) + phase).cos()).collect::<Vec<f64>>()
        };
        x.chunks_exact(dimension).flat_map(row).collect()
    }
}

fn median_distance(x: &[f64], dimension: usize, random: &mut Pcg64Mcg) -> f64 {
    let rows = x.len() / dimension;
    let mut index = || {
        let share: f64 = StandardUniform.sample(random);
        (share * rows as f64) as usize % rows
    };
    let mut distances: Vec<f64> = (0..PAIRS)
        .map(|_| {
            let (a, b) = (&x[index() * dimension..][..dimension], &x[index() * dimension..][..dimension]);
            a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        })
        .filter(|distance| *distance > 0.0)
        .collect();
    distances.sort_unstable_by(f64::total_cmp);
    let median = quantile(&distances, 0.5);
    if median > 0.0 && median.is_finite() { median } else { 1.0 }
}
