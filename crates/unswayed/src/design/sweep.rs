//! Computing records: all cores, each piece of work once, written down as soon as it is done.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

use rayon::prelude::*;
use serde_json::{Value, json};

use super::journal::Journal;
use super::record::{AttackRecord, AttackedRecord, BenignRecord, CertifiedRecord, Key, Record};
use super::{DesignError, Grid, Setting};
use crate::attack::{Attack, Attacked, Effort, Suite};
use crate::certify::{self, Benign, Outcome, Point, benign, certify_after};
use crate::data::Dataset;
use crate::threat::Threat;

/// A dataset with a name.
#[derive(Clone, Debug)]
pub struct Task {
    /// What tables call it.
    pub name: String,
    /// Its rows.
    pub data: Dataset,
}

/// Where the benign loss comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BenignLoss {
    /// Simulated at the learner's own learning rate.
    Simulated,
    /// The limit of small learning rates, solved for: cheaper, and below the truth at larger ones.
    Limit,
}

impl BenignLoss {
    /// The word for it in tables and journals.
    pub fn word(self) -> &'static str {
        match self {
            BenignLoss::Simulated => "simulated",
            BenignLoss::Limit => "limit",
        }
    }
}

/// What all work of a sweep has in common.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepPlan {
    /// The settings and rates of the grid.
    pub grid: Grid,
    /// The largest norm of a poisoned point.
    pub radius: f64,
    /// Where the benign loss comes from.
    pub benign: BenignLoss,
    /// How much work to put into an attack.
    pub effort: Effort,
    /// The seed of simulations and attacks.
    pub seed: u64,
}

/// Hears how far the work is.
pub trait Observer: Sync {
    /// So many more pieces of work are to be done.
    fn expect(&self, pieces: usize);
    /// One is done.
    fn done(&self);
}

/// Nobody listens.
impl Observer for () {
    fn expect(&self, _: usize) {}
    fn done(&self) {}
}

/// A piece of a task: all poison rates at one setting. Its certificates are solved one after the other, each from the
/// solution of the one before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chain {
    /// Position in the list of tasks.
    pub task: usize,
    /// The learner's setting.
    pub setting: Setting,
}

/// Records of tasks and settings, computed when first asked for.
pub struct Sweep<'a> {
    tasks: Vec<&'a Task>,
    plan: SweepPlan,
    observer: &'a dyn Observer,
    store: Mutex<Store>,
}

#[derive(Default)]
struct Store {
    records: HashMap<Key, Record>,
    journal: Option<Journal>,
    computed: usize,
}

impl<'a> Sweep<'a> {
    /// A sweep that is kept in memory only.
    pub fn new(
        tasks: impl IntoIterator<Item = &'a Task>,
        plan: SweepPlan,
        observer: &'a dyn Observer,
    ) -> Result<Self, DesignError> {
        let tasks: Vec<&Task> = tasks.into_iter().collect();
        if let Some(task) =
            tasks.iter().enumerate().find(|(i, t)| tasks[..*i].iter().any(|u| u.name == t.name))
        {
            return Err(DesignError::SameName { name: task.1.name.clone() });
        }
        Threat::new(0.0)?.with_radius(plan.radius)?;
        Ok(Sweep { tasks, plan, observer, store: Mutex::default() })
    }

    /// Writes every record to a journal as well, and takes over those that are in it already (with `resume`).
    pub fn with_journal(self, path: &Path, resume: bool) -> Result<Self, DesignError> {
        let (journal, entries) = Journal::open(path, &self.header(), resume)?;
        let mut store = Store { journal: Some(journal), ..Store::default() };
        let index = |name: &str| self.tasks.iter().position(|t| t.name == name);
        for (i, entry) in entries.into_iter().enumerate() {
            let record: Option<Record> = serde_json::from_value(entry).ok();
            let keyed = record.and_then(|record| Some((Key::of(&record, index)?, record)));
            let (key, record) =
                keyed.ok_or_else(|| DesignError::JournalDamaged { path: path.into(), line: i + 2 })?;
            store.records.insert(key, record);
        }
        Ok(Sweep { store: Mutex::new(store), ..self })
    }

