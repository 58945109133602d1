//! Labels: as they stand in a file, and what becomes of them.

use std::collections::HashMap;

use crate::Labels;
use crate::error::{DataError, Place, Problem, excerpt};

/// More classes than this are taken for a mistake, such as scores.
pub(crate) const MOST_CLASSES: usize = 1000;
/// A longer text is no label.
pub(crate) const LONGEST_LABEL: usize = 1000;

/// What the labels of data are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LabelPolicy {
    /// Two different labels are classes: the smaller number, or the text that sorts first, becomes −1 and
    /// the other +1. More than two different numbers, all in [−1, 1], are scores. An `.npz` file with an array `z`
    /// holds the rows themselves.
    #[default]
    Detect,
    /// Labels are scores in [−1, 1], even if there are only two of them.
    Scores,
    /// Labels are two or more classes, which are numbered from 0 in the order of their labels: numbers by size, texts by
    /// their bytes. A row is the number of its class, then its features.
    Multiclass,
    /// Labels are numbers, which a regression predicts. A row is its label, then its features.
    Numbers,
    /// The rows are z = label · features already: an `.npz` array `z`, or every column of another file.
    Premultiplied,
    /// There are no labels; a row is the difference of the features of what was chosen and of what was rejected.
    Preferences,
    /// There are no labels and the rows are samples of any length, as for mean estimation: an `.npz` array `x`, or every
    /// column of another file.
    None,
}

impl LabelPolicy {
    /// Whether there are labels beside the features.
    pub fn is_labelled(self) -> bool {
        matches!(
            self,
            LabelPolicy::Detect | LabelPolicy::Scores | LabelPolicy::Multiclass | LabelPolicy::Numbers
        )
    }
}

/// How labels that became `labels` are to be read.
pub(crate) fn policy(labels: &Labels) -> LabelPolicy {
    match labels {
        Labels::Classes { .. } => LabelPolicy::Detect,
        Labels::Scores => LabelPolicy::Scores,
        Labels::Multiclass { .. } => LabelPolicy::Multiclass,
        Labels::Numbers => LabelPolicy::Numbers,
        Labels::Premultiplied => LabelPolicy::Premultiplied,
        Labels::Preferences => LabelPolicy::Preferences,
        Labels::None => LabelPolicy::None,
    }
}

/// Labels as read, one for each row.
#[derive(Clone, Debug, PartialEq)]
pub enum RawLabels {
    /// Numbers: classes or scores.
    Numbers(Vec<f64>),
    /// Texts: classes.
    Texts(TextLabels),
}

/// Labels that are text, each kind of them stored once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextLabels {
    kinds: Vec<String>,
    of: Vec<usize>,
    place: HashMap<String, usize>,
}

impl TextLabels {
    /// The labels in turn.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.of.iter().map(|&kind| self.kinds[kind].as_str())
    }

    /// Takes the next row's label, without surrounding white space.
    pub(crate) fn push(&mut self, label: &str) -> Result<(), Problem> {
        let label = label.trim();
        let kind = match self.place.get(label) {
            Some(&kind) => kind,
            None if label.is_empty() => return Err(Problem::MissingValue),
            None if label.len() > LONGEST_LABEL => return Err(Problem::LongLabel(label.len())),
            None if self.kinds.len() == MOST_CLASSES => return Err(Problem::TooManyClasses),
            None => {
                self.place.insert(label.to_owned(), self.kinds.len());
                self.kinds.push(label.to_owned());
                self.kinds.len() - 1
            }
        };
        self.of.push(kind);
        Ok(())
    }
}

impl RawLabels {
    /// Labels that are texts, without surrounding white space.
    ///
    /// # Errors
    ///
    /// Refuses empty labels, long ones, and more than 1000 different ones.
    pub fn texts<T: AsRef<str>>(labels: impl IntoIterator<Item = T>) -> Result<Self, DataError> {
        let mut texts = TextLabels::default();
        for (row, label) in labels.into_iter().enumerate() {
            texts.push(label.as_ref()).map_err(|problem| problem.at(Place::row(row)))?;
        }
        Ok(RawLabels::Texts(texts))
    }

