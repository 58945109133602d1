//! Replays what fuzzing found (see `fuzz`). A program of its own, because it counts all memory that is asked for.

#[path = "../../../fuzz/src/data.rs"]
mod data;
#[path = "../../../fuzz/src/replay.rs"]
mod replay;

use std::path::Path;

/// Bytes of memory for a byte of a file that is not compressed. Cells of a few characters become numbers and labels.
const PLAIN: usize = 200;
/// No compression that is read shrinks data by more than 1032 times; they are there as bytes and as numbers.
const COMPRESSED: usize = 4 * 1032;
/// A compressed text becomes at most 200 times larger, and then numbers and labels.
const COMPRESSED_TEXT: usize = 200 * PLAIN;

#[test]
fn the_corpus_is_read_in_little_memory() {
    replay::assert_that_memory_is_counted();
    let targets = [
        ("npy", "npy", PLAIN),
        ("csv", "csv", PLAIN),
        ("tsv", "tsv", PLAIN),
        ("jsonl", "jsonl", PLAIN),
        ("gzip", "csv.gz", COMPRESSED_TEXT),
        ("zstd", "csv.zst", COMPRESSED_TEXT),
        ("npz", "npz", COMPRESSED),
        ("parquet", "parquet", COMPRESSED),
    ];
    for (target, ending, factor) in targets {
        replay::replay(target, factor, |input| data::reader(ending, input));
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
