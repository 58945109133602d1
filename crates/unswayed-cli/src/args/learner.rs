//! The flags that say which learner, which adversary and which data are meant.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{Resettable, Str};
use unswayed::{Decay, LossName, PoisonWeightPolicy};

/// How points become a step.
#[derive(Args)]
#[command(next_help_heading = "Learner and adversary")]
pub struct StepFlags {
    /// Average the gradients of N points in each step
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub batch: u64,

    /// Project the model on norms up to RADIUS after each step
    #[arg(long, value_name = "RADIUS", value_parser = positive)]
    pub projection: Option<f64>,

    /// Clip the gradient of each point at this norm
    #[arg(long, value_name = "NORM", value_parser = positive)]
    pub clip: Option<f64>,
}

impl Default for StepFlags {
    fn default() -> Self {
        StepFlags { batch: 1, projection: None, clip: None }
    }
}

impl StepFlags {
    /// Whether each point makes a step of its own, without projection and clipping.
    pub fn is_default(&self) -> bool {
        self.batch == 1 && self.projection.is_none() && self.clip.is_none()
    }
}

/// Learner and threat but for their rates and steps.
#[derive(Args)]
#[command(next_help_heading = "Learner and adversary")]
pub struct LearnerFlags {
    /// The loss that the learner takes gradient steps on (default: hinge, or logistic with --preferences).
    /// 'hinge': max(0, 1 − s) for the margin s = θᵀz.
    /// 'logistic': log(1 + exp(−s)).
    /// 'smooth-hinge=W': the hinge with its kink rounded over the width W.
    /// 'modified-huber': max(0, 1 − s)², and −4s below s = −1.
    /// 'absolute', 'epsilon-insensitive=E', 'huber=D', 'quantile=Q': regression; labels are numbers y, and the loss is one of θᵀx − y.
    /// 'multiclass': the hinge loss for labels of two or more kinds
    #[arg(long, value_name = "LOSS", value_parser = loss, verbatim_doc_comment)]
    pub loss: Option<LossName>,

    /// The points that the adversary may send:
    /// 'ball': norm up to --radius.
    /// 'features': norm up to --radius without the column of --bias, whose entry is that of every row times the label, because the
    /// learner appends this constant itself.
    /// 'box', 'ellipsoid': the smallest around the data, or box=0.5, box=R.npy (|z_j| ≤ R_j), ellipsoid=Q.npy (zᵀQ⁻¹z ≤ 1).
    /// 'points=FILE': the rows z of that file.
    /// 'flips': any row z of the data, or −z.
    /// 'labels': a random row, as it is or with its label flipped.
    /// 'any': any point; needs --clip.
    /// Numbers are in the units of the data file
    #[arg(long, value_name = "SET", value_parser = adversary, default_value = "ball", verbatim_doc_comment)]
    pub adversary: AdversaryFlag,

    /// Largest norm of a poisoned point (of its features, with --adversary features), in the units of the data file (default: 1, or with --normalize the largest norm of a row)
    #[arg(long, value_name = "R")]
    pub radius: Option<f64>,

    /// For a regression loss: the largest |y| of the labels of poisoned points; without it they may be any numbers
    #[arg(long, value_name = "Y")]
    pub label_bound: Option<f64>,

    /// With --class-weight or --step-weight-column: what the step on a poisoned point is multiplied by, at most: a number, or one for
    /// each label like -1=0.5,1=2 (default: the largest weight of a row or class; with --class-weight and --adversary features the
    /// largest of the point's own class). Where a point may be sent with either label, the larger number counts
    #[arg(long, value_name = "C", value_parser = poison_weight, allow_hyphen_values = true)]
    pub poison_weight: Option<PoisonWeightPolicy>,

    /// The part of the rows that may be hostile themselves, such as 0.01, nobody knows which; the bound is for the others
    #[arg(long, value_name = "PART", value_parser = part)]
    pub contaminated: Option<f64>,

    /// The adversary picks its moments: of each block of W points, counted from the first, at most the poison rate times W are its own,
    /// whenever it likes. Without it each point is its own by a coin
    #[arg(long, value_name = "W", value_parser = clap::value_parser!(u64).range(1..))]
    pub moments: Option<u64>,

    /// How the learning rate changes: --learning-rate is then the largest one.
    /// 'optimal' or 'pegasos': it falls like 1/(σt), as scikit-learn's learning_rate="optimal" does.
    /// 'invscaling': it falls more slowly than 1/t.
    /// 'slowdown=D': 1/rate grows by at most D in each step.
    /// 'weighted': it falls as it likes, fixed in advance; averages over time are then weighted by the rates. With --bias this
    /// is the one that has a bound.
    /// FILE: the rates of a .npy or .csv file, one for each step and the last of them from there on; the bound is for the steps
    /// from which on none is above --learning-rate and they fall no faster than 1/(σt): the statement says which step.
    /// 'constant': it does not change. A rate that depends on the training loss ('adaptive') has no bound
    #[arg(long, value_name = "SCHEDULE", value_parser = schedule, verbatim_doc_comment)]
    pub schedule: Option<ScheduleFlag>,

    /// Bound the loss of the average of all models so far (scikit-learn's average=True), not that of the last one
    #[arg(long)]
    pub average: bool,

