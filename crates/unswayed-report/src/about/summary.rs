//! What certifying found, said once: for machines as one JSON object, for people as lines.

use serde::Serialize;
use unswayed::attack::{Attacked, strongest, strongest_error};
use unswayed::certify::{Outcome, Status};
use unswayed_check::{Loss, NewDataClaim, Set, Statement, Target, TextLine, decimal_up};

use super::Resampled;
use crate::number::{down, percent, up};

/// A statement for machines: its parts by the names of the command line, and the whole of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stated {
    /// The rows of all datasets.
    pub rows: usize,
    /// The features of a row.
    pub dimension: usize,
    /// How many datasets there are.
    pub datasets: usize,
    /// What all rows and the adversary's set were divided by.
    pub scale: f64,
    /// What the loss is averaged over: `data`, `weights` on its rows, or other `rows`.
    pub target: &'static str,
    /// The loss by its name on the command line.
    pub loss_function: String,
    /// How many classes there are, if there are several.
    pub classes: Option<usize>,
    /// The adversary's set by its name on the command line.
    pub adversary: String,
    /// The ball's radius, after the division by `scale`.
    pub radius: Option<f64>,
    /// η.
    pub learning_rate: f64,
    /// σ.
    pub regularization: f64,
    /// ε.
    pub poison_rate: f64,
    /// Points per step.
    pub batch: u64,
    /// The radius of the ball that every step is projected on.
    pub projection: Option<f64>,
    /// The norm at which gradients are clipped.
    pub clip: Option<f64>,
    /// The momentum of the steps.
    pub momentum: Option<f64>,
    /// The column that is not regularized, from 1.
    pub bias: Option<usize>,
    /// The statement itself.
    pub statement: Statement,
    /// What a proof relies on beyond the statement.
    pub assumptions: String,
}

impl Stated {
    /// The parts of a statement.
    pub fn of(statement: &Statement) -> Stated {
        let Statement { learner, threat, data, target, .. } = statement;
        Stated {
            rows: data.iter().map(|origin| origin.rows).sum(),
            dimension: data.first().map_or(0, |origin| origin.columns),
            datasets: data.len(),
            scale: data.first().map_or(1.0, |origin| origin.scale),
            target: match target {
                Target::Data => "data",
                Target::Weights(_) => "weights",
                Target::Rows(_) => "rows",
            },
            loss_function: learner.loss.to_string(),
            classes: if let Loss::Multiclass(classes) = learner.loss { Some(classes) } else { None },
            adversary: set_name(&threat.set).to_owned(),
            radius: match threat.set {
                Set::Ball { radius } | Set::Features { radius, .. } => Some(radius),
                _ => None,
            },
            learning_rate: learner.learning_rate,
            regularization: learner.regularization,
            poison_rate: threat.poison_rate,
            batch: learner.batch,
            projection: learner.projection,
            clip: learner.clip,
            momentum: learner.momentum,
            bias: learner.unregularized.first().map(|column| column + 1),
            statement: statement.clone(),
            assumptions: statement.assumptions(),
        }
    }
}

