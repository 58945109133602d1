//! The conditions on rows and learner, whatever the proof is.

use unswayed_data::{ClassWeights, Labels, Origin};

use crate::exact::Dyadic;
use crate::failure::{Reason, require, require_each, require_length, require_not_negative, require_positive};
use crate::moments;
use crate::rows::{Evidence, Rows};
use crate::rules::{self, Feature};
use crate::statement::{Horizon, Learner, Loss, PoisonWeight, Set, Statement, Target};

/// Rows there are, valid and all of one dimension.
pub(crate) fn validate_evidence(evidence: &Evidence) -> Result<(), Reason> {
    require(!evidence.data.is_empty(), "the number of datasets", 0.0, "> 0")?;
    let dimension = evidence.data[0].dimension;
    for rows in evidence.data.iter().chain(&evidence.target) {
        rows.validate()?;
        require(!rows.is_empty(), "the number of rows", 0.0, "> 0")?;
        require_length("dimension", dimension, rows.dimension)?;
    }
    Ok(())
}

/// As many datasets, rows and columns as the statement says.
pub(crate) fn require_stated(statement: &Statement, evidence: &Evidence) -> Result<(), Reason> {
    require_length("datasets", statement.data.len(), evidence.data.len())?;
    let target = match &statement.target {
        Target::Rows(origin) => Some(origin),
        _ => None,
    };
    let pairs = statement.data.iter().zip(evidence.data).chain(target.zip(evidence.target.as_ref()));
    pairs.into_iter().try_for_each(|(origin, rows)| require_size(origin, rows))
}

/// As many rows and columns as the origin says.
pub(crate) fn require_size(origin: &Origin, rows: &Rows) -> Result<(), Reason> {
    require_length("rows of the statement", origin.rows, rows.len())?;
    let (stated, found) = (origin.of_columns.is_some(), rows.pattern.is_some());
    require_length("sparse tables", usize::from(stated), usize::from(found))?;
    require_length("columns of the statement", origin.dimension(), rows.dimension)
}

/// The conditions on the statement, whatever the proof is.
pub(crate) fn validate_statement(statement: &Statement, evidence: &Evidence) -> Result<(), Reason> {
    let sparse = evidence.data.iter().any(|rows| rows.pattern.is_some()).then_some(Feature::SparseRows);
    rules::require_supported(statement, sparse)?;
    validate_numbers(statement, evidence.data[0].dimension)?;
    validate_steps(statement, evidence)?;
    validate_hostile(statement, evidence)?;
    if let Loss::Multiclass(classes) = statement.learner.loss {
        evidence.data.iter().try_for_each(|rows| require_classes(rows, classes))?;
    }
    validate_target(&statement.target, evidence)
}

/// The same for a statement about rows of which only what they add up to is known, and whose proof is one by a rule.
pub(crate) fn validate_summed(statement: &Statement) -> Result<(), Reason> {
    require_length("datasets", 1, statement.data.len())?;
    let origin = &statement.data[0];
    let weights = origin.weight_column.is_some().then_some(Feature::RowWeights);
    let steps = origin.has_step_weights().then_some(Feature::StepWeights);
    rules::require_supported(statement, [Feature::RowRule].into_iter().chain(weights).chain(steps))?;
    validate_numbers(statement, origin.dimension())
}

/// The conditions on the numbers of a statement about rows of so many columns.
fn validate_numbers(statement: &Statement, columns: usize) -> Result<(), Reason> {
    let origins = statement.data.iter().chain(match &statement.target {
        Target::Rows(origin) => Some(origin),
        _ => None,
    });
    for origin in origins {
        origin.validate().map_err(Reason::Origin)?;
        require_labels(&statement.learner.loss, &origin.labels)?;
    }
    let labels = statement.learner.loss.label_entries();
    require(columns > labels, "the number of columns", columns as f64, "≥ 1 without labels")?;
    validate_learner(&statement.learner, columns - labels)?;
    let eps = statement.threat.poison_rate;
    require((0.0..1.0).contains(&eps), "poison_rate", eps, "in [0, 1)")?;
    validate_set(&statement.threat.set, columns - labels)?;
    validate_label_bound(statement)?;
    moments::validate(statement)?;
    if let Some(horizon) = &statement.horizon {
        require(horizon.steps >= 1, "horizon.steps", horizon.steps as f64, "≥ 1")?;
        require_each("horizon.start", &horizon.start, f64::is_finite, "finite")?;
        validate_rates(&statement.learner, horizon)?;
    }
    Ok(())
}

