//! Data: rows z = label · features, where they come from, and what is read off them.
//!
//! Reading is the crate `unswayed-data`, all of which is here too: [`load()`] reads `.npz`, `.npy`, `.csv` and
//! `.parquet` files into a [`Dataset`], [`Table`] and [`Dataset::from_rows`] take what is in memory already, and
//! [`Dataset::origin`] says how the rows were made. Beside it there are a [`sample()`], [`Features`] before they become rows,
//! and sets and targets that are made from data.

#[cfg(feature = "files")]
mod features;
#[cfg(feature = "files")]
mod sample;
mod sets;
mod target;

#[cfg(feature = "files")]
pub use features::Features;
#[cfg(feature = "files")]
pub use sample::{sample, sample_test};
pub use sets::{SetError, box_around, box_of, ellipsoid_around, ellipsoid_of, flips};
pub use target::{Unlike, require_alike, weights_as};
pub use unswayed_data::*;
