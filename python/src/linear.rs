//! All linear learners but the hinge learner against a ball.

use std::sync::Arc;

use pyo3::prelude::*;
use serde_json::{Value, json};
use unswayed::attack::{Attack, Attacked, LinearSuite};
use unswayed::certify::Benign;
use unswayed::certify::linear::{LinearOptions, LinearOutcome, certify_linear, recover_linear};
use unswayed::check::{Evidence, Linear, LinearCertificate, Rows, Set, Target, prove_linear};
use unswayed::data::require_alike;
use unswayed::simulate::Simulated;
use unswayed::{AttackError, Dataset};
use unswayed_report::about::{Beside, LinearSubject, linear_lines, linear_report, loss_name};
use unswayed_report::{Block, Report};

use crate::attack::{Effort, Written};
use crate::certificate::{Account, Proven};
use crate::task::{Options, Subject};
use crate::{CheckFailed, error};

/// Rows for which bounds at other poison rates take a few seconds.
const MOST_PLOTTED: usize = 200;

/// The learner with its adversary, and the rows they meet.
#[derive(Clone)]
pub struct LinearTask {
    /// One dataset, or several if the data drift.
    pub data: Vec<Arc<Dataset>>,
    /// The target's rows, if it has rows of its own.
    pub target: Option<Arc<Dataset>>,
    pub learner: Linear,
    /// The probability with which new data are to be spoken of as well.
    pub confidence: Option<f64>,
}

/// A certificate, and what it is about.
pub struct LinearProven {
    task: Arc<LinearTask>,
    outcome: LinearOutcome,
    benign: Benign,
}

impl LinearTask {
    fn rows(&self) -> Vec<&Dataset> {
        self.data.iter().map(AsRef::as_ref).collect()
    }

    /// Does something with the attacks on this learner.
    fn with_suite<T>(
        &self,
        effort: &Effort,
        act: impl FnOnce(&LinearSuite) -> Result<T, AttackError>,
    ) -> Result<T, AttackError> {
        let rows = self.rows();
        let mut suite = LinearSuite::new(&rows, &self.learner, self.target.as_deref())?
            .with_effort(effort.effort)
            .with_seed(effort.seed)
            .with_cancel(&effort.cancel);
        if let Some(test) = &effort.test {
            require_alike(rows[0], [test.as_ref()]).map_err(|e| AttackError::Data(e.to_string()))?;
            suite = suite.with_test(test)?;
        }
        act(&suite)
    }

    /// The proof with the learner that nobody attacks beside it.
    fn proven(self, outcome: LinearOutcome) -> Result<LinearProven, AttackError> {
        let benign = self.with_suite(&Effort::default(), |suite| Ok(suite.benign().clone()))?;
        Ok(LinearProven { task: Arc::new(self), outcome, benign })
    }
}

impl Subject for LinearTask {
    fn data(&self) -> &Arc<Dataset> {
        &self.data[0]
    }

    fn certify(&self, options: &Options) -> PyResult<Box<dyn Proven>> {
        if options.paper {
            return Err(error("method paper is for the hinge learner against a ball; leave it out"));
        }
        let asked = LinearOptions {
            target: self.target.as_deref(),
            horizon: options.horizon,
            start: options.start.clone(),
            confidence: self.confidence,
        };
        let outcome = certify_linear(&self.rows(), &self.learner, &asked).map_err(error)?;
        let mut task = LinearTask { confidence: None, ..self.clone() };
        if self.confidence.is_some() {
            // The other half chose the numbers; the certificate is about this one.
            let half = self.data[0].first(outcome.certificate.data[0].rows).map_err(error)?;
            task.data = vec![Arc::new(half)];
        }
        Ok(Box::new(task.proven(outcome).map_err(error)?))
    }

    fn attack(&self, attacks: Option<&[Attack]>, effort: &Effort) -> Result<Vec<Attacked>, AttackError> {
        self.with_suite(effort, |suite| {
            let is_usual = |attack: &Attack| effort.is_full() || Attack::FAST.contains(attack);
            let usual: Vec<Attack> = suite.attacks().into_iter().filter(is_usual).collect();
            suite.run(attacks.unwrap_or(&usual))
        })
    }

    fn simulate(&self, policy: &Written, effort: &Effort) -> Result<Simulated, AttackError> {
        self.with_suite(effort, |suite| suite.simulate(policy))
    }

    fn gives_row(&self) -> bool {
        self.learner.set == Set::Labels
    }
}

