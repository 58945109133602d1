//! Long work: off the interpreter's lock, ended by Ctrl-C, heard of while it runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use unswayed::Cancel;
use unswayed::design::sweep::Observer;

/// How often signals are looked for and progress is told.
const TICK: Duration = Duration::from_millis(50);

/// The threads that computations share. Not rayon's own: those would be dead in a forked child, and waited for in vain.
static THREADS: Mutex<Option<Arc<ThreadPool>>> = Mutex::new(None);

/// Work that can be ended and followed.
#[derive(Clone, Default)]
pub struct Work {
    pub cancel: Cancel,
    pub count: Arc<Count>,
}

/// Pieces of work, to be done and done.
#[derive(Default)]
pub struct Count {
    expected: AtomicUsize,
    done: AtomicUsize,
}

impl Observer for Count {
    fn expect(&self, pieces: usize) {
        self.expected.fetch_add(pieces, Ordering::Relaxed);
    }

    fn done(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }
}

impl Work {
    /// Computes on another thread while this one listens: to signals, and for `progress(done, expected)`.
    pub fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        progress: Option<&Bound<'_, PyAny>>,
        compute: impl FnOnce() -> T + Send + 'static,
    ) -> PyResult<T> {
        let threads = threads()?;
        let (send, mut receive) = channel();
        std::thread::spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(|| threads.install(compute)));
            let _ = send.send(result);
        });
        loop {
            let receive = &mut receive;
            match py.detach(move || receive.recv_timeout(TICK)) {
                Ok(Ok(result)) => {
                    self.tell(progress)?;
                    return Ok(result);
                }
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("a computation panicked; please report this"));
                }
                Err(RecvTimeoutError::Timeout) => {
                    // What goes on after this sees the flag and ends; nobody waits for it.
                    py.check_signals()
                        .and_then(|()| self.tell(progress))
                        .inspect_err(|_| self.cancel.cancel())?;
                }
            }
        }
    }

    fn tell(&self, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        if let Some(progress) = progress {
            let (done, expected) = (&self.count.done, &self.count.expected);
            progress.call1((done.load(Ordering::Relaxed), expected.load(Ordering::Relaxed)))?;
        }
        Ok(())
    }
}

/// Short work: the interpreter is released, nothing more.
pub fn run<T: Send + 'static>(py: Python<'_>, compute: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    Work::default().run(py, None, compute)
}

fn threads() -> PyResult<Arc<ThreadPool>> {
    let mut threads = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(threads) = threads.as_ref() {
        return Ok(threads.clone());
    }
    let made = ThreadPoolBuilder::new().build().map_err(|e| PyRuntimeError::new_err(e.to_string()))?;
    Ok(threads.insert(Arc::new(made)).clone())
}

/// Called in a child process after a fork, where the threads do not exist.
#[pyfunction]
pub fn forget_threads() {
    let mut threads = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::forget(threads.take());
}
