//! How rows were made.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::steps::ClassWeights;

/// How the rows z of a [`crate::Dataset`] were made from what was read. A certificate contains it, and
/// [`crate::reload`] makes the same rows from it.
///
/// # From the table to the rows
///
/// The *table* is what was read: N rows of features x, and labels and weights if there are any. Its numbers are
/// binary64; float32 and integers are widened, truth values are 1 and 0, and every −0 is made +0. The labels of a
/// `.csv` file are numbers if every one of them is a number or `true` or `false` in any case; otherwise they are texts
/// without surrounding white space. Then, in binary64 arithmetic and in this order:
///
/// 1. [`labels`](Origin::labels) tells what a row is: y·x with y = −1 or +1 or a score; the features x themselves; or
///    chosen − rejected, where the first half of the columns is what was chosen. A number as label is compared by its
///    shortest decimal form, such as `1`, `-1` or `0.5`.
/// 2. Every entry is divided by [`scale`](Origin::scale).
/// 3. −0 is made +0.
/// 4. For [`Labels::Multiclass`], the number of its class, counted from 0, is put in front of each row; for
///    [`Labels::Numbers`], its label as it is.
///
/// # The digest
///
/// `sha256` is the SHA-256 of the table, of the rows that are used and of nothing else. Integers are unsigned, have 64
/// bits and are little-endian; numbers are little-endian binary64:
///
/// | part | bytes |
/// |---|---|
/// | number of rows N, number of columns of the table | two integers |
/// | features, row after row | numbers |
/// | kind of labels | one byte: 0 none, 1 numbers, 2 texts |
/// | labels | numbers, or for each its length in bytes as an integer and its UTF-8 bytes |
/// | whether there are weights | one byte: 0 or 1 |
/// | weights | numbers |
/// | only if there is a column of step weights | one byte: 1, then the step weights as numbers |
///
/// Sparse rows have a digest of their own, so a table and the same rows as sparse rows are two statements. It begins with eight
/// bytes 255; after the numbers of rows and columns come where each row begins among the entries and where the last one ends
/// (N + 1 integers), the column of each entry from 0 (integers) and the entries themselves (numbers), without those that are
/// 0. Labels and weights follow as above.
///
/// The columns of a table of preferences are those of what was chosen, then those of what was rejected, in the same
/// order. In Python:
///
/// ```python
/// import hashlib, numpy as np
///
/// def numbers(values):
///     return (np.ascontiguousarray(values, "<f8") + 0.0).tobytes()
///
/// def digest(x, y=None, weights=None, step_weights=None):
///     h = hashlib.sha256(np.array(np.shape(x), "<u8").tobytes() + numbers(x))
///     if y is None:
///         h.update(b"\0")
///     elif isinstance(y[0], str):
///         h.update(b"\2")
///         for text in (label.strip().encode() for label in y):
///             h.update(len(text).to_bytes(8, "little") + text)
///     else:
///         h.update(b"\1" + numbers(y))
///     h.update(b"\0" if weights is None else b"\1" + numbers(weights))
///     h.update(b"" if step_weights is None else b"\1" + numbers(step_weights))
///     return h.hexdigest()
/// ```
///
/// ```
/// let data = unswayed_data::Dataset::from_rows(vec![0.6, 0.8], 2, None)?;
/// assert_eq!(data.origin().sha256, "81da89d2485bdfedd8d6db9291e52dbaa26b709fb51abc087b35f8a3f55cd531");
/// # Ok::<(), unswayed_data::DataError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The data file's name without folders; empty if the rows did not come from a file. For information.
    pub file: String,
    /// The label file's name without folders, if labels had a file of their own. For information.
    pub label_file: Option<String>,
    /// What a row is.
    pub labels: Labels,
    /// The label column, if the file has named columns and labels.
    pub label_column: Option<String>,
    /// The column, or the array of an `.npz` file, that holds the weights; `None` if there are none. Weights in memory
    /// are called `weight`.
    pub weight_column: Option<String>,
    /// The column, or the array of an `.npz` file, that holds what the learner's step on each row is multiplied by; absent if
    /// there is none. In memory it is called `step_weight`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_weight_column: Option<String>,
    /// What the learner's steps on the rows of the two classes are multiplied by, besides; absent if they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_weights: Option<ClassWeights>,
    /// The columns of the table that are features, in order, if they were chosen; else all that are not labels or weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen_columns: Option<Vec<String>>,
    /// The names of the files, in the order of the rows, if the data are a folder of files. For information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
    /// What all rows were divided by; 1 if by nothing.
    pub scale: f64,
    /// How many rows there are, from the top of the file.
    pub rows: usize,
    /// How many rows the file has.
    pub of: usize,
    /// How many entries a row z has; the class or label in front of it is not counted.
    pub columns: usize,
    /// How many columns the table has, if its rows are sparse; absent if not. Rows z then have only the columns that are not 0
    /// in all rows, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_columns: Option<usize>,
    /// The digest of what was read.
    pub sha256: String,
    /// How the features that were read had been made of raw data, in one line, if that was said: scaled, encoded, clipped.
    /// For information: the digest is of the features themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<String>,
}

