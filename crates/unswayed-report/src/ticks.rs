//! Scales, and where their ticks go.

use crate::Axis;
use crate::number::{parameter, percent};

/// From values to pixels.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    log: bool,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// A scale that maps the values `low..high` to the pixels `from..to`.
    pub fn new(log: bool, (low, high): (f64, f64), (from, to): (f64, f64)) -> Self {
        Self { log, low, high, from, to }
    }

    /// The pixel of a value.
    pub fn at(&self, x: f64) -> f64 {
        let place = if self.log {
            (x.ln() - self.low.ln()) / (self.high.ln() - self.low.ln())
        } else {
            (x - self.low) / (self.high - self.low)
        };
        self.from + place * (self.to - self.from)
    }
}

/// Can the axis show this value? Vast and vanishing numbers are left out, so that no range overflows.
pub fn shows(axis: &Axis, x: f64) -> bool {
    x.abs() <= 1e100 && (!axis.log || x >= 1e-100)
}

/// The range of the values, never empty.
pub fn range(axis: &Axis, values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|x| shows(axis, *x))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    if low > high {
        (if axis.log { 0.1 } else { 0.0 }, 1.0)
    } else if low < high {
        (low, high)
    } else if axis.log {
        (low / 2.0, high * 2.0)
    } else if low == 0.0 {
        (0.0, 1.0)
    } else {
        (low - low.abs() * 0.1, high + high.abs() * 0.1)
    }
}

/// The range with room at both ends.
pub fn padded(axis: &Axis, (low, high): (f64, f64), share: f64) -> (f64, f64) {
    if axis.log {
        let room = (high / low).powf(share);
        (low / room, high * room)
    } else {
        let room = (high - low) * share;
        (low - room, high + room)
    }
}

/// The range from zero, if it is on one side of it, to a round number.
pub fn from_zero(axis: &Axis, (low, high): (f64, f64)) -> (f64, f64) {
    if axis.log {
        return padded(axis, (low, high), 0.05);
    }
    let (low, high) = (low.min(0.0), high.max(0.0));
    let step = step(high - low, 6);
    ((low / step).floor() * step, (high / step - 1e-9).ceil() * step)
}

/// A value and its label.
pub type Tick = (f64, String);

/// As many ticks as fit: `fits` tells whether all these labels have room.
pub fn ticks(axis: &Axis, range: (f64, f64), fits: impl Fn(&[Tick]) -> bool) -> Vec<Tick> {
    let mut last = Vec::new();
    for candidate in candidates(axis, range) {
        let labelled = label(axis, &candidate);
        if fits(&labelled) {
            return labelled;
        }
        last = labelled;
    }
    last
}

/// Sets of ticks, from many to few.
fn candidates(axis: &Axis, range: (f64, f64)) -> Vec<Vec<f64>> {
    if axis.log {
        let sets = [vec![1, 2, 5], vec![1, 3], vec![1]].into_iter().map(|within| decades(range, &within, 1));
        let sparse = (2..8).map(|every| decades(range, &[1], every));
        let sets: Vec<_> = sets.chain(sparse).filter(|set| (2..=9).contains(&set.len())).collect();
        if !sets.is_empty() {
            return sets;
        }
    }
    let mut sets: Vec<_> = (2..=8).rev().map(|count| linear(range, count)).collect();
    sets.retain(|set| set.len() >= 2 && (!axis.log || set.iter().all(|x| *x > 0.0)));
    sets
}

/// The round number 1, 2 or 5 times a power of ten that divides a span in at most so many steps.
fn step(span: f64, count: usize) -> f64 {
    let rough = span / count as f64;
    let power = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= rough * (1.0 - 1e-9)).unwrap_or(rough)
}

/// Multiples of a round step within the range.
fn linear((low, high): (f64, f64), count: usize) -> Vec<f64> {
    let step = step(high - low, count);
    let first = (low / step - 1e-9).ceil();
    let last = (high / step + 1e-9).floor();
    if !(last - first).is_finite() || last - first > 100.0 {
        return Vec::new();
    }
    (0..=(last - first).max(0.0) as u32).map(|i| (first + f64::from(i)) * step).collect()
}

