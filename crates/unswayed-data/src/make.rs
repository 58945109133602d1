//! From a table to rows z. This is the only place where rows are computed.

use std::borrow::Cow;
use std::sync::Arc;

use crate::error::{DataError, Part, Place, Problem};
use crate::labels::{self, LabelPolicy};
use crate::steps::{self, ClassWeightPolicy, ClassWeights};
use crate::table::{Table, clear_signs_of_zero};
use crate::{Dataset, Labels, Origin, Pattern, digest, norms};

/// How data are to be read.
///
/// ```
/// use unswayed_data::{LabelPolicy, Reading, Source, load};
///
/// let stars = Source::bytes("stars.csv", "a,stars,trust\n3,0.5,1\n4,-1,2\n");
/// let reading = Reading {
///     labels: LabelPolicy::Scores,
///     label_column: Some("stars".into()),
///     weight_column: Some("trust".into()),
///     normalize: true,
///     ..Reading::default()
/// };
/// let data = load(&stars, &reading)?;
/// assert_eq!(data.weights(), Some(&[1.0, 2.0][..]));
/// # Ok::<(), unswayed_data::DataError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// What the labels are.
    pub labels: LabelPolicy,
    /// The label column of a table; `label` if `None`.
    pub label_column: Option<String>,
    /// The column, or the array of an `.npz` file, that holds the weights. Without it all rows count the same.
    pub weight_column: Option<String>,
    /// The column, or the array of an `.npz` file, that holds what the learner's step on each row is multiplied by.
    pub step_weight_column: Option<String>,
    /// What the learner's step on the rows of each class is multiplied by.
    pub class_weights: Option<ClassWeightPolicy>,
    /// The columns of a table that are features, in this order; all that are not labels or weights if `None`.
    pub columns: Option<Vec<String>>,
    /// Columns of a table that are not features.
    pub drop_columns: Vec<String>,
    /// Divide all rows by the largest norm. Without it a row of norm above 1 is refused.
    pub normalize: bool,
    /// Divide all rows by this number instead, as other data were divided. Rows may then have any norm.
    pub scale: Option<f64>,
    /// Write sparse rows out, with all their zeros: for learners and adversaries that sparse rows are not supported for.
    pub dense: bool,
    /// Use only so many rows from the top; labels and scale are then told from these alone.
    pub rows: Option<usize>,
}

impl Reading {
    /// Default settings but for the labels.
    pub fn labels(labels: LabelPolicy) -> Self {
        Reading { labels, ..Reading::default() }
    }

    pub(crate) fn divide(&self) -> Divide {
        match (self.scale, self.normalize) {
            (Some(scale), _) => Divide::By(scale),
            (None, true) => Divide::ByLargestNorm,
            (None, false) => Divide::Not,
        }
    }
}

/// What rows are divided by.
#[derive(Clone, Copy)]
pub(crate) enum Divide {
    /// This number.
    By(f64),
    /// The largest norm.
    ByLargestNorm,
    /// Nothing; then no row may be longer than 1, but for samples.
    Not,
}

/// Where a table is from, and how its parts are called in messages.
pub(crate) struct About {
    pub file: String,
    pub label_file: Option<String>,
    pub label_column: Option<String>,
    pub weight_column: Option<String>,
    pub step_weight_column: Option<String>,
    pub chosen_columns: Option<Vec<String>>,
    pub files: Option<Vec<String>>,
    pub of: usize,
    pub labels: Part,
    pub weights: Part,
    pub step_weights: Part,
}

impl About {
    /// A table in memory.
    pub fn memory() -> Self {
        About {
            file: String::new(),
            label_file: None,
            label_column: None,
            weight_column: None,
            step_weight_column: None,
            chosen_columns: None,
            files: None,
            of: 0,
            labels: Part::memory("y"),
            weights: Part::memory("weight"),
            step_weights: Part::memory("step_weight"),
        }
    }
}

