//! The program, with real files.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use unswayed_check::{
    AnyCertificate, CaseProof, Cases, Certificate, Claim, Evidence, Lines, Loss, MeanBenign, Proof, RowBound,
    Rows, Set, Target, check_mean, prove,
};
use unswayed_data::{Dataset, LabelPolicy, Reading, Source, load, write_arrays, write_dataset};

use crate::common::files::{About, samples};
use crate::common::fixtures::mean;
use crate::common::plain;

/// Features and labels of five rows.
const X: [f64; 10] = [0.5, 0.25, 0.75, -0.5, -0.125, -0.875, 0.3, -0.2, 0.9, 0.1];
const LABELS: [f64; 5] = [1.0, -1.0, -1.0, 1.0, 1.0];
const CERTIFICATE: &str = "a.certificate.json";

/// Exit code and what was printed.
fn run<T: AsRef<std::ffi::OsStr>>(folder: &Path, arguments: &[T]) -> (i32, String) {
    let program = env!("CARGO_BIN_EXE_unswayed-check");
    let output = Command::new(program).current_dir(folder).args(arguments).output().expect("the program");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (output.status.code().expect("an exit code"), String::from_utf8(output.stdout).expect("UTF-8"))
}

/// A folder with a certificate.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, content).expect("a file");
        path
    }

    /// Writes a data file and its certificate, and returns the data.
    fn certified(&self, name: &str, content: impl AsRef<[u8]>, loss: Loss, reading: &Reading) -> Dataset {
        let source = Source::path(self.write(name, content));
        let data = load(&source, reading).expect("good data");
        self.write(CERTIFICATE, loose(&[&data], loss, None).to_bytes());
        data
    }

    fn run(&self, arguments: &[&str]) -> (i32, String) {
        run(self.path(), &[&[CERTIFICATE], arguments].concat())
    }

    #[track_caller]
    fn accepts(&self, arguments: &[&str]) -> String {
        let (code, text) = self.run(arguments);
        assert!(code == 0 && text.starts_with("valid "), "{arguments:?}: {text}");
        text
    }

    #[track_caller]
    fn refuses(&self, arguments: &[&str], wanted: i32, words: &str) {
        let (code, text) = self.run(arguments);
        let status = if wanted == 1 { "not valid: " } else { "unreadable: " };
        assert!(
            code == wanted && text.starts_with(status) && text.contains(words),
            "{arguments:?}: {code} {text}"
        );
        assert_eq!(text.lines().count(), 1, "{text}");
        let (code, object) = self.run(&[arguments, &["--json"]].concat());
        let object: Value = serde_json::from_str(&object).expect("JSON");
        assert_eq!((code, &object["status"]), (wanted, &json!(status.trim_end_matches(": "))));
        assert!(object["message"].as_str().is_some_and(|message| text.contains(message)), "{object}");
        assert!(object.get("certified_loss").is_none());
    }
}

/// A certificate with a loose proof, whatever the data are.
fn loose(data: &[&Dataset], loss: Loss, target: Option<&Dataset>) -> Certificate {
    let classes = if let Loss::Multiclass(classes) = loss { classes } else { 0 };
    let columns = data[0].origin().columns;
    let line = |(dataset, data): (usize, &&Dataset)| {
        let n = data.rows() * classes.saturating_sub(1).max(1);
        let w = if loss == Loss::Logistic { vec![0.4; n] } else { vec![] };
        Lines { dataset, u: vec![0.5; n], w, ..Lines::default() }
    };
    let cases = Cases {
        lines: (0..data.len()).collect(),
        tau: vec![100.0; data.len()],
        nu: vec![0.125; data.len()],
        ..Cases::default()
    };
    let rows = if loss == Loss::Logistic { RowBound::Logistic } else { RowBound::BoundedSlope };
    let mut proof: CaseProof =
        CaseProof::new(rows, 8.0, vec![0.0; columns * classes.max(1)], Lines::default(), cases);
    proof.lines = data.iter().enumerate().map(line).collect();
    let mut statement = plain(0.01, 0.1, 0.05, loss, Set::Ball { radius: 1.0 });
    statement.data = data.iter().map(|data| data.origin().clone()).collect();
    if let Some(target) = target {
        statement.target = Target::Rows(target.origin().clone());
        proof.rows = RowBound::Interval;
        let reach =
            |data: &Dataset| data.iter().map(|z| 20.0 * z.iter().map(|z| z.abs()).sum::<f64>()).collect();
        for (lines, data) in proof.lines.iter_mut().zip(data) {
            (lines.u, lines.y, lines.reach) = (vec![], vec![0.0; data.rows()], reach(data));
            (lines.target_y, lines.target_reach) = (vec![0.0; target.rows()], reach(target));
        }
        proof.shells =
            Some(unswayed_check::Shells { centre: vec![0.0; columns], radii: vec![20.0], ball: 20.0 });
        (proof.cases.outer, proof.cases.inner) = (vec![1.0; data.len()], vec![0.0; data.len()]);
    }
    let proof = Proof::Cases(Box::new(proof));
    let rows: Vec<Rows> = data.iter().map(|data| Rows::of(data)).collect();
    let evidence = Evidence { data: &rows, target: target.map(Rows::of) };
    let bound = prove(&statement, &proof, &evidence).and_then(|proven| proven.bound()).expect("a bound");
    let loss = Claim { bound, proof };
    Certificate {
        tool: "test 1.0".into(),
        statement,
        loss,
        error: None,
        horizon: None,
        horizon_error: None,
        new_data: None,
    }
}

