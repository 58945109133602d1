//! What does not go together, in words.

use unswayed::Dataset;
use unswayed::check::Target;
use unswayed::learner::{Asked, Conflict};

use super::Flags;
use crate::Stop;
use crate::args::{Adversary, LossFlag};

/// Refuses flags that do not go together.
pub fn combinations(flags: &Flags) -> Result<(), Stop> {
    match data(flags).into_iter().find(|(bad, _)| *bad) {
        Some((_, message)) => Err(Stop(message.into())),
        None => asked(flags).check().map_err(in_flags),
    }
}

/// Refuses a target beside the data where no theorem covers it.
pub fn target_rows(flags: &Flags, target: &Target) -> Result<(), Stop> {
    asked(flags).check_target(target).map_err(in_flags)
}

/// Refuses labels of the adversary's choice where labels are real scores.
pub fn labels(flags: &Flags, data: &[Dataset]) -> Result<(), Stop> {
    asked(flags).check_labels(data).map_err(in_flags)
}

fn asked<'a>(flags: &'a Flags) -> Asked<'a> {
    let learner = flags.learner;
    Asked {
        loss: learner.loss().name(),
        adversary: learner.adversary.name(),
        around: matches!(learner.adversary, Adversary::Box(None) | Adversary::Ellipsoid(None)),
        radius: flags.setting.radius,
        scaled: flags.read.normalize,
        drift: learner.drift,
        target: learner.target.is_some(),
        projection: learner.projection.is_some(),
        clip: learner.clip.is_some(),
        bias: learner.bias.is_some(),
        confidence: flags.confidence.is_some(),
    }
}

fn in_flags(conflict: Conflict) -> Stop {
    Stop(conflict.words("--"))
}

/// What is wrong with how the data are to be read: whether it is, and what there is to say about it.
fn data(flags: &Flags) -> Vec<(bool, &'static str)> {
    let (learner, read) = (flags.learner, flags.read);
    let is_class = learner.loss() == LossFlag::Multiclass;
    let several = !learner.more.is_empty();
    let raw = read.scores || read.premultiplied;
    let labelled = flags.data.labels.is_some() || flags.data.label_column.is_some();
    vec![
        (
            several && !learner.drift,
            "several data files need --drift: the data may then switch between them at any time",
        ),
        (
            learner.drift && !several,
            "--drift needs several data files: the data may switch between them at any time",
        ),
        (
            several && flags.data.labels.is_some(),
            "--labels goes with one data file; save features and labels in one file, or the labels of …x.npy in …y.npy",
        ),
        (
            learner.preferences && (raw || labelled),
            "--preferences have no labels: leave out --labels, --label-column, --scores and --premultiplied",
        ),
        (is_class && learner.preferences, "--loss multiclass needs labels: leave out --preferences"),
        (
            is_class && raw,
            "--loss multiclass needs labels of classes: leave out --scores and --premultiplied",
        ),
    ]
}
