//! False claims and lost files that the command once produced: each must stay impossible.

use std::fmt::Write as _;
use std::path::Path;

use ndarray::Array2;
use serde_json::Value;

use super::{json, number, text, unswayed};

const SETTING: [&str; 6] = ["--learning-rate", "0.1", "--regularization", "0.1", "--poison-rate", "0.1"];

/// What is printed after a refusal.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = unswayed(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?} is accepted");
    text(&[output.stdout, output.stderr].concat())
}

fn accepted(folder: &Path, arguments: &[&str]) -> Value {
    json(&unswayed(folder, &[arguments, &["--json"]].concat()))
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
        let _ = writeln!(csv, "{},{},{label}", 0.01 * angle.cos(), 0.006 * angle.sin());
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
fn sets_are_divided_with_the_rows() {
    let folder = small_rows();
    let path = folder.path();
    let scale = number(&accepted(path, &certify("small.csv", &["--normalize"])), "scale");
    assert!(scale < 0.011);
    // The same, divided beforehand.
    let mut divided = String::from("a,b,label\n");
    for line in std::fs::read_to_string(path.join("small.csv")).unwrap().lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [a, b] = [0, 1].map(|i| cells[i].parse::<f64>().unwrap() / scale);
        let _ = writeln!(divided, "{a},{b},{}", cells[2]);
    }
    std::fs::write(path.join("divided.csv"), divided).unwrap();
    let pool = Array2::from_shape_vec((2, 2), vec![0.01 / scale, 0.0, -0.01 / scale, 0.0]).unwrap();
    ndarray_npy::write_npy(path.join("divided.npy"), &pool).unwrap();
    let ball = (0.01 / scale).next_up().to_string();
    let cuboid = format!("box={ball}");
    for (own, before) in [
        (["--adversary", "points=pool.npy"], ["--adversary", "points=divided.npy"]),
        (["--adversary", "box=0.01"], ["--adversary", &cuboid]),
        (["--radius", "0.01"], ["--radius", &ball]),
    ] {
        let normalized = accepted(path, &certify("small.csv", &[&["--normalize"], &own[..]].concat()));
        let divided = accepted(path, &certify("divided.csv", &before));
        let bounds = [&normalized, &divided].map(|found| number(found, "certified_loss").to_bits());
        assert_eq!(bounds[0], bounds[1], "{own:?}");
        let attack = [&["attack", "small.csv", "--normalize"], &own[..], &SETTING].concat();
        for attack in accepted(path, &attack)["attacks"].as_array().unwrap() {
            let reached = attack["attack_loss_interval"][0].as_f64().unwrap();
            assert!(reached <= number(&normalized, "certified_loss"), "{own:?}: {attack}");
        }
    }
    let message = refused(path, &certify("small.csv", &["--normalize", "--adversary", "ellipsoid=q.npy"]));
    assert!(message.contains("--normalize") && message.contains("divide the data and Q"), "{message}");
    accepted(path, &certify("small.csv", &["--adversary", "ellipsoid=q.npy"]));
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
        let found = accepted(folder.path(), &certify("classes.csv", &["--adversary", adversary]));
        let certificate = found["certificate"].as_str().unwrap();
        let output = unswayed(folder.path(), &["check", certificate, "classes.csv"]);
        assert_eq!(output.status.code(), Some(0));
    }
}

