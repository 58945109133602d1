//! A piece of a sweep: what is computed in one go, in this process or in another that has the task's data.

use serde::{Deserialize, Serialize};

use super::record::{AttackRecord, AttackedRecord, BenignRecord, CertifiedRecord, Record};
use super::sweep::{BenignLoss, SweepPlan};
use super::{DesignError, Setting};
use crate::attack::{Attack, Attacked, Effort, Suite};
use crate::cancel::Cancel;
use crate::certify::{self, Benign, Outcome, Point, benign, certify_after};
use crate::data::Dataset;
use crate::threat::Threat;

/// One setting on one task, and what is to be found out about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// The task's name.
    pub task: String,
    /// The learner's setting.
    pub setting: Setting,
    /// What is to be found out.
    pub work: Work,
}

/// What is to be found out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Work {
    /// The benign loss and the certificates at all poison rates, each solved from the solution of the one before.
    Certify {
        /// What is known already and not computed again.
        known: Vec<Record>,
    },
    /// What attacks reach at one poison rate.
    Attack {
        /// ε.
        poison_rate: f64,
    },
}

impl Piece {
    /// Computes the records of this piece on the task's data and hands each over as soon as it is there.
    ///
    /// ```
    /// use unswayed::attack::Effort;
    /// use unswayed::design::piece::{Piece, Work};
    /// use unswayed::design::{BenignLoss, Grid, Setting, SweepPlan};
    /// let plan = SweepPlan {
    ///     grid: Grid::new(vec![1e-3], vec![0.01], vec![0.01, 0.02])?,
    ///     radius: 1.0,
    ///     benign: BenignLoss::Limit,
    ///     effort: Effort::Fast,
    ///     seed: 0,
    /// };
    /// let setting = Setting { learning_rate: 1e-3, regularization: 0.01 };
    /// let piece = Piece { task: "mnist".into(), setting, work: Work::Certify { known: vec![] } };
    /// let mut records = vec![];
    /// piece.compute(&unswayed::Dataset::sample()?, &plan, &Default::default(), &mut |record| {
    ///     records.push(record);
    ///     Ok(())
    /// })?;
    /// assert_eq!(records.len(), 3); // the benign loss, and a certificate for each poison rate
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn compute(
        &self,
        data: &Dataset,
        plan: &SweepPlan,
        cancel: &Cancel,
        keep: &mut dyn FnMut(Record) -> Result<(), DesignError>,
    ) -> Result<(), DesignError> {
        let site = Site { task: &self.task, data, setting: self.setting, plan, cancel };
        match &self.work {
            Work::Certify { known } => site.certify(known, keep),
            Work::Attack { poison_rate } => keep(Record::Attacked(site.attacked(*poison_rate)?)),
        }
    }
}

/// Where a piece of work takes place.
pub(super) struct Site<'a> {
    pub task: &'a str,
    pub data: &'a Dataset,
    pub setting: Setting,
    pub plan: &'a SweepPlan,
    pub cancel: &'a Cancel,
}

impl Site<'_> {
    fn certify(
        &self,
        known: &[Record],
        keep: &mut dyn FnMut(Record) -> Result<(), DesignError>,
    ) -> Result<(), DesignError> {
        let model = benign(self.data, &self.setting.learner()?);
        if !known.iter().any(|record| matches!(record, Record::Benign(_))) {
            keep(Record::Benign(self.benign_record(&model)?))?;
        }
        let mut similar: Option<Point> = None;
        for rate in &self.plan.grid.poison_rates {
            if self.cancel.is_cancelled() {
                return Err(DesignError::Cancelled);
            }
            if let Some(known) = known.iter().find_map(|record| record.certified_at(*rate)) {
                similar = Some(Point { x: known.x.clone(), theta: known.theta.clone() });
                continue;
            }
            let (outcome, point) = self.outcome(*rate, &model, similar.as_ref())?;
            keep(Record::Certified(self.certified_record(*rate, &outcome, &point)))?;
            similar = Some(point);
        }
        Ok(())
    }

    /// The certificates at all poison rates, as the records were made: the same bounds, bit for bit.
    pub(super) fn certificates(&self) -> Result<Vec<(f64, Outcome)>, DesignError> {
        let model = benign(self.data, &self.setting.learner()?);
        let mut similar = None;
        let mut outcomes = Vec::new();
        for rate in &self.plan.grid.poison_rates {
            let (outcome, point) = self.outcome(*rate, &model, similar.as_ref())?;
            outcomes.push((*rate, outcome));
            similar = Some(point);
        }
        Ok(outcomes)
    }

    fn outcome(
        &self,
        rate: f64,
        model: &Benign,
        similar: Option<&Point>,
    ) -> Result<(Outcome, Point), DesignError> {
        let (learner, threat) = (self.setting.learner()?, Threat::new(rate)?.with_radius(self.plan.radius)?);
        certify_after(self.data, &learner, &threat, &certify::Options::default(), model, similar)
            .map_err(|source| DesignError::Certify { task: self.task.into(), source })
    }

    fn certified_record(&self, rate: f64, outcome: &Outcome, point: &Point) -> CertifiedRecord {
        CertifiedRecord {
            task: self.task.into(),
            learning_rate: self.setting.learning_rate,
            regularization: self.setting.regularization,
            poison_rate: rate,
            loss: outcome.certified_loss,
            error: outcome.certified_error,
            method: outcome.certificate.loss.witness.method().into(),
            status: outcome.status.word().into(),
            x: point.x.clone(),
            theta: point.theta.clone(),
        }
    }

    fn benign_record(&self, model: &Benign) -> Result<BenignRecord, DesignError> {
        let mut record = BenignRecord {
            task: self.task.into(),
            learning_rate: self.setting.learning_rate,
            regularization: self.setting.regularization,
            loss: model.loss,
            error: model.error,
            half_width: None,
            verdict: None,
        };
        if self.plan.benign == BenignLoss::Simulated {
            let simulated = attack_record(&self.suite(0.0, &[Attack::None])?[0]);
            (record.loss, record.error) = (simulated.loss, simulated.error.unwrap_or(model.error));
            (record.half_width, record.verdict) = (simulated.half_width, Some(simulated.verdict));
        }
        Ok(record)
    }

    fn attacked(&self, rate: f64) -> Result<AttackedRecord, DesignError> {
        let attacks = match self.plan.effort {
            Effort::Fast => &Attack::FAST[..],
            Effort::Full => &Attack::ALL[1..],
        };
        Ok(AttackedRecord {
            task: self.task.into(),
            learning_rate: self.setting.learning_rate,
            regularization: self.setting.regularization,
            poison_rate: rate,
            attacks: self.suite(rate, attacks)?.iter().map(attack_record).collect(),
        })
    }

    fn suite(&self, rate: f64, attacks: &[Attack]) -> Result<Vec<Attacked>, DesignError> {
        let threat = Threat::new(rate)?.with_radius(self.plan.radius)?;
        Suite::new(self.data, &self.setting.learner()?, &threat)
            .with_effort(self.plan.effort)
            .with_seed(self.plan.seed)
            .with_cancel(self.cancel)
            .run(attacks)
            .map_err(|source| DesignError::attack(self.task, source))
    }
}

fn attack_record(attacked: &Attacked) -> AttackRecord {
    let simulated = &attacked.simulated;
    AttackRecord {
        attack: attacked.attack.name().into(),
        loss: simulated.loss.mean,
        half_width: Some(simulated.loss.half_width).filter(|w| w.is_finite()),
        error: simulated.error.map(|e| e.mean),
        verdict: simulated.verdict.word().into(),
    }
}
