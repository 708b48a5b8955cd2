"""jobs/reproduce.sh: runs, figures and the archive that others check."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import tarfile
import unittest

import h5py

from program import PROGRAM, ProgramTest, environment

SCRIPT = pathlib.Path(__file__).parents[2] / "jobs/reproduce.sh"


class Reproduce(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        text = ("# Of two easy problems.\n\nexperiment = alternating\nseed = 1, 2\n[alternating]\nproblem = sp1, zdt1\n"
                "n_total = 20\niterations = 30\n[sa2gd]\nn_a = 5, 15\nstep = 1e-2\n")
        (self.folder / "small.ini").write_text(text, encoding="utf-8")

    def reproduce(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["bash", SCRIPT, "-o", "out", "-n", "1", "-d", ".", *arguments],
                              cwd=self.folder, env={**environment(), "FAIRFRONT": PROGRAM, **variables}, text=True,
                              capture_output=True, timeout=300, check=False)

    def test_a_page_that_cannot_be_made_is_told_last_and_made_by_the_same_command_again(self) -> None:
        ran = self.reproduce("small.ini", FAIRFRONT_ECHARTS="nowhere.js")
        self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
        self.assertRegex(ran.stdout.splitlines()[-1], "^no page report.html: .*jobs/packages.sh report.*run the same command again")
        self.assertFalse((self.folder / "out/report.html").exists())
        self.assertTrue((self.folder / "out/reproducibility.tar.gz").is_file())
        (archive,) = (self.folder / "out/archives").glob("*.h5")
        before = archive.stat().st_mtime_ns
        (self.folder / "without.ini").write_text(
            "experiment = clustering\n[data]\ndata = adult\n[clustering]\nclusters = 2\n[lloyd]\n")
        ran = self.reproduce("small.ini", "without.ini")
        self.assertEqual(ran.returncode, 1)
        self.assertRegex(ran.stdout.splitlines()[-1], "left out: .*without: .*adult.data")
        self.assertEqual(archive.stat().st_mtime_ns, before, "what is done is not run again")
        self.assertTrue((self.folder / "out/report.html").is_file())

    def test_the_packed_archive_is_checked_and_replayed_elsewhere(self) -> None:
        ran = self.reproduce("small.ini")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        elsewhere = self.folder / "elsewhere"
        with tarfile.open(self.folder / "out/reproducibility.tar.gz") as packed:
            packed.extractall(elsewhere)
        shutil.rmtree(self.folder / "out")
        unpacked = elsewhere / "reproducibility"
        (archive,) = unpacked.glob("archives/*-small.h5")
        self.assertTrue(list(unpacked.glob("figures/*-fronts.pdf")))
        self.assertEqual(len(list(unpacked.glob("configs/*.ini"))), 1)
        said = (unpacked / "README.md").read_text(encoding="utf-8")
        for part in (f"## {archive.stem}\n", "Of two easy problems.", f"fairfront run configs/{archive.stem}.ini",
                     ", 8 tasks, ", h5py.File(archive).attrs["digest"].decode(), "[sa2gd], task"):
            self.assertIn(part, said)
        self.assertEqual(self.check(unpacked)[0], 0)
        listed = subprocess.run("mkdir -p source && tar -xzf source.tar.gz -C source && source/jobs/get_data.sh --help", shell=True,
                                cwd=unpacked, capture_output=True, text=True, check=True)
        self.assertIn("source/jobs/get_data.sh data\n", said)
        self.assertIn("Downloads the public data sets", listed.stdout)
        with archive.open("r+b") as file:
            file.seek(archive.stat().st_size // 2)
            file.write(b"changed")
        code, said = self.check(unpacked)
        self.assertNotEqual(code, 0)
        self.assertIn("FAILED", said)

    def test_sources_of_a_tree_that_git_does_not_know_are_packed(self) -> None:
        """They had no bytes, and the check ended with an error of tar."""
        tree = self.folder / "tree"
        for name in ("analysis", "configs", "jobs", "src"):
            shutil.copytree(SCRIPT.parents[1] / name, tree / name, ignore=shutil.ignore_patterns("node_modules"))
        (self.folder / "charts.js").write_text("// stands for the charting library\n", encoding="utf-8")
        (tree / "build").mkdir()
        (tree / "build/made").write_text("by the compiler")
        ran = subprocess.run(["bash", tree / "jobs/reproduce.sh", "-o", "tree/out", "-n", "1", "-d", ".", "small.ini"],
                             cwd=self.folder, env={**environment(), "FAIRFRONT": PROGRAM, "GIT_CEILING_DIRECTORIES": str(self.folder), "FAIRFRONT_ECHARTS": "charts.js"},
                             text=True, capture_output=True, timeout=300, check=False)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        with tarfile.open(tree / "out/source.tar.gz") as packed:
            names = packed.getnames()
        for name in ("./jobs/reproduce.sh", "./src/data/comparison.cpp"):
            self.assertIn(name, names)
        for name in ("./build", "./out"):
            self.assertNotIn(name, names)
        with tarfile.open(tree / "out/reproducibility.tar.gz") as packed:
            self.assertIn("reproducibility/source.tar.gz", packed.getnames())
        (tree / "out/source.tar.gz").unlink()
        sums = (tree / "out/SHA256SUMS").read_text("utf-8").splitlines(keepends=True)
        (tree / "out/SHA256SUMS").write_text("".join(line for line in sums if "source.tar.gz" not in line), "utf-8")
        checked = subprocess.run([tree / "out/check.sh"], text=True, capture_output=True, timeout=300, check=False,
                                 env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder)})
        self.assertEqual(checked.returncode, 2, checked.stdout + checked.stderr)
        self.assertEqual(checked.stderr, "no program 'fairfront' on PATH, and no sources here to build it of: set FAIRFRONT to the program\n")

    def test_a_bundle_without_sources_is_not_made(self) -> None:
        tools = self.folder / "tools"
        tools.mkdir()
        for name, text in (("git", "exit 128"), ("tar", "exit 2")):
            (tools / name).write_text(f"#!/bin/sh\n{text}\n")
            (tools / name).chmod(0o755)
        ran = self.reproduce("small.ini", PATH=f"{tools}:{environment()['PATH']}")
        self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
        self.assertIn("could not be packed, and without them nobody can check the bundle", ran.stderr)
        for name in ("source.tar.gz", "reproducibility.tar.gz"):
            self.assertFalse((self.folder / "out" / name).exists())

    def test_archives_without_their_data_are_named_when_all_others_are_checked(self) -> None:
        ran = self.reproduce("config.ini", "small.ini")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        (self.folder / "people.csv").unlink()
        code, said = self.check(self.folder / "out")
        self.assertEqual(code, 1)
        self.assertIn("8 tasks replayed, every bit is the same", said)
        self.assertRegex(said.splitlines()[-1], r"^not shown, see above .*README.md.*: archives/\S+-config\.h5$")

    def test_what_a_paper_draws_has_the_paper_s_name(self) -> None:
        """Once figure 5 of a paper was nowhere under its name, though the README said so."""
        folder = self.folder / "training"
        folder.mkdir()
        (folder / "figure5.ini").write_text(
            "# Figure 5.\nexperiment = training\nseed = 1, 2\n[data]\ndata = syn_predictions\ngenerator_seed = 1\n"
            "[split]\ntest = 0.2\n[training]\nbudget = 20000\n[switching_subgradient]\n", encoding="utf-8")
        ran = self.reproduce("training/figure5.ini")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertIn("as in the paper: " + str(self.folder.resolve() / "out/figures/training-figure-5.*"), ran.stdout)
        for end in ("pdf", "png"):
            self.assertTrue((self.folder / f"out/figures/training-figure-5.{end}").is_file())
        said = (self.folder / "out/README.md").read_text(encoding="utf-8")
        self.assertIn("`figures/training-figure-5.*`", said)

    def check(self, unpacked: pathlib.Path) -> tuple[int, str]:
        ran = subprocess.run([unpacked / "check.sh"], cwd="/", text=True, capture_output=True,
                             env={**environment(), "FAIRFRONT": PROGRAM}, timeout=300, check=False)
        return ran.returncode, ran.stdout + ran.stderr

    def test_wrong_usage_is_one_line(self) -> None:
        for arguments, reason in ((["cooking"], "no family 'cooking'"), (["--fast"], "no option"),
                                  (["none.ini"], "no file 'none.ini'"),
                                  (["-n", "RANDOM[$(touch x)]"], "-n RANDOM[$(touch x)]: must be a number"),
                                  (["-n", "0"], "must be a number"), (["-o", ""], "name of a folder"),
                                  (["-d", ""], "name of a folder")):
            ran = self.reproduce(*arguments)
            self.assertEqual((ran.returncode, ran.stderr.count("\n")), (2, 1), ran.stderr)
            self.assertIn(reason, ran.stderr)
        for made in ("out", "x"):
            self.assertFalse(os.path.exists(self.folder / made))

    def test_the_rows_behind_a_front_are_prepared_again(self) -> None:
        self.make_archive()
        ran = subprocess.run([SCRIPT.parents[1] / "analysis/figures.py", "result.h5", "-o", "figures",
                              "--figure", "clusterings", "--figure", "groups", "--format", "svg"],
                             cwd=self.folder, env={**environment(), "FAIRFRONT": PROGRAM}, text=True,
                             capture_output=True, timeout=300, check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        said = (self.folder / "figures/result-groups.svg").read_text(encoding="utf-8")
        for group, count in (("m", 20), ("f", 40)):
            self.assertIn(f"{group} ({count} rows)", said)
        self.assertIn("clustering cost", (self.folder / "figures/result-clusterings.svg")
                      .read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
