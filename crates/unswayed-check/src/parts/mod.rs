//! The parts of Theorem L1: lines above rows, quadratics above the adversary's point, regions of θ.

pub(crate) mod points;
pub(crate) mod region;
pub(crate) mod rows;
pub(crate) mod slabs;
