//! What does not go together, in words.

use unswayed::Dataset;
use unswayed::check::Target;

use super::Flags;
use crate::Stop;
use crate::args::{Adversary, LossFlag};

/// Refuses flags that do not go together.
pub fn combinations(flags: &Flags) -> Result<(), Stop> {
    let all = [data(flags), sets(flags), steps(flags), confidence(flags)];
    match all.iter().flatten().find(|(bad, _)| *bad) {
        Some((_, message)) => Err(Stop((*message).into())),
        None => Ok(()),
    }
}

/// Whether something is wrong, and what there is to say about it.
type Conflict = (bool, &'static str);

fn data(flags: &Flags) -> Vec<Conflict> {
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
        (is_class && learner.target.is_some(), "--loss multiclass is judged by the data: leave out --target"),
    ]
}

fn sets(flags: &Flags) -> Vec<Conflict> {
    let learner = flags.learner;
    let set = &learner.adversary;
    let is_ball = *set == Adversary::Ball;
    let is_class = learner.loss() == LossFlag::Multiclass;
    vec![
        (
            *set == Adversary::Any && learner.clip.is_none(),
            "--adversary any needs --clip: else one point moves the model anywhere",
        ),
        (is_class && !is_ball, "--loss multiclass goes with --adversary ball only"),
        (
            *set == Adversary::Labels && learner.target.is_some(),
            "--adversary labels is judged by the data: leave out --target, or take --adversary flips",
        ),
        (
            !is_ball && (flags.setting.radius - 1.0).abs() > 0.0,
            "--radius is that of --adversary ball: leave it out, or take --adversary box=R",
        ),
    ]
}

fn steps(flags: &Flags) -> Vec<Conflict> {
    let learner = flags.learner;
    let set = &learner.adversary;
    let is_class = learner.loss() == LossFlag::Multiclass;
    let (is_clipped, has_bias) = (learner.clip.is_some(), learner.bias.is_some());
    let is_clippable = matches!(set, Adversary::Ball | Adversary::Any);
    vec![
        (is_clipped && !is_clippable, "--clip goes with --adversary ball or any only"),
        (is_clipped && is_class, "--clip does not go with --loss multiclass"),
        (has_bias && is_class, "--bias does not go with --loss multiclass"),
        (has_bias && !set.is_symmetric(), "--bias goes with --adversary ball, box or ellipsoid only"),
        (has_bias && is_clipped, "--bias does not go with --clip"),
        (has_bias && learner.projection.is_some(), "--bias does not go with --projection"),
    ]
}

fn confidence(flags: &Flags) -> Vec<Conflict> {
    let learner = flags.learner;
    let asked = flags.confidence.is_some();
    let is_special = learner.clip.is_some() || learner.bias.is_some();
    vec![
        (asked && learner.loss() != LossFlag::Hinge, "--confidence goes with --loss hinge only"),
        (
            asked && !learner.adversary.is_symmetric(),
            "--confidence goes with --adversary ball, box or ellipsoid only",
        ),
        (asked && learner.drift, "--confidence goes with one data file only"),
        (asked && learner.target.is_some(), "--confidence is about data like these: leave out --target"),
        (asked && is_special, "--confidence does not go with --clip and --bias"),
    ]
}

/// Refuses files of different columns, or of different labels: a class must be the same one everywhere.
pub fn unlike(data: &[&Dataset], more: Option<&Dataset>) -> Result<(), Stop> {
    let first = data[0];
    for other in data[1..].iter().copied().chain(more) {
        let (own, its) = (first.provenance(), other.provenance());
        let (name, other_name) = (&own.name, &its.name);
        let (columns, found) = (first.dimension(), other.dimension());
        if own.classes != its.classes
            || own.labels.is_some() && its.labels.is_some() && own.labels != its.labels
        {
            return Err(Stop(format!(
                "{name} and {other_name} have different labels; each file must have the same classes"
            )));
        }
        if columns != found {
            return Err(Stop(format!(
                "{name} has {columns} columns, {other_name} has {found}; they must be alike"
            )));
        }
    }
    Ok(())
}

/// Refuses a target beside the data where no theorem covers it.
pub fn target_rows(flags: &Flags, target: &Target) -> Result<(), Stop> {
    let is_covered = flags.learner.loss() == LossFlag::Hinge
        && flags.learner.clip.is_none()
        && flags.learner.bias.is_none();
    if *target == Target::Rows && !is_covered {
        return Err(Stop(
            "--target: not all of its rows are rows of the data; that goes with --loss hinge only, without --clip and --bias"
                .into(),
        ));
    }
    Ok(())
}
