//! Compressed files and pages: gzip and Zstandard, with a limit on what they may become.

use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};

use crate::error::{DataError, Problem};

/// No text that people compress shrinks by more than this. Whatever expands further is refused.
const LARGEST_RATIO: usize = 200;
/// Short texts may expand to this many bytes in any case.
const ALWAYS: usize = 1 << 16;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Codec {
    Plain,
    Gzip,
    Zstd,
}

/// The text in a compressed file.
pub(super) fn text(codec: Codec, content: &Bytes) -> Result<Bytes, DataError> {
    let limit = content.len().saturating_mul(LARGEST_RATIO).max(ALWAYS);
    let expanded = match codec {
        Codec::Plain => return Ok(content.clone()),
        Codec::Gzip => limited(MultiGzDecoder::new(&content[..]), Vec::new(), limit),
        Codec::Zstd => zstd(content, limit),
    };
    let bytes = expanded.map_err(|refusal| match refusal {
        Refusal::Limit => Problem::Expands(LARGEST_RATIO),
        Refusal::Damaged(cause) => Problem::Damaged(cause),
    })?;
    if bytes.is_empty() { Err(Problem::EmptyFile.into()) } else { Ok(bytes.into()) }
}

/// Why bytes are not expanded.
#[derive(Debug)]
pub(super) enum Refusal {
    Limit,
    Damaged(String),
}

/// All frames of Zstandard data, which expand to at most `limit` bytes.
pub(super) fn zstd(content: &[u8], limit: usize) -> Result<Vec<u8>, Refusal> {
    // The decoder is written to return errors, but it also asserts what it believes.
    let frames = AssertUnwindSafe(|| frames(content, limit));
    catch_unwind(frames).unwrap_or_else(|_| Err(Refusal::Damaged("its content contradicts itself".into())))
}

fn frames(mut content: &[u8], limit: usize) -> Result<Vec<u8>, Refusal> {
    let damaged = |error: &dyn std::error::Error| Refusal::Damaged(error.to_string());
    let mut all = Vec::new();
    while !content.is_empty() {
        match StreamingDecoder::new(&mut content) {
            Ok(mut decoder) => all = limited(&mut decoder, all, limit)?,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length, ..
            })) => {
                let rest = usize::try_from(length).ok().and_then(|length| content.get(length..));
                content = rest.ok_or_else(|| Refusal::Damaged("a frame is cut off".into()))?;
            }
            Err(error) => return Err(damaged(&error)),
        }
    }
    Ok(all)
}

/// Appends what a reader gives, at most up to `limit` bytes in all.
fn limited(reader: impl Read, mut all: Vec<u8>, limit: usize) -> Result<Vec<u8>, Refusal> {
    let left = limit - all.len();
    let read = reader.take(left as u64 + 1).read_to_end(&mut all);
    read.map_err(|error| Refusal::Damaged(error.to_string()))?;
    if all.len() > limit { Err(Refusal::Limit) } else { Ok(all) }
}
