//! The two strategies against each other, where both apply.

use super::*;
use crate::data;

/// Solvers stop near the best bound.
const SOLVER: f64 = 1e-5;

/// The bounds on the loss that `certify` and the general program find.
fn both(problem: &Problem) -> [f64; 2] {
    assert!(interior::applies(problem));
    let general = general::search(problem).unwrap();
    let found = certify(problem).unwrap();
    let error = general.error.map_or(general.loss.bound, |error| error.bound);
    let bound = found.certified_error.unwrap();
    assert!(bound <= error + SOLVER, "{bound} above {error}");
    [found.certified_loss, general.loss.bound]
}

/// The program solved projections before the interior method did; no bound got worse.
#[test]
fn a_projection_has_no_worse_bound_than_by_the_general_program() {
    let data = data::sample().unwrap().first(100).unwrap();
    for poison_rate in [0.0, 0.01, 0.05, 0.2] {
        for radius in [0.3, 1.0, 2.0, 3.0, 6.0, 12.0, 150.0] {
            let builder = Problem::builder(data.clone()).learning_rate(1e-3).regularization(0.01);
            let problem = builder.poison_rate(poison_rate).projection(radius).build().unwrap();
            let [found, general] = both(&problem);
            println!("ε {poison_rate} ϱ {radius}: {found} found, {general} by the program");
            assert!(found <= general + SOLVER, "ε {poison_rate} ϱ {radius}: {found} above {general}");
        }
    }
}

/// The same without a projection.
#[test]
fn the_interior_method_is_no_worse_than_the_general_program() {
    let data = data::sample().unwrap().first(100).unwrap();
    for (learning_rate, regularization, poison_rate) in
        [(1e-3, 0.01, 0.05), (0.1, 0.1, 0.01), (0.01, 1.0, 0.2)]
    {
        let builder = Problem::builder(data.clone()).learning_rate(learning_rate);
        let problem = builder.regularization(regularization).poison_rate(poison_rate).build().unwrap();
        let [found, general] = both(&problem);
        assert!(found <= general + SOLVER, "{found} above {general}");
    }
}
