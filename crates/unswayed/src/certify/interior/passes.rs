//! A pass over rows that come in parts: what they add to the saddle function and its gradient at two proofs by a rule.
//!
//! A sum of floating point numbers depends on their order, and with it would the certificate: on threads, files and machines. So each
//! term is rounded to a multiple of a unit, and sums of those are exact. Nothing is proven by these sums: the exact checker adds up the
//! rows once more.

use serde::{Deserialize, Serialize};
use unswayed_check::RowBound;

use super::Candidate;
use super::instance::{Instance, dot};

/// The gain of the rules. What it costs falls with its square, and rows that are nearer to the kink than half its inverse must be more
/// than there are columns.
pub(super) const GAIN: f64 = 60.0;

/// Units in a number that is as large as what a row of norm 1 adds.
const UNITS: f64 = 68_719_476_736.0;
/// How often larger a term may be: a larger one is cut, which makes the search worse and no bound wrong.
const LARGEST: f64 = 256.0;
/// So many terms of at most `UNITS`·`LARGEST` units have an exact sum in binary64.
const PENDING: u32 = 256;

/// What a pass needs to know of a proof by a rule.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in super::super) struct Model {
    /// ε, k and η.
    epsilon: f64,
    k: f64,
    eta: f64,
    alpha: f64,
    beta: Vec<f64>,
    theta: Vec<f64>,
    is_error: bool,
}

impl Model {
    pub(super) fn new(instance: &Instance, Candidate { proof, theta, .. }: &Candidate) -> Model {
        Model {
            epsilon: instance.epsilon,
            k: instance.k,
            eta: instance.eta,
            alpha: proof.alpha,
            beta: proof.beta.clone(),
            theta: theta.clone(),
            is_error: proof.rows == RowBound::ErrorHinge,
        }
    }

    /// How many columns rows have.
    pub(in super::super) fn columns(&self) -> usize {
        self.beta.len()
    }

    /// A power of two that is not below what a row of norm 1 adds to the sums.
    fn size(&self) -> f64 {
        let size = 1.0 + (2.0 + self.eta) * self.alpha + dot(&self.beta, &self.beta).sqrt();
        2_f64.powi(size.log2().ceil().clamp(0.0, 900.0) as i32)
    }
}

/// Sums over rows at a proof. The same rows have the same sums, in whatever order and parts they are added.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in super::super) struct Totals {
    rows: u64,
    columns: usize,
    unit: f64,
    /// In units: the constants T, the derivatives of T + ys for α, β and θ, and H without the gain, the lower half by rows.
    whole: Vec<Whole>,
    /// What is still to be added to these.
    #[serde(skip)]
    pending: Vec<f64>,
    #[serde(skip)]
    count: u32,
}

/// A whole number in two parts, for texts.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(from = "(i64, u64)", into = "(i64, u64)")]
struct Whole(i128);

impl From<(i64, u64)> for Whole {
    fn from((high, low): (i64, u64)) -> Whole {
        Whole(i128::from(high) << 64 | i128::from(low))
    }
}

impl From<Whole> for (i64, u64) {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the two halves of a number")]
    fn from(Whole(number): Whole) -> (i64, u64) {
        ((number >> 64) as i64, number as u64)
    }
}

/// Adds rows, one after the other, to the sums of two models.
pub(in super::super) fn add_rows(models: &[Model; 2], sums: &mut [Totals; 2], z: &[f64]) {
    for (model, sums) in models.iter().zip(sums) {
        z.chunks_exact(model.columns()).for_each(|z| sums.add(model, z));
    }
}

/// Means over rows.
pub(super) struct Slopes {
    pub(super) cost: f64,
    pub(super) alpha: f64,
    pub(super) beta: Vec<f64>,
    pub(super) theta: Vec<f64>,
}

impl Totals {
    /// No rows yet.
    pub(in super::super) fn new(model: &Model) -> Self {
        let columns = model.beta.len();
        let length = 2 + 2 * columns + columns * (columns + 1) / 2;
        let whole = vec![Whole::default(); length];
        Totals { rows: 0, columns, unit: model.size() / UNITS, whole, pending: vec![0.0; length], count: 0 }
    }