/// The longest [`Origin::made`], in bytes.
const LONGEST_MADE: usize = 4096;

/// What a row is made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Labels {
    /// y·x, where one label is y = −1 and the other +1.
    Classes {
        /// The label that is −1.
        negative: String,
        /// The label that is +1.
        positive: String,
    },
    /// y·x, where labels are real scores y in [−1, 1].
    Scores,
    /// The number of the row's class, then x.
    Multiclass {
        /// The labels of the classes 0, 1, ….
        labels: Vec<String>,
    },
    /// The label, which is a number, then x.
    Numbers,
    /// The file holds the rows z themselves.
    Premultiplied,
    /// The features of what was chosen minus those of what was rejected.
    Preferences,
    /// x, of any norm: samples without labels, as for mean estimation.
    None,
}

impl Labels {
    /// The labels of all classes, the first ones first; empty if there are no classes.
    ///
    /// ```
    /// let labels = unswayed_data::Labels::Classes { negative: "ham".into(), positive: "spam".into() };
    /// assert_eq!(labels.classes(), ["ham", "spam"]);
    /// ```
    pub fn classes(&self) -> Vec<&str> {
        match self {
            Labels::Classes { negative, positive } => vec![negative, positive],
            Labels::Multiclass { labels } => labels.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }
}

impl Origin {
    /// Whether two origins are of the same rows. The names of files and columns may differ: the digest covers what was
    /// in them.
    ///
    /// # Errors
    ///
    /// The first field that differs, with both values.
    ///
    /// ```
    /// let data = unswayed_data::Dataset::from_rows(vec![0.5, 0.25], 1, None)?;
    /// let part = data.first(1)?;
    /// assert_eq!(data.origin().same_rows(part.origin()), Err("rows: 2 here, 1 there".to_owned()));
    /// # Ok::<(), unswayed_data::DataError>(())
    /// ```
    pub fn same_rows(&self, other: &Origin) -> Result<(), String> {
        fn same<T: PartialEq + fmt::Debug>(name: &str, here: &T, there: &T) -> Result<(), String> {
            if here == there { Ok(()) } else { Err(format!("{name}: {here:?} here, {there:?} there")) }
        }
        same("labels", &self.labels, &other.labels)?;
        same("class weights", &self.class_weights, &other.class_weights)?;
        same("scale", &self.scale, &other.scale)?;
        same("rows", &self.rows, &other.rows)?;
        same("of", &self.of, &other.of)?;
        same("columns", &self.columns, &other.columns)?;
        same("of columns", &self.of_columns, &other.of_columns)?;
        same("sha256", &self.sha256, &other.sha256)
    }

