//! The command line: every flag with its documentation, once.

pub mod design;
pub mod learner;
pub mod prepare;
pub mod watch;

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{Resettable, Str};
use clap::{Args, Parser, Subcommand, ValueEnum};
use unswayed::attack::{self, Attack};
use unswayed::data::ClassWeightPolicy;

use crate::examples::{
    ATTACK_EXAMPLES, CERTIFY_EXAMPLES, CHECK_EXAMPLES, COMPLETIONS_EXAMPLE, DESIGN_EXAMPLES, MEAN_EXAMPLES,
    PREPARE_EXAMPLES, REPORT_EXAMPLE, REPRODUCE_EXAMPLES, TOLERATE_EXAMPLES, WATCH_EXAMPLES,
};

pub use design::{BenignFrom, DesignFlags, GridFlags, TolerateFlags};
pub use learner::{AdversaryFlag, LearnerFlags, NatureFlags, ScheduleFlag, StepFlags};
pub use prepare::PrepareFlags;
pub use watch::{KeepFlags, WatchFlags};

/// Proven bounds on what an adaptive data poisoner can do to an online learner.
///
/// Without a command: certifies an online classifier on an embedded sample of MNIST (1 v 7) for poison rates of 1 to 5 %.
#[derive(Parser)]
#[command(
    name = "unswayed",
    version,
    after_help = "Example:\n  unswayed certify spam.npz --learning-rate 1e-3 --regularization 0.01 --poison-rate 0.02\n\n\
                  Exit codes: 0 done (check: valid), 1 check: not valid or not as expected, 2 bad input or usage."
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
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckFlags),

    /// Choose the learning rate and regularization that keep the harm small
    #[command(after_help = DESIGN_EXAMPLES, allow_negative_numbers = true)]
    Design(DesignFlags),

    /// Find the largest poison rate that keeps the certified loss under a limit
    #[command(after_help = TOLERATE_EXAMPLES, allow_negative_numbers = true)]
    Tolerate(TolerateFlags),

    /// Certify a live stream, window by window, and raise an alarm when a limit is passed
    #[command(after_help = WATCH_EXAMPLES, allow_negative_numbers = true)]
    Watch(WatchFlags),

    /// Turn raw features into rows that can be certified
    #[command(after_help = PREPARE_EXAMPLES)]
    Prepare(PrepareFlags),

    /// Repeat the paper's experiments
    #[command(after_help = REPRODUCE_EXAMPLES)]
    Reproduce(ReproduceFlags),

    /// Render a run's report again: one HTML file, and figures as SVG, PNG and CSV
    #[command(after_help = REPORT_EXAMPLE)]
    Report(ReportFlags),

    /// Bound the error of an online mean estimate under any poisoning
    #[command(after_help = MEAN_EXAMPLES, allow_negative_numbers = true)]
    Mean(MeanFlags),

    /// Print a completion script for a shell
    #[command(after_help = COMPLETIONS_EXAMPLE)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Where the rows come from.
#[derive(Args)]
#[command(next_help_heading = "Data")]
pub struct DataFlags {
    /// Features and labels: .npz (x and y, or z), .npy with --labels, or a table with a label column: .csv, .tsv or .jsonl (also
    /// compressed: .gz, .zst), .parquet, a folder of them, or - for standard input
    #[arg(required_unless_present = "features", help_heading = Resettable::<Str>::Reset)]
    pub data: Option<PathBuf>,

    /// Features alone, as .npy; needs --labels
    #[arg(long, value_name = "FILE", conflicts_with = "data", requires = "labels")]
    pub features: Option<PathBuf>,

    /// Labels for .npy features, as .npy
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,

    /// The label column of a table (default: label)
    #[arg(long, value_name = "NAME")]
    pub label_column: Option<String>,
}

/// Which columns of a table are features.
#[derive(Args)]
#[command(next_help_heading = "Data")]
pub struct ColumnFlags {
    /// The columns that are features, separated by commas (default: all but labels and weights)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub columns: Option<Vec<String>>,

    /// Columns that are not features, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub drop_columns: Vec<String>,
}

