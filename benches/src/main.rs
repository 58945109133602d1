//! Times certification; `benches/run` calls it and prints what it finds.
//!
//! ```text
//! unswayed-benches export N D FILE   write N rows of the sample with D columns, as little-endian binary64
//! unswayed-benches compare N D       time certification and the exact checker on these rows
//! unswayed-benches scale N           time `certify` on N synthetic rows, and its memory
//! unswayed-benches learners          the names of learners
//! unswayed-benches learner NAME N D  time `certify` for one of them on N synthetic rows with D columns, and its memory
//! unswayed-benches attacks N          time the default attacks on N synthetic rows, and their memory
//! unswayed-benches synthetic N D FILE  write these rows
//! ```
//!
//! Times are in seconds; results are one line of JSON.

mod learners;
mod rows;

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use unswayed::attack::Suite;
use unswayed::certify::{Outcome, benign};
use unswayed::{Dataset, Problem, certify};
use unswayed_check::{Evidence, Rows, check};

/// The setting of all measurements.
const LEARNING_RATE: f64 = 1e-3;
const REGULARIZATION: f64 = 0.01;
const POISON_RATE: f64 = 0.05;

/// A measurement is repeated until it has taken this long, but at most so often.
const LONG_ENOUGH: Duration = Duration::from_secs(2);
const MOST_REPETITIONS: usize = 101;

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(2)
        }
    }
}

fn run(words: &[&str]) -> Result<(), Failure> {
    match words {
        ["export", n, d, file] => rows::export(&rows::sample(n.parse()?, d.parse()?)?, file)?,
        ["compare", n, d] => println!("{}", compare(&rows::sample(n.parse()?, d.parse()?)?)?),
        ["scale", n] => println!("{}", scale(&rows::synthetic(n.parse()?)?)?),
        ["attacks", n] => println!("{}", attacks(&rows::synthetic(n.parse()?)?)?),
        ["learners"] => println!("{}", json!(learners::NAMES)),
        ["learner", name, n, d] => println!("{}", learner(name, n.parse()?, d.parse()?)?),
        ["synthetic", n, d, file] => rows::export(&rows::leaning(n.parse()?, d.parse()?)?, file)?,
        _ => return Err("see the first lines of benches/src/main.rs for the arguments".into()),
    }
    Ok(())
}

/// Certify and check, as the paper's program is compared with.
fn compare(data: &Dataset) -> Result<Value, Failure> {
    let problem = problem(data)?;
    let (certify, outcome) = timed(|| certify(&problem));
    let outcome = outcome?;
    let (check, bound) = timed(|| recheck(data, &outcome));
    Ok(json!({
        "rows": data.rows(),
        "dimension": data.dimension(),
        "certify": certify,
        "check": check,
        "bound": bound?,
        "status": outcome.status,
    }))
}

/// The whole of `certify` with its memory, and its parts; memory first, so that nothing else adds to the peak.
fn scale(data: &Dataset) -> Result<Value, Failure> {
    let problem = problem(data)?;
    let before = peak_memory();
    let (whole, outcome) = timed(|| certify(&problem));
    let outcome = outcome?;
    let after = peak_memory();
    let (benign, _) = timed(|| benign(&problem));
    let (check, bound) = timed(|| recheck(data, &outcome));
    Ok(json!({
        "rows": data.rows(),
        "dimension": data.dimension(),
        "benign": benign,
        "check": check,
        "certify": whole,
        "data_bytes": before,
        "peak_bytes": after,
        "bound": bound?,
        "certified_loss": outcome.certified_loss,
        "certified_error": outcome.certified_error,
        "status": outcome.status,
    }))
}

/// The attacks that `certify` shows by default: time, memory and the strongest one.
fn attacks(data: &Dataset) -> Result<Value, Failure> {
    let problem = problem(data)?;
    let before = peak_memory();
    let (whole, strongest) = timed(|| Suite::new(&problem)?.strongest());
    let strongest = strongest?.ok_or("no attacks")?;
    Ok(json!({
        "rows": data.rows(),
        "dimension": data.dimension(),
        "attacks": whole,
        "data_bytes": before,
        "peak_bytes": peak_memory(),
        "attack_loss": strongest.simulated.loss.mean,
        "half_width": strongest.simulated.loss.half_width,
        "strongest": strongest.attack.name(),
    }))
}

/// One learner: time, memory and bound.
fn learner(name: &str, n: usize, d: usize) -> Result<Value, Failure> {
    let problem = learners::problem(name, n, d)?;
    let (certify, outcome) = timed(|| certify(&problem));
    let outcome = outcome?;
    Ok(json!({
        "name": name,
        "rows": n,
        "dimension": d,
        "certify": certify,
        "peak_bytes": peak_memory(),
        "certified_loss": outcome.certified_loss,
        "certified_error": outcome.certified_error,
        "status": outcome.status,
    }))
}

fn problem(data: &Dataset) -> Result<Problem, Failure> {
    let builder = Problem::builder(data.clone()).learning_rate(LEARNING_RATE).regularization(REGULARIZATION);
    Ok(builder.poison_rate(POISON_RATE).build()?)
}

/// The bound of all claims of a certificate, in exact arithmetic.
fn recheck(data: &Dataset, outcome: &Outcome) -> Result<f64, unswayed_check::Failure> {
    Ok(check(&outcome.certificate, &Evidence { data: &[Rows::of(data)], target: None })?.loss)
}

/// The seconds that `work` takes, median and fastest of several repetitions and mean processor time, and its last
/// result.
fn timed<T>(work: impl Fn() -> T) -> (Value, T) {
    let (begin, processor, mut seconds) = (Instant::now(), processor_time(), Vec::new());
    loop {
        let start = Instant::now();
        let result = black_box(work());
        seconds.push(start.elapsed().as_secs_f64());
        if begin.elapsed() >= LONG_ENOUGH || seconds.len() >= MOST_REPETITIONS {
            let used = processor_time().zip(processor).map(|(now, then)| (now - then) / seconds.len() as f64);
            seconds.sort_by(f64::total_cmp);
            let times =
                json!({ "median": seconds[seconds.len() / 2], "fastest": seconds[0], "processor": used });
            return (times, result);
        }
    }
}

/// The processor time of all threads of this process in seconds, if the system tells (Linux does, in hundredths).
fn processor_time() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: Option<Vec<f64>> = fields.get(11..13)?.iter().map(|field| field.parse().ok()).collect();
    Some(ticks?.iter().sum::<f64>() / 100.0)
}

/// The most memory this process has had in use, in bytes, if the system tells (Linux does).
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes * 1024)
}
