//! An encoder: an ONNX file that has been understood.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use tract_onnx::pb::ModelProto;
use tract_onnx::pb::tensor_proto::DataType;
use tract_onnx::prelude::*;

use crate::error::{EncodeError, brief, list, unreadable};
use crate::graph::{self, Input};
use crate::guard::guarded;

/// The inputs of text encoders that are known.
pub(crate) const IDS: &str = "input_ids";
pub(crate) const MASK: &str = "attention_mask";
const SEGMENTS: &str = "token_type_ids";

/// What an encoder takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Images.
    Images,
    /// Texts, as tokens.
    Texts,
}

/// An encoder in the ONNX format.
#[derive(Debug)]
pub struct Encoder {
    pub(crate) path: PathBuf,
    pub(crate) inputs: Vec<Input>,
    model: InferenceModel,
    output: Option<String>,
    digest: String,
    kind: Kind,
}

/// A graph with all sizes fixed, ready to run; threads may share it.
pub(crate) type Plan = Arc<TypedSimplePlan>;

impl Encoder {
    /// Opens an ONNX file. Features are its first output, or the output or inner tensor of that name.
    ///
    /// # Errors
    ///
    /// Refuses files that are no ONNX, that use operators which the runtime does not have, and encoders of neither kind.
    pub fn open(path: impl AsRef<Path>, output: Option<&str>) -> Result<Encoder, EncodeError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
        let not_onnx = |cause: &str| EncodeError::NotOnnx { file: file.clone(), cause: cause.to_owned() };
        let onnx = tract_onnx::onnx();
        let proto = onnx.proto_model_for_read(&mut &bytes[..]).map_err(|error| not_onnx(&brief(&error)))?;
        let graph = proto.graph.as_ref().filter(|graph| !graph.node.is_empty());
        let graph = graph.ok_or_else(|| not_onnx("it holds no graph"))?;
        let unknown = graph::unknown_operators(graph, |name| onnx.op_register.0.contains_key(name));
        if !unknown.is_empty() {
            return Err(EncodeError::Operators { file, names: list(unknown.iter().map(String::as_str)) });
        }
        let inputs = graph::inputs(graph);
        let kind = kind(&inputs).ok_or_else(|| EncodeError::Inputs {
            file: file.clone(),
            found: inputs.iter().map(Input::describe).collect::<Vec<_>>().join(", "),
        })?;
        let model = parse(&onnx, &proto, path, output)?;
        let digest = hex(&bytes);
        Ok(Encoder { path: path.to_owned(), inputs, model, output: output.map(str::to_owned), digest, kind })
    }

    /// What it takes.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// File and output in a line that tells encoders apart.
    pub fn describe(&self) -> String {
        let output = self.output.as_deref().unwrap_or("the first");
        format!("sha256 {}, output {output}", self.digest)
    }

    /// Refuses data of the other kind; `data` is their name.
    pub fn expect(&self, kind: Kind, data: &Path) -> Result<(), EncodeError> {
        let (data, encoder) = (data.display().to_string(), self.file());
        match (kind, self.kind) {
            (Kind::Images, Kind::Texts) => Err(EncodeError::WantsText { data, encoder }),
            (Kind::Texts, Kind::Images) => Err(EncodeError::WantsImages { data, encoder }),
            _ => Ok(()),
        }
    }

    pub(crate) fn file(&self) -> String {
        self.path.display().to_string()
    }

    /// The graph for inputs of these shapes, one for each input.
    pub(crate) fn plan(&self, shapes: &[Vec<usize>]) -> Result<Plan, EncodeError> {
        let optimize = || {
            let mut model = self.model.clone();
            for (i, (input, shape)) in self.inputs.iter().zip(shapes).enumerate() {
                let number =
                    if input.kind == DataType::Int32 { i32::datum_type() } else { i64::datum_type() };
                let number = if self.kind == Kind::Images { f32::datum_type() } else { number };
                model.set_input_fact(i, InferenceFact::dt_shape(number, shape))?;
            }
            model.into_optimized()?.into_runnable()
        };
        guarded(optimize).map_err(|cause| self.broken(cause))
    }

    pub(crate) fn broken(&self, cause: String) -> EncodeError {
        EncodeError::Graph { file: self.file(), cause }
    }
}

/// What the inputs are for: pixels, or tokens.
fn kind(inputs: &[Input]) -> Option<Kind> {
    let tokens = |input: &Input| {
        [IDS, MASK, SEGMENTS].contains(&input.name.as_str())
            && matches!(input.kind, DataType::Int64 | DataType::Int32)
            && input.shape.len() == 2
    };
    match inputs {
        [image] if image.kind == DataType::Float && image.shape.len() == 4 => Some(Kind::Images),
        _ if inputs.iter().any(|input| input.name == IDS) && inputs.iter().all(tokens) => Some(Kind::Texts),
        _ => None,
    }
}

/// Translates the graph and cuts it off behind the output that is wanted.
fn parse(
    onnx: &tract_onnx::Onnx,
    proto: &ModelProto,
    path: &Path,
    output: Option<&str>,
) -> Result<InferenceModel, EncodeError> {
    let file = || path.display().to_string();
    // Shapes in the file are often wrong once the batch is fixed, and the runtime finds them out itself.
    let onnx = onnx.clone().with_ignore_value_info(true);
    let folder = path.parent().and_then(Path::to_str);
    let parsed =
        guarded(|| onnx.parse(proto, folder)).map_err(|cause| EncodeError::Graph { file: file(), cause })?;
    if !parsed.unresolved_inputs.is_empty() {
        let cause = format!("nothing makes {}", list(parsed.unresolved_inputs.iter().map(String::as_str)));
        return Err(EncodeError::Graph { file: file(), cause });
    }
    let mut model = parsed.model;
    let outlet = match output {
        None => model.outputs.first(),
        Some(name) => parsed.outlets_by_name.get(name),
    };
    let Some(&outlet) = outlet else {
        let outputs = proto.graph.iter().flat_map(|graph| &graph.output).map(|output| output.name.as_str());
        let name = output.unwrap_or_default().to_owned();
        return Err(EncodeError::NoSuchOutput { file: file(), name, outputs: list(outputs) });
    };
    guarded(|| model.select_output_outlets(&[outlet]))
        .map_err(|cause| EncodeError::Graph { file: file(), cause })?;
    Ok(model)
}

/// SHA-256 as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
