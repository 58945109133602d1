//! `unswayed` without a command: the main job on the embedded sample.

use std::process::ExitCode;
use std::time::Instant;

use serde_json::json;
use unswayed::attack::Effort;
use unswayed::{Problem, certify};
use unswayed_report::about::Summary;

use crate::args::Attacks;
use crate::attack::beside_bound;
use crate::{Stop, print};

const LEARNING_RATE: f64 = 1e-3;
const REGULARIZATION: f64 = 0.003;
const POISON_RATES: [f64; 5] = [0.01, 0.02, 0.03, 0.04, 0.05];

pub fn run(as_json: bool) -> Result<ExitCode, Stop> {
    let data = unswayed::data::sample()?;
    let (rows, columns) = (data.rows(), data.dimension());
    let builder = Problem::builder(data).learning_rate(LEARNING_RATE).regularization(REGULARIZATION);
    let problem = builder.poison_rate(0.0).build()?;
    let mut results = Vec::new();
    for rate in POISON_RATES {
        let problem = problem.with_poison_rate(rate)?;
        let began = Instant::now();
        let outcome = certify(&problem)?;
        let seconds = began.elapsed().as_secs_f64();
        let attacks = beside_bound(&problem, Attacks(Some(Effort::Fast)), 0)?;
        results.push(Summary { seconds: Some(seconds), ..Summary::new(&outcome, &attacks) });
    }
    if as_json {
        print::json(&json!({ "results": results }));
        return Ok(ExitCode::SUCCESS);
    }
    let header =
        ["poison rate", "benign loss", "attack loss", "certified loss", "certified error", "gap", "status"];
    let line = |s: &Summary| {
        vec![
            print::percent(s.stated.poison_rate),
            print::down(s.benign_loss),
            s.attack_loss.map_or(String::new(), print::down),
            print::up(s.certified_loss),
            s.certified_error.map_or(String::new(), print::up),
            s.gap.map_or(String::new(), print::gap),
            s.status.to_string(),
        ]
    };
    let table: Vec<_> =
        std::iter::once(header.map(str::to_owned).to_vec()).chain(results.iter().map(line)).collect();
    print::text(&format!(
        "MNIST 1 v 7, {rows} rows of {columns} features (embedded sample), online hinge learner,\n\
         learning rate {LEARNING_RATE}, regularization {REGULARIZATION}; poisoned points have norm at most 1\n\n{}\n\
         attack loss: the strongest attack found, simulated. certified: no adversary, however adaptive, gets the\n\
         long-run average above this; each bound was verified in exact arithmetic. gap: certified / attack loss.\n\
         Your own data: unswayed certify --help\n",
        print::table(&table),
    ));
    Ok(ExitCode::SUCCESS)
}
