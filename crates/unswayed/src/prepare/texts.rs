//! From texts to sparse rows that can be certified.
//!
//! ```text
//! texts ── words, and runs of them ──► counted in N columns that a hash chooses ──► × inverse frequency (optional) ──►
//!     divided by the norm ──► a constant appended (the bias, optional) ──► sparse rows of norm at most 1
//! ```
//!
//! There is no list of words to keep: a new word has its column already. [`TextTransform`] holds the settings and, for
//! [`TermWeights::TfIdf`], how rare each column is among the training rows.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use unswayed_data::{Cells, Frame, Labels, Pattern, SparseRows, TextCells};

use super::quality::{LinearRows, Quality};
use super::rows::BIAS;
use super::table::{LabelKind, MOST_SEEN, TableError};
use super::words::{place, summed, terms};
use super::{PrepareError, above, fingerprint};

/// What is wanted of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct TextOptions {
    /// The columns that hold the texts. Each has a hash of its own: its number is the hash's seed.
    pub texts: Vec<String>,
    /// How many columns words are counted in.
    pub columns: usize,
    /// The most words of a term; 1 for words alone.
    pub longest_term: usize,
    /// What a term counts.
    pub weights: TermWeights,
    /// The constant that is appended to rows of norm 1; 0 for none.
    pub bias: f64,
    /// What the labels are.
    pub labels: LabelKind,
}

impl TextOptions {
    /// The most columns.
    pub const MOST_COLUMNS: usize = 1 << 30;
    /// The most words of a term.
    pub const MOST_WORDS: usize = 5;

    /// The usual settings for the texts of these columns.
    pub fn of(texts: Vec<String>) -> Self {
        TextOptions {
            texts,
            columns: 1 << 18,
            longest_term: 1,
            weights: TermWeights::TfIdf,
            bias: BIAS,
            labels: LabelKind::Detect,
        }
    }

    /// Says what no fit can have.
    fn problem(&self) -> Option<String> {
        let (columns, words) = (2..=Self::MOST_COLUMNS, 1..=Self::MOST_WORDS);
        match self {
            TextOptions { texts, .. } if texts.is_empty() => Some("no column of texts is named".to_owned()),
            TextOptions { texts, .. } if has_twice(texts) => {
                Some("a column of texts is named twice".to_owned())
            }
            _ if !columns.contains(&self.columns) => {
                Some(format!("{} columns: there must be from 2 to 2^30", self.columns))
            }
            _ if !words.contains(&self.longest_term) => {
                Some(format!("terms of {} words: they may have from 1 to {}", self.longest_term, words.end()))
            }
            _ if !(0.0..=1.0).contains(&self.bias) => {
                Some(format!("a bias of {}: it must be from 0 to 1", self.bias))
            }
            _ => None,
        }
    }
}

fn has_twice(names: &[String]) -> bool {
    names.iter().enumerate().any(|(i, name)| names[..i].contains(name))
}

/// What a term counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TermWeights {
    /// How often it is in the text.
    Counts,
    /// The same times 1 + ln((1 + n) / (1 + how many of the n training rows have its column)).
    TfIdf,
}

/// A fitted preparation of texts.
#[derive(Clone, Debug, PartialEq)]
pub struct TextTransform {
    pub(super) options: TextSettings,
    /// Columns that training rows have, in order, and their factors; none for [`TermWeights::Counts`].
    pub(super) factors: Vec<(u64, f64)>,
    /// Fingerprints of the training texts, sorted.
    pub(super) seen: Vec<u64>,
}

/// What is stored of the settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TextSettings {
    pub texts: Vec<String>,
    pub columns: usize,
    pub longest_term: usize,
    pub weights: TermWeights,
    /// The factor of columns that no training row has.
    pub factor_of_others: f64,
    pub bias: f64,
    pub labels: Option<Labels>,
    /// The column that they were in, if it was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_column: Option<String>,
}

/// Sparse rows made of texts.
#[derive(Clone, Debug, PartialEq)]
pub struct PreparedTexts {
    /// Where their entries are.
    pub pattern: Pattern,
    /// The entries.
    pub values: Vec<f64>,
    /// The length of a row.
    pub dimension: usize,
    /// Their labels: −1 and +1, the numbers of classes, scores or numbers.
    pub y: Option<Vec<f64>>,
    /// How many rows have the texts of one that the transform was fitted on.
    pub seen: usize,
    /// How many rows have no words.
    pub wordless: usize,
}

impl PreparedTexts {
    /// What a quick linear model reaches on them.
    pub fn quality(&self, labels: &Labels) -> Option<Quality> {
        let rows = SparseRows { pattern: &self.pattern, values: &self.values };
        let rows = LinearRows::Sparse { rows, dimension: self.dimension };
        Quality::of_rows(&rows, self.y.as_deref()?, labels)
    }
}

