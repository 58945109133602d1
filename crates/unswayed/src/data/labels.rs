//! From labels as they stand in a file to −1 and +1, to scores, or to the numbers of classes.

use std::path::Path;

use super::error::{DataError, Place, Problem, excerpt};
use super::load::{LabelPolicy, read_label_file};
use super::source::Location;

/// More classes than this are taken for a mistake, such as scores.
pub(super) const MOST_CLASSES: usize = 1000;

/// Labels as read.
pub(super) enum RawLabels {
    /// One finite number per row.
    Numbers(Vec<f64>),
    /// Text of a few kinds.
    Texts(TextLabels),
}

/// Labels as used: one y per row, and the two labels that became −1 and +1 unless they are scores.
#[derive(Clone, Debug, PartialEq)]
pub struct Labels {
    /// y, one per row.
    pub y: Vec<f64>,
    /// What became −1 and what became +1.
    pub classes: Option<(String, String)>,
}

impl Labels {
    /// Labels that are text, or numbers written as text; `file` is where they are from.
    ///
    /// # Errors
    ///
    /// Refuses what [`super::load()`] refuses in a label column.
    ///
    /// ```
    /// use unswayed::data::{LabelPolicy, Labels};
    /// let labels = Labels::from_texts(["dog", "cat", "dog"], LabelPolicy::Detect, "pictures")?;
    /// assert_eq!(labels.y, [1.0, -1.0, 1.0]);
    /// assert_eq!(labels.classes, Some(("cat".into(), "dog".into())));
    /// assert!(Labels::from_texts(["dog", "cat", "cow"], LabelPolicy::Detect, "pictures").is_err());
    /// # Ok::<(), unswayed::data::DataError>(())
    /// ```
    pub fn from_texts<'a>(
        labels: impl IntoIterator<Item = &'a str>,
        policy: LabelPolicy,
        file: &str,
    ) -> Result<Labels, DataError> {
        let mut collector = LabelCollector::new(policy);
        let mut cells = labels.into_iter().enumerate();
        let taken = cells.try_for_each(|(row, label)| collector.push(row, label.trim().as_bytes()));
        taken.and_then(|()| interpret(collector.finish(), policy)).map_err(|error| error.in_file(file))
    }

    /// Labels in a `.npy` file that must have `total` of them; all, or the first `rows`.
    ///
    /// # Errors
    ///
    /// Refuses what [`super::load()`] refuses in a label file.
    pub fn load(
        path: impl AsRef<Path>,
        total: usize,
        rows: Option<usize>,
        policy: LabelPolicy,
    ) -> Result<Labels, DataError> {
        let file = Location::Path(path.as_ref().to_owned());
        read_label_file(&file, total, rows)
            .and_then(|y| interpret(RawLabels::Numbers(y), policy))
            .map_err(|error| error.in_file(&file.display()))
    }
}

/// Collects text labels of a few kinds: two, or so many as there may be classes.
pub(super) struct TextLabels {
    most: usize,
    kinds: Vec<String>,
    /// The kind of each row's label.
    of: Vec<usize>,
}

impl TextLabels {
    /// No labels yet.
    pub fn new(policy: LabelPolicy) -> Self {
        let most = if policy == LabelPolicy::Classes { MOST_CLASSES } else { 2 };
        Self { most, kinds: Vec::new(), of: Vec::new() }
    }

    /// Takes the next row's label; an error if it is one kind too many or empty.
    pub fn push(&mut self, label: &[u8]) -> Result<(), DataError> {
        let row = Place::row(self.of.len());
        if label.is_empty() {
            return Err(Problem::MissingValue.at(row));
        }
        let known = self.kinds.iter().position(|kind| kind.as_bytes() == label);
        let kind = known.unwrap_or(self.kinds.len());
        if kind == self.most {
            return Err(self.too_many(label).at(row));
        }
        if known.is_none() {
            let text = std::str::from_utf8(label);
            let text = text.map_err(|_| Problem::Damaged("a label is not UTF-8 text".to_owned()).at(row))?;
            self.kinds.push(text.to_owned());
        }
        self.of.push(kind);
        Ok(())
    }

    fn too_many(&self, label: &[u8]) -> Problem {
        if self.most != 2 {
            return Problem::TooManyClasses;
        }
        let [first, second] = [0, 1].map(|i| excerpt(self.kinds[i].as_bytes()));
        Problem::ThirdLabel { first, second, third: excerpt(label) }
    }

    fn into_classes(self) -> Result<Labels, DataError> {
        let [first, second] = <[String; 2]>::try_from(self.kinds).map_err(one_class)?;
        let first_is_positive = first > second;
        let sign = |kind: &usize| {
            if (*kind == 1) == first_is_positive { -1.0 } else { 1.0 }
        };
        let y = self.of.iter().map(sign).collect();
        let classes = if first_is_positive { (second, first) } else { (first, second) };
        Ok(Labels { y, classes: Some(classes) })
    }
}

fn one_class(kinds: Vec<String>) -> DataError {
    kinds.into_iter().next().map_or(Problem::NoRows, Problem::OneClass).into()
}

