//! The main commands.

use std::process::Command;

use serde_json::Value;

use super::{json, text, unswayed};

const SETTING: [&str; 6] = ["--learning-rate", "1e-3", "--regularization", "0.01", "--poison-rate", "0.02"];
const CERTIFICATE: &str = "mail.hinge-ball.eta0.001-sigma0.01-eps0.02.certificate.json";

/// Four points in the plane, as csv, in a folder of their own.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let csv = "a,b,label\n0.9,0.1,ham\n0.8,-0.2,ham\n-0.7,0.3,spam\n-0.9,-0.1,spam\n";
    std::fs::write(folder.path().join("mail.csv"), csv).unwrap();
    folder
}

fn certify<'a>(data: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["certify", data], &SETTING[..], more].concat()
}

#[test]
fn certify_then_check_then_tamper() {
    let folder = folder();
    let result = json(&unswayed(folder.path(), &certify("mail.csv", &["--json"])));
    assert_eq!(result["status"], "certified");
    assert_eq!(result["rows"], 4);
    assert_eq!(result["certificate"], CERTIFICATE);
    let fields = [
        "method",
        "certified_loss",
        "certified_error",
        "benign_loss",
        "benign_error",
        "attack_loss",
        "attack_error",
        "attack_error_interval",
        "attack_error_by",
        "error",
        "gap",
        "dimension",
        "statement",
        "learning_rate",
        "regularization",
        "poison_rate",
        "horizon",
        "transient_steps",
        "seconds",
    ];
    for field in fields {
        assert!(result.get(field).is_some(), "{field} is missing");
    }

    let check = ["check", CERTIFICATE, "mail.csv", "--json"];
    let checked = json(&unswayed(folder.path(), &check));
    assert_eq!(checked["status"], "valid");
    assert_eq!(checked["certified_loss"], result["certified_loss"]);

    // Other data: refused as not valid.
    let csv = std::fs::read_to_string(folder.path().join("mail.csv")).unwrap();
    std::fs::write(folder.path().join("mail.csv"), csv.replace("0.9,0.1", "0.9,0.2")).unwrap();
    let output = unswayed(folder.path(), &check);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("not the certified rows"), "{}", text(&output.stdout));

    // A lowered bound: refused, saying by how much.
    std::fs::write(folder.path().join("mail.csv"), csv).unwrap();
    let path = folder.path().join(CERTIFICATE);
    let mut certificate = unswayed_check::Certificate::from_bytes(&std::fs::read(&path).unwrap()).unwrap();
    certificate.loss.bound *= 0.99;
    std::fs::write(&path, certificate.to_bytes()).unwrap();
    let output = unswayed(folder.path(), &check);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("below the proven value"));

    // A truncated file: unreadable.
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(unswayed(folder.path(), &check).status.code(), Some(2));
}

#[test]
fn normalized_weighted_scored_and_premultiplied_data_can_be_checked() {
    let folder = folder();
    let scores = "a,b,label,weight\n3,1,0.5,1\n-2,1,-0.25,2\n1,1,1,0.5\n";
    std::fs::write(folder.path().join("scores.csv"), scores).unwrap();
    std::fs::write(folder.path().join("two.csv"), "a,b,label\n0.5,1,0.5\n-0.5,0.1,-1\n").unwrap();
    for (data, more) in [
        ("mail.csv", &["--rows", "3"][..]),
        ("scores.csv", &["--normalize", "--weight-column", "weight"]),
        ("two.csv", &["--scores", "--normalize"]),
        ("two.csv", &["--normalize", "--horizon", "1000", "--start", "-1.5,2"]),
    ] {
        let result = json(&unswayed(folder.path(), &certify(data, &[more, &["--json"]].concat())));
        let certificate = result["certificate"].as_str().unwrap();
        let output = unswayed(folder.path(), &["check", certificate, data]);
        assert_eq!(output.status.code(), Some(0), "{data} {more:?}: {}", text(&output.stdout));
    }
}

