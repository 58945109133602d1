//! The program, from the outside.
#![allow(clippy::cast_possible_truncation)]

mod common;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use common::{Z, certificate, closed_form, convexity, hinge, mean, no_rows, rows, zero_one};
use ndarray::{Array1, Array2, ShapeBuilder};
use ndarray_npy::{NpzWriter, WritableElement, write_npy};
use serde_json::Value;
use tempfile::TempDir;
use unswayed_check::{Certificate, DataInfo, Rows};

const LABELS: [f64; 5] = [1.0, -1.0, -1.0, 1.0, 1.0];

fn program(arguments: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_unswayed-check")).args(arguments).output().unwrap()
}

fn run(arguments: &[&Path]) -> (i32, String) {
    let output = program(arguments);
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

/// Exit code and JSON object.
fn run_json(arguments: &[&Path]) -> (i32, Value) {
    let (code, text) = run(&[arguments, &[Path::new("--json")]].concat());
    (code, serde_json::from_str(&text).unwrap())
}

/// A folder with the certificate of rows made from `x`, labels, scale and weights.
struct Fixture {
    folder: TempDir,
    certificate: PathBuf,
}

/// x with z = label·x for the shared rows: label·z.
fn features() -> Vec<f64> {
    Z.iter().enumerate().map(|(i, z)| z * LABELS[i / 2]).collect()
}

impl Fixture {
    fn new(change: impl FnOnce(&mut Certificate)) -> Self {
        Self::about(&rows(), change)
    }

    fn about(rows: &Rows, change: impl FnOnce(&mut Certificate)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.safetensors");
        let mut content = certificate(hinge(), convexity(), Some(zero_one()), rows);
        change(&mut content);
        std::fs::write(&path, content.to_bytes()).unwrap();
        Fixture { folder, certificate: path }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.path(name), content).unwrap();
        self.path(name)
    }

    fn npz<T: WritableElement + Copy>(&self, labels: &[T]) -> PathBuf {
        let path = self.path("data.npz");
        let mut npz = NpzWriter::new_compressed(File::create(&path).unwrap());
        let x = Array2::from_shape_vec((labels.len(), 2), features()[..2 * labels.len()].to_vec());
        npz.add_array("x", &x.unwrap()).unwrap();
        npz.add_array("y", &Array1::from(labels.to_vec())).unwrap();
        npz.finish().unwrap();
        path
    }

    fn code(&self, data: &Path) -> i32 {
        run(&[&self.certificate, data]).0
    }
}

fn labels(negative: &str, positive: &str) -> impl FnOnce(&mut Certificate) {
    let labels = Some((negative.to_owned(), positive.to_owned()));
    move |c| c.data.labels = labels
}

fn csv(labels: [&str; 5]) -> String {
    let x = features();
    let row = |i: usize| format!("{},{}, {} \n", x[2 * i], labels[i], x[2 * i + 1]);
    "a,label,b\n".to_owned() + &(0..5).map(row).collect::<String>()
}

#[test]
fn valid_certificates_in_words_and_json() {
    let fixture = Fixture::new(|_| ());
    let data = fixture.npz(&LABELS);
    let (code, text) = run(&[&fixture.certificate, &data]);
    assert_eq!(code, 0);
    assert!(text.starts_with("valid: against every adversary"), "{text}");
    assert!(text.contains("probability 0.05") && text.contains("first 1000 steps"), "{text}");
    let (code, object) = run_json(&[&fixture.certificate, &data]);
    let content = Certificate::from_bytes(&std::fs::read(&fixture.certificate).unwrap()).unwrap();
    assert_eq!(code, 0);
    assert_eq!(object["status"], "valid");
    assert_eq!(object["certified_loss"].as_f64(), Some(content.loss.bound));
    let error = content.error.unwrap().bound.min(content.loss.bound);
    assert_eq!(object["certified_error"].as_f64(), Some(error));
    assert_eq!(object["certified_horizon"].as_f64(), Some(content.horizon.unwrap().bound));
}

