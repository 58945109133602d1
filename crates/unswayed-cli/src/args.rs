//! The command line: every flag with its documentation, once.

pub mod design;
pub mod learner;
pub mod prepare;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use unswayed::attack::Attack;

use crate::examples::{
    ATTACK_EXAMPLES, CERTIFY_EXAMPLES, DESIGN_EXAMPLES, MEAN_EXAMPLES, PREPARE_EXAMPLES, REPRODUCE_EXAMPLES,
    TOLERATE_EXAMPLES,
};

pub use design::{BenignFrom, DesignFlags, GridFlags, TolerateFlags};
pub use learner::{Adversary, LearnerFlags, LossFlag};
pub use prepare::PrepareFlags;

/// Proven bounds on what an adaptive data poisoner can do to an online learner.
///
/// Without a command: certifies an online classifier on an embedded sample of MNIST (1 v 7) for poison rates of 1 to 5 %.
#[derive(Parser)]
#[command(
    name = "unswayed",
    version,
    after_help = "Example:\n  unswayed certify spam.npz --learning-rate 1e-3 --regularization 0.01 --poison-rate 0.02\n\n\
                  Exit codes: 0 done (check: valid), 1 check: not valid, 2 bad input or usage."
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Print one JSON object instead of text
    #[arg(long, global = true)]
    pub json: bool,

    /// Threads to use (default: all cores); results do not depend on it
    #[arg(long, global = true, value_name = "N", value_parser = at_least_one)]
    pub threads: Option<usize>,
}

#[derive(Subcommand)]
pub enum Command {
    /// Bound the long-run loss under any poisoning, and write a certificate file
    #[command(after_help = CERTIFY_EXAMPLES, allow_negative_numbers = true)]
    Certify(CertifyFlags),

    /// Simulate attacks and show what each reaches in the long run
    #[command(after_help = ATTACK_EXAMPLES, allow_negative_numbers = true)]
    Attack(AttackFlags),

    /// Verify a certificate in exact arithmetic
    #[command(after_help = "Examples:\n  unswayed check spam.certificate.safetensors spam.npz\n  \
                      unswayed check january.certificate.safetensors january.npz february.npz --target march.npz\n\n\
                      Exit codes: 0 valid, 1 not valid (says what fails and by how much), 2 a file cannot be read.")]
    Check(CheckFlags),

    /// Choose the learning rate and regularization that keep the harm small
    #[command(after_help = DESIGN_EXAMPLES, allow_negative_numbers = true)]
    Design(DesignFlags),

    /// Find the largest poison rate that keeps the certified loss under a limit
    #[command(after_help = TOLERATE_EXAMPLES, allow_negative_numbers = true)]
    Tolerate(TolerateFlags),

    /// Turn raw features into rows that can be certified
    #[command(after_help = PREPARE_EXAMPLES)]
    Prepare(PrepareFlags),

    /// Repeat the paper's experiments
    #[command(after_help = REPRODUCE_EXAMPLES)]
    Reproduce(ReproduceFlags),

    /// Render a run's report again: one HTML file, and figures as SVG, PNG and CSV
    #[command(after_help = "Example:\n  unswayed report run\n\nExit codes: 0 done, 2 bad input or usage.")]
    Report(ReportFlags),

    /// Bound the error of an online mean estimate under any poisoning
    #[command(after_help = MEAN_EXAMPLES, allow_negative_numbers = true)]
    Mean(MeanFlags),

    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  unswayed completions bash > ~/.local/share/bash-completion/completions/unswayed"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Where the rows come from.
#[derive(Args)]
pub struct DataFlags {
    /// Features and labels: .npz (x and y, or z), .csv or .parquet (label column), .npy with --labels
    #[arg(required_unless_present = "features")]
    pub data: Option<PathBuf>,

    /// Features alone, as .npy; needs --labels
    #[arg(long, value_name = "FILE", conflicts_with = "data", requires = "labels")]
    pub features: Option<PathBuf>,

    /// Labels for .npy features, as .npy
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,

