"""What an archive says of single groups: on the terminal, as CSV, and in Python."""

from __future__ import annotations

import csv
import math
import pathlib
import random
import re
import sys
import unittest
from collections.abc import Callable

from program import ProgramTest

sys.path.append(str(pathlib.Path(__file__).parents[2] / "analysis"))
import fairfront_archive  # noqa: E402

CONFIG = ("experiment = predictions\n[data]\ndata = csv\nfile = people.csv\nlabel = y\nsensitive = town\n"
          "[predictions]\nscore = decided\n[measures]\n")
TOWNS = {"Upper Town": 70, 'the "old" one, by the river': 40, "all": 20, "few": 1}


class ByGroup(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        draw = random.Random(1)
        self.rows = [(town, draw.randrange(2) if town != "few" else 0, draw.randrange(2))
                     for town, count in TOWNS.items() for _ in range(count)]
        with open(self.folder / "people.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("town", "y", "decided"), *self.rows])
        (self.folder / "audit.ini").write_text(CONFIG, encoding="utf-8")
        self.succeed("run", "audit.ini", "-o", "audit.h5")

    def table(self, name: str) -> list[dict[str, str]]:
        with open(self.folder / "tables" / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_show_marks_groups_of_few_rows_where_they_make_a_gap_too(self) -> None:
        shown = self.succeed("show", "audit.h5")
        values, makers = shown.split("which groups make a gap:")
        mark = "  * fewer than 30 rows: too few to say much of the group\n"
        for text in (values, makers):
            self.assertIn(mark, text)
            self.assertRegex(text, r"few \*  ")
            self.assertNotIn("Upper Town *", text)

    def test_show_quotes_a_group_that_is_called_as_if_it_had_the_mark(self) -> None:
        text = "town,y,score\n" + "".join(f"{('many *', 'some', 'few *')[2 if i < 20 else i % 2]},{i // 2 % 2},{i % 3 % 2}\n" for i in range(200))
        (self.folder / "stars.csv").write_text(text, encoding="utf-8")
        (self.folder / "stars.ini").write_text(CONFIG.replace("people.csv", "stars.csv").replace("decided", "score"), encoding="utf-8")
        self.succeed("run", "stars.ini", "-o", "stars.h5")
        shown = self.succeed("show", "stars.h5")
        self.assertRegex(shown, r"(?m)^ +'many \*'  +\d")
        self.assertRegex(shown, r"(?m)^ +'few \*' \*  +\d")
        self.assertRegex(shown, r"(?m)^ +some  +\d")

    def test_show_marks_values_of_few_rows_that_have_no_interval(self) -> None:
        """The log loss of a single row stood there like any other value."""
        rows = [("town", "y", "score"), *((("a", "b")[i % 2] if i else "alone", i // 2 % 2, f"{(i * 37 % 97 + 1) / 100}") for i in range(200))]
        with open(self.folder / "scores.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
        text = CONFIG.replace("people.csv", "scores.csv").replace("decided", "score")
        (self.folder / "scores.ini").write_text(text, encoding="utf-8")
        self.succeed("run", "scores.ini", "-o", "scores.h5")
        shown = self.succeed("show", "scores.h5").partition("by group:")[2]
        table = next(table for table in shown.split("  group ") if "log_loss" in table)
        column = table.splitlines()[0].split().index("log_loss")
        cells = {cell[0]: cell[column + 1] for line in table.splitlines()[1:5] for cell in [re.split(r"  +", line.strip())]}
        self.assertRegex(cells["alone *"], r"^[\d.]+ \*$")
        self.assertRegex(cells["a"], r"^[\d.]+ \[")

    def test_groups_whose_names_look_alike_are_all_there(self) -> None:
        """One had the numbers of another: `show` looked for groups by what it prints of their names."""
        counts = {"a\nb": 31, "a\\nb": 37, "plain": 41}
        draw = random.Random(2)
        with open(self.folder / "alike.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("town", "y", "decided"), *((town, draw.randrange(2), draw.randrange(2))
                                                                    for town, count in counts.items() for _ in range(count))])
        (self.folder / "alike.ini").write_text(CONFIG.replace("people.csv", "alike.csv"), encoding="utf-8")
        self.succeed("run", "alike.ini", "-o", "alike.h5")
        shown = self.succeed("show", "alike.h5")
        for printed, count in (("a\\nb", 31), ("a\\\\nb", 37), ("plain", 41)):
            self.assertRegex(shown, rf"(?m)^  {re.escape(printed)} +{count} ")
        self.succeed("export", "alike.h5", "--csv", "tables")
        rows = {row["group"]: int(row["rows"]) for row in self.table("groups.csv")}
        self.assertEqual(rows, {"all": 109, **counts})

    def test_csv_tables_have_what_counting_gives(self) -> None:
        self.succeed("export", "audit.h5", "--csv", "tables")
        groups = {row["group"]: row for row in self.table("groups.csv")}
        self.assertEqual(set(groups), {"all", "Upper Town", 'the "old" one, by the river', "'all'", "few"})
        for town in TOWNS:
            mine = [(y, decided) for name, y, decided in self.rows if name == town]
            row = groups["'all'" if town == "all" else town]
            self.assertEqual(int(row["rows"]), len(mine))
            self.assertEqual(row["few_rows"], str(len(mine) < 30).lower())
            self.assertAlmostEqual(float(row["base_rate"]), sum(y for y, _ in mine) / len(mine))
            errors = sum(y != decided for y, decided in mine)
            self.assertAlmostEqual(float(row["error"]), errors / len(mine))
            low, high = exact_limits(errors, len(mine))
            self.assertAlmostEqual(float(row["error_low"]), low)
            self.assertAlmostEqual(float(row["error_high"]), high)
            positives = [decided for y, decided in mine if y]
            self.assertEqual(row["true_positive_rate"] == "", not positives)
        rates = {town: float(row["positive_rate"]) for town, row in groups.items() if town != "all"}
        gap = next(row for row in self.table("gaps.csv") if row["measure"] == "independence_gap")
        self.assertEqual(gap["group"], max(rates, key=rates.get))
        self.assertEqual(gap["other"], min(rates, key=rates.get))
        self.assertAlmostEqual(float(gap["value"]), max(rates.values()) - min(rates.values()))
        self.assertAlmostEqual(float(gap["other_value"]), -float(gap["value"]))
        measured = [row for row in self.table("measures.csv") if row["measure"] == "independence_gap"]
        self.assertEqual([row["group"] for row in measured], ["all"])

    def test_names_with_commas_are_quoted_where_they_are_listed(self) -> None:
        quoted = '"the ""old"" one, by the river"'
        for arguments, text in ((("plan", "audit.ini"), f"groups Upper Town (70), all (20), few (1), {quoted} (40)"),
                                (("plan", "audit.ini"), f"groups 0 .. 3: Upper Town, all, few, {quoted}"),
                                (("data", "audit.ini", "--csv", "rows.csv"), f"groups 0 .. 3: Upper Town, all, few, {quoted}")):
            said = self.succeed(*arguments)
            self.assertIn(text, said)
            (self.folder / "rows.csv").unlink(missing_ok=True)

    def test_show_has_a_row_for_each_group_and_says_why_one_has_no_value(self) -> None:
        text = self.succeed("show", "audit.h5")
        table = text[text.index("\nby group: task 0, all\n"):text.index("\nwhich groups make a gap")]
        few = next(line for line in table.splitlines() if line.startswith("  few "))
        self.assertEqual(few.split()[1:3], ["*", "1"])
        self.assertEqual(len([line for line in table.splitlines() if line.split()[:1] == ["group"]]),
                         len([line for line in table.splitlines() if line.startswith("  few ")]))
        self.assertLessEqual(max(map(len, table.splitlines())), 120)
        self.assertRegex(text, r"no row with label 1 in group 'few': .*true_positive_rate \(all\)")

    def test_the_archive_is_sound_and_reads_in_python(self) -> None:
        self.succeed("verify", "audit.h5")
        self.succeed("replay", "audit.h5")
        with fairfront_archive.open(self.folder / "audit.h5") as archive:
            frame = archive.group_frame().set_index("group")
            gaps = archive.gap_frame().set_index("measure")
        self.assertEqual(frame.loc["few", "rows"], 1)
        self.assertTrue(math.isnan(frame.loc["few", "true_positive_rate"]))
        self.assertIn("independence_gap", gaps.index)


def exact_limits(hits: int, of: int) -> tuple[float, float]:
    """Clopper and Pearson's at 2.5 % each: where so many hits, or more and fewer, are as rare."""
    def at_most(count: int, rate: float) -> float:
        return sum(math.comb(of, k) * rate**k * (1 - rate)**(of - k) for k in range(count + 1))

    def where(falls: Callable[[float], float]) -> float:
        low, high = 0.0, 1.0
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if falls(middle) > 0.025 else (low, middle)
        return low

    low = 0.0 if hits == 0 else 1 - where(lambda rate: 1 - at_most(hits - 1, 1 - rate))
    high = 1.0 if hits == of else where(lambda rate: at_most(hits, rate))
    return low, high


if __name__ == "__main__":
    unittest.main()
