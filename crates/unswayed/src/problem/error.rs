//! Why a problem cannot be built.

use unswayed_check::{Failure, Rule};

use super::Column;

/// Why there is no such problem.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// There are no datasets.
    #[error("there are no data")]
    NoData,
    /// There is no such loss.
    #[error("{0}")]
    Loss(String),
    /// There is no such schedule of learning rates.
    #[error("{0:?} is none of optimal, pegasos, invscaling, slowdown=NUMBER, weighted")]
    Decay(String),
    /// A number is outside its range, or rows do not fit.
    #[error("{}", .0.reason)]
    Invalid(Failure),
    /// No theorem covers this.
    #[error("{0}")]
    Unsupported(&'static Rule),
    /// A part of the rows that is none.
    #[error(
        "contaminated is {0}, but must be at least 0 and below 1, as the part of the rows that may be hostile"
    )]
    Contaminated(f64),
    /// A part of the rows that has no whole row.
    #[error("{part} of {rows} rows is less than one row; leave contaminated out, or take a larger part")]
    NoRowContaminated {
        /// The part.
        part: f64,
        /// The rows of the largest dataset.
        rows: usize,
    },
    /// Datasets do not fit each other.
    #[error("{0}")]
    Data(String),
    /// The adversary's set makes no sense.
    #[error("adversary {adversary}: {error}")]
    Set {
        /// Its name.
        adversary: String,
        /// What is wrong.
        error: String,
    },
    /// A radius for a set that is not a ball.
    #[error("a radius is for a ball of points; leave it out, or give the box its own radii")]
    RadiusWithoutBall,
    /// A fixed entry without a column that has it.
    #[error("an adversary of features needs the unregularized column (bias) whose entry the learner appends")]
    FeaturesWithoutBias,
    /// An entry that is not the same in every row.
    #[error(
        "the entries of column {column} are not all of one size: no constant that the learner appends itself; use a ball of points"
    )]
    NoConstant {
        /// The column, from 1.
        column: usize,
    },
    /// Step weights of points by class for labels that are not two classes.
    #[error("poison weights by class need labels of two classes; give one number")]
    NoClassesOfPoints,
    /// Step weights of points that are not one for each class.
    #[error("poison weights by class must name both classes, {negative:?} and {positive:?}, once")]
    ClassesOfPoints {
        /// The class that is −1.
        negative: String,
        /// The class that is +1.
        positive: String,
    },
    /// Flips of labels that are real numbers.
    #[error(
        "flips turn a label into its opposite, but these labels are real scores, which an adversary could set anywhere in \
         [−1, 1]; use a ball or box of points"
    )]
    Scores,
    /// An ellipsoid in the units of a file whose rows were divided.
    #[error(
        "an ellipsoid cannot be divided without rounding; divide the data and Q before, and do not normalize"
    )]
    ScaledEllipsoid,
    /// The multi-class loss without classes.
    #[error("the multi-class loss needs labels that are read as classes")]
    NoClasses,
    /// Another loss on rows that begin with their class.
    #[error("the rows begin with their classes: they are for the multi-class loss")]
    Classes,
    /// A regression loss on rows without labels that are numbers.
    #[error("a regression loss needs labels that are read as numbers")]
    NoNumbers,
    /// Another loss on rows that begin with a number.
    #[error("the labels are numbers to predict: they are for a regression loss, such as huber=1")]
    Numbers,
    /// The rows are not those of a statement.
    #[error("these are not the rows of the certificate: {0}")]
    OtherRows(String),
    /// There is no such column.
    #[error("there is no column {column:?}; the data have {columns} columns")]
    NoColumn {
        /// The column asked for.
        column: Column,
        /// How many there are.
        columns: usize,
    },
}