#[test]
fn the_bare_command_certifies_the_sample() {
    let folder = tempfile::tempdir().unwrap();
    let output = unswayed(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout).matches("  certified\n").count(), 5, "{}", text(&output.stdout));
    let results = json(&unswayed(folder.path(), &["--json"]));
    let losses: Vec<f64> = results["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["certified_loss"].as_f64().unwrap())
        .collect();
    assert_eq!(losses.len(), 5);
    assert!(losses.windows(2).all(|w| w[0] < w[1]), "{losses:?}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is written");
}

#[test]
fn the_mean_of_samples_and_of_a_distribution() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.csv"), "a,b\n1,0\n-1,0\n0,1\n0,-1\n").unwrap();
    let setting = ["--learning-rate", "0.01", "--poison-rate", "0.15", "--squared-radius", "2", "--json"];
    let samples = json(&unswayed(folder.path(), &[&["mean", "p.csv"], &setting[..]].concat()));
    let known =
        json(&unswayed(folder.path(), &[&["mean", "--covariance-trace", "1"], &setting[..]].concat()));
    let loss = |v: &Value| v["certified_loss"].as_f64().unwrap();
    assert!((loss(&samples) - loss(&known)).abs() < 1e-12);
    assert!(samples["attack_loss"].as_f64().unwrap() < loss(&samples));
    for found in [&samples, &known] {
        let check: Vec<&str> = found["verify"].as_str().unwrap().split_whitespace().skip(1).collect();
        let output = unswayed(folder.path(), &check);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    }
}

#[test]
fn bad_input_gets_one_clear_line_and_exit_code_2() {
    let folder = folder();
    std::fs::write(folder.path().join("nan.csv"), "a,label\n0.5,1\nnan,0\n").unwrap();
    std::fs::write(folder.path().join("long.csv"), "a,label\n0.5,1\n3,0\n").unwrap();
    std::fs::write(folder.path().join("one.csv"), "a,label\n0.5,1\n0.25,1\n").unwrap();
    let with = |flag: usize, value| {
        let mut arguments = certify("mail.csv", &[]);
        arguments[2 + flag] = value;
        arguments
    };
    let cases: Vec<(Vec<&str>, &str)> = vec![
        (certify("absent.csv", &[]), "absent.csv"),
        (certify("nan.csv", &[]), "row 2 (line 3), column \"a\""),
        (certify("long.csv", &[]), "--normalize"),
        (certify("mail.csv", &["--weight-column", "trust"]), "no weight column \"trust\""),
        (certify("one.csv", &[]), "one"),
        (certify("mail.csv", &["--label-column", "spam"]), "spam"),
        (certify("mail.csv", &["--rows", "9"]), "9"),
        (certify("mail.csv", &["--start", "1,x"]), "\"x\" is not a number"),
        (certify("mail.csv", &["--start", "1"]), "--start has 1 entries, but the model has 2"),
        (certify("mail.csv", &["--output", "no/such/folder/c"]), "--output"),
        (certify("mail.csv", &["--radius", "-1"]), "--radius -1"),
        (with(1, "0"), "--learning-rate 0"),
        (with(1, "nan"), "--learning-rate NaN"),
        (with(1, "200"), "--learning-rate times --regularization must be below 1"),
        (with(3, "-1"), "--regularization -1"),
        (with(5, "1"), "--poison-rate 1"),
    ];
    for (arguments, expected) in cases {
        let output = unswayed(folder.path(), &arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(message.contains(expected), "{arguments:?}: {message}");
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn errors_are_json_too_when_asked_for() {
    let folder = folder();
    let output = unswayed(folder.path(), &certify("absent.csv", &["--json"]));
    assert_eq!(output.status.code(), Some(2));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["status"], "invalid input");
}

#[test]
fn completions_and_help_name_every_command() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["completions", "bash"][..], &["--help"]] {
        let output = text(&unswayed(folder.path(), arguments).stdout);
        for command in ["certify", "attack", "check", "mean"] {
            assert!(output.contains(command), "{arguments:?} lacks {command}");
        }
    }
    let commands =
        ["certify", "attack", "check", "design", "tolerate", "prepare", "reproduce", "report", "mean"];
    for command in commands.into_iter().chain(["completions"]) {
        let output = text(&unswayed(folder.path(), &[command, "--help"]).stdout);
        assert!(output.contains("Example"), "{command} --help has no example");
    }
}

