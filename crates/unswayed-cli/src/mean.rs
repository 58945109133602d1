//! `unswayed mean`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Value, json};
use unswayed::CertifyError;
use unswayed::attack::{Effort, MeanLearner, attack_mean};
use unswayed::certify::paper::{self, MeanMoments};
use unswayed::certify::{MeanOutcome, MeanSetting, certify_mean};
use unswayed::data::{LabelPolicy, Reading, Source, load};
use unswayed::simulate::Estimate;
use unswayed_check::{MeanBenign, TextLine, decimal_up};

use crate::args::{MeanFlags, MeanMethod};
use crate::{Stop, output, print, report};

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
    let reading = Reading {
        labels: LabelPolicy::None,
        weight_column: flags.weight_column.clone(),
        rows: flags.rows,
        ..Reading::default()
    };
    let samples = load(&Source::path(path), &reading)?;
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
    let path = certificate_path(flags);
    output::keep_inputs(&path, "--output", &flags.samples)?;
    let began = Instant::now();
    let prepared = prepare(flags)?;
    let attempts = attempts(flags, &prepared, began.elapsed().as_secs_f64())?;
    let smaller = |a: &&Attempt, b: &&Attempt| a.outcome.certified_loss.total_cmp(&b.outcome.certified_loss);
    let Some(best) = attempts.iter().min_by(smaller) else {
        return Err(Stop("no method was tried".into()));
    };
    let replaced = output::write(&path, &best.outcome.certificate.to_bytes(), "--output")?;
    let attack = Attack::stronger(&best.outcome, prepared.pushed);
    let path = path.display().to_string();
    let samples = flags.samples.iter().map(|samples| report::quote(&samples.display().to_string()));
    let verify = ["unswayed check".to_owned(), report::quote(&path)].into_iter().chain(samples);
    let verify = verify.collect::<Vec<_>>().join(" ");
    if as_json {
        let mut object = to_json(best, &attack);
        object["certificate"] = path.into();
        object["replaced"] = replaced.into();
        object["verify"] = verify.into();
        if flags.method == MeanMethod::All {
            let entry = |a: &Attempt| json!({ "method": a.method, "certified_loss": a.outcome.certified_loss, "seconds": a.seconds });
            object["methods"] = attempts.iter().map(entry).collect();
        }
        print::json(&object);
    } else {
        let table = if flags.method == MeanMethod::All { compare(&attempts) } else { String::new() };
        let replaced = if replaced { " (replaced)" } else { "" };
        let mut lines = describe(best, &attack);
        lines.push(("certificate", format!("{path}{replaced}")));
        lines.push(("verify with", verify));
        print::text(&(print::lines(lines) + &table));
    }
    Ok(ExitCode::SUCCESS)
}

/// Where the certificate is written.
fn certificate_path(flags: &MeanFlags) -> PathBuf {
    let rows = flags.rows.map(|rows| ("rows", rows as f64));
    let noise = Some(("noise", flags.noise_trace)).filter(|(_, trace)| *trace != 0.0);
    let numbers: Vec<(&str, f64)> =
        [("eta", flags.learning_rate), ("eps", flags.poison_rate), ("r", flags.squared_radius)]
            .into_iter()
            .chain(flags.covariance_trace.map(|trace| ("trace", trace)))
            .chain(noise)
            .chain(rows)
            .collect();
    let numbers = output::number_part(&numbers);
    match &flags.samples {
        Some(samples) => output::certificate(flags.output.as_ref(), samples, &["mean".into(), numbers]),
        None => output::certificate(flags.output.as_ref(), Path::new("mean"), &[numbers]),
    }
}

fn to_json(best: &Attempt, attack: &Attack) -> Value {
    let Attempt { method, outcome, seconds } = best;
    let statement = &outcome.certificate.statement;
    let origin = match &statement.benign {
        MeanBenign::Samples(origin) => Some(origin),
        MeanBenign::CovarianceTrace(_) => None,
    };
    json!({
        "status": "certified",
        "method": method,
        "certified_loss": outcome.certified_loss,
        "certified_error": null,
        "benign_loss": outcome.benign_loss,
        "attack": attack.name,
        "attack_loss": attack.loss,
        "attack_loss_interval": attack.interval,
        "gap": outcome.certified_loss / attack.loss,
        "rows": origin.map_or(0, |origin| origin.rows),
        "dimension": origin.map_or(0, |origin| origin.columns),
        "learning_rate": statement.learning_rate,
        "poison_rate": statement.poison_rate,
        "squared_radius": statement.squared_radius,
        "noise_trace": statement.noise_trace,
        "transient_steps": outcome.transient_steps,
        "seconds": seconds,
        "statement": statement,
    })
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

fn describe(best: &Attempt, attack: &Attack) -> Vec<TextLine> {
    let Attempt { method, outcome, .. } = best;
    let mut lines = outcome.certificate.statement.lines();
    let text = |number: String, text: &str| format!("{number}  {text}");
    lines.extend([
        ("", String::new()),
        ("status", "certified".into()),
        (
            "certified loss",
            text(
                print::up(outcome.certified_loss),
                "no adversary gets the long-run mean of ‖θ − μ‖² above this",
            ),
        ),
        ("attack loss", text(print::down(attack.loss), &attack.explained)),
        (
            "gap",
            format!("{}    certified loss / attack loss", print::gap(outcome.certified_loss / attack.loss)),
        ),
        ("benign loss", text(print::down(outcome.benign_loss), "without an adversary, exactly")),
        (
            "transient",
            format!(
                "{} steps until a start at the adversary's radius adds less than 1 %",
                print::steps(outcome.transient_steps)
            ),
        ),
        ("method", format!("{method}, verified in exact arithmetic")),
    ]);
    lines
}
