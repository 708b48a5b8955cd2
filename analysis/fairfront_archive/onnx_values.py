"""Tensors of an ONNX graph that numpy's functions take for arrays: `elementary.exp` of one writes its nodes, so that a
runtime computes the bits of the program, whatever its own exponential is.

A runtime's `Exp` may differ in the last bit. Where what follows multiplies it by 1e9 that is seen.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from fairfront_archive import elementary

OPERATORS = {np.add: "Add", np.subtract: "Sub", np.multiply: "Mul", np.divide: "Div", np.negative: "Neg", np.absolute: "Abs",
             np.less: "Less", np.greater: "Greater", np.equal: "Equal"}
LEAST_EXPONENT, MOST_EXPONENT = -1022, 1023  # of normal numbers
ROOT_HALF = float(elementary.ROOT_HALF.view(np.float64))
INT64 = 7  # a type of tensors, as the standard numbers them


class Tensor(NDArrayOperatorsMixin):
    """Of doubles, or of truth values where it comes from a comparison."""

    dtype = np.dtype(np.float64)

    def __init__(self, name: str, node: Callable[..., str], constant: Callable[..., str]) -> None:
        """@param node  writes an operator with its inputs, and names its output; @param constant  names a value."""
        self.name, self.node, self.constant = name, node, constant

    def __array_ufunc__(self, function: np.ufunc, method: str, *inputs: object) -> Tensor:
        if method != "__call__" or function not in OPERATORS:
            return NotImplemented
        return self._made(OPERATORS[function], inputs)

    def __array_function__(self, function: Callable, types: tuple, inputs: tuple, named: dict) -> Tensor:
        if function is not np.where or named:
            return NotImplemented
        return self._made("Where", inputs)

    @property
    def power_of_two(self) -> Tensor:
        """2^k of whole numbers from -1022 to 1023, and 1 of NaN."""
        powers = self.constant(2.0 ** np.arange(LEAST_EXPONENT, MOST_EXPONENT + 1))
        known = self.node("Where", self.node("IsNaN", self.name), self.constant(0.0), self.name)
        place = self.node("Cast", self.node("Sub", known, self.constant(float(LEAST_EXPONENT))), to=INT64)
        return self._of(self.node("Gather", powers, place))

    @property
    def exponent(self) -> Tensor:
        """k with 2^k ROOT_HALF <= v < 2^(k + 1) ROOT_HALF of normal numbers v; of others any: a runtime's logarithm to base 2,
        rounded down, is k or k - 1."""
        guess = self._of(self.node("Floor", (self._of(self.node("Log", self.name)) * elementary.PER_LN2).name))
        guess = self._of(self.node("Clip", guess.name, self.constant(float(LEAST_EXPONENT)), self.constant(-float(LEAST_EXPONENT))))
        return np.where(self < guess.power_of_two * (2 * ROOT_HALF), guess, guess + 1.0)

    def _of(self, name: str) -> Tensor:
        return Tensor(name, self.node, self.constant)

    def _made(self, operator: str, inputs: tuple) -> Tensor:
        names = (one.name if isinstance(one, Tensor) else self.constant(float(one)) for one in inputs)
        return self._of(self.node(operator, *names))


def columns_of(tensor: Tensor, count: int) -> list[Tensor]:
    """Each one, (n, 1)."""
    places = (tensor.constant([place], np.int64) for place in range(count))
    return [Tensor(tensor.node("Gather", tensor.name, place, axis=1), tensor.node, tensor.constant) for place in places]
