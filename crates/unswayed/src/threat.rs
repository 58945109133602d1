//! What the adversary may do.

use crate::error::ParameterError;

/// How often the adversary acts and which points it may send: any z with ‖z‖ ≤ `radius`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threat {
    poison_rate: f64,
    radius: f64,
}

impl Threat {
    /// A threat that replaces each point with probability `poison_rate` by any point in the unit ball.
    ///
    /// ```
    /// let threat = unswayed::Threat::new(0.05)?.with_radius(2.0)?;
    /// assert_eq!(threat.radius(), 2.0);
    /// assert!(unswayed::Threat::new(1.0).is_err());
    /// # Ok::<(), unswayed::ParameterError>(())
    /// ```
    pub fn new(poison_rate: f64) -> Result<Self, ParameterError> {
        if (0.0..1.0).contains(&poison_rate) {
            return Ok(Threat { poison_rate, radius: 1.0 });
        }
        Err(ParameterError::new(
            "poison rate",
            poison_rate,
            "it is the fraction of points the adversary controls, from 0 up to but not including 1 \
             (at 1 the adversary alone trains the model and nothing can be promised)",
        ))
    }

    /// The same with another radius.
    pub fn with_radius(self, radius: f64) -> Result<Self, ParameterError> {
        if radius.is_finite() && radius >= 0.0 {
            return Ok(Threat { radius, ..self });
        }
        Err(ParameterError::new(
            "radius",
            radius,
            "it is the largest norm of a poisoned point: finite and not negative",
        ))
    }

    /// ε.
    pub fn poison_rate(&self) -> f64 {
        self.poison_rate
    }

    /// R.
    pub fn radius(&self) -> f64 {
        self.radius
    }
}
