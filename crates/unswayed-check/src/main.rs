//! `unswayed-check`: verifies a certificate file against a data file.

mod files;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use dashu::integer::IBig;
use dashu::rational::RBig;
use serde_json::json;
use unswayed_check::{Certificate, Failure, Learner, Rows, Verdict, Witness, check};

const HELP: &str = "\
Verifies in exact arithmetic that a certificate proves what it claims about a data set.

Usage: unswayed-check CERTIFICATE [DATA] [options]

DATA is an .npz file with the arrays x and y, or z (and weight, if rows have weights), an .npy file
with the features, or a .csv file with a header row. It may be left out if the certificate is about
no rows.

Options:
  --labels FILE         .npy file with the labels, for .npy features
  --label-column NAME   label column of a .csv file [default: label]
  --json                print one JSON object
  --help                print this text
  --version             print the version

Exit code: 0 valid, 1 not valid, 2 something could not be read.
";

/// The command line.
#[derive(Default)]
struct Arguments {
    files: Vec<PathBuf>,
    labels: Option<PathBuf>,
    label_column: Option<String>,
    json: bool,
    help: bool,
    version: bool,
}

impl Arguments {
    fn parse(arguments: impl Iterator<Item = std::ffi::OsString>) -> Result<Self, String> {
        let mut parsed = Arguments::default();
        let mut arguments = arguments;
        let mut problem = None;
        while let Some(argument) = arguments.next() {
            let mut value = |flag: &str| {
                let next = arguments.next().filter(|v| !v.as_encoded_bytes().starts_with(b"--"));
                next.ok_or(format!("{flag} needs a value"))
            };
            match argument.to_str() {
                Some("--labels") => parsed.labels = Some(value("--labels")?.into()),
                Some("--label-column") => {
                    let name = value("--label-column")?;
                    parsed.label_column = Some(name.to_string_lossy().into_owned());
                }
                Some("--json") => parsed.json = true,
                Some("--help" | "-h") => parsed.help = true,
                Some("--version" | "-V") => parsed.version = true,
                Some(flag) if flag.starts_with('-') => {
                    problem = Some(format!("unknown option {flag}"));
                }
                _ => parsed.files.push(argument.into()),
            }
        }
        if parsed.help || parsed.version {
            return Ok(parsed);
        }
        if !(1..=2).contains(&parsed.files.len()) {
            problem.get_or_insert("one certificate and one data file are needed".to_owned());
        }
        problem.map_or(Ok(parsed), |p| Err(format!("{p}; see unswayed-check --help")))
    }
}

/// What came out: the certificate and its verdict, a refutation, or a file that cannot be read.
enum Outcome {
    Valid(Box<Certificate>, Verdict),
    NotValid(Failure),
    Unreadable(String),
}

fn main() -> ExitCode {
    let wants_json = std::env::args_os().any(|a| a == "--json");
    let outcome = match Arguments::parse(std::env::args_os().skip(1)) {
        Ok(arguments) if arguments.help => return print(HELP, ExitCode::SUCCESS),
        Ok(arguments) if arguments.version => {
            let version = concat!("unswayed-check ", env!("CARGO_PKG_VERSION"), "\n");
            return print(version, ExitCode::SUCCESS);
        }
        Ok(arguments) => run(&arguments).unwrap_or_else(Outcome::Unreadable),
        Err(message) => Outcome::Unreadable(message),
    };
    let text = if wants_json { outcome.json() } else { outcome.text() };
    print(&format!("{text}\n"), outcome.code())
}

/// Writes to standard output; that nobody reads it is no reason to fail.
fn print(text: &str, code: ExitCode) -> ExitCode {
    let _ = std::io::stdout().write_all(text.as_bytes());
    code
}

fn run(arguments: &Arguments) -> Result<Outcome, String> {
    let path = &arguments.files[0];
    let in_file = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let bytes = std::fs::read(path).map_err(|e| in_file(&e))?;
    let certificate = Certificate::from_bytes(&bytes).map_err(|e| in_file(&e))?;
    let data = match arguments.files.get(1) {
        Some(data) => read_data(data, arguments, &certificate)?,
        None if certificate.data.rows == 0 => {
            files::Data { z: vec![], dimension: certificate.data.dimension, weights: None }
        }
        None => return Err("the certificate is about data: a data file is needed".to_owned()),
    };
    let rows = Rows { z: &data.z, dimension: data.dimension, weights: data.weights.as_deref() };
    Ok(match check(&certificate, &rows) {
        Ok(verdict) => Outcome::Valid(Box::new(certificate), verdict),
        Err(failure) => Outcome::NotValid(failure),
    })
}

