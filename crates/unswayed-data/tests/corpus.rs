//! Replays what fuzzing found (see `fuzz`): no panic, and no more memory than the file can account for.
//!
//! A program of its own, because it counts all memory that is asked for.

#[path = "../../../fuzz/src/data.rs"]
mod data;

use std::path::{Path, PathBuf};

use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// What reading takes however small the file is.
const ROOM: usize = 1 << 19;
/// Bytes of memory for a byte of a file that is not compressed. Cells of a few characters become numbers and labels.
const PLAIN: usize = 200;
/// No compression that is read shrinks data by more than 1032 times; they are there as bytes and as numbers.
const COMPRESSED: usize = 4 * 1032;

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
fn the_corpus_is_read_in_little_memory() {
    // What is counted is what is asked for.
    let planted = peak(|| drop(std::hint::black_box(vec![0_u8; 10 << 20])));
    assert!(planted >= 10 << 20, "{planted}");
    for (ending, factor) in [("npy", PLAIN), ("csv", PLAIN), ("npz", COMPRESSED), ("parquet", COMPRESSED)] {
        let inputs = corpus(ending);
        let (mut read, mut most) = (0, 0.0_f64);
        for (path, input) in &inputs {
            let used = peak(|| read += usize::from(data::reader(ending, input)));
            assert!(used <= ROOM + factor * input.len(), "{used} for {}: {}", input.len(), path.display());
            most = most.max(used.saturating_sub(ROOM) as f64 / input.len() as f64);
        }
        println!("{ending}: {} files, {read} could be read; {most:.1} bytes for a byte", inputs.len());
        assert!(inputs.len() >= 20 && read >= 5, "{ending}: {read} of {}", inputs.len());
    }
}

/// Writes the files that fuzzing starts from: `cargo test -p unswayed-data --test corpus -- --ignored`.
#[test]
#[ignore = "writes the first files of the corpus"]
fn seeds() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    for entry in std::fs::read_dir(tests).expect("the tests' files") {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let Some((_, ending)) = name.rsplit_once('.') else { continue };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(ending);
        if !["npy", "npz", "csv", "parquet"].contains(&ending) {
            continue;
        }
        std::fs::create_dir_all(&folder).expect("a folder");
        let content = std::fs::read(&path).expect("a file");
        // Each with and without division, and with every kind of labels that it can have.
        for how in (0..6_u8).flat_map(|kind| [kind, kind | 1 << 5]) {
            let input = [&[how], content.as_slice()].concat();
            if data::reader(ending, &input) || how == 0 {
                std::fs::write(folder.join(format!("{name}-{how}")), input).expect("a seed");
            }
        }
    }
}
