//! Tries to break the bounds: random learners, random witnesses, and a search for θ and z with G_λ above the proven value.

mod linear_common;

use linear_common::Problem;
use linear_common::random::{improve, kinds};
use linear_common::search::Random;

/// Instances of each kind with a witness that need not be good.
const INSTANCES: usize = 30;
/// Instances of each kind whose witness is made better first, and the changes that are tried.
const TIGHT: (usize, usize) = (2, 1000);

/// Searches the problem; the room that is left, relative to 1 + |B|.
fn room(name: &str, problem: &Problem, bound: f64, random: &mut Random, starts: usize) -> f64 {
    let found = problem.search(random, starts, 250);
    let room = (bound - found) / (1.0 + bound.abs());
    assert!(room >= -1e-8, "{name}: G = {found} > B = {bound}: {problem:?}");
    room
}

#[test]
fn any_witness() {
    for (number, (name, make)) in kinds().into_iter().enumerate() {
        let mut random = Random(1000 + number as u64);
        let mut refused = 0;
        for _ in 0..INSTANCES {
            let problem = make(&mut random);
            match problem.bound() {
                Ok(bound) => {
                    room(&name, &problem, bound, &mut random, 6);
                }
                Err(failure) => {
                    refused += 1;
                    assert!(refused < INSTANCES / 4, "{name}: {failure}");
                }
            }
        }
    }
}

#[test]
fn good_witnesses() {
    for (number, (name, make)) in kinds().into_iter().enumerate() {
        let mut random = Random(5000 + number as u64);
        let mut least = f64::INFINITY;
        for _ in 0..TIGHT.0 {
            let mut problem = make(&mut random);
            improve(&mut problem, &mut random, TIGHT.1);
            if let Ok(bound) = problem.bound() {
                least = least.min(room(&name, &problem, bound, &mut random, 12));
            }
        }
        println!("{name:34} least room {least:.1e}");
        // A search that never comes near the bounds would find nothing.
        assert!(least < 0.6, "{name}: {least}");
    }
}
