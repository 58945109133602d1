//! What a model is measured on: rows, their weights, the loss and the error.

use std::sync::Arc;

use unswayed_check::Loss;

use super::goal::Height;
use super::margins::Margins;
use crate::data::Dataset;
use crate::learner::{loss_at, pull};
use crate::simulate::{Judge, Scores};

/// Weighted rows and a loss.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    loss: Loss,
    margins: Margins,
    /// The weight of each row.
    weights: Vec<f64>,
}

impl Measured {
    /// Rows with weights that sum to 1.
    pub fn new(loss: Loss, rows: &Arc<Dataset>, weights: Vec<f64>) -> Self {
        Measured { loss, margins: Margins::of(loss, rows), weights }
    }

    /// The loss of θ, and its error: the weight of the rows with a margin that is not positive, if they have margins.
    pub fn loss_and_error(&self, theta: &[f64]) -> (f64, Option<f64>) {
        let (mut loss, mut error) = (0.0, 0.0);
        let each = self.margins.each();
        for (row, weight) in self.weights.iter().enumerate() {
            let mut lowest = f64::INFINITY;
            for i in row * each..(row + 1) * each {
                let s = self.margins.score(i, theta);
                loss += weight * loss_at(self.loss, s);
                lowest = lowest.min(s);
            }
            error += if lowest <= 0.0 { *weight } else { 0.0 };
        }
        (loss, (!self.loss.is_regression()).then_some(error))
    }

    /// How many numbers a loss looks at.
    pub fn size(&self) -> usize {
        self.margins.size()
    }

    /// Every so-manieth of the rows that count, about so many numbers. The weights do not sum to 1 any more.
    pub fn thinned(&self, numbers: usize) -> Measured {
        self.every(self.size().div_ceil(numbers.max(1)))
    }

    /// Every so-manieth of the rows that count, about so many rows. The weights do not sum to 1 any more.
    pub fn thinned_to(&self, rows: usize) -> Measured {
        self.every(self.weights.len().div_ceil(rows.max(1)))
    }

    fn every(&self, stride: usize) -> Measured {
        let counting = (0..self.weights.len()).filter(|row| self.weights[*row] > 0.0);
        let rows: Vec<usize> = counting.step_by(stride.max(1)).collect();
        let weights = rows.iter().map(|row| self.weights[*row]).collect();
        Measured { loss: self.loss, margins: self.margins.of_rows(&rows), weights }
    }

    /// A smooth stand-in for loss or error, its gradient in `gradient`.
    pub fn height(&self, theta: &[f64], height: Height, gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let each = self.margins.each();
        let mut sum = 0.0;
        let mut add = |i: usize, value: f64, pull: f64| {
            let weight = self.weights[i / each];
            sum += weight * value;
            if weight * pull != 0.0 {
                self.margins.add(i, -weight * pull, gradient);
            }
        };
        match height {
            Height::Loss(curve) => (0..self.margins.len()).for_each(|i| {
                let at = curve.at(self.margins.score(i, theta), 1.0);
                add(i, at.value, at.pull);
            }),
            Height::Error(width) => (0..self.weights.len()).for_each(|row| {
                let scores = (row * each..(row + 1) * each).map(|i| (self.margins.score(i, theta), i));
                if let Some((s, i)) = scores.min_by(|a, b| a.0.total_cmp(&b.0)) {
                    let wrong = 1.0 / (1.0 + (s / width).exp());
                    add(i, wrong, wrong * (1.0 - wrong) / width);
                }
            }),
        }
        sum
    }

    /// What each row is worth to a model: how far below average its own loss is, and a factor times how much its step lowers the
    /// loss. For losses of one margin or one number.
    pub fn worth(&self, theta: &[f64], factor: f64) -> Vec<f64> {
        let mut gradient = vec![0.0; theta.len()];
        let mean = self.gradient(theta, &mut gradient);
        let stepped: Vec<f64> = theta.iter().zip(&gradient).map(|(t, g)| t - g).collect();
        let worth = |i: usize| {
            let s = self.margins.score(i, theta);
            factor * pull(self.loss, s) * (self.margins.score(i, &stepped) - s) + mean - loss_at(self.loss, s)
        };
        (0..self.margins.len()).map(worth).collect()
    }

    /// The gradient of the loss, in `gradient`; returns the loss itself.
    pub fn gradient(&self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let mut loss = 0.0;
        let each = self.margins.each();
        for i in 0..self.margins.len() {
            let (s, weight) = (self.margins.score(i, theta), self.weights[i / each]);
            loss += weight * loss_at(self.loss, s);
            let pull = pull(self.loss, s);
            if weight * pull != 0.0 {
                self.margins.add(i, -weight * pull, gradient);
            }
        }
        loss
    }
}

/// Loss and error on the target, and on held-out data if there are any.
pub(crate) struct TargetJudge<'a> {
    pub target: &'a Measured,
    pub test: Option<&'a Measured>,
}

impl Judge for TargetJudge<'_> {
    fn scores(&self, theta: &[f64]) -> Scores {
        let (loss, error) = self.target.loss_and_error(theta);
        let test = self.test.map(|test| test.loss_and_error(theta));
        Scores { loss, error, test_loss: test.map(|t| t.0), test_error: test.and_then(|t| t.1) }
    }
}