#[test]
fn labels_of_every_type() {
    let fixture = Fixture::new(labels("-1", "1"));
    assert_eq!(fixture.code(&fixture.npz(&LABELS)), 0);
    assert_eq!(fixture.code(&fixture.npz(&LABELS.map(|y| y as f32))), 0);
    assert_eq!(fixture.code(&fixture.npz(&LABELS.map(|y| y as i64))), 0);
    assert_eq!(fixture.code(&fixture.npz(&LABELS.map(|y| y as i8))), 0);
    let fixture = Fixture::new(labels("0", "1"));
    assert_eq!(fixture.code(&fixture.npz(&LABELS.map(|y| y > 0.0))), 0);
    assert_eq!(fixture.code(&fixture.npz(&LABELS.map(|y| u8::from(y > 0.0)))), 0);
    // The other way round the rows are others; a third label is an unreadable file.
    assert_eq!(fixture.code(&fixture.npz(&LABELS.map(|y| y < 0.0))), 1);
    assert_eq!(fixture.code(&fixture.npz(&LABELS)), 2);
}

#[test]
fn csv_files() {
    let fixture = Fixture::new(labels("ham", "spam"));
    let text = csv(["spam", "ham", " ham ", "spam", "spam"]);
    assert_eq!(fixture.code(&fixture.write("a.csv", &text)), 0);
    let renamed = fixture.write("b.csv", text.replace("label", "kind"));
    let column = ["--label-column", "kind"].map(Path::new);
    assert_eq!(run(&[&fixture.certificate, &renamed, column[0], column[1]]).0, 0);
    assert_eq!(fixture.code(&renamed), 2);
    let third = csv(["spam", "ham", "eggs", "spam", "spam"]);
    assert_eq!(fixture.code(&fixture.write("c.csv", third)), 2);
    let ragged = text.clone() + "1,spam\n";
    assert_eq!(fixture.code(&fixture.write("d.csv", ragged)), 2);
    assert_eq!(fixture.code(&fixture.write("e.csv", text.replace("0.5,", "nan,"))), 1);
    assert_eq!(fixture.code(&fixture.write("f.csv", "")), 1);
    // Numbers are compared as numbers.
    let fixture = Fixture::new(labels("-1", "1"));
    let text = csv(["1.0", "-1", "-1.00", "+1", "1e0"]);
    assert_eq!(fixture.code(&fixture.write("a.csv", text)), 0);
}

#[test]
fn weights_and_rows_z() {
    let rows = common::weighted_rows();
    let fixture = Fixture::about(&rows, |_| ());
    let path = fixture.path("w.npz");
    let mut npz = NpzWriter::new(File::create(&path).unwrap());
    npz.add_array("z", &Array2::from_shape_vec((5, 2), Z.to_vec()).unwrap()).unwrap();
    npz.add_array("weight", &Array1::from(common::WEIGHTS.to_vec())).unwrap();
    npz.finish().unwrap();
    assert_eq!(fixture.code(&path), 0);
    let line = |i: usize| format!("{},{},{}\n", common::WEIGHTS[i], Z[2 * i], Z[2 * i + 1]);
    let text = "weight,a,b\n".to_owned() + &(0..5).map(line).collect::<String>();
    assert_eq!(fixture.code(&fixture.write("w.csv", &text)), 0);
    assert_eq!(fixture.code(&fixture.write("w.csv", text.replace("0.5", "0.25"))), 1);
}

#[test]
fn npy_files_in_either_order_and_both_precisions() {
    let x: Vec<f32> = features().iter().map(|&x| x as f32).collect();
    let z: Vec<f64> = x.iter().enumerate().map(|(i, &x)| f64::from(x) * LABELS[i / 2] / 1.5).collect();
    let rows = Rows { z: &z, dimension: 2, weights: None };
    let fixture = Fixture::about(&rows, |c| c.data.scale = Some(1.5));
    let (path, label_path) = (fixture.path("x.npy"), fixture.path("y.npy"));
    let mut columns = Array2::<f32>::zeros((5, 2).f());
    columns.assign(&Array2::from_shape_vec((5, 2), x).unwrap());
    write_npy(&path, &columns).unwrap();
    write_npy(&label_path, &Array1::from(LABELS.to_vec())).unwrap();
    let flag = Path::new("--labels");
    assert_eq!(run(&[&fixture.certificate, &path, flag, &label_path]).0, 0);
    assert_eq!(fixture.code(&path), 1);
    write_npy(&label_path, &Array1::from(vec![1.0; 4])).unwrap();
    assert_eq!(run(&[&fixture.certificate, &path, flag, &label_path]).0, 2);
}

