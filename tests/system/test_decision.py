"""The page "From data to a decision" does what it says, command by command."""

from __future__ import annotations

import csv
import json
import os
import pathlib
import random
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


def table(rows: int, seed: int, known: bool) -> list[list[str]]:
    """People, header first; `known`: with what is to be predicted."""
    draw = random.Random(seed)
    header = ["age", "hours", "degree", "sex", "skill", "score"]
    lines = [header + (["hired", "wage"] if known else [])]
    for _ in range(rows):
        sex = draw.choice("fm")
        age = draw.randint(18, 65)
        degree = draw.choice(["none", "school", "university"])
        skill = draw.gauss(0.4 if sex == "m" else 0.0, 1)
        worth = skill + (age - 40) / 20 + (degree == "university")
        line = [age, round(draw.uniform(10, 60), 1), degree, sex, round(skill, 4),
                round(1 / (1 + 2.718281828 ** -worth), 4)]
        if known:
            line += [int(worth + draw.gauss(0, 1) > 0.4), round(20 + 5 * worth + draw.gauss(0, 3), 2)]
        lines.append([str(cell) for cell in line])
    return lines


def write_tables(folder: pathlib.Path) -> None:
    """The tables that the page speaks of."""
    for name, lines in (("people.csv", table(400, 7, True)), ("new.csv", table(NEW_ROWS, 8, False))):
        text = "".join(",".join(line) + "\n" for line in lines)
        (folder / name).write_text(text, encoding="utf-8")


class Decision(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        write_tables(self.folder)

    def test_every_section_ends_with_predictions_of_all_new_rows(self) -> None:
        sections = re.findall(r"`(\w+\.ini)`:\n\n```ini\n(.*?)```\n\n```sh\n(.*?)```", PAGE, re.DOTALL)
        self.assertEqual(len(sections), 6)
        folder = str(pathlib.Path(PROGRAM).resolve().parent)
        path = os.pathsep.join((folder, str(ROOT / "analysis"), os.environ["PATH"]))
        first = PAGE[:PAGE.index("`clustering.ini`")]
        (commands,) = re.findall(r"```sh\n(.*?)```", first, re.DOTALL)
        self.run_shell(commands, path)
        for name, config, commands in sections:
            with self.subTest(name):
                (self.folder / name).write_text(config, encoding="utf-8")
                self.run_shell(commands, path)
                picture = self.folder / f"pictures/{pathlib.Path(name).stem}-choice.png"
                self.assertGreater(picture.stat().st_size, 10_000)
                for written in re.findall(r"--csv (\S+)", commands):
                    self.assertEqual(len(self.rows_of(written)), NEW_ROWS)
        self.check_balance()
        self.check_python(environment({"PATH": folder + ":" + os.environ["PATH"], "PYTHONPATH": str(ROOT / "analysis")}))

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

    def check_python(self, variables: dict[str, str]) -> None:
        """The lines in Python decide as the commands have done."""
        with (self.folder / "hired.csv").open(encoding="utf-8", newline="") as file:
            decided = [int(row["decision"]) for row in csv.DictReader(file)]
        snippets = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
        self.assertEqual(len(snippets), 1)
        for lines in snippets:
            done = subprocess.run([sys.executable, "-c", INTERPRETER, lines], cwd=self.folder, text=True, timeout=300,
                                  env=variables, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(json.loads(done.stdout), decided)


if __name__ == "__main__":
    unittest.main()
