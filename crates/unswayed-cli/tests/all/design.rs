//! The commands design and tolerate as real processes: killed, starved of disk, run twice at once.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::UNSWAYED;

/// Two small tasks in a folder.
pub fn tasks(folder: &Path) -> Vec<PathBuf> {
    let mut seed = 1u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 40) as f64 / f64::from(1 << 24) - 0.5
    };
    let mut write = |name: &str, shift: f64| {
        let mut text = String::from("a,b,c,label\n");
        for i in 0..40 {
            let label = if i % 2 == 0 { 1.0 } else { -1.0 };
            let cells = [random() * 0.8 + shift * label, random() * 0.8 + 0.2 * label, random() * 0.8];
            writeln!(text, "{:.6},{:.6},{:.6},{label}", cells[0], cells[1], cells[2]).unwrap();
        }
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    vec![write("one.csv", 0.3), write("two.csv", 0.25), write("three.csv", 0.2)]
}

pub fn design(folder: &Path, output: &Path, extra: &[&str]) -> Command {
    let files = tasks(folder);
    let mut command = Command::new(UNSWAYED);
    command.arg("design").args(&files[..2]).arg("--test").arg(&files[2]).arg("--output").arg(output);
    command.args(["--normalize", "--learning-rate", "1e-3,3e-3,1e-2", "--regularization", "0.03,0.1,0.3"]);
    command.args(["--poison-rate", "0.01,0.02,0.05"]).args(extra);
    command
}

pub fn run(mut command: Command) -> Output {
    command.output().unwrap()
}

pub fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What the lines of a journal are about, without the results.
pub fn journal_keys(output: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(output.join("journal.jsonl")).unwrap();
    let key = |line: &str| {
        let entry = serde_json::from_str::<Value>(line).unwrap()["entry"].clone();
        ["kind", "task", "learning_rate", "regularization", "poison_rate"]
            .map(|k| entry[k].to_string())
            .join(" ")
    };
    text.lines().skip(1).map(key).collect()
}

#[test]
fn a_full_disk_loses_nothing_that_was_done() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("run");
    let command = design(folder.path(), &output, &["--attacks", "none", "--resume"]);
    let quoted: Vec<String> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|a| format!("'{}'", a.to_str().unwrap()))
        .collect();
    // Files may not grow beyond 8 blocks of 1024 bytes: writing more is an error, as on a full disk.
    let mut shell = Command::new("bash");
    shell.arg("-c").arg(format!("trap '' XFSZ; ulimit -f 8; exec {}", quoted.join(" ")));
    let starved = run(shell);
    assert_eq!(starved.status.code(), Some(2), "{}", message(&starved));
    assert!(message(&starved).contains("--resume"), "{}", message(&starved));
    let kept = std::fs::read_to_string(output.join("journal.jsonl")).unwrap();
    let whole_lines = kept.bytes().filter(|b| *b == b'\n').count();
    assert!(whole_lines > 2);
    let json = run(design(folder.path(), &output, &["--attacks", "none", "--resume", "--json"]));
    let computed = serde_json::from_slice::<Value>(&json.stdout).unwrap()["computed"].as_u64().unwrap();
    assert_eq!(computed as usize + whole_lines - 1, 3 * 9 * 4);
}

