//! Lines above what the rows contribute: one file per kind of row.
//!
//! A kind gives for each row the slope y_i as a sum of products of the proof's numbers, and the smallest constant T_i it can
//! prove for that slope. Both are multiples of the row's weight. [`sum`] adds them up: ρ(θ) ≤ r₀ + rᵀθ with r₀ = Σ p_iT_i and
//! r = Σ p_iy_iz_i (Theorem L1).

mod bounded_slope;
mod clipped;
pub(crate) mod entropy;
mod error_hinge;
mod error_logistic;
mod hostile;
mod interval;
mod label_hinge;
mod label_logistic;
mod logistic;
mod rule;
mod sums;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub(crate) use bounded_slope::BoundedSlope;
pub(crate) use clipped::{Clipped, ClippedLoss};
pub(crate) use entropy::Entropy;
pub(crate) use error_hinge::ErrorHinge;
pub(crate) use error_logistic::ErrorLogistic;
pub(crate) use hostile::{Hostile, without_hostile};
pub(crate) use interval::{Interval, envelope};
pub(crate) use label_hinge::LabelHinge;
pub(crate) use label_logistic::LabelLogistic;
pub(crate) use logistic::Logistic;
pub(crate) use rule::Rule;
pub(crate) use sums::Sums;

use crate::exact::{Dyadic, ExactSum};
use crate::failure::{Reason, require, require_not_negative};
use crate::lambda::Lambda;
use crate::rows::{Entries, Rows};
use crate::statement::Loss;

/// A line r₀ + rᵀθ, both times `scale` > 0. Where rows may be hostile it is bent: `bend`·‖θ‖² is added (Theorem H1).
pub(crate) struct Line {
    pub(crate) constant: Dyadic,
    pub(crate) slope: Vec<Dyadic>,
    pub(crate) scale: Dyadic,
    pub(crate) bend: Dyadic,
}

/// What lines are put above: the rows, or for K classes the K−1 pairs z_ij = (e_y − e_j) ⊗ x of each row, j ≠ y in order
/// (Lemma L11).
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) rows: &'a Rows<'a>,
    /// K, 0 if there are no classes.
    pub(crate) classes: usize,
    /// Entries before the features of a row.
    labels: usize,
}

impl<'a> View<'a> {
    pub(crate) fn new(rows: &'a Rows<'a>, loss: Loss) -> Self {
        let classes = if let Loss::Multiclass(classes) = loss { classes } else { 0 };
        View { rows, classes, labels: loss.label_entries() }
    }

    /// Lines per row.
    fn each(&self) -> usize {
        self.classes.saturating_sub(1).max(1)
    }

    /// The weight of the row of a line.
    fn weight(&self, line: usize) -> f64 {
        self.rows.weight(line / self.each())
    }

    /// The step weight of the row of a line.
    fn step(&self, line: usize) -> f64 {
        self.rows.step(line / self.each())
    }

    /// The features of a row.
    fn x(&self, row: usize) -> Entries<'a> {
        self.rows.entries(row, self.labels)
    }

    /// The label y of a line's row where it is a number; the margin of a class is to be 1.
    fn label(&self, line: usize) -> f64 {
        if self.labels > 0 && self.classes == 0 { self.rows.row(line)[0] } else { 1.0 }
    }

    /// The class of a row.
    fn class(&self, row: usize) -> usize {
        self.rows.row(row)[0] as usize
    }

    /// ‖z‖² and βᵀz for a line. For classes K‖x‖² stands for the former: ‖g‖² ≤ K·S·‖x‖² if terms of sum S act.
    fn products(&self, lambda: &Lambda, line: usize) -> (Dyadic, Dyadic) {
        if self.classes == 0 {
            return lambda.products(self.x(line));
        }
        let row = line / self.each();
        let (x, own, other) = (self.x(row).values, self.class(row), line % self.each());
        let other = if other < own { other } else { other + 1 };
        let (mut norm, mut product) = (ExactSum::new(), ExactSum::new());
        let beta = |class: usize| &lambda.beta[class * x.len()..][..x.len()];
        for ((&x, &plus), &minus) in x.iter().zip(beta(own)).zip(beta(other)) {
            norm.add([x, x]);
            product.add([x, plus]);
            product.add([x, -minus]);
        }
        (Dyadic::whole(self.classes as u64) * norm.take(), product.take())
    }

    /// The lines in which the parameters of a block (a class, or all) have the features of a row, and with which sign.
    fn lines(&self, row: usize, block: usize) -> (Range<usize>, f64) {
        let (each, begin) = (self.each(), row * self.each());
        if self.classes == 0 {
            return (row..row + 1, 1.0);
        }
        match self.class(row) {
            own if own == block => (begin..begin + each, 1.0),
            own => {
                let line = begin + if block < own { block } else { block - 1 };
                (line..line + 1, -1.0)
            }
        }
    }
}

