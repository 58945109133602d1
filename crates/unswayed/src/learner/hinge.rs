//! The linear classifier trained by online subgradient steps on the hinge loss.

use crate::error::ParameterError;

/// θ' = (1−ησ)θ + η·1\[θᵀz ≤ 1\]·z for each point z = y·x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge {
    learning_rate: f64,
    regularization: f64,
}

impl Hinge {
    /// A learner with learning rate η > 0 and regularization σ > 0, ησ < 1.
    ///
    /// ```
    /// let learner = unswayed::Hinge::new(1e-3, 0.01)?;
    /// let mut theta = vec![0.0, 0.0];
    /// learner.update(&mut theta, &[0.6, 0.8]);
    /// assert_eq!(theta, [6e-4, 8e-4]);
    /// assert!(unswayed::Hinge::new(1e-3, 0.0).is_err());
    /// # Ok::<(), unswayed::ParameterError>(())
    /// ```
    pub fn new(learning_rate: f64, regularization: f64) -> Result<Self, ParameterError> {
        if !(learning_rate > 0.0 && learning_rate.is_finite()) {
            return Err(ParameterError::new(
                "learning rate",
                learning_rate,
                "it must be positive and finite",
            ));
        }
        if !(regularization > 0.0 && regularization.is_finite()) {
            return Err(ParameterError::new(
                "regularization",
                regularization,
                "it must be positive and finite: without regularization nothing pulls the model back, and an adversary \
                 moves it as far as it likes",
            ));
        }
        if learning_rate * regularization >= 1.0 {
            return Err(ParameterError::new(
                "learning rate times regularization",
                learning_rate * regularization,
                "it must be below 1: at 1 each step forgets the model, above 1 the model changes sign at every step",
            ));
        }
        Ok(Hinge { learning_rate, regularization })
    }

    /// η.
    pub fn learning_rate(&self) -> f64 {
        self.learning_rate
    }

    /// σ.
    pub fn regularization(&self) -> f64 {
        self.regularization
    }

    /// One step on the point z.
    pub fn update(&self, theta: &mut [f64], z: &[f64]) {
        let score: f64 = theta.iter().zip(z).map(|(t, z)| t * z).sum();
        let (keep, gain) = (
            1.0 - self.learning_rate * self.regularization,
            if score <= 1.0 { self.learning_rate } else { 0.0 },
        );
        for (t, z) in theta.iter_mut().zip(z) {
            *t = keep * *t + gain * z;
        }
    }
}
