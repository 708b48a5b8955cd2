"""Products of rows and weights with the bits of the program's kernels (src/models/kernels.cpp), as every build
but one for a processor of its own has them: no fused operation, and sums in the order that follows."""

from __future__ import annotations

import numpy as np

LANES = 2  # sums that run side by side in each of two


def blocks_of(columns: int) -> list[tuple[int, int]]:
    """Blocks of at most LANES columns: where they begin, and to which of two sums they are added. The last ones go to
    either, the narrower one to the second."""
    whole, rest = columns // (2 * LANES), columns % (2 * LANES)
    blocks = [(at * LANES, at % 2) for at in range(2 * whole)]
    at = 2 * whole * LANES
    if rest >= LANES:
        blocks.append((at, 0))
        at += LANES
    return blocks + ([(at, 1)] if at < columns else [])


def dots(rows: np.ndarray, weights: np.ndarray, offset: float) -> np.ndarray:
    """offset + rows @ weights. @param rows  (n, d). @param weights  (d,). @return (n,)."""
    sums, columns = np.zeros((2, len(rows), LANES)), rows.shape[1]
    for at, side in blocks_of(columns):
        end = min(at + LANES, columns)
        sums[side, :, :end - at] += rows[:, at:end] * weights[at:end]
    parts = sums[0] + sums[1]
    return offset + (parts[:, 0] + parts[:, 1])


def affine(rows: np.ndarray, weights: np.ndarray, biases: np.ndarray) -> np.ndarray:
    """rows @ weights + biases. @param rows  (n, k). @param weights  (k, m). @param biases  (m,)."""
    out = np.tile(biases, (len(rows), 1))
    for k, factors in enumerate(weights):
        out += rows[:, k:k + 1] * factors
    return out
