//! Averages of a correlated series: batch means, and whether the series is stationary.

/// Batches per replicate.
const BATCHES: usize = 16;
/// A window must last this many time constants.
const SHORTEST_WINDOW: f64 = 5.0;

/// An average and the half-width of its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The average.
    pub mean: f64,
    /// The truth is within this of the average, with 95 % confidence; infinite if there are too few values to tell.
    pub half_width: f64,
}

/// Whether an average is that of the long run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The halves of the window agree and it is long enough.
    Stationary,
    /// The halves differ by more than chance.
    Drifting,
    /// The window is too short, in units of the learner's memory, to tell.
    TooShort,
    /// It is not meant to be: it is the average over the first steps.
    FirstSteps,
}

impl Verdict {
    /// The word for it in tables and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Stationary => "stationary",
            Verdict::Drifting => "drifting",
            Verdict::TooShort => "too short",
            Verdict::FirstSteps => "first steps",
        }
    }

    /// Judges the series of all replicates over a window of so many time constants.
    pub(super) fn of(replicates: &[Vec<f64>], time_constants: f64) -> Verdict {
        if time_constants < SHORTEST_WINDOW || replicates.iter().any(|r| r.len() < 2 * BATCHES) {
            return Verdict::TooShort;
        }
        let half = |second: bool| {
            let part = |r: &Vec<f64>| {
                let (a, b) = r.split_at(r.len() / 2);
                if second { b.to_vec() } else { a.to_vec() }
            };
            Estimate::of(&replicates.iter().map(part).collect::<Vec<_>>())
        };
        let (first, second) = (half(false), half(true));
        // 95 % intervals joined in quadrature, widened to about three standard errors, and 1 % of the value.
        let chance = 1.5 * first.half_width.hypot(second.half_width) + 0.01 * first.mean.abs();
        if (first.mean - second.mean).abs() <= chance { Verdict::Stationary } else { Verdict::Drifting }
    }
}

impl Estimate {
    /// From replicates of a series: their batch means are treated as independent.
    pub(super) fn of(replicates: &[Vec<f64>]) -> Estimate {
        let batches: Vec<f64> = replicates.iter().flat_map(|series| batch_means(series)).collect();
        let n = batches.len() as f64;
        let mean = batches.iter().sum::<f64>() / n;
        if batches.len() < 2 {
            return Estimate { mean, half_width: f64::INFINITY };
        }
        let variance = batches.iter().map(|b| (b - mean).powi(2)).sum::<f64>() / (n - 1.0);
        Estimate { mean, half_width: student(batches.len() - 1) * (variance / n).sqrt() }
    }

    /// The lower end of the interval.
    pub fn low(&self) -> f64 {
        self.mean - self.half_width
    }

    /// The upper end of the interval.
    pub fn high(&self) -> f64 {
        self.mean + self.half_width
    }
}

fn batch_means(series: &[f64]) -> Vec<f64> {
    let batches = BATCHES.min(series.len());
    (0..batches)
        .map(|b| &series[b * series.len() / batches..(b + 1) * series.len() / batches])
        .map(|batch| batch.iter().sum::<f64>() / batch.len() as f64)
        .collect()
}

/// The 97.5 % point of Student's distribution, by the Cornish-Fisher expansion (within 1 % from 4 degrees of freedom).
fn student(freedom: usize) -> f64 {
    let (z, n) = (1.959_964_f64, freedom as f64);
    let g1 = (z.powi(3) + z) / 4.0;
    let g2 = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    let g3 = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
    z + g1 / n + g2 / (n * n) + g3 / n.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn student_points_match_the_tables() {
        for (freedom, point) in [(4, 2.776), (15, 2.131), (31, 2.040), (1000, 1.962)] {
            assert!((student(freedom) / point - 1.0).abs() < 0.01, "{freedom}");
        }
    }

    #[test]
    fn a_trend_is_seen_and_noise_is_not() {
        let noise = |i: usize| ((i * 7919) % 1009) as f64 / 1009.0;
        let flat: Vec<f64> = (0..640).map(noise).collect();
        let trend: Vec<f64> = (0..640).map(|i| noise(i) + i as f64 / 640.0).collect();
        assert_eq!(Verdict::of(std::slice::from_ref(&flat), 20.0), Verdict::Stationary);
        assert_eq!(Verdict::of(&[trend], 20.0), Verdict::Drifting);
        assert_eq!(Verdict::of(std::slice::from_ref(&flat), 2.0), Verdict::TooShort);
        let estimate = Estimate::of(&[flat]);
        assert!((estimate.mean - 0.5).abs() < estimate.half_width.max(0.02));
    }
}