    /// Refuses an origin that no data can have.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    ///
    /// ```
    /// let data = unswayed_data::Dataset::from_rows(vec![0.5, 0.25], 1, None)?;
    /// let mut origin = data.origin().clone();
    /// assert_eq!(origin.validate(), Ok(()));
    /// origin.scale = 0.0;
    /// assert_eq!(origin.validate(), Err("the scale 0 is not a positive number".to_owned()));
    /// # Ok::<(), unswayed_data::DataError>(())
    /// ```
    pub fn validate(&self) -> Result<(), String> {
        if !(self.scale > 0.0 && self.scale.is_finite()) {
            return Err(format!("the scale {} is not a positive number", self.scale));
        }
        if self.rows == 0 || self.rows > self.of || self.columns == 0 {
            let Origin { rows, of, columns, .. } = self;
            return Err(format!("there cannot be {rows} of {of} rows with {columns} columns"));
        }
        if self.of_columns.is_some_and(|of| of < self.columns) {
            return Err(format!("there cannot be {} columns of fewer", self.columns));
        }
        let mut classes = self.labels.classes();
        classes.sort_unstable();
        if let Some([twice, _]) = classes.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("the label {twice:?} stands for two classes"));
        }
        if matches!(self.labels, Labels::Multiclass { .. }) && classes.len() < 2 {
            return Err("there are fewer than two classes".to_owned());
        }
        if let Some(weights) = &self.class_weights {
            weights.validate(&self.labels)?;
        }
        if let Some(chosen) = &self.chosen_columns {
            let halves = if self.labels == Labels::Preferences { 2 } else { 1 };
            if self.columns.checked_mul(halves) != Some(chosen.len()) {
                let (columns, chosen) = (self.columns, chosen.len());
                return Err(format!("{columns} columns cannot be made of {chosen} that were chosen"));
            }
        }
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if self.sha256.len() != 64 || !self.sha256.bytes().all(is_digit) {
            return Err("sha256 is not 64 lower-case hexadecimal digits".to_owned());
        }
        self.made.as_deref().map_or(Ok(()), validate_made)
    }

    /// The number of entries of a row, with the class or label in front of it if there is one.
    pub fn dimension(&self) -> usize {
        self.columns + usize::from(matches!(self.labels, Labels::Multiclass { .. } | Labels::Numbers))
    }

    /// Whether rows were divided by another number than 1.
    #[allow(clippy::float_cmp)] // exactly 1 is what it is if nothing was divided
    pub fn is_scaled(&self) -> bool {
        self.scale != 1.0
    }

    /// All of it in one line, but for the digest.
    pub fn describe(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            write!(f, "{}: ", name(&self.file))?;
        }
        if let Some(files) = &self.files {
            write!(f, "{}, ", count(files.len(), "file"))?;
        }
        if self.rows < self.of {
            write!(f, "the first {} of {}, ", self.rows, count(self.of, "row"))?;
        } else {
            write!(f, "{}, ", count(self.rows, "row"))?;
        }
        match self.of_columns {
            None => write!(f, "{}; ", count(self.columns, "column"))?,
            Some(of) => {
                write!(f, "{} of {}, the others being 0 in all rows; ", self.columns, count(of, "column"))?;
            }
        }
        match &self.labels {
            Labels::Classes { negative, positive } => {
                write!(f, "label {} is −1, {} is +1", name(negative), name(positive))?;
            }
            Labels::Scores => write!(f, "labels are real scores")?,
            Labels::Multiclass { labels } => write!(f, "{} classes: {}", labels.len(), enumerate(labels))?,
            Labels::Numbers => write!(f, "labels are numbers")?,
            Labels::Premultiplied => write!(f, "rows are label × features already")?,
            Labels::Preferences => write!(f, "rows are chosen − rejected")?,
            Labels::None => write!(f, "samples without labels")?,
        }
        if let Some(chosen) = &self.chosen_columns {
            write!(f, "; the columns are {}", enumerate(chosen))?;
        }
        if let Some(column) = self.label_column.as_ref().filter(|column| *column != "label") {
            write!(f, "; labels in column {}", name(column))?;
        }
        if let Some(file) = &self.label_file {
            write!(f, "; labels in {}", name(file))?;
        }
        if let Some(column) = &self.weight_column {
            write!(f, "; weighted by {}", name(column))?;
        }
        if let (Some(weights), Labels::Classes { negative, positive }) = (&self.class_weights, &self.labels) {
            let ClassWeights { negative: first, positive: second } = weights;
            write!(
                f,
                "; steps on rows labelled {} are multiplied by {first}, on rows labelled {} by {second}",
                name(negative),
                name(positive)
            )?;
        }
        if let Some(column) = &self.step_weight_column {
            let also = if self.class_weights.is_some() { "also " } else { "" };
            write!(f, "; steps are {also}multiplied by {}", name(column))?;
        }
        if self.is_scaled() {
            let divided = if self.labels == Labels::Numbers { "features" } else { "rows" };
            write!(f, "; {divided} divided by {}", self.scale)?;
        }
        if let Some(made) = &self.made {
            write!(f, "; features made by: {made}")?;
        }
        Ok(())
    }
}

/// Refuses a text that could pass for another line of a statement, or hide one.
fn validate_made(text: &str) -> Result<(), String> {
    let is_line = !text.trim().is_empty() && text.chars().all(is_visible);
    if is_line && text.len() <= LONGEST_MADE {
        Ok(())
    } else {
        Err(format!("how the features were made must be one line of 1 to {LONGEST_MADE} bytes"))
    }
}

fn count(number: usize, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

/// All names, or if they are many the first and the last.
fn enumerate(names: &[String]) -> String {
    match names {
        [first, second, .., last] if names.len() > 10 => {
            format!("{}, {}, …, {}", name(first), name(second), name(last))
        }
        _ => names.iter().map(|own| name(own)).collect::<Vec<_>>().join(", "),
    }
}

/// A name as it is if it cannot pass for anything else; otherwise in quotation marks, and what is not visible is escaped. Names of
/// files, columns and classes are chosen by whoever wrote the certificate.
fn name(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-+.".contains(c);
    if !name.is_empty() && name.chars().all(is_plain) { name.to_owned() } else { format!("{name:?}") }
}

/// Whether a character stays in its line and leaves the others where they are: no line break, escape or change of direction.
fn is_visible(c: char) -> bool {
    let is_format = matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    !c.is_control() && !is_format
}
