//! `unswayed-check`: verifies a certificate file against data files.

use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;

use unswayed_check::{Checked, Files};

const HELP: &str = "\
Verifies in exact arithmetic that a certificate proves what it claims about the rows of data files.

Usage: unswayed-check CERTIFICATE [DATA...] [options]

DATA is what the certificate was made from: .npz, .npy, .csv or .parquet, one file for each dataset, none if
the certificate is about a covariance trace. How its rows are made is in the certificate.

Options:
  --labels FILE     .npy file with the labels, for .npy features [default: …y.npy beside …x.npy]
  --target FILE     file with the target's rows, if the certificate has a target of its own
  --memory SIZE     read .npy and .parquet files that are larger in parts, if the certificate is a compact one
                    [default: 2GB]
  --expect WHAT     also require this of the statement, such as threat.poison_rate>=0.02 (may be repeated)
  --json            print one JSON object
  --help            print this text
  --version         print the version

Exit code: 0 valid, 1 not valid or not what --expect asks for, 2 something could not be read or written.
";

/// The command line.
#[derive(Default)]
struct Arguments {
    files: Files,
    expected: Vec<String>,
    json: bool,
    help: bool,
    version: bool,
}

impl Arguments {
    fn parse(mut arguments: impl Iterator<Item = std::ffi::OsString>) -> Result<Self, String> {
        let mut parsed = Arguments::default();
        let mut named = 0;
        while let Some(argument) = arguments.next() {
            let mut value = || {
                let next = arguments.next().filter(|next| !next.to_string_lossy().starts_with("--"));
                next.ok_or_else(|| format!("{} needs a value", argument.display()))
            };
            match argument.to_str() {
                Some("--labels") => parsed.files.labels = Some(value()?.into()),
                Some("--target") => parsed.files.target = Some(value()?.into()),
                Some("--memory") => {
                    let text = value()?.to_string_lossy().into_owned();
                    let wrong = || format!("--memory {text}: it is a number of bytes, such as 500MB or 2GB");
                    parsed.files.memory = Some(unswayed_check::bytes_of(&text).ok_or_else(wrong)?);
                }
                Some("--expect") => parsed.expected.push(value()?.to_string_lossy().into_owned()),
                Some("--json") => parsed.json = true,
                Some("--help" | "-h") => parsed.help = true,
                Some("--version" | "-V") => parsed.version = true,
                Some(flag) if flag.starts_with("--") => {
                    return Err(format!("unknown option {flag}; see unswayed-check --help"));
                }
                _ => {
                    named += 1;
                    match named {
                        1 => parsed.files.certificate = argument.into(),
                        _ => parsed.files.data.push(argument.into()),
                    }
                }
            }
        }
        let is_complete = named > 0 || parsed.help || parsed.version;
        if is_complete { Ok(parsed) } else { Err("name a certificate; see unswayed-check --help".to_owned()) }
    }
}

fn main() -> ExitCode {
    let wants_json = std::env::args_os().any(|argument| argument == "--json");
    let checked = match Arguments::parse(std::env::args_os().skip(1)) {
        Ok(arguments) if arguments.help => return print(HELP, ExitCode::SUCCESS),
        Ok(arguments) if arguments.version => {
            return print(concat!("unswayed-check ", env!("CARGO_PKG_VERSION"), "\n"), ExitCode::SUCCESS);
        }
        Ok(arguments) => arguments.files.check().expect(&arguments.expected),
        Err(message) => Checked::Unreadable(message),
    };
    let text = if wants_json { format!("{}\n", checked.json()) } else { checked.text() };
    print(&text, checked.code().into())
}

/// Writes to standard output. That nobody reads it is no reason to fail; a verdict that got lost, on a full disk, is.
fn print(text: &str, code: ExitCode) -> ExitCode {
    let mut out = std::io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => ExitCode::from(2),
        _ => code,
    }
}
