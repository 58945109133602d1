//! What an ONNX file says about itself, before it is run.

use std::collections::{BTreeSet, HashSet};

use tract_onnx::pb::tensor_proto::DataType;
use tract_onnx::pb::tensor_shape_proto::dimension::Value as Size;
use tract_onnx::pb::type_proto::Value as Type;
use tract_onnx::pb::{GraphProto, ValueInfoProto};

/// An input: its name, its type of number, its shape; sizes that are left open are `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    pub name: String,
    pub kind: DataType,
    pub shape: Vec<Option<usize>>,
}

/// The inputs that have no value yet: old files list their weights among the inputs too.
pub fn inputs(graph: &GraphProto) -> Vec<Input> {
    let weights: HashSet<&str> = graph.initializer.iter().map(|weight| weight.name.as_str()).collect();
    graph.input.iter().filter(|input| !weights.contains(input.name.as_str())).map(input).collect()
}

fn input(value: &ValueInfoProto) -> Input {
    let kind = value.r#type.as_ref().and_then(|kind| kind.value.as_ref());
    let tensor = kind.map(|Type::TensorType(tensor)| tensor);
    let sizes = tensor.and_then(|tensor| tensor.shape.as_ref()).map_or(&[][..], |shape| &shape.dim);
    let size = |size: Option<&Size>| match size {
        Some(Size::DimValue(n)) => usize::try_from(*n).ok().filter(|n| *n > 0),
        _ => None,
    };
    Input {
        name: value.name.clone(),
        kind: tensor
            .and_then(|tensor| DataType::try_from(tensor.elem_type).ok())
            .unwrap_or(DataType::Undefined),
        shape: sizes.iter().map(|dimension| size(dimension.value.as_ref())).collect(),
    }
}

/// The operators of a graph that are not known.
pub fn unknown_operators(graph: &GraphProto, known: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let names = graph.node.iter().map(|node| node.op_type.as_str());
    names.filter(|name| !known(name)).map(str::to_owned).collect()
}

impl Input {
    /// The input for a message: `image float[?,3,224,224]`.
    pub fn describe(&self) -> String {
        let size = |n: &Option<usize>| n.map_or_else(|| "?".to_owned(), |n| n.to_string());
        let shape = self.shape.iter().map(size).collect::<Vec<_>>().join(",");
        format!("{} {}[{shape}]", self.name, self.kind.as_str_name().to_lowercase())
    }
}
