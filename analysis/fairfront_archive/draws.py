"""The random numbers of `fairfront predict --draw SEED`, one uniform number a row by a stream of the row's own, and of
models that draw by what a row holds (Philox4x32-10: Salmon, Moraes, Dror, Shaw, 2011, as src/base/random.hpp)."""

from __future__ import annotations

import hashlib

import numpy as np

LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
FACTORS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
STEPS = 0x9E3779B9, 0xBB67AE85


def row_uniforms(seed: int, rows: int) -> np.ndarray:
    """Uniform on [0, 1), (rows,); that of a row does not depend on the rows beside it."""
    key = _key(seed, "predict", "draw")
    keys = [key & 0xFFFFFFFF, key >> 32]
    index = np.arange(rows, dtype=np.uint64)
    a = b = np.zeros(rows, dtype=np.uint64)
    c, d = index & LOW, index >> HALF
    for _ in range(10):
        first, second = FACTORS[0] * a, FACTORS[1] * c
        a, b, c, d = ((second >> HALF) ^ b ^ np.uint64(keys[0]), second & LOW,
                      (first >> HALF) ^ d ^ np.uint64(keys[1]), first & LOW)
        keys = [(key + step) & 0xFFFFFFFF for key, step in zip(keys, STEPS)]
    return ((a << HALF | b) >> np.uint64(11)).astype(np.float64) * 2.0 ** -53


def rows_by_content(seed: int, features: np.ndarray, purpose: str) -> np.ndarray:
    """Uniform on [0, 1), (rows,): by the bits of a row's features alone, as src/models/transport.cpp."""
    rows = np.ascontiguousarray(features, dtype="<f8")
    keys = [_key(seed, row.tobytes(), purpose) >> 11 for row in rows]
    return np.array(keys, dtype=np.uint64).astype(np.float64) * 2.0 ** -53


def drawn_atoms(distribution: np.ndarray, atoms: np.ndarray, seed: int) -> np.ndarray:
    """One atom a row, by its number among those that are predicted, as `fairfront predict` writes no others.

    @param distribution  (rows, atoms); NaN of rows that are left out.
    """
    known = ~np.isnan(distribution[:, 0])
    left = np.zeros(len(distribution))
    left[known] = row_uniforms(seed, int(known.sum()))
    place = np.full(len(distribution), len(atoms) - 1)
    undecided = np.ones(len(distribution), dtype=bool)
    for i in range(len(atoms) - 1):
        left = left - distribution[:, i]
        now = undecided & (left < 0)
        place[now] = i
        undecided &= ~now
    return np.where(known, atoms[place], np.nan)


def _key(seed: int, task_key: str | bytes, purpose: str) -> int:
    """Of a family of streams: the first 64 bits of a SHA-256 of all three, each with its length in front."""
    total = hashlib.sha256((1).to_bytes(8, "little") + seed.to_bytes(8, "little"))
    for text in (task_key if isinstance(task_key, bytes) else task_key.encode(), purpose.encode()):
        total.update(len(text).to_bytes(8, "little") + text)
    return int(total.hexdigest()[:16], 16)