/// How the rows are read.
#[derive(Args)]
#[command(next_help_heading = "Data")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct ReadFlags {
    /// Take labels as real scores in [−1, 1] even if there are only two values
    #[arg(long, conflicts_with = "premultiplied")]
    pub scores: bool,

    /// The rows are z = label times features already; there are no labels
    #[arg(long)]
    pub premultiplied: bool,

    /// The data are preferences, rows chosen − rejected: .npz (arrays chosen and rejected), .csv or .parquet (columns chosen_… and
    /// rejected_…), .npy (the first half of the columns is the chosen one)
    #[arg(long)]
    pub preferences: bool,

    /// The column with the weights of the rows, or the array in .npz files (default: all rows count equally)
    #[arg(long, value_name = "NAME")]
    pub weight_column: Option<String>,

    /// What the learner's steps on the rows of each class are multiplied by: a list like -1=2,1=0.5 (a label that is not named has 1),
    /// or 'balanced', N/(2·rows of the class); scikit-learn's class_weight. The loss remains the unweighted average
    #[arg(long, value_name = "WEIGHTS", allow_hyphen_values = true)]
    pub class_weight: Option<ClassWeightPolicy>,

    /// The column with what the learner's step on each row is multiplied by, or the array in .npz files; scikit-learn's sample_weight.
    /// How often a row is drawn is set by --weight-column
    #[arg(long, value_name = "NAME")]
    pub step_weight_column: Option<String>,

    #[command(flatten)]
    pub columns: ColumnFlags,

    /// Divide all rows by the largest norm, so that none is longer than 1; --radius and sets are divided too
    #[arg(long)]
    pub normalize: bool,

    /// Write the zeros of sparse rows out (.svm files and SciPy's matrices): for small data, with a learner or adversary that sparse rows are
    /// not supported for
    #[arg(long)]
    pub dense: bool,

    /// Use the first N rows only
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub rows: Option<usize>,
}

/// The rates of learner and threat.
#[derive(Args)]
#[command(next_help_heading = "Learner and adversary")]
pub struct RateFlags {
    /// Learning rate η: a step is θ ← (1−ησ)θ − η·(gradient of the loss)
    #[arg(long, value_name = "ETA")]
    pub learning_rate: f64,

    /// Regularization σ
    #[arg(long, value_name = "SIGMA")]
    pub regularization: f64,

    /// Fraction ε of points that the adversary controls
    #[arg(long, value_name = "EPSILON")]
    pub poison_rate: f64,
}

/// The same with one or several poison rates.
#[derive(Args)]
#[command(next_help_heading = "Learner and adversary")]
pub struct CertifiedRates {
    /// Learning rate η: a step is θ ← (1−ησ)θ − η·(gradient of the loss)
    #[arg(long, value_name = "ETA")]
    pub learning_rate: f64,

    /// Regularization σ
    #[arg(long, value_name = "SIGMA")]
    pub regularization: f64,

    /// Fraction ε of points that the adversary controls; several, separated by commas, give a table and a certificate for each
    #[arg(long, value_name = "EPSILON", required = true, value_delimiter = ',')]
    pub poison_rate: Vec<f64>,
}

impl CertifiedRates {
    /// One for each poison rate, ascending, without repetitions.
    pub fn each(&self) -> Vec<RateFlags> {
        let CertifiedRates { learning_rate, regularization, .. } = *self;
        let mut rates = self.poison_rate.clone();
        rates.sort_by(f64::total_cmp);
        rates.dedup();
        let one = |poison_rate| RateFlags { learning_rate, regularization, poison_rate };
        rates.into_iter().map(one).collect()
    }
}

/// How much work to put into attacks; none for no attacks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Attacks(pub Option<attack::Effort>);

impl FromStr for Attacks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Attacks(None));
        }
        text.parse()
            .map(|effort| Attacks(Some(effort)))
            .map_err(|reason: String| format!("{reason}; none is for no attacks"))
    }
}

#[derive(Args)]
pub struct AttackFlags {
    /// Seed of the attacks' randomness
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// How much work to put in: none; fast, seconds for label-flip, fgsm, steady-state and steady-state-error with short simulations;
    /// full, minutes for all attacks with long ones; or at most about so much time, such as 5s or 2m
    #[arg(long, value_name = "EFFORT", default_value = "fast")]
    pub attacks: Attacks,