    /// The label column of .csv and .parquet files (default: label)
    #[arg(long, value_name = "NAME")]
    pub label_column: Option<String>,
}

/// How the rows are read.
#[derive(Args)]
pub struct ReadFlags {
    /// Take labels as real scores in [−1, 1] even if there are only two values
    #[arg(long, conflicts_with = "premultiplied")]
    pub scores: bool,

    /// The rows are z = label times features already; there are no labels
    #[arg(long)]
    pub premultiplied: bool,

    /// Divide all rows by the largest norm, so that none is longer than 1
    #[arg(long)]
    pub normalize: bool,

    /// Use the first N rows only
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub rows: Option<usize>,
}

/// Learner and threat.
#[derive(Args)]
pub struct SettingFlags {
    /// Learning rate η of θ ← (1−ησ)θ + η·1[θᵀz ≤ 1]·z
    #[arg(long, value_name = "ETA")]
    pub learning_rate: f64,

    /// Regularization σ
    #[arg(long, value_name = "SIGMA")]
    pub regularization: f64,

    /// Fraction ε of points that the adversary controls
    #[arg(long, value_name = "EPSILON")]
    pub poison_rate: f64,

    /// Largest norm of a poisoned point, in the units of the data file (with --normalize: that of the longest row)
    #[arg(long, value_name = "R", default_value_t = 1.0, conflicts_with = "normalize")]
    pub radius: f64,

    /// Seed of the attacks' randomness
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Attacks {
    /// No attacks
    None,
    /// Seconds: label-flip, fgsm and steady-state, short simulations
    Fast,
    /// Minutes: all attacks, long simulations
    Full,
}

#[derive(Args)]
pub struct AttackFlags {
    #[command(flatten)]
    pub data: DataFlags,

    #[command(flatten)]
    pub read: ReadFlags,

    #[command(flatten)]
    pub setting: SettingFlags,

    /// How much work to put in
    #[arg(long, value_enum, default_value_t = Attacks::Fast)]
    pub attacks: Attacks,

    /// Only this attack: none, label-flip, fgsm, pgd, steady-state or tuned (may be given several times)
    #[arg(long, value_name = "NAME", value_parser = attack_by_name)]
    pub attack: Vec<Attack>,

    /// Also measure on these held-out data, in the same format
    #[arg(long, value_name = "FILE")]
    pub test: Option<PathBuf>,

    /// Labels of the held-out data, for .npy
    #[arg(long, value_name = "FILE", requires = "test")]
    pub test_labels: Option<PathBuf>,

    #[command(flatten)]
    pub learner: LearnerFlags,

    /// Write the first 1000 points that each attack sends, as .npz (one array an attack)
    #[arg(long, value_name = "PATH")]
    pub save: Option<PathBuf>,
}

#[derive(Args)]
pub struct CertifyFlags {
    #[command(flatten)]
    pub data: DataFlags,

    #[command(flatten)]
    pub read: ReadFlags,

    #[command(flatten)]
    pub setting: SettingFlags,

    /// Attacks to show beside the bound
    #[arg(long, value_enum, default_value_t = Attacks::Fast)]
    pub attacks: Attacks,

    /// Also bound the average loss over the first T steps
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u64).range(1..=MOST_STEPS))]
    pub horizon: Option<u64>,

    /// Where the learner starts: a .npy vector, or numbers separated by commas (default: 0)
    #[arg(long, value_name = "THETA", allow_hyphen_values = true)]
    pub start: Option<String>,

    /// Also write a report (one HTML file, and its figures) into this folder
    #[arg(long, value_name = "FOLDER")]
    pub report: Option<PathBuf>,

    /// How to certify
    #[arg(long, value_enum, default_value_t = Method::Convexity)]
    pub method: Method,

    /// The certificate file (default: the data file's name with .certificate.safetensors, in this folder)
    #[arg(long, value_name = "PATH")]
    pub output: Option<PathBuf>,

    /// Also bound the loss on new data like these, with this probability; half of the rows then choose the numbers that prove it
    /// for the other half
    #[arg(long, value_name = "P", value_parser = learner::probability)]
    pub confidence: Option<f64>,

    #[command(flatten)]
    pub learner: LearnerFlags,
}

