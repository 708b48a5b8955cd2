"""SIGKILL at one system call: inside a commit, inside the archive, between one step and the next."""

from __future__ import annotations

import dataclasses
import itertools
import random
import unittest

from fault import COUPLED, MANY, MANY_SLOW, Fault, FaultTest

JOURNAL = "result.h5.journal"
HEADER = f"{JOURNAL}/header"
HEADER_DRAFT = f"{HEADER}.*.part"
DRAFT = "result.h5.[0-9]*.part"


@dataclasses.dataclass
class Place:
    """What is about to happen when the process dies, and what it leaves."""
    fault: Fault
    there: str = HEADER  # patterns, several with blanks in between
    not_there: str = "result.h5"


# Rank 0 makes journal, lock, header and archive.
START = {
    "the lock is not taken":
        Place(Fault("lock", "*/lock"), f"{JOURNAL}/lock", f"{HEADER}*"),
    "the header is not begun":
        Place(Fault("open", f"*{HEADER_DRAFT}"), f"{JOURNAL}/lock", f"{HEADER}*"),
    "half of the header is written":
        Place(Fault("write", f"*{HEADER_DRAFT}", action="half"), HEADER_DRAFT, HEADER),
    "the header is not synced":
        Place(Fault("sync", f"*{HEADER_DRAFT}"), HEADER_DRAFT, HEADER),
    "the header has no name":
        Place(Fault("rename", f"*{HEADER}"), HEADER_DRAFT, HEADER),
    "the header has a name, but it is not synced":
        Place(Fault("sync", f"*{JOURNAL}"), HEADER, f"{HEADER_DRAFT} {JOURNAL}/*.log"),
    "the log is not made":
        Place(Fault("open", "*-000001.log", rank=1), f"{JOURNAL}/lock", f"{JOURNAL}/*1.log"),
    "the log is empty":
        Place(Fault("write", "*-000001.log", rank=1), f"{JOURNAL}/*1.log"),
    "half of the log's first frame is written":
        Place(Fault("write", "*-000001.log", action="half", rank=1), f"{JOURNAL}/*1.log"),
    "the log's first frame is not synced":
        Place(Fault("sync", "*-000000.log"), f"{JOURNAL}/*0.log", f"result.h5 {JOURNAL}/heartbeat"),
}
RECORDS = {
    "the first record is not written": Place(Fault("write", "*-000001.log", 2, rank=1)),
    "half of a record is written": Place(Fault("write", "*-000001.log", 7, rank=1, action="half")),
    "half of a record of rank 0 is written": Place(Fault("write", "*-000000.log", 7, action="half")),
    "a group commit begins": Place(Fault("sync", "*-000001.log", 2, rank=1)),
    "a group commit of rank 0 begins": Place(Fault("sync", "*-000000.log", 2)),
    "half of the first heartbeat is written":
        Place(Fault("write", "*/heartbeat.part", action="half"), f"{JOURNAL}/heartbeat.part",
              f"result.h5 {JOURNAL}/heartbeat"),
    "the last heartbeat has no name":
        Place(Fault("rename", "*/heartbeat", 2), f"{JOURNAL}/heartbeat.part"),
}
END = {
    "the archive is not begun": Place(Fault("open", f"*{DRAFT}"), not_there=f"result.h5 {DRAFT}"),
    "half of the archive is written":
        Place(Fault("write", f"*{DRAFT}", action="half"), f"{DRAFT} {HEADER}"),
    "the archive is not synced": Place(Fault("sync", f"*{DRAFT}"), f"{DRAFT} {HEADER}"),
    "the archive has no name": Place(Fault("rename", "*result.h5"), f"{DRAFT} {HEADER}"),
    "archive and journal stand":
        Place(Fault("remove", "*.log"), f"result.h5 {JOURNAL}/*0.log {JOURNAL}/*1.log",
              DRAFT),
    "of the logs, which their ranks remove, one stands":
        Place(Fault("remove", "*-000001.log", rank=1), f"result.h5 {JOURNAL}/*1.log {HEADER}",
              DRAFT),
    "the logs are gone, the lock is not":
        Place(Fault("remove", "*/lock"), f"result.h5 {JOURNAL}/lock {HEADER}", f"{JOURNAL}/*.log"),
    "all but the header is gone":
        Place(Fault("remove", f"*{HEADER}"), f"result.h5 {HEADER}", f"{JOURNAL}/lock"),
    "all but the folder is gone":
        Place(Fault("remove", f"*{JOURNAL}"), f"result.h5 {JOURNAL}", f"{JOURNAL}/*"),
}
CHECKPOINTS = {
    "half of the first checkpoint is written":
        Place(Fault("write", "*.checkpoint.part", action="half"), f"{JOURNAL}/*.checkpoint.part",
              f"{JOURNAL}/*.checkpoint"),
    "half of a later one is written":
        Place(Fault("write", "*.checkpoint.part", 9, action="half"),
              f"{JOURNAL}/*.checkpoint.part {JOURNAL}/*.checkpoint"),
    "it is not synced":
        Place(Fault("sync", "*.checkpoint.part", 4),
              f"{JOURNAL}/*.checkpoint.part {JOURNAL}/*.checkpoint"),
    "it has no name":
        Place(Fault("rename", "*.checkpoint", 5),
              f"{JOURNAL}/*.checkpoint.part {JOURNAL}/*.checkpoint"),
    "the task is in the journal, and its checkpoint too":
        Place(Fault("remove", "*.checkpoint"), f"{JOURNAL}/*.checkpoint"),
}


