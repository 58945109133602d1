//! Ending long work early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that long work looks at now and then. Copies share it.
///
/// ```
/// use unswayed::attack::{Attack, Suite};
/// use unswayed::{AttackError, Cancel, Dataset, Problem};
/// let (data, cancel) = (unswayed::data::sample()?, Cancel::default());
/// let problem = Problem::builder(data).learning_rate(1e-3).regularization(0.01).poison_rate(0.05).build()?;
/// let suite = Suite::new(&problem)?.with_cancel(&cancel);
/// cancel.cancel(); // from another thread, say
/// assert_eq!(suite.run(&[Attack::None]).unwrap_err(), AttackError::Cancelled);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks all work that looks at this flag to end.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it has been asked to.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
