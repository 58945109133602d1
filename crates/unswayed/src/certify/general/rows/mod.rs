//! What a row contributes: one file for each kind of row, and nothing else about it elsewhere.
//!
//! A kind says which unknowns a row has besides α and b = βᵀz, which inequalities they must satisfy, and what the row's line
//! T + y·s then costs; and which line it takes where the model is known. Where the constant T is the supremum of a [`Curve`], the
//! program has as many of its points as it needs.

pub(super) mod bounded_slope;
mod clipped_hinge;
mod clipped_logistic;
mod error_hinge;
mod error_logistic;
mod hinge;
mod interval;
mod label_hinge;
mod label_logistic;
mod logistic;

pub(super) use bounded_slope::BoundedSlope;
pub(super) use clipped_hinge::ClippedHinge;
pub(super) use clipped_logistic::ClippedLogistic;
pub(super) use error_hinge::ErrorHinge;
pub(super) use error_logistic::ErrorLogistic;
pub(super) use hinge::Hinge;
pub(super) use interval::Interval;
pub(super) use label_hinge::LabelHinge;
pub(super) use label_logistic::LabelLogistic;
pub(super) use logistic::Logistic;
use unswayed_check::Lines;

use super::affine::{Affine, Scalar};
use super::logistic::{Arc, Curve, margin};
use super::setting::Constants;

/// The values of a row's unknowns, T first; those it does not have are 0.
pub(super) type RowUnknowns = [f64; 4];

/// What a row depends on. All but n is per unit of its mass.
#[derive(Clone, Debug)]
pub(super) struct Row<'a, T> {
    pub(super) constants: &'a Constants,
    /// α.
    pub(super) alpha: T,
    /// b = βᵀz.
    pub(super) b: T,
    /// n = ‖z‖², or what stands for it.
    pub(super) n: f64,
    /// The row's part in data and target.
    pub(super) mass: f64,
    /// The weight in the data: 1, or 0 for a row of the target alone.
    pub(super) p: f64,
    /// The weight in the target.
    pub(super) t: f64,
    /// The label where it is a number, else 1.
    pub(super) label: f64,
    /// r = min(1, G/‖z‖) of a clipped gradient, else 1.
    pub(super) clip: f64,
    /// The middle of the interval that s is in, and how far from it s may be.
    pub(super) range: (f64, f64),
}

impl<T: Scalar> Row<'_, T> {
    /// a = 2αk.
    fn a(&self) -> T {
        self.alpha.clone() * (2.0 * self.constants.k)
    }

    /// κ0 = 2αk(1−ε), times p.
    fn kappa0(&self) -> T {
        self.a() * ((1.0 - self.constants.eps) * self.p)
    }

    /// κ = κ0 − t.
    fn kappa(&self) -> T {
        self.kappa0() - T::from(self.t)
    }

    /// The largest slope of a line: κ0r − t, r = 1 where nothing is clipped.
    fn steepest(&self) -> T {
        self.kappa0() * self.clip - T::from(self.t)
    }

    /// c = αηn.
    fn c(&self) -> T {
        self.alpha.clone() * (self.constants.eta * self.n)
    }

    /// J = (1−ε)(r(2αk + b) + r²αηn), times p.
    fn j(&self) -> T {
        let r = self.clip;
        ((self.a() + self.b.clone()) * r + self.c() * (r * r)) * ((1.0 - self.constants.eps) * self.p)
    }
}

/// A row's place in the program.
pub(super) struct RowConstraints {
    /// Must not be negative.
    pub(super) fixed: Vec<Affine>,
    /// The first unknown must not be below these, for w in an interval.
    pub(super) curves: Vec<Arc<Affine>>,
    /// What the line costs at s = 0.
    pub(super) cost: Affine,
    /// The slope y of the line.
    pub(super) slope: Affine,
}

/// A kind of row.
pub(super) trait RowKind: Sync {
    /// How many unknowns a row has, T first.
    fn unknowns(&self) -> usize {
        2
    }

    /// Whether it bounds the error, not the loss.
    fn is_error(&self) -> bool {
        false
    }

    /// Its place in the program.
    fn part(&self, row: &Row<Affine>, own: &[Affine]) -> RowConstraints;

    /// Unknowns inside of what is allowed, but for those that may be raised: T, and those that curves are about.
    fn interior(&self, row: &Row<f64>) -> RowUnknowns {
        own(row.steepest() / 2.0)
    }

    /// Where T is the higher of two curves: the slope at which they are equally high.
    fn bridge(&self, _: &Row<f64>) -> f64 {
        0.0
    }

    /// The unknowns (T may be left at 0, it follows from the others) of the best line at the score s. Where the slope jumps it goes over a width instead.
    fn line(&self, row: &Row<f64>, bridge: f64, s: f64, width: f64) -> RowUnknowns;

    /// The slope of a line from its unknowns.
    fn slope(&self, own: &RowUnknowns) -> f64 {
        own[1]
    }

    /// The same unknowns, within what is allowed whatever rounding has done.
    fn legal(&self, _: &Row<f64>, own: &RowUnknowns) -> RowUnknowns {
        *own
    }

    /// The curves whose suprema are T, for known unknowns.
    fn curves(&self, _: &Row<f64>, _: &RowUnknowns) -> Vec<Arc<f64>> {
        vec![]
    }

    /// The height of the line at s = 0, the least for its slope.
    fn height(&self, row: &Row<f64>, own: &RowUnknowns) -> f64 {
        self.curves(row, own).iter().map(Arc::top).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Adds the row's numbers to a witness: `own` are its unknowns, `w` the maximisers of its curves.
    fn write(&self, row: &Row<f64>, own: &RowUnknowns, w: &[f64], lines: &mut Lines);
}

/// part/whole in [0, 1], whatever rounding has done.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 }
}

/// 1 where x > 0 and 0 where x < 0, with a ramp between.
fn ramp(x: f64, width: f64) -> f64 {
    (x / width + 0.5).clamp(0.0, 1.0)
}

/// A row whose only unknown besides T is the slope.
fn own(slope: f64) -> RowUnknowns {
    [0.0, slope, 0.0, 0.0]
}

/// The y in [0, most] at which two curves are equally high. The first falls with y faster than the second, or rises more slowly: the
/// derivative of a top in y is minus the score where it is.
fn bridge(most: f64, curves: impl Fn(f64) -> [Arc<f64>; 2]) -> f64 {
    let (mut low, mut high) = (0.0, most.max(0.0));
    let mut y = f64::midpoint(low, high);
    for _ in 0..60 {
        let [first, second] = curves(y).map(|arc| {
            let w = arc.maximiser();
            (arc.curve.at(w), margin(w))
        });
        let (gap, rate) = (first.0 - second.0, second.1 - first.1);
        if gap > 0.0 {
            low = y;
        } else {
            high = y;
        }
        let newton = y - gap / rate;
        let next = if newton > low && newton < high { newton } else { f64::midpoint(low, high) };
        if (next - y).abs() <= 1e-13 * most {
            break;
        }
        y = next;
    }
    y
}
