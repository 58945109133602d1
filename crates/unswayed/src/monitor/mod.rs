//! A learner that runs: its newest rows are certified again and again, and somebody is told when a limit is passed.
//!
//! [`Window`] keeps the newest rows of a stream, [`Policy`] says when they are certified, and [`Monitor`] certifies them, each time
//! starting from the solution of the time before, and remembers what came out. The command `unswayed watch` and Python's `Monitor`
//! share this.
//!
//! # What a certificate of a window says
//!
//! The rows of the window are taken for the distribution of benign points: were the stream to go on with random rows of this window,
//! with the adversary's points among them, then the long-run loss on the window's rows would stay below the bound. It says
//! nothing of rows that are unlike the window's. If some rows of the window may be hostile themselves, that is
//! [`Template::contaminated`](crate::Template::contaminated). If the distribution may move back and forth among the last few windows,
//! they are several datasets of one [`Problem`].

mod labels;
mod state;
mod window;

use std::collections::VecDeque;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

pub use labels::{LabelError, LabelReader};
pub use state::{StateError, WindowState};
pub use window::{RowError, Window};

use crate::attack::{Attacked, Effort, Suite, strongest, strongest_error};
use crate::cancel::Cancel;
use crate::certify::{Options, Outcome, Solution, certify_near};
use crate::error::AttackError;
use crate::problem::Problem;

/// Updates that are remembered.
const MOST_UPDATES: usize = 1000;

/// What a windowed certificate says and does not say, for whoever reads its number.
pub const MEANING: &str = "each certificate takes the rows of its window for the distribution of benign points: it bounds the \
    long-run loss on these rows if the stream goes on like them, and says nothing of rows that are unlike them. Poisoned rows that \
    are in the window already count as benign, unless a part of the rows is declared contaminated.";

/// When to certify.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// Rows of a window. Nothing is certified before there are so many.
    pub window: u64,
    /// Rows from one certificate to the next.
    pub every: u64,
}

impl Policy {
    /// Whether it is time, after so many rows; `last` is how many there were when it last was.
    ///
    /// ```
    /// let policy = unswayed::monitor::Policy { window: 100, every: 20 };
    /// assert!(!policy.is_due(99, None) && policy.is_due(100, None));
    /// assert!(!policy.is_due(119, Some(100)) && policy.is_due(120, Some(100)));
    /// ```
    pub fn is_due(&self, rows: u64, last: Option<u64>) -> bool {
        rows >= self.window && last.is_none_or(|last| rows.saturating_sub(last) >= self.every)
    }
}

/// What must not be passed. Without a limit there is no alarm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// The largest certified loss.
    pub loss: Option<f64>,
    /// The largest certified error.
    pub error: Option<f64>,
}

impl Limits {
    /// Whether these bounds are not known to be within the limits. A bound that is missing is within none.
    ///
    /// ```
    /// let limits = unswayed::monitor::Limits { error: Some(0.1), ..Default::default() };
    /// assert!(!limits.passed(Some(0.5), Some(0.1)) && limits.passed(Some(0.5), Some(0.11)) && limits.passed(None, None));
    /// ```
    pub fn passed(&self, loss: Option<f64>, error: Option<f64>) -> bool {
        let is_within = |limit: Option<f64>, bound: Option<f64>| {
            limit.is_none_or(|limit| bound.is_some_and(|bound| bound <= limit))
        };
        !(is_within(self.loss, loss) && is_within(self.error, error))
    }
}

/// What was found in one window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Update {
    /// Counted from 1.
    pub number: u64,
    /// When it began, in seconds since 1970.
    pub time: f64,
    /// Rows that had been seen.
    pub rows: u64,
    /// The loss without an adversary, for small learning rates.
    pub benign_loss: Option<f64>,
    /// The fraction misclassified without an adversary, for small learning rates.
    pub benign_error: Option<f64>,
    /// What the strongest attack found reaches in the long run, simulated; none if no attack was run.
    pub attack_loss: Option<f64>,
    /// The same for the fraction misclassified.
    pub attack_error: Option<f64>,
    /// No adversary gets the long-run loss above this; none if there is no proof.
    pub certified_loss: Option<f64>,
    /// No adversary gets the long-run fraction misclassified above this; none if there is no proof, or nothing is classified.
    pub certified_error: Option<f64>,
    /// What the bound is worth: certified, vacuous, not converged, or failed.
    pub status: String,
    /// Why there is no proof, or no attack.
    pub message: Option<String>,
    /// Seconds that it took.
    pub seconds: f64,
    /// Whether a limit is passed.
    pub alarm: bool,
}

impl Update {
    /// Nothing is known yet.
    fn at(rows: u64) -> Self {
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
        Update {
            number: 0,
            time,
            rows,
            benign_loss: None,
            benign_error: None,
            attack_loss: None,
            attack_error: None,
            certified_loss: None,
            certified_error: None,
            status: "failed".to_owned(),
            message: None,
            seconds: 0.0,
            alarm: false,
        }
    }

