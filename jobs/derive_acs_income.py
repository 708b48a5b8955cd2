#!/usr/bin/env python3
"""Makes a file of ACSIncome from the person records of a state's ACS PUMS, 2018, one year.

The Census Bureau publishes the records as csv_pSTATE.zip at
https://www2.census.gov/programs-surveys/acs/data/pums/2018/1-Year/ ; the zip archive holds
psam_pNN.csv, NN the state's FIPS code. Rules of folktables' task ACSIncome (Ding, Hardt, Miller,
Schmidt, 2021): people above 16 years, with an income above 100, who work, in the order of the file.
jobs/get_data.sh calls this by the catalogue's `derived_by`, and compares the SHA-256 of the result.
"""

from __future__ import annotations

import argparse
import csv
import pathlib
import sys
from collections.abc import Iterable, Iterator

FEATURES = ("AGEP", "COW", "SCHL", "MAR", "OCCP", "POBP", "RELP", "WKHP", "SEX", "RAC1P")
LABEL = "INC50K"
INCOME = 50_000  # the label is 1 above it
# A row is kept where each of these is above its bound; an empty cell is not.
ABOVE = {"AGEP": 16, "PINCP": 100, "WKHP": 0, "PWGTP": 0}

# --merge-levels: married or not; White, Black, Asian, native of America or Alaska, any other race.
MERGED = {"MAR": ("MAR2", {1: 1, 2: 2, 3: 2, 4: 2, 5: 2}),
          "RAC1P": ("RACE5", {1: 1, 2: 2, 3: 4, 4: 4, 5: 4, 6: 3, 7: 5, 8: 5, 9: 5})}


class RecordError(Exception):
    """What is wrong with the records."""


def is_kept(row: dict[str, str]) -> bool:
    cells = {name: row[name].strip() for name in ABOVE}
    return all(cells[name] and float(cells[name]) > bound for name, bound in ABOVE.items())


def code(row: dict[str, str], name: str, line: int) -> int:
    """Codes have leading zeros in the records. A kept row lacks none: what versions of folktables write
    there differs, 0 or -1, so that there would be two files of one name."""
    try:
        return int(row[name])
    except ValueError:
        raise RecordError(f"line {line}: {name} is '{row[name]}', where a whole number is needed") from None


def derived(records: Iterable[str], merge_levels: bool) -> Iterator[list[str | int]]:
    """The header and the rows of ACSIncome."""
    reader = csv.DictReader(records)
    missing = [name for name in dict.fromkeys((*ABOVE, *FEATURES)) if name not in (reader.fieldnames or [])]
    if missing:
        raise RecordError(f"these are no person records of 2018: there is no column {', '.join(missing)}")
    merged = MERGED if merge_levels else {}
    yield [merged[name][0] if name in merged else name for name in FEATURES] + [LABEL]
    for row in reader:
        try:
            if not is_kept(row):
                continue
            codes = {name: code(row, name, reader.line_num) for name in FEATURES}
            for name, (_, levels) in merged.items():
                codes[name] = levels[codes[name]]
        except (AttributeError, ValueError, KeyError) as wrong:
            raise RecordError(f"line {reader.line_num}: a cell is missing, is no number or no known level ({wrong})") from None
        yield [*codes.values(), int(float(row["PINCP"]) > INCOME)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=pathlib.Path, help="The person records are this file, psam_pNN.csv.")
    parser.add_argument("output", type=pathlib.Path, help="ACSIncome is written to this file.")
    parser.add_argument("--merge-levels", action="store_true",
                        help="MAR becomes MAR2 (married or not), and RAC1P becomes RACE5 (five races).")
    arguments = parser.parse_args()
    try:
        with arguments.records.open(encoding="ascii", newline="") as records:
            rows = list(derived(records, arguments.merge_levels))  # all of them first: half a file is none
        with arguments.output.open("w", encoding="ascii", newline="") as output:
            csv.writer(output, lineterminator="\n").writerows(rows)
    except (OSError, UnicodeDecodeError, csv.Error, RecordError) as error:
        print(f"derive_acs_income: {arguments.records}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
