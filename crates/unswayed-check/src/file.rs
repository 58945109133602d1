//! The certificate file: one JSON object, described in `docs/certificate-format.md`.
//!
//! Reading is strict. Unknown keys, duplicate keys, missing numbers, numbers that are not finite, lists in place of objects
//! and anything after the object are errors.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::proof::{Certificate, MeanCertificate};

const FORMAT: &str = "unswayed-certificate";
const VERSION: u32 = 1;

/// A certificate of either kind.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
pub enum AnyCertificate {
    /// About a linear learner.
    Linear(Certificate),
    /// About the mean learner.
    Mean(MeanCertificate),
}

/// The outermost object.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File<L, M> {
    format: String,
    version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    linear: Option<L>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<M>,
}

/// Why bytes are not a certificate.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FormatError {
    /// It is not JSON, or not of the form that the format prescribes.
    #[error("not a certificate: {0}")]
    Malformed(String),
    /// It says that it is something else.
    #[error("format is {0:?}, not \"{FORMAT}\"")]
    OtherFormat(String),
    /// It has another version.
    #[error("version {0} of the format is unknown; this program reads version {VERSION}")]
    OtherVersion(u32),
    /// It holds no certificate, or two.
    #[error("there must be either a certificate about a linear learner or one about the mean learner")]
    NotOne,
    /// It is about another learner than asked for.
    #[error("the certificate is about the {0} learner")]
    OtherLearner(&'static str),
}

impl AnyCertificate {
    /// Reads a certificate file.
    ///
    /// # Errors
    /// The first thing found that is not as the format's description has it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        let malformed = |error: serde_json::Error| FormatError::Malformed(error.to_string());
        let file: File<Certificate, MeanCertificate> = serde_json::from_slice(bytes).map_err(malformed)?;
        let found: Value = serde_json::from_slice(bytes).map_err(malformed)?;
        require_objects("", &found, &serde_json::to_value(&file).map_err(malformed)?)?;
        if file.format != FORMAT {
            return Err(FormatError::OtherFormat(file.format));
        }
        if file.version != VERSION {
            return Err(FormatError::OtherVersion(file.version));
        }
        match (file.linear, file.mean) {
            (Some(certificate), None) => Ok(AnyCertificate::Linear(certificate)),
            (None, Some(certificate)) => Ok(AnyCertificate::Mean(certificate)),
            _ => Err(FormatError::NotOne),
        }
    }
}

/// Requires an object wherever one would be written: serde also reads a list of an object's values in the order of its
/// fields, which the format does not have.
fn require_objects(path: &str, found: &Value, written: &Value) -> Result<(), FormatError> {
    let inside = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match (found, written) {
        (Value::Object(found), Value::Object(written)) => found.iter().try_for_each(|(name, found)| {
            written.get(name).map_or(Ok(()), |written| require_objects(&inside(name), found, written))
        }),
        (Value::Array(found), Value::Array(written)) => {
            let mut pairs = found.iter().zip(written).enumerate();
            pairs.try_for_each(|(i, (found, written))| {
                require_objects(&inside(&i.to_string()), found, written)
            })
        }
        (Value::Array(_), Value::Object(_)) => {
            let name = if path.is_empty() { "the certificate" } else { path };
            Err(FormatError::Malformed(format!("{name} is a list, not an object")))
        }
        _ => Ok(()),
    }
}

impl Certificate {
    /// Reads a certificate file about a linear learner.
    ///
    /// # Errors
    /// The first thing found that is not as the format's description has it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        match AnyCertificate::from_bytes(bytes)? {
            AnyCertificate::Linear(certificate) => Ok(certificate),
            AnyCertificate::Mean(_) => Err(FormatError::OtherLearner("mean")),
        }
    }

    /// Writes a certificate file: the same certificate always gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        written::<_, MeanCertificate>(Some(self), None)
    }
}

impl MeanCertificate {
    /// Reads a certificate file about the mean learner.
    ///
    /// # Errors
    /// The first thing found that is not as the format's description has it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        match AnyCertificate::from_bytes(bytes)? {
            AnyCertificate::Mean(certificate) => Ok(certificate),
            AnyCertificate::Linear(_) => Err(FormatError::OtherLearner("linear")),
        }
    }

    /// Writes a certificate file: the same certificate always gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        written::<Certificate, _>(None, Some(self))
    }
}

fn written<L: Serialize, M: Serialize>(linear: Option<&L>, mean: Option<&M>) -> Vec<u8> {
    let file = File { format: FORMAT.to_owned(), version: VERSION, linear, mean };
    // Every key is a string and every value a number, text or list of these: there is nothing that JSON cannot hold.
    let mut bytes = serde_json::to_vec_pretty(&file).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}