fn csv(labels: [&str; 5]) -> String {
    let row = |i: usize| format!("{},{}, {} \n", X[2 * i], labels[i], X[2 * i + 1]);
    "a,label,b\n".to_owned() + &(0..5).map(row).collect::<String>()
}

fn npy(descr: &str, shape: &str, content: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let length = u16::try_from(header.len()).expect("short").to_le_bytes();
    [b"\x93NUMPY\x01\x00", length.as_slice(), header.as_bytes(), content].concat()
}

fn doubles(x: &[f64]) -> Vec<u8> {
    x.iter().flat_map(|x| x.to_le_bytes()).collect()
}

#[test]
fn comma_separated_values() {
    let folder = Folder::new();
    let text = csv(["spam", "ham", " ham ", "spam", "spam"]);
    folder.certified("a.csv", &text, Loss::Hinge, &Reading::default());
    let said = folder.accepts(&["a.csv"]);
    assert!(said.contains("label ham is −1, spam is +1"), "{said}");
    // Another name of the same file, and numbers written otherwise.
    folder.write("b.csv", text.replace("0.5,", "5e-1,"));
    folder.accepts(&["b.csv"]);
    // A changed digit, a swapped label, other columns.
    for (name, other) in [
        ("c.csv", text.replace("0.25", "0.26")),
        ("d.csv", text.replace("0.25", "0.25000000000000006")),
        ("e.csv", csv(["ham", "ham", "ham", "spam", "spam"])),
        ("f.csv", text.replace("0.75,ham", "-0.75,ham")),
    ] {
        folder.write(name, other);
        folder.refuses(&[name], 1, "these are not the certified rows: sha256");
    }
    folder.write("g.csv", text.clone() + "0.5,ham,0.5\n");
    folder.write("m.csv", text.clone() + "1,spam\n");
    folder.refuses(&["m.csv"], 1, "these are not the certified rows: of: 5 here, 6 there");
    folder.refuses(&["g.csv"], 1, "these are not the certified rows: of: 5 here, 6 there");
    for (name, other) in [
        ("h.csv", text.lines().take(5).collect::<Vec<_>>().join("\n")),
        ("i.csv", csv(["spam", "ham", "eggs", "spam", "spam"])),
        ("j.csv", text.replace("label", "kind")),
        ("k.csv", text.replace("0.5,", "nan,")),
        ("l.csv", String::new()),
        ("n.csv", csv(["1", "-1", "-1", "1", "1"])),
    ] {
        folder.write(name, other);
        folder.refuses(&[name], 2, name);
    }
}

#[test]
fn columns_of_other_names_and_weights() {
    let folder = Folder::new();
    let row = |i: usize| format!("{},{},{},{}\n", X[2 * i], i + 1, ["y", "x"][i % 2], X[2 * i + 1]);
    let text = "a,trust,kind,b\n".to_owned() + &(0..5).map(row).collect::<String>();
    let reading = Reading {
        label_column: Some("kind".into()),
        weight_column: Some("trust".into()),
        ..Reading::default()
    };
    let data = folder.certified("a.csv", &text, Loss::Hinge, &reading);
    assert_eq!(data.weights(), Some(&[1.0, 2.0, 3.0, 4.0, 5.0][..]));
    let said = folder.accepts(&["a.csv"]);
    assert!(said.contains("labels in column kind; weighted by trust"), "{said}");
    folder.write("b.csv", text.replace(",5,", ",6,"));
    folder.refuses(&["b.csv"], 1, "sha256");
    folder.write("c.csv", text.replace("trust", "truth"));
    folder.refuses(&["c.csv"], 2, "trust");
    // Multiplied by two the weights say the same, but the file is another.
    folder.write(
        "d.csv",
        "a,trust,kind,b\n".to_owned()
            + &(0..5)
                .map(|i| row(i).replace(&format!(",{},", i + 1), &format!(",{},", 2 * i + 2)))
                .collect::<String>(),
    );
    folder.refuses(&["d.csv"], 1, "sha256");
}