/// Everything that `unswayed certify --json` says; [`Summary::lines`] says the same to people. What does not apply is `None`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// What the bound is worth.
    pub status: Status,
    /// How the loss is proven.
    pub method: &'static str,
    /// No adversary gets the long-run loss above this.
    pub certified_loss: f64,
    /// No adversary gets the long-run fraction misclassified above this.
    pub certified_error: Option<f64>,
    /// The loss without an adversary, for small learning rates.
    pub benign_loss: f64,
    /// The fraction misclassified without an adversary, for small learning rates.
    pub benign_error: Option<f64>,
    /// The loss of a model that never learns, θ = 0.
    pub idle_loss: f64,
    /// The strongest attack found.
    pub attack: Option<&'static str>,
    /// The long-run loss that it reaches, simulated.
    pub attack_loss: Option<f64>,
    /// The 95 % confidence interval of that.
    pub attack_loss_interval: Option<[f64; 2]>,
    /// The long-run fraction misclassified that the attack strongest in that reaches, simulated.
    pub attack_error: Option<f64>,
    /// The 95 % confidence interval of that.
    pub attack_error_interval: Option<[f64; 2]>,
    /// That attack.
    pub attack_error_by: Option<&'static str>,
    /// The fractions misclassified now, under that attack and at most, in words.
    pub error: Option<String>,
    /// Whether the simulation has reached the long run.
    pub verdict: Option<&'static str>,
    /// Certified loss / attack loss.
    pub gap: Option<f64>,
    /// What is certified.
    #[serde(flatten)]
    pub stated: Stated,
    /// The long-run bounds hold from every start of at most this norm; from every start if `None`.
    pub start_norm: Option<f64>,
    /// The number of first steps that are bounded too.
    pub horizon: Option<u64>,
    /// The bound on the average loss over these steps.
    pub horizon_loss: Option<f64>,
    /// The bound on the fraction misclassified over these steps.
    pub horizon_error: Option<f64>,
    /// The probability with which the bound for new data holds.
    pub confidence: Option<f64>,
    /// The bound on the loss on new data.
    pub new_data_loss: Option<f64>,
    /// The same under its old name.
    pub confident_loss: Option<f64>,
    /// The norm at which the learner must shorten or refuse new points for that bound.
    pub new_data_radius: Option<f64>,
    /// How many rows, from the first, chose the numbers of that bound, where rows may be hostile.
    pub new_data_earlier: Option<usize>,
    /// What that bound relies on beyond the statement.
    pub new_data_assumptions: Option<String>,
    /// How the bound varies with the sample; no proof.
    pub bootstrap: Option<Resampled>,
    /// The learning rate of the plain steps that bound a learner with momentum.
    pub momentum_rate: Option<f64>,
    /// What momentum costs beyond that rate, at most; it is in the certified loss.
    pub momentum_cost: Option<f64>,
    /// After so many steps the start adds less than 1 % to the certified loss.
    pub transient_steps: f64,
    /// The time that the search took.
    pub seconds: Option<f64>,
    /// The certificate file.
    pub certificate: Option<String>,
    /// Whether that replaced an older certificate.
    pub replaced: bool,
    /// The command that verifies it.
    pub verify: Option<String>,
    /// The report.
    pub report: Option<String>,
}

