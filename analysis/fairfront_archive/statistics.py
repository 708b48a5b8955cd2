"""Paired tests over replicates, and their correction when there are several."""

from __future__ import annotations

import itertools

import numpy as np

EXACT = 14  # at most this many pairs are tested by all 2^n changes of sign
DRAWS = 20_000  # of signs otherwise, from a fixed seed
DRAWN_AT_ONCE = 2**20  # signs, 8 MB


def paired_test(first: np.ndarray, second: np.ndarray) -> float:
    """The two-sided p-value of "both have the same distribution" by changing signs of differences.

    Pairs are values of the same replicates. Under the hypothesis each difference is as likely as its
    negative, so p is the share of all changes of sign whose mean is at least as far from 0 (Fisher,
    1935): exact for up to 14 pairs, from 20,000 draws otherwise. No normality is assumed. With n
    pairs p is at least 2^(1-n): five replicates can never go below 1/16.

    @return NaN with fewer than two pairs in which both values are there.
    """
    differences = np.asarray(first, float) - np.asarray(second, float)
    differences = differences[np.isfinite(differences)]
    if len(differences) < 2:
        return float("nan")
    observed = abs(differences.sum())
    # Sums in another order differ in the last bits: equal ones count as equal.
    far = observed - 1e-12 * np.abs(differences).sum()
    if len(differences) <= EXACT:
        signs = np.array(list(itertools.product((1.0, -1.0), repeat=len(differences))))
        return float((np.abs(signs @ differences) >= far).mean())
    random = np.random.default_rng(1)
    at_once = max(1, DRAWN_AT_ONCE // len(differences))  # the signs of all draws would not fit for many pairs
    as_far = 0
    for first_draw in range(0, DRAWS, at_once):
        signs = random.choice((1.0, -1.0), size=(min(at_once, DRAWS - first_draw), len(differences)))
        as_far += int((np.abs(signs @ differences) >= far).sum())
    return (as_far + 1) / (DRAWS + 1)


def holm(p_values: np.ndarray) -> np.ndarray:
    """P-values of one family of tests, corrected so that the chance of any false alarm stays below
    the level (Holm, 1979). NaN: no test, and none is counted."""
    p_values = np.asarray(p_values, float)
    corrected = np.full(len(p_values), np.nan)
    order = [i for i in np.argsort(p_values) if np.isfinite(p_values[i])]
    largest = 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * p_values[i]))
        corrected[i] = largest
    return corrected
