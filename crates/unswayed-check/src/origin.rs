//! placeholder until the reader crate is merged
use serde::{Deserialize, Serialize};
/// How rows were made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The data file's name.
    pub file: String,
    /// The label file's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_file: Option<String>,
    /// How labels were used.
    pub labels: Labels,
    /// The label column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_column: Option<String>,
    /// The weight column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight_column: Option<String>,
    /// What rows were divided by.
    pub scale: f64,
    /// Rows used.
    pub rows: usize,
    /// Rows in the file.
    pub of: usize,
    /// Entries of a row.
    pub columns: usize,
    /// Digest.
    pub sha256: String,
}
/// How labels were used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Labels {
    /// Two classes.
    Classes { /// −1
        negative: String, /// +1
        positive: String },
    /// Real scores.
    Scores,
    /// Several classes.
    Multiclass { /// In order.
        labels: Vec<String> },
    /// Rows are z.
    Premultiplied,
    /// chosen − rejected.
    Preferences,
    /// Samples.
    None,
}
impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} of {} rows, {} columns", self.file, self.rows, self.of, self.columns)
    }
}
impl Origin {
    /// Whether another origin is about the same rows.
    pub fn same_rows(&self, other: &Origin) -> Result<(), String> {
        let own = Origin { file: other.file.clone(), label_file: other.label_file.clone(), ..self.clone() };
        if own == *other { Ok(()) } else { Err(format!("{self:?} is not {other:?}")) }
    }

    /// Rows z that come from nowhere in particular.
    pub fn of_rows(rows: usize, columns: usize) -> Self {
        Origin { file: String::new(), label_file: None, labels: Labels::Premultiplied, label_column: None, weight_column: None, scale: 1.0, rows, of: rows, columns, sha256: String::new() }
    }
}
