//! Linear learners from outside: real files, real processes.

mod data;
mod files;
mod learners;
mod refuse;
mod variants;

use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;
use unswayed_check::LinearCertificate;

const SETTING: [&str; 6] = ["--learning-rate", "0.01", "--regularization", "0.1", "--poison-rate", "0.01"];

fn unswayed(folder: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unswayed"));
    command.current_dir(folder.path()).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn json(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Certifies what the words say, and has the certificate checked by the command that is printed.
fn certified(folder: &TempDir, words: &str) -> Value {
    certified_at(folder, words, SETTING)
}

/// The same for another setting.
fn certified_at(folder: &TempDir, words: &str, setting: [&str; 6]) -> Value {
    let words: Vec<&str> = words.split_whitespace().collect();
    let found = json(&unswayed(folder, &[&["certify", "--json"], &words[..], &setting].concat()));
    let shown = unswayed(folder, &[&["certify"], &words[..], &setting].concat());
    let shown = text(&shown.stdout);
    let verify = shown.lines().find_map(|line| line.strip_prefix("verify with      unswayed ")).unwrap();
    let verify: Vec<&str> = verify.split_whitespace().collect();
    let checked = json(&unswayed(folder, &[&verify[..], &["--json"]].concat()));
    assert_eq!(checked["status"], "valid", "{words:?}");
    assert_eq!(checked["certified_loss"], found["certified_loss"], "{words:?}");
    found
}

fn loss(found: &Value) -> f64 {
    found["certified_loss"].as_f64().unwrap()
}

/// The certificate that a command wrote.
fn certificate(folder: &TempDir, found: &Value) -> LinearCertificate {
    let path = folder.path().join(found["certificate"].as_str().unwrap());
    LinearCertificate::from_bytes(&std::fs::read(path).unwrap()).unwrap()
}
