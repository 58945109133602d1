//! From a raw table to a certificate: prepare, certify and check as processes; tables in every format.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{refused, unswayed};

/// Uniform numbers in [0, 1).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Nearly normal: the sum of twelve uniform numbers.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }
}

const COUNTS: usize = 55;

/// Log-normal counts, most of them 0; a category; a number with gaps; a constant; labels that depend on all of them.
fn heavy_tailed(path: &Path, rows: usize, seed: u64) {
    let mut random = Random(seed);
    let weights: Vec<f64> = (0..COUNTS).map(|j| ((j * 37 % 11) as f64 - 5.0) / 3.0).collect();
    let names: Vec<String> = (0..COUNTS).map(|j| format!("count{j}")).collect();
    let mut text = format!("{},source,amount,version,label\n", names.join(","));
    for i in 0..rows {
        let mut score = 0.0;
        for weight in &weights {
            let (size, present) = ((1.5 * random.normal()).exp(), random.next() < 0.4);
            let count = if present { size } else { 0.0 };
            score += weight * count.ln_1p();
            write!(text, "{count:.3},").unwrap();
        }
        let source = ["mail", "mail", "mail", "web", "web", "api"][(6.0 * random.next()) as usize % 6];
        let amount = 50.0 + 100.0 * random.normal();
        score += if source == "mail" { 2.0 } else { -2.0 } + (amount - 50.0) / 50.0;
        let gap = if i % 9 == 0 { String::new() } else { format!("{amount:.2}") };
        let label = if score + random.normal() > 0.0 { "spam" } else { "ham" };
        writeln!(text, "{source},{gap},7,{label}").unwrap();
    }
    std::fs::write(path, text).unwrap();
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = unswayed(folder, &[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

const SETTING: [&str; 8] =
    ["--learning-rate", "1e-3", "--regularization", "0.003", "--poison-rate", "0.005", "--attacks", "none"];

/// The worked example of the README.
#[test]
fn from_a_raw_table_to_a_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    heavy_tailed(&path.join("train.csv"), 600, 1);
    heavy_tailed(&path.join("test.csv"), 300, 2);
    let fitted = json(path, &["prepare", "train.csv"]);
    let done = |name: &str| {
        let columns = fitted["columns"].as_array().unwrap();
        let column = columns.iter().find(|column| column["name"] == name).unwrap();
        column["done"].as_str().unwrap().to_owned()
    };
    assert!(done("count0").starts_with("a long tail: log(1 + x/"), "{}", done("count0"));
    assert!(done("source").starts_with("texts: a column for each of 3"), "{}", done("source"));
    assert!(done("amount").starts_with("missing in 11."), "{}", done("amount"));
    assert_eq!(done("version"), "left out: it is 7 in every row");
    // 55 counts, 3 sources, the amount and whether it is missing, the bias.
    assert_eq!((&fitted["dimension"], &fitted["warnings"]), (&61.into(), &Value::Array(vec![])));
    let (model, baseline) = (fitted["model"].as_f64().unwrap(), fitted["baseline"].as_f64().unwrap());
    assert!(model > 0.8 && baseline < 0.7, "{model}, {baseline}");
    let certify = ["certify", "train.prepared.npz", "--loss", "logistic", "--output", "c.json"];
    let certified = json(path, &[&certify[..], &SETTING].concat());
    assert_eq!(certified["status"], "certified");
    let error = certified["error"].as_str().unwrap();
    assert!(error.contains(" now, proven at most "), "{error}");
    assert!(unswayed(path, &["check", "c.json", "train.prepared.npz"]).status.success());

    let applied = json(path, &["prepare", "test.csv", "--apply", "train.transform.safetensors"]);
    assert_eq!((&applied["dimension"], &applied["seen"]), (&61.into(), &0.into()));
    assert!(applied["model"].as_f64().unwrap() > 0.75);
    let leak = refused(path, &["prepare", "train.csv", "--apply", "train.transform.safetensors"]);
    assert!(leak.contains("600 of 600 rows"), "{leak}");
}

#[test]
fn what_prepare_warns_of_and_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut random = Random(3);
    // A ring within a ring: no line separates them.
    let (mut rings, mut numbers) = ("a,b,label\n".to_owned(), "a,b,w,label\n".to_owned());
    for i in 0..600 {
        let (angle, radius) = (std::f64::consts::TAU * random.next(), if i % 2 == 0 { 1.0 } else { 2.0 });
        writeln!(rings, "{},{},{}", radius * angle.cos(), radius * angle.sin(), i % 2).unwrap();
        let (a, b) = (random.normal(), random.normal());
        writeln!(numbers, "{a},{b},{},{}", 1 + i % 3, 3.0 * a - b + 0.1 * random.normal()).unwrap();
    }
    std::fs::write(path.join("rings.csv"), rings).unwrap();
    std::fs::write(path.join("numbers.csv"), numbers).unwrap();
    let straight = json(path, &["prepare", "rings.csv"]);
    let warning = straight["warnings"][0].as_str().unwrap();
    assert!(
        warning.contains("no better than one that ignores them") && warning.contains("--fourier"),
        "{warning}"
    );
    let files = ["--transform", "curved.safetensors", "--output", "curved.npz"];
    let curved = json(path, &[&["prepare", "rings.csv", "--fourier", "300"], &files[..]].concat());
    assert_eq!((&curved["dimension"], &curved["warnings"]), (&301.into(), &Value::Array(vec![])));
    assert!(curved["model"].as_f64().unwrap() > 0.95, "{curved}");

    let regression = json(path, &["prepare", "numbers.csv", "--weight-column", "w"]);
    assert_eq!((&regression["labels"], &regression["weighted"]), (&"numbers".into(), &true.into()));
    assert!(regression["model"].as_f64().unwrap() < 0.5 * regression["baseline"].as_f64().unwrap());
    let weighted = ["certify", "numbers.prepared.npz", "--weight-column", "weight", "--loss", "absolute"];
    let bounded = ["--label-bound", "10", "--radius", "1"];
    let weighted = unswayed(path, &[&weighted[..], &bounded, &SETTING].concat());
    assert!(weighted.status.success(), "{}", String::from_utf8_lossy(&weighted.stderr));

    std::fs::write(path.join("dates.csv"), "a,when,label\n1,2024-05-31,x\n2,2024-06-01,y\n").unwrap();
    let dates = refused(path, &["prepare", "dates.csv"]);
    assert!(
        dates.contains("column \"when\": the values are dates or times") && dates.contains("--drop-columns")
    );
    assert!(unswayed(path, &["prepare", "dates.csv", "--drop-columns", "when"]).status.success());
}

#[test]
fn several_classes_and_categories_that_look_like_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut random = Random(4);
    let mut text = String::new();
    for i in 0..300 {
        let kind = ["red", "green", "blue"][i % 3];
        writeln!(text, "{{\"code\": {}, \"x\": {}, \"label\": \"{kind}\"}}", 100 + i % 3, random.normal())
            .unwrap();
    }
    std::fs::write(path.join("colours.jsonl"), text).unwrap();
    let prepared = json(path, &["prepare", "colours.jsonl", "--categories", "code"]);
    assert_eq!(prepared["labels"]["multiclass"]["labels"], serde_json::json!(["blue", "green", "red"]));
    assert_eq!(prepared["dimension"], 5);
    assert!(prepared["model"].as_f64().unwrap() > 0.95);
    let certify = ["certify", "colours.prepared.npz", "--loss", "multiclass"];
    let certified = json(path, &[&certify[..], &SETTING].concat());
    assert_eq!(certified["classes"], 3);
    // A code that was never seen, and none, are treated alike wherever they occur.
    std::fs::write(
        path.join("new.jsonl"),
        "{\"code\": 7, \"x\": 0, \"label\": \"red\"}\n{\"x\": 1, \"label\": \"red\"}\n",
    )
    .unwrap();
    let applied = json(path, &["prepare", "new.jsonl", "--apply", "colours.transform.safetensors"]);
    assert_eq!((&applied["rows"], &applied["unknown_texts"]), (&2.into(), &1.into()));
    std::fs::write(path.join("new.jsonl"), "{\"code\": 7, \"x\": 0, \"label\": \"pink\"}\n").unwrap();
    let unknown = refused(path, &["prepare", "new.jsonl", "--apply", "colours.transform.safetensors"]);
    assert!(unknown.contains("pink"), "{unknown}");
}

