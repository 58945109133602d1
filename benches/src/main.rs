//! Times certification; `benches/run` calls it and prints what it finds.
//!
//! ```text
//! unswayed-benches export N D FILE   write N rows of the sample with D columns, as little-endian binary64
//! unswayed-benches compare N D       time the solver and the exact checker on these rows
//! unswayed-benches scale N           time all parts of `certify` on N synthetic rows, and its memory
//! ```
//!
//! Times are in seconds; results are one line of JSON.

mod rows;

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use unswayed::certify::convexity::{self, Found, Problem};
use unswayed::{Dataset, Hinge, Threat, certify};
use unswayed_check::{Learner, exact_bound};

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
        _ => return Err("see the first lines of benches/src/main.rs for the arguments".into()),
    }
    Ok(())
}

/// Solve and check, as the paper's program is compared with.
fn compare(data: &Dataset) -> Result<Value, Failure> {
    let parts = Parts::new(data)?;
    let (solve, found) = timed(|| parts.solve());
    let best = best(&found);
    let (check, bound) = timed(|| parts.check(best));
    Ok(json!({
        "rows": data.rows(),
        "dimension": data.dimension(),
        "solve": solve,
        "check": check,
        "bound": bound?,
        "converged": best.converged,
        "steps": found.each_ref().map(|f| f.steps),
    }))
}

/// Every part of `certify`, and all of it with its memory; memory first, so that nothing else adds to the peak.
fn scale(data: &Dataset) -> Result<Value, Failure> {
    let parts = Parts::new(data)?;
    let before = peak_memory();
    let (whole, outcome) = timed(|| parts.certify());
    let outcome = outcome?;
    let after = peak_memory();

    let problem = parts.problem();
    let (theorem2_time, theorem2) = timed(|| convexity::theorem2(&problem, None));
    let (range_time, range) = timed(|| convexity::bounded_range(&problem, &theorem2));
    let (zero_one_time, zero_one) = timed(|| convexity::zero_one(&problem, &theorem2));
    let (benign, _) = timed(|| certify::benign(data, &parts.learner));
    let steps = [theorem2.steps, range.steps, zero_one.steps];
    let found = [theorem2, range];
    let (check, bound) = timed(|| parts.check(best(&found)));
    Ok(json!({
        "rows": data.rows(),
        "dimension": data.dimension(),
        "theorem2": theorem2_time,
        "bounded_range": range_time,
        "zero_one": zero_one_time,
        "benign": benign,
        "check": check,
        "certify": whole,
        "data_bytes": before,
        "peak_bytes": after,
        "bound": bound?,
        "certified_loss": outcome.certified_loss,
        "status": outcome.status.word(),
        "steps": steps,
    }))
}

/// The parts of `certify` on one dataset.
struct Parts<'a> {
    data: &'a Dataset,
    learner: Hinge,
    threat: Threat,
    setting: Learner,
}

impl<'a> Parts<'a> {
    fn new(data: &'a Dataset) -> Result<Self, Failure> {
        let (learner, threat) = (Hinge::new(LEARNING_RATE, REGULARIZATION)?, Threat::new(POISON_RATE)?);
        let setting = Learner::Hinge(unswayed_check::Hinge {
            learning_rate: learner.learning_rate(),
            regularization: learner.regularization(),
            poison_rate: threat.poison_rate(),
            radius: threat.radius(),
        });
        Ok(Parts { data, learner, threat, setting })
    }

    fn problem(&self) -> Problem<'a> {
        Problem::new(self.data, &self.learner, &self.threat)
    }

    /// Theorem 2 and the bounded-range form, from the rows to two witnesses.
    fn solve(&self) -> [Found; 2] {
        let problem = self.problem();
        let theorem2 = convexity::theorem2(&problem, None);
        let range = convexity::bounded_range(&problem, &theorem2);
        [theorem2, range]
    }

    /// The bound that a witness proves, in exact arithmetic.
    fn check(&self, found: &Found) -> Result<f64, unswayed_check::Failure> {
        exact_bound(&self.setting, &found.witness, &self.data.as_rows())
    }

    fn certify(&self) -> Result<certify::Outcome, unswayed::CertifyError> {
        certify::certify(self.data, &self.learner, &self.threat, &certify::Options::default())
    }
}

/// The witness with the smaller bound.
fn best([a, b]: &[Found; 2]) -> &Found {
    if b.bound < a.bound { b } else { a }
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