#[test]
fn archives() {
    let folder = Folder::new();
    let content = write_dataset(&X, 2, Some(&LABELS)).expect("an archive");
    let data = folder.certified("a.npz", &content, Loss::Logistic, &Reading::default());
    folder.accepts(&["a.npz"]);
    // The rows themselves are not the features and labels that were certified, although they are the same rows.
    let rows = write_arrays(&[("z".into(), data.z().to_vec())], 2).expect("an archive");
    folder.write("z.npz", &rows);
    folder.refuses(&["z.npz"], 2, "z.npz");
    let other = Folder::new();
    other.certified("z.npz", &rows, Loss::Logistic, &Reading::default());
    other.accepts(&["z.npz"]);
    other.write("a.npz", &content);
    other.refuses(&["a.npz"], 2, "a.npz");
    // Other classes.
    let flipped: Vec<f64> = LABELS.iter().map(|y| -y).collect();
    folder.write("b.npz", write_dataset(&X, 2, Some(&flipped)).expect("an archive"));
    folder.refuses(&["b.npz"], 1, "sha256");
    folder.write("c.npz", write_dataset(&X[..8], 2, Some(&LABELS[..4])).expect("an archive"));
    folder.refuses(&["c.npz"], 2, "c.npz");
    folder.write("d.npz", &content[..content.len() / 2]);
    folder.refuses(&["d.npz"], 2, "d.npz");
}

#[test]
fn scales() {
    let folder = Folder::new();
    let long: Vec<f64> = X.iter().map(|x| x * 4.0).collect();
    let content = write_dataset(&long, 2, Some(&LABELS)).expect("an archive");
    let normalized = Reading { normalize: true, ..Reading::default() };
    let data = folder.certified("a.npz", &content, Loss::Hinge, &normalized);
    let said = folder.accepts(&["a.npz"]);
    assert!(said.contains(&format!("rows divided by {}", data.origin().scale)), "{said}");
    // Features that are divided already are another file.
    folder.write("b.npz", write_dataset(&X, 2, Some(&LABELS)).expect("an archive"));
    folder.refuses(&["b.npz"], 1, "sha256");
    // Another scale makes other rows, and the proof is not about them.
    let path = folder.path().join(CERTIFICATE);
    let mut certificate =
        Certificate::from_bytes(&std::fs::read(&path).expect("a file")).expect("a certificate");
    certificate.statement.data[0].scale /= 2.0;
    std::fs::write(&path, certificate.to_bytes()).expect("a file");
    folder.refuses(&["a.npz"], 1, "loss: the bound");
    certificate.statement.data[0].scale = 0.0;
    std::fs::write(&path, certificate.to_bytes()).expect("a file");
    folder.refuses(&["a.npz"], 2, "the scale 0 is not a positive number");
}

/// A certificate whose proof has a rule is checked in parts, with the same result, if the data are larger than the limit.
#[test]
fn data_that_are_read_in_parts() {
    let folder = Folder::new();
    let x = folder.write("train_x.npy", npy("<f8", "(5, 2)", &doubles(&X)));
    let y = folder.write("train_y.npy", npy("<f8", "(5,)", &doubles(&LABELS)));
    let data = load(&Source::path(&x).labels(&y), &Reading::default()).expect("good data");
    let whole = loose(&[&data], Loss::Hinge, None);
    folder.write(CERTIFICATE, whole.to_bytes());
    // Its proof needs all rows at once.
    let text = folder.accepts(&["train_x.npy"]);
    assert_eq!(folder.accepts(&["train_x.npy", "--memory", "0"]), text);
    let mut short = whole.clone();
    let Proof::Cases(proof) = &mut short.loss.proof else { unreachable!("a proof by cases") };
    proof.lines = vec![Lines { theta: vec![1.0, -0.5], gain: vec![0.25], ..Lines::default() }];
    let rows = [Rows::of(&data)];
    let evidence = Evidence { data: &rows, target: None };
    let proven = prove(&short.statement, &short.loss.proof, &evidence).and_then(|proven| proven.bound());
    short.loss.bound = proven.expect("a bound");
    folder.write(CERTIFICATE, short.to_bytes());
    let text = folder.accepts(&["train_x.npy"]);
    for limit in ["0", "1KB", "1 b", "2.5tb"] {
        assert_eq!(folder.accepts(&["train_x.npy", "--memory", limit]), text, "{limit}");
    }
    folder.refuses(&["train_x.npy", "--memory", "much"], 2, "such as 500MB");
    let parts = ["train_x.npy", "--memory", "0"];
    short.loss.bound = short.loss.bound.next_down();
    folder.write(CERTIFICATE, short.to_bytes());
    folder.refuses(&parts, 1, "below the proven value");
    short.loss.bound = short.loss.bound.next_up();
    folder.write(CERTIFICATE, short.to_bytes());
    folder.accepts(&parts);
    folder.write("train_y.npy", npy("<f8", "(5,)", &doubles(&[1.0, -1.0, -1.0, 1.0, -1.0])));
    folder.refuses(&parts, 1, "these are not the certified rows: sha256");
    folder.write("train_y.npy", npy("<f8", "(4,)", &doubles(&LABELS[..4])));
    folder.refuses(&parts, 2, "train_y.npy");
    folder.write("train_y.npy", npy("<f8", "(5,)", &doubles(&LABELS)));
    folder.write("train_x.npy", npy("<f8", "(6, 2)", &doubles(&[&X[..], &[0.5, 0.5]].concat())));
    folder.write("train_y.npy", npy("<f8", "(6,)", &doubles(&[&LABELS[..], &[1.0]].concat())));
    folder.refuses(&parts, 1, "of: 5 here, 6 there");
}

