from __future__ import annotations

import contextlib
import io
import pathlib
import tempfile
import unittest
import unittest.mock

import h5py
import matplotlib.image
import matplotlib.pyplot as plt
import numpy as np

import plot_front
import sample_archive
from fairfront_archive import Archive, Front, Objective, Task


class PlotFront(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.archive = sample_archive.write(pathlib.Path(folder.name) / "sample.h5")
        self.image = self.archive.with_suffix(".png")

    def run_main(self, *arguments: str) -> tuple[int, str, str]:
        out, error = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            code = plot_front.main([str(self.archive), "-o", str(self.image), *arguments])
        return code, out.getvalue(), error.getvalue()

    def test_the_picture_is_large_enough_to_read_and_not_blank(self) -> None:
        code, out, _ = self.run_main()
        self.assertEqual(code, 0)
        self.assertIn("2 panels", out)
        picture = matplotlib.image.imread(self.image)
        height, width, _ = picture.shape
        self.assertGreater(width, 1000)
        self.assertGreater(height, 600)
        self.assertGreater(picture[..., :3].std(), 0.02)

    def test_one_task_makes_one_panel(self) -> None:
        code, out, _ = self.run_main("--task", "3")
        self.assertEqual((code, "1 panel\n" in out), (0, True))

    def test_any_axis_can_make_the_panels(self) -> None:
        with h5py.File(self.archive, "r+") as file:
            file["tasks/axis/seed"][3] = 0
        _, out, _ = self.run_main("--group-by", "seed")
        self.assertIn("2 panels", out)

    def test_a_third_objective_is_the_colour_on_one_scale_per_panel(self) -> None:
        objectives = [Objective("cost", "", "minimise"), Objective("balance", "", "maximise"),
                      Objective("other balance", "ratio", "maximise")]

        def front(points: list[list[float]]) -> Front:
            task = Task(0, "", "safairkm_front", "done", "", {})
            return Front(task, objectives, np.array(points), np.arange(len(points)),
                         np.array([9.0, 0.0, 0.0]), 1.0)

        fronts = [front([[1.0, 0.5, 0.2], [2.0, 0.6, 0.1], [3.0, 0.1, 0.8]]),
                  front([[4.0, 0.2, 0.9]])]
        colours = plot_front.colours_of_third(fronts)
        self.assertEqual((colours.vmin, colours.vmax), (0.1, 0.9))
        figure, axes = plt.subplots()
        self.addCleanup(plt.close, figure)
        plot_front.draw_coloured(axes, fronts[0], colours, "o", "a")
        drawn = axes.collections[0]
        # Every point at its place with its own colour; the best colour lies on top.
        np.testing.assert_array_equal(drawn.get_offsets(), [[2.0, 0.6], [1.0, 0.5], [3.0, 0.1]])
        np.testing.assert_array_equal(drawn.get_array(), [0.1, 0.2, 0.8])

    def test_three_objectives_make_a_picture_with_a_colour_bar(self) -> None:
        with h5py.File(self.archive, "r+") as file:
            group = file["fronts/safairkm_front"]
            points = group["points"][()]
            del group["points"], group["reference"]
            group["points"] = points[:, [0, 1, 1]]
            group["reference"] = [[0.0] * 3] * 4
            group.attrs["objectives"] = ["cost", "balance", "time"]
            group.attrs["units"] = ["", "", "s"]
            group.attrs["directions"] = ["minimise", "maximise", "minimise"]
        with unittest.mock.patch.object(plt, "close"):  # keep the figure to look at it
            self.assertEqual(self.run_main()[0], 0)
        figure = plt.gcf()
        self.addCleanup(plt.close, figure)
        bars = [axes for axes in figure.axes if axes.get_label() == "<colorbar>"]
        self.assertEqual([bar.get_ylabel() for bar in bars], ["time [s]  (← better)"] * 2)

    def test_errors_are_one_line_and_write_nothing(self) -> None:
        for arguments, reason in ((["--task", "9"], "no task 9"), (["--task", "2"], "has a front"),
                                  (["--group-by", "sead"], "no axis 'sead'; there are: data.data"),
                                  (["-o", "front.xyz"], "xyz")):
            with self.subTest(arguments):
                code, _, error = self.run_main(*arguments)
                self.assertEqual(code, 2)
                self.assertIn(reason, error)
                self.assertEqual(error.count("\n"), 1)
                self.assertFalse(self.image.exists())

    def test_arrows_point_to_the_better_side(self) -> None:
        self.assertEqual(plot_front.axis_label(Objective("cost", "m", "minimise")),
                         "cost [m]  (← better)")
        self.assertEqual(plot_front.axis_label(Objective("min_balance", "", "maximise")),
                         "min balance  (better →)")

    def test_titles_name_data_clusters_points_and_hypervolume(self) -> None:
        with Archive(self.archive) as archive:
            fronts = archive.fronts()
            self.assertEqual(plot_front.panel_title(archive, fronts[2], ()), "bank, K = 10")
        self.assertEqual(plot_front.summary(fronts[2:]), "1 point, hypervolume 8")
        self.assertEqual(plot_front.summary(fronts[:2]),
                         "2 seeds, 2–3 points, hypervolume 5.1 ± 0.14")

    def test_tasks_along_a_trade_off_make_one_front_per_seed(self) -> None:
        objectives = [Objective("cost", "", "minimise"), Objective("balance", "", "maximise")]

        def front(n_a: str, seed: str, point: tuple[float, float]) -> Front:
            task = Task(0, "", "safairkm", "done", "", {"seed": seed, "safairkm.n_a": n_a})
            return Front(task, objectives, np.array([point]), np.array([0]), np.array([4.0, 0.0]),
                         (4 - point[0]) * point[1])

        fronts = [front("0", "1", (3.0, 0.5)), front("5", "1", (2.0, 0.25)),
                  front("9", "1", (2.5, 0.125)), front("0", "2", (1.0, 0.5))]
        merged = plot_front.merge_trade_offs(fronts, [])
        self.assertEqual([m.task.axes for m in merged], [{"seed": "1"}, {"seed": "2"}])
        np.testing.assert_array_equal(merged[0].points, [[2.0, 0.25], [3.0, 0.5]])
        self.assertEqual(merged[0].hypervolume, 2 * 0.25 + 1 * 0.25)
        self.assertEqual(merged[1].hypervolume, 1.5)
        self.assertEqual(len(plot_front.merge_trade_offs(fronts, ["safairkm.n_a"])), 4)


if __name__ == "__main__":
    unittest.main()
