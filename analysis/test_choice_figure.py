"""The figure of a choice, by the artists that are drawn."""

from __future__ import annotations

import math
import unittest
from unittest import mock

import matplotlib.pyplot as plt
import numpy as np

from fairfront_archive import ArchiveError
from fairfront_figures import choices
from fairfront_archive.reader import Reader
from fairfront_figures.arrange import NothingToDraw
from fairfront_figures.layout import Sheet
from fairfront_figures.style import Options
from sample_archive import Sweep
from test_figures import Drawn

# Three points of a front, each of a task; the second one's gap on the reported part is beyond every front.
FRONT = [(1.0, 0.9), (2.0, 0.4), (4.0, 0.1)]
REPORT = [(1.5, 0.8), (2.5, 1.6), (4.5, 0.2)]


def sweep(**more) -> Sweep:
    gaps = {"validation": [y for _, y in FRONT], "test": [(y, y - 0.1, y + 0.3) for _, y in REPORT]}
    return Sweep(**{**dict(
        axes={"fair.slack": ("trade_off", ["1", "2", "3"])}, methods=["fair"] * 3, index={"fair.slack": [0, 1, 2]},
        points={i: [list(point)] for i, point in enumerate(FRONT)},
        reports={i: [list(point)] for i, point in enumerate(REPORT)},
        measures={"gap": ("share", "minimise", gaps)}), **more})


class ChoiceFigure(Drawn):
    def draw(self, own: Sweep, **options) -> Sheet:
        return choices.draw_choice(self.open(own), Options(**options))

    def marked(self, axes: plt.Axes, label: str) -> list[tuple[float, float]]:
        found = [line for line in axes.lines if line.get_label() == label]
        found += [bars.lines[0] for bars in axes.containers if bars.get_label() == label]
        return [tuple(map(float, point)) for line in found for point in line.get_xydata()]

    def test_the_point_stands_on_both_parts_with_its_interval_and_the_bound(self) -> None:
        page = self.draw(sweep(), bounds=("gap<=0.5",))
        (axes,) = page.panels
        self.assertEqual(self.marked(axes, "chosen, on the part that decides"), [(2.0, 0.4)])
        self.assertEqual(self.marked(axes, "the same on the reported part"), [(2.5, 1.6)])
        (bars,) = axes.containers
        across, up = (line.get_segments()[0] for line in bars.lines[2])
        np.testing.assert_allclose(up, [[2.5, 1.5], [2.5, 1.9]])
        np.testing.assert_allclose(across, [[2.5, 1.6], [2.5, 1.6]])  # no interval of the risk is known
        (bound,) = [line for line in axes.lines if line.get_label() == "bound"]
        self.assertEqual(list(bound.get_ydata()), [0.5, 0.5])
        self.assertIn("fair, task 1", page.contents.get(axes.title, axes.get_title()))
        (low, high), (left, right) = axes.get_ylim(), axes.get_xlim()
        self.assertTrue(low < 0.1 and 1.9 < high and left < 1 and 4 < right)  # nothing of it is cut off

    def test_a_bound_far_above_all_points_leaves_them_inside_the_frame(self) -> None:
        """They sat on its edge, cut in half: their margin was of the range without the bound."""
        (axes,) = self.draw(sweep(), bounds=("gap<=90",)).panels
        low, high = axes.get_ylim()
        self.assertGreater(min(y for _, y in FRONT + REPORT) - low, 0.02 * (high - low))

    def test_without_a_bound_it_is_the_knee(self) -> None:
        (axes,) = self.draw(sweep()).panels
        self.assertEqual(self.marked(axes, "chosen, on the part that decides"), [(2.0, 0.4)])
        self.assertEqual(self.marked(axes, "bound"), [])

    def test_of_an_objective_on_the_other_axis_the_bound_stands_upright(self) -> None:
        (axes,) = self.draw(sweep(), bounds=("risk<=3",), best="gap").panels
        (bound,) = [line for line in axes.lines if line.get_label() == "bound"]
        self.assertEqual(list(bound.get_xdata()), [3.0, 3.0])
        self.assertEqual(self.marked(axes, "chosen, on the part that decides"), [(2.0, 0.4)])

    def test_each_problem_has_its_own_choice_and_says_if_nothing_is_chosen(self) -> None:
        own = sweep(axes={"data.data": ("problem", ["a", "b"])}, index={"data.data": [0, 0, 1]})
        page = self.draw(own, bounds=("gap<=0.3",))
        self.assertEqual([len(self.marked(axes, "chosen, on the part that decides")) for axes in page.panels], [0, 1])
        titles = [page.contents.get(axes.title, axes.get_title()) for axes in page.panels]
        self.assertIn("data.data=a\nnone of 2 points chosen", titles[0])
        self.assertTrue(math.isfinite(page.panels[0].get_xlim()[0]))

    def test_more_tasks_are_not_more_reads(self) -> None:
        def reads(tasks: int) -> int:
            point = [(1.0 + i, 1.0 / (1 + i)) for i in range(tasks)]
            own = Sweep(axes={"fair.slack": ("trade_off", [str(i) for i in range(tasks)])}, methods=["fair"] * tasks,
                        index={"fair.slack": list(range(tasks))}, points={i: [list(one)] for i, one in enumerate(point)},
                        models=("kind=linear",) * tasks, measures={"other": ("", "minimise", {"test": [math.nan] * tasks})})
            archive = self.open(own)
            with mock.patch.object(Reader, "_read", autospec=True, side_effect=Reader._read) as read:
                with self.assertRaises(ArchiveError):  # asks the program, which finds no data behind it
                    choices.draw_choice(archive, Options(bounds=("other<=1",)))
                choices.draw_choice(archive, Options())
            return read.call_count

        self.assertEqual(reads(40), reads(4))

    def test_of_replicates_of_a_method_all_can_be_chosen(self) -> None:
        own = sweep(axes={"fair.seed": ("replicate", ["1", "2", "3"])}, index={"fair.seed": [0, 1, 2]})
        (axes,) = self.draw(own, bounds=("gap<=0.2",)).panels
        self.assertEqual(self.marked(axes, "chosen, on the part that decides"), [(4.0, 0.1)])
        (front,) = [line for line in axes.lines if line.get_label() == "fair"]
        self.assertIn([4.0, 0.1], front.get_xydata().tolist())

    def test_what_cannot_be_drawn_is_told_in_a_line(self) -> None:
        with self.assertRaisesRegex(NothingToDraw, "none of the tasks has a front"):
            self.draw(sweep(points={}, reports={}))
        three = Sweep(axes={}, methods=["a"], index={}, points={0: [[1.0, 2.0, 3.0]]},
                      objectives=(("x", "", "minimise"), ("y", "", "minimise"), ("z", "", "minimise")))
        with self.assertRaisesRegex(NothingToDraw, "fronts of two objectives"):
            self.draw(three)
        with self.assertRaisesRegex(ArchiveError, "no objective or measure 'gip'"):
            self.draw(sweep(), bounds=("gip<=0.3",))


if __name__ == "__main__":
    unittest.main()
