"""Checks what the compiler made: units that are compiled for one processor define nothing but their table.

An inline function or template of a header, compiled there as well as elsewhere, is one function to the linker,
which keeps any one of them: on a processor that lacks its instructions the program would end by SIGILL.
"""

from __future__ import annotations

import os
import re
import subprocess
import unittest

PROCESSORS = ("baseline", "avx2", "avx512")


def exported(library: str) -> dict[str, list[str]]:
    """The names that every object of a library defines for others, by the object's stem."""
    listing = subprocess.run([os.environ["FAIRFRONT_NM"], "-C", "--defined-only", "--extern-only", library],
                             capture_output=True, text=True, check=True).stdout
    names: dict[str, list[str]] = {}
    stem = ""
    for line in listing.splitlines():
        if line.endswith(":"):
            stem = line.split(".")[0]
            names[stem] = []
        elif line:
            names[stem].append(re.split(" +", line, maxsplit=2)[2])
    return names


class Objects(unittest.TestCase):
    def test_units_for_one_processor_define_only_their_table(self) -> None:
        base, models = (exported(path) for path in os.environ["FAIRFRONT_LIBRARIES"].split(":"))
        for objects, layer, table in ((base, "base", "elementary"), (models, "models", "kernels")):
            for processor in PROCESSORS:
                stem = f"{table}_{processor}"
                with self.subTest(stem=stem):
                    self.assertEqual(objects[stem], [f"fairfront::{layer}::{stem}"])

    def test_a_unit_that_is_compiled_for_all_defines_functions(self) -> None:
        base = exported(os.environ["FAIRFRONT_LIBRARIES"].split(":")[0])
        self.assertIn("fairfront::base::pow(double, double)", base["elementary"])


if __name__ == "__main__":
    unittest.main()