    /// Labels of a text file: numbers if every one of them is a number or a truth value, texts otherwise.
    ///
    /// # Errors
    ///
    /// As [`RawLabels::texts`].
    ///
    /// ```
    /// use unswayed_data::RawLabels;
    /// assert_eq!(RawLabels::parse(["1", "False"])?, RawLabels::Numbers(vec![1.0, 0.0]));
    /// assert_eq!(RawLabels::parse(["1", "no"])?, RawLabels::texts(["1", "no"])?);
    /// # Ok::<(), unswayed_data::DataError>(())
    /// ```
    pub fn parse<T: AsRef<str>>(labels: impl IntoIterator<Item = T>) -> Result<Self, DataError> {
        let mut parser = LabelParser::default();
        for (row, label) in labels.into_iter().enumerate() {
            parser.push(label.as_ref()).map_err(|problem| problem.at(Place::row(row)))?;
        }
        Ok(parser.finish())
    }

    /// The numbers that features are multiplied by, or the numbers of the classes, and what was found.
    ///
    /// # Errors
    ///
    /// Refuses labels that are not what the policy says.
    ///
    /// ```
    /// use unswayed_data::{LabelPolicy, RawLabels};
    /// let (y, labels) = RawLabels::texts(["dog", "cat", "dog"])?.interpret(LabelPolicy::Detect)?;
    /// assert_eq!((y, labels.classes()), (vec![1.0, -1.0, 1.0], vec!["cat", "dog"]));
    /// # Ok::<(), unswayed_data::DataError>(())
    /// ```
    pub fn interpret(&self, policy: LabelPolicy) -> Result<(Vec<f64>, Labels), DataError> {
        let labels = decide(Some(self), policy)?;
        Ok((values(Some(self), &labels)?, labels))
    }

    /// The numbers that features are multiplied by, or those of the classes, of labels whose meaning is known.
    ///
    /// # Errors
    ///
    /// Refuses labels that have no such meaning.
    ///
    /// ```
    /// use unswayed_data::{Labels, RawLabels};
    /// let known = Labels::Classes { negative: "cat".into(), positive: "dog".into() };
    /// assert_eq!(RawLabels::texts(["dog", "dog"])?.values(&known)?, [1.0, 1.0]);
    /// assert!(RawLabels::texts(["cow"])?.values(&known).is_err());
    /// # Ok::<(), unswayed_data::DataError>(())
    /// ```
    pub fn values(&self, labels: &Labels) -> Result<Vec<f64>, DataError> {
        values(Some(self), labels)
    }