    /// Adds a row.
    pub(in super::super) fn add(&mut self, model: &Model, z: &[f64]) {
        let benign = 1.0 - model.epsilon;
        let of_alpha = benign * (2.0 * model.k + model.eta * dot(z, z));
        let j = model.alpha * of_alpha + benign * dot(&model.beta, z);
        let kappa_of_alpha = 2.0 * model.k * benign;
        let (kappa, s) = (kappa_of_alpha * model.alpha - 1.0, dot(&model.theta, z));
        let Row { cost, y, by_j, by_kappa, bend } = Row::new(model.is_error, j, kappa, s);
        let round = Rounding::to(self.unit);
        self.pending[0] += round.of(cost);
        self.pending[1] += round.of(by_j * of_alpha + by_kappa * kappa_of_alpha);
        let by_beta = benign * by_j;
        let (beta, rest) = self.pending[2..].split_at_mut(self.columns);
        let (theta, near) = rest.split_at_mut(self.columns);
        beta.iter_mut().zip(z).for_each(|(sum, z)| *sum += round.of(by_beta * z));
        theta.iter_mut().zip(z).for_each(|(sum, z)| *sum += round.of(y * z));
        if bend > 0.0 {
            let pairs = (0..z.len()).flat_map(|i| (0..=i).map(move |j| (i, j)));
            near.iter_mut().zip(pairs).for_each(|(sum, (i, j))| *sum += round.of(bend * z[i] * z[j]));
        }
        self.rows += 1;
        self.count += 1;
        if self.count == PENDING {
            self.settle();
        }
    }

    /// Adds what is pending. The numbers are whole multiples of the unit.
    #[expect(clippy::cast_possible_truncation, reason = "pending terms are below 2^52 units")]
    fn settle(&mut self) {
        for (Whole(sum), pending) in self.whole.iter_mut().zip(&mut self.pending) {
            *sum = sum.wrapping_add(i128::from((*pending / self.unit) as i64));
            *pending = 0.0;
        }
        self.count = 0;
    }

    /// All that has been added, for another machine or for one sum.
    pub(in super::super) fn settled(mut self) -> Self {
        self.settle();
        self
    }

    /// Adds the sums over other rows; false if they are for another proof. Both must be settled.
    #[must_use]
    pub(in super::super) fn merge(&mut self, other: &Totals) -> bool {
        self.rows += other.rows;
        for (Whole(own), Whole(other)) in self.whole.iter_mut().zip(&other.whole) {
            *own = own.wrapping_add(*other);
        }
        self.whole.len() == other.whole.len() && self.unit.to_bits() == other.unit.to_bits()
    }

    fn mean(&self, at: usize) -> f64 {
        self.whole[at].0 as f64 * self.unit / self.rows as f64
    }

    /// The sums divided by the number of rows.
    pub(super) fn slopes(&self) -> Slopes {
        let each = |first: usize| (first..first + self.columns).map(|at| self.mean(at)).collect();
        Slopes { cost: self.mean(0), alpha: self.mean(1), beta: each(2), theta: each(2 + self.columns) }
    }

    /// An entry of H without the gain, divided by the number of rows.
    pub(super) fn near(&self, i: usize, j: usize) -> f64 {
        self.mean(2 + 2 * self.columns + i.max(j) * (i.max(j) + 1) / 2 + i.min(j))
    }
}

/// Rounds to multiples of a unit, and cuts what is too large.
struct Rounding {
    most: f64,
    /// Numbers near this one are multiples of the unit.
    high: f64,
}

impl Rounding {
    fn to(unit: f64) -> Self {
        Rounding { most: UNITS * LARGEST * unit, high: 6_755_399_441_055_744.0 * unit }
    }

    /// The lower end if x is no number.
    #[inline(always)]
    fn of(&self, x: f64) -> f64 {
        (x.max(-self.most).min(self.most) + self.high) - self.high
    }
}

/// The best line T + ys of a row at (J, κ, s), and the derivatives of its value for J and κ.
struct Row {
    cost: f64,
    y: f64,
    by_j: f64,
    by_kappa: f64,
    /// By how much y falls as s grows, without the gain.
    bend: f64,
}

