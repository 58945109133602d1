//! What is supported together. Each rule names combinations that no theorem of `docs/theory.md` covers, with the reason.
//!
//! The builder of the library, the command, Python, the documentation and the checker all read this one table.

use std::fmt;

use crate::failure::Reason;
use crate::statement::{Loss, PoisonWeight, Set, Statement, Target};

/// Something that a request for a certificate can contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the statement's fields")]
#[non_exhaustive]
pub enum Feature {
    Hinge,
    Logistic,
    Multiclass,
    /// A hinge with a rounded kink.
    SmoothMargin,
    /// A regression loss.
    Regression,
    /// Labels of poisoned points that may be any numbers.
    AnyLabel,
    Ball,
    /// Points whose unregularized entry is fixed.
    FixedBias,
    Box,
    Ellipsoid,
    Points,
    LabelFlips,
    AnyPoint,
    /// A target with weights on the rows of the data.
    TargetWeights,
    /// A target with rows of its own.
    TargetRows,
    /// Several datasets.
    Drift,
    /// A learning rate that changes.
    Schedule,
    /// Averages over time that are weighted by the learning rates.
    WeightedRates,
    /// Steps with momentum.
    Momentum,
    /// A model that is the average of all models so far.
    Average,
    Projection,
    Clip,
    /// A column that is not regularized.
    Bias,
    NoRegularization,
    /// A bound for the first steps.
    Horizon,
    /// A bound for new data.
    Confidence,
    /// A box or ellipsoid that is read off the data.
    SetAroundData,
    /// Rows with different weights.
    RowWeights,
    /// Steps that are multiplied by weights of rows or classes.
    StepWeights,
    /// Step weights of poisoned points by their class.
    ClassPoisonWeights,
    /// Rows that were divided by another number than 1.
    ScaledRows,
    /// The paper's program.
    Paper,
    /// A proof of the error by levels.
    Levels,
    /// A proof of the loss by contraction.
    Contraction,
    /// Rows that may be hostile themselves.
    HostileRows,
    /// An adversary who picks its moments.
    Moments,
    /// Rows of which only the entries are kept that are not 0.
    SparseRows,
    /// A proof with a rule in place of numbers for each row.
    RowRule,
}

#[allow(clippy::enum_glob_use)] // the table reads better without the prefix
use Feature::*;

/// A combination that is not supported: all of `these` without any of `unless`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What is refused together.
    pub these: &'static [Feature],
    /// What makes it acceptable all the same.
    pub unless: &'static [Feature],
    /// Why, and what to do instead.
    pub reason: &'static str,
}

const fn rule(these: &'static [Feature], unless: &'static [Feature], reason: &'static str) -> Rule {
    Rule { these, unless, reason }
}

const ONE_POINT: &str = "one point could move the model anywhere; clip the gradients";
const CLASSES: &str = "several classes are supported for a ball of points, judged by the data, with regularization, without clip and bias";
const CLIPPED: &str = "clipped gradients are supported for the hinge and logistic losses, for a ball of points or for any point";
const FLIPS: &str = "flipped labels are supported for the hinge and logistic losses with the data as the target; a finite set \
                     of points has any loss and target";
const BIAS: &str = "an unregularized column is supported for a ball, box or ellipsoid, judged by the data, without clip and projection";
const FIXED_BIAS: &str = "the entry of a column that every point has is fixed where the learner appends it, and it is not regularized";
const OWN_ROWS: &str =
    "a target with rows that are not rows of the data is supported for the hinge loss without clip and bias";
const NEW_DATA: &str = "confidence for new data is supported for the hinge and logistic losses against a ball, or a box or ellipsoid with \
                        numbers of its own, for one dataset without weights, judged by the data, with regularization, without clip and bias, at a constant learning rate without momentum";
const SCALED: &str = "what makes rows of the file must be fixed before the data are seen, and a certificate cannot show that its scale \
                      was; divide the file's numbers beforehand, by a number chosen without them";
const SCHEDULE: &str = "a plain average over learning rates that fall needs a pull on every column; without one, averages weighted by the \
                        learning rates are supported";
const WEIGHTED: &str = "an averaged model is the plain average of all models, and the bound is for averages weighted by the learning rates";
const AVERAGED: &str = "the models before the step from which on the schedule is known are in the average, and the bound for the first steps does \
                        not know of them";