/// Rows with a class in front of them are for a learner of so many classes, and other rows are not, unless they are given as z.
/// Rows with a number in front of them are for a regression loss, and others are not.
fn require_labels(loss: &Loss, labels: &Labels) -> Result<(), Reason> {
    let numbers = usize::from(*labels == Labels::Numbers);
    require_length("numbers as labels of the rows", usize::from(loss.is_regression()), numbers)?;
    let (found, wanted) = match (labels, loss) {
        (Labels::Multiclass { labels }, Loss::Multiclass(classes)) => (labels.len(), *classes),
        (Labels::Multiclass { labels }, _) => (labels.len(), 0),
        (Labels::Premultiplied, _) => (0, 0),
        (_, Loss::Multiclass(classes)) => (0, *classes),
        _ => (0, 0),
    };
    require_length("classes of the rows", wanted, found)
}

fn validate_learner(learner: &Learner, columns: usize) -> Result<(), Reason> {
    learner.loss.validate()?;
    let (eta, sigma) = (learner.learning_rate, learner.regularization);
    require(eta > 0.0 && eta.is_finite(), "learning_rate", eta, "> 0")?;
    require(sigma >= 0.0 && sigma.is_finite(), "regularization", sigma, "≥ 0")?;
    let k = Dyadic::whole(1) - Dyadic::new(eta) * Dyadic::new(sigma);
    require_positive(&k, "1 − learning_rate·regularization")?;
    validate_momentum(learner)?;
    require(learner.batch >= 1, "batch", 0.0, "≥ 1")?;
    let slowdown = learner.schedule.map_or(0.0, |schedule| schedule.slowdown);
    require(slowdown >= 0.0 && slowdown.is_finite(), "schedule.slowdown", slowdown, "≥ 0")?;
    let weighted = learner.schedule.is_some_and(|schedule| schedule.weighted);
    require(slowdown == 0.0 || !weighted, "schedule.slowdown", slowdown, "0, as averages are weighted")?;
    let from = learner.schedule.and_then(|schedule| schedule.from_step).unwrap_or(1);
    require(from >= 1, "schedule.from_step", 0.0, "≥ 1")?;
    for (name, radius) in [("projection", learner.projection), ("clip", learner.clip)] {
        let radius = radius.unwrap_or(1.0);
        require(radius > 0.0 && radius.is_finite(), name, radius, "> 0")?;
    }
    for (i, &j) in learner.unregularized.iter().enumerate() {
        require(i == 0 && j < columns, "unregularized", j as f64, "a coordinate, and the only one")?;
    }
    Ok(())
}

/// A horizon names the rates that its bound depends on, exactly if they change: the first one, or their sum.
pub(crate) fn validate_rates(learner: &Learner, horizon: &Horizon) -> Result<(), Reason> {
    let weighted = learner.schedule.map(|schedule| schedule.weighted);
    let largest = Dyadic::new(learner.learning_rate);
    let given = [
        ("horizon.first_rate", horizon.first_rate, weighted == Some(false), largest.clone()),
        (
            "horizon.total_rate",
            horizon.total_rate,
            weighted == Some(true),
            largest * Dyadic::whole(horizon.steps),
        ),
    ];
    for (name, rate, is_wanted, most) in given {
        require_length(name, usize::from(is_wanted), usize::from(rate.is_some()))?;
        let Some(rate) = rate else { continue };
        require(rate > 0.0 && rate.is_finite(), name, rate, "> 0")?;
        let within = !(Dyadic::new(rate) - most).is_positive();
        require(within, name, rate, "at most what the learning rate allows")?;
    }
    Ok(())
}

/// 0 < μ < 1, and θ does not swing: (1+μ−ησ)² ≥ 4μ, that is ησ ≤ (1−√μ)², as ησ < 1.
fn validate_momentum(learner: &Learner) -> Result<(), Reason> {
    let Some(momentum) = learner.momentum else { return Ok(()) };
    require(momentum > 0.0 && momentum < 1.0, "momentum", momentum, "in (0, 1)")?;
    let (mu, one) = (Dyadic::new(momentum), Dyadic::whole(1));
    let decay = Dyadic::new(learner.learning_rate) * Dyadic::new(learner.regularization);
    let room = (one + &mu - decay).square() - Dyadic::whole(4) * mu;
    require_not_negative(&room, "(1 + momentum − learning_rate·regularization)² − 4·momentum")
}

