//! All tests of the crate in one program.

mod browser;
mod certify;
mod common;
mod report;
