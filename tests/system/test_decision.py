"""The page "From data to a decision" does what it says, command by command."""

from __future__ import annotations

import csv
import os
import pathlib
import random
import re
import subprocess
import unittest

from program import PROGRAM, ProgramTest, environment

PAGE = (pathlib.Path(__file__).resolve().parents[2] / "doc/decision.md").read_text(encoding="utf-8")
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


class Decision(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        for name, lines in (("people.csv", table(400, 7, True)),
                            ("new.csv", table(NEW_ROWS, 8, False))):
            text = "".join(",".join(line) + "\n" for line in lines)
            (self.folder / name).write_text(text, encoding="utf-8")

    def test_every_section_ends_with_predictions_of_all_new_rows(self) -> None:
        sections = re.findall(r"`(\w+\.ini)`:\n\n```ini\n(.*?)```\n\n```sh\n(.*?)```", PAGE, re.DOTALL)
        self.assertEqual(len(sections), 6)
        folder = str(pathlib.Path(PROGRAM).resolve().parent)
        for name, config, commands in sections:
            with self.subTest(name):
                (self.folder / name).write_text(config, encoding="utf-8")
                done = subprocess.run(["sh", "-ec", commands], cwd=self.folder, text=True, timeout=300,
                                      env=environment({"PATH": folder + ":" + os.environ["PATH"]}),
                                      capture_output=True)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                (written,) = re.findall(r"--csv (\S+)", commands)
                with (self.folder / written).open(encoding="utf-8", newline="") as file:
                    self.assertEqual(len(list(csv.DictReader(file))), NEW_ROWS)


if __name__ == "__main__":
    unittest.main()
