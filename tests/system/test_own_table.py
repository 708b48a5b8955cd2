"""The page "A table of your own" does what it says, command by command."""

from __future__ import annotations

import csv
import os
import pathlib
import random
import subprocess
import unittest

from program import PROGRAM, ProgramTest, environment
from test_decision import blocks

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "doc/own-table.md").read_text(encoding="utf-8")


class OwnTable(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        for file in self.folder.iterdir():
            file.unlink()

    def test_a_reader_who_starts_in_an_empty_folder_ends_with_decisions_on_rows_with_missing_cells(self) -> None:
        folders = (str(pathlib.Path(PROGRAM).resolve().parent), str(ROOT / "analysis"), os.environ["PATH"])
        said = []
        for name, language, text in blocks(PAGE):
            if name:
                (self.folder / name).write_text(text, encoding="utf-8")
                continue
            self.assertEqual(language, "sh")
            done = subprocess.run(["sh", "-ec", text], cwd=self.folder, text=True, timeout=300, capture_output=True,
                                  env=environment({"PATH": os.pathsep.join(folders)}))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            said.append(done.stdout)
        self.assertGreater((self.folder / "pictures/applicants-yardstick.png").stat().st_size, 10_000)
        new, decided = self.rows_of("new.csv"), self.rows_of("decided.csv")
        self.assertEqual(len(decided), 60)
        self.assertTrue(any("" in row.values() for row in new) and any("NA" in row.values() for row in new))
        for row, given in zip(decided, new):
            self.assertEqual({name: row[name] for name in given}, given)
            self.assertEqual(row["decision"] == "1", float(row["probability"]) >= 0.5)
        chosen = [line for line in said[-1].splitlines() if line.strip().startswith("chosen")]
        self.assertEqual(len(chosen), 2)  # by either name of one measure
        self.assertEqual(chosen[0], chosen[1])

    def rows_of(self, name: str) -> list[dict[str, str]]:
        with (self.folder / name).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def test_a_design_without_full_rank_is_told_only_where_indicators_of_all_levels_do_not_explain_it(self) -> None:
        """With two columns of names it was always told, as indicators of all levels add up to the intercept."""
        for twice in (False, True):
            draw = random.Random(4)
            lines = ["age,job,town,twice,sex,pay"]
            for i in range(200):
                age, job, town = round(draw.gauss(0, 1), 6), draw.choice("abc"), draw.choice("nsw")
                copied = f"{2 * age:.6f}" if twice else f"{draw.gauss(0, 1):.6f}"
                lines.append(f"{age:.6f},{job},{town},{copied},{'fm'[i % 2]},{age + (job == 'a') + draw.gauss(0, 1):.3f}")
            (self.folder / "pay.csv").write_text("\n".join(lines) + "\n", "utf-8")
            (self.folder / "pay.ini").write_text("experiment = regression\n[data]\ndata = csv\nfile = pay.csv\nfeatures = age, job, town, twice\n"
                                                 "categorical = auto\nsensitive = sex\nlabel = pay\n[base_model]\n", "utf-8")
            outcome = self.run_program("run", "pay.ini", "-o", "pay.h5", "--force")
            self.assertEqual(outcome.codes, [0], outcome.error)
            told = "the design of least squares has rank 6 of 9" in outcome.out + outcome.error
            self.assertEqual(told, twice, outcome.out + outcome.error)

    def test_the_config_of_the_page_is_the_one_that_comes_along(self) -> None:
        (config,) = (text for name, _, text in blocks(PAGE) if name.endswith(".ini"))
        self.assertEqual(config, (ROOT / "configs/training/own-groups.ini").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
