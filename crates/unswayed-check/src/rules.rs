//! What is supported together. Each rule names combinations that no theorem of `docs/theory.md` covers, with the reason.
//!
//! The builder of the library, the command, Python, the documentation and the checker all read this one table.

use std::fmt;

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

const SYMMETRIC: &[Feature] = &[Ball, FixedBias, Box, Ellipsoid];
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

/// All rules. What none of them matches is supported.
pub const RULES: &[Rule] = &[
    rule(&[AnyPoint], &[Clip], ONE_POINT),
    rule(&[NoRegularization], &[Projection], UNBOUNDED),
    rule(&[Multiclass], &[Ball], CLASSES),
    rule(&[Multiclass, TargetWeights], &[], CLASSES),
    rule(&[Multiclass, TargetRows], &[], CLASSES),
    rule(&[Multiclass, Clip], &[], CLASSES),
    rule(&[Multiclass, Bias], &[], CLASSES),
    // Only shells give a curvature where σ = 0, and classes have none.
    rule(&[Multiclass, NoRegularization], &[], CLASSES),
    rule(&[Clip], &[Ball, AnyPoint], CLIPPED),
    rule(&[Clip], &[Hinge, Logistic], CLIPPED),
    rule(&[LabelFlips], &[Hinge, Logistic], FLIPS),
    rule(&[LabelFlips, TargetWeights], &[], FLIPS),
    rule(&[LabelFlips, TargetRows], &[], FLIPS),
    rule(&[FixedBias], &[Bias], FIXED_BIAS),
    rule(&[Bias], SYMMETRIC, BIAS),
    rule(&[Bias, Clip], &[], BIAS),
    rule(&[Bias, Projection], &[], BIAS),
    rule(&[Bias, TargetWeights], &[], BIAS),
    rule(&[Bias, TargetRows], &[], BIAS),
    rule(&[TargetRows], &[Hinge], OWN_ROWS),
    rule(&[TargetRows, Clip], &[], OWN_ROWS),
    rule(&[Regression], SYMMETRIC, REGRESSION),
    rule(&[AnyLabel, Bias], &[], ANY_LABEL),
    rule(&[Schedule, Bias], &[WeightedRates], SCHEDULE),
    rule(&[WeightedRates, Average], &[], WEIGHTED),
    rule(&[Schedule, Average, Horizon], &[], AVERAGED),
    rule(&[Drift, Average], &[TargetRows], AVERAGE_OVER_DRIFT),
    rule(&[Momentum, Schedule], &[], MOMENTUM),
    rule(&[Momentum, Projection], &[], MOMENTUM),
    // A point of a finite set may help the learner, and helps it less if its weight is smaller; a flip changes the weight.
    rule(&[StepWeights], SYMMETRIC, STEPS),
    rule(&[StepWeights, Multiclass], &[], STEPS),
    rule(&[StepWeights, Clip], &[], STEPS),
    rule(&[ClassPoisonWeights], &[FixedBias], POINT_CLASSES),
    rule(&[ClassPoisonWeights, Regression], &[], POINT_CLASSES),
    rule(&[HostileRows, Multiclass], &[], HOSTILE),
    rule(&[HostileRows, TargetWeights], &[], HOSTILE),
    rule(&[HostileRows, TargetRows], &[], HOSTILE),
    rule(&[HostileRows, Bias], &[], HOSTILE),
    rule(&[Moments], &[Ball, Box, Ellipsoid], MOMENTS),
    rule(&[Moments, Multiclass], &[], MOMENTS),
    rule(&[Moments, TargetRows], &[], MOMENTS),
    rule(&[Moments, Drift], &[], MOMENTS),
    rule(&[Moments, Schedule], &[], MOMENTS),
    rule(&[Moments, Momentum], &[], MOMENTS),
    rule(&[Moments, NoRegularization], &[], MOMENTS),
    rule(&[Moments, Clip], &[], MOMENTS),
    rule(&[Moments, Bias], &[], MOMENTS),
    rule(&[Moments, StepWeights], &[], MOMENTS),
    rule(&[Moments, HostileRows], &[], MOMENTS),
    rule(&[Confidence], &[Hinge, Logistic], NEW_DATA),
    rule(&[Confidence], SYMMETRIC, NEW_DATA),
    rule(&[Confidence, SetAroundData], &[], NEW_DATA),
    rule(&[Confidence, Drift], &[], NEW_DATA),
    rule(&[Confidence, RowWeights], &[], NEW_DATA),
    rule(&[Confidence, StepWeights], &[], NEW_DATA),
    rule(&[Confidence, ScaledRows], &[], SCALED),
    rule(&[Confidence, TargetWeights], &[], NEW_DATA),
    rule(&[Confidence, TargetRows], &[], NEW_DATA),
    rule(&[Confidence, Clip], &[], NEW_DATA),
    rule(&[Confidence, Schedule], &[], NEW_DATA),
    rule(&[Confidence, Momentum], &[], NEW_DATA),
    rule(&[Confidence, Bias], &[], NEW_DATA),
    rule(&[Confidence, NoRegularization], &[], NEW_DATA),
    rule(&[Paper], &[Hinge], PAPER),
    rule(&[Paper], &[Ball], PAPER),
    rule(&[Paper, Clip], &[], PAPER),
    rule(&[Paper, Bias], &[], PAPER),
    rule(&[Paper, Projection], &[], PAPER),
    rule(&[Paper, TargetWeights], &[], PAPER),
    rule(&[Paper, TargetRows], &[], PAPER),
    rule(&[Paper, Drift], &[], PAPER),
    rule(&[Paper, Schedule], &[], PAPER),
    rule(&[Paper, Momentum], &[], PAPER),
    rule(&[Paper, StepWeights], &[], PAPER),
    rule(&[Paper, Confidence], &[], PAPER),
    rule(&[Paper, HostileRows], &[], PAPER),
    rule(&[Levels], &[Hinge, Logistic], LEVELS),
    rule(&[Levels, AnyPoint], &[], LEVELS),
    rule(&[Levels, TargetWeights], &[], LEVELS),
    rule(&[Levels, TargetRows], &[], LEVELS),
    rule(&[Levels, Drift], &[], LEVELS),
    rule(&[Levels, Schedule], &[], LEVELS),
    rule(&[Levels, Momentum], &[], LEVELS),
    rule(&[Levels, Average], &[], LEVELS),
    // Before the projection that it needs.
    rule(&[Levels, NoRegularization], &[], LEVELS),
    rule(&[Levels, Projection], &[], LEVELS),
    rule(&[Levels, Clip], &[], LEVELS),
    rule(&[Levels, Bias], &[], LEVELS),
    rule(&[Levels, StepWeights], &[], LEVELS),
    rule(&[Levels, HostileRows], &[], LEVELS),
    rule(&[Contraction], &[Hinge], CONTRACTION),
    rule(&[Contraction], &[Ball], CONTRACTION),
    rule(&[Contraction, TargetRows], &[], CONTRACTION),
    rule(&[Contraction, Schedule], &[], CONTRACTION),
    rule(&[Contraction, Momentum], &[], CONTRACTION),
    // Before the projection that it needs.
    rule(&[Contraction, NoRegularization], &[], CONTRACTION),
    rule(&[Contraction, Clip], &[], CONTRACTION),
    rule(&[Contraction, Bias], &[], CONTRACTION),
    rule(&[Contraction, StepWeights], &[], CONTRACTION),
    rule(&[Contraction, HostileRows], &[], CONTRACTION),
    rule(&[Contraction, Moments], &[], CONTRACTION),
    rule(&[Moments, Confidence], &[], MOMENTS),
    rule(&[Moments, Paper], &[], MOMENTS),
    rule(&[Moments, Levels], &[], MOMENTS),
    // Columns that are 0 in all rows are left out (Lemma S1), which only a ball allows.
    rule(&[SparseRows], &[Hinge, Logistic], SPARSE),
    rule(&[SparseRows], &[Ball], SPARSE),
    rule(&[SparseRows, TargetWeights], &[], SPARSE),
    rule(&[SparseRows, TargetRows], &[], SPARSE),
    rule(&[SparseRows, Drift], &[], SPARSE),
    rule(&[SparseRows, Schedule], &[], SPARSE),
    rule(&[SparseRows, Momentum], &[], SPARSE),
    // Before the projection that it needs.
    rule(&[SparseRows, NoRegularization], &[], SPARSE),
    rule(&[SparseRows, Projection], &[], SPARSE),
    rule(&[SparseRows, Clip], &[], SPARSE),
    rule(&[SparseRows, Bias], &[], SPARSE),
    rule(&[SparseRows, StepWeights], &[], SPARSE),
    rule(&[SparseRows, HostileRows], &[], SPARSE),
    rule(&[SparseRows, Confidence], &[], SPARSE),
    rule(&[SparseRows, Paper], &[], SPARSE),
    rule(&[SparseRows, Levels], &[], SPARSE),
    rule(&[RowRule], &[Hinge], RULE),
    rule(&[RowRule], &[Ball], RULE),
    rule(&[RowRule, TargetWeights], &[], RULE),
    rule(&[RowRule, TargetRows], &[], RULE),
    rule(&[RowRule, Drift], &[], RULE),
    rule(&[RowRule, RowWeights], &[], RULE),
    rule(&[RowRule, StepWeights], &[], RULE),
    rule(&[RowRule, Schedule], &[], RULE),
    rule(&[RowRule, Momentum], &[], RULE),
    // Before the projection that it needs.
    rule(&[RowRule, NoRegularization], &[], RULE),
    rule(&[RowRule, Projection], &[], RULE),
    rule(&[RowRule, Clip], &[], RULE),
    rule(&[RowRule, Bias], &[], RULE),
    rule(&[RowRule, HostileRows], &[], RULE),
    rule(&[RowRule, Moments], &[], RULE),
    rule(&[RowRule, SparseRows], &[], RULE),
    rule(&[SparseRows, Contraction], &[], SPARSE),
];

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
