//! `unswayed watch`: real processes on generated streams.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{UNSWAYED, json, refused, text, unswayed};

/// A small window, and no attacks: quick.
const WATCH: [&str; 13] = [
    "watch",
    "--window",
    "200",
    "--every",
    "50",
    "--attacks",
    "none",
    "--learning-rate",
    "0.01",
    "--regularization",
    "0.1",
    "--poison-rate",
    "0.01",
];

/// The same with another number for one of the flags.
fn watch_with<'a>(flag: &str, value: &'a str) -> Vec<&'a str> {
    let mut words = WATCH.to_vec();
    let at = words.iter().position(|word| *word == flag).unwrap();
    words[at + 1] = value;
    words
}

/// Numbers that look random and are always the same.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Rows of two classes, far apart; from some row on a third of them has the wrong label.
fn stream(rows: usize, attacked_from: usize) -> String {
    let mut noise = Noise(7);
    let mut csv = "a,b,label\n".to_owned();
    for i in 0..rows {
        let y = if noise.next() < 0.5 { 1.0 } else { -1.0 };
        let a = y * (0.5 + 0.3 * noise.next());
        let b = 0.4 * (noise.next() - 0.5);
        let label = if i >= attacked_from && noise.next() < 0.33 { -y } else { y };
        writeln!(csv, "{a},{b},{}", if label > 0.0 { "spam" } else { "ham" }).unwrap();
    }
    csv
}

/// The updates in what was printed with --json.
fn updates(output: &[u8]) -> Vec<Value> {
    let lines = text(output);
    let values = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    values.filter(|value| value["event"] == "update").collect()
}

/// The updates of a log, without what depends on the clock.
fn logged(path: &Path) -> Vec<Value> {
    let lines = fs::read_to_string(path).unwrap();
    let timeless = |line: &str| {
        let mut value: Value = serde_json::from_str(line).unwrap();
        (value["time"], value["seconds"]) = (Value::Null, Value::Null);
        value
    };
    lines.lines().map(timeless).collect()
}

fn with_input(folder: &Path, arguments: &[&str], input: &str) -> std::process::Output {
    let mut child = Command::new(UNSWAYED)
        .current_dir(folder)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // The program may end before it has read everything.
    let writing = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap();
    output
}

#[test]
fn the_alarm_comes_after_the_attack_and_not_before() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [&WATCH[..], &["--json", "--limit-error", "0.35", "--certificates", "kept"]].concat();
    let output = with_input(folder.path(), &arguments, &stream(1000, 600));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let updates = updates(&output.stdout);
    let (last, before) = updates.split_last().unwrap();
    assert!(before.len() >= 8 && before.iter().all(|update| update["alarm"] == false));
    assert_eq!(last["alarm"], true);
    let rows = last["rows"].as_u64().unwrap();
    assert!((600..=800).contains(&rows), "alarm after {rows} rows");
    assert!(before.iter().all(|update| update["certified_error"].as_f64().unwrap() <= 0.35));
    assert!(last["certified_error"].as_f64().unwrap() > 0.35);
    // Every certificate is valid for the rows beside it, and says which rows they are.
    for update in [&updates[0], last] {
        let words: Vec<&str> = update["verify"].as_str().unwrap().split_whitespace().skip(1).collect();
        let checked = json(&unswayed(folder.path(), &[&words[..], &["--json"]].concat()));
        assert_eq!(checked["certified_loss"], update["certified_loss"]);
        let made = checked["statement"]["data"][0]["made"].as_str().unwrap().to_owned();
        assert!(made.contains(&format!("to {} of a stream", update["rows"])), "{made}");
    }
}

