//! Replays what fuzzing found (see `fuzz`): no panic, and no more memory than the file can account for.
//!
//! A program of its own, because it counts all memory that is asked for.

#[path = "../../../fuzz/src/check.rs"]
mod targets;

use std::path::{Path, PathBuf};

use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// What checking takes however small the file is.
const ROOM: usize = 1 << 19;
/// Bytes of memory for a byte of a file. An exact number has up to 2100 bits, and sums of products some more.
const FACTOR: usize = 200;

/// The most memory in use at a time during some work, beyond what was before.
fn peak(work: impl FnOnce()) -> usize {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    work();
    ALLOCATOR.peak_usage().saturating_sub(before)
}

/// The inputs of a target.
fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let files = std::fs::read_dir(folder).expect("a corpus").map(|entry| entry.expect("a file").path());
    files.map(|path| (path.clone(), std::fs::read(path).expect("a file"))).collect()
}

/// One test, so that nothing else asks for memory at the same time.
#[test]
fn the_corpus_is_checked_in_little_memory() {
    // What is counted is what is asked for.
    let planted = peak(|| drop(std::hint::black_box(vec![0_u8; 10 << 20])));
    assert!(planted >= 10 << 20, "{planted}");
    let certificate: fn(&[u8]) -> bool = targets::certificate;
    for (target, work) in [("certificate", certificate), ("evaluator", targets::evaluator)] {
        let inputs = corpus(target);
        let (mut good, mut most) = (0, 0.0_f64);
        for (path, input) in &inputs {
            let used = peak(|| good += usize::from(work(input)));
            assert!(used <= ROOM + FACTOR * input.len(), "{used} for {}: {}", input.len(), path.display());
            most = most.max(used.saturating_sub(ROOM) as f64 / input.len() as f64);
        }
        println!("{target}: {} files, {good} good ones; {most:.1} bytes for a byte", inputs.len());
        assert!(inputs.len() >= 20 && good >= 5, "{target}: {good} of {}", inputs.len());
    }
}
