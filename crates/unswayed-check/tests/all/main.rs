//! The checker from the outside, in one program.
//!
//! By default everything is small and takes seconds. With `UNSWAYED_FULL=1` the searches for counterexamples and the
//! changes of files are many times as long.

mod boundaries;
mod bounds;
mod common;
mod docs;
mod oracles;
mod rules;
mod truth;
