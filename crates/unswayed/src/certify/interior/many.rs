//! Many rows in memory: proofs by a rule that are found on a sample, and improved by passes over all rows.

use std::convert::Infallible;

use rayon::prelude::*;
use unswayed_check::CaseProof;

use super::parts::Parts;
use super::passes::{Model, Totals, add_rows};
use super::{
    Found, Instance, LARGE_DATA, MOST_SAME_ROWS, Point, Proven, bounded_range, noticeable, theorem2,
};
use crate::certify::claim;
use crate::problem::Problem;

/// Rows of the sample, at most.
const SAMPLE: usize = 12_500;
/// Rounds of the search, and passes over all rows: they cost little beside solving for the sample.
const ROUNDS: usize = 2;
const PASSES: usize = 8;
/// Rows that a thread adds up at a time.
const BLOCK: usize = 8192;

/// The proofs and the sample's solution; none if the rows are not many or have weights, or if the exact checker does not confirm what
/// was found. Where the sample says that the bounded-range form is worth a number for each row, that is solved for all rows.
pub(super) fn search(
    problem: &Problem,
    instance: &Instance,
    near: Option<&Point>,
    may_be_ranged: bool,
) -> Option<(Proven, Point)> {
    let sample = sample(problem, instance, MOST_SAME_ROWS)?;
    let loss = theorem2(&sample, near);
    let is_ranged = may_be_ranged && is_better(instance, &bounded_range(&sample, &loss), &loss);
    let (point, first) = (loss.point.clone(), is_ranged.then(|| loss.clone()));
    let ([loss, error], converged) = improved(problem, Parts::new(sample, loss));
    let mut loss = claim(problem, loss).ok()?;
    let ranged = first.and_then(|first| claim(problem, bounded_range(instance, &first).proof).ok());
    if let Some(ranged) = ranged.filter(|ranged| ranged.bound < loss.bound) {
        loss = ranged;
    }
    let error = if problem.learner().average { None } else { claim(problem, error).ok() };
    let error = error.filter(|error| error.bound < loss.bound.min(1.0));
    Some((Proven { loss, error, converged }, point))
}

/// A proof for the first steps from the instance's start; none if the rows are not many or have weights.
pub(super) fn first_steps(problem: &Problem, instance: &Instance) -> Option<CaseProof> {
    let sample = sample(problem, instance, LARGE_DATA)?;
    let loss = theorem2(&sample, None);
    let ([loss, _], _) = improved(problem, Parts::new(sample, loss));
    Some(loss)
}

/// A sample of the rows, if they are more than so many.
fn sample<'a>(problem: &Problem, instance: &'a Instance, few: usize) -> Option<Instance<'a>> {
    let data = &problem.data()[0];
    let is_for = data.rows() > few && data.weights().is_none();
    is_for.then(|| instance.sample(data.rows().div_ceil(SAMPLE).max(2)))
}

/// The proofs of loss and error after passes over all rows, and whether the solver converged.
fn improved(problem: &Problem, parts: Parts) -> ([CaseProof; 2], bool) {
    let data = &problem.data()[0];
    let width = BLOCK * data.dimension();
    let pass = |models: &[Model; 2], _| Ok::<_, Infallible>(totals(models, data.z().par_chunks(width)));
    let Ok(found) = parts.improved(ROUNDS, PASSES, pass);
    found
}

/// Whether a bound for a sample is better by more than a shorter file is worth.
fn is_better(instance: &Instance, found: &Found, than: &Found) -> bool {
    found.bound < than.bound - noticeable(instance.rows()) * than.bound.abs()
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
