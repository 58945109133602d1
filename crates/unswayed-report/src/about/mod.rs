//! From results to reports and words: what a certificate or a design says to people.

mod certify;
mod design;
mod files;
mod linear;
mod linear_report;
mod words;

pub use certify::{Subject, certify_report, over_rates};
pub use design::{design_report, task_sections};
pub use files::{design_summary, write_design};
pub use linear::{Beside, LinearSubject, linear_lines, loss_name, subject_lines};
pub use linear_report::linear_report;
pub use words::{certificate_lines, steps};

use unswayed::{AttackError, CertifyError, ParameterError};

/// Why a report could not be made: it computes bounds at other poison rates, and simulates.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the variants say no more than the errors they hold")]
pub enum AboutError {
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    #[error(transparent)]
    Certify(#[from] CertifyError),
    #[error(transparent)]
    Attack(#[from] AttackError),
    #[error(transparent)]
    Check(#[from] unswayed_check::Failure),
}

/// The program and its version.
fn tool() -> String {
    concat!("unswayed ", env!("CARGO_PKG_VERSION")).into()
}
