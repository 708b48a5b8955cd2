"""Tensors of a graph, run in numpy, against the functions of the program's bits."""

from __future__ import annotations

import importlib.util
import unittest

import numpy as np

from fairfront_archive import elementary
from fairfront_archive.onnx_values import Tensor, columns_of

HAS_ONNX = importlib.util.find_spec("onnx") is not None
if HAS_ONNX:
    import onnx

    import onnx_evaluator


class Graph:
    """Runs every node when it is written."""

    def __init__(self) -> None:
        self.values: dict[str, np.ndarray] = {}

    def constant(self, values: object, dtype: type = np.float64) -> str:
        return self._named(np.asarray(values, dtype=dtype))

    def node(self, operator: str, *inputs: str, **attributes: object) -> str:
        made = onnx.helper.make_node(operator, list(inputs), ["y"], **attributes)
        with np.errstate(all="ignore"):
            return self._named(onnx_evaluator.run_node(made, self.values))

    def tensor(self, values: np.ndarray) -> Tensor:
        return Tensor(self.constant(values), self.node, self.constant)

    def value(self, tensor: Tensor) -> np.ndarray:
        return self.values[tensor.name]

    def _named(self, value: np.ndarray) -> str:
        name = f"value {len(self.values)}"
        self.values[name] = value
        return name


@unittest.skipUnless(HAS_ONNX, "python3-onnx is not installed")
class Tensors(unittest.TestCase):
    def test_functions_have_the_bits_of_those_of_arrays(self) -> None:
        draws = np.random.default_rng(1)
        ends = [0.0, -0.0, 1e-300, 709.8, 710.5, -745.2, -746.5, 1e9, -1e9, np.inf, -np.inf, np.nan]
        x = np.concatenate([draws.standard_normal(20000) * 10.0 ** draws.uniform(-20, 3, 20000), ends])[:, None]
        beyond = x[np.isnan(x[:, 0]) | (x[:, 0] >= -1)]
        beyond = np.concatenate([beyond, 2.0 ** draws.uniform(-60, 300, 5000)[:, None], 2.0 ** np.arange(-60.0, 300)[:, None] - 1,
                                 np.nextafter(2.0 ** np.arange(-60.0, 300), 0)[:, None], [[-1.0], [1e100], [np.nan]]])
        for function, values in ((elementary.exp, x), (elementary.sigmoid, x), (elementary.log1p, beyond)):
            with self.subTest(function.__name__):
                graph = Graph()
                found, expected = graph.value(function(graph.tensor(values))), function(values)
                known = ~np.isnan(expected)
                np.testing.assert_array_equal(found.view(np.uint64)[known], expected.view(np.uint64)[known])
                np.testing.assert_array_equal(np.isnan(found), ~known)
                self.assertGreater(int(known.sum()), 10000)

    def test_columns_are_added_from_the_first_one_on(self) -> None:
        x = np.array([[1.0, 1e16, -1e16], [2.0, 3.0, 4.0]])
        graph = Graph()
        self.assertEqual(graph.value(sum(columns_of(graph.tensor(x), 3))).tolist(), [[0.0], [9.0]])

    def test_what_no_operator_stands_for_is_refused(self) -> None:
        with self.assertRaises(TypeError):
            np.tanh(Graph().tensor(np.ones((2, 1))))


if __name__ == "__main__":
    unittest.main()
