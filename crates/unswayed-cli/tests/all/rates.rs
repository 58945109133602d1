//! Several poison rates at once.

use std::path::Path;

use serde_json::Value;

use super::{json, text, unswayed};

/// Four points in the plane.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let csv = "a,b,label\n0.9,0.1,ham\n0.8,-0.2,ham\n-0.7,0.3,spam\n-0.9,-0.1,spam\n";
    std::fs::write(folder.path().join("mail.csv"), csv).unwrap();
    folder
}

fn certify(folder: &Path, rates: &str, more: &[&str]) -> std::process::Output {
    let setting = ["certify", "mail.csv", "--learning-rate", "1e-3", "--regularization", "0.01"];
    unswayed(folder, &[&setting[..], &["--poison-rate", rates], more].concat())
}

fn number(value: &Value, name: &str) -> f64 {
    value[name].as_f64().unwrap_or_else(|| panic!("{name} is missing: {value}"))
}

#[test]
fn each_rate_gets_its_line_and_its_certificate() {
    let folder = folder();
    let folder = folder.path();
    // Unsorted, and one twice.
    let all = json(&certify(folder, "0.05,0.01,0.02,0.01", &["--attacks", "none", "--json"]));
    let all = all.as_array().unwrap();
    let rates: Vec<f64> = all.iter().map(|one| number(one, "poison_rate")).collect();
    assert_eq!(rates, [0.01, 0.02, 0.05]);
    assert!(all.is_sorted_by_key(|one| (1e9 * number(one, "certified_loss")) as i64));
    for one in all {
        let path = one["certificate"].as_str().unwrap();
        let checked = json(&unswayed(folder, &["check", path, "mail.csv", "--json"]));
        assert_eq!(
            (&checked["status"], &checked["certified_loss"]),
            (&"valid".into(), &one["certified_loss"])
        );
        // By itself the bound is the same up to the solver's tolerance.
        let rate = one["poison_rate"].to_string();
        let alone = json(&certify(folder, &rate, &["--attacks", "none", "--output", "alone.json", "--json"]));
        assert!((number(&alone, "certified_loss") / number(one, "certified_loss") - 1.0).abs() < 1e-5);
    }
}

#[test]
fn the_table_and_the_report_show_the_whole_range() {
    let folder = folder();
    let folder = folder.path();
    let output =
        certify(folder, "0.01,0.05", &["--output", "proofs", "--report", "run", "--horizon", "100000"]);
    let said = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let has_line = |start: &str| said.lines().any(|line| line.starts_with(start));
    assert!(has_line("1 %") && has_line("5 %"), "{said}");
    for word in
        ["attack error", "certified error", "horizon loss", "first 100000 steps", "unswayed check proofs/"]
    {
        assert!(said.contains(word), "{word}: {said}");
    }
    // The statement names no single rate.
    assert!(!said.contains("with probability 0.01"), "{said}");
    assert_eq!(std::fs::read_dir(folder.join("proofs")).unwrap().count(), 2);
    for figure in ["losses", "errors"] {
        let csv = std::fs::read_to_string(folder.join(format!("run/figures/{figure}.csv"))).unwrap();
        assert!(csv.contains("attack") && csv.contains("0.05"), "{csv}");
    }
}

#[test]
fn one_bad_rate_stops_all_before_anything_is_written() {
    let folder = folder();
    let folder = folder.path();
    let output = certify(folder, "0.01,1.5", &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("1.5"), "{}", text(&output.stderr));
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1);
    // A file where the folder of the certificates should be.
    std::fs::write(folder.join("taken"), "x").unwrap();
    let output = certify(folder, "0.01,0.02", &["--attacks", "none", "--output", "taken"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--output names a folder"), "{}", text(&output.stderr));
}
