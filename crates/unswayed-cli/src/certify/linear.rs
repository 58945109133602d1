//! `unswayed certify` for all linear learners but the hinge learner against a ball.

use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Value, json};
use unswayed::Dataset;
use unswayed::certify::linear::{LinearOptions, LinearOutcome, certify_linear};
use unswayed_report::about::{Beside, LinearSubject, linear_lines, linear_report};

use super::{check_command, start};
use crate::args::{CertifyFlags, Method};
use crate::learner::{Flags, Task};
use crate::progress::Busy;
use crate::{Stop, attack, input, print, report};

pub fn run(flags: &CertifyFlags, as_json: bool) -> Result<ExitCode, Stop> {
    if flags.method != Method::Convexity {
        return Err(Stop("--method is for the hinge learner against a ball; leave it out".into()));
    }
    let start = start(flags)?;
    let mut task = asked(flags).task()?;
    let (outcome, seconds) = certify(flags, &task, start)?;
    if flags.confidence.is_some() {
        // The other half chose the numbers; the certificate is about this one.
        task.data = vec![task.data[0].first(outcome.certificate.data[0].rows)?];
    }
    let data: Vec<&Dataset> = task.data.iter().collect();
    let path = input::output(flags.output.as_ref(), input::data_path(&flags.data));
    input::write(&path, &outcome.certificate.to_bytes(), "--output")?;
    let (benign, attacked) = attack::linear::beside(&data, &task, flags.attacks, flags.setting.seed)?;
    let beside = Beside { benign: &benign, attacked: attacked.as_ref() };
    let path = path.display().to_string();
    let verify = verify_command(flags, &task, &path);
    let subject = LinearSubject { data: &data, target: task.target.as_ref(), learner: &task.learner };
    if let Some(folder) = &flags.report {
        let _busy = Busy::with("bounding at other poison rates");
        let report = linear_report(&subject, &outcome, &beside, report::command_line(), verify.clone())?;
        report::write(&report, folder)?;
    }
    if as_json {
        let mut object = to_json(flags, &task, &outcome, &beside);
        object["seconds"] = seconds.into();
        object["certificate"] = path.into();
        print::json(&object);
    } else {
        let text = print::lines(linear_lines(&subject, &outcome, &beside));
        print::text(&format!("{text}certificate      {path}\nverify with      {verify}\n"));
    }
    Ok(ExitCode::SUCCESS)
}

/// The certificate, and the seconds it took.
fn certify(flags: &CertifyFlags, task: &Task, start: Option<Vec<f64>>) -> Result<(LinearOutcome, f64), Stop> {
    let data: Vec<&Dataset> = task.data.iter().collect();
    let CertifyFlags { horizon, confidence, .. } = *flags;
    let options = LinearOptions { target: task.target.as_ref(), horizon, start, confidence };
    let _busy = Busy::with("searching a bound");
    let began = Instant::now();
    let outcome = certify_linear(&data, &task.learner, &options)?;
    Ok((outcome, began.elapsed().as_secs_f64()))
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
fn to_json(flags: &CertifyFlags, task: &Task, outcome: &LinearOutcome, beside: &Beside) -> Value {
    let mut object = task.to_json(&flags.learner);
    let attacked = beside.attacked.map(attack::to_json);
    let of_attack = |field: &str| attacked.as_ref().map(|attacked| attacked[field].clone());
    let figures = json!({
        "status": outcome.status.word(),
        "method": outcome.certificate.loss.witness.method.name(),
        "certified_loss": outcome.certified_loss,
        "certified_error": outcome.certified_error,
        "confidence": flags.confidence,
        "confident_loss": outcome.confident_loss,
        "benign_loss": beside.benign.loss,
        "benign_error": beside.benign.error,
        "attack": of_attack("attack"),
        "attack_loss": of_attack("attack_loss"),
        "attack_loss_interval": of_attack("attack_loss_interval"),
        "attack_error": of_attack("attack_error"),
        "verdict": of_attack("verdict"),
        "gap": beside.attacked.map(|a| outcome.certified_loss / a.simulated.loss.mean),
        "horizon": outcome.certificate.horizon.as_ref().map(|h| h.steps),
        "horizon_loss": outcome.horizon_loss,
        "transient_steps": outcome.transient_steps,
    });
    if let (Some(object), Value::Object(figures)) = (object.as_object_mut(), figures) {
        object.extend(figures);
    }
    object
}