    /// These labels and then others of the same kind.
    #[cfg(feature = "files")]
    pub(crate) fn followed_by(self, next: RawLabels) -> Option<RawLabels> {
        match (self, next) {
            (RawLabels::Numbers(mut numbers), RawLabels::Numbers(more)) => {
                numbers.extend(more);
                Some(RawLabels::Numbers(numbers))
            }
            (RawLabels::Texts(mut texts), RawLabels::Texts(more)) => {
                more.iter().try_for_each(|label| texts.push(label)).ok()?;
                Some(RawLabels::Texts(texts))
            }
            _ => None,
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        match self {
            RawLabels::Numbers(numbers) => numbers.len(),
            RawLabels::Texts(texts) => texts.of.len(),
        }
    }

    /// The first ones.
    pub(crate) fn first(&self, rows: usize) -> RawLabels {
        match self {
            RawLabels::Numbers(numbers) => RawLabels::Numbers(numbers[..rows].to_vec()),
            RawLabels::Texts(texts) => {
                let mut first = TextLabels::default();
                // They have been accepted before, so they are again.
                texts.iter().take(rows).for_each(|label| drop(first.push(label)));
                RawLabels::Texts(first)
            }
        }
    }

    /// Those with these indices.
    pub(crate) fn pick(&self, rows: &[usize]) -> RawLabels {
        match self {
            RawLabels::Numbers(numbers) => RawLabels::Numbers(rows.iter().map(|&row| numbers[row]).collect()),
            RawLabels::Texts(texts) => {
                let all: Vec<&str> = texts.iter().collect();
                let mut picked = TextLabels::default();
                // They have been accepted before, so they are again.
                for &row in rows {
                    drop(picked.push(all[row]));
                }
                RawLabels::Texts(picked)
            }
        }
    }

    /// Refuses numbers that are not finite.
    pub(crate) fn check(&self) -> Result<(), DataError> {
        let RawLabels::Numbers(numbers) = self else { return Ok(()) };
        match numbers.iter().position(|number| !number.is_finite()) {
            Some(row) => Err(Problem::NotFinite(numbers[row]).at(Place::row(row))),
            None => Ok(()),
        }
    }

    /// The different labels, in order: numbers by size, texts by their bytes.
    fn kinds(&self) -> Vec<String> {
        match self {
            RawLabels::Numbers(numbers) => {
                let mut kinds: Vec<f64> = numbers.iter().map(|number| number + 0.0).collect();
                kinds.sort_by(f64::total_cmp);
                kinds.dedup();
                kinds.truncate(MOST_CLASSES + 1);
                kinds.into_iter().map(text).collect()
            }
            RawLabels::Texts(texts) => {
                let mut kinds = texts.kinds.clone();
                kinds.sort();
                kinds
            }
        }
    }
}

/// Collects labels of which it is not known yet whether they are numbers.
pub(crate) struct LabelParser {
    numbers: Option<Vec<f64>>,
    texts: Result<TextLabels, Problem>,
}

impl Default for LabelParser {
    fn default() -> Self {
        LabelParser { numbers: Some(Vec::new()), texts: Ok(TextLabels::default()) }
    }
}

impl LabelParser {
    /// Takes the next row's label.
    pub fn push(&mut self, label: &str) -> Result<(), Problem> {
        match (&mut self.numbers, number(label)) {
            (Some(numbers), Some(value)) => numbers.push(value),
            // Too many kinds for texts, so they were meant to be numbers.
            (Some(_), None) if self.texts.is_err() && !label.trim().is_empty() => {
                return Err(Problem::NotANumber(excerpt(label)));
            }
            (numbers, _) => *numbers = None,
        }
        if let Ok(texts) = &mut self.texts
            && let Err(problem) = texts.push(label)
        {
            if self.numbers.is_none() {
                return Err(problem);
            }
            self.texts = Err(problem);
        }
        Ok(())
    }

