"""`measure` measures again what an archive's methods have found."""

from __future__ import annotations

import pathlib
import sys
import unittest

import h5py

from program import ProgramTest, digest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "analysis"))

import publish_sample  # noqa: E402


class Measure(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        (self.folder / "audit.ini").write_text(
            "experiment = predictions\n[data]\ndata = syn_predictions\nsubsample = 90\n"
            "[predictions]\nscore = calibrated\n[measures]\nparts = all\n", encoding="utf-8")
        self.succeed("run", "audit.ini", "-o", "audit.h5")

    def test_what_was_measured_is_found_again_and_the_new_archive_has_the_same_digest(self) -> None:
        told = self.succeed("measure", "audit.h5", "-o", "again.h5")
        self.assertRegex(told, r"[1-9]\d* values are the same, 0 measures have new ones, 0 values")
        self.assertEqual(digest(self.folder / "again.h5"), digest(self.folder / "audit.h5"))
        self.assertIn("the same results", self.succeed("diff", "audit.h5", "again.h5"))
        self.succeed("verify", "again.h5")

    def test_what_only_a_run_finds_is_named(self) -> None:
        (self.folder / "ranking.ini").write_text(
            "experiment = ranking\n[data]\ndata = syn_predictions\nsubsample = 200\n[ranking]\nmetric = group\n"
            "[sfls]\nkappa = 0.1\nsteps = 50\n", encoding="utf-8")
        self.succeed("run", "ranking.ini", "-o", "ranking.h5")
        told = self.succeed("measure", "ranking.h5")
        self.assertRegex(told, r"best_auc: [1-9]\d* values that only a run finds, which stay as they are")
        self.assertNotIn("only a run finds", self.succeed("measure", "audit.h5"))

    def test_a_measure_of_a_later_version_is_named_and_no_damage(self) -> None:
        before = digest(self.folder / "audit.h5")
        with h5py.File(self.folder / "audit.h5", "r+", libver=("v108", "v108")) as file:
            file.move("measures/error", "measures/of_tomorrow")
        publish_sample.digest_again(self.folder / "audit.h5")
        told = self.succeed("verify", "audit.h5")
        self.assertIn(f"sound, complete, digest {before}", told)
        self.assertIn("measures that this version does not know: 'of_tomorrow'", told)
        told = self.succeed("measure", "audit.h5", "-o", "again.h5")
        self.assertIn("of_tomorrow: a measure that this version does not know, which stays as it is", told)
        self.assertRegex(told, r"error: [1-9]\d* values that were not there")
        self.assertIn("'of_tomorrow'", self.succeed("verify", "again.h5"))
        with h5py.File(self.folder / "audit.h5", "r+", libver=("v108", "v108")) as file:
            file["measures/of_tomorrow"][0] += 1  # behind the digest's back
        publish_sample.seal_again(self.folder / "audit.h5")
        self.assertEqual(self.run_program("verify", "audit.h5").codes, [4])

    def test_only_parts_that_are_looked_at_are_warned_of(self) -> None:
        rows = [f"{i % 2},{'mw'[i >= 18]},{0.1 + i / 30}" for i in range(20)] + [f"0,w,0.{i}" for i in range(2, 6)]
        (self.folder / "few.csv").write_text("y,g,s\n" + "\n".join(rows) + "\n", encoding="utf-8")
        for parts, warned in (("auto", False), ("train, test", True)):
            (self.folder / "few.ini").write_text(
                "experiment = predictions\n[data]\ndata = csv\nfile = few.csv\nlabel = y\nsensitive = g\n"
                f"[predictions]\nscore = s\n[measures]\nparts = {parts}\n", encoding="utf-8")
            outcome = self.run_program("run", "few.ini", "-o", "few.h5", "--force")
            self.assertEqual(outcome.codes, [0])
            self.assertEqual("part has no row of group 'w' with label '1'" in outcome.error, warned, parts)

    def test_without_an_output_nothing_is_written(self) -> None:
        before = self.files()
        self.succeed("measure", "audit.h5")
        self.assertEqual(self.files(), before)

    def test_an_archive_is_replaced_with_force_only(self) -> None:
        outcome = self.run_program("measure", "audit.h5", "-o", "audit.h5")
        self.assertEqual(outcome.codes, [2])
        self.assertIn("audit.h5", outcome.error)

    def test_another_table_of_the_same_name_is_refused(self) -> None:
        self.make_archive()
        table = self.folder / "people.csv"
        lines = table.read_text(encoding="utf-8").splitlines()
        table.write_text("\n".join([*lines[:-1], lines[1]]) + "\n", encoding="utf-8")
        outcome = self.run_program("measure", "result.h5", "-o", "other.h5")
        self.assertEqual(outcome.codes, [2])
        self.assertIn("is not that of the archive", outcome.error)
        self.assertFalse((self.folder / "other.h5").exists())


if __name__ == "__main__":
    unittest.main()
