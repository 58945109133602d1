//! Simulated steps per second on one core: the embedded sample under a constant poison point.
//!
//! Prints one JSON object; `benches/simulate` runs it beside the same learner in NumPy and in PyTorch.

use std::time::Instant;

use unswayed::attack::{Fixed, HingeJudge};
use unswayed::learner::HingeState;
use unswayed::simulate::{Arena, Plan, Stream};
use unswayed::{Cancel, Dataset, Threat};

/// The setting of all three programs.
const LEARNING_RATE: f64 = 1e-3;
const REGULARIZATION: f64 = 0.01;
const POISON_RATE: f64 = 0.05;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let steps: u64 = std::env::args().nth(1).map_or(Ok(50_000_000), |s| s.parse())?;
    let data = Dataset::sample()?;
    let threat = Threat::new(POISON_RATE)?;
    let (stream, judge) = (Stream::new(&data, &threat), HingeJudge::new(&data, None));
    let learner = HingeState::new(LEARNING_RATE, REGULARIZATION, data.dimension());
    let time_constant = 1.0 / (LEARNING_RATE * REGULARIZATION);
    let cancel = &Cancel::default();
    let arena = Arena { learner, stream: &stream, judge: &judge, time_constant, cancel };
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
        loss = arena.run(&policy, &vec![0.0; data.dimension()], &plan)?.loss.mean;
        best = best.min(began.elapsed().as_secs_f64() / (plan.burn_in + plan.window) as f64);
    }
    println!("{{\"steps_per_second\": {:.0}, \"loss\": {loss}}}", 1.0 / best);
    Ok(())
}