#[test]
fn what_cannot_be_done_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("run");
    assert!(run(design(folder.path(), &output, &["--attacks", "none"])).status.success());
    let before = std::fs::read(output.join("journal.jsonl")).unwrap();
    let fails = |command: Command, words: &[&str]| {
        let result = run(command);
        let message = message(&result);
        assert_eq!(result.status.code(), Some(2), "{message}");
        assert!(words.iter().all(|word| message.contains(word)) && !message.contains("panic"), "{message}");
    };
    fails(design(folder.path(), &output, &["--attacks", "none"]), &["--resume", "--output"]);
    let third = folder.path().join("three.csv").display().to_string();
    let added = format!("more={third}");
    fails(design(folder.path(), &output, &["--resume", "--validate", &added]), &["tasks.more", "--output"]);
    fails(design(folder.path(), &output, &["--resume", "--seed", "7"]), &["seed"]);
    assert_eq!(std::fs::read(output.join("journal.jsonl")).unwrap(), before);
    // A file where the folder should be.
    std::fs::write(folder.path().join("file"), "x").unwrap();
    fails(design(folder.path(), &folder.path().join("file/run"), &[]), &["file/run", "--output"]);
    let one = folder.path().join("one.csv");
    let design_of = |arguments: &[&str]| {
        let mut command = Command::new(UNSWAYED);
        command.arg("design").arg(&one).args(arguments).arg("--output").arg(folder.path().join("other"));
        command
    };
    fails(design_of(&["--normalize", "--learning-rate", ""]), &["--learning-rate"]);
    fails(design_of(&["--normalize", "--learning-rate", "0"]), &["--learning-rate 0"]);
    fails(design_of(&["--normalize", "--poison-rate", "1"]), &["--poison-rate 1"]);
    fails(design_of(&["--normalize", "--kappa", "-1"]), &["--kappa -1"]);
    fails(design_of(&["--normalize", "--attacks", "none", "--attack-everywhere"]), &["--attack-everywhere"]);
    fails(design_of(&["missing.csv"]), &["missing.csv"]);
    fails(design_of(&[&one.display().to_string(), "--normalize"]), &["two tasks", "NAME=FILE"]);
}

#[test]
fn a_second_sweep_on_the_journal_is_kept_out() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("run");
    let mut first =
        design(folder.path(), &output, &["--attack-everywhere"]).stdout(Stdio::null()).spawn().unwrap();
    let journal = output.join("journal.jsonl");
    while !std::fs::metadata(&journal).is_ok_and(|m| m.len() > 0) {
        std::thread::sleep(Duration::from_millis(2));
    }
    let second = run(design(folder.path(), &output, &["--attack-everywhere", "--resume"]));
    let still_running = first.try_wait().unwrap().is_none();
    assert!(first.wait().unwrap().success());
    assert!(still_running, "the first sweep ended before the second was refused");
    assert_eq!(second.status.code(), Some(2));
    assert!(message(&second).contains("another sweep"), "{}", message(&second));
}

#[test]
fn tolerate_answers_both_questions() {
    let folder = tempfile::tempdir().unwrap();
    let data = tasks(folder.path())[0].clone();
    let tolerate = |arguments: &[&str]| {
        let mut command = Command::new(UNSWAYED);
        command.current_dir(folder.path()).arg("tolerate").arg(&data).arg("--normalize").args(arguments);
        run(command)
    };
    let setting = ["--learning-rate", "1e-3", "--regularization", "0.1"];
    let found = tolerate(&[&["--limit", "0.8", "--json"], &setting[..]].concat());
    let value: Value = serde_json::from_slice(&found.stdout).unwrap();
    let rate = value["poison_rate"].as_f64().unwrap();
    assert!(value["certified_loss"].as_f64().unwrap() <= 0.8 && rate > 0.0);
    assert!(value["broken_poison_rate"].as_f64().unwrap() >= rate);
    assert!(value["attack_loss"].as_f64().unwrap() <= value["certified_loss"].as_f64().unwrap());
    let mut check = Command::new(UNSWAYED);
    check.current_dir(folder.path()).args(["check", value["certificate"].as_str().unwrap()]).arg(&data);
    assert_eq!(run(check).status.code(), Some(0));
    // The printed rate is the certified one.
    let text = tolerate(&[&["--limit", "0.8", "--attacks", "none"], &setting[..]].concat());
    let text = String::from_utf8(text.stdout).unwrap();
    let printed: f64 =
        text.split("tolerates").nth(1).unwrap().split('%').next().unwrap().trim().parse().unwrap();
    assert!((printed / 100.0 - rate).abs() < 1e-15, "{text}");

    let settings =
        tolerate(&["--limit", "0.8", "--poison-rate", "0.02", "--learning-rate", "1e-3,1e-2", "--json"]);
    let value: Value = serde_json::from_slice(&settings.stdout).unwrap();
    assert!(
        value["settings"].as_array().unwrap().iter().all(|s| s["certified_loss"].as_f64().unwrap() <= 0.8)
    );
    let hopeless = tolerate(&[&["--limit", "1e-3"], &setting[..]].concat());
    assert!(hopeless.status.success());
    let said = String::from_utf8_lossy(&hopeless.stdout).into_owned();
    assert!(said.contains("Not even without") && said.contains("--limit 0.001"), "{said}");
    for bad in [&["--limit", "0.2"][..], &["--limit", "-1", "--poison-rate", "0.1"]] {
        assert_eq!(tolerate(bad).status.code(), Some(2));
    }
}