impl LinearProven {
    /// Lends what reports are made of.
    fn with_words<T>(
        &self,
        attacked: Option<&Attacked>,
        act: impl FnOnce(&LinearSubject, &Beside) -> T,
    ) -> T {
        let LinearTask { target, learner, .. } = self.task.as_ref();
        let subject = LinearSubject { data: &self.task.rows(), target: target.as_deref(), learner };
        act(&subject, &Beside { benign: &self.benign, attacked })
    }

    fn setting(&self) -> Value {
        let Linear { learning_rate, regularization, poison_rate, loss, step, set, .. } = &self.task.learner;
        json!({
            "learning_rate": learning_rate,
            "regularization": regularization,
            "poison_rate": poison_rate,
            "radius": if let Set::Ball { radius } = set { Some(radius) } else { None },
            "loss": loss_name(*loss),
            "adversary": set_name(set),
            "batch": step.batch,
            "projection": step.projection,
            "clip": step.clip,
            "bias": step.free.first(),
        })
    }
}

impl Proven for LinearProven {
    fn task(&self) -> Arc<dyn Subject> {
        self.task.clone()
    }

    fn data(&self) -> Vec<Arc<Dataset>> {
        self.task.data.clone()
    }

    fn target(&self) -> Option<Arc<Dataset>> {
        self.task.target.clone()
    }

    fn figures(&self) -> Value {
        let LinearProven { outcome, benign, .. } = self;
        json!({
            "status": outcome.status.word(),
            "method": outcome.certificate.loss.witness.method.name(),
            "certified_loss": outcome.certified_loss,
            "certified_error": outcome.certified_error,
            "confident_loss": outcome.confident_loss,
            "benign_loss": benign.loss,
            "benign_error": benign.error,
            "benign_model": benign.theta,
            "horizon_loss": outcome.horizon_loss,
            "transient_steps": outcome.transient_steps,
            "loss_function": loss_name(self.task.learner.loss),
            "is_targeted": self.task.learner.target != Target::Data,
            "most_plotted": MOST_PLOTTED,
            "setting": self.setting(),
        })
    }

    fn to_bytes(&self) -> Vec<u8> {
        self.outcome.certificate.to_bytes()
    }

    fn horizon(&self, steps: &[u64], start: Option<Vec<f64>>) -> PyResult<Vec<f64>> {
        let witness = &self.outcome.certificate.loss.witness;
        let start = start.unwrap_or_else(|| vec![0.0; witness.beta.len()]);
        let rows = rows(&self.task.data);
        let evidence = Evidence { data: &rows, target: self.task.target.as_ref().map(|t| t.as_rows()) };
        let proven = prove_linear(&self.task.learner, witness, &evidence).map_err(error)?;
        steps.iter().map(|steps| proven.horizon(*steps, &start).map_err(error)).collect()
    }

    fn lines(&self, attacked: Option<&Attacked>) -> Vec<(&'static str, String)> {
        self.with_words(attacked, |subject, beside| linear_lines(subject, &self.outcome, beside))
    }

    fn report(&self, account: Account) -> PyResult<Report> {
        let Account { attacked, command, verify, seed: _ } = account;
        let report = self.with_words(attacked, |subject, beside| {
            linear_report(subject, &self.outcome, beside, command, verify)
        });
        report.map_err(error)
    }

    fn plot(&self, attacked: Option<&Attacked>, seed: u64) -> PyResult<Block> {
        let account = Account { attacked, command: String::new(), verify: String::new(), seed };
        let sections = self.report(account)?.sections;
        let first = sections.into_iter().flat_map(|section| section.blocks).next();
        first.ok_or_else(|| error("there is nothing to plot"))
    }
}

/// The name of a set among the words for adversaries.
fn set_name(set: &Set) -> &'static str {
    match set {
        Set::Ball { .. } => "ball",
        Set::Box { .. } => "box",
        Set::Ellipsoid { .. } => "ellipsoid",
        Set::Points { .. } => "points",
        Set::Labels => "labels",
        Set::Any => "any",
    }
}

/// The rows of all datasets as the exact checker takes them.
pub fn rows(data: &[Arc<Dataset>]) -> Vec<Rows<'_>> {
    data.iter().map(|one| one.as_rows()).collect()
}

/// A certificate from its file, checked against the data.
pub fn recover(
    certificate: LinearCertificate,
    data: Vec<Arc<Dataset>>,
    target: Option<Arc<Dataset>>,
) -> PyResult<LinearProven> {
    let learner = certificate.learner.clone();
    let all: Vec<&Dataset> = data.iter().map(AsRef::as_ref).collect();
    let outcome = recover_linear(&all, target.as_deref(), certificate);
    let outcome = outcome.map_err(|failure| CheckFailed::new_err(failure.to_string()))?;
    LinearTask { data, target, learner, confidence: None }.proven(outcome).map_err(error)
}
