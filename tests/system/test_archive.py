"""Archives that were damaged, and those that were not."""

from __future__ import annotations

import os
import pathlib
import sys
import time
import unittest

import h5py
import numpy as np

from program import ProgramTest, seal_again

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "analysis"))

import fairfront_archive  # noqa: E402


CLOCKS_DIFFER = 1e-3  # s: times are of the clock that may be set, durations of the steady one


class Verify(ProgramTest):
    def assert_damaged(self) -> None:
        for ranks in (None, 3):
            with self.subTest(ranks=ranks):
                outcome = self.run_program("verify", "result.h5", ranks=ranks)
                self.assertEqual(outcome.codes, [4] * (ranks or 1), outcome.out + outcome.error)
                self.assertIn("result.h5", outcome.out + outcome.error)

    def test_a_sound_archive_passes_and_its_digest_is_shown(self) -> None:
        path = self.make_archive()
        with h5py.File(path) as file:
            expected = file.attrs["digest"].decode()
        for ranks in (None, 3):
            self.assertIn(expected, self.succeed("verify", "result.h5", ranks=ranks))

    def test_a_truncated_archive_is_damaged(self) -> None:
        path = self.make_archive()
        whole = path.read_bytes()
        for length in (0, 100, len(whole) // 2, len(whole) - 1):
            with self.subTest(length):
                path.write_bytes(whole[:length])
                self.assert_damaged()

    def test_one_byte_anywhere_is_noticed(self) -> None:
        path = self.make_archive()
        whole = path.read_bytes()
        for position in range(0, len(whole), max(1, len(whole) // 40)):
            with self.subTest(position):
                changed = bytearray(whole)
                changed[position] ^= 1
                path.write_bytes(changed)
                self.assertEqual(self.run_program("verify", "result.h5").codes, [4])

    def test_results_edited_with_h5py_are_noticed(self) -> None:
        path = self.make_archive()
        with h5py.File(path, "r+") as file:
            file["fronts/safairkm_front/points"][0, 0] *= 0.5
        self.assert_damaged()

    def test_facts_about_the_run_edited_with_h5py_are_noticed(self) -> None:
        path = self.make_archive()
        with h5py.File(path, "r+") as file:
            file["provenance/hosts"][0] = "elsewhere"
        self.assert_damaged()

    def test_a_forged_result_is_refused_by_everyone_who_reads_results(self) -> None:
        path = self.make_archive("forged.h5")
        self.make_archive()
        with h5py.File(path, "r+") as file:
            file["metrics/hypervolume"][0] *= 1.5
        seal_again(path)
        for command in (("verify", "forged.h5"), ("show", "forged.h5"), ("status", "forged.h5"),
                        ("diff", "result.h5", "forged.h5"), ("diff", "forged.h5", "result.h5"),
                        ("export", "forged.h5", "--csv", "tables"),
                        ("merge", "result.h5", "forged.h5", "-o", "merged.h5"),
                        ("replay", "forged.h5"),
                        ("run", "config.ini", "-o", "forged.h5", "--resume")):
            with self.subTest(command):
                outcome = self.run_program(*command)
                self.assertEqual(outcome.codes, [4], outcome.out + outcome.error)
                self.assertIn("forged.h5", outcome.out + outcome.error)
                self.assertIn("@digest", outcome.out + outcome.error)
        self.assertFalse((self.folder / "merged.h5").exists())
        self.assertFalse((self.folder / "tables").exists())

    def test_it_tells_when_each_rank_ran_its_tasks(self) -> None:
        self.write_config({".seed": "1..6"})
        before = time.time()
        path = self.make_archive(ranks=2)
        after = time.time()
        with h5py.File(path) as file:
            timing = {name: file[f"timing/{name}"][:] for name in ("started", "seconds", "rank")}
        begin, end = timing["started"], timing["started"] + timing["seconds"]
        self.assertTrue((before <= begin).all() and (end <= after + CLOCKS_DIFFER).all())
        for rank in set(timing["rank"]):
            mine = np.flatnonzero(timing["rank"] == rank)
            mine = mine[np.argsort(begin[mine])]
            self.assertTrue((end[mine][:-1] <= begin[mine][1:] + CLOCKS_DIFFER).all())

    def test_other_files_are_no_archives(self) -> None:
        (self.folder / "result.h5").write_text("cost,balance\n")
        self.assert_damaged()
        (self.folder / "result.h5").unlink()
        with h5py.File(self.folder / "result.h5", "w") as file:
            file["points"] = [1.0, 2.0]
        self.assert_damaged()

    def test_a_missing_archive_is_bad_input(self) -> None:
        for command in ("verify", "show"):
            outcome = self.run_program(command, "nowhere.h5")
            self.assertEqual(outcome.codes, [2])
            self.assertIn("nowhere.h5", outcome.error)

    def test_show_refuses_a_damaged_archive(self) -> None:
        path = self.make_archive()
        path.write_bytes(path.read_bytes()[:1000])
        self.assertEqual(self.run_program("show", "result.h5").codes, [4])


class Contents(ProgramTest):
    def test_the_archive_holds_every_option_and_what_made_it(self) -> None:
        with h5py.File(self.make_archive(ranks=2)) as file:
            self.assertEqual((file.attrs["format"], file.attrs["format_version"],
                              file.attrs["status"], file.attrs["experiment"]),
                             (b"fairfront", 1, b"complete", b"clustering"))
            config = dict(zip(file["config/key"].asstr(), file["config/value"].asstr()))
            self.assertEqual(config["iterations"], "8")
            self.assertEqual(config["missing_rule"], "catalogue")  # a default
            self.assertEqual(file["provenance/ranks"][0], 2)
            facts = {name: file["provenance"][name].asstr()[0]
                     for name in ("command_line", "c_libraries", "processors")}
            self.assertIn("run config.ini", facts["command_line"])
            self.assertEqual(facts["c_libraries"],
                             os.confstr("CS_GNU_LIBC_VERSION") + " x2")
            self.assertRegex(facts["processors"], r".+ \(.+\)( x2|, .+)$")

    def test_every_point_of_the_front_is_nondominated_and_has_its_clustering(self) -> None:
        self.write_config({"safairkm_front.iterations": "80"})  # for a front of several points
        with h5py.File(self.make_archive()) as file:
            front = file["fronts/safairkm_front"]
            points = front["points"][()]
            self.assertGreaterEqual(len(points), 2)
            costs, balances = points[:, 0], points[:, 1]
            self.assertTrue((costs[1:] > costs[:-1]).all())
            self.assertTrue((balances[1:] > balances[:-1]).all())
            labels = file["solutions/labels"]
            for solution in front["solution"]:
                begin, end = labels["offsets"][solution:solution + 2]
                values = labels["values"][begin:end]
                self.assertEqual((len(values), set(values)), (60, {0, 1, 2}))

    def test_two_sensitive_columns_make_groups_of_their_combinations(self) -> None:
        self.write_config({"data.sensitive": "sex, region"})
        plan = self.succeed("plan", "config.ini")
        self.assertIn("J = 4", plan)
        with h5py.File(self.make_archive()) as file:
            bound = file["metrics/balance_bound"][0]
            # Each of 60 rows: m when divisible by 3, north when even.
            self.assertEqual(bound, 10 / 20)
            self.assertLessEqual(file["fronts/safairkm_front/points"][:, 1].max(), bound)


class SharedSolutions(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        rows = [[f"{(7 * i) % 911 / 911}", f"{(5 * i) % 613 / 613 + i % 3}", "fmn"[i % 3]] for i in range(3000)]
        self.write_people([["age", "income", "sex"], *rows])
        (self.folder / "config.ini").write_text(
            "experiment = regression\n[data]\ndata = csv\nfile = people.csv\nlabel = income\nsensitive = sex\n"
            "features = age\n[split]\nvalidation = 0.4\ntest = 0.2\nsplit_seed = 1, 2\n"
            "[barycenter]\nepsilon = 0, 0.1, 0.3, 0.7\n", encoding="utf-8")

    def test_what_barycenter_moves_is_stored_once_for_all_epsilons(self) -> None:
        files = []
        for ranks in (None, 3):
            self.succeed("run", "config.ini", "--output", "result.h5", "--force", ranks=ranks)
            with h5py.File(self.folder / "result.h5") as file:
                moved = {name: file[f"solutions/moved_values/{name}"][()] for name in ("task", "vector", "offsets", "values")}
            self.assertEqual(len(moved["offsets"]) - 1, 2 * 3)  # of every split and group
            self.assertEqual(len(moved["values"]), 2 * 1200)
            np.testing.assert_array_equal(moved["task"], np.repeat(range(8), 3))
            np.testing.assert_array_equal(moved["vector"], np.r_[np.tile([0, 1, 2], 4), np.tile([3, 4, 5], 4)])
            files.append(moved)
            self.succeed("replay", "result.h5")
        for name, values in files[0].items():
            np.testing.assert_array_equal(values, files[1][name])
        self.check_python(moved)

    def check_python(self, moved: dict[str, np.ndarray]) -> None:
        """It sees solutions of every task, and its own digests are those of the program."""
        with fairfront_archive.open(self.folder / "result.h5", program=False) as archive:
            owners, offsets, values = archive.solution_columns("moved_values")
            of_tasks = archive.solutions_of("moved_values")
            self.assertEqual([len(one) for one in of_tasks], [3] * 8)
            for place, vector in enumerate(moved["vector"]):
                begin, end = moved["offsets"][vector:vector + 2]
                for found in (archive.solution("moved_values", place), of_tasks[place // 3][place % 3],
                              values[offsets[place]:offsets[place + 1]]):
                    np.testing.assert_array_equal(found, moved["values"][begin:end])
            np.testing.assert_array_equal(owners, moved["task"])
            with self.assertRaisesRegex(fairfront_archive.ArchiveError, "no solution 24"):
                archive.solution("moved_values", 24)

    def test_shared_solutions_that_are_none_are_refused(self) -> None:
        path = self.folder / "result.h5"
        self.succeed("run", "config.ini", "--output", "result.h5")
        for name, row, value, told in (("vector", 2, 6, "vector: row 2 is 6, must be in 0 .. "), ("vector", 0, -1, "vector: row 0 is -1"),
                                       ("offsets", 1, 1 << 40, "offsets")):
            whole = path.read_bytes()
            with h5py.File(path, "r+") as file:
                file[f"solutions/moved_values/{name}"][row] = value
            seal_again(path)
            with self.subTest(name, value=value):
                self.assertIn(told, self.run_program("verify", "result.h5").out)
                with self.assertRaisesRegex(fairfront_archive.ArchiveError, told):
                    fairfront_archive.open(path, program=False).close()
            path.write_bytes(whole)


if __name__ == "__main__":
    unittest.main()
