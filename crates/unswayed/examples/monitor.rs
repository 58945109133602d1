//! A service that watches its own learner: the newest rows are certified again and again, and when the proven error passes a limit the
//! service stops learning.
//!
//! `cargo run --release -p unswayed --example monitor`

use std::error::Error;

use unswayed::Problem;
use unswayed::data::{self, LabelPolicy};
use unswayed::monitor::{LabelReader, Limits, Monitor, Policy, Window};

/// When half of the points come with the wrong label.
const ATTACK_BEGINS: usize = 700;

/// Runs until the limit is passed.
pub fn main() -> Result<(), Box<dyn Error>> {
    let rows = data::sample()?;
    let mut window = Window::new(300, LabelReader::new(LabelPolicy::Premultiplied, vec![])?);
    let limits = Limits { error: Some(0.4), loss: None };
    let mut monitor = Monitor::new(Policy { window: 300, every: 100 }, limits);
    for t in 0..1200 {
        let sign = if t >= ATTACK_BEGINS && t % 2 == 0 { -1.0 } else { 1.0 };
        let z: Vec<f64> = rows.row(t % rows.rows()).iter().map(|z| sign * z).collect();
        // Here the service's own learner would make its step on z.
        window.push(&z, None)?;
        if !monitor.is_due(window.seen()) {
            continue;
        }
        let problem = Problem::builder(window.datasets(300)?)
            .learning_rate(1e-3)
            .regularization(0.01)
            .poison_rate(0.01)
            .build()?;
        let (update, outcome) = monitor.update(&problem, window.seen());
        let error = update.certified_error.unwrap_or(1.0);
        println!("{:>5} rows: error proven to stay below {error:.3} ({})", update.rows, update.status);
        if update.alarm {
            println!("too much: learning stops after {} rows", update.rows);
            // The certificate and its rows are what an auditor would want to see.
            assert!(outcome.is_some() && t >= ATTACK_BEGINS);
            return Ok(());
        }
    }
    Err("nobody noticed the attack".into())
}