    fn take(&mut self, outcome: &Outcome) {
        (self.benign_loss, self.benign_error) = (Some(outcome.benign.loss), outcome.benign.error);
        (self.certified_loss, self.certified_error) = (Some(outcome.certified_loss), outcome.certified_error);
        self.status = outcome.status.to_string();
    }
}

/// Certifies one window after the other, and remembers what came out.
///
/// ```
/// use unswayed::monitor::{Limits, Monitor, Policy};
/// use unswayed::{Problem, data};
///
/// let mut monitor = Monitor::new(Policy { window: 100, every: 50 }, Limits { error: Some(0.3), loss: None });
/// for rows in [100, 150] {
///     assert!(monitor.is_due(rows));
///     let window = data::sample()?.first(100)?;
///     let problem = Problem::builder(window).learning_rate(1e-3).regularization(0.01).poison_rate(0.01).build()?;
///     let (update, outcome) = monitor.update(&problem, rows);
///     assert_eq!(update.certified_loss, outcome.map(|outcome| outcome.certified_loss));
/// }
/// assert_eq!((monitor.history().len(), monitor.alarms()), (2, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Monitor {
    policy: Policy,
    limits: Limits,
    attacks: Option<Effort>,
    seed: u64,
    updates: u64,
    alarms: u64,
    history: VecDeque<Update>,
    solution: Option<Solution>,
    #[serde(skip)]
    cancel: Cancel,
}

impl Monitor {
    /// Nothing has been seen yet. No attacks are run.
    pub fn new(policy: Policy, limits: Limits) -> Self {
        Monitor {
            policy,
            limits,
            attacks: None,
            seed: 0,
            updates: 0,
            alarms: 0,
            history: VecDeque::new(),
            solution: None,
            cancel: Cancel::default(),
        }
    }

    /// Also runs attacks in each window, or not.
    #[must_use]
    pub fn with_attacks(self, attacks: Option<Effort>, seed: u64) -> Self {
        Monitor { attacks, seed, ..self }
    }

    /// With other limits from here on.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Monitor { limits, ..self }
    }

    /// Ending attacks early when asked to.
    #[must_use]
    pub fn with_cancel(self, cancel: &Cancel) -> Self {
        Monitor { cancel: cancel.clone(), ..self }
    }

    /// When it certifies.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Whether it is time, after so many rows.
    pub fn is_due(&self, rows: u64) -> bool {
        self.policy.is_due(rows, self.history.back().map(|update| update.rows))
    }

    /// The newest updates, oldest first, a thousand at most.
    pub fn history(&self) -> impl ExactSizeIterator<Item = &Update> {
        self.history.iter()
    }

    /// The newest update.
    pub fn newest(&self) -> Option<&Update> {
        self.history.back()
    }

    /// Updates so far.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// Times that a limit was passed which had been kept the update before.
    pub fn alarms(&self) -> u64 {
        self.alarms
    }

    /// Certifies a window after so many rows. What goes wrong is in the update, and an alarm if there are limits.
    pub fn update(&mut self, problem: &Problem, rows: u64) -> (Update, Option<Outcome>) {
        let (mut update, began) = (Update::at(rows), Instant::now());
        let outcome = match certify_near(problem, &Options::default(), self.solution.as_ref()) {
            Ok((outcome, solution)) => {
                self.solution = solution;
                update.take(&outcome);
                Some(outcome)
            }
            Err(error) => {
                update.message = Some(error.to_string());
                None
            }
        };
        match self.attack(problem) {
            Ok(attacked) => {
                update.attack_loss = strongest(&attacked).map(|attacked| attacked.simulated.loss.mean);
                update.attack_error =
                    strongest_error(&attacked).and_then(|attacked| Some(attacked.simulated.error?.mean));
            }
            Err(error) => {
                update.message.get_or_insert_with(|| error.to_string());
            }
        }
        update.seconds = began.elapsed().as_secs_f64();
        (self.record(update), outcome)
    }

    /// Takes note of a window that could not be made into a problem. No bound is known then, which is an alarm if there are limits.
    pub fn fail(&mut self, message: String, rows: u64) -> Update {
        self.record(Update { message: Some(message), ..Update::at(rows) })
    }

    fn record(&mut self, mut update: Update) -> Update {
        self.updates += 1;
        update.number = self.updates;
        update.alarm = self.limits.passed(update.certified_loss, update.certified_error);
        if self.history.len() == MOST_UPDATES {
            self.history.pop_front();
        }
        self.history.push_back(update.clone());
        self.alarms += u64::from(self.is_new_alarm());
        update
    }

    /// Whether the newest update passed a limit that the one before had kept.
    pub fn is_new_alarm(&self) -> bool {
        let mut newest = self.history.iter().rev().map(|update| update.alarm);
        newest.next() == Some(true) && newest.next() != Some(true)
    }

    fn attack(&self, problem: &Problem) -> Result<Vec<Attacked>, AttackError> {
        let Some(effort) = self.attacks else { return Ok(vec![]) };
        let suite = Suite::new(problem)?.with_effort(effort).with_seed(self.seed).with_cancel(&self.cancel);
        suite.run(&suite.usual())
    }
}
