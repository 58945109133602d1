//! What a look at all rows of a table finds, a part at a time: the digest, the labels and the longest rows.

use serde::{Deserialize, Serialize};

use crate::digest::Running;
use crate::error::{DataError, Place, Problem, excerpt};
use crate::labels::{self, RawLabels};
use crate::make::{About, Divide, Reading};
use crate::norms::{self, Longest};
use crate::table::Table;
use crate::{Labels, Origin};

/// What a look at all rows finds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Found {
    pub(super) columns: usize,
    pub(super) rows: usize,
    #[serde(skip)]
    hash: Option<Running>,
    labels: Kinds,
    /// The longest rows x, and those of y·x for labels that are numbers.
    longest: Longest,
    scored: Longest,
}

impl Found {
    pub(super) fn new(rows: usize) -> Found {
        Found {
            columns: 0,
            rows,
            hash: None,
            labels: Kinds::default(),
            longest: Longest::default(),
            scored: Longest::default(),
        }
    }

    pub(super) fn take(&mut self, first: usize, table: &Table, about: &About) -> Result<(), DataError> {
        self.columns = table.columns;
        self.hash.get_or_insert_with(|| Running::new(self.rows, table.columns)).numbers(&table.x);
        self.longest.take(first, table.x.chunks_exact(table.columns), None);
        let Some(y) = &table.y else { return Ok(()) };
        if let RawLabels::Numbers(numbers) = y {
            self.scored.take(first, table.x.chunks_exact(table.columns), Some(numbers));
        }
        self.labels.take(first, y).map_err(|error| about.labels.blame(error))
    }

    /// What the labels are.
    pub(super) fn labels(&self, reading: &Reading) -> Result<Labels, DataError> {
        self.labels.decide(reading)
    }

    /// What rows with such labels are divided by.
    pub(super) fn scale(&self, reading: &Reading, labels: &Labels) -> Result<f64, DataError> {
        let longest = if *labels == Labels::Scores { &self.scored } else { &self.longest };
        match reading.divide() {
            Divide::By(scale) if scale > 0.0 && scale.is_finite() => Ok(scale),
            Divide::By(scale) => Err(Problem::BadScale(scale).into()),
            Divide::ByLargestNorm => longest.scale(self.columns),
            Divide::Not => longest.check().map(|()| 1.0),
        }
    }

    /// How the rows were made of a table that had `of` rows.
    pub(super) fn origin(
        &self,
        reading: &Reading,
        about: About,
        of: usize,
        sha256: String,
    ) -> Result<Origin, DataError> {
        let labels = self.labels(reading).map_err(|error| about.labels.blame(error))?;
        refuse_kind(reading, &labels)?;
        Ok(Origin {
            file: about.file,
            label_file: about.label_file,
            scale: self.scale(reading, &labels)?,
            labels,
            label_column: about.label_column,
            weight_column: None,
            step_weight_column: None,
            class_weights: None,
            chosen_columns: about.chosen_columns,
            files: about.files,
            rows: self.rows,
            of,
            columns: self.columns,
            of_columns: None,
            sha256,
            made: None,
        })
    }

    pub(super) fn digest(&mut self) -> String {
        let hash = self.hash.take().unwrap_or_else(|| Running::new(self.rows, self.columns));
        self.digest_after(hash)
    }

    /// The digest, after that of all features.
    pub(super) fn digest_after(&self, mut hash: Running) -> String {
        self.labels.hash(&mut hash);
        hash.finish(None, None)
    }

    /// Refuses rows whose norm is no number.
    pub(super) fn require_finite(&self) -> Result<(), DataError> {
        [&self.longest, &self.scored]
            .into_iter()
            .try_for_each(|longest| longest.scale(self.columns).map(drop))
    }

    /// Adds what was found in the rows that follow.
    pub(super) fn merge(&mut self, later: &Found) -> Result<(), DataError> {
        let first = self.rows;
        self.longest.merge(first, &later.longest);
        self.scored.merge(first, &later.scored);
        self.rows += later.rows;
        self.labels.merge(first, &later.labels)
    }
}

/// Refuses what is not read in parts.
pub(super) fn refuse_kind(reading: &Reading, labels: &Labels) -> Result<(), DataError> {
    if reading.weight_column.is_some()
        || reading.step_weight_column.is_some()
        || reading.class_weights.is_some()
    {
        return Err(Problem::NotInParts("weights of rows and steps").into());
    }
    match labels {
        Labels::Classes { .. } | Labels::Scores | Labels::Premultiplied => Ok(()),
        _ => Err(Problem::NotInParts("labels other than two classes and scores").into()),
    }
}

/// The labels of all rows: a bit for each as long as there are two different ones.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Kinds {
    count: usize,
    /// The different labels, as they stand in the files.
    numbers: Vec<f64>,
    texts: Vec<String>,
    /// Which of the two it is.
    bits: Vec<u64>,
    /// All labels, once there are more than two different numbers.
    all: Option<Vec<f64>>,
}

