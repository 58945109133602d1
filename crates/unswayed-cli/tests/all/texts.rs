//! From raw text to a certificate: `prepare --hash`, `certify` and `check` as processes.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use super::{refused, unswayed};

/// Subjects of mails: common words, and a few that only one class has.
fn mails(path: &Path, rows: usize, seed: usize) {
    let common = ["the", "report", "from", "today", "hello", "about", "week", "plan"];
    let (ham, spam) = (["meeting", "minutes", "agenda"], ["win", "money", "free"]);
    let mut text = "subject,size,day,label\n".to_owned();
    for i in 0..rows {
        let at = |j: usize| (i * 7919 + j * 104_729 + seed * 31) / 3;
        let own = if i % 5 < 2 { spam } else { ham };
        let words = [common[at(1) % 8], own[at(2) % 3], common[at(3) % 8], own[at(4) % 3]];
        let label = if i % 5 < 2 { "spam" } else { "ham" };
        writeln!(text, "\"{} no{}!\",{i},2024-05-{:02},{label}", words.join(" "), at(5) % 97, 1 + i % 28)
            .unwrap();
    }
    std::fs::write(path, text).unwrap();
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = unswayed(folder, &[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A transform remembers where the labels were.
#[test]
fn new_rows_have_their_labels_where_the_old_ones_had_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (name, rows, seed) in [("mails.csv", 100, 1), ("new.csv", 20, 2)] {
        mails(&path.join(name), rows, seed);
        let text = std::fs::read_to_string(path.join(name)).unwrap();
        std::fs::write(path.join(name), text.replacen("label", "kind", 1)).unwrap();
    }
    let texts = (["--text-column", "subject", "--hash", "2^10"], "texts");
    for (more, name) in [texts, (["--columns", "size", "--norm", "unit"], "table")] {
        let [transform, old, new, bare] =
            ["transform.safetensors", "old.npz", "new.npz", "bare.npz"].map(|end| format!("{name}-{end}"));
        let prepare =
            ["prepare", "mails.csv", "--label-column", "kind", "--transform", &transform, "--output", &old];
        json(path, &[&prepare[..], &more[..]].concat());
        let apply = ["prepare", "new.csv", "--apply", &transform, "--allow-seen"];
        let applied = json(path, &[&apply[..], &["--output", &new]].concat());
        assert_eq!(applied["labels"]["classes"]["positive"], "spam", "{applied}");
        assert!(applied["model"].is_number(), "{applied}");
        // Rows of which nobody knows the labels yet.
        json(path, &[&apply[..], &["--output", &bare, "--unlabelled"]].concat());
    }
}

/// The worked example of docs/guides/sparse-text.md.
#[test]
fn from_raw_text_to_a_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    mails(&path.join("mails.csv"), 400, 1);
    mails(&path.join("new.csv"), 50, 2);
    let fitted = json(path, &["prepare", "mails.csv", "--text-column", "subject", "--hash", "2^18"]);
    assert_eq!((&fitted["dimension"], &fitted["wordless"]), (&262_145.into(), &0.into()));
    assert_eq!(fitted["warnings"], Value::Array(vec![]));
    assert!(fitted["model"].as_f64().unwrap() > 0.95 && fitted["baseline"].as_f64().unwrap() < 0.7);
    let setting = [
        "--learning-rate",
        "1e-3",
        "--regularization",
        "0.01",
        "--poison-rate",
        "0.005",
        "--attacks",
        "none",
    ];
    let certify = ["certify", "mails.prepared.npz", "--output", "c.json"];
    let certified = json(path, &[&certify[..], &setting].concat());
    assert_eq!(certified["status"], "certified");
    assert!(certified["certified_loss"].as_f64().unwrap() < 1.0, "{certified}");
    assert!(unswayed(path, &["check", "c.json", "mails.prepared.npz"]).status.success());

    let applied = json(path, &["prepare", "new.csv", "--apply", "mails.transform.safetensors"]);
    assert_eq!(applied["dimension"], 262_145);
    let leak = refused(path, &["prepare", "mails.csv", "--apply", "mails.transform.safetensors"]);
    assert!(leak.contains("400 of 400 rows"), "{leak}");
}

#[test]
fn settings_are_kept_in_the_transform() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    mails(&path.join("mails.csv"), 60, 1);
    let flags = ["--text-column", "subject", "--hash", "512", "--ngrams", "2", "--term-weights", "counts"];
    let fit = [&["prepare", "mails.csv", "--bias", "0", "--weight-column", "size"], &flags[..]].concat();
    std::fs::write(
        path.join("mails.csv"),
        std::fs::read_to_string(path.join("mails.csv")).unwrap().replace(",0,2024", ",1,2024"),
    )
    .unwrap();
    let fitted = json(path, &fit);
    assert_eq!(
        (&fitted["dimension"], &fitted["bias"], &fitted["weighted"]),
        (&512.into(), &false.into(), &true.into())
    );
    assert!(fitted["done"].as_str().unwrap().contains("runs of up to 2 words"), "{fitted}");
    let again = json(
        path,
        &[
            "prepare",
            "mails.csv",
            "--apply",
            "mails.transform.safetensors",
            "--allow-seen",
            "--output",
            "a.npz",
        ],
    );
    assert_eq!((&again["done"], &again["entries"]), (&fitted["done"], &fitted["entries"]));
    // The transform's file is refused when it is damaged.
    let mut bytes = std::fs::read(path.join("mails.transform.safetensors")).unwrap();
    let at = bytes.windows(3).position(|three| three == b"512").unwrap();
    bytes[at..at + 3].copy_from_slice(b"001");
    std::fs::write(path.join("bad.safetensors"), bytes).unwrap();
    let text = refused(path, &["prepare", "mails.csv", "--apply", "bad.safetensors"]);
    assert!(text.contains("not a transform that `unswayed prepare` wrote"), "{text}");
}

#[test]
fn conflicts_are_rejected_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    mails(&path.join("mails.csv"), 60, 1);
    for (flags, expected) in [
        (&["--hash", "2^18", "--encoder", "e.onnx"][..], "cannot be used with"),
        (&["--text-column", "subject"], "--hash"),
        (&["--hash", "2^18", "--columns", "size"], "cannot be used with"),
        (&["--hash", "2^18", "--directions", "3"], "cannot be used with"),
        (&["--hash", "2^31"], "from 2 to 2^30"),
        (&["--hash", "1"], "from 2 to 2^30"),
        (&["--hash", "64", "--ngrams", "6"], "from 1 to 5"),
        (&["--hash", "64", "--bias", "2"], "from 0 to 1"),
        (&["--ngrams", "2"], "--hash"),
        (&["--hash", "64"], "name the column (`--text-column`)"),
        (&["--hash", "64", "--text-column", "subject,subject"], "twice"),
    ] {
        let output = unswayed(path, &[&["prepare", "mails.csv"], flags].concat());
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && text.contains(expected), "{flags:?}: {text}");
    }
    // A table with free text says where to turn.
    let table = json(path, &["prepare", "mails.csv", "--drop-columns", "day"]);
    assert!(table["columns"][0]["done"].as_str().unwrap().contains("--hash"), "{table}");
}
