//! Many rows in memory: proofs by a rule that are found on a sample, and improved by passes over all rows.

use rayon::prelude::*;

use super::parts::Parts;
use super::passes::{Model, Totals, add_rows};
use super::{Found, Instance, NOTICEABLE, Point, Proven, bounded_range, theorem2};
use crate::certify::claim;
use crate::problem::Problem;

/// From so many rows on.
const MANY: usize = 100_000;
/// Rows of the sample, about.
const SAMPLE: usize = 50_000;
/// Rows that a thread adds up at a time.
const BLOCK: usize = 8192;

/// The proofs and the sample's solution; none if the rows are not many or have weights, if another form of proof would be
/// noticeably better, or if the exact checker does not confirm what was found.
pub(super) fn search(
    problem: &Problem,
    instance: &Instance,
    near: Option<&Point>,
    may_be_ranged: bool,
) -> Option<(Proven, Point)> {
    let data = &problem.data()[0];
    if data.rows() <= MANY || data.weights().is_some() {
        return None;
    }
    let sample = instance.sample(data.rows().div_ceil(SAMPLE));
    let loss = theorem2(&sample, near);
    if may_be_ranged && is_noticeably_better(&bounded_range(&sample, &loss), &loss) {
        return None;
    }
    let point = loss.point.clone();
    let width = BLOCK * data.dimension();
    let ([loss, error], converged) = Parts::new(sample, loss)
        .improved(|models, _| Ok::<_, ()>(totals(models, data.z().par_chunks(width))))
        .ok()?;
    let loss = claim(problem, loss).ok()?;
    let error = if problem.learner().average { None } else { claim(problem, error).ok() };
    let error = error.filter(|error| error.bound < loss.bound.min(1.0));
    Some((Proven { loss, error, converged }, point))
}

fn is_noticeably_better(found: &Found, than: &Found) -> bool {
    found.bound < than.bound - NOTICEABLE * than.bound.abs()
}

/// The sums over all rows, which do not depend on who adds them up.
fn totals<'z>(models: &[Model; 2], blocks: impl ParallelIterator<Item = &'z [f64]>) -> [Totals; 2] {
    let none = || models.each_ref().map(Totals::new);
    let add = |mut sums: [Totals; 2], z: &[f64]| {
        add_rows(models, &mut sums, z);
        sums
    };
    let join = |all: [Totals; 2], more: [Totals; 2]| {
        let [a, b] = all.map(Totals::settled);
        let mut all = [a, b];
        let same = all.iter_mut().zip(more.map(Totals::settled)).all(|(all, more)| all.merge(&more));
        debug_assert!(same, "sums over other models");
        all
    };
    blocks.fold(none, add).reduce(none, join)
}
