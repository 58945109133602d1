//! Computing records: on all cores or elsewhere, each piece of work once, written down as soon as it is done.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::journal::Journal;
use super::piece::{Piece, Site, Work};
use super::record::{AttackedRecord, BenignRecord, CertifiedRecord, Key, Record};
use super::{DesignError, Grid, Setting};
use crate::attack::Effort;
use crate::cancel::Cancel;
use crate::certify::{self, Outcome};
use crate::data::Dataset;
use crate::error::ParameterError;
use crate::problem::Template;

/// A dataset with a name.
#[derive(Clone, Debug)]
pub struct Task {
    /// What tables call it.
    pub name: String,
    /// Its rows.
    pub data: Arc<Dataset>,
}

/// Where the benign loss comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepPlan {
    /// The settings and rates of the grid.
    pub grid: Grid,
    /// Learner and threat but for what the grid varies.
    pub template: Template,
    /// Where the benign loss comes from.
    pub benign: BenignLoss,
    /// How much work to put into an attack.
    pub effort: Effort,
    /// The seed of simulations and attacks.
    pub seed: u64,
    /// The number of first points of a stream, over the steps on which figures are averages; the long run if absent.
    pub horizon: Option<u64>,
    /// Where the learner starts, with a horizon; θ = 0 if absent.
    pub start: Option<Vec<f64>>,
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

/// Where pieces are computed.
pub trait Workers: Sync {
    /// Computes all pieces, in any order: each with [`Sweep::compute`], or elsewhere with [`Piece::compute`] and then
    /// [`Sweep::keep`] for its records.
    fn run(&self, sweep: &Sweep, pieces: Vec<Piece>) -> Result<(), DesignError>;
}

/// All cores of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cores;

impl Workers for Cores {
    fn run(&self, sweep: &Sweep, pieces: Vec<Piece>) -> Result<(), DesignError> {
        pieces.par_iter().try_for_each(|piece| sweep.compute(piece))
    }
}

/// How the work is done: who hears of it, where it is computed, and what ends it early.
#[derive(Clone)]
pub struct Run<'a> {
    /// Hears how far the work is.
    pub observer: &'a dyn Observer,
    /// Where it is computed.
    pub workers: &'a dyn Workers,
    /// Ends it early.
    pub cancel: Cancel,
}

impl Default for Run<'_> {
    /// Unheard, on all cores, to the end.
    fn default() -> Self {
        Run { observer: &(), workers: &Cores, cancel: Cancel::default() }
    }
}

impl<'a> Run<'a> {
    /// Heard by an observer, on all cores, to the end.
    pub fn observed(observer: &'a dyn Observer) -> Self {
        Run { observer, ..Run::default() }
    }
}

