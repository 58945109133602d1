//! The data of a page: what was read, how rows are made of it, and points that attacked well.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use unswayed::{Dataset, Template};
use unswayed_data::{Origin, RawLabels, Table};

use crate::LiveError;

/// Everything that a page has to know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// The learner and the adversary but for what is changed.
    pub template: Template,
    /// How rows were made, with their digest.
    pub origin: Origin,
    /// What was read.
    pub rows: Rows,
    /// Points of the unit ball, one after the other: base64 of little-endian binary64.
    pub points: String,
}

/// A table; numbers are base64 of little-endian binary64.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rows {
    /// Features in a row.
    pub columns: usize,
    /// The features, row after row.
    pub features: String,
    /// Labels that are numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<String>,
    /// Labels that are texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texts: Option<Vec<String>>,
    /// Weights of the rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
}

/// What is wrong with a page's data.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// Not the JSON of a page.
    #[error("the page's data cannot be read ({0})")]
    Json(#[from] serde_json::Error),
    /// Not the base64 of numbers.
    #[error("the page's {0} are not numbers")]
    Numbers(&'static str),
    /// The rows are others than those of the statement.
    #[error("the page's rows are not those of its statement: {0}")]
    OtherRows(String),
}

impl Page {
    /// The data of a page about this dataset. Points are scaled to the unit ball.
    pub fn new(data: &Dataset, template: Template, points: &[Vec<f64>]) -> Page {
        let table = data.table();
        let (numbers_of, texts) = match &table.y {
            Some(RawLabels::Numbers(y)) => (Some(encode(y)), None),
            Some(RawLabels::Texts(texts)) => (None, Some(texts.iter().map(str::to_owned).collect())),
            None => (None, None),
        };
        let unit = |point: &Vec<f64>| {
            let norm = point.iter().map(|u| u * u).sum::<f64>().sqrt();
            // A little shorter, so that rounding leaves it in the ball.
            let factor = if norm > 0.0 { (1.0 - 1e-12) / norm } else { 0.0 };
            point.iter().map(|u| u * factor).collect::<Vec<f64>>()
        };
        Page {
            template,
            origin: data.origin().clone(),
            rows: Rows {
                columns: table.columns,
                features: encode(&table.x),
                numbers: numbers_of,
                texts,
                weights: table.weights.as_deref().map(encode),
            },
            points: encode(&points.iter().flat_map(unit).collect::<Vec<f64>>()),
        }
    }

    /// The rows, made as the origin says; what was read must have its digest.
    pub fn dataset(&self) -> Result<Dataset, LiveError> {
        let Rows { columns, features, numbers, texts, weights } = &self.rows;
        let y = match (numbers, texts) {
            (Some(numbers), _) => Some(RawLabels::Numbers(decode(numbers, "labels")?)),
            (_, Some(texts)) => Some(RawLabels::texts(texts)?),
            _ => None,
        };
        let weights = weights.as_deref().map(|weights| decode(weights, "weights")).transpose()?;
        let table = Table { y, weights, ..Table::new(decode(features, "features")?, *columns) };
        let data = table.remade(&self.origin)?;
        self.origin.same_rows(data.origin()).map_err(PageError::OtherRows)?;
        Ok(data)
    }

    /// The points.
    pub(crate) fn points(&self, dimension: usize) -> Result<Vec<Vec<f64>>, PageError> {
        let numbers = decode(&self.points, "points")?;
        Ok(numbers.chunks_exact(dimension).map(<[f64]>::to_vec).collect())
    }
}

fn encode(numbers: &[f64]) -> String {
    STANDARD.encode(numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>())
}

fn decode(text: &str, what: &'static str) -> Result<Vec<f64>, PageError> {
    let bytes = STANDARD.decode(text).map_err(|_| PageError::Numbers(what))?;
    let (numbers, rest) = bytes.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(PageError::Numbers(what));
    }
    Ok(numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
}
