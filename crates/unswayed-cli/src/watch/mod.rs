//! `unswayed watch`: a stream, certified window by window.

mod keep;
mod metrics;
mod show;
mod source;

use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

use unswayed::attack::Effort;
use unswayed::data::{Lines as Reader, Reading};
use unswayed::monitor::{LabelReader, Limits, Monitor, Policy, Update, Window};
use unswayed::{Adversary, Dataset, Problem, ProblemError, Template};
use unswayed_report::utc;

use crate::args::WatchFlags;
use crate::{Stop, output, print, problem};
use keep::Keeper;
use metrics::{Facts, Shared};
use show::Show;
use source::Lines;

pub fn run(flags: &WatchFlags, as_json: bool) -> Result<ExitCode, Stop> {
    let mut watch = Watch::new(flags, as_json)?;
    while let Some(line) = watch.lines.next()? {
        if !watch.take(&line)? || !watch.monitor.is_due(watch.window.seen()) {
            continue;
        }
        let update = watch.certify()?;
        if update.alarm && flags.on_alarm.is_none() && !flags.keep_going {
            return Ok(ExitCode::from(1));
        }
    }
    watch.end()
}

/// Everything that a watch knows.
struct Watch<'a> {
    flags: &'a WatchFlags,
    template: Template,
    lines: Lines,
    reader: Reader,
    window: Window,
    monitor: Monitor,
    keeper: Keeper<'a>,
    show: Show,
    facts: Shared,
    /// Lines that could not be used.
    skipped: u64,
    /// Whether rows like those of the stream are known to be such as can be certified.
    is_tried: bool,
    /// Whether a limit was passed since the program began.
    was_alarmed: bool,
}

impl<'a> Watch<'a> {
    fn new(flags: &'a WatchFlags, as_json: bool) -> Result<Self, Stop> {
        let template = template(flags)?;
        let reading = reading(flags);
        let labels = LabelReader::new(reading.labels, classes(flags)).map_err(named_classes)?;
        let policy = Policy { window: flags.window as u64, every: flags.every as u64 };
        let limits = Limits { loss: flags.limit_loss, error: flags.limit_error };
        let attacks = flags.attacks.0;
        let capacity = flags.window.checked_mul(flags.windows);
        let capacity =
            capacity.ok_or_else(|| Stop("--windows: so many rows do not fit into memory".into()))?;
        let window =
            Window::new(capacity, labels).with_scale(flags.rows.scale).with_clip(flags.rows.clip_rows);
        let mut watch = Watch {
            flags,
            lines: Lines::open(&flags.stream, flags.follow)?,
            reader: Reader::new(reading),
            window,
            monitor: Monitor::new(policy, limits).with_attacks(attacks, flags.seed),
            keeper: Keeper::new(&flags.keep, &flags.stream)?,
            show: Show::new(as_json),
            facts: Arc::default(),
            template,
            skipped: 0,
            is_tried: false,
            was_alarmed: false,
        };
        watch.resume(limits, attacks)?;
        if let Some(address) = flags.keep.metrics {
            let bound = metrics::serve(address, flags.keep.metrics_public, &watch.facts)?;
            print::error(&format!("metrics at http://{bound}/metrics"));
        }
        watch.publish(limits);
        Ok(watch)
    }

    /// Continues where the state file says.
    fn resume(&mut self, limits: Limits, attacks: Option<Effort>) -> Result<(), Stop> {
        let settings = self.settings()?;
        if let Some(kept) = self.keeper.resume(&mut self.window, &settings)? {
            self.monitor = kept.monitor.with_limits(limits).with_attacks(attacks, self.flags.seed);
            self.skipped = kept.skipped;
            if let Some(line) = &kept.first_line {
                self.reader.read(line.as_bytes())?;
                self.name_columns();
            }
            if let Some(message) = self.lines.resume(&kept.position)? {
                print::error(&message);
            }
            let (rows, updates) = (self.window.seen(), self.monitor.updates());
            print::error(&format!("continues after {rows} rows and {updates} updates"));
        }
        self.save()
    }