#[test]
fn chosen_columns_are_in_the_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let table = "id,a,b,label\n17,0.5,0.1,spam\n18,0.2,0.9,ham\n19,0.1,0.3,spam\n";
    std::fs::write(path.join("mail.csv"), table).unwrap();
    std::fs::write(path.join("mail.tsv"), table.replace(',', "\t")).unwrap();
    let certify = ["certify", "mail.csv", "--drop-columns", "id", "--output", "c.json"];
    let certified = json(path, &[&certify[..], &SETTING].concat());
    assert_eq!(certified["statement"]["data"][0]["chosen_columns"], serde_json::json!(["a", "b"]));
    for file in ["mail.csv", "mail.tsv"] {
        let checked = unswayed(path, &["check", "c.json", file]);
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
        assert!(String::from_utf8_lossy(&checked.stdout).contains("the columns are a, b"));
    }
    let other = table.replace("0.9", "0.8");
    std::fs::write(path.join("mail.csv"), other).unwrap();
    assert_eq!(unswayed(path, &["check", "c.json", "mail.csv"]).status.code(), Some(1));
    // Standard input; its format is told from its beginning.
    for content in [table.to_owned(), table.replace(',', "\t")] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_unswayed"))
            .args(["check", "c.json", "-"])
            .current_dir(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(content.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
    }
}