#[test]
fn features_and_labels_in_two_files() {
    let folder = Folder::new();
    let single: Vec<u8> = X.iter().flat_map(|&x| (x as f32).to_le_bytes()).collect();
    let labels: Vec<u8> = LABELS.iter().map(|&y| (y as i8).cast_unsigned()).collect();
    let x = folder.write("train_x.npy", npy("<f4", "(5, 2)", &single));
    let y = folder.write("train_y.npy", npy("|i1", "(5,)", &labels));
    let data = load(&Source::path(&x).labels(&y), &Reading::default()).expect("good data");
    folder.write(CERTIFICATE, loose(&[&data], Loss::Hinge, None).to_bytes());
    folder.accepts(&["train_x.npy"]);
    folder.accepts(&["train_x.npy", "--labels", "train_y.npy"]);
    std::fs::rename(&y, folder.path().join("labels.npy")).expect("another name");
    folder.accepts(&["train_x.npy", "--labels", "labels.npy"]);
    folder.accepts(&["--labels", "labels.npy", "train_x.npy"]);
    folder.refuses(&["train_x.npy"], 2, "train_x.npy");
    folder.refuses(&["train_x.npy", "--labels", "missing.npy"], 2, "missing.npy");
    folder.write("other.npy", npy("<f8", "(5,)", &doubles(&[1.0, 1.0, -1.0, 1.0, 1.0])));
    folder.refuses(&["train_x.npy", "--labels", "other.npy"], 1, "sha256");
    folder.write("short.npy", npy("<f8", "(4,)", &doubles(&LABELS[..4])));
    folder.refuses(&["train_x.npy", "--labels", "short.npy"], 2, "short.npy");
    // The same labels with more precision are the same labels; features are not.
    folder.write("wide.npy", npy("<f8", "(5,)", &doubles(&LABELS)));
    folder.accepts(&["train_x.npy", "--labels", "wide.npy"]);
    folder.write("double_x.npy", npy("<f8", "(5, 2)", &doubles(&X)));
    folder.refuses(&["double_x.npy", "--labels", "wide.npy"], 1, "sha256");
    // Rows that were made from arrays have no file of labels, but labels all the same.
    let mut arrays = loose(&[&data], Loss::Hinge, None);
    arrays.statement.data[0].label_file = None;
    folder.write(CERTIFICATE, arrays.to_bytes());
    folder.accepts(&["train_x.npy", "--labels", "labels.npy"]);
    folder.refuses(&["train_x.npy"], 2, "labels");
    std::fs::rename(folder.path().join("labels.npy"), &y).expect("the old name");
    folder.accepts(&["train_x.npy"]);
    // Rows without labels, beside a file of labels.
    folder.certified(
        "z_x.npy",
        npy("<f8", "(5, 2)", &doubles(&X)),
        Loss::Hinge,
        &Reading::labels(LabelPolicy::Premultiplied),
    );
    folder.write("z_y.npy", npy("<f8", "(5,)", &doubles(&LABELS)));
    folder.accepts(&["z_x.npy"]);
    folder.refuses(&["z_x.npy", "--labels", "z_y.npy"], 2, "leave out --labels");
    folder.certified(
        "z.npy",
        npy("<f8", "(5, 2)", &doubles(&X)),
        Loss::Hinge,
        &Reading::labels(LabelPolicy::Premultiplied),
    );
    folder.accepts(&["z.npy"]);
}

#[test]
fn parquet_files() {
    let fixture = |name: &str| {
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../unswayed-data/tests/data").join(name))
            .expect("a fixture")
    };
    let folder = Folder::new();
    folder.certified("a.parquet", fixture("pandas_snappy.parquet"), Loss::Hinge, &Reading::default());
    folder.accepts(&["a.parquet"]);
    // The same table in other files.
    folder.write("b.parquet", fixture("pandas_gzip.parquet"));
    folder.write("c.csv", fixture("pandas.csv"));
    folder.accepts(&["b.parquet"]);
    folder.accepts(&["c.csv"]);
    folder.write("d.parquet", fixture("pyarrow_groups.parquet"));
    folder.refuses(&["d.parquet"], 2, "d.parquet");
    let half = fixture("pandas_snappy.parquet");
    folder.write("e.parquet", &half[..half.len() / 2]);
    folder.refuses(&["e.parquet"], 2, "e.parquet");
    let reading = Reading { weight_column: Some("weight".into()), ..Reading::default() };
    folder.certified("f.parquet", fixture("pandas_bool.parquet"), Loss::Hinge, &reading);
    folder.accepts(&["f.parquet"]);
    folder.refuses(&["a.parquet"], 2, "a.parquet");
}

