//! A policy of one's own: how much harm does it do, and how much could any other?
//!
//! `cargo run --release -p unswayed --example policy`

use std::error::Error;

use unswayed::attack::{Policy, Suite};
use unswayed::{Problem, certify};

/// Sends a fixed decoy until the model resists it, then the point that the model likes least.
#[derive(Clone)]
struct Patient {
    decoy: Vec<f64>,
}

impl Policy for Patient {
    fn name(&self) -> &'static str {
        "patient"
    }

    fn choose(&mut self, theta: &[f64], z: &mut [f64]) {
        let margin: f64 = theta.iter().zip(&self.decoy).map(|(t, z)| t * z).sum();
        if margin < 1.0 {
            z.copy_from_slice(&self.decoy);
            return;
        }
        let norm = theta.iter().map(|t| t * t).sum::<f64>().sqrt();
        z.iter_mut().zip(theta).for_each(|(z, t)| *z = -t / norm);
    }
}

/// Compares the policy with the strongest attack of the suite and with the bound.
pub fn main() -> Result<(), Box<dyn Error>> {
    let data = unswayed::data::sample()?.first(200)?;
    let problem =
        Problem::builder(data.clone()).learning_rate(0.01).regularization(0.05).poison_rate(0.03).build()?;
    let suite = Suite::new(&problem)?;
    // The first row with the wrong label.
    let decoy = data.row(0).iter().map(|z| -z).collect();
    let own = suite.simulate(&Patient { decoy })?.loss.mean;
    let strongest = suite.strongest()?.map_or(0.0, |attack| attack.simulated.loss.mean);
    let certified = certify(&problem)?.certified_loss;
    println!(
        "patient {own:.4}, the suite's strongest {strongest:.4}, certified: no policy above {certified:.4}"
    );
    assert!(own <= certified && strongest <= certified);
    Ok(())
}
