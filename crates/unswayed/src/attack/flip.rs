//! Label flips: a random row of the data with the wrong label.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

use super::{Policy, scale};
use crate::data::Dataset;
use crate::simulate::Region;

/// Sends −z_i for a random row i, or for the row that it was given.
#[derive(Clone, Debug)]
pub struct LabelFlip<'a> {
    data: &'a Dataset,
    /// Σ_{j≤i} p_j.
    cumulative: Vec<f64>,
    region: Region,
    rng: Pcg64Mcg,
}

impl<'a> LabelFlip<'a> {
    /// Flips rows of the data, shortened to the radius where they are longer.
    pub fn new(data: &'a Dataset, radius: f64, seed: u64) -> Self {
        LabelFlip::within(data, Region::Ball { radius, centre: None }, seed)
    }

    /// Flips rows of the data and moves them into the region; of classes takes a random wrong one, of numbers one far out.
    pub(super) fn within(data: &'a Dataset, region: Region, seed: u64) -> Self {
        let sum = |total: &mut f64, p: f64| {
            *total += p;
            Some(*total)
        };
        let cumulative = data.probabilities().into_iter().scan(0.0, sum).collect();
        LabelFlip { data, cumulative, region, rng: Pcg64Mcg::seed_from_u64(seed) }
    }
}

impl LabelFlip<'_> {
    /// Uniform in [0, 1).
    fn uniform(&mut self) -> f64 {
        (self.rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}

impl Policy for LabelFlip<'_> {
    fn name(&self) -> &'static str {
        "label-flip"
    }

    fn choose(&mut self, _: &[f64], z: &mut [f64]) {
        if !self.region.is_labels() {
            let uniform = self.uniform();
            let row = self.cumulative.partition_point(|c| *c <= uniform).min(self.data.rows() - 1);
            match self.data.sparse() {
                Some(rows) => {
                    z.fill(0.0);
                    rows.add(row, 1.0, z);
                }
                None => z.copy_from_slice(self.data.row(row)),
            }
        }
        if let Region::Classes { classes, .. } = self.region {
            let further = 1.0 + (self.uniform() * (classes - 1) as f64).floor();
            z[0] = (z[0] + further) % classes as f64;
        } else if let Region::Numbers { usual, .. } = self.region {
            // A label far out on the other side. The set is symmetric: (x, −y) pulls as (−x, y) does.
            if z[0] * usual >= 0.0 {
                scale(&mut z[1..], -1.0);
            }
        } else {
            scale(z, -1.0);
        }
        self.region.bring_in(z);
    }
}
