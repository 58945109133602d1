//! How a bound varies with the sample of rows: for machines, for people, and as a section of the report.

use serde::Serialize;
use unswayed::certify::Bootstrap;

use super::Summary;
use crate::number::up;
use crate::{Axis, Block, Kind, LinePlot, Section, Series};

/// What it is not.
const NOTE: &str = "a picture of how the bound varies with the sample, no proof";

/// The bounds of samples of the rows, drawn with replacement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Resampled {
    /// How many samples.
    pub samples: usize,
    /// The seed that they were drawn with.
    pub seed: u64,
    /// The certified loss of each sample.
    pub certified_losses: Vec<f64>,
    /// The certified error of each sample; empty for a regression loss.
    pub certified_errors: Vec<f64>,
    /// The smallest and the largest certified loss.
    pub loss_range: [f64; 2],
    /// The standard deviation of the certified losses.
    pub loss_deviation: f64,
    /// What it is not: a proof.
    pub note: &'static str,
}

impl Resampled {
    /// The bounds of samples.
    pub fn of(bootstrap: &Bootstrap) -> Resampled {
        let losses = &bootstrap.losses;
        let low = losses.iter().copied().fold(f64::INFINITY, f64::min);
        let high = losses.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Resampled {
            samples: losses.len(),
            seed: bootstrap.seed,
            certified_losses: losses.clone(),
            certified_errors: bootstrap.errors.clone(),
            loss_range: [low, high],
            loss_deviation: deviation(losses),
            note: NOTE,
        }
    }

    /// All of it in a line.
    pub fn text(&self) -> String {
        let [low, high] = self.loss_range.map(up);
        format!(
            "{low} to {high}  certified losses of {} samples drawn from the rows with replacement (standard deviation {}): {NOTE}",
            self.samples,
            up(self.loss_deviation)
        )
    }

    /// The section of a report.
    pub(super) fn section(&self, summary: &Summary) -> Section {
        let own = summary.certified_loss;
        let (least, most) = [self.loss_range[0], self.loss_range[1]].into();
        Section {
            heading: "How the bound varies with the sample (no proof)".into(),
            text: format!(
                "The certificate is about the rows. Other rows from the same source would have another bound. The bounds of {} samples of \
                 as many rows, drawn from these with replacement (seed {}), show by how much: they are between {} and {}, with a standard \
                 deviation of {}. This is a picture, not a proof: nothing here bounds the loss on new data, and hostile rows, duplicates \
                 and a source that changes are not seen. A bound for new data is what --confidence proves.",
                self.samples,
                self.seed,
                up(least),
                up(most),
                up(self.loss_deviation)
            ),
            blocks: vec![Block::Lines(LinePlot {
                id: "bootstrap".into(),
                title: "Bounds of samples of the rows".into(),
                x: Axis::new("certified loss of a sample"),
                y: Axis::percent("share of the samples with at most this bound"),
                series: vec![
                    Series::new("samples, no proof", Kind::Other, shares(&self.certified_losses)),
                    Series::new("the certificate", Kind::Certified, [(own, 0.0), (own, 1.0)]),
                ],
                note: "Samples have rows twice and more, and fewer different ones, which a model fits more easily: the width is what to \
                       look at, not the middle."
                    .into(),
                ..LinePlot::default()
            })],
        }
    }
}

/// The standard deviation of a sample.
fn deviation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0)).sqrt()
}

/// Each value with the share of values that are not above it.
fn shares(values: &[f64]) -> Vec<(f64, f64)> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    sorted.into_iter().enumerate().map(|(i, x)| (x, (i + 1) as f64 / n)).collect()
}
