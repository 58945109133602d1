//! False claims and lost files that the command once produced: each must stay impossible.

use std::path::Path;
use std::process::{Command, Output};

use ndarray::Array2;
use serde_json::Value;

const SETTING: [&str; 6] = ["--learning-rate", "0.1", "--regularization", "0.1", "--poison-rate", "0.1"];

fn unswayed(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unswayed"));
    command.current_dir(folder).args(arguments).output().unwrap()
}

/// What is printed for a person, after a refusal.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = unswayed(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?} is accepted");
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

fn accepted(folder: &Path, arguments: &[&str]) -> Value {
    let output = unswayed(folder, &[arguments, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn certify<'a>(data: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["certify", data, "--attacks", "none"], &SETTING[..], more].concat()
}

/// Rows of norm up to 0.01 with labels, and a pool of points in the same units.
fn small_rows() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut csv = String::from("a,b,label\n");
    for i in 0..40 {
        let (angle, label) = (f64::from(i) * 0.4, if i % 2 == 0 { 1 } else { -1 });
        csv += &format!("{},{},{label}\n", 0.01 * angle.cos(), 0.006 * angle.sin());
    }
    std::fs::write(folder.path().join("small.csv"), csv).unwrap();
    let pool = Array2::from_shape_vec((2, 2), vec![0.01, 0.0, -0.01, 0.0]).unwrap();
    ndarray_npy::write_npy(folder.path().join("pool.npy"), &pool).unwrap();
    let q = Array2::from_shape_vec((2, 2), vec![1e-4, 0.0, 0.0, 1e-4]).unwrap();
    ndarray_npy::write_npy(folder.path().join("q.npy"), &q).unwrap();
    folder
}

/// Rows that are divided by a number, and a set that is not, certified a bound below what an attack reaches.
#[test]
fn scaled_rows_are_not_mixed_with_sets_in_other_units() {
    let folder = small_rows();
    for set in ["points=pool.npy", "box=0.01", "ellipsoid=q.npy"] {
        let message = refused(folder.path(), &certify("small.csv", &["--normalize", "--adversary", set]));
        assert!(message.contains("units of the data file"), "{message}");
        accepted(folder.path(), &certify("small.csv", &["--adversary", set, "--output", set]));
    }
    let message = refused(folder.path(), &certify("small.csv", &["--normalize", "--radius", "0.01"]));
    assert!(message.contains("--radius") && message.contains("--normalize"), "{message}");
    let tolerate =
        ["tolerate", "small.csv", "--limit", "0.5", "--learning-rate", "0.1", "--regularization", "0.1"];
    refused(folder.path(), &[&tolerate[..], &["--normalize", "--radius", "0.01"]].concat());
    refused(folder.path(), &["design", "small.csv", "--normalize", "--radius", "0.01"]);
    accepted(folder.path(), &certify("small.csv", &["--normalize"]));
}

/// Only z → −z is proved; a score could be set anywhere in [−1, 1].
#[test]
fn labels_of_real_scores_are_not_flipped() {
    let folder = tempfile::tempdir().unwrap();
    let scores = "a,b,label\n0.9,0.1,0.1\n0.8,-0.2,0.2\n-0.7,0.3,-0.5\n-0.9,-0.1,-1\n";
    std::fs::write(folder.path().join("scores.csv"), scores).unwrap();
    for adversary in ["labels", "flips"] {
        let message = refused(folder.path(), &certify("scores.csv", &["--adversary", adversary]));
        assert!(message.contains("real scores"), "{message}");
        let classes = scores.replace("0.1\n", "1\n").replace("0.2\n", "1\n").replace("-0.5\n", "-1\n");
        std::fs::write(folder.path().join("classes.csv"), classes).unwrap();
        accepted(folder.path(), &certify("classes.csv", &["--adversary", adversary]));
    }
    let output = unswayed(folder.path(), &["check", "classes.certificate.safetensors", "classes.csv"]);
    assert_eq!(output.status.code(), Some(0));
}

/// A certificate about a covariance trace was accepted beside any file.
#[test]
fn a_mean_certificate_without_rows_is_about_no_file() {
    let folder = small_rows();
    let setting = ["--learning-rate", "0.01", "--poison-rate", "0.15", "--squared-radius", "2"];
    accepted(folder.path(), &[&["mean", "--covariance-trace", "2.5"], &setting[..]].concat());
    let message = refused(folder.path(), &["check", "mean.certificate.safetensors", "small.csv"]);
    assert!(message.contains("leave out the data file"), "{message}");
    let output = unswayed(folder.path(), &["check", "mean.certificate.safetensors"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("trace 2.5"), "{text}");
    accepted(folder.path(), &[&["mean", "pool.npy"], &setting[..]].concat());
    let output = unswayed(folder.path(), &["check", "pool.certificate.safetensors", "pool.npy"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("these 2 samples"));
}

/// A command wrote its result over the file that it had read.
#[test]
fn no_input_is_overwritten() {
    let folder = small_rows();
    let before = std::fs::read(folder.path().join("small.csv")).unwrap();
    let setting = [&SETTING[..], &["--attacks", "none"]].concat();
    let learner = ["--learning-rate", "0.1", "--regularization", "0.1"];
    for arguments in [
        [&["certify", "small.csv", "--output", "small.csv"], &setting[..]].concat(),
        [&["certify", "small.csv", "--output", "./pool.npy", "--adversary", "points=pool.npy"], &setting[..]]
            .concat(),
        [&["certify", "small.csv", "--report", "."], &setting[..]].concat(),
        [&["attack", "small.csv", "--save", "../small.csv/../small.csv"], &SETTING[..]].concat(),
        [&["attack", "small.csv", "--save", "small.csv"], &SETTING[..]].concat(),
        [&["tolerate", "small.csv", "--limit", "0.9", "--output", "small.csv"], &learner[..]].concat(),
        vec!["prepare", "small.csv", "--output", "small.csv"],
        vec!["prepare", "small.csv", "--transform", "small.csv"],
        vec!["design", "small.csv", "--output", "."],
        vec![
            "mean",
            "pool.npy",
            "--output",
            "pool.npy",
            "--learning-rate",
            "0.1",
            "--poison-rate",
            "0.1",
            "--squared-radius",
            "1",
        ],
    ] {
        refused(folder.path(), &arguments);
        assert_eq!(std::fs::read(folder.path().join("small.csv")).unwrap(), before, "{arguments:?}");
    }
    assert_eq!(std::fs::read(folder.path().join("pool.npy")).unwrap().len(), 128 + 32);
    // Nor is any other file, unless it is an older certificate.
    std::fs::write(folder.path().join("notes.txt"), "keep me").unwrap();
    let message = refused(folder.path(), &certify("small.csv", &["--output", "notes.txt"]));
    assert!(message.contains("exists already"), "{message}");
    for radius in ["1", "0.5"] {
        accepted(folder.path(), &certify("small.csv", &["--radius", radius]));
    }
}
