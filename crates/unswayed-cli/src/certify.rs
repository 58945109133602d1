//! `unswayed certify`.

mod several;
mod streamed;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Value, json};
use unswayed::attack::{Attacked, strongest};
use unswayed::certify::{Compact, Effort, Options, Outcome, Series, bootstrap, paper};
use unswayed::{Adversary, CertifyError, Problem, ProblemError, Template};
use unswayed_check::{Feature, Statement, Target, features, unsupported};
use unswayed_report::about::{Resampled, Stated, Subject, Summary, certify_report};
use unswayed_report::live;

use crate::args::{self, CertifyFlags, Method, RateFlags};
use crate::problem::{Parts, ProblemFlags};
use crate::progress::Busy;
use crate::{Stop, attack, errors, input, output, print, report};

pub fn run(flags: &CertifyFlags, as_json: bool) -> Result<ExitCode, Stop> {
    let asked = ProblemFlags {
        data: &flags.data,
        read: &flags.read,
        learner: &flags.learner,
        steps: &flags.steps,
        nature: &flags.nature,
    };
    let rates = flags.rates.each();
    let paths: Vec<PathBuf> = rates.iter().map(|one| certificate_path(flags, one, rates.len() > 1)).collect();
    let inputs: Vec<PathBuf> =
        asked.files().into_iter().chain(flags.start.as_ref().map(PathBuf::from)).collect();
    for path in &paths {
        output::keep_inputs(path, "--output", &inputs)?;
    }
    if let Some(folder) = &flags.report {
        output::keep_inputs(folder, "--report", &inputs)?;
    }
    let start = flags.start.as_deref().map(|text| input::vector(text, "--start")).transpose()?;
    if let (Some(source), [path, ..]) = (streamed::large(flags, &asked), paths.as_slice()) {
        return streamed::run((flags, &asked), &source, &rates, path, start, as_json);
    }
    let parts = asked.parts()?;
    let mut problems = vec![];
    for one in &rates {
        let problem = parts.problem(one)?;
        refuse(flags, &problem, &parts.template)?;
        problems.push(problem);
    }
    let first_rate = flags.first_rate.or_else(|| parts.first_rate(problems.first()?));
    let mut job = Job::new(flags, &asked, &parts, start, first_rate);
    if flags.live {
        if rates.len() > 1 {
            return Err(Stop(
                "--live: a page starts from one poison rate and can show others; give one".into(),
            ));
        }
        live::supports(&problems[0], &parts.template)?;
    }
    if flags.bootstrap.is_some() && rates.len() > 1 {
        return Err(Stop("--bootstrap: it is for one poison rate; give one".into()));
    }
    if rates.len() > 1 {
        return several::run(&mut job, rates, problems, &paths, as_json);
    }
    let (Some(problem), [path]) = (problems.pop(), paths.as_slice()) else {
        return Err(Stop("--poison-rate: give a number, such as 0.02".into()));
    };
    let Certified { problem, attempts, attacks, summary, .. } = &job.certify(problem, &rates[0], path)?;
    if let Some(folder) = &flags.report {
        let _busy = Busy::with("bounding at other poison rates");
        let (outcome, attacked) = (best(attempts)?.0, strongest(attacks));
        let subject = Subject { problem, outcome, attacked, seed: flags.seed };
        let mut report = certify_report(&subject, summary, report::command_line())?;
        report.what_if = what_if(flags, &asked, problem, &parts.template);
        if flags.live {
            let setting = live::setting(problem, &parts.template);
            report.live = Some(live::Live::new(problem, &parts.template, setting, flags.seed)?);
        }
        report::write(&report, folder)?;
    }
    if as_json {
        let mut object = serde_json::to_value(summary)?;
        if flags.method == Method::All {
            object["methods"] = attempts.iter().map(Attempt::to_json).collect();
        }
        print::json(&object);
    } else {
        let table = if flags.method == Method::All { compare(attempts) } else { String::new() };
        print::text(&(print::lines(summary.lines()) + &table));
    }
    Ok(ExitCode::SUCCESS)
}

