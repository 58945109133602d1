//! The checker from the outside, in one program.
//!
//! By default everything is small and takes seconds. With `UNSWAYED_FULL=1` the searches for counterexamples and the
//! changes of files are many times as long.

mod boundaries;
mod bounds;
mod common;
mod confidence;
mod docs;
mod expect;
mod files;
mod format;
mod mean;
mod mutations;
mod oracles;
mod paper;
mod rejections;
mod rules;
mod truth;
