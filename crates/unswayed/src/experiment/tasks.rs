//! The paper's experiments on classification and reward learning: choose on some tasks, judge on another, and put the paper's
//! certificate beside ours.

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::ExperimentError;
use crate::certify::{Options, paper};
use crate::data::Dataset;
use crate::design::sweep::Observer;
use crate::design::{Design, Request, Run, Setting, design};
use crate::error::CertifyError;
use crate::problem::{Problem, Template};

/// Where the paper's certificate is computed, which takes most of a minute each: shares of the way from the smallest to the
/// largest poison rate, for the chosen setting. For the poor setting it is computed at the largest rate alone.
const PAPER_PLACES: [f64; 3] = [0.0, 0.5, 1.0];

/// What came out.
#[derive(Clone, Debug)]
pub struct TaskResult {
    /// The choice, and what it is worth on the test task.
    pub design: Design,
    /// The paper's certificates on the test task.
    pub paper: Vec<PaperBound>,
}

/// The paper's certificate at one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaperBound {
    /// The setting.
    pub setting: Setting,
    /// ε.
    pub poison_rate: f64,
    /// The proven bound.
    pub certified_loss: f64,
}

/// Runs the design, then the paper's certificates on the test task; none without a test task.
pub fn run_tasks(
    request: &Request,
    journal: Option<(&Path, bool)>,
    observer: &dyn Observer,
) -> Result<TaskResult, ExperimentError> {
    let design = design(request, journal, &Run::observed(observer))?;
    let Some(test) = &request.test else { return Ok(TaskResult { design, paper: Vec::new() }) };
    let rates = &request.grid.poison_rates;
    let last = rates.len() - 1;
    let mut places: Vec<usize> = PAPER_PLACES.map(|p| (p * last as f64).round() as usize).to_vec();
    places.dedup();
    let mut cells: Vec<(Setting, f64)> = places.iter().map(|i| (design.chosen.setting, rates[*i])).collect();
    if design.poor.setting != design.chosen.setting {
        cells.push((design.poor.setting, rates[last]));
    }
    observer.expect(cells.len());
    let paper = cells.par_iter().map(|(setting, rate)| {
        let bound = paper_bound(&test.data, *setting, *rate, &request.template);
        observer.done();
        bound
    });
    Ok(TaskResult { paper: paper.collect::<Result<_, _>>()?, design })
}

fn paper_bound(
    data: &Arc<Dataset>,
    setting: Setting,
    poison_rate: f64,
    template: &Template,
) -> Result<PaperBound, ExperimentError> {
    let problem = Problem::of_template(data.clone(), setting.steps_of(template))
        .learning_rate(setting.learning_rate)
        .regularization(setting.regularization)
        .poison_rate(poison_rate)
        .build()
        .map_err(CertifyError::from)?;
    let outcome = paper::certify(&problem, &Options::default(), None)?;
    Ok(PaperBound { setting, poison_rate, certified_loss: outcome.certified_loss })
}

/// Rows z of a preference learner from scored pairs: rows 2i and 2i+1 are one pair, z is the difference of the features of the
/// preferred one and the other. All rows are divided by the largest norm.
///
/// ```
/// use unswayed::data::Features;
/// use unswayed::experiment::preference_rows;
/// let pairs = Features { x: vec![1.0, 0.0, 0.0, 3.0], dimension: 2, y: Some(vec![-1.0, 1.0]), classes: None };
/// let rows = preference_rows(&pairs)?; // (0, 3) is preferred to (1, 0)
/// assert!((rows.z()[0] + 0.1f64.sqrt()).abs() < 1e-9 && (rows.z()[1] - 0.9f64.sqrt()).abs() < 1e-9);
/// # Ok::<(), unswayed::experiment::ExperimentError>(())
/// ```
pub fn preference_rows(pairs: &crate::data::Features) -> Result<Dataset, ExperimentError> {
    let (d, labels) = (pairs.dimension, pairs.y.as_deref().unwrap_or_default());
    if labels.len() < 2 || !labels.len().is_multiple_of(2) {
        return Err(ExperimentError::Pairs);
    }
    let mut z = Vec::with_capacity(pairs.x.len() / 2);
    for (rows, y) in pairs.x.chunks_exact(2 * d).zip(labels.chunks_exact(2)) {
        let sign = if y[0] > y[1] { 1.0 } else { -1.0 };
        z.extend((0..d).map(|j| sign * (rows[j] - rows[d + j])));
    }
    let largest =
        z.chunks_exact(d).map(|row| row.iter().map(|x| x * x).sum::<f64>()).fold(0.0, f64::max).sqrt();
    if largest > 0.0 {
        for x in &mut z {
            *x /= largest * (1.0 + 1e-12);
        }
    }
    Ok(Dataset::from_rows(z, d, None)?)
}
