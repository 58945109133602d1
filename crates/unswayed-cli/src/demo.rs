//! `unswayed` without a command: the main job on the embedded sample.

use std::process::ExitCode;
use std::time::Instant;

use serde_json::json;
use unswayed::certify::{Options, certify};
use unswayed::{Dataset, Hinge, Threat};

use crate::args::Attacks;
use crate::attack::strongest;
use crate::certify::{gap, to_json};
use crate::{Stop, print};

const LEARNING_RATE: f64 = 1e-3;
const REGULARIZATION: f64 = 0.003;
const POISON_RATES: [f64; 5] = [0.01, 0.02, 0.03, 0.04, 0.05];

pub fn run(as_json: bool) -> Result<ExitCode, Stop> {
    let data = Dataset::sample()?;
    let learner = Hinge::new(LEARNING_RATE, REGULARIZATION)?;
    let mut results = Vec::new();
    let mut table = vec![header()];
    for rate in POISON_RATES {
        let threat = Threat::new(rate)?;
        let began = Instant::now();
        let outcome = certify(&data, &learner, &threat, &Options::default())?;
        let seconds = began.elapsed().as_secs_f64();
        let attacked = strongest(&data, &learner, &threat, Attacks::Fast, 0)?;
        results.push(to_json(&outcome, attacked.as_ref(), &data, &learner, &threat, seconds));
        table.push(vec![
            print::percent(rate),
            print::down(outcome.benign.loss),
            attacked.as_ref().map_or(String::new(), |a| print::down(a.simulated.loss.mean)),
            print::up(outcome.certified_loss),
            print::up(outcome.certified_error),
            attacked.as_ref().map_or(String::new(), |a| format!("{:.2}", gap(&outcome, a))),
            outcome.status.word().into(),
        ]);
    }
    if as_json {
        print::json(&json!({ "results": results }));
        return Ok(ExitCode::SUCCESS);
    }
    print::text(&format!(
        "MNIST 1 v 7, {} rows of {} features (embedded sample), online hinge learner,\n\
         learning rate {LEARNING_RATE}, regularization {REGULARIZATION}; poisoned points have norm at most 1\n\n{}\n\
         attack loss: the strongest attack found, simulated. certified: no adversary, however adaptive, gets the\n\
         long-run average above this; each bound was verified in exact arithmetic. gap: certified / attack loss.\n\
         Your own data: unswayed certify --help\n",
        data.rows(),
        data.dimension(),
        print::table(&table),
    ));
    Ok(ExitCode::SUCCESS)
}

fn header() -> Vec<String> {
    ["poison rate", "benign loss", "attack loss", "certified loss", "certified error", "gap", "status"]
        .map(str::to_owned)
        .to_vec()
}
