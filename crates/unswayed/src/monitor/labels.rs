//! Labels of a stream: what they mean is fixed once and for all, not told from each window anew.

use std::collections::HashMap;

use crate::data::{LabelPolicy, Labels, RawLabels};

/// A label that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LabelError {
    /// It is no class.
    #[error("the label {0:?} is none of {1}; correct it, or name all classes")]
    OtherClass(String, String),
    /// It is no score.
    #[error("the label {0:?} is not a number in [−1, 1]; correct it")]
    NoScore(String),
    /// It is no number.
    #[error("the label {0:?} is not a finite number; correct it")]
    NoNumber(String),
    /// There is no label.
    #[error("the row has no label")]
    Missing,
    /// It is not known yet what the other class is.
    #[error("all labels so far are {0:?}; name both classes, the negative one first")]
    OneClass(String),
    /// There must be classes, and they are not named.
    #[error("the classes of a stream must be known from the start; name all of them")]
    NoClasses,
}

/// Turns labels into numbers, and back.
///
/// ```
/// use unswayed::data::LabelPolicy;
/// use unswayed::monitor::LabelReader;
///
/// let mut labels = LabelReader::new(LabelPolicy::Detect, vec![])?;
/// let codes = [labels.code(Some("spam"))?, labels.code(Some("ham"))?, labels.code(Some("spam"))?];
/// assert!(labels.code(Some("eggs")).is_err());
/// assert_eq!(labels.meaning()?.classes(), ["ham", "spam"]);
/// assert_eq!(codes.map(|code| labels.text(code)), ["spam", "ham", "spam"]);
/// # Ok::<(), unswayed::monitor::LabelError>(())
/// ```
#[derive(Clone, Debug)]
pub struct LabelReader {
    policy: LabelPolicy,
    /// The classes: as named, or in the order in which they came.
    classes: Vec<String>,
    places: HashMap<String, usize>,
    are_named: bool,
}

impl LabelReader {
    /// Labels of this kind. Classes may be named, the negative one first; two may be left to the stream's first two different labels.
    ///
    /// # Errors
    /// Several classes that are not named.
    pub fn new(policy: LabelPolicy, classes: Vec<String>) -> Result<Self, LabelError> {
        if policy == LabelPolicy::Multiclass && classes.is_empty() {
            return Err(LabelError::NoClasses);
        }
        let places = classes.iter().cloned().zip(0..).collect();
        Ok(LabelReader { policy, are_named: !classes.is_empty(), classes, places })
    }

    /// Whether rows have labels.
    pub fn is_labelled(&self) -> bool {
        self.policy.is_labelled()
    }

    pub(super) fn are_preferences(&self) -> bool {
        self.policy == LabelPolicy::Preferences
    }

    /// The classes that were named, or have come.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// Takes classes as having come in this order.
    pub(super) fn resume(&mut self, classes: Vec<String>) {
        self.places = classes.iter().cloned().zip(0..).collect();
        self.classes = classes;
    }

    /// A label as a number.
    ///
    /// # Errors
    /// A label that cannot be used.
    pub fn code(&mut self, label: Option<&str>) -> Result<f64, LabelError> {
        if !self.is_labelled() {
            return Ok(0.0);
        }
        let label = label.ok_or(LabelError::Missing)?;
        let number = || label.parse::<f64>().ok().filter(|number| number.is_finite());
        match self.policy {
            LabelPolicy::Scores => number()
                .filter(|score| score.abs() <= 1.0)
                .ok_or_else(|| LabelError::NoScore(label.to_owned())),
            LabelPolicy::Numbers => number().ok_or_else(|| LabelError::NoNumber(label.to_owned())),
            _ => self.class(label).map(|class| class as f64),
        }
    }

    fn class(&mut self, label: &str) -> Result<usize, LabelError> {
        if let Some(&class) = self.places.get(label) {
            return Ok(class);
        }
        if self.are_named || self.classes.len() == 2 {
            return Err(LabelError::OtherClass(label.to_owned(), self.classes.join(", ")));
        }
        self.places.insert(label.to_owned(), self.classes.len());
        self.classes.push(label.to_owned());
        Ok(self.classes.len() - 1)
    }

    /// The label of a number.
    pub fn text(&self, code: f64) -> String {
        match self.policy {
            LabelPolicy::Scores | LabelPolicy::Numbers => code.to_string(),
            _ => self.classes.get(code as usize).cloned().unwrap_or_default(),
        }
    }

    /// What the labels mean.
    ///
    /// # Errors
    /// If only one class has come.
    pub fn meaning(&self) -> Result<Labels, LabelError> {
        Ok(match self.policy {
            LabelPolicy::Scores => Labels::Scores,
            LabelPolicy::Numbers => Labels::Numbers,
            LabelPolicy::Premultiplied => Labels::Premultiplied,
            LabelPolicy::Preferences => Labels::Preferences,
            LabelPolicy::None => Labels::None,
            LabelPolicy::Multiclass => Labels::Multiclass { labels: self.classes.clone() },
            LabelPolicy::Detect => {
                let [first, second] = self.classes.as_slice() else {
                    return Err(LabelError::OneClass(self.classes.join(", ")));
                };
                let is_swapped = !self.are_named && self.is_first_larger(first, second);
                let (negative, positive) = if is_swapped { (second, first) } else { (first, second) };
                Labels::Classes { negative: negative.clone(), positive: positive.clone() }
            }
        })
    }

    /// Numbers by size, texts by their bytes.
    fn is_first_larger(&self, first: &str, second: &str) -> bool {
        match self.numbers() {
            Some(numbers) => numbers[0] > numbers[1],
            None => first > second,
        }
    }

    /// The classes, if all are numbers.
    fn numbers(&self) -> Option<Vec<f64>> {
        self.classes.iter().map(|class| class.parse().ok()).collect()
    }

    /// Labels as they would stand in a file.
    pub(super) fn raw(&self, codes: &[f64]) -> Option<RawLabels> {
        if !self.is_labelled() {
            return None;
        }
        if matches!(self.policy, LabelPolicy::Scores | LabelPolicy::Numbers) {
            return Some(RawLabels::Numbers(codes.to_vec()));
        }
        match self.numbers() {
            Some(numbers) => {
                Some(RawLabels::Numbers(codes.iter().map(|code| numbers[*code as usize]).collect()))
            }
            None => RawLabels::texts(codes.iter().map(|code| &self.classes[*code as usize])).ok(),
        }
    }
}
