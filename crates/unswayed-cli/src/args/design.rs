//! The flags of `unswayed design` and `unswayed tolerate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use unswayed::design::{Steps, Tried};

use super::learner::probability;
use super::{Attacks, DataFlags, LearnerFlags, MOST_STEPS, NatureFlags, ReadFlags, StepFlags};

#[derive(Args)]
pub struct DesignFlags {
    /// The tasks to choose on: data files, or NAME=FILE
    #[arg(required = true, value_name = "TASK")]
    pub tasks: Vec<String>,

    /// The task that kappa is tuned on (by the strongest attack found, or the certified loss with --attacks none)
    #[arg(long, value_name = "TASK", conflicts_with = "kappa")]
    pub validate: Option<String>,

    /// The task that shows what the choice is worth; it is not used for the choice
    #[arg(long, value_name = "TASK")]
    pub test: Option<String>,

    /// Weight of the certified loss against the benign loss (default: tuned with --validate, else 1)
    #[arg(long, value_name = "KAPPA")]
    pub kappa: Option<f64>,

    /// Design for a stream of T points: all losses are averages over the steps that these make (one for each --batch of points), and
    /// bounds are made for these. Without it they are about the long run, in which a smaller learning rate never hurts
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u64).range(1..=MOST_STEPS))]
    pub horizon: Option<u64>,

    /// Where the learner starts, for --horizon: a .npy vector, or numbers separated by commas (default: 0)
    #[arg(long, value_name = "THETA", allow_hyphen_values = true, requires = "horizon")]
    pub start: Option<String>,

    /// Choose the smallest benign loss among the settings whose certified error is at most E on every task, at every poison rate
    #[arg(long, value_name = "E", value_parser = probability, conflicts_with_all = ["kappa", "validate"])]
    pub at_most_error: Option<f64>,

    /// Where the benign loss comes from
    #[arg(long, value_enum, default_value_t = BenignFrom::Simulated)]
    pub benign: BenignFrom,

    /// Attacks on the test task (chosen and poor setting) and on the validation task: none, fast, full, or a time for each such as 5s
    #[arg(long, value_name = "EFFORT", default_value = "fast")]
    pub attacks: Attacks,

    /// Run the attacks on every task, setting and poison rate
    #[arg(long)]
    pub attack_everywhere: bool,

    /// Continue from the best setting between the points of the grid
    #[arg(long)]
    pub refine: bool,

    /// Seed of simulations and attacks
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// The label column of .csv and .parquet files (default: label)
    #[arg(long, value_name = "NAME")]
    pub label_column: Option<String>,

    /// The folder for journal, tables and certificates
    #[arg(long, value_name = "FOLDER", default_value = "unswayed-design")]
    pub output: PathBuf,

    /// Continue the sweep in that folder: do only what is missing
    #[arg(long)]
    pub resume: bool,

    #[command(flatten)]
    pub read: ReadFlags,

    #[command(flatten)]
    pub grid: GridFlags,

    #[command(flatten)]
    pub learner: LearnerFlags,

    #[command(flatten)]
    pub steps: TriedFlags,
}

/// The values to try, separated by commas.
#[derive(Args)]
#[command(next_help_heading = "Rates")]
pub struct GridFlags {
    /// Learning rates η, separated by commas (default: the paper's 5e-5,1e-4,5e-4,1e-3,5e-3; with design --horizon seven that suit it,
    /// and more if the best is at the end of them)
    #[arg(long, value_name = "ETAS", value_delimiter = ',')]
    pub learning_rate: Option<Vec<f64>>,

    /// Regularizations σ, separated by commas (default: the paper's 3e-3,6e-3,1e-2,3e-2,6e-2; with design --horizon 1e-3 to 0.1, and more
    /// if the best is at the end of them)
    #[arg(long, value_name = "SIGMAS", value_delimiter = ',')]
    pub regularization: Option<Vec<f64>>,

    /// Poison rates ε, separated by commas (design's default: the paper's 0.01,0.02,0.03,0.04,0.05)
    #[arg(long, value_name = "EPSILONS", value_delimiter = ',')]
    pub poison_rate: Option<Vec<f64>>,
}

/// How points become a step: one value, or several to try.
#[derive(Args)]
#[command(next_help_heading = "Learner and adversary")]
pub struct TriedFlags {
    /// Points whose gradients are averaged in each step, or several numbers to try, separated by commas; 'auto': 1,4,16, and with
    /// design --horizon more if the best is the largest (default: 1)
    #[arg(long, value_name = "NS")]
    pub batch: Option<Tried<u64>>,

    /// Norm that the model is projected on after each step, or several to try, separated by commas, 'none' among them; 'auto': round
    /// numbers around the norm that clean data lead to, and none; design tries more if the best is at the end of them (default: none)
    #[arg(long, value_name = "RADII")]
    pub projection: Option<Tried<Option<f64>>>,

    /// Norm at which the gradient of each point is clipped, or several to try, separated by commas, 'none' among them; 'auto': round
    /// numbers below the largest norm of a row, and none; design tries more if the best is at the end of them (default: none)
    #[arg(long, value_name = "NORMS")]
    pub clip: Option<Tried<Option<f64>>>,
}

impl TriedFlags {
    /// The axes of a grid.
    pub fn axes(&self) -> Steps {
        Steps {
            projections: self.projection.clone().unwrap_or_default(),
            clips: self.clip.clone().unwrap_or_default(),
            batches: self.batch.clone().unwrap_or_default(),
        }
    }

    /// The only steps, if no others are to be tried.
    pub fn only(&self) -> Option<StepFlags> {
        let radius = |tried: &Option<Tried<Option<f64>>>| match tried {
            Some(tried) => tried.only().copied(),
            None => Some(None),
        };
        let batch = match &self.batch {
            Some(tried) => tried.only().copied()?,
            None => 1,
        };
        Some(StepFlags { batch, projection: radius(&self.projection)?, clip: radius(&self.clip)? })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BenignFrom {
    /// Simulated at each setting's own learning rate
    Simulated,
    /// The limit of small learning rates, solved for: cheaper, and too small at larger ones
    Limit,
}

#[derive(Args)]
pub struct TolerateFlags {
    /// The limit that the certified loss (or error) must not exceed
    #[arg(long, value_name = "L")]
    pub limit: f64,

    /// The limit is about the error, not the loss
    #[arg(long)]
    pub error: bool,

    /// The limit is about the average over the steps that the first T points make, not the long run
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u64).range(1..=MOST_STEPS))]
    pub horizon: Option<u64>,

    /// Where the learner starts, for --horizon: a .npy vector, or numbers separated by commas (default: 0)
    #[arg(long, value_name = "THETA", allow_hyphen_values = true, requires = "horizon")]
    pub start: Option<String>,

    /// Whether to look for the rate at which an attack breaks the limit (none: do not look), and how much work to put into attacks at
    /// the tolerated rate: fast, full, or a time such as 5s
    #[arg(long, value_name = "EFFORT", default_value = "fast")]
    pub attacks: Attacks,

    /// Seed of the attacks' randomness
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// The certificate file (default: named after the data file and the setting, in this folder)
    #[arg(long, value_name = "PATH")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub data: DataFlags,

    #[command(flatten)]
    pub read: ReadFlags,

    #[command(flatten)]
    pub nature: NatureFlags,

    #[command(flatten)]
    pub grid: GridFlags,

    #[command(flatten)]
    pub learner: LearnerFlags,

    #[command(flatten)]
    pub steps: TriedFlags,
}