def table_of(rows: int) -> str:
    """Labels of two groups that two columns tell something of, and a third one nothing."""
    draw, of_third = random.Random(1), random.Random(2)
    lines = ["y,g,s,x,z"]
    for i in range(rows):
        s, x = draw.gauss(0.5 * (i % 2), 1), draw.gauss(0, 1)
        lines.append(f"{int(s + x + draw.gauss(0, 1) > 0.3)},{i % 2},{s:.6f},{x:.6f},{of_third.gauss(0, 1):.6f}")
    return "\n".join(lines) + "\n"


REGRESSION = ("experiment = regression\n[data]\ndata = syn_four_groups\n[split]\nvalidation = 0.4\n"
              "[regression]\nresamples = 0\n")
CLUSTERING = "experiment = clustering\n[data]\ndata = syn_unequal_ds2\n[clustering]\nclusters = 3\n"
TABLE = "[data]\ndata = csv\nfile = table.csv\nlabel = y\nsensitive = g\nfeatures = s, x\n"
TRAINING = f"experiment = training\n{TABLE}[model]\nhidden =\n"
OF_ONE_RANK = {
    "dp_postprocessing":
        f"{REGRESSION}[dp_postprocessing]\nepsilon = 0.004\nsteps = 20000\ntrace_points = 9\n",
    "dp_exact": f"{REGRESSION}[dp_exact]\nepsilon = 0.004\nbounded = cumulative\n",
    "dp_lp": f"{REGRESSION}[dp_lp]\nepsilon = 0.004\n",
    "adw": f"{REGRESSION}[adw]\nepsilon = 0.004\naccuracy = 0\n",
    "lower_bound": f"{CLUSTERING}[lower_bound]\nfloor = 0.1\nboxes = 2000\n",
    "vfairkm": f"{CLUSTERING}[vfairkm]\nmu_count = 10\n",
    "exact_training": f"{TRAINING}[exact_training]\ndelta = 0.01\ncells = 50\n",
    "reductions": f"{TRAINING}[reductions]\nbound = 0.01\ntolerance = 1e-6\n",
    "reductions_network": f"{TRAINING.rstrip()} 4\n[training]\nbudget = 8000\n[reductions]\nbound = 0.01\ntolerance = 1e-6\n",
    "reductions_grid": f"{TRAINING}[reductions]\nsearch = grid\n",
    "auc_front": f"experiment = ranking\n{TABLE}[split]\nvalidation = 0.1\ntest = 0.1\n[auc_front]\nbound = 0.01\n",
    "auc_front_of_few_rows": f"experiment = ranking\n{TABLE.replace('s, x', 's, x, z')}[auc_front]\nbound = 0.01\n",
    "epsilon_constraint":
        "experiment = alternating\n[alternating]\nproblem = zdt3\n[epsilon_constraint]\n",
}


