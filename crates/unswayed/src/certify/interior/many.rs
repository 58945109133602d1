//! Many rows in memory: proofs by a rule that are found on a sample, and improved by passes over all rows.

use std::convert::Infallible;

use rayon::prelude::*;
use unswayed_check::CaseProof;

use super::parts::Parts;
use super::passes::{Model, Totals, add_rows};
use super::{
    Instance, LARGE_DATA, MOST_SAME_ROWS, NOTICEABLE, Point, Proven, SLIGHT, bounded_range, theorem2,
};
use crate::certify::claim;
use crate::problem::Problem;

/// Rows of the sample, at most, and rounds of the search.
const SAMPLE: usize = 12_500;
const ROUNDS: usize = 2;
/// The same where a rule needs more digits of its model.
const LARGE_SAMPLE: usize = 50_000;
const LARGE_ROUNDS: usize = 1;
/// Passes over all rows, which cost little beside solving for the sample.
const PASSES: usize = 6;
/// Rows that a thread adds up at a time.
const BLOCK: usize = 8192;

/// The proofs and the sample's solution; none if the rows are not many or have weights, if the sample says that the bounded-range form
/// is worth a number for each row, or if the exact checker does not confirm what was found.
///
/// Where that form is better, a is nearly 0, and with it 2aθ̂: what a small sample does not know of θ̂ then costs up to a percent of the
/// error.
pub(super) fn search(
    problem: &Problem,
    instance: &Instance,
    near: Option<&Point>,
    may_be_ranged: bool,
) -> Option<(Proven, Point)> {
    let small = sample(problem, instance, MOST_SAME_ROWS, SAMPLE)?;
    let loss = theorem2(&small, near);
    let is_large = instance.rows() > LARGE_DATA;
    let worth = 1.0 - bounded_range(&small, &loss).bound / loss.bound;
    if worth > SLIGHT && (!is_large || (may_be_ranged && worth > NOTICEABLE)) {
        return None;
    }
    let (sample, loss, rounds) = if worth > SLIGHT {
        let large = sample(problem, instance, MOST_SAME_ROWS, LARGE_SAMPLE)?;
        let loss = theorem2(&large, near);
        (large, loss, LARGE_ROUNDS)
    } else {
        (small, loss, ROUNDS)
    };
    let point = loss.point.clone();
    let ([loss, error], converged) = improved(problem, Parts::new(sample, loss), rounds);
    let loss = claim(problem, loss).ok()?;
    let error = if problem.learner().average { None } else { claim(problem, error).ok() };
    let error = error.filter(|error| error.bound < loss.bound.min(1.0));
    Some((Proven { loss, error, converged }, point))
}

/// A proof for the first steps from the instance's start; none if the rows are not many or have weights.
pub(super) fn first_steps(problem: &Problem, instance: &Instance) -> Option<CaseProof> {
    let sample = sample(problem, instance, LARGE_DATA, LARGE_SAMPLE)?;
    let loss = theorem2(&sample, None);
    let ([loss, _], _) = improved(problem, Parts::new(sample, loss), LARGE_ROUNDS);
    Some(loss)
}

/// A sample of at most so many of the rows, if they are more than a few.
fn sample<'a>(problem: &Problem, instance: &'a Instance, few: usize, most: usize) -> Option<Instance<'a>> {
    let data = &problem.data()[0];
    let is_for = data.rows() > few && data.weights().is_none();
    is_for.then(|| instance.sample(data.rows().div_ceil(most).max(2)))
}

/// The proofs of loss and error after passes over all rows, and whether the solver converged.
fn improved(problem: &Problem, parts: Parts, rounds: usize) -> ([CaseProof; 2], bool) {
    let data = &problem.data()[0];
    let width = BLOCK * data.dimension();
    let pass = |models: &[Model; 2], _| Ok::<_, Infallible>(totals(models, data.z().par_chunks(width)));
    let Ok(found) = parts.improved(rounds, PASSES, pass);
    found
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
