"""What is proven of the points of fronts: in frames, figures and on the page."""

from __future__ import annotations

import pathlib
import tempfile
import unittest

import matplotlib.pyplot as plt
import numpy as np

import fairfront_archive
from fairfront_archive import proven
from fairfront_figures import fronts, proven_region
from fairfront_figures.style import Options
from fairfront_report import content
from sample_archive import Sweep


def sweep(**more) -> Sweep:
    """Two numbers of clusters; tasks 0 and 1 trace fronts of each, 2 to 4 prove bounds: two floors of the first
    problem, one of the second. Task 5 has failed."""
    return Sweep(**{**dict(
        axes={"clustering.clusters": ("problem", ["5", "10"]), "lower_bound.floor": ("trade_off", ["0.25", "0.5"])},
        methods=["balance_ladder"] * 2 + ["lower_bound"] * 4, experiment="clustering",
        index={"clustering.clusters": [0, 1, 0, 0, 1, 1], "lower_bound.floor": [-1, -1, 0, 1, 0, 1]},
        objectives=(("clustering cost", "squared distance", "minimise"), ("balance", "ratio", "maximise")),
        points={0: [[2.0, 0.125], [4.0, 0.25], [5.0, 0.625]], 1: [[2.0, 0.375]], 2: [[2.5, 0.25]]},
        metrics={"cost_lower": ("squared distance", "maximise", [np.nan, np.nan, 2.0, 3.0, 1.0, np.nan])},
        status=[1] * 5 + [2]), **more})


class Proven(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.addCleanup(plt.close, "all")

    def open(self, one: Sweep) -> fairfront_archive.Archive:
        path = self.folder / f"{len(list(self.folder.iterdir()))}.h5"
        archive = fairfront_archive.open(one.write(path), program=False)
        self.addCleanup(archive.close)
        return archive

    def test_a_point_has_the_greatest_bound_of_its_own_problem_that_it_reaches(self) -> None:
        frame = self.open(sweep()).front_frame()
        np.testing.assert_array_equal(frame["proven_lower"], [np.nan, 2, 3, 1, 2])
        np.testing.assert_array_equal(frame["gap"], [np.nan, 0.5, 0.4, 0.5, 0.2])

    def test_without_bounds_there_are_no_columns(self) -> None:
        self.assertNotIn("gap", self.open(sweep(experiment="another")).front_frame())

    def test_a_cost_that_is_zero_up_to_rounding_has_no_gap(self) -> None:
        frame = self.open(sweep(points={0: [[1e-33, 0.3]], 1: [[1e-3, 0.3]]},
                                metrics={"cost_lower": ("", "maximise", [np.nan] * 2 + [0.0] * 4)})).front_frame()
        np.testing.assert_array_equal(frame["gap"], [0, 1])

    def test_the_best_point_is_the_cheapest_of_all_methods_at_the_floor(self) -> None:
        archive = self.open(sweep())
        best = [proven.best_point(archive, bound) for bound in proven.proven_bounds(archive)]
        self.assertEqual([(one.task.index, one.value, one.gap) for one in best],
                         [(2, 2.5, 0.2), (0, 5.0, 0.4), (1, 2.0, 0.5)])
        bounds = content.proven_of(archive, content.places_of(archive))
        self.assertEqual([(one["problem"], one["floor"], one["lower"], one["best"]["gap"]) for one in bounds],
                         [(0, 0.25, 2.0, 0.2), (0, 0.5, 3.0, 0.4), (1, 0.25, 1.0, 0.5)])

    def test_a_figure_shades_where_no_point_lies_in_the_panel_of_the_problem(self) -> None:
        page = fronts.draw_fronts(self.open(sweep()), Options())
        first, second = page.panels
        for axes, inside, outside in ((first, [(1.99, 0.26), (2.99, 0.51), (1.99, 0.51)],
                                       [(2.01, 0.26), (2.99, 0.49), (3.01, 0.51), (1.99, 0.24)]),
                                      (second, [(0.99, 0.26), (0.99, 0.38)], [(1.01, 0.26), (0.99, 0.24)])):
            shade, = (patch for patch in axes.patches if "proven" in patch.get_label())
            for place in inside:
                self.assertTrue(shade.get_path().contains_point(place), place)
            for place in outside:
                self.assertFalse(shade.get_path().contains_point(place), place)
            seen = axes.get_xlim()[0] < shade.get_xy()[:, 0].max()
            self.assertEqual(seen, not shade.get_label().endswith("beyond the frame"))
            self.assertEqual(seen, axes is first)
            for line in axes.lines:
                for x, y in line.get_xydata() if line.get_label().startswith("balance_ladder") else []:
                    self.assertFalse(shade.get_path().contains_point((x - 1e-9, y)))

    def test_of_several_replicates_the_least_bound_is_drawn_where_all_have_one(self) -> None:
        one = sweep(axes={"data.seed": ("replicate", ["1", "2"]),
                          "lower_bound.floor": ("trade_off", ["0.25", "0.5"])},
                    index={"data.seed": [0, 1, 0, 0, 1, 1], "lower_bound.floor": [-1, -1, 0, 1, 0, 1]})
        archive = self.open(one)
        np.testing.assert_array_equal(proven_region.corners_of(archive, archive.tasks), [[1, -0.25]])
        np.testing.assert_array_equal(proven_region.corners_of(archive, archive.tasks[:1]),
                                      [[2, -0.25], [3, -0.5]])
        without = self.open(sweep(metrics={"cost_lower": ("", "maximise", [np.nan] * 3 + [3.0] + [np.nan] * 2)}))
        self.assertEqual(len(proven_region.corners_of(without, without.tasks)), 0)


if __name__ == "__main__":
    unittest.main()
