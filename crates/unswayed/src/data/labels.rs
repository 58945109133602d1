//! From labels as they stand in a file to −1 and +1, or to scores.

use std::path::Path;

use super::error::{DataError, Place, Problem, excerpt};
use super::load::{LabelPolicy, read_label_file};
use super::source::Location;

/// Labels as read.
pub(super) enum RawLabels {
    /// One finite number per row.
    Numbers(Vec<f64>),
    /// Text of at most two kinds.
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
        let mut collector = LabelCollector::default();
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

/// Collects text labels of at most two kinds.
#[derive(Default)]
pub(super) struct TextLabels {
    kinds: Vec<String>,
    /// Whether the row's label is the second kind.
    second: Vec<bool>,
}

impl TextLabels {
    /// Takes the next row's label; an error if it is a third kind or empty.
    pub fn push(&mut self, label: &[u8]) -> Result<(), DataError> {
        if label.is_empty() {
            return Err(Problem::MissingValue.at(Place::row(self.second.len())));
        }
        let known = self.kinds.iter().position(|kind| kind.as_bytes() == label);
        let kind = known.unwrap_or(self.kinds.len());
        if kind == 2 {
            let [first, second] = [0, 1].map(|i| excerpt(self.kinds[i].as_bytes()));
            let third = excerpt(label);
            let row = Place::row(self.second.len());
            return Err(Problem::ThirdLabel { first, second, third }.at(row));
        }
        if known.is_none() {
            let text = std::str::from_utf8(label).map_err(|_| {
                let cause = "a label is not UTF-8 text".to_owned();
                Problem::Damaged(cause).at(Place::row(self.second.len()))
            })?;
            self.kinds.push(text.to_owned());
        }
        self.second.push(kind == 1);
        Ok(())
    }

    fn into_classes(self) -> Result<Labels, DataError> {
        let [first, second] = <[String; 2]>::try_from(self.kinds).map_err(one_class)?;
        let first_is_positive = first > second;
        let sign = |second: &bool| {
            if *second == first_is_positive { -1.0 } else { 1.0 }
        };
        let y = self.second.iter().map(sign).collect();
        let classes = if first_is_positive { (second, first) } else { (first, second) };
        Ok(Labels { y, classes: Some(classes) })
    }
}

fn one_class(kinds: Vec<String>) -> DataError {
    kinds.into_iter().next().map_or(Problem::NoRows, Problem::OneClass).into()
}

/// Collects labels of which it is not known yet whether they are numbers.
#[derive(Default)]
pub(super) struct LabelCollector {
    numbers: Vec<f64>,
    not_numeric: bool,
    texts: TextLabels,
    third: Option<DataError>,
}

impl LabelCollector {
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