/// Data and target weights of the rows: p_i = w_ic_i·`p`/`scale`, t_i = `target(i)`·`t`/`scale`. The step weight c_i makes a row
/// count c-fold in the data, and not in the target (Lemma W1).
pub(crate) struct Mass<'a> {
    pub(crate) view: View<'a>,
    /// The target's weights if they are not those of the data.
    pub(crate) target: Option<&'a [f64]>,
    pub(crate) p: Dyadic,
    pub(crate) t: Dyadic,
    pub(crate) scale: Dyadic,
}

impl Mass<'_> {
    /// The data's weight, before it is multiplied by `p` and the step weight.
    pub(crate) fn weight(&self, i: usize) -> f64 {
        if self.p.is_zero() { 0.0 } else { self.view.weight(i) }
    }

    /// The target's weight, before it is multiplied by `t`.
    pub(crate) fn target(&self, i: usize) -> f64 {
        self.target.map_or_else(|| self.view.weight(i), |t| t[i])
    }

    /// The step weight.
    pub(crate) fn step(&self, i: usize) -> f64 {
        self.view.step(i)
    }

    /// Whether data and target weights are in the same proportion for all rows.
    fn is_joint(&self) -> bool {
        self.target.is_none() && self.view.rows.steps.is_none()
    }

    /// The coefficients of a slope (κ0p_i − t_i)·(a share): where one number serves both weights, it is the first.
    pub(crate) fn share_coefficients(&self, lambda: &Lambda) -> [Dyadic; 2] {
        let first = &lambda.kappa0 * &self.p;
        [if self.is_joint() { first - &self.t } else { first }, self.t.clone()]
    }

    /// −t_iu, unless the first coefficient has it already.
    pub(crate) fn minus_target(&self, i: usize, u: f64) -> [f64; 3] {
        if self.is_joint() { NONE } else { [-self.target(i), u, 1.0] }
    }

    /// The products of the slope (κ0p_i − t_i)·u for these coefficients.
    pub(crate) fn share(&self, i: usize, u: f64) -> Slope {
        let second = [self.minus_target(i, u), NONE, NONE, NONE];
        Slope { first: [self.weight(i), u, self.step(i)], second }
    }
}

/// The slope of a row: (first coefficient)·`first` + (second coefficient)·Σ`second`, each a product of three numbers.
pub(crate) struct Slope {
    pub(crate) first: [f64; 3],
    pub(crate) second: [[f64; 3]; 4],
}

/// No product.
pub(crate) const NONE: [f64; 3] = [0.0; 3];

/// The numbers of a row; all but n, b are multiples of the weight.
pub(crate) struct Row {
    /// The data's weight p, times the step weight.
    pub(crate) p: Dyadic,
    /// The target's weight t.
    pub(crate) t: Dyadic,
    /// ‖z‖², or what stands for it, times the step weight.
    pub(crate) n: Dyadic,
    /// The same without the step weight.
    pub(crate) squared: Dyadic,
    /// βᵀz
    pub(crate) b: Dyadic,
    /// The slope y.
    pub(crate) y: Dyadic,
    /// The label.
    pub(crate) label: Dyadic,
}

impl Row {
    /// F = pJ = p(1−ε)(2αk + αηn + b).
    pub(crate) fn jump(&self, lambda: &Lambda) -> Dyadic {
        &self.p * &lambda.benign * lambda.jump(&self.n, &self.b)
    }

    /// κ = κ0p − t.
    pub(crate) fn kappa(&self, lambda: &Lambda) -> Dyadic {
        &lambda.kappa0 * &self.p - &self.t
    }
}

/// A kind of row.
pub(crate) trait RowLine: Sync {
    /// Data and target weights.
    fn mass(&self) -> &Mass<'_>;