    /// What must be the same when a watch is continued.
    fn settings(&self) -> Result<serde_json::Value, Stop> {
        let (flags, rates) = (self.flags, &self.flags.rates);
        Ok(serde_json::json!({
            "window": flags.window,
            "windows": flags.windows,
            "every": flags.every,
            "scale": flags.rows.scale,
            "clip_rows": flags.rows.clip_rows,
            "classes": flags.rows.classes,
            "learning_rate": rates.learning_rate,
            "regularization": rates.regularization,
            "poison_rate": rates.poison_rate,
            "learner": serde_json::to_value(&self.template)?,
        }))
    }

    /// Takes a line, and returns whether it was a row.
    fn take(&mut self, line: &[u8]) -> Result<bool, Stop> {
        let is_first = self.reader.first_line().is_none();
        let taken = match self.reader.read(line) {
            Ok(None) => Ok(false),
            Ok(Some(row)) => self
                .window
                .push(&row.x, row.label.as_deref())
                .map(|()| true)
                .map_err(|error| error.to_string()),
            Err(error) => Err(error.for_command_line()),
        };
        // Without the names of the columns nothing can be read.
        let is_lost = self.reader.first_line().is_none();
        if is_first && !is_lost {
            self.name_columns();
        }
        match taken {
            Ok(is_row) => {
                if is_row && !self.is_tried {
                    self.try_out()?;
                }
                let rows = self.window.seen();
                metrics::set(&self.facts, |facts| facts.rows = rows);
                Ok(is_row)
            }
            Err(message) => {
                let message = format!("{}, line {}: {message}", self.lines.name(), self.lines.line());
                if is_lost || !self.flags.rows.skip_bad {
                    let remedy = if is_lost { "" } else { "; or count and skip such lines with --skip-bad" };
                    return Err(Stop(message + remedy));
                }
                self.skipped += 1;
                self.show.skipped(message);
                let skipped = self.skipped;
                metrics::set(&self.facts, |facts| facts.skipped = skipped);
                Ok(false)
            }
        }
    }

    fn name_columns(&mut self) {
        let label = self.flags.rows.label_column.clone().unwrap_or_else(|| "label".to_owned());
        self.window.name(self.reader.features().to_vec(), label);
    }

