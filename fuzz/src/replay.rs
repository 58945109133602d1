//! Replays the corpus of a target: no panic, and no more memory than the file can account for. Only for programs of one test, so that
//! nothing else asks for memory at the same time.

use std::path::Path;

use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// What reading and checking take however small the file is.
const ROOM: usize = 1 << 19;

/// The most memory in use at a time during some work, beyond what was before.
fn peak(work: impl FnOnce()) -> usize {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    work();
    ALLOCATOR.peak_usage().saturating_sub(before)
}

/// What is counted is what is asked for.
pub fn assert_that_memory_is_counted() {
    let planted = peak(|| drop(std::hint::black_box(vec![0_u8; 10 << 20])));
    assert!(planted >= 10 << 20, "{planted}");
}

/// Runs a target, which says whether an input was good, on its corpus, with at most so many bytes of memory for a byte of an input.
pub fn replay(target: &str, factor: usize, work: impl Fn(&[u8]) -> bool) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let (mut count, mut good, mut most) = (0, 0, 0.0_f64);
    for entry in std::fs::read_dir(folder).expect("a corpus") {
        let path = entry.expect("a file").path();
        let input = std::fs::read(&path).expect("a file");
        let used = peak(|| good += usize::from(work(&input)));
        assert!(used <= ROOM + factor * input.len(), "{used} for {}: {}", input.len(), path.display());
        most = most.max(used.saturating_sub(ROOM) as f64 / input.len() as f64);
        count += 1;
    }
    println!("{target}: {count} files, {good} good ones; {most:.1} bytes for a byte");
    assert!(count >= 20 && good >= 5, "{target}: {good} of {count}");
}
