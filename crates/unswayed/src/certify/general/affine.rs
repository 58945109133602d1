//! Affine functions of a program's variables, so that constraints read like the formulas they are.

use std::ops::{Add, Mul, Sub};

use crate::certify::conic::{Cone, Program, triangle};

/// What formulas are written in: numbers, or affine functions of unknowns.
pub(super) trait Scalar:
    Clone + From<f64> + Add<Output = Self> + Sub<Output = Self> + Mul<f64, Output = Self>
{
}

impl Scalar for f64 {}
impl Scalar for Affine {}

/// constant + Σ factor · variable.
#[derive(Clone, Debug, Default)]
pub(super) struct Affine {
    pub(super) constant: f64,
    pub(super) terms: Vec<(usize, f64)>,
}

impl Affine {
    /// A variable.
    pub(super) fn of(variable: usize) -> Affine {
        Affine { constant: 0.0, terms: vec![(variable, 1.0)] }
    }

    /// Σ factor · variable.
    pub(super) fn sum(terms: impl IntoIterator<Item = (usize, f64)>) -> Affine {
        Affine { constant: 0.0, terms: terms.into_iter().collect() }
    }

    /// Its value.
    pub(super) fn at(&self, x: &[f64]) -> f64 {
        self.constant + self.terms.iter().map(|(v, f)| f * x[*v]).sum::<f64>()
    }
}

impl From<f64> for Affine {
    fn from(constant: f64) -> Affine {
        Affine { constant, terms: vec![] }
    }
}

impl Add for Affine {
    type Output = Affine;
    fn add(mut self, other: Affine) -> Affine {
        self.constant += other.constant;
        self.terms.extend(other.terms);
        self
    }
}

impl Sub for Affine {
    type Output = Affine;
    fn sub(self, other: Affine) -> Affine {
        self + other * -1.0
    }
}

impl Mul<f64> for Affine {
    type Output = Affine;
    fn mul(mut self, factor: f64) -> Affine {
        self.constant *= factor;
        for (_, f) in &mut self.terms {
            *f *= factor;
        }
        self
    }
}

/// Adds a row for a affine. Variables that occur several times are merged, which the program wants side by side.
fn row(program: &mut Program, mut affine: Affine) {
    affine.terms.sort_by_key(|(variable, _)| *variable);
    program.row(affine.constant, affine.terms);
}

/// Requires that forms are not negative.
pub(super) fn not_negative(program: &mut Program, forms: impl IntoIterator<Item = Affine>) {
    program.cone(Cone::NonNegative, |program| forms.into_iter().for_each(|affine| row(program, affine)));
}

/// Requires that forms are zero.
pub(super) fn zero(program: &mut Program, forms: impl IntoIterator<Item = Affine>) {
    program.cone(Cone::Zero, |program| forms.into_iter().for_each(|affine| row(program, affine)));
}

/// Requires that the first affine is at least the norm of the others.
pub(super) fn norm_within(program: &mut Program, forms: impl IntoIterator<Item = Affine>) {
    program.cone(Cone::SecondOrder, |program| forms.into_iter().for_each(|affine| row(program, affine)));
}

/// Requires that a symmetric matrix is positive semidefinite; `entry` gives its upper triangle.
pub(super) fn semidefinite(program: &mut Program, order: usize, entry: impl Fn(usize, usize) -> Affine) {
    program.cone(Cone::SemiDefinite(order), |program| {
        for (i, j) in triangle(order) {
            let scale = if i == j { 1.0 } else { std::f64::consts::SQRT_2 };
            row(program, entry(i, j) * scale);
        }
    });
}