impl Summary {
    /// What a certificate says, beside the attacks that are strongest in loss and in error. Time and files are for the caller to fill in.
    ///
    /// ```
    /// use unswayed::{Adversary, Problem, certify};
    /// use unswayed_report::about::Summary;
    /// let data = unswayed::data::sample()?.first(50)?;
    /// let problem = Problem::builder(data)
    ///     .adversary(Adversary::LabelFlips)
    ///     .learning_rate(1e-3)
    ///     .regularization(0.01)
    ///     .poison_rate(0.05)
    ///     .build()?;
    /// let summary = Summary::new(&certify(&problem)?, &[]);
    /// assert_eq!((summary.stated.loss_function.as_str(), summary.stated.adversary.as_str()), ("hinge", "labels"));
    /// assert!(summary.lines().iter().any(|(name, text)| *name == "threat" && text.contains("z or −z")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(outcome: &Outcome, attacks: &[Attacked]) -> Summary {
        let certificate = &outcome.certificate;
        let attacked = strongest(attacks);
        let in_error = strongest_error(attacks).and_then(|a| Some((a.attack.name(), a.simulated.error?)));
        let simulated = attacked.map(|attacked| &attacked.simulated);
        let new_data = certificate.new_data.as_ref();
        Summary {
            status: outcome.status,
            method: certificate.loss.proof.method(),
            certified_loss: outcome.certified_loss,
            certified_error: outcome.certified_error,
            benign_loss: outcome.benign.loss,
            benign_error: outcome.benign.error,
            idle_loss: outcome.idle_loss,
            attack: attacked.map(|attacked| attacked.attack.name()),
            attack_loss: simulated.map(|s| s.loss.mean),
            attack_loss_interval: simulated.map(|s| [s.loss.low(), s.loss.high()]),
            attack_error: in_error.map(|(_, error)| error.mean),
            attack_error_interval: in_error.map(|(_, error)| [error.low(), error.high()]),
            attack_error_by: in_error.map(|(name, _)| name),
            error: error_line(
                outcome.benign.error,
                in_error.map(|(_, error)| error.mean),
                outcome.certified_error,
            ),
            verdict: simulated.map(|s| s.verdict.word()),
            gap: simulated.map(|s| outcome.certified_loss / s.loss.mean),
            stated: Stated::of(&certificate.statement),
            start_norm: certificate.start_norm(),
            horizon: certificate.statement.horizon.as_ref().map(|horizon| horizon.steps),
            horizon_loss: outcome.horizon_loss,
            horizon_error: outcome.horizon_error(),
            confidence: new_data.map(NewDataClaim::confidence),
            new_data_loss: outcome.new_data_loss,
            confident_loss: outcome.new_data_loss,
            new_data_radius: new_data.map(|claim| claim.radius),
            new_data_earlier: new_data.and_then(NewDataClaim::earlier),
            new_data_assumptions: new_data.map(NewDataClaim::assumptions),
            bootstrap: None,
            momentum_rate: certificate.loss.proof.rate(),
            momentum_cost: outcome.momentum_cost,
            transient_steps: outcome.transient_steps,
            seconds: None,
            certificate: None,
            replaced: false,
            verify: None,
            report: None,
        }
    }

    /// The whole of it for people: the statement, the figures, what is assumed, the files. An empty name separates.
    pub fn lines(&self) -> Vec<TextLine> {
        let mut lines = self.statement_lines();
        lines.push(("", String::new()));
        lines.extend(self.figures());
        lines.push(("assumes", self.stated.assumptions.clone()));
        let replaced = if self.replaced { " (replaced)" } else { "" };
        lines.extend(self.certificate.iter().map(|path| ("certificate", format!("{path}{replaced}"))));
        lines.extend(self.verify.iter().map(|command| ("verify with", command.clone())));
        lines.extend(self.report.iter().map(|path| ("report", path.clone())));
        lines
    }

    /// What is certified: learner, threat, rows, target, first steps, start.
    pub fn statement_lines(&self) -> Vec<TextLine> {
        let mut lines = self.stated.statement.lines();
        lines.push((
            "start",
            self.start_norm.map_or("any".into(), |norm| format!("any of norm at most {norm}")),
        ));
        lines
    }

    /// Status, bounds, attack, gap, benign figures, transient. Bounds are rounded up, measurements down.
    pub fn figures(&self) -> Vec<TextLine> {
        let loss = &self.stated.loss_function;
        let model = if self.stated.statement.learner.average { " of the averaged model" } else { "" };
        let mut lines = vec![
            ("status", self.status_text()),
            (
                "certified loss",
                format!(
                    "{}  no adversary gets the long-run {loss} loss{model} above this",
                    up(self.certified_loss)
                ),
            ),
        ];
        if let Some(error) = self.certified_error {
            let text = format!("{}  nor the fraction misclassified above this", up(error));
            lines.push(("certified error", text));
        }
        lines.extend(self.error.iter().map(|text| ("error", text.clone())));
        if let (Some(rate), Some(cost)) = (self.momentum_rate, self.momentum_cost) {
            let text = format!("costs at most {} beyond the learning rate {rate} without it", up(cost));
            lines.push(("momentum", text));
        }
        lines.extend(self.new_data_line());
        lines.extend(self.bootstrap.as_ref().map(|resampled| ("bootstrap", resampled.text())));
        lines.extend(self.attack_lines());
        let error = self.benign_error.map_or(String::new(), |error| format!("; error {}", down(error)));
        let benign = down(self.benign_loss);
        let text = format!("{benign}  without an adversary, for small learning rates{error}");
        lines.push(("benign loss", text));
        if let (Some(bound), Some(horizon)) = (self.horizon_loss, self.horizon) {
            let subject = if self.stated.statement.learner.average {
                "the loss of the averaged model after"
            } else {
                "the average over"
            };
            let text = format!("{}  bounds {subject} the first {horizon} steps", up(bound));
            lines.push(("horizon loss", text));
        }
        if let Some(bound) = self.horizon_error {
            lines.push(("horizon error", format!("{}  the same for the fraction misclassified", up(bound))));
        }
        // How long a start matters is not known for a learning rate that changes.
        if self.stated.statement.learner.schedule.is_none() {
            lines.push(("transient", transient(self.transient_steps)));
        }
        lines.push(("method", format!("{}, verified in exact arithmetic", self.method)));
        lines
    }

    fn status_text(&self) -> String {
        match self.status {
            Status::Certified => "certified".into(),
            Status::Vacuous => format!(
                "vacuous: proven, but no better than {}, the loss of a model that never learns",
                match self.stated.statement.learner.loss {
                    Loss::Logistic => "log 2 = 0.6931".to_owned(),
                    _ => decimal_up(self.idle_loss, 4),
                }
            ),
            Status::NotConverged => "not converged: proven, but a better bound may exist".into(),
        }
    }

    fn new_data_line(&self) -> Option<TextLine> {
        let (bound, probability) = (up(self.new_data_loss?), percent(self.confidence?));
        let radius = self.new_data_radius?;
        let chosen = match self.new_data_earlier {
            None => "the proof was chosen on the other half of the rows".to_owned(),
            Some(earlier) => format!(
                "the proof was chosen on the first {earlier} of them, and they must be in the order of their arrival, for hostile rows \
                 among these must not depend on honest rows that came later"
            ),
        };
        let text = format!(
            "{bound}  for a learner of new data like these, judged by such data, with probability {probability} over the draw of these \
             rows; {chosen}; the learner must shorten or refuse points of norm above {radius}"
        );
        Some(("new data loss", text))
    }

    fn attack_lines(&self) -> Vec<TextLine> {
        let (Some(attack), Some(loss), Some([low, high]), Some(verdict), Some(gap)) =
            (self.attack, self.attack_loss, self.attack_loss_interval, self.verdict, self.gap)
        else {
            return vec![];
        };
        let half = half_width(low, high);
        // The schedules that a statement covers include the constant rate, which is the one that is simulated.
        let changes = self.stated.statement.learner.schedule.is_some();
        let rate = if changes { " at the constant learning rate" } else { "" };
        let text = format!("{}  reached by {attack}{rate} (± {half}, {verdict})", down(loss));
        let mut lines = vec![("attack loss", text)];
        if let (Some(error), Some([low, high]), Some(by)) =
            (self.attack_error, self.attack_error_interval, self.attack_error_by)
        {
            let half = half_width(low, high);
            lines.push(("attack error", format!("{}  reached by {by}{rate} (± {half})", down(error))));
        }
        lines.push(("gap", format!("{}    certified loss / attack loss", decimal_up(gap, 2))));
        lines
    }
}

