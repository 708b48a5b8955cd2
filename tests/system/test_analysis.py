"""The Python library and its scripts beside the program: what `verify` refuses, they refuse."""

from __future__ import annotations

import contextlib
import io
import os
import pathlib
import re
import sys
import unittest
import unittest.mock

import h5py
import numpy as np

from program import PROGRAM, ProgramTest, digest, environment

ANALYSIS = pathlib.Path(__file__).resolve().parents[2] / "analysis"
sys.path.insert(0, str(ANALYSIS))

import fairfront_archive  # noqa: E402
import figures  # noqa: E402
import publish_sample  # noqa: E402
import report  # noqa: E402
from fairfront_archive import digests, layout, stored  # noqa: E402
from fairfront_figures import fronts, tables  # noqa: E402
from fairfront_figures.style import Options  # noqa: E402
from fairfront_figures.titles import TITLES, method_title  # noqa: E402

EXPERIMENTS = {
    "clustering": {},  # labels of 8 bits, fronts, a data file
    "alternating": "experiment = alternating\nseed = 1, 2\n[alternating]\nproblem = sp1, zdt1\nn_total = 20\n"
                   "iterations = 30\n[sa2gd]\nn_a = 5, 15, 30\nstep = 1e-2\n",  # a task that fails
    "training": "experiment = training\n[data]\ndata = syn_predictions\ngenerator_seed = 1\n[split]\ntest = 0.2\n"
                "[training]\nbudget = 20000\n[sgd]\n",  # series, models, no front
}