const AVERAGE_OVER_DRIFT: &str = "the loss of an averaged model is bounded for one target; with several datasets each step is judged by its own, \
                                  and a model averaged over all of them may do badly on each; a target with rows of its own is one target";
const MOMENTUM: &str =
    "momentum is supported at a constant learning rate, with regularization and without a projection";
const REGRESSION: &str = "a regression loss is supported for a ball, box or ellipsoid of features";
const ANY_LABEL: &str = "a label that may be any number can pull at the column at every model; bound the labels of poisoned points";
const STEPS: &str = "weights of steps are supported for a ball, box or ellipsoid of points, for losses of one margin or one number, \
                     without clip";
const POINT_CLASSES: &str = "the class of a point is known where its entry of an unregularized column is fixed and labels are two classes; \
                             elsewhere it may be sent as either class, and the larger weight is that of all points";
const PAPER: &str = "the paper's program is for the hinge loss against a ball, with plain steps";
const LEVELS: &str = "levels bound the error of the hinge and logistic losses on one dataset, the data being the target, with plain \
                      regularized steps at a constant rate; other certificates of the error cover more";
const CONTRACTION: &str = "contraction bounds the loss of the hinge learner against a ball, judged by all or some of the rows, with \
                           plain regularized steps at a constant rate; other certificates of the loss cover more";
const HOSTILE: &str = "rows that may be hostile are supported where every column is regularized, for losses of one margin or one number, and \
                       the loss is that on the rows that are not";
const SPARSE: &str = "sparse rows are supported for the hinge and logistic losses against a ball of points, for one dataset judged by itself, with \
                      plain regularized steps at a constant rate; small data can be read with all their zeros (the option `dense`)";
const RULE: &str = "a proof by a rule, whose size does not grow with the rows, is supported for the hinge loss against a ball of points, for one \
                    dataset of rows with equal weights judged by itself, with plain regularized steps at a constant rate; other proofs have \
                    numbers for each row";
const MOMENTS: &str = "an adversary who picks its moments is supported for losses of one margin or one number, against a ball, box or ellipsoid \
                       of points, for one dataset whose rows judge it, with regularized steps at a constant rate, without clip, bias, momentum \
                       and weights of steps; a coin that names the moments is supported for more";
const UNBOUNDED: &str = "without regularization nothing pulls the model back, and the proofs here need something that does; add a projection \
                         (on twice the norm of the model that clean data lead to, for example) or a regularization, which may be small";

/// A table of rules: `all` of some features `unless` there is one of others, or `each` of the latter `with` a feature.
macro_rules! table {
    ($(
        $(all $these:tt unless $unless:tt)?
        $(each $one:ident with [$($other:ident),+])?
        => $reason:ident;
    )+) => {
        &[$(
            $(rule(&$these, &$unless, $reason),)?
            $($(rule(&[$one, $other], &[], $reason),)+)?
        )+]
    };
}

