//! What a row contributes: one file for each kind of row, and nothing else about it elsewhere.
//!
//! A kind says which unknowns a row has besides α and b = βᵀz, which inequalities they must satisfy, and what the row's line
//! T + y·s then costs. Where the constant T is the supremum of a [`Curve`], the program has as many of its points as it needs.

mod error_hinge;
mod error_logistic;
mod hinge;
mod label_hinge;
mod label_logistic;
mod logistic;

pub(super) use error_hinge::ErrorHinge;
pub(super) use error_logistic::ErrorLogistic;
pub(super) use hinge::Hinge;
pub(super) use label_hinge::LabelHinge;
pub(super) use label_logistic::LabelLogistic;
pub(super) use logistic::Logistic;
use unswayed_check::Lines;

use super::Constants;
use super::form::Form;
use super::logistic::Curve;

/// What a row depends on.
pub(super) struct Row<'a> {
    pub(super) constants: &'a Constants,
    /// α.
    pub(super) alpha: Form,
    /// b = βᵀz.
    pub(super) b: Form,
    /// n = ‖z‖².
    pub(super) n: f64,
    /// The weight in the target over that in the data.
    pub(super) t: f64,
}

impl Row<'_> {
    /// a = 2αk.
    fn a(&self) -> Form {
        self.alpha.clone() * (2.0 * self.constants.k)
    }

    /// κ0 = 2αk(1−ε).
    fn kappa0(&self) -> Form {
        self.a() * (1.0 - self.constants.eps)
    }

    /// κ = κ0 − t.
    fn kappa(&self) -> Form {
        self.kappa0() - Form::number(self.t)
    }

    /// c = αηn.
    fn c(&self) -> Form {
        self.alpha.clone() * (self.constants.eta * self.n)
    }

    /// J = (1−ε)(2αk + αηn + b).
    fn j(&self) -> Form {
        (self.a() + self.c() + self.b.clone()) * (1.0 - self.constants.eps)
    }
}

/// A row's place in the program.
pub(super) struct Part {
    /// Must not be negative.
    pub(super) fixed: Vec<Form>,
    /// The first unknown must not be below these, for w in an interval.
    pub(super) curves: Vec<Arc>,
    /// What the line costs at s = 0.
    pub(super) cost: Form,
    /// The slope y of the line.
    pub(super) slope: Form,
}

/// A curve on an interval of w.
pub(super) struct Arc {
    pub(super) curve: Curve<Form>,
    pub(super) interval: (f64, f64),
}

/// The whole interval (0, 1), but for what rounding cannot tell from its ends.
pub(super) const WHOLE: (f64, f64) = (1e-13, 1.0 - 1e-13);

/// A kind of row.
pub(super) trait Kind: Sync {
    /// How many unknowns a row has.
    fn unknowns(&self) -> usize;

    /// Its place in the program; `own` are its unknowns, T first.
    fn part(&self, row: &Row, own: &[Form]) -> Part;

    /// Adds the row's numbers to a witness: `own` are its unknowns' values, `w` the maximisers of its curves.
    fn write(&self, kappa0: f64, t: f64, own: &[f64], w: &[f64], lines: &mut Lines);
}

/// part/whole in [0, 1], whatever rounding has done.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 }
}
