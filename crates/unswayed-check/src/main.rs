//! `unswayed-check`: verifies a certificate file against a data file.

mod files;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use unswayed_check::{Certificate, DataInfo, Evidence, LinearCertificate, Loss, Outcome, Rows};

const HELP: &str = "\
Verifies in exact arithmetic that a certificate proves what it claims about a data set.

Usage: unswayed-check CERTIFICATE [DATA...] [options]

DATA is an .npz file with the arrays x and y, or z, or chosen and rejected (and weight, if rows have
weights), an .npy file with the features, or a .csv file with a header row. It may be left out if the
certificate is about no rows, and is given once per dataset if the certificate is about drifting data.

Options:
  --labels FILE         .npy file with the labels, for .npy features
  --label-column NAME   label column of a .csv file [default: label]
  --target FILE         file with the target's rows, if the certificate has a target of its own
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
    target: Option<PathBuf>,
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
                Some("--target") => parsed.target = Some(value("--target")?.into()),
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
        if parsed.files.is_empty() {
            problem.get_or_insert("one certificate and one data file are needed".to_owned());
        }
        problem.map_or(Ok(parsed), |p| Err(format!("{p}; see unswayed-check --help")))
    }
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
    print(&format!("{text}\n"), outcome.code().into())
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
    if LinearCertificate::is_linear(&bytes) {
        let certificate = LinearCertificate::from_bytes(&bytes).map_err(|e| in_file(&e))?;
        return run_linear(arguments, certificate);
    }
    if arguments.files.len() > 2 || arguments.target.is_some() {
        return Err("one certificate and one data file are needed; see unswayed-check --help".to_owned());
    }
    let certificate = Certificate::from_bytes(&bytes).map_err(|e| in_file(&e))?;
    if certificate.data.rows == 0 && arguments.files.len() > 1 {
        return Err(unswayed_check::NO_ROWS.to_owned());
    }
    let data = match arguments.files.get(1) {
        Some(data) => read_data(data, arguments, &certificate.data, false)?,
        None if certificate.data.rows == 0 => {
            files::Data { z: vec![], dimension: certificate.data.dimension, weights: None }
        }
        None => return Err("the certificate is about data: a data file is needed".to_owned()),
    };
    Ok(Outcome::of(certificate, &data.rows()))
}

/// Judges a certificate about a linear learner, which may be about several files.
fn run_linear(arguments: &Arguments, certificate: LinearCertificate) -> Result<Outcome, String> {
    let paths = &arguments.files[1..];
    if paths.len() != certificate.data.len() {
        return Err(format!(
            "the certificate needs {} data files, not {}",
            certificate.data.len(),
            paths.len()
        ));
    }
    if arguments.target.is_some() != certificate.target.is_some() {
        let needs = if certificate.target.is_some() { "needs --target" } else { "has no target of its own" };
        return Err(format!("the certificate {needs}"));
    }
    let of_classes = matches!(certificate.learner.loss, Loss::Classes(_));
    let read = |(path, info): (&PathBuf, &DataInfo)| read_data(path, arguments, info, of_classes);
    let data = paths.iter().zip(&certificate.data).map(read).collect::<Result<Vec<_>, _>>()?;
    let target = arguments.target.iter().zip(&certificate.target).map(read).collect::<Result<Vec<_>, _>>()?;
    let rows: Vec<Rows> = data.iter().map(files::Data::rows).collect();
    let evidence = Evidence { data: &rows, target: target.first().map(files::Data::rows) };
    Ok(Outcome::of_linear(certificate, &evidence))
}

fn read_data(
    path: &Path,
    arguments: &Arguments,
    info: &DataInfo,
    of_classes: bool,
) -> Result<files::Data, String> {
    let (labels, column) = (arguments.labels.as_deref(), arguments.label_column.as_deref());
    let table = files::Table::read(path, labels, column)?;
    let rows = table.into_rows(info, of_classes);
    rows.map_err(|e| format!("{}: {e}", path.display()))
}