/// Collects labels of which it is not known yet whether they are numbers.
pub(super) struct LabelCollector {
    numbers: Vec<f64>,
    not_numeric: bool,
    texts: TextLabels,
    third: Option<DataError>,
}

impl LabelCollector {
    /// No labels yet.
    pub fn new(policy: LabelPolicy) -> Self {
        Self { numbers: Vec::new(), not_numeric: false, texts: TextLabels::new(policy), third: None }
    }

    /// Takes the next row's label.
    pub fn push(&mut self, row: usize, cell: &[u8]) -> Result<(), DataError> {
        if !self.not_numeric {
            match number(cell) {
                Some(value) if value.is_finite() => self.numbers.push(value),
                Some(value) => return Err(Problem::NotFinite(value).at(Place::row(row))),
                None if cell.is_empty() => return Err(Problem::MissingValue.at(Place::row(row))),
                None if self.third.is_some() => {
                    return Err(Problem::NotANumber(excerpt(cell)).at(Place::row(row)));
                }
                None => self.not_numeric = true,
            }
        }
        if self.third.is_none()
            && let Err(error) = self.texts.push(cell)
        {
            if self.not_numeric {
                return Err(error);
            }
            self.third = Some(error);
        }
        Ok(())
    }

    /// Numbers if all labels were numbers, texts otherwise.
    pub fn finish(self) -> RawLabels {
        if self.not_numeric { RawLabels::Texts(self.texts) } else { RawLabels::Numbers(self.numbers) }
    }
}

/// A cell as a number; NaN and infinity count as numbers here.
pub(super) fn number(cell: &[u8]) -> Option<f64> {
    std::str::from_utf8(cell).ok()?.parse().ok()
}

/// Turns labels into y under a policy.
pub(super) fn interpret(raw: RawLabels, policy: LabelPolicy) -> Result<Labels, DataError> {
    match (raw, policy) {
        (RawLabels::Texts(texts), LabelPolicy::Scores) => {
            let first = texts.kinds.first().cloned().unwrap_or_default();
            Err(Problem::TextScore(excerpt(first.as_bytes())).at(Place::row(0)))
        }
        (RawLabels::Texts(texts), _) => texts.into_classes(),
        (RawLabels::Numbers(y), LabelPolicy::Scores) => scores(y),
        (RawLabels::Numbers(y), _) => classes_or_scores(y),
    }
}

/// Numbers the classes from 0, in the order of their labels: numbers by size, texts by their bytes. Returns the number of
/// each row's class, and the labels.
pub(super) fn numbered(raw: RawLabels) -> Result<(Vec<f64>, Vec<String>), DataError> {
    let (of, kinds): (Vec<usize>, Vec<String>) = match raw {
        RawLabels::Texts(TextLabels { of, kinds, .. }) => {
            let mut sorted = kinds.clone();
            sorted.sort();
            (of.iter().map(|&kind| rank(&sorted, |other| other.cmp(&kinds[kind]))).collect(), sorted)
        }
        RawLabels::Numbers(y) => {
            let mut sorted: Vec<f64> = y.iter().map(|y| y + 0.0).collect();
            sorted.sort_by(f64::total_cmp);
            sorted.dedup();
            if sorted.len() > MOST_CLASSES {
                return Err(Problem::TooManyClasses.into());
            }
            let of = y.iter().map(|y| rank(&sorted, |other| other.total_cmp(&(y + 0.0)))).collect();
            (of, sorted.into_iter().map(text).collect())
        }
    };
    if kinds.len() < 2 {
        return Err(one_class(kinds));
    }
    Ok((of.into_iter().map(|class| class as f64).collect(), kinds))
}

/// The place of one that is there.
fn rank<T>(sorted: &[T], order: impl Fn(&T) -> std::cmp::Ordering) -> usize {
    sorted.binary_search_by(order).unwrap_or_default()
}

fn scores(y: Vec<f64>) -> Result<Labels, DataError> {
    match y.iter().position(|value| value.abs() > 1.0) {
        Some(row) => Err(Problem::ScoreOutOfRange(y[row]).at(Place::row(row))),
        None => Ok(Labels { y, classes: None }),
    }
}

#[allow(clippy::float_cmp)] // two labels are the same class exactly if they are the same number
fn classes_or_scores(mut y: Vec<f64>) -> Result<Labels, DataError> {
    let first = *y.first().ok_or(Problem::NoRows)?;
    let Some(&second) = y.iter().find(|&&value| value != first) else {
        return Err(Problem::OneClass(text(first)).into());
    };
    if let Some(row) = y.iter().position(|&value| value != first && value != second) {
        let [first, second, third] = [first, second, y[row]].map(text);
        let third = Problem::ThirdLabel { first, second, third }.at(Place::row(row));
        return scores(y).map_err(|_| third);
    }
    let (negative, positive) = (first.min(second), first.max(second));
    for value in &mut y {
        *value = if *value == positive { 1.0 } else { -1.0 };
    }
    Ok(Labels { y, classes: Some((text(negative), text(positive))) })
}

/// A numeric label as text; −0 is 0.
fn text(label: f64) -> String {
    format!("{}", label + 0.0)
}
