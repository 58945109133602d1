//! The intervals of the margins, and the concave hulls of the rows on them: (C1).

use super::numbers::Numbers;

/// The steepest slope of a hull, as a multiple of |κ| + |J|: the checker's.
const STEEPEST: f64 = 4.0;
/// An end this near to 1 is not moved: the checker, which rounds otherwise, could see it on the other side.
pub(super) const NEAR: f64 = 1e-9;

/// Where the margin of each row is.
#[derive(Clone)]
pub(super) struct Intervals {
    pub(super) low: Vec<f64>,
    pub(super) high: Vec<f64>,
}

impl Intervals {
    /// Those of the ball of radius ϱ, as the checker has them.
    pub(super) fn first(numbers: &Numbers, ball: f64) -> Self {
        let high: Vec<f64> = numbers.squares.iter().map(|n| 0.5 * ball * (1.0 + n)).collect();
        Intervals { low: high.iter().map(|h| -h).collect(), high }
    }

    /// Whether the row acts at some margins of its interval and not at others.
    pub(super) fn is_free(&self, i: usize) -> bool {
        self.low[i] <= 1.0 && self.high[i] >= 1.0
    }

    /// How far an end is from 0 on its side: 2i is the upper end of row i, 2i + 1 its lower end.
    pub(super) fn at(&self, end: usize) -> f64 {
        if end.is_multiple_of(2) { self.high[end / 2] } else { -self.low[end / 2] }
    }

    /// Moves an end inwards.
    pub(super) fn cut(&mut self, end: usize, to: f64) {
        if end.is_multiple_of(2) {
            self.high[end / 2] = to;
        } else {
            self.low[end / 2] = -to;
        }
    }
}

/// The hulls of all rows: of a free row v + y(s−1) for every slope y = R + W·u, 0 ≤ u ≤ 1, lies above it. Where the hull is a chord W = 0.
pub(super) struct Hulls {
    /// The free rows.
    pub(super) free: Vec<usize>,
    /// W_i of the free rows.
    pub(super) width: Vec<f64>,
    /// The constants and slopes of all rows for u = 0, added up.
    pub(super) constant: f64,
    pub(super) slope: Vec<f64>,
}

impl Hulls {
    pub(super) fn new(numbers: &Numbers, intervals: &Intervals) -> Self {
        let mut hulls =
            Hulls { free: vec![], width: vec![], constant: numbers.noise, slope: vec![0.0; numbers.width] };
        for (i, (&jump, &kappa)) in numbers.jumps.iter().zip(&numbers.kappas).enumerate() {
            let (below, above) = (1.0 - intervals.low[i], intervals.high[i] - 1.0);
            if above < 0.0 {
                hulls.add(numbers, i, jump, kappa);
            } else if below >= 0.0 {
                let steepest = STEEPEST * (kappa.abs() + jump.abs());
                let (left, right) = if jump > 0.0 {
                    (kappa, (-jump / above).max(-steepest))
                } else {
                    ((kappa - jump / below).min(steepest), 0.0)
                };
                if right > left {
                    let chord = (kappa * below - jump) / (above + below);
                    hulls.add(numbers, i, -chord * above, chord);
                } else {
                    hulls.add(numbers, i, jump.max(0.0), right);
                }
                hulls.free.push(i);
                hulls.width.push((left - right).max(0.0));
            }
        }
        hulls
    }

    /// Adds T + y(s−1).
    fn add(&mut self, numbers: &Numbers, i: usize, top: f64, y: f64) {
        self.constant += top - y;
        self.slope.iter_mut().zip(numbers.row(i)).for_each(|(slope, z)| *slope += y * z);
    }
}
