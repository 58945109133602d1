//! The transform of a table as a file: safetensors, whose metadata describe the columns as JSON.

use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};
use unswayed_data::Labels;

use super::file::{Numbers, about, described, numbers};
use super::fourier::Fourier;
use super::rows::RowNorm;
use super::table::{ColumnPlan, Step, TableTransform};
use super::{TextTransform, Transform, TransformError, texts_file};

/// The version that is written, and the only one that is read.
const VERSION: &str = "1";
const KIND: &str = "unswayed-table-transform";

/// A transform of any kind.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyTransform {
    /// Of features.
    Features(Transform),
    /// Of a table.
    Table(Box<TableTransform>),
    /// Of texts.
    Texts(Box<TextTransform>),
}

impl AnyTransform {
    /// Reads a file's bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<AnyTransform, TransformError> {
        let is = |kind: &str| {
            SafeTensors::read_metadata(bytes).is_ok_and(|(_, header)| {
                header.metadata().as_ref().is_some_and(|about| about.contains_key(kind))
            })
        };
        if is(KIND) {
            TableTransform::from_bytes(bytes).map(|table| AnyTransform::Table(Box::new(table)))
        } else if is(texts_file::KIND) {
            TextTransform::from_bytes(bytes).map(|texts| AnyTransform::Texts(Box::new(texts)))
        } else {
            Transform::from_bytes(bytes).map(AnyTransform::Features)
        }
    }
}

/// What the metadata say.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    columns: Vec<ColumnPlan>,
    labels: Option<Labels>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label_column: Option<String>,
    norm: RowNorm,
    bias: f64,
}

impl TableTransform {
    /// The bytes of its file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let floats = |x: &[f64], shape: Vec<usize>| {
            Numbers(x.iter().flat_map(|x| x.to_le_bytes()).collect(), shape, Dtype::F64)
        };
        let seen = self.seen.iter().flat_map(|x| x.to_le_bytes()).collect();
        let mut tensors = vec![("seen", Numbers(seen, vec![self.seen.len()], Dtype::U64))];
        if let Some(Fourier { directions, phases }) = &self.fourier {
            tensors.push(("waves", floats(directions, vec![phases.len(), self.encoded_width()])));
            tensors.push(("phases", floats(phases, vec![phases.len()])));
        }
        if let Some(directions) = &self.directions {
            let width = self.projected_width();
            tensors.push(("directions", floats(directions, vec![directions.len() / width, width])));
        }
        let description = Description {
            columns: self.columns.clone(),
            labels: self.labels.clone(),
            label_column: self.label_column.clone(),
            norm: self.norm,
            bias: self.bias,
        };
        let description = serde_json::to_string(&description).unwrap_or_default();
        safetensors::serialize(tensors, Some(about(KIND, VERSION, Some(&description)))).unwrap_or_default()
    }

    /// Reads a file's bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<TableTransform, TransformError> {
        let bad = |text: &str| TransformError(text.to_owned());
        let text = described(bytes, KIND, VERSION)?.ok_or_else(|| bad("it does not describe its columns"))?;
        let Description { columns, labels, label_column, norm, bias } =
            serde_json::from_str(&text).map_err(|e| TransformError(e.to_string()))?;
        let file = SafeTensors::deserialize(bytes).map_err(|e| TransformError(e.to_string()))?;
        let (seen, _) = numbers(&file, "seen", Dtype::U64, u64::from_le_bytes)?;
        let mut transform = TableTransform {
            columns,
            labels,
            label_column,
            fourier: None,
            directions: None,
            norm,
            bias,
            seen,
        };
        if file.tensor("waves").is_ok() {
            let directions = matrix(&file, "waves", transform.encoded_width())?;
            let (phases, _) = numbers(&file, "phases", Dtype::F64, f64::from_le_bytes)?;
            if phases.len().checked_mul(transform.encoded_width()) != Some(directions.len()) {
                return Err(bad("the shapes of waves and phases do not fit"));
            }
            transform.fourier = Some(Fourier { directions, phases });
        }
        if file.tensor("directions").is_ok() {
            transform.directions = Some(matrix(&file, "directions", transform.projected_width())?);
        }
        transform.validate().map_err(TransformError)?;
        Ok(transform)
    }

    fn validate(&self) -> Result<(), String> {
        for plan in &self.columns {
            match &plan.step {
                Step::Number(step) => step.validate()?,
                Step::Category(step) => step.validate()?,
                Step::Dropped(_) => {}
            }
        }
        let norm = match self.norm {
            RowNorm::Unit => 1.0,
            RowNorm::Clip { radius } => radius,
        };
        let fourier =
            self.fourier.iter().flat_map(|fourier| fourier.directions.iter().chain(&fourier.phases));
        let mut all = fourier.chain(self.directions.iter().flatten()).chain([&norm, &self.bias]);
        if self.encoded_width() == 0 || !all.all(|x| x.is_finite()) || norm <= 0.0 || self.bias < 0.0 {
            return Err("a number is not finite, or there are no columns".to_owned());
        }
        if self.seen.is_sorted() { Ok(()) } else { Err("the fingerprints are not sorted".to_owned()) }
    }
}

/// The numbers of a tensor with so many columns, at least one row of them.
fn matrix(file: &SafeTensors<'_>, name: &str, columns: usize) -> Result<Vec<f64>, TransformError> {
    let (values, shape) = numbers(file, name, Dtype::F64, f64::from_le_bytes)?;
    match shape.as_slice() {
        [rows, width] if *rows > 0 && *width == columns && columns > 0 => Ok(values),
        _ => Err(TransformError(format!("the shape of {name} does not fit the columns"))),
    }
}
