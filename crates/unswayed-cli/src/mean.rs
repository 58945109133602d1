//! `unswayed mean`.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use serde_json::json;
use unswayed::attack::{Effort, MeanLearner, attack_mean};
use unswayed::certify::{MeanOutcome, MeanSetting, certify_mean};
use unswayed::data::{LabelPolicy, Options, Source, load};
use unswayed::simulate::Estimate;

use crate::args::MeanFlags;
use crate::{Stop, input, print};

pub fn run(flags: &MeanFlags, as_json: bool) -> Result<ExitCode, Stop> {
    let MeanFlags { learning_rate, poison_rate, squared_radius, noise_trace, .. } = *flags;
    let began = Instant::now();
    let mut pushed = None;
    let outcome = if let Some(path) = &flags.samples {
        let options = Options { labels: LabelPolicy::Absent, rows: flags.rows, ..Options::default() };
        let samples = load(&Source::path(path), &options)?;
        let outcome =
            MeanOutcome::of_samples(&samples, learning_rate, poison_rate, squared_radius, noise_trace)?;
        // The simulated learner adds no noise, and an adversary who sends every point needs no simulation.
        if noise_trace == 0.0 && poison_rate < 1.0 {
            pushed = Some(
                attack_mean(
                    &samples,
                    &MeanLearner::plain(learning_rate),
                    poison_rate,
                    squared_radius,
                    Effort::Fast,
                    0,
                )?
                .loss,
            );
        }
        outcome
    } else {
        let trace = flags.covariance_trace.unwrap_or_default();
        certify_mean(&MeanSetting::new(learning_rate, poison_rate, squared_radius, trace, noise_trace)?)?
    };
    let seconds = began.elapsed().as_secs_f64();
    let named = flags.samples.as_deref().unwrap_or(Path::new("mean"));
    let path = input::output(flags.output.as_ref(), named);
    input::write(&path, &outcome.certificate.to_bytes(), "--output")?;
    let attack = Attack::stronger(&outcome, pushed);
    let (path, rows) = (path.display().to_string(), &outcome.certificate.data);
    if as_json {
        print::json(&json!({
            "status": "certified",
            "method": outcome.certificate.loss.witness.method(),
            "certified_loss": outcome.certified_loss,
            "certified_error": null,
            "benign_loss": outcome.benign_loss,
            "attack": attack.name,
            "attack_loss": attack.loss,
            "attack_loss_interval": attack.interval,
            "gap": outcome.certified_loss / attack.loss,
            "rows": rows.rows,
            "dimension": rows.dimension,
            "learning_rate": learning_rate,
            "poison_rate": poison_rate,
            "squared_radius": squared_radius,
            "noise_trace": noise_trace,
            "transient_steps": outcome.transient_steps,
            "seconds": seconds,
            "certificate": path,
        }));
    } else {
        print::text(&describe(&outcome, &attack, &path));
    }
    Ok(ExitCode::SUCCESS)
}

/// The stronger of the two attacks on a mean.
struct Attack {
    name: &'static str,
    loss: f64,
    interval: Option<[f64; 2]>,
    explained: String,
}

impl Attack {
    fn stronger(outcome: &MeanOutcome, pushed: Option<Estimate>) -> Attack {
        match pushed {
            Some(loss) if loss.mean > outcome.attack_loss => Attack {
                name: "outward",
                loss: loss.mean,
                interval: Some([loss.low(), loss.high()]),
                explained: format!(
                    "reached by pushing outward, simulated (± {})",
                    print::up(loss.half_width)
                ),
            },
            _ => Attack {
                name: "constant",
                loss: outcome.attack_loss,
                interval: None,
                explained: "what one constant point reaches, exactly".into(),
            },
        }
    }
}

fn describe(outcome: &MeanOutcome, attack: &Attack, path: &str) -> String {
    format!(
        "status          certified\n\
         certified loss  {}  no adversary gets the long-run mean of ‖θ − μ‖² above this\n\
         attack loss     {}  {}\n\
         gap             {:.2}    certified loss / attack loss\n\
         benign loss     {}  without an adversary, exactly\n\
         transient       {} steps until a start at the adversary's radius adds less than 1 %\n\
         method          {}, verified in exact arithmetic\n\
         certificate     {path}\n",
        print::up(outcome.certified_loss),
        print::down(attack.loss),
        attack.explained,
        outcome.certified_loss / attack.loss,
        print::down(outcome.benign_loss),
        print::steps(outcome.transient_steps),
        outcome.certificate.loss.witness.method(),
    )
}
