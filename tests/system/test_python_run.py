"""`fairfront_archive.run`: a frame and a config become an archive in one call."""

from __future__ import annotations

import os
import pathlib
import sys
import tempfile
import unittest
import unittest.mock
import warnings

import numpy as np
import pandas

from program import MPIEXEC, PROGRAM, ProgramTest, environment, people

ANALYSIS = pathlib.Path(__file__).resolve().parents[2] / "analysis"
sys.path.insert(0, str(ANALYSIS))

import fairfront_archive  # noqa: E402
from fairfront_archive import program as program_of_archives  # noqa: E402
from fairfront_archive import runs  # noqa: E402

CONFIG = {"experiment": "clustering", "seed": [1, 2], "data": {"features": ["age", "hours"], "sensitive": "sex"},
          "clustering": {"clusters": 3}, "safairkm_front": {"iterations": 8, "starts": 4, "pairs": "(3,1) (1,0)"}}


class Run(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        patch = unittest.mock.patch.dict(os.environ, {**environment(), "FAIRFRONT": PROGRAM})
        patch.start()
        self.addCleanup(patch.stop)
        header, *rows = people()
        self.frame = pandas.DataFrame(rows, columns=header).astype({"age": int, "hours": float})

    def run_it(self, *given: object, **more: object) -> fairfront_archive.Archive:
        archive = fairfront_archive.run(*given, **{"progress": False, "launcher": (MPIEXEC,), **more})
        self.addCleanup(archive.close)
        return archive

    def test_a_frame_becomes_an_archive_and_leaves_nothing_behind(self) -> None:
        folders = tempfile.TemporaryDirectory()
        self.addCleanup(folders.cleanup)
        with unittest.mock.patch.object(tempfile, "tempdir", folders.name):
            archive = fairfront_archive.run(CONFIG, self.frame, progress=False)
            self.assertEqual(archive.progress(), "2 of 2 tasks done")
            np.testing.assert_array_equal(archive.model(0, 0).predict(self.frame[:5]).shape, (5,))
            self.assertEqual(len(os.listdir(folders.name)), 1)
            archive.close()
            del archive
            self.assertEqual(os.listdir(folders.name), [])

    def test_results_are_those_of_the_files_and_of_any_number_of_ranks(self) -> None:
        expected = self.run_it(CONFIG, self.frame).digest
        self.assertEqual(self.run_it(CONFIG, self.frame, ranks=3).digest, expected)
        self.frame.to_csv(self.folder / "rows.csv", index=False)
        (self.folder / "config.ini").write_text(
            runs.ini_text({**CONFIG, "data": {"data": "csv", "file": "rows.csv", **CONFIG["data"]}}), encoding="utf-8")
        path = self.make_archive("by_hand.h5")
        with fairfront_archive.open(path) as archive:
            self.assertEqual(archive.digest, expected)
        kept = self.run_it(self.folder / "config.ini", self.frame, output=self.folder / "kept.h5")
        self.assertEqual((kept.digest, kept.path), (expected, str(self.folder / "kept.h5")))

    def test_names_with_commas_and_quotes_stay_one_in_a_list(self) -> None:
        expected = self.run_it(CONFIG, self.frame).model(0, 0).predict(self.frame)
        frame = self.frame.rename(columns={"age": "age, years", "hours": 'hours "paid"'})
        for features in (["age, years", 'hours "paid"'], ['"age, years"', '"hours ""paid"""']):
            archive = self.run_it({**CONFIG, "data": {"features": features, "sensitive": ["sex"]}}, frame)
            np.testing.assert_array_equal(archive.model(0, 0).predict(frame), expected)
        alone = {**CONFIG, "data": {"features": ["age, years"], "sensitive": "sex"}}
        self.assertEqual(self.run_it(alone, frame).model(0, 0).feature_names_in_.tolist(), ["age, years"])
        self.assertEqual(runs.ini_text({"pairs": ["(3,1) (1,0)"], "delta": ["powers(2, -3, -1)", 1]}),
                         "pairs = (3,1) (1,0)\ndelta = powers(2, -3, -1), 1\n")

    def test_a_text_that_is_the_name_of_a_column_is_that_column(self) -> None:
        names = {"age": "age, years", "hours": 'hours "paid"', "sex": "sex; stated", "owner": "owns, a home"}
        frame = self.frame.assign(owner=(self.frame["age"] > self.frame["age"].median()).astype(int))
        config = {"experiment": "training", "data": {"features": ["age", "hours"], "sensitive": "sex", "label": "owner"},
                  "split": {"validation": 0, "test": 0.3}, "model": {"hidden": ""}, "reductions": {}}
        expected = self.run_it(config, frame)
        named = {"features": [names["age"], names["hours"]], "sensitive": names["sex"], "label": names["owner"]}
        other = frame.rename(columns=names)
        for label in (names["owner"], [names["owner"]], '"owns, a home"'):
            archive = self.run_it({**config, "data": {**named, "label": label}}, other)
            np.testing.assert_array_equal(archive.model(0).predict(other), expected.model(0).predict(frame))
        alone = self.run_it({**config, "data": {**named, "features": names["age"]}}, other)
        self.assertEqual(alone.model(0).feature_names_in_.tolist(), [names["age"]])

    def test_texts_that_are_no_columns_stay_as_they_are(self) -> None:
        self.assertEqual(runs.ini_text({"data": {"features": "age, hours", "label": "a, b"}, "alm": {"delta": "0.1, 0.2"}},
                                       ["age", "hours", "a, b", 'c "d"']),
                         '[data]\nfeatures = age, hours\nlabel = "a, b"\n[alm]\ndelta = 0.1, 0.2\n')

    def test_lines_of_the_program_are_progress(self) -> None:
        said: list[str] = []
        self.run_it(CONFIG, self.frame, progress=said.append)
        self.assertTrue(any("2 of 2" in line or "2/2" in line for line in said), said)

    def test_errors_are_those_of_the_program(self) -> None:
        wrong = {**CONFIG, "clustering": {"clusters": 3, "cluster": 2}}
        words = r"section \[clustering\] has no option 'cluster'"
        with self.assertRaisesRegex(fairfront_archive.RunError, words) as told:
            self.run_it(wrong, self.frame)
        self.assertEqual(told.exception.code, 2)
        for ranks in (1, 2):
            with self.subTest(ranks), self.assertRaisesRegex(fairfront_archive.RunError, "no column 'hours'"):
                self.run_it(CONFIG, self.frame.drop(columns="hours"), ranks=ranks)
        with self.assertRaisesRegex(fairfront_archive.ArchiveError, "none.ini: no such config file"):
            self.run_it(self.folder / "none.ini")
        with self.assertRaisesRegex(ValueError, "a config cannot say"):
            self.run_it({**CONFIG, "data": {"features": "age\n[lloyd]"}}, self.frame)
        with self.assertRaisesRegex(ValueError, "a section of a config needs a name"):
            self.run_it({"": {"experiment": "clustering"}, **CONFIG}, self.frame)
        with (unittest.mock.patch.object(program_of_archives, "find_program", return_value=None),
              self.assertRaisesRegex(fairfront_archive.ArchiveError, "neither on PATH")):
            self.run_it(CONFIG, self.frame)

    def test_failed_tasks_are_a_warning(self) -> None:
        config = {"experiment": "alternating", "alternating": {"problem": ["sp1", "zdt1"], "n_total": 20,
                                                               "iterations": 30},
                  "sa2gd": {"n_a": [5, 15, 30], "step": 0.01}}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            archive = self.run_it(config)
        self.assertGreater(archive.counts()["failed"], 0)
        self.assertRegex(" ".join(str(one.message) for one in caught), "some tasks have failed")

    def test_an_interrupted_notebook_ends_the_program(self) -> None:
        class Interrupted(Exception):
            pass

        def interrupt(_: str) -> None:
            raise Interrupted

        started = []
        popen = runs.subprocess.Popen

        def noted(*given: object, **more: object) -> object:
            started.append(popen(*given, **more))
            return started[-1]

        with unittest.mock.patch.object(runs.subprocess, "Popen", noted), self.assertRaises(Interrupted):
            self.run_it(CONFIG, self.frame, progress=interrupt)
        self.assertIsNotNone(started[0].poll())


if __name__ == "__main__":
    unittest.main()
