//! Attacks: policies that choose the poisoned points, and the suite that runs them.
//!
//! An attack's simulated loss is a lower bound on the worst case, beside the certificate's upper bound.

mod climb;
mod curve;
mod drift;
mod equilibrium;
mod evolve;
mod flip;
mod flips;
mod goal;
mod greedy;
mod hostile;
mod kinds;
mod kinked;
mod margins;
mod mean;
mod measured;
mod nature;
mod poisoned;
mod policy;
mod response;
mod sparse;
mod steady;
mod suite;

pub use flip::LabelFlip;
pub use kinds::{Attack, Attacked, Effort, strongest, strongest_error};
pub use mean::{MeanAttacked, MeanLearner, attack_mean};
pub use response::{Outward, Tracking};
pub(crate) use sparse::benign as sparse_benign;
pub use steady::SteadyState;
pub(crate) use suite::benign_of as benign;
pub use suite::{Suite, fixed_point};

use crate::certify::dot;

/// How an adversary chooses its points. It sees the model, and whatever public it was made with.
///
/// ```
/// use unswayed::attack::{Policy, Suite};
/// use unswayed::{Dataset, Problem};
///
/// #[derive(Clone)]
/// struct AgainstTheModel;
///
/// impl Policy for AgainstTheModel {
///     fn name(&self) -> &str {
///         "against the model"
///     }
///     fn choose(&mut self, theta: &[f64], z: &mut [f64]) {
///         let norm = theta.iter().map(|t| t * t).sum::<f64>().sqrt().max(1e-300);
///         z.iter_mut().zip(theta).for_each(|(z, t)| *z = -t / norm);
///     }
/// }
///
/// let data = unswayed::data::sample()?;
/// let problem = Problem::builder(data).learning_rate(0.01).regularization(0.1).poison_rate(0.05).build()?;
/// let suite = Suite::new(&problem)?;
/// let result = suite.simulate(&AgainstTheModel)?;
/// assert!(result.loss.mean > suite.benign().loss);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Policy: Send {
    /// What to call it in tables and errors.
    fn name(&self) -> &str;

    /// Chooses the point z to send while the model is θ. `z` holds the point chosen before (at first 0), or the row that
    /// nature drew if the adversary may only choose its label.
    fn choose(&mut self, theta: &[f64], z: &mut [f64]);
}

/// The same point, always.
#[derive(Clone, Debug)]
pub struct Fixed {
    name: &'static str,
    point: Vec<f64>,
}

impl Fixed {
    /// A named constant point.
    pub fn new(name: &'static str, point: Vec<f64>) -> Self {
        Fixed { name, point }
    }
}

impl Policy for Fixed {
    fn name(&self) -> &str {
        self.name
    }

    fn choose(&mut self, _: &[f64], z: &mut [f64]) {
        z.copy_from_slice(&self.point);
    }
}

/// Moves z to the nearest point with θᵀz ≤ 1: a point beyond does nothing.
fn make_act(theta: &[f64], z: &mut [f64]) {
    let (score, squared) = (dot(theta, z), dot(theta, theta));
    if score > 1.0 {
        // A little further than needed, so that rounding leaves it on the acting side.
        let excess = (score - 1.0 + 1e-12 * score) / squared;
        z.iter_mut().zip(theta).for_each(|(z, t)| *z -= excess * t);
    }
}

/// Scales z to the given norm; zero stays zero.
fn stretch(z: &mut [f64], length: f64) {
    let norm = dot(z, z).sqrt();
    if norm > 0.0 {
        scale(z, length / norm);
    }
}

/// z ← factor·z.
pub(crate) fn scale(z: &mut [f64], factor: f64) {
    for z in z {
        *z *= factor;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_made_to_act_acts_and_is_the_nearest() {
        let theta = [3.0, -1.0, 0.5];
        let mut z = [0.8, -0.6, 0.0];
        make_act(&theta, &mut z);
        assert!(dot(&theta, &z) <= 1.0 && dot(&theta, &z) > 1.0 - 1e-9);
        assert!(dot(&z, &z) <= 1.0);
        // What was taken away is parallel to θ.
        let moved: Vec<f64> = [0.8, -0.6, 0.0].iter().zip(&z).map(|(a, b)| a - b).collect();
        assert!(
            (dot(&moved, &theta).powi(2) / dot(&moved, &moved) / dot(&theta, &theta) - 1.0).abs() < 1e-12
        );
        let mut quiet = [-0.1, 0.0, 0.0];
        make_act(&theta, &mut quiet);
        assert!(quiet.iter().zip([-0.1, 0.0, 0.0]).all(|(a, b)| a.to_bits() == f64::to_bits(b)));
    }
}
