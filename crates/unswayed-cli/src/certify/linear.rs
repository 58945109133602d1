//! `unswayed certify` for all linear learners but the hinge learner against a ball.

use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Value, json};
use unswayed::Dataset;
use unswayed::certify::linear::{LinearOptions, LinearOutcome, certify_linear};
use unswayed::check::{Loss, Set, Target};
use unswayed_report::about::{LinearSubject, linear_lines, linear_report, loss_name};

use super::{check_command, list, start};
use crate::args::{CertifyFlags, Method};
use crate::learner::{Flags, Task};
use crate::progress::Busy;
use crate::{Stop, input, print, report};

pub fn run(flags: &CertifyFlags, as_json: bool) -> Result<ExitCode, Stop> {
    if flags.method != Method::Convexity {
        return Err(Stop("--method is for the hinge learner against a ball; leave it out".into()));
    }
    let start = start(flags)?;
    let task = asked(flags).task()?;
    let data: Vec<&Dataset> = task.data.iter().collect();
    let options = LinearOptions {
        target: task.target.as_ref(),
        horizon: flags.horizon,
        start,
        confidence: flags.confidence,
    };
    let began = Instant::now();
    let outcome = {
        let _busy = Busy::with("searching a bound");
        certify_linear(&data, &task.learner, &options)?
    };
    let seconds = began.elapsed().as_secs_f64();
    let path = input::output(flags.output.as_ref(), input::data_path(&flags.data));
    input::write(&path, &outcome.certificate.to_bytes(), "--output")?;
    let path = path.display().to_string();
    let verify = verify_command(flags, &task, &path);
    let subject = LinearSubject { data: &data, target: task.target.as_ref(), learner: &task.learner };
    if let Some(folder) = &flags.report {
        let _busy = Busy::with("bounding at other poison rates");
        let report = linear_report(&subject, &outcome, report::command_line(), verify.clone())?;
        report::write(&report, folder)?;
    }
    if as_json {
        print::json(&to_json(flags, &task, &outcome, seconds, &path));
    } else {
        let text = list(linear_lines(&subject, &outcome));
        print::text(&format!("{text}certificate      {path}\nverify with      {verify}\n"));
    }
    Ok(ExitCode::SUCCESS)
}

fn asked(flags: &CertifyFlags) -> Flags<'_> {
    let CertifyFlags { data, read, setting, learner, confidence, .. } = flags;
    Flags { data, read, setting, learner, confidence: *confidence }
}

/// The command that verifies the certificate; it names the target if that has rows of its own.
fn verify_command(flags: &CertifyFlags, task: &Task, certificate: &str) -> String {
    let command = check_command(flags, certificate);
    match (&flags.learner.target, &task.target) {
        (Some(path), Some(_)) => format!("{command} --target {}", report::quote(&path.display().to_string())),
        _ => command,
    }
}

/// The outcome for machines: what there is to say of the hinge learner, and what is new.
fn to_json(flags: &CertifyFlags, task: &Task, outcome: &LinearOutcome, seconds: f64, path: &str) -> Value {
    let Task { data, learner, .. } = task;
    let step = &learner.step;
    let classes = match learner.loss {
        Loss::Classes(classes) => Some(classes),
        _ => None,
    };
    json!({
        "status": outcome.status.word(),
        "method": outcome.certificate.loss.witness.method.name(),
        "certified_loss": outcome.certified_loss,
        "certified_error": outcome.certified_error,
        "confidence": flags.confidence,
        "confident_loss": outcome.confident_loss,
        "rows": data.iter().map(Dataset::rows).sum::<usize>(),
        "dimension": data[0].dimension() - usize::from(classes.is_some()),
        "datasets": data.len(),
        "classes": classes,
        "target": match learner.target { Target::Data => "data", Target::Weights(_) => "weights", Target::Rows => "rows" },
        "loss_function": loss_name(learner.loss),
        "adversary": flags.learner.adversary.name(),
        "learning_rate": learner.learning_rate,
        "regularization": learner.regularization,
        "poison_rate": learner.poison_rate,
        "radius": match learner.set { Set::Ball { radius } => Some(radius), _ => None },
        "batch": step.batch,
        "projection": step.projection,
        "clip": step.clip,
        "bias": step.free.first().map(|coordinate| coordinate + 1),
        "horizon": outcome.certificate.horizon.as_ref().map(|h| h.steps),
        "horizon_loss": outcome.horizon_loss,
        "transient_steps": outcome.transient_steps,
        "seconds": seconds,
        "certificate": path,
    })
}
