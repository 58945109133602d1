//! A learner that is not built in: the online mean with clipped steps, under poisoning.
//!
//! Clipping bounds what one point can do, so the adversary may send anything. Here is a learner, a family of functions λ, and
//! for each of them the largest one-step residual that a search finds. It is a lower bound of what that λ can prove: no
//! certificate, but it says which λ is worth a proof, and which claims are false.
//!
//! `cargo run --release -p unswayed --example framework`

use unswayed::certify::framework::{Benign, Model, Residual, Search};

/// θ ← θ + η clip(z − θ), where clip shortens to the length 1. Benign points are normal with mean 0.
struct ClippedMean;

const LEARNING_RATE: f64 = 0.05;
const SPREAD: f64 = 0.5;

impl Model for ClippedMean {
    fn dimension(&self) -> usize {
        2
    }

    fn poison_rate(&self) -> f64 {
        0.1
    }

    fn step(&self, theta: &mut [f64], z: &[f64]) {
        let away = squared(&[z[0] - theta[0], z[1] - theta[1]]).sqrt();
        let gain = LEARNING_RATE / away.max(1.0);
        theta.iter_mut().zip(z).for_each(|(t, z)| *t += gain * (z - *t));
    }

    fn loss(&self, theta: &[f64]) -> f64 {
        squared(theta).sqrt()
    }

    fn benign(&self) -> Benign<'_> {
        Benign::Draws(Box::new(|random, z| z.fill_with(|| SPREAD * random.normal())))
    }

    /// Anything, up to a length at which more makes no difference.
    fn project_point(&self, z: &mut [f64]) {
        z.iter_mut().for_each(|z| *z = z.clamp(-100.0, 100.0));
    }
}

fn squared(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("λ(θ) = a·√(1+‖θ‖²)/η: the long-run E‖θ‖ that it can prove is at least");
    for a in [0.8, 1.0, 1.5, 2.0, 4.0] {
        let lambda = |theta: &[f64]| a * (1.0 + squared(theta)).sqrt() / LEARNING_RATE;
        let residual = Residual::new(&ClippedMean, lambda)?;
        let found = residual.falsify(&Search { evaluations: 2000, fresh: 100_000, ..Search::default() });
        let (low, width) = (found.low(), found.residual.half_width);
        println!("a = {a}: {low:.4} (± {width:.4}, at ‖θ‖ = {:.3})", squared(&found.theta).sqrt());
    }
    Ok(())
}
