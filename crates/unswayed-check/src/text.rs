//! Statements and verdicts for people and for machines, the same for every program that shows them.

use std::fmt::Write as _;

use dashu_int::IBig;
use dashu_ratio::RBig;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::proof::{Certificate, HostileSample, MeanCertificate, NewDataClaim};
use crate::statement::{Learner, MeanBenign, MeanStatement, PoisonWeight, Set, Statement, Target};
use crate::{Failure, Proof, Verdict};
use unswayed_data::ClassWeights;

/// A heading and what it says.
pub type TextLine = (&'static str, String);

impl Statement {
    /// The whole statement but for its bounds: learner, threat, rows, target, horizon.
    pub fn lines(&self) -> Vec<TextLine> {
        let mut lines = vec![("learner", learner(&self.learner)), ("threat", self.threat_text())];
        lines.extend(self.data.iter().map(|origin| ("rows", origin.to_string())));
        lines.extend(self.hostile_text().map(|text| ("hostile", text)));
        if self.data.len() > 1 {
            let mut text = "benign points come from one of these at a time; which one may change at any step, in any way that does \
                            not depend on the coming coin and draw"
                .to_owned();
            if !matches!(self.target, Target::Rows(_)) {
                text += "; the loss of a step is that on the dataset of this step";
            }
            lines.push(("drift", text));
        }
        match &self.target {
            Target::Data => {}
            Target::Weights(weights) => {
                let numbers: Vec<f64> = weights.concat();
                lines.push((
                    "judged by",
                    format!("the same rows, with target weights: {}", summary(&numbers)),
                ));
            }
            Target::Rows(origin) => lines.push(("judged by", origin.to_string())),
        }
        if let Some(horizon) = &self.horizon {
            let start = if horizon.start.iter().all(|&x| x == 0.0) {
                "θ = 0".to_owned()
            } else {
                format!("a start of norm {}: {}", norm(&horizon.start), summary(&horizon.start))
            };
            let mut text = format!("the first {} steps from {start}", horizon.steps);
            if let Some(schedule) = self.learner.schedule {
                let first = schedule
                    .from_step
                    .map_or("the step from which on the rates are known".to_owned(), |step| {
                        format!("step {step}")
                    });
                let _ = write!(text, ", which is the model at {first}: they are counted from there");
            }
            if let Some(rate) = horizon.first_rate {
                let _ = write!(text, "; the learning rate of the first of them is at least {rate}");
            }
            if let Some(total) = horizon.total_rate {
                let _ = write!(text, "; their learning rates add up to at least {total}");
            }
            lines.push(("horizon", text));
        }
        lines
    }

    fn hostile_text(&self) -> Option<String> {
        let each = self.hostile_rows.iter().zip(&self.data);
        let each: Vec<String> =
            each.map(|(count, origin)| format!("{count} of the {}", origin.rows)).collect();
        let rest = "rows may be hostile, nobody knows which; benign points are draws from the others, and the bounds are for these";
        (!each.is_empty()).then(|| format!("up to {} {rest}", each.join(" and ")))
    }

    fn threat_text(&self) -> String {
        let rate = self.threat.poison_rate;
        let own = match (self.threat.moments, self.threat.most_in_block()) {
            (Some(block), Some(most)) => format!(
                "up to {most} points ({rate} of {block}) of each block of {block} points, counted from the first, are the \
                 adversary's, at moments of its choosing:"
            ),
            _ => format!("each point is, with probability {rate}, the adversary's:"),
        };
        let z = if self.learner.loss.label_entries() > 0 { "x" } else { "z" };
        let points = match &self.threat.set {
            Set::Ball { radius } => format!("{own} any point with ‖{z}‖ ≤ {radius}"),
            Set::Features { radius, constant } => {
                let column = self.learner.unregularized.first().map_or(0, |j| j + 1);
                let sign = if self.learner.loss.is_regression() { "" } else { "±" };
                format!(
                    "{own} any point with ‖{z}‖ ≤ {radius} without column {column}, whose entry is {sign}{constant}: the learner \
                     appends that constant itself"
                )
            }
            Set::Box { radii } => format!("{own} any {z} with |{z}_j| ≤ R_j; R: {}", summary(radii)),
            Set::Ellipsoid { q } => {
                format!("{own} any {z} with {z}ᵀQ⁻¹{z} ≤ 1; upper triangle of Q: {}", summary(q))
            }
            Set::Points { points } => {
                let columns = self.data.first().map_or(1, |origin| origin.columns).max(1);
                format!("{own} any of {} points; their entries: {}", points.len() / columns, summary(points))
            }
            Set::LabelFlips => {
                format!(
                    "with probability {rate} the adversary may flip the label of the row drawn: z or −z, as it likes"
                )
            }
            Set::Any => format!("{own} any point at all"),
        };
        let points = match self.threat.label_bound {
            Some(bound) => format!("{points}, with any label |y| ≤ {bound}"),
            None if self.learner.loss.is_regression() => format!("{points}, with any number as its label"),
            None => points,
        };
        match self.threat.poison_weight {
            Some(PoisonWeight::All(weight)) => {
                format!("{points}; steps on them are multiplied by at most {weight}")
            }
            Some(PoisonWeight::ByClass(ClassWeights { negative, positive })) => format!(
                "{points}; steps on those whose entry of that column is negative (label −1) are multiplied by at most {negative}, \
                 positive (label +1) by at most {positive}"
            ),
            None => points,
        }
    }

    /// What the proof relies on beyond the statement.
    pub fn assumptions(&self) -> String {
        let rows = if self.hostile_rows.is_empty() {
            "the rows"
        } else {
            "the rows that are not hostile (the same ones throughout)"
        };
        let sees = if self.threat.moments.is_some() {
            "everything but the coming draw, before which it decides whether the point is its own"
        } else {
            "everything but the coming coin and draw"
        };
        format!(
            "the adversary sees {sees}; other points are independent draws from {rows} by \
             their weights; steps are made in real arithmetic"
        )
    }
}

fn learner(learner: &Learner) -> String {
    let (eta, sigma) = (learner.learning_rate, learner.regularization);
    let mut text = format!("{}, learning rate {eta}, regularization {sigma}", learner.loss.describe());
    if let Some(schedule) = learner.schedule {
        let falls = if schedule.weighted {
            "it may fall as it likes".to_owned()
        } else {
            format!("1/rate grows by at most {} a step", schedule.slowdown)
        };
        let from =
            schedule.from_step.map_or("from some step on".to_owned(), |step| format!("from step {step} on"));
        let _ = write!(text, "; that rate is the largest, and {falls}, {from}");
        if schedule.weighted {
            let _ = write!(text, "; averages over time are weighted by the learning rates");
        }
    }
    if let Some(momentum) = learner.momentum {
        let _ =
            write!(text, ", momentum {momentum} (v ← {momentum}·v + gradient, θ ← θ − {eta}·v, from v = 0)");
    }
    if learner.average {
        let _ = write!(text, "; the model is the average of all models so far");
    }
    if learner.batch > 1 {
        let _ = write!(text, ", {} points per step", learner.batch);
    }
    if let Some(radius) = learner.projection {
        let _ = write!(text, ", projected on norms up to {radius}");
    }
    if let Some(clip) = learner.clip {
        let _ = write!(text, ", gradients clipped at {clip}");
    }
    for column in &learner.unregularized {
        let _ = write!(text, ", column {} not regularized", column + 1);
    }
    text
}

/// Many numbers in a few words: how many, from where to where, and the start of their SHA-256.
fn summary(numbers: &[f64]) -> String {
    let digest = Sha256::digest(numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>());
    let digest = digest[..8].iter().fold(0, |value: u64, byte| value << 8 | u64::from(*byte));
    let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("{} numbers from {low} to {high}, sha256 {digest:016x}…", numbers.len())
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

impl MeanStatement {
    /// The whole statement but for its bound.
    pub fn lines(&self) -> Vec<TextLine> {
        let MeanStatement { learning_rate, poison_rate, squared_radius, noise_trace, benign } = self;
        let learner = format!(
            "mean estimate θ ← (1−η)θ + ηz, learning rate {learning_rate}, noise trace {noise_trace}"
        );
        let threat = format!(
            "each point is, with probability {poison_rate}, the adversary's: any z with ‖z−μ‖² ≤ {squared_radius}"
        );
        let benign = match benign {
            MeanBenign::Samples(origin) => format!("draws from {} samples: {origin}", origin.rows),
            MeanBenign::CovarianceTrace(trace) => {
                format!("any distribution whose covariance has the trace {trace}")
            }
        };
        vec![("learner", learner), ("threat", threat), ("benign", benign)]
    }
}

/// What came out of a check.
pub enum Checked {
    /// Every claim of a certificate about a linear learner holds.
    Valid(Box<Certificate>, Verdict),
    /// The claim of a certificate about the mean learner holds, with this exact bound.
    ValidMean(Box<MeanCertificate>, f64),
    /// A claim, or the data, do not fit.
    NotValid(Failure),
    /// Every claim holds, but the statement is not what was expected; the message says how.
    Unexpected(String),
    /// A file could not be read; the message says which and why.
    Unreadable(String),
}

impl Checked {
    /// The exit code of a program that reports this.
    pub fn code(&self) -> u8 {
        match self {
            Checked::Valid(..) | Checked::ValidMean(..) => 0,
            Checked::NotValid(_) | Checked::Unexpected(_) => 1,
            Checked::Unreadable(_) => 2,
        }
    }

    fn status(&self) -> &'static str {
        match self {
            Checked::Valid(..) | Checked::ValidMean(..) => "valid",
            Checked::NotValid(_) => "not valid",
            Checked::Unexpected(_) => "not as expected",
            Checked::Unreadable(_) => "unreadable",
        }
    }

    /// What is proved, or what is wrong: a line, or a line for each part of the statement.
    pub fn text(&self) -> String {
        match self {
            Checked::NotValid(failure) => format!("not valid: {failure}\n"),
            Checked::Unexpected(message) => format!("not as expected: {message}\n"),
            Checked::Unreadable(message) => format!("unreadable: {message}\n"),
            Checked::Valid(certificate, verdict) => table(&proven(certificate, verdict)),
            Checked::ValidMean(certificate, bound) => {
                let mut lines = certificate.statement.lines();
                lines.insert(0, ("valid", "proved in exact arithmetic".to_owned()));
                let bound = decimal_up(*bound, 6);
                lines.push((
                    "loss",
                    format!("the long-run average of ‖θ−μ‖² is at most {bound}, from any start"),
                ));
                table(&lines)
            }
        }
    }

    /// The same for machines, with the whole statement.
    pub fn json(&self) -> Value {
        let mut object = json!({ "status": self.status() });
        let fields = match self {
            Checked::NotValid(failure) => json!({ "message": failure.to_string() }),
            Checked::Unexpected(message) | Checked::Unreadable(message) => json!({ "message": message }),
            Checked::Valid(certificate, verdict) => json!({
                "certified_loss": verdict.loss,
                "certified_error": verdict.error,
                "certified_horizon": verdict.horizon,
                "certified_horizon_error": verdict.horizon_error,
                "certified_new_data": verdict.new_data,
                "confidence": certificate.new_data.as_ref().map(NewDataClaim::confidence),
                "new_data_radius": certificate.new_data.as_ref().map(|claim| claim.radius),
                "new_data_earlier": certificate.new_data.as_ref().and_then(NewDataClaim::earlier),
                "new_data_assumptions": certificate.new_data.as_ref().map(NewDataClaim::assumptions),
                "method": certificate.loss.proof.method(),
                "start_norm": certificate.start_norm(),
                "smaller_rates": certificate.holds_for_smaller_rates(),
                "momentum_cost": verdict.momentum_cost,
                "most_in_block": certificate.statement.threat.most_in_block(),
                "statement": certificate.statement,
                "assumptions": certificate.statement.assumptions(),
                "tool": certificate.tool,
            }),
            Checked::ValidMean(certificate, bound) => json!({
                "certified_loss": bound,
                "certified_error": null,
                "statement": certificate.statement,
                "tool": certificate.tool,
            }),
        };
        if let (Some(object), Value::Object(fields)) = (object.as_object_mut(), fields) {
            object.extend(fields);
        }
        object
    }
}

impl Certificate {
    /// The norm of starts that the long-run bounds are restricted to, if they are.
    pub fn start_norm(&self) -> Option<f64> {
        let proofs = std::iter::once(&self.loss).chain(&self.error).map(|claim| &claim.proof);
        let projection = self.statement.learner.projection;
        proofs.filter_map(Proof::ball).chain(projection).reduce(f64::min)
    }

    /// How a learner with momentum is bounded by one without, and what is added for it.
    fn momentum_text(&self, cost: f64) -> String {
        format!(
            "the bound on the loss is that of steps without momentum at the learning rate {}, and momentum costs at most {} more, \
             which is in it",
            self.loss.proof.rate().unwrap_or(self.statement.learner.learning_rate),
            decimal_up(cost, 6)
        )
    }
}

impl NewDataClaim {
    /// 1 − δ, never 1.
    pub fn confidence(&self) -> f64 {
        (1.0 - self.delta).min(1.0_f64.next_down())
    }

    /// How many rows, from the first, came before the sample and chose the numbers; where rows may be hostile.
    pub fn earlier(&self) -> Option<usize> {
        self.hostile.as_ref().map(|hostile| hostile.earlier)
    }

    /// What the claim relies on beyond the statement.
    pub fn assumptions(&self) -> String {
        let draws = match &self.hostile {
            None => "they are independent draws from the law of the new data, made after the numbers of the statement and of the \
                     proof (but for its `w`) were chosen without them,"
                .to_owned(),
            Some(HostileSample { earlier, .. }) => format!(
                "they are in the order of their arrival, the numbers of the statement and of the proof (but for its `threshold`, `pull`, \
                 `spread` and `w`) were chosen, and how many rows would follow was fixed, when the first {earlier} had arrived, honest points \
                 after that are independent draws from the law of the new data whatever came before, and the rows after the first \
                 {earlier} are the next ones, but for the hostile rows, which were added or replace any of them (none is left out otherwise),"
            ),
        };
        format!(
            "{draws} and if the learner's benign points are draws from that law (not from these rows) which it shortens or refuses \
             where their norm is above {}; the loss is that on points after this",
            self.radius
        )
    }
}

/// What the bound for the first steps bounds.
fn horizon_subject(learner: &Learner) -> &'static str {
    if learner.average {
        "after the first steps, the expected loss of the averaged model (of the start and the models after all steps but the last)"
    } else if learner.schedule.is_some_and(|schedule| schedule.weighted) {
        "the expected average loss over the first steps, weighted by the learning rates,"
    } else {
        "the expected average loss over the first steps"
    }
}