#[test]
fn preferences() {
    let folder = Folder::new();
    let rejected: Vec<f64> = X.iter().map(|x| x / 2.0).collect();
    let arrays = |first: &str, second: &str| {
        write_arrays(&[(first.into(), X.to_vec()), (second.into(), rejected.clone())], 2).expect("an archive")
    };
    let reading = Reading::labels(LabelPolicy::Preferences);
    let data = folder.certified("a.npz", arrays("chosen", "rejected"), Loss::Logistic, &reading);
    assert_eq!(data.z(), rejected);
    let said = folder.accepts(&["a.npz"]);
    assert!(said.contains("rows are chosen − rejected"), "{said}");
    folder.write("b.npz", arrays("rejected", "chosen"));
    folder.refuses(&["b.npz"], 1, "sha256");
    // The same pairs as columns, in another order.
    let row =
        |i: usize| format!("{},{},{},{}\n", rejected[2 * i + 1], X[2 * i], rejected[2 * i], X[2 * i + 1]);
    let text = "rejected_b,chosen_a,rejected_a,chosen_b\n".to_owned() + &(0..5).map(row).collect::<String>();
    folder.write("c.csv", &text);
    folder.accepts(&["c.csv"]);
    folder.write("d.csv", text.replace("rejected_b", "rejected_x"));
    folder.refuses(&["d.csv"], 2, "d.csv");
    // The differences themselves are other data.
    folder.write("e.npz", write_arrays(&[("z".into(), rejected.clone())], 2).expect("an archive"));
    folder.refuses(&["e.npz"], 2, "e.npz");
    let halves: Vec<f64> = X.chunks(2).zip(rejected.chunks(2)).flat_map(|(c, r)| [c, r].concat()).collect();
    folder.write("f.npy", npy("<f8", "(5, 4)", &doubles(&halves)));
    folder.accepts(&["f.npy"]);
}

#[test]
fn classes() {
    let folder = Folder::new();
    let text = csv(["b", "c", "a", "b", "c"]);
    let data =
        folder.certified("a.csv", &text, Loss::Multiclass(3), &Reading::labels(LabelPolicy::Multiclass));
    assert_eq!(data.row(1), [2.0, 0.75, -0.5]);
    let said = folder.accepts(&["a.csv"]);
    assert!(said.contains("3 classes: a, b, c") && said.contains("‖x‖ ≤ 1"), "{said}");
    folder.write("b.csv", csv(["b", "c", "a", "b", "a"]));
    folder.refuses(&["b.csv"], 1, "sha256");
    for labels in [["b", "c", "d", "b", "c"], ["1", "2", "0", "1", "2"]] {
        folder.write("c.csv", csv(labels));
        folder.refuses(&["c.csv"], 2, "c.csv");
    }
}

#[test]
fn the_first_rows_of_more() {
    let folder = Folder::new();
    let text = csv(["1", "-1", "-1", "1", "1"]);
    let first = Reading { rows: Some(4), ..Reading::default() };
    let data = folder.certified("a.csv", &text, Loss::Hinge, &first);
    assert_eq!((data.rows(), data.origin().of), (4, 5));
    let said = folder.accepts(&["a.csv"]);
    assert!(said.contains("the first 4 of 5 rows"), "{said}");
    // What comes after the rows is not certified, but how many rows there are is.
    folder.write("b.csv", text.replace("0.9,1, 0.1", "0.8,-1, 0.2"));
    folder.accepts(&["b.csv"]);
    folder.write("c.csv", text.clone() + "0.5,1,0.5\n");
    folder.refuses(&["c.csv"], 1, "of: 5 here, 6 there");
    folder.write("d.csv", text.lines().take(5).map(|line| format!("{line}\n")).collect::<String>());
    folder.refuses(&["d.csv"], 1, "of: 5 here, 4 there");
    folder.write("e.csv", text.lines().take(4).map(|line| format!("{line}\n")).collect::<String>());
    folder.refuses(&["e.csv"], 2, "e.csv");
    folder.write("f.csv", text.replace("0.3,1", "0.4,1"));
    folder.refuses(&["f.csv"], 1, "sha256");
}