    pub fn finish(self) -> RawLabels {
        match self.numbers {
            Some(numbers) => RawLabels::Numbers(numbers),
            None => RawLabels::Texts(self.texts.unwrap_or_default()),
        }
    }
}

/// A cell as a number: truth values are 1 and 0; NaN and infinity count as numbers here.
pub(crate) fn number(cell: &str) -> Option<f64> {
    match cell.trim() {
        cell if cell.eq_ignore_ascii_case("true") => Some(1.0),
        cell if cell.eq_ignore_ascii_case("false") => Some(0.0),
        cell => cell.parse().ok(),
    }
}

/// The labels, if the policy is about labels; an error if they are missing, or there and not wanted.
pub(crate) fn present(y: Option<&RawLabels>, policy: LabelPolicy) -> Result<Option<&RawLabels>, DataError> {
    match (y, policy.is_labelled()) {
        (None, true) => Err(Problem::NoLabels.into()),
        (Some(_), false) => Err(Problem::UnwantedLabels.into()),
        _ => Ok(y),
    }
}

/// What labels are under a policy.
pub(crate) fn decide(y: Option<&RawLabels>, policy: LabelPolicy) -> Result<Labels, DataError> {
    let Some(y) = y else {
        return Ok(match policy {
            LabelPolicy::Preferences => Labels::Preferences,
            LabelPolicy::None => Labels::None,
            _ => Labels::Premultiplied,
        });
    };
    if policy == LabelPolicy::Scores {
        return Ok(Labels::Scores);
    }
    if policy == LabelPolicy::Numbers {
        return Ok(Labels::Numbers);
    }
    let kinds = y.kinds();
    match <[String; 2]>::try_from(kinds) {
        Ok([negative, positive]) if policy != LabelPolicy::Multiclass => {
            Ok(Labels::Classes { negative, positive })
        }
        Ok(kinds) => Ok(Labels::Multiclass { labels: kinds.to_vec() }),
        Err(kinds) if kinds.len() < 2 => {
            Err(kinds.into_iter().next().map_or(Problem::NoRows, Problem::OneClass).into())
        }
        Err(kinds) if kinds.len() > MOST_CLASSES && policy == LabelPolicy::Multiclass => {
            Err(Problem::TooManyClasses.into())
        }
        Err(labels) if policy == LabelPolicy::Multiclass => Ok(Labels::Multiclass { labels }),
        Err(_) => match y {
            RawLabels::Numbers(numbers) if numbers.iter().all(|y| y.abs() <= 1.0) => Ok(Labels::Scores),
            _ => Err(third_label(y)),
        },
    }
}

/// Names the label that is one too many: the third one or, among numbers, the one that is no number.
fn third_label(y: &RawLabels) -> DataError {
    let all: Vec<String> = match y {
        RawLabels::Numbers(numbers) => numbers.iter().copied().map(text).collect(),
        RawLabels::Texts(texts) => texts.iter().map(str::to_owned).collect(),
    };
    let Some(first) = all.first().cloned() else { return Problem::NoRows.into() };
    let second = all.iter().find(|label| **label != first).unwrap_or(&first).clone();
    let Some(row) = all.iter().position(|label| *label != first && *label != second) else {
        return Problem::OneClass(first).into();
    };
    let numeric = [&first, &second, &all[row]].into_iter().all(|label| number(label).is_some());
    if let Some(row) = all.iter().position(|label| number(label).is_none()).filter(|_| numeric) {
        return Problem::NotANumber(excerpt(&all[row])).at(Place::row(row));
    }
    let [first, second, third] = [&first, &second, &all[row]].map(|label| excerpt(label));
    Problem::ThirdLabel { first, second, third }.at(Place::row(row))
}

/// −1 and +1, scores, the numbers of classes, or labels that are numbers: one for each row.
pub(crate) fn values(y: Option<&RawLabels>, labels: &Labels) -> Result<Vec<f64>, DataError> {
    let Some(y) = y else { return Ok(Vec::new()) };
    match (y, labels) {
        (RawLabels::Numbers(numbers), Labels::Scores) => {
            match numbers.iter().position(|value| value.abs() > 1.0) {
                Some(row) => Err(Problem::ScoreOutOfRange(numbers[row]).at(Place::row(row))),
                None => Ok(numbers.clone()),
            }
        }
        (RawLabels::Numbers(numbers), Labels::Numbers) => Ok(numbers.iter().map(|y| y + 0.0).collect()),
        (RawLabels::Texts(texts), Labels::Numbers) => {
            let row = texts.iter().position(|label| number(label).is_none()).unwrap_or_default();
            let label = texts.iter().nth(row).unwrap_or_default();
            Err(Problem::NotANumber(excerpt(label)).at(Place::row(row)))
        }
        (RawLabels::Texts(texts), Labels::Scores) => {
            let first = texts.iter().next().unwrap_or_default();
            Err(Problem::TextScore(excerpt(first)).at(Place::row(0)))
        }
        (_, Labels::Classes { .. }) => {
            Ok(classes(y, labels)?.into_iter().map(|class| if class == 0 { -1.0 } else { 1.0 }).collect())
        }
        _ => Ok(classes(y, labels)?.into_iter().map(|class| class as f64).collect()),
    }
}

/// The number of each row's class.
fn classes(y: &RawLabels, labels: &Labels) -> Result<Vec<usize>, DataError> {
    let known: HashMap<&str, usize> = labels.classes().into_iter().zip(0..).collect();
    let unknown = |(row, label): (usize, String)| {
        Problem::UnknownLabel { label: excerpt(&label), known: known.len() }.at(Place::row(row))
    };
    match y {
        RawLabels::Texts(texts) => {
            let class = |(row, label): (usize, &str)| {
                known.get(label).copied().ok_or_else(|| unknown((row, label.into())))
            };
            texts.iter().enumerate().map(class).collect()
        }
        RawLabels::Numbers(numbers) => {
            // Looked up by value; a label is a number only in its shortest form.
            let value = |label: &str| label.parse().ok().filter(|&value| text(value) == label);
            let known: HashMap<u64, usize> = known
                .iter()
                .filter_map(|(label, &class)| Some(((value(label)? + 0.0).to_bits(), class)))
                .collect();
            let class = |(row, &label): (usize, &f64)| {
                let class = known.get(&(label + 0.0).to_bits()).copied();
                class.ok_or_else(|| unknown((row, text(label))))
            };
            numbers.iter().enumerate().map(class).collect()
        }
    }
}

/// A number as a label: in its shortest form; −0 is 0.
fn text(label: f64) -> String {
    format!("{}", label + 0.0)
}
