//! Data for `unswayed`: rows z, and the record of how they were made.
//!
//! A certificate speaks of rows z. This crate makes them from what a file holds, and its [`Origin`] says how: which
//! label became −1, what the rows were divided by, which rows of the file are meant, and the digest of what was read.
//! The library, the command, the Python package and the checking program all read data here and nowhere else.
//!
//! ```
//! use unswayed_data::{Labels, Reading, Source, load, reload};
//!
//! let mail = Source::bytes("mail.csv", "width,height,label\n0.5,0.1,spam\n0.2,0.9,ham\n");
//! let data = load(&mail, &Reading::default())?;
//! assert_eq!(data.z(), [0.5, 0.1, -0.2, -0.9]);
//! assert_eq!(data.origin().to_string(), "mail.csv: 2 rows, 2 columns; label ham is −1, spam is +1");
//!
//! // Somebody else makes the same rows from the same file, without guessing anything.
//! let again = reload(&mail, data.origin())?;
//! assert_eq!(again.origin().same_rows(data.origin()), Ok(()));
//! # Ok::<(), unswayed_data::DataError>(())
//! ```
//!
//! Whatever is wrong with the data is a [`DataError`]: one line with the file, the row, the column and the remedy.
//! Nothing panics, and nothing allocates more than a file of that size can hold.
//!
//! The feature `files` (on by default) reads and writes files. Without it there are [`Dataset`], [`Table`], [`Origin`]
//! and the digest, for small targets.

mod dataset;
mod digest;
mod error;
#[cfg(feature = "files")]
mod files;
mod frame;
mod labels;
mod make;
mod norms;
mod origin;
mod sparse;
mod steps;
mod table;

pub use dataset::Dataset;
pub use error::{Column, DataError, Place, Problem, Setting};
#[cfg(feature = "files")]
pub use files::{
    Block, DigestSoFar, Line, Lines, Look, Partition, Partitions, Source, Stream, load, load_frame,
    load_table, load_vector, reload, write_arrays, write_dataset, write_sparse, write_weighted,
};
pub use frame::{Cells, Frame, FrameColumn, TextCells};
pub use labels::{LabelPolicy, RawLabels, TextLabels};
pub use make::Reading;
pub use origin::{Labels, Origin};
pub use sparse::{Pattern, SparseRows};
pub use steps::{ClassWeightPolicy, ClassWeights};
pub use table::Table;