/// For a stream of given length: the same bytes after an interruption, and figures for these steps.
#[test]
fn a_design_for_a_stream_is_resumed_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let files = tasks(folder.path());
    let command = |more: &[&str]| {
        let mut command = Command::new(UNSWAYED);
        command.current_dir(folder.path()).arg("design").arg(&files[0]).args([
            "--output",
            "run",
            "--normalize",
        ]);
        // Learning rates grow, the others are given.
        command.args(["--horizon", "3000", "--regularization", "0.1", "--poison-rate", "0.02"]);
        command.args(["--at-most-error", "0.9", "--attacks", "none", "--resume"]).args(more);
        command
    };
    let whole = run(command(&[]));
    assert!(whole.status.success(), "{}", message(&whole));
    let said = String::from_utf8(whole.stdout).unwrap();
    for word in
        ["first 3000 points", "certified error of at most 0.9", "price", "scikit-learn", "benign error"]
    {
        assert!(said.contains(word), "{word}: {said}");
    }
    let read = |name: &str| std::fs::read(folder.path().join("run").join(name)).unwrap();
    let results = ["results.csv", "results.json", "report.html"].map(read);
    let journal = folder.path().join("run/journal.jsonl");
    let lines = std::fs::read_to_string(&journal).unwrap();
    let half = lines.len() / 2;
    std::fs::write(&journal, &lines[..half]).unwrap();
    let again = run(command(&["--json"]));
    let value: Value = serde_json::from_slice(&again.stdout).unwrap();
    let computed = value["computed"].as_u64().unwrap();
    assert!(computed > 0 && (computed as usize) < lines.lines().count() - 1);
    // The command line, which the page quotes, has one word more.
    let [csv, json, _] = results;
    assert!(read("results.csv") == csv && read("results.json") == json);
    let (row, horizon) = (&value["rows"][0], 3000);
    assert_eq!((&value["horizon"], &row["horizon"]), (&horizon.into(), &horizon.into()));
    assert!(row["horizon_loss"].as_f64().unwrap() > row["certified_loss"].as_f64().unwrap());
    // Another horizon is another sweep.
    let refused = run({
        let mut command = Command::new(UNSWAYED);
        command.current_dir(folder.path()).arg("design").arg(&files[0]).args([
            "--output",
            "run",
            "--normalize",
        ]);
        command.args(["--horizon", "4000", "--regularization", "0.1", "--poison-rate", "0.02", "--resume"]);
        command
    });
    assert_eq!(refused.status.code(), Some(2));
}