impl Row {
    fn new(is_error: bool, j: f64, kappa: f64, s: f64) -> Row {
        let step = |is: bool| f64::from(u8::from(is));
        let share = |gap: f64| (GAIN * gap + 0.5).clamp(0.0, 1.0);
        let is_near = |gap: f64| step(GAIN * gap.abs() < 0.5);
        let u = share(1.0 - s);
        if !is_error {
            let (by_j, by_kappa, bend) = (step(j > 0.0), -u * (1.0 - s), kappa * is_near(1.0 - s));
            return Row { cost: j.max(0.0) - kappa * u, y: kappa * u, by_j, by_kappa, bend };
        }
        let u2 = share(-s);
        let c = (-j).max(-kappa).clamp(0.0, 1.0);
        let is_pushed = -kappa > -j && -kappa > 0.0;
        // Where c follows J, or is pushed by κ, it moves with them.
        let moved = u * (1.0 - s) + u2 * s;
        let (by_j, by_kappa) = match () {
            () if is_pushed => (1.0, -1.0 + u2 * s),
            () if c > 0.0 && c < 1.0 => (moved, -u * (1.0 - s)),
            () => (step(j + c > 0.0), -u * (1.0 - s)),
        };
        let (cost, y) = ((j + c).max(0.0) - (kappa + c) * u, (kappa + c) * u + (1.0 - c) * u2);
        let bend = (kappa + c) * is_near(1.0 - s) + (1.0 - c) * is_near(s);
        Row { cost, y, by_j, by_kappa, bend }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(size: f64) -> Model {
        let [beta, theta] = [[-size, 0.3], [0.7, -0.2]].map(|v| v.to_vec());
        Model { epsilon: 0.02, k: 0.99, eta: 0.1, alpha: 0.8 * size, beta, theta, is_error: true }
    }

    fn row(i: usize) -> [f64; 2] {
        let unit = |i: usize| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11) as f64 / (1_u64 << 53) as f64;
        [2.0 * unit(2 * i) - 1.0, 2.0 * unit(2 * i + 1) - 1.0]
    }

    fn totals(model: &Model, rows: impl Iterator<Item = usize>) -> Totals {
        let mut totals = Totals::new(model);
        rows.for_each(|i| totals.add(model, &row(i)));
        totals.settled()
    }

    fn numbers(totals: &Totals) -> Vec<i128> {
        totals.whole.iter().map(|whole| whole.0).collect()
    }

    #[test]
    fn parts_and_order_change_no_bit() {
        let model = model(1.0);
        let all = totals(&model, 0..5000);
        assert_eq!(numbers(&totals(&model, (0..5000).rev())), numbers(&all));
        for parts in [2, 3, 7, 1000] {
            let mut merged = Totals::new(&model);
            for part in (0..parts).rev() {
                let one = totals(&model, part * 5000 / parts..(part + 1) * 5000 / parts);
                let text = serde_json::to_string(&one).expect("a text");
                assert!(merged.merge(&serde_json::from_str(&text).expect("the same sums")));
            }
            assert_eq!((merged.rows, numbers(&merged)), (5000, numbers(&all)), "{parts}");
        }
    }

    /// The means are those of plain sums, to more digits than the search needs.
    #[test]
    fn little_is_rounded_off() {
        for size in [1.0, 1e-3, 1e6] {
            let model = model(size);
            let slopes = totals(&model, 0..3000).slopes();
            let (mut cost, mut theta) = (0.0, [0.0; 2]);
            for z in (0..3000).map(row) {
                let of_alpha = 0.98 * (2.0 * 0.99 + 0.1 * dot(&z, &z));
                let j = model.alpha * of_alpha + 0.98 * dot(&model.beta, &z);
                let kappa = 2.0 * 0.99 * 0.98 * model.alpha - 1.0;
                let row = Row::new(true, j, kappa, dot(&model.theta, &z));
                cost += row.cost / 3000.0;
                theta.iter_mut().zip(z).for_each(|(sum, z)| *sum += row.y * z / 3000.0);
            }
            let far = |a: f64, b: f64| (a - b).abs() > 1e-10 * (1.0 + size);
            assert!(!far(slopes.cost, cost), "{size} {} {cost}", slopes.cost);
            assert!(!far(slopes.theta[0], theta[0]) && !far(slopes.theta[1], theta[1]), "{size}");
        }
    }

    /// Terms that are too large, or no numbers, are cut wherever they come.
    #[test]
    fn extreme_rows_change_nothing_of_this() {
        let model = model(1.0);
        let rows = [[1e9, -1e9], [f64::MAX, f64::MAX], [-1e300, 1.0], [0.5, 0.5]];
        let sum = |order: &[usize]| {
            let mut totals = Totals::new(&model);
            for &i in order {
                totals.add(&model, &rows[i]);
            }
            numbers(&totals.settled())
        };
        assert_eq!(sum(&[0, 1, 2, 3]), sum(&[3, 1, 0, 2]));
    }

    #[test]
    fn sums_of_another_proof_are_refused() {
        assert!(!totals(&model(1.0), 0..3).merge(&totals(&model(1e3), 0..3)));
    }
}
