//! The flags of other learners than the hinge learner, of other adversaries than a ball, and of other targets than the data.

use std::path::PathBuf;

use clap::builder::{Resettable, Str};
use clap::{Args, ValueEnum};

#[derive(Args)]
#[command(next_help_heading = "Learner and adversary")]
pub struct LearnerFlags {
    /// Further data files, with --drift
    #[arg(value_name = "MORE", help_heading = Resettable::<Str>::Reset)]
    pub more: Vec<PathBuf>,

    /// The data may switch between all the data files, at any time and in any way
    #[arg(long)]
    pub drift: bool,

    /// The loss that the learner takes gradient steps on (default: hinge, with --preferences logistic)
    #[arg(long, value_enum)]
    pub loss: Option<LossFlag>,

    /// The data are preferences, rows chosen − rejected: .npz (arrays chosen and rejected), .csv or .parquet (columns chosen_… and
    /// rejected_…), .npy (the first half of the columns is the chosen one)
    #[arg(long)]
    pub preferences: bool,

    /// The points that the adversary may send: 'ball' (norm up to --radius), 'box' or 'ellipsoid' (around the data; or box=0.5,
    /// box=R.npy, ellipsoid=Q.npy: |z_j| ≤ R_j, zᵀQ⁻¹z ≤ 1), 'points=FILE' (the rows z of that file), 'flips' (rows z of the data,
    /// and −z), 'labels' (random rows, each as it is or with its label flipped, z or −z), 'any' (needs --clip)
    #[arg(long, value_name = "SET", value_parser = adversary, default_value = "ball")]
    pub adversary: Adversary,

    /// Bound the loss on these rows instead of the data's, a file like the data
    #[arg(long, value_name = "FILE")]
    pub target: Option<PathBuf>,

    /// Average the gradients of N points in each step
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub batch: u64,

    /// Project the model on norms up to RADIUS after each step
    #[arg(long, value_name = "RADIUS", value_parser = positive)]
    pub projection: Option<f64>,

    /// Clip the gradient of each point at this norm
    #[arg(long, value_name = "NORM", value_parser = positive)]
    pub clip: Option<f64>,

    /// The column that is not regularized: its number from 1, its name, or 'last'
    #[arg(long, value_name = "COLUMN")]
    pub bias: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LossFlag {
    /// max(0, 1 − θᵀz)
    Hinge,
    /// log(1 + exp(−θᵀz))
    Logistic,
    /// The hinge loss for labels of two or more kinds
    Multiclass,
}

impl LossFlag {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            LossFlag::Hinge => "hinge",
            LossFlag::Logistic => "logistic",
            LossFlag::Multiclass => "multiclass",
        }
    }
}

impl LearnerFlags {
    /// The loss that is meant.
    pub fn loss(&self) -> LossFlag {
        self.loss.unwrap_or(if self.preferences { LossFlag::Logistic } else { LossFlag::Hinge })
    }

    /// Whether this is the hinge learner against a ball, which has solvers of its own.
    pub fn is_plain(&self) -> bool {
        let LearnerFlags {
            more,
            drift,
            loss: _,
            preferences,
            adversary,
            target,
            batch,
            projection,
            clip,
            bias,
        } = self;
        let options = *drift || *preferences || !more.is_empty() || target.is_some();
        let steps = *batch != 1 || projection.is_some() || clip.is_some() || bias.is_some();
        self.loss() == LossFlag::Hinge && *adversary == Adversary::Ball && !options && !steps
    }
}

/// The points that the adversary may send.
#[derive(Clone, Debug, PartialEq)]
pub enum Adversary {
    Ball,
    /// Radii as text: one number, numbers, or a file; around the data without.
    Box(Option<String>),
    /// The file with Q; around the data without.
    Ellipsoid(Option<PathBuf>),
    Points(PathBuf),
    Flips,
    Labels,
    Any,
}

impl Adversary {
    /// Its name on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Adversary::Ball => "ball",
            Adversary::Box(_) => "box",
            Adversary::Ellipsoid(_) => "ellipsoid",
            Adversary::Points(_) => "points",
            Adversary::Flips => "flips",
            Adversary::Labels => "labels",
            Adversary::Any => "any",
        }
    }
}

fn adversary(text: &str) -> Result<Adversary, String> {
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    match (name, value) {
        ("ball", None) => Ok(Adversary::Ball),
        ("ball", Some(_)) => Err("the ball's radius is --radius".into()),
        ("box", radii) => Ok(Adversary::Box(radii.map(str::to_owned))),
        ("ellipsoid", file) => Ok(Adversary::Ellipsoid(file.map(PathBuf::from))),
        ("points", Some(file)) => Ok(Adversary::Points(file.into())),
        ("points", None) => Err("name the file of the points: points=FILE".into()),
        ("flips", None) => Ok(Adversary::Flips),
        ("labels", None) => Ok(Adversary::Labels),
        ("any", None) => Ok(Adversary::Any),
        _ => {
            Err("one of ball, box, box=R, ellipsoid, ellipsoid=FILE, points=FILE, flips, labels, any".into())
        }
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if x > 0.0 && f64::is_finite(x) => Ok(x),
        _ => Err("must be a positive number".into()),
    }
}

/// A probability that is neither 0 nor 1.
pub fn probability(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if x > 0.0 && x < 1.0 => Ok(x),
        _ => Err("must be between 0 and 1, such as 0.99".into()),
    }
}