fn read_data(path: &Path, arguments: &Arguments, certificate: &Certificate) -> Result<files::Data, String> {
    let (labels, column) = (arguments.labels.as_deref(), arguments.label_column.as_deref());
    let table = files::Table::read(path, labels, column)?;
    let rows = table.into_rows(&certificate.data);
    rows.map_err(|e| format!("{}: {e}", path.display()))
}

impl Outcome {
    fn code(&self) -> ExitCode {
        match self {
            Outcome::Valid(..) => ExitCode::SUCCESS,
            Outcome::NotValid(_) => ExitCode::from(1),
            Outcome::Unreadable(_) => ExitCode::from(2),
        }
    }

    fn status(&self) -> &'static str {
        match self {
            Outcome::Valid(..) => "valid",
            Outcome::NotValid(_) => "not valid",
            Outcome::Unreadable(_) => "unreadable",
        }
    }

    fn message(&self) -> String {
        match self {
            Outcome::Valid(certificate, verdict) => proven(certificate, verdict),
            Outcome::NotValid(failure) => failure.to_string(),
            Outcome::Unreadable(message) => message.clone(),
        }
    }

    fn text(&self) -> String {
        format!("{}: {}", self.status(), self.message())
    }

    fn json(&self) -> String {
        let verdict = match self {
            Outcome::Valid(_, verdict) => Some(verdict),
            _ => None,
        };
        json!({
            "status": self.status(),
            "certified_loss": verdict.map(|v| v.loss),
            "certified_error": verdict.and_then(|v| v.error),
            "certified_horizon": verdict.and_then(|v| v.horizon),
            "message": self.message(),
        })
        .to_string()
    }
}

/// What a valid certificate proves, in words.
fn proven(certificate: &Certificate, verdict: &Verdict) -> String {
    match &certificate.learner {
        Learner::Hinge(hinge) => {
            let mut text = format!(
                "against every adversary who sees everything and replaces each point with \
                 probability {} by any point of norm at most {}, the long-run average hinge loss \
                 of the learner (learning rate {}, regularization {}) on these {} rows is at most \
                 {}, its error at most {}",
                hinge.poison_rate,
                hinge.radius,
                hinge.learning_rate,
                hinge.regularization,
                certificate.data.rows,
                decimal_up(verdict.loss),
                decimal_up(verdict.error.unwrap_or(verdict.loss)),
            );
            if let Witness::BoundedRange { ball, .. } = certificate.loss.witness {
                let _ = write!(text, ", from any start of norm at most {ball}");
            }
            if let (Some(horizon), Some(bound)) = (&certificate.horizon, verdict.horizon) {
                let (steps, bound) = (horizon.steps, decimal_up(bound));
                let _ = write!(text, "; the average over the first {steps} steps is at most {bound}");
            }
            text + "."
        }
        Learner::Mean(mean) => format!(
            "against every adversary who sees everything and replaces each point with probability \
             {} by any point at a squared distance of at most {} from the mean, the long-run \
             average squared error of the mean estimate (learning rate {}, noise trace {}) is at \
             most {}.",
            mean.poison_rate,
            mean.squared_radius,
            mean.learning_rate,
            mean.noise_trace,
            decimal_up(verdict.loss),
        ),
    }
}

/// The number with six decimals, rounded up.
fn decimal_up(x: f64) -> String {
    let Ok(exact) = RBig::try_from(x) else {
        return x.to_string();
    };
    let millionths = (exact * RBig::from(1_000_000)).ceil();
    let sign = if millionths < IBig::ZERO { "-" } else { "" };
    let digits = format!("{:0>7}", millionths.to_string().trim_start_matches('-'));
    let (whole, fraction) = digits.split_at(digits.len() - 6);
    format!("{sign}{whole}.{fraction}")
}

#[cfg(test)]
mod tests {
    use super::decimal_up;

    #[test]
    fn decimals_are_rounded_up() {
        let cases = [
            (0.25, "0.250000"),
            (0.172_053_863_5, "0.172054"),
            (1e-9, "0.000001"),
            (0.0, "0.000000"),
            (12.5, "12.500000"),
            (-0.5, "-0.500000"),
            (0.1, "0.100001"), // the double 0.1 is a little more than 0.1
        ];
        for (x, text) in cases {
            assert_eq!(decimal_up(x), text);
        }
    }
}
