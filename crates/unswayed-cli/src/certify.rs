//! `unswayed certify`.

mod linear;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Value, json};
use unswayed::attack::Attacked;
use unswayed::certify::{Options, Outcome, certify, paper};
use unswayed::{CertifyError, Dataset, Hinge, Threat};
use unswayed_report::about::{Subject, certificate_lines, certify_report};

use crate::args::{CertifyFlags, Method};
use crate::{Stop, attack, input, learner, print, report};

/// What one method gave, and the seconds it took.
struct Attempt {
    method: &'static str,
    outcome: Result<Outcome, CertifyError>,
    seconds: f64,
}

pub fn run(flags: &CertifyFlags, as_json: bool) -> Result<ExitCode, Stop> {
    let path = input::output(flags.output.as_ref(), input::data_path(&flags.data));
    let inputs = input::learner_files(&flags.data, &flags.learner);
    let inputs =
        inputs.iter().chain(flags.start.as_ref().map(PathBuf::from).as_ref()).cloned().collect::<Vec<_>>();
    input::keep_inputs(&path, "--output", &inputs)?;
    if let Some(folder) = &flags.report {
        input::keep_inputs(folder, "--report", &inputs)?;
    }
    if !flags.learner.is_plain() || flags.confidence.is_some() {
        return linear::run(flags, as_json);
    }
    let (learner, threat) = input::setting(&flags.setting)?;
    let start = start(flags)?;
    let data = input::dataset(&flags.data, &flags.read)?;
    let options = Options { horizon: flags.horizon, start };
    let attempts = attempts(flags.method, &data, &learner, &threat, &options);
    let (outcome, seconds) = best(&attempts)?;
    input::write(&path, &outcome.certificate.to_bytes(), "--output")?;
    let attacked = attack::strongest(&data, &learner, &threat, flags.attacks, flags.setting.seed)?;
    let path = path.display().to_string();
    let subject = Subject { data: &data, learner, threat, seed: flags.setting.seed };
    if let Some(folder) = &flags.report {
        let (command, verify) = (report::command_line(), check_command(flags, &path));
        report::write(&certify_report(&subject, outcome, attacked.as_ref(), command, verify)?, folder)?;
    }
    if as_json {
        let mut object = to_json(outcome, attacked.as_ref(), &data, &learner, &threat, seconds);
        object["certificate"] = path.into();
        if flags.method == Method::All {
            object["methods"] = attempts.iter().map(Attempt::to_json).collect();
        }
        print::json(&object);
    } else {
        let text = print::lines(certificate_lines(&subject, outcome, attacked.as_ref()));
        let verify = check_command(flags, &path);
        let table = if flags.method == Method::All { compare(&attempts) } else { String::new() };
        print::text(&format!("{text}certificate      {path}\nverify with      {verify}\n{table}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs the methods that are asked for.
fn attempts(
    method: Method,
    data: &Dataset,
    learner: &Hinge,
    threat: &Threat,
    options: &Options,
) -> Vec<Attempt> {
    let mut attempts = vec![];
    if method != Method::Paper {
        let convexity = || certify(data, learner, threat, options);
        attempts.push(Attempt::of("convexity", convexity));
    }
    if method != Method::Convexity {
        let progress = print::progress("paper");
        let paper = || paper::certify(data, learner, threat, options, progress.as_ref());
        attempts.push(Attempt::of("paper", paper));
        print::clear_progress();
    }
    attempts
}

/// The smallest bound and its seconds; if there is none, why.
fn best(attempts: &[Attempt]) -> Result<(&Outcome, f64), Stop> {
    let found = attempts.iter().filter_map(|a| Some((a.outcome.as_ref().ok()?, a.seconds)));
    let smallest = found.min_by(|(a, _), (b, _)| a.certified_loss.total_cmp(&b.certified_loss));
    smallest.ok_or_else(|| match attempts.first().map(|a| &a.outcome) {
        Some(Err(error)) => Stop(error.to_string()),
        _ => Stop("no method was tried".into()),
    })
}

impl Attempt {
    fn of(method: &'static str, run: impl FnOnce() -> Result<Outcome, CertifyError>) -> Attempt {
        let began = Instant::now();
        let outcome = run();
        Attempt { method, outcome, seconds: began.elapsed().as_secs_f64() }
    }

    fn to_json(&self) -> Value {
        let Attempt { method, outcome, seconds } = self;
        match outcome {
            Ok(outcome) => json!({
                "method": method,
                "status": outcome.status.word(),
                "certified_loss": outcome.certified_loss,
                "certified_error": outcome.certified_error,
                "seconds": seconds,
            }),
            Err(error) => json!({ "method": method, "status": "failed", "message": error.to_string() }),
        }
    }

    fn cells(&self) -> Vec<String> {
        match &self.outcome {
            Ok(outcome) => vec![
                self.method.into(),
                print::up(outcome.certified_loss),
                print::up(outcome.certified_error),
                format!("{:.3}", self.seconds),
            ],
            Err(error) => vec![self.method.into(), error.to_string()],
        }
    }
}

/// The methods side by side.
fn compare(attempts: &[Attempt]) -> String {
    let header = ["method", "certified loss", "certified error", "seconds"].map(str::to_owned).to_vec();
    let (failed, done): (Vec<_>, Vec<_>) = attempts.iter().partition(|a| a.outcome.is_err());
    let rows: Vec<_> = std::iter::once(header).chain(done.iter().map(|a| a.cells())).collect();
    let failed: String = failed.iter().map(|a| a.cells().join(": ") + "\n").collect();
    format!("\n{}{failed}", print::table(&rows))
}

/// θ_0, if it is given.
fn start(flags: &CertifyFlags) -> Result<Option<Vec<f64>>, Stop> {
    flags.start.as_deref().map(|text| input::vector(text, "--start")).transpose()
}

/// The command that verifies the certificate.
fn check_command(flags: &CertifyFlags, certificate: &str) -> String {
    let quoted = |path: &Path| report::quote(&path.display().to_string());
    let mut command = format!("unswayed check {}", report::quote(certificate));
    for path in learner::paths(&flags.data, &flags.learner) {
        let _ = write!(command, " {}", quoted(path));
    }
    if let Some(labels) = &flags.data.labels {
        let _ = write!(command, " --labels {}", quoted(labels));
    }
    if let Some(column) = &flags.data.label_column {
        let _ = write!(command, " --label-column {}", report::quote(column));
    }
    command
}

/// The outcome for machines.
pub fn to_json(
    outcome: &Outcome,
    attacked: Option<&Attacked>,
    data: &Dataset,
    learner: &Hinge,
    threat: &Threat,
    seconds: f64,
) -> Value {
    let mut object = json!({
        "status": outcome.status.word(),
        "method": outcome.certificate.loss.witness.method(),
        "certified_loss": outcome.certified_loss,
        "certified_error": outcome.certified_error,
        "benign_loss": outcome.benign.loss,
        "benign_error": outcome.benign.error,
        "attack": null,
        "attack_loss": null,
        "attack_error": null,
        "gap": null,
        "rows": data.rows(),
        "dimension": data.dimension(),
        "learning_rate": learner.learning_rate(),
        "regularization": learner.regularization(),
        "poison_rate": threat.poison_rate(),
        "radius": threat.radius(),
        "horizon": outcome.certificate.horizon.as_ref().map(|h| h.steps),
        "horizon_loss": outcome.horizon_loss,
        "transient_steps": outcome.transient_steps,
        "seconds": seconds,
        "certificate": null,
    });
    if let (Some(attacked), Some(fields)) = (attacked, object.as_object_mut()) {
        for field in ["attack", "attack_loss", "attack_loss_interval", "attack_error", "verdict"] {
            fields.insert(field.into(), attack::to_json(attacked)[field].clone());
        }
        fields.insert("gap".into(), gap(outcome, attacked).into());
    }
    object
}

/// certified loss / attack loss.
pub fn gap(outcome: &Outcome, attacked: &Attacked) -> f64 {
    outcome.certified_loss / attacked.simulated.loss.mean
}
