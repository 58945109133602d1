//! A learner and a loss that no certificate here covers: which bound could hold?
//!
//! The one-step theorem (Theorem 1 of `docs/theory.md`) takes any learner and any function λ of its model. The search looks for
//! the place where a claimed bound fails. What it cannot refute is a candidate, not a proof: that takes a lemma of one's own.
//!
//! `cargo run --release -p unswayed --example own_loss`

use std::error::Error;

use unswayed::Dataset;
use unswayed::certify::framework::{Benign, Model, Residual, Search};

const RATE: f64 = 0.05;
const POISON_RATE: f64 = 0.1;
/// Readings of the adversary's are at most so large.
const LARGEST: f64 = 3.0;

/// A running estimate of a sensor's level. Its loss is √(1 + r²) − 1, r being how far a reading is off.
struct Level {
    readings: Dataset,
}

impl Level {
    fn mean_over_readings(&self, f: impl Fn(f64) -> f64) -> f64 {
        self.readings.z().iter().map(|&z| f(z)).sum::<f64>() / self.readings.rows() as f64
    }
}

impl Model for Level {
    fn dimension(&self) -> usize {
        1
    }
    fn poison_rate(&self) -> f64 {
        POISON_RATE
    }
    fn step(&self, theta: &mut [f64], z: &[f64]) {
        let r = z[0] - theta[0];
        theta[0] += RATE * r / (1.0 + r * r).sqrt();
    }
    fn loss(&self, theta: &[f64]) -> f64 {
        self.mean_over_readings(|z| (1.0 + (z - theta[0]).powi(2)).sqrt() - 1.0)
    }
    fn benign(&self) -> Benign<'_> {
        Benign::Rows(&self.readings)
    }
    fn project_point(&self, z: &mut [f64]) {
        z[0] = z[0].clamp(-LARGEST, LARGEST);
    }
    /// No step leads out of the interval of all readings.
    fn project_model(&self, theta: &mut [f64]) {
        theta[0] = theta[0].clamp(-LARGEST, LARGEST);
    }
}

/// The long-run loss if the adversary always sends its largest reading: a step's expectation is followed to its rest.
fn loss_under_attack(level: &Level) -> f64 {
    let (mut theta, slope) = (0.0, |r: f64| r / (1.0 + r * r).sqrt());
    for _ in 0..10_000 {
        let benign = level.mean_over_readings(|z| slope(z - theta));
        theta += RATE * (POISON_RATE * slope(LARGEST - theta) + (1.0 - POISON_RATE) * benign);
    }
    level.loss(&[theta])
}

/// Looks for the λ = a(θ − c)²/η with the smallest bound that the search cannot refute.
pub fn main() -> Result<(), Box<dyn Error>> {
    let level = Level { readings: Dataset::from_rows(vec![-0.4, -0.1, 0.0, 0.2, 0.3], 1, None)? };
    let mut best = (f64::INFINITY, 0.0);
    for a in [0.3, 0.5, 0.7, 1.0, 1.5] {
        let residual = Residual::new(&level, |theta| a * theta[0] * theta[0] / RATE)?;
        let highest = residual.falsify(&Search::default()).residual.mean;
        println!("λ = {a} θ²/η: no bound below {highest:.4}");
        best = if highest < best.0 { (highest, a) } else { best };
    }
    let attack = loss_under_attack(&level);
    println!("candidate {:.4} (a = {}); an adversary reaches {attack:.4}", best.0, best.1);
    // A function λ that refutes what an attack reaches would refute the theorem.
    assert!(attack <= best.0);
    Ok(())
}
