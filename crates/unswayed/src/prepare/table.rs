//! From a table as people have it to rows that can be certified.
//!
//! ```text
//! columns: missing values filled in, long tails shortened, standardized; texts as one column each ──► random Fourier features
//!     (optional) ──► top singular directions (optional) ──► norm at most 1 ──► a constant appended (the bias)
//! ```
//!
//! Everything is fitted on the training rows alone, looking at one column at a time. [`TableTransform::columns`] says what was done
//! to each and why.

use serde::{Deserialize, Serialize};
use unswayed_data::{Cells, DataError, Frame, FrameColumn, LabelPolicy, Labels, RawLabels};

use super::category::CategoryStep;
use super::fourier::Fourier;
use super::number::NumberStep;
use super::quality::Quality;
use super::rows::{BIAS, RowNorm};
use super::svd::right_singular_vectors;
use super::{PrepareError, Prepared, fingerprints_of};
use crate::certify::dot;

/// A table of which more than this share of the rows were trained on is refused; some rows of a table are equal by chance.
pub(super) const MOST_SEEN: f64 = 0.5;
/// Of the two norms, clipping is chosen where its quick model is better by more than this.
const CLEARLY_BETTER: f64 = 0.01;

/// What is wanted of a fit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableOptions {
    /// Make so many random Fourier features.
    pub fourier: Option<usize>,
    /// Keep so many singular directions.
    pub directions: Option<usize>,
    /// How rows get a norm of at most 1; if `None`, divided by their norms unless clipping is clearly better.
    pub norm: Option<RowNorms>,
    /// What the labels are.
    pub labels: LabelKind,
}

/// The ways to a norm of at most 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowNorms {
    /// Each row is divided by its norm.
    Unit,
    /// All rows are divided by a norm that few exceed; these are shortened.
    Clip,
}

/// What labels are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LabelKind {
    /// Two different ones are two classes, several texts or a few whole numbers are several, other numbers are what a regression
    /// predicts; numbers in [−1, 1] are scores.
    #[default]
    Detect,
    /// Two or more classes.
    Classes,
    /// Scores in [−1, 1].
    Scores,
    /// Numbers that a regression predicts.
    Numbers,
}

/// Whole numbers of at most so many kinds are taken for classes.
const MOST_NUMBERED_CLASSES: usize = 20;

impl LabelKind {
    /// Decides what labels are.
    pub(super) fn decide(self, y: &RawLabels) -> Result<Labels, DataError> {
        let policy = match self {
            LabelKind::Scores => LabelPolicy::Scores,
            LabelKind::Numbers => LabelPolicy::Numbers,
            LabelKind::Detect | LabelKind::Classes => LabelPolicy::Detect,
        };
        let found = y.interpret(policy).map(|(_, labels)| labels);
        match (self, found) {
            (LabelKind::Classes, Ok(Labels::Scores) | Err(_)) | (LabelKind::Detect, Err(_)) => {}
            (_, found) => return found,
        }
        let several = y.interpret(LabelPolicy::Multiclass).map(|(_, labels)| labels);
        let is_numbered = |numbers: &[f64], classes: usize| {
            classes <= MOST_NUMBERED_CLASSES && numbers.iter().all(|number| number.fract() == 0.0)
        };
        match (self, several, y) {
            (LabelKind::Detect, Ok(labels), RawLabels::Numbers(numbers))
                if labels.classes().len() > 2 && !is_numbered(numbers, labels.classes().len()) =>
            {
                Ok(Labels::Numbers)
            }
            (LabelKind::Detect, Err(_), RawLabels::Numbers(numbers)) if numbers.len() > 1000 => {
                Ok(Labels::Numbers)
            }
            (_, several, _) => several,
        }
    }
}

/// What is done to a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(super) enum Step {
    Number(NumberStep),
    Category(CategoryStep),
    /// Nothing; the text says why.
    Dropped(String),
}

/// A column of the table and what is done to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ColumnPlan {
    pub name: String,
    pub step: Step,
}

impl ColumnPlan {
    fn fit(column: &FrameColumn) -> ColumnPlan {
        let step = match &column.cells {
            Cells::Numbers(numbers) => NumberStep::fit(numbers).map(Step::Number),
            Cells::Texts(texts) => CategoryStep::fit(texts).map(Step::Category),
        };
        ColumnPlan { name: column.name.clone(), step: step.unwrap_or_else(Step::Dropped) }
    }

