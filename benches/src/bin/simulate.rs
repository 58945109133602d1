//! Simulated steps per second on one core: the embedded sample under a constant poison point.
//!
//! Prints one JSON object; `benches/simulate` runs it beside the same learner in NumPy and in PyTorch.

use std::time::Instant;

use unswayed::Problem;
use unswayed::attack::{Fixed, Suite};
use unswayed::simulate::Plan;

/// The setting of all three programs.
const LEARNING_RATE: f64 = 1e-3;
const REGULARIZATION: f64 = 0.01;
const POISON_RATE: f64 = 0.05;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let steps: u64 = std::env::args().nth(1).map_or(Ok(50_000_000), |s| s.parse())?;
    let data = unswayed::data::sample()?;
    let builder = Problem::builder(data.clone()).learning_rate(LEARNING_RATE).regularization(REGULARIZATION);
    let problem = builder.poison_rate(POISON_RATE).build()?;
    let suite = Suite::new(&problem)?;
    // The opposite of the mean row.
    let mut point = vec![0.0; data.dimension()];
    for z in &data {
        point.iter_mut().zip(z).for_each(|(u, z)| *u -= z / data.rows() as f64);
    }
    let policy = Fixed::new("constant", point);
    let plan = Plan { burn_in: 1_000_000, window: steps, evaluations: 64, replicates: 1, seed: 0 };
    let mut best = f64::INFINITY;
    let mut loss = f64::NAN;
    for _ in 0..5 {
        let began = Instant::now();
        loss = suite.simulate_plan(&policy, &vec![0.0; data.dimension()], &plan)?.loss.mean;
        best = best.min(began.elapsed().as_secs_f64() / (plan.burn_in + plan.window) as f64);
    }
    println!("{{\"steps_per_second\": {:.0}, \"loss\": {loss}}}", 1.0 / best);
    Ok(())
}
