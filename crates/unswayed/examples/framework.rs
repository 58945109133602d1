//! A learner that is not built in: the online mean with clipped steps, under poisoning.
//!
//! Clipping bounds what one point can do, so the adversary may send almost anything. Here is a learner, a family of
//! functions λ, and for each of them the largest one-step residual that a search finds. No bound below it can be proven
//! with that λ. It is no certificate, but it says which λ is worth a proof, and which claims are false.
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

    /// Anything in a box that is far larger than models of interest.
    fn project_point(&self, z: &mut [f64]) {
        for z in z {
            *z = z.clamp(-100.0, 100.0);
        }
    }
}

fn squared(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("With λ(θ) = a‖θ‖²/η one can prove no bound on the long-run E‖θ‖ below");
    for a in [0.4, 0.8, 1.0, 1.2, 1.5, 2.0, 4.0] {
        let residual = Residual::new(&ClippedMean, |theta| a * squared(theta) / LEARNING_RATE)?;
        let found = residual.falsify(&Search { evaluations: 2000, ..Search::default() });
        let place = squared(&found.theta).sqrt();
        if found.refutes(1e6) {
            println!("a = {a}: any at all");
        } else {
            println!("a = {a}: {:.4}, for the residual at ‖θ‖ = {place:.3}", found.low());
        }
    }
    Ok(())
}