    pub fn width(&self) -> usize {
        match &self.step {
            Step::Number(step) => step.width(),
            Step::Category(step) => step.width(),
            Step::Dropped(_) => 0,
        }
    }
}

/// A fitted preparation of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableTransform {
    pub(super) columns: Vec<ColumnPlan>,
    /// What the labels are, if there were any.
    pub(super) labels: Option<Labels>,
    /// The column that they were in, if it was named.
    pub(super) label_column: Option<String>,
    pub(super) fourier: Option<Fourier>,
    /// Singular directions, one after the other.
    pub(super) directions: Option<Vec<f64>>,
    pub(super) norm: RowNorm,
    pub(super) bias: f64,
    /// Fingerprints of the training rows, sorted.
    pub(super) seen: Vec<u64>,
}

/// Rows of a table after the transform.
#[derive(Clone, Debug, PartialEq)]
pub struct PreparedTable {
    /// The rows.
    pub rows: Prepared,
    /// Their labels: −1 and +1, the numbers of classes, scores or numbers.
    pub y: Option<Vec<f64>>,
    /// How many rows are equal to one that the transform was fitted on.
    pub seen: usize,
    /// How many texts have no column of their own because the training rows did not have them, or rarely.
    pub unknown: usize,
}

/// Why a table cannot be prepared.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The labels are not what they should be.
    #[error(transparent)]
    Labels(#[from] DataError),
    /// The features cannot be prepared.
    #[error(transparent)]
    Rows(#[from] PrepareError),
    /// No column is left.
    #[error("no column is of use: {0}")]
    NoColumns(String),
    /// Texts, or what is wanted of them, cannot be used.
    #[error("{0}")]
    Texts(String),
    /// A column that the transform was fitted on is not there, or holds something else.
    #[error(
        "the column {name:?} is missing or does not hold {wanted}, as it did where the transform was fitted"
    )]
    Column {
        /// Its name.
        name: String,
        /// `numbers` or `texts`.
        wanted: &'static str,
    },
}

