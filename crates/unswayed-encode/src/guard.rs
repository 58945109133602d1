//! The runtime panics on some encoders that are damaged; here that is an error like others.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tract_onnx::prelude::TractResult;

use crate::error::brief;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is in the runtime, where a panic becomes an error. A panic hook need not print it then.
pub fn panics_are_errors() -> bool {
    GUARDED.get()
}

/// Runs code of the runtime.
pub(crate) fn guarded<T>(work: impl FnOnce() -> TractResult<T>) -> Result<T, String> {
    GUARDED.set(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(false);
    match result {
        Ok(result) => result.map_err(|error| brief(&error.root_cause())),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(brief(&text.unwrap_or("the runtime gave up")))
        }
    }
}