/// A reader that goes away (`unswayed | head -0`) is no reason to panic.
#[test]
fn a_closed_pipe_is_no_panic() {
    let mut child = Command::new(super::UNSWAYED)
        .args(["completions", "bash"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(!text(&output.stderr).contains("panicked"), "{}", text(&output.stderr));
}

#[test]
fn attacks_are_shown_alone_and_beside_the_bound() {
    let folder = folder();
    let setting = ["--learning-rate", "0.01", "--regularization", "0.1", "--poison-rate", "0.1"];
    let run =
        |command: &[&str]| json(&unswayed(folder.path(), &[command, &setting[..], &["--json"]].concat()));
    let all = run(&["attack", "mail.csv", "--test", "mail.csv", "--save", "poison.npz"]);
    let losses: Vec<(&str, f64)> = all["attacks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| (a["attack"].as_str().unwrap(), a["attack_loss"].as_f64().unwrap()))
        .collect();
    let names: Vec<&str> = losses.iter().map(|l| l.0).collect();
    assert_eq!(names, ["none", "label-flip", "fgsm", "steady-state", "steady-state-error"]);
    assert!(all["attacks"][3]["test_loss"].as_f64().is_some());
    assert_eq!(&std::fs::read(folder.path().join("poison.npz")).unwrap()[..2], b"PK");

    let bound = run(&["certify", "mail.csv"]);
    let strongest = losses.iter().map(|l| l.1).fold(0.0, f64::max);
    assert_eq!(bound["attack_loss"].as_f64(), Some(strongest));
    let gap = bound["certified_loss"].as_f64().unwrap() / strongest;
    assert!((bound["gap"].as_f64().unwrap() - gap).abs() < 1e-12 && gap > 0.99);

    let quiet = run(&["certify", "mail.csv", "--attacks", "none"]);
    assert!(quiet["attack_loss"].is_null() && quiet["gap"].is_null());
    let one = run(&["attack", "mail.csv", "--attack", "pgd"]);
    assert_eq!(one["attacks"].as_array().unwrap().len(), 1);
    let timed = run(&["attack", "mail.csv", "--attacks", "1s"]);
    assert_eq!((timed["effort"].as_str(), timed["attacks"].as_array().unwrap().len()), (Some("1s"), 5));
    for command in ["attack", "certify"] {
        let refused =
            unswayed(folder.path(), &[&[command, "mail.csv", "--attacks", "5"], &setting[..]].concat());
        assert_eq!(refused.status.code(), Some(2));
        assert!(
            text(&refused.stderr).contains("neither fast nor full nor a time"),
            "{}",
            text(&refused.stderr)
        );
    }
}

#[test]
fn the_papers_method_alone_and_beside_ours() {
    let folder = folder();
    let run = |more: &[&str]| {
        unswayed(folder.path(), &certify("mail.csv", &[&["--attacks", "none"], more].concat()))
    };
    let alone = json(&run(&["--method", "paper", "--horizon", "1000000000", "--json"]));
    assert_eq!(alone["method"], "paper");
    assert!(alone["horizon_loss"].as_f64() > alone["certified_loss"].as_f64());
    let path = alone["certificate"].as_str().unwrap();
    let checked = json(&unswayed(folder.path(), &["check", path, "mail.csv", "--json"]));
    assert_eq!(checked["certified_loss"], alone["certified_loss"]);
    assert_eq!(checked["start_norm"].as_f64(), alone["start_norm"].as_f64());
    assert!(checked["start_norm"].as_f64() > Some(1.0));

    let both = json(&run(&["--method", "all", "--json"]));
    let methods = both["methods"].as_array().unwrap();
    assert_eq!(methods.len(), 2);
    assert_eq!(methods[1]["certified_loss"], alone["certified_loss"]);
    let smallest =
        methods.iter().map(|m| m["certified_loss"].as_f64().unwrap()).fold(f64::INFINITY, f64::min);
    assert_eq!(both["certified_loss"].as_f64(), Some(smallest));
    let path = both["certificate"].as_str().unwrap();
    let checked = json(&unswayed(folder.path(), &["check", path, "mail.csv", "--json"]));
    assert_eq!(checked["certified_loss"].as_f64(), Some(smallest));

    let output = run(&["--method", "all"]);
    assert!(output.stderr.is_empty(), "no progress on a pipe: {}", text(&output.stderr));
    let shown = text(&output.stdout);
    let table: Vec<_> = shown.lines().rev().take(3).collect();
    assert!(table[2].starts_with("method") && table[2].contains("certified loss"), "{shown}");
    assert!(table[1].starts_with("convexity") && table[0].starts_with("paper"), "{shown}");
}

#[test]
fn too_many_columns_for_the_paper() {
    let folder = folder();
    let header: Vec<String> = (0..81).map(|j| format!("c{j}")).collect();
    let row = vec!["0.01"; 81].join(",");
    let wide = format!("{},label\n{row},a\n{row},b\n", header.join(","));
    std::fs::write(folder.path().join("wide.csv"), wide).unwrap();
    let run = |method: &str| {
        let more = ["--attacks", "none", "--method", method, "--json"];
        unswayed(folder.path(), &certify("wide.csv", &more))
    };
    let output = run("paper");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("at most 80 columns"), "{}", text(&output.stderr));
    let both = json(&run("all"));
    assert_eq!(both["methods"][1]["status"], "failed");
    assert!(both["certified_loss"].is_number());
}

#[test]
fn the_papers_method_for_a_mean() {
    let folder = folder();
    std::fs::write(folder.path().join("points.csv"), "a,b\n1,2\n0.5,-1\n3,0\n2.5,2.5\n").unwrap();
    let setting = ["--learning-rate", "0.01", "--poison-rate", "0.05", "--squared-radius", "2", "--json"];
    for data in [&["points.csv"][..], &["--covariance-trace", "20"]] {
        let run = |method: &str| {
            json(&unswayed(folder.path(), &[&["mean"], data, &setting, &["--method", method]].concat()))
        };
        let (closed, paper, both) = (run("closed-form"), run("paper"), run("all"));
        let loss = |v: &Value| v["certified_loss"].as_f64().unwrap();
        assert_eq!(closed["method"], "closed-form");
        assert_eq!(paper["method"], "paper");
        assert!(loss(&paper) >= loss(&closed) && loss(&paper) < loss(&closed) * (1.0 + 1e-6));
        assert_eq!(loss(&both).to_bits(), loss(&closed).to_bits());
        assert_eq!(both["methods"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn expectations_are_part_of_a_check() {
    let folder = folder();
    json(&unswayed(folder.path(), &certify("mail.csv", &["--attacks", "none", "--json"])));
    let check = |expected: &[&str]| {
        let flags = expected.iter().flat_map(|what| ["--expect", what]);
        let words: Vec<&str> = ["check", CERTIFICATE, "mail.csv"].into_iter().chain(flags).collect();
        let output = unswayed(folder.path(), &words);
        (output.status.code(), text(&output.stdout))
    };
    let good = ["poison_rate>=0.02", "loss=hinge", "statement.threat.set.ball.radius>=1", "data.0.rows=4"];
    assert_eq!(check(&good).0, Some(0), "{}", check(&good).1);
    let (code, said) = check(&["poison_rate>=0.03"]);
    assert!(code == Some(1) && said.starts_with("not as expected: "), "{said}");
    assert_eq!(check(&["poison_rate"]).0, Some(2));
}

#[test]
fn the_table_says_what_is_certified_first() {
    let folder = folder();
    let shown = |more: &[&str]| text(&unswayed(folder.path(), &certify("mail.csv", more)).stdout);
    let first = shown(&["--report", "run"]);
    let names: Vec<&str> = first.lines().filter_map(|line| line.split("  ").next()).collect();
    let wanted = [
        "learner",
        "threat",
        "rows",
        "status",
        "certified loss",
        "certified error",
        "attack loss",
        "attack error",
        "gap",
        "benign loss",
        "transient",
        "assumes",
        "certificate",
        "verify with",
        "report",
    ];
    let places: Vec<_> = wanted.iter().map(|name| names.iter().position(|other| other == name)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{first}");
    assert!(first.contains(&format!("certificate      {CERTIFICATE}\n")), "{first}");
    assert!(first.contains("run/report.html"));
    // The same again is no replacement; another certificate of the same name is.
    assert!(!shown(&[]).contains("(replaced)"));
    let other = ["--output", CERTIFICATE, "--rows", "3"];
    assert!(shown(&other).contains(&format!("{CERTIFICATE} (replaced)\n")));
}

/// Features and labels of 400 rows in `.npy` files, in a folder of their own.
fn arrays() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let label = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
    let entry = |i: usize, j: usize| {
        let noise = (i.wrapping_mul(7919).wrapping_add(104_729 * j) % 1000) as f64 / 1000.0 - 0.5;
        0.6 * noise + if j == 0 { 0.3 * label(i) } else { 0.0 }
    };
    let x: Vec<f64> = (0..400).flat_map(|i| (0..3).map(move |j| entry(i, j))).collect();
    let y: Vec<f64> = (0..400).map(label).collect();
    for (name, shape, values) in [("train_x.npy", "(400, 3)", x), ("train_y.npy", "(400,)", y)] {
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
        file.extend(header.as_bytes());
        file.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        std::fs::write(folder.path().join(name), file).unwrap();
    }
    folder
}

/// The statement is the same however the files are read, and so is the verdict on either certificate.
#[test]
fn data_that_are_read_in_parts() {
    let folder = arrays();
    let run = |more: &[&str]| json(&unswayed(folder.path(), &certify("train_x.npy", more)));
    let whole = run(&["--compact", "--attacks", "none", "--json", "--output", "whole.json"]);
    let parts = run(&["--memory", "1KB", "--json", "--output", "parts.json"]);
    assert_eq!(parts["statement"], whole["statement"]);
    assert_eq!(parts["read_in_parts"]["sample_rows"], 400);
    assert!(whole.get("read_in_parts").is_none());
    let [whole, parts] = [&whole, &parts].map(|found| found["certified_loss"].as_f64().unwrap());
    assert!(parts < 1.02 * whole, "{parts} {whole}");
    for certificate in ["whole.json", "parts.json"] {
        let checked = ["0", "1GB"].map(|limit| {
            let check = ["check", certificate, "train_x.npy", "--memory", limit, "--json"];
            json(&unswayed(folder.path(), &check))
        });
        assert_eq!(checked[0]["status"], "valid");
        assert_eq!(checked[0], checked[1]);
    }
    for (more, words) in [
        (&["--loss", "logistic"][..], "a proof by a rule"),
        (&["--report", "r"], "--report: not for data that are read in parts"),
        (&["--confidence", "0.9"], "--confidence: not for data that are read in parts"),
        (&["--bootstrap", "5"], "--bootstrap: not for data that are read in parts"),
        (&["--effort", "tight"], "--effort tight: not for data that are read in parts"),
    ] {
        let refused = unswayed(folder.path(), &certify("train_x.npy", &[&["--memory", "0"], more].concat()));
        let message = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && message.contains(words), "{message}");
    }
    let refused = unswayed(folder.path(), &certify("train_x.npy", &["--memory", "lots"]));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("such as 500MB"));
}
