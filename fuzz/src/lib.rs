//! What is fuzzed. The tests of the crates include the same files, and `replay.rs`, to replay the corpus.

pub mod check;
pub mod data;
