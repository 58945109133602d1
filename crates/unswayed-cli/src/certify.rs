//! `unswayed certify`.

use std::fmt::Write;
use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Value, json};
use unswayed::attack::Attacked;
use unswayed::certify::{Options, Outcome, Status, certify};
use unswayed::{Dataset, Hinge, Threat};

use crate::args::{CertifyFlags, Method};
use crate::{Stop, attack, input, print};

pub fn run(flags: &CertifyFlags, as_json: bool) -> Result<ExitCode, Stop> {
    let (learner, threat) = input::setting(&flags.setting)?;
    let start = flags.start.as_deref().map(input::start).transpose()?;
    let data = input::dataset(&flags.data, &flags.read)?;
    let began = Instant::now();
    let Method::Convexity = flags.method;
    let outcome = certify(&data, &learner, &threat, &Options { horizon: flags.horizon, start })?;
    let seconds = began.elapsed().as_secs_f64();
    let path = input::output(flags.output.as_ref(), input::data_path(&flags.data));
    input::write(&path, &outcome.certificate.to_bytes(), "--output")?;
    let attacked = attack::strongest(&data, &learner, &threat, flags.attacks, flags.setting.seed)?;
    let path = path.display().to_string();
    if as_json {
        let mut object = to_json(&outcome, attacked.as_ref(), &data, &learner, &threat, seconds);
        object["certificate"] = path.into();
        print::json(&object);
    } else {
        let text = describe(&outcome, attacked.as_ref(), &data, &learner, &threat);
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

fn describe(
    outcome: &Outcome,
    attacked: Option<&Attacked>,
    data: &Dataset,
    learner: &Hinge,
    threat: &Threat,
) -> String {
    let mut rows = vec![
        vec!["data".into(), input::describe(data)],
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
    if let Some(attacked) = attacked {
        let simulated = &attacked.simulated;
        let text = format!(
            "{}  reached by {} (± {}, {}), error {}",
            print::down(simulated.loss.mean),
            attacked.attack.name(),
            print::up(simulated.loss.half_width),
            simulated.verdict.word(),
            simulated.error.map_or(String::new(), |e| print::down(e.mean)),
        );
        rows.insert(7, vec!["attack loss".into(), text]);
        rows.insert(
            8,
            vec!["gap".into(), format!("{:.2}    certified loss / attack loss", gap(outcome, attacked))],
        );
    }
    if let (Some(horizon), Some(bound)) = (&outcome.certificate.horizon, outcome.horizon_loss) {
        let text = format!("{}  bounds the average over the first {} steps", print::up(bound), horizon.steps);
        rows.push(vec!["horizon loss".into(), text]);
    }
    let method = outcome.certificate.loss.witness.method();
    rows.push(vec!["method".into(), format!("{method}, verified in exact arithmetic")]);
    print::list(&rows)
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
