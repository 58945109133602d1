//! Tries to break the bounds: random learners, random proofs, and a search for θ and z with G_λ above the proven value.

use crate::common::Problem;
use crate::common::random::{improve, kinds, provable, regression_kinds};
use crate::common::rounds;
use crate::common::search::Random;

/// Searches the problem; the room that is left, relative to 1 + |B|.
fn room(name: &str, problem: &Problem, bound: f64, random: &mut Random, starts: usize) -> f64 {
    let found = problem.search(random, starts, 250);
    let room = (bound - found) / (1.0 + bound.abs());
    assert!(room >= -1e-8, "{name}: G = {found} > B = {bound}: {problem:?}");
    room
}

#[test]
fn any_proof() {
    let (instances, starts) = (rounds(4, 30), rounds(3, 6));
    for (number, (name, make)) in kinds().into_iter().enumerate() {
        let mut random = Random(1000 + number as u64);
        let mut refused = 0;
        for _ in 0..instances {
            let problem = make(&mut random);
            match problem.bounds() {
                Ok((bound, cases)) => {
                    assert_eq!(bound, cases.into_iter().fold(f64::NEG_INFINITY, f64::max), "{name}");
                    room(&name, &problem, bound, &mut random, starts);
                }
                Err(failure) => {
                    refused += 1;
                    assert!(refused <= instances / 4, "{name}: {failure}");
                }
            }
        }
    }
}

#[test]
fn good_proofs() {
    let (instances, changes) = (rounds(1, 3), rounds(150, 1500));
    for (number, (name, make)) in kinds().into_iter().enumerate() {
        let mut random = Random(5000 + number as u64);
        let mut least = f64::INFINITY;
        for _ in 0..instances {
            let mut problem = provable(|| make(&mut random), |_| true);
            improve(&mut problem, &mut random, changes);
            let bound = problem.bound().expect("no change that is kept makes it worse");
            least = least.min(room(&name, &problem, bound, &mut random, rounds(5, 12)));
        }
        // A search that never comes near the bounds would find nothing.
        assert!(least < if crate::common::is_full() { 0.6 } else { 0.9 }, "{name}: {least}");
    }
}

/// A planted error: all slabs of an unregularized column but the least one are forgotten. The search finds models in them.
#[test]
fn slabs_that_are_left_out_are_missed() {
    let mut random = Random(77);
    let kinds = kinds();
    let (_, make) = kinds.iter().find(|(name, _)| name == "bounded-slope ball free").expect("a kind");
    let (mut tried, mut found) = (0, 0);
    for _ in 0..60 {
        let mut problem = make(&mut random);
        improve(&mut problem, &mut random, 300);
        let Ok((_, cases)) = problem.bounds() else { continue };
        tried += 1;
        let least = cases.into_iter().fold(f64::INFINITY, f64::min);
        found += usize::from(problem.search(&mut random, 4, 250) > least + 1e-6);
        if tried == 6 {
            break;
        }
    }
    assert!(tried == 6 && found >= 2, "{found} of {tried}");
}

/// Planted errors: an adversary with larger labels than the proof speaks of, and rows with other labels. A search that looked at
/// labels wrongly would not find them.
#[test]
fn wrong_labels_are_found() {
    let (mut of_points, mut of_rows, mut tried) = (0, 0, 0);
    for (number, (_, make)) in regression_kinds().into_iter().enumerate() {
        let mut random = Random(9000 + number as u64);
        let mut problem =
            provable(|| make(&mut random), |problem| problem.statement.threat.label_bound.is_some());
        improve(&mut problem, &mut random, rounds(150, 600));
        let bound = problem.bound().expect("no change that is kept makes it worse");
        let is_broken =
            |planted: &Problem, random: &mut Random| planted.search(random, 4, 250) > bound + 1e-6;
        let mut louder = problem.clone();
        louder.statement.threat.label_bound = Some(50.0);
        of_points += usize::from(is_broken(&louder, &mut random));
        let mut other = problem.clone();
        other.data.iter_mut().for_each(|z| z.iter_mut().step_by(problem.dimension).for_each(|y| *y += 3.0));
        of_rows += usize::from(is_broken(&other, &mut random));
        tried += 1;
    }
    println!("{of_points} and {of_rows} of {tried} planted errors found");
    assert!(10 * of_points >= tried && 2 * of_rows >= tried, "{of_points} {of_rows} of {tried}");
}