impl TextTransform {
    /// Fits the transform, and returns the training rows as it makes them.
    ///
    /// ```
    /// use unswayed::data::{Reading, Source, load_frame};
    /// use unswayed::prepare::{TextOptions, TextTransform};
    /// let mail = "subject,label\nwin money now,spam\nminutes of the meeting,ham\nwin a car,spam\n";
    /// let frame = load_frame(&Source::bytes("mail.csv", mail), &Reading::default(), |_| Some(true))?;
    /// let (transform, rows) = TextTransform::fit(&frame, &TextOptions::of(vec!["subject".into()]))?;
    /// assert_eq!(rows.dimension, (1 << 18) + 1); // the columns and the bias
    /// assert_eq!(rows.pattern.row(0).len(), 4); // three words and the bias
    /// assert_eq!(transform.apply(&frame, true)?.values, rows.values);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fit(train: &Frame, options: &TextOptions) -> Result<(TextTransform, PreparedTexts), TableError> {
        if let Some(problem) = options.problem() {
            return Err(TableError::Texts(problem));
        }
        let labels = train.y.as_ref().map(|y| options.labels.decide(y)).transpose()?;
        let mut transform = TextTransform {
            options: TextSettings {
                texts: options.texts.clone(),
                columns: options.columns,
                longest_term: options.longest_term,
                weights: options.weights,
                factor_of_others: 1.0,
                bias: options.bias,
                labels,
                label_column: None,
            },
            factors: Vec::new(),
            seen: Vec::new(),
        };
        let texts = transform.texts(train)?;
        let counts = transform.counts(&texts, train.rows);
        if counts.iter().all(Vec::is_empty) {
            return Err(TableError::Texts(format!("no row has words ({})", options.texts.join(", "))));
        }
        transform.seen = fingerprints(&texts, train.rows).collect();
        transform.seen.sort_unstable();
        if options.weights == TermWeights::TfIdf {
            transform.fit_factors(&counts);
        }
        let rows = transform.finish(counts, train, 0)?;
        Ok((transform, rows))
    }

    /// Treats other texts as the training rows were treated. Labels mean what they meant there. A table with mostly texts that the fit
    /// has seen is refused unless `allow_seen`.
    pub fn apply(&self, frame: &Frame, allow_seen: bool) -> Result<PreparedTexts, TableError> {
        let texts = self.texts(frame)?;
        let is_seen = |fingerprint: &u64| self.seen.binary_search(fingerprint).is_ok();
        let mut seen = fingerprints(&texts, frame.rows).enumerate().filter(|(_, f)| is_seen(f));
        let first = seen.next();
        let count = first.map_or(0, |_| 1 + seen.count());
        if !allow_seen && count as f64 > MOST_SEEN * frame.rows as f64 {
            let first = first.map_or(0, |(row, _)| row);
            return Err(PrepareError::Leak { count, rows: frame.rows, first }.into());
        }
        self.finish(self.counts(&texts, frame.rows), frame, count)
    }

    /// The columns that hold the texts.
    pub fn needs(&self) -> &[String] {
        &self.options.texts
    }

    /// The same with the name of the column that the labels were in, if it was named. It is where labels are looked for again.
    #[must_use]
    pub fn with_label_column(mut self, name: Option<String>) -> Self {
        self.options.label_column = name;
        self
    }

    /// The column that the labels were in, if it was named.
    pub fn label_column(&self) -> Option<&str> {
        self.options.label_column.as_deref()
    }

    /// What the labels are, if it was fitted with labels.
    pub fn labels(&self) -> Option<&Labels> {
        self.options.labels.as_ref()
    }

    /// The entries of a prepared row, with the bias if there is one.
    pub fn dimension(&self) -> usize {
        self.options.columns + usize::from(self.has_bias())
    }

    /// Whether a constant is appended to the rows.
    pub fn has_bias(&self) -> bool {
        self.options.bias > 0.0
    }

    /// What is done to the texts, in words.
    pub fn describe(&self) -> String {
        let TextSettings { columns, longest_term, weights, .. } = &self.options;
        let terms = match longest_term {
            1 => "words".to_owned(),
            longest => format!("words and runs of up to {longest} words"),
        };
        let weights = match weights {
            TermWeights::Counts => "",
            TermWeights::TfIdf => ", rare ones weigh more (tf-idf)",
        };
        format!("{terms} counted in {columns} columns, chosen by a hash{weights}")
    }

    fn texts<'a>(&self, frame: &'a Frame) -> Result<Vec<Option<&'a TextCells>>, TableError> {
        let of = |name: &String| {
            let column = frame.columns.iter().find(|column| column.name == *name);
            match column.map(|column| &column.cells) {
                Some(Cells::Texts(texts)) => Ok(Some(texts)),
                // A column without any value looks like numbers.
                Some(Cells::Numbers(numbers)) if numbers.iter().all(|number| number.is_nan()) => Ok(None),
                _ => Err(TableError::Column { name: name.clone(), wanted: "texts" }),
            }
        };
        self.options.texts.iter().map(of).collect()
    }

    /// For each row its columns and what is counted in them.
    fn counts(&self, texts: &[Option<&TextCells>], rows: usize) -> Vec<Vec<(u32, f64)>> {
        let row = |i: usize| {
            let mut entries = Vec::new();
            for (cells, seed) in texts.iter().zip(0..) {
                let text = cells.and_then(|cells| cells.get(i)).unwrap_or_default();
                let terms = terms(text, self.options.longest_term);
                entries.extend(terms.map(|term| place(&term, seed, self.options.columns)));
            }
            summed(entries)
        };
        (0..rows).map(row).collect()
    }

    /// How rare each column is.
    fn fit_factors(&mut self, counts: &[Vec<(u32, f64)>]) {
        let mut present: Vec<u32> = counts.iter().flatten().map(|(column, _)| *column).collect();
        present.sort_unstable();
        let factor = |rows_with: usize| 1.0 + ((1 + counts.len()) as f64 / (1 + rows_with) as f64).ln();
        let same = present.chunk_by(|a, b| a == b);
        self.factors = same.map(|same| (u64::from(same[0]), factor(same.len()))).collect();
        self.options.factor_of_others = factor(0);
    }

    fn factor(&self, column: u32) -> f64 {
        let found = self.factors.binary_search_by_key(&u64::from(column), |(column, _)| *column);
        found.map_or(self.options.factor_of_others, |place| self.factors[place].1)
    }

    /// Weights, norms and the bias.
    fn finish(
        &self,
        counts: Vec<Vec<(u32, f64)>>,
        frame: &Frame,
        seen: usize,
    ) -> Result<PreparedTexts, TableError> {
        let bias = self.options.bias;
        let whole = above((1.0 + bias * bias).sqrt());
        let (mut starts, mut columns, mut values, mut wordless) = (vec![0], Vec::new(), Vec::new(), 0);
        for row in counts {
            wordless += usize::from(row.is_empty());
            let begin = values.len();
            columns.extend(row.iter().map(|(column, _)| *column));
            values.extend(row.iter().map(|(column, count)| count * self.factor(*column)));
            let norm = values[begin..].iter().map(|x| x * x).sum::<f64>().sqrt();
            values[begin..].iter_mut().for_each(|x| *x = *x / norm / whole);
            if self.has_bias() {
                columns.push(self.options.columns as u32);
                values.push(bias / whole);
            }
            starts.push(values.len());
        }
        let pattern = Pattern::new(starts, columns, self.dimension())?;
        let y = match (&frame.y, &self.options.labels) {
            (Some(y), Some(labels)) => Some(y.values(labels)?),
            _ => None,
        };
        Ok(PreparedTexts { pattern, values, dimension: self.dimension(), y, seen, wordless })
    }

    /// Refuses what no fit gives.
    pub(super) fn validate(&self) -> Result<(), String> {
        let TextSettings { texts, columns, longest_term, weights, bias, .. } = &self.options;
        let options = TextOptions {
            texts: texts.clone(),
            columns: *columns,
            longest_term: *longest_term,
            weights: *weights,
            bias: *bias,
            labels: LabelKind::Detect,
        };
        if let Some(problem) = options.problem() {
            return Err(problem);
        }
        let mut factors =
            self.factors.iter().map(|(_, factor)| factor).chain([&self.options.factor_of_others]);
        let in_order = self.factors.windows(2).all(|pair| pair[0].0 < pair[1].0);
        if !in_order || !factors.all(|factor| *factor > 0.0 && *factor < 1e3) {
            return Err("a factor is not positive and finite, or the columns are not in order".to_owned());
        }
        if self.seen.is_sorted() { Ok(()) } else { Err("the fingerprints are not sorted".to_owned()) }
    }
}

fn fingerprints<'a>(texts: &'a [Option<&'a TextCells>], rows: usize) -> impl Iterator<Item = u64> + 'a {
    (0..rows).map(move |i| {
        let mut hash = Sha256::new();
        for cells in texts {
            let text = cells.and_then(|cells| cells.get(i)).unwrap_or_default();
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        }
        fingerprint(hash)
    })
}
