//! Theorem L17: an unregularized coordinate is cut into slabs, and what is left of a case is convex in it. So the ends of the
//! slab decide, and at infinity nothing may push outward.

use crate::exact::Dyadic;
use crate::failure::{Reason, require, require_not_negative};

/// l ≤ θ_b ≤ h for a coordinate b; an end may be at infinity, but not both.
pub(crate) struct Slab {
    /// b
    pub(crate) coordinate: usize,
    low: Option<Dyadic>,
    high: Option<Dyadic>,
}

impl Slab {
    /// The slab of this number, if there are slabs.
    pub(crate) fn new(free: &[usize], edges: &[f64], slab: usize) -> Option<Self> {
        let coordinate = *free.first()?;
        let edge = |i: usize| edges.get(i).map(|e| Dyadic::new(*e));
        Some(Slab { coordinate, low: slab.checked_sub(1).and_then(edge), high: edge(slab) })
    }

    pub(crate) fn is_bounded(&self) -> bool {
        self.low.is_some() && self.high.is_some()
    }

    /// The ends that are not at infinity, the lower one as 0 and the upper one as 1.
    pub(crate) fn ends(&self) -> impl Iterator<Item = (usize, &Dyadic)> {
        self.low.iter().map(|e| (0, e)).chain(self.high.iter().map(|e| (1, e)))
    }

    /// Requires M_bb = 0 and a push v_b (or a multiple) that is not outward, if the slab has an end at infinity.
    pub(crate) fn require_held(&self, v: &Dyadic, m: &Dyadic) -> Result<(), Reason> {
        if self.is_bounded() {
            return Ok(());
        }
        let b = self.coordinate;
        require_not_negative(&(Dyadic::zero() - m), format_args!("−M[{b}][{b}] of an unbounded slab"))?;
        if self.high.is_none() {
            require_not_negative(&(Dyadic::zero() - v), format_args!("−v[{b}] above the last slab"))?;
        }
        if self.low.is_none() {
            require_not_negative(v, format_args!("v[{b}] below the first slab"))?;
        }
        Ok(())
    }
}

/// Requires e_1 < e_2 < ….
pub(crate) fn require_edges(edges: &[f64]) -> Result<(), Reason> {
    for (i, pair) in edges.windows(2).enumerate() {
        require(pair[0] < pair[1], format_args!("slabs[{}]", i + 1), pair[1], "above the one before")?;
    }
    Ok(())
}
