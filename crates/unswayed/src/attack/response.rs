//! Adversaries that respond to the current model in closed form.

use super::{Policy, dot, make_act, stretch};

/// Sends the point nearest to u that acts on the current model. Where the learner hovers about θᵀu = 1, the constant
/// point u is ignored half of the time; this one never is.
#[derive(Clone, Debug)]
pub struct Tracking {
    point: Vec<f64>,
}

impl Tracking {
    /// Tracks the point u.
    pub fn new(point: Vec<f64>) -> Self {
        Tracking { point }
    }
}

impl Policy for Tracking {
    fn name(&self) -> &'static str {
        "tracking"
    }

    fn choose(&mut self, theta: &[f64], z: &mut [f64]) {
        z.copy_from_slice(&self.point);
        make_act(theta, z);
    }
}

/// Mean estimation: pushes the estimate straight away from the mean. Of all z with ‖z−μ‖² ≤ r it makes the next distance
/// ‖kθ + ηz − μ‖ largest: z = μ + √r·x/‖x‖ with x = kθ − (1−η)μ, which is along θ−μ if there is no shrinkage, k = 1−η.
#[derive(Clone, Debug)]
pub struct Outward {
    /// μ.
    pub mean: Vec<f64>,
    /// √r.
    pub radius: f64,
    /// k/(1−η); 1 without shrinkage.
    pub keep: f64,
}

impl Policy for Outward {
    fn name(&self) -> &'static str {
        "outward"
    }

    fn choose(&mut self, theta: &[f64], z: &mut [f64]) {
        z.iter_mut().zip(theta.iter().zip(&self.mean)).for_each(|(z, (t, m))| *z = self.keep * t - m);
        if dot(z, z) == 0.0 {
            z[0] = 1.0;
        }
        stretch(z, self.radius);
        z.iter_mut().zip(&self.mean).for_each(|(z, m)| *z += m);
    }
}