#[test]
fn a_calm_stream_ends_well_and_text_says_what_the_figures_mean() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.csv"), stream(320, usize::MAX)).unwrap();
    let output = unswayed(folder.path(), &[&WATCH[..], &["s.csv", "--limit-error", "0.5"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    assert!(printed.contains("learner") && printed.contains("says nothing of rows that are unlike them"));
    let lines: Vec<&str> = printed.lines().filter(|line| line.starts_with("20")).collect();
    assert_eq!(lines.len(), 3, "{printed}");
    assert!(lines.iter().all(|line| line.contains("certified") && !line.contains("ALARM")));
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
}

#[test]
fn the_command_of_an_alarm_gets_the_facts_and_the_watch_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.csv"), stream(900, 400)).unwrap();
    let command =
        r#"echo "$UNSWAYED_ROWS $UNSWAYED_CERTIFIED_ERROR $UNSWAYED_LIMIT_ERROR" >> alarms; echo noise"#;
    let more = ["s.csv", "--json", "--limit-error", "0.35", "--on-alarm", command];
    let output = unswayed(folder.path(), &[&WATCH[..], &more].concat());
    assert_eq!(output.status.code(), Some(1));
    let updates = updates(&output.stdout);
    assert_eq!(updates.last().unwrap()["rows"], 900, "it ended early");
    let first = updates.iter().find(|update| update["alarm"] == true).unwrap();
    let alarms = fs::read_to_string(folder.path().join("alarms")).unwrap();
    let wanted = format!("{} {} 0.35", first["rows"], first["certified_error"]);
    assert_eq!(alarms.lines().next(), Some(wanted.as_str()));
    assert!(alarms.lines().count() < updates.iter().filter(|update| update["alarm"] == true).count());
}

#[test]
fn bad_lines_are_refused_by_number_or_counted() {
    let folder = tempfile::tempdir().unwrap();
    let good = stream(260, usize::MAX);
    for (bad, what) in [
        ("0.1,ham", "2 "),
        ("NaN,0.1,ham", "NaN"),
        ("x,0.1,ham", "\"x\""),
        ("0.1,0.1,eggs", "eggs"),
        ("3,4,ham", "norm 5"),
    ] {
        let lines: Vec<&str> = good.lines().collect();
        let all = [&lines[..101], &[bad], &lines[101..]].concat().join("\n");
        fs::write(folder.path().join("s.csv"), all).unwrap();
        let message = refused(folder.path(), &[&WATCH[..], &["s.csv"]].concat());
        assert!(message.contains("s.csv, line 102: ") && message.contains(what), "{message}");
        let output = unswayed(folder.path(), &[&WATCH[..], &["s.csv", "--skip-bad", "--json"]].concat());
        let updates = updates(&output.stdout);
        assert_eq!((updates.len(), &updates[0]["skipped"]), (2, &Value::from(1)), "{bad}");
    }
    // JSON with another field, and a learner that has no certificate: told at once, not when the window is full.
    fs::write(folder.path().join("s.jsonl"), "{\"a\":0.5,\"label\":1}\n{\"a\":0.1,\"label\":0,\"b\":1}\n")
        .unwrap();
    let message = refused(folder.path(), &[&WATCH[..], &["s.jsonl"]].concat());
    assert!(message.contains("line 2") && message.contains("no such field"), "{message}");
    fs::write(folder.path().join("s.csv"), &good).unwrap();
    let message = refused(folder.path(), &[&WATCH[..], &["s.csv", "--adversary", "any"]].concat());
    assert!(message.contains("clip"), "{message}");
    let message = refused(folder.path(), &[&watch_with("--window", "9999")[..], &["s.csv"]].concat());
    assert!(message.contains("ended after 260 rows"), "{message}");
}

#[test]
fn rows_are_clipped_and_divided_by_fixed_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = "{\"a\": 30, \"b\": 40, \"label\": 1}\n".to_owned();
    for i in 0..300 {
        writeln!(lines, "{{\"a\": {}, \"b\": 0.5, \"label\": {}}}", if i % 2 == 0 { 3 } else { -3 }, i % 2)
            .unwrap();
    }
    fs::write(folder.path().join("s.jsonl"), lines).unwrap();
    let more =
        ["s.jsonl", "--clip-rows", "5", "--scale", "5", "--certificates", "kept", "--json", "--windows", "2"];
    let output = unswayed(folder.path(), &[&watch_with("--window", "100")[..], &more].concat());
    let updates = updates(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let verify = |update: &Value| -> Value {
        let words: Vec<&str> = update["verify"].as_str().unwrap().split_whitespace().skip(1).collect();
        json(&unswayed(folder.path(), &[&words[..], &["--json"]].concat()))
    };
    let first = verify(&updates[0]);
    assert_eq!(first["statement"]["data"][0]["scale"], 5.0);
    let radius = first["statement"]["threat"]["set"]["ball"]["radius"].as_f64().unwrap();
    assert!((1.0..1.0 + 1e-15).contains(&radius), "5/5, rounded up: {radius}");
    assert!(first["statement"]["data"][0]["made"].as_str().unwrap().contains("longer than 5"));
    // From the second window on there are two that nature may switch between.
    let last = verify(updates.last().unwrap());
    assert_eq!(last["statement"]["data"].as_array().unwrap().len(), 2);
}

/// A watch that follows a file, and its standard error.
fn follow(folder: &Path, more: &[&str]) -> (Child, BufReader<ChildStderr>) {
    let mut child = Command::new(UNSWAYED)
        .current_dir(folder)
        .args(WATCH)
        .args(["s.csv", "--follow", "--json"])
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stderr = BufReader::new(child.stderr.take().unwrap());
    (child, stderr)
}

/// Waits until a log has so many lines.
fn wait_for(log: &Path, lines: usize) {
    let began = Instant::now();
    while fs::read_to_string(log).map_or(0, |log| log.lines().count()) < lines {
        assert!(began.elapsed() < Duration::from_mins(1), "no {lines} updates came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn end(mut child: Child) {
    let _ = child.kill();
    child.wait().unwrap();
}

#[test]
fn killed_and_continued_the_log_is_that_of_a_run_without_stops() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let all = stream(2000, 1500);
    fs::write(path("s.csv"), &all).unwrap();
    let calm =
        [&WATCH[..], &["s.csv", "--keep-going", "--limit-error", "0.35", "--log", "calm.jsonl"]].concat();
    unswayed(folder.path(), &calm);
    let wanted = logged(&path("calm.jsonl"));
    assert_eq!(wanted.len(), 37);
    let more = ["--keep-going", "--limit-error", "0.35", "--state", "state", "--log", "log.jsonl"];
    let (mut kills, mut seed) = (0, Noise(3));
    while fs::read_to_string(path("log.jsonl")).map_or(0, |log| log.lines().count()) < wanted.len() {
        let (child, _stderr) = follow(folder.path(), &more);
        std::thread::sleep(Duration::from_millis(30 + (250.0 * seed.next()) as u64));
        end(child);
        kills += 1;
        assert!(kills < 400, "it makes no progress");
    }
    assert!(kills > 1);
    assert_eq!(logged(&path("log.jsonl")), wanted);
    // Other settings are another watch.
    let other = [&watch_with("--every", "70")[..], &["s.csv", "--state", "state"]].concat();
    assert!(refused(folder.path(), &other).contains("written with every 50, not 70"));
    fs::write(path("state"), b"unswayed-watch 1\n{}\n").unwrap();
    assert!(
        refused(folder.path(), &[&WATCH[..], &["s.csv", "--state", "state"]].concat()).contains("damaged")
    );
}

#[test]
fn a_file_that_grows_and_is_replaced_loses_no_row() {
    let folder = tempfile::tempdir().unwrap();
    let (path, log) = (folder.path().join("s.csv"), folder.path().join("log.jsonl"));
    let all = stream(400, usize::MAX);
    let lines: Vec<&str> = all.lines().collect();
    // A line is cut in two: nothing may be read before its end is there.
    let (first, second) = (lines[..251].join("\n"), lines[251..301].join("\n"));
    fs::write(&path, &first[..first.len() - 4]).unwrap();
    let (child, _stderr) = follow(folder.path(), &["--log", "log.jsonl"]);
    wait_for(&log, 1);
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(format!("{}\n{second}\n", &first[first.len() - 4..]).as_bytes()).unwrap();
    wait_for(&log, 3);
    fs::rename(&path, folder.path().join("s.csv.1")).unwrap();
    std::thread::sleep(Duration::from_millis(150));
    file.write_all(format!("{}\n", lines[301..351].join("\n")).as_bytes()).unwrap();
    wait_for(&log, 4);
    // The next file has the line of names again.
    fs::write(&path, format!("{}\n{}\n", lines[0], lines[351..].join("\n"))).unwrap();
    wait_for(&log, 5);
    end(child);
    let found = logged(&log);
    fs::write(&path, &all).unwrap();
    let calm = [&WATCH[..], &["s.csv", "--log", "calm.jsonl"]].concat();
    assert_eq!(unswayed(folder.path(), &calm).status.code(), Some(0));
    assert_eq!(found, logged(&folder.path().join("calm.jsonl")));
}

/// The answer to a request.
fn ask(address: &str, request: &str) -> String {
    let mut client = TcpStream::connect(address).unwrap();
    client.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    let _ = client.read_to_string(&mut answer);
    answer
}

#[test]
fn metrics_are_served_whatever_slow_and_hostile_clients_do() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.csv"), stream(260, usize::MAX)).unwrap();
    let (child, mut stderr) =
        follow(folder.path(), &["--metrics", "127.0.0.1:0", "--log", "log.jsonl", "--limit-loss", "0.9"]);
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    let address = line.trim().rsplit("http://").next().unwrap().trim_end_matches("/metrics").to_owned();
    // Clients that say nothing, or never come to an end.
    let slow: Vec<TcpStream> = (0..10).map(|_| TcpStream::connect(&address).unwrap()).collect();
    let mut endless = TcpStream::connect(&address).unwrap();
    let _ = endless.write_all(&vec![b'x'; 20_000]);
    wait_for(&folder.path().join("log.jsonl"), 2);
    let began = Instant::now();
    let answer = ask(&address, "GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n");
    assert!(began.elapsed() < Duration::from_secs(2), "a slow client holds up others");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    let body = answer.split_once("\r\n\r\n").unwrap().1;
    let value = |name: &str| -> f64 {
        let line = body.lines().find(|line| line.starts_with(&format!("{name} "))).unwrap();
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    let newest = logged(&folder.path().join("log.jsonl")).pop().unwrap();
    for name in ["certified_loss", "certified_error", "benign_loss"] {
        let served = value(&format!("unswayed_{name}"));
        assert_eq!(served.to_bits(), newest[name].as_f64().unwrap().to_bits(), "{name}");
    }
    assert_eq!((value("unswayed_rows_total"), value("unswayed_updates_total")), (260.0, 2.0));
    assert!((0.0..60.0).contains(&value("unswayed_certificate_age_seconds")));
    assert_eq!((value("unswayed_limit_loss"), value("unswayed_alarms_total")), (0.9, 0.0));
    assert!(body.lines().all(|line| line.starts_with('#') || line.split(' ').count() == 2));
    assert!(ask(&address, "GET /other HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404"));
    assert!(ask(&address, "POST /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405"));
    drop(slow);
    end(child);
    let message = refused(folder.path(), &[&WATCH[..], &["s.csv", "--metrics", "0.0.0.0:0"]].concat());
    assert!(message.contains("--metrics-public"), "{message}");
}

#[cfg(target_os = "linux")]
#[test]
fn memory_stays_flat_over_many_rows() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(UNSWAYED)
        .current_dir(folder.path())
        .args([
            "watch",
            "-",
            "--window",
            "1000",
            "--every",
            "50000",
            "--attacks",
            "none",
            "--log",
            "log.jsonl",
        ])
        .args(&WATCH[7..])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let block = stream(10_000, usize::MAX);
    let status = format!("/proc/{}/status", child.id());
    let resident = || -> u64 {
        let status = fs::read_to_string(&status).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    let mut early = 0;
    for i in 0..30 {
        stdin.write_all(block.as_bytes()).unwrap();
        if i == 10 {
            early = resident();
        }
    }
    let late = resident();
    drop(stdin);
    assert!(child.wait().unwrap().success());
    assert_eq!(logged(&folder.path().join("log.jsonl")).len(), 6);
    assert!(late < early + 8 * 1024, "{early} kB after 100,000 rows, {late} kB after 300,000");
}
