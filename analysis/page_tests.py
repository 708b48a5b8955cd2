"""What all tests of the report page share: a page of some archives in a window of headless Chromium."""

from __future__ import annotations

import contextlib
import io
import pathlib
import tempfile
import unittest

import browser
import fairfront_archive
import report

LEFT, RIGHT, TAB = "\ue012", "\ue014", "\ue004"  # keys of WebDriver


def has_library() -> bool:
    """The charting library."""
    try:
        return report.find_library().is_file()
    except fairfront_archive.ArchiveError:
        return False


needs_browser = unittest.skipUnless(browser.available() and has_library(),
                                    "jobs/packages.sh test installs Chromium and the charting library")


def write_page(page: pathlib.Path, archives: list[pathlib.Path]) -> None:
    """@throws AssertionError  the page is not made."""
    with contextlib.redirect_stdout(io.StringIO()):
        if report.main(["-o", str(page), "--", *map(str, archives)]) != 0:
            raise AssertionError(f"no page was made of {archives}")


AXE = report.PAGE / "node_modules" / "axe-core" / "axe.min.js"
needs_axe = unittest.skipUnless(browser.available() and has_library() and AXE.is_file(), "jobs/packages.sh test installs axe-core")
VIOLATIONS = """const done = arguments[0];
axe.run(document, {resultTypes: ["violations"]}).then((found) => done(found.violations.map((one) =>
  `${one.id} (${one.impact}): ${one.nodes.slice(0, 3).map((node) => `${node.target} ${node.failureSummary}`).join("; ")}`)));"""


def violations(window: browser.Browser) -> list[str]:
    """What axe-core, with all its rules and best practices, finds wrong with the page as it is."""
    window.run(AXE.read_text(encoding="utf-8"))
    return window.wait(VIOLATIONS)


@needs_browser
class PageTest(unittest.TestCase):
    """One page and one window for all tests of a class; each test sees the page anew, and no error or warning."""

    archives: list[pathlib.Path]
    page: pathlib.Path
    window: browser.Browser

    @classmethod
    def write_archives(cls, folder: pathlib.Path) -> list[pathlib.Path]:
        """Those that the page is of."""
        raise NotImplementedError

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.page = pathlib.Path(folder.name) / "page.html"
        cls.archives = cls.write_archives(pathlib.Path(folder.name))
        write_page(cls.page, cls.archives)
        cls.window = cls.enterClassContext(browser.Browser())

    def setUp(self) -> None:
        self.window.log()
        self.window.open(self.page)
        self.addCleanup(lambda: self.assertEqual(self.window.log(), []))
