//! From results to reports and words: what a certificate or a design says to people and to machines.

mod axes;
mod certify;
mod design;
mod files;
mod portrait;
mod rates;
mod resampled;
mod summary;
mod words;

pub use axes::{axis_value, setting_name, shown_axes};
pub use certify::{AboutError, Subject, certify_report, over_rates};
pub use design::{design_report, task_sections, template_lines};
pub use files::{certificate_name, design_summary, write_design};
pub use rates::rates_report;
pub use resampled::Resampled;
pub use summary::{Stated, Summary, steps, transient};

/// The program and its version.
fn tool() -> String {
    concat!("unswayed ", env!("CARGO_PKG_VERSION")).into()
}
