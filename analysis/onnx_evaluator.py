"""Runs ONNX files in numpy, for the tests: the operators that models use, by the standard's own words.

Debian's package onnx (1.12) has no reference evaluator yet; this one knows nothing of how files are written, and gives what
the standard's own cases expect of every operator (test_onnx_evaluator.py).
"""

from __future__ import annotations

import functools

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
            values[node.output[0]] = run_node(node, values)
    return {one.name: values[one.name] for one in model.graph.output}


def run_node(node: onnx.NodeProto, values: dict[str, np.ndarray]) -> np.ndarray:
    """@param values  by the names of the node's inputs; an input without a name is left out."""
    told = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
    return OPERATORS[node.op_type](*(values[name] if name else None for name in node.input), **told)


def label_encoder(x: np.ndarray, keys_strings: list[bytes], values_int64s: list[int],
                  default_int64: int) -> np.ndarray:
    table = dict(zip((key.decode() for key in keys_strings), values_int64s, strict=True))
    return np.array([table.get(text, default_int64) for text in x.ravel()], dtype=np.int64).reshape(x.shape)


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    shares = np.exp(x - x.max(axis=axis, keepdims=True))
    return shares / shares.sum(axis=axis, keepdims=True)


def reduced(function):
    def reduce(x, axes=None, keepdims=1, noop_with_empty_axes=0):
        axes = np.array([] if axes is None else axes, dtype=np.int64).ravel()
        if axes.size == 0 and noop_with_empty_axes:
            return x
        return function(x, axis=tuple(axes.tolist()) if axes.size else None, keepdims=bool(keepdims))
    return reduce


def place_of(function):
    def place(x, axis=0, keepdims=1, select_last_index=0):
        found = function(np.flip(x, axis), axis=axis) if select_last_index else function(x, axis=axis)
        found = x.shape[axis] - 1 - found if select_last_index else found
        return np.expand_dims(found, axis) if keepdims else found
    return place


def cast(x: np.ndarray, to: int) -> np.ndarray:
    return x.astype(onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[to])


def divide(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.trunc(x / y).astype(x.dtype) if np.issubdtype(x.dtype, np.integer) else x / y


def clip(x: np.ndarray, least: np.ndarray | None = None, most: np.ndarray | None = None) -> np.ndarray:
    x = x if least is None else np.maximum(x, least)
    return x if most is None else np.minimum(x, most)


def reshape(x: np.ndarray, shape: np.ndarray, allowzero: int = 0) -> np.ndarray:
    return x.reshape([x.shape[i] if size == 0 and not allowzero else size for i, size in enumerate(shape.tolist())])


OPERATORS = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": divide, "MatMul": np.matmul,
    "Max": lambda *parts: functools.reduce(np.maximum, parts),
    "Sqrt": np.sqrt, "Neg": np.negative, "Unsqueeze": lambda x, axes: np.expand_dims(x, tuple(axes.tolist())), "Log": np.log, "Exp": np.exp, "Equal": np.equal, "Tanh": np.tanh, "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Relu": lambda x: np.maximum(x, 0), "Clip": clip, "IsNaN": np.isnan, "Where": np.where,
    "Ceil": np.ceil, "Floor": np.floor, "Less": np.less, "Greater": np.greater, "Abs": np.abs, "GreaterOrEqual": np.greater_equal, "LessOrEqual": np.less_equal, "Identity": lambda x: x,
    "Concat": lambda *parts, axis: np.concatenate(parts, axis=axis),
    "Gather": lambda x, indices, axis=0: np.take(x, indices, axis=axis, mode="raise"),
    "Reshape": reshape, "Cast": cast, "Softmax": softmax,
    "ReduceSum": reduced(np.sum), "ReduceMin": reduced(np.min), "ReduceMax": reduced(np.max),
    "ReduceSumSquare": reduced(lambda x, axis, keepdims: np.sum(x * x, axis=axis, keepdims=keepdims)),
    "ArgMin": place_of(np.argmin), "ArgMax": place_of(np.argmax), "LabelEncoder": label_encoder,
}
