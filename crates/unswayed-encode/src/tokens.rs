//! From texts to tokens, and through the encoder.

use std::collections::BTreeMap;
use std::path::Path;

use tokenizers::{EncodeInput, Encoding, Tokenizer, TruncationParams, TruncationStrategy};
use tract_onnx::prelude::*;

use crate::error::{EncodeError, brief, unreadable};
use crate::guard::guarded;
use crate::model::{Encoder, IDS, Kind, MASK, Plan, hex};
use crate::pool::{Places, TextOptions, finish};
use crate::texts::{Row, Texts};
use crate::{Encoded, batch};

/// Texts are padded to multiples of this, so that a graph with fixed sizes serves many of them.
const STEP: usize = 32;

/// Fewer tokens would leave no room beside those that tokenizers add.
const FEWEST: usize = 8;

/// Texts as tokens.
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    texts: &'a Texts,
    rows: Vec<Encoding>,
    most: usize,
    digest: String,
}

impl<'a> Tokens<'a> {
    /// Splits texts with a tokenizer in the format of `tokenizer.json`. What is longer than `most` tokens (at least 8) is cut
    /// off; of a pair the longer text is cut first.
    ///
    /// # Errors
    ///
    /// Refuses files that hold no tokenizer.
    pub fn of(texts: &'a Texts, tokenizer: impl AsRef<Path>, most: usize) -> Result<Tokens<'a>, EncodeError> {
        let (path, most) = (tokenizer.as_ref(), most.max(FEWEST));
        let file = || path.display().to_string();
        if !path.exists() {
            return Err(EncodeError::NoTokenizer { file: file() });
        }
        let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
        let bad = |cause: &tokenizers::Error| EncodeError::Tokenizer { file: file(), cause: brief(cause) };
        let mut tokenizer = Tokenizer::from_bytes(&bytes).map_err(|error| bad(&error))?;
        let strategy = TruncationStrategy::LongestFirst;
        let truncation = TruncationParams { max_length: most, strategy, ..TruncationParams::default() };
        tokenizer.with_padding(None).with_truncation(Some(truncation)).map_err(|error| bad(&error))?;
        let split = |row: &Row| {
            let input = match &row.pair {
                Some(pair) => EncodeInput::from((row.text.as_str(), pair.as_str())),
                None => EncodeInput::from(row.text.as_str()),
            };
            tokenizer.encode(input, true).map_err(|error| bad(&error))
        };
        let rows = batch::each(texts.rows(), split, &|| ())?;
        Ok(Tokens { texts, rows, most, digest: hex(&bytes) })
    }

    /// How many texts there are.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// How many texts were cut off.
    pub fn cut(&self) -> usize {
        self.rows.iter().filter(|row| !row.get_overflowing().is_empty()).count()
    }
}

impl Encoder {
    /// Encodes texts; `done` is called after each.
    ///
    /// # Errors
    ///
    /// Refuses tokens that the encoder does not know, and outputs that are not finite.
    pub fn encode_texts(
        &self,
        tokens: &Tokens<'_>,
        options: TextOptions,
        done: &(dyn Fn() + Sync),
    ) -> Result<Encoded, EncodeError> {
        self.expect(Kind::Texts, tokens.texts.path())?;
        let mut rows = vec![Vec::new(); tokens.rows()];
        for (length, members) in self.by_length(tokens)? {
            let plan = self.plan(&vec![vec![1, length]; self.inputs.len()])?;
            let encode = |&row: &usize| self.encode_text(&plan, tokens, row, length, options);
            for (row, features) in members.iter().zip(batch::each(&members, encode, done)?) {
                rows[*row] = features;
            }
        }
        Ok(finish(rows, options.l2))
    }

    /// The number of tokens, if the encoder takes texts of one length only; shorter ones are padded.
    pub fn longest_text(&self) -> Option<usize> {
        self.inputs.iter().find_map(|input| input.shape.get(1).copied().flatten())
    }

    /// Encoder, tokenizer and options in a line: features made with another line do not belong together.
    pub fn text_recipe(&self, tokens: &Tokens<'_>, options: TextOptions) -> String {
        let Tokens { digest, most, .. } = tokens;
        let tokenizer = format!("tokenizer {digest}, {most} tokens");
        format!("{}, {tokenizer}, pooling {:?}, l2 {}", self.describe(), options.pooling, options.l2)
    }

    /// The texts for each length that the encoder is run with.
    fn by_length(&self, tokens: &Tokens<'_>) -> Result<BTreeMap<usize, Vec<usize>>, EncodeError> {
        let fixed = self.longest_text();
        // Padding that no mask marks would count as text.
        let masked = self.inputs.iter().any(|input| input.name == MASK);
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (row, encoding) in tokens.rows.iter().enumerate() {
            let used = encoding.len();
            let length = match fixed {
                Some(length) if length < used => {
                    let cause = format!("it takes {length} at most");
                    return Err(EncodeError::Text { place: tokens.texts.place(row), tokens: used, cause });
                }
                Some(length) => length,
                None if masked => used.next_multiple_of(STEP).min(tokens.most).max(used),
                None => used,
            };
            groups.entry(length).or_default().push(row);
        }
        Ok(groups)
    }

    fn encode_text(
        &self,
        plan: &Plan,
        tokens: &Tokens<'_>,
        row: usize,
        length: usize,
        options: TextOptions,
    ) -> Result<Vec<f64>, EncodeError> {
        let encoding = &tokens.rows[row];
        let run = || {
            let inputs = self.inputs.iter().map(|input| tensor(encoding, &input.name, length));
            let inputs = inputs.zip(plan.model().inputs.iter()).map(|(tensor, outlet)| {
                let number = plan.model().outlet_fact(*outlet)?.datum_type;
                Ok(tensor?.cast_to_dt(number)?.into_owned().into_tvalue())
            });
            plan.run(inputs.collect::<TractResult<_>>()?)
        };
        let place = || tokens.texts.place(row);
        let used = encoding.len();
        let outputs =
            guarded(run).map_err(|cause| EncodeError::Text { place: place(), tokens: used, cause })?;
        self.pooled(&outputs, Places::Tokens(used), options.pooling, place)
    }
}

/// One of the inputs for one text, with zeros behind it.
fn tensor(encoding: &Encoding, input: &str, length: usize) -> TractResult<Tensor> {
    let numbers = match input {
        IDS => encoding.get_ids(),
        MASK => encoding.get_attention_mask(),
        _ => encoding.get_type_ids(),
    };
    let padding = std::iter::repeat_n(0, length - numbers.len());
    let numbers: Vec<i64> = numbers.iter().map(|n| i64::from(*n)).chain(padding).collect();
    Tensor::from_shape(&[1, length], &numbers)
}