#[test]
fn drift_and_targets() {
    let folder = Folder::new();
    let reading = Reading::default();
    let read = |name: &str, labels| {
        load(&Source::path(folder.write(name, csv(labels))), &reading).expect("good data")
    };
    let (a, b) = (read("a.csv", ["1", "-1", "-1", "1", "1"]), read("b.csv", ["-1", "-1", "-1", "1", "1"]));
    folder.write(CERTIFICATE, loose(&[&a, &b], Loss::Hinge, None).to_bytes());
    let said = folder.accepts(&["a.csv", "b.csv"]);
    assert!(said.contains("benign points come from one of these at a time"), "{said}");
    folder.refuses(&["b.csv", "a.csv"], 1, "sha256");
    folder.refuses(&["a.csv"], 2, "needs 2 data files, not 1");
    folder.refuses(&["a.csv", "b.csv", "a.csv"], 2, "needs 2 data files, not 3");
    folder.refuses(&["a.csv", "b.csv", "--target", "a.csv"], 2, "has no target of its own");
    folder.write(CERTIFICATE, loose(&[&a], Loss::Hinge, Some(&b)).to_bytes());
    let said = folder.accepts(&["a.csv", "--target", "b.csv"]);
    assert!(said.contains("judged by  b.csv: 5 rows") && said.contains("any of norm at most 20"), "{said}");
    folder.refuses(&["a.csv"], 2, "needs its target file");
    folder.refuses(&["a.csv", "--target", "a.csv"], 1, "sha256");
    folder.refuses(&["a.csv", "b.csv"], 2, "needs 1 data files, not 2");
}

/// Every certificate of the other tests, with files.
#[test]
fn every_kind_of_certificate() {
    let mut checked = 0;
    for sample in samples() {
        let folder = Folder::new();
        folder.write(CERTIFICATE, sample.bytes());
        let archive = |name: &str, z: &[f64], columns: usize, weights: Option<&[f64]>| {
            let mut text = (0..columns).map(|j| format!("c{j}")).collect::<Vec<_>>().join(",");
            text += if weights.is_some() { ",weight\n" } else { "\n" };
            for (i, z) in z.chunks(columns).enumerate() {
                let cells = z.iter().copied().chain(weights.map(|w| w[i])).map(|x| format!("{x:?}"));
                text += &(cells.collect::<Vec<_>>().join(",") + "\n");
            }
            folder.write(name, text);
        };
        let mut arguments = vec![];
        match &sample.about {
            About::Rows(problem) => {
                for (i, (z, w)) in problem.data.iter().zip(&problem.weights).enumerate() {
                    let name = ["0.csv", "1.csv"][i];
                    archive(name, z, problem.dimension, w.as_deref());
                    arguments.push(name);
                }
                if let Some(z) = &problem.target {
                    archive("target.csv", z, problem.dimension, None);
                    arguments.extend(["--target", "target.csv"]);
                }
            }
            About::Samples(Some(rows)) => {
                archive("0.csv", rows.z, rows.dimension, rows.weights);
                arguments.push("0.csv");
            }
            About::Samples(None) => {}
        }
        let said = folder.accepts(&arguments);
        let (code, object) = folder.run(&[arguments.as_slice(), &["--json"]].concat());
        let object: Value = serde_json::from_str(&object).expect("JSON");
        assert_eq!((code, &object["status"]), (0, &json!("valid")));
        // The whole statement is in what the program prints for machines, and its sentences in what it prints for people.
        let (statement, lines) = match &sample.certificate {
            AnyCertificate::Linear(c) => (serde_json::to_value(&c.statement), c.statement.lines()),
            AnyCertificate::Mean(c) => (serde_json::to_value(&c.statement), c.statement.lines()),
        };
        assert_eq!(object["statement"], statement.expect("JSON"));
        assert!(lines.iter().all(|(_, sentence)| said.contains(sentence.as_str())), "{said}");
        let values = sample.check(&sample.certificate).expect("a good certificate");
        for (key, value) in ["loss", "error", "horizon", "new_data"].into_iter().zip(values) {
            let found = object.get(format!("certified_{key}")).and_then(Value::as_f64);
            assert_eq!(found, value, "{} {key}", sample.name);
        }
        if let Some(first) = arguments.first().filter(|name| name.ends_with(".csv")) {
            let text = std::fs::read_to_string(folder.path().join(first)).expect("a file");
            let (head, rows) = text.split_once('\n').expect("rows");
            folder.write(first, format!("{head}\n{}", rows.replacen('5', "6", 1)));
            folder.refuses(&arguments, 1, "these are not the certified rows");
        }
        checked += 1;
    }
    assert!(checked >= 22, "{checked}");
}

