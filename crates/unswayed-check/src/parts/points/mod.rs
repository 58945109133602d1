//! Quadratics above what the adversary's point contributes: one file per set.
//!
//! For the symmetric sets w·zᵀx ≤ ½(w²t + xᵀNx) for all x and w ≥ 0, and Lemma L7 gives, with χ = 2αk − ν,
//!
//! ```text
//! m₀ = C + ½βᵀNβ    m = χNβ    M = ½χ²N    C from D = t/2 + αηn and ν
//! ```
//!
//! A point with a step weight of at most c makes the steps of a set that is c times as large, and ν counts c-fold in C
//! (Lemma W1).

mod ball;
mod classes;
mod constant;
mod cuboid;
mod ellipsoid;
mod features;
mod finite;

pub(crate) use ball::ball;
pub(crate) use classes::{classes_together, each_class};
pub(crate) use constant::Acting;
pub(crate) use cuboid::cuboid;
pub(crate) use ellipsoid::{Ellipsoid, ellipsoid};
pub(crate) use features::{Class, features};
pub(crate) use finite::finite;

use crate::evaluate::{Curve, Quadratic};
use crate::exact::Dyadic;
use crate::lambda::Lambda;

/// The numbers of Lemma L7 that a case chooses.
pub(crate) struct Split {
    /// ν
    pub(crate) nu: Dyadic,
    /// χ = 2αk − ν
    pub(crate) chi: Dyadic,
    pub(crate) acting: Acting,
    /// The largest step weight of the point.
    pub(crate) weight: Dyadic,
}

impl Split {
    pub(crate) fn new(lambda: &Lambda, nu: Dyadic, acting: Acting, weight: Dyadic) -> Self {
        Split { chi: &lambda.two_ak - &nu, nu, acting, weight }
    }

    /// C.
    pub(crate) fn constant(&self, d: &Dyadic) -> Dyadic {
        self.constant_with(d, &Dyadic::zero())
    }

    /// C where a point's activity w adds w times a number besides.
    pub(crate) fn constant_with(&self, d: &Dyadic, linear: &Dyadic) -> Dyadic {
        self.acting.constant(d, linear, &(&self.nu * &self.weight))
    }
}

/// No quadratic: the rows' lines contain the point already.
pub(crate) fn none(dimension: usize) -> Quadratic {
    Quadratic { constant: Dyadic::zero(), slope: vec![Dyadic::zero(); dimension], curve: Curve::Flat }
}

/// The same quadratic if M = 0, as it is for χ = 0, where denominators do not matter.
fn flattened(quadratic: Quadratic, split: &Split) -> Quadratic {
    if split.chi.is_zero() { Quadratic { curve: Curve::Flat, ..quadratic } } else { quadratic }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::tests::{assert_just_above, statement};

    /// For η = ½, α = 1, ν = 0 and τ = 3 the constants are D + ½βᵀNβ, of which the latter is no binary number.
    #[test]
    fn quotients_are_rounded_up() {
        let statement = statement();
        let (lambda, two) = (Lambda::new(&statement, 1.0, &[1.0]), Lambda::new(&statement, 1.0, &[1.0, 0.0]));
        let split =
            Split::new(&lambda, Dyadic::zero(), Acting::Bounded(crate::loss::HINGE, 1.0), Dyadic::whole(1));
        let one = Dyadic::whole(1);
        // D = 3/2 + 1/2, and 1/6.
        assert_just_above(&ball(&lambda, &split, &one, 3.0).constant, 13, 6);
        assert_just_above(&cuboid(&lambda, &split, &[1.0], &[3.0]).constant, 13, 6);
        // D = 3/2 + 2/2.
        let set = Ellipsoid::new(&[1.0], 2.0, 1).expect("0 ≺ Q ≺ ωI");
        assert_just_above(&ellipsoid(&lambda, &split, &set, 3.0, &[0.0]).constant, 16, 6);
        // Γ² = 2: 1 + 3 and 1/6; for the points of one class 1 + 3/2 and (c_yc_yᵀ)_11/6, where Π_y is 0.
        assert_just_above(&classes_together(&two, &split, 2, &one, 3.0).constant, 25, 6);
        assert_just_above(&each_class(&two, &split, 2, 0, &one, 3.0).constant, 16, 6);
    }
}
