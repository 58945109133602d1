//! Errors for numbers that make no sense.

/// A parameter outside its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{name} {value}: {reason}")]
pub struct ParameterError {
    name: &'static str,
    value: f64,
    reason: String,
}

impl ParameterError {
    pub(crate) fn new(name: &'static str, value: f64, reason: impl Into<String>) -> Self {
        ParameterError { name, value, reason: reason.into() }
    }
}
