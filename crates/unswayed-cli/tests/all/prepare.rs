//! prepare, report and reproduce as processes.

use std::fmt::Write;
use std::path::Path;

use serde_json::Value;

use super::{refused, unswayed};

/// Two classes in eight dimensions, as csv.
fn write_csv(path: &Path, rows: usize, mut seed: u64) {
    let mut text: String = "a,b,c,d,e,f,g,h,label\n".into();
    for i in 0..rows {
        let label = if i % 2 == 0 { "ham" } else { "spam" };
        for j in 0..8 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let noise = (seed >> 40) as f64 / f64::from(1 << 24) - 0.5;
            let shift = if i % 2 == 0 { 3.0 } else { -3.0 } / f64::from(j + 1);
            write!(text, "{},", 100.0 + 10.0 * noise + shift).unwrap();
        }
        text.push_str(label);
        text.push('\n');
    }
    std::fs::write(path, text).unwrap();
}

#[test]
fn fit_apply_and_certify() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write_csv(&path.join("train.csv"), 60, 1);
    write_csv(&path.join("test.csv"), 20, 2);
    let fitted = unswayed(path, &["prepare", "train.csv", "--directions", "4", "--json"]);
    let value: Value = serde_json::from_slice(&fitted.stdout).unwrap();
    assert_eq!((&value["rows"], &value["features"], &value["dimension"]), (&60.into(), &8.into(), &5.into()));
    assert_eq!(value["labels"], serde_json::json!(["ham", "spam"]));
    let applied = unswayed(path, &["prepare", "test.csv", "--apply", "train.transform.safetensors"]);
    assert!(applied.status.success(), "{}", String::from_utf8_lossy(&applied.stderr));
    for name in ["train.prepared.npz", "test.prepared.npz"] {
        let setting = ["--learning-rate", "1e-2", "--regularization", "0.1", "--poison-rate", "0.02"];
        let certify = [&["certify", name, "--attacks", "none", "--json"], &setting[..]].concat();
        let certified: Value = serde_json::from_slice(&unswayed(path, &certify).stdout).unwrap();
        assert_eq!(certified["dimension"], 5);
        assert!(certified["certified_loss"].as_f64().unwrap() < 1.0);
    }
    // Clipped as a guard clips.
    let clip = ["prepare", "test.csv", "--apply", "train.transform.safetensors", "--clip-rows", "0.25"];
    let more = ["--output", "clipped.npz", "--json"];
    let clipped: Value =
        serde_json::from_slice(&unswayed(path, &[&clip[..], &more].concat()).stdout).unwrap();
    assert_eq!(clipped["shortened"], 20);
    let source = unswayed::data::Source::path(path.join("clipped.npz"));
    let rows = unswayed::data::load(&source, &unswayed::data::Reading::default()).unwrap();
    assert!(rows.largest_norm() <= 0.25 && rows.largest_norm() > 0.249);
    let zero = unswayed(path, &["prepare", "test.csv", "--clip-rows", "0"]);
    assert!(zero.status.code() == Some(2) && String::from_utf8_lossy(&zero.stderr).contains("--clip-rows"));
    // Leaks and nonsense are refused.
    let again = ["prepare", "train.csv", "--apply", "train.transform.safetensors"];
    let leak = refused(path, &again);
    assert!(leak.contains("60 of 60 rows") && leak.contains("train.csv"), "{leak}");
    assert!(unswayed(path, &[&again[..], &["--allow-seen"]].concat()).status.success());
    assert!(refused(path, &["prepare", "train.csv", "--directions", "9"]).contains("--directions"));
    let no_transform = ["prepare", "test.csv", "--apply", "train.csv"];
    assert!(refused(path, &no_transform).contains("not a transform"));
}

#[test]
fn a_run_has_a_report_that_can_be_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write_csv(&path.join("train.csv"), 40, 3);
    let grid = ["--learning-rate", "1e-3,1e-2", "--regularization", "0.1", "--poison-rate", "0.01,0.05"];
    let design = [
        "design",
        "a=train.csv",
        "--test",
        "b=train.csv",
        "--normalize",
        "--output",
        "run",
        "--attacks",
        "none",
    ];
    assert!(unswayed(path, &[&design[..], &grid].concat()).status.success());
    let page = std::fs::read(path.join("run/report.html")).unwrap();
    std::fs::remove_file(path.join("run/report.html")).unwrap();
    assert!(unswayed(path, &["report", "run"]).status.success());
    assert_eq!(std::fs::read(path.join("run/report.html")).unwrap(), page);
    for figure in ["chosen.svg", "chosen.png", "chosen.csv", "grid.svg", "front.png"] {
        assert!(path.join("run/figures").join(figure).exists(), "{figure}");
    }
    assert!(refused(path, &["report", "nowhere"]).contains("nowhere"));
    std::fs::write(path.join("run/report.json"), "{\"title\":").unwrap();
    assert!(refused(path, &["report", "run"]).contains("no report"));
}

#[test]
fn missing_features_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let text = refused(folder.path(), &["reproduce", "reward", "--data", "."]);
    assert!(
        text.contains("helpsteer") && text.contains("unswayed prepare") && text.contains("--data"),
        "{text}"
    );
}
