"""Ranking: what an archive says of its models is what their weights do to the rows; tuned steps."""

from __future__ import annotations

import csv
import pathlib
import random
import unittest

import h5py
import numpy as np

from program import ProgramTest, digest, results_sha256

# The pairs of sets of each metric: (label, group) of those above and those below, None for any.
Cell = tuple[int | None, str | None]
PAIRS: dict[str, tuple[tuple[Cell, Cell], tuple[Cell, Cell]]] = {
    "group": (((None, "m"), (None, "f")), ((None, None), (None, None))),
    "inter_group": (((1, "m"), (0, "f")), ((1, "f"), (0, "m"))),
    "intra_group": (((1, "m"), (0, "m")), ((1, "f"), (0, "f"))),
}
HIDDEN = 3


def auc(above: np.ndarray, below: np.ndarray) -> float:
    """By all pairs, ties one half."""
    difference = above[:, None] - below[None, :]
    return float(((difference > 0) + 0.5 * (difference == 0)).mean())


class Table:
    """The rows of a task, as `fairfront data` has written them."""

    def __init__(self, path: pathlib.Path) -> None:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        features = [name for name in rows[0] if name not in ("group", "label", "part")]
        self.x = np.array([[float(row[name]) for name in features] for row in rows])
        self.group = np.array([row["group"] for row in rows])
        self.label = np.array([int(float(row["label"])) for row in rows])
        self.part = np.array([row["part"] for row in rows])
        self.centred = self.x - self.x[self.part == "train"].mean(axis=0)

    def scores(self, weights: np.ndarray) -> np.ndarray:
        """Of a linear score or a network with HIDDEN units: layers, matrix before biases."""
        columns = self.x.shape[1]
        if len(weights) == columns:
            return self.centred @ weights
        matrix = weights[:columns * HIDDEN].reshape(columns, HIDDEN)
        biases, outward, last = np.split(weights[columns * HIDDEN:], [HIDDEN, 2 * HIDDEN])
        return 1 / (1 + np.exp(-(self.centred @ matrix + biases))) @ outward + last

    def auc_and_gap(self, scores: np.ndarray, part: str, metric: str) -> tuple[float, float]:
        def chosen(cell: Cell) -> np.ndarray:
            label, group = cell
            kept = self.part == part
            if label is not None:
                kept = kept & (self.label == label)
            return scores[kept & (self.group == group) if group is not None else kept]
        first, second = (auc(chosen(above), chosen(below)) for above, below in PAIRS[metric])
        return auc(chosen((1, None)), chosen((0, None))), abs(first - second)


class Ranking(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        draw = random.Random(3)
        rows = [["hours", "income", "job", "sex", "owner"]]
        for _ in range(240):
            sex, owner = draw.choice("fm"), draw.random() < 0.4
            rows.append([f"{draw.gauss(40, 8) + 6 * owner:.2f}",
                         f"{draw.gauss(30, 9) + 5 * owner + 4 * (sex == 'm'):.2f}",
                         draw.choice(["clerk", "smith", "cook"]), sex, "yes" if owner else "no"])
        self.write_people(rows)

    def write_ranking(self, methods: str, shared: str = "") -> None:
        (self.folder / "config.ini").write_text(
            "experiment = ranking\n[data]\ndata = csv\nfile = people.csv\nlabel = owner\n"
            "positive = yes\nsensitive = sex\nfeatures = hours, income, job\ncategorical = job\n"
            "[split]\nvalidation = 0.3\ntest = 0.3\nstratify = group_and_label\nsplit_seed = 1, 2\n"
            f"[ranking]\nmetric = {', '.join(PAIRS)}\nfront_points = 5\n{shared}{methods}",
            encoding="utf-8")

    def test_every_auc_and_gap_is_recomputed_from_rows_and_weights(self) -> None:
        self.write_ranking("[exact_auc]\nkappa = 0.2\n[sfls]\nsteps = 200\nlook_every = 20\n"
                           "[iqrc]\nsteps = 100\nevaluations = 200000\nlook_every = 20\n"
                           f"hidden_units = {HIDDEN}\n")
        with h5py.File(self.make_archive()) as file:
            names = file["axes/ranking.metric"].asstr()[()]
            metrics = [names[place] for place in file["tasks/axis/ranking.metric"][()]]
            methods = [name.decode() for name in file["tasks/method"][()]]
            self.assertEqual(len(methods), 3 * 2 * len(PAIRS))
            for task, (method, metric) in enumerate(zip(methods, metrics)):
                name = f"rows{task}.csv"
                self.succeed("data", "config.ini", "--csv", name, "--task", str(task))
                with self.subTest(task=task, method=method, metric=metric):
                    self.check_task(file, task, method, Table(self.folder / name), metric)

    def check_task(self, file: h5py.File, task: int, method: str, table: Table, metric: str) -> None:
        """Points of the front and their reports, from the weights beside them."""
        front, weights = file[f"fronts/{method}"], file["solutions/weights"]
        begin, end = front["offsets"][task:task + 2]
        self.assertGreater(end, begin)
        for row in range(begin, end):
            first, last = weights["offsets"][front["solution"][row]:][:2]
            scores = table.scores(weights["values"][first:last])
            for column, part in (("points", "validation"), ("report", "test")):
                np.testing.assert_allclose(front[column][row],
                                           table.auc_and_gap(scores, part, metric), atol=1e-9)

    def test_tuned_steps_are_the_same_on_every_number_of_ranks(self) -> None:
        self.write_ranking("[sfls]\nsteps = 200\nkappa = 0.1, 0.4\n"
                           "[proxy_lagrangian]\nsteps = 300\nmodel = linear, network\n",
                           "[tuning]\nsteps = 0.003, 0.05, 0.3\nwidenings = 0\n")
        found = set()
        for ranks in (1, 2, 3, 4):
            path = self.make_archive(f"ranks{ranks}.h5", ranks=ranks)
            found.add((digest(path), results_sha256(path)))
        self.assertEqual(len(found), 1)
        with h5py.File(path) as file:
            self.assertTrue(set(file["metrics/step_used"][()]) <= {0.003, 0.05, 0.3})
        self.succeed("replay", path.name, "--task", "3")

    def test_an_axis_of_steps_is_refused_where_they_are_tuned(self) -> None:
        self.write_ranking("[sfls]\nstep = 0.1, 0.2\n", "[tuning]\nsteps = 0.05, 0.3\n")
        outcome = self.run_program("plan", "config.ini")
        self.assertEqual(outcome.codes, [2])
        self.assertRegex(outcome.error, r"config\.ini:\d+: sfls\.step has 2 values, which change "
                                        r"nothing: tuning\.steps says which ones are tried")


if __name__ == "__main__":
    unittest.main()
