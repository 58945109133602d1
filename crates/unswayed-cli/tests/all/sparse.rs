//! Sparse files from the command: certify, check, and what is refused.

use std::fmt::Write as _;
use std::process::Command;

use super::{certified, json, refused, unswayed};

/// Forty short texts of two kinds, one-hot words.
fn rows(folder: &std::path::Path) {
    let mut text = String::new();
    for i in 0..40_usize {
        let own = if i % 2 == 0 { 1 } else { 40 };
        let words = [own + i % 5, own + 5 + i % 7, 100 + i];
        let label = if i % 2 == 0 { "1" } else { "-1" };
        writeln!(text, "{label} {}:0.6 {}:0.6 {}:0.4", words[0], words[1], words[2]).unwrap();
    }
    std::fs::write(folder.join("mails.svm"), text).unwrap();
}

#[test]
fn sparse_files_are_certified_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    rows(folder.path());
    let found = certified(&folder, "mails.svm");
    assert!(found["certified_loss"].as_f64().unwrap() < 1.0);
    let logistic = certified(&folder, "mails.svm --loss logistic");
    assert!(logistic["certified_loss"].as_f64().unwrap() < 0.7);
    // Another entry is another file.
    let name = found["certificate"].as_str().unwrap().to_owned();
    let changed = std::fs::read_to_string(folder.path().join("mails.svm")).unwrap().replacen("0.4", "0.3", 1);
    std::fs::write(folder.path().join("other.svm"), changed).unwrap();
    let output = unswayed(&folder, &["check", &name, "other.svm"]);
    assert_eq!(output.status.code(), Some(1));
    // The independent checker, where there is a Python, finds the same bound.
    let verify = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python/unswayed/verify.py");
    let python =
        Command::new("python3").current_dir(&folder).args([verify, &name, "mails.svm", "--json"]).output();
    if let Ok(output) = python {
        let second = json(&output);
        let first = json(&unswayed(&folder, &["check", &name, "mails.svm", "--json"]));
        assert_eq!(second["certified_loss"], first["certified_loss"], "{second} {first}");
    }
}

#[test]
fn what_sparse_rows_are_not_supported_for_names_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    rows(folder.path());
    let setting = ["--learning-rate", "0.01", "--regularization", "0.1", "--poison-rate", "0.01"];
    let words = [&["certify", "mails.svm", "--adversary", "box=0.1"], &setting[..]].concat();
    let message = refused(&folder, &words);
    assert!(message.contains("sparse rows") && message.contains("--dense"), "{message}");
    let dense = certified(&folder, "mails.svm --dense --adversary box=0.1 --attacks none");
    assert!(dense["certified_loss"].as_f64().is_some());
}