/// Multiples of the powers of ten within the range.
fn decades((low, high): (f64, f64), within: &[i32], every: usize) -> Vec<f64> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let tick = |power: i32, m: i32| format!("{m}e{power}").parse::<f64>().unwrap_or(f64::NAN);
    let all = (first..=last).step_by(every).flat_map(|power| within.iter().map(move |m| tick(power, *m)));
    all.filter(|x| (low * (1.0 - 1e-9)..=high * (1.0 + 1e-9)).contains(x)).collect()
}

/// All labels of a linear axis have equally many decimals.
fn label(axis: &Axis, values: &[f64]) -> Vec<Tick> {
    let factor = if axis.percent { 100.0 } else { 1.0 };
    let span = values.windows(2).map(|w| (w[1] - w[0]).abs() * factor).fold(f64::INFINITY, f64::min);
    let largest = values.iter().fold(0.0f64, |a, x| a.max(x.abs() * factor));
    let decimals = (-span.log10() - 1e-9).ceil().clamp(0.0, 12.0) as usize;
    let text = |x: f64| {
        if axis.log {
            if axis.percent { percent(x) } else { parameter(x) }
        } else if axis.percent {
            format!("{:.decimals$} %", x * factor)
        } else if largest >= 1e6 || decimals > 5 {
            parameter(x)
        } else {
            format!("{x:.decimals$}")
        }
    };
    values.iter().map(|x| (*x, text(if *x == 0.0 { 0.0 } else { *x }))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, range: (f64, f64), most: usize) -> Vec<String> {
        ticks(axis, range, |t| t.len() <= most).into_iter().map(|t| t.1).collect()
    }

    #[test]
    fn linear_ticks_are_round() {
        let axis = Axis::new("");
        assert_eq!(labels(&axis, (0.0, 0.3), 9), ["0.00", "0.05", "0.10", "0.15", "0.20", "0.25", "0.30"]);
        assert_eq!(labels(&axis, (0.0, 0.3), 4), ["0.0", "0.1", "0.2", "0.3"]);
        assert_eq!(labels(&axis, (-1.0, 1.0), 5), ["-1.0", "-0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(
            labels(&Axis::percent(""), (0.01, 0.05), 9),
            ["1.0 %", "1.5 %", "2.0 %", "2.5 %", "3.0 %", "3.5 %", "4.0 %", "4.5 %", "5.0 %"]
        );
        assert_eq!(labels(&Axis::percent(""), (0.01, 0.05), 5), ["1 %", "2 %", "3 %", "4 %", "5 %"]);
        assert_eq!(labels(&axis, (0.0, 4e7), 5), ["0", "1e7", "2e7", "3e7", "4e7"]);
    }

    #[test]
    fn log_ticks_are_powers_of_ten_or_round_parts() {
        let axis = Axis::log("");
        assert_eq!(
            labels(&axis, (5e-5, 5e-3), 9),
            ["5e-5", "1e-4", "2e-4", "5e-4", "0.001", "0.002", "0.005"]
        );
        assert_eq!(labels(&axis, (5e-5, 5e-3), 5), ["1e-4", "3e-4", "0.001", "0.003"]);
        assert_eq!(labels(&axis, (1e-6, 1e6), 4), ["1e-6", "0.01", "100", "1e6"]);
        assert_eq!(labels(&axis, (0.31, 0.39), 5), ["0.32", "0.34", "0.36", "0.38"].map(str::to_owned));
    }

    #[test]
    fn ranges_are_never_empty() {
        for log in [false, true] {
            let axis = Axis { log, ..Axis::default() };
            for values in [vec![], vec![0.0], vec![3.0], vec![-2.0, -2.0], vec![f64::NAN, f64::INFINITY]] {
                let (low, high) = range(&axis, values.iter().copied());
                assert!(low < high, "{log} {values:?}");
                assert!(!log || low > 0.0);
                assert!(!ticks(&axis, (low, high), |_| true).is_empty());
            }
        }
        let (low, high) = from_zero(&Axis::new(""), (0.2, 0.29));
        assert!(low == 0.0 && (high - 0.3).abs() < 1e-9);
    }

    #[test]
    fn scales_map_ends_to_ends() {
        let scale = Scale::new(true, (1e-4, 1e-2), (10.0, 110.0));
        assert!((scale.at(1e-3) - 60.0).abs() < 1e-9);
        let scale = Scale::new(false, (0.0, 2.0), (200.0, 0.0));
        assert!((scale.at(0.5) - 150.0).abs() < 1e-9);
    }
}