    /// The two coefficients of every slope.
    fn coefficients(&self, lambda: &Lambda) -> [Dyadic; 2] {
        self.mass().share_coefficients(lambda)
    }

    /// The slope of row i.
    fn slope(&self, i: usize) -> Slope;

    /// The constant of row i for its slope, after the conditions on the row have been verified.
    fn constant(&self, lambda: &Lambda, i: usize, row: &Row) -> Result<Dyadic, Reason>;
}

/// The line above all rows together.
pub(crate) fn sum(kind: &dyn RowLine, lambda: &Lambda) -> Result<Line, Reason> {
    let mass = kind.mass();
    let coefficients = kind.coefficients(lambda);
    let parts = mass.view.rows.in_parallel(|rows| constants(kind, lambda, &coefficients, rows));
    let constant = parts.into_iter().try_fold(Dyadic::zero(), |sum, part| Ok(sum + part?))?;
    let slope = all_slopes(kind, &coefficients);
    Ok(Line { constant, slope, scale: mass.scale.clone(), bend: Dyadic::zero() })
}

/// Σ y_iz_i for all parameters.
fn all_slopes(kind: &dyn RowLine, coefficients: &[Dyadic; 2]) -> Vec<Dyadic> {
    let blocks = 0..kind.mass().view.classes.max(1);
    blocks.flat_map(|block| slopes(kind, coefficients, block)).collect()
}

/// The sum of the constants of some rows.
fn constants(
    kind: &dyn RowLine,
    lambda: &Lambda,
    coefficients: &[Dyadic; 2],
    rows: Range<usize>,
) -> Result<Dyadic, Reason> {
    let each = kind.mass().view.each();
    let mut sum = Dyadic::zero();
    for i in rows.start * each..rows.end * each {
        sum = sum + kind.constant(lambda, i, &numbers(kind, lambda, coefficients, i))?;
    }
    Ok(sum)
}

/// The numbers of the row of a line.
fn numbers(kind: &dyn RowLine, lambda: &Lambda, coefficients: &[Dyadic; 2], i: usize) -> Row {
    let mass = kind.mass();
    let (squared, b) = mass.view.products(lambda, i);
    let step = Dyadic::new(mass.step(i));
    let slope = kind.slope(i);
    let second = slope.second.iter().filter(|f| f[0] != 0.0);
    let second = second.fold(Dyadic::zero(), |sum, &f| sum + product(f));
    Row {
        p: &mass.p * Dyadic::new(mass.weight(i)) * &step,
        t: &mass.t * Dyadic::new(mass.target(i)),
        n: &squared * step,
        squared,
        b,
        label: Dyadic::new(mass.view.label(i)),
        y: &coefficients[0] * product(slope.first) + &coefficients[1] * second,
    }
}

fn product([a, b, c]: [f64; 3]) -> Dyadic {
    Dyadic::new(a) * Dyadic::new(b) * Dyadic::new(c)
}

/// Σ y_iz_i for the parameters of a block: one exact number per column.
fn slopes(kind: &dyn RowLine, coefficients: &[Dyadic; 2], block: usize) -> Vec<Dyadic> {
    let view = kind.mass().view;
    let combined = view.rows.column_sums(view.labels, |row: usize, add: &mut dyn FnMut(usize, [f64; 3])| {
        let (lines, sign) = view.lines(row, block);
        for line in lines {
            let Slope { first, second } = kind.slope(line);
            for (place, [a, b, c]) in std::iter::once((0, first)).chain(second.map(|f| (1, f))) {
                if a != 0.0 {
                    add(place, [sign * a, b, c]);
                }
            }
        }
    });
    combined.iter().map(|[first, second]| &coefficients[0] * first + &coefficients[1] * second).collect()
}

/// Requires 0 ≤ x ≤ 1.
fn require_share(name: &str, i: usize, x: f64) -> Result<(), Reason> {
    require((0.0..=1.0).contains(&x), format_args!("{name}[{i}]"), x, "in [0, 1]")
}

/// Requires κ = κ0p_i − t_i ≥ 0.
fn require_kappa(kappa: &Dyadic, i: usize) -> Result<(), Reason> {
    require_not_negative(kappa, format_args!("κ0p[{i}] − t[{i}]"))
}
