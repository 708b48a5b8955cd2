from __future__ import annotations

import unittest

import numpy as np

import plot_alternating as plot


class Fronts(unittest.TestCase):
    def test_dominated_and_equal_rows_go(self) -> None:
        points = np.array([[1.0, 1.0], [0.0, 2.0], [1.0, 1.0], [2.0, 1.0], [0.0, 3.0]])
        np.testing.assert_array_equal(plot.nondominated(points), [[0.0, 2.0], [1.0, 1.0]])

    def test_three_objectives_are_compared_as_a_whole(self) -> None:
        points = np.array([[0.0, 1.0, 2.0], [0.0, 1.0, 3.0], [1.0, 0.0, 2.0]])
        np.testing.assert_array_equal(plot.nondominated(points), points[[0, 2]])

    def test_the_whole_front_has_no_distance_and_all_the_volume(self) -> None:
        front = plot.analytic_front("zdt1")
        measures = plot.quality(front, front, np.array([1.1, 1.1]))
        self.assertEqual((measures["gd"], measures["igd"], measures["hv ratio"]), (0.0, 0.0, 1.0))
        self.assertAlmostEqual(plot.hypervolume(front, np.array([1.1, 1.1])),
                               1.1 * 1.1 - 1 / 3, places=3)

    def test_analytic_fronts_are_nondominated_and_unknown_ones_are_none(self) -> None:
        for problem in ("sp1", "ff1", "jos1", "jos2", "zdt2", "zdt3", "mop1", "deb41", "im1"):
            front = plot.analytic_front(problem)
            self.assertGreater(len(front), 500, problem)
            self.assertTrue(np.all(np.diff(front[:, 1]) < 0), problem)
        self.assertIsNone(plot.analytic_front("quadratic"))


class Rates(unittest.TestCase):
    def test_the_slope_of_a_power_is_its_exponent(self) -> None:
        steps = np.geomspace(10, 1000, 20)
        slope, intercept = plot.fit_slope(steps, 3 / steps)
        self.assertAlmostEqual(slope, -1)
        self.assertAlmostEqual(intercept, np.log(3))

    def test_the_band_holds_the_slope_of_the_mean(self) -> None:
        generator = np.random.default_rng(0)
        steps = np.geomspace(10, 1000, 20)
        runs = steps**-0.5 * generator.lognormal(0, 0.3, size=(30, 20))
        slope, low, high = plot.slope_band(steps, runs, generator)
        self.assertTrue(low < slope < high)
        self.assertTrue(low < -0.5 < high)


if __name__ == "__main__":
    unittest.main()