/// A certificate about a covariance trace was accepted beside any file.
#[test]
fn a_mean_certificate_without_rows_is_about_no_file() {
    let folder = small_rows();
    let setting = ["--learning-rate", "0.01", "--poison-rate", "0.15", "--squared-radius", "2"];
    let known = accepted(folder.path(), &[&["mean", "--covariance-trace", "2.5"], &setting[..]].concat());
    let certificate = known["certificate"].as_str().unwrap();
    let message = refused(folder.path(), &["check", certificate, "small.csv"]);
    assert!(message.contains("leave out the data"), "{message}");
    let shown = text(&unswayed(folder.path(), &["check", certificate]).stdout);
    assert!(shown.contains("trace 2.5"), "{shown}");
    let samples = accepted(folder.path(), &[&["mean", "pool.npy"], &setting[..]].concat());
    let certificate = samples["certificate"].as_str().unwrap();
    let shown = text(&unswayed(folder.path(), &["check", certificate, "pool.npy"]).stdout);
    assert!(shown.contains("2 samples"), "{shown}");
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
    for (rows, replaced) in [("10", false), ("10", false), ("20", true)] {
        let more = ["--rows", rows, "--output", "own.certificate.json"];
        assert_eq!(accepted(folder.path(), &certify("small.csv", &more))["replaced"], replaced);
    }
}

/// The data chose the set, and then the bound for new data spoke as if they had not.
#[test]
fn a_set_around_the_data_has_no_bound_for_new_data() {
    let folder = small_rows();
    for set in ["box", "ellipsoid"] {
        let message =
            refused(folder.path(), &certify("small.csv", &["--adversary", set, "--confidence", "0.9"]));
        assert!(message.contains("--confidence with a box or ellipsoid around the data"), "{message}");
    }
}

/// A column of weights was taken for weights because of its name.
#[test]
fn weights_are_used_only_where_they_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let rows = "a,weight,label\n0.5,0.25,1\n-0.25,0.5,-1\n0.5,0.125,1\n";
    std::fs::write(folder.path().join("w.csv"), rows).unwrap();
    let plain = accepted(folder.path(), &certify("w.csv", &[]));
    assert_eq!(plain["dimension"], 2);
    let weighted = accepted(folder.path(), &certify("w.csv", &["--weight-column", "weight"]));
    assert_eq!(weighted["dimension"], 1);
    assert_ne!(plain["certificate"], weighted["certificate"]);
}

/// Fifty thousand columns asked for 40 GB, and what asked for them panicked.
#[test]
fn very_wide_rows_are_refused_with_what_they_need() {
    let folder = tempfile::tempdir().unwrap();
    let columns = 50_000;
    let wide = Array2::from_shape_fn((6, columns), |(i, j)| if j % 6 == i { 0.01 } else { 0.0 });
    ndarray_npy::write_npy(folder.path().join("wide_x.npy"), &wide).unwrap();
    let labels = ndarray::Array1::from_vec(vec![1.0, -1.0, 1.0, -1.0, 1.0, -1.0]);
    ndarray_npy::write_npy(folder.path().join("wide_y.npy"), &labels).unwrap();
    for more in [&[][..], &["--loss", "logistic"], &["--adversary", "box=0.1"], &["--momentum", "0.5"]] {
        let message = refused(folder.path(), &certify("wide_x.npy", more));
        assert!(message.contains("50000 columns are too many"), "{more:?}: {message}");
        assert!(
            message.contains("matrices of 40 GB") && message.contains("prepare --directions"),
            "{message}"
        );
    }
    let message = refused(folder.path(), &certify("wide_x.npy", &["--adversary", "ellipsoid"]));
    assert!(message.contains("do not fill all 50000 columns"), "{message}");
}

/// A label for each row made classes without end, and the memory for them.
#[test]
fn thousands_of_classes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let rows = (0..6000).fold("a,label\n".to_owned(), |rows, i| format!("{rows}0.{i:04},k{i}\n"));
    std::fs::write(folder.path().join("many.csv"), rows).unwrap();
    let message = refused(folder.path(), &certify("many.csv", &["--loss", "multiclass"]));
    assert!(message.contains("more than 1000 different labels"), "{message}");
}

