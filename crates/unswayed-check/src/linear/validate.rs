//! The conditions on rows and learner, whatever the witness is.

use super::Evidence;
use super::types::{Linear, Loss, Set, Target};
use crate::exact::Dyadic;
use crate::failure::{Reason, require, require_each, require_length, require_positive};
use crate::rows::Rows;

/// Rows there are, valid and all of one dimension.
pub(super) fn validate_evidence(evidence: &Evidence) -> Result<(), Reason> {
    require(!evidence.data.is_empty(), "the number of datasets", 0.0, "> 0")?;
    let dimension = evidence.data[0].dimension;
    for rows in evidence.data.iter().chain(&evidence.target) {
        rows.validate()?;
        require(!rows.is_empty(), "the number of rows", 0.0, "> 0")?;
        require_length("dimension", dimension, rows.dimension)?;
    }
    Ok(())
}

/// The conditions on the learner, whatever the witness is.
pub(super) fn validate_learner(
    learner: &Linear,
    evidence: &Evidence,
    dimension: usize,
) -> Result<(), Reason> {
    let (eta, sigma, eps) = (learner.learning_rate, learner.regularization, learner.poison_rate);
    require(eta > 0.0 && eta.is_finite(), "learning_rate", eta, "> 0")?;
    let step = &learner.step;
    let kept = if step.projection.is_some() { sigma >= 0.0 } else { sigma > 0.0 };
    require(kept && sigma.is_finite(), "regularization", sigma, "> 0 (or ≥ 0 with a projection)")?;
    require((0.0..1.0).contains(&eps), "poison_rate", eps, "in [0, 1)")?;
    let k = Dyadic::whole(1) - Dyadic::new(eta) * Dyadic::new(sigma);
    require_positive(&k, "1 − learning_rate·regularization")?;
    require(step.batch >= 1, "step.batch", 0.0, "≥ 1")?;
    for (name, radius) in [("step.projection", step.projection), ("step.clip", step.clip)] {
        let radius = radius.unwrap_or(1.0);
        require(radius > 0.0 && radius.is_finite(), name, radius, "> 0")?;
    }
    for (i, &j) in step.free.iter().enumerate() {
        let good = j < dimension && (i == 0 || step.free[i - 1] < j);
        require(good, "step.free", j as f64, "a coordinate, in increasing order")?;
    }
    validate_set(&learner.set, dimension)?;
    if let Loss::Classes(classes) = learner.loss {
        require(classes >= 2, "learner.classes", classes as f64, "≥ 2")?;
        for rows in evidence.data {
            require_labels(rows, classes)?;
        }
    }
    validate_target(learner, evidence)
}

fn validate_set(set: &Set, dimension: usize) -> Result<(), Reason> {
    match set {
        Set::Ball { radius } => require(*radius >= 0.0 && radius.is_finite(), "set.radius", *radius, "≥ 0"),
        Set::Box { radii } => {
            require_length("set.radii", dimension, radii.len())?;
            require_each("set.radii", radii, |r| r >= 0.0 && r.is_finite(), "≥ 0")
        }
        Set::Ellipsoid { q } => {
            require_length("set.q", dimension.saturating_mul(dimension + 1) / 2, q.len())?;
            require_each("set.q", q, f64::is_finite, "finite")
        }
        Set::Points { points } => {
            let count = points.len().checked_div(dimension).unwrap_or(0);
            require(count >= 1, "the number of points", 0.0, "> 0")?;
            require_length("set.points", count * dimension, points.len())?;
            require_each("set.points", points, f64::is_finite, "finite")
        }
        Set::Labels | Set::Any => Ok(()),
    }
}

fn validate_target(learner: &Linear, evidence: &Evidence) -> Result<(), Reason> {
    let rows = usize::from(learner.target == Target::Rows);
    require_length("target", rows, evidence.target.iter().count())?;
    let Target::Weights(weights) = &learner.target else { return Ok(()) };
    require_length("target.weights", evidence.data.len(), weights.len())?;
    for (rows, weights) in evidence.data.iter().zip(weights) {
        require_length("target.weights", rows.len(), weights.len())?;
        require_each("target.weights", weights, |w| w.is_finite() && w >= 0.0, "≥ 0 and finite")?;
        require(weights.iter().any(|&w| w > 0.0), "the sum of target.weights", 0.0, "> 0")?;
    }
    Ok(())
}

/// The first entry of each row is a label.
fn require_labels(rows: &Rows, classes: usize) -> Result<(), Reason> {
    require(rows.dimension >= 2, "data.dimension", rows.dimension as f64, "≥ 2, a label and x")?;
    for i in 0..rows.len() {
        let label = rows.row(i)[0];
        let good = label >= 0.0 && label < classes as f64 && label.fract() == 0.0;
        require(
            good,
            format_args!("the label z[{i}][0]"),
            label,
            "a whole number below the number of classes",
        )?;
    }
    Ok(())
}
