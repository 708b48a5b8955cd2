"""What figures.py, plot_front.py and report.py write is whole, or not there."""

from __future__ import annotations

import contextlib
import io
import os
import pathlib
import resource
import tempfile
import unittest
from collections.abc import Callable, Iterator
from unittest import mock

import matplotlib.pyplot as plt

import figures
import plot_front
import report
from fairfront_archive.files import write_whole
from test_figures import sweep

LEAST = 100  # bytes: every file here has more


@contextlib.contextmanager
def no_file_beyond(size: int) -> Iterator[None]:
    """Writing ends there with an error, as on a disk that gets full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"
        self.out.mkdir()
        self.addCleanup(plt.close, "all")


class FullDisk(Folder):
    def setUp(self) -> None:
        super().setUp()
        self.archive = str(sweep().write(self.folder / "any.h5"))
        library = self.folder / "library.js"
        library.write_text("")
        self.enterContext(mock.patch.dict(os.environ, {"FAIRFRONT_ECHARTS": str(library)}))

    def refused(self, main: Callable[[list[str]], int], *arguments: str) -> str:
        """The one line that it ends with."""
        error = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(error):
            code = main([self.archive, *arguments])
        self.assertEqual((code, error.getvalue().count("\n")), (2, 1), error.getvalue())
        return error.getvalue()

    def writers(self) -> Iterator[tuple[pathlib.Path, Callable[[list[str]], int], list[str]]]:
        """Of every kind of file its name, and what writes it."""
        for suffix in ("pdf", "png", "svg"):
            yield (self.out / f"any-fronts.{suffix}", figures.main,
                   ["--figure", "fronts", "--format", suffix, "-o", str(self.out)])
            yield self.out / f"own.{suffix}", plot_front.main, ["-o", str(self.out / f"own.{suffix}")]
        yield self.out / "any-table-fronts.csv", figures.main, ["--figure", "table-fronts", "-o", str(self.out)]
        yield self.out / "page.html", report.main, ["-o", str(self.out / "page.html")]

    def test_it_is_told_in_one_line(self) -> None:
        """Once a traceback where the file was a PDF."""
        for file, main, arguments in self.writers():
            with self.subTest(file=file.name):
                file.symlink_to("/dev/full")
                told = self.refused(main, *arguments)
                self.assertIn("No space left on device", told)
                self.assertIn(str(file), told)

    def test_nothing_is_left_of_a_file_that_has_no_room(self) -> None:
        """Once an empty file."""
        for file, main, arguments in self.writers():
            with self.subTest(file=file.name), no_file_beyond(LEAST):
                self.assertIn(str(file), self.refused(main, *arguments))
                self.assertEqual(list(self.out.iterdir()), [])

    def test_what_was_there_stays(self) -> None:
        for file, main, arguments in self.writers():
            with self.subTest(file=file.name):
                file.write_text("earlier")
                with no_file_beyond(LEAST):
                    self.refused(main, *arguments)
                self.assertEqual(file.read_text(), "earlier")
                self.assertEqual(list(self.out.iterdir()), [file])
                file.unlink()


class Whole(Folder):
    def test_a_file_takes_the_place_of_another_with_its_rights(self) -> None:
        file = self.out / "any.txt"
        write_whole(file, "först")
        self.assertEqual(file.read_bytes(), "först".encode("utf-8"))
        usual = os.umask(0)
        os.umask(usual)
        self.assertEqual(file.stat().st_mode & 0o777, 0o666 & ~usual)
        file.chmod(0o640)
        write_whole(file, b"second")
        self.assertEqual((file.read_bytes(), file.stat().st_mode & 0o777), (b"second", 0o640))
        self.assertEqual(list(self.out.iterdir()), [file])

    def test_a_link_stays_and_what_it_leads_to_is_written(self) -> None:
        file, link = self.folder / "any.txt", self.out / "link.txt"
        link.symlink_to(file)
        for content in ("first", "second"):
            write_whole(link, content)
            self.assertEqual((link.is_symlink(), file.read_text()), (True, content))

    def test_what_is_no_file_is_written_to(self) -> None:
        read, write = os.pipe()
        with open(read, "rb") as out:
            with open(write, "wb") as end:
                write_whole(pathlib.Path(f"/dev/fd/{end.fileno()}"), "through a pipe")
            self.assertEqual(out.read(), b"through a pipe")

    def test_a_draft_of_a_process_that_was_killed_is_no_obstacle(self) -> None:
        file = self.out / "any.txt"
        left = file.with_name(f"any.txt.{os.getpid()}-0.part")
        left.write_text("half")
        write_whole(file, "whole")
        self.assertEqual((file.read_text(), left.read_text()), ("whole", "half"))

    def test_without_its_folder_the_target_is_named(self) -> None:
        file = self.out / "none" / "any.txt"
        with self.assertRaises(FileNotFoundError) as caught:
            write_whole(file, "")
        self.assertEqual(caught.exception.filename, str(file))


if __name__ == "__main__":
    unittest.main()