/// Makes the rows of a table that has been checked, in the order that [`Origin`] documents.
pub(crate) fn rows(
    table: Table,
    labels: Labels,
    class_weights: Option<ClassWeights>,
    divide: Divide,
    about: About,
) -> Result<Dataset, DataError> {
    let is_supported = matches!(labels, Labels::Classes { .. } | Labels::Scores | Labels::Premultiplied);
    if table.pattern.is_some() && !is_supported {
        return Err(Problem::SparseLabels.into());
    }
    let steps = steps::of_rows(&table, &labels, class_weights)?;
    let (z, scale) = entries(&table, &labels, divide, &about)?;
    let columns = if labels == Labels::Preferences { table.columns / 2 } else { table.columns };
    let z = match z {
        Cow::Owned(z) => Some(z),
        Cow::Borrowed(_) => None,
    };
    let kept = table.pattern.as_ref().map(Pattern::compact);
    let weight_column = about.weight_column.unwrap_or_else(|| "weight".to_owned());
    let step_weight_column = about.step_weight_column.unwrap_or_else(|| "step_weight".to_owned());
    let origin = Origin {
        file: about.file,
        label_file: about.label_file,
        label_column: about.label_column,
        weight_column: table.weights.is_some().then_some(weight_column),
        step_weight_column: table.step_weights.is_some().then_some(step_weight_column),
        class_weights,
        chosen_columns: about.chosen_columns,
        files: about.files,
        scale,
        rows: table.rows(),
        of: about.of,
        columns: kept.as_ref().map_or(columns, |(kept, _)| kept.len()),
        of_columns: kept.is_some().then_some(columns),
        sha256: digest::of(&table),
        labels,
        made: None,
    };
    Ok(Dataset::new(z, kept.map(Arc::new), steps, Arc::new(table), origin))
}

/// The entries of the rows of a table that has been checked, and by what they were divided.
pub(crate) fn entries<'a>(
    table: &'a Table,
    labels: &Labels,
    divide: Divide,
    about: &About,
) -> Result<(Cow<'a, [f64]>, f64), DataError> {
    let mut z = Cow::Borrowed(table.x.as_slice());
    let mut columns = table.columns;
    let mut front = None;
    let y = || labels::values(table.y.as_ref(), labels).map_err(|error| about.labels.blame(error));
    match labels {
        Labels::Classes { .. } | Labels::Scores => multiply(z.to_mut(), table, &y()?),
        Labels::Multiclass { .. } | Labels::Numbers => front = Some(y()?),
        Labels::Preferences => {
            z = differences(table)?.into();
            columns /= 2;
        }
        Labels::Premultiplied | Labels::None => {}
    }
    let scale = divided(&mut z, (table, columns), divide, *labels == Labels::None)?;
    if let Cow::Owned(z) = &mut z {
        clear_signs_of_zero(z);
    }
    if let Some(i) = z.iter().position(|value| !value.is_finite()) {
        return Err(Problem::Overflow.at(Place::row(table.row_of(i, columns))));
    }
    if let Some(front) = front {
        z = labelled(&z, columns, &front).into();
    }
    Ok((z, scale))
}

fn multiply(z: &mut [f64], table: &Table, y: &[f64]) {
    let mut rest = z;
    for (row, y) in table.split(&table.x, table.columns).zip(y) {
        let (row, after) = rest.split_at_mut(row.len());
        for value in row {
            *value *= y;
        }
        rest = after;
    }
}

/// Rows chosen − rejected.
fn differences(table: &Table) -> Result<Vec<f64>, DataError> {
    if !table.columns.is_multiple_of(2) {
        return Err(Problem::OddColumns(table.columns).into());
    }
    let pairs = table.x.chunks_exact(table.columns).map(|row| row.split_at(table.columns / 2));
    Ok(pairs.flat_map(|(chosen, rejected)| chosen.iter().zip(rejected).map(|(c, r)| c - r)).collect())
}

/// Divides the rows, and returns by what; refuses long rows if they are not divided and not samples.
fn divided(
    z: &mut Cow<[f64]>,
    (table, columns): (&Table, usize),
    divide: Divide,
    samples: bool,
) -> Result<f64, DataError> {
    let scale = match divide {
        Divide::By(scale) if scale > 0.0 && scale.is_finite() => scale,
        Divide::By(scale) => return Err(Problem::BadScale(scale).into()),
        Divide::ByLargestNorm => norms::scale(table.split(z, columns), columns)?,
        Divide::Not => 1.0,
    };
    if matches!(divide, Divide::Not) && !samples {
        norms::check(table.split(z, columns))?;
    }
    if scale.to_bits() != 1_f64.to_bits() {
        z.to_mut().iter_mut().for_each(|value| *value /= scale);
    }
    Ok(scale)
}

/// Puts each row's class or label in front of it.
fn labelled(x: &[f64], columns: usize, front: &[f64]) -> Vec<f64> {
    let rows = front.iter().zip(x.chunks_exact(columns));
    rows.flat_map(|(first, x)| std::iter::once(*first).chain(x.iter().copied())).collect()
}