/// The same sentence was printed for rows that were multiplied by their labels and for rows that were not.
#[test]
fn how_rows_were_made_is_said() {
    let folder = small_rows();
    let path = folder.path();
    let said = |more: &[&str]| {
        let found = accepted(path, &certify("small.csv", more));
        let certificate = found["certificate"].as_str().unwrap();
        text(&unswayed(path, &["check", certificate, "small.csv"]).stdout)
    };
    let labels = said(&[]);
    assert!(labels.contains("label -1 is −1, 1 is +1"), "{labels}");
    let premultiplied = said(&["--premultiplied", "--drop-columns", "label"]);
    assert!(premultiplied.contains("rows are label × features already"), "{premultiplied}");
    assert!(said(&["--rows", "20"]).contains("the first 20 of 40 rows"));
    let scaled = said(&["--normalize"]);
    assert!(scaled.contains("rows divided by 0.01"), "{scaled}");
}

/// What the adversary may send and where the first steps start was not in the text.
#[test]
fn sets_starts_and_conditions_are_said() {
    let folder = small_rows();
    let path = folder.path();
    let start = ndarray::Array1::from_vec(vec![0.25, 0.0]);
    ndarray_npy::write_npy(path.join("start.npy"), &start).unwrap();
    let said = |more: &[&str]| {
        let found = accepted(path, &certify("small.csv", more));
        let certificate = found["certificate"].as_str().unwrap();
        let check = [&["check", certificate, "small.csv"][..]].concat();
        (text(&unswayed(path, &check).stdout), json(&unswayed(path, &[&check[..], &["--json"]].concat())))
    };
    let (boxed, object) = said(&["--adversary", "box=0.01", "--horizon", "50", "--start", "start.npy"]);
    assert!(boxed.contains("R: 2 numbers from 0.01 to 0.01, sha256 "), "{boxed}");
    assert!(
        boxed.contains("the first 50 steps from a start of norm 0.25: 2 numbers from 0 to 0.25, sha256 "),
        "{boxed}"
    );
    assert!(object["statement"]["threat"]["set"]["box"]["radii"].is_string(), "{object}");
    assert!(object["statement"]["horizon"]["start"].is_string(), "{object}");
    let (points, _) = said(&["--adversary", "points=pool.npy"]);
    assert!(
        points.contains("any of 2 points; their entries: 4 numbers from -0.01 to 0.01, sha256 "),
        "{points}"
    );
    let (ellipsoid, _) = said(&["--adversary", "ellipsoid=q.npy"]);
    assert!(ellipsoid.contains("upper triangle of Q: 3 numbers from 0 to 0.0001, sha256 "), "{ellipsoid}");
    let (target, _) = said(&["--target", "small.csv"]);
    assert!(target.contains("judged by"), "{target}");
    let (new, object) = said(&["--confidence", "0.9"]);
    for words in
        ["with probability 0.9 over the draw", "independent draws", "not from these rows", "norm is above 1"]
    {
        assert!(new.contains(words), "{new}");
    }
    assert!(object["new_data_radius"].as_f64().unwrap() >= 1.0);
    assert!(object["new_data_assumptions"].as_str().unwrap().contains("independent draws"));
    // A radius that three decimals would not show.
    assert!(said(&["--radius", "0.0004"]).0.contains("‖z‖ ≤ 0.0004"));
    // −0 is 0, and is said so.
    assert!(said(&["--radius", "-0"]).0.contains("‖z‖ ≤ 0\n"));
}

/// A model averaged over two datasets that contradict each other loses 2 on each, whatever the average over the steps is.
#[test]
fn an_averaged_model_is_judged_by_one_target() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (name, z) in [("one.csv", 1), ("other.csv", -1)] {
        std::fs::write(path.join(name), format!("a,label\n{z},1\n{},-1\n", -z)).unwrap();
    }
    let both = |more: &[&'static str]| certify("one.csv", &[&["other.csv", "--drift"], more].concat());
    let refusal = refused(path, &both(&["--average"]));
    assert!(refusal.contains("bounded for one target"), "{refusal}");
    accepted(path, &both(&[]));
    accepted(path, &both(&["--average", "--target", "one.csv"]));
}
