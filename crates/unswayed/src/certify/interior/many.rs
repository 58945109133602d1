//! Many rows in memory: proofs by a rule that are found on a sample, and improved by passes over all rows.

use std::convert::Infallible;

use rayon::prelude::*;
use unswayed_check::CaseProof;

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
    let sample = sample(problem, instance)?;
    let loss = theorem2(&sample, near);
    if may_be_ranged && is_noticeably_better(&bounded_range(&sample, &loss), &loss) {
        return None;
    }
    let point = loss.point.clone();
    let ([loss, error], converged) = improved(problem, Parts::new(sample, loss));
    let loss = claim(problem, loss).ok()?;
    let error = if problem.learner().average { None } else { claim(problem, error).ok() };
    let error = error.filter(|error| error.bound < loss.bound.min(1.0));
    Some((Proven { loss, error, converged }, point))
}

/// A proof for the first steps from the instance's start; none if the rows are not many or have weights.
pub(super) fn first_steps(problem: &Problem, instance: &Instance) -> Option<CaseProof> {
    let sample = sample(problem, instance)?;
    let loss = theorem2(&sample, None);
    let ([loss, _], _) = improved(problem, Parts::new(sample, loss));
    Some(loss)
}

fn sample<'a>(problem: &Problem, instance: &'a Instance) -> Option<Instance<'a>> {
    let data = &problem.data()[0];
    let is_for = data.rows() > MANY && data.weights().is_none();
    is_for.then(|| instance.sample(data.rows().div_ceil(SAMPLE)))
}

/// The proofs of loss and error after passes over all rows, and whether the solver converged.
fn improved(problem: &Problem, parts: Parts) -> ([CaseProof; 2], bool) {
    let data = &problem.data()[0];
    let width = BLOCK * data.dimension();
    let pass = |models: &[Model; 2], _| Ok::<_, Infallible>(totals(models, data.z().par_chunks(width)));
    let Ok(found) = parts.improved(pass);
    found
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
