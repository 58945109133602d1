//! Why an encoder or its data was refused.

use std::path::Path;

/// Why an encoder or its data was refused. The text is one line that names the file, the place and the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// A file that cannot be opened or read.
    #[error("{file}: cannot be read ({cause})")]
    Unreadable {
        /// The file.
        file: String,
        /// What the operating system says.
        cause: String,
    },
    /// The encoder is no ONNX file.
    #[error("{file}: not an ONNX file ({cause}); export the encoder in the ONNX format")]
    NotOnnx {
        /// The file.
        file: String,
        /// What is wrong with it.
        cause: String,
    },
    /// Operators that the runtime does not have.
    #[error(
        "{file}: the encoder uses operators that cannot be run here ({names}); export it with standard operators, opset 17"
    )]
    Operators {
        /// The file.
        file: String,
        /// The operators.
        names: String,
    },
    /// A graph that the runtime does not accept, or fails on.
    #[error("{file}: the encoder cannot be run ({cause}); export it with fixed sizes and opset 17")]
    Graph {
        /// The file.
        file: String,
        /// What the runtime says.
        cause: String,
    },
    /// An encoder of neither kind.
    #[error(
        "{file}: the encoder takes {found}; an image encoder takes one float32 input of rank 4, a text encoder the integer \
         inputs input_ids, attention_mask and token_type_ids of rank 2, or some of them"
    )]
    Inputs {
        /// The file.
        file: String,
        /// The inputs it has.
        found: String,
    },
    /// A layer that the encoder does not have.
    #[error(
        "{file}: there is no output or inner tensor {name:?}; the outputs are {outputs} (--encoder-output)"
    )]
    NoSuchOutput {
        /// The file.
        file: String,
        /// The name that was asked for.
        name: String,
        /// The names of the outputs.
        outputs: String,
    },
    /// An output that cannot be made one row a datum.
    #[error(
        "{file}: the output has shape {shape}; features need rank 2, 3 or 4 with one row a datum: name another one with \
         --encoder-output"
    )]
    OutputShape {
        /// The file.
        file: String,
        /// The shape for one datum.
        shape: String,
    },
    /// An output with something that is no number.
    #[error(
        "{place}: the encoder's output is not finite; check --pixel-mean and --pixel-std, or the encoder"
    )]
    NotFinite {
        /// File and row.
        place: String,
    },
    /// Images for a text encoder.
    #[error("{data}: these are images, but {encoder} takes text: give a .csv or .jsonl file")]
    WantsText {
        /// The data.
        data: String,
        /// The encoder.
        encoder: String,
    },
    /// Text for an image encoder.
    #[error(
        "{data}: this is text, but {encoder} takes images: give a folder of .png and .jpg files, or a .npy file"
    )]
    WantsImages {
        /// The data.
        data: String,
        /// The encoder.
        encoder: String,
    },
    /// Data of a kind that no encoder takes.
    #[error("{data}: encoders take a folder of images, a .npy file of images, or text as .csv or .jsonl")]
    UnknownKind {
        /// The data.
        data: String,
    },
    /// The image size is fixed by the encoder.
    #[error(
        "{encoder}: takes images of {height}×{width} only, not {wanted}×{wanted}; leave --image-size out"
    )]
    FixedSize {
        /// The encoder.
        encoder: String,
        /// Its height.
        height: usize,
        /// Its width.
        width: usize,
        /// The size that was asked for.
        wanted: usize,
    },
    /// A mean or standard deviation that does not fit.
    #[error("{flag}: {cause}")]
    PixelScale {
        /// The flag that sets it.
        flag: &'static str,
        /// What is wrong.
        cause: String,
    },
    /// A folder without images.
    #[error("{folder}: there are no .png, .jpg or .jpeg files in it, nor in folders in it")]
    NoImages {
        /// The folder.
        folder: String,
    },
    /// Images both in a folder and in folders in it.
    #[error("{folder}: there are images in it and in folders in it ({example}); move one or the other away")]
    MixedFolder {
        /// The folder.
        folder: String,
        /// A folder in it.
        example: String,
    },
    /// An image that is damaged.
    #[error("{file}: the image cannot be decoded ({cause}); repair it or take it away")]
    Undecodable {
        /// The file.
        file: String,
        /// What is wrong.
        cause: String,
    },
    /// An array that does not hold images.
    #[error("{file}: {cause}")]
    Array {
        /// The file.
        file: String,
        /// What is wrong, with the remedy.
        cause: String,
    },
    /// Fewer rows than asked for.
    #[error("{file}: {wanted} rows wanted, but there are {found}; ask for fewer (--rows)")]
    TooFewRows {
        /// The file.
        file: String,
        /// How many were wanted.
        wanted: usize,
        /// How many there are.
        found: usize,
    },
    /// A file without rows.
    #[error("{file}: there are no rows in it")]
    NoRows {
        /// The file.
        file: String,
    },
    /// A column that is not there.
    #[error("{place}: there is no column {column:?}, only {found}; name it with {flag}")]
    MissingColumn {
        /// The file, and for .jsonl the row.
        place: String,
        /// The column.
        column: String,
        /// The columns there are.
        found: String,
        /// The flag that names the column.
        flag: &'static str,
    },
    /// A row that cannot be read.
    #[error("{place}: {cause}")]
    Row {
        /// File, row and line.
        place: String,
        /// What is wrong, with the remedy.
        cause: String,
    },
    /// A tokenizer that is not there.
    #[error(
        "{file}: there is no such tokenizer; name the tokenizer.json that belongs to the encoder with --tokenizer"
    )]
    NoTokenizer {
        /// The file.
        file: String,
    },
    /// A tokenizer that is none.
    #[error("{file}: not a tokenizer.json ({cause})")]
    Tokenizer {
        /// The file.
        file: String,
        /// What is wrong with it.
        cause: String,
    },
    /// A token that the encoder does not know or a text that is longer than it takes.
    #[error(
        "{place}: the encoder fails on this text of {tokens} tokens ({cause}); does the tokenizer belong to the encoder? A smaller \
         --max-tokens may help"
    )]
    Text {
        /// File and row.
        place: String,
        /// How many tokens.
        tokens: usize,
        /// What the runtime says.
        cause: String,
    },
}

/// A file that cannot be read.
pub(crate) fn unreadable(file: &Path, cause: &impl ToString) -> EncodeError {
    EncodeError::Unreadable { file: file.display().to_string(), cause: brief(cause) }
}

/// What someone else's code says, in one line that is not too long.
pub(crate) fn brief(cause: &impl ToString) -> String {
    let text = cause.to_string();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= 200 {
        return line;
    }
    line.chars().take(199).chain(['…']).collect()
}

/// Names in quotes, at most ten of them.
pub(crate) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("{name:?}")).collect();
    match names.len() {
        0 => "nothing".to_owned(),
        1..=10 => names.join(", "),
        n => format!("{}, {} more", names[..10].join(", "), n - 10),
    }
}
