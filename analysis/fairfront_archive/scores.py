"""How well predictions agree with the truth, as the method `score` of estimators says it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas


def accuracy(frame: pandas.DataFrame, truth: Iterable[float], weights: Iterable[float] | None) -> float:
    """Share of rows decided as they are; of drawn decisions the expected one.

    @throws ValueError  a truth is neither 0 nor 1.
    """
    said = frame["decision" if "decision" in frame else "probability"].to_numpy()
    said, truth, weights = known_rows(said, truth, weights)
    if not np.isin(truth, (0, 1)).all():
        raise ValueError("y must hold 0 and 1, as the decisions do")
    return float(np.average(np.where(truth == 1, said, 1 - said), weights=weights))


def r_squared(frame: pandas.DataFrame, truth: Iterable[float], weights: Iterable[float] | None) -> float:
    """1 - (sum of squared errors) / (sum of squared deviations of the truth from its mean)."""
    said, truth, weights = known_rows(frame["prediction"].to_numpy(), truth, weights)
    spread = np.average((truth - np.average(truth, weights=weights)) ** 2, weights=weights)
    if spread == 0:
        raise ValueError("R^2 is not defined where all rows have the same truth")
    return float(1 - np.average((truth - said) ** 2, weights=weights) / spread)


def known_rows(said: np.ndarray, truth: Iterable[float],
               weights: Iterable[float] | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Those of which the model says something: what it says, the truth, and the weight.

    @throws ValueError  the lengths differ, a number cannot be read or is missing, or no row is left.
    """
    columns = {"y": truth, "sample_weight": np.ones(len(said)) if weights is None else weights}
    read = []
    for name, column in columns.items():
        try:
            numbers = np.asarray(column, dtype=float)
        except (TypeError, ValueError) as error:
            hint = ": of names, (y == NAME) is the truth, NAME being data.positive" if name == "y" else ""
            raise ValueError(f"{name} must hold numbers{hint}") from error
        if numbers.shape != said.shape:
            raise ValueError(f"{name} must have one number for each of the {len(said)} rows; it has the shape {numbers.shape}")
        read.append(numbers)
    there = ~np.isnan(said)
    truth, weights = (numbers[there] for numbers in read)
    if not np.isfinite(truth).all():
        raise ValueError("y has missing or infinite numbers")
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0):
        raise ValueError("sample_weight must hold numbers of at least 0, and one above, for rows that the model does not leave out")
    return said[there], truth, weights