    /// Refuses a learner that has no certificate as soon as the first rows are there, not when the window is full.
    fn try_out(&mut self) -> Result<(), Stop> {
        if self.window.labels().meaning().is_err() {
            return Ok(());
        }
        self.is_tried = true;
        match self.problem(vec![self.window.tiled(self.flags.window)?]) {
            // A set around data needs more rows than these.
            Err(ProblemError::Set { .. }) | Ok(_) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn problem(&self, data: Vec<Dataset>) -> Result<Problem, ProblemError> {
        let rates = &self.flags.rates;
        Problem::of_template(data, self.template.clone())
            .learning_rate(rates.learning_rate)
            .regularization(rates.regularization)
            .poison_rate(rates.poison_rate)
            .build()
    }

    /// Certifies what is in the window, tells everybody, and only then counts it as done.
    fn certify(&mut self) -> Result<Update, Stop> {
        self.window.labels().meaning().map_err(named_classes)?;
        let data = self.window.datasets(self.flags.window)?;
        let problem = self.problem(data)?;
        let (update, outcome) = self.monitor.update(&problem, self.window.seen());
        let verify = match &outcome {
            Some(outcome) => self.keeper.certificate(&self.window, &problem, outcome, update.number)?,
            None => None,
        };
        self.keeper.log(&update)?;
        self.show.update(&update, &problem, self.skipped, verify.as_deref())?;
        self.was_alarmed |= update.alarm;
        self.publish(Limits { loss: self.flags.limit_loss, error: self.flags.limit_error });
        if let Some(command) = self.flags.on_alarm.as_ref().filter(|_| self.monitor.is_new_alarm()) {
            call(command, &update, self.flags, verify.as_deref());
        }
        self.save()?;
        Ok(update)
    }

    fn publish(&self, limits: Limits) {
        let monitor = &self.monitor;
        metrics::set(&self.facts, |facts| {
            *facts = Facts {
                newest: monitor.newest().cloned(),
                limits,
                rows: self.window.seen(),
                skipped: self.skipped,
                updates: monitor.updates(),
                alarms: monitor.alarms(),
            };
        });
    }

    fn save(&mut self) -> Result<(), Stop> {
        let kept = keep::Kept {
            settings: self.settings()?,
            position: self.lines.position(),
            first_line: self.reader.first_line().map(|line| String::from_utf8_lossy(line).into_owned()),
            skipped: self.skipped,
            log_bytes: self.keeper.log_bytes(),
        };
        self.keeper.save(&self.monitor, &self.window, &kept)
    }

    fn end(mut self) -> Result<ExitCode, Stop> {
        self.save()?;
        if self.monitor.updates() == 0 {
            let (name, rows) = (self.lines.name(), self.window.seen());
            return Err(Stop(format!(
                "{name}: the stream has ended after {rows} rows, and nothing was certified; a window has {} rows (--window)",
                self.flags.window
            )));
        }
        Ok(ExitCode::from(u8::from(self.was_alarmed)))
    }
}

/// How lines are read.
fn reading(flags: &WatchFlags) -> Reading {
    let rows = &flags.rows;
    Reading {
        labels: problem::label_policy(&flags.learner, rows.preferences, rows.scores, rows.premultiplied),
        label_column: rows.label_column.clone(),
        columns: rows.columns.columns.clone(),
        drop_columns: rows.columns.drop_columns.clone(),
        ..Reading::default()
    }
}

/// Learner and threat. A learner that clips its points clips the adversary's too.
fn template(flags: &WatchFlags) -> Result<Template, Stop> {
    let mut template = problem::template(&flags.learner, &flags.steps, None)?;
    if template.adversary == Adversary::Ball {
        template.radius = template.radius.or(flags.rows.clip_rows);
    }
    let is_regression = matches!(template.loss, Some(unswayed::LossName::Of(loss)) if loss.is_regression());
    if is_regression && flags.limit_error.is_some() {
        return Err(Stop("--limit-error: a regression has no error; use --limit-loss".into()));
    }
    Ok(template)
}

/// The classes in the form in which labels are compared: numbers in their shortest.
fn classes(flags: &WatchFlags) -> Vec<String> {
    let shortest = |label: &String| match label.trim().parse::<f64>() {
        Ok(number) => (number + 0.0).to_string(),
        Err(_) => label.trim().to_owned(),
    };
    flags.rows.classes.iter().map(shortest).collect()
}

#[allow(clippy::needless_pass_by_value, reason = "used in `map_err`")]
fn named_classes(error: unswayed::monitor::LabelError) -> Stop {
    Stop(format!("{error} (`--classes`)"))
}

/// Runs the user's command. The stream is not its input, and what it prints does not get among the updates.
fn call(command: &str, update: &Update, flags: &WatchFlags, verify: Option<&str>) {
    let shell = if cfg!(windows) { ["cmd", "/C"] } else { ["sh", "-c"] };
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let facts = [
        ("UPDATE", update.number.to_string()),
        ("TIME", utc(update.time as u64)),
        ("ROWS", update.rows.to_string()),
        ("STATUS", update.status.clone()),
        ("CERTIFIED_LOSS", number(update.certified_loss)),
        ("CERTIFIED_ERROR", number(update.certified_error)),
        ("ATTACK_LOSS", number(update.attack_loss)),
        ("ATTACK_ERROR", number(update.attack_error)),
        ("BENIGN_LOSS", number(update.benign_loss)),
        ("BENIGN_ERROR", number(update.benign_error)),
        ("LIMIT_LOSS", number(flags.limit_loss)),
        ("LIMIT_ERROR", number(flags.limit_error)),
        ("VERIFY", verify.unwrap_or_default().to_owned()),
    ];
    let ended = Command::new(shell[0])
        .args([shell[1], command])
        .envs(facts.map(|(name, value)| (format!("UNSWAYED_{name}"), value)))
        .stdin(Stdio::null())
        .stdout(std::io::stderr())
        .status();
    match ended {
        Ok(status) if status.success() => {}
        Ok(status) => print::error(&format!("--on-alarm: the command ended with {status}")),
        Err(error) => print::error(&format!("--on-alarm: the command cannot be run ({error})")),
    }
}

/// Refuses outputs that would overwrite the stream.
fn keep_stream(flags: &crate::args::KeepFlags, stream: &std::path::Path) -> Result<(), Stop> {
    let stream = [stream.to_owned()];
    let outputs = [(&flags.certificates, "--certificates"), (&flags.state, "--state"), (&flags.log, "--log")];
    for (path, flag) in outputs {
        if let Some(path) = path.as_ref().filter(|path| !path.is_dir()) {
            output::keep_inputs(path, flag, &stream)?;
        }
    }
    Ok(())
}
