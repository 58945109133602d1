//! What an attack looks like: the largest entries of its point by the names of the columns, and the rows that are nearest to it.

use unswayed::attack::{Attack, Suite};
use unswayed::{AttackError, Dataset, Problem};
use unswayed_check::{Labels, Set};

use super::Subject;
use crate::number::{down, percent};
use crate::{Block, Section, Table};

/// Entries and rows that are shown.
const ENTRIES: usize = 8;
const NEAREST: usize = 5;
/// Points over which an attack that sends different ones is averaged.
const POINTS: usize = 200;

/// The section about the strongest attack; none if there was none.
pub fn section(subject: &Subject) -> Result<Option<Section>, AttackError> {
    let Some(attacked) = subject.attacked.filter(|attacked| attacked.attack != Attack::None) else {
        return Ok(None);
    };
    let (problem, name) = (subject.problem, attacked.attack.name());
    let constant = attacked.steady.as_ref();
    let (text, blocks) = match (&problem.threat().set, constant) {
        (Set::LabelFlips, Some(steady)) => (
            format!("{name} flips labels of some rows more often than those of others."),
            vec![Block::Table(flipped(problem, &steady.point))],
        ),
        (_, Some(steady)) => (
            format!(
                "{name} sends one point z, again and again; its norm is {}.",
                down(norm(features(problem, &steady.point)))
            ),
            pictures(subject, &steady.point, Some(&steady.theta)),
        ),
        _ => (
            format!("{name} sends many points. This is the average z of the first {POINTS}."),
            pictures(subject, &average(subject, attacked.attack)?, None),
        ),
    };
    Ok(Some(Section { heading: "What the strongest attack looks like".into(), text, blocks }))
}

fn average(subject: &Subject, attack: Attack) -> Result<Vec<f64>, AttackError> {
    let suite = Suite::new(subject.problem)?.with_seed(subject.seed);
    let points = suite.poison_points(attack, POINTS)?;
    let dimension = subject.problem.data()[0].dimension();
    let mean = |j: usize| points.iter().skip(j).step_by(dimension).sum::<f64>() / POINTS as f64;
    Ok((0..dimension).map(mean).collect())
}

/// The entries of a point without the class or label in front of them.
fn features<'p>(problem: &Problem, point: &'p [f64]) -> &'p [f64] {
    &point[problem.learner().loss.label_entries().min(point.len())..]
}

fn pictures(subject: &Subject, point: &[f64], attacked: Option<&[f64]>) -> Vec<Block> {
    let own = features(subject.problem, point);
    let models = attacked.map(|attacked| [subject.outcome.benign.theta.as_slice(), attacked]);
    // A model of several classes has more entries than a point.
    let models = models.filter(|models| models.iter().all(|model| model.len() == own.len()));
    vec![
        Block::Table(direction(&subject.problem.data()[0], own, models)),
        Block::Table(nearest(subject.problem, own)),
    ]
}

/// The largest entries of a point, and what the models make of these columns.
fn direction(data: &Dataset, point: &[f64], models: Option<[&[f64]; 2]>) -> Table {
    let (names, whole) = (data.names(), dot(point, point).max(f64::MIN_POSITIVE));
    let mut order: Vec<usize> = (0..point.len()).collect();
    order.sort_by(|a, b| point[*b].abs().total_cmp(&point[*a].abs()));
    order.truncate(ENTRIES);
    let part: f64 = order.iter().map(|&j| point[j] * point[j]).sum::<f64>() / whole;
    let row = |&j: &usize| {
        let name = names.get(j).map_or_else(|| format!("column {}", j + 1), |name| (*name).to_owned());
        let mut row = vec![name, signed(point[j])];
        row.extend(models.into_iter().flatten().map(|model| signed(model[j])));
        row
    };
    let mut header = vec!["column", "entry of z"];
    header.extend(models.map(|_| ["benign model", "model under attack"]).into_iter().flatten());
    Table {
        id: "attack-direction".into(),
        title: "Its direction".into(),
        header: header.into_iter().map(str::to_owned).collect(),
        rows: order.iter().map(row).collect(),
        note: format!(
            "The largest {} of {} entries; they make up {} of its squared norm.",
            order.len(),
            point.len(),
            percent((part * 1000.0).floor() / 1000.0)
        ),
    }
}

/// The rows at the smallest angles to the point, in either direction.
fn nearest(problem: &Problem, point: &[f64]) -> Table {
    let mut rows: Vec<(f64, usize, usize)> = Vec::new();
    for (d, data) in problem.data().iter().enumerate() {
        let cosine = |z: &[f64]| {
            let z = features(problem, z);
            dot(point, z) / (norm(point) * norm(z)).max(f64::MIN_POSITIVE)
        };
        rows.extend(data.iter().enumerate().map(|(i, z)| (cosine(z), d, i)));
    }
    rows.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
    rows.truncate(NEAREST);
    let preferences = problem.data()[0].origin().labels == Labels::Preferences;
    let turned = if preferences { "chosen and rejected swapped" } else { "its label flipped" };
    let several = problem.data().len() > 1;
    let row = |(cosine, d, i): &(f64, usize, usize)| {
        let file = if several { format!("dataset {}, ", d + 1) } else { String::new() };
        let how = if *cosine < 0.0 { turned } else { "as it is" };
        vec![format!("{file}row {}", i + 1), how.to_owned(), format!("{:.3}", cosine.abs())]
    };
    Table {
        id: "attack-rows".into(),
        title: "The rows that it resembles most".into(),
        header: ["row", "how", "cosine"].map(str::to_owned).to_vec(),
        rows: rows.iter().map(row).collect(),
        note: "Rows are counted from 1. The cosine of the angle between z and the row is 1 where they point the same way.".into(),
    }
}

/// The rows whose labels are flipped most.
fn flipped(problem: &Problem, flips: &[f64]) -> Table {
    let weights: Vec<f64> = problem.data().iter().flat_map(|data| data.probabilities()).collect();
    let mut rows: Vec<(f64, f64, usize)> =
        flips.iter().zip(weights).enumerate().map(|(i, (flip, weight))| (flip * weight, *flip, i)).collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let often = flips.iter().filter(|flip| **flip > 0.5).count();
    rows.truncate(NEAREST);
    let row = |(_, flip, i): &(f64, f64, usize)| {
        vec![format!("row {}", i + 1), percent((flip * 1000.0).round() / 1000.0)]
    };
    Table {
        id: "attack-rows".into(),
        title: "Rows whose labels it flips".into(),
        header: ["row", "flipped, when the adversary has it"].map(str::to_owned).to_vec(),
        rows: rows.iter().map(row).collect(),
        note: format!("Rows are counted from 1. {often} of {} are flipped more often than not.", flips.len()),
    }
}

fn signed(x: f64) -> String {
    format!("{x:+.4}")
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
