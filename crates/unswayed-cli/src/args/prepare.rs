//! The flags of `unswayed prepare`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use unswayed::prepare::TextOptions;

use super::learner::positive;
use super::{ColumnFlags, DataFlags, at_least_one};

/// The column of texts if the flags do not say.
pub const TEXT_COLUMN: &str = "text";

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct PrepareFlags {
    /// Look at each column and choose what suits it (default for tables without --directions): numbers standardized, after a logarithm
    /// if their tail is long; texts as one column each; missing values filled in; then rows of norm at most 1 and a bias
    #[arg(long, conflicts_with = "encoder")]
    pub auto: bool,

    /// Make N random Fourier features, with which a linear model can fit curves; requires --auto
    #[arg(long, value_name = "N", value_parser = at_least_one, conflicts_with_all = ["encoder", "apply"])]
    pub fourier: Option<usize>,

    /// How rows get a norm of at most 1, with --auto (default: unit, unless clip is clearly better for a quick model)
    #[arg(long, value_enum, conflicts_with_all = ["encoder", "apply"])]
    pub norm: Option<NormFlag>,

    /// Columns that hold categories although they look like numbers, with --auto
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with_all = ["encoder", "apply"])]
    pub categories: Vec<String>,

    /// Labels are classes, two or more of them
    #[arg(long, conflicts_with_all = ["scores", "unlabelled", "regression", "encoder", "apply"])]
    pub classes: bool,

    /// Labels are numbers that a regression predicts
    #[arg(long, conflicts_with_all = ["scores", "unlabelled", "encoder", "apply"])]
    pub regression: bool,

    /// The column with the weights of the rows; they are passed on as the array weight
    #[arg(long, value_name = "NAME", conflicts_with = "encoder")]
    pub weight_column: Option<String>,

    /// Take labels as real scores in [−1, 1] even if there are only two values
    #[arg(long)]
    pub scores: bool,

    /// There are no labels
    #[arg(long, conflicts_with_all = ["scores", "labels", "label_column"])]
    pub unlabelled: bool,

    /// Use the first N rows only
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub rows: Option<usize>,

    /// How many singular directions to keep (default: 30; with --auto all columns are kept)
    #[arg(long, value_name = "D", value_parser = at_least_one)]
    pub directions: Option<usize>,

    /// Apply the transform in this file instead of fitting one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["directions", "transform"])]
    pub apply: Option<PathBuf>,

    /// Also apply it to rows that it was fitted on
    #[arg(long, requires = "apply")]
    pub allow_seen: bool,

    /// Shorten rows of norm above R to R, as a learner does that clips every point it gets (unswayed.Guard in Python)
    #[arg(long, value_name = "R", value_parser = positive)]
    pub clip_rows: Option<f64>,

    /// Where to write the fitted transform (default: the data's name with .transform.safetensors, in this folder)
    #[arg(long, value_name = "FILE")]
    pub transform: Option<PathBuf>,

    /// Where to write the rows (default: the data's name with .prepared.npz, in this folder)
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub data: DataFlags,

    #[command(flatten)]
    pub columns: ColumnFlags,

    #[command(flatten)]
    pub text: TextFlags,

    #[command(flatten)]
    pub encoder: EncoderFlags,
}

/// Words of text, counted in columns that a hash chooses.
#[derive(Args)]
#[command(next_help_heading = "Text")]
pub struct TextFlags {
    /// The columns or fields that hold text, separated by commas; an encoder reads one (default: text)
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "reads_text")]
    pub text_column: Vec<String>,

    /// Count the words of the text columns in N columns that a hash chooses, such as 2^18; rows are sparse and of norm at most 1
    #[arg(
        long,
        value_name = "N",
        value_parser = hash_columns,
        group = "reads_text",
        conflicts_with_all = ["auto", "fourier", "norm", "categories", "directions", "clip_rows", "columns", "drop_columns", "apply"]
    )]
    pub hash: Option<usize>,

    /// Also count runs of up to N words
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = words_of_a_term, requires = "hash")]
    pub ngrams: usize,

    /// What a word counts
    #[arg(long, value_enum, default_value_t = TermWeightsFlag::TfIdf, requires = "hash")]
    pub term_weights: TermWeightsFlag,

    /// The constant that is appended to rows of norm 1, before they are divided so that their norm is 1 again; 0 for none
    #[arg(long, value_name = "B", default_value_t = 0.3, value_parser = from_0_to_1, requires = "hash")]
    pub bias: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TermWeightsFlag {
    /// How often it is in the text
    Counts,
    /// The same, and more the fewer of the training rows have it
    TfIdf,
}