/// What is asked for, and the search so far.
struct Job<'a> {
    flags: &'a CertifyFlags,
    asked: &'a ProblemFlags<'a>,
    parts: &'a Parts,
    options: Options,
    series: Series,
}

/// What was found at one poison rate.
struct Certified {
    /// The problem that the certificate is about.
    problem: Problem,
    attempts: Vec<Attempt>,
    attacks: Vec<Attacked>,
    summary: Summary,
}

impl<'a> Job<'a> {
    fn new(
        flags: &'a CertifyFlags,
        asked: &'a ProblemFlags<'a>,
        parts: &'a Parts,
        start: Option<Vec<f64>>,
        first_rate: Option<f64>,
    ) -> Job<'a> {
        let mut options = Options::default();
        (options.horizon, options.start, options.confidence) = (flags.horizon, start, flags.confidence);
        (options.first_rate, options.total_rate) = (first_rate, flags.total_rate);
        options.effort = match flags.effort {
            // What the page answers is to equal what is printed.
            _ if flags.live => Effort::Quick,
            args::Effort::Quick => Effort::Quick,
            args::Effort::Standard => Effort::Standard,
            args::Effort::Tight => Effort::Tight,
        };
        options.compact = if flags.compact { Compact::Always } else { Compact::IfLarge };
        let series = Series::new(options.clone());
        Job { flags, asked, parts, options, series }
    }

    /// Searches a bound, writes its certificate and runs the attacks beside it.
    fn certify(&mut self, problem: Problem, rates: &RateFlags, path: &Path) -> Result<Certified, Stop> {
        let attempts = self.attempts(&problem);
        let Job { flags, asked, parts, .. } = *self;
        let (outcome, seconds) = best(&attempts)?;
        let statement = &outcome.certificate.statement;
        // With a confidence, the other half may have chosen the proof; the certificate is then about this one.
        let problem = if statement.data[0].rows < problem.data()[0].rows() {
            parts.problem_on_first(statement.data[0].rows, rates)?
        } else {
            problem
        };
        let resampled = flags.bootstrap.map(|samples| {
            let _busy = Busy::with("certifying samples of the rows");
            bootstrap(&problem, &self.options, samples, flags.seed)
        });
        let resampled = resampled.transpose().map_err(|error| Stop(errors::message(&error)))?;
        let replaced = output::write(path, &outcome.certificate.to_bytes(), "--output")?;
        let attacks = attack::beside_bound(&problem, flags.attacks, flags.seed)?;
        let stated = Stated { adversary: parts.template.adversary.to_string(), ..Stated::of(statement) };
        let summary = Summary {
            stated,
            seconds: Some(seconds),
            verify: Some(check_command(asked, statement, path)),
            certificate: Some(path.display().to_string()),
            replaced,
            bootstrap: resampled.as_ref().map(Resampled::of),
            report: flags.report.as_ref().map(|folder| folder.join("report.html").display().to_string()),
            ..Summary::new(outcome, &attacks)
        };
        Ok(Certified { problem, attempts, attacks, summary })
    }

    /// Runs the methods that are asked for.
    fn attempts(&mut self, problem: &Problem) -> Vec<Attempt> {
        let mut attempts = vec![];
        if self.flags.method != Method::Paper {
            let _busy = Busy::with("searching a bound");
            attempts.push(Attempt::of("convexity", || self.series.certify(problem)));
        }
        if self.flags.method != Method::Convexity {
            let progress = print::progress("paper");
            let run = || paper::certify(problem, &self.options, progress.as_ref());
            attempts.push(Attempt::of("paper", run));
            print::clear_progress();
        }
        attempts
    }
}

/// From what the report can be made live later.
fn what_if(
    flags: &CertifyFlags,
    asked: &ProblemFlags,
    problem: &Problem,
    template: &Template,
) -> Option<live::WhatIf> {
    let other = flags.confidence.is_some() || flags.horizon.is_some() || flags.start.is_some();
    if other || flags.method != Method::Convexity || live::supports(problem, template).is_err() {
        return None;
    }
    Some(live::WhatIf {
        template: template.clone(),
        setting: live::setting(problem, template),
        origin: problem.data()[0].origin().clone(),
        data: asked.paths().next()?.display().to_string(),
        labels: asked.data.labels.as_ref().map(|labels| labels.display().to_string()),
    })
}

