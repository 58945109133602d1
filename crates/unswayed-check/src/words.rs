//! The outcome of a check, in words and as JSON, the same for every program that runs one.

use std::fmt::Write as _;

use dashu::integer::IBig;
use dashu::rational::RBig;
use serde_json::json;

use crate::{
    Certificate, Evidence, Failure, Learner, Linear, LinearCertificate, Loss, Rows, Set, Target, Verdict,
    Witness, check, check_linear,
};

/// What came out: the certificate and its verdict, a refutation, or a file that cannot be read.
pub enum Outcome {
    /// Every claim holds.
    Valid(Box<Certificate>, Verdict),
    /// Every claim of a certificate about a linear learner holds.
    ValidLinear(Box<LinearCertificate>, Verdict),
    /// A claim, or the data, do not fit.
    NotValid(Failure),
    /// A file could not be read; the message says which and why.
    Unreadable(String),
}

impl Outcome {
    /// Judges a certificate.
    pub fn of(certificate: Certificate, rows: &Rows) -> Outcome {
        match check(&certificate, rows) {
            Ok(verdict) => Outcome::Valid(Box::new(certificate), verdict),
            Err(failure) => Outcome::NotValid(failure),
        }
    }

    /// Judges a certificate about a linear learner.
    pub fn of_linear(certificate: LinearCertificate, evidence: &Evidence) -> Outcome {
        match check_linear(&certificate, evidence) {
            Ok(verdict) => Outcome::ValidLinear(Box::new(certificate), verdict),
            Err(failure) => Outcome::NotValid(failure),
        }
    }

    /// The exit code of a program that reports this.
    pub fn code(&self) -> u8 {
        match self {
            Outcome::Valid(..) | Outcome::ValidLinear(..) => 0,
            Outcome::NotValid(_) => 1,
            Outcome::Unreadable(_) => 2,
        }
    }

    fn status(&self) -> &'static str {
        match self {
            Outcome::Valid(..) | Outcome::ValidLinear(..) => "valid",
            Outcome::NotValid(_) => "not valid",
            Outcome::Unreadable(_) => "unreadable",
        }
    }

    fn message(&self) -> String {
        match self {
            Outcome::Valid(certificate, verdict) => proven(certificate, verdict),
            Outcome::ValidLinear(certificate, verdict) => proven_linear(certificate, verdict),
            Outcome::NotValid(failure) => failure.to_string(),
            Outcome::Unreadable(message) => message.clone(),
        }
    }

    /// One line for a person.
    pub fn text(&self) -> String {
        format!("{}: {}", self.status(), self.message())
    }

    /// One line for a machine.
    pub fn json(&self) -> String {
        let verdict = match self {
            Outcome::Valid(_, verdict) | Outcome::ValidLinear(_, verdict) => Some(verdict),
            _ => None,
        };
        let mut object = json!({
            "status": self.status(),
            "certified_loss": verdict.map(|v| v.loss),
            "certified_error": verdict.and_then(|v| v.error),
            "certified_horizon": verdict.and_then(|v| v.horizon),
            "message": self.message(),
        });
        if let Some(bound) = verdict.and_then(|v| v.confidence) {
            object["certified_new_data"] = json!(bound);
        }
        object.to_string()
    }
}

/// What a valid certificate proves, in words.
fn proven(certificate: &Certificate, verdict: &Verdict) -> String {
    match &certificate.learner {
        Learner::Hinge(hinge) => {
            let mut text = format!(
                "against every adversary who sees everything and replaces each point with \
                 probability {} by any point of norm at most {}, the long-run average hinge loss \
                 of the learner (learning rate {}, regularization {}) on these {} rows is at most \
                 {}, its error at most {}",
                hinge.poison_rate,
                hinge.radius,
                hinge.learning_rate,
                hinge.regularization,
                certificate.data.rows,
                decimal_up(verdict.loss, 6),
                decimal_up(verdict.error.unwrap_or(verdict.loss), 6),
            );
            let ball = match &certificate.loss.witness {
                Witness::BoundedRange { ball, .. } => Some(*ball),
                Witness::Paper(witness) => Some(witness.ball),
                _ => None,
            };
            if let Some(ball) = ball {
                let _ = write!(text, ", from any start of norm at most {ball}");
            }
            if let (Some(horizon), Some(bound)) = (&certificate.horizon, verdict.horizon) {
                let (steps, bound) = (horizon.steps, decimal_up(bound, 6));
                let _ = write!(text, "; the average over the first {steps} steps is at most {bound}");
            }
            text + "."
        }
        Learner::Mean(mean) => format!(
            "against every adversary who sees everything and replaces each point with probability \
             {} by any point at a squared distance of at most {} from the mean, the long-run \
             average squared error of the mean estimate (learning rate {}, noise trace {}) is at \
             most {}, where benign points are {}.",
            mean.poison_rate,
            mean.squared_radius,
            mean.learning_rate,
            mean.noise_trace,
            decimal_up(verdict.loss, 6),
            match mean.covariance_trace {
                Some(trace) =>
                    format!("independent draws from any distribution whose covariance has the trace {trace}"),
                None => format!("independent draws from these {} samples", certificate.data.rows),
            },
        ),
    }
}

