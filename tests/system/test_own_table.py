"""The page "A table of your own" does what it says, command by command."""

from __future__ import annotations

import csv
import os
import pathlib
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

    def test_the_config_of_the_page_is_the_one_that_comes_along(self) -> None:
        (config,) = (text for name, _, text in blocks(PAGE) if name.endswith(".ini"))
        self.assertEqual(config, (ROOT / "configs/training/own-groups.ini").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