/// Limits on the first steps, and on the loss of a regression.
#[test]
fn tolerate_knows_streams_and_regressions() {
    let folder = tempfile::tempdir().unwrap();
    let data = tasks(folder.path())[0].clone();
    let tolerate = |arguments: &[&str]| {
        let mut command = Command::new(UNSWAYED);
        command.current_dir(folder.path()).arg("tolerate").arg(&data).args(["--normalize", "--json"]);
        command.args(["--learning-rate", "0.03", "--regularization", "0.1"]).args(arguments);
        let output = run(command);
        assert!(output.status.success(), "{}", message(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let stream = tolerate(&["--limit", "0.9", "--horizon", "5000"]);
    let number =
        |value: &Value, name: &str| value[name].as_f64().unwrap_or_else(|| panic!("{name}: {value}"));
    assert!(number(&stream, "horizon_loss") <= 0.9 && number(&stream, "trials") <= 20.0);
    assert!(number(&stream, "broken_poison_rate") > number(&stream, "poison_rate"));
    let mut check = Command::new(UNSWAYED);
    check.current_dir(folder.path()).args(["check", stream["certificate"].as_str().unwrap()]).arg(&data);
    assert_eq!(run(check).status.code(), Some(0));
    let regression =
        tolerate(&["--limit", "0.9", "--loss", "huber=0.5", "--label-bound", "1", "--attacks", "none"]);
    assert!(number(&regression, "poison_rate") > 0.0 && number(&regression, "certified_loss") <= 0.9);
}

/// The learner that is chosen for a stream of 100,000 points, run for as many points under attack, by the command itself: no attack gets
/// its average loss above what was certified for it.
#[test]
fn the_chosen_learner_stays_below_its_bound() {
    let folder = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/data");
    let x = data.join("mnist_1v7_train_x.npy");
    for (batch, steps) in [("1", "100000"), ("20", "5000")] {
        let run = |command: &str, rest: &[&str]| {
            let mut process = Command::new(UNSWAYED);
            process.current_dir(&folder).arg(command).arg(&x).args(rest);
            super::json(&run(process))
        };
        let common = ["--rows", "60", "--batch", batch, "--json", "--poison-rate", "0.02"];
        // A design is for a stream of points, an attack over so many steps.
        let (points, steps_flag) = (["--horizon", "100000"], ["--horizon", steps]);
        let output = format!("run{batch}");
        let grid = ["--learning-rate", "1e-2,1e-1", "--regularization", "3e-3,3e-2", "--output", &output];
        let found = run("design", &[&common[..], &points, &grid, &["--attacks", "none"]].concat());
        let bound = found["chosen"]["certified_loss"].as_f64().unwrap();
        let rates = ["learning_rate", "regularization"].map(|name| found["chosen"][name].to_string());
        let rates = ["--learning-rate", &rates[0], "--regularization", &rates[1]];
        let attacked = run("attack", &[&common[..], &steps_flag, &rates].concat());
        assert_eq!(attacked["horizon"].to_string(), steps);
        let losses: Vec<f64> = attacked["attacks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|a| a["attack_loss"].as_f64().unwrap())
            .collect();
        assert!(losses.len() >= 4 && losses.iter().all(|loss| *loss <= bound), "{losses:?} above {bound}");
        // Somebody attacks, and the learner learns.
        let most = losses.iter().copied().fold(0.0, f64::max);
        assert!(most > 2.0 * losses[0] && bound < 0.5, "{losses:?} {bound}");
    }
    let wrong = Command::new(UNSWAYED)
        .args(["attack", "--json", "--horizon", "10", "--start", "1,2", "--rows", "60"])
        .args(["--learning-rate", "0.1", "--regularization", "0.01", "--poison-rate", "0.02"])
        .arg(&x)
        .output()
        .unwrap();
    assert!(message(&wrong).contains("--start has 2 entries, but the model has 31"), "{}", message(&wrong));
}

/// Projections, clipping norms and batches are axes: in tables, in the report, and after an interruption.
#[test]
fn steps_are_further_axes() {
    let folder = tempfile::tempdir().unwrap();
    let data = tasks(folder.path())[0].clone();
    let command = |more: &[&str]| {
        let mut command = Command::new(UNSWAYED);
        command.current_dir(folder.path()).arg("design").arg(&data).args(["--output", "run", "--normalize"]);
        command.args(["--horizon", "2000", "--learning-rate", "0.1,0.3", "--regularization", "0.1"]);
        command.args(["--poison-rate", "0.05", "--attacks", "none", "--projection", "none,0.5"]);
        command.args(["--clip", "0.3,none", "--batch", "16,1", "--resume"]).args(more);
        command
    };
    let whole = run(command(&[]));
    let said = String::from_utf8(whole.stdout.clone()).unwrap();
    assert!(whole.status.success(), "{}", message(&whole));
    for word in ["projection", "clip", "batch", "none", "first 2000 points"] {
        assert!(said.contains(word), "{word}: {said}");
    }
    let read = |name: &str| std::fs::read_to_string(folder.path().join("run").join(name)).unwrap();
    let (csv, results, journal) = (read("results.csv"), read("results.json"), read("journal.jsonl"));
    assert!(csv.starts_with("task,learning_rate,regularization,projection,clip,batch,poison_rate,"), "{csv}");
    assert_eq!((csv.lines().count(), journal.lines().count()), (1 + 16, 1 + 2 * 16));
    let value: Value = serde_json::from_str(&results).unwrap();
    assert_eq!(value["projections"], serde_json::json!([0.5, null]));
    assert_eq!(value["clips"], serde_json::json!([0.3, null]));
    assert_eq!(value["batches"], serde_json::json!([1, 16]));
    // The report has a map for each further axis, and says where it is none.
    let report = read("report.html");
    for word in ["Certified loss by projection", "Certified loss by clip", "Certified loss by batch", "none"]
    {
        assert!(report.contains(word), "{word}");
    }
    // The certificate is of the chosen steps.
    let chosen = &value["chosen"];
    let expect = |name: &str| {
        let number = chosen[name].as_f64().map_or("none".to_owned(), |x| x.to_string());
        format!("{name}={number}")
    };
    let mut check = Command::new(UNSWAYED);
    check.current_dir(folder.path()).args(["check", "run/certificates/one-0.05.certificate.json"]).arg(&data);
    for name in ["projection", "clip", "batch"] {
        check.args(["--expect", &expect(name)]);
    }
    let checked = run(check);
    assert_eq!(checked.status.code(), Some(0), "{}", message(&checked));
    // Killed in the middle of a line, it is continued to the same bytes.
    std::fs::write(folder.path().join("run/journal.jsonl"), &journal[..journal.len() * 2 / 3]).unwrap();
    let again = super::json(&run(command(&["--json"])));
    assert!(again["computed"].as_u64().unwrap() < 32 && again["computed"].as_u64().unwrap() > 5);
    assert!(read("results.csv") == csv && read("results.json") == results);
    let other = run(command(&["--batch", "16,2"]));
    assert_eq!(other.status.code(), Some(2), "a flag twice");
    for (bad, word) in [("0", "whole numbers from 1"), ("1,x", "whole numbers"), ("4000", "fewer points")] {
        let mut command = Command::new(UNSWAYED);
        command.current_dir(folder.path()).arg("design").arg(&data).args(["--output", "bad", "--normalize"]);
        let refused = run({
            command.args(["--horizon", "2000", "--learning-rate", "0.1", "--batch", bad]);
            command
        });
        assert_eq!(refused.status.code(), Some(2), "{bad}");
        assert!(
            message(&refused).contains(word) && message(&refused).contains("--batch"),
            "{}",
            message(&refused)
        );
    }
}

/// Which of several batches keep a limit; the largest rate is of one.
#[test]
fn tolerate_tries_several_steps() {
    let folder = tempfile::tempdir().unwrap();
    let data = tasks(folder.path())[0].clone();
    let tolerate = |arguments: &[&str]| {
        let mut command = Command::new(UNSWAYED);
        command.current_dir(folder.path()).arg("tolerate").arg(&data).args([
            "--normalize",
            "--limit",
            "0.95",
        ]);
        run({
            command.args(["--learning-rate", "0.1", "--regularization", "0.1"]).args(arguments);
            command
        })
    };
    let found = super::json(&tolerate(&["--poison-rate", "0.02", "--batch", "1,16", "--json"]));
    let mut batches: Vec<u64> =
        found["settings"].as_array().unwrap().iter().map(|row| row["batch"].as_u64().unwrap()).collect();
    batches.sort_unstable();
    assert_eq!(batches, [1, 16]);
    let said = tolerate(&["--poison-rate", "0.02", "--batch", "1,16"]);
    assert!(String::from_utf8_lossy(&said.stdout).contains("batch"));
    let several = tolerate(&["--batch", "1,16"]);
    assert!(
        several.status.code() == Some(2) && message(&several).contains("--batch"),
        "{}",
        message(&several)
    );
    // 2000 points are 125 steps of 16.
    let stream =
        super::json(&tolerate(&["--batch", "16", "--horizon", "2000", "--attacks", "none", "--json"]));
    let certificate = folder.path().join(stream["certificate"].as_str().unwrap());
    let text = std::fs::read_to_string(certificate).unwrap();
    assert!(text.contains("\"steps\":125") || text.contains("\"steps\": 125"), "{text}");
}
