//! Why a certificate is not accepted.

use std::fmt;

use thiserror::Error;

use crate::exact::Dyadic;
use crate::rules::Rule;

/// The part of a certificate that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The data rows.
    Data,
    /// The statement.
    Statement,
    /// The claim on the long-run loss.
    Loss,
    /// The claim on the long-run error.
    Error,
    /// The claim on a finite number of steps.
    Horizon,
    /// The claim on new data.
    NewData,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Data => "data",
            Part::Statement => "statement",
            Part::Loss => "loss",
            Part::Error => "error",
            Part::Horizon => "horizon",
            Part::NewData => "new data",
        })
    }
}

/// A certificate that does not prove what it claims: which part fails, and why.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{part}: {reason}")]
pub struct Failure {
    /// The part that fails.
    pub part: Part,
    /// What is wrong with it.
    pub reason: Reason,
}

/// What is wrong with a part of a certificate.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Reason {
    /// The bound is below what the witness proves.
    #[error("the bound {bound:?} is below the proven value {value:?} by {excess:.2e}")]
    BoundTooLow {
        /// The claimed bound.
        bound: f64,
        /// The exact value of the witness, rounded up.
        value: f64,
        /// How far the bound is below the exact value, to the nearest number.
        excess: f64,
    },
    /// A number does not meet a condition of the method.
    #[error("{name} = {value:?} is not {wanted}")]
    Condition {
        /// The number, in the letters of the format's description.
        name: String,
        /// Its value, to the nearest `f64`.
        value: f64,
        /// What it must be.
        wanted: &'static str,
    },
    /// Something has the wrong number of entries.
    #[error("{name}: expected {expected}, found {found}")]
    Length {
        /// What was counted.
        name: &'static str,
        /// The count needed.
        expected: usize,
        /// The count found.
        found: usize,
    },
    /// The proof is not of a kind that fits the statement or the claim.
    #[error("the proof {method} does not fit {with}")]
    Unfit {
        /// The kind of proof.
        method: &'static str,
        /// What it does not fit.
        with: &'static str,
    },
    /// No theorem covers the statement.
    #[error("{0}")]
    Unsupported(&'static Rule),
    /// The rows were not made as the statement says.
    #[error("{0}")]
    Origin(String),
    /// The proven value is larger than every finite `f64`.
    #[error("the proven value is too large for a binary64 number")]
    TooLarge,
}

/// Fails with [`Reason::Condition`] unless `holds`.
pub(crate) fn require(
    holds: bool,
    name: impl fmt::Display,
    value: f64,
    wanted: &'static str,
) -> Result<(), Reason> {
    if holds {
        return Ok(());
    }
    Err(Reason::Condition { name: name.to_string(), value, wanted })
}

/// Requires x > 0.
pub(crate) fn require_positive(x: &Dyadic, name: impl fmt::Display) -> Result<(), Reason> {
    if x.is_positive() { Ok(()) } else { require(false, name, x.nearest(), "> 0") }
}

/// Requires x ≥ 0.
pub(crate) fn require_not_negative(x: &Dyadic, name: impl fmt::Display) -> Result<(), Reason> {
    if x.is_negative() { require(false, name, x.nearest(), "≥ 0") } else { Ok(()) }
}

/// Fails with the first entry that `holds` refuses, under the name `name[i]`.
pub(crate) fn require_each(
    name: &str,
    values: &[f64],
    holds: impl Fn(f64) -> bool,
    wanted: &'static str,
) -> Result<(), Reason> {
    match values.iter().position(|&x| !holds(x)) {
        None => Ok(()),
        Some(i) => require(false, format_args!("{name}[{i}]"), values[i], wanted),
    }
}

/// Requires two counts to be the same.
pub(crate) fn require_length(name: &'static str, expected: usize, found: usize) -> Result<(), Reason> {
    if expected == found { Ok(()) } else { Err(Reason::Length { name, expected, found }) }
}
