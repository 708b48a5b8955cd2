"""Tests of what is told of a run while it goes on."""

from __future__ import annotations

import contextlib
import io
import sys
import types
import unittest
import unittest.mock

from fairfront_archive.progress import teller

HALF = "3/6 tasks, 50%, 2.0 tasks/s, 0:01 left; iteration 3/3 [a<b, seed=3]"
ALL = "6/6 tasks, 100%, 2.0 tasks/s, 0:03 in all [lloyd]"


class Notebook:
    """Stands for IPython in a notebook, and keeps what is displayed."""

    def __init__(self, kernel: object) -> None:
        self.shown: list[object] = []
        self.package = types.ModuleType("IPython")
        self.package.get_ipython = lambda: types.SimpleNamespace(kernel=kernel)
        self.package.display = types.ModuleType("IPython.display")
        self.package.display.display = self.display

    def display(self, what: object, display_id: bool) -> object:
        assert display_id
        self.shown.append(what)
        return types.SimpleNamespace(update=self.shown.append)

    def modules(self) -> contextlib.AbstractContextManager:
        return unittest.mock.patch.dict(
            sys.modules, {"IPython": self.package, "IPython.display": self.package.display})


class Progress(unittest.TestCase):
    def told(self, *lines: str) -> str:
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            tell = teller()
            for line in lines:
                tell(line)
        return errors.getvalue()

    def test_a_notebook_has_one_bar_that_moves(self) -> None:
        notebook = Notebook(kernel=object())
        with notebook.modules():
            printed = self.told("warning: few rows", HALF, ALL)
        self.assertEqual(printed, "warning: few rows\n")
        first, last = notebook.shown
        self.assertIn("<progress value='3' max='6'", first._repr_html_())
        self.assertIn("[a&lt;b, seed=3]", first._repr_html_())
        self.assertIn("<progress value='6' max='6'", last._repr_html_())
        self.assertEqual(repr(last), ALL)  # where no HTML can be shown

    def test_elsewhere_lines_are_printed(self) -> None:
        self.assertEqual(self.told(HALF, ALL), f"{HALF}\n{ALL}\n")
        terminal = Notebook(kernel=None)
        with terminal.modules():
            self.assertEqual(self.told(HALF), f"{HALF}\n")
        self.assertEqual(terminal.shown, [])


if __name__ == "__main__":
    unittest.main()
