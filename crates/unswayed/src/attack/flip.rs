//! Label flips: a random row of the data with the wrong label.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

use super::{Policy, dot, stretch};
use crate::data::Dataset;

/// Sends −z_i for a random row i.
#[derive(Clone, Debug)]
pub struct LabelFlip<'a> {
    data: &'a Dataset,
    /// Σ_{j≤i} p_j.
    cumulative: Vec<f64>,
    radius: f64,
    rng: Pcg64Mcg,
}

impl<'a> LabelFlip<'a> {
    /// Flips rows of the data, shortened to the radius where they are longer.
    pub fn new(data: &'a Dataset, radius: f64, seed: u64) -> Self {
        let sum = |total: &mut f64, p: f64| {
            *total += p;
            Some(*total)
        };
        let cumulative = data.probabilities().into_iter().scan(0.0, sum).collect();
        LabelFlip { data, cumulative, radius, rng: Pcg64Mcg::seed_from_u64(seed) }
    }
}

impl Policy for LabelFlip<'_> {
    fn name(&self) -> &'static str {
        "label-flip"
    }

    fn choose(&mut self, _: &[f64], z: &mut [f64]) {
        let uniform = (self.rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let row = self.cumulative.partition_point(|c| *c <= uniform).min(self.data.rows() - 1);
        z.iter_mut().zip(self.data.row(row)).for_each(|(z, x)| *z = -x);
        if dot(z, z) > self.radius * self.radius {
            stretch(z, self.radius);
        }
    }
}
