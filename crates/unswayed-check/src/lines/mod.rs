//! Lines above what the rows contribute: one file per kind of row.
//!
//! A kind gives for each row the slope y_i as a sum of products of the witness' numbers, and the smallest constant T_i it can prove
//! for that slope. Both are multiples of the row's weight. [`sum`] adds them up over all rows.

mod clipped;
pub(crate) mod entropy;
mod error_hinge;
mod error_logistic;
mod hinge;
mod interval;
mod label_hinge;
mod label_logistic;
mod logistic;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub(crate) use clipped::{Clipped, ClippedLoss};
pub(crate) use error_hinge::ErrorHinge;
pub(crate) use error_logistic::ErrorLogistic;
pub(crate) use hinge::Hinge;
pub(crate) use interval::Interval;
pub(crate) use label_hinge::LabelHinge;
pub(crate) use label_logistic::LabelLogistic;
pub(crate) use logistic::Logistic;

use crate::exact::Dyadic;
use crate::failure::{Reason, require, require_not_negative};
use crate::linear::lambda::Lambda;
use crate::rows::Rows;

/// A line r₀ + rᵀθ, both times `scale` > 0.
pub(crate) struct Line {
    pub(crate) constant: Dyadic,
    pub(crate) slope: Vec<Dyadic>,
    pub(crate) scale: Dyadic,
}

/// Data and target weights of the rows: p_i = w_i·`p`/`scale`, t_i = `target(i)`·`t`/`scale`.
pub(crate) struct Mass<'a> {
    pub(crate) rows: &'a Rows<'a>,
    /// The target's weights if they are not those of the data.
    pub(crate) target: Option<&'a [f64]>,
    pub(crate) p: Dyadic,
    pub(crate) t: Dyadic,
    pub(crate) scale: Dyadic,
}

impl Mass<'_> {
    /// The data's weight, before it is multiplied by `p`.
    pub(crate) fn weight(&self, i: usize) -> f64 {
        if self.p.is_zero() { 0.0 } else { self.rows.weight(i) }
    }

    /// The target's weight, before it is multiplied by `t`.
    pub(crate) fn target(&self, i: usize) -> f64 {
        self.target.map_or_else(|| self.rows.weight(i), |t| t[i])
    }
}

/// The slope of a row as a sum of products: κ0·p·(first) + (coefficient of the kind)·Σ(others).
pub(crate) struct Slope {
    pub(crate) main: [f64; 3],
    pub(crate) others: [[f64; 3]; 4],
}

/// No product.
pub(crate) const NONE: [f64; 3] = [0.0; 3];

/// The numbers of a row; all but n, b are multiples of the weight.
pub(crate) struct Row {
    /// The data's weight p.
    pub(crate) p: Dyadic,
    /// The target's weight t.
    pub(crate) t: Dyadic,
    /// ‖z‖², or what stands for it.
    pub(crate) n: Dyadic,
    /// βᵀz
    pub(crate) b: Dyadic,
    /// The slope y.
    pub(crate) y: Dyadic,
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
pub(crate) trait Kind: Sync {
    /// Data and target weights.
    fn mass(&self) -> &Mass<'_>;

    /// The slope of row i.
    fn slope(&self, i: usize) -> Slope;

    /// What the other products of the slope are multiplied by.
    fn coefficient(&self) -> Dyadic {
        self.mass().t.clone()
    }

    /// The constant of row i for its slope, after the conditions on the row have been verified.
    fn constant(&self, lambda: &Lambda, i: usize, row: &Row) -> Result<Dyadic, Reason>;
}

/// The line above all rows together. `stretch` multiplies each ‖z_i‖² (1 but for classes).
pub(crate) fn sum(kind: &dyn Kind, lambda: &Lambda, stretch: &Dyadic) -> Result<Line, Reason> {
    let mass = kind.mass();
    let coefficients = [&lambda.kappa0 * &mass.p, kind.coefficient()];
    let parts = mass.rows.in_parallel(|range| constants(kind, lambda, stretch, &coefficients, range));
    let constant = parts.into_iter().try_fold(Dyadic::zero(), |sum, part| Ok(sum + part?))?;
    let main = mass.rows.sums(|i| [kind.slope(i).main]);
    let others = mass.rows.sums(|i| kind.slope(i).others);
    let combine = |(a, b): (&Dyadic, &Dyadic)| &coefficients[0] * a + &coefficients[1] * b;
    Ok(Line { constant, slope: main.iter().zip(&others).map(combine).collect(), scale: mass.scale.clone() })
}

/// The sum of the constants of some rows.
fn constants(
    kind: &dyn Kind,
    lambda: &Lambda,
    stretch: &Dyadic,
    coefficients: &[Dyadic; 2],
    range: Range<usize>,
) -> Result<Dyadic, Reason> {
    let mass = kind.mass();
    let mut sum = Dyadic::zero();
    for i in range {
        let (n, b) = lambda.products(mass.rows.row(i));
        let slope = kind.slope(i);
        let others = slope.others.iter().filter(|f| f[0] != 0.0);
        let others = others.fold(Dyadic::zero(), |sum, &f| sum + product(f));
        let row = Row {
            p: &mass.p * Dyadic::new(mass.weight(i)),
            t: &mass.t * Dyadic::new(mass.target(i)),
            n: n * stretch,
            b,
            y: &coefficients[0] * product(slope.main) + &coefficients[1] * others,
        };
        sum = sum + kind.constant(lambda, i, &row)?;
    }
    Ok(sum)
}

fn product([a, b, c]: [f64; 3]) -> Dyadic {
    Dyadic::new(a) * Dyadic::new(b) * Dyadic::new(c)
}

/// Requires 0 ≤ x ≤ 1.
fn require_share(name: &str, i: usize, x: f64) -> Result<(), Reason> {
    require((0.0..=1.0).contains(&x), format_args!("{name}[{i}]"), x, "in [0, 1]")
}

/// Requires κ = κ0p_i − t_i ≥ 0.
fn require_kappa(kappa: &Dyadic, i: usize) -> Result<(), Reason> {
    require_not_negative(kappa, format_args!("κ0p[{i}] − t[{i}]"))
}
