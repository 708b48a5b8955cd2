"""Attainment surfaces and paired tests, against their definitions."""

from __future__ import annotations

import itertools
import math
import tracemalloc
import unittest
import unittest.mock

import numpy as np

from fairfront_archive import attainment, holm, nondominated, paired_test

class Attainment(unittest.TestCase):
    def test_a_point_is_attained_by_as_many_fronts_as_the_definition_says(self) -> None:
        generator = np.random.default_rng(3)
        fronts = [generator.integers(0, 12, size=(generator.integers(1, 7), 2)).astype(float)
                  for _ in range(5)]
        grid = np.array(list(itertools.product(np.arange(13.0), repeat=2)))
        reached = np.array([[np.any(np.all(front <= point, axis=1)) for front in fronts]
                            for point in grid]).sum(axis=1)
        for count in range(1, 6):
            surface = attainment(fronts, count)
            inside = [np.any(np.all(surface <= point, axis=1)) for point in grid]
            np.testing.assert_array_equal(inside, reached >= count)
            np.testing.assert_array_equal(surface, nondominated(surface))

    def test_of_one_front_it_is_the_front(self) -> None:
        front = np.array([[0.0, 3.0], [1.0, 1.0], [2.0, 2.0]])
        np.testing.assert_array_equal(attainment([front], 1), [[0.0, 3.0], [1.0, 1.0]])

    def test_of_many_fronts_some_corners_are_left_out_and_the_others_are_attained(self) -> None:
        generator = np.random.default_rng(5)
        fronts = [np.column_stack([own := generator.random(40), 1 - own]) for _ in range(200)]
        with unittest.mock.patch("fairfront_archive.pareto.MOST_VALUES", 10_000):
            few = attainment(fronts, 100)
        every = attainment(fronts, 100)
        self.assertLessEqual(len(few), 400)
        self.assertGreater(len(every), 1000)
        places = np.searchsorted(every[:, 0], few[:, 0], side="right") - 1
        self.assertTrue(np.all(every[places, 1] <= few[:, 1]))  # inside the whole region
        self.assertLess(np.max(few[:, 1] - every[places, 1]), 0.02)

    def test_more_fronts_than_there_are_is_an_error(self) -> None:
        with self.assertRaisesRegex(ValueError, "in 1 .. 1"):
            attainment([np.zeros((1, 2))], 2)

class PairedTests(unittest.TestCase):
    def test_the_smallest_p_value_of_n_pairs(self) -> None:
        first = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
        self.assertEqual(paired_test(first + 1, first), 2 / 2**5)
        self.assertEqual(paired_test(first, first), 1.0)

    def test_p_values_are_counted_by_hand(self) -> None:
        # Sums of +-1 +-2 +-4: 7 5 3 1 and their negatives; 5 or more in 4 of 8.
        self.assertEqual(paired_test([1.0, -1.0, 4.0], [2.0, -3.0, 0.0]), 4 / 8)

    def test_many_pairs_agree_with_the_normal_approximation(self) -> None:
        generator = np.random.default_rng(1)
        differences = generator.normal(0.3, 1.0, size=60)
        p = paired_test(differences, np.zeros(60))
        z = differences.sum() / np.sqrt((differences**2).sum())
        normal = 2 * (1 - 0.5 * (1 + math.erf(abs(z) / np.sqrt(2))))
        self.assertAlmostEqual(p, normal, delta=0.01)

    def test_many_pairs_are_drawn_in_pieces_as_all_at_once(self) -> None:
        differences = np.random.default_rng(2).normal(0.05, 1.0, size=301)  # pieces of 3,483 draws, and a shorter one
        signs = np.random.default_rng(1).choice((1.0, -1.0), size=(20_000, 301))
        as_far = (np.abs(signs @ differences) >= abs(differences.sum())).sum()
        tracemalloc.start()
        found = paired_test(differences, np.zeros(301))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        self.assertEqual(found, (as_far + 1) / 20_001)
        self.assertLess(peak, 48e6)  # all at once take more than 48 MB for signs alone

    def test_missing_values_leave_their_pair_out(self) -> None:
        self.assertEqual(paired_test([1, 2, np.nan], [0, 0, 0]), 0.5)
        self.assertTrue(np.isnan(paired_test([1.0, np.nan], [0.0, 0.0])))

    def test_holm_corrects_and_keeps_the_order(self) -> None:
        np.testing.assert_allclose(holm([0.01, 0.04, 0.03, np.nan]), [0.03, 0.06, 0.06, np.nan])
        np.testing.assert_allclose(holm([0.6, 0.9]), [1.0, 1.0])

if __name__ == "__main__":
    unittest.main()
