//! The command `unswayed`: reads files and flags, calls the library, prints. No mathematics here.

mod args;
mod attack;
mod certify;
mod check;
mod demo;
mod design;
#[cfg(feature = "onnx")]
mod encode;
mod errors;
mod examples;
mod input;
mod mean;
mod output;
mod prepare;
mod prepare_table;
mod prepare_text;
mod print;
mod problem;
mod progress;
mod report;
mod reproduce;
mod tolerate;
mod watch;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Arguments, Command};

/// What ends a command early: a message for the user.
struct Stop(String);

impl<E: std::error::Error + 'static> From<E> for Stop {
    fn from(error: E) -> Self {
        Stop(errors::message(&error))
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(threads) = arguments.threads {
        // Fails only if a pool exists already, and none does.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    }
    match run(&arguments) {
        Ok(code) => code,
        Err(Stop(message)) => {
            if arguments.json {
                print::json(&serde_json::json!({ "status": "invalid input", "message": message }));
            }
            print::error(&message);
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode, Stop> {
    match &arguments.command {
        None => demo::run(arguments.json),
        Some(Command::Certify(flags)) => certify::run(flags, arguments.json),
        Some(Command::Attack(flags)) => attack::run(flags, arguments.json),
        Some(Command::Check(flags)) => Ok(check::run(flags, arguments.json)),
        Some(Command::Design(flags)) => design::run(flags, arguments.json),
        Some(Command::Tolerate(flags)) => tolerate::run(flags, arguments.json),
        Some(Command::Watch(flags)) => watch::run(flags, arguments.json),
        Some(Command::Prepare(flags)) => prepare::run(flags, arguments.json),
        Some(Command::Reproduce(flags)) => reproduce::run(flags, arguments.json),
        Some(Command::Report(flags)) => report::run(flags, arguments.json),
        Some(Command::Mean(flags)) => mean::run(flags, arguments.json),
        Some(Command::Completions { shell }) => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Arguments::command(), "unswayed", &mut script);
            print::text(&String::from_utf8_lossy(&script));
            Ok(ExitCode::SUCCESS)
        }
    }
}
