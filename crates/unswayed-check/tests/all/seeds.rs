//! What fuzzing starts from: a certificate of every kind, with its rows.

#[path = "../../../../fuzz/src/check.rs"]
mod targets;

use std::path::Path;

use unswayed_check::Rows;

use crate::common::files::{About, Sample, samples};

/// The input of the evaluator's target.
fn input(sample: &Sample) -> Vec<u8> {
    match &sample.about {
        About::Rows(problem) => {
            let target = problem.target.as_deref();
            let target = target.map(|z| Rows {
                z,
                pattern: None,
                dimension: problem.dimension,
                weights: None,
                steps: None,
            });
            targets::input(&problem.rows()[0], target.as_ref(), &sample.bytes())
        }
        About::Samples(Some(rows)) => targets::input(rows, None, &sample.bytes()),
        About::Samples(None) => [&[0, 0, 0, 0], sample.bytes().as_slice()].concat(),
    }
}

#[test]
fn fuzzing_starts_from_certificates_that_are_accepted() {
    for sample in samples() {
        assert!(targets::certificate(&sample.bytes()), "{}", sample.name);
        assert!(targets::evaluator(&input(&sample)), "{}", sample.name);
        // And goes to others, which are not.
        let mut other = input(&sample);
        let at = other.len() / 2;
        other[at] ^= 1;
        other.truncate(at + at / 2);
        assert!(!targets::evaluator(&other), "{}", sample.name);
    }
}

/// Writes them: `cargo test -p unswayed-check --test all seeds -- --ignored`.
#[test]
#[ignore = "writes the first files of the corpus"]
fn seeds() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for sample in samples() {
        let name = sample.name.replace(' ', "-");
        for (target, bytes) in [("certificate", sample.bytes()), ("evaluator", input(&sample))] {
            std::fs::create_dir_all(corpus.join(target)).expect("a folder");
            std::fs::write(corpus.join(target).join(&name), bytes).expect("a seed");
        }
    }
}
