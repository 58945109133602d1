//! The rows to measure on: the embedded sample, and any number of rows like it.

use unswayed::Dataset;
use unswayed::data::DataError;

/// The standard deviation of the noise on each feature of a synthetic row.
const NOISE: f64 = 0.02;

/// The first `n` rows of the sample with its first d − 1 columns and its last, the bias.
pub fn sample(n: usize, d: usize) -> Result<Dataset, DataError> {
    let all = unswayed::data::sample()?.first(n)?;
    let z = all.iter().flat_map(|z| z[..d - 1].iter().chain(z.last())).copied().collect();
    Dataset::from_rows(z, d, None)
}

/// `n` rows: each one of the sample with Gaussian noise, shortened to norm one if it is longer. Always the same ones.
pub fn synthetic(n: usize) -> Result<Dataset, DataError> {
    let all = unswayed::data::sample()?;
    let mut random = Random(n as u64);
    let mut z = Vec::with_capacity(n * all.dimension());
    for _ in 0..n {
        let row = all.row(random.below(all.rows()));
        let first = z.len();
        z.extend(row.iter().map(|z| z + NOISE * random.normal()));
        let norm = z[first..].iter().map(|z| z * z).sum::<f64>().sqrt();
        if norm > 1.0 {
            // A little more than the norm, so that rounding does not leave it above one.
            let norm = norm * (1.0 + 4.0 * f64::EPSILON);
            z[first..].iter_mut().for_each(|z| *z /= norm);
        }
    }
    Dataset::from_rows(z, all.dimension(), None)
}

/// `n` rows of any width: Gaussian entries, of which the first leans one way and the last is a bias, shortened to norm one. Always the
/// same ones.
pub fn leaning(n: usize, d: usize) -> Result<Dataset, DataError> {
    let mut random = Random((n * d) as u64);
    let scale = 0.6 / (d as f64).sqrt();
    let mut z = Vec::with_capacity(n * d);
    for _ in 0..n {
        let (first, sign) = (z.len(), if random.unit() < 0.5 { -1.0 } else { 1.0 });
        z.push(0.5 + 0.2 * random.normal());
        z.extend((2..d).map(|_| scale * random.normal()));
        z.push(0.2 * sign);
        let norm = z[first..].iter().map(|z| z * z).sum::<f64>().sqrt().max(1.0) * (1.0 + 4.0 * f64::EPSILON);
        z[first..].iter_mut().for_each(|z| *z /= norm);
    }
    Dataset::from_rows(z, d, None)
}

/// Writes the rows as they are in memory: little-endian binary64, one row after the other.
pub fn export(data: &Dataset, file: &str) -> std::io::Result<()> {
    let bytes: Vec<u8> = data.z().iter().flat_map(|z| z.to_le_bytes()).collect();
    std::fs::write(file, bytes)
}

/// `SplitMix64`, a small generator that is the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in (0, 1].
    fn unit(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in 0..limit; the bias of the remainder is of no account here.
    #[allow(clippy::cast_possible_truncation)]
    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// Standard normal, by Box and Muller.
    fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }
}