    /// What a journal must agree on.
    fn header(&self) -> Value {
        let describe = |data: &Dataset| {
            let digest = data.as_rows().digest();
            format!("{} rows, {} columns, sha256 {digest}", data.rows(), data.dimension())
        };
        let tasks: serde_json::Map<String, Value> =
            self.tasks.iter().map(|t| (t.name.clone(), describe(&t.data).into())).collect();
        json!({
            "journal": "unswayed sweep",
            "version": 1,
            "tool": certify::tool(),
            "tasks": tasks,
            "learning_rates": self.plan.grid.learning_rates,
            "regularizations": self.plan.grid.regularizations,
            "poison_rates": self.plan.grid.poison_rates,
            "radius": self.plan.radius,
            "benign": self.plan.benign.word(),
            "attacks": match self.plan.effort { Effort::Fast => "fast", Effort::Full => "full" },
            "seed": self.plan.seed,
        })
    }

    /// The tasks.
    pub fn tasks(&self) -> &[&'a Task] {
        &self.tasks
    }

    /// What all work has in common.
    pub fn plan(&self) -> &SweepPlan {
        &self.plan
    }

    /// Records that this process computed; the others came from the journal.
    pub fn computed(&self) -> usize {
        self.lock().computed
    }

    /// Computes what is missing of the benign losses and certificates of these chains.
    ///
    /// Chains are taken in a scattered order, so that the time left can be told from the part done.
    pub fn certify(&self, chains: &[Chain]) -> Result<(), DesignError> {
        let rates = &self.plan.grid.poison_rates;
        let missing = |chain: &&Chain| {
            let keys = rates.iter().map(|rate| Key::certified(chain.task, chain.setting, *rate));
            keys.chain([Key::benign(chain.task, chain.setting)]).filter(|key| !self.has(key)).count()
        };
        self.observer.expect(chains.iter().map(|chain| missing(&chain)).sum());
        scattered(chains.iter().filter(|chain| missing(chain) > 0).copied())
            .into_par_iter()
            .try_for_each(|chain| self.chain(chain))
    }

    /// Runs the attacks that are missing on these chains, at all poison rates.
    pub fn attack(&self, chains: &[Chain]) -> Result<(), DesignError> {
        let cells = chains.iter().flat_map(|c| self.plan.grid.poison_rates.iter().map(|rate| (*c, *rate)));
        let missing: Vec<_> =
            cells.filter(|(c, rate)| !self.has(&Key::attacked(c.task, c.setting, *rate))).collect();
        self.observer.expect(missing.len());
        scattered(missing.into_iter()).into_par_iter().try_for_each(|(chain, rate)| {
            let record = self.attacked(chain, rate)?;
            self.keep(Key::attacked(chain.task, chain.setting, rate), Record::Attacked(record))
        })
    }

    fn chain(&self, chain: Chain) -> Result<(), DesignError> {
        let model = benign(&self.tasks[chain.task].data, &chain.setting.learner()?);
        let key = Key::benign(chain.task, chain.setting);
        if !self.has(&key) {
            self.keep(key, Record::Benign(self.benign_record(chain, &model)?))?;
        }
        let mut similar: Option<Point> = None;
        for rate in &self.plan.grid.poison_rates {
            let key = Key::certified(chain.task, chain.setting, *rate);
            if let Some(Record::Certified(known)) = self.get(&key) {
                similar = Some(Point { x: known.x, theta: known.theta });
                continue;
            }
            let (outcome, point) = self.outcome(chain, *rate, &model, similar.as_ref())?;
            self.keep(key, Record::Certified(self.certified_record(chain, *rate, &outcome, &point)))?;
            similar = Some(point);
        }
        Ok(())
    }

    /// The certificates of a chain, as its records were made: the same bounds, bit for bit.
    pub fn certificates(&self, chain: Chain) -> Result<Vec<(f64, Outcome)>, DesignError> {
        let model = benign(&self.tasks[chain.task].data, &chain.setting.learner()?);
        let mut similar = None;
        let mut outcomes = Vec::new();
        for rate in &self.plan.grid.poison_rates {
            let (outcome, point) = self.outcome(chain, *rate, &model, similar.as_ref())?;
            outcomes.push((*rate, outcome));
            similar = Some(point);
        }
        Ok(outcomes)
    }

    fn outcome(
        &self,
        chain: Chain,
        rate: f64,
        model: &Benign,
        similar: Option<&Point>,
    ) -> Result<(Outcome, Point), DesignError> {
        let task = &self.tasks[chain.task];
        let (learner, threat) = (chain.setting.learner()?, Threat::new(rate)?.with_radius(self.plan.radius)?);
        certify_after(&task.data, &learner, &threat, &certify::Options::default(), model, similar)
            .map_err(|source| DesignError::Certify { task: task.name.clone(), source })
    }

