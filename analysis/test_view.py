"""What part of the plane a panel of fronts shows."""

from __future__ import annotations

import unittest

import numpy as np

from fairfront_figures import view


def share(curve: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Of each side of the view what the curve takes that is inside."""
    inside = curve[~view.outside(curve, low, high)]
    return np.ptp(inside, axis=0) / (high - low)


def front(begin: float, end: float, count: int = 20) -> np.ndarray:
    """Convex, between `begin` and `end` in the first objective and from 1 to 0 in the second."""
    at = np.linspace(0, 1, count)
    return np.column_stack([begin + (end - begin) * at, (1 - at)**2])


class View(unittest.TestCase):
    def test_values_that_differ_by_rounding_are_one(self) -> None:
        """A reported gap of .25 that differs by 4e-16 between two points had an axis without a tick."""
        low, high = view.with_margin(np.array([0.2, 0.25]), np.array([0.3, 0.25 + 4e-16]))
        np.testing.assert_allclose(high - low, [0.11, 0.025])

    def test_a_front_without_strays_is_shown_whole(self) -> None:
        rng = np.random.default_rng(1)
        for _ in range(50):
            one = front(*sorted(rng.normal(size=2)), count=int(rng.integers(2, 100)))
            low, high = view.view_of([one])
            np.testing.assert_array_equal([low, high], [one.min(axis=0), one.max(axis=0)])

    def test_one_point_that_gains_little_or_that_is_dominated_is_left_out(self) -> None:
        """Once one point at 270 squeezed a front between 93 and 110 into a tenth of its panel."""
        usual = front(93, 110)
        for second in (-0.01, -0.3, 0.4):  # gains a hundredth, three tenths, is dominated
            for curves in ([np.vstack([usual, [[270.0, second]]])], [usual, np.array([[270.0, 0.4]])]):
                low, high = view.view_of(curves)
                self.assertEqual((low[0], high[0]), (93, 110))
                self.assertTrue(np.all(share(usual, low, high) > 0.7))

    def test_strays_at_both_ends_are_left_out(self) -> None:
        """Such as the ends of what a weighted sum finds: nearly nothing gained, far away."""
        at = np.linspace(0.01, 1, 20)
        found = np.vstack([[0.0, 5.6], np.column_stack([at, 1 - np.sqrt(at)])])
        low, high = view.view_of([found])
        np.testing.assert_allclose([low, high], [[0, 0], [1, 0.9]])

    def test_a_reference_model_of_one_point_is_shown_where_it_gains(self) -> None:
        """Far from all others, but nothing else is as good in one objective."""
        fair = np.column_stack([np.linspace(2, 3, 12), np.linspace(0.05, 0.02, 12)])
        low, high = view.view_of([np.array([[1.0, 0.4]]), fair])
        np.testing.assert_array_equal([low, high], [[1, 0.02], [3, 0.4]])

    def test_a_trade_off_is_never_cut_however_its_points_are_spread(self) -> None:
        """Half of the points at one end, as of bounds that do not bind."""
        steps = np.array([3.0, 3.001, 3.002, 3.003, 3.004, 3.005, 3.2, 5.0, 7.5, 10.0])
        gaps = np.array([0.4, 0.399, 0.398, 0.397, 0.396, 0.395, 0.37, 0.25, 0.15, 0.1])
        curve = np.column_stack([steps, gaps])
        self.assertEqual(view.view_of([curve])[1][0], 10)
        other = curve + [20.0, 0.0]  # dominated, but a front of its own: its middle is near
        low, high = view.view_of([front(2, 40), other])
        self.assertGreaterEqual(high[0], 27.5)

    def test_nothing_is_left_out_for_little(self) -> None:
        usual = front(0, 1)
        for far, end in ((1.9, 1.9), (2.5, 1.0)):  # of the first one is a little more than half
            dense = np.vstack([np.repeat(usual[:1], 40, axis=0), usual, [[far, 0.5]]])
            self.assertEqual(view.view_of([dense])[1][0], end)

    def test_a_long_curve_does_not_outweigh_a_short_one(self) -> None:
        for count in (20, 2000):
            low, high = view.view_of([front(0.29, 0.31, count), front(0.3, 0.6, 10) + [0, 0.1]])
            self.assertEqual(high[0], 0.6)

    def test_no_two_values_no_range(self) -> None:
        low, high = view.with_margin(*view.view_of([np.array([[2.0, 0.0]])]))
        self.assertTrue(np.all(low < high))

    def test_replicates_widen_the_view_while_they_are_near(self) -> None:
        usual = front(93, 110)
        low, high = view.widened(*view.view_of([usual]), [usual], np.array(
            [[92.0, 0.5], [112.0, -0.1], [200.0, 0.5], [95.0, 40.0]]))
        np.testing.assert_array_equal([low, high], [[92, -0.1], [112, 1]])

    def test_a_stray_of_any_of_three_objectives_does_not_squeeze_the_others(self) -> None:
        at = np.linspace(0, 1, 20)
        usual = np.column_stack([at, (1 - at)**2, np.sin(7 * at)**2])
        for which in range(3):
            far = np.full(3, 0.5)
            far[which] = 90
            for gain in (0.5, -0.02):  # dominated by some, or the best in another objective by little
                far[which - 1] = gain
                low, high = view.view_of([np.vstack([usual, far])])
                np.testing.assert_allclose(high, usual.max(axis=0))
        low, high = view.view_of([usual])
        np.testing.assert_array_equal([low, high], [usual.min(axis=0), usual.max(axis=0)])

    def test_what_is_known_is_always_inside(self) -> None:
        low, high = view.view_of([front(0, 1)], whole=np.array([[0.0, 9.0], [7.0, 0.0]]))
        np.testing.assert_array_equal([low, high], [[0, 0], [7, 9]])

    def test_what_is_known_is_the_frame_but_for_a_quarter(self) -> None:
        low, high = view.view_of([np.array([[-0.5, 0.9], [0.1, 9.0], [0.6, 1.2]])], whole=front(0, 1))
        np.testing.assert_array_equal([low, high], [[-0.25, 0], [1, 1.25]])

    def test_what_is_no_front_leaves_the_fronts_their_share_of_both_sides(self) -> None:
        """Once one that stayed outside along an axis stretched the other one."""
        usual = front(0, 1)
        low, high = view.with_margin(*view.view_of([usual]))
        for point, inside in (([1.4, 0.5], True), ([0.5, -0.4], True), ([9.0, -0.4], False), ([1.4, 1.9], False),
                              ([0.5, 0.5], True)):
            least, greatest = view.with_points(low, high, usual, np.array([point]))
            self.assertEqual(not view.outside(np.array([point]), least, greatest).any(), inside, point)
            self.assertTrue(np.all(np.ptp(usual, axis=0) >= view.LEAST_SHARE * (greatest - least)))
            if not inside:
                np.testing.assert_array_equal([least, greatest], [low, high])
        np.testing.assert_array_equal(view.with_points(low, high, usual, None), [low, high])


if __name__ == "__main__":
    unittest.main()
