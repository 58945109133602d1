//! unswayed for Python: the native half. The package in `../unswayed` wraps it in documented, typed objects.
//!
//! Functions here take plain values and return plain values (`dict`, `list`, numbers); only data, problems, certificates and
//! transforms stay on this side. Every call computes on a thread of its own with the interpreter released ([`work`]).
#![allow(
    missing_docs,
    clippy::too_many_arguments,
    clippy::type_complexity,
    reason = "seen from Python only, where `_native.pyi` and the package's own functions describe them"
)]

mod attack;
mod bootstrap;
mod certificate;
mod data;
mod design;
mod mean;
mod monitor;
mod partitions;
mod problem;
mod report;
mod tolerate;
mod transform;
mod value;
mod work;

use pyo3::prelude::*;

pyo3::create_exception!(unswayed, UnswayedError, pyo3::exceptions::PyValueError);
pyo3::create_exception!(unswayed, CheckFailed, UnswayedError);

/// Flags that the messages of the library name, and the arguments of the same meaning.
const ARGUMENTS: [(&str, &str); 5] = [
    ("--resume", "resume=True"),
    ("--output", "output"),
    ("--allow-seen", "allow_seen=True"),
    ("--expect ", "require: "),
    ("--labels", "labels"),
];

/// Any error as an exception with its message, which names arguments and no flags.
fn error(error: impl std::fmt::Display) -> PyErr {
    let replace = |text: String, (flag, argument): &(&str, &str)| text.replace(flag, argument);
    UnswayedError::new_err(ARGUMENTS.iter().fold(error.to_string(), replace))
}

/// Data that are refused, with remedies as arguments.
#[allow(clippy::needless_pass_by_value, reason = "used in `map_err`")]
fn data_error(error: unswayed::data::DataError) -> PyErr {
    UnswayedError::new_err(error.for_python())
}

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::attack::{Attacks, run_attacks, simulate, update};
    #[pymodule_export]
    use super::bootstrap::{Bootstrap, bootstrap};
    #[pymodule_export]
    use super::certificate::{Certificate, certify, check, check_files, expect, origins, recover};
    #[pymodule_export]
    use super::data::{Data, load, reload, sample, sample_test};
    #[pymodule_export]
    use super::design::{compute, design};
    #[pymodule_export]
    use super::mean::mean;
    #[pymodule_export]
    use super::monitor::Monitor;
    #[pymodule_export]
    use super::partitions::{Partition, Partitions, certify_partitions, partition_files};
    #[pymodule_export]
    use super::problem::Problem;
    #[pymodule_export]
    use super::report::{down, plot, report, summary, up};
    #[pymodule_export]
    use super::tolerate::{largest_rate, tolerating};
    #[pymodule_export]
    use super::transform::Transform;
    #[pymodule_export]
    use super::work::forget_threads;
    #[pymodule_export]
    use super::{CheckFailed, UnswayedError};
}