    fn certified_record(&self, chain: Chain, rate: f64, outcome: &Outcome, point: &Point) -> CertifiedRecord {
        CertifiedRecord {
            task: self.tasks[chain.task].name.clone(),
            learning_rate: chain.setting.learning_rate,
            regularization: chain.setting.regularization,
            poison_rate: rate,
            loss: outcome.certified_loss,
            error: outcome.certified_error,
            method: outcome.certificate.loss.witness.method().into(),
            status: outcome.status.word().into(),
            x: point.x.clone(),
            theta: point.theta.clone(),
        }
    }

    fn benign_record(&self, chain: Chain, model: &Benign) -> Result<BenignRecord, DesignError> {
        let mut record = BenignRecord {
            task: self.tasks[chain.task].name.clone(),
            learning_rate: chain.setting.learning_rate,
            regularization: chain.setting.regularization,
            loss: model.loss,
            error: model.error,
            half_width: None,
            verdict: None,
        };
        if self.plan.benign == BenignLoss::Simulated {
            let simulated = attack_record(&self.suite(chain, 0.0, &[Attack::None])?[0]);
            (record.loss, record.error) = (simulated.loss, simulated.error.unwrap_or(model.error));
            (record.half_width, record.verdict) = (simulated.half_width, Some(simulated.verdict));
        }
        Ok(record)
    }

    fn attacked(&self, chain: Chain, rate: f64) -> Result<AttackedRecord, DesignError> {
        let attacks = match self.plan.effort {
            Effort::Fast => &Attack::FAST[..],
            Effort::Full => &Attack::ALL[1..],
        };
        Ok(AttackedRecord {
            task: self.tasks[chain.task].name.clone(),
            learning_rate: chain.setting.learning_rate,
            regularization: chain.setting.regularization,
            poison_rate: rate,
            attacks: self.suite(chain, rate, attacks)?.iter().map(attack_record).collect(),
        })
    }

    fn suite(&self, chain: Chain, rate: f64, attacks: &[Attack]) -> Result<Vec<Attacked>, DesignError> {
        let task = &self.tasks[chain.task];
        let threat = Threat::new(rate)?.with_radius(self.plan.radius)?;
        Suite::new(&task.data, &chain.setting.learner()?, &threat)
            .with_effort(self.plan.effort)
            .with_seed(self.plan.seed)
            .run(attacks)
            .map_err(|source| DesignError::Attack { task: task.name.clone(), source })
    }

    /// The benign record, if it has been computed.
    pub fn benign(&self, chain: Chain) -> Option<BenignRecord> {
        match self.get(&Key::benign(chain.task, chain.setting)) {
            Some(Record::Benign(record)) => Some(record),
            _ => None,
        }
    }

    /// The bound, if it has been computed.
    pub fn certified(&self, chain: Chain, rate: f64) -> Option<CertifiedRecord> {
        match self.get(&Key::certified(chain.task, chain.setting, rate)) {
            Some(Record::Certified(record)) => Some(record),
            _ => None,
        }
    }

    /// The attacks, if they have been run.
    pub fn attacks(&self, chain: Chain, rate: f64) -> Option<AttackedRecord> {
        match self.get(&Key::attacked(chain.task, chain.setting, rate)) {
            Some(Record::Attacked(record)) => Some(record),
            _ => None,
        }
    }

    fn has(&self, key: &Key) -> bool {
        self.lock().records.contains_key(key)
    }

    fn get(&self, key: &Key) -> Option<Record> {
        self.lock().records.get(key).cloned()
    }

    /// On disk first, then known.
    fn keep(&self, key: Key, record: Record) -> Result<(), DesignError> {
        let mut store = self.lock();
        if let Some(journal) = &mut store.journal {
            journal.append(&serde_json::to_value(&record).unwrap_or_default())?;
        }
        store.records.insert(key, record);
        store.computed += 1;
        drop(store);
        self.observer.done();
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Store> {
        // A thread that panicked while holding it left nothing half done: records are inserted whole.
        self.store.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
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

/// Every item once, in an order that jumps about evenly: steps of the golden section.
fn scattered<T>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<(f64, T)> =
        items.enumerate().map(|(i, item)| ((i as f64 * 0.618_033_988_749_895).fract(), item)).collect();
    items.sort_by(|a, b| a.0.total_cmp(&b.0));
    items.into_iter().map(|(_, item)| item).collect()
}
