//! Where θ may be: everywhere, in the ball of a projection, or in shells around a model (Section 5 of `docs/theory.md`).

use unswayed_check::Shells;

use super::setting::{Constants, RowTable};
use crate::certify::dot;

/// Radii of shells in units of how far the adversary can push the model from where it settles; the last shell follows.
const RADII: [f64; 8] = [0.6, 1.1, 1.6, 2.2, 3.0, 5.0, 10.0, 25.0];

/// A shell r_{m−1} ≤ ‖θ − o‖ ≤ r_m.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shell<'a> {
    pub(super) centre: &'a [f64],
    pub(super) inner: f64,
    pub(super) outer: f64,
}

/// All of them, in order.
pub(super) fn each(shells: &Shells) -> Vec<Shell<'_>> {
    let inner = std::iter::once(0.0).chain(shells.radii.iter().copied());
    let shell = |(outer, inner): (&f64, f64)| Shell { centre: &shells.centre, inner, outer: *outer };
    shells.radii.iter().zip(inner).map(shell).collect()
}

/// The ball of a projection.
pub(super) fn projection(constants: &Constants) -> Option<Shells> {
    let radius = constants.projection?;
    Some(Shells { centre: vec![0.0; constants.parameters], radii: vec![radius], ball: radius })
}

/// Shells around a model, out to where no step of at most this length can take θ.
pub(super) fn around(centre: Vec<f64>, constants: &Constants, longest: f64, reach: f64) -> Shells {
    let ball = constants.projection.unwrap_or(longest / constants.sigma * (1.0 + 1e-9));
    let last = (ball + dot(&centre, &centre).sqrt()) * (1.0 + 1e-9);
    let unit = constants.eps * reach / constants.sigma;
    let mut radii: Vec<f64> =
        RADII.iter().map(|r| r * unit).filter(|r| *r > 0.0 && *r < 0.9 * last).collect();
    radii.push(last);
    Shells { centre, radii, ball }
}

impl Shell<'_> {
    /// Where s = θᵀz can be: the middle, and how far from it.
    pub(super) fn range(&self, table: &RowTable, i: usize) -> (f64, f64) {
        (dot(self.centre, table.row(i)), self.outer * table.length[i] * (1.0 + 1e-12))
    }
}
