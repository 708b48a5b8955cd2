"""The evaluator of ONNX files against the standard's own cases: inputs and outputs of every operator, from Debian's onnx."""

from __future__ import annotations

import collections
import importlib.util
import unittest
import unittest.mock
import warnings

import numpy as np

HAS_ONNX = importlib.util.find_spec("onnx") is not None
if HAS_ONNX:
    import onnx

    import onnx_evaluator

    UNUSED_TYPES = {onnx.TensorProto.BFLOAT16, onnx.TensorProto.STRING}  # numpy has no such numbers; no model casts texts


def standard_cases():
    """Those of one node that the evaluator knows. The package was written for a numpy that still had Python's types."""
    with (warnings.catch_warnings(action="ignore"),
          unittest.mock.patch.multiple(np, create=True, float=float, object=object, bool=bool, int=int)):
        from onnx.backend.test.case.node import collect_testcases
        cases = collect_testcases("")
    for case in cases:
        nodes = case.model.graph.node
        declared = [*case.model.graph.input, *case.model.graph.output]
        types = {one.type.tensor_type.elem_type for one in declared}
        if len(nodes) == 1 and nodes[0].op_type in onnx_evaluator.OPERATORS and not types & UNUSED_TYPES:
            yield case, nodes[0]


@unittest.skipUnless(HAS_ONNX, "python3-onnx is not installed")
class Standard(unittest.TestCase):
    def test_every_operator_gives_what_the_standard_expects(self) -> None:
        seen: collections.Counter[str] = collections.Counter()
        for case, node in standard_cases():
            for inputs, outputs in case.data_sets:
                if not all(isinstance(one, np.ndarray | np.generic) for one in [*inputs, *outputs]):
                    continue  # sequences and optionals, which Identity takes as well
                names = [one.name for one in case.model.graph.input]
                with np.errstate(all="ignore"):
                    found = np.asarray(onnx_evaluator.run_node(node, dict(zip(names, inputs, strict=True))))
                expected = np.asarray(outputs[0])
                with self.subTest(case.name):
                    self.assertEqual(found.shape, expected.shape)
                    np.testing.assert_allclose(found.astype(float), expected.astype(float), rtol=1e-6, atol=1e-7)
                seen[node.op_type] += 1
        # Those of labels are in another part of the standard, which has no cases.
        self.assertEqual(set(seen), set(onnx_evaluator.OPERATORS) - {"LabelEncoder"})
        self.assertGreater(sum(seen.values()), 150)


if __name__ == "__main__":
    unittest.main()
