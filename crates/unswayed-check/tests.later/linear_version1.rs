//! The methods of version 1 are special cases of linear learners: both give the same number.
#![allow(clippy::float_cmp)]

mod linear_common;

use linear_common::random::{nothing, random_problem};
use linear_common::search::Random;
use linear_common::*;
use unswayed_check::{Hinge, Learner, Lines, Method, Set, Shells, Witness, exact_bound};

fn learner(problem: &Problem) -> Learner {
    let Set::Ball { radius } = problem.learner.set else { panic!("a ball") };
    Learner::Hinge(Hinge {
        learning_rate: problem.learner.learning_rate,
        regularization: problem.learner.regularization,
        poison_rate: problem.learner.poison_rate,
        radius,
    })
}

#[test]
fn convexity_and_zero_one() {
    let mut random = Random(21);
    for _ in 0..50 {
        for method in [Method::Hinge, Method::ErrorHinge] {
            let problem = random_problem(&mut random, method, "ball", nothing);
            let (alpha, beta) = (problem.witness.alpha, problem.witness.beta.clone());
            let (tau, nu) = (problem.witness.cases.tau[0], problem.witness.cases.nu[0]);
            let Lines { u, u2, c, .. } = problem.witness.lines[0].clone();
            let witness = match method {
                Method::Hinge => Witness::Convexity { alpha, beta, tau, nu, u },
                _ => Witness::ZeroOne { alpha, beta, tau, nu, u, u2, c },
            };
            let old = exact_bound(&learner(&problem), &witness, &problem.rows()[0]).unwrap();
            assert_eq!(problem.bound().unwrap(), old);
        }
    }
}

#[test]
fn bounded_range() {
    let mut random = Random(22);
    for _ in 0..50 {
        let mut problem = random_problem(&mut random, Method::Interval, "ball", nothing);
        problem.weights = vec![None];
        let y = random.vector(4, -0.5, 1.0);
        let ball = 2.0 / problem.learner.regularization;
        let (reach, mu) = (random.vector(4, 2.0 * ball, 3.0 * ball), random.between(0.0, 0.2));
        // Four rows: each weighs 1/4, and y is not divided by weights.
        let quarter = y.iter().map(|y| y / 4.0).collect();
        problem.witness.lines = vec![Lines { y: quarter, reach: reach.clone(), ..Lines::default() }];
        problem.witness.shells = Some(Shells { centre: vec![0.0; 2], radii: vec![ball], ball });
        problem.witness.cases.outer = vec![mu];
        problem.witness.cases.inner = vec![0.0];
        let witness = Witness::BoundedRange {
            alpha: problem.witness.alpha,
            beta: problem.witness.beta.clone(),
            tau: problem.witness.cases.tau[0],
            nu: problem.witness.cases.nu[0],
            mu,
            ball,
            reach,
            y,
        };
        let old = exact_bound(&learner(&problem), &witness, &problem.rows()[0]).unwrap();
        assert_eq!(problem.bound().unwrap(), old);
    }
}
