//! The transform as a file: safetensors, with a version.

use std::collections::HashMap;

use safetensors::{Dtype, SafeTensors, View};

use super::Transform;

/// The version that is written, and the only one that is read.
const VERSION: &str = "1";
const KIND: &str = "unswayed-transform";

/// Why a file is no transform.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a transform that `unswayed prepare` wrote: {0}")]
pub struct TransformError(pub(super) String);

pub(super) struct Numbers(pub Vec<u8>, pub Vec<usize>, pub Dtype);

impl View for Numbers {
    fn dtype(&self) -> Dtype {
        self.2
    }
    fn shape(&self) -> &[usize] {
        &self.1
    }
    fn data(&self) -> std::borrow::Cow<'_, [u8]> {
        (&self.0[..]).into()
    }
    fn data_len(&self) -> usize {
        self.0.len()
    }
}

impl Transform {
    /// The bytes of its file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let floats = |x: &[f64], shape: Vec<usize>| {
            Numbers(x.iter().flat_map(|x| x.to_le_bytes()).collect(), shape, Dtype::F64)
        };
        let seen = self.seen.iter().flat_map(|x| x.to_le_bytes()).collect();
        let scalars = [self.first_scale, self.bias, self.second_scale, self.kept];
        let tensors = [
            ("directions", floats(&self.directions, vec![self.directions(), self.columns()])),
            ("mean", floats(&self.mean, vec![self.directions()])),
            ("first_scale_bias_second_scale_kept", floats(&scalars, vec![4])),
            ("seen", Numbers(seen, vec![self.seen.len()], Dtype::U64)),
        ];
        let about = about(KIND, VERSION, self.encoder.as_deref());
        safetensors::serialize(tensors, Some(about)).unwrap_or_default()
    }

    /// Reads a file's bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Transform, TransformError> {
        let bad = |text: &str| TransformError(text.to_owned());
        let encoder = described(bytes, KIND, VERSION)?;
        let file = SafeTensors::deserialize(bytes).map_err(|e| TransformError(e.to_string()))?;
        let (directions, shape) = numbers(&file, "directions", Dtype::F64, f64::from_le_bytes)?;
        let (mean, _) = numbers(&file, "mean", Dtype::F64, f64::from_le_bytes)?;
        let (scalars, _) =
            numbers(&file, "first_scale_bias_second_scale_kept", Dtype::F64, f64::from_le_bytes)?;
        let (seen, _) = numbers(&file, "seen", Dtype::U64, u64::from_le_bytes)?;
        let &[first_scale, bias, second_scale, kept] = scalars.as_slice() else {
            return Err(bad("there are not four scalars"));
        };
        if shape.len() != 2 || shape[0] == 0 || shape[1] == 0 || mean.len() != shape[0] {
            return Err(bad("the shapes of directions and mean do not fit"));
        }
        if directions.iter().chain(&mean).chain(&scalars).any(|x| !x.is_finite()) {
            return Err(bad("a number is not finite"));
        }
        if first_scale <= 0.0 || second_scale <= 0.0 {
            return Err(bad("a scale is not positive"));
        }
        if !seen.is_sorted() {
            return Err(bad("the fingerprints are not sorted"));
        }
        Ok(Transform { directions, mean, first_scale, bias, second_scale, kept, seen, encoder })
    }
}

/// The metadata of a file: its kind, with the version and a text. It is one entry, for the order of several would be left to chance, and
/// with it the bytes of the file and its digest.
pub(super) fn about(kind: &str, version: &str, text: Option<&str>) -> HashMap<String, String> {
    let entry = text.map_or_else(|| version.to_owned(), |text| format!("{version} {text}"));
    HashMap::from([(kind.to_owned(), entry)])
}

/// The text of the metadata, if there is one. Refuses a file that is of another kind or version.
pub(super) fn described(bytes: &[u8], kind: &str, expected: &str) -> Result<Option<String>, TransformError> {
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(|e| TransformError(e.to_string()))?;
    let entry = header.metadata().as_ref().and_then(|about| about.get(kind));
    let entry = entry.ok_or_else(|| TransformError("it does not say it is one".to_owned()))?;
    let (version, text) =
        entry.split_once(' ').map_or((entry.as_str(), None), |(version, text)| (version, Some(text)));
    if version != expected {
        return Err(TransformError(format!("it has version {version}, this program reads {expected}")));
    }
    Ok(text.map(str::to_owned))
}

pub(super) fn numbers<T>(
    file: &SafeTensors<'_>,
    name: &str,
    dtype: Dtype,
    read: fn([u8; 8]) -> T,
) -> Result<(Vec<T>, Vec<usize>), TransformError> {
    let tensor = file.tensor(name).map_err(|e| TransformError(format!("{name}: {e}")))?;
    if tensor.dtype() != dtype {
        return Err(TransformError(format!("{name} has another type of numbers")));
    }
    let eight = |bytes: &[u8]| bytes.try_into().ok().map(read);
    let values: Option<Vec<T>> = tensor.data().chunks(8).map(eight).collect();
    let values = values.ok_or_else(|| TransformError(format!("{name} is cut off")))?;
    Ok((values, tensor.shape().to_vec()))
}