/// All rules. What none of them matches is supported. The first that matches gives the reason: a proof that is not for learners
/// without regularization says so before it comes to the projection that these need.
pub const RULES: &[Rule] = table! {
    all [AnyPoint] unless [Clip] => ONE_POINT;
    all [NoRegularization] unless [Projection] => UNBOUNDED;
    all [Multiclass] unless [Ball] => CLASSES;
    // Only shells give a curvature where σ = 0, and classes have none.
    each Multiclass with [TargetWeights, TargetRows, Clip, Bias, NoRegularization] => CLASSES;
    all [Clip] unless [Ball, AnyPoint] => CLIPPED;
    all [Clip] unless [Hinge, Logistic] => CLIPPED;
    all [LabelFlips] unless [Hinge, Logistic] => FLIPS;
    each LabelFlips with [TargetWeights, TargetRows] => FLIPS;
    all [FixedBias] unless [Bias] => FIXED_BIAS;
    all [Bias] unless [Ball, FixedBias, Box, Ellipsoid] => BIAS;
    each Bias with [Clip, Projection, TargetWeights, TargetRows] => BIAS;
    all [TargetRows] unless [Hinge] => OWN_ROWS;
    each TargetRows with [Clip] => OWN_ROWS;
    all [Regression] unless [Ball, FixedBias, Box, Ellipsoid] => REGRESSION;
    each AnyLabel with [Bias] => ANY_LABEL;
    all [Schedule, Bias] unless [WeightedRates] => SCHEDULE;
    each WeightedRates with [Average] => WEIGHTED;
    all [Schedule, Average, Horizon] unless [] => AVERAGED;
    all [Drift, Average] unless [TargetRows] => AVERAGE_OVER_DRIFT;
    each Momentum with [Schedule, Projection] => MOMENTUM;
    // A point of a finite set may help the learner, and helps it less if its weight is smaller; a flip changes the weight.
    all [StepWeights] unless [Ball, FixedBias, Box, Ellipsoid] => STEPS;
    each StepWeights with [Multiclass, Clip] => STEPS;
    all [ClassPoisonWeights] unless [FixedBias] => POINT_CLASSES;
    each ClassPoisonWeights with [Regression] => POINT_CLASSES;
    each HostileRows with [Multiclass, TargetWeights, TargetRows, Bias] => HOSTILE;
    all [Moments] unless [Ball, Box, Ellipsoid] => MOMENTS;
    each Moments with [
        Multiclass, TargetRows, Drift, Schedule, Momentum, NoRegularization, Clip, Bias, StepWeights,
        HostileRows
    ] => MOMENTS;
    all [Confidence] unless [Hinge, Logistic] => NEW_DATA;
    all [Confidence] unless [Ball, FixedBias, Box, Ellipsoid] => NEW_DATA;
    each Confidence with [SetAroundData, Drift, RowWeights, StepWeights] => NEW_DATA;
    each Confidence with [ScaledRows] => SCALED;
    each Confidence with [
        TargetWeights, TargetRows, Clip, Schedule, Momentum, Bias, NoRegularization
    ] => NEW_DATA;
    all [Paper] unless [Hinge] => PAPER;
    all [Paper] unless [Ball] => PAPER;
    each Paper with [
        Clip, Bias, Projection, TargetWeights, TargetRows, Drift, Schedule, Momentum, StepWeights,
        Confidence, HostileRows
    ] => PAPER;
    all [Levels] unless [Hinge, Logistic] => LEVELS;
    each Levels with [
        AnyPoint, TargetWeights, TargetRows, Drift, Schedule, Momentum, Average, NoRegularization,
        Projection, Clip, Bias, StepWeights, HostileRows
    ] => LEVELS;
    all [Contraction] unless [Hinge] => CONTRACTION;
    all [Contraction] unless [Ball] => CONTRACTION;
    each Contraction with [
        TargetRows, Schedule, Momentum, NoRegularization, Clip, Bias, StepWeights, HostileRows,
        Moments
    ] => CONTRACTION;
    each Moments with [Confidence, Paper, Levels] => MOMENTS;
    // Columns that are 0 in all rows are left out (Lemma S1), which only a ball allows.
    all [SparseRows] unless [Hinge, Logistic] => SPARSE;
    all [SparseRows] unless [Ball] => SPARSE;
    each SparseRows with [
        TargetWeights, TargetRows, Drift, Schedule, Momentum, NoRegularization, Projection, Clip, Bias,
        StepWeights, HostileRows, Confidence, Paper, Levels
    ] => SPARSE;
    all [RowRule] unless [Hinge] => RULE;
    all [RowRule] unless [Ball] => RULE;
    each RowRule with [
        TargetWeights, TargetRows, Drift, RowWeights, StepWeights, Schedule, Momentum, NoRegularization,
        Projection, Clip, Bias, HostileRows, Moments, SparseRows
    ] => RULE;
    each SparseRows with [Contraction] => SPARSE;
};

/// The first rule that these features break.
///
/// ```
/// use unswayed_check::{Feature, unsupported};
/// assert!(unsupported(&[Feature::Logistic, Feature::Box]).is_none());
/// let rule = unsupported(&[Feature::Multiclass, Feature::Box]).unwrap();
/// assert_eq!(rule.these, [Feature::Multiclass]);
/// ```
pub fn unsupported(features: &[Feature]) -> Option<&'static Rule> {
    let has = |feature: &Feature| features.contains(feature);
    RULES.iter().find(|rule| rule.these.iter().all(has) && !rule.unless.iter().any(has))
}

