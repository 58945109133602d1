//! Every format and every kind of problem: certified by the command, verified by the separate program from the same files, to the
//! last bit.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use ndarray::{Array1, Array2, Axis, concatenate};
use serde_json::Value;
use tempfile::TempDir;

use super::files::{Rows, first, npy, points, save};
use super::{UNSWAYED, json, text, unswayed};

const FORMATS: [&str; 4] = ["csv", "npz", "npy", "parquet"];

/// The separate program: the one that `UNSWAYED_CHECK` names, or else built beside the command, in the same profile.
fn checker() -> &'static Path {
    static CHECKER: OnceLock<PathBuf> = OnceLock::new();
    CHECKER.get_or_init(|| {
        if let Some(path) = std::env::var_os("UNSWAYED_CHECK") {
            return path.into();
        }
        let folder = Path::new(UNSWAYED).parent().unwrap();
        let profile = folder.file_name().and_then(|name| name.to_str()).unwrap();
        let profile = if profile == "debug" { "dev" } else { profile };
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into());
        let built = Command::new(cargo)
            .args(["build", "--quiet", "--package", "unswayed-check", "--bin", "unswayed-check"])
            .args(["--profile", profile, "--target-dir"])
            .arg(folder.parent().unwrap())
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        folder.join(format!("unswayed-check{}", std::env::consts::EXE_SUFFIX))
    })
}

/// Runs a command that writes a certificate, and has it verified from the same files.
fn verified(folder: &TempDir, words: &str) -> Value {
    let words: Vec<&str> = words.split_whitespace().collect();
    let found = json(&unswayed(folder, &[&words[..], &["--json"]].concat()));
    let verify = found["verify"].as_str().unwrap();
    let files: Vec<&str> = verify.strip_prefix("unswayed check ").unwrap().split_whitespace().collect();
    let output = Command::new(checker()).current_dir(folder).args(&files).arg("--json").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{words:?}: {}", text(&output.stdout));
    let checked: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(checked["status"], "valid", "{words:?}");
    for (ours, theirs) in [
        ("certified_loss", "certified_loss"),
        ("certified_error", "certified_error"),
        ("horizon_loss", "certified_horizon"),
        ("horizon_error", "certified_horizon_error"),
        ("new_data_loss", "certified_new_data"),
    ] {
        // A certificate about a mean has no error, horizon or new data.
        let theirs = checked.get(theirs).unwrap_or(&Value::Null);
        let ours = found.get(ours).unwrap_or(&Value::Null);
        assert_eq!(ours.as_f64().map(f64::to_bits), theirs.as_f64().map(f64::to_bits), "{words:?}");
    }
    assert_eq!(checked["statement"], found["statement"], "{words:?}");
    found
}

fn certify(folder: &TempDir, words: &str) -> Value {
    let rates = if words.contains("--target t") { "--regularization 0.5" } else { "--regularization 0.1" };
    verified(
        folder,
        &format!("certify {words} --attacks none --learning-rate 0.01 {rates} --poison-rate 0.01"),
    )
}

/// All data, in one format. The names of files begin with what they are.
fn folder(format: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (x, y) = points(24, 0.4, 1);
    let labelled = |x: &Array2<f64>, y: &Array1<f64>| Rows { y: Some(y.clone()), ..Rows::of(x.clone()) };
    let write = |stem: &str, rows: &Rows| save(&folder, stem, format, rows);
    write("d", &labelled(&x, &y));
    let (other, labels) = points(24, 0.3, 2);
    write("e", &labelled(&other, &labels));
    write("t", &labelled(&other, &labels));
    write("u", &labelled(&first(&x, Axis(0), 6), &y.select(Axis(0), &[0, 1, 2, 3, 4, 5])));
    write("n", &labelled(&(&x * 3.0), &y));
    let mut bias = x.clone();
    bias.column_mut(1).fill(0.5);
    write("b", &labelled(&bias, &y));
    let corner = |i: usize, j: usize| if i % 3 == j { 0.6 } else { -0.2 };
    let kinds = Array2::from_shape_fn((24, 3), |(i, j)| 0.3 * x[[i, j]] + corner(i, j));
    write("m", &labelled(&kinds, &Array1::from_shape_fn(24, |i| (i % 3) as f64)));
    write("s", &labelled(&x, &Array1::from_shape_fn(24, |i| y[i] * [1.0, 0.5, 0.25][i % 3])));
    let weights = Array1::from_shape_fn(24, |i| [1.0, 2.0, 0.0, 0.5][i % 4]);
    if format != "npy" {
        write("w", &Rows { weights: Some(weights), ..labelled(&x, &y) });
    }
    write("z", &Rows { array: "z", ..Rows::of(&x * &y.clone().insert_axis(Axis(1))) });
    write("x", &Rows::of(&other * 3.0));
    let (chosen, rejected) = (points(20, 0.2, 3).0 * 0.5 + 0.2, points(20, 0.2, 4).0 * 0.5);
    write("p", &Rows { array: "pairs", ..Rows::of(concatenate![Axis(1), chosen, rejected]) });
    npy(&folder, "pool.npy", &points(5, 0.2, 9).0);
    npy(&folder, "q.npy", &Array2::from_diag(&ndarray::arr1(&[0.25, 0.5, 0.1])));
    ndarray_npy::write_npy(folder.path().join("r.npy"), &ndarray::arr1(&[0.5, 0.25, 0.0])).unwrap();
    folder
}

