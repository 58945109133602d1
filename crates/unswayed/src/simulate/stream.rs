//! Where points come from: benign rows by weight, and when the adversary's turn is.

use std::sync::Arc;

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;
use unswayed_data::SparseRows;

use super::region::Region;
use super::timing::Timing;
use crate::attack::Policy;
use crate::data::Dataset;
use crate::error::AttackError;
use crate::learner::{LANES, Padded, PointWeight};

/// Benign rows and the threat.
pub struct Stream {
    rows: Arc<Padded>,
    /// The rows, if they are sparse; they are not padded then.
    sparse: Option<Dataset>,
    dimension: usize,
    /// For weighted rows: in cell i, row i is kept with this probability (in units of 2⁻³²), else the alias is taken.
    alias: Option<Vec<(u64, u32)>>,
    /// The step weights of the rows, if they have any.
    steps: Option<Vec<f64>>,
    /// The step weights of the adversary's points.
    poison_weight: PointWeight,
    /// ln(1−ε), or 0 if there is no adversary.
    log_benign: f64,
    /// When the adversary's turn is, if it picks its moments.
    timing: Option<Timing>,
    /// What the adversary may send.
    region: Region,
}

impl Stream {
    /// The rows of a data set, and an adversary who may send the points of a region.
    pub(crate) fn with_region(data: &Dataset, poison_rate: f64, region: Region) -> Self {
        Stream::of_rows(Stream::padded(data), data, poison_rate, region)
    }

    /// The rows of a data set as streams have them.
    pub(crate) fn padded(data: &Dataset) -> Arc<Padded> {
        let is_sparse = data.sparse().is_some();
        Arc::new(if is_sparse { Padded::default() } else { Padded::new(data.iter(), data.dimension()) })
    }

    /// The same with the padded rows of the data set, which several streams may share.
    pub(crate) fn of_rows(rows: Arc<Padded>, data: &Dataset, poison_rate: f64, region: Region) -> Self {
        Stream {
            rows,
            sparse: data.sparse().map(|_| data.clone()),
            dimension: data.dimension(),
            alias: data.weights().map(|_| alias_table(&data.probabilities())),
            steps: data.step_weights().map(<[f64]>::to_vec),
            poison_weight: PointWeight::default(),
            log_benign: (-poison_rate).ln_1p(),
            timing: None,
            region,
        }
    }

    /// With these step weights of the adversary's points, which are 1 otherwise.
    pub(crate) fn with_poison_weight(self, poison_weight: PointWeight) -> Self {
        Stream { poison_weight, ..self }
    }

    /// With an adversary who picks its moments, if it is there at all.
    pub(crate) fn with_timing(self, timing: Option<Timing>) -> Self {
        Stream { timing: timing.filter(|_| self.log_benign != 0.0), ..self }
    }

    /// Whether the adversary picks its moments.
    pub(super) fn is_timed(&self) -> bool {
        self.timing.is_some()
    }

    /// The step weight of a point of the adversary.
    pub(super) fn poison_weight(&self, point: &[f64]) -> f64 {
        self.poison_weight.of(point)
    }

    /// The number of entries of a point.
    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    /// A benign row.
    #[inline(always)]
    pub(super) fn draw(&self, rng: &mut Pcg64Mcg) -> &[[f64; LANES]] {
        self.draw_weighted(rng).0
    }

    /// The sparse rows, if they are.
    pub(super) fn sparse(&self) -> Option<SparseRows<'_>> {
        self.sparse.as_ref().and_then(Dataset::sparse)
    }

    /// A benign row and its step weight.
    #[inline(always)]
    pub(super) fn draw_weighted(&self, rng: &mut Pcg64Mcg) -> (&[[f64; LANES]], f64) {
        let row = self.draw_index(rng, self.rows.len());
        (self.rows.row(row), self.steps.as_ref().map_or(1.0, |steps| steps[row]))
    }

    /// The number of a benign row, of so many.
    #[inline(always)]
    pub(super) fn draw_index(&self, rng: &mut Pcg64Mcg, rows: usize) -> usize {
        let bits = rng.next_u64();
        let cell = ((bits >> 32) * rows as u64) >> 32;
        match &self.alias {
            None => cell as usize,
            Some(table) => {
                let (keep, alias) = table[cell as usize];
                if bits & 0xffff_ffff < keep { cell as usize } else { alias as usize }
            }
        }
    }

    /// Benign steps before the adversary's next turn, after so many points: geometric, or as it picked them.
    pub(super) fn until_poison(&self, rng: &mut Pcg64Mcg, now: u64) -> u64 {
        if let Some(timing) = self.timing {
            return timing.until_turn(now);
        }
        if self.log_benign == 0.0 {
            return u64::MAX;
        }
        // Uniform in (0, 1].
        let uniform = ((rng.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        (uniform.ln() / self.log_benign) as u64
    }

    /// The row that the adversary must send with a label of its choice, if it may choose no more than that.
    pub(super) fn row_to_label(&self, rng: &mut Pcg64Mcg) -> Option<&[f64]> {
        self.region.is_labels().then(|| self.draw(rng).as_flattened())
    }

    /// Refuses a point outside the adversary's set.
    pub(super) fn admit(
        &self,
        policy: &impl Policy,
        point: &[f64],
        drawn: Option<&[f64]>,
    ) -> Result<(), AttackError> {
        self.region.admit(policy.name(), point, drawn)
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

    fn stream(data: &Dataset, poison_rate: f64) -> Stream {
        Stream::with_region(data, poison_rate, Region::Ball { radius: 1.0, centre: None })
    }

    #[test]
    fn rows_come_by_weight_and_poison_by_rate() {
        let data = Dataset::from_rows(vec![1.0, 2.0, 3.0], 1, Some(vec![1.0, 0.0, 3.0])).unwrap();
        let stream = stream(&data, 0.2);
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        let mut counts = [0.0_f64; 4];
        for _ in 0..40_000 {
            counts[stream.draw(&mut rng)[0][0] as usize] += 1.0;
        }
        assert!(counts[2] < 0.5);
        assert!((counts[1] - 10_000.0).abs() < 500.0, "{counts:?}");
        let turns = 100_000;
        let benign: u64 = (0..turns).map(|_| stream.until_poison(&mut rng, 0)).sum();
        let rate = turns as f64 / (turns + benign) as f64;
        assert!((rate - 0.2).abs() < 0.003, "{rate}");
    }

    #[test]
    fn without_adversary_its_turn_never_comes() {
        let data = Dataset::from_rows(vec![1.0], 1, None).unwrap();
        let stream = stream(&data, 0.0);
        assert_eq!(stream.until_poison(&mut Pcg64Mcg::seed_from_u64(1), 0), u64::MAX);
    }
}