/// A pattern, a list and a folder are the same rows; the checker takes any of them, and notices a part that is missing.
#[test]
fn several_tables_are_one_dataset() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let parts = path.join("parts");
    std::fs::create_dir(&parts).unwrap();
    for i in 0..3 {
        let row =
            |j: i32| format!("{:.2},{:.2},{}", f64::from(j % 7) / 10.0, f64::from(i * j % 5) / 10.0, j % 2);
        let rows: Vec<String> = (0..20).map(row).collect();
        std::fs::write(parts.join(format!("part-{i}.csv")), format!("a,b,label\n{}\n", rows.join("\n")))
            .unwrap();
    }
    std::fs::write(parts.join("other.txt"), "not a table").unwrap();
    std::fs::write(
        path.join("names.txt"),
        "# in order\nparts/part-0.csv\n\nparts/part-1.csv\nparts/part-2.csv\n",
    )
    .unwrap();
    std::fs::write(path.join("turned.txt"), "parts/part-2.csv\nparts/part-1.csv\nparts/part-0.csv\n")
        .unwrap();
    let certify = |data: &str, output: &str| {
        json(path, &[&["certify", data, "--output", output], &SETTING[..]].concat())["statement"]["data"][0]
            .clone()
    };
    let pattern = certify("parts/part-*.csv", "c.json");
    assert_eq!((&pattern["rows"], &pattern["file"]), (&60.into(), &"part-*.csv".into()));
    assert_eq!(pattern["files"], serde_json::json!(["part-0.csv", "part-1.csv", "part-2.csv"]));
    assert_eq!(certify("@names.txt", "list.json")["sha256"], pattern["sha256"]);
    assert_ne!(certify("@turned.txt", "turned.json")["sha256"], pattern["sha256"]);
    for data in ["parts", "@names.txt", "parts/part-?.csv"] {
        assert!(unswayed(path, &["check", "c.json", data]).status.success(), "{data}");
    }
    for data in ["@turned.txt", "parts/part-[01].csv", "parts/part-0.csv"] {
        assert!(!unswayed(path, &["check", "c.json", data]).status.success(), "{data}");
    }
    // Names that are made of such a name are plain, and no part is written over.
    let made = json(path, &["prepare", "parts/part-*.csv"]);
    assert_eq!(made["output"], "part-.prepared.npz");
    let text = refused(
        path,
        &[&["certify", "parts/part-*.csv", "--output", "parts/part-1.csv"], &SETTING[..]].concat(),
    );
    assert!(text.contains("part-1.csv"), "{text}");
    let none = refused(path, &[&["certify", "parts/none-*.csv"], &SETTING[..]].concat());
    assert!(none.contains("a pattern that fits some"), "{none}");
    let two = ["certify", "parts/part-0.csv", "parts/part-1.csv"];
    let drift = refused(path, &[&two[..], &SETTING].concat());
    assert!(drift.contains("need --drift") && drift.contains("@names.txt"), "{drift}");
}

#[test]
fn arrays_are_not_put_together() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let bytes = unswayed::data::write_dataset(&[0.5, 0.1, 0.2, 0.3], 2, Some(&[1.0, -1.0])).unwrap();
    for name in ["a-1.npz", "a-2.npz"] {
        std::fs::write(path.join(name), &bytes).unwrap();
    }
    let text = refused(path, &[&["certify", "a-*.npz"], &SETTING[..]].concat());
    assert!(text.contains("only if they are tables"), "{text}");
}

/// Tables obey --clip-rows as arrays do.
#[test]
fn rows_of_tables_are_clipped_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    heavy_tailed(&path.join("train.csv"), 60, 1);
    let fitted = json(path, &["prepare", "train.csv", "--clip-rows", "0.5"]);
    // Rows have norm 1 before.
    assert_eq!(fitted["shortened"], 60);
    let rows = unswayed::data::load(
        &unswayed::data::Source::path(path.join("train.prepared.npz")),
        &unswayed::data::Reading::default(),
    );
    let norm = rows.unwrap().largest_norm();
    assert!(norm <= 0.5 && norm > 0.499, "{norm}");
}
