//! Tables as they stand in a file: numbers and texts, with values that are missing.

use std::collections::HashMap;

use crate::labels::RawLabels;

/// A table whose columns are numbers or texts, with gaps. [`crate::Table`] is what can be certified; this is what it may be made
/// of.
///
/// ```
/// use unswayed_data::{Cells, Reading, Source, load_frame};
///
/// let mail = Source::bytes("mail.csv", "size,from,label\n12,uk,spam\n,de,ham\n");
/// let frame = load_frame(&mail, &Reading::default(), |_| None)?;
/// let Cells::Numbers(size) = &frame.columns[0].cells else { panic!() };
/// assert!(size[0] == 12.0 && size[1].is_nan());
/// let Cells::Texts(from) = &frame.columns[1].cells else { panic!() };
/// assert_eq!(from.iter().collect::<Vec<_>>(), [Some("uk"), Some("de")]);
/// # Ok::<(), unswayed_data::DataError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// The features.
    pub columns: Vec<FrameColumn>,
    /// The labels.
    pub y: Option<RawLabels>,
    /// The weights; all rows count the same without them.
    pub weights: Option<Vec<f64>>,
    /// How many rows there are.
    pub rows: usize,
}

/// A column of a [`Frame`].
#[derive(Clone, Debug, PartialEq)]
pub struct FrameColumn {
    /// Its name.
    pub name: String,
    /// What it holds, one for each row.
    pub cells: Cells,
}

/// What a column holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Finite numbers; NaN where one is missing.
    Numbers(Vec<f64>),
    /// Texts.
    Texts(TextCells),
}

/// Texts, each different one stored once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextCells {
    levels: Vec<String>,
    of: Vec<Option<u32>>,
    place: HashMap<String, u32>,
}

impl TextCells {
    /// Adds the next row's text; `None` if it is missing.
    pub fn push(&mut self, text: Option<&str>) {
        let level = text.map(|text| {
            let next = self.levels.len() as u32;
            let level = self.place.get(text).copied().unwrap_or(next);
            if level == next {
                self.place.insert(text.to_owned(), level);
                self.levels.push(text.to_owned());
            }
            level
        });
        self.of.push(level);
    }

    /// The texts in turn.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<&str>> {
        self.of.iter().map(|level| level.map(|level| self.levels[level as usize].as_str()))
    }

    /// The text of a row; `None` if it is missing, or there is no such row.
    pub fn get(&self, row: usize) -> Option<&str> {
        let level = (*self.of.get(row)?)?;
        self.levels.get(level as usize).map(String::as_str)
    }

    /// The different texts, in the order in which they appear.
    pub fn levels(&self) -> &[String] {
        &self.levels
    }

    /// For each row the place of its text among the levels.
    pub fn places(&self) -> &[Option<u32>] {
        &self.of
    }
}

impl FromIterator<Option<String>> for TextCells {
    fn from_iter<I: IntoIterator<Item = Option<String>>>(texts: I) -> Self {
        let mut cells = TextCells::default();
        texts.into_iter().for_each(|text| cells.push(text.as_deref()));
        cells
    }
}
