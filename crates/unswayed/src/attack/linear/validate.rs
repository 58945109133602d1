//! What must hold before an attack makes sense.

use unswayed_check::{Linear, Loss, Set, Target};

use crate::data::Dataset;
use crate::error::{AttackError, ParameterError};
use crate::simulate::Region;

/// How far beyond the clip a point for the logistic loss may be: there it pulls with full force even at a margin above 0.
const BEYOND_CLIP: f64 = 10.0;

/// Data, learner and target go together.
pub(super) fn validate(
    data: &[&Dataset],
    learner: &Linear,
    target: Option<&Dataset>,
) -> Result<(), AttackError> {
    let refuse = |bad: bool, why: &str| if bad { Err(AttackError::Data(why.to_owned())) } else { Ok(()) };
    refuse(data.is_empty(), "there are no data")?;
    let dimension = data[0].dimension();
    refuse(
        data.iter().copied().chain(target).any(|d| d.dimension() != dimension),
        "datasets and target must have the same number of columns",
    )?;
    refuse(
        (learner.target == Target::Rows) != target.is_some(),
        "a target of its own rows needs rows, and no other does",
    )?;
    if let Target::Weights(weights) = &learner.target {
        let fits = weights.len() == data.len() && weights.iter().zip(data).all(|(w, d)| w.len() == d.rows());
        refuse(!fits, "the target needs one weight for each row of each dataset")?;
        let bad =
            |w: &Vec<f64>| w.iter().any(|w| !(*w >= 0.0 && w.is_finite())) || w.iter().all(|w| *w == 0.0);
        refuse(weights.iter().any(bad), "the target's weights must be finite, not negative and not all 0")?;
    }
    validate_numbers(learner)?;
    validate_set(learner, dimension)?;
    validate_variants(learner, dimension)?;
    if let Loss::Classes(classes) = learner.loss {
        refuse(classes < 2 || dimension < 2, "classes need two labels at least, and rows of a label and x")?;
        let is_label = |y: f64| y >= 0.0 && y < classes as f64 && y.fract() == 0.0;
        let all = data.iter().copied().chain(target).all(|d| d.iter().all(|row| is_label(row[0])));
        refuse(
            !all,
            "the first entry of each row must be its label, a whole number below the number of classes",
        )?;
    }
    Ok(())
}

fn validate_numbers(learner: &Linear) -> Result<(), AttackError> {
    let (eta, sigma, eps) = (learner.learning_rate, learner.regularization, learner.poison_rate);
    let require = |good: bool, name, value, reason| {
        if good { Ok(()) } else { Err(AttackError::Parameter(ParameterError::new(name, value, reason))) }
    };
    require(eta > 0.0 && eta.is_finite(), "learning rate", eta, "it must be positive and finite")?;
    let is_kept = sigma > 0.0 || sigma == 0.0 && learner.step.projection.is_some();
    require(
        is_kept && sigma.is_finite(),
        "regularization",
        sigma,
        "it must be positive, or 0 with a projection",
    )?;
    require(eta * sigma < 1.0, "learning rate times regularization", eta * sigma, "it must be below 1")?;
    require((0.0..1.0).contains(&eps), "poison rate", eps, "it must be at least 0 and below 1")?;
    require(learner.step.batch >= 1, "batch", 0.0, "it must be at least 1")?;
    for (name, radius) in [("projection", learner.step.projection), ("clip", learner.step.clip)] {
        let radius = radius.unwrap_or(1.0);
        require(radius > 0.0 && radius.is_finite(), name, radius, "it must be positive and finite")?;
    }
    Ok(())
}

fn validate_set(learner: &Linear, dimension: usize) -> Result<(), AttackError> {
    let not_negative = |r: &f64| *r >= 0.0 && r.is_finite();
    let (good, why) = match &learner.set {
        Set::Ball { radius } => (not_negative(radius), "the radius must be finite and not negative"),
        Set::Box { radii } => (
            radii.len() == dimension && radii.iter().all(not_negative),
            "a box needs one finite radius for each column",
        ),
        Set::Ellipsoid { q } => (
            q.len() == dimension * (dimension + 1) / 2 && q.iter().all(|q| q.is_finite()),
            "an ellipsoid needs the upper triangle of a finite matrix with one row for each column of the data",
        ),
        Set::Points { points } => (
            !points.is_empty()
                && points.len().is_multiple_of(dimension)
                && points.iter().all(|z| z.is_finite()),
            "a finite set needs finite points, each with one number for each column",
        ),
        Set::Labels | Set::Any => (true, ""),
    };
    if good { Ok(()) } else { Err(AttackError::Data(format!("the adversary's set: {why}"))) }
}

/// Combinations that docs/learners.md proves nothing about are refused here too: there is nothing to compare with.
fn validate_variants(learner: &Linear, dimension: usize) -> Result<(), AttackError> {
    let refuse = |bad: bool, what| if bad { Err(AttackError::Unsupported(what)) } else { Ok(()) };
    let is_class = matches!(learner.loss, Loss::Classes(_));
    let is_ball = matches!(learner.set, Set::Ball { .. });
    let step = &learner.step;
    refuse(is_class && !is_ball, "classes and a set other than a ball")?;
    refuse(
        is_class && (step.clip.is_some() || !step.free.is_empty()),
        "classes with a clip or free coordinates",
    )?;
    refuse(
        step.clip.is_some() && !is_ball && learner.set != Set::Any,
        "a clip and a set other than a ball or any point",
    )?;
    refuse(step.clip.is_none() && learner.set == Set::Any, "any point at all without a clip")?;
    refuse(step.free.iter().any(|&j| j >= dimension), "free coordinates that are no columns")
}

/// Where attacks look for points: the set, without what clipping makes useless. A clipped hinge point is no stronger than one at the
/// clip, and acts on fewer models.
pub(super) fn reach(learner: &Linear, allowed: &Region) -> Region {
    let Some(clip) = learner.step.clip else { return allowed.clone() };
    let useful = if learner.loss == Loss::Logistic { BEYOND_CLIP * clip } else { clip };
    let radius = if let Set::Ball { radius } = learner.set { radius.min(useful) } else { useful };
    Region::Ball { radius, centre: None }
}