/// What the bound on the error for the first steps bounds.
fn horizon_error_subject(learner: &Learner) -> &'static str {
    if learner.average { "and its expected fraction misclassified" } else { "and the fraction misclassified" }
}

fn proven(certificate: &Certificate, verdict: &Verdict) -> Vec<TextLine> {
    let mut lines =
        vec![("valid", "proved in exact arithmetic, against every adversary of the threat".to_owned())];
    lines.extend(certificate.statement.lines());
    let start =
        certificate.start_norm().map_or("any".to_owned(), |ball| format!("any of norm at most {ball}"));
    lines.push(("start", start));
    if let Some(rates) = certificate.rates_text() {
        lines.push(("rates", rates));
    }
    if let Some(cost) = verdict.momentum_cost {
        lines.push(("momentum", certificate.momentum_text(cost)));
    }
    lines.push(("assumes", certificate.statement.assumptions()));
    let learner = &certificate.statement.learner;
    let (loss, error) = if learner.schedule.is_some_and(|schedule| schedule.weighted) {
        (
            "the long-run average loss, weighted by the learning rates,",
            "the long-run fraction misclassified, weighted by the learning rates,",
        )
    } else if learner.average {
        ("in the long run the expected loss of the averaged model", "and its expected fraction misclassified")
    } else {
        ("the long-run average loss", "the long-run fraction misclassified")
    };
    lines.push(("loss", format!("{loss} is at most {}", decimal_up(verdict.loss, 6))));
    if let Some(bound) = verdict.error {
        lines.push(("error", format!("{error} is at most {}", decimal_up(bound, 6))));
    }
    if let Some(bound) = verdict.horizon {
        let subject = horizon_subject(learner);
        lines.push(("horizon", format!("{subject} is at most {}", decimal_up(bound, 6))));
    }
    if let Some(bound) = verdict.horizon_error {
        let subject = horizon_error_subject(learner);
        lines.push(("", format!("{subject} is at most {}", decimal_up(bound, 6))));
    }
    if let (Some(claim), Some(bound)) = (&certificate.new_data, verdict.new_data) {
        let text = format!(
            "the long-run loss on new data is at most {}, with probability {} over the draw of these rows, if {}",
            decimal_up(bound, 6),
            claim.confidence(),
            claim.assumptions()
        );
        lines.push(("new data", text));
    }
    lines
}

fn table(lines: &[TextLine]) -> String {
    lines.iter().fold(String::new(), |table, (name, text)| format!("{table}{name:<10} {text}\n"))
}

/// The number with so many decimals (at least one), rounded up, exactly.
///
/// ```
/// assert_eq!(unswayed_check::decimal_up(0.17205386, 4), "0.1721");
/// ```
pub fn decimal_up(x: f64, decimals: usize) -> String {
    let Ok(exact) = RBig::try_from(x) else {
        return x.to_string();
    };
    let units = (exact * RBig::from(IBig::from(10).pow(decimals))).ceil();
    let sign = if units < IBig::ZERO { "-" } else { "" };
    let digits = format!("{:0>1$}", units.to_string().trim_start_matches('-'), decimals + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals);
    format!("{sign}{whole}.{fraction}")
}
