//! Errors for numbers that make no sense, and for what cannot be certified.

use unswayed_check::Failure;

use crate::data::DataError;
use crate::problem::ProblemError;

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

/// Why there is no certificate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CertifyError {
    /// A parameter is outside its range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The start has the wrong length.
    #[error(
        "the start has {found} entries but the data have {expected} columns; give one number for each column"
    )]
    StartLength {
        /// The number of columns of the data.
        expected: usize,
        /// The number of entries given.
        found: usize,
    },
    /// The start contains NaN or infinity.
    #[error("entry {} of the start is not a finite number", index + 1)]
    StartNotFinite {
        /// Position, from 0.
        index: usize,
    },
    /// A horizon of zero steps.
    #[error("horizon 0: it is a number of steps, at least 1")]
    EmptyHorizon,
    /// A horizon that ends inside a block of an adversary who picks its moments.
    #[error("horizon {steps}: with moments it must be whole blocks, a multiple of {block} steps")]
    PartOfBlock {
        /// The steps.
        steps: u64,
        /// The steps of a block.
        block: u64,
    },
    /// Averages weighted by learning rates that nobody has named.
    #[error(
        "a bound for the first steps, weighted by the learning rates, needs their total rate, what they add up to"
    )]
    NoTotalRate,
    /// A certificate that was made before does not hold.
    #[error("{0}")]
    Refused(Failure),
    /// Rows could not be read.
    #[error("{0}")]
    Data(String),
    /// What other machines were to add up has not arrived.
    #[error("{0}")]
    Elsewhere(String),
    /// The problem is not one that can be certified.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// A combination that there is a theorem for, or not, but no solver.
    #[error("there is no solver for {0}")]
    Unsupported(&'static str),
    /// Too many rows for a target of its own rows.
    #[error(
        "a target with rows of its own takes at most {rows} rows of data and target together; use fewer of them"
    )]
    TooManyForShells {
        /// The largest number.
        rows: usize,
    },
    /// A confidence outside its range, or asked of what it is not proved for.
    #[error("confidence: {0}")]
    Confidence(&'static str),
    /// More data than the semidefinite program can take.
    #[cfg(feature = "general")]
    #[error(
        "{rows} rows of {columns} columns are too many for the method paper, which takes at most {} columns and {} \
         numbers (its time grows with the sixth power of the columns); use fewer rows or another method",
        crate::certify::paper::MOST_COLUMNS,
        crate::certify::paper::MOST_NUMBERS
    )]
    TooLarge {
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        columns: usize,
    },
    /// More columns than the solver's matrices can have.
    #[error(
        "{columns} columns are too many: the search needs matrices of {:.0} GB, and takes at most {} columns; keep fewer of them \
         (unswayed prepare --directions 300)", (16 * columns * columns) as f64 / 1e9, crate::certify::MOST_COLUMNS
    )]
    TooWide {
        /// The number of columns.
        columns: usize,
    },
    /// The checker accepted none of the witnesses: the numbers are beyond what floating point can express.
    #[error("no witness passed the exact check{}; the parameters are too extreme for double precision",
        refusal.as_ref().map(|r| format!(" ({r})")).unwrap_or_default())]
    NoProof {
        /// What the checker said of the last one.
        refusal: Option<Failure>,
    },
}

/// Why an attack could not be run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AttackError {
    /// A policy chose a point it may not choose: its figures would mean nothing.
    #[error("policy {policy:?} chose a point of norm {norm}, outside the adversary's set of radius {radius}")]
    OutsideSet {
        /// The policy's name.
        policy: String,
        /// The point's distance from the centre of the set.
        norm: f64,
        /// The set's radius.
        radius: f64,
    },
    /// A policy chose a point outside a set that is no ball.
    #[error("policy {policy:?} chose a point outside the adversary's set: {reason}")]
    Inadmissible {
        /// The policy's name.
        policy: String,
        /// What is wrong with the point.
        reason: String,
    },
    /// An attack that there is not for this learner or this set of points.
    #[error("there is no attack {attack} for {learner}")]
    NotOffered {
        /// The attack's name.
        attack: &'static str,
        /// What it does not go with.
        learner: &'static str,
    },
    /// A learner, set and target that do not go together.
    #[error("there are no attacks for {0}")]
    Unsupported(&'static str),
    /// A start of the wrong length.
    #[error("start has {found} entries, but the model has {expected}; give one number for each")]
    StartLength {
        /// The number of entries of the model.
        expected: usize,
        /// The number of entries of the start.
        found: usize,
    },
    /// Held-out data with other columns.
    #[error("the test data have {found} columns, the data {expected}; they must be alike")]
    TestDimension {
        /// The number of columns of the data.
        expected: usize,
        /// The number of columns of the test data.
        found: usize,
    },
    /// A parameter is outside its range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// It was asked to end.
    #[error("cancelled")]
    Cancelled,
    /// Rows could not be used.
    #[error("{0}")]
    Data(String),
}

impl From<DataError> for AttackError {
    fn from(error: DataError) -> Self {
        AttackError::Data(error.to_string())
    }
}
