//! Replays what fuzzing found (see `fuzz`). A program of its own, because it counts all memory that is asked for.

#[path = "../../../fuzz/src/replay.rs"]
mod replay;
#[path = "../../../fuzz/src/check.rs"]
mod targets;

/// Bytes of memory for a byte of a file. An exact number has up to 2100 bits, and sums of products some more.
const FACTOR: usize = 200;

#[test]
fn the_corpus_is_checked_in_little_memory() {
    replay::assert_that_memory_is_counted();
    replay::replay("certificate", FACTOR, targets::certificate);
    replay::replay("evaluator", FACTOR, targets::evaluator);
}
