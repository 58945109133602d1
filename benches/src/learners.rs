//! One learner of each kind, by name.

use unswayed::check::Loss;
use unswayed::data::{Labels, Origin, RawLabels, Table};
use unswayed::{Adversary, Column, Dataset, Problem, ProblemBuilder};

use crate::{Failure, LEARNING_RATE, POISON_RATE, REGULARIZATION, rows};

/// Their names; the first is what the others are compared with.
pub const NAMES: [&str; 21] = [
    "hinge",
    "hinge, box",
    "hinge, ellipsoid",
    "hinge, labels",
    "hinge, any point, clipped",
    "hinge, projected",
    "hinge, weighted target",
    "hinge, drift",
    "hinge, free bias",
    "logistic",
    "logistic, 2 %",
    "logistic, 1 %",
    "logistic, 0.5 %",
    "logistic, box",
    "logistic, labels",
    "logistic, any point, clipped",
    "smooth hinge",
    "modified Huber",
    "Huber regression",
    "absolute regression",
    "epsilon-insensitive regression",
];

/// The learner of this name on n rows with d columns.
pub fn problem(name: &str, n: usize, d: usize) -> Result<Problem, Failure> {
    let (loss, kind) = name.split_once(", ").unwrap_or((name, ""));
    let data = rows::leaning(n, d)?;
    let plain = |data: Dataset| {
        let builder = Problem::builder(data).learning_rate(LEARNING_RATE).regularization(REGULARIZATION);
        builder.poison_rate(POISON_RATE)
    };
    let losses = [
        ("hinge", Loss::Hinge),
        ("logistic", Loss::Logistic),
        ("smooth hinge", Loss::SmoothHinge(0.5)),
        ("modified Huber", Loss::ModifiedHuber),
        ("Huber regression", Loss::Huber(0.2)),
        ("absolute regression", Loss::Absolute),
        ("epsilon-insensitive regression", Loss::EpsilonInsensitive(0.1)),
    ];
    let named = losses.iter().find(|(name, _)| *name == loss).map(|(_, loss)| *loss);
    let of = named.ok_or("no learner has this name")?;
    let with = |builder: ProblemBuilder| builder.loss(of.into());
    let builder = match kind {
        "" if of.is_regression() => with(plain(numbered(&data)?)).label_bound(1.0),
        "" => with(plain(data)),
        "2 %" => with(plain(data)).poison_rate(0.02),
        "1 %" => with(plain(data)).poison_rate(0.01),
        "0.5 %" => with(plain(data)).poison_rate(0.005),
        "box" => with(plain(data)).adversary(Adversary::BoxAroundData),
        "ellipsoid" => with(plain(data)).adversary(Adversary::EllipsoidAroundData),
        "labels" => with(plain(data)).adversary(Adversary::LabelFlips),
        "any point, clipped" => with(plain(data)).adversary(Adversary::Any).clip(0.5),
        "projected" => with(plain(data)).projection(3.0),
        "weighted target" => with(plain(data.clone())).target(weighted(&data, 0.7)?),
        "drift" => {
            let both = vec![weighted(&data, 0.6)?, weighted(&data, 0.4)?];
            let builder = Problem::builder(both).learning_rate(LEARNING_RATE).regularization(REGULARIZATION);
            with(builder.poison_rate(POISON_RATE))
        }
        "free bias" => with(plain(data)).bias(Column::FromEnd(1)),
        _ => return Err("no learner has this name".into()),
    };
    Ok(builder.build()?)
}

/// The same rows, the first half of them having this share of the weight.
fn weighted(data: &Dataset, share: f64) -> Result<Dataset, Failure> {
    let (n, half) = (data.rows(), data.rows() / 2);
    let weight = |i: usize| if i < half { share / half as f64 } else { (1.0 - share) / (n - half) as f64 };
    let weights = (0..n).map(weight).collect();
    Ok(Dataset::from_rows(data.z().to_vec(), data.dimension(), Some(weights))?)
}

/// The rows with their first entry for a label that is a number.
fn numbered(data: &Dataset) -> Result<Dataset, Failure> {
    let d = data.dimension() - 1;
    let y = data.iter().map(|row| row[0]).collect();
    let x: Vec<f64> = data.iter().flat_map(|row| &row[1..]).copied().collect();
    let plain = Dataset::from_rows(x.clone(), d, None)?;
    let origin = Origin { labels: Labels::Numbers, ..plain.origin().clone() };
    Ok(Table { y: Some(RawLabels::Numbers(y)), ..Table::new(x, d) }.remade(&origin)?)
}
