//! Commands that are killed, run out of disk, or lose their inputs: what is written is whole or not there at all.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::design::{design, journal_keys, message, run};
use super::{SETTING, UNSWAYED, files, text};

/// Whether there is time for a hundred kills.
fn is_full() -> bool {
    std::env::var_os("UNSWAYED_FULL").is_some_and(|value| value == "1")
}

/// All files below a folder, with their contents.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(tree(&path));
        } else {
            files.insert(path.clone(), fs::read(path).unwrap());
        }
    }
    files
}

/// The files of a run by name, without the journal, whose order depends on the threads.
fn results(output: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let below = |path: PathBuf| path.strip_prefix(output).unwrap().to_owned();
    let all = tree(output).into_iter().map(|(path, bytes)| (below(path), bytes));
    all.filter(|(path, _)| path != Path::new("journal.jsonl")).collect()
}

/// A sweep that writes everything there is, into `run` in its own folder: the report quotes its command line.
fn sweep(folder: &Path) -> Command {
    let extra = ["--attack-everywhere", "--refine", "--kappa", "1", "--resume"];
    let mut command = design(folder, Path::new("run"), &extra);
    command.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// Kills sweeps one after the other, each at another moment, and returns how many did not end before.
fn kill_sweeps(folder: &Path, kills: usize, duration: Duration, seed: f64) -> usize {
    let mut interrupted = 0;
    for i in 0..kills {
        let mut child = sweep(folder).spawn().unwrap();
        // Early and late, and at odd moments: up to a tenth of the whole run each time.
        let part = (seed + i as f64 * 0.618_034).fract() * 0.1;
        std::thread::sleep(duration.mul_f64(part) + Duration::from_millis(5));
        interrupted += usize::from(child.try_wait().unwrap().is_none());
        let _ = child.kill();
        child.wait().unwrap();
    }
    interrupted
}

/// A folder with the tasks, always under the same name: the report names the files.
fn prepared(parent: &Path, name: &str) -> PathBuf {
    let folder = parent.join(name);
    fs::create_dir(&folder).unwrap();
    folder
}

#[test]
fn killed_at_any_moment_and_resumed_all_files_are_the_same() {
    let parent = tempfile::tempdir().unwrap();
    let folder = prepared(parent.path(), "work");
    let began = Instant::now();
    let first = run(sweep(&folder));
    assert!(first.status.success(), "{}", message(&first));
    let duration = began.elapsed();
    let calm = parent.path().join("calm");
    fs::rename(folder.join("run"), &calm).unwrap();
    let (rounds, kills) = if is_full() { (5, 20) } else { (1, 6) };
    for round in 0..rounds {
        let interrupted = kill_sweeps(&folder, kills, duration, f64::from(round) * 0.377);
        assert!(interrupted >= kills / 2, "only {interrupted} of {kills} runs were interrupted");
        let killed = folder.join("run");
        let last = run(sweep(&folder));
        assert!(last.status.success(), "{}", message(&last));
        let (calm, found) = (results(&calm), results(&killed));
        assert_eq!(calm.keys().collect::<Vec<_>>(), found.keys().collect::<Vec<_>>());
        for (path, bytes) in &calm {
            assert!(*bytes == found[path], "{} differs", path.display());
        }
        let keys = journal_keys(&killed);
        assert_eq!(keys.iter().collect::<HashSet<_>>().len(), keys.len(), "something was computed twice");
        assert_eq!(keys.len(), journal_keys(&parent.path().join("calm")).len());
        // Once more: nothing is left to do.
        let mut again = sweep(&folder);
        let again = run({
            again.arg("--json").stdout(Stdio::piped());
            again
        });
        assert_eq!(serde_json::from_slice::<Value>(&again.stdout).unwrap()["computed"], 0);
        fs::remove_dir_all(killed).unwrap();
    }
}

/// Commands that write one file, and where they write it.
fn writers() -> Vec<(Vec<&'static str>, &'static str)> {
    let words = |text: &'static str| text.split_whitespace().collect::<Vec<_>>();
    let with_setting = |text, flag| [words(text), SETTING.to_vec(), vec![flag]].concat();
    vec![
        (with_setting("certify a.npz --attacks none", "--output"), "a.certificate.json"),
        (with_setting("attack a.npz --attacks fast", "--save"), "points.npz"),
        (words("prepare a.npz --directions 2 --transform t.safetensors --output"), "rows.npz"),
        (
            words(
                "mean --covariance-trace 2 --learning-rate 0.01 --poison-rate 0.05 --squared-radius 4 --output",
            ),
            "m.json",
        ),
        (
            words(
                "tolerate a.npz --limit 0.8 --learning-rate 0.01 --regularization 0.1 --attacks none --output",
            ),
            "t.certificate.json",
        ),
    ]
}

fn command(folder: &Path, arguments: &[&str], place: &str) -> Command {
    let mut command = Command::new(UNSWAYED);
    command.current_dir(folder).args(arguments).arg(place);
    command
}

/// The same in a shell in which files cannot grow beyond so many blocks: writing more is an error, as on a full disk.
fn starved(command: &Command, blocks: u32) -> Output {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let quoted: Vec<String> = words.map(|word: &OsStr| format!("'{}'", word.to_str().unwrap())).collect();
    let mut shell = Command::new("bash");
    shell.current_dir(command.get_current_dir().unwrap());
    run({
        shell.arg("-c").arg(format!("trap '' XFSZ; ulimit -f {blocks}; exec {}", quoted.join(" ")));
        shell
    })
}

/// Exit code 2, and one line that names the place and what to do.
fn assert_said(output: &Output, words: &[&str]) {
    let said = message(output);
    assert_eq!(output.status.code(), Some(2), "{said}{}", text(&output.stdout));
    assert!(said.starts_with("unswayed: ") && said.lines().count() == 1, "{said}");
    assert!(words.iter().all(|word| said.contains(word)) && !said.contains("panic"), "{words:?}: {said}");
}

#[test]
fn a_full_disk_leaves_no_half_of_a_file() {
    for (arguments, name) in writers() {
        let folder = files::folder();
        let before = tree(folder.path());
        let output = starved(&command(folder.path(), &arguments, name), 0);
        assert_said(&output, &["cannot be written", "name another file with --"]);
        assert_eq!(before, tree(folder.path()), "{arguments:?}");
        // With room the same command works.
        let output = run(command(folder.path(), &arguments, name));
        assert!(output.status.success(), "{arguments:?}: {}", message(&output));
    }
}

#[test]
fn a_full_disk_spares_the_file_that_was_to_be_replaced() {
    let folder = files::folder();
    let certify = |rate: &str| {
        let words = ["--learning-rate", "0.01", "--regularization", "0.1", "--poison-rate", rate, "--output"];
        command(folder.path(), &[&["certify", "a.npz", "--attacks", "none"], &words[..]].concat(), "c.json")
    };
    assert!(run(certify("0.01")).status.success());
    let before = tree(folder.path());
    // Room for a part of it.
    for blocks in [0, 1] {
        assert_said(&starved(&certify("0.02"), blocks), &["c.json", "--output"]);
        assert_eq!(before, tree(folder.path()));
    }
    assert!(run(certify("0.02")).status.success());
    assert_ne!(before, tree(folder.path()));
}

#[test]
fn a_full_disk_behind_standard_output_is_an_error() {
    if !Path::new("/dev/full").exists() {
        println!("skipped: there is no /dev/full");
        return;
    }
    let folder = files::folder();
    for arguments in [&["certify", "a.npz", "--attacks", "none"], &["attack", "a.npz", "--attacks", "fast"]] {
        for extra in [&[][..], &["--json"]] {
            let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
            let mut command = Command::new(UNSWAYED);
            command.current_dir(folder.path()).args(arguments).args(SETTING).args(extra);
            let output = command.stdout(full).output().unwrap();
            assert_said(&output, &["standard output"]);
        }
    }
}

/// Root may write to a folder without permission, so the folder is one that nobody can write to: below a file.
#[test]
fn a_place_that_cannot_be_written_to_is_named() {
    for (arguments, name) in writers() {
        let folder = files::folder();
        let before = tree(folder.path());
        let place = format!("b.npz/{name}");
        let output = run(command(folder.path(), &arguments, &place));
        assert_said(&output, &[&place, "cannot be written", "name another file with --"]);
        let written = tree(folder.path()).len() - before.len();
        // The transform of `prepare` is a file of its own, written before the rows.
        assert!(written <= usize::from(arguments[0] == "prepare"), "{arguments:?}");
    }
}

/// A pipe, a folder or a device is no place for a result, and is not read to see what is there.
#[test]
fn what_is_no_file_is_not_replaced() {
    for (arguments, name) in writers() {
        let folder = files::folder();
        let made = Command::new("mkfifo").arg(folder.path().join(name)).status();
        assert!(made.is_ok_and(|status| status.success()), "mkfifo");
        let mut child = command(folder.path(), &arguments, name);
        let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let output = within(child, Duration::from_mins(1));
        assert_said(&output, &[name, "is no file", "--"]);
        assert!(fs::metadata(folder.path().join(name)).unwrap().file_type().is_fifo(), "{arguments:?}");

        let folder = files::folder();
        fs::create_dir(folder.path().join(name)).unwrap();
        assert_said(&run(command(folder.path(), &arguments, name)), &[name, "is no file", "--"]);
        assert_eq!(tree(&folder.path().join(name)).len(), 0);
    }
}

/// The output of a process that must end.
fn within(mut child: std::process::Child, limit: Duration) -> Output {
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > limit {
            child.kill().unwrap();
            panic!("still running after {limit:?}");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().unwrap()
}

/// The inputs of a sweep are read again when it is resumed.
#[test]
fn inputs_that_change_between_two_readings_are_noticed() {
    let parent = tempfile::tempdir().unwrap();
    let folder = prepared(parent.path(), "work");
    let resume = || {
        let mut command = design(parent.path(), Path::new("run"), &["--attacks", "none", "--resume"]);
        command.current_dir(&folder);
        command
    };
    assert!(run(resume()).status.success());
    let before = tree(&folder);
    let whole = fs::read(parent.path().join("one.csv")).unwrap();
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    let fewer = lines[..lines.len() - 3].concat();
    let torn = &whole[..whole.len() - 4];
    let changed = |contents: Option<&[u8]>| {
        let command = resume();
        // The tasks are written anew when the command is made.
        match contents {
            Some(contents) => fs::write(parent.path().join("one.csv"), contents).unwrap(),
            None => fs::remove_file(parent.path().join("one.csv")).unwrap(),
        }
        run(command)
    };
    assert_said(&changed(None), &["one.csv", "check the path"]);
    assert_said(&changed(Some(b"")), &["one.csv", "empty"]);
    assert_said(&changed(Some(torn)), &["one.csv"]);
    assert_said(&changed(Some(&fewer)), &["tasks.one"]);
    assert_eq!(before, tree(&folder), "a run that was refused changed a file");
    let restored = run(resume());
    assert!(restored.status.success(), "{}", message(&restored));
    assert_eq!(before, tree(&folder));
}

/// A certificate or its data, cut off anywhere between certifying and checking: exit code 2 or 1, never 0.
#[test]
fn files_that_are_cut_off_are_not_accepted() {
    let folder = files::folder();
    let words = ["certify", "a.npz", "--attacks", "none"];
    let arguments = [&words[..], &SETTING, &["--output"]].concat();
    assert!(run(command(folder.path(), &arguments, "c.json")).status.success());
    let check = || run(command(folder.path(), &["check", "c.json"], "a.npz"));
    assert!(check().status.success());
    for name in ["c.json", "a.npz"] {
        let path = folder.path().join(name);
        let whole = fs::read(&path).unwrap();
        for part in [0.0, 0.1, 0.5, 0.9, 0.999] {
            fs::write(&path, &whole[..(part * whole.len() as f64) as usize]).unwrap();
            let output = check();
            assert_eq!(output.status.code(), Some(2), "{name} at {part}: {}", text(&output.stdout));
            let said = text(&output.stdout) + &message(&output);
            assert!(said.contains(name) && !said.contains("panic"), "{said}");
        }
        fs::remove_file(&path).unwrap();
        assert_eq!(check().status.code(), Some(2), "{name} is gone");
        fs::write(&path, &whole).unwrap();
        assert!(check().status.success());
    }
}
