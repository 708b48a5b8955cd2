"""Products of rows and weights with the bits of the program's kernels (src/models/kernels.cpp), as every build
but one for a processor of its own has them: no fused operation, and sums in the order that follows."""

from __future__ import annotations

import numpy as np

LANES = 2  # sums that run side by side


def dots(rows: np.ndarray, weights: np.ndarray, offset: float) -> np.ndarray:
    """offset + rows @ weights. @param rows  (n, d). @param weights  (d,). @return (n,)."""
    even, odd = np.zeros((len(rows), LANES)), np.zeros((len(rows), LANES))
    columns, at = rows.shape[1], 0

    def add(sums: np.ndarray, count: int) -> int:
        sums[:, :count] += rows[:, at:at + count] * weights[at:at + count]
        return at + count

    while at + 2 * LANES <= columns:
        at = add(even, LANES)
        at = add(odd, LANES)
    if at + LANES <= columns:
        at = add(even, LANES)
    if at < columns:
        add(odd, columns - at)
    parts = even + odd
    while parts.shape[1] > 1:
        half = parts.shape[1] // 2
        parts = parts[:, :half] + parts[:, half:]
    return offset + parts[:, 0]


def affine(rows: np.ndarray, weights: np.ndarray, biases: np.ndarray) -> np.ndarray:
    """rows @ weights + biases. @param rows  (n, k). @param weights  (k, m). @param biases  (m,)."""
    out = np.tile(biases, (len(rows), 1))
    for k, factors in enumerate(weights):
        out += rows[:, k:k + 1] * factors
    return out
