//! Whether a linear model learns anything from prepared rows: a quick model beside one that does not look at the features.

use rand_distr::{Distribution, StandardUniform};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;

use crate::certify::dot;
use unswayed_data::{Labels, SparseRows};

/// Passes over the rows.
const PASSES: usize = 10;
/// Rows beyond this are not used.
const MOST_ROWS: usize = 20_000;
/// One row in so many is held out.
const HELD_OUT: usize = 5;

/// What a quick model reaches on rows that it was not trained on, every fifth one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quality {
    /// For classes: the share that is right, of the model and of always saying the most frequent class.
    Accuracy {
        /// The model's.
        model: f64,
        /// Of the most frequent class.
        majority: f64,
    },
    /// For regression: the mean distance from the label, of the model and of always saying the median.
    Distance {
        /// The model's.
        model: f64,
        /// Of the median.
        median: f64,
    },
}

impl Quality {
    /// Trains and measures; `None` without labels that can be judged, or with few rows.
    ///
    /// ```
    /// use unswayed::data::Labels;
    /// use unswayed::prepare::Quality;
    /// let x: Vec<f64> = (0..200).flat_map(|i| [if i % 2 == 0 { 0.5 } else { -0.5 }, 0.3]).collect();
    /// let y: Vec<f64> = (0..200).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    /// let labels = Labels::Classes { negative: "ham".into(), positive: "spam".into() };
    /// let Some(Quality::Accuracy { model, majority }) = Quality::measure(&x, 2, &y, &labels) else { panic!() };
    /// assert!(model == 1.0 && majority < 0.6);
    /// ```
    pub fn measure(x: &[f64], dimension: usize, y: &[f64], labels: &Labels) -> Option<Quality> {
        Quality::of_rows(&LinearRows::Dense { x, dimension }, y, labels)
    }

    pub(super) fn of_rows(rows: &LinearRows<'_>, y: &[f64], labels: &Labels) -> Option<Quality> {
        let count = y.len().min(MOST_ROWS);
        if count < 4 * HELD_OUT {
            return None;
        }
        let rows = Judged { rows, count };
        match labels {
            Labels::Classes { .. } => {
                let classes: Vec<usize> = y.iter().map(|y| usize::from(*y > 0.0)).collect();
                Some(rows.accuracy(&classes, 2))
            }
            Labels::Multiclass { labels } => {
                let classes: Vec<usize> = y.iter().map(|y| *y as usize).collect();
                Some(rows.accuracy(&classes, labels.len()))
            }
            Labels::Numbers => Some(rows.distance(y)),
            _ => None,
        }
    }

    /// Whether the model is no better than one that does not look at the features.
    pub fn is_idle(self) -> bool {
        match self {
            Quality::Accuracy { model, majority } => model < majority + 0.01,
            Quality::Distance { model, median } => model > 0.99 * median,
        }
    }
}

/// Rows as a linear model sees them.
pub(super) enum LinearRows<'a> {
    /// One after the other.
    Dense { x: &'a [f64], dimension: usize },
    /// By their entries that are not 0.
    Sparse { rows: SparseRows<'a>, dimension: usize },
}

impl LinearRows<'_> {
    fn dimension(&self) -> usize {
        match self {
            LinearRows::Dense { dimension, .. } | LinearRows::Sparse { dimension, .. } => *dimension,
        }
    }

    fn dot(&self, i: usize, weights: &[f64]) -> f64 {
        match self {
            LinearRows::Dense { x, dimension } => dot(weights, &x[i * dimension..][..*dimension]),
            LinearRows::Sparse { rows, .. } => rows.dot(i, weights),
        }
    }

    /// weights ← weights + factor·row.
    fn add(&self, i: usize, factor: f64, weights: &mut [f64]) {
        match self {
            LinearRows::Dense { x, dimension } => {
                let row = &x[i * dimension..][..*dimension];
                weights.iter_mut().zip(row).for_each(|(w, x)| *w += factor * x);
            }
            LinearRows::Sparse { rows, .. } => rows.add(i, factor, weights),
        }
    }
}