/// A finite number ≥ 0; −0 is none.
fn is_radius(radius: f64) -> bool {
    radius.is_finite() && radius.is_sign_positive()
}

/// Labels of points have a bound only where they are numbers.
fn validate_label_bound(statement: &Statement) -> Result<(), Reason> {
    let Some(bound) = statement.threat.label_bound else { return Ok(()) };
    require(statement.learner.loss.is_regression(), "label_bound", bound, "absent: labels are no numbers")?;
    require(is_radius(bound), "label_bound", bound, "≥ 0")
}

/// The adversary's points have a step weight exactly if rows have; rows have them exactly if their origin says so, and the target
/// has none.
fn validate_steps(statement: &Statement, evidence: &Evidence) -> Result<(), Reason> {
    for (origin, rows) in statement.data.iter().zip(evidence.data) {
        let (stated, found) = (origin.has_step_weights(), rows.steps.is_some());
        require_length("step weights of the rows", usize::from(stated), usize::from(found))?;
    }
    let target = match &statement.target {
        Target::Rows(origin) => usize::from(origin.has_step_weights()),
        _ => 0,
    };
    require_length("step weights of the target", 0, target)?;
    let weighted = statement.data.iter().any(Origin::has_step_weights);
    let Some(weight) = statement.threat.poison_weight else {
        return require_length("poison_weight", usize::from(weighted), 0);
    };
    require(weighted, "poison_weight", weight.largest(), "absent: steps have no weights")?;
    let each = match weight {
        PoisonWeight::All(weight) => [weight; 2],
        PoisonWeight::ByClass(ClassWeights { negative, positive }) => [negative, positive],
    };
    require_each("poison_weight", &each, |weight| weight > 0.0 && weight.is_finite(), "> 0")
}

/// A number of hostile rows for each dataset, not 0 for all of them, and fewer than there are rows.
fn validate_hostile(statement: &Statement, evidence: &Evidence) -> Result<(), Reason> {
    let hostile = &statement.hostile_rows;
    if hostile.is_empty() {
        return Ok(());
    }
    require_length("hostile_rows", evidence.data.len(), hostile.len())?;
    require(hostile.iter().any(|&count| count > 0), "hostile_rows", 0.0, "> 0, or absent")?;
    for (rows, &count) in evidence.data.iter().zip(hostile) {
        require(count < rows.len(), "hostile_rows", count as f64, "less than the number of rows")?;
    }
    Ok(())
}

fn validate_set(set: &Set, dimension: usize) -> Result<(), Reason> {
    match set {
        Set::Ball { radius } => require(is_radius(*radius), "set.radius", *radius, "≥ 0"),
        Set::Features { radius, constant } => {
            require(is_radius(*radius), "set.radius", *radius, "≥ 0")?;
            require(is_radius(*constant), "set.constant", *constant, "≥ 0")
        }
        Set::Box { radii } => {
            require_length("set.radii", dimension, radii.len())?;
            require_each("set.radii", radii, is_radius, "≥ 0")
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
        Set::LabelFlips | Set::Any => Ok(()),
    }
}

fn validate_target(target: &Target, evidence: &Evidence) -> Result<(), Reason> {
    let rows = usize::from(matches!(target, Target::Rows(_)));
    require_length("target", rows, evidence.target.iter().count())?;
    let Target::Weights(weights) = target else { return Ok(()) };
    require_length("target.weights", evidence.data.len(), weights.len())?;
    for (rows, weights) in evidence.data.iter().zip(weights) {
        require_length("target.weights", rows.len(), weights.len())?;
        require_each("target.weights", weights, |w| w.is_finite() && w >= 0.0, "≥ 0 and finite")?;
        require(weights.iter().any(|&w| w > 0.0), "the sum of target.weights", 0.0, "> 0")?;
    }
    Ok(())
}

/// The first entry of each row is its class.
fn require_classes(rows: &Rows, classes: usize) -> Result<(), Reason> {
    for i in 0..rows.len() {
        let label = rows.row(i)[0];
        let good = label >= 0.0 && label < classes as f64 && label.fract() == 0.0;
        require(
            good,
            format_args!("the class z[{i}][0]"),
            label,
            "a whole number below the number of classes",
        )?;
    }
    Ok(())
}