/// Where the certificate of a poison rate is written: `--output`, or a file in that folder if there are several rates.
fn certificate_path(flags: &CertifyFlags, rates: &RateFlags, several: bool) -> PathBuf {
    let mut numbers =
        vec![("eta", rates.learning_rate), ("sigma", rates.regularization), ("eps", rates.poison_rate)];
    numbers.extend(flags.horizon.map(|steps| ("horizon", steps as f64)));
    numbers.extend(flags.confidence.map(|level| ("confidence", level)));
    let mut learner = output::learner_part(&flags.learner, &flags.steps, &flags.nature, &flags.read);
    if flags.method == Method::Paper {
        learner += "-paper";
    }
    let parts = [learner, output::number_part(&numbers)];
    let data = input::data_path(&flags.data);
    match &flags.output {
        Some(folder) if several => folder.join(output::certificate(None, data, &parts)),
        given => output::certificate(given.as_ref(), data, &parts),
    }
}

/// Refuses what no theorem covers, beyond the problem itself.
fn refuse(flags: &CertifyFlags, problem: &Problem, template: &Template) -> Result<(), Stop> {
    let around = matches!(template.adversary, Adversary::BoxAroundData | Adversary::EllipsoidAroundData);
    let confident = flags.confidence.is_some();
    let weighted = problem.data().iter().any(|data| data.weights().is_some());
    let paper = flags.method == Method::Paper || (flags.method == Method::All && confident);
    let more = [
        (flags.horizon.is_some(), Feature::Horizon),
        (confident, Feature::Confidence),
        (around, Feature::SetAroundData),
        (weighted, Feature::RowWeights),
        (paper, Feature::Paper),
        (flags.compact, Feature::RowRule),
    ];
    let more = more.into_iter().filter(|(is, _)| *is).map(|(_, feature)| feature);
    let all: Vec<Feature> = features(problem.statement()).into_iter().chain(more).collect();
    unsupported(&all).map_or(Ok(()), |rule| Err(ProblemError::Unsupported(rule).into()))
}

/// What one method gave, and the seconds it took.
struct Attempt {
    method: &'static str,
    outcome: Result<Outcome, CertifyError>,
    seconds: f64,
}

/// The smallest bound and its seconds; if there is none, why.
fn best(attempts: &[Attempt]) -> Result<(&Outcome, f64), Stop> {
    let found = attempts.iter().filter_map(|a| Some((a.outcome.as_ref().ok()?, a.seconds)));
    let smallest = found.min_by(|(a, _), (b, _)| a.certified_loss.total_cmp(&b.certified_loss));
    smallest.ok_or_else(|| match attempts.first().map(|a| &a.outcome) {
        Some(Err(error)) => Stop(errors::message(error)),
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
                "status": outcome.status,
                "certified_loss": outcome.certified_loss,
                "certified_error": outcome.certified_error,
                "seconds": seconds,
            }),
            Err(error) => {
                json!({ "method": method, "status": "failed", "message": errors::message(error) })
            }
        }
    }

    fn cells(&self) -> Vec<String> {
        match &self.outcome {
            Ok(outcome) => vec![
                self.method.into(),
                print::up(outcome.certified_loss),
                outcome.certified_error.map_or(String::new(), print::up),
                format!("{:.3}", self.seconds),
            ],
            Err(error) => vec![self.method.into(), errors::message(error)],
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

/// The command that verifies the certificate. How rows are made is in the certificate; it names the target if that has rows of
/// its own.
pub fn check_command(asked: &ProblemFlags, statement: &Statement, certificate: &Path) -> String {
    let quoted = |path: &Path| report::quote(&path.display().to_string());
    let mut words = vec!["unswayed check".to_owned(), quoted(certificate)];
    words.extend(asked.paths().map(quoted));
    words.extend(asked.data.labels.iter().map(|labels| format!("--labels {}", quoted(labels))));
    if let (Some(path), Target::Rows(_)) = (&asked.nature.target, &statement.target) {
        words.push(format!("--target {}", quoted(path)));
    }
    words.join(" ")
}