    /// Momentum of the steps, from 0 to below 1, as PyTorch's SGD has it: v ← M·v + gradient, θ ← θ − learning rate · v. The gradient
    /// contains the regularization. learning rate · regularization must be at most (1 − √M)²
    #[arg(long, value_name = "M", value_parser = momentum)]
    pub momentum: Option<f64>,

    /// The column that is not regularized: its number from 1, its name, or 'last'
    #[arg(long, value_name = "COLUMN")]
    pub bias: Option<String>,
}

impl LearnerFlags {
    /// Whether nothing is asked for but the hinge learner against a ball.
    pub fn is_default(&self) -> bool {
        let LearnerFlags {
            loss,
            adversary,
            radius,
            label_bound,
            poison_weight,
            contaminated,
            moments,
            schedule,
            average,
            momentum,
            bias,
        } = self;
        let plain = schedule.is_none() && !average && label_bound.is_none() && poison_weight.is_none();
        let plain = plain && momentum.is_none() && contaminated.is_none() && moments.is_none();
        let plain = plain && loss.is_none() && bias.is_none();
        plain && *adversary == AdversaryFlag::Ball && radius.is_none()
    }
}

/// What benign data may do, and what the learner is judged by.
#[derive(Args)]
#[command(next_help_heading = "Data")]
pub struct NatureFlags {
    /// Further data files, with --drift
    #[arg(value_name = "MORE", help_heading = Resettable::<Str>::Reset)]
    pub more: Vec<PathBuf>,

    /// The data may switch between all the data files, at any time and in any way
    #[arg(long)]
    pub drift: bool,

    /// Bound the loss on the rows of this file instead of the data's
    #[arg(long, value_name = "FILE")]
    pub target: Option<PathBuf>,
}

/// The points that the adversary may send.
#[derive(Clone, Debug, PartialEq)]
pub enum AdversaryFlag {
    Ball,
    Features,
    /// Radii as text: one number, numbers, or a file; around the data without.
    Box(Option<String>),
    /// The file with Q; around the data without.
    Ellipsoid(Option<PathBuf>),
    Points(PathBuf),
    Flips,
    Labels,
    Any,
}

fn adversary(text: &str) -> Result<AdversaryFlag, String> {
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    match (name, value) {
        ("ball", None) => Ok(AdversaryFlag::Ball),
        ("ball", Some(_)) => Err("the ball's radius is --radius".into()),
        ("features", None) => Ok(AdversaryFlag::Features),
        ("features", Some(_)) => Err("the radius of the features is --radius".into()),
        ("box", radii) => Ok(AdversaryFlag::Box(radii.map(str::to_owned))),
        ("ellipsoid", file) => Ok(AdversaryFlag::Ellipsoid(file.map(PathBuf::from))),
        ("points", Some(file)) => Ok(AdversaryFlag::Points(file.into())),
        ("points", None) => Err("name the file of the points: points=FILE".into()),
        ("flips", None) => Ok(AdversaryFlag::Flips),
        ("labels", None) => Ok(AdversaryFlag::Labels),
        ("any", None) => Ok(AdversaryFlag::Any),
        _ => Err(
            "one of ball, features, box, box=R, ellipsoid, ellipsoid=FILE, points=FILE, flips, labels, any"
                .into(),
        ),
    }
}

pub fn positive(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if x > 0.0 && f64::is_finite(x) => Ok(x),
        _ => Err("must be a positive number".into()),
    }
}

fn poison_weight(text: &str) -> Result<PoisonWeightPolicy, String> {
    let given: PoisonWeightPolicy = text.parse()?;
    let is_positive = |weight: f64| weight > 0.0 && weight.is_finite();
    let good = match &given {
        PoisonWeightPolicy::All(weight) => is_positive(*weight),
        PoisonWeightPolicy::ByLabel(weights) => weights.iter().all(|(_, weight)| is_positive(*weight)),
    };
    if good { Ok(given) } else { Err("must be positive numbers".into()) }
}

fn momentum(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if (0.0..1.0).contains(&x) => Ok(x),
        _ => Err("must be from 0 to below 1, such as 0.9".into()),
    }
}

/// A probability that is neither 0 nor 1.
pub fn probability(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if x > 0.0 && x < 1.0 => Ok(x),
        _ => Err("must be between 0 and 1, such as 0.99".into()),
    }
}

/// A part of a whole, more than nothing and less than all.
fn part(text: &str) -> Result<f64, String> {
    probability(text).map_err(|_| "must be between 0 and 1, such as 0.01".into())
}

fn loss(text: &str) -> Result<LossName, String> {
    text.parse().map_err(|error: unswayed::ProblemError| error.to_string())
}

/// How the learning rate changes.
#[derive(Clone, Debug, PartialEq)]
pub enum ScheduleFlag {
    Constant,
    Falls(Decay),
    /// The rates themselves.
    File(PathBuf),
}

fn schedule(text: &str) -> Result<ScheduleFlag, String> {
    let is_file = |ending: &str| text.to_ascii_lowercase().ends_with(ending);
    match text {
        "constant" => Ok(ScheduleFlag::Constant),
        "adaptive" => {
            Err("it falls with the training loss, which the adversary can steer; a bound is for rates that \
                           are fixed in advance"
                .into())
        }
        _ if is_file(".npy") || is_file(".csv") => Ok(ScheduleFlag::File(text.into())),
        _ => text.parse().map(ScheduleFlag::Falls).map_err(|error: unswayed::ProblemError| {
            format!("{error}, constant, or a .npy or .csv file of rates")
        }),
    }
}