/// Requires a statement with these further features to be supported.
pub(crate) fn require_supported(
    statement: &Statement,
    more: impl IntoIterator<Item = Feature>,
) -> Result<(), Reason> {
    let all: Vec<Feature> = features(statement).into_iter().chain(more).collect();
    unsupported(&all).map_or(Ok(()), |rule| Err(Reason::Unsupported(rule)))
}

/// The features of a statement.
pub fn features(statement: &Statement) -> Vec<Feature> {
    let Statement { learner, threat, data, target, horizon, hostile_rows } = statement;
    let loss = match learner.loss {
        Loss::Hinge => Hinge,
        Loss::Logistic => Logistic,
        Loss::Multiclass(_) => Multiclass,
        loss if loss.is_regression() => Regression,
        _ => SmoothMargin,
    };
    let set = match threat.set {
        Set::Ball { .. } => Ball,
        Set::Features { .. } => FixedBias,
        Set::Box { .. } => Box,
        Set::Ellipsoid { .. } => Ellipsoid,
        Set::Points { .. } => Points,
        Set::LabelFlips => LabelFlips,
        Set::Any => AnyPoint,
    };
    let optional = [
        (learner.loss.is_regression() && threat.label_bound.is_none(), AnyLabel),
        (matches!(target, Target::Weights(_)), TargetWeights),
        (matches!(target, Target::Rows(_)), TargetRows),
        (data.len() > 1, Drift),
        (threat.poison_weight.is_some(), StepWeights),
        (matches!(threat.poison_weight, Some(PoisonWeight::ByClass(_))), ClassPoisonWeights),
        (learner.schedule.is_some(), Schedule),
        (learner.schedule.is_some_and(|schedule| schedule.weighted), WeightedRates),
        (learner.momentum.is_some(), Momentum),
        (learner.average, Average),
        (learner.projection.is_some(), Projection),
        (learner.clip.is_some(), Clip),
        (!learner.unregularized.is_empty(), Bias),
        (learner.regularization == 0.0, NoRegularization),
        (horizon.is_some(), Horizon),
        (!hostile_rows.is_empty(), HostileRows),
        (threat.moments.is_some(), Moments),
        (data.iter().any(|origin| origin.of_columns.is_some()), SparseRows),
    ];
    [loss, set]
        .into_iter()
        .chain(optional.into_iter().filter(|(is, _)| *is).map(|(_, feature)| feature))
        .collect()
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Hinge => "the hinge loss",
            Logistic => "the logistic loss",
            Multiclass => "several classes",
            SmoothMargin => "a hinge without its kink",
            Regression => "a regression loss",
            AnyLabel => "labels of any size",
            Ball => "a ball of points",
            FixedBias => "a fixed entry of an unregularized column",
            Box => "a box of points",
            Ellipsoid => "an ellipsoid of points",
            Points => "a finite set of points",
            LabelFlips => "flipped labels",
            AnyPoint => "any point",
            TargetWeights => "a target of rows of the data",
            TargetRows => "a target with rows of its own",
            Drift => "several datasets",
            Schedule => "a learning rate that changes",
            WeightedRates => "averages weighted by the learning rates",
            Momentum => "momentum",
            Average => "an averaged model",
            Projection => "a projection",
            Clip => "clipped gradients",
            Bias => "an unregularized column",
            NoRegularization => "no regularization",
            Horizon => "a bound for the first steps",
            Confidence => "confidence for new data",
            SetAroundData => "a set read off the data",
            RowWeights => "weighted rows",
            StepWeights => "weights of steps",
            ClassPoisonWeights => "weights of poisoned points by class",
            ScaledRows => "rows divided by a scale",
            Paper => "the paper's program",
            Levels => "an error proof by levels",
            Contraction => "a loss proof by contraction",
            HostileRows => "rows that may be hostile",
            Moments => "an adversary who picks its moments",
            SparseRows => "sparse rows",
            RowRule => "a proof by a rule",
        })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |features: &[Feature]| features.iter().map(Feature::to_string).collect::<Vec<_>>();
        write!(f, "{} ", join(self.these).join(" with "))?;
        if !self.unless.is_empty() {
            write!(f, "without {} ", join(self.unless).join(" or "))?;
        }
        write!(f, "is unsupported: {}", self.reason)
    }
}
