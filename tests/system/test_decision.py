"""The page "From data to a decision" does what it says, command by command."""

from __future__ import annotations

import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

from program import PROGRAM, ProgramTest, environment

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "doc/decision.md").read_text(encoding="utf-8")
# Runs lines as they are written, and says the last one's value as an interpreter would.
INTERPRETER = """
import ast, sys
lines = ast.parse(sys.argv[1])
names = {}
exec(compile(ast.Module(lines.body[:-1], []), "page", "exec"), names)
print(eval(compile(ast.Expression(lines.body[-1].value), "page", "eval"), names).tolist())
"""
NEW_ROWS = 50
SECTIONS = 6
# A file of that name, or what is run.
BLOCK = re.compile(r"(?:`([\w-]+\.\w+)`[^\n]*:\n\n)?```(\w+)\n(.*?)```", re.DOTALL)


def blocks(page: str) -> list[tuple[str, str, str]]:
    """Name of the file that it is, or "", language and text of every block, in order."""
    return [(found[1] or "", found[2], found[3]) for found in BLOCK.finditer(page)]


def write_tables(folder: pathlib.Path) -> None:
    """As the page makes them."""
    (script,) = (text for name, _, text in blocks(PAGE) if name == "people.py")
    subprocess.run([sys.executable, "-c", script], cwd=folder, check=True, timeout=300)


class Decision(ProgramTest):
    def test_a_reader_who_starts_in_an_empty_folder_ends_with_predictions_of_all_new_rows(self) -> None:
        """Once the tables were there in the test alone."""
        for file in self.folder.iterdir():
            file.unlink()
        folder = str(pathlib.Path(PROGRAM).resolve().parent)
        path = os.pathsep.join((folder, str(ROOT / "analysis"), os.environ["PATH"]))
        snippets = []
        for name, language, text in blocks(PAGE):
            if name:
                (self.folder / name).write_text(text, encoding="utf-8")
            elif language == "sh":
                self.run_shell(text, path)
            else:
                snippets.append(text)
        configs = [name for name, language, _ in blocks(PAGE) if language == "ini"]
        self.assertEqual(len(configs), SECTIONS)
        for name in configs:
            with self.subTest(name):
                picture = self.folder / f"pictures/{pathlib.Path(name).stem}-choice.png"
                self.assertGreater(picture.stat().st_size, 10_000)
        written = re.findall(r"--csv (\S+)", PAGE)
        self.assertGreater(len(written), SECTIONS)
        for name in written:
            self.assertEqual(len(self.rows_of(name)), NEW_ROWS)
        self.check_balance()
        self.check_kept_score()
        self.check_python(snippets, environment({"PATH": folder + ":" + os.environ["PATH"],
                                                 "PYTHONPATH": str(ROOT / "analysis")}))

    def run_shell(self, commands: str, path: str) -> None:
        """As they stand on the page, one after the other, each to end well."""
        done = subprocess.run(["sh", "-ec", commands], cwd=self.folder, text=True, timeout=300,
                              env=environment({"PATH": path}), capture_output=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def rows_of(self, name: str) -> list[dict[str, str]]:
        with (self.folder / name).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def check_balance(self) -> None:
        """Clusters that were asked to be balanced are."""
        sexes = [row["sex"] for row in self.rows_of("new.csv")]
        clusters = [row["cluster"] for row in self.rows_of("balanced.csv")]
        self.assertEqual(len(set(clusters)), 4)
        for cluster in set(clusters):
            counts = [sum(one == cluster and sex == s for one, sex in zip(clusters, sexes)) for s in "fm"]
            self.assertGreaterEqual(min(counts), 0.5 * max(counts))

    def check_kept_score(self) -> None:
        """A kept column stands beside a prediction of its name."""
        for row, new, ranked in zip(self.rows_of("both.csv"), self.rows_of("new.csv"), self.rows_of("scores.csv")):
            self.assertEqual((row["score"], row["predicted_score"]), (new["score"], ranked["score"]))

    def check_python(self, snippets: list[str], variables: dict[str, str]) -> None:
        """The lines in Python decide as the commands have done."""
        with (self.folder / "hired.csv").open(encoding="utf-8", newline="") as file:
            decided = [int(row["decision"]) for row in csv.DictReader(file)]
        self.assertEqual(len(snippets), 1)
        for lines in snippets:
            done = subprocess.run([sys.executable, "-c", INTERPRETER, lines], cwd=self.folder, text=True, timeout=300,
                                  env=variables, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(json.loads(done.stdout), decided)


if __name__ == "__main__":
    unittest.main()