impl Kinds {
    fn take(&mut self, first: usize, y: &RawLabels) -> Result<(), DataError> {
        match y {
            RawLabels::Numbers(_) if !self.texts.is_empty() => {
                Err(Problem::UnlikeFiles(String::new()).into())
            }
            RawLabels::Texts(_) if !self.numbers.is_empty() => {
                Err(Problem::UnlikeFiles(String::new()).into())
            }
            RawLabels::Numbers(numbers) => {
                for number in numbers {
                    self.take_number(*number);
                }
                Ok(())
            }
            RawLabels::Texts(texts) => {
                let mut rows = texts.iter().enumerate();
                rows.try_for_each(|(row, label)| self.take_text(first + row, label))
            }
        }
    }

    /// Takes the labels of the rows that follow.
    fn merge(&mut self, first: usize, later: &Kinds) -> Result<(), DataError> {
        let kinds = |of: &Kinds| (!of.texts.is_empty(), of.count > 0);
        let (own, other) = (kinds(self), kinds(later));
        if first > 0 && own != other {
            return Err(Problem::UnlikeFiles(String::new()).into());
        }
        match &later.all {
            Some(all) => all.iter().for_each(|number| self.take_number(*number)),
            None if later.texts.is_empty() => {
                (0..later.count).for_each(|row| self.take_number(later.numbers[later.kind(row)]));
            }
            None => {
                let mut rows = 0..later.count;
                rows.try_for_each(|row| self.take_text(first + row, &later.texts[later.kind(row)]))?;
            }
        }
        Ok(())
    }

    fn take_number(&mut self, number: f64) {
        if let Some(all) = &mut self.all {
            all.push(number);
            self.count += 1;
            return;
        }
        match self.numbers.iter().position(|known| known.to_bits() == number.to_bits()) {
            Some(kind) => self.push(kind),
            None if self.numbers.len() < 2 => {
                self.numbers.push(number);
                self.push(self.numbers.len() - 1);
            }
            None => {
                let mut all: Vec<f64> = (0..self.count).map(|row| self.numbers[self.kind(row)]).collect();
                all.push(number);
                self.all = Some(all);
                self.count += 1;
            }
        }
    }

    fn take_text(&mut self, row: usize, label: &str) -> Result<(), DataError> {
        match self.texts.iter().position(|known| known == label) {
            Some(kind) => self.push(kind),
            None if self.texts.len() < 2 => {
                self.texts.push(label.to_owned());
                self.push(self.texts.len() - 1);
            }
            None => {
                let [first, second] = [0, 1].map(|kind| excerpt(&self.texts[kind]));
                let third = excerpt(label);
                return Err(Problem::ThirdLabel { first, second, third }.at(Place::row(row)));
            }
        }
        Ok(())
    }

    fn push(&mut self, kind: usize) {
        if self.count.is_multiple_of(64) {
            self.bits.push(0);
        }
        if let Some(last) = self.bits.last_mut() {
            *last |= (kind as u64) << (self.count % 64);
        }
        self.count += 1;
    }

    fn kind(&self, row: usize) -> usize {
        (self.bits[row / 64] >> (row % 64) & 1) as usize
    }

    /// What they are: told from the different ones.
    fn decide(&self, reading: &Reading) -> Result<Labels, DataError> {
        let y = match (&self.all, self.count) {
            (Some(all), _) => Some(RawLabels::Numbers(all.clone())),
            (None, 0) => None,
            (None, _) if self.texts.is_empty() => Some(RawLabels::Numbers(self.numbers.clone())),
            (None, _) => Some(RawLabels::texts(&self.texts)?),
        };
        let y = labels::present(y.as_ref(), reading.labels)?;
        let decided = labels::decide(y, reading.labels)?;
        // Scores out of range are told here, by their row.
        if decided == Labels::Scores {
            labels::values(y, &decided)?;
        }
        Ok(decided)
    }

    fn hash(&self, hash: &mut Running) {
        match (&self.all, self.count) {
            (Some(all), _) => hash.number_labels(all.iter().copied()),
            (None, 0) => hash.no_labels(),
            (None, count) if self.texts.is_empty() => {
                hash.number_labels((0..count).map(|row| self.numbers[self.kind(row)]));
            }
            (None, count) => hash.text_labels((0..count).map(|row| self.texts[self.kind(row)].as_str())),
        }
    }
}

impl Longest {
    /// A look at rows; with labels, at the rows multiplied by them.
    fn take<'a>(&mut self, first: usize, rows: impl Iterator<Item = &'a [f64]>, y: Option<&[f64]>) {
        let mut scaled = Vec::new();
        for (i, row) in rows.enumerate() {
            match y {
                None => self.see(first + i, norms::norm(row)),
                Some(y) => {
                    scaled.clear();
                    scaled.extend(row.iter().map(|value| value * y[i]));
                    self.see(first + i, norms::norm(&scaled));
                }
            }
        }
    }
}