#[test]
fn the_fields_of_a_verdict() {
    let folder = Folder::new();
    let data = folder.certified("a.csv", csv(["1", "-1", "-1", "1", "1"]), Loss::Hinge, &Reading::default());
    let (_, text) = folder.run(&["a.csv", "--json"]);
    let object: Value = serde_json::from_str(&text).expect("JSON");
    let keys: Vec<&str> = object.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "status",
            "certified_loss",
            "certified_error",
            "certified_horizon",
            "certified_horizon_error",
            "certified_new_data",
            "confidence",
            "new_data_radius",
            "new_data_earlier",
            "new_data_assumptions",
            "method",
            "start_norm",
            "smaller_rates",
            "momentum_cost",
            "most_in_block",
            "statement",
            "assumptions",
            "tool",
        ]
    );
    assert_eq!(
        object["statement"],
        json!({
            "learner": { "loss": "hinge", "learning_rate": 0.01, "regularization": 0.1, "batch": 1 },
            "threat": { "poison_rate": 0.05, "set": { "ball": { "radius": 1.0 } } },
            "data": [{
                "file": "a.csv", "label_file": null, "labels": { "classes": { "negative": "-1", "positive": "1" } },
                "label_column": "label", "weight_column": null, "scale": 1.0, "rows": 5, "of": 5, "columns": 2,
                "sha256": data.origin().sha256,
            }],
            "target": "data",
        })
    );
    assert_eq!(text.lines().count(), 1);
}

#[test]
fn expectations() {
    let folder = Folder::new();
    folder.certified("a.csv", csv(["1", "-1", "-1", "1", "1"]), Loss::Hinge, &Reading::default());
    let asked = |expected: &[&str]| {
        let flags = expected.iter().flat_map(|e| ["--expect", e]);
        folder.run(&["a.csv"].into_iter().chain(flags).collect::<Vec<_>>())
    };
    for good in [
        "poison_rate>=0.05",
        "radius<=1",
        "loss=hinge",
        "set=ball",
        "file=a.csv",
        "certified_loss<=20",
        "negative=-1",
    ] {
        assert_eq!(asked(&[good]).0, 0, "{good}");
    }
    assert_eq!(asked(&["poison_rate>=0.05", "radius>=1", "target=data", "rows=5"]).0, 0);
    for (bad, code, words) in [
        (
            "poison_rate>=0.06",
            1,
            "not as expected: expected poison_rate>=0.06, but statement.threat.poison_rate is 0.05",
        ),
        ("radius<=0.5", 1, "not as expected: "),
        ("loss=logistic", 1, "not as expected: "),
        ("poison=0.05", 1, "there is no such field"),
        ("poison_rate", 2, "unreadable: --expect poison_rate"),
        ("loss>=1", 2, "unreadable: "),
    ] {
        let (found, text) = asked(&["rows=5", bad]);
        assert!(found == code && text.contains(words), "{bad}: {found} {text}");
        let (found, text) = folder.run(&["a.csv", "--expect", bad, "--json"]);
        let object: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(
            (found, object["status"].as_str()),
            (code, Some(if code == 1 { "not as expected" } else { "unreadable" }))
        );
    }
    // Two datasets have two numbers of rows.
    let read =
        |name: &str| load(&Source::path(folder.path().join(name)), &Reading::default()).expect("good data");
    let a = read("a.csv");
    folder.write(CERTIFICATE, loose(&[&a, &a], Loss::Hinge, None).to_bytes());
    let (code, text) = folder.run(&["a.csv", "a.csv", "--expect", "rows=5"]);
    assert!(code == 1 && text.contains("several fields have that name"), "{text}");
    // A certificate that is not valid is not made so.
    folder.refuses(&["a.csv", "--expect", "rows=5"], 2, "needs 2 data files");
}

#[test]
fn the_mean_learner() {
    let folder = Folder::new();
    folder.write(CERTIFICATE, mean(None).to_bytes());
    let said = folder.accepts(&[]);
    assert!(said.contains("‖θ−μ‖²") && said.contains("covariance has the trace 2"), "{said}");
    // A data file that it is not about.
    folder.write("a.csv", csv(["1", "-1", "-1", "1", "1"]));
    folder.refuses(
        &["a.csv"],
        2,
        "about a covariance of trace 2, not about the rows of a file: leave out the data",
    );
    folder.refuses(&["missing.csv"], 2, "leave out the data");
    folder.refuses(&["--target", "a.csv"], 2, "has no target of its own");
    let text = "a,b\n0.5,-3\n2,1.5\n0,0.25\n";
    let path = folder.write("b.csv", text);
    let samples = load(&Source::path(&path), &Reading::labels(LabelPolicy::None)).expect("samples");
    let mut certificate = mean(None);
    certificate.statement.benign = MeanBenign::Samples(samples.origin().clone());
    certificate.bound = 1e9;
    certificate.bound = check_mean(&certificate, Some(&Rows::of(&samples))).expect("a bound");
    folder.write(CERTIFICATE, certificate.to_bytes());
    let said = folder.accepts(&["b.csv"]);
    assert!(said.contains("draws from 3 samples"), "{said}");
    folder.refuses(&[], 2, "needs 1 data files, not 0");
    folder.refuses(&["b.csv", "b.csv"], 2, "needs 1 data files, not 2");
    folder.write("c.csv", text.replace("1.5", "1.6"));
    folder.refuses(&["c.csv"], 1, "sha256");
    folder.refuses(&["a.csv"], 1, "of: 3 here, 5 there");
    certificate.bound = certificate.bound.next_down();
    folder.write(CERTIFICATE, certificate.to_bytes());
    folder.refuses(&["b.csv"], 1, "loss: the bound");
}

