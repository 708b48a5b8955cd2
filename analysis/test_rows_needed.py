"""How many rows it takes to show that gaps keep their bounds, as the program says it."""

from __future__ import annotations

import math
import statistics
import unittest

import numpy as np

from fairfront_archive.rows_needed import SeenGap, growth_after_failure, growth_after_fit

TAIL = statistics.NormalDist().inv_cdf(0.95)


def seen(tested: list[float], error: list[float], decided: list[float], decided_error: list[float], bound: float) -> SeenGap:
    return SeenGap(np.array(tested), np.array(error), np.array(decided), np.array(decided_error), bound)


class RowsNeeded(unittest.TestCase):
    def test_the_program_says_the_same(self) -> None:
        """The same numbers in tests/metrics/rows_needed_test.cpp."""
        one = seen([0.31, 0.36, 0.3], [0.02, 0.03, 0.025], [0.32, 0.32, 0.32], [0.018, 0.028, 0.022], 0.1)
        other = seen([0.71, 0.66, 0.7], [0.03, 0.02, 0.035], [0.68, 0.69, 0.68], [0.02, 0.028, 0.03], 0.12)
        self.assertAlmostEqual(growth_after_fit([one], TAIL), 6.006691563118209, delta=1e-9)
        self.assertAlmostEqual(growth_after_fit([one, other], TAIL), 7.277508057800575, delta=1e-9)
        self.assertAlmostEqual(growth_after_failure([one, other], TAIL, 0.9), 2.895036915994264, delta=1e-9)

    def test_no_number_is_said_of_a_bound_that_is_rather_broken(self) -> None:
        broken = seen([0.3, 0.55, 0.4], [0.01] * 3, [0.4] * 3, [0.01] * 3, 0.1)
        self.assertEqual(growth_after_fit([broken], TAIL), math.inf)
        self.assertEqual(growth_after_failure([broken], TAIL, 0.9), math.inf)


if __name__ == "__main__":
    unittest.main()
