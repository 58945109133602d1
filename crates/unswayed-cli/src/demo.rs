//! `unswayed` without a command: the main job on the embedded sample.

use std::process::ExitCode;
use std::time::Instant;

use rayon::prelude::*;
use serde_json::json;
use unswayed::certify::{Effort, Options, Outcome, certify_with};
use unswayed::{CertifyError, Problem, attack};
use unswayed_report::about::Summary;

use crate::args::Attacks;
use crate::attack::beside_bound;
use crate::certify::table_of_rates;
use crate::progress::Busy;
use crate::{Stop, print};

const LEARNING_RATE: f64 = 1e-3;
const REGULARIZATION: f64 = 0.01;
const POISON_RATES: [f64; 5] = [0.01, 0.02, 0.03, 0.04, 0.05];

pub fn run(as_json: bool) -> Result<ExitCode, Stop> {
    let data = unswayed::data::sample()?;
    let (rows, columns) = (data.rows(), data.dimension());
    let builder = Problem::builder(data).learning_rate(LEARNING_RATE).regularization(REGULARIZATION);
    let problem = builder.poison_rate(0.0).build()?;
    let problems: Vec<_> =
        POISON_RATES.iter().map(|&rate| problem.with_poison_rate(rate)).collect::<Result<_, _>>()?;
    let busy = Busy::with("certifying the sample for five poison rates");
    let certified: Vec<_> = problems.par_iter().map(certified).collect::<Result<_, _>>()?;
    drop(busy);
    let mut results = Vec::new();
    for (problem, (outcome, seconds)) in problems.iter().zip(&certified) {
        let attacks = beside_bound(problem, Attacks(Some(attack::Effort::Fast)), 0)?;
        results.push(Summary { seconds: Some(*seconds), ..Summary::new(outcome, &attacks) });
    }
    if as_json {
        print::json(&json!({ "results": results }));
        return Ok(ExitCode::SUCCESS);
    }
    print::text(&format!(
        "MNIST 1 v 7, {rows} rows of {columns} features (embedded sample), online hinge learner,\n\
         learning rate {LEARNING_RATE}, regularization {REGULARIZATION}; poisoned points have norm at most 1\n\n{}\n\
         attack: the strongest attack found, simulated. certified: no adversary, however adaptive, gets the\n\
         long-run average above this; each bound was verified in exact arithmetic. gap: certified / attack loss.\n\
         error: the fraction misclassified. Your own data: unswayed certify --help\n",
        print::table(&table_of_rates(&results.iter().collect::<Vec<_>>())),
    ));
    Ok(ExitCode::SUCCESS)
}

/// The bound that `certify` finds by default, and how long that took.
fn certified(problem: &Problem) -> Result<(Outcome, f64), CertifyError> {
    let began = Instant::now();
    let outcome = certify_with(problem, &Options::default().with_effort(Effort::Standard))?;
    Ok((outcome, began.elapsed().as_secs_f64()))
}
