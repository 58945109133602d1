//! Columns of numbers: missing values filled in, long tails shortened, centred and scaled.

use serde::{Deserialize, Serialize};

/// A column with a longer tail than this (its third standardized moment) is shortened by a logarithm; an exponential
/// distribution has 2.
const LONG_TAIL: f64 = 2.0;
/// The same for columns with negative numbers, by the fourth moment; a normal distribution has 3.
const HEAVY_TAILS: f64 = 15.0;

/// What is done to a column of numbers: x ← v, or `fill` if it is missing; the logarithm, if there is one; then (x − `centre`) /
/// `scale`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NumberStep {
    /// What stands for a missing value: the median.
    pub fill: f64,
    /// Shortens long tails.
    pub log: Option<Log>,
    pub centre: f64,
    pub scale: f64,
    /// Whether `centre` and `scale` are median and quartile range instead of mean and standard deviation.
    pub robust: bool,
    /// A second column says whether the value was missing, if that share of the training rows had none.
    pub missing: Option<f64>,
}

/// x ← sign(u) · log(1 + |u|) with u = (x − `from`) / `unit`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Log {
    pub from: f64,
    pub unit: f64,
}

impl Log {
    fn of(&self, x: f64) -> f64 {
        let u = (x - self.from) / self.unit;
        u.abs().ln_1p().copysign(u)
    }
}

impl NumberStep {
    /// Looks at a column. An error says why it is of no use.
    pub fn fit(values: &[f64]) -> Result<NumberStep, String> {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|x| !x.is_nan()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let (Some(&low), Some(&high)) = (sorted.first(), sorted.last()) else {
            return Err("no row has a value".to_owned());
        };
        let absent = values.len() - sorted.len();
        let missing = (absent > 0).then(|| absent as f64 / values.len() as f64);
        if low >= high && missing.is_none() {
            return Err(format!("it is {low} in every row"));
        }
        let fill = quantile(&sorted, 0.5);
        let log = tail(&sorted);
        let shortened: Vec<f64> = sorted.iter().map(|&x| log.as_ref().map_or(x, |log| log.of(x))).collect();
        let (centre, scale, robust) = location(&shortened, log.is_some());
        // Where all values that are there are equal, only the second column says something.
        let scale = if scale > 0.0 { scale } else { 1.0 };
        if !(centre.is_finite() && scale.is_finite()) {
            return Err(format!("its values reach from {low} to {high}, which is too far for numbers"));
        }
        Ok(NumberStep { fill, log, centre, scale, robust, missing })
    }

    /// How many columns it becomes.
    pub fn width(&self) -> usize {
        1 + usize::from(self.missing.is_some())
    }

    /// Appends what becomes of a value.
    pub fn apply(&self, value: f64, row: &mut Vec<f64>) {
        let x = if value.is_nan() { self.fill } else { value };
        let x = self.log.as_ref().map_or(x, |log| log.of(x));
        // A value far outside the training rows cannot make the row's norm overflow.
        row.push(((x - self.centre) / self.scale).clamp(-1e100, 1e100));
        if let Some(share) = self.missing {
            let deviation = (share * (1.0 - share)).sqrt();
            let is_missing = f64::from(u8::from(value.is_nan()));
            row.push(if deviation > 0.0 { (is_missing - share) / deviation } else { 0.0 });
        }
    }

    /// What is done and why, in words.
    pub fn describe(&self) -> String {
        let mut parts = Vec::new();
        if let Some(share) = self.missing {
            parts.push(format!(
                "missing in {:.1} % of the rows: the median {} instead, and a column that says so",
                100.0 * share,
                self.fill
            ));
        }
        if let Some(log) = &self.log {
            parts.push(match log.from {
                0.0 => format!("a long tail: log(1 + x/{:.3e})", log.unit),
                from => format!("heavy tails: logarithm of the distance from {from:.3e}"),
            });
        }
        parts.push(if self.robust { "scaled by the quartiles" } else { "standardized" }.to_owned());
        parts.join("; ")
    }

    /// Refuses numbers that no fit gives.
    pub fn validate(&self) -> Result<(), String> {
        let log = self.log.iter().flat_map(|log| [log.from, log.unit]);
        let all = [self.fill, self.centre, self.scale].into_iter().chain(log).chain(self.missing);
        let positive = self.scale > 0.0 && self.log.as_ref().is_none_or(|log| log.unit > 0.0);
        if all.into_iter().all(f64::is_finite) && positive {
            Ok(())
        } else {
            Err("a number of a column is not finite, or a scale not positive".to_owned())
        }
    }
}

/// The logarithm that a column needs, if it needs one.
fn tail(sorted: &[f64]) -> Option<Log> {
    let (low, high) = (sorted[0], sorted[sorted.len() - 1]);
    let inner = sorted.iter().any(|&x| low < x && x < high);
    // Truth values have no tails, however rare one of them is.
    if !inner {
        return None;
    }
    let [skewness, kurtosis] = moments(sorted);
    if low >= 0.0 && skewness > LONG_TAIL {
        let positive = &sorted[sorted.partition_point(|&x| x <= 0.0)..];
        return Some(Log { from: 0.0, unit: quantile(positive, 0.5) });
    }
    if kurtosis <= HEAVY_TAILS {
        return None;
    }
    let from = quantile(sorted, 0.5);
    let mut distances: Vec<f64> = sorted.iter().map(|x| (x - from).abs()).filter(|x| *x > 0.0).collect();
    distances.sort_unstable_by(f64::total_cmp);
    let unit = quantile(&distances, 0.5);
    (unit > 0.0 && unit.is_finite()).then_some(Log { from, unit })
}

/// Centre and scale: mean and standard deviation; median and quartile range, scaled to agree for normal numbers, if tails remain
/// heavy after the logarithm.
fn location(sorted: &[f64], is_log: bool) -> (f64, f64, bool) {
    let range = (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 1.349;
    if is_log && range > 0.0 && moments(sorted)[1] > HEAVY_TAILS {
        return (quantile(sorted, 0.5), range, true);
    }
    let [mean, deviation] = mean_and_deviation(sorted);
    (mean, deviation, false)
}

pub(super) fn mean_and_deviation(values: &[f64]) -> [f64; 2] {
    let n = values.len() as f64;
    let mean = values.iter().map(|x| x / n).sum::<f64>();
    let variance = values.iter().map(|x| (x - mean) * ((x - mean) / n)).sum::<f64>();
    [mean, variance.sqrt()]
}

/// The third and the fourth standardized moment; infinite where numbers are too large for them.
fn moments(values: &[f64]) -> [f64; 2] {
    let [mean, deviation] = mean_and_deviation(values);
    let n = values.len() as f64;
    if !deviation.is_finite() {
        return [f64::INFINITY; 2];
    }
    let moment = |power: i32| values.iter().map(|x| ((x - mean) / deviation).powi(power) / n).sum();
    [moment(3), moment(4)]
}

/// The value below which this share of the sorted values lies; 0 if there are none.
pub(super) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    sorted.get((share * last as f64).round() as usize).copied().unwrap_or(0.0)
}