    /// Average over the first T steps, as a bound for --horizon does, not over the long run
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u64).range(1..=MOST_STEPS))]
    pub horizon: Option<u64>,

    /// Where the learner starts, for --horizon: a .npy vector, or numbers separated by commas (default: 0)
    #[arg(long, value_name = "THETA", allow_hyphen_values = true, requires = "horizon")]
    pub start: Option<String>,

    /// Only this attack: none, label-flip, fgsm, pgd, steady-state, steady-state-error or tuned (may be given several times)
    #[arg(long, value_name = "NAME", value_parser = attack_by_name)]
    pub attack: Vec<Attack>,

    /// Also measure on these held-out data, in the same format
    #[arg(long, value_name = "FILE")]
    pub test: Option<PathBuf>,

    /// Labels of the held-out data, for .npy
    #[arg(long, value_name = "FILE", requires = "test")]
    pub test_labels: Option<PathBuf>,

    /// Write the first 1000 points that each attack sends, as .npz (one array for each attack)
    #[arg(long, value_name = "PATH")]
    pub save: Option<PathBuf>,

    #[command(flatten)]
    pub data: DataFlags,

    #[command(flatten)]
    pub read: ReadFlags,

    #[command(flatten)]
    pub nature: NatureFlags,

    #[command(flatten)]
    pub rates: RateFlags,

    #[command(flatten)]
    pub learner: LearnerFlags,

    #[command(flatten)]
    pub steps: StepFlags,
}

#[derive(Args)]
pub struct CertifyFlags {
    /// Seed of the attacks' randomness
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Attacks to show beside the bound: none; fast, seconds for label-flip, fgsm, steady-state and steady-state-error with short
    /// simulations; full, minutes for all attacks with long ones; or at most about so much time, such as 5s or 2m
    #[arg(long, value_name = "EFFORT", default_value = "fast")]
    pub attacks: Attacks,

    /// Also bound the average loss over the first T steps
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u64).range(1..=MOST_STEPS))]
    pub horizon: Option<u64>,

    /// Where the learner starts, for --horizon: a .npy vector, or numbers separated by commas (default: 0)
    #[arg(long, value_name = "THETA", allow_hyphen_values = true)]
    pub start: Option<String>,

    /// With --schedule and --horizon: the learning rate of the first of these steps, or less (default: that of a file's schedule, else
    /// --learning-rate)
    #[arg(long, value_name = "ETA", requires = "horizon", value_parser = learner::positive)]
    pub first_rate: Option<f64>,

    /// With --schedule weighted and --horizon: what the learning rates of these steps add up to, or less
    #[arg(long, value_name = "SUM", requires = "horizon", value_parser = learner::positive)]
    pub total_rate: Option<f64>,

    /// Also write a report (one HTML file, and its figures) into this folder
    #[arg(long, value_name = "FOLDER")]
    pub report: Option<PathBuf>,

    /// Make the report answer "what if" in the browser: sliders for the rates and the radius, solver and exact checker in the page.
    /// The page then holds the rows of the data. For the hinge loss against a ball; bounds are those of --effort quick
    #[arg(long, requires = "report", conflicts_with_all = ["confidence", "horizon", "start", "method", "effort"])]
    pub live: bool,

    /// How to certify
    #[arg(long, value_enum, default_value_t = Method::Convexity)]
    pub method: Method,

    /// How much time to spend on a better proof of the error (hinge and logistic losses), and of the loss (hinge loss, ball), where
    /// there is one
    #[arg(long, value_enum, default_value_t = Effort::Standard)]
    pub effort: Effort,

    /// Write a certificate whose size does not grow with the rows: its proof has a rule in place of numbers for each row. For the hinge
    /// loss against a ball; data of more than 10,000 rows get one anyway where no other kind of proof is 0.03 % better
    #[arg(long, conflicts_with_all = ["method", "effort"])]
    pub compact: bool,

    /// Read .npy and .parquet files that are larger than this in parts, such as 500MB (default: 2GB). Their certificates are compact,
    /// no attacks are shown beside them, and the search sees a sample
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub memory: Option<u64>,

    /// The certificate file; with several poison rates the folder of the certificates (default: named after the data file and the
    /// setting, in this folder)
    #[arg(long, value_name = "PATH")]
    pub output: Option<PathBuf>,

    /// Also show how the bound varies with the sample: certify so many samples of the rows, drawn with replacement. A picture, no proof.
    /// Takes as many searches
    #[arg(long, value_name = "SAMPLES", conflicts_with = "method", value_parser = samples)]
    pub bootstrap: Option<usize>,

    /// Also bound the loss on new data like these, with this probability. Half of the rows then choose the proof, and the
    /// certificate is about the other half; with --contaminated the rows are in the order of their arrival, the first half chooses,
    /// and the certificate is about all of them
    #[arg(long, value_name = "P", value_parser = learner::probability)]
    pub confidence: Option<f64>,

    #[command(flatten)]
    pub data: DataFlags,

    #[command(flatten)]
    pub read: ReadFlags,

    #[command(flatten)]
    pub nature: NatureFlags,

    #[command(flatten)]
    pub rates: CertifiedRates,

    #[command(flatten)]
    pub learner: LearnerFlags,

    #[command(flatten)]
    pub steps: StepFlags,
}