class Analysis(ProgramTest):
    def run_script(self, script, output: str, program: str = PROGRAM) -> tuple[int, str]:
        """Exit code, and what it writes to the standard error."""
        said = io.StringIO()
        with (unittest.mock.patch.dict(os.environ, FAIRFRONT=program), contextlib.redirect_stderr(said),
              contextlib.redirect_stdout(io.StringIO())):
            code = script.main([str(self.folder / "result.h5"), "-o", str(self.folder / output)])
        return code, said.getvalue()

    def forge(self, change) -> None:
        """With the right seal and digests."""
        with h5py.File(self.folder / "result.h5", "r+", libver=("v108", "v108")) as file:
            change(file)
        publish_sample.digest_again(self.folder / "result.h5")

    def test_every_method_has_a_title_that_fits_a_legend(self) -> None:
        listed = self.run_program("list", "solvers").out
        methods = re.findall(r"^ *\[(\w+)\]", listed, re.M)
        self.assertGreater(len(methods), 30)
        titles = {method: method_title(method) for method in methods}
        self.assertEqual(len(set(titles.values())), len(titles))
        self.assertLessEqual(set(TITLES), set(titles))
        for title in titles.values():
            self.assertRegex(title, r"^[\w -]{2,24}$")
            self.assertNotIn("_", title)

    def assert_refused(self, *words: str) -> None:
        self.assertEqual(self.run_program("verify", "result.h5").codes, [4])
        library = self.folder / "echarts.min.js"
        library.touch()
        with unittest.mock.patch.object(report, "find_library", return_value=library):
            for script in (figures, report):
                code, said = self.run_script(script, "out")
                self.assertEqual((code, said.count("\n")), (2, 1), said)
                for word in ("refused by fairfront verify", *words):
                    self.assertIn(word, said)
                self.assertFalse((self.folder / "out").exists())

    def test_both_implementations_have_the_same_digests(self) -> None:
        for name, text in EXPERIMENTS.items():
            with self.subTest(name):
                if text:
                    (self.folder / "config.ini").write_text(text, encoding="utf-8")
                outcome = self.run_program("run", "config.ini", "-o", f"{name}.h5")
                self.assertIn(outcome.codes, ([0], [1]), outcome.error)
                with h5py.File(self.folder / f"{name}.h5") as file:
                    content = layout.content_of(stored.tree_of(file))
                    results = digests.results_digest(content)
                    self.assertEqual(results, digest(self.folder / f"{name}.h5"))
                    measures = digests.measures_digest(content)
                    self.assertEqual(measures.encode(), file.attrs["measures_digest"])
                    self.assertEqual(digests.content_digest(content, results, measures).encode(),
                                     file.attrs["content_digest"])
                with fairfront_archive.open(self.folder / f"{name}.h5", program=False) as archive:
                    self.assertEqual(archive.checked, "digests recomputed; not verified by the program")

    def test_show_tables_legends_and_the_archive_measure_replicates_from_one_point(self) -> None:
        (self.folder / "config.ini").write_text(
            "experiment = regression\n[data]\ndata = syn_four_groups\nsubsample = 240\n[split]\n"
            "validation = 0.4\ntest = 0.3\nstratify = group\nsplit_seed = 1..4\n[base_model]\n"
            "[barycenter]\nepsilon = 0, 0.5\n", encoding="utf-8")
        self.succeed("run", "config.ini", "-o", "result.h5")
        text = self.succeed("show", "result.h5")
        told = {method: (float(mean), float(deviation)) for method, mean, deviation in re.findall(
            r"(?m)^\s*(base_model|barycenter) .* (\S+) \+- (\S+)$", text.partition("\nnondominated points")[2])}
        self.assertEqual(set(told), {"base_model", "barycenter"})
        self.assertGreater(told["base_model"][0], 0)  # the splits' own points differ
        with fairfront_archive.open(self.folder / "result.h5") as archive, h5py.File(self.folder / "result.h5") as file:
            table = tables.fronts_table(archive, Options())
            page = fronts.draw_fronts(archive, Options())
            labels = [line.get_label() for panel in page.panels for line in panel.lines]
            for method, (mean, deviation) in told.items():
                stored = file[f"merged/{method}/per_replicate/hypervolume"][:]
                stored = stored[np.isfinite(stored)]
                self.assertEqual(len(stored), 4)
                title = method_title(method)
                row = table[(table["column"] == "hypervolume") & table["method"].isin([method, title])].iloc[0]
                np.testing.assert_allclose([row["mean"], row["deviation"]], [stored.mean(), stored.std(ddof=1)], rtol=1e-9)
                np.testing.assert_allclose([mean, deviation], [stored.mean(), stored.std(ddof=1)], rtol=1e-3)
                self.assertTrue(any(f"hypervolume {stored.mean():.4g}" in label for label in labels), labels)
            self.assertFalse(table[(table["column"] == "hypervolume") & (table["method"].isin(
                ["barycenter", method_title("barycenter")]))]["ranked"].any())

    def test_what_is_consistent_but_not_of_its_config_is_refused(self) -> None:
        self.make_archive()
        sound = (self.folder / "result.h5").read_bytes()

        def another_key(file: h5py.File) -> None:
            file["tasks/key"][0] = b"0123456789abcdef" * 4

        def another_axis_value(file: h5py.File) -> None:
            file["config/value"][file["config/key"][:].tolist().index(b"clusters")] = b"2"

        def larger_hypervolume(file: h5py.File) -> None:
            file["fronts/safairkm_front/hypervolume"][0] *= 2

        def another_data_set(file: h5py.File) -> None:
            file["provenance/datasets/digest"][0] = b"ab" * 32

        for change, words in ((another_key, "key does not follow"), (another_axis_value, "key does not follow"),
                              (larger_hypervolume, "hypervolume: of task 0 does not follow"),
                              (another_data_set, "key does not follow")):
            with self.subTest(change.__name__):
                (self.folder / "result.h5").write_bytes(sound)
                self.forge(change)
                self.assert_refused(words)

    def test_the_page_says_what_was_checked(self) -> None:
        self.make_archive()
        library = self.folder / "echarts.min.js"
        library.touch()
        for program, said in ((PROGRAM, "verified by the program"), (os.devnull, "not verified by the program")):
            with unittest.mock.patch.object(report, "find_library", return_value=library):
                self.assertEqual(self.run_script(report, "page.html", program), (0, ""))
            self.assertIn(f'"checked":"digests recomputed; {said}"', (self.folder / "page.html").read_text())

    def test_the_same_findings_with_other_measures_differ(self) -> None:
        table = "".join(f"{i % 2},{i % 7 / 7},{'ab'[i % 3 == 0]}\n" for i in range(40))
        (self.folder / "scores.csv").write_text("label,score,group\n" + table, encoding="utf-8")
        (self.folder / "config.ini").write_text(
            "experiment = predictions\n[data]\ndata = csv\nfile = scores.csv\nlabel = label\n"
            "sensitive = group\n[predictions]\nscore = score\n[measures]\nmeasures = error\n", encoding="utf-8")
        self.make_archive("a.h5")

        def another_value(measure: h5py.Dataset) -> None:
            measure[0, 0, 0, 0] = 0.123

        def another_part(measure: h5py.Dataset) -> None:
            del measure.attrs["parts"]
            publish_sample.attribute(measure, "parts", ["test"])

        for change in (another_value, another_part):
            (self.folder / "b.h5").write_bytes((self.folder / "a.h5").read_bytes())
            with h5py.File(self.folder / "b.h5", "r+", libver=("v108", "v108")) as file:
                change(file["measures/error"])
            publish_sample.digest_again(self.folder / "b.h5")
            self.assertEqual(digest(self.folder / "a.h5"), digest(self.folder / "b.h5"))
            for command in (("diff", "a.h5", "b.h5"), ("replay", "b.h5")):
                outcome = self.run_program(*command)
                self.assertEqual(outcome.codes, [1], outcome.out + outcome.error)
                self.assertIn("measure error", outcome.out)

    def test_a_changed_metric_is_not_given_out_under_the_digest_of_another(self) -> None:
        self.make_archive()
        with h5py.File(self.folder / "result.h5", "r+", libver=("v108", "v108")) as file:
            metric = next(iter(file["metrics"].values()))
            metric[:] = np.asarray(metric) + 1
        publish_sample.seal_again(self.folder / "result.h5")
        for program in (PROGRAM, os.devnull):
            with (unittest.mock.patch.dict(os.environ, FAIRFRONT=program),
                  self.assertRaisesRegex(fairfront_archive.ArchiveError, "/@digest: is")):
                fairfront_archive.open(self.folder / "result.h5")


if __name__ == "__main__":
    unittest.main()
