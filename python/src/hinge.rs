//! The hinge learner against a ball, which has solvers of its own.

use std::sync::Arc;

use pyo3::prelude::*;
use serde_json::{Value, json};
use unswayed::attack::{Attack, Attacked, Suite};
use unswayed::certify::{Options as CertifyOptions, Outcome, certify, horizon_bounds, paper};
use unswayed::simulate::Simulated;
use unswayed::{AttackError, CertifyError, Dataset, Hinge, Threat};
use unswayed_check::Learner;
use unswayed_report::about::{Subject as Reported, certificate_lines, certify_report, over_rates};
use unswayed_report::{Block, Report};

use crate::attack::{Effort, Written};
use crate::certificate::{Account, Proven};
use crate::task::{Options, Subject};
use crate::{CheckFailed, error};

/// Rows for which bounds at other poison rates take a moment.
const MOST_PLOTTED: usize = 20_000;

/// The learner, its adversary and its data.
#[derive(Clone)]
pub struct HingeTask {
    pub data: Arc<Dataset>,
    pub learner: Hinge,
    pub threat: Threat,
}

/// A certificate, and what it is about.
pub struct HingeProven {
    pub task: HingeTask,
    pub outcome: Outcome,
}

impl HingeTask {
    fn suite<'a>(&'a self, effort: &'a Effort) -> Result<Suite<'a>, AttackError> {
        let suite = Suite::new(&self.data, &self.learner, &self.threat)
            .with_effort(effort.effort)
            .with_seed(effort.seed)
            .with_cancel(&effort.cancel);
        match &effort.test {
            Some(test) => suite.with_test(test),
            None => Ok(suite),
        }
    }

    fn reported(&self, seed: u64) -> Reported<'_> {
        Reported { data: &self.data, learner: self.learner, threat: self.threat, seed }
    }
}

impl Subject for HingeTask {
    fn data(&self) -> &Arc<Dataset> {
        &self.data
    }

    fn certify(&self, options: &Options) -> PyResult<Box<dyn Proven>> {
        let HingeTask { data, learner, threat } = self;
        let asked = CertifyOptions { horizon: options.horizon, start: options.start.clone() };
        let outcome = if options.paper {
            paper::certify(data, learner, threat, &asked, None)
        } else {
            certify(data, learner, threat, &asked)
        };
        Ok(Box::new(HingeProven { task: self.clone(), outcome: outcome.map_err(error)? }))
    }

    fn attack(&self, attacks: Option<&[Attack]>, effort: &Effort) -> Result<Vec<Attacked>, AttackError> {
        let usual = if effort.is_full() { &Attack::ALL[1..] } else { &Attack::FAST[..] };
        self.suite(effort)?.run(attacks.unwrap_or(usual))
    }

    fn simulate(&self, policy: &Written, effort: &Effort) -> Result<Simulated, AttackError> {
        self.suite(effort)?.simulate(policy)
    }
}

impl Proven for HingeProven {
    fn task(&self) -> Arc<dyn Subject> {
        Arc::new(self.task.clone())
    }

    fn data(&self) -> Vec<Arc<Dataset>> {
        vec![self.task.data.clone()]
    }

    fn target(&self) -> Option<Arc<Dataset>> {
        None
    }

    fn figures(&self) -> Value {
        let HingeProven { task, outcome } = self;
        json!({
            "status": outcome.status.word(),
            "method": outcome.certificate.loss.witness.method(),
            "certified_loss": outcome.certified_loss,
            "certified_error": outcome.certified_error,
            "confident_loss": null,
            "benign_loss": outcome.benign.loss,
            "benign_error": outcome.benign.error,
            "benign_model": outcome.benign.theta,
            "horizon_loss": outcome.horizon_loss,
            "transient_steps": outcome.transient_steps,
            "loss_function": "hinge",
            "is_targeted": false,
            "most_plotted": MOST_PLOTTED,
            "setting": {
                "learning_rate": task.learner.learning_rate(),
                "regularization": task.learner.regularization(),
                "poison_rate": task.threat.poison_rate(),
                "radius": task.threat.radius(),
            },
        })
    }

    fn to_bytes(&self) -> Vec<u8> {
        self.outcome.certificate.to_bytes()
    }

    fn horizon(&self, steps: &[u64], start: Option<Vec<f64>>) -> PyResult<Vec<f64>> {
        let start = start.unwrap_or_else(|| vec![0.0; self.task.data.dimension()]);
        let bounds = horizon_bounds(&self.task.data, &self.outcome.certificate, &start, steps);
        bounds.map_err(error)
    }

    fn lines(&self, attacked: Option<&Attacked>) -> Vec<(&'static str, String)> {
        certificate_lines(&self.task.reported(0), &self.outcome, attacked)
    }

    fn report(&self, account: Account) -> PyResult<Report> {
        let Account { attacked, command, verify, seed } = account;
        let report = certify_report(&self.task.reported(seed), &self.outcome, attacked, command, verify);
        report.map_err(error)
    }

    fn plot(&self, attacked: Option<&Attacked>, seed: u64) -> PyResult<Block> {
        let plot = over_rates(&self.task.reported(seed), &self.outcome, attacked);
        plot.map(Block::Lines).map_err(error)
    }
}

/// A certificate from its file, checked against the data.
pub fn recover(certificate: unswayed_check::Certificate, data: Arc<Dataset>) -> PyResult<HingeProven> {
    let Learner::Hinge(hinge) = &certificate.learner else { return Err(error(CertifyError::NotHinge)) };
    let learner = Hinge::new(hinge.learning_rate, hinge.regularization).map_err(error)?;
    let threat = Threat::new(hinge.poison_rate).and_then(|t| t.with_radius(hinge.radius)).map_err(error)?;
    let outcome = unswayed::certify::recover(&data, certificate).map_err(|e| match e {
        CertifyError::Refused(failure) => CheckFailed::new_err(failure.to_string()),
        other => error(other),
    })?;
    Ok(HingeProven { task: HingeTask { data, learner, threat }, outcome })
}