#[test]
fn unreadable_files_and_wrong_usage() {
    let folder = Folder::new();
    folder.certified("a.csv", csv(["1", "-1", "-1", "1", "1"]), Loss::Hinge, &Reading::default());
    folder.write("broken.json", "nothing");
    folder.write("a.txt", "a\n1\n");
    std::fs::create_dir(folder.path().join("empty")).expect("a folder");
    let cases: [(&[&str], &str); 15] = [
        (&[], "name a certificate"),
        (&["--json"], "name a certificate"),
        (&[CERTIFICATE], "needs 1 data files, not 0"),
        (&[CERTIFICATE, "a.csv", "a.csv"], "needs 1 data files, not 2"),
        (&["broken.json", "a.csv"], "broken.json: not a certificate"),
        (&["a.csv", CERTIFICATE], "a.csv: not a certificate"),
        (&["missing.json", "a.csv"], "missing.json: cannot be read"),
        (&[CERTIFICATE, "missing.csv"], "missing.csv"),
        (&[CERTIFICATE, "a.txt"], "a.txt"),
        (&[CERTIFICATE, "empty"], "empty"),
        (&[CERTIFICATE, "a.csv", "--labels"], "--labels needs a value"),
        (&[CERTIFICATE, "a.csv", "--what"], "unknown option --what"),
        (&[CERTIFICATE, "a.csv", "--labels", "a.csv"], "leave out --labels"),
        (&[CERTIFICATE, "a.csv", "--expect"], "--expect needs a value"),
        (&[CERTIFICATE, "a.csv", "--target"], "--target needs a value"),
    ];
    for (arguments, words) in cases {
        let (code, text) = run(folder.path(), arguments);
        assert!(code == 2 && text.contains(words), "{arguments:?} {code} {text}");
        let (code, object) = run(folder.path(), &[arguments, &["--json"]].concat());
        let object: Value = serde_json::from_str(&object).expect("JSON");
        assert_eq!((code, object["status"].as_str()), (2, Some("unreadable")), "{arguments:?}");
    }
    for flag in ["--help", "-h"] {
        let (code, text) = run(folder.path(), &[flag]);
        assert!(code == 0 && text.contains("Usage") && text.contains("Exit code"), "{text}");
    }
    for flag in ["--version", "-V"] {
        let (code, text) = run(folder.path(), &[flag]);
        assert_eq!((code, text), (0, format!("unswayed-check {}\n", env!("CARGO_PKG_VERSION"))));
    }
}

#[test]
fn a_closed_pipe_is_no_reason_to_panic() {
    let folder = Folder::new();
    folder.certified("a.csv", csv(["1", "-1", "-1", "1", "1"]), Loss::Hinge, &Reading::default());
    let mut child = Command::new(env!("CARGO_BIN_EXE_unswayed-check"))
        .current_dir(folder.path())
        .args([CERTIFICATE, "a.csv"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}

/// Rows with a class in front are for a learner of so many classes.
#[test]
fn statements_and_rows_that_do_not_belong_together() {
    let folder = Folder::new();
    let text = csv(["b", "c", "a", "b", "c"]);
    let data =
        folder.certified("a.csv", &text, Loss::Multiclass(3), &Reading::labels(LabelPolicy::Multiclass));
    let good = loose(&[&data], Loss::Multiclass(3), None);
    for (loss, words) in [
        (Loss::Multiclass(2), "classes of the rows: expected 2, found 3"),
        (Loss::Multiclass(4), "classes of the rows: expected 4, found 3"),
        (Loss::Hinge, "classes of the rows: expected 0, found 3"),
        (Loss::Logistic, "classes of the rows: expected 0, found 3"),
    ] {
        let mut other = good.clone();
        other.statement.learner.loss = loss;
        folder.write(CERTIFICATE, other.to_bytes());
        folder.refuses(&["a.csv"], 1, words);
    }
    let data = folder.certified("b.csv", csv(["1", "-1", "-1", "1", "1"]), Loss::Hinge, &Reading::default());
    let mut other = loose(&[&data], Loss::Hinge, None);
    other.statement.learner.loss = Loss::Multiclass(2);
    folder.write(CERTIFICATE, other.to_bytes());
    folder.refuses(&["b.csv"], 1, "classes of the rows: expected 2, found 0");
}
