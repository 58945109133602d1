//! `unswayed certify`.

use std::fmt::Write;
use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Value, json};
use unswayed::certify::{Options, Outcome, Status, certify};
use unswayed::{Dataset, Hinge, Threat};

use crate::args::{CertifyFlags, Method};
use crate::{Stop, input, print};

pub fn run(flags: &CertifyFlags, as_json: bool) -> Result<ExitCode, Stop> {
    let learner = Hinge::new(flags.learning_rate, flags.regularization)?;
    let threat = Threat::new(flags.poison_rate)?.with_radius(flags.radius)?;
    let start = flags.start.as_deref().map(input::start).transpose()?;
    let data = input::dataset(&flags.data, &flags.read)?;
    let began = Instant::now();
    let Method::Convexity = flags.method;
    let outcome = certify(&data, &learner, &threat, &Options { horizon: flags.horizon, start })?;
    let seconds = began.elapsed().as_secs_f64();
    let path = input::output(flags.output.as_ref(), input::data_path(&flags.data));
    input::write(&path, &outcome.certificate.to_bytes())?;
    let path = path.display().to_string();
    if as_json {
        let mut object = to_json(&outcome, &data, &learner, &threat, seconds);
        object["certificate"] = path.into();
        print::json(&object);
    } else {
        let text = describe(&outcome, &data, &learner, &threat);
        let verify = check_command(flags, &path);
        print::text(&format!("{text}certificate      {path}\nverify with      {verify}\n"));
    }
    Ok(ExitCode::SUCCESS)
}

/// The command that verifies the certificate.
fn check_command(flags: &CertifyFlags, certificate: &str) -> String {
    let mut command = format!("unswayed check {certificate} {}", input::data_path(&flags.data).display());
    if let Some(labels) = &flags.data.labels {
        let _ = write!(command, " --labels {}", labels.display());
    }
    if let Some(column) = &flags.data.label_column {
        let _ = write!(command, " --label-column {column}");
    }
    command
}

/// The outcome for machines.
pub fn to_json(outcome: &Outcome, data: &Dataset, learner: &Hinge, threat: &Threat, seconds: f64) -> Value {
    json!({
        "status": outcome.status.word(),
        "method": outcome.certificate.loss.witness.method(),
        "certified_loss": outcome.certified_loss,
        "certified_error": outcome.certified_error,
        "benign_loss": outcome.benign.loss,
        "benign_error": outcome.benign.error,
        "attack_loss": null,
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
    })
}

fn describe(outcome: &Outcome, data: &Dataset, learner: &Hinge, threat: &Threat) -> String {
    let mut rows = vec![
        vec!["data".into(), describe_data(data)],
        vec![
            "learner".into(),
            format!(
                "hinge, learning rate {}, regularization {}",
                learner.learning_rate(),
                learner.regularization()
            ),
        ],
        vec![
            "threat".into(),
            format!(
                "{} of the points are the adversary's, any point of norm up to {}",
                print::percent(threat.poison_rate()),
                threat.radius()
            ),
        ],
        vec![String::new()],
        vec!["status".into(), explain(outcome.status)],
        vec![
            "certified loss".into(),
            format!(
                "{}  no adversary gets the long-run hinge loss above this",
                print::up(outcome.certified_loss)
            ),
        ],
        vec![
            "certified error".into(),
            format!("{}  nor the fraction misclassified above this", print::up(outcome.certified_error)),
        ],
        vec![
            "benign loss".into(),
            format!("{}  without an adversary, for small learning rates", print::down(outcome.benign.loss)),
        ],
        vec![
            "transient".into(),
            format!("{} steps until the start adds less than 1 %", print::steps(outcome.transient_steps)),
        ],
    ];
    if let (Some(horizon), Some(bound)) = (&outcome.certificate.horizon, outcome.horizon_loss) {
        let text = format!("{}  bounds the average over the first {} steps", print::up(bound), horizon.steps);
        rows.push(vec!["horizon loss".into(), text]);
    }
    let method = outcome.certificate.loss.witness.method();
    rows.push(vec!["method".into(), format!("{method}, verified in exact arithmetic")]);
    rows.iter()
        .map(|row| {
            format!("{:<15}  {}", row[0], row.get(1).map_or("", String::as_str)).trim_end().to_owned() + "\n"
        })
        .collect()
}

fn describe_data(data: &Dataset) -> String {
    let origin = data.provenance();
    let mut text = format!("{}: {} rows, {} columns", origin.name, data.rows(), data.dimension());
    if origin.first_rows {
        text.push_str(" (the first rows of the file)");
    }
    if let Some((negative, positive)) = &origin.labels {
        let _ = write!(text, "; label {negative} is −1, {positive} is +1");
    } else if origin.scores {
        text.push_str("; labels are real scores");
    }
    if let Some(scale) = origin.scale {
        let _ = write!(text, "; rows divided by {scale}");
    }
    text
}

fn explain(status: Status) -> String {
    match status {
        Status::Certified => "certified".into(),
        Status::Vacuous => {
            "vacuous: proven, but no better than 1, the loss of a model that never learns".into()
        }
        Status::NotConverged => "not converged: proven, but a better bound may exist".into(),
    }
}