#[test]
fn first_rows_only_if_the_certificate_says_so() {
    let first = Rows { z: &Z, dimension: 2, weights: None };
    let longer = csv(["1", "-1", "-1", "1", "1"]) + "7,3,8\n";
    let all = Fixture::about(&first, labels("-1", "1"));
    assert_eq!(all.code(&all.write("a.csv", &longer)), 2);
    let some = Fixture::about(&first, |c| {
        c.data.first_rows = true;
        c.data.labels = Some(("-1".to_owned(), "1".to_owned()));
    });
    assert_eq!(some.code(&some.write("a.csv", &longer)), 0);
    assert_eq!(some.code(&some.npz(&LABELS[..4])), 2);
}

#[test]
fn certificates_about_no_rows() {
    let content = certificate(mean(Some(2.0)), closed_form(), None, &no_rows());
    let fixture = Fixture::new(|c| *c = content);
    let (code, text) = run(&[&fixture.certificate]);
    assert_eq!(code, 0);
    assert!(text.contains("squared error"), "{text}");
    let (_, object) = run_json(&[&fixture.certificate]);
    assert!(object["certified_error"].is_null());
}

#[test]
fn not_valid() {
    let fixture = Fixture::new(|c| c.loss.bound -= 1e-3);
    let data = fixture.npz(&LABELS);
    let (code, text) = run(&[&fixture.certificate, &data]);
    assert_eq!(code, 1);
    assert!(text.starts_with("not valid: loss: the bound"), "{text}");
    let (code, object) = run_json(&[&fixture.certificate, &data]);
    assert_eq!((code, &object["status"]), (1, &Value::from("not valid")));
    assert!(object["certified_loss"].is_null());
    let fixture = Fixture::new(|c| c.data = DataInfo { sha256: "0".repeat(64), ..c.data.clone() });
    let (code, text) = run(&[&fixture.certificate, &fixture.npz(&LABELS)]);
    assert!(code == 1 && text.contains("not the certified rows"), "{text}");
}

#[test]
fn unreadable_files_and_wrong_usage() {
    let fixture = Fixture::new(|_| ());
    let data = fixture.npz(&LABELS);
    let broken = fixture.write("broken", b"nothing");
    let parquet = fixture.write("a.parquet", b"PAR1");
    let missing = fixture.path("missing.npz");
    let cut = std::fs::read(&data).unwrap();
    let cut = fixture.write("cut.npz", &cut[..cut.len() / 2]);
    let (flag, unknown) = (Path::new("--labels"), Path::new("--what"));
    let certificate = fixture.certificate.as_path();
    let cases: [&[&Path]; 12] = [
        &[],
        &[certificate],
        &[certificate, &data, &data],
        &[&broken, &data],
        &[&missing, &data],
        &[certificate, &missing],
        &[certificate, &parquet],
        &[certificate, &cut],
        &[certificate, &data, flag],
        &[certificate, &data, flag, &data],
        &[certificate, &data, Path::new("--label-column"), Path::new("y")],
        &[certificate, &data, unknown],
    ];
    for arguments in cases {
        let (code, text) = run(arguments);
        assert!(code == 2 && text.starts_with("unreadable: "), "{arguments:?} {text}");
        let (code, object) = run_json(arguments);
        assert_eq!((code, &object["status"]), (2, &Value::from("unreadable")));
    }
    assert!(run(&[certificate, &parquet]).1.contains("unswayed check"));
}

#[test]
fn help_and_version() {
    let (code, text) = run(&[Path::new("--help")]);
    assert!(code == 0 && text.contains("Usage"));
    let (code, text) = run(&[Path::new("--version")]);
    assert!(code == 0 && text.starts_with("unswayed-check "));
}

#[test]
fn a_closed_pipe_is_no_reason_to_panic() {
    let fixture = Fixture::new(|_| ());
    let data = fixture.npz(&LABELS);
    let mut child = Command::new(env!("CARGO_BIN_EXE_unswayed-check"))
        .args([&fixture.certificate, &data])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}