/// The first rows, of which some are held out.
struct Judged<'a> {
    rows: &'a LinearRows<'a>,
    count: usize,
}

impl Judged<'_> {
    fn held_out(&self) -> impl Iterator<Item = usize> {
        (0..self.count).step_by(HELD_OUT)
    }

    /// The average of the models of the second half of stochastic gradient descent; `gradients` gives for a row the derivatives
    /// by its outputs.
    fn train(&self, outputs: usize, step: f64, gradients: impl Fn(usize, &[f64]) -> Vec<f64>) -> Vec<f64> {
        let d = self.rows.dimension();
        let (mut model, mut average) = (vec![0.0; outputs * d], vec![0.0; outputs * d]);
        let training: Vec<usize> = (0..self.count).filter(|i| i % HELD_OUT != 0).collect();
        let mut random = Pcg64Mcg::seed_from_u64(0);
        let steps = PASSES * training.len();
        let averaged = steps - steps / 2;
        for t in 0..steps {
            let share: f64 = StandardUniform.sample(&mut random);
            let i = training[(share * training.len() as f64) as usize % training.len()];
            let scores: Vec<f64> = model.chunks_exact(d).map(|weights| self.rows.dot(i, weights)).collect();
            let rate = step / (1.0 + t as f64 / training.len() as f64).sqrt();
            // Step t is in this share of the models that are averaged.
            let share = (steps - t).min(averaged) as f64 / averaged as f64;
            let both = model.chunks_exact_mut(d).zip(average.chunks_exact_mut(d));
            for ((weights, average), gradient) in both.zip(gradients(i, &scores)) {
                self.rows.add(i, -rate * gradient, weights);
                self.rows.add(i, -rate * gradient * share, average);
            }
        }
        average
    }

    fn accuracy(&self, classes: &[usize], count: usize) -> Quality {
        let softmax = |i: usize, scores: &[f64]| {
            let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let powers: Vec<f64> = scores.iter().map(|score| (score - largest).exp()).collect();
            let total: f64 = powers.iter().sum();
            let is = |class: usize| f64::from(u8::from(classes[i] == class));
            powers.iter().enumerate().map(|(class, power)| power / total - is(class)).collect()
        };
        let model = self.train(count, 2.0, softmax);
        let predicted = |i: usize| {
            let scores = model.chunks_exact(self.rows.dimension()).map(|weights| self.rows.dot(i, weights));
            scores.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(class, _)| class)
        };
        let mut frequency = vec![0; count];
        (0..self.count).for_each(|i| frequency[classes[i]] += 1);
        let frequent = (0..count).max_by_key(|&class| frequency[class]).unwrap_or(0);
        let total = self.held_out().count() as f64;
        let share =
            |right: &dyn Fn(usize) -> bool| self.held_out().filter(|&i| right(i)).count() as f64 / total;
        Quality::Accuracy {
            model: share(&|i| predicted(i) == classes[i]),
            majority: share(&|i| frequent == classes[i]),
        }
    }

    fn distance(&self, y: &[f64]) -> Quality {
        let mut sorted = y[..self.count].to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let median = super::number::quantile(&sorted, 0.5);
        // Steps in units of the labels' spread, so that they suit labels of any size.
        let spread = sorted.iter().map(|y| (y - median).abs()).sum::<f64>() / sorted.len() as f64;
        let spread = if spread > 0.0 && spread.is_finite() { spread } else { 1.0 };
        let model = self.train(1, 0.5, |i, scores| vec![scores[0] - (y[i] - median) / spread]);
        let total = self.held_out().count() as f64;
        let mean = |guess: &dyn Fn(usize) -> f64| {
            self.held_out().map(|i| (y[i] - guess(i)).abs() / total).sum::<f64>()
        };
        Quality::Distance {
            model: mean(&|i| median + spread * self.rows.dot(i, &model)),
            median: mean(&|_| median),
        }
    }
}