fn samples(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|samples| (2..=1000).contains(samples));
    number.ok_or_else(|| "it must be a whole number of samples from 2 to 1000, such as 20".to_owned())
}

/// Steps beyond this are not whole numbers in a certificate.
pub const MOST_STEPS: u64 = 1 << 53;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Effort {
    /// No search
    Quick,
    /// Where it takes seconds: up to 1000 rows of 31 columns
    Standard,
    /// For up to 5000 rows, however long it takes; the loss by contraction, for up to 1000 rows
    Tight,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// The certificate of this program
    Convexity,
    /// The paper's semidefinite program: seconds to minutes, at most 80 columns, hinge loss and ball only
    Paper,
    /// Both, in a table; the certificate is the one with the smallest bound
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

    /// The data it is about, several files if they drift; none if it is about a covariance trace
    pub data: Vec<PathBuf>,

    /// Labels for .npy features, as .npy (default: …y.npy beside …x.npy)
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,

    /// The target's rows, if the certificate has a target of its own
    #[arg(long, value_name = "FILE")]
    pub target: Option<PathBuf>,

    /// Also require this of the statement or its bounds: KEY=VALUE, KEY>=NUMBER or KEY<=NUMBER, with the keys of --json (may be
    /// given several times)
    #[arg(long, value_name = "WHAT")]
    pub expect: Vec<String>,

    /// Read .npy and .parquet files that are larger than this in parts, such as 500MB (default: 2GB), if the certificate is a compact one
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub memory: Option<u64>,
}

/// A number of bytes.
fn size(text: &str) -> Result<u64, String> {
    unswayed_check::bytes_of(text).ok_or_else(|| "it is a number of bytes, such as 500MB or 2GB".to_owned())
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

    #[command(flatten)]
    pub learner: LearnerFlags,

    #[command(flatten)]
    pub steps: StepFlags,
}

#[derive(Args)]
pub struct ReportFlags {
    /// The folder of a run
    pub run: PathBuf,

    /// Where to write (default: the same folder)
    #[arg(long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,

    /// Make the report of certify answer "what if" in the browser: sliders for the rates and the radius, solver and exact checker in
    /// the page. The page then holds the rows of the data, which are read again
    #[arg(long)]
    pub live: bool,

    /// The data file, if it is no longer where certify read it
    #[arg(long, value_name = "FILE", requires = "live")]
    pub data: Option<PathBuf>,
}

#[derive(Args)]
pub struct MeanFlags {
    /// Benign samples, one point per row: .npy, .npz (x), .csv or .parquet
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

    /// The column with the weights of the samples, or the array in .npz files (default: all count equally)
    #[arg(long, value_name = "NAME", requires = "samples")]
    pub weight_column: Option<String>,

    /// Use the first N rows only
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub rows: Option<usize>,

    /// How to certify
    #[arg(long, value_enum, default_value_t = MeanMethod::ClosedForm)]
    pub method: MeanMethod,

    /// The certificate file (default: named after the samples and the setting, in this folder)
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