/// 2^18, or the number itself.
fn hash_columns(text: &str) -> Result<usize, String> {
    let power = |text: &str| text.parse().ok().and_then(|power| 1_usize.checked_shl(power));
    let columns = match text.split_once('^') {
        Some(("2", exponent)) => power(exponent),
        _ => text.parse().ok(),
    };
    let columns = columns.filter(|columns| (2..=TextOptions::MOST_COLUMNS).contains(columns));
    columns.ok_or_else(|| "must be a whole number from 2 to 2^30, such as 262144 or 2^18".into())
}

fn words_of_a_term(text: &str) -> Result<usize, String> {
    let words = text.parse().ok().filter(|words| (1..=TextOptions::MOST_WORDS).contains(words));
    words.ok_or_else(|| format!("must be a whole number from 1 to {}", TextOptions::MOST_WORDS))
}

fn from_0_to_1(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "must be a number from 0 to 1".into())
}

/// Features from images and text.
#[derive(Args)]
#[command(next_help_heading = "Encoder")]
pub struct EncoderFlags {
    /// Make the features with this ONNX encoder: from a folder of .png and .jpg files (folders in it are classes), a .npy array of
    /// images, or text as .csv or .jsonl
    #[arg(long, value_name = "FILE", group = "reads_text")]
    pub encoder: Option<PathBuf>,

    /// The encoder's output, or inner tensor, that holds the features (default: its first output)
    #[arg(long, value_name = "NAME", requires = "encoder")]
    pub encoder_output: Option<String>,

    /// How tokens, or places in an image, become one row, if the encoder leaves that open
    #[arg(long, value_enum, default_value_t = PoolingFlag::Mean, requires = "encoder")]
    pub pooling: PoolingFlag,

    /// Divide each row of features by its norm
    #[arg(long, requires = "encoder")]
    pub unit_norm: bool,

    /// Text: the column of the second text, for pairs such as prompt and response
    #[arg(long, value_name = "NAME", requires = "encoder")]
    pub pair_column: Option<String>,

    /// Text: the tokenizer that belongs to the encoder (default: tokenizer.json beside it)
    #[arg(long, value_name = "FILE", requires = "encoder")]
    pub tokenizer: Option<PathBuf>,

    /// Text: cut off what is longer, of a pair the longer text first
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = at_least_eight, requires = "encoder")]
    pub max_tokens: usize,

    /// Images: height and width to resize them to (default: the encoder's, else 224)
    #[arg(long, value_name = "N", value_parser = at_least_one, requires = "encoder")]
    pub image_size: Option<usize>,

    /// Images: what is subtracted from red, green and blue in [0, 1] (default: ImageNet's 0.485,0.456,0.406)
    #[arg(long, value_name = "M", value_delimiter = ',', allow_hyphen_values = true, requires = "encoder")]
    pub pixel_mean: Option<Vec<f32>>,

    /// Images: what they are divided by then (default: ImageNet's 0.229,0.224,0.225)
    #[arg(long, value_name = "S", value_delimiter = ',', requires = "encoder")]
    pub pixel_std: Option<Vec<f32>>,

    /// Also write the encoder's features, as .npz
    #[arg(long, value_name = "FILE", requires = "encoder")]
    pub features_output: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NormFlag {
    /// Each row is divided by its norm
    Unit,
    /// All rows are divided by a norm that 95 % of them do not exceed, the others by their own
    Clip,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PoolingFlag {
    /// The mean over tokens or places
    Mean,
    /// The first token
    Cls,
}

/// Fewer tokens would leave no room beside those that tokenizers add.
fn at_least_eight(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if n >= 8 => Ok(n),
        Ok(_) => Err("must be at least 8".into()),
        Err(_) => Err("must be a whole number".into()),
    }
}