/// A data file of this format; features in .npy files are called …x.npy if there are labels.
fn name(stem: &str, format: &str) -> String {
    let has_labels = !["z", "x", "p"].contains(&stem);
    if format == "npy" && has_labels { format!("{stem}x.npy") } else { format!("{stem}.{format}") }
}

/// Replaces `@stem` by the name of the file.
fn with_files(words: &str, format: &str) -> String {
    let word = |word: &str| word.strip_prefix('@').map_or(word.to_owned(), |stem| name(stem, format));
    words.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

const KINDS: [&str; 55] = [
    "@d",
    "@d --radius 0.5 --horizon 100000",
    "@d --horizon 1000000 --start -1,0.5,2",
    "@d --rows 10",
    "@d --method paper",
    "@d --loss logistic",
    "@d --loss logistic --batch 4",
    "@d --loss smooth-hinge=0.5 --adversary box",
    "@d --loss modified-huber --adversary points=pool.npy",
    "@d --schedule optimal",
    "@d --schedule invscaling --loss logistic",
    "@d --schedule slowdown=0.01 --adversary labels --average",
    "@d --average --horizon 1000",
    "@d --momentum 0.5 --horizon 1000",
    "@d --momentum 0.3 --loss logistic --adversary box --batch 4",
    "@d --adversary box",
    "@d --adversary box=0.5",
    "@d --adversary box=r.npy",
    "@d --adversary ellipsoid",
    "@d --adversary ellipsoid=q.npy",
    "@d --adversary points=pool.npy",
    "@d --adversary flips",
    "@d --adversary labels",
    "@d --adversary labels --loss logistic",
    "@d --adversary any --clip 1",
    "@d --loss logistic --clip 0.5",
    "@d --target @t",
    "@d --target @u",
    "@d @e --drift",
    "@b --bias 2",
    "@b --bias 2 --loss logistic --adversary box",
    "@d --projection 3",
    "@d --confidence 0.9",
    "@d --confidence 0.9 --loss logistic",
    "@d --confidence 0.9 --contaminated 0.05",
    "@n --normalize",
    "@n --normalize --radius 2",
    "@n --normalize --adversary box=1",
    "@n --normalize --adversary points=pool.npy",
    "@n --normalize --rows 12 --adversary flips",
    "@m --loss multiclass --normalize",
    "@s --scores",
    "@s",
    "@s --loss huber=0.5 --label-bound 1",
    "@s --loss absolute",
    "@d --loss quantile=0.3 --label-bound 1 --horizon 1000",
    "@d --contaminated 0.1",
    "@d --moments 20 --horizon 1000 --batch 4",
    "@d --moments 20 --loss logistic --adversary ellipsoid",
    "@d --moments 20 --projection 3",
    "@d --class-weight -1=2,1=0.5",
    "@d --effort tight",
    "@z --premultiplied",
    "@p --preferences",
    "@p --preferences --normalize --adversary labels",
];

fn every_kind(format: &str) {
    let folder = folder(format);
    for words in KINDS {
        let found = certify(&folder, &with_files(words, format));
        assert!(found["certified_loss"].as_f64().unwrap() > 0.0, "{words}");
        let is_regression = ["huber=", "absolute", "quantile="].iter().any(|loss| words.contains(loss));
        for key in ["benign_error", "certified_error"] {
            assert_eq!(found[key].is_number(), !is_regression, "{words}: {key}");
        }
    }
    if format != "npy" {
        let found = certify(&folder, &with_files("@w --weight-column trust", format));
        assert_eq!(found["statement"]["data"][0]["weight_column"], "trust");
    }
    let mean = with_files("mean @x --learning-rate 0.01 --poison-rate 0.1 --squared-radius 2", format);
    verified(&folder, &mean);
}

#[test]
fn csv() {
    every_kind("csv");
}

#[test]
fn npz() {
    every_kind("npz");
}

#[test]
fn npy_with_labels() {
    every_kind("npy");
    let folder = folder("npy");
    std::fs::rename(folder.path().join("dy.npy"), folder.path().join("labels.npy")).unwrap();
    certify(&folder, "dx.npy --labels labels.npy");
    certify(&folder, "--features dx.npy --labels labels.npy --loss logistic");
}

#[test]
fn parquet() {
    every_kind("parquet");
}

/// The same rows have the same bound, whatever file they are in.
#[test]
fn formats_agree() {
    for words in ["@d", "@d --loss logistic --adversary box", "@m --loss multiclass --normalize"] {
        let bound = |format: &str| {
            let found = certify(&folder(format), &with_files(words, format));
            found["certified_loss"].as_f64().map(f64::to_bits)
        };
        let bounds: Vec<_> = FORMATS.iter().map(|format| bound(format)).collect();
        assert!(bounds.windows(2).all(|pair| pair[0] == pair[1]), "{words}: {bounds:?}");
    }
}

#[test]
fn a_mean_of_a_covariance_trace() {
    let folder = tempfile::tempdir().unwrap();
    let setting = "--learning-rate 0.01 --poison-rate 0.1 --squared-radius 2 --noise-trace 0.5";
    verified(&folder, &format!("mean --covariance-trace 3 {setting}"));
}