/// How many are misclassified: without an adversary, under the strongest attack found, and at most. Measurements are rounded down,
/// the bound up.
fn error_line(benign: Option<f64>, attack: Option<f64>, certified: Option<f64>) -> Option<String> {
    let down = |share: f64| format!("{:.1} %", (1000.0 * share + 1e-9).floor() / 10.0);
    let mut parts = vec![format!("{} now", down(benign?))];
    parts.extend(attack.map(|share| format!("attack reaches {}", down(share))));
    parts.push(match certified? {
        share if share < 1.0 => format!("proven at most {} %", decimal_up((100.0 * share).next_up(), 1)),
        _ => "nothing proven below 100 %".to_owned(),
    });
    Some(parts.join(", "))
}

/// Half the width of an interval; digits beyond the sixth say nothing.
fn half_width(low: f64, high: f64) -> String {
    up(((high - low) / 2.0).max(1e-6))
}

/// The name of a set on the command line.
fn set_name(set: &Set) -> &'static str {
    match set {
        Set::Ball { .. } => "ball",
        Set::Features { .. } => "features",
        Set::Box { .. } => "box",
        Set::Ellipsoid { .. } => "ellipsoid",
        Set::Points { .. } => "points",
        Set::LabelFlips => "labels",
        Set::Any => "any",
    }
}

/// How long a start matters.
pub fn transient(count: f64) -> String {
    if count.is_finite() {
        format!("{} steps until the start adds less than 1 %", steps(count))
    } else {
        "unknown: the long-run bound is not for this start".into()
    }
}

/// A number of steps: exact while short, else with three digits.
pub fn steps(x: f64) -> String {
    if x < 1e6 { format!("{x:.0}") } else { format!("{x:.2e}") }
}
