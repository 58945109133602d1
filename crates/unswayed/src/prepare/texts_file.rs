//! The transform of texts as a file: safetensors, whose metadata hold the settings as JSON.

use safetensors::{Dtype, SafeTensors};

use super::TransformError;
use super::file::{Numbers, about, described, numbers};
use super::texts::{TextSettings, TextTransform};

/// The version that is written, and the only one that is read.
const VERSION: &str = "1";
pub(super) const KIND: &str = "unswayed-text-transform";

impl TextTransform {
    /// The bytes of its file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let whole = |values: &mut dyn Iterator<Item = u64>, length: usize| {
            Numbers(values.flat_map(u64::to_le_bytes).collect(), vec![length], Dtype::U64)
        };
        let factors = self.factors.iter().flat_map(|(_, factor)| factor.to_le_bytes()).collect();
        let count = self.factors.len();
        let tensors = [
            ("columns", whole(&mut self.factors.iter().map(|(column, _)| *column), count)),
            ("factors", Numbers(factors, vec![count], Dtype::F64)),
            ("seen", whole(&mut self.seen.iter().copied(), self.seen.len())),
        ];
        let settings = serde_json::to_string(&self.options).unwrap_or_default();
        safetensors::serialize(tensors, Some(about(KIND, VERSION, Some(&settings)))).unwrap_or_default()
    }

    /// Reads a file's bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<TextTransform, TransformError> {
        let bad = |text: &str| TransformError(text.to_owned());
        let text = described(bytes, KIND, VERSION)?.ok_or_else(|| bad("it does not have its settings"))?;
        let options: TextSettings = serde_json::from_str(&text).map_err(|e| TransformError(e.to_string()))?;
        let file = SafeTensors::deserialize(bytes).map_err(|e| TransformError(e.to_string()))?;
        let (columns, _) = numbers(&file, "columns", Dtype::U64, u64::from_le_bytes)?;
        let (factors, _) = numbers(&file, "factors", Dtype::F64, f64::from_le_bytes)?;
        let (seen, _) = numbers(&file, "seen", Dtype::U64, u64::from_le_bytes)?;
        if columns.len() != factors.len() {
            return Err(bad("there is not one factor for each column"));
        }
        let factors = columns.into_iter().zip(factors).collect();
        let transform = TextTransform { options, factors, seen };
        transform.validate().map_err(TransformError)?;
        Ok(transform)
    }
}
