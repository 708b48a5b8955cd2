"""Runs ONNX files in numpy, for the tests: the operators that models use, by the standard's own words.

Debian's package onnx (1.12) has no reference evaluator yet; this one knows nothing of how files are written.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import numpy_helper


def evaluate(path: str, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """@param inputs  of the shape that is declared, float64 or text; those that have a value in the file may lack."""
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    values: dict[str, np.ndarray] = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    for declared in model.graph.input:
        if declared.name in values and declared.name not in inputs:
            continue
        kind = declared.type.tensor_type.elem_type
        columns = declared.type.tensor_type.shape.dim[1].dim_value
        given = inputs[declared.name]
        expected = (np.dtype(object),) if kind == onnx.TensorProto.STRING else (np.dtype(np.float64),)
        if given.dtype not in expected or given.ndim != 2 or given.shape[1] != columns:
            raise TypeError(f"{declared.name}: {given.dtype} {given.shape}")
        values[declared.name] = given
    with np.errstate(all="ignore"):
        for node in model.graph.node:
            told = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
            (values[node.output[0]],) = [OPERATORS[node.op_type](*(values[name] for name in node.input), **told)]
    return {one.name: values[one.name] for one in model.graph.output}


def label_encoder(x: np.ndarray, keys_strings: list[bytes], values_int64s: list[int],
                  default_int64: int) -> np.ndarray:
    table = dict(zip((key.decode() for key in keys_strings), values_int64s, strict=True))
    return np.array([table.get(text, default_int64) for text in x.ravel()], dtype=np.int64).reshape(x.shape)


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    shares = np.exp(x - x.max(axis=axis, keepdims=True))
    return shares / shares.sum(axis=axis, keepdims=True)


def one_hot(indices: np.ndarray, depth: np.ndarray, values: np.ndarray, axis: int) -> np.ndarray:
    assert axis == -1
    return np.where(indices[..., None] == np.arange(int(depth)), values[1], values[0])


def reduced(function):
    return lambda x, axes=None, keepdims=1: function(x, axis=tuple(np.atleast_1d(axes).tolist()),
                                                     keepdims=bool(keepdims))


def least(function):
    return lambda x, axis, keepdims: (np.expand_dims(function(x, axis=axis), axis) if keepdims
                                      else function(x, axis=axis))


def cast(x: np.ndarray, to: int) -> np.ndarray:
    return x.astype(onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[to])


OPERATORS = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "MatMul": np.matmul, "Max": np.maximum,
    "Sqrt": np.sqrt, "Log": np.log, "Exp": np.exp, "Equal": np.equal, "Tanh": np.tanh, "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Relu": lambda x: np.maximum(x, 0), "Clip": np.clip, "IsNaN": np.isnan, "Where": np.where,
    "Ceil": np.ceil, "Less": np.less, "GreaterOrEqual": np.greater_equal, "LessOrEqual": np.less_equal, "Identity": lambda x: x,
    "Concat": lambda *parts, axis: np.concatenate(parts, axis=axis),
    "Gather": lambda x, indices, axis=0: np.take(x, indices, axis=axis, mode="raise"),
    "Reshape": lambda x, shape: x.reshape(shape), "Cast": cast, "Softmax": softmax, "OneHot": one_hot,
    "ReduceSum": reduced(np.sum), "ReduceMin": reduced(np.min),
    "ReduceSumSquare": reduced(lambda x, axis, keepdims: np.sum(x * x, axis=axis, keepdims=keepdims)),
    "ArgMin": least(np.argmin), "ArgMax": least(np.argmax), "LabelEncoder": label_encoder,
}
