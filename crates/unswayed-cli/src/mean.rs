//! `unswayed mean`.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use serde_json::json;
use unswayed::CertifyError;
use unswayed::attack::{Effort, MeanLearner, attack_mean};
use unswayed::certify::paper::{self, MeanMoments};
use unswayed::certify::{MeanOutcome, MeanSetting, certify_mean};
use unswayed::data::{LabelPolicy, Options, Source, load};
use unswayed::simulate::Estimate;
use unswayed_check::decimal_up;

use crate::args::{MeanFlags, MeanMethod};
use crate::{Stop, input, print};

/// What one method gave, and the seconds it took.
struct Attempt {
    method: &'static str,
    outcome: MeanOutcome,
    seconds: f64,
}

/// The closed form's outcome and what the paper's program needs to know.
struct Prepared {
    closed: MeanOutcome,
    setting: MeanSetting,
    moments: MeanMoments,
    pushed: Option<Estimate>,
}

/// Certifies in closed form, which is what every method stands on.
fn prepare(flags: &MeanFlags) -> Result<Prepared, Stop> {
    let MeanFlags { learning_rate, poison_rate, squared_radius, noise_trace, .. } = *flags;
    let Some(path) = &flags.samples else {
        let trace = flags.covariance_trace.unwrap_or_default();
        let setting = MeanSetting::new(learning_rate, poison_rate, squared_radius, trace, noise_trace)?;
        let moments = MeanMoments::of_traces(trace, noise_trace);
        return Ok(Prepared { closed: certify_mean(&setting)?, setting, moments, pushed: None });
    };
    let options = Options { labels: LabelPolicy::Absent, rows: flags.rows, ..Options::default() };
    let samples = load(&Source::path(path), &options)?;
    let setting = MeanSetting::of_samples(&samples, learning_rate, poison_rate, squared_radius, noise_trace)?;
    let closed = MeanOutcome::of_samples(&samples, learning_rate, poison_rate, squared_radius, noise_trace)?;
    // The simulated learner adds no noise, and an adversary who sends every point needs no simulation.
    let pushed = if noise_trace == 0.0 && poison_rate < 1.0 {
        let learner = MeanLearner::plain(learning_rate);
        Some(attack_mean(&samples, &learner, poison_rate, squared_radius, Effort::Fast, 0)?.loss)
    } else {
        None
    };
    let wanted = flags.method != MeanMethod::ClosedForm && samples.dimension() <= paper::MOST_COLUMNS;
    let moments = if wanted {
        MeanMoments::of_samples(&samples, noise_trace)
    } else {
        MeanMoments::of_traces(0.0, 0.0)
    };
    if flags.method != MeanMethod::ClosedForm && !wanted {
        let (rows, columns) = (samples.rows(), samples.dimension());
        return Err(CertifyError::TooLarge { rows, columns }.into());
    }
    Ok(Prepared { closed, setting, moments, pushed })
}

/// Runs the methods that are asked for.
fn attempts(flags: &MeanFlags, prepared: &Prepared, seconds: f64) -> Result<Vec<Attempt>, Stop> {
    let mut attempts = vec![];
    if flags.method != MeanMethod::Paper {
        let outcome = prepared.closed.clone();
        attempts.push(Attempt { method: "closed-form", outcome, seconds });
    }
    if flags.method != MeanMethod::ClosedForm {
        let (began, progress) = (Instant::now(), print::progress("paper"));
        let Prepared { closed, setting, moments, .. } = prepared;
        let outcome = paper::certify_mean(closed.clone(), setting, moments, progress.as_ref());
        print::clear_progress();
        attempts.push(Attempt { method: "paper", outcome: outcome?, seconds: began.elapsed().as_secs_f64() });
    }
    Ok(attempts)
}

/// The methods side by side.
fn compare(attempts: &[Attempt]) -> String {
    let header = ["method", "certified loss", "seconds"].map(str::to_owned).to_vec();
    let cells = |a: &Attempt| {
        vec![a.method.into(), decimal_up(a.outcome.certified_loss, 9), format!("{:.3}", a.seconds)]
    };
    let rows: Vec<_> = std::iter::once(header).chain(attempts.iter().map(cells)).collect();
    format!("\n{}", print::table(&rows))
}

pub fn run(flags: &MeanFlags, as_json: bool) -> Result<ExitCode, Stop> {
    let MeanFlags { learning_rate, poison_rate, squared_radius, noise_trace, .. } = *flags;
    let named = flags.samples.as_deref().unwrap_or(Path::new("mean"));
    let path = input::output(flags.output.as_ref(), named);
    input::keep_inputs(&path, "--output", &flags.samples)?;
    let began = Instant::now();
    let prepared = prepare(flags)?;
    let attempts = attempts(flags, &prepared, began.elapsed().as_secs_f64())?;
    let smaller = |a: &&Attempt, b: &&Attempt| a.outcome.certified_loss.total_cmp(&b.outcome.certified_loss);
    let Some(Attempt { method, outcome, seconds }) = attempts.iter().min_by(smaller) else {
        return Err(Stop("no method was tried".into()));
    };
    input::write(&path, &outcome.certificate.to_bytes(), "--output")?;
    let attack = Attack::stronger(outcome, prepared.pushed);
    let (path, rows) = (path.display().to_string(), &outcome.certificate.data);
    if as_json {
        let mut object = json!({
            "status": "certified",
            "method": method,
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
        });
        if flags.method == MeanMethod::All {
            let entry = |a: &Attempt| json!({ "method": a.method, "certified_loss": a.outcome.certified_loss, "seconds": a.seconds });
            object["methods"] = attempts.iter().map(entry).collect();
        }
        print::json(&object);
    } else {
        let table = if flags.method == MeanMethod::All { compare(&attempts) } else { String::new() };
        print::text(&(describe(outcome, method, &attack, &path) + &table));
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

fn describe(outcome: &MeanOutcome, method: &str, attack: &Attack, path: &str) -> String {
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
        method,
    )
}
