//! Features of images and text by an encoder in the ONNX format, run by [tract](tract_onnx).
//!
//! ```text
//! images (.npy, or a folder of .png and .jpg) ── resized, scaled ─┐
//!                                                                 ├─► encoder ── pooled ──► one row of features each
//! texts (.csv, .jsonl) ── tokenizer.json ─────────────────────────┘
//! ```
//!
//! Every row goes through the encoder on its own, so that its features depend neither on its neighbours nor on the number
//! of threads. Whatever is wrong with encoder or data is an [`EncodeError`], one line that names the file and the remedy.
//!
//! ```
//! use unswayed_encode::{Columns, Texts};
//!
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("mail.csv");
//! std::fs::write(&file, "text,label\nWin a prize!,spam\nSee you at noon,ham\n")?;
//! let mail = Texts::open(&file, &Columns::default(), None)?;
//! assert_eq!(mail.labels().unwrap(), ["spam", "ham"]);
//!
//! // With an encoder of one's own, and the tokenizer that belongs to it:
//! # fn encode(mail: &Texts) -> Result<(), unswayed_encode::EncodeError> {
//! use unswayed_encode::{Encoder, TextOptions, Tokens};
//! let encoder = Encoder::open("bert.onnx", None)?;
//! let tokens = Tokens::of(mail, "tokenizer.json", 512)?;
//! let features = encoder.encode_texts(&tokens, TextOptions::default(), &|| ())?;
//! println!("{} features a row", features.dimension);
//! # Ok(())
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod error;
mod graph;
mod guard;
mod images;
mod model;
mod pixels;
mod pool;
mod texts;
mod tokens;

pub use error::EncodeError;
pub use guard::panics_are_errors;
pub use images::Images;
pub use model::{Encoder, Kind};
pub use pixels::ImageOptions;
pub use pool::{Pooling, TextOptions};
pub use texts::{Columns, Texts};
pub use tokens::Tokens;

/// Rows of features.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    /// The features, row after row.
    pub x: Vec<f64>,
    /// How many features a row has.
    pub dimension: usize,
}
