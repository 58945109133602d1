//! Vectors in a certificate file: a base64 string of little-endian binary64 numbers. With `#[serde(with = "array")]`.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::Serializer;

pub(crate) fn serialize<S: Serializer>(numbers: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&encode(numbers))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    decode(&std::borrow::Cow::<str>::deserialize(deserializer)?).map_err(D::Error::custom)
}

fn encode(numbers: &[f64]) -> String {
    STANDARD.encode(numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())
}

/// The numbers, which must be finite.
pub(crate) fn decode(text: &str) -> Result<Vec<f64>, String> {
    let bytes = STANDARD.decode(text).map_err(|error| format!("an array is not base64: {error}"))?;
    let (numbers, []) = bytes.as_chunks::<8>() else {
        return Err(format!("an array has {} bytes, not a multiple of 8", bytes.len()));
    };
    let numbers: Vec<f64> = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    match numbers.iter().find(|x| !x.is_finite()) {
        Some(x) => Err(format!("an array has the entry {x}, which is not finite")),
        None => Ok(numbers),
    }
}

/// Bytes, in base64 as well.
pub(crate) mod bytes {
    use base64::Engine as _;

    use super::{Deserialize, Deserializer, Error, STANDARD, Serializer};

    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(bytes))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        let not_base64 = |error| D::Error::custom(format_args!("an array is not base64: {error}"));
        STANDARD.decode(&*text).map_err(not_base64)
    }
}

/// Several vectors.
pub(crate) mod list {
    use serde::ser::SerializeSeq;

    use super::{Deserialize, Deserializer, Error, Serializer, decode, encode};

    pub(crate) fn serialize<S: Serializer>(vectors: &[Vec<f64>], serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(vectors.len()))?;
        vectors.iter().try_for_each(|vector| list.serialize_element(&encode(vector)))?;
        list.end()
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Vec<f64>>, D::Error> {
        let texts = Vec::<String>::deserialize(deserializer)?;
        texts.iter().map(|text| decode(text).map_err(D::Error::custom)).collect()
    }
}
