//! A piece of a sweep: what is computed in one go, in this process or in another that has the task's data.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::record::{AttackRecord, AttackedRecord, BenignRecord, CertifiedRecord, Record};
use super::sweep::{BenignLoss, SweepPlan};
use super::{DesignError, Setting};
use crate::attack::{Attack, Attacked, Suite};
use crate::cancel::Cancel;
use crate::certify::{Benign, Options, Outcome, Solution, benign, certify_near};
use crate::data::Dataset;
use crate::problem::Problem;

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
    ///     template: Default::default(),
    ///     benign: BenignLoss::Limit,
    ///     effort: Effort::Fast,
    ///     seed: 0,
    ///     horizon: None,
    ///     start: None,
    /// };
    /// let setting = Setting::new(1e-3, 0.01);
    /// let piece = Piece { task: "mnist".into(), setting, work: Work::Certify { known: vec![] } };
    /// let mut records = vec![];
    /// piece.compute(&unswayed::data::sample()?.into(), &plan, &Default::default(), &mut |record| {
    ///     records.push(record);
    ///     Ok(())
    /// })?;
    /// assert_eq!(records.len(), 3); // the benign loss, and a certificate for each poison rate
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn compute(
        &self,
        data: &Arc<Dataset>,
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
    pub data: &'a Arc<Dataset>,
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
        if !known.iter().any(|record| matches!(record, Record::Benign(_))) {
            keep(Record::Benign(self.benign_record(&benign(&self.problem(0.0)?))?))?;
        }
        let mut near: Option<Solution> = None;
        for rate in &self.plan.grid.poison_rates {
            if self.cancel.is_cancelled() {
                return Err(DesignError::Cancelled);
            }
            if let Some(known) = known.iter().find_map(|record| record.certified_at(*rate)) {
                near.clone_from(&known.solution);
                continue;
            }
            let (outcome, solution) = self.outcome(*rate, near.as_ref())?;
            keep(Record::Certified(self.certified_record(*rate, &outcome, solution.clone())))?;
            near = solution;
        }
        Ok(())
    }

    /// The certificates at all poison rates, as the records were made: the same bounds, bit for bit.
    pub(super) fn certificates(&self) -> Result<Vec<(f64, Outcome)>, DesignError> {
        let mut near = None;
        let mut outcomes = Vec::new();
        for rate in &self.plan.grid.poison_rates {
            let (outcome, solution) = self.outcome(*rate, near.as_ref())?;
            outcomes.push((*rate, outcome));
            near = solution;
        }
        Ok(outcomes)
    }

    /// The learner with this setting on the task, against the threat at this rate.
    pub(super) fn problem(&self, poison_rate: f64) -> Result<Problem, DesignError> {
        let template = self.setting.steps_of(&self.plan.template);
        let built = Problem::of_template(self.data.clone(), template)
            .learning_rate(self.setting.learning_rate)
            .regularization(self.setting.regularization)
            .poison_rate(poison_rate)
            .build();
        built.map_err(|source| DesignError::Problem { task: self.task.into(), source })
    }

    /// The number of first steps that figures are averages over; the long run if absent.
    fn steps(&self) -> Option<u64> {
        self.plan.horizon.map(|points| self.setting.steps(points))
    }

    fn outcome(
        &self,
        rate: f64,
        near: Option<&Solution>,
    ) -> Result<(Outcome, Option<Solution>), DesignError> {
        let mut options = Options::default();
        (options.horizon, options.start) = (self.steps(), self.plan.start.clone());
        certify_near(&self.problem(rate)?, &options, near)
            .map_err(|source| DesignError::Certify { task: self.task.into(), source })
    }

    fn certified_record(&self, rate: f64, outcome: &Outcome, solution: Option<Solution>) -> CertifiedRecord {
        CertifiedRecord {
            task: self.task.into(),
            setting: self.setting,
            poison_rate: rate,
            loss: outcome.certified_loss,
            error: outcome.certified_error,
            method: outcome.certificate.loss.proof.method().into(),
            status: outcome.status.to_string(),
            horizon_loss: outcome.horizon_loss,
            horizon_error: outcome.horizon_error(),
            solution,
        }
    }

    fn benign_record(&self, model: &Benign) -> Result<BenignRecord, DesignError> {
        let mut record = BenignRecord {
            task: self.task.into(),
            setting: self.setting,
            loss: model.loss,
            error: model.error,
            half_width: None,
            verdict: None,
        };
        if self.plan.benign == BenignLoss::Simulated {
            let simulated = attack_record(&self.suite(0.0, Some(&[Attack::None]))?[0]);
            (record.loss, record.error) = (simulated.loss, simulated.error.or(model.error));
            (record.half_width, record.verdict) = (simulated.half_width, Some(simulated.verdict));
        }
        Ok(record)
    }

    fn attacked(&self, rate: f64) -> Result<AttackedRecord, DesignError> {
        Ok(AttackedRecord {
            task: self.task.into(),
            setting: self.setting,
            poison_rate: rate,
            attacks: self.suite(rate, None)?.iter().map(attack_record).collect(),
        })
    }

    /// Runs these attacks, or those of the plan's effort.
    fn suite(&self, rate: f64, attacks: Option<&[Attack]>) -> Result<Vec<Attacked>, DesignError> {
        let problem = self.problem(rate)?;
        let run = || {
            let suite = Suite::new(&problem)?;
            let suite =
                suite.with_effort(self.plan.effort).with_seed(self.plan.seed).with_cancel(self.cancel);
            let attacks = attacks.map_or_else(|| suite.usual(), <[Attack]>::to_vec);
            match self.steps() {
                Some(steps) => {
                    let start = self.plan.start.clone().unwrap_or_else(|| vec![0.0; problem.parameters()]);
                    suite.run_first(&attacks, &start, steps)
                }
                None => suite.run(&attacks),
            }
        };
        run().map_err(|source| DesignError::attack(self.task, source))
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
