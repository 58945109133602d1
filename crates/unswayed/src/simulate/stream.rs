//! Where points come from: benign rows by weight, and when the adversary's turn is.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;

use crate::attack::Policy;
use crate::certify::dot;
use crate::data::Dataset;
use crate::error::AttackError;
use crate::learner::{LANES, Padded};
use crate::threat::Threat;

/// Benign rows and the threat.
pub struct Stream {
    rows: Padded,
    /// For weighted rows: in cell i, row i is kept with this probability (in units of 2⁻³²), else the alias is taken.
    alias: Option<Vec<(u64, u32)>>,
    /// ln(1−ε), or 0 if there is no adversary.
    log_benign: f64,
    /// The middle of the adversary's ball, if not the origin.
    centre: Option<Vec<f64>>,
    radius: f64,
}

/// How far beyond the radius rounding may take a point.
const TOLERANCE: f64 = 1e-9;

impl Stream {
    /// The rows of a data set and a threat around the origin.
    pub fn new(data: &Dataset, threat: &Threat) -> Self {
        Stream {
            rows: Padded::new(data.iter(), data.dimension()),
            alias: data.weights().map(|_| alias_table(&data.probabilities())),
            log_benign: (-threat.poison_rate()).ln_1p(),
            centre: None,
            radius: threat.radius(),
        }
    }

    /// The same with the adversary's ball around another centre.
    pub fn around(self, centre: Vec<f64>) -> Self {
        Stream { centre: Some(centre), ..self }
    }

    /// A benign row.
    #[inline(always)]
    pub(super) fn draw(&self, rng: &mut Pcg64Mcg) -> &[[f64; LANES]] {
        let bits = rng.next_u64();
        let cell = ((bits >> 32) * self.rows.len() as u64) >> 32;
        let row = match &self.alias {
            None => cell as usize,
            Some(table) => {
                let (keep, alias) = table[cell as usize];
                if bits & 0xffff_ffff < keep { cell as usize } else { alias as usize }
            }
        };
        self.rows.row(row)
    }

    /// Benign steps before the adversary's next turn: geometric.
    pub(super) fn until_poison(&self, rng: &mut Pcg64Mcg) -> u64 {
        if self.log_benign == 0.0 {
            return u64::MAX;
        }
        // Uniform in (0, 1].
        let uniform = ((rng.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        (uniform.ln() / self.log_benign) as u64
    }

    /// Refuses a point outside the adversary's set.
    pub(super) fn admit(&self, policy: &impl Policy, point: &[f64]) -> Result<(), AttackError> {
        let squared: f64 = match &self.centre {
            None => dot(point, point),
            Some(centre) => point.iter().zip(centre).map(|(z, c)| (z - c).powi(2)).sum(),
        };
        if squared <= (self.radius * (1.0 + TOLERANCE)).powi(2) {
            return Ok(());
        }
        Err(AttackError::OutsideSet {
            policy: policy.name().to_owned(),
            norm: squared.sqrt(),
            radius: self.radius,
        })
    }
}

/// Walker's alias method.
fn alias_table(probabilities: &[f64]) -> Vec<(u64, u32)> {
    let n = probabilities.len();
    let full = (1u64 << 32) as f64;
    let mut scaled: Vec<f64> = probabilities.iter().map(|p| p * n as f64).collect();
    let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..n).partition(|i| scaled[*i] < 1.0);
    let mut table: Vec<(u64, u32)> = (0..n).map(|i| (1 << 32, i as u32)).collect();
    while let (Some(s), Some(&l)) = (small.pop(), large.last()) {
        table[s] = ((scaled[s] * full) as u64, l as u32);
        scaled[l] -= 1.0 - scaled[s];
        if scaled[l] < 1.0 {
            large.pop();
            small.push(l);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use rand_pcg::rand_core::SeedableRng;

    use super::*;

    #[test]
    fn rows_come_by_weight_and_poison_by_rate() {
        let data = Dataset::from_rows(vec![1.0, 2.0, 3.0], 1, Some(vec![1.0, 0.0, 3.0])).unwrap();
        let stream = Stream::new(&data, &Threat::new(0.2).unwrap());
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        let mut counts = [0.0_f64; 4];
        for _ in 0..40_000 {
            counts[stream.draw(&mut rng)[0][0] as usize] += 1.0;
        }
        assert!(counts[2] < 0.5);
        assert!((counts[1] - 10_000.0).abs() < 500.0, "{counts:?}");
        let turns = 100_000;
        let benign: u64 = (0..turns).map(|_| stream.until_poison(&mut rng)).sum();
        let rate = turns as f64 / (turns + benign) as f64;
        assert!((rate - 0.2).abs() < 0.003, "{rate}");
    }

    #[test]
    fn without_adversary_its_turn_never_comes() {
        let data = Dataset::from_rows(vec![1.0], 1, None).unwrap();
        let stream = Stream::new(&data, &Threat::new(0.0).unwrap());
        assert_eq!(stream.until_poison(&mut Pcg64Mcg::seed_from_u64(1)), u64::MAX);
    }
}
