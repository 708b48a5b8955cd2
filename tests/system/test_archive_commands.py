"""status, replay, diff, merge, export; slices, and archives that are continued."""

from __future__ import annotations

import csv
import unittest

import h5py

from program import ProgramTest, digest, results_sha256


class Slices(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.write_config({".seed": "1..5"})

    def make_slices(self, count: int) -> list[str]:
        names = [f"slice-{i}.h5" for i in range(count)]
        for i, name in enumerate(names):
            self.succeed("run", "config.ini", "-o", name, "--slice", f"{i}/{count}",
                         ranks=1 + i % 3)
        return names

    def test_they_merge_to_the_results_of_one_run(self) -> None:
        whole = self.make_archive(ranks=2)
        self.succeed("merge", *self.make_slices(3), "-o", "merged.h5")
        merged = self.folder / "merged.h5"
        self.assertEqual(digest(merged), digest(whole))
        self.assertEqual(results_sha256(merged), results_sha256(whole))
        self.succeed("verify", "merged.h5")
        self.succeed("diff", "merged.h5", "result.h5")

    def test_a_slice_says_that_it_is_a_part(self) -> None:
        name = self.make_slices(3)[0]
        with h5py.File(self.folder / name) as file:
            self.assertEqual(file.attrs["status"], "partial")
            self.assertEqual(list(file["tasks/status"]), [1, 0, 0, 1, 0])
        self.assertIn("partial", self.succeed("verify", name))
        self.assertIn("2 tasks done, 0 failed, 3 missing", self.succeed("status", name))

    def test_overlapping_parts_merge_and_contradicting_ones_do_not(self) -> None:
        self.make_archive()
        name = self.make_slices(3)[1]
        self.succeed("merge", "result.h5", name, "-o", "merged.h5")
        self.assertEqual(digest(self.folder / "merged.h5"), digest(self.folder / "result.h5"))
        self.write_config({".seed": "1..5", "clustering.clusters": "2"})
        self.make_archive("other.h5")
        outcome = self.run_program("merge", "result.h5", "other.h5", "-o", "wrong.h5")
        self.assertEqual(outcome.codes, [2])
        self.assertIn("clustering.clusters", outcome.error)
        self.assertFalse((self.folder / "wrong.h5").exists())

    def test_a_slice_is_finished_by_a_run_without_slices(self) -> None:
        whole = self.make_archive()
        name = self.make_slices(3)[2]
        self.succeed("run", "config.ini", "-o", name, "--resume", ranks=2)
        self.assertEqual(digest(self.folder / name), digest(whole))

    def test_wrong_slices_are_refused(self) -> None:
        for text in ("3/3", "-1/3", "1", "a/b", "0/0", "1/2/3"):
            with self.subTest(text):
                outcome = self.run_program("run", "config.ini", "--slice", text, ranks=2)
                self.assertEqual(outcome.codes, [2, 2])
                self.assertIn("--slice", outcome.error)


class Continued(ProgramTest):
    def test_a_finished_archive_has_nothing_to_do(self) -> None:
        before = self.make_archive().read_bytes()
        self.assertIn("nothing to do", self.succeed("run", "config.ini", "-o", "result.h5",
                                                    "--resume", ranks=2))
        self.assertEqual((self.folder / "result.h5").read_bytes(), before)

    def test_a_finished_archive_is_extended(self) -> None:
        path = self.make_archive()
        self.write_config({".seed": "1..4"})
        outcome = self.run_program("run", "config.ini", "-o", "result.h5", "--resume")
        self.assertEqual(outcome.codes, [2])
        self.assertIn("seed", outcome.error)
        self.succeed("run", "config.ini", "-o", "result.h5", "--extend", ranks=2)
        whole = self.make_archive("whole.h5")
        self.assertEqual(digest(path), digest(whole))
        with h5py.File(path) as file:
            attempts = list(file["timing/attempt"])
        self.assertEqual(attempts[0], 1, "the task that was there must not run again")

    def test_an_axis_that_lost_a_value_is_refused(self) -> None:
        self.write_config({".seed": "1, 2"})
        before = self.make_archive().read_bytes()
        self.write_config({".seed": "2, 3"})
        outcome = self.run_program("run", "config.ini", "-o", "result.h5", "--extend", ranks=2)
        self.assertEqual(outcome.codes, [2, 2])
        self.assertIn("lost a value", outcome.error)
        self.assertEqual(self.files()["result.h5"], before)
        self.assertFalse((self.folder / "result.h5.journal").exists())


class Replay(ProgramTest):
    def test_every_bit_comes_out_again_on_any_number_of_ranks(self) -> None:
        self.write_config({".seed": "1..3"})
        path = self.make_archive(ranks=2)
        for ranks in (None, 3):
            text = self.succeed("replay", "result.h5", "-q", ranks=ranks)
            self.assertIn("3 tasks replayed, every bit is the same", text)
            self.assertIn(digest(path), text)
        self.assertEqual({p.name for p in self.folder.iterdir()},
                         {"config.ini", "people.csv", "result.h5"})

    def test_one_task(self) -> None:
        self.write_config({".seed": "1..3"})
        self.make_archive()
        self.assertIn("1 tasks replayed", self.succeed("replay", "result.h5", "--task", "2", "-q"))
        outcome = self.run_program("replay", "result.h5", "--task", "3", ranks=2)
        self.assertEqual(outcome.codes, [2, 2])
        self.assertIn("0 .. 2", outcome.error)

    def test_other_data_are_named(self) -> None:
        self.make_archive()
        table = (self.folder / "people.csv").read_text(encoding="utf-8").splitlines()
        table[1], table[2] = table[2], table[1]
        (self.folder / "people.csv").write_text("\n".join(table) + "\n", encoding="utf-8")
        outcome = self.run_program("replay", "result.h5", ranks=2)
        self.assertEqual(outcome.codes, [2, 2])
        self.assertIn("SHA-256", outcome.error)


class Diff(ProgramTest):
    def test_it_finds_the_tasks_that_only_one_has(self) -> None:
        self.make_archive("a.h5")
        self.write_config({".seed": "1, 2"})
        self.make_archive("b.h5", ranks=2)
        outcome = self.run_program("diff", "a.h5", "b.h5")
        self.assertEqual(outcome.codes, [1])
        self.assertIn("seed", outcome.out)
        self.assertIn("1 tasks equal, 0 differ, 0 only in 'a.h5', 1 only in 'b.h5'", outcome.out)

    def test_archives_of_the_same_results_are_the_same(self) -> None:
        self.make_archive("a.h5")
        self.make_archive("b.h5", ranks=3)
        self.assertIn("the same results", self.succeed("diff", "a.h5", "b.h5"))


class Export(ProgramTest):
    def rows(self, name: str) -> list[dict[str, str]]:
        with open(self.folder / "tables" / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_the_tables_hold_every_number_of_the_archive(self) -> None:
        self.write_config({".seed": "1, 2"})
        path = self.make_archive()
        self.succeed("export", "result.h5", "--csv", "tables", "--solutions")
        with h5py.File(path) as file:
            tasks = self.rows("tasks.csv")
            self.assertEqual([row["key"] for row in tasks], list(file["tasks/key"].asstr()))
            self.assertEqual([row["seed"] for row in tasks], ["1", "2"])
            for name, column in file["metrics"].items():
                self.assertEqual([float(row[name]) for row in tasks], list(column))
            points = self.rows("fronts-safairkm_front.csv")
            front = file["fronts/safairkm_front"]
            names = list(front.attrs["objectives"])
            self.assertEqual([[float(row[name]) for name in names] for row in points],
                             front["points"][()].tolist())
            series = self.rows("series-hypervolume.csv")
            self.assertEqual([float(row["hypervolume"]) for row in series],
                             list(file["series/hypervolume/values"]))
        lines = (self.folder / "tables/solutions-labels.csv").read_text().splitlines()
        self.assertEqual(len(lines), 1 + len(points))
        self.assertEqual(len(lines[1].split(",")), 2 + 60)

    def test_files_are_not_replaced(self) -> None:
        self.make_archive()
        self.succeed("export", "result.h5", "--csv", "tables")
        outcome = self.run_program("export", "result.h5", "--csv", "tables", ranks=2)
        self.assertEqual(outcome.codes, [2, 2])
        self.assertIn("config.csv", outcome.error)


class Data(ProgramTest):
    def test_rows_are_those_that_labels_belong_to(self) -> None:
        path = self.make_archive()
        text = self.succeed("data", "config.ini", "--csv", "rows.csv")
        self.assertIn("60 rows, 2 features, 2 groups", text)
        with open(self.folder / "rows.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        # The balance of every stored clustering, from its labels and the groups of the rows.
        with h5py.File(path) as file:
            labels = file["solutions/labels/values"][()].reshape(-1, len(rows))
            points = file["fronts/safairkm_front/points"][()]
        for solution, (_, balance) in zip(labels, points):
            counts = [[sum(row["group"] == group for row, label in zip(rows, solution)
                           if label == cluster) for group in ("f", "m")] for cluster in range(3)]
            self.assertEqual(min(min(c) / max(c) for c in counts), balance)

    def test_a_file_is_not_replaced(self) -> None:
        outcome = self.run_program("data", "config.ini", "--csv", "people.csv", ranks=2)
        self.assertEqual(outcome.codes, [2, 2])
        self.assertIn("people.csv", outcome.error)


class Status(ProgramTest):
    def test_neither_archive_nor_journal(self) -> None:
        outcome = self.run_program("status", "nothing.h5", ranks=2)
        self.assertEqual(outcome.codes, [2, 2])
        self.assertIn("nothing.h5.journal", outcome.error)

    def test_an_interrupted_run_tells_what_is_left(self) -> None:
        # Far more than can be done in the second that the run is given.
        self.write_config({".seed": "1..6", "safairkm_front.iterations": "1000000"})
        outcome = self.run_program("run", "config.ini", "-o", "result.h5", "--time-limit", "0:1",
                                   ranks=2)
        self.assertEqual(outcome.codes, [3, 3], outcome.error)
        text = self.succeed("status", "result.h5")
        self.assertIn("tasks    0 done, 0 failed, 6 to do, of 6", text)
        self.assertRegex(text, r"not running since \d+ s")


if __name__ == "__main__":
    unittest.main()
