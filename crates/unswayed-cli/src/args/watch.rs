//! The flags of `watch`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::learner::positive;
use super::{Attacks, ColumnFlags, LearnerFlags, RateFlags, StepFlags, at_least_one};

#[derive(Args)]
pub struct WatchFlags {
    /// A .csv, .tsv or .jsonl file, one row per line, or - for standard input
    #[arg(default_value = "-")]
    pub stream: PathBuf,

    /// Wait for more rows at the end of the file, also when it is replaced by a new one
    #[arg(long)]
    pub follow: bool,

    /// Rows of a window
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = at_least_one)]
    pub window: usize,

    /// Rows from one certificate to the next
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = at_least_one)]
    pub every: usize,

    /// Certify for data that may switch between the last K windows, at any time and in any way
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = at_least_one)]
    pub windows: usize,

    /// Raise an alarm when the certified error is above this, or there is no proof
    #[arg(long, value_name = "E", value_parser = positive)]
    pub limit_error: Option<f64>,

    /// Raise an alarm when the certified loss is above this, or there is no proof
    #[arg(long, value_name = "L", value_parser = positive)]
    pub limit_loss: Option<f64>,

    /// On an alarm run this command in the shell, and go on; the facts are in variables UNSWAYED_…
    #[arg(long, value_name = "CMD")]
    pub on_alarm: Option<String>,

    /// Go on after an alarm
    #[arg(long)]
    pub keep_going: bool,

    /// Attacks to show beside the bound: none, fast, full, or a time such as 5s; most of the time goes there
    #[arg(long, value_name = "EFFORT", default_value = "fast")]
    pub attacks: Attacks,

    /// Seed of the attacks' randomness
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    #[command(flatten)]
    pub rows: StreamFlags,

    #[command(flatten)]
    pub keep: KeepFlags,

    #[command(flatten)]
    pub rates: RateFlags,

    #[command(flatten)]
    pub learner: LearnerFlags,

    #[command(flatten)]
    pub steps: StepFlags,
}

/// How rows are read.
#[derive(Args)]
#[command(next_help_heading = "Data")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct StreamFlags {
    /// The label column (default: label)
    #[arg(long, value_name = "NAME")]
    pub label_column: Option<String>,

    /// The classes, the negative one first (default: the first two different labels, the smaller one is negative); all classes for
    /// --loss multiclass
    #[arg(long, value_name = "LABELS", value_delimiter = ',', allow_hyphen_values = true)]
    pub classes: Vec<String>,

    /// Take labels as real scores in [−1, 1]
    #[arg(long, conflicts_with = "premultiplied")]
    pub scores: bool,

    /// The rows are z = label times features already; there are no labels
    #[arg(long)]
    pub premultiplied: bool,

    /// Rows are preferences: columns chosen_… and rejected_…
    #[arg(long, conflicts_with_all = ["scores", "premultiplied", "clip_rows"])]
    pub preferences: bool,

    #[command(flatten)]
    pub columns: ColumnFlags,

    /// Divide all rows by this number, as the learner does; --radius and sets are divided too. Without --clip-rows longer rows are
    /// refused
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = positive)]
    pub scale: f64,

    /// Shorten rows to this norm, as a learner does that clips its points; then --radius is the same if not given
    #[arg(long, value_name = "NORM", value_parser = positive)]
    pub clip_rows: Option<f64>,

    /// Count lines that cannot be used and go on, instead of ending with an error
    #[arg(long)]
    pub skip_bad: bool,
}

/// What is kept and served.
#[derive(Args)]
#[command(next_help_heading = "Operation")]
pub struct KeepFlags {
    /// Keep each window's certificate and rows in this folder, for `check`
    #[arg(long, value_name = "FOLDER")]
    pub certificates: Option<PathBuf>,

    /// Keep only the newest N certificates
    #[arg(long, value_name = "N", requires = "certificates", value_parser = at_least_one)]
    pub newest: Option<usize>,

    /// Continue from this file after a stop or kill, and keep it up to date
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,

    /// Append each update to this file as a line of JSON; with --state exactly once, whenever the program is killed
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,

    /// Serve the newest figures for Prometheus at http://ADDRESS/metrics, such as 127.0.0.1:9464
    #[arg(long, value_name = "ADDRESS")]
    pub metrics: Option<SocketAddr>,

    /// Let --metrics listen on an address that other machines can reach
    #[arg(long, requires = "metrics")]
    pub metrics_public: bool,
}
