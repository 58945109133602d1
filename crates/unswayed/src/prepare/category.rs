//! Columns of texts: a column for each frequent one, and one for all others.

use serde::{Deserialize, Serialize};
use unswayed_data::TextCells;

/// At most so many texts get a column of their own.
const MOST_LEVELS: usize = 50;
/// A text in fewer of the training rows is pooled with others.
const RARE: f64 = 0.01;
/// And one in fewer rows than this, whatever their share.
const FEWEST_ROWS: usize = 5;

/// What is done to a column of texts: for each level 1 if the text is that level and else 0, minus the level's share of the training
/// rows, divided by a scale that makes the sum of the columns' variances 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CategoryStep {
    /// The frequent texts, the most frequent first, with their shares of the training rows.
    pub levels: Vec<(String, f64)>,
    /// The share of all other texts, if there were any: they have a column in common.
    pub other: Option<f64>,
    /// The share of rows without a text, if there were any: they have a column too.
    pub missing: Option<f64>,
    pub scale: f64,
}

impl CategoryStep {
    /// Looks at a column. An error says why it is of no use.
    pub fn fit(texts: &TextCells) -> Result<CategoryStep, String> {
        let rows = texts.places().len();
        let mut counts = vec![0_usize; texts.levels().len()];
        texts.places().iter().flatten().for_each(|&level| counts[level as usize] += 1);
        let present: usize = counts.iter().sum();
        match texts.levels() {
            [] => return Err("no row has a value".to_owned()),
            [only] if present == rows => return Err(format!("it is {only:?} in every row")),
            many if many.len() > MOST_LEVELS && many.len() > present / 2 => {
                return Err(format!(
                    "{} different texts in {present} rows: a name, or free text, whose words --text-column and --hash count",
                    many.len()
                ));
            }
            _ => {}
        }
        let mut order: Vec<usize> = (0..counts.len()).collect();
        // Equally frequent ones by their bytes, so that the order of the rows does not matter.
        order.sort_by_key(|&level| (std::cmp::Reverse(counts[level]), &texts.levels()[level]));
        let share = |count: usize| count as f64 / rows as f64;
        let is_frequent = |count: usize| count >= FEWEST_ROWS && share(count) >= RARE;
        let frequent = order.into_iter().take(MOST_LEVELS).filter(|&level| is_frequent(counts[level]));
        let levels: Vec<(String, f64)> =
            frequent.map(|level| (texts.levels()[level].clone(), share(counts[level]))).collect();
        let frequent: f64 = levels.iter().map(|(_, share)| share).sum();
        let rest = share(present) - frequent;
        let other = (levels.len() < texts.levels().len()).then_some(rest.max(share(1)));
        let missing = (present < rows).then(|| share(rows - present));
        let shares = levels.iter().map(|(_, share)| *share).chain(other).chain(missing);
        let scale = shares.map(|share| share * (1.0 - share)).sum::<f64>().sqrt();
        if scale > 0.0 {
            Ok(CategoryStep { levels, other, missing, scale })
        } else {
            Err("its texts are all rare".to_owned())
        }
    }

    /// How many columns it becomes.
    pub fn width(&self) -> usize {
        self.levels.len() + usize::from(self.other.is_some()) + usize::from(self.missing.is_some())
    }

    /// Appends what becomes of a text. A text that the training rows did not have counts among the others.
    pub fn apply(&self, text: Option<&str>, row: &mut Vec<f64>) {
        let known = text.and_then(|text| self.levels.iter().position(|(level, _)| level == text));
        let mut push = |is_this: bool, share: f64| {
            row.push((f64::from(u8::from(is_this)) - share) / self.scale);
        };
        for (i, (_, share)) in self.levels.iter().enumerate() {
            push(known == Some(i), *share);
        }
        if let Some(share) = self.other {
            push(known.is_none() && text.is_some(), share);
        }
        if let Some(share) = self.missing {
            push(text.is_none(), share);
        }
    }

    /// Whether a text has a column of its own.
    pub fn knows(&self, text: &str) -> bool {
        self.levels.iter().any(|(level, _)| level == text)
    }

    /// What is done and why, in words.
    pub fn describe(&self) -> String {
        let mut parts = vec![format!("texts: a column for each of {}", self.levels.len())];
        parts.extend(
            self.other.map(|share| format!("one for all rarer ones ({:.1} % of the rows)", 100.0 * share)),
        );
        parts.extend(self.missing.map(|share| format!("one for missing values ({:.1} %)", 100.0 * share)));
        parts.join(", ")
    }

    /// Refuses numbers that no fit gives.
    pub fn validate(&self) -> Result<(), String> {
        let shares = self.levels.iter().map(|(_, share)| *share).chain(self.other).chain(self.missing);
        let mut names: Vec<&String> = self.levels.iter().map(|(level, _)| level).collect();
        names.sort_unstable();
        let distinct = names.windows(2).all(|pair| pair[0] != pair[1]);
        if shares.into_iter().all(f64::is_finite) && self.scale > 0.0 && self.scale.is_finite() && distinct {
            Ok(())
        } else {
            Err("a number of a column is not finite, or a text stands twice".to_owned())
        }
    }
}