/// Steps beyond this are not whole numbers in a certificate.
const MOST_STEPS: u64 = 1 << 53;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// The convexity certificate: the smallest bound of its forms
    Convexity,
    /// The paper's semidefinite program: seconds to minutes, at most 80 columns
    Paper,
    /// Both, in a table; the certificate is that of the smallest bound
    All,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MeanMethod {
    /// The closed form
    ClosedForm,
    /// The paper's semidefinite program: its value, or the closed form's if that is larger by rounding
    Paper,
    /// Both, in a table
    All,
}

#[derive(Args)]
pub struct CheckFlags {
    /// The certificate file
    pub certificate: PathBuf,

    /// The data it is about, several files if they drift; none if it is about a distribution
    pub data: Vec<PathBuf>,

    /// Labels for .npy features, as .npy
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,

    /// The label column of .csv and .parquet files (default: label)
    #[arg(long, value_name = "NAME")]
    pub label_column: Option<String>,

    /// The target's rows, if the certificate has a target of its own
    #[arg(long, value_name = "FILE")]
    pub target: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Experiment {
    /// Mean estimation
    Mean,
    /// Classification of images
    Images,
    /// Reward learning
    Reward,
    /// All of them
    All,
}

#[derive(Args)]
pub struct ReproduceFlags {
    /// Which experiment
    #[arg(value_enum)]
    pub experiment: Experiment,

    /// The folder of feature files
    #[arg(long, value_name = "FOLDER", default_value = "experiments/data")]
    pub data: PathBuf,

    /// Rows of each task, as in the paper
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = at_least_one)]
    pub rows: usize,

    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// The folder for report, figures and certificates
    #[arg(long, value_name = "FOLDER", default_value = "unswayed-reproduce")]
    pub output: PathBuf,

    /// Continue the run in that folder
    #[arg(long)]
    pub resume: bool,
}

#[derive(Args)]
pub struct ReportFlags {
    /// The folder of a run
    pub run: PathBuf,

    /// Where to write (default: the same folder)
    #[arg(long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
}

#[derive(Args)]
pub struct MeanFlags {
    /// Benign samples, one point a row: .npy, .npz (x), .csv or .parquet
    #[arg(required_unless_present = "covariance_trace", conflicts_with = "covariance_trace")]
    pub samples: Option<PathBuf>,

    /// The trace of the benign covariance Σ, instead of samples
    #[arg(long, value_name = "TRACE")]
    pub covariance_trace: Option<f64>,

    /// Learning rate η
    #[arg(long, value_name = "ETA")]
    pub learning_rate: f64,

    /// Fraction ε of points that the adversary controls
    #[arg(long, value_name = "EPSILON")]
    pub poison_rate: f64,

    /// Largest squared distance r of a poisoned point from the mean
    #[arg(long, value_name = "R")]
    pub squared_radius: f64,

    /// The trace of the covariance S of noise that the learner adds
    #[arg(long, value_name = "TRACE", default_value_t = 0.0)]
    pub noise_trace: f64,

    /// Use the first N rows only
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub rows: Option<usize>,

    /// How to certify
    #[arg(long, value_enum, default_value_t = MeanMethod::ClosedForm)]
    pub method: MeanMethod,

    /// The certificate file (default: mean.certificate.safetensors, or the samples' name)
    #[arg(long, value_name = "PATH")]
    pub output: Option<PathBuf>,
}

fn attack_by_name(text: &str) -> Result<Attack, String> {
    let named = |attack: &Attack| attack.name() == text;
    Attack::ALL
        .into_iter()
        .find(named)
        .ok_or_else(|| format!("one of {}", Attack::ALL.map(Attack::name).join(", ")))
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".into()),
        Ok(n) => Ok(n),
        Err(_) => Err("must be a whole number".into()),
    }
}
