//! Which parts go with each other. What is not proved in `docs/learners.md` is refused.

use crate::failure::Reason;

use super::types::{Linear, LinearWitness, Loss, Method, Set, Target};

/// Requires method, loss, set, target and variants of the step to go together, and the witness to be of that shape.
pub(crate) fn require_parts(learner: &Linear, witness: &LinearWitness) -> Result<(), Reason> {
    let method = witness.method;
    require_theorem(learner, method, witness.shells.is_some())?;
    let refuse = |bad: bool, with: &'static str| {
        if bad { Err(Reason::Parts { method: method.name(), with }) } else { Ok(()) }
    };
    let is_class = matches!(learner.loss, Loss::Classes(_));
    refuse(witness.by_label && !is_class, "cases by label without classes")?;
    let is_ellipsoid = matches!(learner.set, Set::Ellipsoid { .. });
    refuse(is_ellipsoid && witness.omega.is_none(), "an ellipsoid without omega")?;
    refuse(!is_ellipsoid && witness.omega.is_some(), "omega without an ellipsoid")
}

/// Requires a theorem for the method with this loss, set, target and step.
pub(crate) fn require_theorem(learner: &Linear, method: Method, has_shells: bool) -> Result<(), Reason> {
    let step = &learner.step;
    let refuse = |bad: bool, with: &'static str| {
        if bad { Err(Reason::Parts { method: method.name(), with }) } else { Ok(()) }
    };
    let is_logistic = matches!(
        method,
        Method::Logistic | Method::LabelLogistic | Method::ErrorLogistic | Method::ClippedLogistic
    );
    let is_clipped = matches!(method, Method::ClippedHinge | Method::ClippedLogistic);
    let is_label = matches!(method, Method::LabelHinge | Method::LabelLogistic);
    let is_plain = matches!(method, Method::Hinge | Method::Logistic);
    let is_class = matches!(learner.loss, Loss::Classes(_));
    let is_ball = matches!(learner.set, Set::Ball { .. });
    let is_symmetric = is_ball || matches!(learner.set, Set::Box { .. } | Set::Ellipsoid { .. });
    let is_any = learner.set == Set::Any;

    refuse(is_logistic != (learner.loss == Loss::Logistic), "this loss")?;
    refuse(is_class && !matches!(method, Method::Hinge | Method::ErrorHinge), "classes")?;
    refuse(is_class && !is_ball, "classes and this set")?;
    refuse(is_class && has_shells, "classes and shells")?;
    refuse(is_class && learner.target != Target::Data, "classes and this target")?;
    refuse(is_clipped != step.clip.is_some(), if is_clipped { "steps without a clip" } else { "a clip" })?;
    refuse(is_any && !is_clipped, "the set `any`")?;
    refuse(is_clipped && !is_any && !is_ball, "this set")?;
    refuse(is_label != (learner.set == Set::Labels), "this set")?;
    let weighted = is_plain || is_clipped || method == Method::Interval;
    refuse(learner.target != Target::Data && !weighted, "this target")?;
    refuse(learner.target == Target::Rows && method != Method::Interval, "target rows")?;
    refuse(method == Method::Interval && !has_shells, "a witness without shells")?;
    let is_free = !step.free.is_empty();
    refuse(is_free && !(is_plain && is_symmetric && !is_class), "free coordinates")?;
    refuse(is_free && has_shells, "free coordinates and shells")?;
    refuse(is_free && step.projection.is_some(), "free coordinates and a projection")
}
