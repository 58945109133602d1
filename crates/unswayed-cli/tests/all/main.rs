//! The command from outside: real files, real processes. All tests in one program.

mod cli;
mod data;
mod design;
mod encode;
mod every;
mod files;
mod kill;
mod learners;
mod prepare;
mod rates;
mod reference;
mod refuse;
mod regressions;
mod sparse;
mod tables;
mod texts;
mod variants;
mod watch;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use unswayed_check::Certificate;

const UNSWAYED: &str = env!("CARGO_BIN_EXE_unswayed");
const SETTING: [&str; 6] = ["--learning-rate", "0.01", "--regularization", "0.1", "--poison-rate", "0.01"];

fn unswayed(folder: impl AsRef<Path>, arguments: &[&str]) -> Output {
    Command::new(UNSWAYED).current_dir(folder).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn json(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What is said of bad input: one line, and exit code 2.
fn refused(folder: impl AsRef<Path>, arguments: &[&str]) -> String {
    let output = unswayed(folder, arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?} is accepted: {}", text(&output.stdout));
    assert!(message.starts_with("unswayed: ") && message.lines().count() == 1, "{message}");
    message
}

/// Certifies what the words say, and has the certificate checked by the command that is printed.
fn certified(folder: impl AsRef<Path>, words: &str) -> Value {
    certified_at(folder, words, SETTING)
}

/// The same for another setting.
fn certified_at(folder: impl AsRef<Path>, words: &str, setting: [&str; 6]) -> Value {
    let folder = folder.as_ref();
    let words: Vec<&str> = words.split_whitespace().collect();
    let found = json(&unswayed(folder, &[&["certify", "--json"], &words[..], &setting].concat()));
    let verify: Vec<&str> = found["verify"].as_str().unwrap().split_whitespace().skip(1).collect();
    let checked = json(&unswayed(folder, &[&verify[..], &["--json"]].concat()));
    assert_eq!(checked["status"], "valid", "{words:?}");
    assert_eq!(checked["certified_loss"], found["certified_loss"], "{words:?}");
    assert_eq!(checked["certified_error"], found["certified_error"], "{words:?}");
    found
}

fn loss(found: &Value) -> f64 {
    number(found, "certified_loss")
}

fn number(found: &Value, field: &str) -> f64 {
    found[field].as_f64().unwrap_or_else(|| panic!("{field} is {}", found[field]))
}

/// The certificate that a command wrote.
fn certificate(folder: impl AsRef<Path>, found: &Value) -> Certificate {
    let path = folder.as_ref().join(found["certificate"].as_str().unwrap());
    Certificate::from_bytes(&std::fs::read(path).unwrap()).unwrap()
}