class ExactKills(FaultTest):
    def assert_survived(self, config: list[str], places: dict[str, Place]) -> None:
        expected = self.uninterrupted(config)
        ranks = itertools.cycle((1, 2, 3, 4))
        for name, place in places.items():
            with self.subTest(name):
                self.begin_anew()
                self.run_into(place, config)
                self.assert_resumes(config, expected, next(ranks))
        print(f"{len(places)} kills", flush=True)

    def run_into(self, place: Place, config: list[str], *arguments: str) -> None:
        code, errors = self.run_with(config, *arguments, ranks=2, fault=place.fault)
        self.assertEqual(code, 137, f"nobody was killed: {errors}")
        for pattern in place.there.split():
            self.assertTrue(list(self.folder.glob(pattern)), f"no {pattern}")
        for pattern in place.not_there.split():
            self.assertEqual(list(self.folder.glob(pattern)), [])

    def test_at_the_start(self) -> None:
        self.assert_survived(MANY, START)

    def test_among_the_records(self) -> None:
        self.assert_survived(MANY_SLOW, RECORDS)

    def test_at_the_end(self) -> None:
        self.assert_survived(MANY, END)

    def test_around_a_checkpoint(self) -> None:
        self.assert_survived(COUPLED, CHECKPOINTS)

    def test_between_the_steps_of_methods_of_one_rank(self) -> None:
        """They go on from their last checkpoint."""
        (self.folder / "table.csv").write_text(table_of(400), encoding="utf-8")
        for method, text in OF_ONE_RANK.items():
            with self.subTest(method):
                name = f"{method}.ini"
                (self.folder / name).write_text(text, encoding="utf-8")
                config = [name, "--checkpoint", "0"]
                expected = self.uninterrupted(config)
                self.run_into(Place(Fault("rename", "*.checkpoint", 4),
                                    f"{JOURNAL}/*.checkpoint.part {JOURNAL}/*.checkpoint"), config)
                code, errors = self.run_with(config, "--resume", ranks=1)
                self.assertEqual((code, "cannot be used" in errors), (0, False), errors)
                self.assertEqual(self.identity(), expected)
                self.begin_anew()

    def test_while_a_finished_archive_is_extended(self) -> None:
        """Its results go into a new journal first; the archive is replaced at the end."""
        wider = [*MANY, "--set", "seed=1, 2"]
        expected = self.uninterrupted(wider)
        code, errors = self.run_with(MANY, ranks=2)
        self.assertEqual(code, 0, errors)
        finished = self.archive.read_bytes()
        places = (START["the header has no name"].fault,
                  Fault("write", "*-000000.log", 50, action="half"),
                  Fault("sync", "*/0000-000000.log", 2),
                  Fault("write", "*/0001-000000.log", 5),
                  Fault("rename", "*result.h5"))
        for place in places:
            with self.subTest(place):
                self.begin_anew()
                self.archive.write_bytes(finished)
                code, errors = self.run_with(wider, "--extend", ranks=2, fault=place)
                self.assertEqual(code, 137, f"nobody was killed: {errors}")
                self.assertEqual(self.archive.read_bytes(), finished)
                code, errors = self.run_with(wider, "--extend", ranks=3)
                self.assertEqual(code, 0, errors)
                self.assertEqual(self.identity(), expected)
                self.assertEqual(list(self.folder.glob("result.h5*")), [self.archive])
        print(f"{len(places)} kills", flush=True)

    def test_twice_at_the_same_place(self) -> None:
        """A resumed run has a launch, drafts and parts of its own."""
        expected = self.uninterrupted(MANY_SLOW)
        for place in (START["half of the header is written"],
                      RECORDS["half of a record is written"],
                      END["half of the archive is written"]):
            with self.subTest(place):
                self.begin_anew()
                for _ in range(2):
                    self.run_into(place, MANY_SLOW, "--resume")
                self.assert_resumes(MANY_SLOW, expected, ranks=3)
                self.assert_cleans_up(MANY_SLOW)


if __name__ == "__main__":
    unittest.main()