impl TableTransform {
    /// Fits the transform, and returns the training rows as it makes them.
    ///
    /// ```
    /// use unswayed::data::{Reading, Source, load_frame};
    /// use unswayed::prepare::{TableOptions, TableTransform};
    /// let mut text = String::from("size,country,empty,label\n");
    /// for i in 0..40 {
    ///     let (size, label) = if i % 2 == 0 { (i * i, "ham") } else { (1000 + i, "spam") };
    ///     text += &format!("{size},{},0,{label}\n", ["uk", "de"][i / 2 % 2]);
    /// }
    /// let frame = load_frame(&Source::bytes("mail.csv", text), &Reading::default(), |_| None)?;
    /// let (transform, prepared) = TableTransform::fit(&frame, &TableOptions::default())?;
    /// assert_eq!(prepared.rows.dimension, 4); // the size, two countries, the bias
    /// assert_eq!(transform.columns()[2], ("empty".to_owned(), "left out: it is 0 in every row".to_owned()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fit(train: &Frame, options: &TableOptions) -> Result<(TableTransform, PreparedTable), TableError> {
        let columns: Vec<ColumnPlan> = train.columns.iter().map(ColumnPlan::fit).collect();
        if columns.iter().all(|plan| plan.width() == 0) {
            let reasons = columns.iter().filter_map(|plan| match &plan.step {
                Step::Dropped(reason) => Some(format!("{}: {reason}", plan.name)),
                _ => None,
            });
            return Err(TableError::NoColumns(reasons.take(3).collect::<Vec<_>>().join("; ")));
        }
        let labels = train.y.as_ref().map(|y| options.labels.decide(y)).transpose()?;
        let mut transform = TableTransform {
            columns,
            labels,
            label_column: None,
            fourier: None,
            directions: None,
            norm: RowNorm::Unit,
            bias: BIAS,
            seen: Vec::new(),
        };
        let mut x = transform.encoded(train)?;
        transform.seen = fingerprints_of(&x, transform.encoded_width()).collect();
        transform.seen.sort_unstable();
        transform.fit_features(&mut x, options)?;
        let y = transform.labels_of(train)?;
        transform.norm = transform.choose_norm(&x, y.as_deref(), options.norm);
        let rows = transform.finish(&x);
        Ok((transform, PreparedTable { rows, y, seen: 0, unknown: 0 }))
    }

    /// Random Fourier features and singular directions, where wanted.
    fn fit_features(&mut self, x: &mut Vec<f64>, options: &TableOptions) -> Result<(), PrepareError> {
        let mut width = self.encoded_width();
        if let Some(count) = options.fourier {
            let fourier = Fourier::fit(x, width, count);
            *x = fourier.apply(x, width);
            (self.fourier, width) = (Some(fourier), count);
        }
        let Some(wanted) = options.directions else { return Ok(()) };
        let rows = x.len() / width;
        let most = rows.min(width);
        if wanted == 0 {
            return Err(PrepareError::NoDirections);
        }
        if wanted > most {
            return Err(PrepareError::TooManyDirections { wanted, rows, columns: width, most });
        }
        let directions = right_singular_vectors(x, width, wanted);
        *x = project(&directions, x, width);
        self.directions = Some(directions);
        Ok(())
    }

    fn choose_norm(&self, x: &[f64], y: Option<&[f64]>, wanted: Option<RowNorms>) -> RowNorm {
        let clip = RowNorm::clip(x, self.dimension() - 1);
        match (wanted, y, &self.labels) {
            (Some(RowNorms::Unit), ..) => RowNorm::Unit,
            (None, Some(y), Some(labels)) => {
                let quality = |norm: RowNorm| {
                    let (rows, _) = norm.apply(x, self.dimension() - 1, self.bias);
                    Quality::measure(&rows, self.dimension(), y, labels)
                };
                match (quality(RowNorm::Unit), quality(clip)) {
                    (Some(unit), Some(clipped)) if is_better(clipped, unit) => clip,
                    _ => RowNorm::Unit,
                }
            }
            // As wanted, or because there are no labels to tell: lengths are kept.
            _ => clip,
        }
    }

    /// Treats another table as the training rows were treated. Columns are found by their names, and others are ignored. Labels
    /// mean what they meant there. A table with mostly rows that the fit has seen is refused unless `allow_seen`.
    pub fn apply(&self, frame: &Frame, allow_seen: bool) -> Result<PreparedTable, TableError> {
        let mut x = self.encoded(frame)?;
        let mut width = self.encoded_width();
        let fingerprints = fingerprints_of(&x, width).enumerate();
        let seen: Vec<usize> =
            fingerprints.filter(|(_, f)| self.seen.binary_search(f).is_ok()).map(|(row, _)| row).collect();
        let (count, first) = (seen.len(), seen.first().copied().unwrap_or(0));
        if !allow_seen && count as f64 > MOST_SEEN * frame.rows as f64 {
            return Err(PrepareError::Leak { count, rows: frame.rows, first }.into());
        }
        if let Some(fourier) = &self.fourier {
            x = fourier.apply(&x, width);
            width = fourier.phases.len();
        }
        if let Some(directions) = &self.directions {
            x = project(directions, &x, width);
        }
        Ok(PreparedTable {
            rows: self.finish(&x),
            y: self.labels_of(frame)?,
            seen: count,
            unknown: self.unknown(frame),
        })
    }

    /// What is done to each column and why, in words.
    pub fn columns(&self) -> Vec<(String, String)> {
        let words = |plan: &ColumnPlan| match &plan.step {
            Step::Number(step) => step.describe(),
            Step::Category(step) => step.describe(),
            Step::Dropped(reason) => format!("left out: {reason}"),
        };
        self.columns.iter().map(|plan| (plan.name.clone(), words(plan))).collect()
    }

    /// The names of the columns that it needs, and whether they hold texts.
    pub fn needs(&self) -> impl Iterator<Item = (&str, bool)> {
        let used = self.columns.iter().filter(|plan| plan.width() > 0);
        used.map(|plan| (plan.name.as_str(), matches!(plan.step, Step::Category(_))))
    }

    /// The same with the name of the column that the labels were in, if it was named. It is where labels are looked for again.
    #[must_use]
    pub fn with_label_column(mut self, name: Option<String>) -> Self {
        self.label_column = name;
        self
    }

    /// The column that the labels were in, if it was named.
    pub fn label_column(&self) -> Option<&str> {
        self.label_column.as_deref()
    }

    /// What the labels are, if it was fitted with labels.
    pub fn labels(&self) -> Option<&Labels> {
        self.labels.as_ref()
    }

    /// The entries of a prepared row; the last is the bias.
    pub fn dimension(&self) -> usize {
        let width = match (&self.directions, &self.fourier) {
            (Some(directions), _) => directions.len() / self.projected_width(),
            (None, Some(fourier)) => fourier.phases.len(),
            (None, None) => self.encoded_width(),
        };
        width + 1
    }

    /// How rows get a norm of at most 1, in words.
    pub fn norm(&self) -> String {
        self.norm.describe()
    }

    /// The column of the prepared rows that holds most of their mean square, by the name of what it is made of, and its share. The
    /// bias does not count.
    pub fn heaviest(&self, rows: &Prepared) -> Option<(String, f64)> {
        if self.fourier.is_some() || self.directions.is_some() {
            return None;
        }
        let mut squares = vec![0.0; rows.dimension - 1];
        for row in rows.x.chunks_exact(rows.dimension) {
            squares.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * x);
        }
        let total: f64 = squares.iter().sum();
        let (heaviest, square) = squares.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
        let names = self.columns.iter().flat_map(|plan| std::iter::repeat_n(&plan.name, plan.width()));
        Some((names.into_iter().nth(heaviest)?.clone(), square / total))
    }

    pub(super) fn encoded_width(&self) -> usize {
        self.columns.iter().map(ColumnPlan::width).sum()
    }

    /// The entries of a row before it is projected on the singular directions.
    pub(super) fn projected_width(&self) -> usize {
        self.fourier.as_ref().map_or_else(|| self.encoded_width(), |fourier| fourier.phases.len())
    }

    /// The columns as numbers, row after row.
    fn encoded(&self, frame: &Frame) -> Result<Vec<f64>, TableError> {
        let used: Vec<&ColumnPlan> = self.columns.iter().filter(|plan| plan.width() > 0).collect();
        let cells = |plan: &&ColumnPlan| {
            let column = frame.columns.iter().find(|column| column.name == plan.name);
            let fits = column.filter(|column| match (&plan.step, &column.cells) {
                (Step::Number(_), Cells::Numbers(_)) | (Step::Category(_), Cells::Texts(_)) => true,
                // A column without any value looks like numbers.
                (Step::Category(_), Cells::Numbers(numbers)) => numbers.iter().all(|number| number.is_nan()),
                _ => false,
            });
            let wanted = if matches!(plan.step, Step::Number(_)) { "numbers" } else { "texts" };
            fits.ok_or_else(|| TableError::Column { name: plan.name.clone(), wanted })
        };
        let columns = used.iter().map(cells).collect::<Result<Vec<&FrameColumn>, TableError>>()?;
        let mut x = Vec::with_capacity(frame.rows * self.encoded_width());
        for i in 0..frame.rows {
            for (plan, column) in used.iter().zip(&columns) {
                match (&plan.step, &column.cells) {
                    (Step::Number(step), Cells::Numbers(numbers)) => step.apply(numbers[i], &mut x),
                    (Step::Category(step), Cells::Texts(texts)) => {
                        step.apply(texts.get(i), &mut x);
                    }
                    (Step::Category(step), Cells::Numbers(_)) => step.apply(None, &mut x),
                    _ => {}
                }
            }
        }
        Ok(x)
    }

    fn finish(&self, x: &[f64]) -> Prepared {
        let (rows, shortened) = self.norm.apply(x, self.dimension() - 1, self.bias);
        Prepared { x: rows, dimension: self.dimension(), shortened }
    }

    fn labels_of(&self, frame: &Frame) -> Result<Option<Vec<f64>>, TableError> {
        match (&frame.y, &self.labels) {
            (Some(y), Some(labels)) => Ok(Some(y.values(labels)?)),
            _ => Ok(None),
        }
    }

    fn unknown(&self, frame: &Frame) -> usize {
        let of = |plan: &ColumnPlan| {
            let column = frame.columns.iter().find(|column| column.name == plan.name);
            match (&plan.step, column.map(|column| &column.cells)) {
                (Step::Category(step), Some(Cells::Texts(texts))) => {
                    texts.iter().flatten().filter(|text| !step.knows(text)).count()
                }
                _ => 0,
            }
        };
        self.columns.iter().map(of).sum()
    }
}

fn is_better(clipped: Quality, unit: Quality) -> bool {
    match (clipped, unit) {
        (Quality::Accuracy { model: a, .. }, Quality::Accuracy { model: b, .. }) => a > b + CLEARLY_BETTER,
        (Quality::Distance { model: a, .. }, Quality::Distance { model: b, .. }) => {
            a < b * (1.0 - CLEARLY_BETTER)
        }
        _ => false,
    }
}

fn project(directions: &[f64], x: &[f64], width: usize) -> Vec<f64> {
    let row = |x: &[f64]| directions.chunks_exact(width).map(|v| dot(v, x)).collect::<Vec<f64>>();
    x.chunks_exact(width).flat_map(row).collect()
}