/// A piece of a task: all poison rates at one setting.
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
    run: &'a Run<'a>,
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
        run: &'a Run<'a>,
    ) -> Result<Self, DesignError> {
        let tasks: Vec<&Task> = tasks.into_iter().collect();
        if let Some(task) =
            tasks.iter().enumerate().find(|(i, t)| tasks[..*i].iter().any(|u| u.name == t.name))
        {
            return Err(DesignError::SameName { name: task.1.name.clone() });
        }
        Ok(Sweep { tasks, plan, run, store: Mutex::default() })
    }

    /// Writes every record to a journal as well, and takes over those that are in it already (with `resume`).
    pub fn with_journal(self, path: &Path, resume: bool) -> Result<Self, DesignError> {
        let (journal, entries) = Journal::open(path, &self.header(), resume)?;
        let mut store = Store { journal: Some(journal), ..Store::default() };
        for (i, entry) in entries.into_iter().enumerate() {
            let record: Option<Record> = serde_json::from_value(entry).ok();
            let keyed = record.and_then(|record| Some((self.key(&record)?, record)));
            let (key, record) =
                keyed.ok_or_else(|| DesignError::JournalDamaged { path: path.into(), line: i + 2 })?;
            store.records.insert(key, record);
        }
        Ok(Sweep { store: Mutex::new(store), ..self })
    }

    /// What a journal must agree on.
    fn header(&self) -> Value {
        let describe = |data: &Dataset| {
            let origin =
                unswayed_check::Origin { file: String::new(), label_file: None, ..data.origin().clone() };
            format!("{origin}; sha256 {}", origin.sha256)
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
            "projections": self.plan.grid.projections,
            "clips": self.plan.grid.clips,
            "batches": self.plan.grid.batches,
            "template": self.plan.template,
            "benign": self.plan.benign.word(),
            "attacks": self.plan.effort,
            "seed": self.plan.seed,
            "horizon": self.plan.horizon,
            "start": self.plan.start,
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

    /// Whether the work has been asked to end.
    pub fn is_cancelled(&self) -> bool {
        self.run.cancel.is_cancelled()
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
        let (mut missing, mut pieces) = (0, Vec::new());
        for chain in chains {
            if self.plan.horizon.is_some_and(|points| chain.setting.steps(points) == 0) {
                let why = "the stream has fewer points than one step takes";
                return Err(ParameterError::new("batch", chain.setting.batch as f64, why).into());
            }
            // What no theorem covers is refused before hours of work.
            self.site(*chain).problem(0.0)?;
            let keys = rates.iter().map(|rate| Key::certified(chain.task, chain.setting, *rate));
            let known: Vec<Record> = keys
                .chain([Key::benign(chain.task, chain.setting)])
                .filter_map(|key| self.get(&key))
                .collect();
            if known.len() <= rates.len() {
                missing += rates.len() + 1 - known.len();
                pieces.push(self.piece(*chain, Work::Certify { known }));
            }
        }
        self.run.observer.expect(missing);
        self.run.workers.run(self, scattered(pieces))
    }

    /// Runs the attacks that are missing on these chains, at all poison rates.
    pub fn attack(&self, chains: &[Chain]) -> Result<(), DesignError> {
        let cells = chains.iter().flat_map(|c| self.plan.grid.poison_rates.iter().map(|rate| (*c, *rate)));
        let missing = cells.filter(|(c, rate)| !self.has(&Key::attacked(c.task, c.setting, *rate)));
        let pieces: Vec<Piece> =
            missing.map(|(chain, poison_rate)| self.piece(chain, Work::Attack { poison_rate })).collect();
        self.run.observer.expect(pieces.len());
        self.run.workers.run(self, scattered(pieces))
    }

    /// The certificates of a chain, as its records were made: the same bounds, bit for bit.
    pub fn certificates(&self, chain: Chain) -> Result<Vec<(f64, Outcome)>, DesignError> {
        self.site(chain).certificates()
    }

    fn site(&self, chain: Chain) -> Site<'_> {
        let Task { name, data } = self.tasks[chain.task];
        Site { task: name, data, setting: chain.setting, plan: &self.plan, cancel: &self.run.cancel }
    }

    /// Computes a piece in this process and keeps its records.
    pub fn compute(&self, piece: &Piece) -> Result<(), DesignError> {
        if self.is_cancelled() {
            return Err(DesignError::Cancelled);
        }
        let task = self.tasks.iter().find(|t| t.name == piece.task);
        let task = task.ok_or_else(|| unknown_task(piece))?;
        piece.compute(&task.data, &self.plan, &self.run.cancel, &mut |record| self.keep(record))
    }

    /// Keeps a record of a piece, computed here or elsewhere: on disk first, then known.
    pub fn keep(&self, record: Record) -> Result<(), DesignError> {
        let key = self.key(&record).ok_or_else(|| unknown_task(&record))?;
        let mut store = self.lock();
        if store.records.contains_key(&key) {
            return Ok(());
        }
        if let Some(journal) = &mut store.journal {
            journal.append(&serde_json::to_value(&record).unwrap_or_default())?;
        }
        store.records.insert(key, record);
        store.computed += 1;
        drop(store);
        self.run.observer.done();
        Ok(())
    }

    fn key(&self, record: &Record) -> Option<Key> {
        Key::of(record, |name| self.tasks.iter().position(|t| t.name == name))
    }

    fn piece(&self, chain: Chain, work: Work) -> Piece {
        Piece { task: self.tasks[chain.task].name.clone(), setting: chain.setting, work }
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

    fn lock(&self) -> std::sync::MutexGuard<'_, Store> {
        // A thread that panicked while holding it left nothing half done: records are inserted whole.
        self.store.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

fn unknown_task(found: &impl std::fmt::Debug) -> DesignError {
    DesignError::Elsewhere(format!("this is about a task that the sweep does not have: {found:?}"))
}

/// Every item once, in an order that jumps about evenly: steps of the golden section.
fn scattered<T>(items: Vec<T>) -> Vec<T> {
    let mut items: Vec<(f64, T)> = items
        .into_iter()
        .enumerate()
        .map(|(i, item)| ((i as f64 * 0.618_033_988_749_895).fract(), item))
        .collect();
    items.sort_by(|a, b| a.0.total_cmp(&b.0));
    items.into_iter().map(|(_, item)| item).collect()
}