/// What a valid certificate about a linear learner proves, in words.
fn proven_linear(certificate: &LinearCertificate, verdict: &Verdict) -> String {
    let learner = &certificate.learner;
    let loss = match learner.loss {
        Loss::Hinge => "hinge loss".to_owned(),
        Loss::Logistic => "logistic loss".to_owned(),
        Loss::Classes(k) => format!("hinge loss for {k} classes"),
    };
    let mut text = format!(
        "against every adversary who sees everything and {}, the long-run average {loss} of the learner \
         (learning rate {}, regularization {}{}) on {} is at most {}",
        adversary(learner),
        learner.learning_rate,
        learner.regularization,
        variants(learner),
        target(certificate),
        decimal_up(verdict.loss, 6),
    );
    if let Some(error) = verdict.error {
        let _ = write!(text, ", its error at most {}", decimal_up(error, 6));
    }
    let claims = [Some(&certificate.loss), certificate.error.as_ref()].into_iter().flatten();
    let balls = claims.filter_map(|c| c.witness.shells.as_ref()).map(|s| s.ball);
    if let Some(ball) = balls.reduce(f64::min) {
        let _ = write!(text, ", from any start of norm at most {ball}");
    }
    if let (Some(horizon), Some(bound)) = (&certificate.horizon, verdict.horizon) {
        let (steps, bound) = (horizon.steps, decimal_up(bound, 6));
        let _ = write!(text, "; the average over the first {steps} steps is at most {bound}");
    }
    if let (Some(claim), Some(bound)) = (&certificate.confidence, verdict.confidence) {
        let (delta, bound) = (claim.confidence.delta, decimal_up(bound, 6));
        let _ = write!(
            text,
            "; if these rows are independent draws that were made after the witness was chosen, the long-run \
             loss on new data like them is at most {bound}, unless an event of probability {delta} occurred"
        );
    }
    text + "."
}

fn adversary(learner: &Linear) -> String {
    let rate = learner.poison_rate;
    let replaces = format!("replaces each point with probability {rate} by");
    match &learner.set {
        Set::Ball { radius } => format!("{replaces} any point of norm at most {radius}"),
        Set::Box { .. } => format!("{replaces} any point of the certificate's box"),
        Set::Ellipsoid { .. } => format!("{replaces} any point of the certificate's ellipsoid"),
        Set::Points { .. } => format!("{replaces} any of the certificate's points"),
        Set::Labels => {
            format!(
                "with probability {rate} may flip the label of the row z that is drawn, so that −z is learned instead"
            )
        }
        Set::Any => format!("{replaces} any point at all"),
    }
}

/// The variants of the step, each after a comma.
fn variants(learner: &Linear) -> String {
    let step = &learner.step;
    let mut text = String::new();
    if step.batch > 1 {
        let _ = write!(text, ", {} points per step", step.batch);
    }
    if let Some(radius) = step.projection {
        let _ = write!(text, ", projected on norms up to {radius}");
    }
    if let Some(clip) = step.clip {
        let _ = write!(text, ", gradients clipped at {clip}");
    }
    if !step.free.is_empty() {
        let _ = write!(text, ", coordinates {:?} not regularized", step.free);
    }
    text
}

fn target(certificate: &LinearCertificate) -> String {
    let rows: Vec<String> = certificate.data.iter().map(|d| d.rows.to_string()).collect();
    let rows = rows.join(" + ");
    let drift = if certificate.data.len() > 1 {
        ", drifting between the datasets in any way that is not told the coming step's coin and draw,"
    } else {
        ""
    };
    match &certificate.learner.target {
        Target::Data => format!("these {rows} rows{drift}"),
        Target::Weights(_) => format!("these {rows} rows with the certificate's weights{drift}"),
        Target::Rows => {
            let own = certificate.target.as_ref().map_or(0, |t| t.rows);
            format!("the target's {own} rows, learning from these {rows} rows{drift}")
        }
    }
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

#[cfg(test)]
mod tests {
    use super::decimal_up;

    #[test]
    fn decimals_are_rounded_up() {
        let cases = [
            (0.25, "0.250000"),
            (0.172_053_863_5, "0.172054"),
            (1e-9, "0.000001"),
            (0.0, "0.000000"),
            (12.5, "12.500000"),
            (-0.5, "-0.500000"),
            (0.1, "0.100001"), // the double 0.1 is a little more than 0.1
        ];
        for (x, text) in cases {
            assert_eq!(decimal_up(x, 6), text);
        }
    }
}
